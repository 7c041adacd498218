/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whom to rob, in the kernel: policies by name, what each CPU remembers as a
 * thief, and the search for a victim in one pool. The choice itself is in
 * victim_pick.h, robbing in rob.c (pools) and kmod/exec/steal.c (queues).
 *
 * A theft has two phases. First the pool's policy draws victims, a bounded number
 * of times, and of one that it rejects reads one block's words. If that brings
 * nothing the thief passes once over its access list and looks at all there is to
 * look at, so that a single task anywhere is found. What no sample tells of,
 * entrances for instance, has its turn in one theft of WSQ_SEARCH_TURN, which
 * begins with the second phase.
 */
#ifndef _WSQ_POOL_VICTIM_H
#define _WSQ_POOL_VICTIM_H

#include "../engine/engine.h"
#include "pool.h"
#include "victim_pick.h"

#define WSQ_STEAL_POLICIES	(WSQ_STEAL_NUMA_PROB + 1)
#define WSQ_STEAL_BATCHES	(WSQ_BATCH_BLOCK + 1)

/* One theft in so many goes without the policy. A power of two. */
#define WSQ_SEARCH_TURN		16

/* Tasks of %WSQ_BATCH_FEW. */
#define WSQ_STEAL_FEW		16

/**
 * struct wsq_robber - a CPU as a thief, for all pools
 * @thief: its chance, and where it goes on
 * @turns: searches it has begun
 * @drawn: victims that it drew, by policy
 * @rejected: of these, the ones it left alone for what a sample said
 * @found: searches that brought something by the policy's choice
 *
 * Its CPU writes, with preemption off, and may lose a count to an interrupt;
 * anybody reads.
 */
struct wsq_robber {
	struct wsq_thief thief;
	u32 turns;
	u64 drawn[WSQ_STEAL_POLICIES];
	u64 rejected[WSQ_STEAL_POLICIES];
	u64 found[WSQ_STEAL_POLICIES];
};

/**
 * struct wsq_search - the first phase of one theft
 * @pick: draws
 * @robber: this CPU
 * @policy: of the pool when the search began
 * @size: tasks in a block
 * @place: which block of the victim was looked at
 */
struct wsq_search {
	struct wsq_pick pick;
	struct wsq_robber *robber;
	u32 policy;
	u32 size;
	u32 place;
};

extern const char *const wsq_steal_policies[WSQ_STEAL_POLICIES];
extern const char *const wsq_steal_batches[WSQ_STEAL_BATCHES];

void wsq_victim_init(void);
struct wsq_robber *wsq_robber(unsigned int cpu);
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

/* Does it know of the engine only what a sample said? */
static inline bool wsq_search_sampled(const struct wsq_search *s)
{
	return s->pick.flags & WSQ_PICK_ACCEPT;
}

/* wsq_engine_steal(), of a victim that a search has chosen. */
static inline int wsq_search_steal(const struct wsq_search *s,
				   struct wsq_container *ct,
				   struct wsq_container *me, void **tasks,
				   unsigned int max)
{
	if (s && wsq_search_at(s))
		return wsq_engine_steal_at(ct, me, s->place, tasks, max);
	return wsq_engine_steal(ct, me, tasks, max);
}

/* wsq_engine_steal_claim(), likewise. */
static inline int wsq_search_claim(const struct wsq_search *s,
				   struct wsq_container *ct,
				   struct wsq_container *me, void **tasks,
				   unsigned int max)
{
	if (s && wsq_search_at(s))
		return wsq_engine_steal_claim_at(ct, me, s->place, tasks, max);
	return wsq_engine_steal_claim(ct, me, tasks, max);
}

#endif /* _WSQ_POOL_VICTIM_H */
