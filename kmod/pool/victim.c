// SPDX-License-Identifier: GPL-2.0
/*
 * Choice of a victim: policies and batches by name and number, and the search.
 * victim.h explains it. Costs: some 200 bytes a CPU. A search writes nothing
 * that another CPU reads.
 */
#include <linux/cpumask.h>
#include <linux/percpu.h>

#include "../compat/export.h"
#include "victim.h"

static DEFINE_PER_CPU(struct wsq_pool_thief, wsq_pool_thieves);

/* Names for sysfs. Defaults have none: what a default stands for is shown. */
const char *const wsq_steal_policies[WSQ_STEAL_POLICIES] = {
	[WSQ_STEAL_DEFAULT] = "",
	[WSQ_STEAL_RANDOM] = "random",
	[WSQ_STEAL_SEQUENTIAL] = "sequential",
	[WSQ_STEAL_NUMA] = "numa",
	[WSQ_STEAL_PROB] = "prob",
	[WSQ_STEAL_RANDOMIZED] = "randomized",
	[WSQ_STEAL_NUMA_PROB] = "numa+prob",
};
WSQ_EXPORT_KUNIT(wsq_steal_policies);

const char *const wsq_steal_batches[WSQ_STEAL_BATCHES] = {
	[WSQ_BATCH_DEFAULT] = "",
	[WSQ_BATCH_ONE] = "one",
	[WSQ_BATCH_FEW] = "few",
	[WSQ_BATCH_HALF] = "half",
	[WSQ_BATCH_BLOCK] = "block",
};
WSQ_EXPORT_KUNIT(wsq_steal_batches);

/* What each policy does before it looks at all CPUs. */
static const u32 wsq_policy_flags[WSQ_STEAL_POLICIES] = {
	[WSQ_STEAL_RANDOM] = WSQ_PICK_DRAW,
	[WSQ_STEAL_SEQUENTIAL] = WSQ_PICK_DRAW | WSQ_PICK_NEXT,
	[WSQ_STEAL_NUMA] = 0,
	[WSQ_STEAL_PROB] = WSQ_PICK_DRAW | WSQ_PICK_ACCEPT,
	[WSQ_STEAL_RANDOMIZED] = WSQ_PICK_DRAW | WSQ_PICK_ACCEPT |
				 WSQ_PICK_AT,
	[WSQ_STEAL_NUMA_PROB] = WSQ_PICK_DRAW | WSQ_PICK_NEAR |
				WSQ_PICK_ACCEPT | WSQ_PICK_AGAIN,
};

/**
 * wsq_victim_init() - initialize the thief of each CPU
 *
 * Context: module load.
 */
void wsq_victim_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		wsq_thief_init(&per_cpu(wsq_pool_thieves, cpu).thief, cpu);
}

/**
 * wsq_pool_thief() - the state of a CPU as a thief
 * @cpu: the CPU
 *
 * Context: any.
 * Return: what the CPU remembers and has counted.
 */
struct wsq_pool_thief *wsq_pool_thief(unsigned int cpu)
{
	return &per_cpu(wsq_pool_thieves, cpu);
}
WSQ_EXPORT_KUNIT(wsq_pool_thief);

/**
 * wsq_victim_set_policy() - change how a pool's CPUs pick victims
 * @pool: the pool; @pointers is set
 * @policy: an enum wsq_steal_policy
 *
 * Context: any. Thefts under way keep the old one.
 * Return: 0; %-EINVAL if there is no such policy.
 */
int wsq_victim_set_policy(struct wsq_pool *pool, u32 policy)
{
	if (policy >= WSQ_STEAL_POLICIES)
		return -EINVAL;
	WRITE_ONCE(pool->policy, policy ?: WSQ_STEAL_NUMA_PROB);
	return 0;
}
WSQ_EXPORT_KUNIT(wsq_victim_set_policy);

/**
 * wsq_victim_set_batch() - change how many tasks a pool's CPUs steal at a time
 * @pool: the pool; @pointers is set
 * @batch: an enum wsq_steal_batch
 *
 * Context: any. Thefts under way keep the old one.
 * Return: 0; %-EINVAL if there is no such batch.
 */
