/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/grace.h in the kernel: RCU's polled grace periods.
 *
 * Cost: get takes a lock of RCU's if no grace period is under way, passed reads
 * two words. Limitations: a grace period takes some ten milliseconds.
 */
#ifndef _WSQ_COMPAT_GRACE_H
#define _WSQ_COMPAT_GRACE_H

#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

static inline u64 wsq_grace_get(void)
{
	/*
	 * 6.1's starts none with interrupts off, or complains. Somebody else's
	 * will do, whenever it comes.
	 */
	return irqs_disabled() ? get_state_synchronize_rcu() :
				 start_poll_synchronize_rcu();
}

static inline bool wsq_grace_passed(u64 cookie)
{
	return poll_state_synchronize_rcu((unsigned long)cookie);
}

#endif /* _WSQ_COMPAT_GRACE_H */
