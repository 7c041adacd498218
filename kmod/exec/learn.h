/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an item of a queue costs, learned from the time that a worker spends at
 * the queue; and how long a worker stays there. Internal; for worker.c.
 */
#ifndef _WSQ_EXEC_LEARN_H
#define _WSQ_EXEC_LEARN_H

#include "lap.h"

/**
 * struct wsq_turn - a worker's time at a queue
 * @from: when it began, ns of CLOCK_MONOTONIC
 * @first: what the first item took, if no other thread had the CPU meanwhile
 * @switches: wsq_lap_switches() when it began
 * @sleeps: how often the worker had slept by then
 * @away: wsq_lap_away() by then
 */
struct wsq_turn {
	u64 from;
	u64 first;
	unsigned long switches;
	unsigned long sleeps;
	u64 away;
};

void wsq_turn_begin(struct wsq_turn *t);
void wsq_turn_first(struct wsq_turn *t);
u32 wsq_turn_check(const struct wsq_turn *t, struct wsq_container *ct,
		   u32 ran);
u32 wsq_item_least(struct wsq_container *ct, u32 ran, u64 ns);
u64 wsq_turn_end(const struct wsq_turn *t, struct wsq_container *ct, u32 ran);

/*
 * May an item take long enough that it matters what the first one of a turn took?
 * If all are known to be brief, a reading of the clock costs more than they do.
 */
static inline bool wsq_item_long(const struct wsq_container *ct)
{
	return ct->item_ns - 1U >= NSEC_PER_USEC;
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
