// SPDX-License-Identifier: GPL-2.0
/*
 * Serials: an owner queue, and a work item by which its owner gets a worker.
 *
 * A context that becomes the owner by queueing an item queues the serial's work
 * item. The worker that runs it owns the serial until nothing is left, or its
 * budget is used up; then it queues the work item again, behind what else its
 * CPU has. So the work item is queued by one party at a time, and a thief that
 * takes it takes the serial with all its items.
 *
 * For: users of include/linux/wsq_serial.h, which says what it costs; kmod/ring.
 * Limitations: on a LIFO queue the work item goes on top, so that a serial whose budget
 * is used up may have the next turn, too; what looks on from outside (tracepoints, the
 * stall detector) sees the serial's work item, not its items.
 *
 * An item's state word: in no list (0), QUEUED, or CANCELLED, which is in the
 * list still, but will not run; and above that the number of contexts that wait
 * until it is neither in the list nor running. While there is one it cannot be
 * queued.
 *
 *	who queues	cmpxchg	0 -> QUEUED, then the push
 *	who cancels	cmpxchg	QUEUED -> CANCELLED
 *	the owner	clears both, full barrier, and runs it if it was QUEUED
 *
 * From then on the item does not belong to the owner, in whichever state it
 * was. But if its function says that it is not done (serial.h), it still does,
 * and @cur still names it. The owner does not count it as done. So it stays the
 * owner, and begins its next turn with that item.
 *
 *	put				the owner
 *	---				---------
 *	prepares something		SE(run:B) clears the state (full)
 *	SE(queue:A) is it queued?	calls the function, which looks
 *	SE(queue:B) full barrier; still?
 *
 *	An item that is still queued will see what was prepared before. Where
 *	the exchange SE(queue:A) succeeds, the push behind it orders.
 *	litmus/serial-pending.litmus
 *
 *	waiter				the owner
 *	------				---------
 *	SE(look:A) state is 0? acquire	SE(run:A) cur = item
 *	SE(look:B) cur != item? gone	SE(run:B) clears the state (full)
 *
 *	If the item is not in the list any more, and its function may be under way,
 *	@cur says so. litmus/serial-running.litmus
 *
 *	So it does where the state that is read is what SE(wait:A) made of it;
 *	SE(wait:B) is not needed for that. litmus/serial-waiter.litmus
 *
 *	SE(run:C), SE(run:A) release -> SE(look:B) acquire
 *		A waiter sees what the function did: from the store behind it,
 *		or from the next item's. litmus/serial-done.litmus
 *	SE(cancel:A) against SE(run:B): one of the two has the item.
 *		litmus/serial-cancel.litmus
 *	SE(redirect:A), KY(close:A) -> SE(put:A)
 *		The serial's work item goes to the new queue, or is found in the
 *		former one. litmus/ring-close.litmus
 */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/wsq_serial.h>

#include "../compat/export.h"
#include "../core/owner_queue.h"
#include "../exec/put.h"
#include "serial.h"

/* Of an item's state. */
#define WSQ_SERIAL_QUEUED	BIT(0)
#define WSQ_SERIAL_CANCELLED	BIT(1)
#define WSQ_SERIAL_LISTED	(WSQ_SERIAL_QUEUED | WSQ_SERIAL_CANCELLED)
#define WSQ_SERIAL_WAITER	BIT(2)

/* Links that are turned round at a time. */
#define WSQ_SERIAL_TURN		64

/*
 * A worker leaves a serial after this time, when it next looks: each time the number
 * of items it has run there is a power of two, and at ticks. To the queue's budget a
 * serial's turn is one item, so it is to be no longer than an item.
 */
#define WSQ_SERIAL_NS		(50 * NSEC_PER_USEC)

/* Somebody waits until all that was queued before has run. */
struct wsq_serial_mark {
	struct wsq_serial_work work;
	struct completion done;
};

static struct wsq_owner_queue *wsq_serial_oq(struct wsq_serial *s)
{
	BUILD_BUG_ON(sizeof(s->queue) != sizeof(struct wsq_owner_queue));
	return (struct wsq_owner_queue *)s->queue;
}

/**
 * __wsq_serial_init() - wsq_serial_init(), but for the work item
 * @serial: the serial
 * @q: the queue whose workers run it
 *
 * Context: any.
 */
