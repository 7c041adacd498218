/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a work item, and which context may change it. Internal.
 *
 * One word:
 *
 *	bit	 0	pending: the item is queued, on its timer, or about to
 *			be queued. The context that sets the bit owns the item,
 *			and may change the rest of the word, until it has queued
 *			the item. Then the context that takes the item out owns
 *			it
 *		 1	waited: a context waits for the pending item (wait.c).
 *			Set by any context while the pending bit is set
 *		 2	rearm: the owner puts the item on its timer instead
 *			(delayed.c). Set by interrupts, which cannot wait for
 *			the owner
 *		 3	statically initialized, and never run: for debug objects
 *		 8-23	how often it is disabled
 *		32-63	number of the worker that runs it, or ran it last
 *
 * Taking an item: a worker claims it, stores it in its @cur, and clears the
 * pending bit, in that order. Then it calls the function and does not touch the
 * item again, which may be freed or queued anew.
 *
 * Non-reentrant: a worker that claims an item looks which worker ran it last.
 * If that worker still runs it (it is in its @cur), the claimer leaves the item
 * with it, in the list @deferred, under that worker's lock:
 *
 *	worker A			worker B, which owns the item
 *	--------			-----------------------------
 *	RN(run:B) cur = NULL		lock A
 *	full barrier: claim of the	RN(leave:A) attention = true
 *	next item, RN(order:A),		RN(leave:B) smp_mb
 *	RN(park:A), or RN(stop:A)	cur == item? leave it there : run it
 *	attention? lock, look		unlock A
 *
 * If B still sees the item in @cur, A reads @attention after B's store, waits
 * for the lock and finds the item. Otherwise A does not run the item any more.
 * A context that waits for the function to return (wait.c) uses the same
 * protocol, and so does the hand-off of a CPU to a standby worker (standby.c).
 *
 * wsq_flush_work() waits for the run for which the item was queued last. If
 * that run is cancelled, or the put is refused, it waits for the run before.
 * The canceller decides which, while it owns the item, because no worker can
 * begin the item then:
 *
 *	canceller, which owns the item, under the lock of the waiters' bucket
 *	---------------------------------------------------------------------
 *	take the waiters out of the table
 *	lock the worker that ran it last
 *	RN(leave:A) attention = true
 *	RN(leave:B) smp_mb
 *	RN(runs:A) cur == item?
 *	RN(cancel:A) clear the pending bit
 *	if so, RN(cancel:B) leave the waiters there
 *	RN(cancel:C) unlock the worker
 *	if not, complete the waiters, without locks
 *
 *	RN(order:A), RN(park:A), RN(stop:A), BF(claim:A) against RN(leave:B),
 *	RN(hand:B): store buffering
 *		litmus/exec-attention.litmus, and for a claim from an overflow
 *		list litmus/exec-attention-inbox.litmus
 *	RN(run:B) release -> RN(runs:A) acquire
 *		A context that sees that the worker does not run the item sees
 *		what its function did. litmus/exec-through.litmus
 *	RN(begin:A), RN(slow:A), RN(waiters:A) full, against RN(queue:A),
 *	RN(owed:A), RN(bulk:A), RN(delay:A), RN(rcu:A) full
 *		A put that finds the item pending is seen by the run that it
 *		relies on. litmus/exec-pending.litmus
 *	RN(begin:A), ... full -> RN(queue:A), RN(grab:A) -> the next claim
 *		A worker that claims the item sees which worker ran it last, and
 *		whether that one still runs it. litmus/exec-begin.litmus
 *	RN(begin:A), ... full -> RN(queue:A), RN(grab:A) full -> RN(runs:A)
 *		A canceller does not complete waiters while the function runs.
 *		litmus/exec-cancelled.litmus
 *	RN(begin:A), ... full -> RN(wait:A) acquire
 *		A flush that finds the item not pending any more sees which
 *		worker still runs it. litmus/exec-cancelled-before.litmus
 *	RN(runs:A) acquire -> RN(cancel:A) full -> RN(queue:A)
 *		A canceller does not leave waiters with a run that was queued
 *		after the cancel. litmus/exec-cancelled-anew.litmus
 *	RN(cancel:A) before RN(cancel:B), RN(cancel:C), under the worker's lock
 *		A waiter that frees the item does so after the canceller's last
 *		access. litmus/exec-cancelled-last.litmus
 *	RN(clear:A), RN(cancel:A) full -> RN(queue:A), ... RN(grab:A)
 *		The next put writes after the canceller.
 *		litmus/exec-clear.litmus
 *	RN(begin:A) full -> RN(undefer:A) acquire
 *		An item that is still deferred is in this worker's list.
 *		litmus/exec-undefer.litmus
 *	WH(free:A), a grace period, against a look at the queue with preemption
 *	off
 *		A CPU that reads where the item is does not find another queue
 *		of the same number there. litmus/exec-location.litmus
 *	RN(waited:A): ordered by its lock. litmus/exec-waited.litmus
 *	RN(disable:A), RN(queue:A): one comes first. litmus/exec-disable.litmus
 *	BU(run:A), RN(begin:A) against BU(look:A), BU(look:B), BU(look:C)
 *		An item that is pending or runs is not found idle.
 *		litmus/exec-busy.litmus
 */
