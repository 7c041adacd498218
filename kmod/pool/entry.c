// SPDX-License-Identifier: GPL-2.0
/*
 * Entrances of containers. What they are for is in entry.h.
 *
 *	EN(take:A), EN(withdraw:A) against EN(idle:B), EN(idle:D)
 *		A CPU that empties the inbox is seen to hold the lock, or to
 *		have filled a list. litmus/entry-idle.litmus. A claim from an
 *		entrance is a full barrier: litmus/exec-attention-entry.litmus
 */
#include "../core/status.h"
#include "entry.h"
#include "where.h"

/* Items put in order in one go, with interrupts off. */
#define WSQ_TURN_BUDGET		64

/**
 * wsq_entry_init() - make an entrance
 * @e: the entrance
 */
void wsq_entry_init(struct wsq_entry *e)
{
	wsq_inbox_init(&e->inbox);
	e->rest = NULL;
	raw_spin_lock_init(&e->lock);
	INIT_LIST_HEAD(&e->turning);
	INIT_LIST_HEAD(&e->list);
	e->taken = 0;
}

/* Put some items in order. False if there are more. @e->lock is held. */
static bool wsq_entry_turn(struct wsq_entry *e)
{
	unsigned int budget = WSQ_TURN_BUDGET;
	atomic64_t *next = e->rest;

	lockdep_assert_held(&e->lock);
	if (!next && list_empty(&e->turning))
		next = wsq_inbox_take(&e->inbox);
	while (next && budget--) {
		struct wsq_link *link = container_of(next, struct wsq_link,
						     next);

		next = wsq_link_next(next);
		list_add(&link->list, &e->turning);
		/* Now it can be withdrawn. */
		WRITE_ONCE(link->where, (link->where & ~WSQ_WHERE_KIND) |
					WSQ_IN_LIST);
	}
	WRITE_ONCE(e->rest, next);
	if (next)
		return false;
	list_splice_tail_init(&e->turning, &e->list);
	return true;
}

/**
 * wsq_entry_take() - take items, oldest first
 * @e: the entrance
 * @tasks: where to store them
 * @max: how many at most
 * @try: leave it if somebody else is at it
 *
 * Context: any but NMI.
 * Ordering: full barrier, unless it was left.
 * Return: how many were taken; %WSQ_EMPTY; %WSQ_CONFLICT if items are there but
 * not in order yet, or somebody else was at it.
 */
int wsq_entry_take(struct wsq_entry *e, void **tasks, unsigned int max,
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
	 * The lock is seen before what it guards is: wsq_entry_idle(). And a
	 * worker's claim is a full barrier: exec/item.h.
	 */
	smp_mb__after_spinlock();			/* EN(take:A) */
	ready = !list_empty(&e->list) || wsq_entry_turn(e);
	while (n < max && !list_empty(&e->list)) {
		struct wsq_link *link = list_first_entry(&e->list,
							 struct wsq_link, list);

		list_del(&link->list);
		WRITE_ONCE(link->where, wsq_where_in_hand(link->where));
		tasks[n++] = link;
	}
	WRITE_ONCE(e->taken, e->taken + n);
	raw_spin_unlock_irqrestore(&e->lock, flags);
	if (n)
		return n;
	return ready ? WSQ_EMPTY : WSQ_CONFLICT;
}

/**
 * wsq_entry_withdraw() - take one item out, wherever it is in here
 * @e: the entrance
 * @link: the item
 * @where: what @link->where was when it named @e
 *
 * Context: any but NMI. RCU read side or preemption off, since before
 * @link->where was read.
 * Return: true if it is the caller's now. False: look where it is, and try
 * again.
 */
bool wsq_entry_withdraw(struct wsq_entry *e, struct wsq_link *link, u64 where)
{
	unsigned long flags;
	bool got = false;
	u64 now;

	raw_spin_lock_irqsave(&e->lock, flags);
	smp_mb__after_spinlock();			/* EN(withdraw:A) */
	now = READ_ONCE(link->where);
	/* In a list of this very entrance: only who holds the lock moves it. */
	if (!((now ^ where) & ~WSQ_WHERE_KIND) &&
	    wsq_where_kind(now) == WSQ_IN_LIST) {
		list_del(&link->list);
		WRITE_ONCE(link->where, wsq_where_in_hand(now));
		WRITE_ONCE(e->taken, e->taken + 1);
		got = true;
	} else {
		wsq_entry_turn(e);
	}
	raw_spin_unlock_irqrestore(&e->lock, flags);
	return got;
}

/**
 * wsq_entry_idle() - is there nothing to take
 * @e: the entrance
 *
 * Context: any.
 * Return: true if nothing was there. What somebody has in hand between inbox
 * and list counts as being there: he holds the lock, and took it before he
 * emptied the inbox.
 */
bool wsq_entry_idle(const struct wsq_entry *e)
{
	if (!wsq_inbox_empty(&e->inbox))
		return false;
	/*
	 * Inbox, lock, lists: against those who take the lock, then what is in
	 * the inbox, and put that in a list. litmus/entry-idle.litmus
	 */
	smp_rmb();					/* EN(idle:B) */
	if (raw_spin_is_locked((raw_spinlock_t *)&e->lock))
		return false;
	smp_rmb();					/* EN(idle:D) */
	/* Stores to the lists are plain; no lock, so none is under way. */
	return !READ_ONCE(e->rest) &&
	       /* as said */
	       data_race(list_empty_careful(&e->turning)) &&
	       /* as said */
	       data_race(list_empty_careful(&e->list));
}
