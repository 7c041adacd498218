// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of engines. What it is for is in engine.h.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "engine.h"
#include "pool.h"

/*
 * Positions lie at least so far from the container, by their offset in a page:
 * an engine's position at the same offset as the container's own words makes
 * loads of the one wait for stores to the other.
 */
#define WSQ_ENGINE_APART	1024

/* Where the parts lie. */
struct wsq_layout {
	size_t dir;
	size_t spare;
	size_t held;
	size_t blocks;
	size_t slots;
	size_t total;
};

static size_t wsq_layout_add(size_t *at, size_t bytes, size_t align)
{
	size_t here = ALIGN(*at, align);

	*at = here + bytes;
	return here;
}

static void wsq_layout_make(struct wsq_layout *l, u32 blocks, u32 block_size,
			    size_t page_offset)
{
	size_t at = sizeof(struct wsq_engine);
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
 * wsq_engine_bytes() - memory of an engine, at most
 * @blocks: as in struct wsq_attrs
 * @block_size: as in struct wsq_attrs
 *
 * Context: any.
 * Return: bytes, to the page.
 */
size_t wsq_engine_bytes(u32 blocks, u32 block_size)
{
	size_t offset, most = 0;
	struct wsq_layout l;

	for (offset = 0; offset < PAGE_SIZE; offset += SMP_CACHE_BYTES) {
		wsq_layout_make(&l, blocks, block_size, offset);
		most = max(most, l.total);
	}
	return most;
}
WSQ_EXPORT(wsq_engine_bytes);

/**
 * wsq_engine_create() - allocate an engine's memory
 * @ct: the container it is for
 * @node: the node whose memory to use
 * @blocks: as in struct wsq_attrs
 * @block_size: as in struct wsq_attrs
 *
 * Context: task; may sleep.
 * Return: the memory, or %NULL.
 */
struct wsq_engine *wsq_engine_create(const struct wsq_container *ct, int node,
				     u32 blocks, u32 block_size)
{
	struct wsq_engine *engine;
	struct wsq_layout l;

	wsq_layout_make(&l, blocks, block_size,
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
	engine->mem.nr_places = blocks;
	engine->mem.block_size = block_size;
	engine->mem.nr_spare = WSQ_SPARE_BLOCKS;
	return engine;
}

/**
 * wsq_engine_mount() - put an engine's memory to use
 * @ct: the container, without engine memory
 * @engine: the memory
 *
 * Context: before anybody else knows @ct, or as its producer and consumer.
 */
void wsq_engine_mount(struct wsq_container *ct, struct wsq_engine *engine)
{
	ct->engine = engine;
	wsq_bwos_fifo_mount(&ct->fifo, &engine->mem);
}

/**
 * wsq_engine_offer() - leave memory for a container's CPU to mount
 * @ct: the container
 * @engine: the memory, %NULL if there was none to be had
 *
 * Context: task, one at a time for @ct.
 * Return: true if it was taken in.
 */
bool wsq_engine_offer(struct wsq_container *ct, struct wsq_engine *engine)
{
	if (engine)
		/*
		 * Pairs with the exchange in wsq_engine_accept(). One that asked
		 * again before it saw the last offer has had that in vain.
		 */
		kvfree(xchg(&ct->offered, engine));
	/* Who sees this sees the offer. */
	smp_store_release(&ct->wanted, false);
	return engine;
}

/**
 * wsq_engine_accept() - mount what was offered
 * @ct: container of this CPU, or an orphan in foster care
 *
 * Context: task, with preemption off.
 * Return: true if the engine has memory now.
 */
bool wsq_engine_accept(struct wsq_container *ct)
{
	bool done = false;

	if (!READ_ONCE(ct->offered) || ct->engine)
		return ct->engine;
	if (!wsq_put_begin(ct))
		return false;
	if (wsq_get_begin(ct)) {
		/* Housekeeping may have taken it back. */
		struct wsq_engine *engine = xchg(&ct->offered, NULL);

		if (engine) {
			wsq_engine_mount(ct, engine);
			ct->entered = 0;
			done = true;
		}
		wsq_get_end(ct);
	}
	wsq_put_end(ct);
	return done;
}

/**
 * wsq_engine_give_back() - free an idle engine's memory
 * @ct: container of this CPU
 *
 * Context: task, with preemption off.
 * Return: true if there is none any more.
 */
bool wsq_engine_give_back(struct wsq_container *ct)
{
	struct wsq_bwos_mem *mem = NULL;

	if (!ct->engine)
		return true;
	if (!wsq_put_begin(ct))
		return false;
	if (wsq_get_begin(ct)) {
		mem = wsq_bwos_fifo_unmount(&ct->fifo);
		if (mem) {
			struct wsq_engine *engine = ct->engine;

			ct->engine = NULL;
			/* Thieves may still look. */
			kvfree_rcu(engine, rcu);
		}
		wsq_get_end(ct);
	}
	wsq_put_end(ct);
	return mem;
}
