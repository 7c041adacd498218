// SPDX-License-Identifier: GPL-2.0
/*
 * Serials: an owner queue, and a work item that gets its owner a worker.
 *
 * A context that becomes the owner by queueing an item queues the serial's work
 * item. The worker that runs the work item owns the serial until nothing is
 * left, or its budget is used up. In the latter case it queues the work item
 * again, behind the CPU's other items. So only one context queues the work item
 * at a time, and a thief that takes it takes the serial with all its items.
 *
 * For: users of include/linux/wsq_serial.h, which states the cost; kmod/ring.
 * Limitations: tracepoints and the stall detector see the serial's work item,
 * not its items.
 *
 * An item's state word: in no list (0), QUEUED, or CANCELLED, which is still in
 * the list but will not run. Above that it has the number of contexts that wait
 * until the item is neither in the list nor running. While there is one the
 * item cannot be queued.
 *
 *	queueing	cmpxchg	0 -> QUEUED, then the push
 *	cancelling	cmpxchg	QUEUED -> CANCELLED
 *	the owner	clears both, full barrier, and runs the item if QUEUED
 *
 * From then on the item does not belong to the owner, whatever its state was.
 * The exception is an item whose function says that it is not done (serial.h):
 * it still belongs to the owner, and @cur still names it. The owner does not
 * count it as done. So it stays the owner, and begins its next time slice with
 * that item.
 *
 *	put				the owner
 *	---				---------
 *	prepares data			SE(run:B) clears the state (full)
 *	SE(queue:A) is it queued?	calls the function, which looks
 *	SE(queue:B) full barrier; still?
 *
 *	An item that is still queued will see what was prepared before. If
 *	the exchange SE(queue:A) succeeds, the push behind it orders.
 *	litmus/serial-pending.litmus
 *
 *	waiter				the owner
 *	------				---------
 *	SE(look:A) state is 0? acquire	SE(run:A) cur = item
 *	SE(look:B) cur != item? gone	SE(run:B) clears the state (full)
 *
 *	If the item is no longer in the list, and its function may be running,
 *	@cur names it. litmus/serial-running.litmus
 *
 *	This also holds if the state that is read is the result of SE(wait:A);
 *	SE(wait:B) is not needed for that. litmus/serial-waiter.litmus
 *
 *	SE(run:C), SE(run:A) release -> SE(look:B) acquire
 *		A waiter sees what the function did: from the store behind it,
 *		or from the next item's. litmus/serial-done.litmus
 *	SE(cancel:A) against SE(run:B): one of the two has the item.
 *		litmus/serial-cancel.litmus
 *	SE(redirect:A), KY(close:A) -> SE(put:A)
 *		The serial's work item goes to the new queue, or is found in the
 *		old one. litmus/ring-close.litmus
 */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/wsq_serial.h>

#include "../compat/export.h"
#include "../core/owner_queue.h"
#include "../exec/leak.h"
#include "../exec/put.h"
#include "serial.h"

/* Links reversed at a time, and how many times in one time slice. */
#define WSQ_SERIAL_LINKS	64
#define WSQ_SERIAL_LINKS_MOST	32

/*
 * A worker leaves a serial after this time. It checks whenever the number of
 * items it has run there is a power of two, and at ticks. For the queue's
 * budget a serial's time slice is one item, so it should be no longer than an
 * item.
 */
#define WSQ_SERIAL_NS		(50 * NSEC_PER_USEC)

/* The item of a context that waits until all earlier items have run. */
struct wsq_serial_mark {
	struct wsq_serial_work work;
	struct completion done;
};

static struct wsq_owner_queue *wsq_serial_oq(struct wsq_serial *s)
{
	BUILD_BUG_ON(sizeof(s->queue) != sizeof(struct wsq_owner_queue));
	return (struct wsq_owner_queue *)s->queue;
}

void __wsq_serial_init(struct wsq_serial *serial, struct wsq *q)
{
	wsq_oq_init(wsq_serial_oq(serial));
	serial->q = q;
	serial->cur = NULL;
	serial->dying = false;
	serial->pause = WSQ_SERIAL_DONE;
	serial->sticky = false;
	serial->cpu = 0;
}
WSQ_EXPORT(__wsq_serial_init);

void wsq_serial_set_sticky(struct wsq_serial *serial, bool sticky)
{
	WRITE_ONCE(serial->cpu, raw_smp_processor_id());
	WRITE_ONCE(serial->sticky, sticky);
}
WSQ_EXPORT(wsq_serial_set_sticky);

