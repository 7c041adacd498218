// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of waiting pushes that no pop notifies of space: many at once,
 * woken in batches; by timeout alone, with SALSA; because a CPU goes or comes.
 * What pops do for them is in overflow_kunit.c, and each step is in
 * selftests/core/model/space_wait*.
 *
 * To make space without notification, the tests hide the pool's waiters from
 * pops.
 *
 * Limitations: tests that take a CPU offline need a kernel with hotplug
 * (tools/check/kunit debug), and some need two memory nodes.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/wsq.h>

#include "../engine/engine.h"
#include "../pool/overflow.h"
#include "../pool/pool.h"
#include "flow.h"

#define NR_WAITERS	200

/* Needs an engine whose waiters sleep until they are woken. */
static void space_need_timeout(struct kunit *test)
{
	if (wsq_engine_ops(wsq_test_engine(test)->kind)->space_timeout !=
	    MAX_SCHEDULE_TIMEOUT)
		kunit_skip(test, "needs an engine whose space does not come by time");
}

/* Pop @nr tasks here without notifying a waiter. */
static void space_pop(struct kunit *test, struct flow *f, unsigned int nr)
{
	struct wsq_waiting *waiting = f->pool->waiting;

	f->pool->waiting = NULL;
	while (nr--)
		KUNIT_EXPECT_TRUE(test, flow_pop(f));
	f->pool->waiting = waiting;
}

/* Do all of them wait, after their last check? */
static bool space_all_wait(const struct flow *f, struct wsq_test_call **calls)
{
	unsigned int i;

	for (i = 0; i < NR_WAITERS; i++)
		if (!wsq_test_slept(calls[i]))
			return false;
	return wsq_test_waiting(f->pool) == NR_WAITERS;
}

/* One notification lets all of many pushes in, late ones included. */
static void space_many(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), other, n, i;
	struct wsq_test_call **calls;
	struct flow_call *c;
	struct flow *f;

	space_need_timeout(test);
	wsq_test_need_cpus(test, 2);
	other = wsq_test_other(cpu);
	c = kunit_kcalloc(test, NR_WAITERS, sizeof(*c), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c);
	calls = kunit_kcalloc(test, NR_WAITERS, sizeof(*calls), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, calls);
	wsq_test_stay(test, cpu);
	f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, NR_WAITERS, cpu_online_mask);
	n = 2 * NR_WAITERS;
	KUNIT_EXPECT_EQ(test, flow_fill(f, n), n);
	wsq_test_stay(test, other);
	KUNIT_EXPECT_EQ(test, flow_fill(f, n), n);
	wsq_test_stay(test, cpu);
	for (i = 0; i < NR_WAITERS; i++) {
		c[i] = (struct flow_call){ .f = f, .nr = 1 };
		calls[i] = wsq_test_start_on(test, cpu, flow_call_fn, &c[i]);
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_until(space_all_wait(f, calls)));
	space_pop(test, f, n);
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, wsq_test_waiting(f->pool), NR_WAITERS);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, wsq_test_start_on(test, other,
								     flow_stole_fn,
								     f)));
	for (i = 0; i < NR_WAITERS; i++) {
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, calls[i]));
		KUNIT_EXPECT_EQ(test, c[i].ret, 0);
	}
	flow_end(test, f);
	wsq_test_roam();
}

static bool space_steal_fn(void *arg)
{
	struct flow_there *t = arg;
	struct wsq_waiting *waiting = t->f->pool->waiting;

	t->f->pool->waiting = NULL;
	flow_there_fn(t);
	t->f->pool->waiting = waiting;
	return true;
}

/*
 * All tasks were stolen, without notification, and no pop follows. Chunks come
 * back after a grace period, and the waiter finds them by its timeout.
 */
