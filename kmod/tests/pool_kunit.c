// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of kmod/pool: access lists of invented machines, and pools used
 * from all contexts.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/wsq_pool.h>

#include "../pool/pool.h"
#include "engines.h"
#include "items.h"
#include "threads.h"

/* Two nodes of two caches of two cores of two threads, CPU numbers mixed. */
static void machine_16(struct kunit *test, struct wsq_topology *topo)
{
	int cpu;

	KUNIT_ASSERT_EQ(test, wsq_topology_init(topo, 16, 2), 0);
	for (cpu = 0; cpu < 16; cpu++) {
		int core = cpu % 8;

		topo->cpus[cpu].core = core;
		topo->cpus[cpu].cache = core / 2;
		topo->cpus[cpu].node = core / 4;
	}
	topo->distance[1] = 21;
	topo->distance[2] = 21;
}

static void access_order(struct kunit *test)
{
	/* CPU 1: sibling 9; cache 0, 8; node 2, 3, 10, 11; then the rest. */
	static const u16 want[] = { 9, 8, 0, 2, 3, 10, 11,
				    4, 5, 6, 7, 12, 13, 14, 15 };
	const struct wsq_access *list;
	struct wsq_topology topo;
	int i;

	machine_16(test, &topo);
	list = wsq_topology_access(&topo, 1);
	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_ASSERT_EQ(test, list->nr, ARRAY_SIZE(want));
	for (i = 0; i < list->nr; i++)
		KUNIT_EXPECT_EQ_MSG(test, list->victims[i].cpu, want[i],
				    "place %d", i);
	KUNIT_EXPECT_EQ(test, (int)list->victims[0].distance, WSQ_DIST_SMT);
	KUNIT_EXPECT_EQ(test, (int)list->victims[1].distance, WSQ_DIST_CACHE);
	KUNIT_EXPECT_EQ(test, (int)list->victims[3].distance, WSQ_DIST_NODE);
	KUNIT_EXPECT_EQ(test, (int)list->victims[7].distance, WSQ_DIST_REMOTE);
	KUNIT_EXPECT_EQ(test, (int)list->victims[7].hops, 21);
	/* A second call returns the same list. */
	KUNIT_EXPECT_PTR_EQ(test, wsq_topology_access(&topo, 1), list);
	wsq_topology_exit(&topo);
}

/* Four nodes in a ring: of other nodes, the nearer first. */
/* Caches are domains. One of more than 64 CPUs is several. */
static void domains(struct kunit *test)
{
	struct wsq_topology topo;
	u64 bits[3] = {};
	unsigned int a, b;

	machine_16(test, &topo);
	KUNIT_EXPECT_EQ(test, wsq_topology_domains(&topo), 4);
	for (a = 0; a < 16; a++) {
		for (b = 0; b < a; b++) {
			struct wsq_cpu_location *pa = &topo.cpus[a];
			struct wsq_cpu_location *pb = &topo.cpus[b];

			KUNIT_EXPECT_EQ(test, pa->cache == pb->cache,
					pa->domain == pb->domain);
			KUNIT_EXPECT_FALSE(test, pa->domain == pb->domain &&
					   pa->bit == pb->bit);
		}
	}
	KUNIT_EXPECT_EQ(test, wsq_topology_domains(&topo), 4);
	wsq_topology_exit(&topo);

	KUNIT_ASSERT_EQ(test, wsq_topology_init(&topo, 150, 1), 0);
	for (a = 0; a < 150; a++)
		topo.cpus[a].core = a;
	KUNIT_EXPECT_EQ(test, wsq_topology_domains(&topo), 3);
	for (a = 0; a < 150; a++) {
		KUNIT_ASSERT_LT(test, topo.cpus[a].domain, 3);
		KUNIT_ASSERT_LT(test, topo.cpus[a].bit, BITS_PER_LONG);
		bits[topo.cpus[a].domain] |= BIT_ULL(topo.cpus[a].bit);
	}
	a = hweight64(bits[0]) + hweight64(bits[1]) + hweight64(bits[2]);
	KUNIT_EXPECT_EQ(test, a, 150);
	wsq_topology_exit(&topo);
}

