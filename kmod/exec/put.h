/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Putting items. Internal.
 */
#ifndef _WSQ_EXEC_PUT_H
#define _WSQ_EXEC_PUT_H

#include "item.h"

bool wsq_admits_slow(const struct wsq *q);

/**
 * wsq_admits() - does a queue accept items from the caller
 * @q: the queue
 *
 * Context: any, with preemption off.
 * Return: false while @q is being destroyed, or drained unless the caller is
 * one of its items.
 */
static inline bool wsq_admits(const struct wsq *q)
{
	return likely(!READ_ONCE(q->flags)) || wsq_admits_slow(q);
}

/* Is the queue being destroyed, and empty? Preemption is off. */
static inline bool wsq_dying(const struct wsq *q)
{
	return READ_ONCE(q->flags) & WSQ_Q_DYING;
}

bool wsq_may_put_slow(struct wsq *q, struct wsq_work *work);

/**
 * enum wsq_site - what the number passed with it means
 * @WSQ_ON_CPU: a CPU, or %WSQ_CPU_ANY, as for wsq_queue_work_on()
 * @WSQ_NEAR_CPU: a CPU, as for wsq_queue_work_near()
 * @WSQ_NEAR_NODE: a memory node, as for wsq_queue_work_node()
 * @WSQ_ON_IDLE: nothing. The nearest idle CPU, this one if there is none
 * @WSQ_BEHIND: nothing. This CPU, behind its other items whatever the order of
 *	the queue
 */
enum wsq_site {
	WSQ_ON_CPU,
	WSQ_NEAR_CPU,
	WSQ_NEAR_NODE,
	WSQ_ON_IDLE,
	WSQ_BEHIND,
};

bool wsq_offer_work_near(int cpu, struct wsq *q, struct wsq_work *work);
bool wsq_queue_work_idle(struct wsq *q, struct wsq_work *work);
bool wsq_queue_delayed_owned(int cpu, struct wsq *q,
			     struct wsq_delayed_work *dwork, unsigned long delay,
			     void (*owned)(struct wsq_delayed_work *dwork,
					   void *arg), void *arg);
void wsq_put_owed(struct wsq *q, struct wsq_work *work, enum wsq_site site,
		  int nr);

/**
 * wsq_may_put() - may an item be queued
 * @q: the queue
 * @work: the item, whose pending bit the caller has just set
 *
 * Context: any, with preemption off.
 * Return: true if so. If false, the pending bit is clear again.
 */
static inline bool wsq_may_put(struct wsq *q, struct wsq_work *work)
{
	if (likely(!(READ_ONCE(work->state) & WSQ_DEPTH)) &&
	    likely(!READ_ONCE(q->flags)))
		return true;
	return wsq_may_put_slow(q, work);
}

/* Put an item, owned, on a queue that may refuse it. Preemption is off. */
static inline void wsq_put_owned(struct wsq *q, struct wsq_work *work, int cpu)
{
	if (wsq_may_put(q, work))
		wsq_put(q, work, cpu);
}

#endif /* _WSQ_EXEC_PUT_H */
