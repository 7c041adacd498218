/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/fence.h in the kernel: the heavy side interrupts the CPUs
 * of the set and waits until each has executed smp_mb(), as membarrier does.
 *
 * For: kmod/core, through <wsq_fence.h>. A section is a region with preemption
 * off. The interrupt comes between two instructions of it. If interrupts are
 * off, it comes once they are enabled, behind that part of the section.
 *
 * The handler's smp_mb() is for the letter of the contract. Queueing the call
 * is a release and the handler begins with an acquire, and likewise on the way
 * back. For store buffering that is enough (the litmus files hold without it).
 *
 * Offline CPUs are not interrupted (smp_call_function_many() leaves them out)
 * and count as fenced. A CPU leaves cpu_online_mask in take_cpu_down(), while
 * every online CPU is in the stopper, which no CPU enters with preemption off.
 * So a caller, which has preemption off, reads the mask at one of two times.
 * Before the stopper: then the CPU is still online, and serves what was queued
 * for it on its way down. Or after its own CPU has been through the stopper,
 * which all CPUs enter and leave in step, by full barriers: then what the other
 * CPU did in sections before it stopped is before the caller's next access.
 * Once a CPU is out of the mask it runs only the stopper and the idle task,
 * which put nothing. On its way up it is in the mask before its interrupts are
 * on, hence before its first section, hence before its bit is in a set.
 *
 * CPUs without a tick (nohz_full) are not interrupted: wsq_fence_reaches() is
 * false for them, which keeps them out of every set. With the module parameter
 * fence=cas it is false for all CPUs, and no CPU is ever interrupted.
 *
 * Cost: begin and end cost what preempt_disable() and preempt_enable() do;
 * light costs nothing; heavy one interrupt for each CPU of the set, all at
 * once; start one interrupt that the caller does not wait for. No memory but
 * the caller's. Limitations: the caller spins with preemption off until the
 * slowest CPU of the set has enabled its interrupts; the set must span
 * cpumask_size() bytes.
 */
#ifndef _WSQ_COMPAT_FENCE_H
#define _WSQ_COMPAT_FENCE_H

#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/types.h>

#include <asm/barrier.h>

#include "isolation.h"

/* A set's words are a cpumask's: 64-bit kernels only. */
static_assert(sizeof(unsigned long) == sizeof(u64));

extern bool wsq_fence_ipi;

/**
 * struct wsq_fence_call - a heavy fence of one CPU
 * @csd: the queued call. The starter's, then the handler's
 * @done: 1 when it has completed. The handler's, once @csd is queued
 */
struct wsq_fence_call {
	call_single_data_t csd;
	u32 done;
};

static inline void wsq_fence_begin(void)
{
	preempt_disable();
}

static inline void wsq_fence_end(void)
{
	preempt_enable();
}

static inline void wsq_fence_light(void)
{
	barrier();
}

/* Number of words of a set. */
static inline u32 wsq_fence_words(void)
{
	return cpumask_size() / sizeof(u64);
}

/* May @cpu be interrupted for another CPU? */
static inline bool wsq_fence_reaches(unsigned int cpu)
{
	if (!wsq_fence_ipi)
		return false;
#if IS_ENABLED(CONFIG_CPU_ISOLATION)
	return cpumask_test_cpu(cpu, housekeeping_cpumask(HK_TYPE_TICK));
#else
	return true;
#endif
}

void wsq_fence_heavy(const u64 *cpus, u32 nr_words);
void wsq_fence_call_init(struct wsq_fence_call *call);
void wsq_fence_start(struct wsq_fence_call *call, unsigned int cpu);
bool wsq_fence_done(const struct wsq_fence_call *call);
u64 wsq_fence_interrupts(unsigned int cpu);

#endif /* _WSQ_COMPAT_FENCE_H */
