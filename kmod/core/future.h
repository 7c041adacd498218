/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Futures and calls: a value that is there later, and what waits for it.
 *
 * L. Quirk, "Ownership of a queue for practical lock-free scheduling" (2008),
 * sections 3, 5 and 10. A future is one word: the list of the links that wait
 * for it, newest first, or RESOLVED. A call has a count of the futures that are
 * missing. The context that resolves a future takes the whole list by the
 * exchange that also says RESOLVED, and then lowers the count of each call in
 * it. The context that lowers a count to 0 starts the call.
 *
 * For kmod/call, which has the values and starts the calls. Cost: one
 * compare-and-exchange to wait for a future; one exchange to resolve it, and one
 * fetch-and-or before that if several contexts may try; one addition for each
 * call that waited, one to send a call and one fetch-and-or to begin it. 8 bytes
 * for a future, 8 for a call, 8 for each link. No lock, no loop that depends on
 * another context's progress, safe in NMI context.
 *
 * Departures from the paper:
 *
 * - Section 10 uses an owner queue (owner_queue.h): the context that fills the
 *   future owns the list until it is empty, and so does a context that adds a
 *   message to an empty list. Here a future is resolved once, so the exchange
 *   that says so can end the list for good: a context that comes later sees
 *   RESOLVED and does not add. The paper's rule touches the future again after
 *   its value is set. By then a waiter may have freed it.
 * - Section 5 scans the arguments of a message for futures. Here the caller
 *   names them.
 *
 * Last touch: the exchange FU(close:A) is the resolver's last access to the
 * future. The resolver's last access to a call, and to the links through which
 * the call waited, is the addition FU(arrive:A); it has read the next link
 * before. So a call that has begun may free both.
 *
 * Acyclic (Theorem 1): a call's future cannot be waited for before the call is
 * sent (%WSQ_FU_CALL without %WSQ_FU_CLAIMED), and a call that is sent does not
 * wait for more. So each call waits only for calls that were sent before it.
 *
 * Limitations: a link cannot be removed from a future. A resolver that stops
 * after FU(close:A) holds up the calls that it has not reached. A future has at
 * most one value. Fewer than 2^30 futures for a call.
 *
 * Operation against operation, on one future; "close" is the resolver's, which
 * is the only context that claim() returned true to:
 *
 *		| add | claim | close | resolved
 *	--------+-----+-------+-------+---------
 *	add	|  +  |   +   |   +   |    +
 *	claim	|  +  |   +   |   +   |    +
 *	close	|  +  |   +   |   -   |    +
 *
 * On one count: arrive, send, begin and cancel may run together. Send happens
 * once; begin once, after the context that was returned true by send or arrive.
 *
 * Pairs:
 *
 *	FU(close:A) full -> FU(add:A), FU(resolved:A) acquire
 *		A context that sees RESOLVED sees the value.
 *		litmus/future-value.litmus
 *	FU(add:C) full -> FU(close:A) full
 *		A resolver sees each link that was added before, and the call as
 *		it was. One of the two sees the other's, so no link is left.
 *		litmus/future-add.litmus
 *	FU(arrive:A), FU(send:A) full -> FU(arrive:A), FU(send:A) full
 *		The context that starts the call sees all values and what the
 *		sender wrote. Resolvers that came before do not touch the call
 *		any more. litmus/future-count.litmus, litmus/future-last.litmus
 *
 * No order: FU(add:B) and FU(add:C) if it fails; FU(claim:A), FU(begin:A) and
 * FU(cancel:A), where one context comes first and nothing but the word itself
 * matters; FU(unsent:A), FU(call:A) and FU(publish:A), which only the order of
 * the caller's own operations makes meaningful; FU(waiting:A) and FU(missing:A),
 * for reports.
 */
#ifndef _WSQ_CORE_FUTURE_H
#define _WSQ_CORE_FUTURE_H

#include <wsq_platform.h>

#include "status.h"

/*
 * A future's word: the address of the newest link, and in its low bits:
 * CLAIMED: a context has the right to resolve it
 * RESOLVED: it is resolved, and has no list any more
 * CALL: it belongs to a call, which resolves it. Until the call is sent, CLAIMED
 *	is not set
 */
