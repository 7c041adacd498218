/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the stand-in kernel share, and what scenarios read of it.
 */
#ifndef _WSQ_SIM_SHIM_H
#define _WSQ_SIM_SHIM_H

#include "kernel.h"

/**
 * struct shim_counts - what the kernel did, of all CPUs
 * @wakeups: threads woken on other CPUs
 * @wakeups_here: on the waker's own CPU
 * @wakeups_vain: calls for threads that did not sleep
 * @ipis: interrupts sent to other CPUs, but for wake-ups
 * @timers: expiries of timers
 * @parks: threads that went to sleep
 */
struct shim_counts {
	u64 wakeups;
	u64 wakeups_here;
	u64 wakeups_vain;
	u64 ipis;
	u64 timers;
	u64 parks;
};

extern struct shim_counts shim_counts;

/*
 * For tests: the wake-up of that number, counted from 1, is lost; 0 none. The
 * thread stays asleep.
 */
extern u64 shim_drop_wakeup;

/* Preemption as in PREEMPT_VOLUNTARY (the stock kernel) or, if set, in PREEMPT. */
extern bool shim_preempt_full;

/* A thread that may run on several CPUs from now on goes to any of them. */
extern bool shim_balance;

/* After sim_init(), before anything else of the kernel. */
void shim_init(void);
void shim_rcu_init(void);
void shim_workqueue_init(void);

/* wsq.ko, loaded; in a thread. */
int shim_module_init(void);

/* A thread on a CPU, which runs at once. */
struct task_struct *shim_thread(unsigned int cpu, int (*fn)(void *data), void *data,
				const char *name);
/* Sleep for some simulated time. */
void shim_sleep(sim_time ps);

/* How often has this CPU been where no RCU reader can be? */
u64 shim_quiet(unsigned int cpu);

/* What each thread does, to stderr. */
void shim_report(void);

#endif /* _WSQ_SIM_SHIM_H */
