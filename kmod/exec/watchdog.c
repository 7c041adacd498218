// SPDX-License-Identifier: GPL-2.0
/*
 * The watchdog: no item waits behind one that computes while a CPU of the queue
 * idles.
 *
 * A worker runs items one after the other. A put that finds the worker awake
 * leaves the item to it, and that is right if the worker comes to it soon. In
 * case it does not, such a put arms a timer of that CPU, unless it is armed.
 * The timer looks whether the worker has begun an item since it last looked. If
 * it has not, and something waits,
 *
 *	- a worker that sleeps in its item is replaced (standby.c). Kernels with
 *	  preempt notifiers have done so already, unless no standby worker could
 *	  be made; then queues that have a rescuer get it;
 *	- otherwise the worker computes, or something of higher priority keeps it
 *	  off its CPU. An idle worker of another CPU is woken, which may also
 *	  take what is in the block that this CPU's consumer works in
 *	  (wsq_engine_pry());
 *	- after WSQ_DETACH_NS the worker is replaced even so, if another queue
 *	  waits.
 *
 * For what waits because its queue is at its limit on this CPU, an expiry wakes
 * an idle worker of another CPU, too, unless all of it is bound.
 *
 * The timer is pinned to the CPU that it watches, so that no other CPU can hold
 * it up. An expiry looks at WSQ_WATCH_LOOKS queues at most. While items come and
 * go, the timer stays set, because setting it each time costs more. It is not set
 * when nothing waits and nothing was begun since the last expiry.
 *
 * What it costs: one timer interrupt in a half to four milliseconds for each
 * CPU on which something waits, and one in two while items come and go. A put to
 * another CPU that sets the timer costs an interrupt there.
 *
 *	WA(start:A), WA(stop:C): one of those that find the timer off sets it.
 *		litmus/exec-watch-start.litmus
 *	WA(stop:B) against IN(push:C), RD(mark:A): store buffering
 *		A put that finds the timer on is seen by the last look, or sets
 *		it anew. litmus/exec-watch.litmus
 */
#include "../compat/hrtimer.h"
#include "item.h"

#define WSQ_WATCH_MIN_NS	(500 * NSEC_PER_USEC)
#define WSQ_WATCH_MAX_NS	(4 * NSEC_PER_MSEC)

/* The longest time between two looks while the worker begins items. */
#define WSQ_WATCH_BUSY_NS	(2 * NSEC_PER_MSEC)

/* An item that computes for so long is detached if another queue waits. */
#define WSQ_DETACH_NS		(10 * NSEC_PER_MSEC)

/* Ready queues that an expiry looks at. */
#define WSQ_WATCH_LOOKS		8

/*
 * To be called in hardirq when something has waited for a while. Set before the
 * first worker comes, and until the last has gone.
 */
void (*wsq_watch_hook)(void);

/*
 * The worker makes progress, but its items are slow, and one waits that an idle CPU
 * could begin at once. The put found no CPU idle, or did not know what items take.
 * At the second look in a row one more worker is woken even if another one seeks,
 * because that one may be kept off its CPU.
 */
static void wsq_watch_slow(struct wsq_cpu *c, u32 id)
{
	struct wsq *q = id < WSQ_MAX_QUEUES ? xa_load(&wsq_queues, id) : NULL;
	struct wsq_container *ct = q ? wsq_pool_any(&q->pool, c->cpu) : NULL;

	if (!ct || !wsq_items_slow(ct) || !wsq_linked_stealable(ct))
		return;
	if (c->watch.progress)
		wsq_wake_idle_anew(q, c);
	else
		wsq_wake_idle(q, c);
}

/* Has the worker begun anything since the last look? */
static bool wsq_watch_progress(struct wsq_watch *watch,
			       const struct wsq_worker *w)
{
	u64 seen = watch->seen;
	const struct wsq_worker *last = watch->worker;

	watch->worker = w;
	watch->seen = READ_ONCE(w->nr_run);
	if (last == w && seen == watch->seen)
		return false;
	watch->since = ktime_get_mono_fast_ns();
	return true;
}

