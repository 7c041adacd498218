/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owner queue: tasks that must run one at a time, on whichever context owns the
 * queue.
 *
 * L. Quirk, "Ownership of a queue for practical lock-free scheduling" (2008),
 * sections 6 to 8: an inbox that any number of contexts push to, and a count of
 * what is in it. The context that raises the count from 0 owns the queue. It
 * alone takes tasks, or hands that right to another context. It owns the queue
 * until it lowers the count to 0, and does not touch it after that. So there is
 * exactly one owner whenever the count is above 0, and no lock on either side.
 *
 * For kmod/serial, which has the owner of each queue run on some worker. Cost:
 * two read-modify-writes for each task pushed, one for each batch that the
 * owner takes, one for each time it finds the backlog empty. 32 bytes. Nothing
 * is on a cache line of its own, because there may be as many of these as there
 * are files or connections.
 *
 * Departures from the paper:
 *
 * - Taking a task and lowering the count are two calls, and the task is to run
 *   between them. If the count were lowered first, as in the paper's
 *   deq_and_is_empty(), the queue could get its next owner while the last task
 *   of this one still runs.
 * - The count may be lowered by several at once. The owner may take as many
 *   tasks as it knows to be counted, because that many are there.
 * - Order: the paper promises none. Here tasks come out as they were pushed,
 *   over all pushers; the order is that of the pushes' compare-and-exchanges.
 * - The paper's queue is any lock-free one. This one is the list of inbox.h,
 *   which the owner takes as a whole and reverses. The next owner inherits what
 *   was reversed and has not run.
 *
 * Totality (Theorem 3): a task is pushed before it is counted. So the queue
 * never has fewer tasks than are counted, except for those that the owner has
 * taken. The reverse happens: a task can be in the queue, and even be taken and
 * run, before its pusher counts it. Another task then remains in its stead, and
 * the pusher may become the owner of that one. Two consequences: a pusher
 * touches the queue to count, whatever has happened to its own task since; and
 * when as many tasks have run as were ever pushed, all of them have been
 * counted.
 *
 * Limitations: a task cannot be removed from the middle. A pusher that stops
 * between push and count holds up one task, the last in the list, which may be
 * another pusher's: it is in the queue although the count is 0.
 *
 * A user with a list of its own, from which other contexts may remove tasks,
 * uses the count alone (wsq_oq_count(), wsq_oq_counted(), wsq_oq_lower();
 * exec/ordered.c). A context that removes a task does not lower the count. An
 * owner that reads the count, then finds the list empty, lowers it by what it
 * read: all tasks counted by then have been taken or removed. So the count is
 * never lowered by more tasks than have left the list. If the count is 0 and
 * every pushed task has been counted, the list is empty.
 *
 * Operation against operation; "own" is every operation that only the owner
 * calls:
 *
 *		| try_push | own | idle
 *	--------+----------+-----+------
 *	try_push|    +     |  +  |  +
 *	own	|    +     |  -  |  +
 *
 * Memory: may be freed when wsq_oq_idle() is true and no context is in, or will
 * enter, wsq_oq_try_push().
 *
 * Pairs:
 *
 *	IN(push:C) full -> OQ(owed:A) acquire, OQ(done:A) full
 *		An owner that sees a task counted finds it: what IN(empty:A) and
 *		IN(take:A) read is no older than the push before OQ(push:A).
 *		litmus/owner_queue-owed.litmus, litmus/owner_queue-more.litmus
 *	OQ(done:A) full -> OQ(push:A) acquire
 *		A context that raises the count from 0 sees what earlier owners
 *		left: the backlog, and what the tasks did.
 *		litmus/owner_queue-owner.litmus
 *	OQ(done:A) full -> OQ(idle:A) acquire
 *		A context that finds the queue idle sees that, too, and no owner
 *		touches the queue any more. litmus/owner_queue-idle.litmus
 */
#ifndef _WSQ_CORE_OWNER_QUEUE_H
#define _WSQ_CORE_OWNER_QUEUE_H

#include <wsq_platform.h>

#include "inbox.h"

/**
 * struct wsq_owner_queue - tasks that the owner takes one after the other
 * @in: tasks that were pushed and not taken yet. Any context.
 * @count: tasks counted as pushed and not yet as done. Any context raises it,
 *	the owner lowers it. 64 bits: it does not wrap.
 * @bl: tasks that were taken and not popped yet. The owner.
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
 * wsq_oq_count() - count tasks that were pushed
 * @count: the count
 * @nr: how many; they were pushed with a full barrier
 *
 * Context: any, NMI included.
 * Return: %WSQ_OK, or %WSQ_PUBLISHED if the caller is the owner now.
 * Ordering: a new owner sees what earlier owners left.
 */
