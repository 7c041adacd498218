/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue of a block engine with its memory, for tests in user space: as the
 * module's pool allocates pages, but each object in its own allocation, so that
 * the address sanitizer detects every access out of bounds.
 *
 * For: unit and stress; engine/NAME/engine.h selects the queue. Tasks are the
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

static inline void segment_new(engine_segment *segment, u32 nr_entries,
			       u32 block_size, u32 nr_spare)
{
	size_t nr = nr_entries + nr_spare;

	segment->blocks = (engine_block *)
		queue_alloc(nr, sizeof(*segment->blocks));
	/* Exact, for the sanitizer's red zones. */
	segment->slots = (wsq_slot_t *)queue_words(nr * block_size,
						   sizeof(*segment->slots));
	segment->nr_entries = nr_entries;
	segment->nr_spare = nr_spare;
}

static inline void segment_free(engine_segment *segment)
{
	free(segment->blocks);
	free(segment->slots);
}

/*
 * Ready to attach, with space to grow to @max_entries and @max_spare; slots hold
 * NULL, as claimed ones must.
 */
static inline void mem_new_max(engine_mem *mem, u32 nr_entries,
			       u32 block_size, u32 nr_spare, u32 max_entries,
			       u32 max_spare)
{
	struct wsq_bwos_dir *dir = &mem->dir;

	segment_new(&mem->first, nr_entries, block_size, nr_spare);
	dir->max_entries = max_entries;
	dir->max_blocks = max_entries + max_spare;
	dir->words = (atomic64_t *)queue_words(max_entries, sizeof(*dir->words));
	dir->blocks = (atomic64_t *)queue_words(dir->max_blocks,
						sizeof(*dir->blocks));
	dir->spare = (u16 *)queue_words(max_spare, sizeof(*dir->spare));
	dir->held = (u16 *)queue_words(max_spare, sizeof(*dir->held));
	engine_mem_make(mem, queue_words);
	mem->block_size = block_size;
	mem->read_first = false;
}

static inline void mem_new(engine_mem *mem, u32 nr_entries,
			   u32 block_size, u32 nr_spare)
{
	mem_new_max(mem, nr_entries, block_size, nr_spare, nr_entries, nr_spare);
}

static inline void mem_free(engine_mem *mem)
{
	segment_free(&mem->first);
	free(mem->dir.words);
	free(mem->dir.blocks);
	free(mem->dir.spare);
	free(mem->dir.held);
	engine_mem_unmake(mem, free);
}

/* The block at directory index @index. */
static inline engine_block *mem_block(const engine_mem *mem, u32 index)
{
	u32 nr = wsq_bwos_nr(wsq_bwos_at(&mem->dir, index));

	return (engine_block *)wsq_bwos_block_at(&mem->dir, nr);
}

static inline struct queue *queue_new_max(u32 nr_entries, u32 block_size,
					  u32 nr_spare, u32 max_entries,
					  u32 max_spare)
{
	struct queue *t = (struct queue *)queue_alloc(1, sizeof(*t));

	mem_new_max(&t->mem, nr_entries, block_size, nr_spare, max_entries,
		    max_spare);
	memset(&t->rest, 0, sizeof(t->rest));
	engine_init(&t->q, &t->rest);
	engine(attach)(&t->q, &t->mem);
	return t;
}

static inline struct queue *queue_new(u32 nr_entries, u32 block_size, u32 nr_spare)
{
	return queue_new_max(nr_entries, block_size, nr_spare, nr_entries,
			     nr_spare);
}

static inline void queue_free(struct queue *t)
{
	mem_free(&t->mem);
	free(t);
}

#endif /* _WSQ_SELFTESTS_QUEUE_H */
