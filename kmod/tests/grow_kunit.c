// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of engines that grow (max_blocks). Memory comes when it is needed
 * and not before, stays within the limit, is on the right node, and goes again.
 * A pool or queue can be destroyed while memory is on its way. Failing
 * allocations are in nomem_kunit.c.
 *
 * Limitation: how long memory takes to come is not tested.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/topology.h>
#include <linux/wsq.h>
#include <linux/wsq_pool.h>

#include "../engine/engine.h"
#include "../pool/grow.h"
#include "../pool/pool.h"
#include "engines.h"
#include "grow.h"
#include "items.h"
#include "threads.h"

static void need_growth(struct kunit *test)
{
	if (!wsq_test_engine(test)->grows)
		kunit_skip(test, "needs an engine that grows");
}

static struct wsq_pool *grow_pool(struct kunit *test, u32 blocks, u32 max,
				  u32 size, const struct cpumask *mask)
{
	struct wsq_attrs attrs = {
		.blocks = blocks,
		.max_blocks = max,
		.block_size = size,
		.cpumask = mask,
	};
	struct wsq_pool *pool = wsq_test_pool(test, &attrs, "grow");

	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	return pool;
}

/* Push ids from *@n + 1 on until there is no space. */
static void grow_push(struct wsq_pool *pool, unsigned long *n)
{
	while (!wsq_pool_push(pool, (void *)(*n + 1)))
		++*n;
}

/* Pop until the pool is empty: each of 1 to @n comes once. */
static void grow_pop_all(struct kunit *test, struct wsq_pool *pool,
			 unsigned long n)
{
	u8 *seen = kunit_kzalloc(test, n + 1, GFP_KERNEL);
	unsigned long got = 0, wrong = 0;
	void *task;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	while ((task = wsq_pool_pop(pool))) {
		unsigned long id = (unsigned long)task;

		if (id > n || seen[id]++)
			wrong++;
		got++;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_EQ(test, got, n);
}

/*
 * When the initial memory is full, a push fails. Then the pool grows up to its
 * limit, and not by a task more.
 */
static void grow_fill(struct kunit *test)
{
	static const u32 shapes[][3] = {
		{ 2, 3, 4 }, { 2, 16, 4 }, { 3, 64, 2 }, { 8, 64, 32 },
	};
	int i, ret;

	need_growth(test);
	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		u32 blocks = shapes[i][0], max = shapes[i][1];
		u32 size = shapes[i][2];
		unsigned long n = 0, flags;
		struct wsq_container *ct;
		struct wsq_pool *pool;

		migrate_disable();
		pool = grow_pool(test, blocks, max, size,
				 cpumask_of(smp_processor_id()));
		ct = wsq_pool_ct(pool, smp_processor_id());
		/* Interrupts handle requests: none is handled here. */
		local_irq_save(flags);
		grow_push(pool, &n);
		ret = wsq_pool_push(pool, pool);
		local_irq_restore(flags);
		KUNIT_EXPECT_EQ(test, n, (unsigned long)blocks * size);
		KUNIT_EXPECT_EQ(test, ret, -EAGAIN);
		KUNIT_EXPECT_TRUE(test, wsq_test_until((grow_push(pool, &n),
							n >= max * size)));
		wsq_test_linger();
		grow_push(pool, &n);
		KUNIT_EXPECT_EQ(test, n, (unsigned long)max * size);
		KUNIT_EXPECT_EQ(test, grow_blocks(ct), max);
		KUNIT_EXPECT_EQ(test, atomic_read(&ct->grow), (int)WSQ_GROW_NO);
		grow_pop_all(test, pool, n);

		/* All of the memory is in use from now on. */
		n = 0;
		grow_push(pool, &n);
		KUNIT_EXPECT_EQ(test, n, (unsigned long)max * size);
		grow_pop_all(test, pool, n);
		migrate_enable();
		wsq_pool_destroy(pool);
	}
}

