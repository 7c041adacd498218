/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue of an engine made of blocks, with its memory, for tests in user space:
 * what the module's pool does with pages, in one allocation each, so that the
 * address sanitizer sees every step over an edge.
 *
 * For: unit and stress; engine/NAME/engine.h says which queue it is. Tasks are the
 * numbers 1, 2, 3, ...
 */
#ifndef _WSQ_SELFTESTS_QUEUE_H
#define _WSQ_SELFTESTS_QUEUE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "rnd.h"
#include "task.h"

struct queue {
	engine_queue q;
	engine_mem mem;
	struct engine_rest rest;
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

static inline void *queue_words(size_t n, size_t size)
{
	void *p = calloc(n + !n, size);

	if (!p)
		abort();
	return p;
}

static inline void piece_new(engine_piece *piece, u32 nr_places,
			     u32 block_size, u32 nr_spare)
{
	size_t nr = nr_places + nr_spare;

	piece->blocks = (engine_block *)
		queue_alloc(nr, sizeof(*piece->blocks));
	/* Exact, for the sanitizer's red zones. */
	piece->slots = (wsq_slot_t *)queue_words(nr * block_size,
						 sizeof(*piece->slots));
	piece->nr_places = nr_places;
	piece->nr_spare = nr_spare;
}

static inline void piece_free(engine_piece *piece)
{
	free(piece->blocks);
	free(piece->slots);
}

/*
 * Ready to mount, and with room to grow to @max_places and @max_spare; slots hold
 * NULL, as claimed ones have to.
 */
static inline void mem_new_max(engine_mem *mem, u32 nr_places,
			       u32 block_size, u32 nr_spare, u32 max_places,
			       u32 max_spare)
{
	struct wsq_bwos_dir *dir = &mem->dir;

	piece_new(&mem->first, nr_places, block_size, nr_spare);
	dir->max_places = max_places;
	dir->max_blocks = max_places + max_spare;
	dir->words = (atomic64_t *)queue_words(max_places, sizeof(*dir->words));
	dir->blocks = (atomic64_t *)queue_words(dir->max_blocks,
						sizeof(*dir->blocks));
	dir->spare = (u16 *)queue_words(max_spare, sizeof(*dir->spare));
	dir->held = (u16 *)queue_words(max_spare, sizeof(*dir->held));
	engine_mem_make(mem, queue_words);
	mem->block_size = block_size;
	mem->read_first = false;
}

static inline void mem_new(engine_mem *mem, u32 nr_places,
			   u32 block_size, u32 nr_spare)
{
	mem_new_max(mem, nr_places, block_size, nr_spare, nr_places, nr_spare);
}

static inline void mem_free(engine_mem *mem)
{
	piece_free(&mem->first);
	free(mem->dir.words);
	free(mem->dir.blocks);
	free(mem->dir.spare);
	free(mem->dir.held);
	engine_mem_unmake(mem, free);
}

/* The block that serves at @place. */
static inline engine_block *mem_block(const engine_mem *mem, u32 place)
{
	u32 nr = wsq_bwos_nr(wsq_bwos_at(&mem->dir, place));

	return (engine_block *)wsq_bwos_block_at(&mem->dir, nr);
}

static inline struct queue *queue_new_max(u32 nr_places, u32 block_size,
					  u32 nr_spare, u32 max_places,
					  u32 max_spare)
{
	struct queue *t = (struct queue *)queue_alloc(1, sizeof(*t));

	mem_new_max(&t->mem, nr_places, block_size, nr_spare, max_places,
		    max_spare);
	memset(&t->rest, 0, sizeof(t->rest));
	engine_init(&t->q, &t->rest);
	engine(mount)(&t->q, &t->mem);
	return t;
}

static inline struct queue *queue_new(u32 nr_places, u32 block_size, u32 nr_spare)
{
	return queue_new_max(nr_places, block_size, nr_spare, nr_places,
			     nr_spare);
}

static inline void queue_free(struct queue *t)
{
	mem_free(&t->mem);
	free(t);
}

#endif /* _WSQ_SELFTESTS_QUEUE_H */
