// SPDX-License-Identifier: GPL-2.0
/*
 * The watchdog: no item waits behind one that computes while a CPU of the queue
 * is idle.
 *
 * A worker runs items one after the other. A put that finds the worker awake
 * leaves the item to it. A put that finds it parked wakes it, but another
 * thread may have the CPU (wsq_kept_off()). In case the worker does not come to
 * the item soon, both arm a timer of that CPU, unless it is armed. The timer
 * checks whether the worker has begun an item since the last expiry. If it has
 * not, and something waits:
 *
 *	- A worker that sleeps in its item is replaced (standby.c). With preempt
 *	  notifiers that has already happened, unless no standby worker could be
 *	  made. In that case the rescuers of queues that wait are woken.
 *	- Otherwise the worker computes, or a thread of higher priority keeps it
 *	  off its CPU. An idle worker of another CPU is woken. It may steal even
 *	  from the active block of this CPU's consumer
 *	  (wsq_engine_steal_active()).
 *	- After WSQ_DETACH_NS a worker that computes is replaced, too, if
 *	  another queue waits.
 *
 * If items wait because their queue is at its limit on this CPU, an expiry
 * wakes an idle worker of another CPU for those that are not bound.
 *
 * The timer is pinned to the CPU that it watches, so that no other CPU can
 * delay it. An expiry looks at WSQ_WATCHDOG_LOOKS queues at most. While items
 * come and go, the timer stays set, because setting it each time costs more. It
 * stops when nothing waits and no item has begun since the last expiry.
 *
 * What it costs: one timer interrupt in 0.5 to 4 ms for each CPU on which
 * something waits, one in 2 ms while items come and go, and two after a single
 * item. A put to another CPU that sets the timer costs an interrupt there. A
 * put on an idle CPU does not set it.
 *
 * Limitation: so it is not set for an item whose put finds its CPU idle if a
 * thread of higher priority is woken there before the worker runs.
 *
 *	WA(start:A), WA(stop:C): one of the contexts that find the timer off
 *		sets it. litmus/exec-watchdog-start.litmus
 *	WA(stop:B) against IN(push:C), RD(mark:A): store buffering
 *		The timer's last look sees the item of a put, or the put sees
 *		that the timer is off and sets it. litmus/exec-watchdog.litmus
 */
#include "../compat/hrtimer.h"
#include "item.h"

#define WSQ_WATCHDOG_MIN_NS	(500 * NSEC_PER_USEC)
#define WSQ_WATCHDOG_MAX_NS	(4 * NSEC_PER_MSEC)

/* The longest period while the worker begins items. */
#define WSQ_WATCHDOG_BUSY_NS	(2 * NSEC_PER_MSEC)

/* An item that computes for this long is detached if another queue waits. */
#define WSQ_DETACH_NS		(10 * NSEC_PER_MSEC)

/* Ready queues that an expiry looks at. */
#define WSQ_WATCHDOG_LOOKS		8

/*
 * Called when something has waited for a while, or is put to a CPU without a
 * worker. Context: any but NMI. Set before the first worker starts, and until
 * the last one has ended.
 */
void (*wsq_watchdog_hook)(void);

/*
 * The worker makes progress, but its items are slow, and one waits that an idle
 * CPU could begin at once. Its put found no CPU idle, or the item time was not
 * known. At the second such look in a row one more worker is woken even if
 * there is a seeker, because the seeker may be kept off its CPU.
 */
static void wsq_watchdog_slow(struct wsq_cpu *c, u32 id)
{
	struct wsq *q = id < WSQ_MAX_QUEUES ? wsq_queue_at(c, id) : NULL;
	struct wsq_lane *lane = q ? wsq_lane_any(q, c->cpu) : NULL;

	if (!lane || !wsq_items_slow(lane) || !wsq_lane_stealable(lane))
		return;
	if (c->watchdog.progress)
		wsq_wake_idle_anew(q, c);
	else
		wsq_wake_idle(q, c);
}

/* Has the worker begun anything since the last look? */
static bool wsq_watchdog_progress(struct wsq_watchdog *watchdog,
				  const struct wsq_worker *w)
{
	u64 seen = watchdog->seen;
	const struct wsq_worker *last = watchdog->worker;

	watchdog->worker = w;
	watchdog->seen = READ_ONCE(w->nr_run);
	if (last == w && seen == watchdog->seen)
		return false;
	watchdog->since = ktime_get_mono_fast_ns();
	return true;
}

