// SPDX-License-Identifier: GPL-2.0
/*
 * Items with a timer, and jobs.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "own.h"

/* Largest size of a job. */
#define JOB_MAX			4096

static struct torture_own *timed_new(struct rnd_state *rnd,
				     unsigned long delay)
{
	struct torture_own *o = torture_own_new(torture_some_queue(rnd),
						TORTURE_OWN_TIMED);

	if (!o)
		return NULL;
	o->said = prandom_u32_state(rnd);
	o->due = jiffies + delay;
	if (!wsq_queue_delayed_work(o->q, &o->dwork, delay))
		torture_err("own timed item was not queued");
	return o;
}

/* Wait until it has run, without a call for the item. */
static void timed_await(struct torture_own *o)
{
	unsigned long since = torture_clock();

	while (!atomic_read_acquire(&o->runs) && !torture_overdue(since, 1))
		schedule_timeout_idle(1);
	if (!atomic_read(&o->runs))
		torture_err("own timed item has not run after %u beats, busy %u",
			    torture_starved, wsq_work_busy(&o->dwork.work));
	if (wsq_cancel_delayed_work_sync(&o->dwork))
		torture_err("own timed item was pending after it ran");
}

/* Not before its time; how late, the witnesses tell. */
void torture_timed_wait(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_own *o = timed_new(rnd, torture_roll(rnd, HZ / 20 + 2));

	if (!o)
		return;
	timed_await(o);
	if (torture_own_ran(o, 1, "its time"))
		torture_inc(TC_OWN_TIMER);
	torture_own_dispose(o, torture_one_in(rnd, 2));
}

/* Modify a distant time to a near one: the near one counts. */
static void timed_sooner(struct rnd_state *rnd)
{
	unsigned long delay = torture_roll(rnd, 4);
	struct torture_own *o = timed_new(rnd, 3600 * HZ);

	if (!o)
		return;
	WRITE_ONCE(o->due, jiffies + delay);
	if (!wsq_mod_delayed_work(o->q, &o->dwork, delay))
		torture_err("own timed item was not pending an hour before");
	timed_await(o);
	if (torture_own_ran(o, 1, "its new time"))
		torture_inc(TC_OWN_TIMER_MODIFIED);
	torture_own_dispose(o, torture_one_in(rnd, 2));
}

/* Modify to a later time: it runs then if pending, else it runs twice. */
static void timed_later(struct rnd_state *rnd)
{
	struct torture_own *o = timed_new(rnd, torture_roll(rnd, 4));
	unsigned long due;
	bool pending;

	if (!o)
		return;
	if (torture_one_in(rnd, 2))
		torture_pause(rnd);
	due = jiffies + 5;
	pending = wsq_mod_delayed_work(o->q, &o->dwork, 5);
	if (pending) {
		timed_await(o);
		if (time_before(o->ran_at, due))
			torture_err("own timed item ran at its old time");
		torture_own_ran(o, 1, "its later time");
	} else {
		wsq_flush_delayed_work(&o->dwork);
		torture_own_ran(o, 2, "being queued anew");
	}
	torture_own_dispose(o, torture_one_in(rnd, 2));
}

/* Modify the time of a timer. */
void torture_timed_mod(struct torture_thread *t)
{
	if (torture_one_in(&t->actor.rnd, 2))
		timed_sooner(&t->actor.rnd);
	else
		timed_later(&t->actor.rnd);
}

/* Set a timer, and cancel it at once or about when it expires. */
void torture_timed_cancel(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	bool distant = torture_one_in(rnd, 2);
	struct torture_own *o = timed_new(rnd, distant ? 3600 * HZ : 1);
	unsigned int ran = 1;

	if (!o)
		return;
	if (!distant)
		torture_pause(rnd);
	if (distant && torture_one_in(rnd, 4)) {
		/* A flush makes it run at once. */
		o->due = jiffies;
		wsq_flush_delayed_work(&o->dwork);
	} else if (torture_one_in(rnd, 4)) {
		ran -= wsq_disable_delayed_work_sync(&o->dwork);
		if (wsq_queue_delayed_work(o->q, &o->dwork, 0))
			torture_err("own timed item could be queued while disabled");
		if (!wsq_enable_delayed_work(&o->dwork))
			torture_err("own timed item is not enabled");
	} else {
		ran -= wsq_cancel_delayed_work_sync(&o->dwork);
		if (distant && ran)
			torture_err("own timed item could not be cancelled an hour before");
	}
	if (torture_own_ran(o, ran, "cancelling the timer") && !ran)
		torture_inc(TC_OWN_TIMER_CANCELLED);
	torture_own_dispose(o, torture_one_in(rnd, 2));
}

/**
 * struct job_seen - what the chunks of a job have seen
 * @job: the job
 * @working: chunks that are running
 * @times: how often each index was seen
 */
struct job_seen {
	struct wsq_job job;
	atomic_t working;
	atomic_t times[];
};

static void job_fn(unsigned long start, unsigned long end, void *arg)
{
	struct job_seen *s = arg;
	unsigned long i;
	int working = atomic_inc_return(&s->working);

	if (s->job.max_cpus && working > s->job.max_cpus)
		torture_err("a job of at most %u CPUs has %d at work",
			    s->job.max_cpus, working);
	if (start >= end || start < s->job.start ||
	    end > s->job.start + s->job.size ||
	    (s->job.align && (start - s->job.start) % s->job.align))
		torture_err("a job from %lu, size %lu, align %lu has a piece %lu to %lu",
			    s->job.start, s->job.size, s->job.align, start,
			    end);
	else
		for (i = start - s->job.start; i < end - s->job.start; i++)
			if (atomic_inc_return(&s->times[i]) != 1)
				torture_err("a job's index comes again");
	torture_inc(TC_JOB_PIECES);
	atomic_dec(&s->working);
}

/* Run a range in chunks: each index once, all of them when the call returns. */
void torture_job(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	unsigned long i, size = torture_roll(rnd, JOB_MAX);
	struct job_seen *s = kvzalloc(struct_size(s, times, size), GFP_KERNEL);

	if (!s) {
		torture_inc(TC_NO_MEMORY);
		return;
	}
	s->job.func = job_fn;
	s->job.arg = s;
	s->job.start = prandom_u32_state(rnd);
	s->job.size = size;
	s->job.align = torture_roll(rnd, 9);
	s->job.grain = torture_roll(rnd, 200);
	s->job.max_cpus = torture_roll(rnd, 4);
	wsq_run_job(torture_some_queue(rnd), &s->job);
	if (atomic_read(&s->working))
		torture_err("a job that is over has a piece at work");
	for (i = 0; i < size; i++)
		if (atomic_read(&s->times[i]) != 1)
			break;
	if (i < size)
		torture_err("a job of %lu: index %lu came %d times", size, i,
			    atomic_read(&s->times[i]));
	else
		torture_inc(TC_JOB);
	kvfree(s);
}
