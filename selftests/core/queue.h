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
#include "task.h"

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

/* Ready to mount; slots hold NULL, as claimed ones have to. */
static inline void mem_new(struct wsq_bwos_mem *mem, u32 nr_places,
			   u32 block_size, u32 nr_spare)
{
	size_t nr = nr_places + nr_spare;

	mem->blocks = (struct wsq_bwos_block *)
		queue_alloc(nr, sizeof(*mem->blocks));
	/* Exact, for the sanitizer's red zones. */
	mem->slots = (wsq_slot_t *)calloc(nr * block_size, sizeof(*mem->slots));
	mem->dir = (atomic64_t *)malloc(nr_places * sizeof(*mem->dir));
	mem->spare = (u16 *)malloc(nr_spare * sizeof(*mem->spare) + 1);
	mem->held = (u16 *)malloc(nr_spare * sizeof(*mem->held) + 1);
	if (!mem->slots || !mem->dir || !mem->spare || !mem->held)
		abort();
	mem->nr_places = nr_places;
	mem->block_size = block_size;
	mem->nr_spare = nr_spare;
	mem->read_first = false;
}

static inline void mem_free(struct wsq_bwos_mem *mem)
{
	free(mem->blocks);
	free(mem->slots);
	free(mem->dir);
	free(mem->spare);
	free(mem->held);
}

static inline struct queue *queue_new(u32 nr_places, u32 block_size, u32 nr_spare)
{
	struct queue *t = (struct queue *)queue_alloc(1, sizeof(*t));

	mem_new(&t->mem, nr_places, block_size, nr_spare);
	memset(&t->none, 0, sizeof(t->none));
	wsq_bwos_fifo_init(&t->q, &t->none);
	wsq_bwos_fifo_mount(&t->q, &t->mem);
	return t;
}

static inline void queue_free(struct queue *t)
{
	mem_free(&t->mem);
	free(t);
}

#endif /* _WSQ_SELFTESTS_QUEUE_H */
