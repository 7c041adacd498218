// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of what queues cost: memory that comes with use and goes without,
 * the formulas of Documentation/core-api.rst, which pages an engine has of the
 * kernel, threads, and time when idle.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wsq.h>
#include <linux/wsq_pool.h>

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

/* Queue until maintenance work has attached memory. It may go at once. */
static bool load_until_attached(struct wsq *q, struct wsq_work *works)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
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

/* No memory at first, memory under load, none again after some idle time. */
static void memory_comes_and_goes(struct kunit *test)
{
	struct wsq *q = queue_new(test, 0);
	struct wsq_work *works = works_new(test);
	unsigned long end;
	int round;

	for (round = 0; round < 2; round++) {
		KUNIT_EXPECT_EQ(test, engines(q), 0);
		KUNIT_EXPECT_TRUE(test, load_until_attached(q, works));
		end = jiffies + WSQ_TEST_TIMEOUT;
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
 * The formula: for each online CPU of the queue a lane, and while it is
 * busy there an engine; for each possible CPU two words. With SALSA the numbers
 * of chunks and parties as well.
 */
static u64 queue_bytes(enum wsq_engine_type kind, unsigned int possible,
		       unsigned int online, u32 blocks, u32 block_size,
		       bool busy)
{
	u64 lane = roundup_pow_of_two(sizeof(struct wsq_lane));
	u64 bytes = sizeof(struct wsq) + possible * 2 * sizeof(void *) +
		    online * lane;

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
		{ 4, 8 * 1024, 112 * 1024 },
		{ 64, 72 * 1024, 1664 * 1024 },
		{ 256, 288 * 1024, 6656 * 1024 },
	};
	enum wsq_engine_type kind = wsq_test_engine(test)->kind;
	/* SALSA's chunks are four times the size of blocks, with less slack. */
	unsigned int times = kind == WSQ_SALSA ? 3 : 1;
	struct wsq *q = queue_new(test, 0);
	unsigned int cpu, cts = 0;
	int i;

	kunit_info(test, "lane %zu, engine %zu, CPU %zu, worker %zu, queue %zu bytes",
		   sizeof(struct wsq_lane),
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
	/* The number of containers is that of the formula. */
	for_each_possible_cpu(cpu)
		cts += !!wsq_pool_any(&q->pool, cpu);
	KUNIT_EXPECT_EQ(test, cts, cpumask_weight_and(q->pool.cpus,
						      cpu_online_mask));
	kunit_info(test, "this machine: %u possible CPUs, %u online",
		   num_possible_cpus(), num_online_cpus());
	wsq_destroy(q);
}

/*
 * Bytes of an engine, give or take a page: what Documentation/core-api.rst
 * says, word for word. tools/check/docs compares.
 */
static int bytes_bwos_fifo(int blocks, int max_blocks, int block_size, int possible)
{
	return (blocks + 2) * (8 * block_size + 192) + 16 * max_blocks + 1024;
}

static int bytes_bwos_lifo(int blocks, int max_blocks, int block_size, int possible)
{
	return (blocks + 2) * (8 * block_size + 64) + 16 * max_blocks + 1024;
}

static int bytes_salsa(int blocks, int max_blocks, int block_size, int possible)
{
	return blocks * (8 * block_size + 128) + 64 * max_blocks +
	       8 * min(256, max_blocks * possible) + 25 * possible + 1280;
}

static int bytes_ws_mult(int blocks, int max_blocks, int block_size, int possible)
{
	return blocks * (8 * block_size + 64) + 512;
}

/* By the documentation, in whole pages. */
static size_t documented(enum wsq_engine_type kind, u32 blocks, u32 max_blocks,
			 u32 block_size)
{
	int (*bytes)(int blocks, int max_blocks, int block_size, int possible);

	switch (kind) {
	case WSQ_BWOS_FIFO:
		bytes = bytes_bwos_fifo;
		break;
	case WSQ_SALSA:
		bytes = bytes_salsa;
		break;
	case WSQ_BWOS_LIFO:
		bytes = bytes_bwos_lifo;
		break;
	case WSQ_WS_MULT:
		bytes = bytes_ws_mult;
		break;
	default:
		/* Not documented: tools/check/docs asks for it. */
		return wsq_engine_bytes(kind, blocks, max_blocks, block_size);
	}
	return PAGE_ALIGN(bytes(blocks, max_blocks, block_size, nr_cpu_ids));
}

/*
 * What the kernel has given for a memory segment of an engine. Each of its
 * pages is its own, so that none is there for the sake of a power of two.
 */
static size_t segment_bytes(struct kunit *test, const struct wsq_engine *engine)
{
	const struct page *page;
	u32 i;

	KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(engine));
	if (!engine->pages)
		return is_vmalloc_addr(engine) ? 0 : ksize(engine);
	for (i = 0; i < engine->pages; i++) {
		page = virt_to_page((void *)engine + i * PAGE_SIZE);
		KUNIT_EXPECT_FALSE(test, PageCompound(page));
		KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
	}
	return engine->pages * PAGE_SIZE;
}

/* An engine and what it may grow by, on a CPU of a pool. */
static void expect_engine(struct kunit *test, struct wsq_container *ct)
{
	const struct wsq_pool *pool = ct->pool;
	size_t by_formula = documented(pool->kind, pool->blocks,
				       pool->max_blocks, pool->block_size);
	size_t most = wsq_engine_bytes(pool->kind, pool->blocks,
				       pool->max_blocks, pool->block_size);
	size_t bytes = segment_bytes(test, ct->engine);
	struct wsq_engine *more;

	KUNIT_EXPECT_LE(test, most, by_formula + PAGE_SIZE);
	KUNIT_EXPECT_LE(test, by_formula, most + PAGE_SIZE);
	/* Where the container lies makes a difference. */
	if (bytes) {
		KUNIT_EXPECT_LE(test, bytes, most);
		KUNIT_EXPECT_LE(test, most, bytes + PAGE_SIZE);
	}
	more = wsq_engine_ops(pool->kind)->create_more(ct, cpu_to_node(ct->cpu));
	KUNIT_EXPECT_FALSE(test, IS_ERR(more));
	if (!IS_ERR_OR_NULL(more)) {
		KUNIT_EXPECT_LT(test, pool->blocks, pool->max_blocks);
		KUNIT_EXPECT_LE(test, segment_bytes(test, more), most);
		wsq_engine_destroy(more);
	}
	kunit_info(test, "%u (%u) of %u: %zu bytes, at most %zu, documented %zu",
		   pool->blocks, pool->max_blocks, pool->block_size, bytes,
		   most, by_formula);
}

/* Engines of many sizes take what is documented, and no more. */
static void memory_pages(struct kunit *test)
{
	static const u32 sizes[][3] = {
		{ 0, 0, 0 }, { 2, 0, 2 }, { 2, 4, 1024 }, { 8, 0, 16 },
		{ 8, 16, 32 }, { 8, 0, 64 }, { 8, 16, 128 }, { 8, 16, 256 },
		{ 8, 16, 1024 }, { 9, 33, 100 }, { 16, 0, 16 }, { 16, 32, 32 },
		{ 16, 0, 64 }, { 16, 32, 128 }, { 16, 64, 256 },
		{ 64, 0, 16 }, { 64, 0, 1024 },
	};
	unsigned int cpu = cpumask_first(cpu_online_mask), i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct wsq_attrs attrs = {
			.blocks = sizes[i][0], .max_blocks = sizes[i][1],
			.block_size = sizes[i][2], .cpumask = cpumask_of(cpu),
		};
		struct wsq_pool *pool = wsq_test_pool(test, &attrs, "memory");

		KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
		expect_engine(test, wsq_pool_any(pool, cpu));
		wsq_pool_destroy(pool);
	}
}

