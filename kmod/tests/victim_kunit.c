// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of stealing policies: names and bounds, victims drawn on invented
 * machines, how often a victim is accepted, that no policy puts a task out of
 * reach, batches, and changes under load. The choice alone, with its
 * frequencies, is in selftests/core/unit/victim.c.
 *
 * Limitations: uses the CPUs of the machine; user-mode Linux has two, and only
 * the tests of draws see more.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/wsq.h>
#include <linux/wsq_pool.h>

#include "../pool/victim.h"
#include "engines.h"
#include "items.h"
#include "threads.h"

static void names(struct kunit *test)
{
	unsigned int i, k;

	/* Each has a name of its own, the default none. */
	KUNIT_EXPECT_STREQ(test, wsq_steal_policies[0], "");
	KUNIT_EXPECT_STREQ(test, wsq_steal_batches[0], "");
	for (i = 1; i < WSQ_STEAL_POLICIES; i++) {
		KUNIT_ASSERT_NOT_NULL(test, wsq_steal_policies[i]);
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_STRNEQ(test, wsq_steal_policies[i],
					    wsq_steal_policies[k]);
	}
	for (i = 1; i < WSQ_STEAL_BATCHES; i++) {
		KUNIT_ASSERT_NOT_NULL(test, wsq_steal_batches[i]);
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_STRNEQ(test, wsq_steal_batches[i],
					    wsq_steal_batches[k]);
	}
}

static void attributes(struct kunit *test)
{
	static const struct {
		u32 policy, batch;
		int ret;
		u32 is_policy, is_batch;
	} rows[] = {
		{ WSQ_STEAL_DEFAULT, WSQ_BATCH_DEFAULT, 0,
		  WSQ_STEAL_NUMA_PROB, 0 },
		{ WSQ_STEAL_RANDOM, WSQ_BATCH_ONE, 0,
		  WSQ_STEAL_RANDOM, WSQ_BATCH_ONE },
		{ WSQ_STEAL_SEQUENTIAL, WSQ_BATCH_FEW, 0,
		  WSQ_STEAL_SEQUENTIAL, WSQ_BATCH_FEW },
		{ WSQ_STEAL_NUMA, WSQ_BATCH_HALF, 0,
		  WSQ_STEAL_NUMA, WSQ_BATCH_HALF },
		{ WSQ_STEAL_PROB, WSQ_BATCH_BLOCK, 0,
		  WSQ_STEAL_PROB, WSQ_BATCH_BLOCK },
		{ WSQ_STEAL_RANDOMIZED, 0, 0, WSQ_STEAL_RANDOMIZED, 0 },
		{ WSQ_STEAL_NUMA_PROB, 0, 0, WSQ_STEAL_NUMA_PROB, 0 },
		{ WSQ_STEAL_POLICIES, 0, -EINVAL }, { ~0U, 0, -EINVAL },
		{ 0, WSQ_STEAL_BATCHES, -EINVAL }, { 0, ~0U, -EINVAL },
	};
	struct wsq *changed = wsq_test_create(test, NULL, "changed");
	unsigned int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(changed));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wsq_attrs attrs = {
			.steal_policy = rows[i].policy,
			.steal_batch = rows[i].batch,
		};
		struct wsq_pool *pool = wsq_test_pool(test, &attrs, "row");
		struct wsq *q = wsq_test_create(test, &attrs, "row");
		u32 policy = changed->pool.policy, batch = changed->pool.batch;

		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(pool), rows[i].ret,
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(q), rows[i].ret,
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test,
				    wsq_set_steal(changed, rows[i].policy,
						  rows[i].batch),
				    rows[i].ret, "row %u", i);
		if (!rows[i].ret) {
			policy = rows[i].is_policy;
			batch = rows[i].is_batch ?: WSQ_BATCH_FEW;
			KUNIT_EXPECT_EQ(test, pool->policy, policy);
			KUNIT_EXPECT_EQ(test, pool->batch,
					rows[i].is_batch ?: WSQ_BATCH_ONE);
			KUNIT_EXPECT_EQ(test, q->pool.policy, policy);
			KUNIT_EXPECT_EQ(test, q->pool.batch, batch);
			wsq_pool_destroy(pool);
			wsq_destroy(q);
		}
		/* After a refusal all is as before. */
		KUNIT_EXPECT_EQ_MSG(test, changed->pool.policy, policy,
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, changed->pool.batch, batch,
				    "row %u", i);
	}
	wsq_destroy(changed);
}