struct wsq_serial_work *wsq_serial_current(void)
{
	const struct wsq_work *work = wsq_current_running(wsq_serial_run);

	/* The caller is the owner. */
	return work ? container_of(work, struct wsq_serial, work)->cur : NULL;
}
WSQ_EXPORT(wsq_serial_current);

static void wsq_serial_mark_fn(struct wsq_serial_work *work)
{
	struct wsq_serial_mark *mark = container_of(work, struct wsq_serial_mark,
						    work);

	/* Last: @mark is on a stack that unwinds on completion. */
	complete(&mark->done);
}

/* Take the next item out of the list. The caller owns the serial. */
static struct wsq_serial_work *wsq_serial_take(struct wsq_owner_queue *oq)
{
	return container_of(wsq_oq_pop(oq), struct wsq_serial_work, link);
}

/* Remove the item from the list. Shall it run? The owner no longer owns it. */
static bool wsq_serial_begin(struct wsq_serial_work *work)
{
	/* SE(run:B): a full barrier. */
	return atomic_fetch_andnot(WSQ_SERIAL_LISTED, &work->state) &
	       WSQ_SERIAL_QUEUED;
}

/*
 * Queue the work item of a serial that the caller owns. Preemption is off: an
 * RCU read side, for wsq_serial_redirect().
 */
static void wsq_serial_put_work(struct wsq_serial *s, enum wsq_site site,
				int nr)
{
	/* SE(put:A) */
	wsq_put_owed(READ_ONCE(s->q), &s->work, site, nr);
}

/* The same, with preemption on, after the serial's time slice or a wait. */
static void wsq_serial_put_again(struct wsq_serial *s, enum wsq_site site)
{
	preempt_disable();
	wsq_serial_put_work(s, site, WSQ_CPU_ANY);
	preempt_enable();
}

/*
 * Run the next item, or continue with the one that was not done. The caller
 * owns the serial and has called wsq_oq_reverse(). False if the item is not
 * done.
 */
static bool wsq_serial_run_one(struct wsq_serial *s)
{
	struct wsq_serial_work *work;
	int locks = wsq_leak_begin();
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
	wsq_leak_end(func, locks);
	if (unlikely(s->pause))
		return false;
	smp_store_release(&s->cur, NULL);			/* SE(run:C) */
	return true;
}

/**
 * struct wsq_serial_slice - a worker's time slice at a serial
 * @nr: items it has run
 * @links: number of times it has reversed links and some were left
 * @from: when it began, by local_clock()
 * @tick: when it began, in jiffies
 */
struct wsq_serial_slice {
	u32 nr;
	u32 links;
	u64 from;
	unsigned long tick;
};

/* Is the time slice over? */
static bool wsq_serial_slice_over(const struct wsq_serial_slice *t)
{
	if (t->nr >= WSQ_SERIAL_BUDGET || t->links >= WSQ_SERIAL_LINKS_MOST ||
	    time_after(jiffies, t->tick + 1))
		return true;
	return is_power_of_2(t->nr) && local_clock() - t->from > WSQ_SERIAL_NS;
}

/* Put the list in order. False if the time slice ended before that. */
static bool wsq_serial_order(struct wsq_serial *s, struct wsq_serial_slice *t)
{
	/* An item that is not done is in no list. */
	if (unlikely(s->pause))
		return true;
	while (!wsq_oq_reverse(wsq_serial_oq(s), WSQ_SERIAL_LINKS)) {
		cond_resched();
		if (++t->links >= WSQ_SERIAL_LINKS_MOST ||
		    local_clock() - t->from > WSQ_SERIAL_NS) {
			/* Makes wsq_serial_slice_over() return true, too. */
			t->links = WSQ_SERIAL_LINKS_MOST;
			return false;
		}
	}
	return true;
}

/* Run up to @owed items. Returns how many are done. */
static u32 wsq_serial_run_some(struct wsq_serial *s, struct wsq_serial_slice *t,
			       u64 owed)
{
	u32 begun = t->nr;

	do {
		if (!wsq_serial_order(s, t) || !wsq_serial_run_one(s))
			break;
		cond_resched();
		t->nr++;
	} while (--owed && !wsq_serial_slice_over(t));
	return t->nr - begun;
}

