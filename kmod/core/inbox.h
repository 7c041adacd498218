/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inbox: where every context but its producer puts tasks into a container.
 *
 * A list of links that any number of contexts push to by compare-and-exchange
 * and that one exchange takes as a whole. It is unbounded, because the links
 * are inside the tasks. It is safe in NMI context, because an interrupted push
 * has changed either nothing yet or everything. Three kinds of tasks go here:
 * those that hardirq and NMI handlers queue after interrupting a put, those
 * that other CPUs queue for this one, and those that do not fit into a full
 * container.
 *
 * Why not a ring of many producers: a producer that is interrupted between
 * claiming and filling a cell stops the consumer, and the ring would be
 * bounded. Taking the whole list, instead of popping one link, excludes ABA.
 *
 * Operation against operation:
 *
 *		| push | take
 *	--------+------+------
 *	push	|  +   |  +
 *	take	|  +   |  +
 *
 * A link belongs to the inbox from push to take, then to the taker.
 *
 * The list is newest first. struct wsq_backlog reverses what was taken, a
 * bounded number of links at a time. A backlog belongs to one context; nothing
 * in it is shared.
 *
 * Pairs:
 *
 *	IN(push:C) full -> IN(take:A) acquire
 *		The taker sees the task as it was when pushed, and the links
 *		behind it. This covers links that other contexts pushed earlier:
 *		the compare-and-exchanges form one chain of releases.
 *		litmus/inbox-push-take.litmus
 *	IN(back:A) full -> IN(take:A) acquire
 *		As above, for links that were taken and given back.
 *		litmus/inbox-back-take.litmus
 *	IN(push:C) full, then a look at the park word
 *		See parking.h: store the task, check whether the worker parked.
 *		litmus/parking-remote.litmus
 *
 * No order: IN(push:A), which IN(push:C) verifies; IN(empty:A), a hint;
 * IN(link:A) and IN(link:B), on links that belong to the caller.
 */
#ifndef _WSQ_CORE_INBOX_H
#define _WSQ_CORE_INBOX_H

#include <wsq_platform.h>

#include "status.h"

/**
 * struct wsq_inbox - list of pushed links, newest first
 * @head: address of the newest link, 0 if none. Any context, by compare-and-
 *	exchange (push) or exchange (take).
 */
struct wsq_inbox {
	atomic64_t head;
};

/**
 * struct wsq_backlog - links taken from an inbox, being reversed
 * @turned: links already reversed; oldest first once @rest is empty
 * @rest: links still to be reversed, newest first
 */
struct wsq_backlog {
	atomic64_t *turned;
	atomic64_t *rest;
};

static inline atomic64_t *wsq_link_next(const atomic64_t *link)
{
	return (atomic64_t *)(uintptr_t)atomic64_read(link);	/* IN(link:A) */
}

static inline void wsq_link_set(atomic64_t *link, atomic64_t *next)
{
	atomic64_set(link, (s64)(uintptr_t)next);		/* IN(link:B) */
}

static inline void wsq_inbox_init(struct wsq_inbox *in)
{
	atomic64_set(&in->head, 0);
}

/**
 * wsq_inbox_try_push_many() - one attempt to push several links
 * @in: the inbox
 * @newest: leads to the others by wsq_link_set(), in no list
 * @oldest: the last of them, perhaps @newest
 *
 * They stay together: what other contexts push is in front of them or behind.
 *
 * Context: any, NMI included. On %WSQ_CONFLICT call again: another push or take
 * succeeded, so the system as a whole makes progress.
 * Return: %WSQ_OK; %WSQ_PUBLISHED if the inbox was empty: the caller must make
 * sure that some context will take from it; %WSQ_CONFLICT.
 * Ordering: full barrier on success.
 */