/* The same of the engine that no queue has. */
static void memory_mult(struct kunit *test)
{
	static const u32 sizes[][2] = { { 2, 2 }, { 8, 256 }, { 64, 4096 }, { 16, 32 } };
	unsigned int cpu = cpumask_first(cpu_online_mask), i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct wsq_attrs attrs = {
			.flags = WSQ_AT_LEAST_ONCE, .blocks = sizes[i][0],
			.block_size = sizes[i][1], .cpumask = cpumask_of(cpu),
		};
		struct wsq_pool *pool = wsq_pool_create(&attrs, "memory");
		size_t most, by_formula, bytes;

		KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
		most = wsq_engine_bytes(pool->kind, pool->blocks, pool->max_blocks,
					pool->block_size);
		by_formula = documented(pool->kind, pool->blocks, pool->max_blocks,
					pool->block_size);
		bytes = segment_bytes(test, wsq_pool_any(pool, cpu)->engine);
		KUNIT_EXPECT_LE(test, most, by_formula + PAGE_SIZE);
		KUNIT_EXPECT_LE(test, by_formula, most + PAGE_SIZE);
		if (bytes)
			KUNIT_EXPECT_EQ(test, bytes, most);
		wsq_pool_destroy(pool);
	}
}

/* The documented table, for a queue with the default attributes. */
static void memory_default(struct kunit *test)
{
	enum wsq_engine_type kind = wsq_test_engine(test)->kind;
	size_t want = kind == WSQ_SALSA ? 69632 : 24576;
	struct wsq *q = queue_new(test, WSQ_RESIDENT);
	unsigned int cpu;

	if (IS_ENABLED(CONFIG_LOCKDEP) || IS_ENABLED(CONFIG_DEBUG_SPINLOCK) ||
	    PAGE_SIZE != 4096 || nr_cpu_ids > 16 || kind > WSQ_BWOS_LIFO)
		want = wsq_engine_bytes(kind, q->pool.blocks, q->pool.max_blocks,
					q->pool.block_size);
	KUNIT_EXPECT_EQ(test, wsq_engine_bytes(kind, q->pool.blocks,
					       q->pool.max_blocks,
					       q->pool.block_size), want);
	for_each_possible_cpu(cpu) {
		const struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);

		/* A fragmented node may have no such block. */
		if (ct && ct->engine->pages)
			KUNIT_EXPECT_LE(test, segment_bytes(test, ct->engine), want);
	}
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
 * An idle module uses no CPU time and no timer. Earlier work may take a while
 * to settle, but a worker that is active for no reason stays so.
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
	WSQ_ENGINE_CASE(memory_pages),
	KUNIT_CASE(memory_mult),
	WSQ_ENGINE_CASE(memory_default),
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
