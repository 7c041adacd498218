// SPDX-License-Identifier: GPL-2.0
/*
 * Single items: cancel, disable, wait for. The state word is explained in
 * item.h.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../compat/export.h"
#include "item.h"

/* Tries of an interrupt to get an item that another context owns. */
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

	/* The item is pending: its queue cannot go meanwhile. */
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
 * wsq_grab() - own an item, pending or not
 * @work: the item
 * @was_pending: set to whether it was pending
 *
 * Waits for an item that another context owns. That takes a moment. An
 * interrupt handler may have interrupted that very context, so it gives up
 * after %WSQ_GRAB_TRIES. The item then counts as begun: no context can tell it
 * from an item that a worker took just before.
 *
 * Context: any but NMI. Preemption is off on return. If true is returned, it
 * stays off until the item is in its place or wsq_clear_pending() was called.
 * Return: true if the caller owns the item, pending bit set; false only in
 * interrupts.
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
		/* With interrupts off, no other context may clear these. */
		wsq_refused_clear();
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

/* Cancel a pending item, and disable it. */
static bool wsq_cancel_owned(struct wsq_work *work, bool disable)
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
 * wsq_cancel_work() - cancel a pending item
 * @work: the item
 *
 * Takes the item out of its queue or off its timer, without waiting for other
 * items. Does not wait for a function that already runs, as
 * wsq_cancel_work_sync() does. A wsq_flush_work() that waits for @work goes on
 * waiting while the function runs.
 *
 * Context: any but NMI. Never sleeps. An interrupt handler is told false, as if
 * the item ran already, if it interrupted the context that owns the item (a
 * put, or a worker that is about to begin it), or if more than some 60,000
 * items that were queued from other CPUs are in front of @work.
 * Return: true if @work was pending and will not run for that.
 */
bool wsq_cancel_work(struct wsq_work *work)
{
	return wsq_cancel_owned(work, false);
}
WSQ_EXPORT(wsq_cancel_work);

/**
 * wsq_disable_work() - cancel an item and refuse to queue it
 * @work: the item
 *
 * Putting @work on a queue or on its timer returns false and does nothing until
 * wsq_enable_work() was called as often as this. Does not wait for a function
 * that already runs: wsq_flush_work() does.
 *
 * Context: as wsq_cancel_work(). An interrupt handler that is told false has
 * disabled @work all the same. One run for which it was queued before may
 * follow.
 * Return: true if @work was pending and will not run for that.
 */
bool wsq_disable_work(struct wsq_work *work)
{
	return wsq_cancel_owned(work, true);
}
WSQ_EXPORT(wsq_disable_work);

/**
 * wsq_disable_work_sync() - disable an item and wait until it does not run
 * @work: the item
 *
 * As wsq_disable_work(), and waits for a function that already runs.
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
	ret = wsq_cancel_owned(work, true);
	wsq_wait_running(work);
	return ret;
}
WSQ_EXPORT(wsq_disable_work_sync);

/**
 * wsq_disable_work_wait() - wsq_disable_work_sync() without lockdep
 * @work: the item; not to be queued again
 *
 * For items that depend on nothing but their waiter, at any depth of nesting.
 *
 * Context: task; may sleep.
 */
void wsq_disable_work_wait(struct wsq_work *work)
{
	wsq_cancel_owned(work, true);
	wsq_wait_running(work);
}

/**
 * wsq_enable_work() - undo one wsq_disable_work()
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
 * wsq_cancel_work_sync() - cancel an item and wait until it does not run
 * @work: the item. Other contexts, and its own function, may queue it
 *	meanwhile: such puts return false until this returns
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
 * Waits for the run for which @work was queued last, and so for all earlier
 * ones. Does not wait for a run for which it is queued meanwhile. An item on
 * its timer counts as queued: wsq_flush_delayed_work() does not wait for the
 * timer.
 *
 * If that run is cancelled meanwhile, or its put is refused, this still waits
 * for a run before it that is under way. So the function does not run after
 * wsq_disable_work() and then wsq_flush_work(), whatever other contexts do with
 * @work, and will not before wsq_enable_work().
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
	/* It may begin, be cancelled, or run again between the two. */
	if (!(busy & WSQ_BUSY_PENDING) || !wsq_wait_pending(work))
		wsq_wait_running(work);
	return true;
}
WSQ_EXPORT(wsq_flush_work);

/*
 * Look once at what an item does. Returns false if that changed meanwhile.
 * Preemption is off.
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
	 * Then the state differs, or the same worker began the next run, which
	 * it counted before it changed the state.
	 */
	if (READ_ONCE(work->state) != state)
		return false;
	/* State, then count: against wsq_run(). */
	smp_rmb();					/* BU(look:C) */
	return READ_ONCE(w->nr_run) == nr_run;
}

/**
 * wsq_work_busy() - tell whether an item is pending or runs
 * @work: the item
 *
 * Context: any.
 * Return: enum wsq_busy, 0 if it was idle at some moment.
 * Ordering: none.
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