static void access_node_distance(struct kunit *test)
{
	const struct wsq_access *list;
	struct wsq_topology topo;
	int a, b;

	KUNIT_ASSERT_EQ(test, wsq_topology_init(&topo, 4, 4), 0);
	for (a = 0; a < 4; a++) {
		topo.cpus[a].core = a;
		topo.cpus[a].cache = a;
		topo.cpus[a].node = a;
		for (b = 0; b < 4; b++)
			topo.distance[a * 4 + b] = a == b ? 10 :
						   (a ^ b) == 2 ? 31 : 21;
	}
	for (a = 0; a < 4; a++) {
		list = wsq_topology_access(&topo, a);
		KUNIT_ASSERT_NOT_NULL(test, list);
		KUNIT_ASSERT_EQ(test, list->nr, 3);
		KUNIT_EXPECT_EQ(test, list->victims[2].cpu, a ^ 2);
	}
	wsq_topology_exit(&topo);
}

/* Thieves in the same position do not all begin with the same victim. */
static void access_spread(struct kunit *test)
{
	struct wsq_topology topo;
	unsigned long first = 0;
	int cpu;

	KUNIT_ASSERT_EQ(test, wsq_topology_init(&topo, 64, 1), 0);
	for (cpu = 0; cpu < 64; cpu++)
		topo.cpus[cpu].core = cpu;
	for (cpu = 0; cpu < 64; cpu++) {
		const struct wsq_access *list = wsq_topology_access(&topo, cpu);

		KUNIT_ASSERT_NOT_NULL(test, list);
		KUNIT_ASSERT_EQ(test, list->nr, 63);
		first |= BIT(list->victims[0].cpu % BITS_PER_LONG);
	}
	KUNIT_EXPECT_EQ(test, hweight_long(first), min(64, BITS_PER_LONG));
	wsq_topology_exit(&topo);
}

/* Holes in the numbering, and a machine of one CPU. */
static void access_holes(struct kunit *test)
{
	const struct wsq_access *list;
	struct wsq_topology topo;

	KUNIT_ASSERT_EQ(test, wsq_topology_init(&topo, 9, 1), 0);
	topo.cpus[8].core = 8;
	list = wsq_topology_access(&topo, 8);
	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_EXPECT_EQ(test, list->nr, 0);
	wsq_topology_exit(&topo);

	KUNIT_EXPECT_EQ(test, wsq_topology_init(&topo, 0, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, wsq_topology_init(&topo, 1, 0), -EINVAL);
}

static void pool_attrs(struct kunit *test)
{
	const struct wsq_test_engine *e = wsq_test_engine(test);
	const struct {
		u32 blocks;
		u32 size;
		int ret;
		u32 max;
	} rows[] = {
		{ e->min_blocks - 1, 64, -EINVAL }, { e->min_blocks, 64, 0 },
		{ e->max_blocks + 1, 64, -EINVAL }, { e->max_blocks, 64, 0 },
		{ 8, e->min_block_size - 1, -EINVAL },
		{ 8, e->min_block_size, 0 },
		{ 8, e->max_block_size + 1, -EINVAL },
		{ 8, e->max_block_size, 0 },
		{ 0, 0, 0 },
		{ 8, 64, -EINVAL, 7 }, { 8, 64, 0, 8 }, { 0, 0, 0, 8 },
		{ 8, 64, e->grows ? 0 : -EINVAL, 9 },
		{ 8, 64, e->grows ? 0 : -EINVAL, e->max_blocks },
		{ 8, 64, -EINVAL, e->max_blocks + 1 }, { 8, 64, -EINVAL, ~0U },
	};
	struct wsq_attrs attrs = {};
	struct wsq_pool *pool;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		attrs.blocks = rows[i].blocks;
		attrs.block_size = rows[i].size;
		attrs.max_blocks = rows[i].max;
		pool = wsq_test_pool(test, &attrs, "row");
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(pool), rows[i].ret,
				    "row %d", i);
		if (!IS_ERR(pool))
			wsq_pool_destroy(pool);
	}
	attrs.max_blocks = 0;
	attrs.flags = WSQ_AT_LEAST_ONCE << 1;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(wsq_test_pool(test, &attrs, "x")),
			-EINVAL);
	attrs.flags = 1U << 31;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(wsq_test_pool(test, &attrs, "x")),
			-EINVAL);
	attrs.flags = 0;
	attrs.cpumask = cpu_none_mask;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(wsq_test_pool(test, &attrs, "x")),
			-EINVAL);
	wsq_pool_destroy(NULL);
}

