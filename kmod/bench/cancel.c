// SPDX-License-Identifier: GPL-2.0
/*
 * Cancelling items that wait.
 *
 * Member 0 queues a burst. It, or member 1 on another CPU, cancels the burst,
 * and only that is timed. Both members keep all workers of their CPUs from
 * running: they have a real-time policy, and softirqs off if the service runs
 * in them. Work that a service has to do about the slots of cancelled items is
 * done when it is flushed after the burst. The second figure contains that
 * flush, the queueing and the wake-ups.
 *
 * Where other CPUs may take items, only services whose items cannot be stolen
 * are measured.
 *
 * Each wait for the other member ends after a second, because a real-time
 * thread that waits forever would block its CPU.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "cases.h"

enum bench_step {
	BENCH_IDLE,
	BENCH_HELD,		/* member 1 holds its CPU's workers */
	BENCH_QUEUED,
	BENCH_OVER,		/* nothing is pending any more */
};

struct bench_recall {
	const struct bench_case *c;
	struct bench_service *s;
	struct bench_item *items;
	unsigned int members;
	int step;
	int error;
	struct completion go;
	u64 spent;
	u64 whole;
	u64 cancelled;
};

/* All that the step stands for was done before. */
static void bench_step(struct bench_recall *rc, enum bench_step step)
{
	/* Pairs with bench_await(). */
	smp_store_release(&rc->step, step);
}

static bool bench_await(struct bench_recall *rc, enum bench_step step)
{
	u64 until = ktime_get_ns() + NSEC_PER_SEC;
	unsigned int i = 0;

	/* Pairs with bench_step(). */
	while (smp_load_acquire(&rc->step) != step) {
		cpu_relax();
		if (++i % 1024 == 0 && ktime_get_ns() > until) {
			WRITE_ONCE(rc->error, -ETIMEDOUT);
			return false;
		}
	}
	return true;
}

static void bench_cancel_item(struct bench_recall *rc)
{
	u64 from = ktime_get_ns();

	rc->cancelled += rc->s->cancel(rc->items, BENCH_CANCEL_BURST,
				       rc->c->sync);
	rc->spent += ktime_get_ns() - from;
}

static bool bench_recall_burst(struct bench_recall *rc)
{
	u64 from;
	bool ok;

	if (rc->members > 1) {
		bench_step(rc, BENCH_IDLE);
		complete(&rc->go);
		if (!bench_await(rc, BENCH_HELD))
			return false;
	}
	if (rc->s->softirq)
		local_bh_disable();
	from = ktime_get_ns();
	rc->s->queue(rc->items, BENCH_CANCEL_BURST, 0);
	if (!rc->c->far)
		bench_cancel_item(rc);
	bench_step(rc, BENCH_QUEUED);
	ok = rc->members == 1 || bench_await(rc, BENCH_OVER);
	if (rc->s->softirq)
		local_bh_enable();
	rc->s->flush(0);
	rc->whole += ktime_get_ns() - from;
	return ok;
}

static void bench_recall_job(unsigned int member, void *arg)
{
	struct bench_recall *rc = arg;
	unsigned int i;

	sched_set_fifo_low(current);
	for (i = 0; i < BENCH_CANCELS / BENCH_CANCEL_BURST; i++) {
		if (!member) {
			if (!bench_recall_burst(rc))
				break;
			continue;
		}
		/* Sleeps while the services are flushed. */
		wait_for_completion(&rc->go);
		if (READ_ONCE(rc->error))
			break;
		bench_step(rc, BENCH_HELD);
		if (!bench_await(rc, BENCH_QUEUED))
			break;
		if (rc->c->far)
			bench_cancel_item(rc);
		bench_step(rc, BENCH_OVER);
	}
	/* If member 0 gives up, the other must not sleep on. */
	if (!member)
		complete_all(&rc->go);
	sched_set_normal(current, 0);
}

static int bench_cancel_take(const struct bench_case *c,
			     struct bench_service *s, struct bench_item *items,
			     unsigned int nr, u64 *sample)
{
	struct bench_recall *rc = kzalloc(sizeof(*rc), GFP_KERNEL);
	int ret;

	if (!rc)
		return -ENOMEM;
	rc->c = c;
	rc->s = s;
	rc->items = items;
	rc->members = min(bench_nr_cpus, 2U);
	init_completion(&rc->go);
	s->prepare(items, BENCH_CANCEL_BURST, BENCH_EMPTY);
	ret = bench_team_run(rc->members, bench_recall_job, rc);
	if (!ret)
		ret = rc->error;
	if (!ret && !s->clean(items, BENCH_CANCEL_BURST))
		ret = -EIO;
	/* The sample is invalid if more than a few items have run. */
	if (!ret && rc->cancelled < BENCH_CANCELS - BENCH_CANCELS / 64)
		ret = -EBUSY;
	if (!ret) {
		sample[0] = div64_u64(rc->spent * 100, BENCH_CANCELS);
		sample[1] = div64_u64(rc->whole * 100, BENCH_CANCELS);
	}
	kfree(rc);
	return ret;
}

static bool bench_cancel_fits(const struct bench_case *c,
			      const struct bench_service *s)
{
	if (!s->cancel || (c->far && bench_nr_cpus < 2))
		return false;
	if (!c->sync && s->sync_only)
		return false;
	return s->stays || num_online_cpus() <= 2;
}

const struct bench_kind bench_cancel = {
	.parts = { { "", "ns" }, { ", all in all", "ns" } },
	.fits = bench_cancel_fits,
	.take = bench_cancel_take,
};
