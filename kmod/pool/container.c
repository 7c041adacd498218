// SPDX-License-Identifier: GPL-2.0
/* Containers: create, destroy, and what CPU hotplug does to them. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "container.h"
#include "../engine/engine.h"
#include "grow.h"
#include "pool.h"
#include "reach.h"

/* Size of a container without its engine's memory, in bytes. */
static size_t wsq_container_bytes(const struct wsq_pool *pool)
{
	if (pool->pointers)
		return sizeof(struct wsq_container) + sizeof(struct wsq_pointer_inbox);
	return max_t(size_t, pool->ct_bytes, sizeof(struct wsq_container));
}

/**
 * wsq_container_create() - create a container
 * @pool: the pool it belongs to
 * @cpu: the CPU that owns it
 * @node: the node whose memory to use
 *
 * Context: task; may sleep.
 * Return: the container; %NULL if there is no memory.
 */
struct wsq_container *wsq_container_create(struct wsq_pool *pool,
					   unsigned int cpu, int node)
{
	struct wsq_container *ct;
	unsigned int i;

	/* A power of two is aligned to itself, so to cache lines. */
	ct = kzalloc_node(max(roundup_pow_of_two(wsq_container_bytes(pool)),
			      WSQ_CONTAINER_ALIGN), GFP_KERNEL, node);
	if (!ct)
		return NULL;
	ct->pool = pool;
	ct->cpu = cpu;
	ct->kind = pool->kind;
	wsq_engine_init(ct);
	if (pool->pointers) {
		ct->pointer = (void *)(ct + 1);
		wsq_inbox_init(&ct->pointer->inbox);
		for (i = 0; i < WSQ_POINTER_LINKS; i++)
			ct->pointer->links[i].home = ct;
	}
	if (pool->ct_init)
		pool->ct_init(ct);
	if (pool->pointers || pool->resident) {
		struct wsq_engine *engine;

		engine = wsq_engine_create(ct, node);
		if (!engine) {
			kfree(ct);
			return NULL;
		}
		wsq_engine_attach(ct, engine);
	}
	return ct;
}

/**
 * wsq_container_destroy() - free a container
 * @ct: the container, no longer in use, or %NULL
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
 * wsq_container_cpu_dead() - let any CPU consume from a container
 * @ct: the container
 *
 * Context: task. Its CPU is neither producer nor consumer, and will not become
 * either: the CPU is dead, or it has left the pool and a grace period has
 * passed. If the container was a dead CPU's before, another CPU may have
 * adopted it at this moment, and keeps it. Thieves can take every task of a
 * dead CPU's container.
 */
void wsq_container_cpu_dead(struct wsq_container *ct)
{
	if (atomic_read(&ct->ownership) == WSQ_OWNED)
		wsq_engine_cpu_dead(ct);
	/* OR(dead:A) */
	atomic_cmpxchg_release(&ct->ownership, WSQ_OWNED, WSQ_DEAD_CPU);
	wsq_reach_set(ct);
}

/**
 * wsq_container_reclaim() - return a container to its own CPU
 * @ct: the container
 *
 * Context: task; may sleep. The own CPU does not use the container yet.
 */
void wsq_container_reclaim(struct wsq_container *ct)
{
	while (atomic_read(&ct->ownership) != WSQ_OWNED) {
		/* OR(reclaim:A) */
		if (atomic_cmpxchg_acquire(&ct->ownership, WSQ_DEAD_CPU,
					   WSQ_OWNED) == WSQ_DEAD_CPU)
			return;
		/*
		 * Another CPU has adopted it for a moment, with preemption off.
		 */
		cond_resched();
	}
}