/* Each container is on its CPU's node and has the documented size. */
static void pool_memory(struct kunit *test)
{
	struct wsq_pool *pool = wsq_test_pool(test, NULL, "memory");
	unsigned int cpu;

	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	for_each_online_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_ct(pool, cpu);

		KUNIT_ASSERT_NOT_NULL(test, ct);
		KUNIT_EXPECT_TRUE(test, IS_ALIGNED((unsigned long)ct,
						   SMP_CACHE_BYTES));
		if (!is_vmalloc_addr(ct))
			KUNIT_EXPECT_EQ(test, page_to_nid(virt_to_page(ct)),
					cpu_to_node(cpu));
	}
	wsq_pool_destroy(pool);
}

static void pool_fill(struct kunit *test)
{
	struct wsq_attrs attrs = { .blocks = 2, .block_size = 4 };
	void *tasks[16], *task;
	unsigned long n = 0, i;
	struct wsq_pool *pool;

	migrate_disable();
	/* One CPU only: otherwise engines that balance would use the others. */
	attrs.cpumask = cpumask_of(smp_processor_id());
	pool = wsq_test_pool(test, &attrs, "fill");
	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, NULL), -EINVAL);
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));

	while (!wsq_pool_push(pool, (void *)(n + 1)))
		n++;
	KUNIT_EXPECT_EQ(test, n, 8);
	KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, (void *)1UL), -EAGAIN);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(pool),
				    wsq_test_nth(test, i, n));
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));

	for (i = 0; i < 16; i++)
		tasks[i] = (void *)(i + 1);
	n = wsq_pool_push_many(pool, tasks, 16);
	KUNIT_EXPECT_GE(test, n, 4);
	KUNIT_EXPECT_LE(test, n, 8);
	KUNIT_EXPECT_EQ(test, wsq_pool_pop_many(pool, tasks, 3), 3);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_PTR_EQ(test, tasks[i], wsq_test_nth(test, i, n));
	while ((task = wsq_pool_pop(pool)))
		KUNIT_EXPECT_PTR_EQ(test, task, wsq_test_nth(test, i++, n));
	KUNIT_EXPECT_EQ(test, i, n);
	KUNIT_EXPECT_EQ(test, wsq_pool_pop_many(pool, tasks, 0), 0);
	KUNIT_EXPECT_EQ(test, wsq_pool_pop_many(pool, tasks, 4), 0);

	/* Up to the first invalid one. */
	tasks[0] = (void *)1UL;
	tasks[1] = NULL;
	tasks[2] = (void *)3UL;
	KUNIT_EXPECT_EQ(test, wsq_pool_push_many(pool, tasks, 3), 1);
	tasks[0] = ERR_PTR(-EINVAL);
	KUNIT_EXPECT_EQ(test, wsq_pool_push_many(pool, tasks, 3), 0);
	KUNIT_EXPECT_EQ(test, wsq_pool_pop_many(pool, tasks, 3), 1);
	KUNIT_EXPECT_PTR_EQ(test, tasks[0], (void *)1UL);
	migrate_enable();
	wsq_pool_destroy(pool);
}

/*
 * A put that interrupts a put goes through the inbox and is not lost. It is
 * refused when all links are in use. The busy flag simulates the interrupted
 * put.
 */