#define WSQ_FU_CLAIMED		1ULL
#define WSQ_FU_RESOLVED		2ULL
#define WSQ_FU_CALL		4ULL
#define WSQ_FU_BITS		7ULL

/*
 * A call's count: futures that are missing. Until the call is sent, UNSENT more
 * than that, minus those that were added. CANCELLED: the function shall not be
 * called. BEGUN: it is too late for that.
 */
#define WSQ_FU_UNSENT		0x80000000ULL
#define WSQ_FU_MISSING		0xffffffffULL
#define WSQ_FU_CANCELLED	0x100000000ULL
#define WSQ_FU_BEGUN		0x200000000ULL

/**
 * wsq_fu_init() - initialize a future
 * @word: its word
 * @call: it belongs to a call
 */
static inline void wsq_fu_init(atomic64_t *word, bool call)
{
	atomic64_set(word, call ? (s64)WSQ_FU_CALL : 0);
}

/**
 * wsq_fu_publish() - from now on a call's future may be waited for
 * @word: its word
 *
 * Context: any. Before wsq_fu_send(); no link has been added.
 */
static inline void wsq_fu_publish(atomic64_t *word)
{
	atomic64_set(word, (s64)(WSQ_FU_CALL | WSQ_FU_CLAIMED)); /* FU(publish:A) */
}

/**
 * wsq_fu_unsent() - does a future belong to a call that has not been sent
 * @word: its word
 *
 * Context: any.
 * Return: true if so. If false, it stays false.
 */
static inline bool wsq_fu_unsent(const atomic64_t *word)
{
	return ((u64)atomic64_read(word) & (WSQ_FU_CALL | WSQ_FU_CLAIMED)) ==
	       WSQ_FU_CALL;					/* FU(unsent:A) */
}

/**
 * wsq_fu_call() - does a future belong to a call, and is not resolved
 * @word: its word
 *
 * Context: any.
 * Return: true if so, as of some moment.
 */
static inline bool wsq_fu_call(const atomic64_t *word)
{
	return (u64)atomic64_read(word) & WSQ_FU_CALL;		/* FU(call:A) */
}

/**
 * wsq_fu_resolved() - is a future resolved
 * @word: its word
 *
 * Context: any.
 * Return: true if so.
 * Ordering: if true, the value is visible.
 */
static inline bool wsq_fu_resolved(const atomic64_t *word)
{
	/* Pairs with FU(close:A). */
	return (u64)atomic64_read_acquire(word) & WSQ_FU_RESOLVED; /* FU(resolved:A) */
}

/**
 * wsq_fu_claim() - get the right to resolve a future
 * @word: its word; the future is no call's
 *
 * Context: any, NMI included.
 * Return: true for one caller, which then writes the value and calls
 * wsq_fu_close().
 */
static inline bool wsq_fu_claim(atomic64_t *word)
{
	return !((u64)atomic64_fetch_or_relaxed((s64)WSQ_FU_CLAIMED, word) &
		 WSQ_FU_CLAIMED);				/* FU(claim:A) */
}

/**
 * wsq_fu_try_add() - one attempt to wait for a future
 * @word: its word
 * @link: the link, in no list
 *
 * Context: any, NMI included. On %WSQ_CONFLICT nothing was added: call again.
 * Another context has added a link, or claimed or resolved the future.
 * Return: %WSQ_OK; %WSQ_DONE if the future is resolved, and the link was not
 * added; %WSQ_CONFLICT.
 * Ordering: full barrier on %WSQ_OK. On %WSQ_DONE the value is visible.
 */
static inline int wsq_fu_try_add(atomic64_t *word, atomic64_t *link)
{
	/* Pairs with FU(close:A). */
	u64 old = (u64)atomic64_read_acquire(word);		/* FU(add:A) */
	u64 bits = old & WSQ_FU_BITS;

	if (bits & WSQ_FU_RESOLVED)
		return WSQ_DONE;
	atomic64_set(link, (s64)(old - bits));			/* FU(add:B) */
	if (atomic64_cmpxchg(word, (s64)old,			/* FU(add:C) */
			     (s64)((u64)(uintptr_t)link | bits)) != (s64)old)
		return WSQ_CONFLICT;
	return WSQ_OK;
}

