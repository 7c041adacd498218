/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a function leaves behind: a lock, a read-side section of RCU, preemption
 * or bottom halves off. Whatever runs next on that thread would be accused of
 * it, or fail. So the caller of a user's function looks afterwards.
 *
 * Costs: two words of the thread's or the CPU's are read.
 * Limitations: locks that were not released are seen with lockdep only, and
 * spinlocks where the kernel counts preemption. Interrupts that are off are not
 * looked for, nor, with PREEMPT_RT, bottom halves.
 */
#ifndef _WSQ_EXEC_LEAK_H
#define _WSQ_EXEC_LEAK_H

#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

void wsq_leaked(void *func, int locks);

/**
 * wsq_leak_begin() - before a function is called
 *
 * Context: task; where it may sleep.
 * Return: for wsq_leak_end().
 */
static __always_inline int wsq_leak_begin(void)
{
	return lockdep_depth(current);
}

/**
 * wsq_leak_end() - after it has returned
 * @func: the function, for the report
 * @locks: what wsq_leak_begin() returned
 *
 * Reports what @func left, and puts the thread right, but for locks, which only
 * @func's author can release.
 *
 * Context: as wsq_leak_begin(), unless @func left something.
 */
static __always_inline void wsq_leak_end(void *func, int locks)
{
	locks = lockdep_depth(current) - locks;
	if (unlikely(preempt_count() || rcu_preempt_depth() || locks))
		wsq_leaked(func, locks);
}

#endif /* _WSQ_EXEC_LEAK_H */
