// SPDX-License-Identifier: GPL-2.0
/*
 * Standby workers: no item waits behind one that sleeps.
 *
 * A CPU has one current worker, which owns the CPU's containers, and at least
 * one standby worker of the same CPU. When the current worker sleeps in an
 * item, it says so from the scheduler's hook (kmod/compat/sleep_notifier.h):
 *
 *	- nothing waits on the CPU: the CPU counts as parked. A later put, or a
 *	  CPU that wants help, claims the wake-up as that of any parked worker.
 *	  No thread is woken before.
 *	- something waits, or another CPU has a surplus that nobody comes for: an
 *	  interrupt on this CPU claims the wake-up at once.
 *
 * A claimed wake-up of a worker that is in an item makes a standby worker the
 * current one (hand-off). The old one ends its item, and then is a standby
 * worker itself. A hand-off is harmless if the item had just been woken: both
 * run for a while, and only the current worker begins items.
 *
 * An item that computes for long does not sleep. The watchdog (watchdog.c)
 * hands off for it after 10 ms. Unless the item is bound to its CPU, the new
 * worker lets the scheduler move the old one elsewhere (detaching).
 *
 * Limits. @max_active of a queue is how many of its items may be under way on
 * a CPU; an item under way behind which the worker was replaced is counted in
 * its container (@away), and so is one that the queue's rescuer is at. A queue
 * at its limit is held: the CPU's workers pass over it, and bring none of its
 * items home, until one of these items ends. So is a queue of which an item was
 * detached, until that item ends or sleeps: otherwise a queue of long items
 * would have one more thread compute on this CPU every 10 ms. The limit is each
 * CPU's: other CPUs take from a held queue what is not bound, and the watchdog
 * wakes an idle one for it.
 *
 * Threads. A CPU has WSQ_MAX_WORKERS workers at most, and one more for each
 * queue of which nothing is under way there, so that items of one queue that
 * sleep do not stop another queue. A standby worker is made in task context
 * when the last one is used. If there is no memory for it, that is tried again,
 * and the watchdog wakes the rescuers of the queues that have one.
 *
 * What it costs: nothing while items do not sleep. A sleep takes a lock of the
 * CPU and some locked instructions, and while other CPUs have a surplus a look at a
 * few of them; a hand-off, one wake-up.
 *
 *	PK(announce:B) against IN(push:C): store buffering
 *		The worker announces that its CPU is parked, full barrier, looks
 *		whether anything waits. A put from another CPU pushes its item, a
 *		full barrier, and looks at the announcement. On the container's
 *		own CPU the scheduler's hook runs before or after the put, never
 *		beside it. litmus/parking-remote.litmus
 *	HD(hold:A) against HD(release:A): store buffering
 *		A worker that holds a queue looks at the count again; one that
 *		lowers the count looks whether the queue is held.
 *		litmus/exec-hold.litmus
 *	HD(sleep:A) against HD(release:A): store buffering
 *		The same where the worker that holds the queue is about to sleep
 *		in one of its items. litmus/exec-hold-sleep.litmus
 *	HD(release:B) against PK(announce:B): store buffering
 *		A worker that parks sees that a queue is held no longer, or is
 *		woken. litmus/exec-hold-wake.litmus
 *	HD(release:A) against PK(announce:B): store buffering
 *		A worker that parks, and passes over a queue at its limit that is
 *		not held, sees the lower count, or is woken.
 *		litmus/exec-limit-wake.litmus
 *	HD(release:B) against PK(announce:B): order of two stores to @passed
 *		A worker that parks says again that it has passed over a queue,
 *		or is woken by the context that has taken that back.
 *		litmus/exec-passed.litmus
 *	HD(came:A) against HD(hold:A): order of two stores to @held
 *		A worker that holds a queue because the CPU can have no more
 *		workers sees the one that has come, or that one's context takes
 *		the hold back. litmus/exec-came.litmus
 *	HD(came:B) against PK(announce:B): store buffering
 *		As HD(release:B).
 *	HD(hand:A) release -> HD(rescue:A) acquire
 *		A rescuer that sees the new current worker sees the count that
 *		has the item of the old one. litmus/exec-rescue-limit.litmus
 *	DT(loosen:A) release -> DT(wait:A) acquire
 *		The old worker takes its CPU mask back after the new one has
 *		changed it. litmus/exec-detach.litmus
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "item.h"

/* Workers of one CPU, but for those that nothing else can do without. */
#define WSQ_MAX_WORKERS		1024

