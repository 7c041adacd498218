// SPDX-License-Identifier: GPL-2.0
/*
 * Items one by one: call back, wait for, disable. The state word is explained
 * in item.h.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../compat/export.h"
#include "item.h"

/* Looks at an item on its way, from an interrupt, until it counts as begun. */
#define WSQ_GRAB_TRIES		1000

/* Take a pending item out of its place. Preemption is off. */
static bool wsq_grab_once(struct wsq_work *work)
{
	u64 where = READ_ONCE(work->link.where);
	struct wsq_container *ct;
	struct wsq *q;

	switch (wsq_where_kind(where)) {
	case WSQ_NOWHERE:
		return false;
	case WSQ_ON_TIMER:
		return wsq_unarm(work);
	default:
		break;
	}

	/* The item is pending, so its queue is there while we look. */
	q = xa_load(&wsq_queues, wsq_where_queue(where));
	ct = q ? wsq_pool_any(&q->pool, wsq_where_cpu(where)) : NULL;
	if (!ct)
		return false;
	if (wsq_where_kind(where) == WSQ_DEFERRED ?
	    !wsq_undefer(work, where) : !wsq_linked_withdraw(ct, &work->link, where))
		return false;
	wsq_debug_deactivate(work);
	wsq_account(q, ct, false, wsq_where_phase(READ_ONCE(work->link.where)));
	smp_mb();					/* FL(withdraw:A) */
	wsq_flush_check(q, wsq_where_phase(READ_ONCE(work->link.where)));
	return true;
}

/**
 * wsq_grab() - get hold of an item, pending or not
 * @work: the item
 * @was_pending: set if it was pending
 *
 * An item that is on its way from hand to hand is waited for; that takes a
 * moment. An interrupt handler may have interrupted the very hand. It gives up
 * after a while, and the item counts as begun: nobody can tell it from one that
 * a worker took just before.
 *
 * Context: any but NMI. From where it returned true until the item has a place
 * again or wsq_clear_pending() was called, the caller stays with preemption
 * off; it is off on return.
 * Return: true if the caller has it, pending bit set; false only in interrupts.
 */
bool wsq_grab(struct wsq_work *work, bool *was_pending)
{
	unsigned int tries = 0;

	for (;;) {
		preempt_disable();
		/* RN(grab:A) */
		*was_pending = test_and_set_bit(WSQ_PENDING_BIT, &work->state);
		if (!*was_pending || wsq_grab_once(work))
			return true;
		if (!in_task() && ++tries == WSQ_GRAB_TRIES)
			return false;
		/* With interrupts off, nobody else may come to it. */
		wsq_refused_tell();
		preempt_enable();
		cpu_relax();
	}
}

/* Change how often an item is disabled. Returns how often it is now. */
static unsigned long wsq_disable_add(struct wsq_work *work, bool more)
{
	unsigned long state = READ_ONCE(work->state), depth;

	do {
		depth = state & WSQ_DEPTH;
		if (WARN_ON_ONCE(depth == (more ? WSQ_DEPTH : 0)))
			return depth;
		depth = more ? depth + WSQ_DEPTH_ONE : depth - WSQ_DEPTH_ONE;
	} while (!try_cmpxchg(&work->state, &state,	/* RN(disable:A) */
			      (state & ~WSQ_DEPTH) | depth));
	return depth;
}

static bool wsq_call_back(struct wsq_work *work, bool disable)
{
	bool was_pending, got = wsq_grab(work, &was_pending);

	if (disable)
		wsq_disable_add(work, true);
	if (got)
		wsq_clear_pending(work);
	preempt_enable();
	return got && was_pending;
}

/* What waiting for @work depends on. */
static void wsq_touch_work(struct wsq_work *work)
{
#ifdef CONFIG_LOCKDEP
	lock_map_acquire(&work->lockdep_map);
	lock_map_release(&work->lockdep_map);
#endif
}

/**
 * wsq_cancel_work() - call back a pending item
 * @work: the item
 *
 * Takes the item out of where it waits, a timer included, without waiting for
 * others. A function that runs already is not waited for: wsq_cancel_work_sync().
 *
 * Context: any but NMI. Never sleeps. An interrupt handler that interrupted
 * somebody who has the item in hand at that moment (a put, a worker that is
 * about to begin it) is told false, as if it ran already; so is one that finds
 * more than some 60,000 items in front of it that were queued from other CPUs.
 * Return: true if @work was pending and will not run for that.
 */
bool wsq_cancel_work(struct wsq_work *work)
{
	return wsq_call_back(work, false);
}
WSQ_EXPORT(wsq_cancel_work);

/**
 * wsq_disable_work() - call back an item and refuse to queue it
 * @work: the item
 *
 * Until wsq_enable_work() was called as often, putting @work on a queue or on
 * its timer returns false and does nothing.
 *
 * Context: as wsq_cancel_work().
 * Return: true if @work was pending and will not run for that.
 */
