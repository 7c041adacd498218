// SPDX-License-Identifier: GPL-2.0
/*
 * Work stealing with multiplicity as an engine: memory, thieves, wsq_pool_settle()
 * and wsq_pool_read_counts(). See ws_mult.h.
 *
 * Cost: for each pair of a thief and a victim 8 bytes, and for each CPU as many:
 * in a pool on 256 CPUs 2 KiB and the thief's counters for each thief, for which
 * kmalloc() takes 4 KiB, so 1 MiB, and 2 KiB once.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wsq_pool.h>

#include "../../compat/export.h"
#include "../../compat/wsq_grace.h"
#include "../alloc.h"
#include "../engine.h"
#include "../../pool/pool.h"

static_assert(WSQ_MULTIPLICITY_WEAK == WSQ_MULT_WEAK);
static_assert(WSQ_MULTIPLICITY_BOUNDED == WSQ_MULT_BOUNDED);
static_assert(WSQ_MULTIPLICITY_EXACT == WSQ_MULT_EXACT);

/**
 * struct wsq_mult_pool - what the containers of a pool share
 * @lock: one wsq_pool_settle() at a time
 * @taken: for each CPU, a number up to which all its tasks have been taken. @lock
 * @thieves: each CPU as a thief
 */
struct wsq_mult_pool {
	/* One wsq_pool_settle() at a time. */
	struct mutex lock;
	u64 *taken;
	struct wsq_mult_thief *thieves[];
};

/* @dry of struct wsq_engine_ws_mult, the cookie of a grace period or this: */
#define WSQ_MULT_ASKS(cpu)	(((s64)(cpu) + 1) * 2)

static inline s64 wsq_mult_since(u64 cookie)
{
	return (s64)(cookie << 1) | 1;
}

static inline bool wsq_mult_passed(s64 dry)
{
	return dry & 1 && wsq_grace_passed((u64)(dry >> 1));	/* MU(dry:A) */
}

static bool wsq_engine_ws_mult_sizes(u32 *blocks, u32 *max_blocks, u32 *block_size)
{
	*blocks = *blocks ?: WSQ_DEF_BLOCKS;
	*max_blocks = *max_blocks ?: *blocks;
	*block_size = *block_size ?: WSQ_DEF_BLOCK_SIZE;
	return is_power_of_2(*blocks) && is_power_of_2(*block_size) &&
	       *blocks == *max_blocks &&
	       *blocks >= WSQ_BWOS_MIN_BLOCKS && *blocks <= WSQ_BWOS_MAX_BLOCKS &&
	       *block_size >= WSQ_BWOS_MIN_BLOCK_SIZE &&
	       *block_size <= WSQ_BWOS_MAX_BLOCK_SIZE;
}

/* Where the slots begin. */
static size_t wsq_mult_slots(u32 blocks)
{
	return sizeof(struct wsq_engine_ws_mult) +
	       blocks * sizeof(struct wsq_ws_mult_base);
}

static size_t wsq_engine_ws_mult_bytes(u32 blocks, u32 max_blocks, u32 block_size)
{
	return PAGE_ALIGN(wsq_mult_slots(blocks) +
			  (size_t)blocks * block_size * sizeof(wsq_slot_t));
}

static void wsq_engine_ws_mult_pool_exit(struct wsq_pool *pool)
{
	struct wsq_mult_pool *m = pool->mult;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		kvfree(m->thieves[cpu]);
	kvfree(m->taken);
	kfree(m);
	pool->mult = NULL;
}