static inline int wsq_oq_count(atomic64_t *count, u32 nr)
{
	/* Behind the full barrier of IN(push:C). Pairs with OQ(done:A). */
	return atomic64_fetch_add_acquire(nr, count) ?		/* OQ(push:A) */
		WSQ_OK : WSQ_PUBLISHED;
}

/**
 * wsq_oq_counted() - number of tasks counted
 * @count: the count
 *
 * Context: the owner.
 * Return: how many, at least one; more may come.
 */
static inline u64 wsq_oq_counted(const atomic64_t *count)
{
	/* Pairs with IN(push:C). */
	return (u64)atomic64_read_acquire(count);		/* OQ(owed:A) */
}

/**
 * wsq_oq_lower() - tasks have run, or are gone
 * @count: the count; no longer the caller's to lower if this returns 0
 * @nr: how many, at least one and at most as many as the caller saw counted
 *
 * Context: the owner.
 * Return: how many are still counted; 0 if the caller is no longer the owner.
 * Ordering: full barrier.
 */
static inline u64 wsq_oq_lower(atomic64_t *count, u64 nr)
{
	/* Pairs with IN(push:C); with OQ(push:A) and OQ(idle:A). */
	return (u64)atomic64_fetch_add(-(s64)nr, count) - nr;	/* OQ(done:A) */
}

/**
 * wsq_oq_try_push_many() - one attempt to push several links, and to count them
 * @oq: the queue
 * @newest: as for wsq_inbox_try_push_many(); the links may be freed when this
 *	returns, unless the caller is the owner
 * @oldest: likewise
 * @nr: how many
 *
 * Context: any, NMI included. On %WSQ_CONFLICT nothing was pushed: call again.
 * Another push or take succeeded, so the system as a whole makes progress.
 * Return: %WSQ_OK; %WSQ_PUBLISHED if the caller owns the queue now, and must
 * take from it or have another context do so; %WSQ_CONFLICT.
 * Ordering: full barrier before it counts. A new owner sees what earlier owners
 * left.
 */
static inline int wsq_oq_try_push_many(struct wsq_owner_queue *oq,
				       atomic64_t *newest, atomic64_t *oldest,
				       u32 nr)
{
	if (wsq_inbox_try_push_many(&oq->in, newest, oldest) == WSQ_CONFLICT)
		return WSQ_CONFLICT;
	return wsq_oq_count(&oq->count, nr);
}

/* The same for one link, in no list. */
static inline int wsq_oq_try_push(struct wsq_owner_queue *oq, atomic64_t *link)
{
	return wsq_oq_try_push_many(oq, link, link, 1);
}

/**
 * wsq_oq_owed() - number of tasks counted
 * @oq: the queue
 *
 * Context: the owner.
 * Return: how many it may pop before it calls wsq_oq_done(), at least one;
 * more may come.
 */
static inline u64 wsq_oq_owed(const struct wsq_owner_queue *oq)
{
	return wsq_oq_counted(&oq->count);
}

/**
 * wsq_oq_reverse() - put pushed links in order, a bounded number
 * @oq: the queue
 * @budget: how many links to reverse at most
 *
 * Context: the owner.
 * Return: true if wsq_oq_pop() may be called, and finds a task if one is owed.
 */
static inline bool wsq_oq_reverse(struct wsq_owner_queue *oq, u32 budget)
{
	if (wsq_backlog_empty(&oq->bl))
		wsq_backlog_fill(&oq->bl, wsq_inbox_take(&oq->in));
	return wsq_backlog_reverse(&oq->bl, budget);
}

/**
 * wsq_oq_pop() - take the task that was pushed first
 * @oq: the queue, put in order by wsq_oq_reverse()
 *
 * Context: the owner.
 * Return: its link.
 */
static inline atomic64_t *wsq_oq_pop(struct wsq_owner_queue *oq)
{
	return wsq_backlog_pop(&oq->bl);
}

/**
 * wsq_oq_done() - popped tasks have run
 * @oq: the queue; no longer the caller's if this returns 0, and perhaps freed
 * @nr: how many, at least one
 *
 * Context: the owner.
 * Return: how many are still counted, as wsq_oq_owed(); 0 if the caller is no
 * longer the owner.
 * Ordering: full barrier.
 */
static inline u64 wsq_oq_done(struct wsq_owner_queue *oq, u32 nr)
{
	return wsq_oq_lower(&oq->count, nr);
}

/**
 * wsq_oq_idle() - does the queue have no owner
 * @oq: the queue
 *
 * Context: any.
 * Return: true if no task was counted, so no context owned it. All that tasks
 * counted before have done is then visible.
 */
static inline bool wsq_oq_idle(const struct wsq_owner_queue *oq)
{
	/* Pairs with OQ(done:A). */
	return !atomic64_read_acquire(&oq->count);		/* OQ(idle:A) */
}

#endif /* _WSQ_CORE_OWNER_QUEUE_H */
