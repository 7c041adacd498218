// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for one item, and all else that other contexts leave with a worker
 * until the function that it runs has returned. item.h has the protocol.
 *
 * A context that waits for a pending item adds itself to a table, by the item's
 * address, and sets the item's waited bit. The context that ends the pending
 * state finds the bit. A worker that begins the item takes the waiters along. A
 * context that cancels the item, or refuses a put, leaves the waiters with the
 * worker that still runs the item, and completes them if there is none. Bit and
 * table change under one lock, so that no waiter is taken for the run before
 * the one it waits for.
 *
 * Locks: the bucket's, then the worker's. Waiters are completed under neither.
 *
 * Cost: none while no context waits.
 */
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>

#include "item.h"

#define WSQ_WAIT_BITS		6

/* About as long as it takes to sleep and to be woken. */
#define WSQ_SPIN_NS		(20 * NSEC_PER_USEC)

/**
 * struct wsq_wait_bucket - waiters of pending items whose addresses hash alike
 * @lock: @list, and the waited bits of these items
 * @list: struct wsq_work_waiter
 */
struct wsq_wait_bucket {
	raw_spinlock_t lock;		/* list; waited bits of its items */
	struct list_head list;
} ____cacheline_aligned;

static struct wsq_wait_bucket wsq_wait_table[1 << WSQ_WAIT_BITS];

/*
 * Items whose put was refused in an NMI handler while a context waits for them.
 * They stay owned until an interrupt, or a context that wants one of them,
 * clears their pending bits.
 */
static struct wsq_inbox wsq_refused;

/**
 * wsq_wait_init() - before the first item
 */
void wsq_wait_init(void)
{
	unsigned int i;

	wsq_inbox_init(&wsq_refused);
	for (i = 0; i < ARRAY_SIZE(wsq_wait_table); i++) {
		raw_spin_lock_init(&wsq_wait_table[i].lock);
		INIT_LIST_HEAD(&wsq_wait_table[i].list);
	}
}

static struct wsq_wait_bucket *wsq_wait_bucket(const struct wsq_work *work)
{
	return &wsq_wait_table[hash_ptr(work, WSQ_WAIT_BITS)];
}

/* Take the waiters of an item out of the table. */
static void wsq_take_waiters(struct wsq_wait_bucket *b,
			     const struct wsq_work *work, struct list_head *to)
{
	struct wsq_work_waiter *waiter, *next;

	lockdep_assert_held(&b->lock);
	list_for_each_entry_safe(waiter, next, &b->list, list) {
		if (waiter->work == work)
			list_move_tail(&waiter->list, to);
	}
}

static void wsq_complete_waiters(struct list_head *waiters)
{
	struct wsq_work_waiter *waiter, *next;

	/* Each is on a stack that unwinds as soon as it is completed. */
	list_for_each_entry_safe(waiter, next, waiters, list)
		complete(&waiter->done);
}

/*
 * Does the worker still run the item? If so, it looks later at what the caller
 * leaves with it under its lock. If not, all that the function did is visible.
 */
static bool wsq_still_runs(struct wsq_worker *w, const struct wsq_work *work)
{
	lockdep_assert_held(&w->lock);
	WRITE_ONCE(w->attention, true);			/* RN(leave:A) */
	smp_mb();					/* RN(leave:B) */
	return wsq_runs(w, work);
}

/**
 * wsq_refused_clear() - clear the pending bits of items refused in NMI handlers
 *
 * Context: any but NMI, with preemption off.
 */
void wsq_refused_clear(void)
{
	atomic64_t *next = wsq_inbox_take(&wsq_refused);

	while (next) {
		struct wsq_link *link = container_of(next, struct wsq_link,
						     next);

		next = wsq_link_next(next);
		wsq_clear_pending(container_of(link, struct wsq_work, link));
	}
}

/**
 * wsq_refuse_work_fn() - irq_work of an NMI in which a put was refused
 * @irq_work: a CPU's @refuse_work
 *
 * Context: hardirq.
 */
