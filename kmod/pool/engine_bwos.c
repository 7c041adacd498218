// SPDX-License-Identifier: GPL-2.0
/*
 * FIFO BWoS as an engine, its memory: one piece for directory, positions and
 * slots. Costs: positions of a cache line for each writer, 192 bytes a block.
 * Limitations: sizes are those of the pool, and do not change.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "engine.h"
#include "pool.h"

/* Blocks beyond those of the directory, for thieves that stopped midway. */
#define WSQ_SPARE_BLOCKS	2

/*
 * Positions lie at least so far from the container, by their offset in a page:
 * an engine's position at the same offset as the container's own words makes
 * loads of the one wait for stores to the other.
 */
#define WSQ_ENGINE_APART	1024

/**
 * struct wsq_engine_bwos - memory of an engine that is FIFO BWoS
 * @head: what all engines' memory has
 * @mem: its parts
 */
struct wsq_engine_bwos {
	struct wsq_engine head;
	struct wsq_bwos_mem mem;
};

/* Where the parts lie. */
struct wsq_layout {
	size_t dir;
	size_t spare;
	size_t held;
	size_t blocks;
	size_t slots;
	size_t total;
};

/* Stands for the blocks of engines without memory. Nobody writes to it. */
static struct wsq_bwos_block wsq_no_block;

static size_t wsq_layout_add(size_t *at, size_t bytes, size_t align)
{
	size_t here = ALIGN(*at, align);

	*at = here + bytes;
	return here;
}

static void wsq_layout_make(struct wsq_layout *l, u32 blocks, u32 block_size,
			    size_t page_offset)
{
	size_t at = sizeof(struct wsq_engine_bwos);
	size_t all = blocks + WSQ_SPARE_BLOCKS;

	l->dir = wsq_layout_add(&at, blocks * sizeof(atomic64_t),
				SMP_CACHE_BYTES);
	l->spare = wsq_layout_add(&at, WSQ_SPARE_BLOCKS * sizeof(u16),
				  SMP_CACHE_BYTES);
	l->held = wsq_layout_add(&at, WSQ_SPARE_BLOCKS * sizeof(u16),
				 sizeof(u16));
	at = ALIGN(at, SMP_CACHE_BYTES);
	at += (page_offset - at) & (PAGE_SIZE - 1);
	l->blocks = wsq_layout_add(&at, all * sizeof(struct wsq_bwos_block),
				   SMP_CACHE_BYTES);
	l->slots = wsq_layout_add(&at, all * block_size * sizeof(wsq_slot_t),
				  SMP_CACHE_BYTES);
	/* Whole pages: aligned to cache lines whoever serves them. */
	l->total = PAGE_ALIGN(at);
}

/**
 * wsq_engine_bwos_sizes() - wsq_engine_sizes()
 * @blocks: as there
 * @block_size: as there
 *
 * Context: any.
 * Return: as there.
 */
bool wsq_engine_bwos_sizes(u32 *blocks, u32 *block_size)
{
	*blocks = *blocks ?: WSQ_DEF_BLOCKS;
	*block_size = *block_size ?: WSQ_DEF_BLOCK_SIZE;
	return *blocks >= WSQ_BWOS_MIN_BLOCKS &&
	       *blocks <= WSQ_BWOS_MAX_BLOCKS &&
	       *block_size >= WSQ_BWOS_MIN_BLOCK_SIZE &&
	       *block_size <= WSQ_BWOS_MAX_BLOCK_SIZE;
}

/**
 * wsq_engine_bwos_bytes() - wsq_engine_bytes()
 * @blocks: as there
 * @block_size: as there
 *
 * Context: any.
 * Return: as there.
 */
size_t wsq_engine_bwos_bytes(u32 blocks, u32 block_size)
{
	size_t offset, most = 0;
	struct wsq_layout l;

	for (offset = 0; offset < PAGE_SIZE; offset += SMP_CACHE_BYTES) {
		wsq_layout_make(&l, blocks, block_size, offset);
		most = max(most, l.total);
	}
	return most;
}

/**
 * wsq_engine_bwos_init() - wsq_engine_init()
 * @ct: as there
 *
 * Context: as there.
 */
void wsq_engine_bwos_init(struct wsq_container *ct)
{
	wsq_bwos_fifo_init(&ct->bwos, &wsq_no_block);
}

/**
 * wsq_engine_bwos_create() - wsq_engine_create()
 * @ct: as there
 * @node: as there
 *
 * Context: as there.
 * Return: as there.
 */
struct wsq_engine *wsq_engine_bwos_create(const struct wsq_container *ct,
					  int node)
{
	const struct wsq_pool *pool = ct->pool;
	struct wsq_engine_bwos *engine;
	struct wsq_layout l;

	wsq_layout_make(&l, pool->blocks, pool->block_size,
			(offset_in_page(ct) + WSQ_ENGINE_APART) &
			(PAGE_SIZE - 1));
	engine = kvzalloc_node(l.total, GFP_KERNEL, node);
	if (!engine)
		return NULL;
	engine->mem.dir = (void *)engine + l.dir;
	engine->mem.spare = (void *)engine + l.spare;
	engine->mem.held = (void *)engine + l.held;
	engine->mem.blocks = (void *)engine + l.blocks;
	engine->mem.slots = (void *)engine + l.slots;
	engine->mem.nr_places = pool->blocks;
	engine->mem.block_size = pool->block_size;
	engine->mem.nr_spare = WSQ_SPARE_BLOCKS;
	return &engine->head;
}

/**
 * wsq_engine_bwos_mount() - wsq_engine_mount()
 * @ct: as there
 * @engine: as there
 *
 * Context: as there.
 */
void wsq_engine_bwos_mount(struct wsq_container *ct, struct wsq_engine *engine)
{
	wsq_bwos_fifo_mount(&ct->bwos,
			    &container_of(engine, struct wsq_engine_bwos,
					  head)->mem);
}

/**
 * wsq_engine_bwos_unmount() - take an empty engine's memory away
 * @ct: the container
 *
 * Context: its producer and consumer.
 * Return: true if it was empty.
 */
bool wsq_engine_bwos_unmount(struct wsq_container *ct)
{
	return wsq_bwos_fifo_unmount(&ct->bwos);
}