void __wsq_serial_init(struct wsq_serial *serial, struct wsq *q)
{
	wsq_oq_init(wsq_serial_oq(serial));
	serial->q = q;
	serial->cur = NULL;
	serial->dying = false;
	serial->pause = WSQ_SERIAL_DONE;
}
WSQ_EXPORT(__wsq_serial_init);

static void wsq_serial_mark_fn(struct wsq_serial_work *work)
{
	struct wsq_serial_mark *mark = container_of(work, struct wsq_serial_mark,
						    work);

	/* Last: it is on a stack that unwinds as soon as this is told. */
	complete(&mark->done);
}

/* Take the next item out of the list. The caller owns the serial. */
static struct wsq_serial_work *wsq_serial_take(struct wsq_owner_queue *oq)
{
	return container_of(wsq_oq_pop(oq), struct wsq_serial_work, link);
}

/* The item leaves the list: shall it run? It is not the owner's from here on. */
static bool wsq_serial_begin(struct wsq_serial_work *work)
{
	/* SE(run:B): a full barrier. */
	return atomic_fetch_andnot(WSQ_SERIAL_LISTED, &work->state) &
	       WSQ_SERIAL_QUEUED;
}

/* Queue the work item of a serial of which the caller is the owner. */
static void wsq_serial_put_work(struct wsq_serial *s, enum wsq_site site,
				int nr)
{
	/* An RCU read side, for wsq_serial_redirect(). */
	preempt_disable();
	/* SE(put:A) */
	wsq_put_owed(READ_ONCE(s->q), &s->work, site, nr);
	preempt_enable();
}

/*
 * Run the next item, or go on with the one that was not done. The caller owns
 * the serial and has called wsq_oq_turn(). False if the item is not done.
 */
static bool wsq_serial_run_one(struct wsq_serial *s)
{
	struct wsq_serial_work *work;
	wsq_serial_func_t func;

	if (unlikely(s->pause)) {
		work = s->cur;
		func = work->func;
		s->pause = WSQ_SERIAL_DONE;
		func(work);
	} else {
		work = wsq_serial_take(wsq_serial_oq(s));
		func = work->func;
		/* Release, for readers of this store, not of the one below. */
		smp_store_release(&s->cur, work);		/* SE(run:A) */
		if (likely(wsq_serial_begin(work)))
			func(work);
	}
	if (unlikely(s->pause))
		return false;
	smp_store_release(&s->cur, NULL);			/* SE(run:C) */
	return true;
}

/**
 * struct wsq_serial_turn - a worker's stay at a serial
 * @nr: items it has run
 * @from: since when
 * @tick: since which tick
 */
struct wsq_serial_turn {
	u32 nr;
	u64 from;
	unsigned long tick;
};

/* Has the worker been here long enough? */
static bool wsq_serial_turn_over(const struct wsq_serial_turn *t)
{
	if (t->nr >= WSQ_SERIAL_BUDGET || time_after(jiffies, t->tick + 1))
		return true;
	return is_power_of_2(t->nr) && local_clock() - t->from > WSQ_SERIAL_NS;
}

/* Run up to @owed items. Returns how many are done. */
static u32 wsq_serial_run_some(struct wsq_serial *s, struct wsq_serial_turn *t,
			       u64 owed)
{
	u32 begun = t->nr;

	do {
		while (!wsq_oq_turn(wsq_serial_oq(s), WSQ_SERIAL_TURN))
			cond_resched();
		if (!wsq_serial_run_one(s))
			break;
		cond_resched();
		t->nr++;
	} while (--owed && !wsq_serial_turn_over(t));
	return t->nr - begun;
}

/* @nr items are done, and the one behind them is not: the serial stays owned. */
static void wsq_serial_leave(struct wsq_serial *s, u32 nr)
{
	if (nr)
		wsq_oq_done(wsq_serial_oq(s), nr);
	if (s->pause == WSQ_SERIAL_AGAIN)
		wsq_serial_put_work(s, WSQ_ON_CPU, WSQ_CPU_ANY);
}

/**
 * wsq_serial_run() - a worker comes to a serial
 * @work: its work item
 *
 * Context: task; the function of @work.
 */
