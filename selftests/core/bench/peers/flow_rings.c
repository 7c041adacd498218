// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of one producer and one consumer.
 *
 * ptr ring: an empty slot is NULL, and neither side checks more than that; the
 * consumer clears the slots it has read. The idea of linux/ptr_ring.h,
 * rewritten without its spinlocks, since there is one producer and one
 * consumer, which favours it. Like the original, the consumer clears slots in
 * batches of two cache lines, backwards, so as not to take a line that the
 * producer is using. "No batches": each slot when it is read. "With locks":
 * with a spinlock for each side, taken for each task, as ptr_ring_produce() and
 * ptr_ring_consume() do.
 *
 * cached ring: positions on separate lines; each side caches the other's
 * position, and reads it only when the ring seems full or empty.
 *
 * Producer n puts to consumer n.
 */
#include <stdatomic.h>

#include "../flow.h"

#define RING_RUN	64
#define RING_BATCH	16

struct ring_producer {
	_Alignas(128) uint64_t at;
	uint64_t seen;			/* cached: of @head */
	uint64_t mask;
	_Atomic(void *) *slots;
	_Alignas(128) atomic_uint_fast64_t tail;
	_Alignas(128) atomic_int lock;
};

struct ring_consumer {
	_Alignas(128) uint64_t at;
	uint64_t seen;			/* cached: of @tail */
	uint64_t emptied;		/* ptr: slots below are NULL */
	uint64_t mask;
	_Atomic(void *) *slots;
	struct ring_producer *from;
	_Alignas(128) atomic_uint_fast64_t head;
	_Alignas(128) atomic_int lock;
};

struct rings {
	struct flow_shape shape;
	struct ring_producer p[FLOW_PARTIES];
	struct ring_consumer c[FLOW_PARTIES];
};

static inline struct ring_producer *ring_producer(struct rings *r,
						  unsigned int id)
{
	/* If one thread does both, it puts to the next one's ring. */
	return &r->p[(id + (r->shape.consumers > 1)) % r->shape.consumers];
}

static inline struct ring_consumer *ring_consumer(struct rings *r,
						  unsigned int id)
{
	return &r->c[id];
}

static inline unsigned int ring_most(struct rings *r)
{
	(void)r;
	return RING_RUN;
}

static inline unsigned int ring_open(struct rings *r, struct ring_producer *p,
				     unsigned int c)
{
	(void)r;
	(void)p;
	(void)c;
	return RING_RUN;
}

static inline void *ring_steal(struct rings *r, struct ring_consumer *c,
			       unsigned int victim)
{
	(void)r;
	(void)c;
	(void)victim;
	return NULL;
}

static inline void ring_idle(struct rings *r)
{
	(void)r;
}

static inline bool ptr_try(struct ring_producer *p, void *task)
{
	_Atomic(void *) *slot = &p->slots[p->at & p->mask];

	if (__builtin_expect(!!atomic_load_explicit(slot,
						    memory_order_relaxed), 0))
		return false;
	atomic_store_explicit(slot, task, memory_order_release);
	p->at++;
	return true;
}

static inline void ptr_put(struct rings *r, struct ring_producer *p, void *task)
{
	(void)r;
	/* Not full for long: the bound is smaller. */
	while (!ptr_try(p, task))
		;
}

static inline void *plain_get(struct rings *r, struct ring_consumer *c)
{
	_Atomic(void *) *slot = &c->slots[c->at & c->mask];
	void *task = atomic_load_explicit(slot, memory_order_acquire);

	(void)r;
	if (!task)
		return NULL;
	atomic_store_explicit(slot, NULL, memory_order_release);
	c->at++;
	return task;
}

static inline void *ptr_get(struct rings *r, struct ring_consumer *c)
{
	void *task = atomic_load_explicit(&c->slots[c->at & c->mask],
					  memory_order_acquire);
	uint64_t i;

	(void)r;
	if (!task)
		return NULL;
	c->at++;
	if (c->at - c->emptied >= RING_BATCH) {
		for (i = c->at; i-- > c->emptied;)
			atomic_store_explicit(&c->slots[i & c->mask], NULL,
					      memory_order_release);
		c->emptied = c->at;
	}
	return task;
}

/* As the kernel's: one exchange if it is free, a store to unlock it. */
static inline void ring_lock(atomic_int *lock)
{
	int free = 0;

	while (!atomic_compare_exchange_weak_explicit(lock, &free, 1,
						      memory_order_acquire,
						      memory_order_relaxed))
		free = 0;
}

static inline void ring_unlock(atomic_int *lock)
{
	atomic_store_explicit(lock, 0, memory_order_release);
}

