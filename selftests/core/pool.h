/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A SALSA pool with its memory, for tests in user space: as the module's
 * kmod/pool allocates pages, but each object in its own allocation, so that the
 * address sanitizer detects every access out of bounds.
 *
 * For: unit and stress. Consumers and producers have the numbers 0, 1, ...;
 * tasks are the numbers 1, 2, 3, ...
 */
#ifndef _WSQ_SELFTESTS_POOL_H
#define _WSQ_SELFTESTS_POOL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "salsa.h"
#include "rnd.h"
#include "task.h"

#define POOL_PARTIES	16

struct pool {
	struct wsq_salsa s;
	struct wsq_salsa_consumer *c[POOL_PARTIES];
	struct wsq_salsa_producer *p[POOL_PARTIES];
	struct wsq_salsa_chunk **chunk;
	u32 nr_consumers;
	u32 nr_producers;
	u32 nr_chunks;
	u64 all[1];
};

static inline void *pool_alloc(size_t n, size_t size)
{
	size_t bytes = (n * size + 63) / 64 * 64;
	void *p = aligned_alloc(64, bytes);

	if (!p) {
		perror("aligned_alloc");
		abort();
	}
	memset(p, 0, bytes);
	return p;
}

/* Exact, for the sanitizer's red zones. */
static inline void *pool_words(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		abort();
	return p;
}

/* One more chunk, for consumer @home, on @node; not in any chunk pool yet. */
static inline struct wsq_salsa_chunk *pool_chunk(struct pool *t, u32 home,
						 u32 node)
{
	u32 nr = t->nr_chunks++;
	struct wsq_salsa_chunk *chunk;
	wsq_slot_t *slots;

	if (nr >= t->s.max_chunks)
		abort();
	chunk = (struct wsq_salsa_chunk *)pool_alloc(1, sizeof(*chunk));
	slots = (wsq_slot_t *)pool_words(t->s.chunk_size, sizeof(*slots));
	t->chunk[nr] = chunk;
	wsq_salsa_chunk_init(&t->s, chunk, slots, nr, home, node);
	return chunk;
}

/* Without chunks. @claims: bit i for consumer i. @cells: of chunk pools. */
static inline struct pool *pool_new(u32 nr_consumers, u32 nr_producers,
				    u32 chunk_size, u32 max_chunks, u32 cells,
				    u64 claims)
{
	struct pool *t = (struct pool *)pool_alloc(1, sizeof(*t));
	struct wsq_salsa_consumer_mem space;
	u32 i, words;

	if (nr_consumers > POOL_PARTIES || nr_producers > POOL_PARTIES)
		abort();
	t->nr_consumers = nr_consumers;
	t->nr_producers = nr_producers;
	t->chunk = (struct wsq_salsa_chunk **)
		pool_words(max_chunks, sizeof(struct wsq_salsa_chunk *));
	t->s.max_parties = nr_consumers > nr_producers ? nr_consumers :
							 nr_producers;
	words = (t->s.max_parties + 63) / 64;
	t->s.max_chunks = max_chunks;
	t->s.chunk_size = chunk_size;
	t->s.chunks = (atomic64_t *)pool_words(max_chunks, sizeof(atomic64_t));
	t->s.consumers = (atomic64_t *)pool_words(t->s.max_parties,
						  sizeof(atomic64_t));
	t->s.producers = (atomic64_t *)pool_words(t->s.max_parties,
						  sizeof(atomic64_t));
	for (i = 0; i < nr_consumers; i++)
		t->all[0] |= (u64)!(claims >> i & 1) << i;
	t->s.all = t->all;
	t->s.all_words = t->all[0] ? 1 : 0;

	for (i = 0; i < nr_consumers; i++) {
		t->c[i] = (struct wsq_salsa_consumer *)
			pool_alloc(1, sizeof(*t->c[i]));
		space.feeders = (atomic64_t *)pool_words(words,
							 sizeof(atomic64_t));
		space.stolen = (atomic64_t *)
			pool_words(t->s.max_parties + WSQ_SALSA_ENTRIES,
				   sizeof(atomic64_t));
		space.cells = (atomic64_t *)pool_words(cells,
						       sizeof(atomic64_t));
		space.nr_cells = cells;
		wsq_salsa_consumer_init(&t->s, t->c[i], i, 0, claims >> i & 1,
					&space);
	}
	for (i = 0; i < nr_producers; i++) {
		t->p[i] = (struct wsq_salsa_producer *)
			pool_alloc(1, sizeof(*t->p[i]));
		wsq_salsa_producer_init(&t->s, t->p[i], i,
					(atomic64_t *)
					pool_words(WSQ_SALSA_ENTRIES,
						   sizeof(atomic64_t)),
					WSQ_SALSA_ENTRIES);
	}
	return t;
}

/* @nr chunks for consumer @id, on its node, in its chunk pool. */
static inline void pool_supply(struct pool *t, u32 id, u32 nr)
{
	while (nr--)
		wsq_salsa_supply(t->c[id], pool_chunk(t, id, t->c[id]->node));
}

static inline void pool_free(struct pool *t)
{
	u32 i;

	for (i = 0; i < t->nr_chunks; i++) {
		free(t->chunk[i]->slots);
		free(t->chunk[i]);
	}
	for (i = 0; i < t->nr_consumers; i++) {
		free(t->c[i]->feeders);
		free(t->c[i]->stolen.entries);
		free(t->c[i]->pool.cells);
		free(t->c[i]);
	}
	for (i = 0; i < t->nr_producers; i++) {
		free(t->p[i]->list.entries);
		free(t->p[i]);
	}
	free(t->s.chunks);
	free(t->s.consumers);
	free(t->s.producers);
	free(t->chunk);
	free(t);
}

#endif /* _WSQ_SELFTESTS_POOL_H */
