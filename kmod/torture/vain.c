// SPDX-License-Identifier: GPL-2.0
/*
 * An item whose long function runs, and whose next run does not come: an
 * interrupt cancels the pending run while a thread flushes the item; or the
 * item is disabled, and other items and an interrupt go on queueing it in vain.
 * When the flush returns, the function must not run.
 */
#include <linux/delay.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "../compat/hrtimer.h"
#include "own.h"

/* Flushes of the item in one operation, of each sort. */
#define VAIN_ROUNDS		4

/* Times that the thread looks whether the function has begun. */
#define VAIN_LOOKS		2000

/* Other items, and their puts before they let others run. */
#define VAIN_PUTTERS		2
#define VAIN_PUTS		200

/* Interrupts of one operation, and how many ns apart they are. */
#define VAIN_INTERRUPTS		100
#define VAIN_NS			30000

/**
 * struct vain_putter - another item
 * @work: queues the item of @v, and itself, until @v->stop
 * @v: its operation
 */
struct vain_putter {
	struct wsq_work work;
	struct vain *v;
};

/**
 * struct vain - an item that is put in vain
 * @o: the item
 * @putter: other items
 * @timer: queues @o, and rarely cancels it
 * @canceller: cancels @o, once
 * @rnd: dice of @timer
 * @interrupts: how often @timer is still to come
 * @disables: @canceller disables @o as well
 * @disabled: it has disabled @o
 * @put: how often @o was queued
 * @cancelled: how often it was cancelled while pending
 * @refused: puts that returned false
 * @stop: the other items and @timer shall end
 */
struct vain {
	struct torture_own *o;
	struct vain_putter putter[VAIN_PUTTERS];
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

static void vain_put(struct vain *v)
{
	if (wsq_queue_work(v->o->q, &v->o->dwork.work))
		atomic_inc(&v->put);
	else
		atomic_inc(&v->refused);
}

static void vain_putter_fn(struct wsq_work *work)
{
	struct vain *v = container_of(work, struct vain_putter, work)->v;
	unsigned int i;

	for (i = 0; i < VAIN_PUTS && !READ_ONCE(v->stop); i++)
		vain_put(v);
	if (!READ_ONCE(v->stop))
		wsq_queue_work(v->o->q, work);
}

static enum hrtimer_restart vain_timer(struct hrtimer *timer)
{
	struct vain *v = container_of(timer, struct vain, timer);

	if (torture_one_in(&v->rnd, 8)) {
		if (wsq_cancel_work(&v->o->dwork.work))
			atomic_inc(&v->cancelled);
	} else {
		vain_put(v);
	}
	if (READ_ONCE(v->stop) || !v->interrupts--)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(1000 + torture_roll(&v->rnd,
								   VAIN_NS)));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart vain_cancel(struct hrtimer *timer)
{
	struct vain *v = container_of(timer, struct vain, canceller);
	struct wsq_work *work = &v->o->dwork.work;

	if (v->disables ? wsq_disable_work(work) : wsq_cancel_work(work))
		atomic_inc(&v->cancelled);
	v->disabled = v->disables;
	return HRTIMER_NORESTART;
}

/* Queue the item and wait until it runs. Returns false if it does not. */
static bool vain_begin(struct vain *v)
{
	unsigned int look;

	vain_put(v);
	for (look = 0; look < VAIN_LOOKS; look++) {
		if (atomic_read(&v->o->in_func))
			return true;
		cpu_relax();
	}
	return false;
}

/* Flush the item, which no other context queues, while it is cancelled. */
static void vain_cancel_round(struct vain *v, struct rnd_state *rnd)
{
	struct wsq_work *work = &v->o->dwork.work;
	int cancelled = atomic_read(&v->cancelled);
	bool ran = vain_begin(v);

	v->disables = torture_one_in(rnd, 2);
	v->disabled = false;
	vain_put(v);
	hrtimer_start(&v->canceller, ns_to_ktime(torture_roll(rnd, VAIN_NS)),
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
static void vain_round(struct vain *v, struct rnd_state *rnd)
{
	struct wsq_work *work = &v->o->dwork.work;
	int refused = atomic_read(&v->refused);
	bool ran = vain_begin(v);

	if (wsq_disable_work(work))
		atomic_inc(&v->cancelled);
	if (torture_one_in(rnd, 2))
		udelay(torture_roll(rnd, 10));
	wsq_flush_work(work);
	if (atomic_read(&v->o->in_func))
		torture_err("own item runs after it was disabled and flushed");
	else if (ran && atomic_read(&v->refused) != refused)
		torture_inc(TC_OWN_VAIN);
	WRITE_ONCE(v->o->held, true);
	torture_pause(rnd);
	if (atomic_read(&v->o->in_func))
		torture_err("own item runs while disabled, and put in vain");
	WRITE_ONCE(v->o->held, false);
	if (!wsq_enable_work(work))
		torture_err("own item, put in vain, is not enabled");
}

/**
 * torture_own_vain() - flush an item whose run is cancelled or refused
 * @t: the thread
 */
void torture_own_vain(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct vain *v = kzalloc(sizeof(*v), GFP_KERNEL | __GFP_NOWARN);
	unsigned int i;

	if (!v) {
		torture_inc(TC_NO_MEMORY);
		return;
	}
	v->o = torture_own_new(torture_some_queue(rnd), TORTURE_OWN_LONG);
	if (!v->o)
		goto free;
	v->o->said = prandom_u32_state(rnd);
	v->interrupts = VAIN_INTERRUPTS;
	prandom_seed_state(&v->rnd, prandom_u32_state(rnd));
	wsq_hrtimer_setup(&v->canceller, vain_cancel, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < VAIN_ROUNDS; i++)
		vain_cancel_round(v, rnd);
	for (i = 0; i < VAIN_PUTTERS; i++) {
		v->putter[i].v = v;
		INIT_WSQ_WORK(&v->putter[i].work, vain_putter_fn);
		wsq_queue_work(v->o->q, &v->putter[i].work);
	}
	wsq_hrtimer_setup(&v->timer, vain_timer, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&v->timer, ns_to_ktime(VAIN_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < VAIN_ROUNDS; i++)
		vain_round(v, rnd);
	WRITE_ONCE(v->stop, true);
	hrtimer_cancel(&v->timer);
	for (i = 0; i < VAIN_PUTTERS; i++)
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
