// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA as an engine: memory, where puts go, what thieves steal.
 *
 * The memory of a CPU is one segment: the CPU as a producer, as a consumer, and
 * its chunks, with the slots at the end. Further segments have chunks only.
 * What the CPUs of a pool share, the numbers of chunks and parties, lives as
 * long as the pool.
 *
 *	AL(give:A), AL(feed:A): with AL(make:A) of pool/topology.c.
 *		litmus/pool-access.litmus
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "../../compat/export.h"
#include "../alloc.h"
#include "../engine.h"
#include "../../pool/grow.h"
#include "../../pool/pool.h"
#include "../../pool/reach.h"

/*
 * A chunk pool has space for this many times the CPU's own chunks, because a
 * node's chunks gather where they are emptied. More chunks wait in a list.
 */
#define WSQ_SALSA_GATHER	4

/* A CPU is short of chunks if less than 1 / this of them are free. */
#define WSQ_SALSA_SHORT		4

/* Chunks that a CPU's puts can fill before other CPUs have emptied them. */
#define WSQ_SALSA_MAX_OUT	256

/* Offsets of the parts. */
struct wsq_salsa_layout {
	size_t feeders;
	size_t stolen;
	size_t seen;
	size_t entries;
	size_t cells;
	size_t chunks;
	size_t slots;
	size_t total;
	u32 nr_cells;
	u32 nr_entries;
};

/**
 * struct wsq_salsa_segment - a further memory segment of an engine
 * @head: common header
 * @slots: slots of all its chunks. Constant
 * @nr: number of chunks. Constant
 * @chunks: the chunks
 */
struct wsq_salsa_segment {
	struct wsq_engine head;
	wsq_slot_t *slots;
	u32 nr;
	struct wsq_salsa_chunk chunks[];
};

/* Slots lie as kmalloc() would lay a chunk's: in as few pages as can be. */
static size_t wsq_salsa_layout_slots(size_t at, u32 block_size)
{
	size_t bytes = roundup_pow_of_two(block_size * sizeof(wsq_slot_t));

	return ALIGN(at, clamp_t(size_t, bytes, SMP_CACHE_BYTES, PAGE_SIZE));
}

/* @all: as many chunks as any CPU of the pool may have. */
static void wsq_salsa_layout_make(struct wsq_salsa_layout *l, u32 blocks,
				  u32 max_blocks, u32 all, u32 block_size)
{
	size_t at = sizeof(struct wsq_engine_salsa);

	l->nr_cells = roundup_pow_of_two(max(max_blocks, 1U) *
					 WSQ_SALSA_GATHER);
	l->feeders = ALIGN(at, SMP_CACHE_BYTES);
	at = l->feeders + BITS_TO_LONGS(nr_cpu_ids) * sizeof(atomic64_t);
	l->stolen = ALIGN(at, SMP_CACHE_BYTES);
	at = l->stolen + (nr_cpu_ids + WSQ_SALSA_ENTRIES) * sizeof(atomic64_t);
	l->seen = at;
	at += nr_cpu_ids * sizeof(struct wsq_salsa_snapshot);
	l->entries = ALIGN(at, SMP_CACHE_BYTES);
	/* More than there are in the pool are never out. */
	l->nr_entries = min_t(size_t, (size_t)nr_cpu_ids * all,
			      WSQ_SALSA_MAX_OUT);
	at = l->entries + l->nr_entries * sizeof(atomic64_t);
	l->cells = ALIGN(at, SMP_CACHE_BYTES);
	at = l->cells + l->nr_cells * sizeof(atomic64_t);
	l->chunks = ALIGN(at, SMP_CACHE_BYTES);
	at = l->chunks + blocks * sizeof(struct wsq_salsa_chunk);
	l->slots = wsq_salsa_layout_slots(at, block_size);
	at = l->slots + (size_t)blocks * block_size * sizeof(wsq_slot_t);
	l->total = PAGE_ALIGN(at);
}

