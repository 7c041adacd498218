/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timestamps of the beginning and end of items, for functions of items that
 * need both. A worker that goes straight from one such item to the next reads
 * the clock once: the end of the first is the beginning of the second.
 *
 * Straight means: no other thread had the CPU in between, no other item ran,
 * and the second item was queued before the first ended. Otherwise the clock is
 * read again.
 *
 * Cost: one reading for each item of a batch, two for an item alone.
 * Limitations: the time between two items counts as part of the second. That
 * includes time without any item, if the second item is of a batch and gives
 * the time when queueing the batch began as its own.
 */
#ifndef _WSQ_EXEC_TIMESTAMP_H
#define _WSQ_EXEC_TIMESTAMP_H

#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "exec.h"

/* Context switches of the caller, voluntary or not. */
static inline unsigned long wsq_timestamp_switches(void)
{
	return READ_ONCE(current->nvcsw) + READ_ONCE(current->nivcsw);
}

/*
 * How long the caller has been without a CPU, in ns, plus a constant. The
 * scheduler adds to sum_exec_runtime while it moves exec_start on; when it
 * gives the task a CPU, it sets exec_start alone. So the difference grows by
 * the time without a CPU. It may be any value while another CPU changes the
 * two.
 */
static inline u64 wsq_timestamp_away(void)
{
	return READ_ONCE(current->se.exec_start) -
	       READ_ONCE(current->se.sum_exec_runtime);
}

/**
 * wsq_timestamp_worker() - the worker that keeps the caller's timestamps
 *
 * Context: function of an item, in a worker.
 * Return: the worker.
 */
static inline struct wsq_worker *wsq_timestamp_worker(void)
{
	return kthread_data(current);
}

/**
 * wsq_timestamp_begin() - when this item began
 * @w: the worker, from wsq_timestamp_worker()
 * @since: when the item was queued, ns of CLOCK_MONOTONIC
 *
 * Context: as wsq_timestamp_worker().
 * Return: ns of CLOCK_MONOTONIC.
 */
static inline u64 wsq_timestamp_begin(const struct wsq_worker *w, u64 since)
{
	if (w->timestamp_end > since && w->nr_run - w->timestamp_run <= 1 &&
	    w->timestamp_switches == wsq_timestamp_switches())
		return w->timestamp_end;
	return ktime_get_mono_fast_ns();
}

/**
 * wsq_timestamp_end() - when this item ended
 * @w: the worker, from wsq_timestamp_worker()
 *
 * Context: as wsq_timestamp_worker().
 * Return: ns of CLOCK_MONOTONIC.
 */
static inline u64 wsq_timestamp_end(struct wsq_worker *w)
{
	/* Before the clock is read: a switch in between must be seen. */
	w->timestamp_switches = wsq_timestamp_switches();
	w->timestamp_run = w->nr_run;
	w->timestamp_end = ktime_get_mono_fast_ns();
	return w->timestamp_end;
}

#endif /* _WSQ_EXEC_TIMESTAMP_H */
