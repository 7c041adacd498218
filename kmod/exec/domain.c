// SPDX-License-Identifier: GPL-2.0
/*
 * Domains: the CPUs of a class by last-level cache, 64 at most in each. idle.h
 * explains what is kept for a domain.
 */
#include <linux/cpumask.h>
#include <linux/slab.h>

#include "exec.h"

static struct wsq_domain *wsq_domain_add(struct wsq_domains *all)
{
	struct wsq_domain *d = kzalloc(sizeof(*d), GFP_KERNEL);

	if (!d)
		return NULL;
	d->order = kcalloc(nr_cpu_ids, sizeof(*d->order), GFP_KERNEL);
	if (!d->order) {
		kfree(d);
		return NULL;
	}
	d->came_ns = WSQ_COME_NS;
	d->come_ns = WSQ_COME_NS;
	d->all = all;
	d->id = all->nr;
	all->list[all->nr++] = d;
	return d;
}

/* A domain of a CPU's cache that can take one more CPU. */
static struct wsq_domain *wsq_domain_for(struct wsq_domains *all,
					 unsigned int cpu)
{
	unsigned int i = all->nr;

	while (i--) {
		struct wsq_domain *d = all->list[i];

		if (d->nr < BITS_PER_LONG &&
		    wsq_topology_distance(&wsq_machine, d->cpus[0], cpu) <=
		    WSQ_DIST_CACHE)
			return d;
	}
	return wsq_domain_add(all);
}

/* All domains, by the distance of their CPUs from this one's first CPU. */
static void wsq_domain_order(struct wsq_domain *d)
{
	const struct wsq_access *list = wsq_domain_cpu(d, 0)->access;
	const struct wsq_class *class = wsq_domain_cpu(d, 0)->class;
	unsigned int i, k, nr = 0;

	d->order[nr++] = d->id;
	for (i = 0; i < list->nr; i++) {
		u32 id = class->cpus[list->victims[i].cpu]->domain->id;

		for (k = 0; k < nr && d->order[k] != id; k++)
			;
		if (k == nr)
			d->order[nr++] = id;
	}
}

/**
 * wsq_domains_init() - form the domains of a class, once it has all CPUs
 * @class: the class
 *
 * Context: task; may sleep.
 * Return: 0 or %-ENOMEM. Call wsq_domains_exit() in both cases.
 */
int wsq_domains_init(struct wsq_class *class)
{
	struct wsq_domains *all = &class->domains;
	unsigned int cpu, i, k;

	all->list = kcalloc(nr_cpu_ids, sizeof(*all->list), GFP_KERNEL);
	if (!all->list)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct wsq_domain *d = wsq_domain_for(all, cpu);

		if (!d)
			return -ENOMEM;
		class->cpus[cpu]->domain = d;
		class->cpus[cpu]->bit = d->nr;
		for (k = 0; k <= d->nr; k++) {
			if (k < d->nr &&
			    wsq_topology_distance(&wsq_machine, d->cpus[k],
						  cpu) != WSQ_DIST_SMT)
				continue;
			d->cores[k] |= BIT(d->nr);
			d->cores[d->nr] |= BIT(k);
		}
		d->cpus[d->nr++] = cpu;
	}
	for (i = 0; i < all->nr; i++)
		wsq_domain_order(all->list[i]);
	all->words = BITS_TO_LONGS(all->nr);
	return 0;
}

/**
 * wsq_domains_exit() - free the domains of a class that has no workers any more
 * @class: the class
 *
 * Context: task; may sleep.
 */
void wsq_domains_exit(struct wsq_class *class)
{
	struct wsq_domains *all = &class->domains;

	while (all->nr) {
		struct wsq_domain *d = all->list[--all->nr];

		kfree(d->order);
		kfree(d);
	}
	kfree(all->list);
	all->list = NULL;
}
