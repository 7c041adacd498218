/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPU time that the samples used: the time that CPUs were not idle.
 *
 * Limitations: includes what other tasks used. Without CONFIG_NO_HZ_COMMON it
 * is counted in ticks.
 */
#ifndef _WSQ_SAMPLES_CPU_TIME_H
#define _WSQ_SAMPLES_CPU_TIME_H

#include <linux/kernel_stat.h>
#include <linux/math64.h>
#include <linux/tick.h>
#include <linux/time64.h>

/* Time in us that @cpu was idle since boot. */
static inline u64 sample_idle_us(unsigned int cpu)
{
	u64 idle = get_cpu_idle_time_us(cpu, NULL);

	if (idle != -1ULL)
		return idle;
	return div_u64(kcpustat_cpu(cpu).cpustat[CPUTIME_IDLE], NSEC_PER_USEC);
}

/* Of @us, the time that was not idle, if @from and @to are idle times. */
static inline u64 sample_busy_us(u64 us, u64 from, u64 to)
{
	return us - min(us, to - min(from, to));
}

#endif /* _WSQ_SAMPLES_CPU_TIME_H */
