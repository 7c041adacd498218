// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU that goes offline: hotplug callbacks of other modules wait for items that
 * were queued there, and some of these wait for further ones. wsq was loaded
 * first, so its own callback has not been called yet, but the scheduler has
 * moved its workers away. CPU hotplug, and with it suspend, stands still until
 * all of them have run.
 *
 * Queue 0 is used, which has all possible CPUs and keeps them.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/sched.h>

#include "torture.h"

#define GOES_ITEMS	4

/**
 * struct goes_item - an item on a CPU that goes offline
 * @work: the item
 * @second: queued by its function, which waits for it
 * @over: completed by @second
 * @cpu: the CPU
 * @runs: how often it has run to its end
 */
struct goes_item {
	struct wsq_work work;
	struct wsq_work second;
	struct completion over;
	unsigned int cpu;
	atomic_t runs;
};

/* CPUs go offline one at a time. */
static struct goes_item goes_items[GOES_ITEMS];
static unsigned int goes_rounds;
static bool goes_waits;

static void goes_second_fn(struct wsq_work *work)
{
	complete(&container_of(work, struct goes_item, second)->over);
}

static void goes_fn(struct wsq_work *work)
{
	struct goes_item *it = container_of(work, struct goes_item, work);

	/* Of two, one sleeps. */
	if ((it - goes_items) & 1) {
		wsq_queue_work_on(it->cpu, torture_queue(0), &it->second);
		wait_for_completion(&it->over);
	}
	atomic_inc(&it->runs);
}

static bool goes_busy(void)
{
	unsigned int i;

	for (i = 0; i < GOES_ITEMS; i++)
		if (wsq_work_busy(&goes_items[i].work) ||
		    wsq_work_busy(&goes_items[i].second))
			return true;
	return false;
}

static unsigned int goes_over(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < GOES_ITEMS; i++)
		nr += atomic_read(&goes_items[i].runs) == goes_rounds;
	return nr;
}

/**
 * torture_goes() - queue items on a CPU that goes offline, and wait for them
 * @cpu: the CPU, which is this one
 *
 * Context: hotplug callback of the CPU.
 */
void torture_goes(unsigned int cpu)
{
	unsigned long since = torture_clock();
	unsigned int i;

	/* After an error, they may still wait. */
	if (!READ_ONCE(goes_waits) || goes_busy())
		return;
	goes_rounds++;
	for (i = 0; i < GOES_ITEMS; i++) {
		struct goes_item *it = &goes_items[i];

		it->cpu = cpu;
		reinit_completion(&it->over);
		atomic_set(&it->runs, goes_rounds - 1);
		if (i < GOES_ITEMS / 2)
			wsq_queue_work_on(cpu, torture_queue(0), &it->work);
		else
			wsq_queue_work(torture_queue(0), &it->work);
	}
	while (goes_over() < GOES_ITEMS) {
		if (torture_overdue(since, 1)) {
			torture_err("%u of %u items have not run while CPU %u goes offline",
				    GOES_ITEMS - goes_over(), GOES_ITEMS, cpu);
			return;
		}
		schedule_timeout_idle(1);
	}
	torture_add(TC_GOES, GOES_ITEMS);
}

/**
 * torture_goes_begin() - from here on, wait for items when a CPU goes offline
 *
 * Context: task; the queues exist.
 */
void torture_goes_begin(void)
{
	unsigned int i;

	for (i = 0; i < GOES_ITEMS; i++) {
		INIT_WSQ_WORK(&goes_items[i].work, goes_fn);
		INIT_WSQ_WORK(&goes_items[i].second, goes_second_fn);
		init_completion(&goes_items[i].over);
	}
	WRITE_ONCE(goes_waits, true);
}

/**
 * torture_goes_end() - no longer
 *
 * Context: task; sleeps until no callback waits.
 */
void torture_goes_end(void)
{
	WRITE_ONCE(goes_waits, false);
	cpus_read_lock();
	cpus_read_unlock();
}