/* Ready queues that are looked at with interrupts off. */
#define WSQ_WAIT_LOOKS		8

/* After a failure to make a worker. */
#define WSQ_SPAWN_RETRY		max(HZ / 100, 1)

/*
 * May no worker of this CPU begin another item of the queue? At
 * WSQ_MAX_WORKERS, further workers are only for queues of which nothing is
 * under way.
 */
static bool wsq_at_limit(const struct wsq_cpu *c, const struct wsq *q,
			 const struct wsq_container *ct)
{
	u32 away = atomic_read(&ct->away);

	return away >= q->max_active || atomic_read(&ct->detached) ||
	       (unlikely(away) && !READ_ONCE(c->nr_standby) &&
		READ_ONCE(c->nr_workers) >= WSQ_MAX_WORKERS);
}

/**
 * wsq_hold() - pass over a queue until one of its items ends, if it must be
 * @c: the CPU
 * @q: the queue
 * @ct: its container on @c
 *
 * Context: the current worker, with preemption off.
 * Return: true if the queue is held now.
 */
bool wsq_hold(struct wsq_cpu *c, const struct wsq *q,
	      const struct wsq_container *ct)
{
	if (likely(!wsq_at_limit(c, q, ct))) {
		/* Held for want of a worker, perhaps. */
		if (unlikely(test_bit(q->pool.id, c->held)))
			clear_bit(q->pool.id, c->held);
		return false;
	}
	/* What is passed over may be on another CPU. */
	WRITE_ONCE(c->passed, true);
	set_bit(q->pool.id, c->held);
	smp_mb__after_atomic();				/* HD(hold:A) */
	if (wsq_at_limit(c, q, ct))
		return true;
	clear_bit(q->pool.id, c->held);
	return false;
}

/* No queue is held here any more. Preemption is off. */
static void wsq_hold_none(struct wsq_cpu *c)
{
	unsigned int id;

	for_each_set_bit(id, c->held, WSQ_MAX_QUEUES)
		clear_bit(id, c->held);
}

/**
 * wsq_limited() - does what waits of a queue on a CPU wait for the limit
 * @c: the CPU
 * @q: the queue
 * @ct: its container on @c
 *
 * Context: any, with preemption off.
 * Return: a hint.
 */
bool wsq_limited(const struct wsq_cpu *c, const struct wsq *q,
		 const struct wsq_container *ct)
{
	return test_bit(q->pool.id, c->held) || wsq_at_limit(c, q, ct);
}

/*
 * One item less of @ct is under way, or computes: lower that count. The queue may
 * be held no longer. Preemption is off.
 *
 * A look that passes over a queue at its limit need not hold it (wsq_waits()).
 * So the worker is woken even if the queue is not held. The worker may be in an
 * item that computes: nothing has watched it for the sake of a held queue.
 */
static void wsq_release(struct wsq_cpu *c, const struct wsq_container *ct,
			atomic_t *count)
{
	u32 id = wsq_where_queue(ct->where);
	bool passed, waits;

	atomic_dec(count);
	smp_mb__after_atomic();				/* HD(release:A) */
	passed = READ_ONCE(c->passed);
	if (passed)
		WRITE_ONCE(c->passed, false);
	clear_bit(id, c->held);
	/* Clear, then look whether the worker is parked. */
	smp_mb__after_atomic();				/* HD(release:B) */
	waits = wsq_ready_test(c, id);
	if (waits || passed)
		wsq_wake_cpu(c);
	/* A CPU without a worker is offline, or is about to be. */
	if (waits && READ_ONCE(c->worker))
		wsq_watch_start(c);
}

/**
 * wsq_rescue_begin() - may a rescuer serve a queue on a CPU
 * @c: the CPU, which is this one
 * @q: the queue
 * @ct: its container on @c
 *
 * The item that the current worker may be in counts, because the worker does not
 * look at the limit again before it leaves the queue.
 *
 * Context: the rescuer, with preemption off.
 * Return: true if so. Then the rescuer counts as an item that is under way.
 */
bool wsq_rescue_begin(struct wsq_cpu *c, const struct wsq *q,
		      struct wsq_container *ct)
{
	/* Acquire: with a new worker, the count of the item of the old one. */
	const struct wsq_worker *w =
		smp_load_acquire(&c->worker);		/* HD(rescue:A) */
	u32 most = q->max_active - (w && READ_ONCE(w->serving) == q);