int wsq_victim_set_batch(struct wsq_pool *pool, u32 batch)
{
	if (batch >= WSQ_STEAL_BATCHES)
		return -EINVAL;
	if (!batch)
		batch = pool->pointers ? WSQ_BATCH_ONE : WSQ_BATCH_FEW;
	WRITE_ONCE(pool->batch, batch);
	return 0;
}
WSQ_EXPORT_KUNIT(wsq_victim_set_batch);

/**
 * wsq_victim_most() - how many tasks to take at a time
 * @pool: the pool
 *
 * Context: any.
 * Return: that many at most; 1 if the engine moves more by itself, or if thieves
 * reach each task where it is.
 */
u32 wsq_victim_most(const struct wsq_pool *pool)
{
	const u32 half = max(1U, pool->block_size / 2);

	/* A chunk of a pointer pool goes to the thief as a whole. */
	if (pool->pointers && wsq_engine_ops(pool->kind)->thieves_reach_all)
		return 1;
	switch (READ_ONCE(pool->batch)) {
	case WSQ_BATCH_FEW:
		return min_t(u32, half, WSQ_STEAL_FEW);
	case WSQ_BATCH_HALF:
		return half;
	case WSQ_BATCH_BLOCK:
		return pool->block_size;
	default:
		return 1;
	}
}
WSQ_EXPORT_KUNIT(wsq_victim_most);

/**
 * wsq_search_begin() - begin to look for a victim
 * @s: the search
 * @pool: the pool
 * @list: this CPU's access list
 *
 * Context: any but NMI, with preemption off until the search is over.
 */
void wsq_search_begin(struct wsq_search *s, const struct wsq_pool *pool,
		      const struct wsq_access *list)
{
	u32 flags, turn;

	s->thief = this_cpu_ptr(&wsq_pool_thieves);
	s->policy = READ_ONCE(pool->policy);
	s->size = pool->block_size;
	s->index = 0;
	flags = wsq_policy_flags[s->policy];
	turn = s->thief->turns + 1;
	WRITE_ONCE(s->thief->turns, turn);
	/*
	 * Skip the policy in one search of each WSQ_SEARCH_SKIP_EVERY, at
	 * another offset in each round: so pools that take turns are all
	 * reached.
	 */
	if (!((turn ^ turn / WSQ_SEARCH_SKIP_EVERY) & (WSQ_SEARCH_SKIP_EVERY - 1)))
		flags = 0;
	wsq_pick_begin(&s->pick, list, flags);
}
WSQ_EXPORT_KUNIT(wsq_search_begin);

/**
 * wsq_search_draw() - draw a victim
 * @s: the search
 *
 * Context: as wsq_search_begin().
 * Return: the victim; %NULL if the policy draws no more.
 */
const struct wsq_victim *wsq_search_draw(struct wsq_search *s)
{
	const struct wsq_victim *v = wsq_pick_next(&s->pick, &s->thief->thief);
	u64 *drawn = &s->thief->drawn[s->policy];

	if (v)
		WRITE_ONCE(*drawn, *drawn + 1);
	return v;
}
WSQ_EXPORT_KUNIT(wsq_search_draw);

/**
 * wsq_search_accept() - steal from the drawn victim, or draw again
 * @s: the search
 * @ct: the victim's container
 *
 * Context: as wsq_search_begin().
 * Return: true to steal from it.
 */
bool wsq_search_accept(struct wsq_search *s, const struct wsq_container *ct)
{
	struct wsq_pool_thief *r = s->thief;
	u32 there;

	if (!wsq_search_sampled(s))
		return true;
	there = wsq_engine_sample(ct, wsq_thief_rnd(&r->thief), &s->index);
	if (wsq_pick_accept(&r->thief, there, s->size))
		return true;
	WRITE_ONCE(r->rejected[s->policy], r->rejected[s->policy] + 1);
	return false;
}
WSQ_EXPORT_KUNIT(wsq_search_accept);

/**
 * wsq_search_found() - count a drawn victim that had something
 * @s: the search
 *
 * Context: as wsq_search_begin().
 */
void wsq_search_found(struct wsq_search *s)
{
	u64 *found = &s->thief->found[s->policy];

	WRITE_ONCE(*found, *found + 1);
}
WSQ_EXPORT_KUNIT(wsq_search_found);
