/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the engines made of blocks, FIFO and LIFO BWoS, share: the bounds of
 * their sizes, a memory segment for directory, positions and slots, and further
 * segments with positions and slots by which an engine grows.
 *
 * For bwos_fifo.c and bwos_lifo.c. Costs: two blocks beyond those that are
 * asked for, one more with each further segment, 16 bytes for each block that
 * there may be, and in each segment up to a page for the distance between its
 * parts and the rest of the last page. Limitation: all segments are freed at
 * once.
 */
#ifndef _WSQ_ENGINE_BLOCKS_H
#define _WSQ_ENGINE_BLOCKS_H

#include <linux/types.h>

#include "../pool/pool.h"

/*
 * Spare blocks, for thieves that stopped between claiming and counting: in the
 * first segment, and in each further one.
 */
#define WSQ_SPARE_BLOCKS	2
#define WSQ_SPARE_MORE		1

/**
 * struct wsq_blocks_layout - byte offsets of the parts of an engine's memory
 * @dir: words of the directory
 * @table: block addresses
 * @spare: numbers of spare blocks
 * @held: numbers of held blocks
 * @blocks: block headers, which thieves read
 * @slots: slots
 * @total: size of all of it, in whole pages
 */
struct wsq_blocks_layout {
	size_t dir;
	size_t table;
	size_t spare;
	size_t held;
	size_t blocks;
	size_t slots;
	size_t total;
};

bool wsq_blocks_sizes(u32 *blocks, u32 *max_blocks, u32 *block_size);
u32 wsq_blocks_spares(u32 blocks, u32 max_blocks);
size_t wsq_blocks_bytes(size_t head, size_t block, u32 blocks, u32 max_blocks,
			u32 block_size);
void *wsq_blocks_create(const struct wsq_container *ct, int node, size_t head,
			size_t block, struct wsq_blocks_layout *l);
void *wsq_blocks_create_more(const struct wsq_container *ct, int node,
			     size_t head, size_t block, u32 nr,
			     struct wsq_blocks_layout *l);

void wsq_blocks_fill_dir(struct wsq_bwos_dir *dir, void *memory,
			 const struct wsq_blocks_layout *l,
			 const struct wsq_container *ct);
u32 wsq_blocks_may_grow(const struct wsq_bwos_dir *dir);

/*
 * Fill in a memory segment, in @memory from wsq_blocks_create() or
 * wsq_blocks_create_more(). Each algorithm has its own type with these members.
 */
#define wsq_blocks_fill_segment(segment, memory, l, entries, spares)		\
do {									\
	typeof(segment) __segment = (segment);				\
									\
	__segment->blocks = (void *)(memory) + (l)->blocks;		\
	__segment->slots = (void *)(memory) + (l)->slots;			\
	__segment->nr_entries = (entries);					\
	__segment->nr_spare = (spares);					\
} while (0)

/* Fill in all of a queue's memory, which wsq_blocks_create() made for @ct. */
#define wsq_blocks_fill(mem, memory, l, ct)				\
do {									\
	typeof(mem) __mem = (mem);					\
	const struct wsq_pool *__pool = (ct)->pool;			\
									\
	wsq_blocks_fill_dir(&__mem->dir, (memory), (l), (ct));		\
	wsq_blocks_fill_segment(&__mem->first, (memory), (l),		\
				__pool->blocks, WSQ_SPARE_BLOCKS);	\
	__mem->block_size = __pool->block_size;				\
	/* Pointers are single words: a claim proves that they are good. */ \
	__mem->read_first = __pool->pointers;				\
} while (0)

#endif /* _WSQ_ENGINE_BLOCKS_H */
