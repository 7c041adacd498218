// SPDX-License-Identifier: GPL-2.0
/*
 * Concurrent Bags: each producer has a list of chunks that it alone extends,
 * and every take, by any consumer, is a compare-and-exchange of a slot.
 *
 * Written here from the idea of Sundell, Gidenstam, Papatriantafilou, Tsigas,
 * "A Lock-Free Algorithm for Concurrent Bags", SPAA 2011, with what the SALSA
 * paper says of its own version (section 6.2): chunks of 128, a consumer begins
 * with the producer of its own number, and remembers its position in each list.
 * A list is a ring of chunks; the producer reuses a chunk when it finds all its
 * slots taken. Chunks are never freed, which saves the peer hazard pointers: a
 * late taker fails by its compare-and-exchange, or gets a task of the new use.
 */
#include <stdatomic.h>

#include "../flow.h"

#define BAG_CHUNK	128
#define BAG_TAKEN	((void *)-3L)


/* Chunks number @first to @last are in the list. Written by the producer. */
struct bag_list {
	_Alignas(128) atomic_uint_fast64_t last;
	atomic_uint_fast64_t first;
	_Atomic(void *) *slots;
	uint64_t at;
};

/* A consumer's position in each list, and its attempted exchanges. */
struct bag_consumer {
	_Alignas(128) uint64_t exchanges;
	unsigned int id;
	struct {
		uint64_t chunk;
		unsigned int slot;
	} where[FLOW_PARTIES];
};

struct bag {
	struct flow_shape shape;
	unsigned int chunk;
	uint64_t chunks;
	struct bag_list list[FLOW_PARTIES];
	struct bag_consumer consumer[FLOW_PARTIES];
};

static inline struct bag_list *bag_producer(struct bag *b, unsigned int id)
{
	return &b->list[id];
}

static inline struct bag_consumer *bag_consumer(struct bag *b, unsigned int id)
{
	return &b->consumer[id];
}

static inline unsigned int bag_most(struct bag *b)
{
	return b->chunk;
}

static inline _Atomic(void *) *bag_slots(struct bag *b, struct bag_list *l,
					 uint64_t chunk)
{
	return l->slots + chunk % b->chunks * b->chunk;
}

/* Is the oldest chunk used up? */
static bool bag_used_up(struct bag *b, _Atomic(void *) *slots)
{
	unsigned int i;

	for (i = 0; i < b->chunk; i++) {
		if (atomic_load_explicit(&slots[i], memory_order_relaxed) !=
		    BAG_TAKEN)
			return false;
	}
	return true;
}

static __attribute__((noinline))
unsigned int bag_open(struct bag *b, struct bag_list *l, unsigned int c)
{
	uint64_t last = atomic_load_explicit(&l->last, memory_order_relaxed);
	uint64_t first = atomic_load_explicit(&l->first, memory_order_relaxed);
	_Atomic(void *) *slots;
	unsigned int i;

	(void)c;
	while (first <= last && bag_used_up(b, bag_slots(b, l, first)))
		first++;
	atomic_store_explicit(&l->first, first, memory_order_release);
	if (last + 1 - first >= b->chunks)
		return 0;
	slots = bag_slots(b, l, last + 1);
	for (i = 0; i < b->chunk; i++)
		atomic_store_explicit(&slots[i], NULL, memory_order_relaxed);
	l->at = (uint64_t)(slots - l->slots);
	atomic_store_explicit(&l->last, last + 1, memory_order_release);
	return b->chunk;
}

static inline void bag_put(struct bag *b, struct bag_list *l, void *task)
{
	(void)b;
	atomic_store_explicit(&l->slots[l->at++], task, memory_order_release);
}

/* A task of one list, from the consumer's position on. */
static inline void *bag_from(struct bag *b, struct bag_consumer *c,
			     unsigned int victim)
{
	struct bag_list *l = &b->list[victim];
	uint64_t chunk = c->where[victim].chunk, last, first;
	unsigned int slot = c->where[victim].slot;
	void *task;

	for (;;) {
		_Atomic(void *) *slots = bag_slots(b, l, chunk);

		for (; slot < b->chunk; slot++) {
			task = atomic_load_explicit(&slots[slot],
						    memory_order_acquire);
			if (!task)
				break;
			if (task == BAG_TAKEN)
				continue;
			c->exchanges++;
			if (atomic_compare_exchange_strong_explicit(&slots[slot],
					&task, BAG_TAKEN, memory_order_acq_rel,
					memory_order_relaxed)) {
				c->where[victim].chunk = chunk;
				c->where[victim].slot = slot + 1;
				return task;
			}
		}
		last = atomic_load_explicit(&l->last, memory_order_acquire);
		first = atomic_load_explicit(&l->first, memory_order_acquire);
			/* Search a reused chunk from its start. */
		if (chunk < first) {
			chunk = first;
			slot = 0;
		} else if (slot == b->chunk && chunk < last) {
			chunk++;
			slot = 0;
		} else {
			break;
		}
		if (chunk > last)
			break;
	}
	c->where[victim].chunk = chunk;
	c->where[victim].slot = slot;
	return NULL;
}

/* Every take is a theft: consumers have no tasks of their own. */
static inline void *bag_get(struct bag *b, struct bag_consumer *c)
{
	return bag_from(b, c, c->id % b->shape.producers);
}

static inline void *bag_steal(struct bag *b, struct bag_consumer *c,
			      unsigned int victim)
{
	unsigned int k;
	void *task;

	(void)victim;
	for (k = 1; k < b->shape.producers; k++) {
		task = bag_from(b, c, (c->id + k) % b->shape.producers);
		if (task)
			return task;
	}
	return NULL;
}

static inline void bag_idle(struct bag *b)
{
	(void)b;
}

#define bag_join	bag_idle
#define bag_leave	bag_idle

static void *bag_create(const struct flow_shape *shape)
{
	struct bag *b = bench_alloc(sizeof(*b));
	unsigned int i, k;

	b->shape = *shape;
	b->chunk = shape->chunk ? shape->chunk : BAG_CHUNK;
	b->chunks = 2 * shape->bound / b->chunk + 2;
	for (i = 0; i < shape->producers; i++) {
		b->list[i].slots = bench_alloc(b->chunks * b->chunk *
					       sizeof(void *));
		/* Number 0 is never filled: as if its slots had been taken. */
		for (k = 0; k < b->chunk; k++)
			atomic_store(&b->list[i].slots[k], BAG_TAKEN);
	}
	for (i = 0; i < shape->consumers; i++)
		b->consumer[i].id = i;
	return b;
}

static void bag_destroy(void *arg)
{
	struct bag *b = arg;
	unsigned int i;

	for (i = 0; i < b->shape.producers; i++)
		bench_free((void *)b->list[i].slots);
	bench_free(b);
}

static void bag_cost(void *arg, struct flow_cost *cost)
{
	struct bag *b = arg;
	unsigned int i;

	cost->fences = 0;
	cost->exchanges = 0;
	for (i = 0; i < b->shape.consumers; i++)
		cost->exchanges += b->consumer[i].exchanges;
}

FLOW(bag, struct bag, struct bag_list, struct bag_consumer)

const struct flow_queue flow_queue_bag = {
	.name		= "concurrent bags",
	.create		= bag_create,
	.destroy	= bag_destroy,
	.produce	= bag_produce,
	.consume	= bag_consume,
	.both		= bag_both,
	.rest		= bag_rest,
	.cost		= bag_cost,
};
