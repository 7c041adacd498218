/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What engines made of blocks have in common, FIFO and LIFO BWoS: the bounds of
 * their sizes, one piece of memory for directory, positions and slots, and
 * further ones for positions and slots of what an engine grows by.
 *
 * For bwos.c and lifo.c. Costs: two blocks beyond those that are
 * asked for, one more with each further piece, 16 bytes for each block that there
 * may be, and up to a page in each piece for where things lie. Limitation: memory
 * goes as it came, all pieces at once.
 */
#ifndef _WSQ_ENGINE_BLOCKS_H
#define _WSQ_ENGINE_BLOCKS_H

#include <linux/types.h>

#include "../pool/pool.h"

/*
 * Blocks beyond those of the directory, for thieves that stopped midway: at
 * first, and with each further piece.
 */
#define WSQ_SPARE_BLOCKS	2
#define WSQ_SPARE_MORE		1

/**
 * struct wsq_blocks_layout - where the parts of an engine's memory lie, in bytes
 * @dir: words of the directory
 * @table: addresses of its blocks
 * @spare: numbers of spare blocks
 * @held: numbers of held blocks
 * @blocks: what thieves see of a block
 * @slots: slots
 * @total: all of it, in whole pages
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
 * Fill in a piece, of which each algorithm has its own type with these members, in
 * @memory that wsq_blocks_create() or wsq_blocks_create_more() made.
 */
#define wsq_blocks_fill_piece(piece, memory, l, places, spares)		\
do {									\
	typeof(piece) __piece = (piece);				\
									\
	__piece->blocks = (void *)(memory) + (l)->blocks;		\
	__piece->slots = (void *)(memory) + (l)->slots;			\
	__piece->nr_places = (places);					\
	__piece->nr_spare = (spares);					\
} while (0)

/* The same for all of a queue's memory, which wsq_blocks_create() made for @ct. */
#define wsq_blocks_fill(mem, memory, l, ct)				\
do {									\
	typeof(mem) __mem = (mem);					\
	const struct wsq_pool *__pool = (ct)->pool;			\
									\
	wsq_blocks_fill_dir(&__mem->dir, (memory), (l), (ct));		\
	wsq_blocks_fill_piece(&__mem->first, (memory), (l),		\
			      __pool->blocks, WSQ_SPARE_BLOCKS);	\
	__mem->block_size = __pool->block_size;				\
	/* Pointers are words: a claim tells that what was read is good. */ \
	__mem->read_first = __pool->raw;				\
} while (0)

#endif /* _WSQ_ENGINE_BLOCKS_H */
