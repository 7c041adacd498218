/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Putting items. Internal.
 */
#ifndef _WSQ_EXEC_PUT_H
#define _WSQ_EXEC_PUT_H

#include "item.h"

bool wsq_admits(const struct wsq *q);
bool wsq_may_put_slow(struct wsq *q, struct wsq_work *work);

/**
 * enum wsq_site - what the number says that comes with it
 * @WSQ_ON_CPU: the CPU, or %WSQ_CPU_ANY, as of wsq_queue_work_on()
 * @WSQ_NEAR_CPU: the CPU, as of wsq_queue_work_near()
 * @WSQ_NEAR_NODE: the memory node, as of wsq_queue_work_node()
 */
enum wsq_site {
	WSQ_ON_CPU,
	WSQ_NEAR_CPU,
	WSQ_NEAR_NODE,
};

void wsq_put_owed(struct wsq *q, struct wsq_work *work, enum wsq_site site,
		  int nr);

/**
 * wsq_may_put() - may an item be queued
 * @q: the queue
 * @work: the item, whose pending bit the caller has just set
 *
 * Context: any, with preemption off.
 * Return: false if not; then the pending bit is clear again.
 */
static inline bool wsq_may_put(struct wsq *q, struct wsq_work *work)
{
	if (likely(!(READ_ONCE(work->state) & WSQ_DEPTH)) &&
	    likely(!READ_ONCE(q->flags)))
		return true;
	return wsq_may_put_slow(q, work);
}

/* Put an item, in hand, on a queue that may refuse it. Preemption is off. */
static inline void wsq_put_owned(struct wsq *q, struct wsq_work *work, int cpu)
{
	if (wsq_may_put(q, work))
		wsq_put(q, work, cpu);
}

#endif /* _WSQ_EXEC_PUT_H */
