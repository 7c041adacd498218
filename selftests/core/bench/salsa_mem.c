// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA pools for measuring: see salsa_mem.h. And the heavy fence by choice
 * (shim/wsq_fence.h).
 */
#define _GNU_SOURCE
#include <sched.h>

#include "salsa_mem.h"

WSQ_GRACE_DEFINE;

enum bench_fence bench_fence;
int bench_fence_cpu[BENCH_FENCE_CPUS];

/* Go to a CPU: who was on it has been switched out when this returns. */
static void bench_move(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		abort();
	}
}

void wsq_fence_heavy_one(unsigned int id)
{
	int here;

	switch (bench_fence) {
	case BENCH_FENCE_MEMBARRIER:
		wsq_fence_heavy_one_shim(id);
		break;
	case BENCH_FENCE_REBIND:
		here = sched_getcpu();
		bench_move(bench_fence_cpu[id]);
		bench_move(here);
		break;
	case BENCH_FENCE_NONE:
		break;
	}
}

void wsq_fence_heavy(const u64 *ids, u32 nr_words)
{
	u32 id;

	if (bench_fence == BENCH_FENCE_MEMBARRIER) {
		wsq_fence_heavy_shim(ids, nr_words);
		return;
	}
	for (id = 0; id < nr_words * 64; id++) {
		if (ids[id / 64] >> id % 64 & 1)
			wsq_fence_heavy_one(id);
	}
}

static void *bench_salsa_mem(struct bench_salsa *b, size_t size)
{
	return b->mem[b->nr_mem++] = bench_alloc(size);
}

static void bench_salsa_consumer(struct bench_salsa *b, u32 id)
{
	const struct bench_salsa_shape *shape = &b->shape;
	u32 nr_words = (b->s.max_parties + 63) / 64, places = 1, i;
	u32 node = shape->nodes ? id : 0, nr = shape->chunks;
	struct wsq_salsa_chunk *chunks;
	struct wsq_salsa_consumer *c;
	struct wsq_salsa_room room;
	wsq_slot_t *slots;

	if (shape->chunks_first)
		nr = id ? 0 : shape->chunks_first;
	/* Everything may end up here. */
	while (places < b->s.max_chunks)
		places *= 2;
	room.nr_places = places;
	room.places = bench_salsa_mem(b, places * sizeof(*room.places));
	room.feeders = bench_salsa_mem(b, nr_words * sizeof(*room.feeders));
	room.stolen = bench_salsa_mem(b, (b->s.max_parties + WSQ_SALSA_ENTRIES) *
					 sizeof(*room.stolen));
	c = !id && shape->consumer ? shape->consumer :
				     bench_salsa_mem(b, sizeof(*c));
	chunks = bench_salsa_mem(b, nr * sizeof(*chunks));
	slots = bench_salsa_mem(b, (size_t)nr * shape->chunk_size *
				   sizeof(*slots));
	wsq_salsa_consumer_init(&b->s, c, id, node, shape->claims, &room);
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
