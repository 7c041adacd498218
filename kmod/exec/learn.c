// SPDX-License-Identifier: GPL-2.0
/*
 * What an item of a queue costs, and when a time slice ends. A lane keeps an
 * estimate for its CPU (@item_ns), which decides whether other CPUs are worth
 * waking and how often the clock is read.
 *
 * Cost: the clock is read when a worker leaves a queue, and when it comes to
 * one after it had nothing to do. In between it is read after a few items, then
 * after as many as make a quarter of a time slice; but not if items are known
 * to be brief and no other queue waits. Limitation: if items become longer
 * within a time slice, that is seen at the next tick.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include "learn.h"

/* Least number of items in a sample. */
#define WSQ_TIMESTAMP_ITEMS		16

/*
 * Add a sample. Interrupts make items look longer than they are, nothing makes
 * them look shorter. So the estimate rises slowly and falls quickly.
 */
static void wsq_item_learn(struct wsq_lane *lane, u64 ns)
{
	if (ns < lane->item_ns)
		ns = (lane->item_ns + ns) / 2;
	else if (lane->item_ns)
		ns = (7ULL * lane->item_ns + ns) / 8;
	WRITE_ONCE(lane->item_ns, clamp_t(u64, ns, 1, U32_MAX));
}

/**
 * wsq_item_least() - update the recent minimum of what an item takes
 * @lane: the queue's lane, which the caller owns
 * @ran: items that have just run, not 0
 * @ns: ns that they took
 *
 * The minimum falls at once, and rises by a sixteenth for each call.
 *
 * Context: a worker, with preemption off.
 * Return: ns, not 0.
 */
u32 wsq_item_least(struct wsq_lane *lane, u32 ran, u64 ns)
{
	u32 least = lane->least_ns;

	if (!least || (u64)least * ran > ns)
		least = clamp_t(u64, div_u64(ns, ran), 1, U32_MAX / 2);
	else if (least < U32_MAX / 2)
		least += least / 16 + 1;
	lane->least_ns = least;
	return least;
}

/* @ran items took @ns. Short time slices are collected into one sample. */
static void wsq_slice_sample(struct wsq_lane *lane, u32 ran, u64 ns)
{
	lane->timestamp_ns += ns;
	lane->timestamp_items += ran;
	if (lane->timestamp_items < WSQ_TIMESTAMP_ITEMS)
		return;
	wsq_item_learn(lane, div_u64(lane->timestamp_ns, lane->timestamp_items));
	lane->timestamp_ns = 0;
	lane->timestamp_items = 0;
}

/**
 * wsq_slice_begin() - a worker begins to serve a queue
 * @t: its time slice
 *
 * If the worker comes straight from another time slice, this one begins when
 * that one ended: the clock is read once for both.
 *
 * Context: a worker.
 */
void wsq_slice_begin(struct wsq_slice *t)
{
	t->first = 0;
	t->switches = wsq_timestamp_switches();
	t->sleeps = READ_ONCE(current->nvcsw);
	t->away = wsq_timestamp_away();
	/* Not if another thread had the CPU since, or before @away was read. */
	t->from = t->left && t->left_switches == wsq_timestamp_switches() ?
		  t->left : ktime_get_mono_fast_ns();
	t->left = 0;
}

/**
 * wsq_slice_first() - the first item has run
 * @t: the worker's time slice
 *
 * If the producer shares this CPU, the worker is switched out after every item.
 * The first item, timed before any switch, is then the only clean sample.
 *
 * Context: the worker.
 */
void wsq_slice_first(struct wsq_slice *t)
{
	if (wsq_timestamp_switches() == t->switches)
		t->first = ktime_get_mono_fast_ns() - t->from;
}

/**
 * wsq_slice_check() - is the time slice over
 * @t: the worker's time slice
 * @lane: the queue's lane; gets its first estimate if it has none
 * @ran: items that the worker has run in this time slice, not 0
 *
 * Context: the worker, which owns @lane, with preemption off.
 * Return: 0 if it is over; otherwise the number of items after which to ask
 * again: those of a quarter of a time slice, by the average of this one.
 */
u32 wsq_slice_check(const struct wsq_slice *t, struct wsq_lane *lane, u32 ran)
{
	u64 ns = ktime_get_mono_fast_ns() - t->from;

	if (unlikely(!lane->item_ns))
		wsq_item_learn(lane, div_u64(ns, ran));
	if (ns >= WSQ_SLICE_NS)
		return 0;
	return max_t(u32, WSQ_SLICE_NS / 4 * ran / ((u32)ns + 1), 1);
}

/**
 * wsq_slice_used() - CPU time of a time slice
 * @t: the worker's time slice
 * @now: its end, ns of CLOCK_MONOTONIC
 *
 * Context: the worker.
 * Return: ns for which the worker used the CPU, interrupts included. That is
 * all but the time in which it slept or other threads had the CPU.
 */
u64 wsq_slice_used(const struct wsq_slice *t, u64 now)
{
	u64 ns = now - t->from;
	s64 away;

	if (likely(wsq_timestamp_switches() == t->switches))
		return ns;
	/* Interrupt or steal time may be in only one of the two: clamp. */
	away = wsq_timestamp_away() - t->away;
	return away > 0 ? ns - min_t(u64, ns, away) : ns;
}

/**
 * wsq_slice_end() - a worker leaves a queue
 * @t: its time slice
 * @lane: the queue's lane, which it still owns
 * @ran: items that it has run, not 0
 *
 * The time in which other threads had the CPU does not count for @item_ns,
 * unless the worker slept: items behind one that sleeps wait for that, too.
 *
 * Context: the worker, with preemption off.
 * Return: ns for which it used the CPU.
 */
u64 wsq_slice_end(struct wsq_slice *t, struct wsq_lane *lane, u32 ran)
{
	u64 now = ktime_get_mono_fast_ns();
	u64 ns = now - t->from, used = wsq_slice_used(t, now);

	t->left = now;
	t->left_switches = wsq_timestamp_switches();
	if (likely(t->left_switches == t->switches)) {
		wsq_slice_sample(lane, ran, ns);
		return used;
	}
	if (t->first && ran == 1)
		wsq_item_learn(lane, t->first);
	else
		wsq_slice_sample(lane, ran,
				 READ_ONCE(current->nvcsw) == t->sleeps ?
				 used : ns);
	return used;
}
