// SPDX-License-Identifier: GPL-2.0
/*
 * How long an item waits behind another one that sleeps, on one CPU.
 *
 * Behind a sleeping item: member 0 queues an item that sleeps, waits until it
 * does, and queues a second one. The sample is the time from just before the
 * second put until the second function runs.
 *
 * Behind an item that falls asleep: member 0 queues both at once. The sample is
 * the time from just before the first goes to sleep until the second function
 * runs; 0 if another CPU ran the second one earlier.
 *
 * Services that run one item at a time are left out, and so are those whose
 * items must not sleep. Where the newest item runs first, neither of two is
 * behind the other.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "cases.h"

struct bench_behind_take {
	const struct bench_case *c;
	struct bench_service *s;
	struct bench_item *items;
	u64 lat[BENCH_BEHIND];
};

static u64 bench_behind_one(struct bench_behind_take *t, unsigned int member,
			    struct completion *wake)
{
	struct bench_item *first = t->items, *second = t->items + 1;
	u64 from;

	reinit_completion(wake);
	first->done = wake;
	WRITE_ONCE(first->stamp, 0);
	WRITE_ONCE(second->stamp, 0);
	if (t->c->sync) {
		preempt_disable();
		t->s->queue(first, 2, member);
		preempt_enable();
	} else {
		t->s->queue(first, 1, member);
		/* The item stores its stamp just before it sleeps. */
		while (!READ_ONCE(first->stamp))
			usleep_range(50, 100);
		usleep_range(50, 100);
		from = ktime_get_ns();
		t->s->queue(second, 1, member);
	}
	t->s->flush_one(second);
	/* Another CPU may have run the second before the first began. */
	while (!READ_ONCE(first->stamp))
		usleep_range(50, 100);
	if (t->c->sync)
		from = first->stamp;
	complete(wake);
	t->s->flush_one(first);
	return second->stamp > from ? second->stamp - from : 0;
}

static void bench_behind_job(unsigned int member, void *arg)
{
	struct bench_behind_take *t = arg;
	struct completion wake;
	unsigned int i;

	init_completion(&wake);
	for (i = 0; i < BENCH_BEHIND; i++) {
		usleep_range(50, 100);
		t->lat[i] = bench_behind_one(t, member, &wake);
	}
}

static int bench_behind_sample(const struct bench_case *c,
			       struct bench_service *s,
			       struct bench_item *items, unsigned int nr,
			       u64 *sample)
{
	struct bench_behind_take *t = kzalloc(sizeof(*t), GFP_KERNEL);
	int ret;

	if (!t)
		return -ENOMEM;
	t->c = c;
	t->s = s;
	t->items = items;
	s->prepare(items, 1, BENCH_SLEEP);
	s->prepare(items + 1, 1, BENCH_STAMP);
	ret = bench_team_run(1, bench_behind_job, t);
	if (!ret) {
		bench_sort(t->lat, BENCH_BEHIND);
		sample[0] = t->lat[BENCH_BEHIND / 2] * 100;
		sample[1] = t->lat[BENCH_BEHIND * 90 / 100] * 100;
		sample[2] = t->lat[BENCH_BEHIND * 99 / 100] * 100;
		if (!s->clean(items, 2))
			ret = -EIO;
	}
	kfree(t);
	return ret;
}

static bool bench_behind_fits(const struct bench_case *c,
			      const struct bench_service *s)
{
	if (c->sync && s == &bench_wsq_bwos_lifo)
		return false;
	return !s->raw && !s->softirq && !s->serial && s->flush_one;
}

const struct bench_kind bench_behind = {
	.parts = { { ", p50", "ns" }, { ", p90", "ns" }, { ", p99", "ns" } },
	.fits = bench_behind_fits,
	.take = bench_behind_sample,
};
