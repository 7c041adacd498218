/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inbox of a lane. Any context may push to @inbox (core/inbox.h), without a
 * lock. Behind it is an ordered overflow list, from which the owner, thieves,
 * and contexts that cancel an item take under a lock.
 *
 * An item comes here if another CPU puts it, if an interrupt puts it that
 * interrupted a put, if the engine is full or has no memory, or if the item is
 * bound to its CPU. The list has a lock because a cancel must remove an item
 * from its middle in one step.
 *
 * Items taken from @inbox are newest first. Each caller that needs one reverses
 * a bounded number of them. The reversed ones wait in @turning, the older ones
 * in @rest. @inbox is emptied again only when both are empty.
 *
 * Cost: a push is one compare-and-exchange, a take is one lock.
 */
#ifndef _WSQ_EXEC_LANE_INBOX_H
#define _WSQ_EXEC_LANE_INBOX_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wsq.h>

#include "../core/inbox.h"

/**
 * struct wsq_entry - an inbox
 * @inbox: items pushed. Any context.
 * @rest: taken from @inbox, not in order yet, newest first. @lock; tested for
 *	%NULL without.
 * @lock: held for a bounded number of items
 * @taken: items taken out of @list, modulo 2^32. @lock; read without.
 * @turning: newer than @rest, oldest first. @lock.
 * @list: in order, oldest first. @lock.
 *
 * 56 bytes, not aligned to cache lines. So in struct wsq_lane the @inbox of
 * @bound is not on the line that each take writes: pushes of other CPUs would
 * wait for that line once for each item taken.
 */
struct wsq_entry {
	struct wsq_inbox inbox;
	atomic64_t *rest;
	raw_spinlock_t lock;	/* lists of the inbox */
	u32 taken;
	struct list_head turning;
	struct list_head list;
};

void wsq_lane_inbox_init(struct wsq_entry *e);
int wsq_lane_inbox_take(struct wsq_entry *e, void **tasks, unsigned int max,
			bool try);
bool wsq_lane_inbox_remove(struct wsq_entry *e, struct wsq_link *link, u64 where);
bool wsq_lane_inbox_idle(const struct wsq_entry *e);

/* May the inbox have items? A hint, no order. */
static inline bool wsq_lane_inbox_any(const struct wsq_entry *e)
{
	return !wsq_inbox_empty(&e->inbox) || READ_ONCE(e->rest) ||
	       /* Another context may write the list; a hint will do. */
	       data_race(!list_empty(&e->list));
}

#endif /* _WSQ_EXEC_LANE_INBOX_H */