static void space_time(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct flow_call c = { .nr = 1 };
	struct wsq_test_call *call;
	struct flow_there t = {};

	if (wsq_engine_ops(wsq_test_engine(test)->kind)->space_timeout ==
	    MAX_SCHEDULE_TIMEOUT)
		kunit_skip(test, "needs an engine whose space comes by time");
	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, wsq_test_other(cpu));
	c.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 4, cpumask_of(cpu));
	wsq_test_end(test, wsq_test_start_on(test, cpu, flow_fill_fn, c.f));
	call = flow_wait(test, &c, cpu);
	t = (struct flow_there){ .f = c.f, .most = 8 };
	space_steal_fn(&t);
	KUNIT_EXPECT_EQ(test, t.got, 8);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, c.ret, 0);
	flow_end(test, c.f);
	wsq_test_roam();
}

#ifdef CONFIG_HOTPLUG_CPU

/* The waiter's CPU goes offline. There is space on the CPU it moves to. */
static void space_gone(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), off;
	struct flow_call c = { .nr = 1 };
	struct wsq_test_call *call;
	cpumask_var_t mask;
	int ret;

	space_need_timeout(test);
	wsq_test_need_cpus(test, 2);
	off = cpumask_last(cpu_online_mask);
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&mask, GFP_KERNEL));
	cpumask_set_cpu(cpu, mask);
	cpumask_set_cpu(off, mask);
	wsq_test_stay(test, cpu);
	c.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 4, mask);
	free_cpumask_var(mask);
	KUNIT_EXPECT_EQ(test, flow_fill(c.f, 8), 8);
	wsq_test_end(test, wsq_test_start_on(test, off, flow_fill_fn, c.f));
	call = flow_wait(test, &c, off);
	space_pop(test, c.f, 8);
	wsq_test_linger();
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	ret = remove_cpu(off);
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, c.ret, 0);
	if (!ret)
		KUNIT_EXPECT_EQ(test, add_cpu(off), 0);
	flow_end(test, c.f);
	wsq_test_roam();
}

/*
 * The waiter's CPU is no member, and the inbox that it uses is full. A nearer
 * member comes online.
 */
static void space_come(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), off, at, n;
	struct flow_call c = { .nr = 1 };
	struct wsq_test_call *call;
	cpumask_var_t mask;

	space_need_timeout(test);
	wsq_test_need_cpus(test, 3);
	off = cpumask_last(cpu_online_mask);
	/* The last CPU but one is a neighbour of the last, if any CPU is. */
	at = cpu;
	for_each_online_cpu(n) {
		if (n != off && n != cpu)
			at = n;
	}
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&mask, GFP_KERNEL));
	cpumask_set_cpu(cpu, mask);
	cpumask_set_cpu(off, mask);
	wsq_test_stay(test, at);
	c.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 4, mask);
	free_cpumask_var(mask);
	if (wsq_pool_nearest(c.f->pool, at) != off) {
		flow_end(test, c.f);
		wsq_test_roam();
		kunit_skip(test, "needs CPUs that are nearer than others");
	}
	KUNIT_ASSERT_EQ(test, remove_cpu(off), 0);
	KUNIT_EXPECT_EQ(test, wsq_pool_nearest(c.f->pool, at), cpu);
	KUNIT_EXPECT_EQ(test, flow_fill(c.f, WSQ_POINTER_LINKS), WSQ_POINTER_LINKS);
	call = flow_wait(test, &c, at);
	wsq_test_linger();
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_EQ(test, add_cpu(off), 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, c.ret, 0);
	flow_end(test, c.f);
	wsq_test_roam();
}

#endif /* CONFIG_HOTPLUG_CPU */

static struct kunit_case space_cases[] = {
	WSQ_ENGINE_CASE(space_many),
	WSQ_ENGINE_CASE(space_time),
#ifdef CONFIG_HOTPLUG_CPU
	WSQ_ENGINE_CASE_SLOW(space_gone),
	WSQ_ENGINE_CASE_SLOW(space_come),
#endif
	{}
};

static struct kunit_suite space_suite = {
	.name = "wsq_overflow_space",
	.test_cases = space_cases,
};

kunit_test_suite(space_suite);
