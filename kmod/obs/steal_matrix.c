// SPDX-License-Identifier: GPL-2.0
/*
 * How many items each CPU has stolen from each other one, counted while a
 * collection is attached (collect.c). struct wsq_cpu.steals always counts them
 * by distance.
 *
 * Cost: 8 bytes for each pair of possible CPUs (512 KiB for 256) while
 * attached, and a store for each batch of stolen items.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <trace/events/wsq.h>

#include "steal_matrix.h"

/**
 * struct wsq_steals - the matrix
 * @rows: range of CPU numbers. Constant.
 * @items: items by thief, then victim. A row is written by its thief with
 *	preemption off; any CPU reads.
 */
struct wsq_steals {
	unsigned int rows;
	u64 items[];
};

static u64 wsq_steals_items(const struct wsq_steals *s, unsigned int thief,
			    unsigned int victim)
{
	return READ_ONCE(s->items[(size_t)thief * s->rows + victim]);
}

static void wsq_steals_probe(void *data, const char *queue, unsigned int cpu,
			     unsigned int victim, unsigned int distance, int nr)
{
	struct wsq_steals *s = data;
	u64 *item = &s->items[(size_t)cpu * s->rows + victim];

	WRITE_ONCE(*item, *item + nr);
}

/**
 * wsq_steals_create() - allocate an empty matrix
 *
 * Context: task; may sleep.
 * Return: the matrix, or %NULL.
 */
struct wsq_steals *wsq_steals_create(void)
{
	struct wsq_steals *s;

	s = kvzalloc(struct_size(s, items, array_size(nr_cpu_ids, nr_cpu_ids)),
		     GFP_KERNEL);
	if (s)
		s->rows = nr_cpu_ids;
	return s;
}

/**
 * wsq_steals_destroy() - free a matrix
 * @s: the matrix, or %NULL; no longer counted in
 *
 * Context: task; may sleep.
 */
void wsq_steals_destroy(struct wsq_steals *s)
{
	kvfree(s);
}

/**
 * wsq_steals_attach() - start counting
 * @s: the matrix
 *
 * Context: task; may sleep.
 * Return: 0; %-ENOSYS in a kernel without tracepoints; %-ENOMEM.
 */
int wsq_steals_attach(struct wsq_steals *s)
{
	return register_trace_wsq_steal(wsq_steals_probe, s);
}

/**
 * wsq_steals_detach() - stop counting
 * @s: the matrix
 *
 * Probes may run until tracepoint_synchronize_unregister() has returned.
 *
 * Context: task; may sleep.
 */
void wsq_steals_detach(struct wsq_steals *s)
{
	unregister_trace_wsq_steal(wsq_steals_probe, s);
}

/* Which CPUs have stolen, which were stolen from, and how many items in all. */
static u64 wsq_steals_sum(const struct wsq_steals *s, struct cpumask *thieves,
			  struct cpumask *victims)
{
	unsigned int thief, victim;
	u64 sum = 0;

	for_each_possible_cpu(thief) {
		for_each_possible_cpu(victim) {
			u64 nr = wsq_steals_items(s, thief, victim);

			if (!nr)
				continue;
			cpumask_set_cpu(thief, thieves);
			cpumask_set_cpu(victim, victims);
			sum += nr;
		}
	}
	return sum;
}

/**
 * wsq_steals_show() - print a matrix
 * @m: the output
 * @s: the matrix; may be counted in during the call
 *
 * Context: task; may sleep.
 * Return: 0 or %-ENOMEM.
 */
int wsq_steals_show(struct seq_file *m, const struct wsq_steals *s)
{
	cpumask_var_t thieves, victims;
	unsigned int thief, victim;
	u64 sum;

	if (!zalloc_cpumask_var(&thieves, GFP_KERNEL))
		return -ENOMEM;
	if (!zalloc_cpumask_var(&victims, GFP_KERNEL)) {
		free_cpumask_var(thieves);
		return -ENOMEM;
	}
	sum = wsq_steals_sum(s, thieves, victims);
	seq_printf(m, "stolen %llu\nthief", sum);
	for_each_cpu(victim, victims)
		seq_printf(m, " %u", victim);
	seq_putc(m, '\n');
	for_each_cpu(thief, thieves) {
		seq_printf(m, "%u", thief);
		for_each_cpu(victim, victims)
			seq_printf(m, " %llu",
				   wsq_steals_items(s, thief, victim));
		seq_putc(m, '\n');
	}
	free_cpumask_var(victims);
	free_cpumask_var(thieves);
	return 0;
}
