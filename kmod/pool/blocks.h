/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What engines made of blocks have in common, FIFO and LIFO BWoS: the bounds of
 * their sizes, and one piece of memory for directory, positions and slots.
 *
 * For engine_bwos.c and engine_lifo.c. Costs: two blocks beyond those that are
 * asked for, and up to a page for where things lie. Limitation: sizes are those
 * of the pool.
 */
#ifndef _WSQ_POOL_BLOCKS_H
#define _WSQ_POOL_BLOCKS_H

#include <linux/types.h>

#include "pool.h"

/* Blocks beyond those of the directory, for thieves that stopped midway. */
#define WSQ_SPARE_BLOCKS	2

/**
 * struct wsq_blocks_layout - where the parts of an engine's memory lie, in bytes
 * @dir: words of the directory
 * @spare: numbers of spare blocks
 * @held: numbers of held blocks
 * @blocks: what thieves see of a block
 * @slots: slots
 * @total: all of it, in whole pages
 */
struct wsq_blocks_layout {
	size_t dir;
	size_t spare;
	size_t held;
	size_t blocks;
	size_t slots;
	size_t total;
};

bool wsq_blocks_sizes(u32 *blocks, u32 *block_size);
size_t wsq_blocks_bytes(size_t head, size_t block, u32 blocks, u32 block_size);
void *wsq_blocks_create(const struct wsq_container *ct, int node, size_t head,
			size_t block, struct wsq_blocks_layout *l);

/*
 * Fill in a queue's memory, of which each algorithm has its own type with these
 * members, in a piece that wsq_blocks_create() made for @ct.
 */
#define wsq_blocks_fill(mem, piece, l, ct)				\
do {									\
	typeof(mem) __mem = (mem);					\
									\
	__mem->dir = (void *)(piece) + (l)->dir;			\
	__mem->spare = (void *)(piece) + (l)->spare;			\
	__mem->held = (void *)(piece) + (l)->held;			\
	__mem->blocks = (void *)(piece) + (l)->blocks;			\
	__mem->slots = (void *)(piece) + (l)->slots;			\
	__mem->nr_places = (ct)->pool->blocks;				\
	__mem->block_size = (ct)->pool->block_size;			\
	__mem->nr_spare = WSQ_SPARE_BLOCKS;				\
	/* Pointers are words: a claim tells that what was read is good. */ \
	__mem->read_first = (ct)->pool->raw;				\
} while (0)

#endif /* _WSQ_POOL_BLOCKS_H */
