// SPDX-License-Identifier: GPL-2.0
/*
 * Puts and cancels that interrupt puts: a thread does little but put for a
 * while. A timer interrupts it on its CPU after a random time, and puts and
 * cancels on the same queue.
 */
#include <linux/printk.h>
#include <linux/slab.h>

#include "../compat/hrtimer.h"
#include "own.h"

/* Items of the thread, and of the timer. */
#define NESTED_OUTER		32
#define NESTED_INNER		4

/* The timer fires within so many ns, about as long as the puts take. */
#define NESTED_NS		60000

/**
 * struct nested - a thread and its timer
 * @timer: the timer
 * @rnd: its random state
 * @own: items, those of the timer first
 * @put: how often each was newly queued, minus how often it was cancelled
 * @over: the timer has fired
 */
struct nested {
	struct hrtimer timer;
	struct rnd_state rnd;
	struct torture_own *own[NESTED_INNER + NESTED_OUTER];
	atomic_t put[NESTED_INNER + NESTED_OUTER];
	bool over;
};

static void nested_put(struct nested *n, unsigned int i)
{
	if (wsq_queue_work(n->own[i]->q, &n->own[i]->dwork.work))
		atomic_inc(&n->put[i]);
}

static void nested_cancel_item(struct nested *n, unsigned int i)
{
	if (wsq_cancel_work(&n->own[i]->dwork.work))
		atomic_dec(&n->put[i]);
}

static enum hrtimer_restart nested_timer(struct hrtimer *timer)
{
	struct nested *n = container_of(timer, struct nested, timer);
	unsigned int i;

	for (i = 0; i < NESTED_INNER; i++)
		nested_put(n, i);
	/* One of the thread's items, which it may be about to put. */
	i = NESTED_INNER + torture_roll(&n->rnd, NESTED_OUTER);
	if (torture_one_in(&n->rnd, 2))
		nested_cancel_item(n, i);
	else
		nested_put(n, i);
	WRITE_ONCE(n->over, true);
	return HRTIMER_NORESTART;
}

/* Put one by one, or as a batch. */
static void nested_puts(struct nested *n, struct rnd_state *rnd)
{
	struct wsq_work *works[NESTED_OUTER];
	unsigned int i;

	if (torture_one_in(rnd, 2)) {
		for (i = NESTED_INNER; i < ARRAY_SIZE(n->own); i++) {
			nested_put(n, i);
			if (torture_one_in(rnd, 8))
				nested_cancel_item(n, i);
		}
		return;
	}
	/* The timer may put one of these: count them all for the first. */
	for (i = 0; i < NESTED_OUTER; i++)
		works[i] = &n->own[NESTED_INNER + i]->dwork.work;
	atomic_add(wsq_queue_work_many(n->own[0]->q, works, NESTED_OUTER),
		   &n->put[NESTED_INNER]);
}

static void nested_check(struct nested *n)
{
	int put = 0, ran = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(n->own); i++) {
		struct torture_own *o = n->own[i];

		wsq_flush_work(&o->dwork.work);
		torture_own_ran(o, atomic_read(&o->runs), "nested puts");
		put += atomic_read(&n->put[i]);
		ran += atomic_read(&o->runs);
		if (i < NESTED_INNER && ran != put)
			torture_err("own item, put by an interrupt %d times, ran %d times",
				    put, ran);
	}
	if (ran != put)
		torture_err("own items, put %d times amid interrupts, ran %d times",
			    put, ran);
	else
		torture_inc(TC_OWN_NESTED);
}

/* Puts, and a timer that interrupts them. */
void torture_own_nested(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct wsq *q = torture_some_queue(rnd);
	struct nested *n = kzalloc(sizeof(*n), GFP_KERNEL | __GFP_NOWARN);
	unsigned int i, rounds;

	if (!n) {
		torture_inc(TC_NO_MEMORY);
		return;
	}
	prandom_seed_state(&n->rnd, prandom_u32_state(rnd));
	for (i = 0; i < ARRAY_SIZE(n->own); i++) {
		n->own[i] = torture_own_new(q, 0);
		if (!n->own[i])
			goto free;
	}
	wsq_hrtimer_setup(&n->timer, nested_timer, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&n->timer, ns_to_ktime(torture_roll(rnd, NESTED_NS)),
		      HRTIMER_MODE_REL_PINNED_HARD);
	for (rounds = 0; rounds < 100 && !READ_ONCE(n->over); rounds++)
		nested_puts(n, rnd);
	/* Wait for the timer, so that its puts are flushed. */
	while (!READ_ONCE(n->over))
		schedule_timeout_idle(1);
	hrtimer_cancel(&n->timer);
	nested_check(n);
free:
	while (i--)
		torture_own_dispose(n->own[i], torture_one_in(rnd, 2));
	kfree(n);
}
