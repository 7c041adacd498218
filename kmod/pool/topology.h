/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Topology: the machine as pools see it, and how far its CPUs are from each
 * other.
 *
 * The topology is an argument, not a global. The module fills one struct from
 * the kernel (compat/topology.h); tests fill theirs by hand. The access lists
 * follow from it. An access list is the order in which an idle CPU looks at
 * others: SMT siblings, CPUs that share the last-level cache, CPUs of the node,
 * then other nodes by distance (NUMA-aware policy of paper 001 section 2.1.3,
 * access lists of paper 000 section 4). CPUs that are equally far are in
 * ascending order from the thief's own number, then from the lowest, so that
 * thieves do not meet at one victim.
 */
#ifndef _WSQ_POOL_TOPOLOGY_H
#define _WSQ_POOL_TOPOLOGY_H

#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <uapi/linux/wsq.h>

#include "victim_pick.h"

/**
 * struct wsq_cpu_location - where one CPU is
 * @core: number of its core, which SMT siblings share; negative if the CPU does
 *	not exist
 * @cache: number of its last-level cache
 * @node: its memory node
 * @domain: number of its domain, from wsq_topology_domains()
 * @bit: its number in the domain, likewise
 */
struct wsq_cpu_location {
	int core;
	int cache;
	int node;
	u16 domain;
	u16 bit;
};

/**
 * struct wsq_topology - the machine
 * @nr_cpus: CPU numbers are below this
 * @nr_nodes: node numbers are below this
 * @cpus: locations of @nr_cpus CPUs
 * @distance: node distances, @nr_nodes times @nr_nodes
 * @access: access lists by CPU, %NULL until first asked for; written under
 *	@lock, then constant
 * @nr_domains: number of domains, 0 until first asked for; written under @lock
 * @lock: serializes the making of access lists
 */
struct wsq_topology {
	unsigned int nr_cpus;
	unsigned int nr_nodes;
	struct wsq_cpu_location *cpus;
	u8 *distance;
	struct wsq_access **access;
	unsigned int nr_domains;
	struct mutex lock;		/* for @access and @nr_domains */
};

int wsq_topology_init(struct wsq_topology *topo, unsigned int nr_cpus,
		      unsigned int nr_nodes);
void wsq_topology_exit(struct wsq_topology *topo);
const struct wsq_access *wsq_topology_access(struct wsq_topology *topo,
					     unsigned int cpu);
unsigned int wsq_topology_domains(struct wsq_topology *topo);
enum wsq_distance wsq_topology_distance(const struct wsq_topology *topo,
					unsigned int a, unsigned int b);

#endif /* _WSQ_POOL_TOPOLOGY_H */
