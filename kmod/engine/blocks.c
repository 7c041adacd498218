// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of engines made of blocks. What it is for is in blocks.h.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "../core/bwos.h"
#include "blocks.h"

/*
 * Positions lie at least so far from the container, by their offset in a page:
 * an engine's position at the same offset as the container's own words makes
 * loads of the one wait for stores to the other.
 */
#define WSQ_ENGINE_APART	1024

static size_t wsq_layout_add(size_t *at, size_t bytes, size_t align)
{
	size_t here = ALIGN(*at, align);

	*at = here + bytes;
	return here;
}

/* Positions and slots of @all blocks, behind @at bytes of other things. */
static void wsq_layout_blocks(struct wsq_blocks_layout *l, size_t at,
			      size_t block, size_t all, u32 block_size,
			      size_t page_offset)
{
	at = ALIGN(at, SMP_CACHE_BYTES);
	at += (page_offset - at) & (PAGE_SIZE - 1);
	l->blocks = wsq_layout_add(&at, all * block, SMP_CACHE_BYTES);
	l->slots = wsq_layout_add(&at, all * block_size * sizeof(wsq_slot_t),
				  SMP_CACHE_BYTES);
	/* Whole pages: aligned to cache lines whoever serves them. */
	l->total = PAGE_ALIGN(at);
}

/**
 * wsq_blocks_spares() - spare blocks that an engine may have
 * @blocks: blocks that it begins with
 * @max_blocks: blocks that it may have
 *
 * It doubles with each piece but the last.
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

static void wsq_layout_make(struct wsq_blocks_layout *l, size_t head,
			    size_t block, u32 blocks, u32 max_blocks,
			    u32 block_size, size_t page_offset)
{
	size_t spares = wsq_blocks_spares(blocks, max_blocks);
	size_t at = head;

	l->dir = wsq_layout_add(&at, max_blocks * sizeof(atomic64_t),
				SMP_CACHE_BYTES);
	l->table = wsq_layout_add(&at, (max_blocks + spares) *
				  sizeof(atomic64_t), sizeof(atomic64_t));
	l->spare = wsq_layout_add(&at, spares * sizeof(u16), SMP_CACHE_BYTES);
	l->held = wsq_layout_add(&at, spares * sizeof(u16), sizeof(u16));
	wsq_layout_blocks(l, at, block, blocks + WSQ_SPARE_BLOCKS, block_size,
			  page_offset);
}

/* Where positions lie best in a page. */
static size_t wsq_layout_offset(const struct wsq_container *ct)
{
	return (offset_in_page(ct) + WSQ_ENGINE_APART) & (PAGE_SIZE - 1);
}

/**
 * wsq_blocks_sizes() - wsq_engine_sizes()
 * @blocks: as there
 * @max_blocks: as there
 * @block_size: as there
 *
 * Context: any.
 * Return: as there.
 */
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
 * wsq_blocks_bytes() - wsq_engine_bytes()
 * @head: bytes that the engine wants in front
 * @block: bytes of what thieves see of a block
 * @blocks: as there
 * @max_blocks: as there
 * @block_size: as there
 *
 * Context: any.
 * Return: as there.
 */
size_t wsq_blocks_bytes(size_t head, size_t block, u32 blocks, u32 max_blocks,
			u32 block_size)
{
	struct wsq_blocks_layout l;
	size_t offset, most = 0;

	for (offset = 0; offset < PAGE_SIZE; offset += SMP_CACHE_BYTES) {
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
 * Return: the memory, zeroed, for kvfree(); %NULL if there is none.
 */
void *wsq_blocks_create(const struct wsq_container *ct, int node, size_t head,
			size_t block, struct wsq_blocks_layout *l)
{
	const struct wsq_pool *pool = ct->pool;

	wsq_layout_make(l, head, block, pool->blocks, pool->max_blocks,
			pool->block_size, wsq_layout_offset(ct));
	return kvzalloc_node(l->total, GFP_KERNEL, node);
}

/**
 * wsq_blocks_create_more() - allocate a further piece of an engine's memory
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
			  wsq_layout_offset(ct));
	return kvzalloc_node(l->total, GFP_KERNEL | __GFP_NOWARN, node);
}

/**
 * wsq_blocks_fill_dir() - fill in the directory of a queue's memory
 * @dir: the directory
 * @memory: what wsq_blocks_create() made for @ct
 * @l: where what lies in it
 * @ct: the container
 *
 * Context: before anybody else knows @dir.
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
	dir->max_places = pool->max_blocks;
	dir->max_blocks = pool->max_blocks +
			  wsq_blocks_spares(pool->blocks, pool->max_blocks);
}

/**
 * wsq_blocks_may_grow() - by how many blocks an engine may grow now
 * @dir: its directory, mounted
 *
 * Context: any, in a section that keeps the memory.
 * Return: as many as there are, or what is left of what there may be.
 */
u32 wsq_blocks_may_grow(const struct wsq_bwos_dir *dir)
{
	u32 now = wsq_bwos_places(dir);

	return min(now, dir->max_places - now);
}