static bool wsq_engine_salsa_sizes(u32 *blocks, u32 *max_blocks, u32 *block_size)
{
	*blocks = *blocks ?: WSQ_SALSA_DEF_CHUNKS;
	*block_size = *block_size ?: WSQ_SALSA_DEF_SIZE;
	*max_blocks = *max_blocks ?: *blocks;
	return *blocks >= WSQ_SALSA_MIN_CHUNKS &&
	       *blocks <= WSQ_SALSA_MAX_CHUNKS &&
	       *max_blocks >= *blocks && *max_blocks <= WSQ_SALSA_MAX_CHUNKS &&
	       *block_size >= WSQ_SALSA_MIN_SIZE &&
	       *block_size <= WSQ_SALSA_MAX_SIZE;
}

static size_t wsq_engine_salsa_bytes(u32 blocks, u32 max_blocks, u32 block_size)
{
	struct wsq_salsa_layout l;

	wsq_salsa_layout_make(&l, blocks, max_blocks, max_blocks, block_size);
	return l.total;
}

/* Free what the CPUs of a pool share. */
static void wsq_engine_salsa_pool_exit(struct wsq_pool *pool)
{
	struct wsq_salsa *s = pool->salsa;

	if (!s)
		return;
	kfree(s->all);
	kvfree(s->producers);
	kvfree(s->consumers);
	kvfree(s->chunks);
	kfree(s);
	pool->salsa = NULL;
}

/* Make what the CPUs of a pool share. */
static int wsq_engine_salsa_pool_init(struct wsq_pool *pool)
{
	struct wsq_salsa *s;

	if (nr_cpu_ids > WSQ_SALSA_MAX_CONSUMERS)
		return -EINVAL;
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	pool->salsa = s;
	s->max_parties = nr_cpu_ids;
	s->max_chunks = nr_cpu_ids * pool->max_blocks;
	s->chunk_size = pool->block_size;
	s->all_words = wsq_fence_words();
	s->chunks = kvcalloc(s->max_chunks, sizeof(*s->chunks), GFP_KERNEL);
	s->consumers = kvcalloc(s->max_parties, sizeof(*s->consumers),
				GFP_KERNEL);
	s->producers = kvcalloc(s->max_parties, sizeof(*s->producers),
				GFP_KERNEL);
	s->all = kcalloc(s->all_words, sizeof(*s->all), GFP_KERNEL);
	if (s->chunks && s->consumers && s->producers && s->all)
		return 0;
	wsq_engine_salsa_pool_exit(pool);
	return -ENOMEM;
}

/*
 * Is the CPU outside a pointer pool's mask? Such a CPU has as many chunks of
 * its own as every CPU must have: wsq_engine_salsa_reserve(). Queues have no
 * non-member CPUs in this sense: a CPU outside a queue's mask may be about to
 * join.
 */
static bool wsq_engine_salsa_nonmember(const struct wsq_container *ct)
{
	return wsq_pool_nonmembers(ct->pool) && !cpumask_test_cpu(ct->cpu, ct->pool->cpus);
}

static struct wsq_engine *wsq_engine_salsa_create(const struct wsq_container *ct,
						  int node)
{
	const struct wsq_pool *pool = ct->pool;
	bool nonmember = wsq_engine_salsa_nonmember(ct);
	u32 blocks = nonmember ? WSQ_SALSA_MIN_CHUNKS : pool->blocks;
	u32 max_blocks = nonmember ? WSQ_SALSA_MIN_CHUNKS : pool->max_blocks;
	struct wsq_engine_salsa *engine;
	struct wsq_salsa_layout l;

	wsq_salsa_layout_make(&l, blocks, max_blocks, pool->max_blocks,
			      pool->block_size);
	engine = wsq_engine_alloc(l.total, node, GFP_KERNEL);
	if (!engine)
		return NULL;
	/* The mask may have changed when the memory is attached. */
	engine->nr_chunks = blocks;
	engine->max_chunks = max_blocks;
	return &engine->head;
}

