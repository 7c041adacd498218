/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of an engine: one piece for directory, positions and slots, of the
 * container's node.
 *
 * A raw pool and a resident queue have it from the start. Any other queue's
 * container gets it when it is busy, and gives it back when it is idle: a
 * thousand queues that are used now and then shall not hold a thousand times
 * the memory of a busy one on every CPU. Puts allocate nothing; memory is
 * allocated and offered in task context (kmod/exec/memory.c), mounted by
 * whoever is producer and consumer on the CPU, and freed after a grace period.
 */
#ifndef _WSQ_POOL_ENGINE_H
#define _WSQ_POOL_ENGINE_H

#include <linux/rcupdate.h>

#include "container.h"

/**
 * struct wsq_engine - memory of an engine
 * @rcu: to free it
 * @mem: its parts
 */
struct wsq_engine {
	struct rcu_head rcu;
	struct wsq_bwos_mem mem;
};

size_t wsq_engine_bytes(u32 blocks, u32 block_size);
struct wsq_engine *wsq_engine_create(const struct wsq_container *ct, int node,
				     u32 blocks, u32 block_size);
void wsq_engine_mount(struct wsq_container *ct, struct wsq_engine *engine);
bool wsq_engine_offer(struct wsq_container *ct, struct wsq_engine *engine);
bool wsq_engine_accept(struct wsq_container *ct);
bool wsq_engine_give_back(struct wsq_container *ct);

#endif /* _WSQ_POOL_ENGINE_H */