/* @nr items are done, and the next one is not: the serial stays owned. */
static void wsq_serial_leave(struct wsq_serial *s, u32 nr)
{
	if (nr)
		wsq_oq_done(wsq_serial_oq(s), nr);
	if (s->pause == WSQ_SERIAL_AGAIN)
		wsq_serial_put_again(s, WSQ_BEHIND);
}

void wsq_serial_run(struct wsq_work *work)
{
	struct wsq_serial *s = container_of(work, struct wsq_serial, work);
	struct wsq_serial_slice t = { .from = local_clock(), .tick = jiffies };
	struct wsq_owner_queue *oq = wsq_serial_oq(s);
	u64 owed = wsq_oq_owed(oq);

	if (READ_ONCE(s->sticky))
		WRITE_ONCE(s->cpu, raw_smp_processor_id());
	do {
		u32 nr = wsq_serial_run_some(s, &t, owed);

		if (unlikely(s->pause)) {
			wsq_serial_leave(s, nr);
			return;
		}
		if (unlikely(!nr))
			break;
		owed = wsq_oq_done(oq, nr);
		/* If none are owed, the serial may have been freed. */
		if (!owed)
			return;
	} while (!wsq_serial_slice_over(&t));
	wsq_serial_put_again(s, WSQ_BEHIND);
}
WSQ_EXPORT(wsq_serial_run);

/**
 * wsq_serial_resume() - continue with an item that is held
 * @serial: its serial; the item has been initialized again
 *
 * Context: as wsq_serial_queue_on(). Once for each %WSQ_SERIAL_HELD, perhaps
 * before the function that set it returns.
 */
void wsq_serial_resume(struct wsq_serial *serial)
{
	wsq_serial_put_again(serial, WSQ_ON_CPU);
}
WSQ_EXPORT_KUNIT(wsq_serial_resume);

/**
 * wsq_serial_redirect() - change the queue whose workers run a serial
 * @serial: the serial
 * @q: the new queue
 *
 * A pending work item stays in the old queue, and so may one that is queued
 * before an RCU grace period is over: call wsq_serial_fetch() after that.
 *
 * Context: any.
 */
void wsq_serial_redirect(struct wsq_serial *serial, struct wsq *q)
{
	WRITE_ONCE(serial->q, q);			/* SE(redirect:A) */
}
WSQ_EXPORT_KUNIT(wsq_serial_redirect);

/**
 * wsq_serial_fetch() - move a serial out of its old queue
 * @serial: the serial, a grace period after wsq_serial_redirect()
 *
 * Context: task; does not sleep.
 */
void wsq_serial_fetch(struct wsq_serial *serial)
{
	/* Cancelling the work item makes the caller the owner. */
	if (wsq_cancel_work(&serial->work))
		wsq_serial_put_again(serial, WSQ_ON_CPU);
}
WSQ_EXPORT_KUNIT(wsq_serial_fetch);

/*
 * Push items that are QUEUED, @count from @newest to @oldest. The caller has
 * checked that the serial accepts items. Do not check here: the owner may take
 * a pushed item for one that another context has counted, so each must run.
 * Preemption is off: between push and count they hold up the last items in the
 * list.
 */
static void wsq_serial_push_many(struct wsq_serial *s,
				 struct wsq_serial_work *newest,
				 struct wsq_serial_work *oldest, u32 count,
				 enum wsq_site site, int nr)
{
	struct wsq_owner_queue *oq = wsq_serial_oq(s);
	int ret;

	while ((ret = wsq_oq_try_push_many(oq, &newest->link, &oldest->link,
					   count)) == WSQ_CONFLICT)
		cpu_relax();
	if (ret == WSQ_PUBLISHED) {
		if (READ_ONCE(s->sticky) && site == WSQ_ON_CPU && nr == WSQ_CPU_ANY) {
			site = WSQ_NEAR_CPU;
			nr = READ_ONCE(s->cpu);
		}
		wsq_serial_put_work(s, site, nr);
	}
}

static void wsq_serial_push(struct wsq_serial *s, struct wsq_serial_work *work,
			    enum wsq_site site, int nr)
{
	wsq_serial_push_many(s, work, work, 1, site, nr);
}

/* Is the serial being destroyed, and the caller none of its items? */
static bool wsq_serial_refuses(const struct wsq_serial *s)
{
	return unlikely(READ_ONCE(s->dying)) && wsq_current_work() != &s->work;
}

