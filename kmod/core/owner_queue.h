/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owner queue: tasks that must run one at a time, and nobody in particular to
 * run them.
 *
 * L. Quirk, "Ownership of a queue for practical lock-free scheduling" (2008),
 * sections 6 to 8: an inbox that any number of contexts push to, and a count of
 * what is in it. Who raises the count from 0 owns the queue: it alone takes, or
 * hands that right to somebody else. It owns the queue until it lowers the count
 * to 0, and looks no further at it then. So there is an owner whenever something
 * is counted, never two, and no lock on either side.
 *
 * For kmod/serial, which has the owner of each queue run on some worker.
 * What it costs: two read-modify-writes for each task pushed, one for as many as
 * the owner likes to take at a time, one for each time it finds the backlog dry.
 * 32 bytes; nothing is on a cache line of its own, because there may be as many
 * of these as there are files or connections.
 *
 * Departures from the paper:
 *
 * - Taking a task and lowering the count are two calls, and the task is to run
 *   between them. Lowered first, as the paper's deq_and_is_empty() has it, the
 *   queue could have its next owner while the last task of this one runs.
 * - The count may be lowered by several at once. The owner may take as many as
 *   it knows to be counted, for that many are there.
 * - Order: the paper promises none. Here tasks come out as they were pushed,
 *   those of all pushers; a push takes place at its compare-and-exchange.
 * - The paper's queue is any lock-free one. This one is the list of inbox.h,
 *   taken as a whole and turned round by the owner. What it has turned and not
 *   run yet is left to the next owner.
 *
 * Totality (Theorem 3): a task is pushed before it is counted, so there are
 * never fewer in the queue than are counted, but for those that the owner has
 * taken. The other way round happens: a task can be there, and even be taken
 * and run, before its pusher has come to count it. Another task is then left in its
 * stead, and its pusher may become the owner of that. Hence: a pusher touches the
 * queue to count, whatever has become of its own task meanwhile; but when as many
 * tasks have run as were ever pushed, all of them have been counted.
 *
 * Limitations: a task cannot be taken out from the middle. A pusher that stops
 * between push and count holds up one task, the last in the list, which may be
 * another's: the count says 0, and it is there.
 *
 * Operation against operation, "own" being all that only the owner may call:
 *
 *		| try_push | own | idle
 *	--------+----------+-----+------
 *	try_push|    +     |  +  |  +
 *	own	|    +     |  -  |  +
 *
 * Memory: may be freed when wsq_oq_idle() is true and nobody is in, or will
 * come to, wsq_oq_try_push().
 *
 * Pairs:
 *
 *	IN(push:C) full -> OQ(owed:A) acquire, OQ(done:A) full
 *		If the owner sees a task counted, it finds it: what IN(empty:A) and
 *		IN(take:A) read is no older than the push before OQ(push:A).
 *		litmus/owner_queue-owed.litmus, litmus/owner_queue-more.litmus
 *	OQ(done:A) full -> OQ(push:A) acquire
 *		Who raises the count from 0 sees what owners before it have left:
 *		the backlog, and what the tasks did.
 *		litmus/owner_queue-owner.litmus
 *	OQ(done:A) full -> OQ(idle:A) acquire
 *		Who finds the queue idle sees the same, and nobody touches it any
 *		more. litmus/owner_queue-idle.litmus
 */
#ifndef _WSQ_CORE_OWNER_QUEUE_H
#define _WSQ_CORE_OWNER_QUEUE_H

#include <wsq_platform.h>

#include "inbox.h"

/**
 * struct wsq_owner_queue - tasks of which the owner takes one after the other
 * @in: what was pushed and not taken yet. Anybody.
 * @count: what was counted as pushed and not as done. Anybody raises it, the
 *	owner lowers it. 64 bits: it does not wrap.
 * @bl: what was taken and not popped yet. The owner.
 */
struct wsq_owner_queue {
	struct wsq_inbox in;
	atomic64_t count;
	struct wsq_backlog bl;
};