static void amounts(struct kunit *test)
{
	static const struct {
		u32 batch, size, most;
	} rows[] = {
		{ WSQ_BATCH_ONE, 256, 1 }, { WSQ_BATCH_FEW, 256, 16 },
		{ WSQ_BATCH_FEW, 32, 16 }, { WSQ_BATCH_FEW, 30, 15 },
		{ WSQ_BATCH_FEW, 2, 1 }, { WSQ_BATCH_HALF, 256, 128 },
		{ WSQ_BATCH_HALF, 3, 1 }, { WSQ_BATCH_HALF, 2, 1 },
		{ WSQ_BATCH_BLOCK, 4096, 4096 }, { WSQ_BATCH_BLOCK, 2, 2 },
	};
	struct wsq_pool *pool;
	unsigned int i;

	pool = kunit_kzalloc(test, sizeof(*pool), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		pool->batch = rows[i].batch;
		pool->block_size = rows[i].size;
		pool->pointers = i & 1;
		pool->kind = WSQ_BWOS_FIFO;
		KUNIT_EXPECT_EQ_MSG(test, wsq_victim_most(pool), rows[i].most,
				    "row %u", i);
		pool->kind = WSQ_SALSA;
		KUNIT_EXPECT_EQ_MSG(test, wsq_victim_most(pool),
				    pool->pointers ? 1 : rows[i].most, "row %u", i);
	}
}

/* Four nodes in a ring, of two caches of two CPUs; every fifth id is free. */
static void machine_16(struct kunit *test, struct wsq_topology *topo)
{
	unsigned int a, b, cpu, nr = 0;

	KUNIT_ASSERT_EQ(test, wsq_topology_init(topo, 20, 4), 0);
	for (cpu = 0; cpu < 20; cpu++) {
		if (cpu % 5 == 4)
			continue;
		topo->cpus[cpu].core = cpu;
		topo->cpus[cpu].cache = nr / 2;
		topo->cpus[cpu].node = nr / 4;
		nr++;
	}
	for (a = 0; a < 4; a++) {
		for (b = 0; b < 4; b++)
			topo->distance[a * 4 + b] = a == b ? 10 :
						    (a ^ b) == 2 ? 31 : 21;
	}
}

/* One search by @policy: checks each draw, returns how many there were. */
static unsigned int search(struct kunit *test, struct wsq_pool *pool,
			   const struct wsq_access *list, unsigned int self,
			   unsigned int *at)
{
	const struct wsq_victim *v, *before = NULL;
	struct wsq_search s;
	unsigned int n = 0;

	preempt_disable();
	wsq_search_begin(&s, pool, list);
	while ((v = wsq_search_draw(&s))) {
		KUNIT_EXPECT_NE(test, v->cpu, self);
		KUNIT_EXPECT_NE(test, v->cpu % 5, 4);
		KUNIT_EXPECT_LT(test, v->cpu, 20);
		if (pool->policy == WSQ_STEAL_SEQUENTIAL) {
			KUNIT_EXPECT_PTR_EQ(test, v,
					    &list->victims[*at % list->nr]);
			++*at;
		}
		if (pool->policy == WSQ_STEAL_NUMA_PROB && before) {
			KUNIT_EXPECT_GE(test, v->distance, before->distance);
			KUNIT_EXPECT_GE(test, v->hops, before->hops);
		}
		if (pool->policy == WSQ_STEAL_NUMA_PROB && !n)
			KUNIT_EXPECT_EQ(test, (int)v->distance, WSQ_DIST_CACHE);
		before = v;
		n++;
	}
	preempt_enable();
	return n;
}