	if (atomic_read(&ct->away) >= most)
		return false;
	atomic_inc(&ct->away);
	return true;
}

/**
 * wsq_rescue_end() - a rescuer leaves a queue's container
 * @c: the container's CPU
 * @ct: the container
 *
 * Context: the rescuer, with preemption off.
 */
void wsq_rescue_end(struct wsq_cpu *c, struct wsq_container *ct)
{
	wsq_release(c, ct, &ct->away);
}

/*
 * A put that finds the ready bit set relies on the worker, which may sleep in
 * an item, or be in it for long. Preemption is off; the item was made visible
 * with a full barrier, unless this is its CPU.
 */
void wsq_put_behind(struct wsq_cpu *c, u32 id)
{
	/* For a held queue, wsq_release() or wsq_worker_runs() does it. */
	if (!wsq_parked(&c->park) || test_bit(id, c->held) || !wsq_wake_cpu(c))
		wsq_watch_start(c);
}

/**
 * wsq_waits() - does anything wait here that a worker may begin
 * @c: the CPU
 * @from: the queue's number to begin with; where to go on is stored there
 * @looks: queues to look at, at most
 *
 * Context: any, with preemption off.
 * Return: the number of the first queue; %WSQ_MAX_QUEUES if there is none;
 * %WSQ_UNKNOWN if there may be one behind those that were looked at.
 */
u32 wsq_waits(const struct wsq_cpu *c, u32 *from, unsigned int looks)
{
	u32 id = wsq_ready_own(c, *from), first = id;

	for (; id < WSQ_MAX_QUEUES; looks--) {
		const struct wsq_container *ct;
		const struct wsq *q;

		if (!looks) {
			*from = id;
			return WSQ_UNKNOWN;
		}
		q = xa_load(&wsq_queues, id);
		ct = q ? wsq_pool_any(&q->pool, c->cpu) : NULL;
		if (ct && !wsq_at_limit(c, q, ct) && wsq_linked_waiting(ct)) {
			*from = id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0;
			return id;
		}
		id = wsq_ready_own(c, id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0);
		if (id == first)
			break;
	}
	*from = 0;
	return WSQ_MAX_QUEUES;
}

/* ---- the worker says that it sleeps ---- */

/* An item that was detached no longer computes: its queue may go on. */
static void wsq_detached_sleeps(struct wsq_worker *w)
{
	if (atomic_xchg_relaxed(&w->computes, 0))
		irq_work_queue(&w->sleep_work);
}

static void wsq_detached_fn(struct irq_work *work)
{
	struct wsq_worker *w = container_of(work, struct wsq_worker,
					    sleep_work);
	struct wsq_container *ct;

	preempt_disable();
	/* Until the worker has ended the item, it waits for this. */
	ct = w->away;
	wsq_release(wsq_cpus[w->cpu], ct, &ct->detached);
	preempt_enable();
}

/* Is the queue at its limit if the current worker's item counts, too? */
static bool wsq_at_limit_with(const struct wsq *q,
			      const struct wsq_container *ct)
{
	return atomic_read(&ct->away) + 1 >= q->max_active;
}

/* With the item that sleeps its queue may be at its limit. */
static void wsq_sleep_hold(struct wsq_cpu *c, struct wsq_worker *w)
{
	/* In an item, so the queue is there. */
	const struct wsq *q = READ_ONCE(w->serving);
	const struct wsq_container *ct;

	ct = q ? wsq_pool_any(&q->pool, c->cpu) : NULL;
	w->holds = ct && wsq_at_limit_with(q, ct) &&
		   !test_bit(q->pool.id, c->held);
	if (!w->holds)
		return;
	set_bit(q->pool.id, c->held);
	/* An item that was detached may end now, on another CPU. */
	smp_mb__after_atomic();				/* HD(sleep:A) */
	if (wsq_at_limit_with(q, ct))
		return;
	clear_bit(q->pool.id, c->held);
	w->holds = false;
}

/*
 * The current worker sleeps in an item: the scheduler's hook, with interrupts
 * off and the runqueue's lock held. It must not wake any thread.
 */