static void pool_nested(struct kunit *test)
{
	struct wsq_attrs attrs = { .blocks = 2, .block_size = 16 };
	struct wsq_pool *pool = wsq_test_pool(test, &attrs, "nested");
	struct wsq_container *ct;
	unsigned long sum = 0, want = 0, n = 0;
	void *task;

	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	preempt_disable();
	ct = wsq_pool_ct(pool, smp_processor_id());
	ct->put_busy = 1;
	while (!wsq_pool_push(pool, (void *)(n + 1)))
		want += ++n;
	ct->put_busy = 0;
	/* More than the engine holds: the rest goes back and forth. */
	while ((task = wsq_pool_pop(pool)))
		sum += (unsigned long)task;
	preempt_enable();
	KUNIT_EXPECT_EQ(test, n, WSQ_POINTER_LINKS);
	KUNIT_EXPECT_EQ(test, sum, want);
	KUNIT_EXPECT_EQ(test, atomic64_read(&ct->pointer->used), 0);
	wsq_pool_destroy(pool);
}

#define POOL_IDS	120000

struct pool_stress {
	struct wsq_pool *pool;
	struct irq_work irq;
	u8 *seen;
	atomic_t next;
	atomic_t irq_left;
	atomic_t doubled;
	atomic_t taken;
	atomic_t pushing;
};

static void pool_saw(struct pool_stress *s, void *task)
{
	if (xchg(&s->seen[(unsigned long)task - 1], 1))
		atomic_inc(&s->doubled);
	atomic_inc(&s->taken);
}

/* Pop all that is there: has everything come out? */
static bool pool_saw_all(struct pool_stress *s)
{
	void *task;

	while ((task = wsq_pool_pop(s->pool)))
		pool_saw(s, task);
	return atomic_read(&s->taken) >= POOL_IDS;
}

/*
 * Push the next id in any context. An interrupt must not wait for space that
 * perhaps only the context it interrupted can make.
 */
static bool pool_push_next(struct pool_stress *s, bool wait)
{
	unsigned long id = atomic_inc_return(&s->next);
	void *task;

	if (id > POOL_IDS) {
		atomic_dec(&s->next);
		return false;
	}
	while (wsq_pool_push(s->pool, (void *)id) == -EAGAIN) {
		if (!wait) {
			pool_saw(s, (void *)id);
			break;
		}
		task = wsq_pool_pop(s->pool);
		if (task)
			pool_saw(s, task);
	}
	return true;
}

static void pool_irq(struct irq_work *irq)
{
	struct pool_stress *s = container_of(irq, struct pool_stress, irq);

	pool_push_next(s, false);
}

static void pool_thread(void *arg, int nr)
{
	struct pool_stress *s = arg;
	void *task;
	int i = 0;

	while (pool_push_next(s, true)) {
		if (!(++i % 8) && !nr)
			irq_work_queue(&s->irq);
		if (i % 3) {
			task = wsq_pool_pop(s->pool);
			if (task)
				pool_saw(s, task);
		}
		wsq_test_yield();
	}
	if (!nr)
		irq_work_sync(&s->irq);
	atomic_dec(&s->pushing);
	for (;;) {
		bool over = !atomic_read(&s->pushing);

		smp_rmb();	/* Read over before the pool. */
		task = wsq_pool_pop(s->pool);
		if (task)
			pool_saw(s, task);
		else if (over)
			return;
		wsq_test_yield();
	}
}

/* All CPUs push and pop, one of them from interrupts as well. */
static void pool_stress(struct kunit *test)
{
	/* Blocks, tasks in each, blocks after growth if the engine grows. */
	static const u32 shapes[][3] = {
		{ 2, 2, 0 }, { 4, 8, 0 }, { 8, 256, 0 },
		{ 2, 2, 64 }, { 2, 8, 16 },
	};
	bool grows = wsq_test_engine(test)->grows;
	int i, nr = num_online_cpus();

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct wsq_attrs attrs = {
			.blocks = shapes[i][0],
			.block_size = shapes[i][1],
			.max_blocks = grows ? shapes[i][2] : 0,
		};
		struct pool_stress *s;

		s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, s);
		s->seen = kvzalloc(POOL_IDS, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, s->seen);
		s->pool = wsq_test_pool(test, &attrs, "stress");
		KUNIT_ASSERT_FALSE(test, IS_ERR(s->pool));
		init_irq_work(&s->irq, pool_irq);
		atomic_set(&s->pushing, nr);
		wsq_test_run(test, nr, pool_thread, s);
		/* Some tasks may be out of a thief's reach for a while. */
		wsq_test_until(pool_saw_all(s));
		KUNIT_EXPECT_EQ(test, atomic_read(&s->doubled), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->taken), POOL_IDS);
		wsq_pool_destroy(s->pool);
		kvfree(s->seen);
	}
}

