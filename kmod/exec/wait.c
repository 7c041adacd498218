// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for one item, and everything else that is left with a worker until it
 * is through with what it runs. The protocol is in item.h.
 *
 * Who waits for a pending item enters himself in a table, by the item's
 * address, and sets the item's waited bit. Whoever ends the pending state finds
 * the bit: a worker that begins the item takes those who wait along, who
 * cancels it tells them at once. Bit and table change under one lock, so that
 * nobody gets into the company of those who wait for the run before his.
 *
 * What it costs: nothing, while nobody waits.
 */
#include <linux/hash.h>
#include <linux/rcupdate.h>

#include "item.h"

#define WSQ_WAIT_BITS		6

/* Those who wait for pending items. */
struct wsq_wait_bucket {
	raw_spinlock_t lock;		/* list; waited bits of its items */
	struct list_head list;
} ____cacheline_aligned;

static struct wsq_wait_bucket wsq_wait_table[1 << WSQ_WAIT_BITS];

/*
 * Items whose put was refused in an NMI handler while somebody waits for them:
 * in hand, until an interrupt or whoever wants one of them tells those who wait.
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

/*
 * Change the state, and take those who wait out of the table. False, and
 * nothing has changed, if a bit of @unless is set.
 */
static bool wsq_take_waiters(struct wsq_work *work, unsigned long unless,
			     unsigned long keep, unsigned long set,
			     struct list_head *to)
{
	struct wsq_wait_bucket *b = wsq_wait_bucket(work);
	struct wsq_waiter *waiter, *next;
	unsigned long flags, state;

	raw_spin_lock_irqsave(&b->lock, flags);
	state = READ_ONCE(work->state);
	do {
		if (state & unless) {
			raw_spin_unlock_irqrestore(&b->lock, flags);
			return false;
		}
		/* RN(waiters:A) */
	} while (!try_cmpxchg(&work->state, &state, (state & keep) | set));
	list_for_each_entry_safe(waiter, next, &b->list, list) {
		if (waiter->work == work)
			list_move_tail(&waiter->list, to);
	}
	raw_spin_unlock_irqrestore(&b->lock, flags);
	return true;
}

static void wsq_tell_waiters(struct list_head *waiters)
{
	struct wsq_waiter *waiter, *next;

	/* Each is on a stack that unwinds as soon as he is told. */
	list_for_each_entry_safe(waiter, next, waiters, list)
		complete(&waiter->done);
}

/**
 * wsq_refused_tell() - tell those who wait for what an NMI could not put
 *
 * Context: any but NMI, with preemption off.
 */
void wsq_refused_tell(void)
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
 * wsq_refuse_work_fn() - the interrupt that comes as soon as an NMI is over
 * @irq_work: a CPU's @refuse_work
 *
 * Context: hardirq.
 */
void wsq_refuse_work_fn(struct irq_work *irq_work)
{
	wsq_refused_tell();
}

static void wsq_refuse_later(struct wsq_work *work)
{
	while (wsq_inbox_try_push(&wsq_refused, &work->link.next) < 0)
		;
	irq_work_queue(&wsq_cpus[smp_processor_id()]->refuse_work);
}

/**
 * wsq_clear_pending() - give up an item that will not run
 * @work: the item, in hand
 *
 * An interrupt that wished it to be on its timer was told that the item was
 * pending, and so did not queue it: it is called back with the rest, and counts
 * neither as queued nor as called back.
 *
 * Context: any, with preemption off.
 */
void wsq_clear_pending(struct wsq_work *work)
{
	unsigned long state = READ_ONCE(work->state);
	LIST_HEAD(waiters);

	do {
		if (unlikely(state & WSQ_WAITED)) {
			if (in_nmi()) {
				wsq_refuse_later(work);
				return;
			}
			wsq_take_waiters(work, 0, ~WSQ_ALL_PENDING, 0,
					 &waiters);
			wsq_tell_waiters(&waiters);
			return;
		}
		/* RN(clear:A) */
	} while (!try_cmpxchg(&work->state, &state, state & ~WSQ_ALL_PENDING));
}

/**
 * wsq_begin_slow() - wsq_begin() of an item that is more than pending
 * @w: the worker
 * @work: the item
 * @ran: @w's number, at its place in the state
 *
 * Context: as wsq_begin().
 * Return: as wsq_begin().
 */
