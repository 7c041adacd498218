/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/sched/isolation.h>: kinds of housekeeping CPUs were renumbered and
 * merged; those used here kept their names. Isolated cpuset partitions change
 * at run time, and modules are not notified: from 7.0 on the masks change,
 * under RCU; from 6.8 on there is a function that says whether a CPU is in one.
 * Earlier kernels tell modules nothing.
 */
#ifndef _WSQ_COMPAT_ISOLATION_H
#define _WSQ_COMPAT_ISOLATION_H

#include <linux/cpumask.h>
#include <linux/cpuset.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/version.h>

/* Is cpuset_cpu_is_isolated() there, and are partitions not in the masks? */
#define WSQ_ASK_CPUSETS							\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0) &&		\
	 LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0))

/* Do the CPUs change at run time? */
#if WSQ_ASK_CPUSETS
#define WSQ_HOUSEKEEPING_CHANGES	IS_ENABLED(CONFIG_CPUSETS)
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
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
#if WSQ_ASK_CPUSETS
	unsigned int cpu;

#endif
	rcu_read_lock();
	cpumask_copy(mask, housekeeping_cpumask(HK_TYPE_DOMAIN));
#if IS_ENABLED(CONFIG_CPU_ISOLATION)
	cpumask_and(mask, mask, housekeeping_cpumask(HK_TYPE_TICK));
#endif
	rcu_read_unlock();
#if WSQ_ASK_CPUSETS
	for_each_cpu(cpu, mask) {
		if (cpuset_cpu_is_isolated(cpu))
			cpumask_clear_cpu(cpu, mask);
	}
#endif
}

/*
 * For a timer that may expire anywhere: a CPU that keeps its tick, if this one
 * does not; otherwise -1. Preemption is off.
 */
static inline int wsq_timer_cpu(void)
{
	if (!housekeeping_enabled(HK_TYPE_TIMER) ||
	    housekeeping_test_cpu(smp_processor_id(), HK_TYPE_TIMER))
		return -1;
	return housekeeping_any_cpu(HK_TYPE_TIMER);
}

#endif /* _WSQ_COMPAT_ISOLATION_H */
