// SPDX-License-Identifier: GPL-2.0
/*
 * An item whose long function runs, and whose next run does not come: an
 * interrupt cancels the pending run while a thread flushes the item; or the
 * item is disabled, and other items and an interrupt continue to queue it in
 * vain. When the flush returns, the function must not be running.
 */
#include <linux/delay.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "../compat/hrtimer.h"
#include "own.h"

/* Flushes of the item in one operation, of each kind. */
#define FUTILE_ROUNDS		4

/* How often the thread checks whether the function has begun. */
#define FUTILE_LOOKS		2000

/* Other items, and their puts before they return. */
#define FUTILE_PUTTERS		2
#define FUTILE_PUTS		200

/* Interrupts of one operation, and how many ns apart they are. */
#define FUTILE_INTERRUPTS	100
#define FUTILE_NS		30000

/**
 * struct futile_putter - another item
 * @work: queues the item of @v, and itself, until @v->stop
 * @v: its operation
 */
struct futile_putter {
	struct wsq_work work;
	struct futile *v;
};

/**
 * struct futile - an item that is put in vain
 * @o: the item
 * @putter: other items
 * @timer: queues @o, and rarely cancels it
 * @canceller: cancels @o, once
 * @rnd: random state of @timer
 * @interrupts: how often @timer is still to fire
 * @disables: @canceller disables @o, too
 * @disabled: it has disabled @o
 * @put: how often @o was queued
 * @cancelled: how often it was cancelled while pending
 * @refused: puts that returned false
 * @stop: the other items and @timer must end
 */
struct futile {
	struct torture_own *o;
	struct futile_putter putter[FUTILE_PUTTERS];
	struct hrtimer timer;
	struct hrtimer canceller;
	struct rnd_state rnd;
	unsigned int interrupts;
	bool disables;
	bool disabled;
	atomic_t put;
	atomic_t cancelled;
	atomic_t refused;
	bool stop;
};

static void futile_put(struct futile *v)
{
	if (wsq_queue_work(v->o->q, &v->o->dwork.work))
		atomic_inc(&v->put);
	else
		atomic_inc(&v->refused);
}

static void futile_putter_fn(struct wsq_work *work)
{
	struct futile *v = container_of(work, struct futile_putter, work)->v;
	unsigned int i;

	for (i = 0; i < FUTILE_PUTS && !READ_ONCE(v->stop); i++)
		futile_put(v);
	if (!READ_ONCE(v->stop))
		wsq_queue_work(v->o->q, work);
}

static enum hrtimer_restart futile_timer(struct hrtimer *timer)
{
	struct futile *v = container_of(timer, struct futile, timer);

	if (torture_one_in(&v->rnd, 8)) {
		if (wsq_cancel_work(&v->o->dwork.work))
			atomic_inc(&v->cancelled);
	} else {
		futile_put(v);
	}
	if (READ_ONCE(v->stop) || !v->interrupts--)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(1000 + torture_roll(&v->rnd,
								   FUTILE_NS)));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart futile_cancel(struct hrtimer *timer)
{
	struct futile *v = container_of(timer, struct futile, canceller);
	struct wsq_work *work = &v->o->dwork.work;

	if (v->disables ? wsq_disable_work(work) : wsq_cancel_work(work))
		atomic_inc(&v->cancelled);
	v->disabled = v->disables;
	return HRTIMER_NORESTART;
}

/* Queue the item and wait until it runs. Returns false if it does not. */
static bool futile_begin(struct futile *v)
{
	unsigned int look;

	futile_put(v);
	for (look = 0; look < FUTILE_LOOKS; look++) {
		if (atomic_read(&v->o->in_func))
			return true;
		cpu_relax();
	}
	return false;
}

/* Flush the item, which no other context queues, while it is cancelled. */
static void futile_cancel_round(struct futile *v, struct rnd_state *rnd)
{
	struct wsq_work *work = &v->o->dwork.work;
	int cancelled = atomic_read(&v->cancelled);
	bool ran = futile_begin(v);

	v->disables = torture_one_in(rnd, 2);
	v->disabled = false;
	futile_put(v);
	hrtimer_start(&v->canceller, ns_to_ktime(torture_roll(rnd, FUTILE_NS)),
		      HRTIMER_MODE_REL_PINNED_HARD);
	wsq_flush_work(work);
	if (atomic_read(&v->o->in_func))
		torture_err("own item, cancelled while it ran, runs after it was flushed");
	hrtimer_cancel(&v->canceller);
	if (v->disabled && !wsq_enable_work(work))
		torture_err("own item, disabled by an interrupt, is not enabled");
	if (ran && atomic_read(&v->cancelled) != cancelled)
		torture_inc(TC_OWN_UNDONE);
}

/* Disable the item, and flush it while other contexts queue it. */
static void futile_round(struct futile *v, struct rnd_state *rnd)
{
	struct wsq_work *work = &v->o->dwork.work;
	int refused = atomic_read(&v->refused);
	bool ran = futile_begin(v);

	if (wsq_disable_work(work))
		atomic_inc(&v->cancelled);
	if (torture_one_in(rnd, 2))
		udelay(torture_roll(rnd, 10));
	wsq_flush_work(work);
	if (atomic_read(&v->o->in_func))
		torture_err("own item runs after it was disabled and flushed");
	else if (ran && atomic_read(&v->refused) != refused)
		torture_inc(TC_OWN_FUTILE);
	WRITE_ONCE(v->o->held, true);
	torture_pause(rnd);
	if (atomic_read(&v->o->in_func))
		torture_err("own item runs while disabled, and put and refused");
	WRITE_ONCE(v->o->held, false);
	if (!wsq_enable_work(work))
		torture_err("own item, refused, is not enabled");
}

/**
 * torture_own_futile() - flush an item whose run is cancelled or refused
 * @t: the thread
 */
void torture_own_futile(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct futile *v = kzalloc(sizeof(*v), GFP_KERNEL | __GFP_NOWARN);
	unsigned int i;

	if (!v) {
		torture_inc(TC_NO_MEMORY);
		return;
	}
	v->o = torture_own_new(torture_some_queue(rnd), TORTURE_OWN_LONG);
	if (!v->o)
		goto free;
	v->o->said = prandom_u32_state(rnd);
	v->interrupts = FUTILE_INTERRUPTS;
	prandom_seed_state(&v->rnd, prandom_u32_state(rnd));
	wsq_hrtimer_setup(&v->canceller, futile_cancel, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < FUTILE_ROUNDS; i++)
		futile_cancel_round(v, rnd);
	for (i = 0; i < FUTILE_PUTTERS; i++) {
		v->putter[i].v = v;
		INIT_WSQ_WORK(&v->putter[i].work, futile_putter_fn);
		wsq_queue_work(v->o->q, &v->putter[i].work);
	}
	wsq_hrtimer_setup(&v->timer, futile_timer, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&v->timer, ns_to_ktime(FUTILE_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < FUTILE_ROUNDS; i++)
		futile_round(v, rnd);
	WRITE_ONCE(v->stop, true);
	hrtimer_cancel(&v->timer);
	for (i = 0; i < FUTILE_PUTTERS; i++)
		wsq_cancel_work_sync(&v->putter[i].work);
	/* No other context touches the item any more. */
	if (wsq_cancel_work_sync(&v->o->dwork.work))
		atomic_inc(&v->cancelled);
	torture_own_ran(v->o, atomic_read(&v->put) - atomic_read(&v->cancelled),
			"puts in vain");
	torture_own_dispose(v->o, torture_one_in(rnd, 2));
free:
	kfree(v);
}