static int wsq_engine_ws_mult_pool_init(struct wsq_pool *pool)
{
	struct wsq_mult_pool *m;
	unsigned int cpu;

	m = kzalloc(struct_size(m, thieves, nr_cpu_ids), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	mutex_init(&m->lock);
	pool->mult = m;
	m->taken = kvcalloc(nr_cpu_ids, sizeof(*m->taken), GFP_KERNEL);
	if (!m->taken)
		goto nomem;
	for_each_possible_cpu(cpu) {
		struct wsq_mult_thief *t;

		t = kvzalloc_node(ALIGN(struct_size(t, max, nr_cpu_ids), SMP_CACHE_BYTES),
				  GFP_KERNEL, wsq_cpu_node(cpu));
		if (!t)
			goto nomem;
		m->thieves[cpu] = t;
	}
	return 0;
nomem:
	wsq_engine_ws_mult_pool_exit(pool);
	return -ENOMEM;
}

static struct wsq_engine *wsq_engine_ws_mult_create(const struct wsq_container *ct,
						    int node)
{
	const struct wsq_pool *pool = ct->pool;
	struct wsq_engine_ws_mult *e;
	struct wsq_ws_mult_mem mem;

	e = wsq_engine_alloc(wsq_engine_ws_mult_bytes(pool->blocks, pool->max_blocks,
						      pool->block_size),
			     node, GFP_KERNEL);
	if (!e)
		return NULL;
	e->kind = pool->multiplicity;
	e->thieves = pool->mult->thieves;
	mem.bases = (void *)(e + 1);
	mem.slots = (void *)e + wsq_mult_slots(pool->blocks);
	mem.nr_blocks = pool->blocks;
	mem.block_size = pool->block_size;
	memset(mem.bases, 0, pool->blocks * sizeof(*mem.bases));
	atomic64_set(&e->dry, 0);
	e->asked = jiffies;
	wsq_ws_mult_init(&e->q, &mem);
	return &e->head;
}

static void wsq_engine_ws_mult_attach(struct wsq_container *ct,
				      struct wsq_engine *engine)
{
}

/**
 * wsq_engine_ws_mult_catch_up() - find space that thieves have made
 * @ct: container of this CPU
 *
 * Context: any, NMI included; the producer.
 * Return: true if there may be space now.
 */
bool wsq_engine_ws_mult_catch_up(struct wsq_container *ct)
{
	bool found;

	if (!wsq_get_begin(ct))
		return false;
	found = wsq_ws_mult_catch_up(&wsq_engine_ws_mult(ct)->q);
	wsq_get_end(ct);
	return found;
}

/**
 * wsq_engine_ws_mult_steal() - wsq_engine_steal()
 * @ct: the victim
 * @me: container of this CPU
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: as wsq_engine_steal().
 * Return: as wsq_engine_steal(); %WSQ_CONFLICT also if the caller interrupted a
 * steal.
 * Ordering: as wsq_engine_steal().
 */
int wsq_engine_ws_mult_steal(struct wsq_container *ct, struct wsq_container *me,
			     void **tasks, unsigned int max)
{
	struct wsq_engine_ws_mult *e = wsq_engine_ws_mult(ct);
	struct wsq_mult_thief *t = e->thieves[smp_processor_id()];
	atomic64_t *own = &t->max[ct->cpu];
	unsigned int n = 0, more = ct->pool->blocks;
	int ret = WSQ_EMPTY;

	if (READ_ONCE(t->busy))
		return WSQ_CONFLICT;
	WRITE_ONCE(t->busy, true);
	barrier();
	while (n < max) {
		s64 from = atomic64_read(own);

		ret = wsq_ws_mult_steal(&e->q, e->kind, own, &tasks[n]);
		if (ret == WSQ_OK)
			n++;
		/* It has passed tasks that others took: there may be more. */
		else if (ret != WSQ_CONFLICT || atomic64_read(own) == from ||
			 !more--)
			break;
	}
	WRITE_ONCE(t->steals, t->steals + n);
	barrier();
	WRITE_ONCE(t->busy, false);
	return n ? (int)n : ret;
}
WSQ_EXPORT_KUNIT(wsq_engine_ws_mult_steal);

/*
 * Ask the owner to set its CPU's bit at its next put. The question is there before
 * the cookie is: the grace period waits for each put that does not see it. Until
 * then @dry is a number that no other CPU stores, so that no cookie is stored for
 * a later question.
 */
static void wsq_mult_ask(struct wsq_engine_ws_mult *e)
{
	s64 asks = WSQ_MULT_ASKS(smp_processor_id());
	unsigned long now = jiffies;

	/* An owner that puts and takes one task after the other answers each time. */
	if (READ_ONCE(e->asked) == now)
		return;
	WRITE_ONCE(e->asked, now);
	if (atomic64_cmpxchg(&e->dry, 0, asks))			/* MU(ask:A) */
		return;
	/* If the owner has seen it, or an interrupt has asked anew, it is gone. */
	atomic64_cmpxchg_relaxed(&e->dry, asks,
				 wsq_mult_since(wsq_grace_get())); /* MU(ask:B) */
}

/* The first look that finds nothing asks; one a grace period later knows. */
static bool wsq_engine_ws_mult_drained(struct wsq_container *ct)
{
	struct wsq_engine_ws_mult *e = wsq_engine_ws_mult(ct);
	s64 dry = atomic64_read(&e->dry);

	if (!dry) {
		if (!wsq_ws_mult_waiting(&e->q))
			wsq_mult_ask(e);
		return false;
	}
	/* What follows the grace period sees what was put before. */
	return wsq_mult_passed(dry) && !wsq_ws_mult_waiting(&e->q);
}

/*
 * A number up to which all tasks of @victim have been taken, and none above.
 * @head may have gone back.
 */
static u64 wsq_mult_taken(const struct wsq_mult_pool *m,
			  const struct wsq_ws_mult *q, unsigned int victim)
{
	u64 n = wsq_ws_mult_taken(q);
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		n = max(n, (u64)atomic64_read(&m->thieves[cpu]->max[victim]));
	return n;
}

/* Settle as many CPUs' tasks as @m->taken has numbers for. */
static void wsq_mult_settle(struct wsq_pool *pool, struct wsq_mult_pool *m)
{
	unsigned int victim;

	for_each_possible_cpu(victim) {
		struct wsq_container *ct = wsq_pool_any(pool, victim);

		m->taken[victim] = 0;
		if (!ct)
			continue;
		m->taken[victim] = wsq_mult_taken(m, &wsq_engine_ws_mult(ct)->q, victim);
		cond_resched();
	}
	/* What led to these numbers is visible to all: WM(settle:B). */
	synchronize_rcu();
	for_each_possible_cpu(victim) {
		struct wsq_container *ct = wsq_pool_any(pool, victim);

		if (m->taken[victim])
			wsq_ws_mult_settle(&wsq_engine_ws_mult(ct)->q,
					   m->taken[victim]);
	}
	/* Those that began below have ended. */
	synchronize_rcu();
}

void wsq_pool_settle(struct wsq_pool *pool)
{
	struct wsq_mult_pool *m = pool->mult;

	might_sleep();
	if (!m)
		return;
	mutex_lock(&m->lock);
	wsq_mult_settle(pool, m);
	mutex_unlock(&m->lock);
}
WSQ_EXPORT(wsq_pool_settle);

int wsq_pool_read_counts(struct wsq_pool *pool, struct wsq_pool_counts *counts)
{
	struct wsq_pool_counts c = {};
	u64 all = 0, out;
	unsigned int cpu;

	if (!pool->mult)
		return -EOPNOTSUPP;
	for_each_possible_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_any(pool, cpu);
		const struct wsq_ws_mult *q;

		c.steals += READ_ONCE(pool->mult->thieves[cpu]->steals);
		if (!ct)
			continue;
		q = &wsq_engine_ws_mult(ct)->q;
		c.takes += wsq_ws_mult_gets(q);
		c.puts += wsq_ws_mult_puts(q);
		all += wsq_ws_mult_nr(q, wsq_mult_taken(pool->mult, q, cpu));
	}
	out = c.takes + c.steals;
	c.duplicates = out > all ? out - all : 0;
	*counts = c;
	return 0;
}
WSQ_EXPORT(wsq_pool_read_counts);

const struct wsq_engine_ops wsq_engine_ws_mult_ops = {
	.name		= "ws_mult",
	.at_least_once	= true,
	.thieves_reach_all = true,
	.space_timeout	= MAX_SCHEDULE_TIMEOUT,
	.sizes		= wsq_engine_ws_mult_sizes,
	.bytes		= wsq_engine_ws_mult_bytes,
	.pool_init	= wsq_engine_ws_mult_pool_init,
	.pool_exit	= wsq_engine_ws_mult_pool_exit,
	.drained	= wsq_engine_ws_mult_drained,
	.create		= wsq_engine_ws_mult_create,
	.attach		= wsq_engine_ws_mult_attach,
};
