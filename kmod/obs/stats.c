// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics by CPU. See stats.h.
 */
#include <linux/cpumask.h>
#include <linux/topology.h>
#include <uapi/linux/wsq.h>

#include "../compat/export.h"
#include "../compat/wsq_fence.h"
#include "../exec/exec.h"
#include "stats.h"

static void wsq_stats_add(const struct wsq_container *ct,
			  struct wsq_cpu_stats *out)
{
	unsigned int phase;

	for (phase = 0; phase < WSQ_PHASES; phase++) {
		u64 in = atomic64_read(&ct->in_cnt[phase]);

		out->puts += READ_ONCE(ct->put_cnt[phase]) + in;
		out->inbox += in;
		out->gets += READ_ONCE(ct->done_cnt[phase]) +
			     atomic64_read(&ct->far_cnt[phase]);
	}
}

/**
 * wsq_stats_cpu() - counters of one CPU over all queues, gone ones included
 * @cpu: a possible CPU
 * @out: where to store them
 *
 * Context: task; may sleep. Counters move while they are read: each is right by
 * itself.
 */
void wsq_stats_cpu(unsigned int cpu, struct wsq_cpu_stats *out)
{
	const struct wsq_cpu *c = wsq_cpus[cpu];
	unsigned long id;
	struct wsq *q;
	int i;

	memset(out, 0, sizeof(*out));
	out->cpu = cpu;
	out->node = wsq_machine.places[cpu].node;
	if (cpu_online(cpu))
		out->flags |= WSQ_CPU_ONLINE;
	if (READ_ONCE(c->worker))
		out->flags |= WSQ_CPU_WORKER;
	if (wsq_parked(&c->park))
		out->flags |= WSQ_CPU_PARKED;

	mutex_lock(&wsq_queues_lock);
	out->puts = c->old_puts;
	out->inbox = c->old_inbox;
	out->gets = c->old_gets;
	xa_for_each(&wsq_queues, id, q) {
		const struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);

		if (ct)
			wsq_stats_add(ct, out);
	}
	mutex_unlock(&wsq_queues_lock);

	for (i = 0; i < WSQ_DIST_NR; i++)
		out->steals[i] = READ_ONCE(c->steals[i]);
	out->parks = READ_ONCE(c->parks);
	out->wakeups = atomic64_read(&c->wakeups);
	out->standins = READ_ONCE(c->standins);
	out->fences = wsq_fence_interrupts(cpu);
}
WSQ_EXPORT(wsq_stats_cpu);

/**
 * wsq_stats_queue() - what one queue counted on all CPUs
 * @q: the queue; stays until this returns
 * @out: where to store it: puts, inbox and gets, otherwise zero
 *
 * Context: any. As wsq_stats_cpu().
 */
void wsq_stats_queue(const struct wsq *q, struct wsq_cpu_stats *out)
{
	unsigned int cpu;

	memset(out, 0, sizeof(*out));
	for_each_possible_cpu(cpu) {
		const struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);

		if (ct)
			wsq_stats_add(ct, out);
	}
}

/**
 * wsq_stats_queues() - how many queues there are
 *
 * Context: task; may sleep.
 * Return: that number.
 */
u32 wsq_stats_queues(void)
{
	unsigned long id;
	struct wsq *q;
	u32 nr = 0;

	mutex_lock(&wsq_queues_lock);
	xa_for_each(&wsq_queues, id, q)
		nr++;
	mutex_unlock(&wsq_queues_lock);
	return nr;
}
WSQ_EXPORT_KUNIT(wsq_stats_queues);

/**
 * wsq_stats_workers() - how many workers there are
 *
 * Context: any.
 * Return: that number.
 */
u32 wsq_stats_workers(void)
{
	unsigned int cpu;
	u32 nr = 0;

	for_each_possible_cpu(cpu)
		nr += !!READ_ONCE(wsq_cpus[cpu]->worker);
	return nr;
}
WSQ_EXPORT_KUNIT(wsq_stats_workers);
