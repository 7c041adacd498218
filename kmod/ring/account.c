// SPDX-License-Identifier: GPL-2.0
/*
 * What came of a ring: how many of its tasks ended how, and how long they kept
 * workers. Workers are threads of the kernel, so their time is on nobody's
 * account; this is where to see for whom it went.
 *
 * Cost: an addition to a counter of its own CPU for each task, and one more for
 * each that fails; three counters for each possible CPU and ring.
 */
#include <linux/cpumask.h>
#include <linux/minmax.h>

#include "ring.h"

/**
 * wsq_account_bytes() - what accounting takes for each ring
 *
 * Context: any.
 * Return: bytes.
 */
u64 wsq_account_bytes(void)
{
	return num_possible_cpus() * sizeof(struct wsq_ring_acct);
}

/**
 * wsq_account_init() - nothing has happened yet
 * @ring: not used yet
 *
 * Context: task; may sleep.
 * Return: 0 or %-ENOMEM; then wsq_account_exit() does nothing.
 */
int wsq_account_init(struct wsq_ring *ring)
{
	ring->acct = alloc_percpu_gfp(struct wsq_ring_acct, WSQ_GFP);
	return ring->acct ? 0 : -ENOMEM;
}

/**
 * wsq_account_exit() - give the counters back
 * @ring: nobody uses it
 *
 * Context: task; may sleep.
 */
void wsq_account_exit(struct wsq_ring *ring)
{
	free_percpu(ring->acct);
	ring->acct = NULL;
}

/**
 * wsq_account_error() - a task has ended with an error
 * @ring: its ring
 * @res: the error
 *
 * Context: task, preemption off; the completion has been counted and cannot be
 * seen yet.
 */
void wsq_account_error(struct wsq_ring *ring, s64 res)
{
	struct wsq_ring_acct *a = this_cpu_ptr(ring->acct);
	u64 *count = res == -ECANCELED ? &a->cancelled : &a->failed;

	smp_store_release(count, *count + 1);		/* AC(count:A) */
}

/**
 * wsq_account_tell() - what came of a ring so far
 * @ring: a live ring
 * @st: all but @size is filled in
 *
 * Context: any.
 */
void wsq_account_tell(const struct wsq_ring *ring, struct wsq_ring_stats *st)
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
	/* AC(read:C): In this order, so there are never more of the former. */
	st->completed = atomic64_read_acquire(&ring->completed);
	/* Meanwhile more may have come and gone than there is room for. */
	st->submitted = min(max(READ_ONCE(ring->sq_head), st->completed),
			    st->completed + ring->sizes.cq_entries);
	st->memory = ring->sizes.memory;
	st->rsv = 0;
}