/* Without the attribute a pool does not grow; with it, only if full. */
static void grow_no_need(struct kunit *test)
{
	struct wsq_container *ct;
	struct wsq_pool *pool;
	unsigned long n = 0;
	int i;

	migrate_disable();
	pool = grow_pool(test, 4, 0, 4, cpumask_of(smp_processor_id()));
	ct = wsq_pool_ct(pool, smp_processor_id());
	grow_push(pool, &n);
	wsq_test_linger();
	grow_push(pool, &n);
	KUNIT_EXPECT_EQ(test, n, 16);
	KUNIT_EXPECT_EQ(test, grow_blocks(ct), 4);
	wsq_pool_destroy(pool);
	if (!wsq_test_engine(test)->grows)
		goto out;

	pool = grow_pool(test, 8, 64, 4, cpumask_of(smp_processor_id()));
	ct = wsq_pool_ct(pool, smp_processor_id());
	/* Half of the capacity, again and again. */
	for (i = 0; i < 1000; i++) {
		for (n = 0; n < 16; n++)
			KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, pool), 0);
		while (n--)
			KUNIT_EXPECT_NOT_NULL(test, wsq_pool_pop(pool));
	}
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, grow_blocks(ct), 8);
	KUNIT_EXPECT_EQ(test, atomic_read(&ct->grow), (int)WSQ_GROW_NO);
	wsq_pool_destroy(pool);
out:
	migrate_enable();
}

/*
 * Grow from different positions in the ring of blocks, at the end of a block
 * and elsewhere. Earlier pushes and pops set the position.
 */
static void grow_anywhere(struct kunit *test)
{
	struct wsq_container *ct;
	struct wsq_pool *pool;
	unsigned long n, i, k;

	need_growth(test);
	migrate_disable();
	for (i = 0; i <= 12; i++) {
		pool = grow_pool(test, 2, 8, 4, cpumask_of(smp_processor_id()));
		ct = wsq_pool_ct(pool, smp_processor_id());
		for (k = 0; k < i; k++) {
			KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, pool), 0);
			KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(pool),
					    (void *)pool);
		}
		n = 0;
		KUNIT_EXPECT_TRUE(test, wsq_test_until((grow_push(pool, &n),
							grow_blocks(ct) == 8)));
		grow_push(pool, &n);
		/*
		 * FIFO may lack the rest of the block that both ends are in;
		 * LIFO has one end. SALSA's consumer may hold further chunks.
		 */
		if (wsq_test_engine(test)->kind == WSQ_BWOS_FIFO)
			KUNIT_EXPECT_GE(test, n, 7 * 4 + 1);
		if (wsq_test_engine(test)->kind == WSQ_BWOS_LIFO)
			KUNIT_EXPECT_EQ(test, n, 8 * 4);
		KUNIT_EXPECT_LE(test, n, 8 * 4);
		grow_pop_all(test, pool, n);
		wsq_pool_destroy(pool);
	}
	migrate_enable();
}

/* A pool that balances does so first, and grows only if no CPU has space. */
static void grow_balance(struct kunit *test)
{
	unsigned int nr = num_online_cpus(), cpu;
	struct wsq_container *ct, *other;
	struct wsq_pool *pool;
	unsigned long n;

	if (wsq_test_engine(test)->kind != WSQ_SALSA)
		kunit_skip(test, "needs an engine that balances");
	wsq_test_need_cpus(test, 2);
	pool = grow_pool(test, 2, 16, 4, cpu_online_mask);
	migrate_disable();
	ct = wsq_pool_ct(pool, smp_processor_id());
	/* Leave the last CPU with a spare chunk. */
	for (n = 0; n < (2 * nr - 1) * 4; n++)
		KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, (void *)(n + 1)), 0);
	wsq_test_linger();
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, grow_blocks(wsq_pool_ct(pool, cpu)), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&ct->grow), (int)WSQ_GROW_NO);
	/* The nearest member is offered memory: this CPU, which attaches it. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until((grow_push(pool, &n),
						n >= (2 * nr + 14) * 4)));
	KUNIT_EXPECT_EQ(test, grow_blocks(ct), 16);
	/* This CPU is at its limit, so another one is offered memory. */
	other = wsq_pool_ct(pool, wsq_test_other(smp_processor_id()));
	KUNIT_EXPECT_TRUE(test, wsq_test_until((grow_push(pool, &n),
						wsq_grow_offered(other))));
	migrate_enable();
	KUNIT_EXPECT_EQ(test, n, (2 * nr + 14) * 4);
	grow_pop_all(test, pool, n);
	wsq_pool_destroy(pool);
}

struct grow_there {
	struct wsq_pool *pool;
	unsigned int cpu;
	unsigned long got;
};