static inline void wsq_oq_init(struct wsq_owner_queue *oq)
{
	wsq_inbox_init(&oq->in);
	atomic64_set(&oq->count, 0);
	wsq_backlog_init(&oq->bl);
}

/**
 * wsq_oq_try_push() - one attempt to push a link, and to count it
 * @oq: the queue
 * @link: the link, in no list; may be gone when this returns, unless the caller
 *	is the owner
 *
 * Context: any, NMI included. On %WSQ_CONFLICT nothing was pushed: call again.
 * Somebody else's push or take succeeded, so the system as a whole moves on.
 * Return: %WSQ_OK; %WSQ_OPENED if the caller owns the queue now, and must take
 * from it or have somebody do so; %WSQ_CONFLICT.
 * Ordering: full barrier before it counts. A new owner sees what those before it
 * have left.
 */
static inline int wsq_oq_try_push(struct wsq_owner_queue *oq, atomic64_t *link)
{
	if (wsq_inbox_try_push(&oq->in, link) == WSQ_CONFLICT)
		return WSQ_CONFLICT;
	/* Behind the full barrier of IN(push:C). Pairs with OQ(done:A). */
	return atomic64_fetch_add_acquire(1, &oq->count) ?	/* OQ(push:A) */
		WSQ_OK : WSQ_OPENED;
}

/**
 * wsq_oq_owed() - how many tasks are counted
 * @oq: the queue
 *
 * Context: the owner.
 * Return: as many as it may pop before it calls wsq_oq_done(), at least one;
 * more may come.
 */
static inline u64 wsq_oq_owed(const struct wsq_owner_queue *oq)
{
	/* Pairs with IN(push:C). */
	return (u64)atomic64_read_acquire(&oq->count);		/* OQ(owed:A) */
}

/**
 * wsq_oq_turn() - put what was pushed in order, a bounded number of links
 * @oq: the queue
 * @budget: how many links to turn at most
 *
 * Context: the owner.
 * Return: true if wsq_oq_pop() may be called, and finds a task if one is owed.
 */
static inline bool wsq_oq_turn(struct wsq_owner_queue *oq, u32 budget)
{
	if (wsq_backlog_empty(&oq->bl))
		wsq_backlog_fill(&oq->bl, wsq_inbox_take(&oq->in));
	return wsq_backlog_turn(&oq->bl, budget);
}

/**
 * wsq_oq_pop() - take the task that was pushed first
 * @oq: the queue, turned
 *
 * Context: the owner.
 * Return: its link.
 */
static inline atomic64_t *wsq_oq_pop(struct wsq_owner_queue *oq)
{
	return wsq_backlog_pop(&oq->bl);
}

/**
 * wsq_oq_done() - tasks that were popped have run
 * @oq: the queue; not the caller's any more if this returns 0, and perhaps gone
 * @nr: how many, at least one
 *
 * Context: the owner.
 * Return: how many are counted still, as wsq_oq_owed(); 0 if the caller is not
 * the owner any more.
 * Ordering: full barrier.
 */
static inline u64 wsq_oq_done(struct wsq_owner_queue *oq, u32 nr)
{
	/* Pairs with IN(push:C); with OQ(push:A) and OQ(idle:A). */
	return (u64)(atomic64_fetch_add(-(s64)nr, &oq->count) - nr); /* OQ(done:A) */
}

/**
 * wsq_oq_idle() - has the queue no owner
 * @oq: the queue
 *
 * Context: any.
 * Return: true if nothing was counted, and so nobody owned it. Then all that
 * was done by tasks counted before is visible.
 */
static inline bool wsq_oq_idle(const struct wsq_owner_queue *oq)
{
	/* Pairs with OQ(done:A). */
	return !atomic64_read_acquire(&oq->count);		/* OQ(idle:A) */
}

#endif /* _WSQ_CORE_OWNER_QUEUE_H */
