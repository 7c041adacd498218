/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a work item, and who may change it. Internal.
 *
 * One word:
 *
 *	bit	 0	pending: the item is queued, on its timer, or somebody
 *			is about to queue it. Whoever sets the bit owns the
 *			item, and with it the right to change the rest of the
 *			word, until it is in its place; then whoever takes it
 *			out of there owns it
 *		 1	waited: somebody waits for the pending item (wait.c).
 *			Set by anybody while the pending bit is set
 *		 2	rearm: whoever has the item in hand puts it on its
 *			timer instead (delayed.c). Set by interrupts that cannot
 *			wait for it
 *		 3	made by the compiler, and not begun yet: for debug
 *			objects
 *		 8-23	how often it is disabled
 *		32-63	number of the worker that ran it last, or runs it
 *
 * Taking an item: a worker claims it from its place, stores itself as the one
 * who runs it, and clears the pending bit, in that order; then it calls the
 * function and never touches the item again, which may be gone or queued anew.
 *
 * Never two at once: whoever claims an item looks who ran it last. If that
 * worker still runs it (its @cur says so), the item is left there, in the list
 * @deferred, under the worker's lock:
 *
 *	worker A			worker B, with the item in hand
 *	--------			-------------------------------
 *	RN(run:B) cur = NULL		lock A
 *	full barrier: claim of the	RN(leave:A) attention = true
 *	next item, RN(park:A), or	RN(leave:B) smp_mb
 *	RN(stop:A)			cur == item? leave it there : run it
 *	attention? lock, look		unlock A
 *
 * If B still sees the item in @cur, A's look at @attention comes after B's
 * store, waits for the lock and finds the item. Otherwise B has it for itself.
 * A context that waits until the function is through (wait.c), and one that
 * gives A's office to another worker (office.c), do the same.
 *
 *	RN(park:A), RN(stop:A), BF(claim:A) against RN(leave:B), RN(wait:B),
 *	RN(hand:B): store buffering
 *		litmus/exec-attention.litmus, and for a claim from an entrance
 *		litmus/exec-attention-entry.litmus
 *	RN(run:B) release -> RN(runs:A) acquire
 *		If the worker does not run the item, what its function did is
 *		seen. litmus/exec-through.litmus
 *	RN(begin:A), RN(slow:A), RN(waiters:A) full, against RN(queue:A),
 *	RN(owed:A), RN(bulk:A), RN(delay:A) full
 *		A put that finds the item pending is seen by the run that it
 *		relies on. litmus/exec-pending.litmus
 *	RN(begin:A), ... full -> RN(queue:A), RN(grab:A) -> the next claim
 *		A worker that claims the item sees which worker ran it last, and
 *		whether that one still runs it. litmus/exec-begin.litmus
 *	RN(clear:A) full -> RN(queue:A), ... RN(grab:A)
 *		The next put writes behind the canceller.
 *		litmus/exec-clear.litmus
 *	RN(begin:A) full -> RN(undefer:A) acquire
 *		An item that is where it was looked for is this worker's.
 *		litmus/exec-undefer.litmus
 *	WH(free:A), a grace period, against a look at the queue with preemption
 *	off
 *		A CPU that reads where the item is does not find another queue
 *		of the same number there. litmus/exec-where.litmus
 *	RN(waited:A), by its lock. litmus/exec-waited.litmus
 *	RN(disable:A): of this and RN(queue:A) one is first.
 *		litmus/exec-disable.litmus
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
 * struct wsq_waiter - somebody waits for one run of an item
 * @work: the item; only its address is used once it runs
 * @done: it has run, or was cancelled
 * @list: among those who wait for pending items, or at the worker
 */
struct wsq_waiter {
	struct wsq_work *work;
	struct completion done;
	struct list_head list;
};

/* wait.c */
void wsq_wait_init(void);
void wsq_refused_tell(void);
void wsq_clear_pending(struct wsq_work *work);
bool wsq_begin_slow(struct wsq_worker *w, struct wsq_work *work,
		    unsigned long ran);
void wsq_attend(struct wsq_worker *w);
bool wsq_defer(u32 ran, struct wsq_work *work);
bool wsq_undefer(struct wsq_work *work, u64 where);
bool wsq_wait_pending(struct wsq_work *work);
bool wsq_wait_running(struct wsq_work *work);

/* item.c, delayed.c */
bool wsq_grab(struct wsq_work *work, bool *was_pending);
bool wsq_unarm(struct wsq_work *work);
void wsq_rearm(struct wsq_work *work);
void wsq_call_back_sync(struct wsq_work *work);

/**
 * wsq_begin() - an item is about to run: take it over and clear its pending bit
 * @w: the worker that runs it
 * @work: the item, claimed; its place has no kind any more
 *
 * Context: task, with preemption off since the item was claimed.
 * Return: false if the item is to go on its timer instead, and is there.
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

/* Does this worker run the item? With acquire: if not, all it did is seen. */
static inline bool wsq_runs(const struct wsq_worker *w,
			    const struct wsq_work *work)
{
	/* Pairs with the release in wsq_run(). */
	return smp_load_acquire(&w->cur) == work;	/* RN(runs:A) */
}

static inline u32 wsq_ran(unsigned long state)
{
	return state >> WSQ_RAN_SHIFT;
}

#endif /* _WSQ_EXEC_ITEM_H */
