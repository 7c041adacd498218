/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/sched/isolation.h>: kinds of housekeeping CPUs were renumbered and
 * merged; the two used here kept their names. From 7.0 on, isolated cpuset
 * partitions change the masks at run time, under RCU; modules are not notified.
 */
#ifndef _WSQ_COMPAT_ISOLATION_H
#define _WSQ_COMPAT_ISOLATION_H

#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/version.h>

/* Do the masks change at run time? */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define WSQ_HOUSEKEEPING_CHANGES	\
	(IS_ENABLED(CONFIG_CPU_ISOLATION) && IS_ENABLED(CONFIG_CPUSETS))
#else
#define WSQ_HOUSEKEEPING_CHANGES	false
#endif

/*
 * CPUs that are neither isolated (isolcpus, cpuset partitions) nor without a
 * tick (nohz_full), at this moment.
 */
static inline void wsq_housekeeping_cpus(struct cpumask *mask)
{
	rcu_read_lock();
	cpumask_copy(mask, housekeeping_cpumask(HK_TYPE_DOMAIN));
#if IS_ENABLED(CONFIG_CPU_ISOLATION)
	cpumask_and(mask, mask, housekeeping_cpumask(HK_TYPE_TICK));
#endif
	rcu_read_unlock();
}

#endif /* _WSQ_COMPAT_ISOLATION_H */
