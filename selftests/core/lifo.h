/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A LIFO BWoS with its memory, for tests in user space: as queue.h, which makes
 * the FIFO's.
 *
 * For: unit/bwos_lifo.c, unit/lifo_claims.c, unit/lifo_grow.c, stress/bwos_lifo.c,
 * stress/lifo_claims.c.
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

static inline void lifo_piece_new(struct wsq_bwos_lifo_piece *piece,
				  u32 nr_places, u32 block_size, u32 nr_spare)
{
	size_t nr = nr_places + nr_spare;

	piece->blocks = (struct wsq_bwos_lifo_block *)
		queue_alloc(nr, sizeof(*piece->blocks));
	/* Exact, for the sanitizer's red zones. */
	piece->slots = (wsq_slot_t *)queue_words(nr * block_size,
						 sizeof(*piece->slots));
	piece->nr_places = nr_places;
	piece->nr_spare = nr_spare;
}

static inline void lifo_piece_free(struct wsq_bwos_lifo_piece *piece)
{
	free(piece->blocks);
	free(piece->slots);
}

/*
 * Ready to mount, and with room to grow to @max_places and @max_spare; slots hold
 * NULL, as claimed ones have to.
 */
static inline void lifo_mem_new_max(struct wsq_bwos_lifo_mem *mem,
				    u32 nr_places, u32 block_size, u32 nr_spare,
				    u32 max_places, u32 max_spare)
{
	struct wsq_bwos_dir *dir = &mem->dir;

	lifo_piece_new(&mem->first, nr_places, block_size, nr_spare);
	dir->max_places = max_places;
	dir->max_blocks = max_places + max_spare;
	dir->words = (atomic64_t *)queue_words(max_places, sizeof(*dir->words));
	dir->blocks = (atomic64_t *)queue_words(dir->max_blocks,
						sizeof(*dir->blocks));
	dir->spare = (u16 *)queue_words(max_spare, sizeof(*dir->spare));
	dir->held = (u16 *)queue_words(max_spare, sizeof(*dir->held));
	mem->below = (u16 *)queue_words(max_places, sizeof(*mem->below));
	mem->block_size = block_size;
	mem->read_first = false;
}

static inline void lifo_mem_new(struct wsq_bwos_lifo_mem *mem, u32 nr_places,
				u32 block_size, u32 nr_spare)
{
	lifo_mem_new_max(mem, nr_places, block_size, nr_spare, nr_places,
			 nr_spare);
}

static inline void lifo_mem_free(struct wsq_bwos_lifo_mem *mem)
{
	lifo_piece_free(&mem->first);
	free(mem->dir.words);
	free(mem->dir.blocks);
	free(mem->dir.spare);
	free(mem->dir.held);
	free(mem->below);
}

/* The block that serves at @place. */
static inline struct wsq_bwos_lifo_block *
lifo_block(const struct wsq_bwos_lifo_mem *mem, u32 place)
{
	u32 nr = wsq_bwos_nr(wsq_bwos_at(&mem->dir, place));

	return (struct wsq_bwos_lifo_block *)wsq_bwos_block_at(&mem->dir, nr);
}

static inline struct lifo *lifo_new_max(u32 nr_places, u32 block_size,
					u32 nr_spare, u32 max_places,
					u32 max_spare)
{
	struct lifo *t = (struct lifo *)queue_alloc(1, sizeof(*t));

	lifo_mem_new_max(&t->mem, nr_places, block_size, nr_spare, max_places,
			 max_spare);
	wsq_bwos_lifo_init(&t->q);
	wsq_bwos_lifo_mount(&t->q, &t->mem);
	return t;
}

static inline struct lifo *lifo_new(u32 nr_places, u32 block_size, u32 nr_spare)
{
	return lifo_new_max(nr_places, block_size, nr_spare, nr_places, nr_spare);
}

static inline void lifo_free(struct lifo *t)
{
	lifo_mem_free(&t->mem);
	free(t);
}

#endif /* _WSQ_SELFTESTS_LIFO_H */