bool wsq_begin_slow(struct wsq_worker *w, struct wsq_work *work,
		    unsigned long ran)
{
	unsigned long flags, state = READ_ONCE(work->state);
	LIST_HEAD(waiters);

	for (;;) {
		/* A disabled one is not put on its timer: it runs now. */
		unsigned long rearm = state & WSQ_DEPTH ? 0 : WSQ_REARM;

		if (state & rearm) {
			/* Instead of this run. */
			wsq_rearm(work);
			return false;
		}
		if (state & WSQ_WAITED) {
			if (wsq_take_waiters(work, rearm, WSQ_DEPTH, ran,
					     &waiters))
				break;
			state = READ_ONCE(work->state);
		} else if (try_cmpxchg(&work->state, &state,	/* RN(slow:A) */
				       (state & WSQ_DEPTH) | ran)) {
			return true;
		}
	}
	/* Told when the worker next looks, after this run. */
	raw_spin_lock_irqsave(&w->lock, flags);
	list_splice_tail(&waiters, &w->waiters);
	WRITE_ONCE(w->attention, true);
	raw_spin_unlock_irqrestore(&w->lock, flags);
	return true;
}

/**
 * wsq_attend() - see to what others have left
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
		/* Who has an item in hand cannot be preempted: wsq_grab(). */
		preempt_disable();
		raw_spin_lock_irqsave(&w->lock, flags);
		WRITE_ONCE(w->attention, false);
		list_splice_tail_init(&w->waiters, &waiters);
		link = list_first_entry_or_null(&w->deferred, struct wsq_link,
						list);
		if (link) {
			list_del(&link->list);
			WRITE_ONCE(link->where, wsq_where_in_hand(link->where));
		}
		raw_spin_unlock_irqrestore(&w->lock, flags);
		if (link)
			wsq_put_again(container_of(link, struct wsq_work,
						   link));
		preempt_enable();
	} while (link);
	wsq_tell_waiters(&waiters);
}

/**
 * wsq_defer() - leave an item with the worker that runs it still
 * @ran: number of the worker that ran it last
 * @work: the item, in hand
 *
 * Context: a worker, with preemption off.
 * Return: true if it was left there, false if nobody runs it.
 */
bool wsq_defer(u32 ran, struct wsq_work *work)
{
	struct wsq_worker *w = wsq_worker_find(ran);
	unsigned long flags;
	bool runs;

	/*
	 * Its @cur was stored before the pending bit was cleared that the
	 * present put found clear.
	 */
	if (!w || likely(!wsq_runs(w, work)))
		return false;
	raw_spin_lock_irqsave(&w->lock, flags);
	WRITE_ONCE(w->attention, true);			/* RN(leave:A) */
	smp_mb();					/* RN(leave:B) */
	runs = wsq_runs(w, work);
	if (runs) {
		/* RN(leave:C) */
		WRITE_ONCE(work->link.where,
			   wsq_where_in_hand(work->link.where) | WSQ_DEFERRED);
		list_add_tail(&work->link.list, &w->deferred);
	}
	raw_spin_unlock_irqrestore(&w->lock, flags);
	return runs;
}

/**
 * wsq_undefer() - take an item back from the worker that runs it still
 * @work: the item
 * @where: what @work->link.where was
 *
 * Context: any but NMI; preemption off since before @work->link.where was read.
 * Return: true if it is in the caller's hand now.
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
	 * RN(undefer:A): The worker that ran it last is the only one it can be
	 * left with; but it may be of another queue by now.
	 */
	if (smp_load_acquire(&work->link.where) == where &&
	    wsq_ran(READ_ONCE(work->state)) == w->id) {
		list_del(&work->link.list);
		WRITE_ONCE(work->link.where, wsq_where_in_hand(where));
		got = true;
	}
	raw_spin_unlock_irqrestore(&w->lock, flags);
	return got;
}

/**
 * wsq_wait_pending() - wait until an item that is pending has run
 * @work: the item
 *
 * Context: task; may sleep.
 * Return: false if it was not pending.
 */
bool wsq_wait_pending(struct wsq_work *work)
{
	struct wsq_wait_bucket *b = wsq_wait_bucket(work);
	struct wsq_waiter waiter = { .work = work };
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
 * wsq_wait_running() - wait until nobody runs an item
 * @work: the item
 *
 * Runs that begin later are not waited for.
 *
 * Context: task; may sleep.
 * Return: false if nobody ran it.
 */
bool wsq_wait_running(struct wsq_work *work)
{
	struct wsq_waiter waiter = { .work = work };
	struct wsq_worker *w;
	unsigned long flags;
	bool runs = false;

	init_completion(&waiter.done);
	/* Keeps the worker, and serves as RCU read side. */
	preempt_disable();
	w = wsq_worker_find(wsq_ran(READ_ONCE(work->state)));
	if (w && wsq_runs(w, work) && !WARN_ON_ONCE(w->task == current)) {
		raw_spin_lock_irqsave(&w->lock, flags);
		WRITE_ONCE(w->attention, true);
		smp_mb();				/* RN(wait:B) */
		runs = wsq_runs(w, work);
		if (runs)
			list_add_tail(&waiter.list, &w->waiters);
		raw_spin_unlock_irqrestore(&w->lock, flags);
	}
	preempt_enable();
	if (runs)
		wait_for_completion(&waiter.done);
	return runs;
}