static void draws(struct kunit *test)
{
	static const unsigned int most[WSQ_STEAL_POLICIES] = {
		[WSQ_STEAL_RANDOM] = 8, [WSQ_STEAL_SEQUENTIAL] = 8,
		[WSQ_STEAL_NUMA] = 0, [WSQ_STEAL_PROB] = 8,
		[WSQ_STEAL_RANDOMIZED] = 8, [WSQ_STEAL_NUMA_PROB] = 15,
	};
	unsigned int policy, cpu, i, n, at, none;
	struct wsq_topology topo;
	struct wsq_pool *pool;

	pool = kunit_kzalloc(test, sizeof(*pool), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	pool->block_size = 4;
	machine_16(test, &topo);
	migrate_disable();
	for (policy = 1; policy < WSQ_STEAL_POLICIES; policy++) {
		pool->policy = policy;
		for (cpu = 0; cpu < 20; cpu++) {
			const struct wsq_access *list;

			if (cpu % 5 == 4)
				continue;
			list = wsq_topology_access(&topo, cpu);
			KUNIT_ASSERT_NOT_NULL(test, list);
			wsq_thief_init(&wsq_pool_thief(smp_processor_id())->thief,
				       cpu);
			at = 0;
			none = 0;
			/* About one in WSQ_SEARCH_SKIP_EVERY draws none. */
			for (i = 0; i < 4 * WSQ_SEARCH_SKIP_EVERY; i++) {
				n = search(test, pool, list, cpu, &at);
				none += !n;
				if (n)
					KUNIT_EXPECT_EQ(test, n, most[policy]);
			}
			if (most[policy]) {
				KUNIT_EXPECT_GE(test, none, 3);
				KUNIT_EXPECT_LE(test, none, 5);
			}
		}
	}
	migrate_enable();
	wsq_topology_exit(&topo);
}

/* Without victims none is drawn. */
static void alone(struct kunit *test)
{
	const struct wsq_access *list;
	struct wsq_topology topo;
	struct wsq_pool *pool;
	unsigned int at = 0;

	pool = kunit_kzalloc(test, sizeof(*pool), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	pool->block_size = 4;
	KUNIT_ASSERT_EQ(test, wsq_topology_init(&topo, 1, 1), 0);
	topo.cpus[0].core = 0;
	list = wsq_topology_access(&topo, 0);
	KUNIT_ASSERT_NOT_NULL(test, list);
	for (pool->policy = 1; pool->policy < WSQ_STEAL_POLICIES;
	     pool->policy++)
		KUNIT_EXPECT_EQ(test, search(test, pool, list, 0, &at), 0);
	wsq_topology_exit(&topo);
}

/* What the tests of stealing need to know of an engine. */
struct reach {
	struct wsq_pool *pool;
	unsigned int cpu;
	unsigned int pushes;
	unsigned int pops;
	unsigned int there;
	bool refused;
};

/*
 * Tasks of one CPU, of which thieves can take @there: FIFO's consumer has its
 * block for itself, LIFO's owner its topmost one, SALSA's nothing until it
 * takes. Each call uses the next block. A new FIFO's producer is at the end of
 * one, and has then put one task into the next.
 */
static void reach_some(struct kunit *test, struct reach *r, u32 size, bool anew)
{
	switch (wsq_test_engine(test)->kind) {
	case WSQ_BWOS_FIFO:
		r->pushes = anew ? size + 1 : size;
		r->pops = r->pushes - 1;
		r->there = 1;
		break;
	case WSQ_SALSA:
		r->pushes = 1;
		r->pops = 0;
		r->there = 1;
		break;
	default:
		r->pushes = size + 1;
		r->pops = 1;
		r->there = size;
		break;
	}
}

/* Called by an interrupt on that CPU. */
static void reach_put(void *arg)
{
	struct reach *r = arg;
	unsigned int i;

	for (i = 0; i < r->pushes; i++)
		r->refused |= wsq_pool_push(r->pool, (void *)(i + 1UL));
	for (i = 0; i < r->pops; i++)
		r->refused |= !wsq_pool_pop(r->pool);
}

static void reach_on(struct kunit *test, struct reach *r)
{
	r->refused = false;
	KUNIT_ASSERT_EQ(test, smp_call_function_single(r->cpu, reach_put, r, 1),
			0);
	KUNIT_EXPECT_FALSE(test, r->refused);
}

#define BLOCKS	64

/*
 * One pop finds a single task, or the tasks of one block, in any block of any
 * CPU, whatever the policy. Each CPU but the thief has 64 blocks.
 */
static void single_task(struct kunit *test)
{
	unsigned int policy, turn, here, cpu, i;
	struct wsq_attrs attrs = { .blocks = BLOCKS, .block_size = 4 };
	struct reach r = {};

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	migrate_disable();
	here = smp_processor_id();
	for (policy = 1; policy < WSQ_STEAL_POLICIES; policy++) {
		attrs.steal_policy = policy;
		r.pool = wsq_test_pool(test, &attrs, "single");
		KUNIT_ASSERT_FALSE(test, IS_ERR(r.pool));
		for (turn = 0; turn < BLOCKS + 8; turn++) {
			for_each_online_cpu(cpu) {
				if (cpu == here)
					continue;
				r.cpu = cpu;
				reach_some(test, &r, attrs.block_size, !turn);
				reach_on(test, &r);
				for (i = 0; i < r.there; i++)
					KUNIT_EXPECT_NOT_NULL_MSG(test,
								  wsq_pool_pop(r.pool),
								  "policy %u turn %u cpu %u",
								  policy, turn, cpu);
			}
			wsq_test_yield();
		}
		/* And none from before. */
		KUNIT_EXPECT_NULL(test, wsq_pool_pop(r.pool));
		wsq_pool_destroy(r.pool);
	}
	migrate_enable();
}

/* Likewise for a non-member CPU, or one whose victims are non-members. */
static void few_members(struct kunit *test)
{
	struct wsq_attrs attrs = { .blocks = 4, .block_size = 4 };
	unsigned int policy, here, i;
	struct reach r = {};

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	reach_some(test, &r, attrs.block_size, true);
	migrate_disable();
	here = smp_processor_id();
	r.cpu = cpumask_any_but(cpu_online_mask, here);
	attrs.cpumask = cpumask_of(r.cpu);
	for (policy = 1; policy < WSQ_STEAL_POLICIES; policy++) {
		attrs.steal_policy = policy;
		attrs.steal_batch = WSQ_BATCH_HALF;
		r.pool = wsq_test_pool(test, &attrs, "few");
		KUNIT_ASSERT_FALSE(test, IS_ERR(r.pool));
		reach_on(test, &r);
		for (i = 0; i < r.there; i++)
			KUNIT_EXPECT_NOT_NULL_MSG(test, wsq_pool_pop(r.pool),
						  "policy %u", policy);
		KUNIT_EXPECT_NULL(test, wsq_pool_pop(r.pool));
		wsq_pool_destroy(r.pool);
	}
	migrate_enable();
}

/* Acceptance is proportional to stealable tasks over capacity. */
static void accepts(struct kunit *test)
{
	static const struct {
		u32 pushes;
		u32 there;	/* FIFO: all but the first block */
	} fills[] = {
		{ 0, 0 }, { 16, 0 }, { 20, 4 }, { 32, 16 }, { 64, 48 },
		{ 100, 84 }, { 128, 112 },
	};
	static const unsigned int draws = 4096;
	struct wsq_attrs attrs = { .blocks = 8, .block_size = 16 };
	unsigned int i, k, n, want, off;
	struct wsq_pool *pool;

	migrate_disable();
	attrs.steal_policy = WSQ_STEAL_PROB;
	attrs.cpumask = cpumask_of(smp_processor_id());
	for (i = 0; i < ARRAY_SIZE(fills); i++) {
		struct wsq_container *ct;
		struct wsq_search s;
		u64 rejected;

		pool = wsq_test_pool(test, &attrs, "accepts");
		KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
		for (k = 0; k < fills[i].pushes; k++)
			KUNIT_EXPECT_EQ(test, wsq_pool_push(pool,
							    (void *)(k + 1UL)),
					0);
		ct = wsq_pool_ct(pool, smp_processor_id());
		preempt_disable();
		s.thief = wsq_pool_thief(smp_processor_id());
		wsq_thief_init(&s.thief->thief, 3);
		s.policy = WSQ_STEAL_PROB;
		s.size = attrs.block_size;
		s.pick.flags = WSQ_PICK_DRAW | WSQ_PICK_ACCEPT;
		rejected = s.thief->rejected[s.policy];
		for (k = 0, n = 0; k < draws; k++)
			n += wsq_search_accept(&s, ct);
		KUNIT_EXPECT_EQ(test, s.thief->rejected[s.policy] - rejected,
				draws - n);
		preempt_enable();
		if (wsq_test_engine(test)->kind == WSQ_BWOS_FIFO) {
			want = draws * fills[i].there / 128;
			off = n > want ? n - want : want - n;
			/* Five sigma of a seed that does not change. */
			KUNIT_EXPECT_LE_MSG(test, off * off, 25 * want,
					    "%u of %u tasks: %u", k, i, n);
			if (!want)
				KUNIT_EXPECT_EQ(test, n, 0);
		} else if (!fills[i].pushes) {
			KUNIT_EXPECT_EQ(test, n, 0);
		} else if (fills[i].pushes > 2 * attrs.block_size) {
			KUNIT_EXPECT_GT(test, n, 0);
		}
		wsq_pool_destroy(pool);
	}
	migrate_enable();
}

/* Called by an interrupt: pop all that this CPU finds, here or elsewhere. */
static void reach_drain(void *arg)
{
	struct reach *r = arg;

	while (wsq_pool_pop(r->pool))
		r->there++;
}

/* Take this CPU's own tasks, without stealing. Return how many. */
static unsigned int own_tasks(struct kunit *test, struct wsq_pool *pool)
{
	struct wsq_container *me;
	unsigned int n = 0;
	bool owner;

	preempt_disable();
	me = wsq_pool_ct(pool, smp_processor_id());
	owner = wsq_get_begin(me);
	while (owner && wsq_engine_get(me))
		n++;
	if (owner)
		wsq_get_end(me);
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, owner);
	return n;
}

/*
 * What a batch brings: the first task to the pop, the others to the CPU's own
 * container; just one task if the producer role is taken. No task is lost.
 */
static void batches(struct kunit *test)
{
	static const struct {
		u32 batch, own, moved;
		bool put_busy, get_busy;
	} rows[] = {
		{ WSQ_BATCH_ONE, 0, 1 }, { WSQ_BATCH_FEW, 0, 16 },
		{ WSQ_BATCH_HALF, 0, 64 }, { WSQ_BATCH_BLOCK, 0, 128 },
		/* The CPU's own block is partly used, or full. */
		{ WSQ_BATCH_HALF, 100, 64 }, { WSQ_BATCH_BLOCK, 127, 128 },
		{ WSQ_BATCH_BLOCK, 128, 128 },
		{ WSQ_BATCH_BLOCK, 0, 1, true, false },
		{ WSQ_BATCH_BLOCK, 0, 1, false, true },
	};
	struct wsq_attrs attrs = {
		.blocks = 4, .block_size = 128, .steal_policy = WSQ_STEAL_NUMA,
	};
	struct reach r = { .pushes = 512 };
	unsigned int i, k, here;
	struct wsq_container *me;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	if (wsq_test_engine(test)->kind == WSQ_SALSA)
		kunit_skip(test, "steals chunks");
	migrate_disable();
	here = smp_processor_id();
	r.cpu = cpumask_any_but(cpu_online_mask, here);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		attrs.steal_batch = rows[i].batch;
		r.pool = wsq_test_pool(test, &attrs, "batches");
		KUNIT_ASSERT_FALSE(test, IS_ERR(r.pool));
		for (k = 0; k < rows[i].own; k++)
			KUNIT_EXPECT_EQ(test, wsq_pool_push(r.pool, &r), 0);
		for (k = 0; k < rows[i].own; k++)
			KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(r.pool), &r);
		reach_on(test, &r);
		preempt_disable();
		me = wsq_pool_ct(r.pool, here);
		me->put_busy = rows[i].put_busy;
		me->get_busy = rows[i].get_busy;
		r.there = !!wsq_pool_pop(r.pool);
		KUNIT_EXPECT_EQ_MSG(test, me->put_busy, rows[i].put_busy,
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, me->get_busy, rows[i].get_busy,
				    "row %u", i);
		me->put_busy = 0;
		me->get_busy = 0;
		preempt_enable();
		KUNIT_EXPECT_EQ_MSG(test, r.there, 1, "row %u", i);
		/* The rest of the batch is here. The next pop steals again. */
		r.there += own_tasks(test, r.pool);
		KUNIT_EXPECT_EQ_MSG(test, r.there, rows[i].moved, "row %u", i);
		KUNIT_EXPECT_NOT_NULL(test, wsq_pool_pop(r.pool));
		r.there++;
		reach_drain(&r);
		KUNIT_EXPECT_EQ(test,
				smp_call_function_single(r.cpu, reach_drain,
							 &r, 1), 0);
		KUNIT_EXPECT_EQ_MSG(test, r.there, 512, "row %u", i);
		wsq_pool_destroy(r.pool);
	}
	migrate_enable();
}

