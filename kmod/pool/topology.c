// SPDX-License-Identifier: GPL-2.0
/*
 * Access lists. Each CPU's list is made once, in task context, and later read
 * without a lock. A list of n CPUs has 6 n bytes.
 *
 *	AL(make:A) release -> AL(steal:A), AL(give:A), AL(feed:A), AL(find:A)
 *		A list is found as it was made. The acquires are not needed:
 *		what is read depends on the address. litmus/pool-access.litmus
 */
#include <linux/slab.h>
#include <linux/sort.h>

#include "../compat/export.h"
#include "topology.h"

#define WSQ_LOCAL_HOPS	10

/**
 * wsq_topology_init() - allocate the topology of a machine
 * @topo: the machine
 * @nr_cpus: CPU numbers will be below this, at most 65536
 * @nr_nodes: node numbers will be below this
 *
 * The caller fills @topo->cpus and @topo->distance. Until then no CPU
 * exists and all nodes are equally far.
 *
 * Context: task; may sleep.
 * Return: 0, %-EINVAL or %-ENOMEM.
 */
int wsq_topology_init(struct wsq_topology *topo, unsigned int nr_cpus,
		      unsigned int nr_nodes)
{
	unsigned int i;

	if (!nr_cpus || nr_cpus > U16_MAX + 1 || !nr_nodes)
		return -EINVAL;

	topo->nr_cpus = nr_cpus;
	topo->nr_nodes = nr_nodes;
	topo->cpus = kvcalloc(nr_cpus, sizeof(*topo->cpus), GFP_KERNEL);
	topo->distance = kvcalloc(nr_nodes, nr_nodes, GFP_KERNEL);
	topo->access = kvcalloc(nr_cpus, sizeof(*topo->access), GFP_KERNEL);
	mutex_init(&topo->lock);
	if (!topo->cpus || !topo->distance || !topo->access) {
		wsq_topology_exit(topo);
		return -ENOMEM;
	}
	for (i = 0; i < nr_cpus; i++)
		topo->cpus[i].core = -1;
	memset(topo->distance, WSQ_LOCAL_HOPS, nr_nodes * nr_nodes);
	return 0;
}
WSQ_EXPORT_KUNIT(wsq_topology_init);

/**
 * wsq_topology_exit() - free the topology of a machine
 * @topo: the machine, which no pool uses any longer
 *
 * Context: task; may sleep.
 */
void wsq_topology_exit(struct wsq_topology *topo)
{
	unsigned int i;

	if (topo->access) {
		for (i = 0; i < topo->nr_cpus; i++)
			kvfree(topo->access[i]);
	}
	kvfree(topo->access);
	kvfree(topo->distance);
	kvfree(topo->cpus);
	memset(topo, 0, sizeof(*topo));
}
WSQ_EXPORT_KUNIT(wsq_topology_exit);

/**
 * wsq_topology_distance() - how far one CPU is from another
 * @topo: the machine
 * @a: one CPU
 * @b: the other
 *
 * Context: any.
 * Return: the nearest level that they share.
 */
enum wsq_distance wsq_topology_distance(const struct wsq_topology *topo,
					unsigned int a, unsigned int b)
{
	const struct wsq_cpu_location *pa = &topo->cpus[a];
	const struct wsq_cpu_location *pb = &topo->cpus[b];

	if (pa->core == pb->core)
		return WSQ_DIST_SMT;
	/* Nodes stay apart even if a cache spans them. */
	if (pa->node != pb->node)
		return WSQ_DIST_REMOTE;
	return pa->cache == pb->cache ? WSQ_DIST_CACHE : WSQ_DIST_NODE;
}
WSQ_EXPORT_KUNIT(wsq_topology_distance);

static int wsq_victim_cmp(const void *a, const void *b, const void *priv)
{
	const struct wsq_victim *va = a, *vb = b;
	unsigned int self = *(const unsigned int *)priv;

	if (va->distance != vb->distance)
		return va->distance < vb->distance ? -1 : 1;
	if (va->hops != vb->hops)
		return va->hops < vb->hops ? -1 : 1;
	/* Equally far: from the thief's own number upwards, then around. */
	return va->cpu - self < vb->cpu - self ? -1 : 1;
}