static void wsq_worker_sleeps(struct wsq_sleep_notifier *n)
{
	struct wsq_worker *w = container_of(n, struct wsq_worker, notifier);
	struct wsq_cpu *c = wsq_cpus[w->cpu];
	u32 from = 0;

	if (!READ_ONCE(w->cur))
		return;
	/* A hand-off from another CPU is before this, or sees the parked CPU. */
	raw_spin_lock(&c->role_lock);
	if (c->worker == w && smp_processor_id() == w->cpu) {
		w->asleep = true;
		wsq_sleep_hold(c, w);
		wsq_seek_stop(c);
		wsq_park_announce(&c->park);
		wsq_idle_enter(c);
		if (wsq_waits(c, &from, WSQ_WAIT_LOOKS) != WSQ_MAX_QUEUES ||
		    wsq_surplus_for(c))
			irq_work_queue(&c->sleep_work);
	} else {
		wsq_detached_sleeps(w);
	}
	raw_spin_unlock(&c->role_lock);
}

/* The item goes on. */
static void wsq_worker_runs(struct wsq_sleep_notifier *n)
{
	struct wsq_worker *w = container_of(n, struct wsq_worker, notifier);
	struct wsq_cpu *c = wsq_cpus[w->cpu];
	bool waits = false, seeks = false;
	unsigned long flags;
	u32 id;

	if (!w->asleep)
		return;
	w->asleep = false;
	raw_spin_lock_irqsave(&c->role_lock, flags);
	/* Otherwise the announcement is the new worker's. */
	if (c->worker == w) {
		wsq_idle_leave(c);
		seeks = READ_ONCE(c->seeks);
		/* This worker looks at the queue again when the item ends. */
		if (w->holds) {
			id = READ_ONCE(w->serving)->pool.id;
			clear_bit(id, c->held);
			waits = wsq_ready_test(c, id);
		}
	}
	raw_spin_unlock_irqrestore(&c->role_lock, flags);
	/* While the queue was held, nothing was watched for its sake. */
	if (waits)
		wsq_watch_start(c);
	/* It was to steal, but goes on with its item: another one shall come. */
	if (seeks)
		wsq_seek_end(c);
}

/* Something waits behind a worker that sleeps, or could be stolen meanwhile. */
static void wsq_standby_sleep_fn(struct irq_work *work)
{
	struct wsq_cpu *c = container_of(work, struct wsq_cpu, sleep_work);
	u32 from = 0;

	preempt_disable();
	if (wsq_waits(c, &from, WSQ_WAIT_LOOKS) != WSQ_MAX_QUEUES)
		wsq_wake_cpu(c);
	else
		wsq_surplus_come(c);
	/* The watchdog may have stopped when it found the CPU parked. */
	wsq_watch_start(c);
	preempt_enable();
}

/* Wait until no other context changes where this thread may run. */
static void wsq_standby_loosened(const struct wsq_worker *w)
{
	/* DT(wait:A) */
	while (smp_load_acquire(&w->loose) == WSQ_LOOSENING)
		schedule_timeout_idle(1);
}

/**
 * wsq_standby_enter() - a worker's thread begins
 * @w: the worker
 *
 * Context: @w itself.
 */
void wsq_standby_enter(struct wsq_worker *w)
{
	w->notifier.sleeps = wsq_worker_sleeps;
	w->notifier.runs = wsq_worker_runs;
	wsq_sleep_notifier_register(&w->notifier);
}

/**
 * wsq_standby_leave() - a worker's thread ends
 * @w: the worker
 *
 * Context: @w itself.
 */
void wsq_standby_leave(struct wsq_worker *w)
{
	wsq_standby_loosened(w);
	wsq_sleep_notifier_unregister(&w->notifier);
	irq_work_sync(&w->sleep_work);
}

/* ---- hand-off ---- */

/* An item of @w is under way without @w being current. role_lock is held. */
static void wsq_away_begin(struct wsq_cpu *c, struct wsq_worker *w,
			   bool computes)
{
	/* @w is in an item, so the queue is there. */
	struct wsq *q = READ_ONCE(w->serving);
	struct wsq_container *ct = q ? wsq_pool_any(&q->pool, c->cpu) : NULL;

	w->away = ct;
	if (!ct)
		return;
	atomic_inc(&ct->away);
	if (!computes)
		return;
	if (wsq_sleep_notifiers()) {
		atomic_inc(&ct->detached);
		atomic_set(&w->computes, 1);
	}
	if (w->bound)
		return;
	cpumask_and(w->loose_cpus, q->pool.cpus, cpu_online_mask);
	get_task_struct(w->task);
	w->loose = WSQ_LOOSENING;
	c->loosen = w;
}

