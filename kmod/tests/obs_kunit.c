// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the stall detector: what stalls is reported, once, and what
 * does not is not. Takes some seconds.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include "../exec/exec.h"
#include "../obs/stall.h"
#include "items.h"

/* stall_ms meanwhile. */
#define STALL_MS	400

static unsigned int stall_ms_before;
static bool stall_stack_before;

static int stall_init(struct kunit *test)
{
	stall_ms_before = wsq_stall_ms;
	stall_stack_before = wsq_stall_stack;
	/* The laboratory takes a stack for a report that the kernel is unwell. */
	WRITE_ONCE(wsq_stall_stack, false);
	return 0;
}

static void stall_exit(struct kunit *test)
{
	WRITE_ONCE(wsq_stall_ms, stall_ms_before);
	WRITE_ONCE(wsq_stall_stack, stall_stack_before);
}

static void stall_sleep(unsigned int ms)
{
	schedule_timeout_uninterruptible(msecs_to_jiffies(ms));
}

/* Have @ms count, also if the look-out is set for longer. */
static int stall_set(struct kunit *test, unsigned int ms)
{
	unsigned long end = jiffies + WSQ_TEST_PATIENCE;

	WRITE_ONCE(wsq_stall_ms, 0);
	while (atomic_read(&wsq_stall_armed) && time_before(jiffies, end))
		stall_sleep(50);
	KUNIT_ASSERT_EQ(test, atomic_read(&wsq_stall_armed), 0);
	WRITE_ONCE(wsq_stall_ms, ms);
	return atomic_read(&wsq_stall_reports);
}

/* Wait until there have been @nr reports, or patience ends; then a while. */
static void stall_await(int nr)
{
	unsigned long end = jiffies + WSQ_TEST_PATIENCE;

	while (atomic_read(&wsq_stall_reports) < nr && time_before(jiffies, end))
		stall_sleep(50);
	stall_sleep(3 * STALL_MS);
}

/* An item that sleeps for long is reported, once, though nothing waits. */
static void stall_runs(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 16, NULL);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	int before = stall_set(test, STALL_MS);

	wsq_queue_work(q, &g->it.work);
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	/* Not before its time. */
	KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_reports), before);
	stall_await(before + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_reports), before + 1);
	wsq_test_release(test, q, g);
	wsq_test_queue_end(test, q);
}

/* What waits behind one that computes is reported, and that one as well. */
static void stall_waits(struct kunit *test)
{
	unsigned int cpu, here = get_cpu();
	struct wsq_test_item *behind;
	struct wsq_test_gate *g;
	struct wsq *q;
	int before;

	put_cpu();
	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, here);
	cpu = wsq_test_other(here);
	q = wsq_test_queue(test, 4, 16, NULL);
	before = stall_set(test, STALL_MS);
	g = wsq_test_hold(test, q, cpu);
	behind = wsq_test_items(test, q, 1, wsq_test_count);
	/* Bound to that CPU: nobody else may have it. */
	wsq_queue_work_on(cpu, q, &behind->work);
	stall_await(before + 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&behind->runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_reports), before + 2);
	wsq_test_release(test, q, g);
	wsq_test_queue_end(test, q);
	KUNIT_EXPECT_EQ(test, atomic_read(&behind->runs), 1);
	vfree(behind);
	wsq_test_roam();
}

/* Many short items are no stall, however long they go on; nor is anything at 0. */
static void stall_none(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 16, NULL);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	int before = stall_set(test, STALL_MS);
	unsigned long end = jiffies + msecs_to_jiffies(4 * STALL_MS);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);

	while (time_before(jiffies, end)) {
		wsq_queue_work(q, &it->work);
		stall_sleep(10);
	}
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_reports), before);
	/* The look-out goes when there is nothing to look at. */
	stall_sleep(2 * STALL_MS);
	KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_armed), 0);

	stall_set(test, 0);
	wsq_queue_work(q, &g->it.work);
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	stall_sleep(4 * STALL_MS);
	KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_reports), before);
	wsq_test_release(test, q, g);
	wsq_test_queue_end(test, q);
	vfree(it);
}

static struct kunit_case stall_cases[] = {
	KUNIT_CASE_SLOW(stall_runs),
	KUNIT_CASE_SLOW(stall_waits),
	KUNIT_CASE_SLOW(stall_none),
	{}
};

static struct kunit_suite stall_suite = {
	.name = "wsq_stall",
	.init = stall_init,
	.exit = stall_exit,
	.test_cases = stall_cases,
};

kunit_test_suite(stall_suite);
