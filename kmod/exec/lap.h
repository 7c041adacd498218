/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time at which items begin and end, for the functions of items that want to know
 * both. A worker that goes from one such item straight to the next reads the
 * clock once for the two: the end of the one is the beginning of the other.
 *
 * Straight means that nobody else had the CPU in between and that no other item was
 * run; and that the next item was there by then, lest it begin before it was
 * queued. Otherwise the clock is read.
 *
 * Cost: one reading for each item of a batch, two for one that comes alone.
 * Limitations: what it takes to get from one item to the next counts as the
 * next one's; and so does a moment without any, for one of a batch that says that it
 * was there since the batch began to be queued.
 */
#ifndef _WSQ_EXEC_LAP_H
#define _WSQ_EXEC_LAP_H

#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "exec.h"

/* How often the caller has given up the CPU, willingly or not; perhaps just now. */
static inline unsigned long wsq_lap_switches(void)
{
	return READ_ONCE(current->nvcsw) + READ_ONCE(current->nivcsw);
}

/*
 * How long the caller has been without a CPU, in ns, but for a constant. The scheduler
 * adds to what a task has run, and says until when that is; it sets the latter alone
 * when it gives the task a CPU. So the difference moves by what lies between; or by
 * anything, if another CPU is at it just now.
 */
static inline u64 wsq_lap_away(void)
{
	return READ_ONCE(current->se.exec_start) -
	       READ_ONCE(current->se.sum_exec_runtime);
}

/**
 * wsq_lap_worker() - who keeps the time
 *
 * Context: function of an item, in a worker.
 * Return: the worker.
 */
static inline struct wsq_worker *wsq_lap_worker(void)
{
	return kthread_data(current);
}

/**
 * wsq_lap_begin() - since when this item runs
 * @w: of wsq_lap_worker()
 * @since: since when it waits, ns of CLOCK_MONOTONIC
 *
 * Context: as wsq_lap_worker().
 * Return: ns of CLOCK_MONOTONIC.
 */
static inline u64 wsq_lap_begin(const struct wsq_worker *w, u64 since)
{
	if (w->lap_end > since && w->nr_run - w->lap_run <= 1 &&
	    w->lap_switches == wsq_lap_switches())
		return w->lap_end;
	return ktime_get_mono_fast_ns();
}

/**
 * wsq_lap_end() - this item has done what it is timed for
 * @w: of wsq_lap_worker()
 *
 * Context: as wsq_lap_worker().
 * Return: ns of CLOCK_MONOTONIC.
 */
static inline u64 wsq_lap_end(struct wsq_worker *w)
{
	/* Before the clock: who loses the CPU in between is not straight on. */
	w->lap_switches = wsq_lap_switches();
	w->lap_run = w->nr_run;
	w->lap_end = ktime_get_mono_fast_ns();
	return w->lap_end;
}

#endif /* _WSQ_EXEC_LAP_H */