/**
 * wsq_fu_close() - say that a future is resolved, and take what waits for it
 * @word: its word, claimed; the value is written. May be freed on return
 *
 * Context: any, NMI included; the resolver.
 * Return: the link that was added last, which leads to the others as those of
 * inbox.h do; %NULL if there is none.
 * Ordering: full barrier.
 */
static inline atomic64_t *wsq_fu_close(atomic64_t *word)
{
	/* Pairs with FU(add:A), FU(add:C), FU(resolved:A). */
	u64 old = (u64)atomic64_xchg(word, (s64)(WSQ_FU_RESOLVED |	/* FU(close:A) */
						 WSQ_FU_CLAIMED));

	return (atomic64_t *)(uintptr_t)(old & ~WSQ_FU_BITS);
}

/**
 * wsq_fu_waiting() - what waits for a future
 * @word: its word
 *
 * Context: any, while no context adds or closes.
 * Return: as wsq_fu_close(), which is still to come.
 */
static inline atomic64_t *wsq_fu_waiting(const atomic64_t *word)
{
	return (atomic64_t *)(uintptr_t)
		((u64)atomic64_read(word) & ~WSQ_FU_BITS);	/* FU(waiting:A) */
}

/* Calls. */

static inline void wsq_fu_count_init(atomic64_t *count)
{
	atomic64_set(count, (s64)WSQ_FU_UNSENT);
}

/**
 * wsq_fu_arrive() - a future that a call waited for is resolved
 * @count: the call's count; if this returns false, the call may be freed
 *
 * Context: any, NMI included. Once for each link of the call that
 * wsq_fu_close() returned.
 * Return: true if none is missing any more: the caller starts the call.
 * Ordering: full barrier.
 */
static inline bool wsq_fu_arrive(atomic64_t *count)
{
	/* Pairs with itself and with FU(send:A). */
	u64 old = (u64)atomic64_fetch_add(-1, count);		/* FU(arrive:A) */

	return (old & WSQ_FU_MISSING) == 1;
}

/**
 * wsq_fu_send() - all futures of a call were named
 * @count: the call's count; if this returns false, the call may be freed
 * @given: how many links were added (%WSQ_OK)
 *
 * Context: any, NMI included; once.
 * Return: true if none is missing: the caller starts the call.
 * Ordering: full barrier.
 */
static inline bool wsq_fu_send(atomic64_t *count, u32 given)
{
	u64 less = WSQ_FU_UNSENT - given;
	u64 old;

	/* Pairs with FU(arrive:A). */
	old = (u64)atomic64_fetch_add(-(s64)less, count);	/* FU(send:A) */
	return (old & WSQ_FU_MISSING) == less;
}

/**
 * wsq_fu_begin() - begin a call
 * @count: its count
 *
 * Context: any; once, after the call was started.
 * Return: true if the function is to be called, false if the call was cancelled.
 */
static inline bool wsq_fu_begin(atomic64_t *count)
{
	return !((u64)atomic64_fetch_or_relaxed((s64)WSQ_FU_BEGUN, count) &
		 WSQ_FU_CANCELLED);				/* FU(begin:A) */
}

/**
 * wsq_fu_cancel() - cancel a call
 * @count: its count
 *
 * Context: any, NMI included.
 * Return: true if it has not begun: wsq_fu_begin() returns false.
 */
static inline bool wsq_fu_cancel(atomic64_t *count)
{
	return !((u64)atomic64_fetch_or_relaxed((s64)WSQ_FU_CANCELLED, count) &
		 WSQ_FU_BEGUN);					/* FU(cancel:A) */
}

/**
 * wsq_fu_missing() - number of futures that a call still waits for
 * @count: its count
 * @given: how many links were added
 *
 * Context: any, while the call is neither sent nor begins.
 * Return: the number, as of some moment.
 */
static inline u32 wsq_fu_missing(const atomic64_t *count, u32 given)
{
	u32 left = (u32)((u64)atomic64_read(count) & WSQ_FU_MISSING); /* FU(missing:A) */

	/* Not sent: what has arrived is gone from UNSENT. */
	return left > WSQ_FU_UNSENT / 2 ? given - (u32)(WSQ_FU_UNSENT - left) : left;
}

#endif /* _WSQ_CORE_FUTURE_H */
