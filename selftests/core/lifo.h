/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A LIFO BWoS with its memory, for tests in user space: as queue.h, which makes
 * the FIFO's.
 *
 * For: unit/bwos_lifo.c, unit/lifo_claims.c, stress/bwos_lifo.c, stress/lifo_claims.c.
 * Tasks are the numbers 1, 2, 3, ...
 */
#ifndef _WSQ_SELFTESTS_LIFO_H
#define _WSQ_SELFTESTS_LIFO_H

#include "bwos_lifo.h"
#include "queue.h"

struct lifo {
	struct wsq_bwos_lifo q;
	struct wsq_bwos_lifo_mem mem;
};

/* Ready to mount; slots hold NULL, as claimed ones have to. */
static inline void lifo_mem_new(struct wsq_bwos_lifo_mem *mem, u32 nr_places,
				u32 block_size, u32 nr_spare)
{
	size_t nr = nr_places + nr_spare;

	mem->blocks = (struct wsq_bwos_lifo_block *)
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

static inline void lifo_mem_free(struct wsq_bwos_lifo_mem *mem)
{
	free(mem->blocks);
	free(mem->slots);
	free(mem->dir);
	free(mem->spare);
	free(mem->held);
}

static inline struct lifo *lifo_new(u32 nr_places, u32 block_size, u32 nr_spare)
{
	struct lifo *t = (struct lifo *)queue_alloc(1, sizeof(*t));

	lifo_mem_new(&t->mem, nr_places, block_size, nr_spare);
	wsq_bwos_lifo_init(&t->q);
	wsq_bwos_lifo_mount(&t->q, &t->mem);
	return t;
}

static inline void lifo_free(struct lifo *t)
{
	lifo_mem_free(&t->mem);
	free(t);
}

#endif /* _WSQ_SELFTESTS_LIFO_H */
