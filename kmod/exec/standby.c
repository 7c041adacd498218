// SPDX-License-Identifier: GPL-2.0
/*
 * Standby workers: no item waits behind one that sleeps.
 *
 * A CPU has one current worker, which owns the CPU's containers, and at least
 * one standby worker. When the current worker sleeps in an item, the
 * scheduler's hook (kmod/compat/sleep_notifier.h) announces that:
 *
 *	- If nothing waits on the CPU, the CPU counts as parked, and no thread
 *	  is woken. A later put, or a CPU with a surplus, claims the wake-up as
 *	  that of any parked worker.
 *	- If something waits, or another CPU has a surplus that no worker comes
 *	  for, an interrupt on this CPU claims the wake-up at once.
 *
 * If the worker is in an item, the context that claimed the wake-up makes a
 * standby worker current (hand-off). The old worker ends its item, then becomes
 * a standby worker. A hand-off is harmless if the item has just been woken:
 * both workers run for a while, and only the current one begins items.
 *
 * An item that computes for long does not sleep. The watchdog (watchdog.c)
 * hands off for it after 10 ms. Unless the item is bound to its CPU, the new
 * worker lets the scheduler move the old one elsewhere (detaching). Each tenant
 * (tenant.h) may have such an item. So that many of them do not take the CPU
 * from the current worker, the first one keeps its nice value, and each further
 * one has a third of the weight of the one before, until it ends: 60 of them
 * weigh as much as two or three workers.
 *
 * Limits. At most @max_active items of a queue may be under way on a CPU. The
 * lane counts (@away) each item whose worker was replaced while running it, and
 * the queue's rescuer while it serves the lane. A queue at its limit is held:
 * the CPU's workers pass over it and steal none of its items until one of these
 * items ends. A queue with a detached item is held until that item ends or
 * sleeps. Otherwise a queue of long items would add a computing thread to this
 * CPU every 10 ms. The limit holds for each CPU separately: other CPUs may take
 * unbound items of a held queue, and the watchdog wakes an idle CPU for them.
 *
 * Threads. A CPU has at most WSQ_MAX_WORKERS workers, plus one for each queue
 * that has no item under way there, so that sleeping items of one queue do not
 * stop another queue. When the last standby worker is used, another is made in
 * task context. If there is no memory, that is tried again later, and the
 * watchdog wakes the rescuers of the queues that have one.
 *
 * What it costs: nothing while items do not sleep. A sleep takes a lock of the
 * CPU and some locked instructions; while other CPUs have a surplus, it looks
 * at a few of them. A hand-off costs one wake-up.
 *
 *	PK(announce:B) against IN(push:C): store buffering
 *		The worker announces that its CPU is parked, full barrier, looks
 *		whether anything waits. A put from another CPU pushes its item,
 *		full barrier, and looks at the announcement. On the container's
 *		own CPU the scheduler's hook runs before or after the put, never
 *		beside it. litmus/parking-remote.litmus
 *	HD(hold:A) against HD(release:A): store buffering
 *		A worker that holds a queue looks at the count again. A context
 *		that lowers the count looks whether the queue is held.
 *		litmus/exec-hold.litmus
 *	HD(sleep:A) against HD(release:A): store buffering
 *		As HD(hold:A), for a worker that holds its queue because it is
 *		about to sleep in an item. litmus/exec-hold-sleep.litmus
 *	HD(release:B) against PK(announce:B): store buffering
 *		A worker that parks sees that a queue is no longer held, or is
 *		woken. litmus/exec-hold-wake.litmus
 *	HD(release:A) against PK(announce:B): store buffering
 *		A worker that parks, and passes over a queue at its limit that
 *		is not held, sees the lower count, or is woken.
 *		litmus/exec-limit-wake.litmus
 *	HD(release:B) against PK(announce:B): order of two stores to @passed
 *		A worker that passes over a queue and parks sets @passed last,
 *		or the context that cleared @passed wakes it.
 *		litmus/exec-passed.litmus
 *	HD(raise:A) against HD(hold:A): order of two stores to @held
 *		A worker that holds a queue sees the higher limit, or the
 *		context that raised it (limit.c) clears the hold.
 *		litmus/exec-came.litmus
 *	HD(came:A) against HD(hold:A): order of two stores to @held
 *		A worker that holds a queue because the CPU can have no more
 *		workers sees the standby worker that has come, or the context
 *		that added that worker clears the hold. litmus/exec-came.litmus
 *	HD(came:B) against PK(announce:B): store buffering
 *		As HD(release:B).
 *	HD(hand:A) release -> HD(rescue:A) acquire
 *		A rescuer that sees the new current worker sees a count that
 *		includes the old worker's item. litmus/exec-rescue-limit.litmus
 *	DT(loosen:A) release -> DT(wait:A) acquire
 *		The old worker restores its CPU mask after the new one has
 *		changed it. litmus/exec-detach.litmus
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "item.h"

/* Workers of one CPU, not counting those for queues with nothing under way. */
#define WSQ_MAX_WORKERS		1024

