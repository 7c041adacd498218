/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the containers' stress programs: parameters of the queue, the
 * parties, and the book of tasks taken. Task N carries N * 3 in plain memory,
 * written before it is put: the taker must see that, and the thread sanitizer
 * must see an order. Each task comes out once.
 *
 * For: conserve.c, claims.c, salsa.c. Costs an atomic operation on a shared
 * byte for each task taken. Limitations: that one is relaxed, so it does not
 * replace an order of the queue; but parties that take adjacent tasks share its
 * line.
 */
#ifndef _WSQ_SELFTESTS_BOOK_H
#define _WSQ_SELFTESTS_BOOK_H

#include "stress.h"

#include "task.h"

static u64 nr_entries = 2, block_size = 2, nr_items = 1000000;
static u64 batch;

static u64 *payload;
static unsigned char *taken;

/**
 * struct party - a thread; only that thread writes it
 * @taken: how many tasks it took; read by all
 * @section: odd inside a section (memory.h); read by the owner
 * @state: of its random numbers
 * @last: the last task an owner or consumer took
 * @conflicts: how often a thief met another
 */
struct party {
	u64 taken;
	u64 section;
	u64 state;
	u64 last;
	u64 conflicts;
} WSQ_CACHE_ALIGNED;

/* The first is the owner, or the producer. */
static struct party parties[MAX_THREADS];

/* False if out of memory. Called once all options are known. */
static inline bool book_open(void)
{
	u32 i;

	payload = (u64 *)calloc(nr_items + 1, sizeof(*payload));
	taken = (unsigned char *)calloc(nr_items + 1, 1);
	for (i = 0; i < MAX_THREADS; i++)
		parties[i].state = (seed + i) * 0x9e3779b97f4a7c15ULL | 1;
	return payload && taken;
}

/* At the end: each task has come out. */
static inline void book_close(void)
{
	u64 id;

	for (id = 1; id <= nr_items; id++)
		check(taken[id] == 1, "task %llu came out %u times", id, taken[id]);
	free(payload);
	free(taken);
}

static inline void took(struct party *p, void *task)
{
	u64 id = id_of(task);

	check(id && id <= nr_items, "task %llu was never put", id);
	check(payload[id] == id * 3, "task %llu carries %llu", id, payload[id]);
	check(__atomic_fetch_add(&taken[id], 1, __ATOMIC_RELAXED) == 0,
	      "task %llu came out twice", id);
	__atomic_store_n(&p->taken, p->taken + 1, __ATOMIC_RELEASE);
}

/* An owner's and a consumer's tasks come in the order they were put. */
static inline void took_in_order(struct party *p, void *task)
{
	check(id_of(task) > p->last, "took %llu behind %llu", id_of(task), p->last);
	p->last = id_of(task);
	took(p, task);
}

static inline u64 taken_by(u64 first, u64 nr)
{
	u64 sum = 0;

	while (nr--)
		sum += __atomic_load_n(&parties[first++].taken, __ATOMIC_ACQUIRE);
	return sum;
}

static inline u64 taken_by_all(void)
{
	return taken_by(0, MAX_THREADS);
}

/* More than a block at a time now and then, to wrap around. */
static inline u64 burst(struct party *p)
{
	return rnd(&p->state) % (block_size * nr_entries < 64 ?
				 block_size * nr_entries : 64) + 1;
}

#endif /* _WSQ_SELFTESTS_BOOK_H */
