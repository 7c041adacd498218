// SPDX-License-Identifier: GPL-2.0
/*
 * Batches: requests shorter than their way through the queue are queued
 * together, as one item, the work item of the first.
 *
 * A request is batched if its op says that a short one is that short (@batched
 * of struct wsq_op_def), and if it has no flags and waits for nothing. Each can
 * be cancelled until a worker begins its batch, runs at most once, and has its
 * own completion entry. The batch shares the cost of queueing, the clock
 * reading, the count of completions and the barriers.
 *
 * A request may wait for those before it in the batch, and its completion for
 * those behind it: WSQ_BATCH_MOST requests or WSQ_BATCH_BYTES, about a
 * microsecond. That is less than another CPU takes to steal one of them.
 * Preemption is off from the first request to the last completion entry: a
 * preempted worker would delay the whole batch, finished requests included, and
 * no other worker can run the rest. Waiting threads are woken after that.
 *
 * Limitations: a batch holds requests of one ENTER only; it does not wait for
 * the next. A cancelled request completes when a worker runs its batch.
 */
#include <linux/preempt.h>

#include "../exec/timestamp.h"
#include "batch.h"
#include "complete.h"
#include "issue.h"
#include "order.h"
#include "ring.h"
#include "state.h"
#include "task_stats.h"

/*
 * A batch takes about a microsecond, whatever is in it: it counts as one item
 * for budgets and thieves, and a block of the queue should be worth stealing,
 * yet not be the whole backlog.
 */
#define WSQ_BATCH_BYTES	2048

static void wsq_batch_close(struct wsq_submit_batch *batch)
{
	struct wsq_req *head = batch->head;

	if (!head)
		return;
	head->batched = batch->n > 1;
	batch->works[batch->nr++] = &head->work;
	batch->head = NULL;
	batch->n = 0;
	batch->bytes = 0;
}

/**
 * wsq_submit_batch_flush() - queue the gathered requests
 * @ring: the ring, its lock held
 * @batch: the submit batch; empty afterwards
 *
 * Context: task, the submitter.
 * Ordering: the worker sees what was stored to the requests before.
 */
void wsq_submit_batch_flush(struct wsq_ring *ring,
			    struct wsq_submit_batch *batch)
{
	unsigned int nr;

	wsq_batch_close(batch);
	nr = batch->nr;
	batch->nr = 0;
	/*
	 * No item is owned by a canceller, which would hold the ring's lock.
	 * And the queue exists: it is destroyed after all rings and pollers.
	 */
	if (nr)
		WARN_ON_ONCE(wsq_queue_work_many(ring->queue, batch->works,
						 nr) != nr);
}

/**
 * wsq_submit_batch_add() - add a short request to the submit batch
 * @ring: the ring, its lock held
 * @batch: the submit batch; wsq_submit_batch_flush() is due later
 * @req: the request, not refused and short; nothing is linked to it
 *
 * Context: task, the submitter.
 * Return: false if the request cannot be batched.
 */
bool wsq_submit_batch_add(struct wsq_ring *ring, struct wsq_submit_batch *batch,
			  struct wsq_req *req)
{
	if (unlikely(!wsq_order_open(ring)))
		return false;
	wsq_req_ready_batched(req);
	if (batch->head) {
		batch->tail->next = req;
		req->batched = true;
	} else {
		batch->head = req;
	}
	batch->tail = req;
	batch->bytes += req->sqe.len;
	if (++batch->n == WSQ_BATCH_MOST || batch->bytes > WSQ_BATCH_BYTES) {
		wsq_batch_close(batch);
		if (batch->nr == WSQ_SUBMIT_BATCH_MOST)
			wsq_submit_batch_flush(ring, batch);
	}
	return true;
}

/**
 * wsq_batch_run() - run a batch, and make its completion entries
 * @head: its first request; none of them is to be touched afterwards
 * @last: filled in with the number of the last completion
 *
 * Context: task, a worker.
 * Return: number of requests. The caller has their references on the ring, and
 * must wake those that wait for the completions.
 */
u32 wsq_batch_run(struct wsq_req *head, u64 *last)
{
	struct wsq_ring *ring = head->ring;
	struct wsq_worker *w = wsq_timestamp_worker();
	struct wsq_stop stop;
	struct wsq_req *req;
	u32 nr = 0;
	u64 start;

	/* A short request neither sleeps nor calls cond_resched(). */
	preempt_disable();
	for (req = head; req; req = req->next) {
		wsq_req_begin_batched(req);
		nr++;
	}
	smp_mb();					/* CB(begin:B) */
	start = wsq_timestamp_begin(w, head->submit_ns);
	for (req = head; req; req = req->next) {
		wsq_req_stop(req, NULL, &stop);
		req->res = wsq_req_issue(req, &stop);
	}
	wsq_task_stats_ran(ring, start, wsq_timestamp_end(w));
	/* The clock may step back a little between CPUs. */
	*last = wsq_complete_batch(head, nr,
				   start > head->submit_ns ?
				   start - head->submit_ns : 0);
	preempt_enable();
	return nr;
}
