/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Choice of a victim, in the kernel: policies by name, what each CPU remembers
 * as a thief, and the search in one pool. victim_pick.h has the choice itself.
 * The theft is in steal.c (pools) and kmod/exec/steal.c (queues).
 *
 * A theft has two steps. First the pool's policy draws victims, a bounded
 * number of times. Of a victim that it rejects, it reads the words of one
 * block. If that brings nothing, the thief passes once over its access list and
 * looks at all that each CPU has, so that a single task anywhere is found. A
 * sample does not show tasks in inboxes, for example. For their sake one theft
 * of WSQ_SEARCH_SKIP_EVERY begins with the second step.
 */
#ifndef _WSQ_POOL_VICTIM_H
#define _WSQ_POOL_VICTIM_H

#include "../engine/engine.h"
#include "pool.h"
#include "victim_pick.h"

#define WSQ_STEAL_POLICIES	(WSQ_STEAL_NUMA_PROB + 1)
#define WSQ_STEAL_BATCHES	(WSQ_BATCH_BLOCK + 1)

/* One theft in this many skips the policy. A power of two. */
#define WSQ_SEARCH_SKIP_EVERY		16

/* Number of tasks with %WSQ_BATCH_FEW. */
#define WSQ_STEAL_FEW		16

/**
 * struct wsq_pool_thief - a CPU as a thief, for all pools
 * @thief: its random numbers, and where the sequential policy goes on
 * @turns: searches it has begun
 * @passed: marks of other thieves that it has skipped (reach.h)
 * @last: the CPU from which it last stole in a pointer pool
 * @dry: pops in a row that found nothing in a pointer pool, up to a limit
 *	(steal.c)
 * @drawn: victims that it drew, by policy
 * @rejected: drawn victims that it did not try, because of a sample
 * @found: searches in which a drawn victim had something
 *
 * Only its CPU writes, with preemption off, and may lose a count to an
 * interrupt. Any CPU reads.
 */
struct wsq_pool_thief {
	struct wsq_thief thief;
	u32 turns;
	u32 passed;
	u32 last;
	u32 dry;
	u64 drawn[WSQ_STEAL_POLICIES];
	u64 rejected[WSQ_STEAL_POLICIES];
	u64 found[WSQ_STEAL_POLICIES];
};

/**
 * struct wsq_search - the first step of one theft
 * @pick: the draws
 * @thief: this CPU as a thief
 * @policy: the pool's policy when the search began
 * @size: tasks in a block
 * @index: which block of the victim was looked at
 */
struct wsq_search {
	struct wsq_pick pick;
	struct wsq_pool_thief *thief;
	u32 policy;
	u32 size;
	u32 index;
};

extern const char *const wsq_steal_policies[WSQ_STEAL_POLICIES];
extern const char *const wsq_steal_batches[WSQ_STEAL_BATCHES];

void wsq_victim_init(void);
struct wsq_pool_thief *wsq_pool_thief(unsigned int cpu);
int wsq_victim_set_policy(struct wsq_pool *pool, u32 policy);
int wsq_victim_set_batch(struct wsq_pool *pool, u32 batch);
u32 wsq_victim_most(const struct wsq_pool *pool);
void wsq_search_begin(struct wsq_search *s, const struct wsq_pool *pool,
		      const struct wsq_access *list);
const struct wsq_victim *wsq_search_draw(struct wsq_search *s);
bool wsq_search_accept(struct wsq_search *s, const struct wsq_container *ct);
void wsq_search_found(struct wsq_search *s);

/* Does the thief take from the block that was looked at? */
static inline bool wsq_search_at(const struct wsq_search *s)
{
	return s->pick.flags & WSQ_PICK_AT;
}

/* Does the thief first try the CPU of its last theft? */
static inline bool wsq_search_again(const struct wsq_search *s)
{
	return s->pick.flags & WSQ_PICK_AGAIN;
}

/* Has the thief only sampled the engine? */
static inline bool wsq_search_sampled(const struct wsq_search *s)
{
	return s->pick.flags & WSQ_PICK_ACCEPT;
}

/*
 * wsq_engine_steal() from a victim that a search has chosen; @s is NULL
 * otherwise.
 */
static inline int wsq_search_steal(const struct wsq_search *s,
				   struct wsq_container *ct,
				   struct wsq_container *me, void **tasks,
				   unsigned int max)
{
	if (s && wsq_search_at(s))
		return wsq_engine_steal_at(ct, me, s->index, tasks, max);
	return wsq_engine_steal(ct, me, tasks, max);
}

/* wsq_engine_steal_claim() from a victim that a search has chosen. */
static inline int wsq_search_claim(const struct wsq_search *s,
				   struct wsq_container *ct,
				   struct wsq_container *me, void **tasks,
				   unsigned int max)
{
	if (s && wsq_search_at(s))
		return wsq_engine_steal_claim_at(ct, me, s->index, tasks, max);
	return wsq_engine_steal_claim(ct, me, tasks, max);
}

#endif /* _WSQ_POOL_VICTIM_H */
