// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics by CPU. See cpu_stats.h.
 *
 * Users may read them, so they take no mutex: its holder may be kept from
 * running for long, by the limits of its control group, say, and others with
 * it. A reader looks again if a queue was destroyed meanwhile.
 */
#include <linux/cpumask.h>
#include <linux/topology.h>
#include <uapi/linux/wsq.h>

#include "../compat/export.h"
#include "../compat/wsq_fence.h"
#include "../exec/exec.h"
#include "cpu_stats.h"

/* Retries before a reader excludes writers. */
#define WSQ_STATS_TRIES		16

static void wsq_stats_add(const struct wsq_lane *lane,
			  struct wsq_cpu_stats *out)
{
	unsigned int color;

	for (color = 0; color < WSQ_FLUSH_COLORS; color++) {
		u64 in = atomic64_read(&lane->in_cnt[color]);

		out->puts += READ_ONCE(lane->count[color].put) + in;
		out->inbox += in;
		out->gets += READ_ONCE(lane->count[color].done) +
			     atomic64_read(&lane->far_cnt[color]);
	}
}

/*
 * Add what one class knows about a CPU. The CPU counts as parked if the workers
 * of all classes are. A reader of wsq_fold_lock calls.
 */
static void wsq_stats_add_cpu(const struct wsq_cpu *c,
			      struct wsq_cpu_stats *out)
{
	bool parked = wsq_parked(&c->park);
	int i;

	if (READ_ONCE(c->worker)) {
		if (!(out->flags & WSQ_CPU_WORKER) && parked)
			out->flags |= WSQ_CPU_PARKED;
		else if (!parked)
			out->flags &= ~WSQ_CPU_PARKED;
		out->flags |= WSQ_CPU_WORKER;
	}
	out->puts += c->old_puts;
	out->inbox += c->old_inbox;
	out->gets += c->old_gets;
	for (i = 0; i < WSQ_DIST_NR; i++)
		out->steals[i] += READ_ONCE(c->steals[i]);
	out->parks += READ_ONCE(c->parks);
	out->wakeups += atomic64_read(&c->wakeups);
	out->standbys += READ_ONCE(c->standbys);
}

/* Look once. A reader of wsq_fold_lock calls. */
static void wsq_stats_look(unsigned int cpu, struct wsq_cpu_stats *out)
{
	unsigned long id;
	struct wsq *q;
	u32 nr;

	memset(out, 0, sizeof(*out));
	out->cpu = cpu;
	out->node = wsq_machine.cpus[cpu].node;
	if (cpu_online(cpu))
		out->flags |= WSQ_CPU_ONLINE;

	for (nr = 0; nr < WSQ_CLASSES; nr++) {
		const struct wsq_class *class = wsq_class_find(nr);

		if (class)
			wsq_stats_add_cpu(class->cpus[cpu], out);
	}
	rcu_read_lock();
	xa_for_each(&wsq_queues, id, q) {
		const struct wsq_lane *lane = wsq_lane_any(q, cpu);

		if (lane)
			wsq_stats_add(lane, out);
	}
	rcu_read_unlock();
}

void wsq_stats_cpu(unsigned int cpu, struct wsq_cpu_stats *out)
{
	unsigned int tries = WSQ_STATS_TRIES, seq;

	do {
		seq = read_seqbegin(&wsq_fold_lock);
		wsq_stats_look(cpu, out);
	} while (read_seqretry(&wsq_fold_lock, seq) && --tries);
	if (unlikely(!tries)) {
		/* Queues are being destroyed all the time. */
		read_seqlock_excl(&wsq_fold_lock);
		wsq_stats_look(cpu, out);
		read_sequnlock_excl(&wsq_fold_lock);
	}
	out->fences = wsq_fence_interrupts(cpu);
}
WSQ_EXPORT(wsq_stats_cpu);

/**
 * wsq_stats_queue() - counters of one queue over all CPUs
 * @q: the queue; not destroyed during the call
 * @out: filled in: puts, inbox and gets; otherwise zero
 *
 * Context: any. Counters change as for wsq_stats_cpu().
 */
void wsq_stats_queue(const struct wsq *q, struct wsq_cpu_stats *out)
{
	unsigned int cpu;

	memset(out, 0, sizeof(*out));
	for_each_possible_cpu(cpu) {
		const struct wsq_lane *lane = wsq_lane_any(q, cpu);

		if (lane)
			wsq_stats_add(lane, out);
	}
}

/**
 * wsq_stats_queue_ns() - CPU time of a queue's items over all CPUs
 * @q: the queue; not destroyed during the call
 *
 * Time in which an item slept, or other threads had its CPU, does not count;
 * interrupts do. A worker counts when it leaves the queue, which it does after
 * 64 items, or after 100 us and one item if another queue waits.
 *
 * Context: any.
 * Return: ns.
 */
u64 wsq_stats_queue_ns(const struct wsq *q)
{
	unsigned int cpu;
	u64 ns = 0;

	for_each_possible_cpu(cpu) {
		const struct wsq_lane *lane = wsq_lane_any(q, cpu);

		if (lane)
			ns += READ_ONCE(lane->used_ns) +
			      atomic64_read(&lane->far_ns);
	}
	return ns;
}
WSQ_EXPORT_KUNIT(wsq_stats_queue_ns);

/**
 * wsq_stats_queues() - number of queues
 *
 * Context: task; may sleep.
 * Return: that number.
 */
u32 wsq_stats_queues(void)
{
	unsigned long id;
	struct wsq *q;
	u32 nr = 0;

	xa_for_each(&wsq_queues, id, q)
		nr++;
	return nr;
}
WSQ_EXPORT_KUNIT(wsq_stats_queues);

/**
 * wsq_stats_workers() - number of CPUs that have a worker
 *
 * Context: task; may sleep.
 * Return: that number.
 */
u32 wsq_stats_workers(void)
{
	const struct wsq_class *high = wsq_class_find(WSQ_CLASS_HIGH);
	unsigned int cpu;
	u32 nr = 0;

	for_each_possible_cpu(cpu)
		nr += READ_ONCE(wsq_cpus[cpu]->worker) ||
		      (high && READ_ONCE(high->cpus[cpu]->worker));
	return nr;
}
WSQ_EXPORT_KUNIT(wsq_stats_workers);
