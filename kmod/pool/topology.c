// SPDX-License-Identifier: GPL-2.0
/*
 * Access lists. Made once for each CPU, in task context, and read without any
 * lock ever after. A list of n CPUs costs 6 n bytes on its CPU's node.
 *
 *	AL(make:A) release -> AL(rob:A), AL(give:A), AL(feed:A), AL(find:A)
 *		A list is found as it was made. The acquires are not needed:
 *		what is read depends on the address. litmus/pool-access.litmus
 */
#include <linux/slab.h>
#include <linux/sort.h>

#include "../compat/export.h"
#include "topology.h"

#define WSQ_LOCAL_HOPS	10

/**
 * wsq_topology_init() - make room for a machine
 * @topo: the machine
 * @nr_cpus: CPU numbers will be below this, at most 65536
 * @nr_nodes: node numbers will be below this
 *
 * The caller fills @topo->places and @topo->distance. Until then no CPU is
 * there and all nodes are equally far.
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
	topo->places = kvcalloc(nr_cpus, sizeof(*topo->places), GFP_KERNEL);
	topo->distance = kvcalloc(nr_nodes, nr_nodes, GFP_KERNEL);
	topo->access = kvcalloc(nr_cpus, sizeof(*topo->access), GFP_KERNEL);
	mutex_init(&topo->lock);
	if (!topo->places || !topo->distance || !topo->access) {
		wsq_topology_exit(topo);
		return -ENOMEM;
	}
	for (i = 0; i < nr_cpus; i++)
		topo->places[i].core = -1;
	memset(topo->distance, WSQ_LOCAL_HOPS, nr_nodes * nr_nodes);
	return 0;
}
WSQ_EXPORT_KUNIT(wsq_topology_init);

/**
 * wsq_topology_exit() - give a machine's memory back
 * @topo: the machine; no pool uses it any more
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
	kvfree(topo->places);
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
 * Return: the nearest thing they share.
 */
enum wsq_distance wsq_topology_distance(const struct wsq_topology *topo,
					unsigned int a, unsigned int b)
{
	const struct wsq_place *pa = &topo->places[a];
	const struct wsq_place *pb = &topo->places[b];

	if (pa->core == pb->core)
		return WSQ_DIST_SMT;
	/* A cache that spans nodes does not make them one. */
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
	const struct wsq_place *places = topo->places;
	struct wsq_access *list;
	unsigned int cpu, nr = 0;

	for (cpu = 0; cpu < topo->nr_cpus; cpu++)
		nr += cpu != self && places[cpu].core >= 0;

	list = kvzalloc(struct_size(list, victims, nr), GFP_KERNEL);
	if (!list)
		return NULL;

	for (cpu = 0; cpu < topo->nr_cpus; cpu++) {
		struct wsq_victim *v = &list->victims[list->nr];

		if (cpu == self || places[cpu].core < 0)
			continue;
		v->cpu = cpu;
		v->distance = wsq_topology_distance(topo, self, cpu);
		v->hops = topo->distance[places[self].node * topo->nr_nodes +
					 places[cpu].node];
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
 * @cpu: a CPU that is there
 *
 * Context: task; may sleep.
 * Return: the list, which lives as long as @topo; %NULL without memory.
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