/* Does a queue wait other than the one that the worker serves? */
static bool wsq_watchdog_others(struct wsq_cpu *c, const struct wsq_worker *w,
				u32 id)
{
	const struct wsq *own = READ_ONCE(w->serving);
	u32 from = c->watchdog.from, other;

	if (!own || id != own->id)
		return true;
	other = wsq_waits(c, &from, WSQ_WATCHDOG_LOOKS);
	return other != id && other != WSQ_MAX_QUEUES;
}

/* The worker makes no progress, and queue @id waits. True if this may help. */
static bool wsq_watchdog_stalled(struct wsq_cpu *c, struct wsq_worker *w, u32 id)
{
	struct wsq_watchdog *watchdog = &c->watchdog;
	struct wsq *q = id < WSQ_MAX_QUEUES ? wsq_queue_at(c, id) : NULL;
	bool sleeps = READ_ONCE(w->cur) &&
		      READ_ONCE(w->task->__state) != TASK_RUNNING;
	s64 ns = ktime_get_mono_fast_ns() - watchdog->since;
	struct wsq_lane *lane;

	WRITE_ONCE(watchdog->stuck, watchdog->seen + 1);
	if (sleeps || (READ_ONCE(w->cur) && ns >= (s64)WSQ_DETACH_NS &&
		       wsq_watchdog_others(c, w, id))) {
		if (wsq_hand_off(c, w, watchdog->seen, !sleeps))
			return true;
		if (sleeps)
			wsq_rescue_some(c, &watchdog->rescue_from);
	}
	lane = q ? wsq_lane_any(q, c->cpu) : NULL;
	/* Another CPU cannot run what is bound to this one. */
	if (!lane || !wsq_lane_stealable(lane))
		return false;
	wsq_wake_idle_anew(q, c);
	return true;
}

/*
 * Wake an idle CPU for what waits for a queue's limit here. False if no queue
 * has such items, or no CPU is idle: a CPU that becomes idle looks itself.
 */
static bool wsq_watchdog_limited(struct wsq_cpu *c)
{
	unsigned int looks = WSQ_WATCHDOG_LOOKS;
	u32 id = wsq_ready_next(c, c->watchdog.limited_from), first = id;

	while (id < WSQ_MAX_QUEUES) {
		struct wsq *q = wsq_queue_at(c, id);
		struct wsq_lane *lane = q ? wsq_lane_any(q, c->cpu) :
					       NULL;

		c->watchdog.limited_from = id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0;
		/* No CPU may run what is frozen. */
		if (lane && READ_ONCE(q->max_active) &&
		    wsq_limited(c, q, lane) && wsq_lane_stealable(lane) &&
		    wsq_wake_idle_anew(q, c))
			return true;
		id = wsq_ready_next(c, c->watchdog.limited_from);
		if (id == first)
			break;
		if (!--looks)
			return wsq_idle_any(c->domain->all);
	}
	return false;
}

/*
 * Stop the timer: nothing waits for the worker, and no idle CPU is to be woken.
 * False if an item has come since, and the timer must go on.
 */
static bool wsq_watchdog_stop(struct wsq_cpu *c)
{
	u32 from = 0;

	atomic_set(&c->watched, 0);			/* WA(stop:A) */
	/* Turn it off, then look; a put puts, then looks whether it is on. */
	smp_mb();					/* WA(stop:B) */
	if (!READ_ONCE(c->worker))
		return true;
	/*
	 * Look even if the CPU is parked: the worker looks once more after its
	 * announcement, and may begin an item with others behind it.
	 */
	if (wsq_waits(c, &from, WSQ_WATCHDOG_LOOKS) == WSQ_MAX_QUEUES &&
	    !wsq_watchdog_limited(c))
		return true;
	return atomic_xchg(&c->watched, 1);		/* WA(stop:C) */
}

static enum hrtimer_restart wsq_watchdog_fn(struct hrtimer *timer)
{
	struct wsq_watchdog *watchdog = container_of(timer, struct wsq_watchdog, timer);
	struct wsq_cpu *c = container_of(watchdog, struct wsq_cpu, watchdog);
	struct wsq_worker *w = READ_ONCE(c->worker);
	bool progress = w && wsq_watchdog_progress(watchdog, w);
	bool limited = w && wsq_watchdog_limited(c);
	u32 id;

