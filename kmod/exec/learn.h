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
 * @from: when it began, by local_clock()
 * @first: what the first item took, if no other thread had the CPU meanwhile
 * @switches: wsq_lap_switches() when it began
 * @sleeps: how often the worker had slept by then
 * @away: wsq_lap_away() by then
 * @ran: items that were run
 * @check: items until the clock is read again
 */
struct wsq_turn {
	u64 from;
	u64 first;
	unsigned long switches;
	unsigned long sleeps;
	u64 away;
	unsigned int ran;
	unsigned int check;
};

void wsq_turn_begin(struct wsq_turn *t, const struct wsq_container *ct);
bool wsq_turn_used_up(struct wsq_turn *t, const struct wsq_container *ct);
u64 wsq_turn_end(struct wsq_turn *t, struct wsq_container *ct);

/*
 * An item has been run. If the producer shares this CPU, the worker is switched
 * out after every item: the first item, timed before any switch, is then the
 * only clean sample.
 */
static inline void wsq_turn_count(struct wsq_turn *t)
{
	if (!t->ran++ && wsq_lap_switches() == t->switches)
		t->first = local_clock() - t->from;
}

#endif /* _WSQ_EXEC_LEARN_H */
