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

static void wsq_layout_make(struct wsq_blocks_layout *l, size_t head,
			    size_t block, u32 blocks, u32 block_size,
			    size_t page_offset)
{
	size_t all = blocks + WSQ_SPARE_BLOCKS;
	size_t at = head;

	l->dir = wsq_layout_add(&at, blocks * sizeof(atomic64_t),
				SMP_CACHE_BYTES);
	l->spare = wsq_layout_add(&at, WSQ_SPARE_BLOCKS * sizeof(u16),
				  SMP_CACHE_BYTES);
	l->held = wsq_layout_add(&at, WSQ_SPARE_BLOCKS * sizeof(u16),
				 sizeof(u16));
	at = ALIGN(at, SMP_CACHE_BYTES);
	at += (page_offset - at) & (PAGE_SIZE - 1);
	l->blocks = wsq_layout_add(&at, all * block, SMP_CACHE_BYTES);
	l->slots = wsq_layout_add(&at, all * block_size * sizeof(wsq_slot_t),
				  SMP_CACHE_BYTES);
	/* Whole pages: aligned to cache lines whoever serves them. */
	l->total = PAGE_ALIGN(at);
}

/**
 * wsq_blocks_sizes() - wsq_engine_sizes()
 * @blocks: as there
 * @block_size: as there
 *
 * Context: any.
 * Return: as there.
 */
bool wsq_blocks_sizes(u32 *blocks, u32 *block_size)
{
	*blocks = *blocks ?: WSQ_DEF_BLOCKS;
	*block_size = *block_size ?: WSQ_DEF_BLOCK_SIZE;
	return *blocks >= WSQ_BWOS_MIN_BLOCKS &&
	       *blocks <= WSQ_BWOS_MAX_BLOCKS &&
	       *block_size >= WSQ_BWOS_MIN_BLOCK_SIZE &&
	       *block_size <= WSQ_BWOS_MAX_BLOCK_SIZE;
}

/**
 * wsq_blocks_bytes() - wsq_engine_bytes()
 * @head: bytes that the engine wants in front
 * @block: bytes of what thieves see of a block
 * @blocks: as there
 * @block_size: as there
 *
 * Context: any.
 * Return: as there.
 */
size_t wsq_blocks_bytes(size_t head, size_t block, u32 blocks, u32 block_size)
{
	struct wsq_blocks_layout l;
	size_t offset, most = 0;

	for (offset = 0; offset < PAGE_SIZE; offset += SMP_CACHE_BYTES) {
		wsq_layout_make(&l, head, block, blocks, block_size, offset);
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

	wsq_layout_make(l, head, block, pool->blocks, pool->block_size,
			(offset_in_page(ct) + WSQ_ENGINE_APART) &
			(PAGE_SIZE - 1));
	return kvzalloc_node(l->total, GFP_KERNEL, node);
}
