// SPDX-License-Identifier: GPL-2.0
/*
 * The watch: no item waits behind a long one while a CPU of the queue idles.
 *
 * A worker takes items one after the other. What is behind an item that runs
 * long is out of sight: the put that brought it left it to the worker, which
 * would have had it in no time. While a worker is awake, a timer looks now and
 * then whether it got on. If not, and something waits,
 *
 *	- a worker that sleeps in its item is replaced by a stand-in (office.c),
 *	  because its CPU may well have time;
 *	- otherwise (it computes, or something of higher priority keeps it off its
 *	  CPU) an idle worker of another CPU is woken, and may also take what is
 *	  in the block that this CPU's consumer works in (wsq_engine_pry());
 *	- if there is none, a CPU idles all the same whose worker sleeps in an item
 *	  with nothing behind it: it gets a stand-in, too, who will come and steal;
 *	- a queue with a rescuer gets it, if there is no stand-in to be had.
 *
 * The timer may run on any CPU: it only reads, and slots can be claimed from
 * anywhere. It is set when a worker wakes, looks every half millisecond, less
 * often while nothing changes or the worker comes and goes, and is gone when
 * the worker has been parked since it last looked.
 *
 * What it costs: one timer interrupt in a half to four milliseconds for each
 * CPU whose worker is awake.
 */
#include "../compat/hrtimer.h"
#include "item.h"

#define WSQ_WATCH_MIN_NS	(500 * NSEC_PER_USEC)
#define WSQ_WATCH_MAX_NS	(4 * NSEC_PER_MSEC)

/* For so long a CPU is sought. Who waits behind a worker says so again each time. */
#define WSQ_WATCH_SEEK		(HZ / 5)

/*
 * Who wants to know, now and then, that a worker is awake: called in hardirq. Set
 * before the first worker comes, and until the last has gone.
 */
void (*wsq_watch_hook)(void);

/*
 * When something last waited that no idle worker was found for, in jiffies. Anybody;
 * a hint, without order: who does not see it finds it when his watch looks next.
 */
static unsigned long wsq_watch_sought;

/**
 * wsq_watch_seek() - something waits, and no worker is idle
 *
 * CPUs whose worker sleeps in an item have a stand-in come, with nothing to do
 * but to steal, as soon as their watch has seen it.
 *
 * Context: any.
 */
void wsq_watch_seek(void)
{
	WRITE_ONCE(wsq_watch_sought, jiffies);
}

/* Does a queue have something waiting here? Preemption is off. */
static bool wsq_watch_queue(struct wsq_cpu *c, struct wsq_worker *w, bool asleep,
			    bool *replaced, u32 id)
{
	struct wsq *q = xa_load(&wsq_queues, id);
	struct wsq_container *ct = q ? wsq_pool_any(&q->pool, c->cpu) : NULL;

	if (!ct || !wsq_linked_waiting(ct))
		return false;
	if (asleep && !*replaced)
		*replaced = wsq_office_hand_over(c, w, c->watch.seen);
	if (!*replaced) {
		/* Who sleeps has a stand-in soon. */
		if (!wsq_wake_idle(q, c->cpu) && !asleep &&
		    cpumask_any_but(q->pool.cpus, c->cpu) < nr_cpu_ids)
			wsq_watch_seek();
		if (asleep)
			wsq_rescue(q, c->cpu);
	}
	return true;
}

/* The worker has not got on since we last looked. Does it keep others? */
static bool wsq_watch_stalled(struct wsq_cpu *c, struct wsq_worker *w)
{
	bool asleep = READ_ONCE(w->cur) &&
		      READ_ONCE(w->task->__state) != TASK_RUNNING;
	bool replaced = false, waits = false;
	u32 id, next;

	WRITE_ONCE(c->watch.stuck, c->watch.seen + 1);
	for (id = wsq_ready_next(c, 0); id < WSQ_MAX_QUEUES; id = next) {
		waits |= wsq_watch_queue(c, w, asleep, &replaced, id);
		next = wsq_ready_next(c, id + 1);
		if (next <= id)
			break;
	}
	if (!waits && asleep &&
	    jiffies - READ_ONCE(wsq_watch_sought) < WSQ_WATCH_SEEK)
		wsq_office_hand_over(c, w, c->watch.seen);
	return waits;
}

/* Has the worker begun anything since we last looked? */
static bool wsq_watch_progress(struct wsq_watch *watch,
			       const struct wsq_worker *w)
{
	u64 seen = watch->seen;
	const struct wsq_worker *last = watch->worker;

	watch->worker = w;
	watch->seen = READ_ONCE(w->nr_run);
	return last != w || seen != watch->seen;
}

/* Nothing has happened and the worker is parked: stop. False if not quite. */
static bool wsq_watch_stop(struct wsq_cpu *c)
{
	atomic_set(&c->watch.on, 0);			/* WA(stop:A) */
	/* Off, then look: a worker wakes, then looks whether it is on. */
	smp_mb();					/* WA(stop:B) */
	return !READ_ONCE(c->worker) || wsq_parked(&c->park) ||
	       atomic_xchg(&c->watch.on, 1);		/* WA(stop:C) */
}

static enum hrtimer_restart wsq_watch_fn(struct hrtimer *timer)
{
	struct wsq_watch *watch = container_of(timer, struct wsq_watch, timer);
	struct wsq_cpu *c = container_of(watch, struct wsq_cpu, watch);
	struct wsq_worker *w = READ_ONCE(c->worker);
	bool parked = wsq_parked(&c->park);
	bool progress = w && wsq_watch_progress(watch, w);

	WRITE_ONCE(watch->expiries, watch->expiries + 1);
	if (!w || (parked && !progress)) {
		if (wsq_watch_stop(c))
			return HRTIMER_NORESTART;
	} else if (parked) {
		/* It comes and goes: setting the timer each time costs more. */
		watch->period = WSQ_WATCH_MAX_NS;
	} else if (progress || wsq_watch_stalled(c, w)) {
		watch->period = WSQ_WATCH_MIN_NS;
	} else {
		/* Nobody waits: look less often. */
		watch->period = min_t(u64, watch->period * 2, WSQ_WATCH_MAX_NS);
	}
	if (w && wsq_watch_hook)
		wsq_watch_hook();
	hrtimer_forward_now(timer, ns_to_ktime(watch->period));
	return HRTIMER_RESTART;
}

/**
 * wsq_watch_start() - a worker is awake, or about to be
 * @c: its CPU
 *
 * Context: any but NMI; a full barrier since the worker was seen parked.
 */
void wsq_watch_start(struct wsq_cpu *c)
{
	struct wsq_watch *watch = &c->watch;

	/* WA(start:A) */
	if (likely(atomic_read(&watch->on)) || atomic_xchg(&watch->on, 1))
		return;
	hrtimer_start(&watch->timer, ns_to_ktime(WSQ_WATCH_MIN_NS),
		      HRTIMER_MODE_REL_HARD);
}

/**
 * wsq_watch_stuck() - may others take from the consumer's own block
 * @c: the CPU
 *
 * Context: any, with preemption off.
 * Return: true if its worker has not got on since it was found to keep others,
 * or if it has none because it is going offline.
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
	wsq_hrtimer_setup(&c->watch.timer, wsq_watch_fn, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_HARD);
}

/**
 * wsq_watch_exit() - after a CPU's last worker is gone
 * @c: the CPU
 *
 * Context: task; may sleep.
 */
void wsq_watch_exit(struct wsq_cpu *c)
{
	hrtimer_cancel(&c->watch.timer);
}
