// SPDX-License-Identifier: GPL-2.0
/*
 * Reports functions that leave something behind. See leak.h.
 */
#include <linux/debug_locks.h>
#include <linux/printk.h>

#include "leak.h"

/**
 * wsq_leaked() - report a function, and put right what it left
 * @func: the function
 * @locks: how many locks more are held than when it was called
 *
 * Context: the thread that called @func.
 */
void wsq_leaked(void *func, int locks)
{
	pr_err("wsq: %ps left preempt count 0x%08x, RCU depth %d, %d lock(s) held by %s[%d]\n",
	       func, preempt_count(), rcu_preempt_depth(), locks, current->comm,
	       current->pid);
	debug_show_held_locks(current);
	dump_stack();
	while (rcu_preempt_depth() > 0)
		rcu_read_unlock();
	preempt_count_set(0);
}
