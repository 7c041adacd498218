// SPDX-License-Identifier: GPL-2.0
/*
 * What an item of a queue costs, and when a worker has been at a queue for long
 * enough. A container keeps an estimate for its CPU (@item_ns), which decides
 * whether other CPUs are worth waking and how often the clock is read.
 *
 * What it costs: the clock is read when a worker comes to a queue and when it
 * leaves, and in between after as many items as make a quarter of a time slice,
 * WSQ_CHECK_MOST at most.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

#include "learn.h"

/* Items from which the estimate is made. */
#define WSQ_LAP_ITEMS		16

/* Items between two looks at the clock, at most. */
#define WSQ_CHECK_MOST		16

/*
 * One more sample. Interrupts make items look longer than they are, nothing
 * makes them look shorter: the estimate goes up slowly and down quickly.
 */
static void wsq_item_learn(struct wsq_container *ct, u64 ns)
{
	if (ns < ct->item_ns)
		ns = (ct->item_ns + ns) / 2;
	else if (ct->item_ns)
		ns = (7ULL * ct->item_ns + ns) / 8;
	WRITE_ONCE(ct->item_ns, clamp_t(u64, ns, 1, U32_MAX));
}

/* @ran items took @ns. Many short turns say as much as a long one. */
static void wsq_turn_sample(struct wsq_container *ct, u32 ran, u64 ns)
{
	ct->lap_ns += ns;
	ct->lap_items += ran;
	if (ct->lap_items < WSQ_LAP_ITEMS)
		return;
	wsq_item_learn(ct, div_u64(ct->lap_ns, ct->lap_items));
	ct->lap_ns = 0;
	ct->lap_items = 0;
}

static unsigned int wsq_turn_check(const struct wsq_container *ct)
{
	u32 ns = ct->item_ns;

	if (!ns)
		return 1;
	return clamp_t(u32, WSQ_SLICE_NS / 4 / ns, 1, WSQ_CHECK_MOST);
}

/**
 * wsq_turn_begin() - a worker begins to serve a queue
 * @t: its time there
 * @ct: the queue's container
 *
 * Context: a worker.
 */
void wsq_turn_begin(struct wsq_turn *t, const struct wsq_container *ct)
{
	t->first = 0;
	t->ran = 0;
	t->check = wsq_turn_check(ct);
	t->switches = wsq_lap_switches();
	t->sleeps = READ_ONCE(current->nvcsw);
	t->away = wsq_lap_away();
	t->from = local_clock();
}

/**
 * wsq_turn_used_up() - is it time to look whether another queue waits
 * @t: the worker's time at a queue, after an item
 * @ct: the queue's container
 *
 * Context: the worker.
 * Return: true if a time slice is over.
 */
bool wsq_turn_used_up(struct wsq_turn *t, const struct wsq_container *ct)
{
	t->check = wsq_turn_check(ct);
	return local_clock() - t->from >= WSQ_SLICE_NS;
}

/**
 * wsq_turn_end() - a worker leaves a queue
 * @t: its time there
 * @ct: the queue's container, which it owns still
 *
 * The time in which other threads had the CPU does not count, unless the worker
 * slept: what waits behind an item that sleeps waits for that, too.
 *
 * Context: the worker, with preemption off.
 * Return: how long it used the CPU, in ns.
 */
u64 wsq_turn_end(struct wsq_turn *t, struct wsq_container *ct)
{
	u64 ns = local_clock() - t->from, used = ns;
	s64 away;

	if (likely(wsq_lap_switches() == t->switches)) {
		wsq_turn_sample(ct, t->ran, ns);
		return used;
	}
	/* Time of interrupts and of hosts may be in one of the two only. */
	away = wsq_lap_away() - t->away;
	if (away > 0)
		used -= min_t(u64, ns, away);
	if (t->first && t->ran == 1)
		wsq_item_learn(ct, t->first);
	else
		wsq_turn_sample(ct, t->ran,
				READ_ONCE(current->nvcsw) == t->sleeps ?
				used : ns);
	return used;
}
