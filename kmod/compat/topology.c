// SPDX-License-Identifier: GPL-2.0
/*
 * Gather the machine's topology from the running kernel.
 *
 * x86 has the last-level cache of a CPU, as a function up to 6.6 and as a
 * member of its CPU data since. On other architectures modules cannot get cache
 * numbers, and the package number is used instead.
 */
#include <linux/cpumask.h>
#include <linux/nodemask.h>
#include <linux/topology.h>
#include <linux/version.h>

#if defined(CONFIG_X86) && !defined(CONFIG_UML)
#include <asm/processor.h>
#endif

#include "../pool/topology.h"
#include "topology.h"

static int wsq_cache_of(unsigned int cpu)
{
#if defined(CONFIG_X86) && !defined(CONFIG_UML) && defined(CONFIG_SMP)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return cpu_data(cpu).topo.llc_id;
#else
	return get_llc_id(cpu);
#endif
#else
	return topology_physical_package_id(cpu);
#endif
}

/**
 * wsq_topology_gather() - describe the running machine
 * @topo: the machine, not initialized
 *
 * CPUs that are possible but have never been online count as cores of their own
 * on the node that the firmware names for them.
 *
 * Context: task; may sleep.
 * Return: 0 or %-ENOMEM.
 */
int wsq_topology_gather(struct wsq_topology *topo)
{
	unsigned int cpu, a, b;
	int ret;

	ret = wsq_topology_init(topo, nr_cpu_ids, nr_node_ids);
	if (ret)
		return ret;

	for_each_possible_cpu(cpu) {
		struct wsq_cpu_location *loc = &topo->cpus[cpu];
		int node = cpu_to_node(cpu);
		unsigned int sibling;

		loc->core = cpu;
		if (cpu_online(cpu)) {
			sibling = cpumask_first(topology_sibling_cpumask(cpu));
			if (sibling < nr_cpu_ids)
				loc->core = sibling;
		}
		loc->cache = wsq_cache_of(cpu);
		loc->node = node == NUMA_NO_NODE ? 0 : node;
	}
	for (a = 0; a < topo->nr_nodes; a++) {
		for (b = 0; b < topo->nr_nodes; b++)
			topo->distance[a * topo->nr_nodes + b] =
				node_possible(a) && node_possible(b) ?
				min(node_distance(a, b), 255) : 255;
	}
	return 0;
}
