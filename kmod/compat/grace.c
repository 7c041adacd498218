// SPDX-License-Identifier: GPL-2.0
/*
 * Grace periods for callers that have interrupts off. On 6.1 they must not call
 * start_poll_synchronize_rcu(), so call_rcu() begins a grace period instead.
 * See wsq_grace.h.
 *
 * One callback serves all callers. It is queued again if a caller came while it
 * was queued, because the grace period already in progress may not be a full
 * one for that caller.
 *
 * Cost: a lock, and at most two grace periods for each caller.
 */
#include <linux/bug.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "export.h"
#include "wsq_grace.h"

/* Protects wsq_grace_wanted. Taken with interrupts off. */
static DEFINE_RAW_SPINLOCK(wsq_grace_lock);

/* Grace periods wanted. If not 0, the callback is queued; 2: queue it again. */
static unsigned int wsq_grace_wanted;

static struct rcu_head wsq_grace_head;

static void wsq_grace_over(struct rcu_head *head)
{
	unsigned long flags;
	bool again;

	raw_spin_lock_irqsave(&wsq_grace_lock, flags);
	again = --wsq_grace_wanted;
	raw_spin_unlock_irqrestore(&wsq_grace_lock, flags);
	if (again)
		call_rcu(head, wsq_grace_over);
}

/**
 * wsq_grace_begin() - ensure that a full grace period follows
 *
 * Context: any but NMI, where it warns and does nothing.
 */
void wsq_grace_begin(void)
{
	unsigned long flags;
	bool first;

	/* An NMI may have interrupted a holder of this lock, or of RCU's. */
	if (WARN_ON_ONCE(in_nmi()))
		return;
	raw_spin_lock_irqsave(&wsq_grace_lock, flags);
	first = !wsq_grace_wanted;
	wsq_grace_wanted = min(wsq_grace_wanted + 1, 2U);
	raw_spin_unlock_irqrestore(&wsq_grace_lock, flags);
	if (first)
		call_rcu(&wsq_grace_head, wsq_grace_over);
}
WSQ_EXPORT_KUNIT(wsq_grace_begin);

/**
 * wsq_grace_exit() - wait until no grace period is wanted
 *
 * Context: task; may sleep. No caller of wsq_grace_begin() is left.
 */
void wsq_grace_exit(void)
{
	/* The callback, and the one that it may have queued. */
	rcu_barrier();
	rcu_barrier();
}
