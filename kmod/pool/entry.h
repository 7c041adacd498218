/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entrance of a container: an inbox that anybody may push to, and behind it a
 * list in order, from which the owner, thieves and whoever cancels an item take
 * under a lock.
 *
 * Items come here from other CPUs, from interrupts that interrupted a put,
 * because the engine is full or has no memory, or because they are bound to
 * their CPU. The push has no lock; the list has one because an item in its
 * middle must come out in one step when it is cancelled.
 *
 * What was taken from the inbox is newest first. It is put in order a bounded
 * number of items at a time, by whoever next needs it: until then a part of it
 * is in @turning, oldest first, and the older part in @rest. New ones are taken
 * from the inbox only when all have been put in order.
 *
 * What it costs: a push is one compare-and-exchange, a take one lock.
 */
#ifndef _WSQ_POOL_ENTRY_H
#define _WSQ_POOL_ENTRY_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wsq.h>

#include "../core/inbox.h"

/**
 * struct wsq_entry - an entrance
 * @inbox: what was pushed. Anybody.
 * @rest: taken from @inbox, not in order yet, newest first. @lock; whether it
 *	is there is read without.
 * @lock: held for a bounded number of items
 * @taken: how many have been taken out of @list, modulo 2^32. @lock; read
 *	without.
 * @turning: newer than @rest, oldest first. @lock.
 * @list: in order, oldest first. @lock.
 *
 * 56 bytes, and not aligned to cache lines. So in struct wsq_container the
 * @inbox of @bound is on another line than what each take writes. On the same
 * line, pushes of other CPUs would wait for it once for each item that is
 * taken.
 */
struct wsq_entry {
	struct wsq_inbox inbox;
	atomic64_t *rest;
	raw_spinlock_t lock;	/* lists of the entrance */
	u32 taken;
	struct list_head turning;
	struct list_head list;
};

void wsq_entry_init(struct wsq_entry *e);
int wsq_entry_take(struct wsq_entry *e, void **tasks, unsigned int max,
		   bool try);
bool wsq_entry_withdraw(struct wsq_entry *e, struct wsq_link *link, u64 where);
bool wsq_entry_idle(const struct wsq_entry *e);

/* May anything be here? As of some moment, no order, no promise. */
static inline bool wsq_entry_any(const struct wsq_entry *e)
{
	return !wsq_inbox_empty(&e->inbox) || READ_ONCE(e->rest) ||
	       /* Somebody else's at this moment, and a hint will do. */
	       data_race(!list_empty(&e->list));
}

#endif /* _WSQ_POOL_ENTRY_H */