/* If a batch went into a new block, other thieves reach the rest of it. */
static void batch_in_reach(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.engine = WSQ_BWOS_FIFO, .blocks = 4, .block_size = 16,
		.steal_policy = WSQ_STEAL_NUMA, .steal_batch = WSQ_BATCH_BLOCK,
	};
	struct reach r = { .pushes = 64 };
	unsigned int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	migrate_disable();
	r.cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	r.pool = wsq_pool_create(&attrs, "in_reach");
	KUNIT_ASSERT_FALSE(test, IS_ERR(r.pool));
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, wsq_pool_push(r.pool, &r), 0);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(r.pool), &r);
	reach_on(test, &r);
	r.there = !!wsq_pool_pop(r.pool);
	KUNIT_EXPECT_EQ(test, r.there, 1);
	KUNIT_EXPECT_EQ(test, smp_call_function_single(r.cpu, reach_drain, &r,
						       1), 0);
	KUNIT_EXPECT_EQ(test, r.there, 64);
	wsq_pool_destroy(r.pool);
	migrate_enable();
}

/* A pop of many gets the stolen tasks itself. */
static void pop_many(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.blocks = 4, .block_size = 128, .steal_batch = WSQ_BATCH_BLOCK,
	};
	struct reach r = { .pushes = 512 };
	unsigned int policy, n, most;
	void *tasks[40];

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	/* A stolen chunk yields one task, the rest go to the container. */
	most = wsq_test_engine(test)->kind == WSQ_SALSA ? 1 : 40;
	migrate_disable();
	r.cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	for (policy = 1; policy < WSQ_STEAL_POLICIES; policy++) {
		attrs.steal_policy = policy;
		r.pool = wsq_test_pool(test, &attrs, "many");
		KUNIT_ASSERT_FALSE(test, IS_ERR(r.pool));
		reach_on(test, &r);
		n = wsq_pool_pop_many(r.pool, tasks, ARRAY_SIZE(tasks));
		KUNIT_EXPECT_GE_MSG(test, n, most, "policy %u", policy);
		r.there = n;
		/* Nothing was stolen beyond what was returned. */
		n = own_tasks(test, r.pool);
		if (most > 1)
			KUNIT_EXPECT_EQ_MSG(test, n, 0, "policy %u", policy);
		r.there += n;
		reach_drain(&r);
		KUNIT_EXPECT_EQ(test,
				smp_call_function_single(r.cpu, reach_drain,
							 &r, 1), 0);
		KUNIT_EXPECT_EQ_MSG(test, r.there, 512, "policy %u", policy);
		wsq_pool_destroy(r.pool);
	}
	migrate_enable();
}