/* A CPU outside the mask puts with the nearest CPU inside it. */
static void pool_outside(struct kunit *test)
{
	struct wsq_attrs attrs = {};
	struct wsq_pool *pool;
	cpumask_var_t mask;
	unsigned int here;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&mask, GFP_KERNEL));
	migrate_disable();
	here = smp_processor_id();
	cpumask_set_cpu(cpumask_any_but(cpu_online_mask, here), mask);
	attrs.cpumask = mask;
	pool = wsq_test_pool(test, &attrs, "outside");
	free_cpumask_var(mask);
	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	KUNIT_EXPECT_EQ(test, cpumask_weight(pool->cpus), 1);
	preempt_disable();
	KUNIT_EXPECT_NULL(test, wsq_pool_ct(pool, here));
	KUNIT_EXPECT_NE(test, wsq_pool_nearest(pool, here), here);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, (void *)7UL), 0);
	KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, (void *)8UL), 0);
	KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(pool), (void *)7UL);
	KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(pool), (void *)8UL);
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));
	migrate_enable();
	wsq_pool_destroy(pool);
}

static unsigned int pool_nearest(const struct wsq *q, unsigned int cpu)
{
	unsigned int nearest;

	preempt_disable();
	nearest = wsq_pool_nearest(&q->pool, cpu);
	preempt_enable();
	return nearest;
}

/*
 * A CPU outside the mask remembers the nearest member, but not over a change of
 * the members. Where it puts is always a member.
 */
static void pool_remembers(struct kunit *test)
{
	unsigned int here = cpumask_first(cpu_online_mask), other;
	cpumask_var_t both;
	struct wsq *q;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	other = wsq_test_other(here);
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&both, GFP_KERNEL));
	cpumask_set_cpu(here, both);
	cpumask_set_cpu(other, both);
	q = wsq_test_queue(test, 2, 4, cpumask_of(other));
	KUNIT_EXPECT_EQ(test, pool_nearest(q, here), other);
	KUNIT_EXPECT_EQ(test, q->pool.near[here] & U16_MAX, other);
	/* A nearer one joins. */
	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(q, both), 0);
	KUNIT_EXPECT_EQ(test, pool_nearest(q, here), here);
	/* No look at others, as long as that one is a member. */
	q->pool.near[here] = q->pool.near_change << 16 | other;
	KUNIT_EXPECT_EQ(test, pool_nearest(q, here), other);
	/* It leaves. */
	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(q, cpumask_of(here)), 0);
	q->pool.near[here] = q->pool.near_change << 16 | other;
	KUNIT_EXPECT_EQ(test, pool_nearest(q, here), here);
	/* After so many changes a change's number comes again, but not 0. */
	q->pool.near_change = U16_MAX;
	q->pool.near[here] = 0;
	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(q, cpumask_of(other)), 0);
	KUNIT_EXPECT_EQ(test, q->pool.near_change, 1);
	KUNIT_EXPECT_EQ(test, pool_nearest(q, here), other);
	wsq_test_queue_end(test, q);
	free_cpumask_var(both);
}

/* The mask has no online CPU: tasks wait in a container of one of them. */
static void pool_offline(struct kunit *test)
{
	struct wsq_attrs attrs = {};
	struct wsq_pool *pool;
	cpumask_var_t mask;

	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&mask, GFP_KERNEL));
	if (!cpumask_andnot(mask, cpu_possible_mask, cpu_online_mask)) {
		free_cpumask_var(mask);
		kunit_skip(test, "needs a CPU that is offline");
	}
	attrs.cpumask = mask;
	pool = wsq_test_pool(test, &attrs, "offline");
	free_cpumask_var(mask);
	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	KUNIT_ASSERT_LT(test, wsq_pool_nearest(pool, 0), nr_cpu_ids);
	KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, (void *)7UL), 0);
	KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(pool), (void *)7UL);
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));
	wsq_pool_destroy(pool);
}

