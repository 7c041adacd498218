/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pool: the containers of all CPUs under one policy. Internal half; what other
 * modules see is in <linux/wsq.h>.
 */
#ifndef _WSQ_POOL_POOL_H
#define _WSQ_POOL_POOL_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/wsq.h>

#include "container.h"
#include "topology.h"

#define WSQ_NAME_LEN		32

/* Tasks have no link of their own. */
#define WSQ_NO_LINK		(-1)

/**
 * struct wsq_pool - containers of all CPUs
 * @topo: the machine. Constant.
 * @ct: containers by CPU, %NULL where there is none. Set before the pool is
 *	known or, for a CPU that comes online later, with release.
 * @link_offset: where in a task its link is, or %WSQ_NO_LINK. Constant.
 * @blocks: as in struct wsq_attrs. Constant.
 * @block_size: as in struct wsq_attrs. Constant.
 * @cpus: CPUs that may have a container. Constant.
 * @hotplug: entry in the list of pools that hear of CPUs that come and go
 * @on_orphan: called in task context when a CPU left tasks behind; may be %NULL
 * @steals: tasks taken by wsq_pool_pop() from other CPUs. Anybody, relaxed.
 * @live: all CPUs that were online when it was made have their container. Set
 *	once.
 * @name: for people
 */
struct wsq_pool {
	struct wsq_topology *topo;
	struct wsq_container **ct;
	int link_offset;
	u32 blocks;
	u32 block_size;
	cpumask_var_t cpus;
	struct hlist_node hotplug;
	void (*on_orphan)(struct wsq_pool *pool, unsigned int cpu);
	atomic64_t steals;
	bool live;
	char name[WSQ_NAME_LEN];
};

int wsq_pool_init(struct wsq_pool *pool, struct wsq_topology *topo,
		  const struct wsq_attrs *attrs, int link_offset);
void wsq_pool_exit(struct wsq_pool *pool);
unsigned int wsq_pool_nearest(const struct wsq_pool *pool, unsigned int cpu);

int wsq_pool_module_init(void);
void wsq_pool_module_exit(void);

extern struct wsq_topology wsq_machine;

/* The container of a CPU, or NULL. */
static inline struct wsq_container *wsq_pool_ct(const struct wsq_pool *pool,
						unsigned int cpu)
{
	/*
	 * Pairs with the release in wsq_pool_cpu_up(): whatever is read of a
	 * container is read through this address. Cheaper than acquire where
	 * that is an instruction.
	 */
	return READ_ONCE(pool->ct[cpu]);
}

static inline atomic64_t *wsq_task_link(const struct wsq_pool *pool, void *task)
{
	return task + pool->link_offset;
}

static inline void *wsq_link_task(const struct wsq_pool *pool, atomic64_t *link)
{
	return (void *)link - pool->link_offset;
}

#endif /* _WSQ_POOL_POOL_H */