void wsq_refuse_work_fn(struct irq_work *irq_work)
{
	wsq_refused_clear();
}

static void wsq_refuse_later(struct wsq_work *work)
{
	while (wsq_inbox_try_push(&wsq_refused, &work->link.next) < 0)
		;
	irq_work_queue(&wsq_cpus[smp_processor_id()]->refuse_work);
}

/* Clear the pending bit. From here on the item may be queued, or freed. */
static void wsq_clear_waited(struct wsq_work *work)
{
	unsigned long state = READ_ONCE(work->state);

	/* RN(cancel:A) */
	while (!try_cmpxchg(&work->state, &state, state & ~WSQ_ALL_PENDING))
		;
}

/*
 * wsq_clear_pending() of an item that contexts wait for. The worker that ran it
 * last may still do so, and they wait for that run, too.
 *
 * Look, then clear, then leave the waiters, all under the worker's lock. While
 * the item is owned, no worker can begin it, so a run that is seen is the one
 * before. A waiter may free the item as soon as it is completed.
 */
static void wsq_clear_pending_slow(struct wsq_work *work)
{
	struct wsq_wait_bucket *b = wsq_wait_bucket(work);
	struct wsq_worker *w;
	LIST_HEAD(waiters);
	unsigned long flags;

	raw_spin_lock_irqsave(&b->lock, flags);
	wsq_take_waiters(b, work, &waiters);
	w = wsq_worker_find(wsq_ran(READ_ONCE(work->state)));
	if (w && wsq_runs(w, work)) {
		bool runs;

		raw_spin_lock(&w->lock);
		runs = wsq_still_runs(w, work);
		wsq_clear_waited(work);
		if (runs)				/* RN(cancel:B) */
			list_splice_tail_init(&waiters, &w->waiters);
		raw_spin_unlock(&w->lock);		/* RN(cancel:C) */
	} else {
		wsq_clear_waited(work);
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
	wsq_complete_waiters(&waiters);
}

/**
 * wsq_clear_pending() - give up an item that will not run
 * @work: the item, owned
 *
 * Drops a request of an interrupt (%WSQ_REARM), too. wsq_mod_delayed_work_on()
 * told that interrupt that the item was pending, and did not queue it. So the
 * request counts neither as queued nor as cancelled.
 *
 * Context: any, with preemption off.
 */
void wsq_clear_pending(struct wsq_work *work)
{
	unsigned long state = READ_ONCE(work->state);

	do {
		if (unlikely(state & WSQ_WAITED)) {
			if (in_nmi())
				wsq_refuse_later(work);
			else
				wsq_clear_pending_slow(work);
			return;
		}
		/* RN(clear:A) */
	} while (!try_cmpxchg(&work->state, &state, state & ~WSQ_ALL_PENDING));
}

/*
 * Clear the pending bit of an item that begins, and move its waiters to the
 * worker. If a bit of @unless is set, changes nothing and returns false.
 */
static bool wsq_begin_waited(struct wsq_worker *w, struct wsq_work *work,
			     unsigned long ran, unsigned long unless)
{
	struct wsq_wait_bucket *b = wsq_wait_bucket(work);
	unsigned long flags, state;
	LIST_HEAD(waiters);

	raw_spin_lock_irqsave(&b->lock, flags);
	state = READ_ONCE(work->state);
	do {
		if (state & unless) {
			raw_spin_unlock_irqrestore(&b->lock, flags);
			return false;
		}
		/* RN(waiters:A) */
	} while (!try_cmpxchg(&work->state, &state,
			      (state & WSQ_DEPTH) | ran));
	wsq_take_waiters(b, work, &waiters);
	raw_spin_unlock_irqrestore(&b->lock, flags);
	/* The worker completes them when it next looks, after this run. */
	raw_spin_lock_irqsave(&w->lock, flags);
	list_splice_tail(&waiters, &w->waiters);
	WRITE_ONCE(w->attention, true);
	raw_spin_unlock_irqrestore(&w->lock, flags);
	return true;
}

/**
 * wsq_begin_slow() - wsq_begin() if the waited or rearm bit may be set
 * @w: the worker
 * @work: the item
 * @ran: the number of @w, shifted as in the state word
 *
 * Context: as wsq_begin().
 * Return: as wsq_begin().
 */
bool wsq_begin_slow(struct wsq_worker *w, struct wsq_work *work,
		    unsigned long ran)
{
	unsigned long state = READ_ONCE(work->state);

	for (;;) {
		/* A disabled item is not put on its timer: it runs now. */
		unsigned long rearm = state & WSQ_DEPTH ? 0 : WSQ_REARM;

		if (state & rearm) {
			/* Not run now. Its waiters go on waiting. */
			wsq_rearm(work);
			return false;
		}
		if (state & WSQ_WAITED) {
			if (wsq_begin_waited(w, work, ran, rearm))
				return true;
			state = READ_ONCE(work->state);
		} else if (try_cmpxchg(&work->state, &state,	/* RN(slow:A) */
				       (state & WSQ_DEPTH) | ran)) {
			return true;
		}
	}
}

/**
 * wsq_attend() - take what other contexts have left with a worker
 * @w: the worker, between two items, behind a full barrier: item.h
 *
 * Context: @w itself; preemption on or off.
 */
void wsq_attend(struct wsq_worker *w)
{
	LIST_HEAD(waiters);
	unsigned long flags;
	struct wsq_link *link;

	do {
		/* The owner of an item must not be preempted: wsq_grab(). */
		preempt_disable();
		raw_spin_lock_irqsave(&w->lock, flags);
		WRITE_ONCE(w->attention, false);
		list_splice_tail_init(&w->waiters, &waiters);
		link = list_first_entry_or_null(&w->deferred, struct wsq_link,
						list);
		if (link) {
			list_del(&link->list);
			WRITE_ONCE(link->where, wsq_location_owned(link->where));
		}
		raw_spin_unlock_irqrestore(&w->lock, flags);
		if (link)
			wsq_put_again(container_of(link, struct wsq_work,
						   link));
		preempt_enable();
	} while (link);
	wsq_complete_waiters(&waiters);
}

/**
 * wsq_defer() - leave an item with the worker that still runs it
 * @ran: number of the worker that ran it last
 * @work: the item, owned
 *
 * The token of an ordered queue has %WSQ_RAN_TOKEN as the number of its last
 * worker. It has no function. A worker that claims it runs the items of the
 * queue's list (wsq_serve_order()).
 *
 * Context: a worker, with preemption off.
 * Return: true if it was left there, or was such a token; false if no worker
 * runs it.
 */
bool wsq_defer(u32 ran, struct wsq_work *work)
{
	struct wsq_worker *w = wsq_worker_find(ran);
	unsigned long flags;
	bool runs;

	/*
	 * The worker stored @cur before it cleared the pending bit, and the put
	 * of the item that the caller claimed found the bit clear.
	 */
	if (unlikely(!w)) {
		if (likely(ran != WSQ_RAN_TOKEN))
			return false;
		wsq_serve_order(wsq_worker_current(), work);
		return true;
	}
	if (likely(!wsq_runs(w, work)))
		return false;
	raw_spin_lock_irqsave(&w->lock, flags);
	runs = wsq_still_runs(w, work);
	if (runs) {
		/* RN(leave:C) */
		WRITE_ONCE(work->link.where,
			   wsq_location_owned(work->link.where) | WSQ_DEFERRED);
		list_add_tail(&work->link.list, &w->deferred);
	}
	raw_spin_unlock_irqrestore(&w->lock, flags);
	return runs;
}

/**
 * wsq_undefer() - take an item back from the worker that still runs it
 * @work: the item
 * @where: what @work->link.where was
 *
 * Context: any but NMI; preemption off since before @work->link.where was read.
 * Return: true if the caller owns the item now.
 */
bool wsq_undefer(struct wsq_work *work, u64 where)
{
	struct wsq_worker *w;
	unsigned long flags;
	bool got = false;

	w = wsq_worker_find(wsq_ran(READ_ONCE(work->state)));
	if (!w)
		return false;
	raw_spin_lock_irqsave(&w->lock, flags);
	/*
	 * RN(undefer:A): An item is only left with the worker that ran it last.
	 * By now it may be in another queue.
	 */
	if (smp_load_acquire(&work->link.where) == where &&
	    wsq_ran(READ_ONCE(work->state)) == w->id) {
		list_del(&work->link.list);
		WRITE_ONCE(work->link.where, wsq_location_owned(where));
		got = true;
	}
	raw_spin_unlock_irqrestore(&w->lock, flags);
	return got;
}

/**
 * wsq_wait_pending() - wait until an item that is pending has run
 * @work: the item
 *
 * If the run is cancelled, or the put that made the item pending is refused,
 * waits until the function does not run any more.
 *
 * Context: task; may sleep.
 * Return: false if it was not pending.
 */
bool wsq_wait_pending(struct wsq_work *work)
{
	struct wsq_wait_bucket *b = wsq_wait_bucket(work);
	struct wsq_work_waiter waiter = { .work = work };
	unsigned long flags, state;

	init_completion(&waiter.done);
	raw_spin_lock_irqsave(&b->lock, flags);
	state = READ_ONCE(work->state);
	do {
		if (!(state & WSQ_PENDING)) {
			raw_spin_unlock_irqrestore(&b->lock, flags);
			return false;
		}
		/* RN(waited:A) */
	} while (!try_cmpxchg(&work->state, &state, state | WSQ_WAITED));
	list_add_tail(&waiter.list, &b->list);		/* RN(waited:B) */
	raw_spin_unlock_irqrestore(&b->lock, flags);	/* RN(waited:C) */
	wait_for_completion(&waiter.done);
	return true;
}

/**
 * wsq_wait_spinning() - spin for a moment while an item runs
 * @work: the item
 *
 * For items that are likely to end before the caller could sleep and be woken.
 *
 * Context: task.
 */
void wsq_wait_spinning(const struct wsq_work *work)
{
	u64 from = ktime_get_mono_fast_ns();
	const struct wsq_worker *w;
	bool runs;

	do {
		cpu_relax();
		/* The worker is not freed: this is an RCU read side. */
		preempt_disable();
		w = wsq_worker_find(wsq_ran(READ_ONCE(work->state)));
		runs = w && wsq_runs(w, work);
		preempt_enable();
	} while (runs && !need_resched() &&
		 ktime_get_mono_fast_ns() - from < WSQ_SPIN_NS);
}

/**
 * wsq_wait_running() - wait until no worker runs an item
 * @work: the item
 *
 * Does not wait for runs that begin later.
 *
 * Context: task; may sleep.
 * Return: false if no worker ran it.
 */
bool wsq_wait_running(struct wsq_work *work)
{
	struct wsq_work_waiter waiter = { .work = work };
	struct wsq_worker *w;
	unsigned long flags;
	bool runs = false;

	init_completion(&waiter.done);
	/* The worker is not freed: this is an RCU read side. */
	preempt_disable();
	/* RN(wait:A): State, then @cur of the worker that it names. */
	w = wsq_worker_find(wsq_ran(smp_load_acquire(&work->state)));
	if (w && wsq_runs(w, work) && !WARN_ON_ONCE(w->task == current)) {
		raw_spin_lock_irqsave(&w->lock, flags);
		runs = wsq_still_runs(w, work);
		if (runs)
			list_add_tail(&waiter.list, &w->waiters);
		raw_spin_unlock_irqrestore(&w->lock, flags);
	}
	preempt_enable();
	if (runs)
		wait_for_completion(&waiter.done);
	return runs;
}
