/* SPDX-License-Identifier: GPL-2.0 */
/* Chains that wait for others, see order.c. */
#ifndef _WSQ_RING_ORDER_H
#define _WSQ_RING_ORDER_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "ring.h"
#include "state.h"

/* The value of struct wsq_ring.drain_at when no chain is held. */
#define WSQ_DRAIN_OFF		U64_MAX

void wsq_order_init(struct wsq_ring *ring);
void wsq_order_hold(struct wsq_ring *ring, struct wsq_req *head);
bool wsq_order_claim(struct wsq_ring *ring);
struct wsq_req *wsq_order_next(struct wsq_ring *ring);
bool wsq_order_releasing(struct wsq_ring *ring);

/* Is no chain held? An open barrier stays open: only a submitter closes it. */
static inline bool wsq_order_open(const struct wsq_ring *ring)
{
	return READ_ONCE(ring->drain_at) == WSQ_DRAIN_OFF;
}

/* May held chains start? A full barrier precedes, [GT]. */
static inline bool wsq_order_due(const struct wsq_ring *ring)
{
	return (u64)atomic64_read(&ring->completed) >=
	       READ_ONCE(ring->drain_at);
}

#endif /* _WSQ_RING_ORDER_H */
