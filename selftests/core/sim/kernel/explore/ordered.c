// SPDX-License-Identifier: GPL-2.0
/*
 * A queue that keeps order, which threads and interrupts on all CPUs put to and
 * cancel from, beside a queue of another kind that its items are put to as well.
 *
 * - Never two items of the queue run at a time, on any CPU.
 * - Items that one thread put, one after the other, begin in that order.
 * - A flush ends, and what its thread had put before has run or was cancelled.
 */
#include "explore.h"

#define DEEDS	5	/* actions of a thread */

static unsigned int inside;

static void runs(struct item *it)
{
	if (it->q != queue_ordered())
		return;
	if (inside++)
		sim_fail("item %u runs beside another one", it->nr);
	switch (below(4)) {
	case 0:
		doze(30 * SIM_US);
		break;
	case 1:
		compute(20 * SIM_US);
		break;
	default:
		if (it->arg && it->arg--)
			put(it);
		break;
	}
	inside--;
}

/* ---- ordered: two items of each thread, in order ---- */

static void in_turn(struct item *it)
{
	/* @other was put before, and cannot be queued again until it has begun. */
	if (it->other && it->other->begun < it->begun)
		sim_fail("item %u overtakes item %u", it->nr, it->other->nr);
	runs(it);
}

/* Puts both in turn: the second never begins more often than the first. */
static int pair_thread(void *arg)
{
	struct item *it = arg;
	unsigned int i;

	for (i = 0; i < DEEDS; i++) {
		if (once_in(3))
			doze(10 * SIM_US);
		if (!put(it->other))
			continue;
		put(it);
		if (once_in(3)) {
			unsigned int accepted = it->accepted;

			wsq_flush(it->q->q);
			if (it->ended < accepted)
				sim_fail("item %u: of %u runs %u are over behind a flush",
					 it->nr, accepted, it->ended);
		}
	}
	return 0;
}

/* ... and one that is cancelled all the time. */
static int cancel_thread(void *arg)
{
	struct item *it = arg;
	unsigned int i;

	for (i = 0; i < DEEDS; i++) {
		if (once_in(3))
			compute(5 * SIM_US);
		put(it);
		if (once_in(3))
			doze(10 * SIM_US);
		cancel(it, once_in(4) ? wsq_cancel_work_sync : wsq_cancel_work);
	}
	return 0;
}

static void ordered_round(void)
{
	struct queue *q = queue_ordered();
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct item *first = new_item(q, -1, runs);
		struct item *second = new_item(q, -1, in_turn);

		second->other = first;
		thread(pair_thread, second);
	}
	for (i = 1 + below(2); i; i--) {
		struct item *it = new_item(q, -1, runs);

		it->arg = 2;
		thread(cancel_thread, it);
		if (once_in(2))
			put_somewhere(it);
	}
	if (once_in(2))
		put_somewhere(new_item(queue_of(1, 0), some_cpu(), runs));
}

static void ordered_over(void)
{
	if (inside)
		sim_fail("%u items are still in their function", inside);
}

const struct scene ordered_scene = {
	.name = "ordered",
	.rounds = 30,
	.round = ordered_round,
	.over = ordered_over,
};