/**
 * wsq_away_end() - the item behind which this worker was replaced has ended
 * @w: the worker
 *
 * Context: @w itself, before it leaves the queue; may sleep.
 */
void wsq_away_end(struct wsq_worker *w)
{
	struct wsq_container *ct = w->away;

	if (!ct)
		return;
	if (atomic_xchg_relaxed(&w->computes, 0))
		atomic_dec(&ct->detached);
	else
		irq_work_sync(&w->sleep_work);
	w->away = NULL;
	preempt_disable();
	wsq_release(wsq_cpus[w->cpu], ct, &ct->away);
	preempt_enable();
}

/*
 * Is the worker in an item? If so, it sees what is left with it when the item
 * ends. Its lock is held.
 */
static bool wsq_in_item(struct wsq_worker *w)
{
	lockdep_assert_held(&w->lock);
	WRITE_ONCE(w->attention, true);
	smp_mb();					/* RN(hand:B) */
	return READ_ONCE(w->cur);
}

/**
 * wsq_hand_off() - make a standby worker the current one
 * @c: the CPU
 * @w: its current worker, seen in an item
 * @seen: the number of that item (@nr_run)
 * @computes: the item does not sleep
 *
 * Context: any but NMI, with preemption off.
 * Return: true if @w is not current any more.
 */
bool wsq_hand_off(struct wsq_cpu *c, struct wsq_worker *w, u64 seen,
		  bool computes)
{
	struct wsq_worker *s = NULL;
	bool replaced, more = false;
	unsigned long flags;

	raw_spin_lock_irqsave(&c->role_lock, flags);
	replaced = c->worker != w;
	if (!replaced) {
		s = list_first_entry_or_null(&c->standby, struct wsq_worker,
					     standby);
		raw_spin_lock(&w->lock);
		replaced = wsq_in_item(w) && READ_ONCE(w->nr_run) == seen;
		/* The worker that is made then calls wsq_standby_came(). */
		c->wanted = replaced && !s;
		if (replaced && s) {
			WRITE_ONCE(w->replaced, true);
			WRITE_ONCE(s->replaced, false);
			list_del_init(&s->standby);
			WRITE_ONCE(c->nr_standby, c->nr_standby - 1);
			wsq_away_begin(c, w, computes);
			/* HD(hand:A) */
			smp_store_release(&c->worker, s);
			WRITE_ONCE(c->standins, c->standins + 1);
			/* The new worker is awake. */
			wsq_idle_leave(c);
		} else {
			s = NULL;
			replaced = false;
		}
		raw_spin_unlock(&w->lock);
		more = c->wanted || !c->nr_standby;
	}
	raw_spin_unlock_irqrestore(&c->role_lock, flags);
	if (s)
		wake_up_process(s->task);
	if (more)
		/* On that CPU, because this one may be busy. */
		schedule_delayed_work_on(c->cpu, &c->spawn, 0);
	/* The watchdog goes on looking if none can be made. */
	if (!s && more)
		wsq_watch_start(c);
	return replaced;
}

/**
 * wsq_standby_offline() - a CPU loses its current worker, and has no other
 * @c: the CPU
 *
 * The item of the worker counts from here on as that of any worker that is not
 * current: until it ends, also if the CPU comes back. No queue stays held. The
 * next current worker looks at the limits itself, and a worker that has held its
 * queue to sleep does not take that back when it is no longer current.
 *
 * Context: hotplug callback; the CPU's role_lock is held.
 */
void wsq_standby_offline(struct wsq_cpu *c)
{
	struct wsq_worker *w = c->worker;

	lockdep_assert_held(&c->role_lock);
	WRITE_ONCE(c->worker, NULL);
	if (w) {
		raw_spin_lock(&w->lock);
		if (wsq_in_item(w))
			wsq_away_begin(c, w, false);
		raw_spin_unlock(&w->lock);
	}
	wsq_hold_none(c);
	/* A worker that sleeps in an item does not take this back. */
	wsq_idle_leave(c);
}

/*
 * There are standby workers again: no queue is held for want of one. A queue that
 * is at its limit is held again by the next look.
 */