/* May the engine have more chunks? */
static bool wsq_engine_salsa_may_grow(const struct wsq_engine_salsa *es)
{
	return READ_ONCE(es->nr_chunks) < es->max_chunks;
}

/* Allocate as many chunks as there are. */
static struct wsq_engine *wsq_engine_salsa_create_more(const struct wsq_container *ct,
						       int node)
{
	const struct wsq_engine_salsa *es;
	struct wsq_salsa_segment *segment;
	u32 nr = 0, now;
	size_t at;

	/* Keeps the memory, which may be freed at any time. */
	preempt_disable();
	es = wsq_engine_salsa(ct);
	if (es) {
		now = READ_ONCE(es->nr_chunks);
		nr = min(now, es->max_chunks - now);
	}
	preempt_enable();
	if (!nr)
		return NULL;
	at = wsq_salsa_layout_slots(struct_size(segment, chunks, nr),
				    ct->pool->block_size);
	segment = wsq_engine_alloc(at + (size_t)nr * ct->pool->block_size *
				      sizeof(wsq_slot_t), node,
				   GFP_KERNEL | __GFP_NOWARN);
	if (!segment)
		return ERR_PTR(-ENOMEM);
	segment->slots = (void *)segment + at;
	segment->nr = nr;
	return &segment->head;
}

/* Does the CPU claim every task? */
static bool wsq_engine_salsa_claims(const struct wsq_container *ct)
{
	return !ct->pool->pointers || !wsq_fence_reaches(ct->cpu);
}

/* Add @nr chunks, from the CPU's number @from on, for its puts. */
static void wsq_engine_salsa_supply(const struct wsq_container *ct,
				    struct wsq_engine_salsa *es,
				    struct wsq_salsa_chunk *chunks,
				    wsq_slot_t *slots, u32 from, u32 nr)
{
	u32 size = ct->pool->block_size, i;

	for (i = 0; i < nr; i++) {
		wsq_salsa_chunk_init(ct->pool->salsa, &chunks[i],
				     slots + (size_t)i * size,
				     es->first + from + i, ct->cpu,
				     es->c.node);
		wsq_salsa_supply(&es->c, &chunks[i]);
	}
}

static void wsq_engine_salsa_attach(struct wsq_container *ct,
				    struct wsq_engine *engine)
{
	struct wsq_engine_salsa *es = container_of(engine,
						   struct wsq_engine_salsa,
						   head);
	const struct wsq_pool *pool = ct->pool;
	bool claims = wsq_engine_salsa_claims(ct);
	struct wsq_salsa *s = pool->salsa;
	struct wsq_salsa_layout l;
	struct wsq_salsa_consumer_mem space;
	u32 node;

	wsq_salsa_layout_make(&l, es->nr_chunks, es->max_chunks,
			      pool->max_blocks, pool->block_size);
	es->seen = (void *)es + l.seen;
	es->chunks = (void *)es + l.chunks;
	es->first = ct->cpu * pool->max_blocks;
	/*
	 * In a queue chunks return to their CPU, as if each CPU were a node. In
	 * a pointer pool a non-member CPU gets back its own, and returns all
	 * others.
	 */
	node = !pool->pointers ? ct->cpu : wsq_engine_salsa_nonmember(ct) ?
	       MAX_NUMNODES + ct->cpu : (u32)cpu_to_node(ct->cpu);
	if (!claims)
		set_bit(ct->cpu, (unsigned long *)s->all);
	space.feeders = (void *)es + l.feeders;
	space.stolen = (void *)es + l.stolen;
	space.cells = (void *)es + l.cells;
	space.nr_cells = l.nr_cells;
	wsq_salsa_consumer_init(s, &es->c, ct->cpu, node, claims, &space);
	wsq_salsa_producer_init(s, &es->p, ct->cpu, (void *)es + l.entries,
				l.nr_entries);
	wsq_engine_salsa_supply(ct, es, es->chunks, (void *)es + l.slots, 0,
				es->nr_chunks);
}