static bool grow_there_fn(void *arg)
{
	struct grow_there *t = arg;

	while (wsq_pool_pop(t->pool))
		t->got++;
	return true;
}

/* A non-member CPU has no memory: the nearest member grows when it pops. */
static void grow_nonmember(struct kunit *test)
{
	struct grow_there t = {};
	struct wsq_container *ct;
	unsigned int here;
	unsigned long n = 0;

	if (wsq_test_engine(test)->kind != WSQ_SALSA)
		kunit_skip(test, "needs memory for non-member CPUs");
	wsq_test_need_cpus(test, 2);
	migrate_disable();
	here = smp_processor_id();
	t.cpu = wsq_test_other(here);
	t.pool = grow_pool(test, 2, 4, 4, cpumask_of(t.cpu));
	ct = wsq_pool_ct(t.pool, t.cpu);
	grow_push(t.pool, &n);
	KUNIT_EXPECT_EQ(test, n, 8);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_grow_offered(ct)));
	grow_push(t.pool, &n);
	KUNIT_EXPECT_EQ(test, n, 8);
	wsq_test_end(test, wsq_test_start_on(test, t.cpu, grow_there_fn, &t));
	KUNIT_EXPECT_EQ(test, t.got, 8);
	KUNIT_EXPECT_EQ(test, grow_blocks(ct), 4);
	n = 0;
	grow_push(t.pool, &n);
	KUNIT_EXPECT_EQ(test, n, 16);
	/* The pool is at its limit. */
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&ct->grow), (int)WSQ_GROW_NO);
	KUNIT_EXPECT_EQ(test, grow_blocks(wsq_pool_any(t.pool, here)),
			WSQ_SALSA_MIN_CHUNKS);
	grow_pop_all(test, t.pool, n);
	migrate_enable();
	wsq_pool_destroy(t.pool);
}

struct grow_all {
	struct wsq_pool *pool;
	atomic_t pushed;
	u32 max;
};

/* Each CPU pushes until it has all the memory that it may have. */
static void grow_all_fn(void *arg, int nr)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	struct grow_all *a = arg;
	struct wsq_container *ct = wsq_pool_ct(a->pool, raw_smp_processor_id());

	while (grow_blocks(ct) < a->max && time_before(jiffies, end)) {
		if (!wsq_pool_push(a->pool, a))
			atomic_inc(&a->pushed);
		else
			schedule_timeout_uninterruptible(1);
		wsq_test_yield();
	}
}

static int grow_page_node(const void *p)
{
	return is_vmalloc_addr(p) ? page_to_nid(vmalloc_to_page(p)) :
				    page_to_nid(virt_to_page(p));
}

/* All memory of a CPU is on its node. */
static void grow_nodes(struct kunit *test)
{
	struct grow_all a = { .max = 24 };
	unsigned int cpu, i, got = 0;

	if (wsq_test_engine(test)->kind != WSQ_SALSA)
		kunit_skip(test, "needs chunks");
	a.pool = grow_pool(test, 3, a.max, 512, cpu_online_mask);
	wsq_test_run(test, num_online_cpus(), grow_all_fn, &a);
	for_each_online_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_ct(a.pool, cpu);

		KUNIT_EXPECT_EQ(test, grow_blocks(ct), a.max);
		for (i = 0; i < grow_blocks(ct); i++) {
			const struct wsq_salsa_chunk *chunk;
			size_t off;

			chunk = wsq_salsa_chunk_at(a.pool->salsa,
						   cpu * a.max + i);
			KUNIT_ASSERT_NOT_NULL(test, chunk);
			KUNIT_EXPECT_EQ(test, chunk->home, cpu);
			KUNIT_EXPECT_EQ(test, grow_page_node(chunk),
					cpu_to_node(cpu));
			KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(chunk->slots));
			for (off = 0; off < 512 * sizeof(wsq_slot_t);
			     off += PAGE_SIZE)
				KUNIT_EXPECT_EQ(test, grow_page_node((void *)chunk->slots + off),
						cpu_to_node(cpu));
		}
	}
	while (wsq_pool_pop(a.pool))
		got++;
	KUNIT_EXPECT_EQ(test, got, atomic_read(&a.pushed));
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(a.pool), 1);
	wsq_pool_destroy(a.pool);
}

/*
 * One CPU always has a task in the pool while the pool grows. The others ask
 * whether it was empty.
 */