/* A task in the inbox is not starved by a busy engine. */
static void pool_many_inbox(struct kunit *test)
{
	struct wsq_pool *pool = wsq_test_pool(test, NULL, "many");
	struct wsq_container *ct;
	void *tasks[2];
	bool seen = false;
	unsigned int i, k;

	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	preempt_disable();
	ct = wsq_pool_ct(pool, smp_processor_id());
	ct->put_busy = 1;
	KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, (void *)7UL), 0);
	ct->put_busy = 0;
	for (i = 0; i < 1000 && !seen; i++) {
		tasks[0] = (void *)1UL;
		tasks[1] = (void *)2UL;
		KUNIT_EXPECT_EQ(test, wsq_pool_push_many(pool, tasks, 2), 2);
		KUNIT_EXPECT_EQ(test, wsq_pool_pop_many(pool, tasks, 2), 2);
		for (k = 0; k < 2; k++)
			seen |= tasks[k] == (void *)7UL;
	}
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, seen);
	wsq_pool_destroy(pool);
}

/* Batches that end anywhere in a block or chunk, and go on in the next. */
static void pool_batches(struct kunit *test)
{
	struct wsq_attrs attrs = { .blocks = 4, .block_size = 5 };
	bool fifo = wsq_test_fifo(test);
	/* Tasks in the pool, the oldest first. */
	unsigned long in[16], put = 0;
	unsigned int i, k, n, most, nr = 0;
	struct wsq_pool *pool;
	void *tasks[8];

	migrate_disable();
	/* One CPU only: tasks stay, and come out in order. */
	attrs.cpumask = cpumask_of(smp_processor_id());
	pool = wsq_test_pool(test, &attrs, "batches");
	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	for (i = 0; i < 1000; i++) {
		n = i % 8 + 1;
		/* One of four takes the puts, another may be half empty. */
		if (nr + n <= 10) {
			for (k = 0; k < n; k++) {
				in[nr++] = ++put;
				tasks[k] = (void *)put;
			}
			KUNIT_EXPECT_EQ(test, wsq_pool_push_many(pool, tasks, n),
					n);
		}
		most = i * 5 % 7 + 1;
		n = wsq_pool_pop_many(pool, tasks, most);
		KUNIT_ASSERT_EQ(test, n, min(most, nr));
		for (k = 0; k < n; k++)
			KUNIT_EXPECT_PTR_EQ(test, tasks[k],
					    (void *)in[fifo ? k : nr - 1 - k]);
		nr -= n;
		if (fifo)
			memmove(in, in + n, nr * sizeof(*in));
	}
	KUNIT_EXPECT_GT(test, put, 1000);
	migrate_enable();
	wsq_pool_destroy(pool);
}

static struct kunit_case pool_cases[] = {
	KUNIT_CASE(access_order),
	KUNIT_CASE(domains),
	KUNIT_CASE(access_node_distance),
	KUNIT_CASE(access_spread),
	KUNIT_CASE(access_holes),
	WSQ_ENGINE_CASE(pool_attrs),
	WSQ_ENGINE_CASE(pool_memory),
	WSQ_ENGINE_CASE(pool_fill),
	WSQ_ENGINE_CASE(pool_nested),
	WSQ_ENGINE_CASE(pool_stress),
	WSQ_ENGINE_CASE(pool_outside),
	KUNIT_CASE(pool_remembers),
	WSQ_ENGINE_CASE(pool_offline),
	WSQ_ENGINE_CASE(pool_many_inbox),
	WSQ_ENGINE_CASE(pool_batches),
	{}
};

static struct kunit_suite pool_suite = {
	.name = "wsq_pool",
	.test_cases = pool_cases,
};

kunit_test_suite(pool_suite);
