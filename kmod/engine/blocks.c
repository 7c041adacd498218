// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of engines made of blocks. See blocks.h.
 */
#include <linux/mm.h>

#include "../core/bwos.h"
#include "alloc.h"
#include "blocks.h"

/*
 * No position lies at the same offset in a page as the container's own words,
 * of so many bytes: loads of the one would wait for stores to the other.
 */
#define WSQ_ENGINE_APART	ALIGN(sizeof(struct wsq_container) +	\
				      offsetof(struct wsq_pointer_inbox, links),	\
				      SMP_CACHE_BYTES)

static size_t wsq_layout_add(size_t *at, size_t bytes, size_t align)
{
	size_t here = ALIGN(*at, align);

	*at = here + bytes;
	return here;
}

/*
 * Positions and slots of @all blocks, behind @at bytes of other things, for a
 * container at offset @ct_offset in a page. Positions that are too many to lie
 * beside it lie where there is space.
 */
static size_t wsq_layout_blocks(struct wsq_blocks_layout *l, size_t at,
				size_t block, size_t all, u32 block_size,
				size_t ct_offset)
{
	size_t behind, bytes = all * block;

	at = ALIGN(at, SMP_CACHE_BYTES);
	behind = (at - ct_offset) & (PAGE_SIZE - 1);
	if (bytes <= PAGE_SIZE - WSQ_ENGINE_APART) {
		if (behind + bytes > PAGE_SIZE) {
			at += PAGE_SIZE - behind;
			behind = 0;
		}
		if (behind < WSQ_ENGINE_APART)
			at += WSQ_ENGINE_APART - behind;
	}
	l->blocks = wsq_layout_add(&at, bytes, SMP_CACHE_BYTES);
	l->slots = wsq_layout_add(&at, all * block_size * sizeof(wsq_slot_t),
				  SMP_CACHE_BYTES);
	/* Whole pages are aligned to cache lines by every allocator. */
	l->total = PAGE_ALIGN(at);
	return at;
}

/**
 * wsq_blocks_spares() - spare blocks that an engine may have
 * @blocks: blocks that it begins with
 * @max_blocks: blocks that it may have
 *
 * Each segment but the last doubles the number of blocks.
 *
 * Context: any.
 * Return: how many.
 */
u32 wsq_blocks_spares(u32 blocks, u32 max_blocks)
{
	u32 spares = WSQ_SPARE_BLOCKS;

	for (; blocks < max_blocks; blocks *= 2)
		spares += WSQ_SPARE_MORE;
	return spares;
}

/* The directory is behind the slots: what is before positions moves them. */
static void wsq_layout_make(struct wsq_blocks_layout *l, size_t head,
			    size_t block, u32 blocks, u32 max_blocks,
			    u32 block_size, size_t ct_offset)
{
	size_t spares = wsq_blocks_spares(blocks, max_blocks);
	size_t at = wsq_layout_blocks(l, head, block, blocks + WSQ_SPARE_BLOCKS,
				      block_size, ct_offset);

	l->dir = wsq_layout_add(&at, max_blocks * sizeof(atomic64_t),
				SMP_CACHE_BYTES);
	l->table = wsq_layout_add(&at, (max_blocks + spares) *
				  sizeof(atomic64_t), sizeof(atomic64_t));
	l->spare = wsq_layout_add(&at, spares * sizeof(u16), SMP_CACHE_BYTES);
	l->held = wsq_layout_add(&at, spares * sizeof(u16), sizeof(u16));
	l->total = PAGE_ALIGN(at);
}

/* Implements wsq_engine_sizes(). */
bool wsq_blocks_sizes(u32 *blocks, u32 *max_blocks, u32 *block_size)
{
	*blocks = *blocks ?: WSQ_DEF_BLOCKS;
	*max_blocks = *max_blocks ?: *blocks;
	*block_size = *block_size ?: WSQ_DEF_BLOCK_SIZE;
	return *blocks >= WSQ_BWOS_MIN_BLOCKS && *blocks <= *max_blocks &&
	       *max_blocks <= WSQ_BWOS_MAX_BLOCKS &&
	       *block_size >= WSQ_BWOS_MIN_BLOCK_SIZE &&
	       *block_size <= WSQ_BWOS_MAX_BLOCK_SIZE;
}

