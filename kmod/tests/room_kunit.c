// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of pushes that wait for room which no pop tells them of: many at once,
 * woken in slices; by time alone, with SALSA; because a CPU goes or comes. What pops
 * do for them is in overflow_kunit.c, each step of it in selftests/core/model/room*.
 *
 * Room that nobody is told of is made by pops while the pool seems to have nobody who
 * waits.
 *
 * Limitations: those that take a CPU off need a kernel with hotplug (tools/check/kunit
 * debug), and some two memory nodes.
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

/* Engines whose waiters sleep until they are woken. */
static void room_need_patience(struct kunit *test)
{
	if (wsq_engine_ops(wsq_test_engine(test)->kind)->patience !=
	    MAX_SCHEDULE_TIMEOUT)
		kunit_skip(test, "needs an engine whose room does not come by time");
}

/* Pop so many here, and tell nobody. */
static void room_pop(struct kunit *test, struct flow *f, unsigned int nr)
{
	struct wsq_waiting *waiting = f->pool->waiting;

	f->pool->waiting = NULL;
	while (nr--)
		KUNIT_EXPECT_TRUE(test, flow_pop(f));
	f->pool->waiting = waiting;
}

/* Do all of them wait, with their last look behind them? */
static bool room_all_wait(const struct flow *f, struct wsq_test_call **calls)
{
	unsigned int i;

	for (i = 0; i < NR_WAITERS; i++)
		if (!wsq_test_slept(calls[i]))
			return false;
	return wsq_test_waiting(f->pool) == NR_WAITERS;
}

/* One call, and all of many have got in: whose turn comes late as well. */
static void room_many(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), other, n, i;
	struct wsq_test_call **calls;
	struct flow_call *c;
	struct flow *f;

	room_need_patience(test);
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
	KUNIT_EXPECT_TRUE(test, wsq_test_until(room_all_wait(f, calls)));
	room_pop(test, f, n);
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

static bool room_rob_fn(void *arg)
{
	struct flow_there *t = arg;
	struct wsq_waiting *waiting = t->f->pool->waiting;

	t->f->pool->waiting = NULL;
	flow_there_fn(t);
	t->f->pool->waiting = waiting;
	return true;
}

/*
 * All was stolen, nobody is told, and nobody pops any more: chunks come back when a
 * grace period is over, and who waits finds out by looking.
 */
static void room_time(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct flow_call c = { .nr = 1 };
	struct wsq_test_call *call;
	struct flow_there t = {};

	if (wsq_engine_ops(wsq_test_engine(test)->kind)->patience ==
	    MAX_SCHEDULE_TIMEOUT)
		kunit_skip(test, "needs an engine whose room comes by time");
	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, wsq_test_other(cpu));
	c.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 4, cpumask_of(cpu));
	wsq_test_end(test, wsq_test_start_on(test, cpu, flow_fill_fn, c.f));
	call = flow_wait(test, &c, cpu);
	t = (struct flow_there){ .f = c.f, .most = 8 };
	room_rob_fn(&t);
	KUNIT_EXPECT_EQ(test, t.got, 8);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, c.ret, 0);
	flow_end(test, c.f);
	wsq_test_roam();
}

#ifdef CONFIG_HOTPLUG_CPU

/* His CPU goes; there is room where he gets. */
static void room_gone(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), off;
	struct flow_call c = { .nr = 1 };
	struct wsq_test_call *call;
	cpumask_var_t mask;
	int ret;

	room_need_patience(test);
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
	room_pop(test, c.f, 8);
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
 * He has no part in the pool, and the inbox where he puts is full. One that is nearer
 * to him comes.
 */
static void room_come(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), off, at, n;
	struct flow_call c = { .nr = 1 };
	struct wsq_test_call *call;
	cpumask_var_t mask;

	room_need_patience(test);
	wsq_test_need_cpus(test, 3);
	off = cpumask_last(cpu_online_mask);
	/* The last but that one is its neighbour, if anybody is. */
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
	KUNIT_EXPECT_EQ(test, flow_fill(c.f, WSQ_RAW_LINKS), WSQ_RAW_LINKS);
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

static struct kunit_case room_cases[] = {
	WSQ_ENGINE_CASE(room_many),
	WSQ_ENGINE_CASE(room_time),
#ifdef CONFIG_HOTPLUG_CPU
	WSQ_ENGINE_CASE_SLOW(room_gone),
	WSQ_ENGINE_CASE_SLOW(room_come),
#endif
	{}
};

static struct kunit_suite room_suite = {
	.name = "wsq_overflow_room",
	.test_cases = room_cases,
};

kunit_test_suite(room_suite);