/**
 * wsq_serial_admits() - does a serial accept items from the caller
 * @serial: the serial
 *
 * A serial that is not idle takes them while its queue is drained, because a
 * drain waits for all its time slices.
 *
 * Context: any, with preemption off.
 * Return: true if so.
 */
bool wsq_serial_admits(struct wsq_serial *serial)
{
	return !wsq_serial_refuses(serial) &&
	       (likely(wsq_admits(READ_ONCE(serial->q))) ||
		!wsq_oq_idle(wsq_serial_oq(serial)));
}

/**
 * wsq_serial_put_owed() - queue an item on behalf of work that was accepted
 * before
 * @serial: the serial, its queue drained or not; wsq_serial_admits() was asked
 *	when the work was accepted
 * @work: the item, initialized and in no list. No other context queues or
 *	cancels it
 *
 * Context: as wsq_serial_queue_on().
 * Return: false if @serial or its queue is being destroyed, and @work was not
 * queued.
 * Ordering: what precedes the call is visible to the function.
 */
bool wsq_serial_put_owed(struct wsq_serial *serial, struct wsq_serial_work *work)
{
	bool ret = false;

	preempt_disable();
	if (likely(!wsq_serial_refuses(serial) &&
		   !wsq_dying(READ_ONCE(serial->q)))) {
		atomic_set(&work->state, WSQ_SERIAL_QUEUED);
		wsq_serial_push(serial, work, WSQ_ON_CPU, WSQ_CPU_ANY);
		ret = true;
	}
	preempt_enable();
	return ret;
}

/* 0 -> QUEUED */
static bool wsq_serial_set_queued(struct wsq_serial_work *work)
{
	/* SE(queue:A) */
	while (atomic_cmpxchg(&work->state, 0, WSQ_SERIAL_QUEUED)) {
		/* A cmpxchg that fails orders nothing. */
		smp_mb();				/* SE(queue:B) */
		if (atomic_read(&work->state))
			return false;
	}
	return true;
}

/* Does the serial accept an item? Preemption is off. */
static bool wsq_serial_accepts(struct wsq_serial *serial,
			       const struct wsq_serial_work *work)
{
	return !WARN_ONCE(!wsq_serial_admits(serial),
			  "wsq: %ps queued on a serial that is being destroyed, or its queue drained\n",
			  work->func);
}

static bool wsq_serial_put(struct wsq_serial *serial,
			   struct wsq_serial_work *work, enum wsq_site site,
			   int nr)
{
	bool ret = false;

	/* A caller of wsq_serial_cancel_sync() waits for the push as well. */
	preempt_disable();
	if (likely(wsq_serial_accepts(serial, work)) &&
	    wsq_serial_set_queued(work)) {
		wsq_serial_push(serial, work, site, nr);
		ret = true;
	}
	preempt_enable();
	return ret;
}

/* wsq_serial_queue_many() of a few items. */
static unsigned int wsq_serial_put_some(struct wsq_serial *serial,
					struct wsq_serial_work *const *works,
					unsigned int nr)
{
	struct wsq_serial_work *newest = NULL, *oldest = NULL;
	unsigned int i, count = 0;

	preempt_disable();
	if (likely(wsq_serial_accepts(serial, works[0]))) {
		for (i = 0; i < nr; i++) {
			if (!wsq_serial_set_queued(works[i]))
				continue;
			if (newest)
				wsq_link_set(&works[i]->link, &newest->link);
			else
				oldest = works[i];
			newest = works[i];
			count++;
		}
		if (count)
			wsq_serial_push_many(serial, newest, oldest, count,
					     WSQ_ON_CPU, WSQ_CPU_ANY);
	}
	preempt_enable();
	return count;
}

unsigned int wsq_serial_queue_many(struct wsq_serial *serial,
				   struct wsq_serial_work *const *works,
				   unsigned int nr)
{
	unsigned int done, some, count = 0;

	for (done = 0; done < nr; done += some) {
		some = min(nr - done, (unsigned int)WSQ_SERIAL_LINKS);
		count += wsq_serial_put_some(serial, works + done, some);
	}
	return count;
}
WSQ_EXPORT(wsq_serial_queue_many);

bool wsq_serial_queue_on(int cpu, struct wsq_serial *serial,
			 struct wsq_serial_work *work)
{
	return wsq_serial_put(serial, work, WSQ_ON_CPU, cpu);
}
WSQ_EXPORT(wsq_serial_queue_on);

