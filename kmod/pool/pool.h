/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pool: the containers of all CPUs under one policy. This is the internal part;
 * <linux/wsq.h> has the interface for other modules.
 *
 *	ME(have:A), ME(join:A) release -> a look at the container, by its
 *	address
 *		A container is found as it was made. litmus/pool-member.litmus
 *	ME(join:A), ME(copy:A), ME(copy:B), ME(leave:A) against ME(any:A)
 *		A put that sees one CPU leave, or another as a member, finds a
 *		container. ME(copy:B) and the release of ME(leave:A) are not
 *		needed for that. litmus/pool-nearest.litmus
 *	ME(near:A) release -> ME(near:B) acquire
 *		What a CPU remembers as its nearest member is from before a
 *		change, and not used again, or it saw those that have joined.
 *		litmus/pool-near.litmus
 */
#ifndef _WSQ_POOL_POOL_H
#define _WSQ_POOL_POOL_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/numa.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <linux/wsq_attrs.h>

#include "container.h"
#include "topology.h"

#define WSQ_NAME_LEN		32

struct wsq_growth;
struct wsq_reach_all;
struct wsq_waiting;

/**
 * struct wsq_pool - containers of all CPUs
 * @topo: the machine. Constant.
 * @ct: containers of the member CPUs, by CPU; %NULL for others. Written under
 *	the CPU hotplug lock, with release; read with preemption off. A CPU that
 *	finds its own container may put and take by it.
 * @all: all containers, including those of CPUs that have left the pool. Set
 *	with release.
 * @near: what each CPU that is no member remembers as its nearest member: the
 *	member's number, and @near_change << 16. That CPU. A hint.
 * @near_change: number of the last change that may have brought nearer members;
 *	never 0. Written under the CPU hotplug lock, with release.
 * @ct_bytes: size of a container and what the pool's user has behind it; 0 if
 *	it has nothing. Constant.
 * @kind: which engine. Constant.
 * @salsa: state shared by all CPUs, with %WSQ_SALSA. Constant.
 * @mult: likewise with %WSQ_WS_MULT
 * @multiplicity: as in struct wsq_attrs. Constant.
 * @reach: which CPUs have something for thieves; %NULL in a queue's pool, where
 *	the workers know. Constant.
 * @pointers: tasks have no link of their own. Constant.
 * @nonmembers: the answer of wsq_pool_nonmembers(). Constant.
 * @resident: engines have their memory from the start. Constant.
 * @live: all CPUs that were online at its creation have a container. Set once.
 * @blocks: as in struct wsq_attrs. Constant.
 * @max_blocks: as in struct wsq_attrs, but never 0. Constant.
 * @block_size: as in struct wsq_attrs. Constant.
 * @cpus: member CPUs, including those that are offline. Written under the CPU
 *	hotplug lock.
 * @hotplug: entry in the list of pools that CPU hotplug notifies
 * @ct_init: called in task context for each new container; may be %NULL
 * @on_dead_cpu: called in task context when a CPU has died and left tasks
 *	behind; may be %NULL
 * @policy: how a thief picks a victim: an enum wsq_steal_policy, not the
 *	default. Any CPU may change it (victim.c).
 * @batch: how many tasks a thief takes: an enum wsq_steal_batch, not the
 *	default. As @policy.
 * @growth: how its engines get more memory; %NULL if they cannot. Constant.
 * @overflow: as in struct wsq_attrs. Constant.
 * @overflow_fn: likewise
 * @overflow_arg: likewise
 * @waiting: callers that wait for space; %NULL without %WSQ_OVERFLOW_WAIT.
 *	Constant.
 * @name: for people
 * @list: in @wsq_pools, if a user created it. @wsq_pools_lock
 */
struct wsq_pool {
	struct wsq_topology *topo;
	struct wsq_container **ct;
	struct wsq_container **all;
	u32 *near;
	u16 near_change;
	u32 ct_bytes;
	enum wsq_engine_type kind;
	struct wsq_salsa *salsa;
	struct wsq_mult_pool *mult;
	u32 multiplicity;
	struct wsq_reach_all *reach;
	bool pointers;
	bool nonmembers;
	bool resident;
	bool live;
	u32 blocks;
	u32 max_blocks;
	u32 block_size;
	cpumask_var_t cpus;
	struct hlist_node hotplug;
	void (*ct_init)(struct wsq_container *ct);
	void (*on_dead_cpu)(struct wsq_pool *pool, unsigned int cpu);
	u32 policy;
	u32 batch;
	struct wsq_growth *growth;
	enum wsq_overflow overflow;
	wsq_overflow_fn_t overflow_fn;
	void *overflow_arg;
	struct wsq_waiting *waiting;
	char name[WSQ_NAME_LEN];
	struct list_head list;
};

int wsq_pool_init(struct wsq_pool *pool, struct wsq_topology *topo,
		  const struct wsq_attrs *attrs, bool pointers);
void wsq_pool_exit(struct wsq_pool *pool);
int wsq_pool_set_cpus(struct wsq_pool *pool, const struct cpumask *cpus,
		      struct cpumask *left);
unsigned int wsq_pool_nearest(const struct wsq_pool *pool, unsigned int cpu);
int wsq_pool_put_here(struct wsq_pool *pool, void *task);

int wsq_pool_module_init(void);
void wsq_pool_module_exit(void);

extern struct wsq_topology wsq_machine;
extern struct workqueue_struct *wsq_maintenance;
extern struct list_head wsq_pools;
extern struct mutex wsq_pools_lock;

/* If the CPU's node is offline, the memory comes from a nearby node. */
static inline int wsq_cpu_node(unsigned int cpu)
{
	return node_online(cpu_to_node(cpu)) ? cpu_to_node(cpu) : NUMA_NO_NODE;
}

/* The container of a member CPU, or NULL. */
static inline struct wsq_container *wsq_pool_ct(const struct wsq_pool *pool,
						unsigned int cpu)
{
	/*
	 * Pairs with the release in wsq_pool_join(): all reads of the container
	 * depend on this address. That is cheaper than an acquire where an
	 * acquire is an instruction.
	 */
	return READ_ONCE(pool->ct[cpu]);
}

/* The container of a CPU that is or was a member, or NULL. */
static inline struct wsq_container *wsq_pool_any(const struct wsq_pool *pool,
						 unsigned int cpu)
{
	return READ_ONCE(pool->all[cpu]);
}

/*
 * Do non-member CPUs put and take by a container of their own? The tasks that a
 * non-member puts go to members. It keeps what it has stolen, and tasks that
 * find no space at the members although the pool is empty.
 */
static inline bool wsq_pool_nonmembers(const struct wsq_pool *pool)
{
	return pool->nonmembers;
}

/*
 * The container by which this CPU puts and takes, or NULL. Preemption is off.
 */
static inline struct wsq_container *wsq_pool_mine(const struct wsq_pool *pool)
{
	struct wsq_container *ct = wsq_pool_ct(pool, smp_processor_id());

	if (unlikely(!ct) && wsq_pool_nonmembers(pool))
		ct = wsq_pool_any(pool, smp_processor_id());
	return ct;
}

#endif /* _WSQ_POOL_POOL_H */
