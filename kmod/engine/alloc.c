// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for engines. What it is for is in alloc.h.
 */
#include <linux/gfp.h>
#include <linux/kmemleak.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "alloc.h"
#include "engine.h"

/* The first pages of a block of pages, zeroed; %NULL if there is none. */
static struct wsq_engine *wsq_engine_alloc_pages(size_t bytes, int node)
{
	unsigned int order = get_order(bytes);
	struct wsq_engine *engine;
	struct page *page;

	if (bytes > KMALLOC_MAX_SIZE)
		return NULL;
	/* As kvmalloc() asks kmalloc(): there is another way if this fails. */
	page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN |
				      __GFP_NORETRY, order);
	if (!page)
		return NULL;
	split_page(page, order);
	engine = page_address(page);
	free_pages_exact((void *)engine + bytes, (PAGE_SIZE << order) - bytes);
	/* Items of the engine may be known from here alone. */
	kmemleak_alloc(engine, bytes, 1, GFP_KERNEL);
	engine->pages = bytes >> PAGE_SHIFT;
	return engine;
}

/**
 * wsq_engine_alloc() - allocate a memory segment of an engine
 * @bytes: how much, at least a struct wsq_engine; rounded up to whole pages
 * @node: the node whose memory to use
 * @gfp: %GFP_KERNEL, or with %__GFP_NOWARN
 *
 * Context: task; may sleep.
 * Return: the memory, zeroed but for what is needed to free it, and aligned to
 * a page; %NULL if there is none.
 */
void *wsq_engine_alloc(size_t bytes, int node, gfp_t gfp)
{
	struct wsq_engine *engine;

	bytes = PAGE_ALIGN(bytes);
	engine = wsq_engine_alloc_pages(bytes, node);
	return engine ?: kvzalloc_node(bytes, gfp, node);
}

/**
 * wsq_engine_free() - free a memory segment of an engine
 * @engine: what wsq_engine_alloc() returned; no other context uses it
 *
 * Context: any but NMI and hard interrupts.
 */
void wsq_engine_free(struct wsq_engine *engine)
{
	if (!engine->pages) {
		kvfree(engine);
		return;
	}
	kmemleak_free(engine);
	free_pages_exact(engine, (size_t)engine->pages << PAGE_SHIFT);
}

static void wsq_engine_free_now(struct rcu_head *rcu)
{
	wsq_engine_free(container_of(rcu, struct wsq_engine, rcu));
}

/**
 * wsq_engine_free_rcu() - free a memory segment after a grace period
 * @engine: as in wsq_engine_free(), but thieves may still look at it
 *
 * Before the module goes, wsq_queues_settle() waits for it.
 *
 * Context: any but NMI.
 */
void wsq_engine_free_rcu(struct wsq_engine *engine)
{
	call_rcu(&engine->rcu, wsq_engine_free_now);
}