bool wsq_serial_queue_near(int cpu, struct wsq_serial *serial,
			   struct wsq_serial_work *work)
{
	return wsq_serial_put(serial, work, WSQ_NEAR_CPU, cpu);
}
WSQ_EXPORT(wsq_serial_queue_near);

bool wsq_serial_queue_node(int node, struct wsq_serial *serial,
			   struct wsq_serial_work *work)
{
	return wsq_serial_put(serial, work, WSQ_NEAR_NODE, node);
}
WSQ_EXPORT(wsq_serial_queue_node);

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

/* Tell lockdep that waiting for the serial depends on all its items. */
static void wsq_serial_touch(struct wsq_serial *s)
{
#ifdef CONFIG_LOCKDEP
	lock_map_acquire(&s->work.lockdep_map);
	lock_map_release(&s->work.lockdep_map);
#endif
}

/* Is the item in the list, or running? If not, all that it did is visible. */
static bool wsq_serial_busy(const struct wsq_serial *s,
			    const struct wsq_serial_work *work)
{
	/* SE(look:A) */
	if (atomic_read_acquire(&work->state) & WSQ_SERIAL_LISTED)
		return true;
	return smp_load_acquire(&s->cur) == work;	/* SE(look:B) */
}

bool wsq_serial_disable(struct wsq_serial_work *work)
{
	atomic_add(WSQ_SERIAL_WAITER, &work->state);	/* SE(wait:A) */
	/* The look at the state may read this result: order that, too. */
	smp_mb__after_atomic();				/* SE(wait:B) */
	return wsq_serial_cancel(work);
}
WSQ_EXPORT(wsq_serial_disable);

bool wsq_serial_disable_sync(struct wsq_serial *serial,
			     struct wsq_serial_work *work)
{
	bool ret;

	might_sleep();
	wsq_serial_touch(serial);
	ret = wsq_serial_disable(work);
	/* More than once if a concurrent put has not pushed the item yet. */
	while (wsq_serial_busy(serial, work))
		wsq_serial_flush(serial);
	return ret;
}
WSQ_EXPORT(wsq_serial_disable_sync);

bool wsq_serial_enable(struct wsq_serial_work *work)
{
	if (WARN_ONCE(atomic_read(&work->state) < WSQ_SERIAL_WAITER,
		      "wsq: %ps is enabled more often than it was disabled\n",
		      work->func))
		return true;
	atomic_sub(WSQ_SERIAL_WAITER, &work->state);
	return atomic_read(&work->state) < WSQ_SERIAL_WAITER;
}
WSQ_EXPORT(wsq_serial_enable);

bool wsq_serial_cancel_sync(struct wsq_serial *serial,
			    struct wsq_serial_work *work)
{
	bool ret = wsq_serial_disable_sync(serial, work);

	wsq_serial_enable(work);
	return ret;
}
WSQ_EXPORT(wsq_serial_cancel_sync);

void wsq_serial_flush(struct wsq_serial *serial)
{
	struct wsq_serial_mark mark;

	might_sleep();
	wsq_serial_touch(serial);
	wsq_serial_work_init(&mark.work, wsq_serial_mark_fn);
	atomic_set(&mark.work.state, WSQ_SERIAL_QUEUED);
	init_completion(&mark.done);
	/*
	 * Even if no item is counted: an item can still be in the list while a
	 * put that comes before it is in progress (owner_queue.h).
	 */
	preempt_disable();
	wsq_serial_push(serial, &mark.work, WSQ_ON_CPU, WSQ_CPU_ANY);
	preempt_enable();
	wait_for_completion(&mark.done);
}
WSQ_EXPORT(wsq_serial_flush);

bool wsq_serial_idle(const struct wsq_serial *serial)
{
	return wsq_oq_idle((const struct wsq_owner_queue *)serial->queue);
}
WSQ_EXPORT(wsq_serial_idle);

void wsq_serial_destroy(struct wsq_serial *serial)
{
	might_sleep();
	WRITE_ONCE(serial->dying, true);
	while (!wsq_serial_idle(serial)) {
		/* Make a worker run it; then wait until the worker leaves. */
		wsq_serial_flush(serial);
		wsq_flush_work(&serial->work);
	}
}
WSQ_EXPORT(wsq_serial_destroy);