/* Most ready queues to look at with interrupts off. */
#define WSQ_WAIT_LOOKS		8

/* Nice levels from one detached worker of tenants to the next. */
#define WSQ_DETACHED_NICE	5

/* Delay in jiffies after a worker could not be made. */
#define WSQ_SPAWN_RETRY		max(HZ / 100, 1)

/*
 * Is the queue at its limit on this CPU? At WSQ_MAX_WORKERS, more workers are
 * made only for queues with nothing under way.
 */
static bool wsq_at_limit(const struct wsq_cpu *c, const struct wsq *q,
			 const struct wsq_lane *lane)
{
	u32 away = atomic_read(&lane->away);

	return away >= READ_ONCE(q->max_active) || atomic_read(&lane->detached) ||
	       (unlikely(away) && !READ_ONCE(c->nr_standby) &&
		READ_ONCE(c->nr_workers) >= WSQ_MAX_WORKERS);
}

/**
 * wsq_hold() - hold a queue if it is at its limit
 * @c: the CPU
 * @q: the queue
 * @lane: its lane on @c
 *
 * Context: the current worker, with preemption off.
 * Return: true if the queue is held now.
 */
bool wsq_hold(struct wsq_cpu *c, const struct wsq *q,
	      const struct wsq_lane *lane)
{
	if (likely(!wsq_at_limit(c, q, lane))) {
		/* It may have been held because there was no standby worker. */
		if (unlikely(test_bit(q->id, c->held)))
			clear_bit(q->id, c->held);
		return false;
	}
	/* A thief holds a queue, too: the items may be on another CPU. */
	WRITE_ONCE(c->passed, true);
	set_bit(q->id, c->held);
	smp_mb__after_atomic();				/* HD(hold:A) */
	if (wsq_at_limit(c, q, lane))
		return true;
	clear_bit(q->id, c->held);
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
 * wsq_limited() - do a queue's items on a CPU wait because of its limit
 * @c: the CPU
 * @q: the queue
 * @lane: its lane on @c
 *
 * Context: any, with preemption off.
 * Return: a hint.
 */
bool wsq_limited(const struct wsq_cpu *c, const struct wsq *q,
		 const struct wsq_lane *lane)
{
	return test_bit(q->id, c->held) || wsq_at_limit(c, q, lane);
}

/**
 * wsq_unlimit() - a queue may be below its limit again: release it if it is held
 * @c: the CPU
 * @id: the queue's number
 *
 * wsq_waits() passes over a queue at its limit without holding it, so the
 * worker is woken even if the queue is not held. The watchdog is started
 * because it may have stopped while the queue was held, and the worker may be
 * in a long item.
 *
 * Context: any but NMI, with preemption off; a full barrier since the count or
 * the limit was changed.
 */
void wsq_unlimit(struct wsq_cpu *c, u32 id)
{
	bool passed = READ_ONCE(c->passed), waits;

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
		wsq_watchdog_start(c);
}

/* Lower @lane's @count (@away or @detached). Preemption is off. */
static void wsq_release(struct wsq_cpu *c, const struct wsq_lane *lane,
			atomic_t *count)
{
	atomic_dec(count);
	smp_mb__after_atomic();				/* HD(release:A) */
	wsq_unlimit(c, wsq_location_queue(lane->ct.tag));
}

/**
 * wsq_rescue_begin() - may a rescuer serve a queue on a CPU
 * @c: the CPU; this one, unless it is going offline
 * @q: the queue
 * @lane: its lane on @c
 *
 * If the current worker is at the queue, it counts as an item under way,
 * because it does not check the limit again before it leaves the queue.
 *
 * Context: the rescuer, with preemption off.
 * Return: true if so. Then the rescuer counts as an item under way.
 */
bool wsq_rescue_begin(struct wsq_cpu *c, const struct wsq *q,
		      struct wsq_lane *lane)
{
	/* Acquire: if the worker is new, @away counts the old one's item. */
	const struct wsq_worker *w =
		smp_load_acquire(&c->worker);		/* HD(rescue:A) */
	u32 under_way = atomic_read(&lane->away) +
			(w && READ_ONCE(w->serving) == q);

	if (under_way >= READ_ONCE(q->max_active))
		return false;
	atomic_inc(&lane->away);
	return true;
}

/**
 * wsq_rescue_end() - a rescuer leaves a queue's lane
 * @c: the lane's CPU
 * @lane: the lane
 *
 * Context: the rescuer, with preemption off.
 */
void wsq_rescue_end(struct wsq_cpu *c, struct wsq_lane *lane)
{
	wsq_release(c, lane, &lane->away);
}

/**
 * wsq_waits() - find a queue with an item that a worker of a CPU may begin
 * @c: the CPU
 * @from: number of the first queue to look at; set to where to go on
 * @looks: most queues to look at
 *
 * Context: any, with preemption off.
 * Return: the queue's number; %WSQ_MAX_QUEUES if there is none; %WSQ_UNKNOWN if
 * there may be one that was not looked at.
 */
u32 wsq_waits(const struct wsq_cpu *c, u32 *from, unsigned int looks)
{
	u32 id = wsq_ready_own(c, *from), first = id;

	for (; id < WSQ_MAX_QUEUES; looks--) {
		const struct wsq_lane *lane;
		const struct wsq *q;

		if (!looks) {
			*from = id;
			return WSQ_UNKNOWN;
		}
		q = wsq_queue_at(c, id);
		lane = q ? wsq_lane_any(q, c->cpu) : NULL;
		if (lane && !wsq_at_limit(c, q, lane) && wsq_lane_waiting(lane)) {
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

/* ---- the worker announces that it sleeps ---- */

/* A detached item sleeps: release its queue, from an interrupt. */
static void wsq_detached_sleeps(struct wsq_worker *w)
{
	if (atomic_xchg_relaxed(&w->computes, 0))
		irq_work_queue(&w->sleep_work);
}

static void wsq_detached_fn(struct irq_work *work)
{
	struct wsq_worker *w = container_of(work, struct wsq_worker,
					    sleep_work);
	struct wsq_lane *lane;

	preempt_disable();
	/* wsq_away_end() waits for this. */
	lane = w->away;
	wsq_release(wsq_worker_cpu(w), lane, &lane->detached);
	preempt_enable();
}

/* Is the queue at its limit if the current worker's item is counted, too? */
static bool wsq_at_limit_with(const struct wsq *q,
			      const struct wsq_lane *lane)
{
	return atomic_read(&lane->away) + 1 >= READ_ONCE(q->max_active);
}

/* Hold the queue if the item that is about to sleep brings it to its limit. */
static void wsq_sleep_hold(struct wsq_cpu *c, struct wsq_worker *w)
{
	/* The worker is in an item, so the queue exists. */
	const struct wsq *q = READ_ONCE(w->serving);
	const struct wsq_lane *lane;

	lane = q ? wsq_lane_any(q, c->cpu) : NULL;
	w->holds = lane && wsq_at_limit_with(q, lane) &&
		   !test_bit(q->id, c->held);
	if (!w->holds)
		return;
	set_bit(q->id, c->held);
	/* A detached item may end on another CPU now. */
	smp_mb__after_atomic();				/* HD(sleep:A) */
	if (wsq_at_limit_with(q, lane))
		return;
	clear_bit(q->id, c->held);
	w->holds = false;
}

/*
 * The scheduler's hook when a worker goes to sleep. Interrupts are off and the
 * runqueue's lock is held, so it must not wake a thread.
 */
static void wsq_worker_sleeps(struct wsq_sleep_notifier *n,
			      const struct task_struct *next)
{
	struct wsq_worker *w = container_of(n, struct wsq_worker, notifier);
	struct wsq_cpu *c = wsq_worker_cpu(w);
	u32 from = 0;

	wsq_idle_meet(w->class, next);
	if (!READ_ONCE(w->cur))
		return;
	/* A hand-off on another CPU precedes this, or sees the CPU parked. */
	raw_spin_lock(&c->role_lock);
	if (c->worker == w && smp_processor_id() == w->cpu) {
		WRITE_ONCE(w->asleep, true);
		wsq_sleep_hold(c, w);
		wsq_seek_stop(c);
		wsq_park_announce(&c->park);
		wsq_idle_enter(c);
		if (wsq_waits(c, &from, WSQ_WAIT_LOOKS) != WSQ_MAX_QUEUES ||
		    wsq_surplus_for(c))
			irq_work_queue(&c->sleep_work);
	} else if (c->worker == w) {
		/* It strays. Its CPU is not idle, but a hand-off must know. */
		w->holds = false;
		WRITE_ONCE(w->asleep, true);
	} else {
		wsq_detached_sleeps(w);
	}
	raw_spin_unlock(&c->role_lock);
}

/* The scheduler's hook when a worker runs again. */
static void wsq_worker_runs(struct wsq_sleep_notifier *n)
{
	struct wsq_worker *w = container_of(n, struct wsq_worker, notifier);
	struct wsq_cpu *c = wsq_worker_cpu(w);
	bool waits = false, seeks = false;
	unsigned long flags;
	u32 id;

	if (!w->asleep)
		return;
	WRITE_ONCE(w->asleep, false);
	raw_spin_lock_irqsave(&c->role_lock, flags);
	/* Otherwise the announcement is the new worker's. */
	if (c->worker == w) {
		wsq_idle_leave(c);
		seeks = READ_ONCE(c->seeks);
		/* This worker looks at the queue again when the item ends. */
		if (w->holds) {
			id = READ_ONCE(w->serving)->id;
			clear_bit(id, c->held);
			waits = wsq_ready_test(c, id);
		}
	}
	raw_spin_unlock_irqrestore(&c->role_lock, flags);
	/* The watchdog may have stopped while the queue was held. */
	if (waits)
		wsq_watchdog_start(c);
	/* It is the seeker but continues its item: another worker must come. */
	if (seeks)
		wsq_seek_end(c);
}

/* The current worker sleeps, and something waits or can be stolen. */
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
	wsq_watchdog_start(c);
	preempt_enable();
}

/* Wait for a wsq_standby_loosen() of this worker, if one is to come. */
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

/* @w is in an item and no longer current: count the item. role_lock is held. */
static void wsq_away_begin(struct wsq_cpu *c, struct wsq_worker *w,
			   bool computes)
{
	/* @w is in an item, so the queue exists. */
	struct wsq *q = READ_ONCE(w->serving);
	struct wsq_lane *lane = q ? wsq_lane_any(q, c->cpu) : NULL;

	w->away = lane;
	if (!lane)
		return;
	atomic_inc(&lane->away);
	if (!computes)
		return;
	if (wsq_sleep_notifiers()) {
		atomic_inc(&lane->detached);
		atomic_set(&w->computes, 1);
	}
	if (w->bound)
		return;
	cpumask_and(w->loose_cpus, q->pool.cpus, cpu_online_mask);
	get_task_struct(w->task);
	w->loose = WSQ_LOOSENING;
	if (q->id >= WSQ_FIRST_TENANT)
		w->nth = ++c->tenants_detached;
	c->loosen = w;
}

/**
 * wsq_away_end() - the item during which a worker was replaced has ended
 * @w: the worker
 *
 * Context: @w itself, before it leaves the queue; may sleep.
 */
void wsq_away_end(struct wsq_worker *w)
{
	struct wsq_cpu *c = wsq_worker_cpu(w);
	struct wsq_lane *lane = w->away;

	if (!lane)
		return;
	if (w->nth) {
		raw_spin_lock_irq(&c->role_lock);
		c->tenants_detached--;
		raw_spin_unlock_irq(&c->role_lock);
	}
	if (atomic_xchg_relaxed(&w->computes, 0))
		atomic_dec(&lane->detached);
	else
		irq_work_sync(&w->sleep_work);
	w->away = NULL;
	preempt_disable();
	wsq_release(c, lane, &lane->away);
	preempt_enable();
}

/*
 * Is the worker in an item? If so, it sees what was left below when the item
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
 * Return: true if @w is no longer current.
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
		/* When one is made, wsq_standby_came() hands off to it. */
		c->wanted = replaced && !s;
		c->wanted_run = seen;
		c->wanted_computes = computes;
		if (replaced && s) {
			WRITE_ONCE(w->replaced, true);
			WRITE_ONCE(s->replaced, false);
			list_del_init(&s->standby);
			WRITE_ONCE(c->nr_standby, c->nr_standby - 1);
			/* If it sleeps by now, no hook ends the detaching. */
			wsq_away_begin(c, w, computes && !READ_ONCE(w->asleep));
			/* HD(hand:A) */
			smp_store_release(&c->worker, s);
			WRITE_ONCE(c->standbys, c->standbys + 1);
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
		/* On that CPU, because this CPU may be busy. */
		schedule_delayed_work_on(c->cpu, &c->spawn, 0);
	/* If none can be made, the watchdog keeps trying. */
	if (!s && more)
		wsq_watchdog_start(c);
	return replaced;
}

/**
 * wsq_standby_offline() - a CPU loses its current worker, and gets no other
 * @c: the CPU
 *
 * From here on the worker's item counts as that of a replaced worker: until it
 * ends, even if the CPU comes back. No queue stays held. The next current
 * worker checks the limits itself, and a worker that held its queue before it
 * slept does not clear the hold once it is no longer current.
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
	/* A worker that sleeps in an item no longer does this itself. */
	wsq_idle_leave(c);
}

/*
 * There are standby workers again: release the queues that were held because
 * there was none. A queue at its limit is held again at the next look.
 */
static void wsq_standby_unhold(struct wsq_cpu *c)
{
	preempt_disable();
	/* Add the worker, release the queues, then look at the parked state. */
	smp_mb();					/* HD(came:A) */
	wsq_hold_none(c);
	smp_mb();					/* HD(came:B) */
	wsq_wake_cpu(c);
	if (wsq_ready_any(c) && READ_ONCE(c->worker))
		wsq_watchdog_start(c);
	preempt_enable();
}

/* A standby worker was added. Preemption is on. */
static void wsq_standby_came(struct wsq_cpu *c)
{
	struct wsq_worker *w;
	bool computes;
	u64 seen;

	if (unlikely(READ_ONCE(c->nr_workers) >= WSQ_MAX_WORKERS))
		wsq_standby_unhold(c);
	/* Did a hand-off find none? A later item needs a hand-off of its own. */
	if (!READ_ONCE(c->wanted))
		return;
	preempt_disable();
	raw_spin_lock_irq(&c->role_lock);
	w = c->wanted ? c->worker : NULL;
	seen = c->wanted_run;
	computes = c->wanted_computes;
	raw_spin_unlock_irq(&c->role_lock);
	if (w && READ_ONCE(w->cur))
		wsq_hand_off(c, w, seen, computes);
	preempt_enable();
}

/* Does something wait here of a queue that has nothing under way? */
static bool wsq_standby_needed(struct wsq_cpu *c)
{
	unsigned int looks = WSQ_MAX_QUEUES / WSQ_WAIT_LOOKS;
	bool needed = false;
	u32 id, from = 0;

	while (!needed && looks--) {
		struct wsq_lane *lane;
		struct wsq *q;

		preempt_disable();
		id = wsq_waits(c, &from, WSQ_WAIT_LOOKS);
		q = id < WSQ_MAX_QUEUES ? wsq_queue_at(c, id) : NULL;
		lane = q ? wsq_lane_any(q, c->cpu) : NULL;
		needed = lane && !atomic_read(&lane->away);
		preempt_enable();
		if (id == WSQ_MAX_QUEUES || !from)
			break;
	}
	return needed;
}

/* Does the CPU need a standby worker? If so, and @w is not %NULL, it is @w. */
static bool wsq_standby_lacks(struct wsq_cpu *c, struct wsq_worker *w)
{
	bool lacks;

	mutex_lock(&wsq_workers_lock);
	lacks = c->worker && !READ_ONCE(c->nr_standby) &&
		(c->nr_workers < WSQ_MAX_WORKERS || wsq_standby_needed(c));
	if (lacks && w)
		wsq_worker_add(c, w);
	mutex_unlock(&wsq_workers_lock);
	return lacks;
}

/* Make a standby worker, if there is none. */
static void wsq_standby_spawn(struct work_struct *work)
{
	struct wsq_cpu *c = container_of(to_delayed_work(work), struct wsq_cpu,
					 spawn);
	struct wsq_worker *w = NULL;

	/*
	 * Do not take cpus_read_lock(): hotplug may wait for an item behind one
	 * that needs it. So the CPU may go offline meanwhile: look again.
	 */
	if (wsq_standby_lacks(c, NULL))
		w = wsq_worker_new(c);
	if (w && !IS_ERR(w) && !wsq_standby_lacks(c, w))
		wsq_worker_end(w);
	wsq_standby_came(c);
	if (IS_ERR(w))
		/* On any CPU: the timer of an offline CPU does not expire. */
		schedule_delayed_work(&c->spawn, WSQ_SPAWN_RETRY);
	/* Maintenance work ends the worker after it was idle for a while. */
	wsq_memory_later();
}

/**
 * wsq_standby_have() - make a standby worker for a CPU that has none, later
 * @c: the CPU
 *
 * Context: task.
 */
void wsq_standby_have(struct wsq_cpu *c)
{
	schedule_delayed_work_on(c->cpu, &c->spawn, 0);
}

/* The nice value of a worker that was detached. */
static int wsq_detached_nice(const struct wsq_worker *w)
{
	int more = w->nth > 1 ? (int)(w->nth - 1) * WSQ_DETACHED_NICE : 0;

	return min(w->class->nice + more, MAX_NICE);
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
	/* @old waits for this before it ends or becomes a standby worker. */
	set_cpus_allowed_ptr(old->task, old->loose_cpus);
	set_user_nice(old->task, wsq_detached_nice(old));
	put_task_struct(old->task);
	smp_store_release(&old->loose, WSQ_LOOSE);	/* DT(loosen:A) */
}

/* Undo wsq_standby_loosen(). */
static void wsq_standby_fasten(struct wsq_worker *w)
{
	if (!w->loose)
		return;
	wsq_standby_loosened(w);
	w->loose = WSQ_FAST;
	w->nth = 0;
	set_user_nice(current, w->class->nice);
	/* If the CPU is going offline, wsq_worker_return() handles it. */
	if (!cpu_dying(w->cpu))
		set_cpus_allowed_ptr(current, cpumask_of(w->cpu));
}

/**
 * wsq_standby_wait() - be a standby worker until current
 * @w: the worker
 *
 * A worker calls this each time before it serves as the current one, even the
 * first time. If an item was detached in the hand-off to @w, @w lets the
 * scheduler move its worker.
 *
 * Context: @w itself. Returns when it is current, or to end.
 */
void wsq_standby_wait(struct wsq_worker *w)
{
	struct wsq_cpu *c = wsq_worker_cpu(w);

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
 * wsq_standby_shrink() - remove standby workers that are not needed
 * @c: the CPU
 * @over: list to put them in, by @list
 *
 * Removes half of them, but leaves one for the next item that sleeps.
 *
 * Context: task; wsq_workers_lock is held.
 * Return: true if there may be more.
 */
bool wsq_standby_shrink(struct wsq_cpu *c, struct list_head *over)
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
			/* It may not have run yet, and would list itself. */
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
 * Return: 0 or %-ENOMEM. Call wsq_standby_worker_exit() in both cases.
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
