// SPDX-License-Identifier: GPL-2.0
/*
 * Items that are queued after an RCU grace period. An item that waits for it is
 * pending and nowhere (location.h), as one that a context is about to put.
 *
 * Cost: call_rcu(). Limitations: such an item cannot be cancelled before the
 * grace period is over, because the callback cannot: a context that cancels it
 * would spin.
 */
#include <linux/rcupdate.h>

#include "../compat/export.h"
#include "item.h"
#include "put.h"

static void wsq_rcu_work_fn(struct rcu_head *rcu)
{
	struct wsq_rcu_work *rwork = container_of(rcu, struct wsq_rcu_work, rcu);

	preempt_disable();
	wsq_put_owned(rwork->q, &rwork->work, WSQ_CPU_ANY);
	preempt_enable();
}

bool wsq_queue_rcu_work(struct wsq *q, struct wsq_rcu_work *rwork)
{
	bool ret = false;

	preempt_disable();
	/* RN(rcu:A) */
	if (!test_and_set_bit(WSQ_PENDING_BIT, &rwork->work.state) &&
	    wsq_may_put(q, &rwork->work)) {
		rwork->q = q;
		call_rcu(&rwork->rcu, wsq_rcu_work_fn);
		ret = true;
	}
	preempt_enable();
	return ret;
}
WSQ_EXPORT(wsq_queue_rcu_work);

bool wsq_flush_rcu_work(struct wsq_rcu_work *rwork)
{
	might_sleep();
	if (!wsq_work_pending(&rwork->work))
		return wsq_flush_work(&rwork->work);
	/* Then the callback has put it. */
	rcu_barrier();
	wsq_flush_work(&rwork->work);
	return true;
}
WSQ_EXPORT(wsq_flush_rcu_work);
