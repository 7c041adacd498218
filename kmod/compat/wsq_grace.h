/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/grace.h in the kernel: RCU's polled grace periods.
 *
 * Cost: get takes an RCU lock if no grace period is in progress; passed reads
 * two words. Limitations: a grace period takes some ten milliseconds.
 */
#ifndef _WSQ_COMPAT_GRACE_H
#define _WSQ_COMPAT_GRACE_H

#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

void wsq_grace_begin(void);
void wsq_grace_exit(void);

/* Any context but NMI. */
static inline u64 wsq_grace_get(void)
{
	u64 cookie;

	if (likely(!irqs_disabled()))
		return start_poll_synchronize_rcu();
	/* With interrupts off, 6.1's begins none, or warns. */
	cookie = get_state_synchronize_rcu();
	wsq_grace_begin();
	return cookie;
}

static inline bool wsq_grace_passed(u64 cookie)
{
	return poll_state_synchronize_rcu((unsigned long)cookie);
}

#endif /* _WSQ_COMPAT_GRACE_H */
