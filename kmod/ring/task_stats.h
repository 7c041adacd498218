/* SPDX-License-Identifier: GPL-2.0 */
/* Statistics of a ring, see task_stats.c. */
#ifndef _WSQ_RING_TASK_STATS_H
#define _WSQ_RING_TASK_STATS_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "ring.h"

struct wsq_ring_stats;

/**
 * struct wsq_ring_acct - a ring's statistics on one CPU
 * @run_ns: time of tasks that ran there, in ns. Workers of this CPU.
 * @cancelled: tasks that ended there with %-ECANCELED. Written on this CPU with
 *	preemption off, by workers and cancellers, [AC]
 * @failed: likewise, with another error
 */
struct wsq_ring_acct {
	u64 run_ns;
	u64 cancelled;
	u64 failed;
};

int wsq_task_stats_init(struct wsq_ring *ring);
void wsq_task_stats_exit(struct wsq_ring *ring);
u64 wsq_task_stats_bytes(void);
void wsq_ring_stats_read(const struct wsq_ring *ring, struct wsq_ring_stats *st);
void wsq_task_stats_error(struct wsq_ring *ring, s64 res);

static inline void wsq_task_stats_ran(struct wsq_ring *ring, u64 from, u64 to)
{
	/* The clock may step back a little between CPUs. */
	if (likely(to > from))
		this_cpu_add(ring->acct->run_ns, to - from);
}

#endif /* _WSQ_RING_TASK_STATS_H */
