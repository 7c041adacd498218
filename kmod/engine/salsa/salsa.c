// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA as an engine: memory, where puts go, whom thieves rob of what.
 *
 * The memory of a CPU is one piece: the CPU as a producer, as a consumer, and
 * its chunks, slots on pages of their own. Further pieces have chunks only. What
 * the CPUs of a pool share, the numbers of chunks and parties, is there as long
 * as the pool.
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
#include "../engine.h"
#include "../../pool/grow.h"
#include "../../pool/pool.h"

/*
 * Chunk pools have room for so many times the CPU's own chunks: those of a node
 * gather where they are emptied. More wait in a list.
 */
#define WSQ_SALSA_GATHER	4

/* A CPU is short of chunks if less than this part of them is at hand. */
#define WSQ_SALSA_SHORT		4

/* Chunks that a CPU's puts can fill before others have emptied them. */
#define WSQ_SALSA_MAX_OUT	256

/* Where the parts lie. */
struct wsq_salsa_layout {
	size_t feeders;
	size_t stolen;
	size_t seen;
	size_t entries;
	size_t places;
	size_t chunks;
	size_t slots;
	size_t total;
	u32 nr_places;
	u32 nr_entries;
};

/**
 * struct wsq_salsa_piece - a further piece of an engine's memory
 * @head: what all engines' memory has
 * @slots: of all its chunks. Constant
 * @nr: chunks. Constant
 * @chunks: the chunks
 */
struct wsq_salsa_piece {
	struct wsq_engine head;
	wsq_slot_t *slots;
	u32 nr;
	struct wsq_salsa_chunk chunks[];
};