	WRITE_ONCE(watchdog->expiries, watchdog->expiries + 1);
	if (w && wsq_watchdog_hook && wsq_ready_any(c))
		wsq_watchdog_hook();
	id = w && !wsq_parked(&c->park) ?
	     wsq_waits(c, &watchdog->from, WSQ_WATCHDOG_LOOKS) : WSQ_MAX_QUEUES;
	if (progress && !limited) {
		wsq_watchdog_slow(c, id);
		watchdog->period = watchdog->progress ?
				min_t(u64, watchdog->period * 2, WSQ_WATCHDOG_BUSY_NS) :
				WSQ_WATCHDOG_MIN_NS;
	} else if (id == WSQ_MAX_QUEUES && !limited) {
		watchdog->period = WSQ_WATCHDOG_MIN_NS;
		watchdog->progress = false;
		if (wsq_watchdog_stop(c))
			return HRTIMER_NORESTART;
	} else if (id != WSQ_MAX_QUEUES && wsq_watchdog_stalled(c, w, id)) {
		watchdog->period = WSQ_WATCHDOG_MIN_NS;
	} else {
		/*
		 * One more CPU was woken for a queue's limit, or nothing could
		 * be done: look less often.
		 */
		watchdog->period = min_t(u64, watchdog->period * 2, WSQ_WATCHDOG_MAX_NS);
	}
	watchdog->progress = progress;
	hrtimer_forward_now(timer, ns_to_ktime(watchdog->period));
	return HRTIMER_RESTART;
}

static void wsq_watchdog_set(struct wsq_watchdog *watchdog)
{
	hrtimer_start(&watchdog->timer, ns_to_ktime(WSQ_WATCHDOG_MIN_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Another CPU has asked for this CPU's timer. */
static void wsq_watchdog_asked(void *info)
{
	wsq_watchdog_set(info);
}

/* After the NMI. */
static void wsq_watchdog_nmi(struct irq_work *work)
{
	wsq_watchdog_start(container_of(work, struct wsq_cpu, watchdog.nmi_work));
}

/**
 * wsq_watchdog_start() - set the watchdog's timer: something waits for a worker
 * @c: the worker's CPU
 *
 * Context: any, NMI included, with preemption off; a full barrier since the
 * item was made visible, unless @c is this CPU.
 */
void wsq_watchdog_start(struct wsq_cpu *c)
{
	struct wsq_watchdog *watchdog = &c->watchdog;

	if (likely(atomic_read(&c->watched)))
		return;
	if (unlikely(in_nmi())) {
		irq_work_queue(&watchdog->nmi_work);
		return;
	}
	if (atomic_xchg(&c->watched, 1))			/* WA(start:A) */
		return;
	if (c->cpu == smp_processor_id())
		wsq_watchdog_set(watchdog);
	else if (smp_call_function_single_async(c->cpu, &watchdog->ask))
		/* Offline: its items are moved. Or a call is under way. */
		atomic_set(&c->watched, 0);
}

/**
 * wsq_watchdog_stuck() - may thieves take from the consumer's own block
 * @c: the CPU
 *
 * Context: any, with preemption off.
 * Return: true if its worker has begun no item since the watchdog found items
 * waiting for it, or if the CPU has no worker because it is going offline.
 */
bool wsq_watchdog_stuck(const struct wsq_cpu *c)
{
	u64 stuck = READ_ONCE(c->watchdog.stuck);
	const struct wsq_worker *w = READ_ONCE(c->worker);

	return !w || (stuck && READ_ONCE(w->nr_run) + 1 == stuck);
}

/**
 * wsq_watchdog_init() - before a CPU has a worker
 * @c: the CPU
 */
void wsq_watchdog_init(struct wsq_cpu *c)
{
	c->watchdog.period = WSQ_WATCHDOG_MIN_NS;
	/* Hard: interrupts of this CPU are off while the timer is set. */
	c->watchdog.nmi_work = IRQ_WORK_INIT_HARD(wsq_watchdog_nmi);
	INIT_CSD(&c->watchdog.ask, wsq_watchdog_asked, &c->watchdog);
	wsq_hrtimer_setup(&c->watchdog.timer, wsq_watchdog_fn, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * wsq_watchdog_exit() - after a CPU's last worker is gone
 * @c: the CPU
 *
 * Context: task; may sleep. No put runs or follows, and the interrupts that
 * puts have sent are done.
 */
void wsq_watchdog_exit(struct wsq_cpu *c)
{
	irq_work_sync(&c->watchdog.nmi_work);
	hrtimer_cancel(&c->watchdog.timer);
}