/*
 * Attach a further segment. Its chunks are numbered here, not when it was
 * allocated, because the first segment may have been replaced since.
 */
static void wsq_engine_salsa_extend(struct wsq_container *ct,
				    struct wsq_engine *engine)
{
	struct wsq_salsa_segment *segment = container_of(engine,
							 struct wsq_salsa_segment,
							 head);
	struct wsq_engine_salsa *es = wsq_engine_salsa(ct);
	u32 now = es->nr_chunks;
	u32 nr = min(segment->nr, es->max_chunks - now);

	wsq_engine_salsa_supply(ct, es, segment->chunks, segment->slots, now, nr);
	WRITE_ONCE(es->nr_chunks, now + nr);
}

/* Is another consumer in one of these chunks, as far as it knows? */
static bool wsq_engine_salsa_held(const struct wsq_salsa *s,
				  const struct wsq_engine_salsa *es)
{
	u32 id;

	for (id = 0; id < s->max_parties; id++) {
		struct wsq_salsa_consumer *c = wsq_salsa_consumer_at(s, id);
		u64 in = c ? (u64)atomic64_read(&c->in) : 0;

		if (in > es->first && in <= es->first + es->nr_chunks)
			return true;
	}
	return false;
}

/*
 * Detach an empty engine's memory. True if it was empty, all its chunks were
 * here, and no other consumer is in one of them.
 */
static bool wsq_engine_salsa_detach(struct wsq_container *ct)
{
	struct wsq_engine_salsa *es = wsq_engine_salsa(ct);
	struct wsq_salsa *s = ct->pool->salsa;
	u32 i;

	if (ct->pool->pointers || wsq_salsa_waiting(&es->c) ||
	    !wsq_salsa_close(&es->p, &es->c) ||
	    wsq_salsa_at_home(&es->c) != es->nr_chunks ||
	    wsq_engine_salsa_held(s, es))
		return false;
	for (i = 0; i < es->nr_chunks; i++)
		atomic64_set(&s->chunks[es->first + i], 0);
	atomic64_set(&s->producers[ct->cpu], 0);
	atomic64_set(&s->consumers[ct->cpu], 0);
	return true;
}

/* Begin a chunk that @at, this CPU or another one, consumes. A status. */
static int wsq_engine_salsa_open_at(struct wsq_engine_salsa *es,
				    const struct wsq_container *at)
{
	int ret = wsq_salsa_open(&es->p, &wsq_engine_salsa(at)->c);

	/* Thieves can reach this chunk, and what is put to it later. */
	if (ret == WSQ_OK)
		wsq_reach_set(at);
	return ret;
}

/* Begin a chunk with the nearest CPU that has a spare one. */
static int wsq_engine_salsa_balance(const struct wsq_container *ct,
				    struct wsq_engine_salsa *es,
				    enum wsq_ownership ownership)
{
	const struct wsq_pool *pool = ct->pool;
	const struct wsq_access *list;
	unsigned int i;

	/* Pairs with the release in wsq_topology_access(). */
	list = smp_load_acquire(&pool->topo->access[ct->cpu]);	/* AL(give:A) */
	for (i = 0; list && i < list->nr; i++) {
		const struct wsq_container *other;
		struct wsq_engine_salsa *oes;

		other = wsq_pool_ct(pool, list->victims[i].cpu);
		oes = other ? wsq_engine_salsa(other) : NULL;
		if (oes && atomic_read(&other->ownership) == ownership &&
		    wsq_engine_salsa_open_at(es, other) == WSQ_OK)
			return WSQ_OK;
	}
	return WSQ_FULL;
}

/* Do all CPUs of a pool seem empty? A hint. */
static bool wsq_engine_salsa_bare(const struct wsq_pool *pool)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct wsq_container *ct = wsq_pool_any(pool, cpu);

		if (ct && wsq_engine_salsa_waiting(ct))
			return false;
	}
	return true;
}

