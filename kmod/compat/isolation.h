/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/sched/isolation.h>: kinds of housekeeping were renumbered and merged;
 * the two used here have kept their names.
 */
#ifndef _WSQ_COMPAT_ISOLATION_H
#define _WSQ_COMPAT_ISOLATION_H

#include <linux/cpumask.h>
#include <linux/sched/isolation.h>

/* CPUs that are neither isolated (isolcpus) nor without a tick (nohz_full). */
static inline void wsq_housekeeping_cpus(struct cpumask *mask)
{
	cpumask_copy(mask, housekeeping_cpumask(HK_TYPE_DOMAIN));
#if IS_ENABLED(CONFIG_CPU_ISOLATION)
	cpumask_and(mask, mask, housekeeping_cpumask(HK_TYPE_TICK));
#endif
}

#endif /* _WSQ_COMPAT_ISOLATION_H */
