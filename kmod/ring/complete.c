// SPDX-License-Identifier: GPL-2.0
/*
 * Completion entries. Waking those that wait for them is the caller's.
 *
 * Cost: one atomic increment for each completion, or for each batch.
 */
#include <linux/preempt.h>
#include <linux/smp.h>

#include "complete.h"
#include "futures.h"
#include "keys.h"
#include "ring.h"
#include "state.h"
#include "task_stats.h"

/* Make completion entry @n, of @req, which may be reused when this returns. */
static __always_inline void wsq_cqe_put(struct wsq_ring *ring, u64 n,
					struct wsq_req *req, s64 res,
					u64 wait_ns, u32 cpu)
{
	struct wsq_cqe *cqe = &ring->cqes[n & ring->cq_mask];

	if (unlikely(res < 0))
		wsq_task_stats_error(ring, res);
	WRITE_ONCE(cqe->user_data, req->sqe.user_data);
	WRITE_ONCE(cqe->res, res);
	WRITE_ONCE(cqe->wait_ns, wait_ns);
	WRITE_ONCE(cqe->cpu, cpu);
	/* CQ(seq:A) */
	smp_store_release(&cqe->seq, (u32)(n >> ring->cq_shift) + 1);
	/* [SL]; after seq, so a woken thread finds the entry. */
	atomic64_set_release(&ring->slots[n & ring->cq_mask],	/* SL(done:A) */
			     wsq_slot_word(ring, n, req->index));
}

/**
 * wsq_complete_one() - make the completion entry of a request
 * @req: the request; not to be touched afterwards
 * @res: its result
 * @wait_ns: how long it had waited, in ns
 *
 * Context: task, preemptible. The one caller for this request.
 * Return: the number of the completion.
 * Ordering: [CQ1] towards the process, [SL] and [KY] towards the next
 * submission. Counting it is a release, for [GT].
 */
u64 wsq_complete_one(struct wsq_req *req, s64 res, u64 wait_ns)
{
	struct wsq_ring *ring = req->ring;
	u64 n;

	wsq_req_free(req);
	/*
	 * No preemption between counting and publishing: later entries wait for
	 * this one, and a submitter may spin for the slot.
	 */
	preempt_disable();
	/*
	 * CQ(count:A): makes it visible with the entry; release for [GT] and
	 * [KY].
	 */
	n = atomic64_fetch_add_release(1, &ring->completed);
	if (unlikely(req->sqe.flags & (WSQ_SQE_KEY | WSQ_SQE_FUTURES))) {
		if (req->key)
			wsq_key_put(req);
		/* A process that sees the completion may name it again. */
		if (req->sqe.flags & WSQ_SQE_FUTURES)
			wsq_futures_resolve(req, res);
	}
	wsq_cqe_put(ring, n, req, res, wait_ns, raw_smp_processor_id());
	preempt_enable();
	return n;
}

/**
 * wsq_complete_batch() - make the completion entries of a batch
 * @head: its first request; none of them is to be touched afterwards
 * @nr: number of requests; @res of each has its result
 * @wait_ns: how long they had waited, in ns
 *
 * Context: task, preemption off. The one caller for these requests.
 * Return: the number of the last completion.
 * Ordering: as wsq_complete_one(); they are counted together, but each is
 * published on its own.
 */
u64 wsq_complete_batch(struct wsq_req *head, u32 nr, u64 wait_ns)
{
	struct wsq_ring *ring = head->ring;
	struct wsq_req *req, *next;
	u32 cpu = raw_smp_processor_id();
	u64 n;

	/* CQ(count:B) */
	n = atomic64_fetch_add_release(nr, &ring->completed);
	for (req = head; req; req = next, n++) {
		next = req->next;
		wsq_req_free(req);
		wsq_cqe_put(ring, n, req, req->res, wait_ns, cpu);
	}
	return n - 1;
}
