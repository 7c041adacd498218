// SPDX-License-Identifier: GPL-2.0
/* SALSA pools for measuring: see salsa_mem.h. */
#include "salsa_mem.h"

static void *bench_salsa_mem(struct bench_salsa *b, size_t size)
{
	return b->mem[b->nr_mem++] = bench_alloc(size);
}

static void bench_salsa_consumer(struct bench_salsa *b, u32 id)
{
	const struct bench_salsa_shape *shape = &b->shape;
	u32 nr_words = (b->s.max_parties + 63) / 64, cells = 1, i;
	u32 node = shape->nodes ? id : 0, nr = shape->chunks;
	struct wsq_salsa_chunk *chunks;
	struct wsq_salsa_consumer *c;
	struct wsq_salsa_consumer_mem space;
	wsq_slot_t *slots;

	if (shape->chunks_first)
		nr = id ? 0 : shape->chunks_first;
	/* All chunks may end up here. */
	while (cells < b->s.max_chunks)
		cells *= 2;
	space.nr_cells = cells;
	space.cells = bench_salsa_mem(b, cells * sizeof(*space.cells));
	space.feeders = bench_salsa_mem(b, nr_words * sizeof(*space.feeders));
	space.stolen = bench_salsa_mem(b, (b->s.max_parties + WSQ_SALSA_ENTRIES) *
					 sizeof(*space.stolen));
	c = !id && shape->consumer ? shape->consumer :
				     bench_salsa_mem(b, sizeof(*c));
	chunks = bench_salsa_mem(b, nr * sizeof(*chunks));
	slots = bench_salsa_mem(b, (size_t)nr * shape->chunk_size *
				   sizeof(*slots));
	wsq_salsa_consumer_init(&b->s, c, id, node, shape->claims, &space);
	for (i = 0; i < nr; i++) {
		wsq_salsa_chunk_init(&b->s, &chunks[i],
				     slots + (size_t)i * shape->chunk_size,
				     id * shape->chunks + i, id, node);
		wsq_salsa_supply(c, &chunks[i]);
	}
	if (!shape->claims)
		b->all[id / 64] |= 1ULL << id % 64;
	b->consumer[id] = c;
}

struct bench_salsa *bench_salsa_create(const struct bench_salsa_shape *shape)
{
	struct bench_salsa *b = bench_alloc(sizeof(*b));
	u32 i, nr;

	wsq_fence_register();
	b->shape = *shape;
	nr = shape->consumers > shape->producers ? shape->consumers :
						   shape->producers;
	b->s.max_chunks = shape->chunks_first ? shape->chunks_first :
			  shape->consumers * shape->chunks;
	b->s.max_parties = nr;
	b->s.chunk_size = shape->chunk_size;
	b->s.chunks = bench_salsa_mem(b, b->s.max_chunks *
					 sizeof(*b->s.chunks));
	b->s.consumers = b->consumers;
	b->s.producers = b->producers;
	b->s.all = b->all;
	b->s.all_words = shape->claims ? 0 : (nr + 63) / 64;
	for (i = 0; i < shape->consumers; i++)
		bench_salsa_consumer(b, i);
	for (i = 0; i < shape->producers; i++) {
		b->producer[i] = !i && shape->producer ? shape->producer :
			bench_salsa_mem(b, sizeof(*b->producer[i]));
		wsq_salsa_producer_init(&b->s, b->producer[i], i,
					bench_salsa_mem(b, b->s.max_chunks *
							   sizeof(atomic64_t)),
					b->s.max_chunks);
	}
	return b;
}

void bench_salsa_destroy(struct bench_salsa *b)
{
	while (b->nr_mem)
		bench_free(b->mem[--b->nr_mem]);
	bench_free(b);
}