#define LOAD_IDS	60000

struct load {
	struct wsq_pool *pool;
	u8 *seen;
	atomic_t next;
	atomic_t doubled;
	atomic_t taken;
	atomic_t changed;
};

static void load_saw(struct load *l, void *task)
{
	if (xchg(&l->seen[(unsigned long)task - 1], 1))
		atomic_inc(&l->doubled);
	atomic_inc(&l->taken);
}

static void load_change(struct load *l)
{
	u32 n = atomic_inc_return(&l->changed);

	wsq_victim_set_policy(l->pool, n % WSQ_STEAL_POLICIES);
	wsq_victim_set_batch(l->pool, n / 3 % WSQ_STEAL_BATCHES);
}

/* The first CPU pushes twice as much as it takes, the others steal. */
static void load_thread(void *arg, int nr)
{
	struct load *l = arg;
	unsigned int i = 0;
	void *task;
	long id;

	for (;;) {
		if (!(++i % 64))
			load_change(l);
		if (!nr && i % 3) {
			id = atomic_inc_return(&l->next);
			if (id > LOAD_IDS)
				return;
			if (wsq_pool_push(l->pool, (void *)id))
				load_saw(l, (void *)id);
		} else {
			if (atomic_read(&l->next) >= LOAD_IDS)
				return;
			task = wsq_pool_pop(l->pool);
			if (task)
				load_saw(l, task);
		}
		wsq_test_yield();
	}
}