static inline void locked_put(struct rings *r, struct ring_producer *p,
			      void *task)
{
	ring_lock(&p->lock);
	ptr_put(r, p, task);
	ring_unlock(&p->lock);
}

static inline void *locked_get(struct rings *r, struct ring_consumer *c)
{
	void *task;

	ring_lock(&c->lock);
	task = ptr_get(r, c);
	ring_unlock(&c->lock);
	return task;
}

static inline bool cached_try(struct ring_producer *p, struct ring_consumer *c,
			      void *task)
{
	if (__builtin_expect(p->at - p->seen > p->mask, 0)) {
		p->seen = atomic_load_explicit(&c->head, memory_order_acquire);
		if (p->at - p->seen > p->mask)
			return false;
	}
	atomic_store_explicit(&p->slots[p->at & p->mask], task,
			      memory_order_relaxed);
	p->at++;
	atomic_store_explicit(&p->tail, p->at, memory_order_release);
	return true;
}

static inline void cached_put(struct rings *r, struct ring_producer *p,
			      void *task)
{
	while (!cached_try(p, &r->c[p - r->p], task))
		;
}

static inline void *cached_get(struct rings *r, struct ring_consumer *c)
{
	void *task;

	(void)r;
	if (__builtin_expect(c->at == c->seen, 0)) {
		c->seen = atomic_load_explicit(&c->from->tail,
					       memory_order_acquire);
		if (c->at == c->seen)
			return NULL;
	}
	task = atomic_load_explicit(&c->slots[c->at & c->mask],
				    memory_order_relaxed);
	c->at++;
	atomic_store_explicit(&c->head, c->at, memory_order_release);
	return task;
}

static void *ring_create(const struct flow_shape *shape)
{
	struct rings *r = bench_alloc(sizeof(*r));
	unsigned int i, size = 64;

	r->shape = *shape;
	/* Never full: the bound, plus slots not cleared yet. */
	while (size < shape->bound + 2 * RING_BATCH)
		size *= 2;
	for (i = 0; i < shape->consumers; i++) {
		r->c[i].slots = bench_alloc(size * sizeof(void *));
		r->c[i].mask = size - 1;
		r->c[i].from = &r->p[i];
		r->p[i].slots = r->c[i].slots;
		r->p[i].mask = size - 1;
	}
	return r;
}

static void ring_destroy(void *arg)
{
	struct rings *r = arg;
	unsigned int i;

	for (i = 0; i < r->shape.consumers; i++)
		bench_free((void *)r->c[i].slots);
	bench_free(r);
}

static void ring_cost(void *arg, struct flow_cost *cost)
{
	(void)arg;
	cost->exchanges = 0;
	cost->fences = 0;
}

#define ptr_producer	ring_producer
#define ptr_consumer	ring_consumer
#define ptr_most	ring_most
#define ptr_open	ring_open
#define ptr_steal	ring_steal
#define ptr_idle	ring_idle
#define ptr_join	ring_idle
#define ptr_leave	ring_idle

FLOW(ptr, struct rings, struct ring_producer, struct ring_consumer)

#define plain_producer	ring_producer
#define plain_consumer	ring_consumer
#define plain_most	ring_most
#define plain_open	ring_open
#define plain_steal	ring_steal
#define plain_put	ptr_put
#define plain_idle	ring_idle
#define plain_join	ring_idle
#define plain_leave	ring_idle

FLOW(plain, struct rings, struct ring_producer, struct ring_consumer)

#define locked_producer	ring_producer
#define locked_consumer	ring_consumer
#define locked_most	ring_most
#define locked_open	ring_open
#define locked_steal	ring_steal
#define locked_idle	ring_idle
#define locked_join	ring_idle
#define locked_leave	ring_idle

FLOW(locked, struct rings, struct ring_producer, struct ring_consumer)

#define cached_producer	ring_producer
#define cached_consumer	ring_consumer
#define cached_most	ring_most
#define cached_open	ring_open
#define cached_steal	ring_steal
#define cached_idle	ring_idle
#define cached_join	ring_idle
#define cached_leave	ring_idle

FLOW(cached, struct rings, struct ring_producer, struct ring_consumer)

#define RING(prefix, label)						\
const struct flow_queue flow_queue_##prefix = {				\
	.name		= label,					\
	.max		= 2,						\
	.create		= ring_create,					\
	.destroy	= ring_destroy,					\
	.produce	= prefix##_produce,				\
	.consume	= prefix##_consume,				\
	.both		= prefix##_both,				\
	.rest		= prefix##_rest,				\
	.cost		= ring_cost,					\
}

RING(plain, "ptr_ring style, no batches");
RING(ptr, "ptr_ring style");
RING(locked, "ptr_ring style, with locks");
RING(cached, "cached spsc ring");
