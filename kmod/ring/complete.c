// SPDX-License-Identifier: GPL-2.0
/*
 * Requests run in workers, and become completion entries.
 *
 * Cost: one atomic increment and one full barrier for each completion; no lock
 * unless somebody is asleep, or held back, and this completion is what it waits
 * for. One reading of the clock for each task of a batch (exec/lap.h), or for each
 * bundle.
 */
#include "../exec/lap.h"
#include "ring.h"
#include "user.h"

/* Completion @n is there for who waits for it, and what was held back by it. */
static void wsq_complete_tell(struct wsq_ring *ring, u64 n)
{
	/* Has a full barrier, [GT]. */
	wsq_ring_wake(ring, n);
	if (unlikely((u64)atomic64_read(&ring->completed) >=
		     READ_ONCE(ring->gate)))
		wsq_order_release(ring);
}

/* Make completion entry @n, of @req. That may be used anew when this returns. */
static __always_inline void wsq_cqe_put(struct wsq_ring *ring, u64 n,
					struct wsq_req *req, s64 res,
					u64 wait_ns, u32 cpu)
{
	struct wsq_cqe *cqe = &ring->cqes[n & ring->cq_mask];

	if (unlikely(res < 0))
		wsq_account_error(ring, res);
	WRITE_ONCE(cqe->user_data, req->sqe.user_data);
	WRITE_ONCE(cqe->res, res);
	WRITE_ONCE(cqe->wait_ns, wait_ns);
	WRITE_ONCE(cqe->cpu, cpu);
	/* CQ(seq:A) */
	smp_store_release(&cqe->seq, (u32)(n >> ring->cq_shift) + 1);
	/* [SL]; after seq, so whoever is told of the entry finds it there. */
	atomic64_set_release(&ring->slots[n & ring->cq_mask],	/* SL(done:A) */
			     wsq_slot_word(ring, n, req->index));
}

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
 * Ordering: [CQ1] towards the process, [SL] and [KY] towards the next submission,
 * [WT] towards waiters, [GT] towards what was held back.
 */
void wsq_req_complete(struct wsq_req *req, s64 res, u64 wait_ns)
{
	struct wsq_ring *ring = req->ring;
	u64 n;

	if (unlikely(req->cont))
		wsq_cont_put(req);
	atomic_set(&req->state, WSQ_REQ_FREE);
	/*
	 * From counting to publishing nothing gets between: those behind this
	 * entry wait for it, and a submitter may spin for the slot.
	 */
	preempt_disable();
	/*
	 * CQ(count:A): makes it visible with the entry; release for [GT] and
	 * [KY].
	 */
	n = atomic64_fetch_add_release(1, &ring->completed);
	if (unlikely(req->key))
		wsq_key_put(req);
	wsq_cqe_put(ring, n, req, res, wait_ns, raw_smp_processor_id());
	preempt_enable();
	wsq_complete_tell(ring, n);
	percpu_ref_put(&ring->refs);
}

/**
 * wsq_reqs_complete() - make the completion entries of a bundle
 * @head: its first request; not to be touched afterwards, nor the others
 * @nr: how many it has; their results are in @res of each
 * @wait_ns: how long they had waited
 *
 * Context: task, preemption off. The one caller for these requests.
 * Return: the number of the last, for wsq_reqs_told(), which is to come.
 * Ordering: as wsq_req_complete(); counted together, each is published as if it
 * were alone.
 */
u64 wsq_reqs_complete(struct wsq_req *head, u32 nr, u64 wait_ns)
{
	struct wsq_ring *ring = head->ring;
	struct wsq_req *req, *next;
	u32 cpu = raw_smp_processor_id();
	u64 n;

	/* CQ(count:B) */
	n = atomic64_fetch_add_release(nr, &ring->completed);
	for (req = head; req; req = next, n++) {
		next = req->next;
		atomic_set(&req->state, WSQ_REQ_FREE);
		wsq_cqe_put(ring, n, req, req->res, wait_ns, cpu);
	}
	return n - 1;
}

