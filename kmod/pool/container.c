// SPDX-License-Identifier: GPL-2.0
/*
 * Containers: make, free, and what happens when their CPU goes and comes.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "container.h"
#include "../engine/engine.h"
#include "grow.h"
#include "pool.h"

/**
 * wsq_container_bytes() - memory of one container, without its engine's
 * @raw: whether tasks have no link of their own
 *
 * Context: any.
 * Return: bytes.
 */
size_t wsq_container_bytes(bool raw)
{
	return sizeof(struct wsq_container) +
	       (raw ? sizeof(struct wsq_raw) : 0);
}
WSQ_EXPORT_KUNIT(wsq_container_bytes);

/**
 * wsq_container_create() - make a container
 * @pool: the pool it belongs to
 * @cpu: the CPU that owns it
 * @node: the node whose memory to use
 *
 * Context: task; may sleep.
 * Return: the container, or %NULL without memory.
 */
struct wsq_container *wsq_container_create(struct wsq_pool *pool,
					   unsigned int cpu, int node)
{
	struct wsq_container *ct;
	unsigned int i;

	/* A power of two is aligned to itself, so to cache lines. */
	ct = kzalloc_node(roundup_pow_of_two(wsq_container_bytes(pool->raw)),
			  GFP_KERNEL, node);
	if (!ct)
		return NULL;
	ct->pool = pool;
	ct->cpu = cpu;
	ct->kind = pool->kind;
	ct->where = wsq_where_base(pool->id, cpu);
	wsq_entry_init(&ct->open);
	wsq_entry_init(&ct->bound);
	wsq_engine_init(ct);
	if (pool->raw) {
		ct->raw = (void *)(ct + 1);
		for (i = 0; i < WSQ_RAW_LINKS; i++)
			ct->raw->links[i].home = ct;
	}
	if (pool->raw || pool->resident) {
		struct wsq_engine *engine;

		engine = wsq_engine_create(ct, node);
		if (!engine) {
			kfree(ct);
			return NULL;
		}
		wsq_engine_mount(ct, engine);
	}
	return ct;
}

/**
 * wsq_container_destroy() - give a container's memory back
 * @ct: the container, or %NULL; nobody uses it any more
 *
 * Context: task; may sleep.
 */
void wsq_container_destroy(struct wsq_container *ct)
{
	if (!ct)
		return;
	wsq_engine_settle(ct);
	wsq_engine_destroy(ct->engine);
	wsq_engine_destroy(ct->offered);
	wsq_grow_drop(ct);
	kfree(ct);
}

/**
 * wsq_container_orphan() - the container's CPU is its owner no longer
 * @ct: the container
 *
 * Context: task. Nobody is producer or consumer, nor will be on that CPU: it is
 * dead, or it has left the pool and a grace period has passed. One that was an
 * orphan before may be in foster care at this moment, and stays so.
 */
void wsq_container_orphan(struct wsq_container *ct)
{
	if (atomic_read(&ct->orphan) == WSQ_OWNED)
		wsq_engine_orphan(ct);
	/* OR(orphan:A) */
	atomic_cmpxchg_release(&ct->orphan, WSQ_OWNED, WSQ_ORPHAN);
}

/**
 * wsq_container_reclaim() - the container's CPU is about to own it again
 * @ct: the container
 *
 * Context: task; may sleep. The CPU does not use it yet.
 */
void wsq_container_reclaim(struct wsq_container *ct)
{
	while (atomic_read(&ct->orphan) != WSQ_OWNED) {
		/* OR(reclaim:A) */
		if (atomic_cmpxchg_acquire(&ct->orphan, WSQ_ORPHAN,
					   WSQ_OWNED) == WSQ_ORPHAN)
			return;
		/* A foster consumer is at it, with preemption off. */
		cond_resched();
	}
}