static void load_drain(void *arg, int nr)
{
	struct load *l = arg;
	void *task;

	while ((task = wsq_pool_pop(l->pool)))
		load_saw(l, task);
}

/* Policies and batches change all the time: each task comes out once. */
static void changes(struct kunit *test)
{
	struct wsq_attrs attrs = { .blocks = 8, .block_size = 16 };
	int nr = num_online_cpus();
	unsigned long end;
	struct load *l;

	l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, l);
	l->seen = kvzalloc(LOAD_IDS, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, l->seen);
	l->pool = wsq_test_pool(test, &attrs, "changes");
	KUNIT_ASSERT_FALSE(test, IS_ERR(l->pool));
	wsq_test_run(test, nr, load_thread, l);
	end = jiffies + WSQ_TEST_TIMEOUT;
	/* Some tasks may be out of a thief's reach for a while. */
	do
		wsq_test_run(test, nr, load_drain, l);
	while (atomic_read(&l->taken) < LOAD_IDS && time_before(jiffies, end));
	KUNIT_EXPECT_EQ(test, atomic_read(&l->doubled), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&l->taken), LOAD_IDS);
	KUNIT_EXPECT_GE(test, atomic_read(&l->changed), WSQ_STEAL_POLICIES);
	wsq_pool_destroy(l->pool);
	kvfree(l->seen);
}

