// SPDX-License-Identifier: GPL-2.0
/*
 * Puts and cancels that interrupt puts: a thread does little else for a while,
 * and a timer interrupts it on its CPU, after a time that is random, and puts
 * and cancels on the same queue.
 */
#include <linux/printk.h>
#include <linux/slab.h>

#include "../compat/hrtimer.h"
#include "own.h"

/* Items of the thread, and of the timer. */
#define NESTED_OUTER		32
#define NESTED_INNER		4

/* The timer comes within so many ns, which is about what the puts take. */
#define NESTED_NS		60000

/**
 * struct nested - a thread and its timer
 * @timer: the timer
 * @rnd: its dice
 * @own: items, those of the timer first
 * @put: how often each was newly queued, minus how often called back
 * @over: the timer has done its part
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

static void nested_call_back(struct nested *n, unsigned int i)
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
	/* One of the thread's, which it may be about to put. */
	i = NESTED_INNER + torture_roll(&n->rnd, NESTED_OUTER);
	if (torture_one_in(&n->rnd, 2))
		nested_call_back(n, i);
	else
		nested_put(n, i);
	WRITE_ONCE(n->over, true);
	return HRTIMER_NORESTART;
}

/* One by one, or as batches of those that are idle. */
static void nested_puts(struct nested *n, struct rnd_state *rnd)
{
	struct wsq_work *works[NESTED_OUTER];
	unsigned int i;

	if (torture_one_in(rnd, 2)) {
		for (i = NESTED_INNER; i < ARRAY_SIZE(n->own); i++) {
			nested_put(n, i);
			if (torture_one_in(rnd, 8))
				nested_call_back(n, i);
		}
		return;
	}
	/* The timer may put one of these: count them all on the first. */
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

/* Puts, and a timer amid them. */
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
	/* It must have come, so that what it put is waited for. */
	while (!READ_ONCE(n->over))
		schedule_timeout_idle(1);
	hrtimer_cancel(&n->timer);
	nested_check(n);
free:
	while (i--)
		torture_own_dispose(n->own[i], torture_one_in(rnd, 2));
	kfree(n);
}
