/* SPDX-License-Identifier: GPL-2.0 */
/* Short requests are queued together, see batch.c. */
#ifndef _WSQ_RING_BATCH_H
#define _WSQ_RING_BATCH_H

#include <linux/types.h>
#include <linux/wsq_op.h>

struct wsq_req;
struct wsq_ring;
struct wsq_work;

/* Bytes read or written in 0.1 us, even with a lookup table. */
#define WSQ_TINY_LEN		256

/* Requests in a batch. */
#define WSQ_BATCH_MOST		32
/*
 * Batches that are queued in one call. No other CPU can run a request before it
 * is queued, so this is no more than is taken between two calls of
 * cond_resched().
 */
#define WSQ_SUBMIT_BATCH_MOST	2

/**
 * struct wsq_submit_batch - requests about to be queued. Submitter.
 * @head: first request of the batch being filled; %NULL if there is none
 * @tail: its last request
 * @n: number of its requests
 * @bytes: how much these read or write
 * @nr: number of complete batches
 * @works: heads of the complete batches
 */
struct wsq_submit_batch {
	struct wsq_req *head;
	struct wsq_req *tail;
	u32 n;
	u32 bytes;
	u32 nr;
	struct wsq_work *works[WSQ_SUBMIT_BATCH_MOST];
};

/* Does the entry, already checked, take less time than queueing it? */
static inline bool wsq_sqe_tiny(const struct wsq_op_def *def,
				const struct wsq_sqe *sqe)
{
	return def->batched && !sqe->flags && sqe->len <= WSQ_TINY_LEN;
}

bool wsq_submit_batch_add(struct wsq_ring *ring, struct wsq_submit_batch *batch,
			  struct wsq_req *req);
void wsq_submit_batch_flush(struct wsq_ring *ring,
			    struct wsq_submit_batch *batch);
u32 wsq_batch_run(struct wsq_req *head, u64 *last);

#endif /* _WSQ_RING_BATCH_H */