#ifndef _WSQ_EXEC_ITEM_H
#define _WSQ_EXEC_ITEM_H

#include <linux/completion.h>

#include "debug.h"
#include "exec.h"

#define WSQ_PENDING_BIT		0
#define WSQ_PENDING		BIT(WSQ_PENDING_BIT)
#define WSQ_WAITED		BIT(1)
#define WSQ_REARM		BIT(2)
#define WSQ_ALL_PENDING		(WSQ_PENDING | WSQ_WAITED | WSQ_REARM)
#define WSQ_DEPTH_SHIFT		8
#define WSQ_DEPTH_ONE		BIT(WSQ_DEPTH_SHIFT)
#define WSQ_DEPTH		GENMASK(23, WSQ_DEPTH_SHIFT)
#define WSQ_RAN_SHIFT		32

/**
 * struct wsq_work_waiter - a context that waits for one run of an item
 * @work: the item; once it runs, only its address is used
 * @done: completed when it has run, or was cancelled and does not run
 * @list: in the bucket of its item, or in @waiters of the worker
 */
struct wsq_work_waiter {
	struct wsq_work *work;
	struct completion done;
	struct list_head list;
};

/* wait.c */
void wsq_wait_init(void);
void wsq_refused_clear(void);
void wsq_clear_pending(struct wsq_work *work);
bool wsq_begin_slow(struct wsq_worker *w, struct wsq_work *work,
		    unsigned long ran);
void wsq_attend(struct wsq_worker *w);
bool wsq_defer(u32 ran, struct wsq_work *work);
bool wsq_undefer(struct wsq_work *work, u64 where);
bool wsq_wait_pending(struct wsq_work *work);
bool wsq_wait_running(struct wsq_work *work);
void wsq_wait_spinning(const struct wsq_work *work);

/* item.c, delayed.c */
bool wsq_grab(struct wsq_work *work, bool *was_pending);
bool wsq_unarm(struct wsq_work *work);
void wsq_rearm(struct wsq_work *work);
void wsq_disable_work_wait(struct wsq_work *work);

/**
 * wsq_begin() - clear the pending bit of an item that is about to run
 * @w: the worker that runs it
 * @work: the item, owned; @work->link.where has no kind
 *
 * Context: task, with preemption off since the item was claimed.
 * Return: false if the item was put on its timer instead.
 * Ordering: full barrier if true. A put that found the item pending is seen by
 * the function.
 */
static inline bool wsq_begin(struct wsq_worker *w, struct wsq_work *work)
{
	unsigned long ran = (unsigned long)w->id << WSQ_RAN_SHIFT;
	unsigned long state = READ_ONCE(work->state);

	if (likely(!(state & (WSQ_WAITED | WSQ_REARM))) &&
	    likely(cmpxchg(&work->state, state,		/* RN(begin:A) */
			   (state & WSQ_DEPTH) | ran) == state))
		return true;
	return wsq_begin_slow(w, work, ran);
}

/* Does the worker run the item? If not, what the function did is visible. */
static inline bool wsq_runs(const struct wsq_worker *w,
			    const struct wsq_work *work)
{
	/* Pairs with the release in wsq_run(). */
	return smp_load_acquire(&w->cur) == work;	/* RN(runs:A) */
}

/* In the state of a token (ordered.h). No worker has this number. */
#define WSQ_RAN_TOKEN	U32_MAX

static inline u32 wsq_ran(unsigned long state)
{
	return state >> WSQ_RAN_SHIFT;
}

struct wsq_work *wsq_current_running(wsq_func_t func);

#endif /* _WSQ_EXEC_ITEM_H */
