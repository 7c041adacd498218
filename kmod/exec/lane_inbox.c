// SPDX-License-Identifier: GPL-2.0
/*
 * Inboxes of lanes: see lane_inbox.h.
 *
 *	EN(take:A), EN(remove:A) against EN(idle:B), EN(idle:D)
 *		A CPU that empties the inbox is seen to hold the lock, or to
 *		have filled a list. litmus/inbox-idle.litmus. A claim from an
 *		inbox is a full barrier: litmus/exec-attention-inbox.litmus
 */
#include "../core/status.h"
#include "lane_inbox.h"
#include "location.h"

/* Items reversed at a time, with interrupts off. */
#define WSQ_SLICE_BUDGET		64

/**
 * wsq_lane_inbox_init() - initialize an inbox
 * @e: the inbox
 */
void wsq_lane_inbox_init(struct wsq_entry *e)
{
	wsq_inbox_init(&e->inbox);
	e->rest = NULL;
	raw_spin_lock_init(&e->lock);
	INIT_LIST_HEAD(&e->turning);
	INIT_LIST_HEAD(&e->list);
	e->taken = 0;
}

/* Reverse some items. False if more are left. @e->lock is held. */
static bool wsq_lane_inbox_reverse(struct wsq_entry *e)
{
	unsigned int budget = WSQ_SLICE_BUDGET;
	atomic64_t *next = e->rest;

	lockdep_assert_held(&e->lock);
	if (!next && list_empty(&e->turning))
		next = wsq_inbox_take(&e->inbox);
	while (next && budget--) {
		struct wsq_link *link = container_of(next, struct wsq_link,
						     next);

		next = wsq_link_next(next);
		list_add(&link->list, &e->turning);
		/* From here on a cancel can remove it. */
		WRITE_ONCE(link->where, (link->where & ~WSQ_LOCATION_KIND) |
					WSQ_IN_LIST);
	}
	WRITE_ONCE(e->rest, next);
	if (next)
		return false;
	list_splice_tail_init(&e->turning, &e->list);
	return true;
}

/**
 * wsq_lane_inbox_take() - take items, oldest first
 * @e: the inbox
 * @tasks: where to store them
 * @max: take at most this many
 * @try: give up if another context holds the lock
 *
 * Context: any but NMI.
 * Ordering: full barrier, unless it gave up.
 * Return: number of items; %WSQ_EMPTY; %WSQ_CONFLICT if items are there but not
 * in order yet, or if it gave up.
 */
int wsq_lane_inbox_take(struct wsq_entry *e, void **tasks, unsigned int max,
			bool try)
{
	unsigned long flags;
	unsigned int n = 0;
	bool ready;

	if (try) {
		if (!raw_spin_trylock_irqsave(&e->lock, flags))
			return WSQ_CONFLICT;
	} else {
		raw_spin_lock_irqsave(&e->lock, flags);
	}
	/*
	 * wsq_lane_inbox_idle() must see the lock before the lists change. And
	 * a worker's claim is a full barrier: exec/item.h.
	 */
	smp_mb__after_spinlock();			/* EN(take:A) */
	ready = !list_empty(&e->list) || wsq_lane_inbox_reverse(e);
	while (n < max && !list_empty(&e->list)) {
		struct wsq_link *link = list_first_entry(&e->list,
							 struct wsq_link, list);

		list_del(&link->list);
		WRITE_ONCE(link->where, wsq_location_owned(link->where));
		tasks[n++] = link;
	}
	WRITE_ONCE(e->taken, e->taken + n);
	raw_spin_unlock_irqrestore(&e->lock, flags);
	if (n)
		return n;
	return ready ? WSQ_EMPTY : WSQ_CONFLICT;
}

/**
 * wsq_lane_inbox_remove() - remove one item
 * @e: the inbox
 * @link: the item
 * @where: what @link->where was when it named @e
 *
 * Context: any but NMI. RCU read side or preemption off, since before
 * @link->where was read.
 * Return: true if the caller owns the item now. False: read @link->where again
 * and retry.
 */
bool wsq_lane_inbox_remove(struct wsq_entry *e, struct wsq_link *link, u64 where)
{
	unsigned long flags;
	bool got = false;
	u64 now;

	raw_spin_lock_irqsave(&e->lock, flags);
	smp_mb__after_spinlock();			/* EN(remove:A) */
	now = READ_ONCE(link->where);
	/* In a list of this inbox: it moves only under the lock. */
	if (!((now ^ where) & ~WSQ_LOCATION_KIND) &&
	    wsq_location_kind(now) == WSQ_IN_LIST) {
		list_del(&link->list);
		WRITE_ONCE(link->where, wsq_location_owned(now));
		WRITE_ONCE(e->taken, e->taken + 1);
		got = true;
	} else {
		wsq_lane_inbox_reverse(e);
	}
	raw_spin_unlock_irqrestore(&e->lock, flags);
	return got;
}

/**
 * wsq_lane_inbox_idle() - is an inbox empty
 * @e: the inbox
 *
 * Context: any.
 * Return: true if so. Items that another context moves from @inbox to a list
 * count: it took the lock before it emptied @inbox, and still holds it.
 */
bool wsq_lane_inbox_idle(const struct wsq_entry *e)
{
	if (!wsq_inbox_empty(&e->inbox))
		return false;
	/*
	 * Read inbox, lock, lists, in this order: another context takes the
	 * lock, empties the inbox, then fills a list. litmus/inbox-idle.litmus
	 */
	smp_rmb();					/* EN(idle:B) */
	if (raw_spin_is_locked((raw_spinlock_t *)&e->lock))
		return false;
	smp_rmb();					/* EN(idle:D) */
	/* Stores to the lists are plain, but the lock is free: none runs. */
	return !READ_ONCE(e->rest) &&
	       /* as said */
	       data_race(list_empty_careful(&e->turning)) &&
	       /* as said */
	       data_race(list_empty_careful(&e->list));
}