/**
 * wsq_blocks_bytes() - wsq_engine_bytes() for engines made of blocks
 * @head: size of the engine's header, in bytes
 * @block: size of a block header, which thieves read, in bytes
 * @blocks: as in wsq_engine_bytes()
 * @max_blocks: as in wsq_engine_bytes()
 * @block_size: as in wsq_engine_bytes()
 *
 * Context: any.
 * Return: bytes, in whole pages.
 */
size_t wsq_blocks_bytes(size_t head, size_t block, u32 blocks, u32 max_blocks,
			u32 block_size)
{
	struct wsq_blocks_layout l;
	size_t offset, most = 0;

	for (offset = 0; offset < PAGE_SIZE; offset += WSQ_CONTAINER_ALIGN) {
		wsq_layout_make(&l, head, block, blocks, max_blocks,
				block_size, offset);
		most = max(most, l.total);
	}
	return most;
}

/**
 * wsq_blocks_create() - allocate an engine's memory
 * @ct: the container it is for
 * @node: the node whose memory to use
 * @head: as in wsq_blocks_bytes()
 * @block: as in wsq_blocks_bytes()
 * @l: where to say what lies where
 *
 * Context: task; may sleep.
 * Return: the memory, as of wsq_engine_alloc(); %NULL if there is none.
 */
void *wsq_blocks_create(const struct wsq_container *ct, int node, size_t head,
			size_t block, struct wsq_blocks_layout *l)
{
	const struct wsq_pool *pool = ct->pool;

	wsq_layout_make(l, head, block, pool->blocks, pool->max_blocks,
			pool->block_size, offset_in_page(ct));
	return wsq_engine_alloc(l->total, node, GFP_KERNEL);
}

/**
 * wsq_blocks_create_more() - allocate a further memory segment of an engine
 * @ct: the container it is for
 * @node: the node whose memory to use
 * @head: bytes that the engine wants in front
 * @block: as in wsq_blocks_bytes()
 * @nr: blocks, spare ones included
 * @l: where to say what lies where; @blocks, @slots and @total
 *
 * Context: task; may sleep.
 * Return: as wsq_blocks_create().
 */
void *wsq_blocks_create_more(const struct wsq_container *ct, int node,
			     size_t head, size_t block, u32 nr,
			     struct wsq_blocks_layout *l)
{
	wsq_layout_blocks(l, head, block, nr, ct->pool->block_size,
			  offset_in_page(ct));
	return wsq_engine_alloc(l->total, node, GFP_KERNEL | __GFP_NOWARN);
}

/**
 * wsq_blocks_fill_dir() - fill in the directory of a queue's memory
 * @dir: the directory
 * @memory: what wsq_blocks_create() made for @ct
 * @l: the layout of @memory
 * @ct: the container
 *
 * Context: before any other context knows @dir.
 */
void wsq_blocks_fill_dir(struct wsq_bwos_dir *dir, void *memory,
			 const struct wsq_blocks_layout *l,
			 const struct wsq_container *ct)
{
	const struct wsq_pool *pool = ct->pool;

	dir->words = memory + l->dir;
	dir->blocks = memory + l->table;
	dir->spare = memory + l->spare;
	dir->held = memory + l->held;
	dir->max_entries = pool->max_blocks;
	dir->max_blocks = pool->max_blocks +
			  wsq_blocks_spares(pool->blocks, pool->max_blocks);
}

/**
 * wsq_blocks_may_grow() - number of blocks by which an engine may grow now
 * @dir: its directory, attached
 *
 * Context: any, in a section that keeps the memory.
 * Return: as many as there are, or as are left up to the maximum.
 */
u32 wsq_blocks_may_grow(const struct wsq_bwos_dir *dir)
{
	u32 now = wsq_bwos_nr_entries(dir);

	return min(now, dir->max_entries - now);
}