/*
 * Begin a chunk of a non-member CPU, its own ones first, if there is no task
 * anywhere. A CPU keeps two chunks from being reused even if they are empty:
 * the one that its puts go to and the one that it takes from. Non-member CPUs
 * could hold all of the members' chunks this way, permanently if they put and
 * take no more. With two chunks for each non-member CPU one is left. These
 * chunks are not used for more tasks than the members' chunks hold.
 */
static int wsq_engine_salsa_reserve(const struct wsq_container *ct,
				    struct wsq_engine_salsa *es)
{
	const struct wsq_pool *pool = ct->pool;
	unsigned int cpu;

	if (!wsq_engine_salsa_bare(pool))
		return WSQ_FULL;
	if (wsq_engine_salsa_nonmember(ct) &&
	    wsq_engine_salsa_open_at(es, ct) == WSQ_OK)
		return WSQ_OK;
	for_each_possible_cpu(cpu) {
		const struct wsq_container *other = wsq_pool_any(pool, cpu);
		struct wsq_engine_salsa *oes;

		oes = other ? wsq_engine_salsa(other) : NULL;
		if (oes && wsq_engine_salsa_nonmember(other) &&
		    wsq_engine_salsa_open_at(es, other) == WSQ_OK)
			return WSQ_OK;
	}
	return WSQ_FULL;
}

/*
 * Free one of a queue's chunks in which every item was cancelled. Its consumer
 * would free it, but may not run before the next maintenance work if nothing
 * else is queued. Not if this put interrupted a take of this CPU, which may be
 * in the chunk. Not in NMI: a chunk that another CPU is in has to wait for a
 * grace period, which a put from NMI must not ask for.
 */
static bool wsq_engine_salsa_reclaim(struct wsq_container *ct,
				     struct wsq_engine_salsa *es)
{
	bool done;

	if (in_nmi() || !wsq_get_begin(ct))
		return false;
	done = wsq_salsa_reclaim(&es->c, es->first, es->nr_chunks);
	wsq_get_end(ct);
	return done;
}

/*
 * Begin a chunk. In a pointer pool, if a CPU has no spare chunk it has enough
 * to do, so other CPUs are tried, then those that are offline, whose tasks
 * thieves will find.
 */
static int wsq_engine_salsa_begin(struct wsq_container *ct,
				  struct wsq_engine_salsa *es)
{
	bool nonmember = wsq_engine_salsa_nonmember(ct);

	if (!nonmember && wsq_engine_salsa_open_at(es, ct) == WSQ_OK)
		return WSQ_OK;
	/* A CPU that takes nothing must collect returned chunks itself. */
	if (wsq_get_begin(ct)) {
		wsq_salsa_tidy(&es->c);
		wsq_get_end(ct);
	}
	if (!nonmember && wsq_engine_salsa_open_at(es, ct) == WSQ_OK)
		return WSQ_OK;
	if (!ct->pool->pointers)
		return wsq_engine_salsa_reclaim(ct, es) ?
		       wsq_engine_salsa_open_at(es, ct) : WSQ_FULL;
	if (wsq_engine_salsa_balance(ct, es, WSQ_OWNED) == WSQ_OK ||
	    wsq_engine_salsa_balance(ct, es, WSQ_DEAD_CPU) == WSQ_OK)
		return WSQ_OK;
	return wsq_engine_salsa_reserve(ct, es);
}

/* Are few of the CPU's chunks free? */
static bool wsq_engine_salsa_short(const struct wsq_engine_salsa *es)
{
	u32 few = max(READ_ONCE(es->nr_chunks) / WSQ_SALSA_SHORT, 1U);

	return wsq_salsa_ring_count(&es->c.pool) < few;
}

/*
 * The nearest of a pointer pool's other CPUs that may have more chunks. %NULL
 * if there is none, or if a CPU has spare chunks: that CPU gets the next task
 * that does not fit here.
 */
