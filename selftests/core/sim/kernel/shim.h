/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of the simulated kernel, and read by scenarios.
 */
#ifndef _WSQ_SIM_SHIM_H
#define _WSQ_SIM_SHIM_H

#include "kernel.h"

/**
 * struct shim_counts - counters of the kernel, over all CPUs
 * @wakeups: threads woken on other CPUs
 * @wakeups_here: on the waker's own CPU
 * @wakeups_futile: calls for threads that did not sleep
 * @ipis: interrupts sent to other CPUs, except for wake-ups
 * @timers: expiries of timers
 * @parks: threads that went to sleep
 */
struct shim_counts {
	u64 wakeups;
	u64 wakeups_here;
	u64 wakeups_futile;
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

/* Threads that may run on several CPUs move to any of them from now on. */
extern bool shim_balance;

/* After sim_init(), before anything else of the kernel. */
void shim_init(void);
void shim_rcu_init(void);
void shim_workqueue_init(void);

/* Loads wsq.ko; called in a thread. */
int shim_module_init(void);

/* Starts a thread on a CPU, which runs at once. */
struct task_struct *shim_thread(unsigned int cpu, int (*fn)(void *data), void *data,
				const char *name);
/* Sleeps for some simulated time. */
void shim_sleep(sim_time ps);

/* How often this CPU has been where no RCU reader can be. */
u64 shim_quiet(unsigned int cpu);

/* Prints each thread's state to stderr. */
void shim_report(void);

#endif /* _WSQ_SIM_SHIM_H */