/* Is there a queue that waits, but the one that the worker is at? */
static bool wsq_watch_others(struct wsq_cpu *c, const struct wsq_worker *w,
			     u32 id)
{
	const struct wsq *own = READ_ONCE(w->serving);
	u32 from = c->watch.from, other;

	if (!own || id != own->pool.id)
		return true;
	other = wsq_waits(c, &from, WSQ_WATCH_LOOKS);
	return other != id && other != WSQ_MAX_QUEUES;
}

/* The worker makes no progress, and @id waits. True if this may help. */
static bool wsq_watch_stalled(struct wsq_cpu *c, struct wsq_worker *w, u32 id)
{
	struct wsq_watch *watch = &c->watch;
	struct wsq *q = id < WSQ_MAX_QUEUES ? xa_load(&wsq_queues, id) : NULL;
	bool sleeps = READ_ONCE(w->cur) &&
		      READ_ONCE(w->task->__state) != TASK_RUNNING;
	s64 ns = ktime_get_mono_fast_ns() - watch->since;
	struct wsq_container *ct;

	WRITE_ONCE(watch->stuck, watch->seen + 1);
	if (sleeps || (READ_ONCE(w->cur) && ns >= (s64)WSQ_DETACH_NS &&
		       wsq_watch_others(c, w, id))) {
		if (wsq_hand_off(c, w, watch->seen, !sleeps))
			return true;
		if (sleeps && q)
			wsq_rescue(q, c->cpu);
	}
	ct = q ? wsq_pool_any(&q->pool, c->cpu) : NULL;
	/* What is bound to this CPU is worth no wake-up of another. */
	if (!ct || !wsq_linked_stealable(ct))
		return false;
	wsq_wake_idle_anew(q, c);
	return true;
}

/*
 * An idle CPU may take what waits for a queue's limit here. False if no queue has
 * such items, or no CPU is idle: one that becomes idle looks by itself.
 */
static bool wsq_watch_limited(struct wsq_cpu *c)
{
	unsigned int looks = WSQ_WATCH_LOOKS;
	u32 id = wsq_ready_next(c, c->watch.limited_from), first = id;

	while (id < WSQ_MAX_QUEUES) {
		struct wsq *q = xa_load(&wsq_queues, id);
		struct wsq_container *ct = q ? wsq_pool_any(&q->pool, c->cpu) :
					       NULL;

		c->watch.limited_from = id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0;
		if (ct && wsq_limited(c, q, ct) && wsq_linked_stealable(ct) &&
		    wsq_wake_idle_anew(q, c))
			return true;
		id = wsq_ready_next(c, c->watch.limited_from);
		if (id == first)
			break;
		if (!--looks)
			return wsq_idle_any();
	}
	return false;
}

/*
 * Nothing waits for the worker, and no idle CPU is to be woken: set no timer. False
 * if an item has come meanwhile.
 */
static bool wsq_watch_stop(struct wsq_cpu *c)
{
	u32 from = 0;

	atomic_set(&c->watched, 0);			/* WA(stop:A) */
	/* Off, then look: a put puts, then looks whether it is on. */
	smp_mb();					/* WA(stop:B) */
	if (!READ_ONCE(c->worker))
		return true;
	/*
	 * Also if the CPU is parked: a worker that has announced that looks once
	 * more, and may begin an item then, with others behind it.
	 */
	if (wsq_waits(c, &from, WSQ_WATCH_LOOKS) == WSQ_MAX_QUEUES &&
	    !wsq_watch_limited(c))
		return true;
	return atomic_xchg(&c->watched, 1);		/* WA(stop:C) */
}

static enum hrtimer_restart wsq_watch_fn(struct hrtimer *timer)
{
	struct wsq_watch *watch = container_of(timer, struct wsq_watch, timer);
	struct wsq_cpu *c = container_of(watch, struct wsq_cpu, watch);
	struct wsq_worker *w = READ_ONCE(c->worker);
	bool progress = w && wsq_watch_progress(watch, w);
	bool limited = w && wsq_watch_limited(c);
	u32 id;

