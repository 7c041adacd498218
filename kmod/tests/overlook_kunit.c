// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of what thieves must not overlook: an item behind cancelled ones,
 * before they park, and items that sampling cannot find, in each of several
 * pools that they steal from in turn.
 *
 * Limitations: the case of inboxes needs a third CPU, which user-mode Linux
 * does not have.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/wsq.h>
#include <linux/wsq_pool.h>

#include "../pool/victim.h"
#include "engines.h"
#include "items.h"

#define TOMB_BLOCK	256
#define TOMB_ITEMS	(3 * TOMB_BLOCK)

/**
 * struct last_item - the item that was not cancelled
 * @it: the item
 * @parks: how often the worker that ran it had parked by then
 */
struct last_item {
	struct wsq_test_item it;
	u64 parks;
};

static void last_item_fn(struct wsq_work *work)
{
	struct last_item *last = container_of(work, struct last_item, it.work);

	wsq_test_enter(&last->it);
	last->parks = READ_ONCE(wsq_cpus[last->it.cpu]->parks);
	wsq_test_leave(&last->it);
}

/* Called by an interrupt: puts to the engine of this CPU. */
static void queue_all_here(void *arg)
{
	struct wsq_work **works = arg;
	int i;

	for (i = 0; i < TOMB_ITEMS; i++) {
		struct wsq_test_item *it = wsq_test_item_of(works[i]);

		wsq_queue_work(it->q, works[i]);
	}
}

/*
 * Three blocks of items on a CPU that is held. All but one, the last of the
 * second block, are cancelled: more than one steal gets through. An idle worker
 * still takes that one before it parks, though no put wakes it.
 */
static void removed(struct kunit *test)
{
	const unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq_attrs attrs = {
		.blocks = 4, .block_size = TOMB_BLOCK, .flags = WSQ_RESIDENT,
		.steal_policy = WSQ_STEAL_NUMA, .steal_batch = WSQ_BATCH_ONE,
	};
	struct wsq_test_gate *held, *thief;
	struct wsq_test_item *others;
	struct wsq_work **works;
	struct last_item *last;
	cpumask_var_t mask;
	struct wsq *q;
	int i, at = 2 * TOMB_BLOCK - 1;
	u64 parks;

	wsq_test_need_cpus(test, 2);
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&mask, GFP_KERNEL));
	cpumask_set_cpu(cpu, mask);
	cpumask_set_cpu(wsq_test_other(cpu), mask);
	attrs.cpumask = mask;
	q = wsq_test_queue_attrs(test, &attrs);
	others = wsq_test_items(test, q, TOMB_ITEMS, wsq_test_count);
	last = kunit_kzalloc(test, sizeof(*last), GFP_KERNEL);
	works = kunit_kcalloc(test, TOMB_ITEMS, sizeof(*works), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, last);
	KUNIT_ASSERT_NOT_NULL(test, works);
	wsq_test_item_init(&last->it, q, last_item_fn);
	for (i = 0; i < TOMB_ITEMS; i++)
		works[i] = i == at ? &last->it.work : &others[i].work;

	held = wsq_test_hold(test, q, cpu);
	thief = wsq_test_hold(test, q, wsq_test_other(cpu));
	KUNIT_ASSERT_EQ(test, smp_call_function_single(cpu, queue_all_here,
						       works, 1), 0);
	for (i = 0; i < TOMB_ITEMS; i++) {
		KUNIT_EXPECT_EQ(test, wsq_test_kind(works[i]), WSQ_IN_SLOT);
		if (i != at)
			KUNIT_EXPECT_TRUE(test, wsq_cancel_work(works[i]));
	}
	parks = READ_ONCE(wsq_cpus[wsq_test_other(cpu)]->parks);
	wsq_test_gate_open(thief);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&last->it.runs)));
	KUNIT_EXPECT_EQ(test, last->it.cpu, (int)wsq_test_other(cpu));
	KUNIT_EXPECT_EQ(test, last->parks, parks);
	/* With only holes left it gives up after some time, and parks. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(wsq_cpus[last->it.cpu]->parks) >
					       parks));
	wsq_test_release(test, q, held);
	kfree(thief);
	wsq_test_expect_runs(test, &last->it, 1, 1);
	wsq_test_expect_runs(test, others, TOMB_ITEMS, 0);
	wsq_test_queue_end(test, q);
	free_cpumask_var(mask);
	vfree(others);
}

#define SKIP_POOLS	WSQ_SEARCH_SKIP_EVERY

/*
 * However many pools a CPU steals from in turn, each gets its steals that
 * ignore the policy, and not more than its fraction.
 */