static struct wsq_container *
wsq_engine_salsa_nearest(const struct wsq_container *ct, bool *spare)
{
	const struct wsq_pool *pool = ct->pool;
	struct wsq_container *nearest = NULL;
	const struct wsq_access *list;
	unsigned int i;

	*spare = false;
	/* Pairs with the release in wsq_topology_access(). */
	list = smp_load_acquire(&pool->topo->access[ct->cpu]);	/* AL(feed:A) */
	for (i = 0; list && i < list->nr; i++) {
		const struct wsq_engine_salsa *oes;
		struct wsq_container *other;

		other = wsq_pool_ct(pool, list->victims[i].cpu);
		oes = other ? wsq_engine_salsa(other) : NULL;
		if (!oes || atomic_read(&other->ownership) != WSQ_OWNED)
			continue;
		if (!wsq_engine_salsa_short(oes)) {
			*spare = true;
			return NULL;
		}
		if (!nearest && wsq_engine_salsa_may_grow(oes) &&
		    !wsq_grow_offered(other))
			nearest = other;
	}
	return nearest;
}

/*
 * Ask for more chunks if few are left: for this CPU or, if it has all that it
 * may have, for the nearest other CPU. Not if balancing is enough. The
 * producer.
 */
static void wsq_engine_salsa_want(struct wsq_container *ct,
				  struct wsq_engine_salsa *es)
{
	bool nonmember = wsq_engine_salsa_nonmember(ct);
	struct wsq_container *nearest = NULL;
	bool spare = false;

	/* A non-member CPU's own chunks are a last resort. */
	if (likely(!nonmember && !wsq_engine_salsa_short(es)))
		return;
	/* Chunks that other CPUs have returned count as well. */
	if (wsq_get_begin(ct)) {
		wsq_salsa_tidy(&es->c);
		wsq_get_end(ct);
		if (!nonmember && !wsq_engine_salsa_short(es))
			return;
	}
	if (ct->pool->pointers)
		nearest = wsq_engine_salsa_nearest(ct, &spare);
	if (spare)
		return;
	if (wsq_engine_salsa_may_grow(es))
		wsq_grow_ask(ct);
	else if (nearest)
		wsq_grow_ask(nearest);
}

/**
 * wsq_engine_salsa_open() - begin a chunk for this CPU's puts
 * @ct: container of this CPU
 * @es: its engine
 *
 * Attaches an offered segment, and asks for one if few chunks are left.
 *
 * Context: the producer.
 * Return: %WSQ_OK or %WSQ_FULL. The latter may be temporary, until a grace
 * period ends or a segment arrives.
 */
int wsq_engine_salsa_open(struct wsq_container *ct,
			  struct wsq_engine_salsa *es)
{
	int ret;

	if (likely(!ct->pool->growth))
		return wsq_engine_salsa_begin(ct, es);
	if (wsq_grow_offered(ct) && wsq_get_begin(ct)) {
		wsq_engine_extend(ct);
		wsq_get_end(ct);
	}
	ret = wsq_engine_salsa_begin(ct, es);
	wsq_engine_salsa_want(ct, es);
	return ret;
}

/*
 * A CPU is gone: make its chunks available. It leaves its current chunk, so
 * that no thief needs an interrupt for that one.
 */
static void wsq_engine_salsa_cpu_dead(struct wsq_container *ct)
{
	struct wsq_engine_salsa *es = wsq_engine_salsa(ct);

	if (!es)
		return;
	wsq_fence_begin();
	wsq_salsa_leave(&es->c);
	wsq_salsa_tidy(&es->c);
	wsq_fence_end();
	if (wsq_inbox_empty(&es->c.waiting))
		return;
	/* No other context would do it for a CPU that stays offline. */
	synchronize_rcu();
	wsq_fence_begin();
	wsq_salsa_tidy(&es->c);
	wsq_fence_end();
}

/*
 * May the caller, which has disabled preemption once, interrupt other CPUs and
 * wait? Not if it had disabled preemption before: it may hold a lock for which
 * another CPU waits with interrupts off. Kernels without a preemption count
 * cannot tell.
 */