/* Called by an interrupt: a put to this CPU's engine. */
static void queue_here(void *arg)
{
	struct wsq_test_item *it = arg;

	wsq_queue_work(it->q, &it->work);
}

/*
 * One item behind one that does not end, on one CPU after the other. An idle
 * CPU finds it, whatever the policy, in any of 64 blocks.
 */
static void single_item(struct kunit *test)
{
	struct wsq_attrs attrs = { .blocks = BLOCKS, .block_size = 4 };
	struct wsq_test_item *it;
	struct wsq_test_gate *g;
	unsigned int policy, cpu, i;
	struct wsq *q;

	wsq_test_need_cpus(test, 2);
	for (policy = 1; policy < WSQ_STEAL_POLICIES; policy++) {
		attrs.steal_policy = policy;
		attrs.steal_batch = policy % WSQ_STEAL_BATCHES;
		q = wsq_test_queue_attrs(test, &attrs);
		it = wsq_test_items(test, q, 3, wsq_test_count);
		for_each_online_cpu(cpu) {
			for (i = 0; i < 3; i++) {
				g = wsq_test_hold(test, q, cpu);
				smp_call_function_single(cpu, queue_here,
							 &it[i], 1);
				KUNIT_EXPECT_TRUE_MSG(test,
						      wsq_test_until(it[i].cpu >= 0),
						      "policy %u CPU %u",
						      policy, cpu);
				KUNIT_EXPECT_NE(test, READ_ONCE(it[i].cpu),
						(int)cpu);
				wsq_test_release(test, q, g);
				it[i].cpu = -1;
			}
		}
		wsq_test_expect_runs(test, it, 3, num_online_cpus());
		wsq_test_queue_end(test, q);
		vfree(it);
	}
}

#define BATCH_ITEMS	512

static void queue_batch_here(void *arg)
{
	struct wsq_test_item *it = arg;
	int i;

	for (i = 0; i < BATCH_ITEMS; i++)
		wsq_queue_work(it[i].q, &it[i].work);
}

/* Large batches, from behind an item that does not end. */
static void queue_batches(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.blocks = 8, .block_size = 128, .flags = WSQ_RESIDENT,
		.steal_policy = WSQ_STEAL_NUMA,
	};
	atomic_t total = ATOMIC_INIT(0);
	struct wsq_test_item *it;
	struct wsq_test_gate *g;
	unsigned int cpu, i;
	struct wsq *q;

	wsq_test_need_cpus(test, 2);
	cpu = cpumask_first(cpu_online_mask);
	for (attrs.steal_batch = WSQ_BATCH_ONE;
	     attrs.steal_batch < WSQ_STEAL_BATCHES; attrs.steal_batch++) {
		q = wsq_test_queue_attrs(test, &attrs);
		it = wsq_test_items(test, q, BATCH_ITEMS, wsq_test_count);
		atomic_set(&total, 0);
		for (i = 0; i < BATCH_ITEMS; i++)
			it[i].total = &total;
		g = wsq_test_hold(test, q, cpu);
		smp_call_function_single(cpu, queue_batch_here, it, 1);
		KUNIT_EXPECT_TRUE_MSG(test,
				      wsq_test_until(atomic_read(&total) ==
						     BATCH_ITEMS),
				      "batch %u: %d have run",
				      attrs.steal_batch, atomic_read(&total));
		wsq_test_release(test, q, g);
		wsq_test_expect_runs(test, it, BATCH_ITEMS, 1);
		wsq_test_queue_end(test, q);
		vfree(it);
	}
}

#define LOAD_ITEMS	200
#define LOAD_RUNS	WSQ_TEST_MANY(200)