void wsq_serial_run(struct wsq_work *work)
{
	struct wsq_serial *s = container_of(work, struct wsq_serial, work);
	struct wsq_serial_turn t = { .from = local_clock(), .tick = jiffies };
	struct wsq_owner_queue *oq = wsq_serial_oq(s);
	u64 owed = wsq_oq_owed(oq);

	do {
		u32 nr = wsq_serial_run_some(s, &t, owed);

		if (unlikely(s->pause)) {
			wsq_serial_leave(s, nr);
			return;
		}
		owed = wsq_oq_done(oq, nr);
		/* It may be gone. */
		if (!owed)
			return;
	} while (!wsq_serial_turn_over(&t));
	wsq_serial_put_work(s, WSQ_ON_CPU, WSQ_CPU_ANY);
}
WSQ_EXPORT(wsq_serial_run);

/**
 * wsq_serial_resume() - go on with an item that is held
 * @serial: its serial; the item has been made anew
 *
 * Context: as wsq_serial_queue_on(). Once for each %WSQ_SERIAL_HELD, perhaps before
 * the function that has said so returns.
 */
void wsq_serial_resume(struct wsq_serial *serial)
{
	wsq_serial_put_work(serial, WSQ_ON_CPU, WSQ_CPU_ANY);
}
WSQ_EXPORT_KUNIT(wsq_serial_resume);

/**
 * wsq_serial_redirect() - change the queue whose workers run a serial
 * @serial: the serial
 * @q: the queue from now on
 *
 * A work item that is pending stays in the former queue, and so may one that is
 * queued before a grace period of RCU is over: wsq_serial_fetch() after that.
 *
 * Context: any.
 */
void wsq_serial_redirect(struct wsq_serial *serial, struct wsq *q)
{
	WRITE_ONCE(serial->q, q);			/* SE(redirect:A) */
}
WSQ_EXPORT_KUNIT(wsq_serial_redirect);

/**
 * wsq_serial_fetch() - move a serial out of its former queue
 * @serial: the serial, a grace period after wsq_serial_redirect()
 *
 * Context: task; does not sleep.
 */
void wsq_serial_fetch(struct wsq_serial *serial)
{
	/* Taking it out of the queue makes this the owner, as with a worker. */
	if (wsq_cancel_work(&serial->work))
		wsq_serial_put_work(serial, WSQ_ON_CPU, WSQ_CPU_ANY);
}
WSQ_EXPORT_KUNIT(wsq_serial_fetch);

/*
 * Push an item that is QUEUED. Whether the queue takes it was asked before: what is
 * in the list is run, for it may be another's that is in front.
 */
static void wsq_serial_push(struct wsq_serial *s, struct wsq_serial_work *work,
			    enum wsq_site site, int nr)
{
	struct wsq_owner_queue *oq = wsq_serial_oq(s);
	int ret;

	/* Between push and count it holds up whoever comes last in the list. */
	preempt_disable();
	while ((ret = wsq_oq_try_push(oq, &work->link)) == WSQ_CONFLICT)
		cpu_relax();
	if (ret == WSQ_OPENED)
		wsq_serial_put_work(s, site, nr);
	preempt_enable();
}

/*
 * May items be queued to the serial? One that is not idle takes them while its queue
 * is drained: a drain waits for all its turns.
 */
static bool wsq_serial_admits(struct wsq_serial *s)
{
	if (unlikely(READ_ONCE(s->dying)) && wsq_current_work() != &s->work)
		return false;
	return likely(wsq_admits(READ_ONCE(s->q))) || !wsq_oq_idle(wsq_serial_oq(s));
}

/* 0 -> QUEUED */
static bool wsq_serial_set_queued(struct wsq_serial_work *work)
{
	/* SE(queue:A) */
	while (atomic_cmpxchg(&work->state, 0, WSQ_SERIAL_QUEUED)) {
		/* One that fails orders nothing. */
		smp_mb();				/* SE(queue:B) */
		if (atomic_read(&work->state))
			return false;
	}
	return true;
}

static bool wsq_serial_put(struct wsq_serial *serial,
			   struct wsq_serial_work *work, enum wsq_site site,
			   int nr)
{
	bool ret = false;

	/* Who waits in wsq_serial_cancel_sync() waits for the push as well. */
	preempt_disable();
	if (unlikely(!wsq_serial_admits(serial))) {
		WARN_ONCE(1, "wsq: %ps queued on a serial that is being destroyed, or its queue drained\n",
			  work->func);
		goto out;
	}
	if (wsq_serial_set_queued(work)) {
		wsq_serial_push(serial, work, site, nr);
		ret = true;
	}
out:
	preempt_enable();
	return ret;
}

