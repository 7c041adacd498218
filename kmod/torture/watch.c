// SPDX-License-Identifier: GPL-2.0
/*
 * The watchdog: reports an item that stays pending, or a thread that stays in
 * one operation, once, with its state.
 *
 * While other contexts queue, a worker that was not woken is found by the next
 * wake-up: its items run late, but they run. So now and then all threads pause.
 * Then an item runs only if its own put woke a worker.
 */
#include <linux/kernel.h>
#include <linux/printk.h>

#include "torture.h"

/* A thread may wait for several items, one after the other. */
#define THREAD_TIMES		2

/**
 * torture_overdue() - has something waited for too long
 * @since: torture_clock() when it began to wait
 * @times: how often torture_starved it may wait
 *
 * Context: task.
 * Return: %true if every online CPU has had so many beats since then that a
 * lack of CPU time is no reason.
 */
bool torture_overdue(unsigned long since, unsigned int times)
{
	return torture_clock() - since > (unsigned long)times * torture_starved;
}

/**
 * torture_watch_items() - report pending items without progress
 *
 * Context: task; one at a time.
 */
void torture_watch_items(void)
{
	unsigned long clock = torture_clock();
	unsigned int i;

	for (i = 0; i < torture_nr_items(); i++) {
		struct torture_item *it = torture_item(i);
		u32 now = atomic_read(&it->runs) + atomic_read(&it->cancelled);

		if (now != it->last || !wsq_work_pending(&it->dwork.work) ||
		    atomic_read(&it->in_func)) {
			torture_waited(TORTURE_WAIT_ITEM, clock - it->since);
			it->last = now;
			it->since = clock;
			it->told = false;
		} else if (!it->told && torture_overdue(it->since, 1)) {
			it->told = true;
			torture_item_err(it, "has been pending for too long");
		}
	}
}

/**
 * torture_watch_thread() - report a thread without progress
 * @t: the thread, which has not ended
 *
 * Context: task; one at a time.
 */
void torture_watch_thread(struct torture_thread *t)
{
	u64 now = READ_ONCE(t->actor.ops);

	if (now != t->seen || READ_ONCE(t->idle)) {
		torture_waited(TORTURE_WAIT_THREAD, torture_clock() - t->since);
		t->seen = now;
		t->since = torture_clock();
		t->told = false;
	} else if (!t->told && torture_overdue(t->since, THREAD_TIMES)) {
		t->told = true;
		torture_err("%s has been at \"%s\" for %u beats",
			    t->task->comm, READ_ONCE(t->doing),
			    THREAD_TIMES * torture_starved);
	}
}

static bool watch_is_calm(const struct torture_thread *all, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!READ_ONCE(all[i].calm))
			return false;
	for (i = 0; i < torture_nr_items(); i++)
		if (wsq_work_busy(&torture_item(i)->dwork.work))
			return false;
	return torture_serials_calm();
}

/**
 * torture_watch_calm() - wait until all queued items have run
 * @all: the threads, which pause as soon as they can
 * @nr: number of threads
 *
 * Context: task; sleeps.
 * Return: %true if they have; otherwise those that have not are reported.
 */
bool torture_watch_calm(struct torture_thread *all, unsigned int nr)
{
	unsigned long since = torture_clock();
	unsigned int i;

	while (!watch_is_calm(all, nr)) {
		schedule_timeout_idle(1);
		torture_rivals_watch();
		if (torture_stopped())
			return false;
		if (!torture_overdue(since, THREAD_TIMES))
			continue;
		for (i = 0; i < nr; i++)
			if (!READ_ONCE(all[i].calm))
				torture_err("%s is still at \"%s\" when all pause",
					    all[i].task->comm,
					    READ_ONCE(all[i].doing));
		for (i = 0; i < torture_nr_items(); i++)
			if (wsq_work_busy(&torture_item(i)->dwork.work))
				torture_item_err(torture_item(i),
						 "has not run when all pause");
		if (!torture_serials_calm())
			torture_err("a serial is not idle when all pause");
		return false;
	}
	torture_waited(TORTURE_WAIT_CALM, torture_clock() - since);
	torture_inc(TC_CALM);
	return true;
}