bool wsq_disable_work(struct wsq_work *work)
{
	return wsq_call_back(work, true);
}
WSQ_EXPORT(wsq_disable_work);

/**
 * wsq_disable_work_sync() - wsq_disable_work(), and wait until it has run
 * @work: the item
 *
 * Context: task; may sleep. Not from the item itself, nor with a lock held that
 * its function takes.
 * Return: true if @work was pending and will not run for that. Its function
 * does not run when this returns, and will not.
 * Ordering: all that the function did is visible.
 */
bool wsq_disable_work_sync(struct wsq_work *work)
{
	bool ret;

	might_sleep();
	wsq_touch_work(work);
	ret = wsq_call_back(work, true);
	wsq_wait_running(work);
	return ret;
}
WSQ_EXPORT(wsq_disable_work_sync);

/**
 * wsq_call_back_sync() - call back an item for good, and wait until it has run
 * @work: the item; not to be queued again
 *
 * Without lockdep: for items that depend on nothing but what they are waited
 * for by, however deep they are nested.
 *
 * Context: task; may sleep.
 */
void wsq_call_back_sync(struct wsq_work *work)
{
	wsq_call_back(work, true);
	wsq_wait_running(work);
}

/**
 * wsq_enable_work() - take one wsq_disable_work() back
 * @work: the item
 *
 * Context: any but NMI. Never sleeps.
 * Return: true if @work can be queued from now on.
 */
bool wsq_enable_work(struct wsq_work *work)
{
	return !wsq_disable_add(work, false);
}
WSQ_EXPORT(wsq_enable_work);

/**
 * wsq_cancel_work_sync() - call back an item, and wait until it has run
 * @work: the item; may be queued again by others meanwhile, and by its own
 *	function: such puts return false until this returns
 *
 * Context: as wsq_disable_work_sync().
 * Return: true if @work was pending and will not run for that. Its function
 * does not run when this returns, unless it was queued after that.
 * Ordering: all that the function did is visible.
 */
bool wsq_cancel_work_sync(struct wsq_work *work)
{
	bool ret = wsq_disable_work_sync(work);

	wsq_enable_work(work);
	return ret;
}
WSQ_EXPORT(wsq_cancel_work_sync);

/**
 * wsq_flush_work() - wait until an item has run
 * @work: the item
 *
 * Waits for the run it was queued for last, but for none it is queued for
 * meanwhile. On a timer it counts as queued: wsq_flush_delayed_work() does not
 * wait for that.
 *
 * Context: as wsq_disable_work_sync().
 * Return: true if it had to wait, false if @work was idle.
 * Ordering: all that the function did is visible.
 */
bool wsq_flush_work(struct wsq_work *work)
{
	unsigned int busy;

	might_sleep();
	wsq_touch_work(work);
	busy = wsq_work_busy(work);
	if (!busy)
		return false;
	/* It may begin, or end and be queued again, between the two. */
	if (!(busy & WSQ_BUSY_PENDING) || !wsq_wait_pending(work))
		wsq_wait_running(work);
	return true;
}
WSQ_EXPORT(wsq_flush_work);

/*
 * One look at what an item does. False if it changed meanwhile. Preemption is
 * off.
 */
static bool wsq_look(const struct wsq_work *work, unsigned int *busy)
{
	unsigned long state = READ_ONCE(work->state);
	const struct wsq_worker *w = wsq_worker_find(wsq_ran(state));
	u64 nr_run;

	*busy = state & WSQ_PENDING ? WSQ_BUSY_PENDING : 0;
	if (!w)
		return true;
	nr_run = READ_ONCE(w->nr_run);
	/* Count, then state: as below. */
	smp_rmb();					/* BU(look:A) */
	/* State, then worker: between two runs of the item it is queued. */
	if (smp_load_acquire(&work->state) != state)	/* BU(look:B) */
		return false;
	if (wsq_runs(w, work))
		*busy |= WSQ_BUSY_RUNNING;
	if (*busy)
		return true;
	/*
	 * Neither, unless one run ended and the next began between the looks.
	 * Then the state is another; or it is the same because the same worker
	 * began it, which counted that before it changed the state.
	 */
	if (READ_ONCE(work->state) != state)
		return false;
	/* State, then count: against wsq_run(). */
	smp_rmb();					/* BU(look:C) */
	return READ_ONCE(w->nr_run) == nr_run;
}

/**
 * wsq_work_busy() - what does an item do
 * @work: the item
 *
 * Context: any.
 * Return: enum wsq_busy, 0 if it was idle at some moment; no order.
 */
unsigned int wsq_work_busy(struct wsq_work *work)
{
	unsigned int busy;

	preempt_disable();
	while (!wsq_look(work, &busy))
		cpu_relax();
	preempt_enable();
	return busy;
}
WSQ_EXPORT(wsq_work_busy);