static bool wsq_engine_salsa_may_fence(void)
{
	return in_task() && !irqs_disabled() &&
	       preempt_count() == PREEMPT_DISABLE_OFFSET;
}

/*
 * Is the consumer gone, or has it made no progress for long enough, as far as
 * this thief knows? Does not use local_clock(), which on some machines is as
 * coarse as the tick.
 */
static bool wsq_engine_salsa_stuck(struct wsq_engine_salsa *thief,
				   const struct wsq_engine_salsa *victim,
				   const struct wsq_container *ct)
{
	struct wsq_salsa_snapshot *snapshot = &thief->seen[ct->cpu];
	bool seized;
	u64 at = wsq_salsa_progress(&victim->c, &seized);
	u64 now;

	if (at && atomic_read(&ct->ownership) != WSQ_OWNED)
		return true;
	now = at ? ktime_get_mono_fast_ns() : 0;
	if (at != snapshot->at) {
		snapshot->at = at;
		snapshot->since = now;
		return false;
	}
	/* The clock may go back a little. */
	if (!at || (s64)(now - snapshot->since) <
		   (seized ? WSQ_SALSA_HALTED_NS : WSQ_SALSA_STILL_NS))
		return false;
	/* The thief itself may have stalled before it read the clock. */
	return wsq_salsa_progress(&victim->c, &seized) == at;
}

/**
 * wsq_engine_salsa_steal() - steal a chunk from a CPU, for a pointer pool
 * @ct: the victim
 * @me: container of this CPU
 * @tasks: where to store the chunk's first task
 * @max: how many are wanted, not 0
 *
 * The victim's current chunk is stolen only if @me knows that the victim has
 * not taken anything for %WSQ_SALSA_STILL_NS. Otherwise two CPUs that both look
 * for work would steal it from each other for every task, with an interrupt
 * each time. The interrupt is sent, and not waited for:
 * wsq_engine_salsa_steal_async().
 *
 * Context: any but NMI; on @me's CPU. In task context it may take over what
 * another thief began to steal %WSQ_SALSA_HALTED_NS ago, and then spins until
 * all CPUs have answered.
 * Return: 1 or a negative enum wsq_status; the latter also if a steal was
 * begun.
 */
int wsq_engine_salsa_steal(struct wsq_container *ct, struct wsq_container *me,
			   void **tasks, unsigned int max)
{
	struct wsq_engine_salsa *thief = me ? wsq_engine_salsa(me) : NULL;
	struct wsq_engine_salsa *victim = wsq_engine_salsa(ct);
	bool may_fence = wsq_engine_salsa_may_fence();
	int ret;

	if (!victim || !thief || !wsq_get_begin(me))
		return WSQ_EMPTY;
	ret = wsq_salsa_steal_left(&thief->c, &victim->c, false, tasks);
	if (ret == WSQ_EMPTY && wsq_engine_salsa_stuck(thief, victim, ct))
		ret = wsq_salsa_steal_begin(&thief->c, &victim->c, may_fence,
					    tasks);
	if (ret == WSQ_OK && *tasks == WSQ_SALSA_TAKEN) {
		*tasks = wsq_engine_salsa_get(me);
		ret = *tasks ? WSQ_OK : WSQ_CONFLICT;
	}
	/* This CPU has the chunk, or will have it when the steal ends. */
	if (ret != WSQ_EMPTY)
		wsq_reach_set(me);
	wsq_get_end(me);
	return ret == WSQ_OK ? 1 : ret;
}
WSQ_EXPORT_KUNIT(wsq_engine_salsa_steal);

/* Implements wsq_engine_steal_async(). */
bool wsq_engine_salsa_steal_async(const struct wsq_container *me)
{
	const struct wsq_engine_salsa *es = wsq_engine_salsa(me);

	return es && wsq_salsa_under_way(&es->c) && wsq_engine_salsa_may_fence();
}
WSQ_EXPORT_KUNIT(wsq_engine_salsa_steal_async);

