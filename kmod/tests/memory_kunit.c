// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of what queues cost: memory that comes with use and goes without,
 * the formula of Documentation/core-api.rst, threads, and time when idle.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/vmalloc.h>
#include <linux/wsq.h>

#include "../exec/exec.h"
#include "../engine/engine.h"
#include "items.h"

#define LOAD_ITEMS	4096

static struct wsq *queue_new(struct kunit *test, u32 flags)
{
	struct wsq_attrs attrs = { .flags = flags };
	struct wsq *q = wsq_test_create(test, &attrs, "memory");

	KUNIT_ASSERT_FALSE(test, IS_ERR(q));
	return q;
}

/* CPUs on which a queue's engine has memory. */
static unsigned int engines(const struct wsq *q)
{
	unsigned int cpu, n = 0;

	for_each_possible_cpu(cpu) {
		const struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);

		n += ct && READ_ONCE(ct->engine);
	}
	return n;
}

static void nop_fn(struct wsq_work *work)
{
}

/* Queue until an engine has come, which housekeeping brings. It may go at once. */
static bool load_until_mounted(struct wsq *q, struct wsq_work *works)
{
	unsigned long end = jiffies + WSQ_TEST_PATIENCE;
	unsigned int i, there;

	while (!(there = engines(q)) && time_before(jiffies, end)) {
		for (i = 0; i < LOAD_ITEMS; i++)
			wsq_queue_work(q, &works[i]);
		wsq_flush(q);
		schedule_timeout_uninterruptible(1);
	}
	return there;
}

static struct wsq_work *works_new(struct kunit *test)
{
	struct wsq_work *works = vzalloc(LOAD_ITEMS * sizeof(*works));
	int i;

	KUNIT_ASSERT_NOT_NULL(test, works);
	for (i = 0; i < LOAD_ITEMS; i++)
		INIT_WSQ_WORK(&works[i], nop_fn);
	return works;
}

/* Nothing at first, memory under load, nothing again after some idle time. */
static void memory_comes_and_goes(struct kunit *test)
{
	struct wsq *q = queue_new(test, 0);
	struct wsq_work *works = works_new(test);
	unsigned long end;
	int round;

	for (round = 0; round < 2; round++) {
		KUNIT_EXPECT_EQ(test, engines(q), 0);
		KUNIT_EXPECT_TRUE(test, load_until_mounted(q, works));
		end = jiffies + WSQ_TEST_PATIENCE;
		while (engines(q) && time_before(jiffies, end))
			schedule_timeout_uninterruptible(HZ / 10);
	}
	KUNIT_EXPECT_EQ(test, engines(q), 0);
	wsq_destroy(q);
	vfree(works);
}

static void memory_resident(struct kunit *test)
{
	struct wsq *q = queue_new(test, WSQ_RESIDENT);

	KUNIT_EXPECT_EQ(test, engines(q), cpumask_weight_and(q->pool.cpus,
							     cpu_online_mask));
	wsq_destroy(q);
}

/*
 * The formula: for each online CPU of the queue a container, and while it is
 * busy there an engine; for each possible CPU two words. With SALSA the numbers
 * of chunks and parties as well.
 */
static u64 queue_bytes(enum wsq_engine_type kind, unsigned int possible,
		       unsigned int online, u32 blocks, u32 block_size,
		       bool busy)
{
	u64 ct = roundup_pow_of_two(wsq_container_bytes(false));
	u64 bytes = sizeof(struct wsq) + possible * 2 * sizeof(void *) +
		    online * ct;

	if (kind == WSQ_SALSA)
		bytes += sizeof(struct wsq_salsa) + BITS_TO_BYTES(possible) +
			 (u64)possible * (blocks + 2) * sizeof(atomic64_t);
	if (busy)
		bytes += (u64)online *
			 wsq_engine_bytes(kind, blocks, blocks, block_size);
	return bytes;
}

static void memory_formula(struct kunit *test)
{
	static const struct {
		unsigned int cpus;
		u64 idle, busy;
	} sizes[] = {
		{ 4, 8 * 1024, 128 * 1024 },
		{ 64, 72 * 1024, 2048 * 1024 },
		{ 256, 288 * 1024, 8192 * 1024 },
	};
	enum wsq_engine_type kind = wsq_test_engine(test)->kind;
	/* Chunks are four times the size of blocks, and the slack is less. */
	unsigned int times = kind == WSQ_SALSA ? 3 : 1;
	struct wsq *q = queue_new(test, 0);
	unsigned int cpu, cts = 0;
	int i;

	kunit_info(test, "container %zu, engine %zu, CPU %zu, worker %zu, queue %zu bytes",
		   wsq_container_bytes(false),
		   wsq_engine_bytes(kind, q->pool.blocks, q->pool.max_blocks,
				    q->pool.block_size),
		   sizeof(struct wsq_cpu), sizeof(struct wsq_worker),
		   sizeof(struct wsq));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned int n = sizes[i].cpus;
		u64 idle = queue_bytes(kind, n, n, q->pool.blocks,
				       q->pool.block_size, false);
		u64 busy = queue_bytes(kind, n, n, q->pool.blocks,
				       q->pool.block_size, true);

		kunit_info(test, "%u CPUs: idle %llu, busy %llu bytes", n, idle,
			   busy);
		if (IS_ENABLED(CONFIG_LOCKDEP) || IS_ENABLED(CONFIG_DEBUG_SPINLOCK))
			continue;
		KUNIT_EXPECT_LE(test, idle, sizes[i].idle);
		KUNIT_EXPECT_LE(test, busy, sizes[i].busy * times);
	}
	/* What the formula counts is what there is. */
	for_each_possible_cpu(cpu)
		cts += !!wsq_pool_any(&q->pool, cpu);
	KUNIT_EXPECT_EQ(test, cts, cpumask_weight_and(q->pool.cpus,
						      cpu_online_mask));
	kunit_info(test, "this machine: %u possible CPUs, %u online",
		   num_possible_cpus(), num_online_cpus());
	wsq_destroy(q);
}

static bool anything_awake(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		if (atomic_read(&wsq_cpus[cpu]->watched))
			return true;
	}
	return false;
}

/*
 * A module that has nothing to do does nothing: no time, no timer. What was done before
 * may take a while to settle, but who does something for nothing goes on with it.
 */
static void memory_idle_time(struct kunit *test)
{
	struct wsq *q = queue_new(test, 0);
	struct wsq_work work;
	bool awake = false;
	u64 time = 0;
	int i;

	INIT_WSQ_WORK_ONSTACK(&work, nop_fn);
	wsq_queue_work(q, &work);
	wsq_flush(q);
	for (i = 0; i < 6; i++) {
		KUNIT_EXPECT_TRUE(test, wsq_test_until(!anything_awake()));
		ssleep(3);
		time = wsq_test_workers_time();
		ssleep(10);
		time = wsq_test_workers_time() - time;
		awake = anything_awake();
		if (!time && !awake)
			break;
	}
	KUNIT_EXPECT_EQ(test, time, 0);
	KUNIT_EXPECT_FALSE(test, awake);
	wsq_destroy(q);
	wsq_destroy_work_on_stack(&work);
}

static struct kunit_case memory_cases[] = {
	WSQ_ENGINE_CASE(memory_formula),
	WSQ_ENGINE_CASE(memory_resident),
	WSQ_ENGINE_CASE_SLOW(memory_comes_and_goes),
	WSQ_ENGINE_CASE_SLOW(memory_idle_time),
	{}
};

static struct kunit_suite memory_suite = {
	.name = "wsq_memory",
	.test_cases = memory_cases,
};

kunit_test_suite(memory_suite);