struct grow_token {
	struct wsq_pool *pool;
	atomic_t over;
	unsigned long looks;
	unsigned long lies;
};

static void grow_token_fn(void *arg, int nr)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT, n, i;
	struct grow_token *t = arg;
	struct wsq_container *ct;

	if (nr > 1)
		return;
	while (nr && !atomic_read_acquire(&t->over)) {
		t->lies += wsq_pool_was_empty(t->pool) != 0;
		WRITE_ONCE(t->looks, t->looks + 1);
		wsq_test_yield();
	}
	if (nr)
		return;
	ct = wsq_pool_ct(t->pool, raw_smp_processor_id());
	while ((grow_blocks(ct) < 64 || !READ_ONCE(t->looks)) &&
	       time_before(jiffies, end)) {
		for (n = 0; !wsq_pool_push(t->pool, t); n++)
			;
		wsq_test_yield();
		for (i = 0; i < n; i++) {
			while (!wsq_pool_pop(t->pool))
				;
		}
		wsq_test_yield();
	}
	atomic_set_release(&t->over, 1);
}

static void grow_never_empty(struct kunit *test)
{
	struct grow_token t = {};
	int i;

	if (wsq_test_engine(test)->kind != WSQ_SALSA)
		kunit_skip(test, "needs an engine that can tell");
	wsq_test_need_cpus(test, 2);
	for (i = 0; i < 50; i++) {
		t.pool = grow_pool(test, 2, 64, 2, cpu_online_mask);
		atomic_set(&t.over, 0);
		KUNIT_EXPECT_EQ(test, wsq_pool_push(t.pool, &t), 0);
		wsq_test_run(test, num_online_cpus(), grow_token_fn, &t);
		/* The first pop may meet a chunk that another CPU is in. */
		KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_pool_pop(t.pool)));
		KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(t.pool), 1);
		wsq_pool_destroy(t.pool);
	}
	KUNIT_EXPECT_EQ(test, t.lies, 0);
	wsq_test_met(test, t.looks, "the other CPU never asked");
}

/* Fill a queue of this CPU quickly until it has all that it may have. */
static bool grow_load(struct wsq *q, struct wsq_test_item *it, int nr, u32 max,
		      int *rounds)
{
	struct wsq_container *ct = wsq_pool_ct(&q->pool, raw_smp_processor_id());
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	u32 there;
	int i;

	/* Memory goes when the queue is idle: it is enough to see it once. */
	while ((there = grow_blocks(ct)) < max && time_before(jiffies, end)) {
		/* Keep the worker from draining the queue. */
		preempt_disable();
		for (i = 0; i < nr; i++)
			wsq_queue_work(q, &it[i].work);
		preempt_enable();
		wsq_flush(q);
		++*rounds;
		schedule_timeout_uninterruptible(1);
	}
	return there == max;
}

#define GROW_ITEMS	512

/* A queue grows, too, and shrinks when it is idle. */
static void grow_queue(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.blocks = 2, .max_blocks = 32, .block_size = 4,
	};
	struct wsq_test_item *it;
	struct wsq_container *ct;
	int round, rounds = 0;
	struct wsq *q;

	need_growth(test);
	migrate_disable();
	attrs.cpumask = cpumask_of(smp_processor_id());
	q = wsq_test_queue_attrs(test, &attrs);
	it = wsq_test_items(test, q, GROW_ITEMS, wsq_test_count);
	ct = wsq_pool_ct(&q->pool, smp_processor_id());
	for (round = 0; round < 2; round++) {
		KUNIT_EXPECT_EQ(test, grow_blocks(ct), 0);
		KUNIT_EXPECT_TRUE(test, grow_load(q, it, GROW_ITEMS, 32, &rounds));
		KUNIT_EXPECT_TRUE(test, wsq_test_until(!grow_blocks(ct)));
	}
	migrate_enable();
	wsq_test_expect_runs(test, it, GROW_ITEMS, rounds);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* Items in added memory can be cancelled one by one. */
