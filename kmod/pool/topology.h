/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which CPU is how far from which: the machine as pools see it.
 *
 * An argument, not a global: the module fills one struct from the kernel
 * (compat/topology.h), tests fill theirs by hand. From it follow the access
 * lists, the order in which an idle CPU looks at others: SMT siblings, CPUs
 * that share the last-level cache, those of the node, then other nodes by
 * distance (NUMA-aware policy of paper 001 section 2.1.3, access lists of
 * paper 000 section 4). CPUs equally far are taken in an order that begins
 * behind the thief's own number, so that thieves do not meet at one victim.
 */
#ifndef _WSQ_POOL_TOPOLOGY_H
#define _WSQ_POOL_TOPOLOGY_H

#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <uapi/linux/wsq.h>

#include "victim_pick.h"

/**
 * struct wsq_place - where one CPU is
 * @core: number of its core; CPUs with the same one are SMT siblings;
 *	negative if there is no such CPU
 * @cache: number of its last-level cache
 * @node: its memory node
 */
struct wsq_place {
	int core;
	int cache;
	int node;
};

/**
 * struct wsq_topology - the machine
 * @nr_cpus: CPU numbers are below this
 * @nr_nodes: node numbers are below this
 * @places: @nr_cpus places
 * @distance: node distances, @nr_nodes times @nr_nodes
 * @access: access lists by CPU, %NULL until first asked for; written under
 *	@lock, then constant
 * @lock: makes one access list at a time
 */
struct wsq_topology {
	unsigned int nr_cpus;
	unsigned int nr_nodes;
	struct wsq_place *places;
	u8 *distance;
	struct wsq_access **access;
	struct mutex lock;		/* for @access */
};

int wsq_topology_init(struct wsq_topology *topo, unsigned int nr_cpus,
		      unsigned int nr_nodes);
void wsq_topology_exit(struct wsq_topology *topo);
const struct wsq_access *wsq_topology_access(struct wsq_topology *topo,
					     unsigned int cpu);
enum wsq_distance wsq_topology_distance(const struct wsq_topology *topo,
					unsigned int a, unsigned int b);

#endif /* _WSQ_POOL_TOPOLOGY_H */
