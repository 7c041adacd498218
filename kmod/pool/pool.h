/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pool: the containers of all CPUs under one policy. Internal half; what other
 * modules see is in <linux/wsq.h>.
 *
 *	ME(have:A), ME(join:A) release -> a look at the container, by its
 *	address
 *		A container is found as it was made. litmus/pool-member.litmus
 *	ME(join:A), ME(copy:A), ME(copy:B), ME(leave:A) against ME(any:A)
 *		A put that sees one CPU leave, or another as a member, finds a
 *		container. ME(copy:B) and the release of ME(leave:A) are not
 *		needed for that. litmus/pool-nearest.litmus
 */
#ifndef _WSQ_POOL_POOL_H
#define _WSQ_POOL_POOL_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/numa.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <linux/wsq.h>

#include "container.h"
#include "topology.h"

#define WSQ_NAME_LEN		32

struct wsq_growth;
struct wsq_waiting;

/**
 * struct wsq_pool - containers of all CPUs
 * @topo: the machine. Constant.
 * @ct: containers of the CPUs that have a part in the pool, by CPU; %NULL for
 *	others. Written under the CPU hotplug lock, with release; read with
 *	preemption off: who finds one may use it as its CPU does
 * @all: all containers, those of CPUs that left included. Set with release.
 * @id: number of the queue that the pool belongs to. Constant.
 * @kind: which engine. Constant.
 * @salsa: what its CPUs share, with %WSQ_SALSA. Constant.
 * @raw: tasks have no link of their own. Constant.
 * @guests: of wsq_pool_guests(). Constant.
 * @resident: engines have their memory from the start. Constant.
 * @live: all CPUs that were online when it was made have their container. Set
 *	once.
 * @blocks: as in struct wsq_attrs. Constant.
 * @max_blocks: as in struct wsq_attrs, but never 0. Constant.
 * @block_size: as in struct wsq_attrs. Constant.
 * @cpus: CPUs that have a part, or will when they come. Written under the CPU
 *	hotplug lock.
 * @hotplug: entry in the list of pools that hear of CPUs that come and go
 * @on_orphan: called in task context when a CPU left tasks behind; may be %NULL
 * @policy: whom its CPUs rob, an enum wsq_steal_policy but the default. Anybody
 *	may change it (victim.c).
 * @batch: how much they take, an enum wsq_steal_batch but the default. As
 *	@policy.
 * @growth: how its engines get more memory; %NULL if they do not. Constant.
 * @overflow: as in struct wsq_attrs. Constant.
 * @overflow_fn: likewise
 * @overflow_arg: likewise
 * @waiting: who waits for room; %NULL without %WSQ_OVERFLOW_WAIT. Constant.
 * @name: for people
 */
struct wsq_pool {
	struct wsq_topology *topo;
	struct wsq_container **ct;
	struct wsq_container **all;
	u32 id;
	enum wsq_engine_type kind;
	struct wsq_salsa *salsa;
	bool raw;
	bool guests;
	bool resident;
	bool live;
	u32 blocks;
	u32 max_blocks;
	u32 block_size;
	cpumask_var_t cpus;
	struct hlist_node hotplug;
	void (*on_orphan)(struct wsq_pool *pool, unsigned int cpu);
	u32 policy;
	u32 batch;
	struct wsq_growth *growth;
	enum wsq_overflow overflow;
	wsq_overflow_fn_t overflow_fn;
	void *overflow_arg;
	struct wsq_waiting *waiting;
	char name[WSQ_NAME_LEN];
};

int wsq_pool_init(struct wsq_pool *pool, struct wsq_topology *topo,
		  const struct wsq_attrs *attrs, bool raw);
void wsq_pool_exit(struct wsq_pool *pool);
int wsq_pool_set_cpus(struct wsq_pool *pool, const struct cpumask *cpus,
		      struct cpumask *left);
unsigned int wsq_pool_nearest(const struct wsq_pool *pool, unsigned int cpu);
int wsq_pool_put_here(struct wsq_pool *pool, void *task);

int wsq_pool_module_init(void);
void wsq_pool_module_exit(void);

extern struct wsq_topology wsq_machine;
extern struct workqueue_struct *wsq_housekeeping;

/* Of a node that is still offline, nearby memory must do. */
static inline int wsq_cpu_node(unsigned int cpu)
{
	return node_online(cpu_to_node(cpu)) ? cpu_to_node(cpu) : NUMA_NO_NODE;
}

/* The container of a CPU that has a part in the pool, or NULL. */
static inline struct wsq_container *wsq_pool_ct(const struct wsq_pool *pool,
						unsigned int cpu)
{
	/*
	 * Pairs with the release in wsq_pool_join(): whatever is read of a
	 * container is read through this address. Cheaper than acquire where
	 * that is an instruction.
	 */
	return READ_ONCE(pool->ct[cpu]);
}

/* The container of a CPU, whether it still has a part or not, or NULL. */
static inline struct wsq_container *wsq_pool_any(const struct wsq_pool *pool,
						 unsigned int cpu)
{
	return READ_ONCE(pool->all[cpu]);
}

/*
 * Do CPUs that have no part in the pool put and take by a container of their
 * own? A guest's tasks go to members; it keeps what it has stolen, and what finds
 * no room there although nothing is in the pool.
 */
static inline bool wsq_pool_guests(const struct wsq_pool *pool)
{
	return pool->guests;
}

/* By which this CPU puts and takes, or NULL. Preemption is off. */
static inline struct wsq_container *wsq_pool_mine(const struct wsq_pool *pool)
{
	struct wsq_container *ct = wsq_pool_ct(pool, smp_processor_id());

	if (unlikely(!ct) && wsq_pool_guests(pool))
		ct = wsq_pool_any(pool, smp_processor_id());
	return ct;
}

#endif /* _WSQ_POOL_POOL_H */
