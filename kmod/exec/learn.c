// SPDX-License-Identifier: GPL-2.0
/*
 * What an item of a queue costs, and when a worker has been at a queue for long
 * enough. A container keeps an estimate for its CPU (@item_ns), which decides
 * whether other CPUs are worth waking and how often the clock is read.
 *
 * What it costs: the clock is read when a worker leaves a queue, and when it comes to
 * one after it had nothing to do. In between it is read after a few items, then after
 * as many as make a quarter of a time slice; but not if items are known to be brief
 * and no other queue waits. Limitation: if items become longer in the middle of a turn,
 * that is seen at the next tick.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include "learn.h"

/* Items from which the estimate is made. */
#define WSQ_LAP_ITEMS		16

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

/**
 * wsq_item_least() - what an item of a queue takes at least
 * @ct: the queue's container, which the caller owns
 * @ran: items that have run just now, not 0
 * @ns: what they took
 *
 * The least of late: it goes down at once, and up by a sixteenth a turn.
 *
 * Context: a worker, with preemption off.
 * Return: ns, not 0.
 */
u32 wsq_item_least(struct wsq_container *ct, u32 ran, u64 ns)
{
	u32 least = ct->least_ns;

	if (!least || (u64)least * ran > ns)
		least = clamp_t(u64, div_u64(ns, ran), 1, U32_MAX / 2);
	else if (least < U32_MAX / 2)
		least += least / 16 + 1;
	ct->least_ns = least;
	return least;
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

/**
 * wsq_turn_begin() - a worker begins to serve a queue
 * @t: its time there
 *
 * If the worker came straight from another turn, this one begins when that ended: the
 * clock is read once for both.
 *
 * Context: a worker.
 */
void wsq_turn_begin(struct wsq_turn *t)
{
	t->first = 0;
	t->switches = wsq_lap_switches();
	t->sleeps = READ_ONCE(current->nvcsw);
	t->away = wsq_lap_away();
	/* Not if another thread had the CPU since, or has it before @away is read. */
	t->from = t->left && t->left_switches == wsq_lap_switches() ?
		  t->left : ktime_get_mono_fast_ns();
	t->left = 0;
}

/**
 * wsq_turn_first() - the first item has been run
 * @t: the worker's time at a queue
 *
 * If the producer shares this CPU, the worker is switched out after every item:
 * the first item, timed before any switch, is then the only clean sample.
 *
 * Context: the worker.
 */
void wsq_turn_first(struct wsq_turn *t)
{
	if (wsq_lap_switches() == t->switches)
		t->first = ktime_get_mono_fast_ns() - t->from;
}

/**
 * wsq_turn_check() - when to look whether another queue waits
 * @t: the worker's time at a queue
 * @ct: the queue's container; if what items take is not known yet, this turn tells
 * @ran: items that it has run there, not 0
 *
 * Context: the worker, which owns @ct, with preemption off.
 * Return: 0 if the time slice is over; otherwise after how many items to ask
 * again: those of a quarter of a time slice, as far as this turn tells.
 */
u32 wsq_turn_check(const struct wsq_turn *t, struct wsq_container *ct, u32 ran)
{
	u64 ns = ktime_get_mono_fast_ns() - t->from;

	if (unlikely(!ct->item_ns))
		wsq_item_learn(ct, div_u64(ns, ran));
	if (ns >= WSQ_SLICE_NS)
		return 0;
	return max_t(u32, WSQ_SLICE_NS / 4 * ran / ((u32)ns + 1), 1);
}

/**
 * wsq_turn_end() - a worker leaves a queue
 * @t: its time there
 * @ct: the queue's container, which it owns still
 * @ran: items that it has run
 *
 * The time in which other threads had the CPU does not count, unless the worker
 * slept: what waits behind an item that sleeps waits for that, too.
 *
 * Context: the worker, with preemption off.
 * Return: how long it used the CPU, in ns.
 */
u64 wsq_turn_end(struct wsq_turn *t, struct wsq_container *ct, u32 ran)
{
	u64 now = ktime_get_mono_fast_ns();
	u64 ns = now - t->from, used = ns;
	s64 away;

	t->left = now;
	t->left_switches = wsq_lap_switches();
	if (likely(t->left_switches == t->switches)) {
		wsq_turn_sample(ct, ran, ns);
		return used;
	}
	/* Time of interrupts and of hosts may be in one of the two only. */
	away = wsq_lap_away() - t->away;
	if (away > 0)
		used -= min_t(u64, ns, away);
	if (t->first && ran == 1)
		wsq_item_learn(ct, t->first);
	else
		wsq_turn_sample(ct, ran,
				READ_ONCE(current->nvcsw) == t->sleeps ?
				used : ns);
	return used;
}