static struct wsq_access *wsq_access_make(const struct wsq_topology *topo,
					  unsigned int self)
{
	const struct wsq_cpu_location *cpus = topo->cpus;
	struct wsq_access *list;
	unsigned int cpu, nr = 0;

	for (cpu = 0; cpu < topo->nr_cpus; cpu++)
		nr += cpu != self && cpus[cpu].core >= 0;

	list = kvzalloc(struct_size(list, victims, nr), GFP_KERNEL);
	if (!list)
		return NULL;

	for (cpu = 0; cpu < topo->nr_cpus; cpu++) {
		struct wsq_victim *v = &list->victims[list->nr];

		if (cpu == self || cpus[cpu].core < 0)
			continue;
		v->cpu = cpu;
		v->distance = wsq_topology_distance(topo, self, cpu);
		v->hops = topo->distance[cpus[self].node * topo->nr_nodes +
					 cpus[cpu].node];
		list->nr++;
	}
	sort_r(list->victims, list->nr, sizeof(list->victims[0]),
	       wsq_victim_cmp, NULL, &self);
	wsq_access_group(list);
	return list;
}

/**
 * wsq_topology_access() - the access list of a CPU
 * @topo: the machine
 * @cpu: a CPU that exists
 *
 * Context: task; may sleep.
 * Return: the list, which lives as long as @topo; %NULL if there is no memory.
 */
const struct wsq_access *wsq_topology_access(struct wsq_topology *topo,
					     unsigned int cpu)
{
	struct wsq_access *list;

	mutex_lock(&topo->lock);
	list = topo->access[cpu];
	if (!list) {
		list = wsq_access_make(topo, cpu);
		/* Readers hold no lock. */
		smp_store_release(&topo->access[cpu], list);	/* AL(make:A) */
	}
	mutex_unlock(&topo->lock);
	return list;
}
WSQ_EXPORT_KUNIT(wsq_topology_access);

/* A domain of the CPU's cache with fewer than 64 CPUs, or else a new one. */
static unsigned int wsq_topology_domain(const struct wsq_topology *topo,
					const u16 *first, const u16 *size,
					unsigned int nr, unsigned int cpu)
{
	unsigned int d = nr;

	while (d--) {
		if (size[d] < BITS_PER_LONG &&
		    wsq_topology_distance(topo, first[d], cpu) <=
		    WSQ_DIST_CACHE)
			return d;
	}
	return nr;
}

/**
 * wsq_topology_domains() - number the domains of a machine
 * @topo: the machine, with all locations filled in
 *
 * The CPUs that share a last-level cache, 64 at most, are a domain. The first
 * call stores its domain in each location.
 *
 * Context: task; may sleep.
 * Return: how many there are; 0 if there is no memory.
 */
unsigned int wsq_topology_domains(struct wsq_topology *topo)
{
	u16 *first, *size;
	unsigned int cpu;

	mutex_lock(&topo->lock);
	first = topo->nr_domains ? NULL :
		kvcalloc(topo->nr_cpus, 2 * sizeof(*first), GFP_KERNEL);
	if (!first)
		goto unlock;
	size = first + topo->nr_cpus;
	for (cpu = 0; cpu < topo->nr_cpus; cpu++) {
		struct wsq_cpu_location *loc = &topo->cpus[cpu];

		loc->domain = wsq_topology_domain(topo, first, size,
						  topo->nr_domains, cpu);
		if (loc->domain == topo->nr_domains)
			first[topo->nr_domains++] = cpu;
		loc->bit = size[loc->domain]++;
	}
	kvfree(first);
unlock:
	mutex_unlock(&topo->lock);
	return topo->nr_domains;
}
WSQ_EXPORT_KUNIT(wsq_topology_domains);