static void wsq_engine_salsa_settle(const struct wsq_container *ct)
{
	struct wsq_engine_salsa *es = wsq_engine_salsa(ct);

	/* Any online CPU answers. A CPU that goes offline has answered. */
	while (es && !wsq_fence_done(&es->c.async.call))
		cond_resched();
}

/**
 * wsq_engine_salsa_steal_claim() - steal a chunk from a CPU, for a queue
 * @ct: the victim
 * @me: container of this CPU
 * @tasks: where to store tasks of it
 * @max: how many at most
 *
 * A chunk that is being filled stays: what is put there is for the victim to
 * run. Single items are stolen from it, and if there is no memory for chunks.
 *
 * Context: task; on @me's CPU.
 * Return: how many were taken, or a negative enum wsq_status; the rest of the
 * chunk is in @me.
 */
int wsq_engine_salsa_steal_claim(struct wsq_container *ct,
				 struct wsq_container *me, void **tasks,
				 unsigned int max)
{
	struct wsq_engine_salsa *thief = me ? wsq_engine_salsa(me) : NULL;
	struct wsq_engine_salsa *victim = wsq_engine_salsa(ct);
	void *task = NULL;
	int ret;

	if (!victim || !max)
		return WSQ_EMPTY;
	if (!thief || !wsq_get_begin(me))
		return (int)wsq_salsa_steal_active(&victim->c, tasks, max, false) ?:
		       WSQ_EMPTY;
	ret = wsq_salsa_steal_left(&thief->c, &victim->c, true, &task);
	/* Skip removed items, at most a chunk. */
	while (ret == WSQ_OK && task == WSQ_SALSA_TAKEN) {
		task = wsq_salsa_claim(&thief->c);
		if (!task)
			ret = WSQ_CONFLICT;
	}
	wsq_get_end(me);
	if (ret == WSQ_EMPTY)
		return (int)wsq_salsa_steal_active(&victim->c, tasks, max, false) ?:
		       WSQ_EMPTY;
	if (ret != WSQ_OK)
		return ret;
	tasks[0] = task;
	return 1;
}

/* Implements wsq_engine_remove(). */
bool wsq_engine_salsa_remove(struct wsq_container *ct, u32 slot,
			     struct wsq_link *link)
{
	const struct wsq_pool *pool = ct->pool;
	u32 nr = slot / pool->block_size;

	return nr < pool->max_blocks &&
	       wsq_salsa_remove(pool->salsa, ct->cpu * pool->max_blocks + nr,
				slot % pool->block_size, link);
}

/* Puts to a chunk do not tell: a chunk that may get tasks counts. */
static bool wsq_engine_salsa_drained(struct wsq_container *ct)
{
	const struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);

	return !engine || !wsq_salsa_holds(&engine->c);
}

static int wsq_engine_salsa_was_empty(const struct wsq_pool *pool)
{
	return wsq_salsa_empty(pool->salsa) == WSQ_EMPTY;
}

const struct wsq_engine_ops wsq_engine_salsa_ops = {
	.name		= "salsa",
	.moves_chunks	= true,
	.thieves_reach_all = true,
	/*
	 * A chunk that was stolen is reused after a grace period, whose end is
	 * not notified.
	 */
	.space_timeout	= HZ / 50 ?: 1,
	.sizes		= wsq_engine_salsa_sizes,
	.bytes		= wsq_engine_salsa_bytes,
	.pool_init	= wsq_engine_salsa_pool_init,
	.pool_exit	= wsq_engine_salsa_pool_exit,
	.was_empty	= wsq_engine_salsa_was_empty,
	.drained	= wsq_engine_salsa_drained,
	.cpu_dead	= wsq_engine_salsa_cpu_dead,
	.settle		= wsq_engine_salsa_settle,
	.create		= wsq_engine_salsa_create,
	.create_more	= wsq_engine_salsa_create_more,
	.extend		= wsq_engine_salsa_extend,
	.attach		= wsq_engine_salsa_attach,
	.detach		= wsq_engine_salsa_detach,
};
