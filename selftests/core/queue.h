/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A FIFO BWoS with its memory, for tests in user space: what the module's pool
 * does with pages, in one allocation each, so that the address sanitizer sees
 * every step over an edge.
 *
 * For: unit and stress. Tasks are the numbers 1, 2, 3, ...
 */
#ifndef _WSQ_SELFTESTS_QUEUE_H
#define _WSQ_SELFTESTS_QUEUE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bwos_fifo.h"
#include "rnd.h"

struct queue {
	struct wsq_bwos_fifo q;
	struct wsq_bwos_mem mem;
	struct wsq_bwos_block none;
};

static inline void *queue_alloc(size_t n, size_t size)
{
	size_t bytes = (n * size + 63) / 64 * 64;
	void *p = aligned_alloc(64, bytes);

	if (!p) {
		perror("aligned_alloc");
		abort();
	}
	return p;
}

static inline struct queue *queue_new(u32 nr_places, u32 block_size, u32 nr_spare)
{
	struct queue *t = (struct queue *)queue_alloc(1, sizeof(*t));
	u32 nr = nr_places + nr_spare;

	t->mem.blocks = (struct wsq_bwos_block *)
		queue_alloc(nr, sizeof(*t->mem.blocks));
	/* Exact, for the sanitizer's red zones. */
	t->mem.slots = (wsq_slot_t *)malloc((size_t)nr * block_size *
					    sizeof(*t->mem.slots));
	t->mem.dir = (atomic64_t *)malloc(nr_places * sizeof(*t->mem.dir));
	t->mem.spare = (u16 *)malloc(nr_spare * sizeof(*t->mem.spare) + 1);
	t->mem.held = (u16 *)malloc(nr_spare * sizeof(*t->mem.held) + 1);
	if (!t->mem.slots || !t->mem.dir || !t->mem.spare || !t->mem.held)
		abort();
	t->mem.nr_places = nr_places;
	t->mem.block_size = block_size;
	t->mem.nr_spare = nr_spare;
	memset(&t->none, 0, sizeof(t->none));
	wsq_bwos_fifo_init(&t->q, &t->none);
	wsq_bwos_fifo_mount(&t->q, &t->mem);
	return t;
}

static inline void queue_free(struct queue *t)
{
	free(t->mem.blocks);
	free(t->mem.slots);
	free(t->mem.dir);
	free(t->mem.spare);
	free(t->mem.held);
	free(t);
}

static inline void *task_of(u64 id)
{
	return (void *)(uintptr_t)id;
}

static inline u64 id_of(const void *task)
{
	return (u64)(uintptr_t)task;
}

#endif /* _WSQ_SELFTESTS_QUEUE_H */