static void wsq_standby_unhold(struct wsq_cpu *c)
{
	preempt_disable();
	/* The worker is there, then no queue is held, then look who is parked. */
	smp_mb();					/* HD(came:A) */
	wsq_hold_none(c);
	smp_mb();					/* HD(came:B) */
	wsq_wake_cpu(c);
	if (wsq_ready_any(c) && READ_ONCE(c->worker))
		wsq_watch_start(c);
	preempt_enable();
}

/* A standby worker has come. Preemption is on. */
static void wsq_standby_came(struct wsq_cpu *c)
{
	struct wsq_worker *w;

	if (unlikely(READ_ONCE(c->nr_workers) >= WSQ_MAX_WORKERS))
		wsq_standby_unhold(c);
	/* Does a hand-off want it? */
	if (!READ_ONCE(c->wanted))
		return;
	preempt_disable();
	w = READ_ONCE(c->worker);
	if (w && READ_ONCE(w->cur))
		wsq_hand_off(c, w, READ_ONCE(w->nr_run), false);
	preempt_enable();
}

/* Is there a queue here of which nothing is under way, and something waits? */
static bool wsq_standby_needed(struct wsq_cpu *c)
{
	unsigned int looks = WSQ_MAX_QUEUES / WSQ_WAIT_LOOKS;
	bool needed = false;
	u32 id, from = 0;

	while (!needed && looks--) {
		struct wsq_container *ct;
		struct wsq *q;

		preempt_disable();
		id = wsq_waits(c, &from, WSQ_WAIT_LOOKS);
		q = id < WSQ_MAX_QUEUES ? xa_load(&wsq_queues, id) : NULL;
		ct = q ? wsq_pool_any(&q->pool, c->cpu) : NULL;
		needed = ct && !atomic_read(&ct->away);
		preempt_enable();
		if (id == WSQ_MAX_QUEUES || !from)
			break;
	}
	return needed;
}

/* Make a standby worker. */
static void wsq_standby_spawn(struct work_struct *work)
{
	struct wsq_cpu *c = container_of(to_delayed_work(work), struct wsq_cpu,
					 spawn);
	struct wsq_worker *w = NULL;
	bool failed = false;

	/*
	 * Do not take cpus_read_lock(): hotplug may wait for an item that is
	 * queued behind one that needs it. While the CPU has a current worker,
	 * its teardown is still to come, and waits for wsq_workers_lock.
	 */
	mutex_lock(&wsq_workers_lock);
	if (c->worker && !READ_ONCE(c->nr_standby) &&
	    (c->nr_workers < WSQ_MAX_WORKERS || wsq_standby_needed(c))) {
		w = wsq_worker_new(c->cpu);
		failed = IS_ERR(w);
	}
	if (w && !failed) {
		/* Listed before it runs: no further one is asked for. */
		raw_spin_lock_irq(&c->role_lock);
		w->replaced = true;
		list_add(&w->standby, &c->standby);
		WRITE_ONCE(c->nr_standby, c->nr_standby + 1);
		raw_spin_unlock_irq(&c->role_lock);
		wake_up_process(w->task);
	}
	mutex_unlock(&wsq_workers_lock);
	wsq_standby_came(c);
	if (failed)
		/* Anywhere: a timer on a CPU that goes offline does not expire. */
		schedule_delayed_work(&c->spawn, WSQ_SPAWN_RETRY);
	/* Maintenance work ends it when it has been idle for a while. */
	wsq_memory_later();
}

/**
 * wsq_standby_have() - have a standby worker made for a CPU that has none
 * @c: the CPU
 *
 * Context: task.
 */
void wsq_standby_have(struct wsq_cpu *c)
{
	schedule_delayed_work_on(c->cpu, &c->spawn, 0);
}

/**
 * wsq_standby_loosen() - let the scheduler move a worker that was detached
 * @c: the CPU
 *
 * Context: task; may sleep.
 */
void wsq_standby_loosen(struct wsq_cpu *c)
{
	struct wsq_worker *old;

	raw_spin_lock_irq(&c->role_lock);
	old = c->loosen;
	c->loosen = NULL;
	raw_spin_unlock_irq(&c->role_lock);
	if (!old)
		return;
	/* @old waits for this before it ends, or is a standby worker. */
	set_cpus_allowed_ptr(old->task, old->loose_cpus);
	put_task_struct(old->task);
	smp_store_release(&old->loose, WSQ_LOOSE);	/* DT(loosen:A) */
}