static void grow_cancel(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.blocks = 2, .max_blocks = 32, .block_size = 4,
		.flags = WSQ_RESIDENT,
	};
	int i, rounds = 0, slots = 0, got = 0;
	struct wsq_test_item *it;
	struct wsq *q;
	u32 most = 0;

	need_growth(test);
	migrate_disable();
	attrs.cpumask = cpumask_of(smp_processor_id());
	q = wsq_test_queue_attrs(test, &attrs);
	it = wsq_test_items(test, q, GROW_ITEMS, wsq_test_count);
	KUNIT_EXPECT_TRUE(test, grow_load(q, it, GROW_ITEMS, 32, &rounds));
	preempt_disable();
	for (i = 0; i < 100; i++)
		wsq_queue_work(q, &it[i].work);
	for (i = 0; i < 100; i++) {
		if (wsq_test_kind(&it[i].work) == WSQ_IN_SLOT) {
			most = max(most, wsq_location_slot(it[i].work.link.where));
			slots++;
		}
		got += wsq_cancel_work(&it[i].work);
	}
	preempt_enable();
	migrate_enable();
	KUNIT_EXPECT_EQ(test, slots, 100);
	KUNIT_EXPECT_EQ(test, got, 100);
	/* More than the initial capacity. */
	KUNIT_EXPECT_GE(test, most, 2 * 4);
	/* BWoS also has spare blocks: two, and one in each added segment. */
	KUNIT_EXPECT_LT(test, most,
			(wsq_test_engine(test)->kind == WSQ_SALSA ?
			 32 : 32 + 2 + 4) * 4);
	wsq_flush(q);
	wsq_test_expect_runs(test, it, GROW_ITEMS, rounds);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* Pools and queues that are destroyed while they grow. */
#define DESTROY_POOLS	WSQ_TEST_MANY(200)
#define DESTROY_QUEUES	WSQ_TEST_MANY(100)

/* A pool is destroyed with its request pending, or just as it is answered. */
static void grow_destroy(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.blocks = 2, .max_blocks = 64, .block_size = 2,
		.flags = WSQ_RESIDENT,
	};
	unsigned int asked = 0, i, k;
	struct wsq_test_item *it;
	struct wsq *q;

	need_growth(test);
	for (i = 0; i < DESTROY_POOLS; i++) {
		struct wsq_pool *pool = grow_pool(test, 2, 64, 2, NULL);
		unsigned long n = 0, flags;

		/* For varying times, to reach any point of the answer. */
		for (k = 0; k < i % 8; k++) {
			grow_push(pool, &n);
			cond_resched();
		}
		/*
		 * The request may be answered while the pool is filled, and
		 * this may have been the last one. Here interrupts are off, so
		 * that every second pool ends with a request under way.
		 */
		if (i % 2 == 0) {
			migrate_disable();
			local_irq_save(flags);
			grow_push(pool, &n);
			asked += wsq_grow_pending(wsq_pool_ct(pool,
							      smp_processor_id()));
			local_irq_restore(flags);
			migrate_enable();
		}
		wsq_pool_destroy(pool);
	}
	it = vzalloc(sizeof(*it) * GROW_ITEMS);
	KUNIT_ASSERT_NOT_NULL(test, it);
	for (i = 0; i < DESTROY_QUEUES; i++) {
		q = wsq_test_queue_attrs(test, &attrs);
		for (k = 0; k < GROW_ITEMS; k++)
			wsq_test_item_init(&it[k], q, wsq_test_count);
		for (k = 0; k < GROW_ITEMS; k++)
			wsq_queue_work(q, &it[k].work);
		wsq_test_queue_end(test, q);
		wsq_test_expect_runs(test, it, GROW_ITEMS, 1);
	}
	vfree(it);
	wsq_test_met(test, asked, "no pool ended with a request under way");
}

static struct kunit_case grow_cases[] = {
	WSQ_ENGINE_CASE(grow_fill),
	WSQ_ENGINE_CASE(grow_no_need),
	WSQ_ENGINE_CASE(grow_anywhere),
	WSQ_ENGINE_CASE(grow_balance),
	WSQ_ENGINE_CASE(grow_nonmember),
	WSQ_ENGINE_CASE(grow_nodes),
	WSQ_ENGINE_CASE_SLOW(grow_never_empty),
	WSQ_ENGINE_CASE_SLOW(grow_queue),
	WSQ_ENGINE_CASE(grow_cancel),
	WSQ_ENGINE_CASE_SLOW(grow_destroy),
	{}
};

static struct kunit_suite grow_suite = {
	.name = "wsq_grow",
	.test_cases = grow_cases,
};

kunit_test_suite(grow_suite);
