/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The chunk pool of a SALSA consumer: a ring of chunk numbers with one giver
 * and any number of getters.
 *
 * After the chunk pools of Gidron et al., "SALSA", section 5.4, which are
 * Michael-Scott queues there. Here only the consumer gives chunks back, so a
 * ring is enough: giving is two loads and two stores, getting one
 * compare-and-exchange. Positions are never reduced: if a slot was refilled
 * after it was read, the exchange of the position fails and the number is
 * dropped.
 *
 * Callers: give, one context at a time; get, any context, at any time.
 *
 * Pairs:
 *	SR(give:C) release -> SR(get:B) acquire
 *		A context that gets a number sees the ring's slot, and all that
 *		was done to the chunk before it was given.
 *		litmus/salsa-ring-give.litmus
 *	SR(get:D) full -> SR(give:B) acquire
 *		A slot is refilled only after its number was read. (A store that
 *		waits for the test of SR(give:B) needs no acquire.)
 *		litmus/salsa-ring-get.litmus
 *
 * No order: SR(get:A), SR(get:C), which SR(get:D) verifies; SR(give:A),
 * SR(give:D), the giver's; SR(count:A), SR(count:B), a hint.
 */
#ifndef _WSQ_CORE_SALSA_RING_H
#define _WSQ_CORE_SALSA_RING_H

#include <wsq_platform.h>

#include "status.h"

/**
 * struct wsq_salsa_ring - a chunk pool
 * @head: numbers got so far. Any context.
 * @tail: numbers given so far. The giver.
 * @cells: slots, each with a number. The giver. Constant address
 * @mask: number of slots minus one, a power of two. Constant
 */
struct wsq_salsa_ring {
	atomic64_t head WSQ_CACHE_ALIGNED;
	atomic64_t tail WSQ_CACHE_ALIGNED;
	atomic64_t *cells;
	u64 mask;
};

static inline void wsq_salsa_ring_init(struct wsq_salsa_ring *r,
				       atomic64_t *cells, u32 nr)
{
	atomic64_set(&r->head, 0);
	atomic64_set(&r->tail, 0);
	r->cells = cells;
	r->mask = nr - 1;
}

/**
 * wsq_salsa_ring_give() - put a number in
 * @r: the ring
 * @nr: the number
 *
 * Context: the giver.
 * Return: %WSQ_OK or %WSQ_FULL.
 */
static inline int wsq_salsa_ring_give(struct wsq_salsa_ring *r, u32 nr)
{
	u64 tail = (u64)atomic64_read(&r->tail);		/* SR(give:A) */
	u64 head = (u64)atomic64_read_acquire(&r->head);	/* SR(give:B) */

	if (tail - head > r->mask)
		return WSQ_FULL;
	atomic64_set(&r->cells[tail & r->mask], (s64)nr);	/* SR(give:D) */
	atomic64_set_release(&r->tail, (s64)(tail + 1));	/* SR(give:C) */
	return WSQ_OK;
}

/**
 * wsq_salsa_ring_get() - take a number out
 * @r: the ring
 * @nr: where to store it
 *
 * Context: any.
 * Return: %WSQ_OK; %WSQ_EMPTY; %WSQ_CONFLICT if another context got it first.
 */
static inline int wsq_salsa_ring_get(struct wsq_salsa_ring *r, u32 *nr)
{
	u64 head = (u64)atomic64_read(&r->head);		/* SR(get:A) */
	u64 tail = (u64)atomic64_read_acquire(&r->tail);	/* SR(get:B) */

	/* An old @head may lie anywhere before @tail: the exchange decides. */
	if ((s64)(tail - head) <= 0)
		return WSQ_EMPTY;
	*nr = (u32)atomic64_read(&r->cells[head & r->mask]);	/* SR(get:C) */
	if (atomic64_cmpxchg(&r->head, (s64)head,
			     (s64)(head + 1)) != (s64)head)	/* SR(get:D) */
		return WSQ_CONFLICT;
	return WSQ_OK;
}

/* Number of chunks in the pool, as of some moment. */
static inline u64 wsq_salsa_ring_count(const struct wsq_salsa_ring *r)
{
	u64 head = (u64)atomic64_read(&r->head);		/* SR(count:A) */
	s64 nr = (s64)((u64)atomic64_read(&r->tail) - head);	/* SR(count:B) */

	return nr > 0 ? (u64)nr : 0;
}

#endif /* _WSQ_CORE_SALSA_RING_H */
