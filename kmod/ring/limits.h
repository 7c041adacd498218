/* SPDX-License-Identifier: GPL-2.0 */
/* Limits of users, see limits.c. */
#ifndef _WSQ_RING_LIMITS_H
#define _WSQ_RING_LIMITS_H

#include <linux/types.h>

struct wsq_query;
struct wsq_ring;
struct wsq_sizes;

int wsq_limits_charge(struct wsq_ring *ring, const struct wsq_sizes *s);
void wsq_limits_uncharge(struct wsq_ring *ring, const struct wsq_sizes *s);
void wsq_limits_leave(struct wsq_ring *ring);
bool wsq_limits_settle(struct wsq_ring *ring);
void wsq_limits_query(struct wsq_query *q);

#endif /* _WSQ_RING_LIMITS_H */
