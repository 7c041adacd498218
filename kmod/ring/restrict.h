/* SPDX-License-Identifier: GPL-2.0 */
/* What the entries of a ring may ask for, see restrict.c. */
#ifndef _WSQ_RING_RESTRICT_H
#define _WSQ_RING_RESTRICT_H

#include <linux/compiler.h>
#include <linux/wsq_op.h>

#include "ring.h"

struct wsq_restrict;

/* Longs of a bitmap that has each struct wsq_sqe.op. */
#define WSQ_ALLOWED_LONGS	BITS_TO_LONGS(U16_MAX + 1)

int wsq_ring_restrict(struct wsq_ring *ring, const struct wsq_restrict *r);
bool wsq_opener_capable(const struct wsq_ring *ring, int cap);
int wsq_ring_may_ask(const struct wsq_ring *ring, const struct wsq_op_def *def,
		     const struct wsq_sqe *sqe);

/**
 * wsq_ring_may() - does the ring allow an entry
 * @ring: the ring, its lock held
 * @def: the op of the entry
 * @sqe: the kernel's own copy of the entry
 *
 * Context: task.
 * Return: 0 or %-EPERM.
 */
static inline int wsq_ring_may(const struct wsq_ring *ring,
			       const struct wsq_op_def *def,
			       const struct wsq_sqe *sqe)
{
	if (likely(!ring->allowed && def->cap < 0))
		return 0;
	return wsq_ring_may_ask(ring, def, sqe);
}

#endif /* _WSQ_RING_RESTRICT_H */