	WRITE_ONCE(watch->expiries, watch->expiries + 1);
	if (w && wsq_watch_hook && wsq_ready_any(c))
		wsq_watch_hook();
	id = w && !wsq_parked(&c->park) ?
	     wsq_waits(c, &watch->from, WSQ_WATCH_LOOKS) : WSQ_MAX_QUEUES;
	if (progress && !limited) {
		wsq_watch_slow(c, id);
		watch->period = watch->progress ?
				min_t(u64, watch->period * 2, WSQ_WATCH_BUSY_NS) :
				WSQ_WATCH_MIN_NS;
	} else if (id == WSQ_MAX_QUEUES && !limited) {
		watch->period = WSQ_WATCH_MIN_NS;
		watch->progress = false;
		if (wsq_watch_stop(c))
			return HRTIMER_NORESTART;
	} else if (id != WSQ_MAX_QUEUES && wsq_watch_stalled(c, w, id)) {
		watch->period = WSQ_WATCH_MIN_NS;
	} else {
		/*
		 * For a limit one more CPU is woken each time. Otherwise there
		 * was nothing to be done about it: look less often.
		 */
		watch->period = min_t(u64, watch->period * 2, WSQ_WATCH_MAX_NS);
	}
	watch->progress = progress;
	hrtimer_forward_now(timer, ns_to_ktime(watch->period));
	return HRTIMER_RESTART;
}

static void wsq_watch_set(struct wsq_watch *watch)
{
	hrtimer_start(&watch->timer, ns_to_ktime(WSQ_WATCH_MIN_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Another CPU has asked for the timer of this one. */
static void wsq_watch_asked(void *info)
{
	wsq_watch_set(info);
}

/* As soon as the NMI is over. */
static void wsq_watch_nmi(struct irq_work *work)
{
	wsq_watch_start(container_of(work, struct wsq_cpu, watch.nmi_work));
}

/**
 * wsq_watch_start() - something waits behind a worker that is awake
 * @c: its CPU
 *
 * Context: any, NMI included, with preemption off; a full barrier since the item
 * was made visible, unless @c is this CPU.
 */
void wsq_watch_start(struct wsq_cpu *c)
{
	struct wsq_watch *watch = &c->watch;

	if (likely(atomic_read(&c->watched)))
		return;
	if (unlikely(in_nmi())) {
		irq_work_queue(&watch->nmi_work);
		return;
	}
	if (atomic_xchg(&c->watched, 1))			/* WA(start:A) */
		return;
	if (c->cpu == smp_processor_id())
		wsq_watch_set(watch);
	else if (smp_call_function_single_async(c->cpu, &watch->ask))
		/* Offline: its items are moved. Or the last one is under way. */
		atomic_set(&c->watched, 0);
}

/**
 * wsq_watch_stuck() - may others take from the consumer's own block
 * @c: the CPU
 *
 * Context: any, with preemption off.
 * Return: true if its worker has begun nothing since it was found to keep items
 * waiting, or if the CPU has no worker because it is going offline.
 */
bool wsq_watch_stuck(const struct wsq_cpu *c)
{
	u64 stuck = READ_ONCE(c->watch.stuck);
	const struct wsq_worker *w = READ_ONCE(c->worker);

	return !w || (stuck && READ_ONCE(w->nr_run) + 1 == stuck);
}

/**
 * wsq_watch_init() - before a CPU has a worker
 * @c: the CPU
 */
void wsq_watch_init(struct wsq_cpu *c)
{
	c->watch.period = WSQ_WATCH_MIN_NS;
	/* Hard: interrupts of this CPU are off while the timer is set. */
	c->watch.nmi_work = IRQ_WORK_INIT_HARD(wsq_watch_nmi);
	INIT_CSD(&c->watch.ask, wsq_watch_asked, &c->watch);
	wsq_hrtimer_setup(&c->watch.timer, wsq_watch_fn, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * wsq_watch_exit() - after a CPU's last worker is gone
 * @c: the CPU
 *
 * Context: task; may sleep. No put runs or follows, and interrupts that puts have
 * asked for are through.
 */
void wsq_watch_exit(struct wsq_cpu *c)
{
	irq_work_sync(&c->watch.nmi_work);
	hrtimer_cancel(&c->watch.timer);
}
