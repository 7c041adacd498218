/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an item of a queue costs, learned from the time that a worker spends at
 * the queue; and how long a worker stays there. Internal; for worker.c.
 */
#ifndef _WSQ_EXEC_LEARN_H
#define _WSQ_EXEC_LEARN_H

#include "lap.h"

void wsq_turn_begin(struct wsq_turn *t);
void wsq_turn_first(struct wsq_turn *t);
u32 wsq_turn_check(const struct wsq_turn *t, struct wsq_container *ct,
		   u32 ran);
u32 wsq_item_least(struct wsq_container *ct, u32 ran, u64 ns);
u64 wsq_turn_end(struct wsq_turn *t, struct wsq_container *ct, u32 ran);

/* Is an item known to be so brief that reading the clock takes as long as several? */
static inline bool wsq_item_brief(const struct wsq_container *ct)
{
	return ct->item_ns - 1U < NSEC_PER_USEC;
}

/*
 * Items after which the clock is first read: a few, because a time slice is a
 * promise to others, and what a container has learned may be far too low on a
 * machine that is shared.
 */
static inline u32 wsq_turn_first_check(const struct wsq_container *ct)
{
	return ct->item_ns - 1U < WSQ_SLICE_NS / 16 ? 4 : 1;
}

#endif /* _WSQ_EXEC_LEARN_H */