static inline int wsq_inbox_try_push_many(struct wsq_inbox *in,
					  atomic64_t *newest, atomic64_t *oldest)
{
	s64 head = atomic64_read(&in->head);			/* IN(push:A) */

	atomic64_set(oldest, head);				/* IN(push:B) */
	if (atomic64_cmpxchg(&in->head, head,
			     (s64)(uintptr_t)newest) != head)	/* IN(push:C) */
		return WSQ_CONFLICT;
	return head ? WSQ_OK : WSQ_PUBLISHED;
}

/* The same for one link, in no list. */
static inline int wsq_inbox_try_push(struct wsq_inbox *in, atomic64_t *link)
{
	return wsq_inbox_try_push_many(in, link, link);
}

/**
 * wsq_inbox_empty() - is there nothing to take
 * @in: the inbox
 *
 * Context: any.
 * Return: true if nothing was there. A hint unless ordered by parking.h.
 */
static inline bool wsq_inbox_empty(const struct wsq_inbox *in)
{
	return !atomic64_read(&in->head);			/* IN(empty:A) */
}

/**
 * wsq_inbox_take() - take all links
 * @in: the inbox
 *
 * Context: any.
 * Return: the newest link, which leads to the others; %NULL if there is none.
 */
static inline atomic64_t *wsq_inbox_take(struct wsq_inbox *in)
{
	if (wsq_inbox_empty(in))
		return NULL;
	/* Pairs with IN(push:C). */
	return (atomic64_t *)(uintptr_t)
		atomic64_xchg_acquire(&in->head, 0);		/* IN(take:A) */
}

/**
 * wsq_inbox_give_back() - put back the rest of what was taken
 * @in: the inbox
 * @links: one or more chained links, taken from @in
 *
 * For lists whose order does not matter: links pushed since may come behind.
 * Costs nothing for each link but those.
 *
 * Context: any. Repeats only if another context has pushed since.
 */
static inline void wsq_inbox_give_back(struct wsq_inbox *in, atomic64_t *links)
{
	atomic64_t *link, *next;

	while (atomic64_cmpxchg(&in->head, 0,
				(s64)(uintptr_t)links) != 0) {	/* IN(back:A) */
		for (link = wsq_inbox_take(in); link; link = next) {
			next = wsq_link_next(link);
			wsq_link_set(link, links);
			links = link;
		}
	}
}

static inline void wsq_backlog_init(struct wsq_backlog *bl)
{
	bl->turned = NULL;
	bl->rest = NULL;
}

static inline bool wsq_backlog_empty(const struct wsq_backlog *bl)
{
	return !bl->turned && !bl->rest;
}

/**
 * wsq_backlog_fill() - hand a taken list to an empty backlog
 * @bl: the backlog, empty
 * @links: what wsq_inbox_take() returned
 *
 * Context: the backlog's owner.
 */
static inline void wsq_backlog_fill(struct wsq_backlog *bl, atomic64_t *links)
{
	bl->rest = links;
}

/**
 * wsq_backlog_reverse() - reverse links, a bounded number
 * @bl: the backlog
 * @budget: how many links to reverse at most
 *
 * Context: the backlog's owner.
 * Return: true if the backlog is in order and wsq_backlog_pop() may be called.
 */
static inline bool wsq_backlog_reverse(struct wsq_backlog *bl, u32 budget)
{
	atomic64_t *link;

	while (bl->rest && budget--) {
		link = bl->rest;
		bl->rest = wsq_link_next(link);
		wsq_link_set(link, bl->turned);
		bl->turned = link;
	}
	return !bl->rest;
}

/**
 * wsq_backlog_pop() - take the oldest link
 * @bl: the backlog, in order
 *
 * Context: the backlog's owner.
 * Return: the link, or %NULL if there is none.
 */
static inline atomic64_t *wsq_backlog_pop(struct wsq_backlog *bl)
{
	atomic64_t *link = bl->turned;

	if (link)
		bl->turned = wsq_link_next(link);
	return link;
}

#endif /* _WSQ_CORE_INBOX_H */
