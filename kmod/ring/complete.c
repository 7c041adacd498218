// SPDX-License-Identifier: GPL-2.0
/*
 * Requests run in workers, and become completion entries.
 *
 * Cost: one atomic increment and one full barrier for each completion; no lock
 * unless somebody is asleep and this completion is what it waits for.
 */
#include <linux/ktime.h>

#include "ring.h"

/**
 * wsq_req_complete() - make the completion entry
 * @req: the request; not to be touched afterwards
 * @res: its result
 * @wait_ns: how long it had waited
 *
 * Drops the request's reference on the ring, so that is not to be touched
 * either unless the caller has one of its own.
 *
 * Context: task, preemptible. The one caller for this request.
 * Ordering: [CQ1] towards the process, [SL] towards the next submission, [WT]
 * towards waiters.
 */
void wsq_req_complete(struct wsq_req *req, s64 res, u64 wait_ns)
{
	struct wsq_ring *ring = req->ring;
	u64 user_data = req->sqe.user_data;
	u32 index = req->index;
	struct wsq_cqe *cqe;
	u64 n;

	atomic_set(&req->state, WSQ_REQ_FREE);
	/*
	 * From counting to publishing nothing gets between: those behind this
	 * entry wait for it, and a submitter may spin for the slot.
	 */
	preempt_disable();
	/* No order needed: [CQ1] makes the count visible with the entry. */
	n = atomic64_fetch_add_relaxed(1, &ring->completed);
	cqe = &ring->cqes[n & ring->cq_mask];
	WRITE_ONCE(cqe->user_data, user_data);
	WRITE_ONCE(cqe->res, res);
	WRITE_ONCE(cqe->wait_ns, wait_ns);
	WRITE_ONCE(cqe->cpu, raw_smp_processor_id());
	/* [CQ1] */
	smp_store_release(&cqe->seq, (u32)(n >> ring->cq_shift) + 1);
	/* [SL]; after seq, so whoever is told of the entry finds it there. */
	atomic64_set_release(&ring->slots[n & ring->cq_mask],
			     wsq_slot_word(ring, n, index));
	preempt_enable();

	wsq_ring_wake(ring, n);
	percpu_ref_put(&ring->refs);
}

/**
 * wsq_req_run() - what the queue calls
 * @work: of a request
 *
 * Context: task, a worker.
 */
void wsq_req_run(struct wsq_work *work)
{
	struct wsq_req *req = container_of(work, struct wsq_req, work);
	struct wsq_ring *ring = req->ring;
	u64 start;
	s64 res;

	/* One winner. Today nobody else tries, so this must be it. */
	if (WARN_ON_ONCE(atomic_cmpxchg_acquire(&req->state, WSQ_REQ_QUEUED,
						WSQ_REQ_RUNNING) !=
			 WSQ_REQ_QUEUED))
		return;
	if (unlikely(READ_ONCE(ring->dead))) {
		percpu_ref_put(&ring->refs);
		return;
	}
	start = ktime_get_mono_fast_ns();
	/* It was there when the entry was accepted, and stays. */
	res = wsq_op_issue(wsq_op_info(req->sqe.op), &req->sqe, ring->arena,
			   &ring->dead);
	/* That clock may step back a little between CPUs. */
	wsq_req_complete(req, res,
			 start > req->submit_ns ? start - req->submit_ns : 0);
}
