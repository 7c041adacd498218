/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/fence.h in the simulator, for scenarios of kmod/core alone:
 * the heavy side interrupts CPUs of the simulated machine, and waits. See
 * ../../sim/fence.c. (Scenarios with kmod/compat/fence.c use that instead.)
 */
#ifndef _WSQ_SIM_FENCE_H
#define _WSQ_SIM_FENCE_H

#include <wsq_platform.h>

static inline void wsq_fence_begin(void)
{
	sim_preempt_disable();
}

static inline void wsq_fence_end(void)
{
	sim_preempt_enable();
}

static inline void wsq_fence_light(void)
{
	barrier();
}

static inline bool wsq_fence_reaches(unsigned int id)
{
	(void)id;
	return true;
}

/* As in the native shim: nothing to prepare. */
static inline void wsq_fence_register(void)
{
}

void wsq_fence_heavy(const u64 *ids, u32 nr_words);

/**
 * struct wsq_fence_call - a heavy fence of one CPU, in progress
 * @done: it is done. Written by the handler once it is raised
 */
struct wsq_fence_call {
	bool done;
};

void wsq_fence_call_init(struct wsq_fence_call *call);
void wsq_fence_start(struct wsq_fence_call *call, unsigned int id);
bool wsq_fence_done(const struct wsq_fence_call *call);

/* The CPU of consumer @id; @id itself unless a scenario sets it. */
extern unsigned int sim_fence_cpu[SIM_CPUS];
/* Interrupts that fences have sent. */
extern uint64_t sim_fence_sent;

void sim_fence_init(void);

#endif /* _WSQ_SIM_FENCE_H */
