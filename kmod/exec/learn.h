/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an item of a queue costs, learned from the time that a worker serves the
 * queue, and when its time slice ends. Internal; for worker.c.
 */
#ifndef _WSQ_EXEC_LEARN_H
#define _WSQ_EXEC_LEARN_H

#include "timestamp.h"

void wsq_slice_begin(struct wsq_slice *t);
void wsq_slice_first(struct wsq_slice *t);
u32 wsq_slice_check(const struct wsq_slice *t, struct wsq_lane *lane,
		    u32 ran);
u32 wsq_item_least(struct wsq_lane *lane, u32 ran, u64 ns);
u64 wsq_slice_used(const struct wsq_slice *t, u64 now);
u64 wsq_slice_end(struct wsq_slice *t, struct wsq_lane *lane, u32 ran);

/* Is an item known to be so brief that several cost as much as a clock read? */
static inline bool wsq_item_brief(const struct wsq_lane *lane)
{
	return lane->item_ns - 1U < NSEC_PER_USEC;
}

/*
 * Items after which the clock is first read. A few only: other queues rely on
 * the time slice, and on a shared machine the learned time may be far too low.
 */
static inline u32 wsq_slice_first_check(const struct wsq_lane *lane)
{
	return lane->item_ns - 1U < WSQ_SLICE_NS / 16 ? 4 : 1;
}

#endif /* _WSQ_EXEC_LEARN_H */
