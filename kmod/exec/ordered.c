// SPDX-License-Identifier: GPL-2.0
/*
 * Queues that keep order: see ordered.h. What a worker does with the list is in
 * worker.c.
 */
#include <linux/slab.h>

#include "item.h"

/**
 * wsq_order_create() - prepare a queue for keeping order
 * @q: the queue, before it has a pool
 *
 * Context: task; may sleep.
 * Return: 0 or %-ENOMEM.
 */
int wsq_order_create(struct wsq *q)
{
	struct wsq_order *o = kzalloc(sizeof(*o), GFP_KERNEL);

	if (!o)
		return -ENOMEM;
	o->token.state = WSQ_PENDING | (unsigned long)WSQ_RAN_TOKEN << WSQ_RAN_SHIFT;
	wsq_lane_inbox_init(&o->list);
	atomic64_set(&o->count, 0);
	q->order = o;
	return 0;
}

/**
 * wsq_order_destroy() - undo wsq_order_create()
 * @q: the queue; no item is left, and no worker serves it
 */
void wsq_order_destroy(struct wsq *q)
{
	kfree(q->order);
}

/**
 * wsq_order_put() - put an item at the end of the list
 * @q: a queue that keeps order
 * @lane: the lane that counts it
 * @work: the item, owned; or the token
 * @color: flush color of the item
 * @count: count it as put
 *
 * Context: any, NMI included, with preemption off.
 * Return: the token, if the caller is to put that in a lane, uncounted;
 * otherwise %NULL.
 * Ordering: full barrier.
 */
struct wsq_work *wsq_order_put(const struct wsq *q, struct wsq_lane *lane,
			       struct wsq_work *work, unsigned int color,
			       bool count)
{
	struct wsq_order *o = q->order;

	/* It was deferred, or its CPU is offline. */
	if (work == &o->token)
		return work;
	if (count)
		atomic64_inc(&lane->in_cnt[color]);
	WRITE_ONCE(work->link.where, lane->ct.tag | WSQ_IN_INBOX |
				     WSQ_LOCATION_ORDERED |
				     (u64)color << WSQ_LOCATION_COLOR_SHIFT);
	while (wsq_inbox_try_push(&o->list.inbox, &work->link.next) == WSQ_CONFLICT)
		;
	/* The item may be freed by now; @q is not, with preemption off. */
	if (wsq_oq_count(&o->count, 1) != WSQ_PUBLISHED)
		return NULL;
	return &o->token;
}

/**
 * wsq_order_keep() - the worker that has the token leaves the queue
 * @w: the worker; puts the token again at the end of wsq_serve()
 * @token: the token
 *
 * Context: @w itself, with preemption off.
 */
void wsq_order_keep(struct wsq_worker *w, struct wsq_work *token)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&w->lock, flags);
	list_add_tail(&token->link.list, &w->deferred);
	WRITE_ONCE(w->attention, true);
	raw_spin_unlock_irqrestore(&w->lock, flags);
}
