// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of a ring: how many of its tasks ended how, and how long they ran.
 * Workers are kernel threads, so their time is charged to no process; these
 * counters show which ring used it.
 *
 * Cost: an addition to a per-CPU counter for each task, and one more for each
 * that fails; three counters for each possible CPU and ring.
 */
#include <linux/cpumask.h>
#include <linux/minmax.h>

#include "mem.h"
#include "ring.h"
#include "task_stats.h"

/**
 * wsq_task_stats_bytes() - memory that accounting takes for each ring
 *
 * Context: any.
 * Return: bytes.
 */
u64 wsq_task_stats_bytes(void)
{
	return num_possible_cpus() * sizeof(struct wsq_ring_acct);
}

/**
 * wsq_task_stats_init() - allocate the counters, all 0
 * @ring: not used yet
 *
 * Context: task; may sleep.
 * Return: 0 or %-ENOMEM; then wsq_task_stats_exit() does nothing.
 */
int wsq_task_stats_init(struct wsq_ring *ring)
{
	ring->acct = alloc_percpu_gfp(struct wsq_ring_acct, WSQ_GFP);
	return ring->acct ? 0 : -ENOMEM;
}

/**
 * wsq_task_stats_exit() - free the counters
 * @ring: the ring, not in use
 *
 * Context: task; may sleep.
 */
void wsq_task_stats_exit(struct wsq_ring *ring)
{
	free_percpu(ring->acct);
	ring->acct = NULL;
}

/**
 * wsq_task_stats_error() - count a task that ended with an error
 * @ring: its ring
 * @res: the error
 *
 * Context: task, preemption off; the completion has been counted and is not yet
 * visible.
 */
void wsq_task_stats_error(struct wsq_ring *ring, s64 res)
{
	struct wsq_ring_acct *a = this_cpu_ptr(ring->acct);
	u64 *count = res == -ECANCELED ? &a->cancelled : &a->failed;

	smp_store_release(count, *count + 1);		/* AC(count:A) */
}

/**
 * wsq_ring_stats_read() - fill in the statistics of a ring
 * @ring: a live ring
 * @st: all but @size is filled in
 *
 * Context: any.
 */
void wsq_ring_stats_read(const struct wsq_ring *ring, struct wsq_ring_stats *st)
{
	unsigned int cpu;

	st->cancelled = 0;
	st->failed = 0;
	st->run_ns = 0;
	for_each_possible_cpu(cpu) {
		const struct wsq_ring_acct *a = per_cpu_ptr(ring->acct, cpu);

		/* AC(read:A) */
		st->cancelled += smp_load_acquire(&a->cancelled);
		st->failed += smp_load_acquire(&a->failed);	/* AC(read:B) */
		st->run_ns += READ_ONCE(a->run_ns);
	}
	/* AC(read:C): Read last, so no more have failed than have completed. */
	st->completed = atomic64_read_acquire(&ring->completed);
	/* The two values are not read at once: bound the difference. */
	st->submitted = min(max(READ_ONCE(ring->sq_head), st->completed),
			    st->completed + ring->sizes.cq_entries);
	st->memory = ring->sizes.memory;
	st->rsv = 0;
}
