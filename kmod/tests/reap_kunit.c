// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of workers that sleep in an item while their CPU goes offline:
 * they end when the item ends, whether the CPU is back or not.
 *
 * Needs a kernel with hotplug (tools/check/kunit debug).
 */
#include <linux/cpu.h>

#include "crowd.h"

/* Items that sleep on the CPU that goes offline. */
#define REAP_ITEMS	40

#ifdef CONFIG_HOTPLUG_CPU

/* Normal workers of a CPU that the module lists. */
static int reap_workers(unsigned int cpu)
{
	const struct wsq_worker *w;
	int nr = 0;

	mutex_lock(&wsq_workers_lock);
	list_for_each_entry(w, &wsq_workers, list)
		nr += wsq_worker_cpu(w) == wsq_cpus[cpu];
	mutex_unlock(&wsq_workers_lock);
	return nr;
}

/* When the CPU comes back. */
enum reap_how {
	REAP_STAYS_OFF,		/* after the items have ended */
	REAP_COMES_BACK,	/* while they sleep */
	REAP_TWICE,		/* while they sleep, and goes again */
	REAP_HOWS,
};

static void reap_one(struct kunit *test, enum reap_how how)
{
	unsigned int stay = cpumask_first(cpu_online_mask);
	unsigned int off = cpumask_last(cpu_online_mask);
	struct wsq_test_crowd *crowd = wsq_test_crowd(test, REAP_ITEMS, 0);
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *it;

	it = wsq_test_items(test, q, 1, wsq_test_count);
	wsq_test_stay(test, stay);
	wsq_test_crowd_queue(test, crowd, q, off);
	wsq_test_crowd_begun(test, crowd, REAP_ITEMS);
	KUNIT_EXPECT_EQ(test, remove_cpu(off), 0);
	if (how != REAP_STAYS_OFF)
		KUNIT_EXPECT_EQ(test, add_cpu(off), 0);
	if (how == REAP_TWICE)
		KUNIT_EXPECT_EQ(test, remove_cpu(off), 0);
	/* Items queued for that CPU run, though its workers sleep. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(off, q, &it->work));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&it->runs)));
	wsq_test_crowd_end(test, crowd, q);
	KUNIT_EXPECT_TRUE_MSG(test,
			      wsq_test_until(reap_workers(off) ==
					     (how == REAP_COMES_BACK ? 2 : 0)),
			      "%d workers of CPU %u are left (%d)",
			      reap_workers(off), off, how);
	if (how != REAP_COMES_BACK)
		KUNIT_EXPECT_EQ(test, add_cpu(off), 0);
	/* The CPU has a worker and a standby worker, and keeps no more. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(off, q, &it->work));
	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_expect_runs(test, it, 1, 2);
	KUNIT_EXPECT_EQ(test, it->cpu, (int)off);
	KUNIT_EXPECT_TRUE(test,
			  wsq_test_until(READ_ONCE(wsq_cpus[off]->nr_workers) ==
					 2));
	wsq_test_roam();
	wsq_test_queue_end(test, q);
	vfree(it);
}

static void reap_sleepers(struct kunit *test)
{
	enum reap_how how;

	wsq_test_need_cpus(test, 2);
	for (how = 0; how < REAP_HOWS; how++)
		reap_one(test, how);
}

/* A CPU goes and comes back while a queue is at its limit @max there. */
static void reap_active_one(struct kunit *test, u32 max)
{
	unsigned int stay = cpumask_first(cpu_online_mask);
	unsigned int off = cpumask_last(cpu_online_mask);
	const struct wsq_attrs attrs = {
		.flags = WSQ_RESIDENT,
		.max_active = max,
	};
	struct wsq_test_crowd *crowd;
	struct wsq_test_item *items;
	struct wsq *q;
	int i;

	q = wsq_test_queue_attrs(test, &attrs);
	crowd = wsq_test_crowd(test, max, 0);
	items = wsq_test_items(test, q, 10, wsq_test_count);
	wsq_test_stay(test, stay);
	wsq_test_crowd_queue(test, crowd, q, off);
	wsq_test_crowd_begun(test, crowd, max);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(off, q,
							  &items[i].work));
	/* Any CPU runs bound items of a CPU that is offline. */
	KUNIT_EXPECT_EQ(test, remove_cpu(off), 0);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test,
				  wsq_test_until(atomic_read(&items[i].runs)));
	wsq_test_crowd_end(test, crowd, q);
	KUNIT_EXPECT_EQ(test, add_cpu(off), 0);
	/* Items that slept there no longer count. */
	crowd = wsq_test_crowd(test, max, max);
	wsq_test_crowd_queue(test, crowd, q, off);
	wsq_test_crowd_begun(test, crowd, max);
	wsq_test_crowd_end(test, crowd, q);
	wsq_test_expect_runs(test, items, 10, 1);
	wsq_test_roam();
	wsq_test_queue_end(test, q);
	vfree(items);
}

/* With a limit of 1, the current worker held the queue when the CPU went. */
static void reap_active(struct kunit *test)
{
	u32 max;

	wsq_test_need_cpus(test, 2);
	for (max = 1; max <= 2; max++)
		reap_active_one(test, max);
}

#else

static void reap_sleepers(struct kunit *test)
{
	kunit_skip(test, "needs CPU hotplug: tools/check/kunit debug");
}

static void reap_active(struct kunit *test)
{
	kunit_skip(test, "needs CPU hotplug: tools/check/kunit debug");
}

#endif

static struct kunit_case reap_cases[] = {
	KUNIT_CASE(reap_sleepers),
	KUNIT_CASE(reap_active),
	{}
};

static struct kunit_suite reap_suite = {
	.name = "wsq_reap",
	.test_cases = reap_cases,
};

kunit_test_suite(reap_suite);