static void turns(struct kunit *test)
{
	static const unsigned int rounds = 16 * WSQ_SEARCH_SKIP_EVERY;
	const struct wsq_access *list;
	unsigned int nr, k, i, since[SKIP_POOLS], most, free;
	struct wsq_pool *pool;

	pool = kunit_kcalloc(test, SKIP_POOLS, sizeof(*pool), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	for (k = 0; k < SKIP_POOLS; k++) {
		pool[k].policy = WSQ_STEAL_NUMA_PROB;
		pool[k].block_size = 4;
	}
	migrate_disable();
	list = wsq_topology_access(&wsq_machine, smp_processor_id());
	KUNIT_ASSERT_NOT_NULL(test, list);
	for (nr = 1; nr <= SKIP_POOLS; nr++) {
		memset(since, 0, sizeof(since));
		most = 0;
		free = 0;
		preempt_disable();
		for (i = 0; i < rounds; i++) {
			for (k = 0; k < nr; k++) {
				struct wsq_search s;

				wsq_search_begin(&s, &pool[k], list);
				since[k] = s.pick.flags ? since[k] + 1 : 0;
				free += !s.pick.flags;
				most = max(most, since[k]);
			}
		}
		preempt_enable();
		KUNIT_EXPECT_LE_MSG(test, most, 2 * WSQ_SEARCH_SKIP_EVERY,
				    "of %u pools", nr);
		/* Interrupts may search here as well. */
		KUNIT_EXPECT_LE(test, free, rounds * nr / WSQ_SEARCH_SKIP_EVERY + 2);
		KUNIT_EXPECT_GE(test, free, rounds * nr / WSQ_SEARCH_SKIP_EVERY - 2);
	}
	migrate_enable();
}

#define ENTRY_TASKS	128
#define ENTRY_TASK	((void *)1000UL)

/* Called by an interrupt: fill this CPU's engine. */
static void fill_here(void *arg)
{
	struct wsq_pool *pool = arg;
	unsigned long i;

	for (i = 1; i <= ENTRY_TASKS; i++)
		if (wsq_pool_push(pool, (void *)i))
			break;
}

/* As if called by an interrupt of a put and a take: uses the inbox. */
static void enter_here(void *arg)
{
	struct wsq_container *ct = wsq_pool_ct(arg, smp_processor_id());

	ct->put_busy = 1;
	ct->get_busy = 1;
	WARN_ON(wsq_pool_push(arg, ENTRY_TASK));
	ct->put_busy = 0;
	ct->get_busy = 0;
}

/*
 * Two pools, stolen from in turn. A far CPU is full, and the policy finds it
 * each time. A single task waits in the inbox of the nearest CPU, unknown to
 * the policy.
 */
static void inboxes(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.blocks = 64, .block_size = ENTRY_TASKS / 64,
		.steal_policy = WSQ_STEAL_PROB,
	};
	const struct wsq_access *list;
	bool found[2] = { false, false };
	struct wsq_pool *pool[2];
	unsigned int k, i, near, far;

	wsq_test_need_cpus(test, 3);
	migrate_disable();
	list = wsq_topology_access(&wsq_machine, smp_processor_id());
	KUNIT_ASSERT_NOT_NULL(test, list);
	near = list->victims[0].cpu;
	far = list->victims[list->nr - 1].cpu;
	for (k = 0; k < 2; k++) {
		pool[k] = wsq_test_pool(test, &attrs, "entrances");
		KUNIT_ASSERT_FALSE(test, IS_ERR(pool[k]));
		smp_call_function_single(far, fill_here, pool[k], 1);
		smp_call_function_single(near, enter_here, pool[k], 1);
	}
	/*
	 * turns(): each pool has one steal in 2 * WSQ_SEARCH_SKIP_EVERY at
	 * least.
	 */
	for (i = 0; i < 2 * WSQ_SEARCH_SKIP_EVERY; i++) {
		for (k = 0; k < 2; k++)
			found[k] |= wsq_pool_pop(pool[k]) == ENTRY_TASK;
	}
	KUNIT_EXPECT_TRUE(test, found[0]);
	KUNIT_EXPECT_TRUE(test, found[1]);
	for (k = 0; k < 2; k++) {
		while (wsq_pool_pop(pool[k]))
			;
		wsq_pool_destroy(pool[k]);
	}
	migrate_enable();
}

static struct kunit_case overlook_cases[] = {
	WSQ_ENGINE_CASE(removed),
	KUNIT_CASE(turns),
	WSQ_ENGINE_CASE(inboxes),
	{}
};

static struct kunit_suite overlook_suite = {
	.name = "wsq_overlook",
	.test_cases = overlook_cases,
};

kunit_test_suite(overlook_suite);