/* Back to the CPU, after wsq_standby_loosen(). */
static void wsq_standby_fasten(struct wsq_worker *w)
{
	if (!w->loose)
		return;
	wsq_standby_loosened(w);
	w->loose = WSQ_FAST;
	/* wsq_worker_return() sees to it if the CPU is going offline. */
	if (!cpu_dying(w->cpu))
		set_cpus_allowed_ptr(current, cpumask_of(w->cpu));
}

/**
 * wsq_standby_wait() - be a standby worker, unless current already
 * @w: the worker
 *
 * A worker comes here each time before it is current, the first time included:
 * it is the one that moves a worker that was detached for it.
 *
 * Context: @w itself. Returns when it is current, or to end.
 */
void wsq_standby_wait(struct wsq_worker *w)
{
	struct wsq_cpu *c = wsq_cpus[w->cpu];

	wsq_standby_fasten(w);
	raw_spin_lock_irq(&c->role_lock);
	if (w->replaced && !w->gone && !w->ending && list_empty(&w->standby)) {
		list_add(&w->standby, &c->standby);
		WRITE_ONCE(c->nr_standby, c->nr_standby + 1);
	}
	raw_spin_unlock_irq(&c->role_lock);
	wsq_standby_came(c);
	for (;;) {
		set_current_state(TASK_IDLE);
		if (!READ_ONCE(w->replaced) || READ_ONCE(w->gone) ||
		    kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	raw_spin_lock_irq(&c->role_lock);
	if (!list_empty(&w->standby)) {
		list_del_init(&w->standby);
		WRITE_ONCE(c->nr_standby, c->nr_standby - 1);
	}
	raw_spin_unlock_irq(&c->role_lock);
	wsq_standby_loosen(c);
}

/**
 * wsq_standby_thin() - take out standby workers that are not needed
 * @c: the CPU
 * @over: where to put them, by @list
 *
 * One stays, so that the next item that sleeps finds it. Of the others, half.
 *
 * Context: task; wsq_workers_lock is held.
 * Return: true if there may be more.
 */
bool wsq_standby_thin(struct wsq_cpu *c, struct list_head *over)
{
	struct wsq_worker *w;
	unsigned int nr;

	lockdep_assert_held(&wsq_workers_lock);
	nr = READ_ONCE(c->nr_standby);
	for (nr /= 2; nr; nr--) {
		raw_spin_lock_irq(&c->role_lock);
		w = NULL;
		if (c->nr_standby > 1)
			w = list_last_entry(&c->standby, struct wsq_worker,
					    standby);
		if (w) {
			list_del_init(&w->standby);
			WRITE_ONCE(c->nr_standby, c->nr_standby - 1);
			/* If it has not run yet, it would enter itself. */
			w->ending = true;
		}
		raw_spin_unlock_irq(&c->role_lock);
		if (!w)
			break;
		wsq_worker_dismiss(w);
		list_add(&w->list, over);
	}
	return c->nr_workers > 2;
}

/**
 * wsq_standby_worker_init() - before a worker's thread is made
 * @w: the worker
 *
 * Context: task; may sleep.
 * Return: 0 or %-ENOMEM. wsq_standby_worker_exit() is due in both cases.
 */
int wsq_standby_worker_init(struct wsq_worker *w)
{
	INIT_LIST_HEAD(&w->standby);
	w->sleep_work = IRQ_WORK_INIT_HARD(wsq_detached_fn);
	return zalloc_cpumask_var(&w->loose_cpus, GFP_KERNEL) ? 0 : -ENOMEM;
}

/**
 * wsq_standby_worker_exit() - after a worker's thread has ended
 * @w: the worker
 */
void wsq_standby_worker_exit(struct wsq_worker *w)
{
	free_cpumask_var(w->loose_cpus);
}

/**
 * wsq_standby_init() - before a CPU has a worker
 * @c: the CPU
 */
void wsq_standby_init(struct wsq_cpu *c)
{
	raw_spin_lock_init(&c->role_lock);
	INIT_LIST_HEAD(&c->standby);
	INIT_DELAYED_WORK(&c->spawn, wsq_standby_spawn);
	/* Hard: @c->worker is only safe with preemption off. */
	c->sleep_work = IRQ_WORK_INIT_HARD(wsq_standby_sleep_fn);
}

/**
 * wsq_standby_exit() - after a CPU's last worker is gone
 * @c: the CPU
 *
 * Context: task; may sleep.
 */
void wsq_standby_exit(struct wsq_cpu *c)
{
	irq_work_sync(&c->sleep_work);
}