static void wsq_salsa_layout_make(struct wsq_salsa_layout *l, u32 blocks,
				  u32 max_blocks, u32 block_size)
{
	size_t at = sizeof(struct wsq_engine_salsa);

	l->nr_places = roundup_pow_of_two(max(max_blocks, 1U) *
					  WSQ_SALSA_GATHER);
	l->feeders = ALIGN(at, SMP_CACHE_BYTES);
	at = l->feeders + BITS_TO_LONGS(nr_cpu_ids) * sizeof(atomic64_t);
	l->stolen = ALIGN(at, SMP_CACHE_BYTES);
	at = l->stolen + (nr_cpu_ids + WSQ_SALSA_ENTRIES) * sizeof(atomic64_t);
	l->seen = at;
	at += nr_cpu_ids * sizeof(struct wsq_salsa_sight);
	l->entries = ALIGN(at, SMP_CACHE_BYTES);
	l->nr_entries = min_t(size_t, (size_t)nr_cpu_ids * WSQ_SALSA_MAX_CHUNKS,
			      WSQ_SALSA_MAX_OUT);
	at = l->entries + l->nr_entries * sizeof(atomic64_t);
	l->places = ALIGN(at, SMP_CACHE_BYTES);
	at = l->places + l->nr_places * sizeof(atomic64_t);
	l->chunks = ALIGN(at, SMP_CACHE_BYTES);
	at = l->chunks + blocks * sizeof(struct wsq_salsa_chunk);
	l->slots = PAGE_ALIGN(at);
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

	wsq_salsa_layout_make(&l, blocks, max_blocks, block_size);
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
 * A CPU outside a raw pool's mask. It has as many chunks of its own as a CPU must
 * have: wsq_engine_salsa_reserve(). Queues have no guests: who is not among their
 * CPUs may be just about to join.
 */
static bool wsq_engine_salsa_guest(const struct wsq_container *ct)
{
	return wsq_pool_guests(ct->pool) && !cpumask_test_cpu(ct->cpu, ct->pool->cpus);
}

static struct wsq_engine *wsq_engine_salsa_create(const struct wsq_container *ct,
						  int node)
{
	const struct wsq_pool *pool = ct->pool;
	bool guest = wsq_engine_salsa_guest(ct);
	u32 blocks = guest ? WSQ_SALSA_MIN_CHUNKS : pool->blocks;
	u32 max_blocks = guest ? WSQ_SALSA_MIN_CHUNKS : pool->max_blocks;
	struct wsq_engine_salsa *engine;
	struct wsq_salsa_layout l;

	wsq_salsa_layout_make(&l, blocks, max_blocks, pool->block_size);
	engine = kvzalloc_node(l.total, GFP_KERNEL, node);
	if (!engine)
		return NULL;
	/* The mask may be another one when it is mounted. */
	engine->nr_chunks = blocks;
	engine->max_chunks = max_blocks;
	return &engine->head;
}

/* May it have more chunks? */
static bool wsq_engine_salsa_may_grow(const struct wsq_engine_salsa *es)
{
	return READ_ONCE(es->nr_chunks) < es->max_chunks;
}

/* As many chunks as there are. */
static struct wsq_engine *wsq_engine_salsa_create_more(const struct wsq_container *ct,
						       int node)
{
	const struct wsq_engine_salsa *es;
	struct wsq_salsa_piece *piece;
	u32 nr = 0, now;
	size_t at;

	/* It may be given back meanwhile. */
	preempt_disable();
	es = wsq_engine_salsa(ct);
	if (es) {
		now = READ_ONCE(es->nr_chunks);
		nr = min(now, es->max_chunks - now);
	}
	preempt_enable();
	if (!nr)
		return NULL;
	at = PAGE_ALIGN(struct_size(piece, chunks, nr));
	piece = kvzalloc_node(at + (size_t)nr * ct->pool->block_size *
				   sizeof(wsq_slot_t),
			      GFP_KERNEL | __GFP_NOWARN, node);
	if (!piece)
		return ERR_PTR(-ENOMEM);
	piece->slots = (void *)piece + at;
	piece->nr = nr;
	return &piece->head;
}

/* Does the CPU claim every task? */
static bool wsq_engine_salsa_claims(const struct wsq_container *ct)
{
	return !ct->pool->raw || !wsq_fence_reaches(ct->cpu);
}

/* Make chunks known, from the CPU's number @from on, and its puts use them. */
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

static void wsq_engine_salsa_mount(struct wsq_container *ct,
				   struct wsq_engine *engine)
{
	struct wsq_engine_salsa *es = container_of(engine,
						   struct wsq_engine_salsa,
						   head);
	const struct wsq_pool *pool = ct->pool;
	bool claims = wsq_engine_salsa_claims(ct);
	struct wsq_salsa *s = pool->salsa;
	struct wsq_salsa_layout l;
	struct wsq_salsa_room room;
	u32 node;

	wsq_salsa_layout_make(&l, es->nr_chunks, es->max_chunks,
			      pool->block_size);
	es->seen = (void *)es + l.seen;
	es->chunks = (void *)es + l.chunks;
	es->first = ct->cpu * pool->max_blocks;
	/*
	 * In a queue memory goes back home, as if each CPU were a node; to a guest
	 * its own, and from a guest everybody's.
	 */
	node = !pool->raw ? ct->cpu : wsq_engine_salsa_guest(ct) ?
	       MAX_NUMNODES + ct->cpu : (u32)cpu_to_node(ct->cpu);
	if (!claims)
		set_bit(ct->cpu, (unsigned long *)s->all);
	room.feeders = (void *)es + l.feeders;
	room.stolen = (void *)es + l.stolen;
	room.places = (void *)es + l.places;
	room.nr_places = l.nr_places;
	wsq_salsa_consumer_init(s, &es->c, ct->cpu, node, claims, &room);
	wsq_salsa_producer_init(s, &es->p, ct->cpu, (void *)es + l.entries,
				l.nr_entries);
	wsq_engine_salsa_supply(ct, es, es->chunks, (void *)es + l.slots, 0,
				es->nr_chunks);
}

/*
 * Have more chunks. They are numbered here, not when the piece was allocated: the first
 * piece may have been replaced since.
 */
static void wsq_engine_salsa_extend(struct wsq_container *ct,
				    struct wsq_engine *engine)
{
	struct wsq_salsa_piece *piece = container_of(engine,
						     struct wsq_salsa_piece,
						     head);
	struct wsq_engine_salsa *es = wsq_engine_salsa(ct);
	u32 now = es->nr_chunks;
	u32 nr = min(piece->nr, es->max_chunks - now);

	wsq_engine_salsa_supply(ct, es, piece->chunks, piece->slots, now, nr);
	WRITE_ONCE(es->nr_chunks, now + nr);
}

/* Is any other consumer in one of these chunks, as far as it knows? */
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
 * Take an empty engine's memory away. True if it was empty, all its chunks were here,
 * and no other consumer is in one of them.
 */
static bool wsq_engine_salsa_unmount(struct wsq_container *ct)
{
	struct wsq_engine_salsa *es = wsq_engine_salsa(ct);
	struct wsq_salsa *s = ct->pool->salsa;
	u32 i;

	if (ct->pool->raw || wsq_salsa_waiting(&es->c) ||
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

/* Begin a chunk with whoever has a spare one, by distance. */
static int wsq_engine_salsa_balance(const struct wsq_container *ct,
				    struct wsq_engine_salsa *es,
				    enum wsq_orphan orphan)
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
		if (oes && atomic_read(&other->orphan) == orphan &&
		    wsq_salsa_open(&es->p, &oes->c) == WSQ_OK)
			return WSQ_OK;
	}
	return WSQ_FULL;
}

/* Does no CPU of a pool show a task? A hint. */
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
 * Begin a chunk of a guest's, the own ones first, if there is no task anywhere. A
 * CPU keeps two chunks from being used again, though they be empty: the one that
 * its puts go to and the one that it takes from. Guests could have all of the
 * members' so, and for ever if they put and take no more. With two for each guest
 * there is one left. For more tasks than members have room for they are not.
 */
static int wsq_engine_salsa_reserve(const struct wsq_container *ct,
				    struct wsq_engine_salsa *es)
{
	const struct wsq_pool *pool = ct->pool;
	unsigned int cpu;

	if (!wsq_engine_salsa_bare(pool))
		return WSQ_FULL;
	if (wsq_engine_salsa_guest(ct) &&
	    wsq_salsa_open(&es->p, &es->c) == WSQ_OK)
		return WSQ_OK;
	for_each_possible_cpu(cpu) {
		const struct wsq_container *other = wsq_pool_any(pool, cpu);
		struct wsq_engine_salsa *oes;

		oes = other ? wsq_engine_salsa(other) : NULL;
		if (oes && wsq_engine_salsa_guest(other) &&
		    wsq_salsa_open(&es->p, &oes->c) == WSQ_OK)
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
 * Begin a chunk. In a raw pool a CPU without spare chunks has enough to do, and
 * others have their turn; then those that are offline, whose tasks thieves will
 * find.
 */
static int wsq_engine_salsa_begin(struct wsq_container *ct,
				  struct wsq_engine_salsa *es)
{
	bool guest = wsq_engine_salsa_guest(ct);

	if (!guest && wsq_salsa_open(&es->p, &es->c) == WSQ_OK)
		return WSQ_OK;
	/* A CPU that takes nothing must see by itself to what comes back. */
	if (wsq_get_begin(ct)) {
		wsq_salsa_tidy(&es->c);
		wsq_get_end(ct);
	}
	if (!guest && wsq_salsa_open(&es->p, &es->c) == WSQ_OK)
		return WSQ_OK;
	if (!ct->pool->raw)
		return wsq_engine_salsa_reclaim(ct, es) ?
		       wsq_salsa_open(&es->p, &es->c) : WSQ_FULL;
	if (wsq_engine_salsa_balance(ct, es, WSQ_OWNED) == WSQ_OK ||
	    wsq_engine_salsa_balance(ct, es, WSQ_ORPHAN) == WSQ_OK)
		return WSQ_OK;
	return wsq_engine_salsa_reserve(ct, es);
}

/* Are few of the CPU's chunks at hand? */
static bool wsq_engine_salsa_short(const struct wsq_engine_salsa *es)
{
	u32 few = max(READ_ONCE(es->nr_chunks) / WSQ_SALSA_SHORT, 1U);

	return wsq_salsa_ring_count(&es->c.pool) < few;
}

/*
 * The nearest of a raw pool's other CPUs that may have more chunks. %NULL if
 * there is none, or if one has chunks to spare and will be given the next task
 * that there is no room for here.
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
		if (!oes || atomic_read(&other->orphan) != WSQ_OWNED)
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
 * Ask for more chunks if few are left: for this CPU or, where it has all that it
 * may have, for the nearest other one. Not as long as balancing will do. The
 * producer.
 */
static void wsq_engine_salsa_want(struct wsq_container *ct,
				  struct wsq_engine_salsa *es)
{
	bool guest = wsq_engine_salsa_guest(ct);
	struct wsq_container *nearest = NULL;
	bool spare = false;

	/* A guest's own are for need only. */
	if (likely(!guest && !wsq_engine_salsa_short(es)))
		return;
	/* What others have given back is at hand as well. */
	if (wsq_get_begin(ct)) {
		wsq_salsa_tidy(&es->c);
		wsq_get_end(ct);
		if (!guest && !wsq_engine_salsa_short(es))
			return;
	}
	if (ct->pool->raw)
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
 * Takes in what this CPU was given beside what it has, and asks for more if that
 * is little.
 *
 * Context: the producer.
 * Return: %WSQ_OK or %WSQ_FULL; the latter may be for a grace period only, or
 * until there is more.
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
 * A CPU is gone: make its chunks available. The one it was in is left, so that no thief
 * needs an interrupt for it.
 */
static void wsq_engine_salsa_orphan(struct wsq_container *ct)
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
	/* Nobody else would do it for a CPU that stays away. */
	synchronize_rcu();
	wsq_fence_begin();
	wsq_salsa_tidy(&es->c);
	wsq_fence_end();
}

/*
 * May the caller, who has switched preemption off once, interrupt other CPUs
 * and wait? Not if it has done so before: it may hold a lock for which another
 * CPU waits with interrupts off. Kernels that do not count cannot tell.
 */
static bool wsq_engine_salsa_may_fence(void)
{
	return in_task() && !irqs_disabled() &&
	       preempt_count() == PREEMPT_DISABLE_OFFSET;
}

/*
 * Is the consumer gone, or has it stood still for long enough, as far as this
 * thief knows? Not by local_clock(), which on some machines is as coarse as the
 * tick.
 */
static bool wsq_engine_salsa_stuck(struct wsq_engine_salsa *thief,
				   const struct wsq_engine_salsa *victim,
				   const struct wsq_container *ct)
{
	struct wsq_salsa_sight *sight = &thief->seen[ct->cpu];
	bool seized;
	u64 at = wsq_salsa_progress(&victim->c, &seized);
	u64 now;

	if (at && atomic_read(&ct->orphan) != WSQ_OWNED)
		return true;
	now = at ? ktime_get_mono_fast_ns() : 0;
	if (at != sight->at) {
		sight->at = at;
		sight->since = now;
		return false;
	}
	/* The clock may go back a little. */
	if (!at || (s64)(now - sight->since) <
		   (seized ? WSQ_SALSA_HALTED_NS : WSQ_SALSA_STILL_NS))
		return false;
	/* Or was it the thief who stood still, before it looked at the clock? */
	return wsq_salsa_progress(&victim->c, &seized) == at;
}

/**
 * wsq_engine_salsa_steal() - rob a CPU of a chunk, for a raw pool
 * @ct: the victim
 * @me: container of this CPU
 * @tasks: where to store the chunk's first task
 * @max: how many are wanted, not 0
 *
 * The chunk that the victim is in is stolen only if @me knows that the victim has
 * not taken anything for %WSQ_SALSA_STILL_NS: otherwise two that both look for
 * something to do would rob each other of it for every task, by an interrupt
 * each. The interrupt is sent, and not waited for: wsq_engine_salsa_raid().
 *
 * Context: any but NMI; on @me's CPU. In task context it may take over what
 * another thief began to steal %WSQ_SALSA_HALTED_NS ago, and then spins until all
 * CPUs have answered.
 * Return: 1 or a negative enum wsq_status; the latter also if it is begun.
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
	wsq_get_end(me);
	return ret == WSQ_OK ? 1 : ret;
}
WSQ_EXPORT_KUNIT(wsq_engine_salsa_steal);

/**
 * wsq_engine_salsa_raid() - wsq_engine_raid()
 * @me: as there
 *
 * Context: as there.
 * Return: as there.
 */
bool wsq_engine_salsa_raid(const struct wsq_container *me)
{
	const struct wsq_engine_salsa *es = wsq_engine_salsa(me);

	return es && wsq_salsa_under_way(&es->c) && wsq_engine_salsa_may_fence();
}
WSQ_EXPORT_KUNIT(wsq_engine_salsa_raid);

static void wsq_engine_salsa_settle(const struct wsq_container *ct)
{
	struct wsq_engine_salsa *es = wsq_engine_salsa(ct);

	/* Any online CPU answers, and one that goes has answered. */
	while (es && !wsq_fence_done(&es->c.raid.call))
		cond_resched();
}

/**
 * wsq_engine_salsa_steal_claim() - rob a CPU of a chunk, for a queue
 * @ct: the victim
 * @me: container of this CPU
 * @tasks: where to store tasks of it
 * @max: how many at most
 *
 * A chunk that is being filled stays: what is put there is for the victim to
 * run. Of that, and without memory for chunks, single items are taken.
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
		return (int)wsq_salsa_pry(&victim->c, tasks, max, false) ?:
		       WSQ_EMPTY;
	ret = wsq_salsa_steal_left(&thief->c, &victim->c, true, &task);
	/* What was withdrawn is passed over, at most a chunk. */
	while (ret == WSQ_OK && task == WSQ_SALSA_TAKEN) {
		task = wsq_salsa_claim(&thief->c);
		if (!task)
			ret = WSQ_CONFLICT;
	}
	wsq_get_end(me);
	if (ret == WSQ_EMPTY)
		return (int)wsq_salsa_pry(&victim->c, tasks, max, false) ?:
		       WSQ_EMPTY;
	if (ret != WSQ_OK)
		return ret;
	tasks[0] = task;
	return 1;
}

/**
 * wsq_engine_salsa_withdraw() - wsq_engine_withdraw()
 * @ct: as there
 * @slot: as there
 * @link: as there
 *
 * Context: as there.
 * Return: as there.
 */
bool wsq_engine_salsa_withdraw(struct wsq_container *ct, u32 slot,
			       struct wsq_link *link)
{
	const struct wsq_pool *pool = ct->pool;
	u32 nr = slot / pool->block_size;

	return nr < pool->max_blocks &&
	       wsq_salsa_withdraw(pool->salsa, ct->cpu * pool->max_blocks + nr,
				  slot % pool->block_size, link);
}

static int wsq_engine_salsa_was_empty(const struct wsq_pool *pool)
{
	return wsq_salsa_empty(pool->salsa) == WSQ_EMPTY;
}

const struct wsq_engine_ops wsq_engine_salsa_ops = {
	.name		= "salsa",
	.moves_chunks	= true,
	/*
	 * A chunk that was stolen is used again after a grace period. Nobody tells
	 * of its end.
	 */
	.patience	= HZ / 50 ?: 1,
	.sizes		= wsq_engine_salsa_sizes,
	.bytes		= wsq_engine_salsa_bytes,
	.pool_init	= wsq_engine_salsa_pool_init,
	.pool_exit	= wsq_engine_salsa_pool_exit,
	.was_empty	= wsq_engine_salsa_was_empty,
	.orphan		= wsq_engine_salsa_orphan,
	.settle		= wsq_engine_salsa_settle,
	.create		= wsq_engine_salsa_create,
	.create_more	= wsq_engine_salsa_create_more,
	.extend		= wsq_engine_salsa_extend,
	.mount		= wsq_engine_salsa_mount,
	.unmount	= wsq_engine_salsa_unmount,
};