/**
 * wsq_serial_queue_on() - have an item run behind all others, on a given CPU
 * @cpu: the CPU, or %WSQ_CPU_ANY; of effect if the serial is idle. Otherwise the
 *	item runs where those in front of it do
 * @serial: the serial
 * @work: the item; not queued to another serial
 *
 * Items run in the order in which they were queued, by whomever. An item may have
 * run, and all of the serial be idle, before this returns to who queued it; the
 * serial must not go before.
 *
 * Context: as wsq_queue_work(): any, NMI included. Never sleeps, never fails for
 * want of memory or room.
 * Return: true if @work was queued; false if it was already: then its function has
 * not been called yet and will be, unless it is called back. And false, and its
 * function will not be called for that, if it was called back and the items in front
 * of it have not run yet, if somebody is in wsq_serial_cancel_sync() for it, or if
 * the serial or its queue is being destroyed, or its queue drained, of which the
 * kernel log complains.
 * Ordering: what precedes the call is visible to the function, also if @work was
 * queued already.
 */
bool wsq_serial_queue_on(int cpu, struct wsq_serial *serial,
			 struct wsq_serial_work *work)
{
	return wsq_serial_put(serial, work, WSQ_ON_CPU, cpu);
}
WSQ_EXPORT(wsq_serial_queue_on);

/**
 * wsq_serial_queue_near() - wsq_serial_queue_on(), but idle CPUs may take it over
 * @cpu: the CPU; of effect if the serial is idle, and then as to
 *	wsq_queue_work_near()
 * @serial: the serial
 * @work: the item; not queued to another serial
 *
 * Context: as wsq_serial_queue_on().
 * Return: as wsq_serial_queue_on().
 * Ordering: as wsq_serial_queue_on().
 */
bool wsq_serial_queue_near(int cpu, struct wsq_serial *serial,
			   struct wsq_serial_work *work)
{
	return wsq_serial_put(serial, work, WSQ_NEAR_CPU, cpu);
}
WSQ_EXPORT(wsq_serial_queue_near);

/**
 * wsq_serial_queue_node() - the same, on a CPU near some memory
 * @node: the node, or %NUMA_NO_NODE; of effect if the serial is idle, and then as
 *	to wsq_queue_work_node()
 * @serial: the serial
 * @work: the item; not queued to another serial
 *
 * Context: as wsq_serial_queue_on().
 * Return: as wsq_serial_queue_on().
 * Ordering: as wsq_serial_queue_on().
 */
bool wsq_serial_queue_node(int node, struct wsq_serial *serial,
			   struct wsq_serial_work *work)
{
	return wsq_serial_put(serial, work, WSQ_NEAR_NODE, node);
}
WSQ_EXPORT(wsq_serial_queue_node);

/**
 * wsq_serial_cancel() - call back an item
 * @work: the item
 *
 * It stays in the list of its serial until the items in front of it have run.
 * Meanwhile it can neither be queued nor freed: see wsq_serial_cancel_sync(). A
 * function that runs already is not waited for.
 *
 * Context: any, NMI included. Never sleeps.
 * Return: true if @work was queued and will not run for that.
 */
bool wsq_serial_cancel(struct wsq_serial_work *work)
{
	int state = atomic_read(&work->state);

	do {
		if (!(state & WSQ_SERIAL_QUEUED))
			return false;
		/* SE(cancel:A) */
	} while (!atomic_try_cmpxchg(&work->state, &state,
				     state ^ WSQ_SERIAL_LISTED));
	return true;
}
WSQ_EXPORT(wsq_serial_cancel);

/* What waiting for the serial depends on: all its items. */
static void wsq_serial_touch(struct wsq_serial *s)
{
#ifdef CONFIG_LOCKDEP
	lock_map_acquire(&s->work.lockdep_map);
	lock_map_release(&s->work.lockdep_map);
#endif
}

/* Is the item in the list, or does it run? If not, all it did is visible. */
static bool wsq_serial_busy(const struct wsq_serial *s,
			    const struct wsq_serial_work *work)
{
	/* SE(look:A) */
	if (atomic_read_acquire(&work->state) & WSQ_SERIAL_LISTED)
		return true;
	return smp_load_acquire(&s->cur) == work;	/* SE(look:B) */
}

