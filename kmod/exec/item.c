// SPDX-License-Identifier: GPL-2.0
/*
 * Single items: cancel, disable, wait. item.h explains the state word.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../compat/export.h"
#include "item.h"

/* Tries of an interrupt to get an item that another context owns. */
#define WSQ_GRAB_TRIES		1000

/*
 * A failed try for an item in an inbox reverses 64 items, and counts as so many
 * tries: at most 4,000 items, about 1 ms.
 */
#define WSQ_GRAB_INBOX_TRIES	16

/* Remove a pending item from where it waits. Preemption is off. */
static bool wsq_grab_once(struct wsq_work *work)
{
	u64 where = READ_ONCE(work->link.where);
	struct wsq_lane *lane;
	struct wsq *q;

	switch (wsq_location_kind(where)) {
	case WSQ_NOWHERE:
		return false;
	case WSQ_ON_TIMER:
		return wsq_unarm(work);
	default:
		break;
	}

	/* The item is pending, so its queue is not freed. */
	q = xa_load(&wsq_queues, wsq_location_queue(where));
	lane = q ? wsq_lane_any(q, wsq_location_cpu(where)) : NULL;
	if (!lane)
		return false;
	if (wsq_location_kind(where) == WSQ_DEFERRED ?
	    !wsq_undefer(work, where) : !wsq_lane_remove(lane, &work->link, where))
		return false;
	wsq_debug_deactivate(work);
	wsq_account(q, lane, false, wsq_location_color(READ_ONCE(work->link.where)));
	smp_mb();					/* FL(remove:A) */
	wsq_flush_check(q, wsq_location_color(READ_ONCE(work->link.where)));
	return true;
}

/**
 * wsq_grab() - own an item, pending or not
 * @work: the item
 * @was_pending: set to whether it was pending
 *
 * Spins while another context owns the item, which is short. An interrupt
 * handler may have interrupted that context, so it gives up after
 * %WSQ_GRAB_TRIES, or once it has reversed some 4,000 items of an inbox. The
 * item then counts as begun: no context can tell it from an item that a worker
 * took just before.
 *
 * Context: any but NMI. Preemption is off on return. After true, the caller
 * keeps it off until it has queued the item or called wsq_clear_pending().
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
		tries += wsq_location_kind(READ_ONCE(work->link.where)) ==
			 WSQ_IN_INBOX ? WSQ_GRAB_INBOX_TRIES : 1;
		if (!in_task() && tries >= WSQ_GRAB_TRIES)
			return false;
		/* If interrupts are off, no other context may clear these. */
		wsq_refused_clear();
		preempt_enable();
		cpu_relax();
	}
}

/* Change how often an item is disabled. Returns the new depth, shifted. */
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

/* Tell lockdep that the caller waits for @work. */
static void wsq_touch_work(struct wsq_work *work)
{
#ifdef CONFIG_LOCKDEP
	lock_map_acquire(&work->lockdep_map);
	lock_map_release(&work->lockdep_map);
#endif
}

bool wsq_cancel_work(struct wsq_work *work)
{
	return wsq_cancel_owned(work, false);
}
WSQ_EXPORT(wsq_cancel_work);

bool wsq_disable_work(struct wsq_work *work)
{
	return wsq_cancel_owned(work, true);
}
WSQ_EXPORT(wsq_disable_work);

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
 * For items that depend on nothing but the context that waits for them, nested
 * at any depth.
 *
 * Context: task; may sleep.
 */
void wsq_disable_work_wait(struct wsq_work *work)
{
	wsq_cancel_owned(work, true);
	wsq_wait_spinning(work);
	wsq_wait_running(work);
}

bool wsq_enable_work(struct wsq_work *work)
{
	return !wsq_disable_add(work, false);
}
WSQ_EXPORT(wsq_enable_work);

bool wsq_cancel_work_sync(struct wsq_work *work)
{
	bool ret = wsq_disable_work_sync(work);

	wsq_enable_work(work);
	return ret;
}
WSQ_EXPORT(wsq_cancel_work_sync);

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

/* Is an item busy? Returns false if that changed. Preemption is off. */
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
	/* State, then worker: between two runs the item is queued. */
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
