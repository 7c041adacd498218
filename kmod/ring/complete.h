/* SPDX-License-Identifier: GPL-2.0 */
/* Completion entries, and the slots of completions, see complete.c. */
#ifndef _WSQ_RING_COMPLETE_H
#define _WSQ_RING_COMPLETE_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "ring.h"

struct wsq_req;

/* The value that completion @n of request @index stores in its slot. */
static inline u64 wsq_slot_word(const struct wsq_ring *ring, u64 n, u32 index)
{
	return (((n >> ring->cq_shift) + 1) << ring->cq_shift) | index;
}

/* Has completion @n been published? Its slot may be a pass further already. */
static inline bool wsq_slot_done(const struct wsq_ring *ring, u64 n)
{
	/* SL(ready:A) */
	u64 word = atomic64_read_acquire(&ring->slots[n & ring->cq_mask]);

	return word >> ring->cq_shift > n >> ring->cq_shift;
}

u64 wsq_complete_one(struct wsq_req *req, s64 res, u64 wait_ns);
u64 wsq_complete_batch(struct wsq_req *head, u32 nr, u64 wait_ns);

#endif /* _WSQ_RING_COMPLETE_H */
