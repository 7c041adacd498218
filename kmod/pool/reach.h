/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which CPUs of a pointer pool have something for thieves, and where thieves
 * look at the moment.
 *
 * The CPUs that share a last-level cache, 64 at most, are a domain
 * (topology.h). A pool has a word for each domain, with a bit for each CPU
 * whose container may have something that thieves can reach. A map of the
 * machine has a bit for each domain. So a pop that finds nothing reads two
 * words that rarely change, however many CPUs there are. It reads no word that
 * an owner writes when it puts or takes.
 *
 * While a CPU's bit is clear, thieves can reach nothing there, and will not
 * until the bit is set. The owner sets it after it has begun a block or a
 * chunk. A put through an inbox sets it, and a thief sets its own after it has
 * stolen a chunk. A thief that found nothing clears the bit and looks once
 * more. It does so only if no put can add a task to what is open to thieves
 * already (wsq_engine_drained()), because such a put does not look at the bit.
 *
 *	set (owner)			clear (thief)
 *	-----------			-------------
 *	thieves can reach a task	find nothing
 *	RC(set:A) smp_mb		RC(clear:A) clear the bit, full barrier
 *	bit clear? set it, RC(set:C)	look again; found, or not drained?
 *	machine's clear? set it		set
 *
 *	RC(set:A) against RC(clear:A): store buffering
 *		If a put finds its bit set, the thief that clears the bit sees
 *		the task. litmus/pool-reach.litmus. If a LIFO owner that serves
 *		a request finds its bit set, the thief that clears the bit asks
 *		again. litmus/pool-asked.litmus
 *	RC(set:C) against RC(look:B): store buffering
 *		While a bit of a domain is set, the machine's bit of the domain
 *		is set, or some CPU is about to set it.
 *		litmus/pool-domain.litmus
 *
 * The machine's bit of a domain keeps thieves from reading the words of domains
 * that have nothing. Only CPUs of the domain clear it, after many pops in a row
 * that found nothing (WSQ_POOL_STEAL_DRY, steal.c). Otherwise the map would
 * move between caches whenever a CPU begins a block.
 *
 * Few thieves at a victim. Each look at a container reads lines that its owner
 * writes, so many thieves would stop the owner. A thief marks the container
 * while it looks (@thief of struct wsq_pointer_inbox), and skips a container
 * that is marked. In the same way one CPU of a domain at a time looks at other
 * domains. A thief that has noted a mark (below) of another thief of its domain
 * does not: the other one sees the note, and looks there.
 *
 * A thief that skips a mark may return nothing although it was woken for a task
 * there: the thief inside may have missed that task. So the first one adds a
 * note to the mark. If the second one has found nothing, it looks once more
 * after it has cleared the mark and seen a note. After %WSQ_REACH_PASSES marks
 * in a row a thief looks anyway, because the CPU that set the mark may be a
 * virtual one that does not run.
 *
 *	skip				leave with nothing
 *	----				------------------
 *	know of a task			RC(leave:A) clear mark, full barrier
 *	RC(skip:A) smp_mb		noted: look again, and in other
 *	mark set: note			domains, whatever it has skipped
 *
 *	RC(skip:A) against RC(leave:A): store buffering
 *		If a thief skips a mark, the thief that clears it sees the task
 *		when it looks again, or in another domain.
 *		litmus/pool-mark.litmus
 *	RC(skip:A) against RC(enter:A): store buffering
 *		If a thief finds no mark, and another thief is first to set it,
 *		that one sees the task. litmus/pool-enter.litmus
 *	RC(skip:A) against RC(skip:B): store buffering
 *		If a thief skips a mark that a third one ignores, the third one
 *		sees the task. litmus/pool-ignore.litmus
 */
#ifndef _WSQ_POOL_REACH_H
#define _WSQ_POOL_REACH_H

#include <linux/bitops.h>
#include <linux/cache.h>

#include "container.h"
#include "pool.h"

/*
 * A thief's mark is its CPU plus one. Another thief that relies on it adds this
 * note.
 */
#define WSQ_MARK_NOTED		INT_MIN

/**
 * struct wsq_reach - the CPUs of one domain
 * @bits: CPUs that may have something for thieves. Any CPU sets, thieves clear.
 * @seeking: mark of the CPU of this domain that looks at other domains.
 *	Thieves.
 *
 * Owners read @bits. So it is not on the line that thieves write at each look.
 */
struct wsq_reach {
	unsigned long bits ____cacheline_aligned;
	atomic_t seeking ____cacheline_aligned;
} ____cacheline_aligned;

/**
 * struct wsq_reach_all - all domains of a pool
 * @words: number of words of @map. Constant.
 * @map: the machine's map of domains, written as @bits. Address constant.
 * @domains: the domains
 */
struct wsq_reach_all {
	unsigned int words;
	unsigned long *map;
	struct wsq_reach domains[];
};

int wsq_reach_init(struct wsq_pool *pool);
void wsq_reach_exit(struct wsq_pool *pool);
void wsq_reach_set(const struct wsq_container *ct);
bool wsq_reach_clear(const struct wsq_container *ct);
bool wsq_reach_near(const struct wsq_pool *pool, unsigned int self, bool dry);
bool wsq_reach_far(const struct wsq_pool *pool, unsigned int self);
unsigned int wsq_reach_skip(atomic_t *mark, unsigned int self, bool note);

/*
 * Set a thief's mark. False if there is one. Full barrier, against RC(skip:A).
 */
static inline bool wsq_reach_enter(atomic_t *mark, unsigned int self)
{
	return !atomic_read(mark) &&
	       !atomic_cmpxchg(mark, 0, self + 1);	/* RC(enter:A) */
}

/*
 * Clear a thief's mark. True if another thief relies on this one to look again.
 * Full barrier, against RC(skip:A).
 */
static inline bool wsq_reach_leave(atomic_t *mark)
{
	return atomic_xchg(mark, 0) & WSQ_MARK_NOTED;	/* RC(leave:A) */
}

static inline const struct wsq_cpu_location *
wsq_pool_location(const struct wsq_pool *pool, unsigned int cpu)
{
	return &pool->topo->cpus[cpu];
}

/* A CPU's domain. */
static inline struct wsq_reach *wsq_reach_of(const struct wsq_pool *pool,
					     unsigned int cpu)
{
	return &pool->reach->domains[wsq_pool_location(pool, cpu)->domain];
}

/* May a CPU have something for thieves? No order. */
static inline bool wsq_reach_test(const struct wsq_pool *pool, unsigned int cpu)
{
	return test_bit(wsq_pool_location(pool, cpu)->bit,
			&wsq_reach_of(pool, cpu)->bits);
}

/* May a CPU of a domain have something for thieves? No order. */
static inline bool wsq_reach_domain(const struct wsq_pool *pool, unsigned int id)
{
	return test_bit(id, pool->reach->map);
}

#endif /* _WSQ_POOL_REACH_H */