/**
 * wsq_serial_cancel_sync() - call back an item, and wait until it has left
 * @serial: the serial that it was queued to last
 * @work: the item; may be queued again by others meanwhile, and by its own function:
 *	such attempts return false until this returns
 *
 * If @work was queued, or runs, this waits for the items in front of it, and for
 * those queued behind it meanwhile.
 *
 * Context: task; may sleep. Not from an item of @serial, nor with a lock held that
 * one of them takes.
 * Return: true if @work was queued and will not run for that. When this returns it
 * is in no list and its function does not run, unless it was queued after that: it
 * may be queued, to any serial, or freed. An item that was queued to another serial by
 * its own function may run on there, or still be in its function here: then this has
 * to be called for both.
 * Ordering: all that the function did is visible.
 */
bool wsq_serial_cancel_sync(struct wsq_serial *serial,
			    struct wsq_serial_work *work)
{
	bool ret;

	might_sleep();
	wsq_serial_touch(serial);
	atomic_add(WSQ_SERIAL_WAITER, &work->state);	/* SE(wait:A) */
	/* It is this that the look at the state may read: order that, too. */
	smp_mb__after_atomic();				/* SE(wait:B) */
	ret = wsq_serial_cancel(work);
	/* More than once if a put that is under way has not pushed it yet. */
	while (wsq_serial_busy(serial, work))
		wsq_serial_flush(serial);
	atomic_sub(WSQ_SERIAL_WAITER, &work->state);
	return ret;
}
WSQ_EXPORT(wsq_serial_cancel_sync);

/**
 * wsq_serial_flush() - wait until all that was queued before has run
 * @serial: the serial
 *
 * Each item that was queued before has run when this returns, or was called back,
 * and then it may be queued again or freed. Of those queued meanwhile, some may be
 * waited for, but no more once the flush has its place in the list. A worker comes by
 * in any case.
 *
 * Context: task; may sleep. Not from an item of @serial, nor with a lock held that
 * one of them takes.
 * Ordering: all that those items did is visible.
 */
void wsq_serial_flush(struct wsq_serial *serial)
{
	struct wsq_serial_mark mark;

	might_sleep();
	wsq_serial_touch(serial);
	wsq_serial_work_init(&mark.work, wsq_serial_mark_fn);
	atomic_set(&mark.work.state, WSQ_SERIAL_QUEUED);
	init_completion(&mark.done);
	/*
	 * Even if nothing is counted: an item can be in the list still while a put
	 * that comes before it is under way (owner_queue.h).
	 */
	wsq_serial_push(serial, &mark.work, WSQ_ON_CPU, WSQ_CPU_ANY);
	wait_for_completion(&mark.done);
}
WSQ_EXPORT(wsq_serial_flush);

/**
 * wsq_serial_idle() - is nothing queued to a serial, and does nothing run
 * @serial: the serial
 *
 * Once this is true, and nobody is in wsq_serial_queue() or will come to it, the
 * serial may be freed. While somebody is, it may be true although an item that was
 * queued before waits still.
 *
 * Context: any.
 * Return: true if so, as of some moment; then all that its items did before is
 * visible.
 */
bool wsq_serial_idle(const struct wsq_serial *serial)
{
	return wsq_oq_idle((const struct wsq_owner_queue *)serial->queue);
}
WSQ_EXPORT(wsq_serial_idle);

/**
 * wsq_serial_destroy() - run what is queued; then the serial may be freed
 * @serial: the serial; wsq_serial_init() before it is used again
 *
 * Nobody may queue to @serial once this is called, but for its own items, which are
 * waited for as well. To be called before the queue is destroyed.
 *
 * Context: task; may sleep. As wsq_serial_flush().
 * Ordering: all that the items did is visible.
 */
void wsq_serial_destroy(struct wsq_serial *serial)
{
	might_sleep();
	WRITE_ONCE(serial->dying, true);
	while (!wsq_serial_idle(serial)) {
		/* A worker comes to it; then wait until it leaves. */
		wsq_serial_flush(serial);
		wsq_flush_work(&serial->work);
	}
}
WSQ_EXPORT(wsq_serial_destroy);