/* A queue's policy and batch change while its items queue themselves. */
static void queue_changes(struct kunit *test)
{
	struct wsq_attrs attrs = { .blocks = 4, .block_size = 16 };
	struct wsq *q = wsq_test_queue_attrs(test, &attrs);
	struct wsq_test_item *it;
	atomic_t runs = ATOMIC_INIT(0);
	u32 i, n = 0;

	it = wsq_test_items(test, q, LOAD_ITEMS, wsq_test_repeat);
	for (i = 0; i < LOAD_ITEMS; i++) {
		it[i].again = LOAD_RUNS - 1;
		it[i].total = &runs;
		wsq_queue_work(q, &it[i].work);
	}
	do {
		KUNIT_EXPECT_EQ(test,
				wsq_set_steal(q, n % WSQ_STEAL_POLICIES,
					      n / 3 % WSQ_STEAL_BATCHES), 0);
		n++;
		schedule_timeout_uninterruptible(1);
		/* Whatever is left then runs without changes. */
	} while (atomic_read(&runs) < LOAD_ITEMS * LOAD_RUNS && n < 3000);
	wsq_test_call(test, wsq_test_drain, q);
	wsq_test_expect_runs(test, it, LOAD_ITEMS, LOAD_RUNS);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* What each CPU has counted as a thief. */
static void counts(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.blocks = 4, .block_size = 16,
		.steal_policy = WSQ_STEAL_RANDOMIZED,
	};
	const u32 p = WSQ_STEAL_RANDOMIZED;
	struct reach r = { .pushes = 48 };
	struct wsq_pool_thief *thief, was;
	unsigned int n, tries = 0;

	wsq_test_need_cpus(test, 2);
	migrate_disable();
	thief = wsq_pool_thief(smp_processor_id());
	r.cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	r.pool = wsq_test_pool(test, &attrs, "counts");
	KUNIT_ASSERT_FALSE(test, IS_ERR(r.pool));
	was = *thief;
	/* Draws are random: the list alone may find all tasks. */
	do {
		tries++;
		reach_on(test, &r);
		reach_drain(&r);
		KUNIT_EXPECT_EQ(test,
				smp_call_function_single(r.cpu, reach_drain,
							 &r, 1), 0);
		KUNIT_EXPECT_EQ(test, r.there, 48 * tries);
	} while (thief->found[p] == was.found[p] && tries < 100);
	n = thief->turns - was.turns;
	/* Other steals on this CPU only add to the count. */
	KUNIT_EXPECT_GE(test, thief->drawn[p] - was.drawn[p],
			thief->found[p] - was.found[p]);
	KUNIT_EXPECT_GE(test, n, thief->found[p] - was.found[p]);
	KUNIT_EXPECT_GT(test, thief->found[p], was.found[p]);
	/* Nothing to steal. While the bit is clear, pops do not search. */
	was = *thief;
	for (n = 0; n < 3; n++)
		KUNIT_EXPECT_NULL(test, wsq_pool_pop(r.pool));
	KUNIT_EXPECT_EQ(test, thief->drawn[p] - was.drawn[p],
			thief->rejected[p] - was.rejected[p]);
	KUNIT_EXPECT_EQ(test, thief->found[p], was.found[p]);
	wsq_pool_destroy(r.pool);
	migrate_enable();
}

static struct kunit_case victim_cases[] = {
	KUNIT_CASE(names),
	WSQ_ENGINE_CASE(attributes),
	KUNIT_CASE(amounts),
	KUNIT_CASE(draws),
	KUNIT_CASE(alone),
	WSQ_ENGINE_CASE(single_task),
	WSQ_ENGINE_CASE(few_members),
	WSQ_ENGINE_CASE(accepts),
	WSQ_ENGINE_CASE(batches),
	KUNIT_CASE(batch_in_reach),
	WSQ_ENGINE_CASE(pop_many),
	WSQ_ENGINE_CASE_SLOW(changes),
	WSQ_ENGINE_CASE_SLOW(single_item),
	WSQ_ENGINE_CASE(queue_batches),
	WSQ_ENGINE_CASE(queue_changes),
	WSQ_ENGINE_CASE(counts),
	{}
};

static struct kunit_suite victim_suite = {
	.name = "wsq_victim",
	.test_cases = victim_cases,
};

kunit_test_suite(victim_suite);