/**
 * wsq_reqs_told() - the completion entries of a bundle are there for who waits
 * @ring: its ring; not to be touched afterwards
 * @n: the last of them, of wsq_reqs_complete()
 * @nr: how many they are
 *
 * Drops the references of their requests on the ring.
 *
 * Context: task, preemptible.
 * Ordering: [WT] and [GT] as wsq_req_complete().
 */
void wsq_reqs_told(struct wsq_ring *ring, u64 n, u32 nr)
{
	wsq_complete_tell(ring, n);
	percpu_ref_put_many(&ring->refs, nr);
}

/* A request that has begun leaves its worker. Not to be touched afterwards. */
static void wsq_req_leave(struct wsq_req *req)
{
	if (req->key)
		wsq_key_leave(req);
	else
		wsq_ring_requeue(req->ring, &req->work);
}

/* Is its task one that waits while too many have left? See cont.c. */
static bool wsq_req_long(const struct wsq_req *req)
{
	const struct wsq_sqe *sqe = &req->sqe;

	if (sqe->op >= WSQ_OP_NR)
		return false;
	return sqe->flags & WSQ_SQE_VEC ?
	       wsq_list_long(sqe, req->ring->arena) : sqe->len > WSQ_OP_PIECE;
}

/* A request's turn has come. */
static void wsq_req_do(struct wsq_req *req)
{
	struct wsq_ring *ring = req->ring;
	struct wsq_conts *conts = &ring->user->conts;
	struct wsq_stop stop;
	struct wsq_worker *w;
	u64 start, wait_ns;
	bool left;
	s64 res;

	if (req->bundled) {
		wsq_bundle_run(req);
		return;
	}
	/* It is CANCELLED before it has begun, or not at all. */
	left = atomic_read(&req->state) == WSQ_REQ_RUNNING;
	if (!left) {
		if (unlikely(READ_ONCE(conts->held) >= conts->limit) &&
		    !req->cont && wsq_req_long(req) && wsq_cont_wait(req))
			return;
		/* CA(begin:A): One winner: this worker, or the canceller. */
		if (unlikely(atomic_cmpxchg_acquire(&req->state, WSQ_REQ_QUEUED,
						    WSQ_REQ_RUNNING) !=
			     WSQ_REQ_QUEUED)) {
			wsq_req_end(req, -ECANCELED, 0);
			return;
		}
	}
	w = wsq_lap_worker();
	start = wsq_lap_begin(w, req->submit_ns);
	wsq_req_stop(req, conts, &stop);
	if (unlikely(left)) {
		wait_ns = req->cont->wait_ns;
		res = wsq_op_resume(&req->sqe, &stop, req->cont);
	} else {
		/* The clock may step back a little between CPUs. */
		wait_ns = start > req->submit_ns ? start - req->submit_ns : 0;
		res = wsq_req_issue(req, &stop);
	}
	/* A process that sees the completion finds it accounted. */
	wsq_account_ran(ring, start, wsq_lap_end(w));
	if (unlikely(res == WSQ_OP_AGAIN)) {
		req->cont->wait_ns = wait_ns;
		wsq_req_leave(req);
		return;
	}
	wsq_req_end(req, res, wait_ns);
}

/**
 * wsq_req_run() - what the queue calls
 * @work: of a request
 *
 * Context: task, a worker.
 */
void wsq_req_run(struct wsq_work *work)
{
	wsq_req_do(container_of(work, struct wsq_req, work));
}

/**
 * wsq_req_run_keyed() - what the serial of a key calls
 * @item: of a request
 *
 * Context: task, a worker.
 */
void wsq_req_run_keyed(struct wsq_serial_work *item)
{
	wsq_req_do(container_of(item, struct wsq_req, item));
}
