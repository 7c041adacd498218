// SPDX-License-Identifier: GPL-2.0
/*
 * How to take one sample of each kind that measures many items at a time, and
 * of the latency of one.
 *
 * execute: members queue bursts and wait until they have run, repeatedly; time
 * from the first start to the last end, per item. Contains one wake-up and one
 * wait per burst.
 * queueing: the queueing loop alone, with preemption off, so that no worker of
 * this CPU runs. The queued items run between two bursts, untimed. The cost of
 * a worker of another CPU that comes to fetch items is included.
 * hand over: member 0 produces, member 1 consumes.
 * latency: from before one item is queued until its function runs. The worker
 * is idle before.
 *
 * With batches, a service that takes several items at a time gets them so, and
 * the time to fill the array is included. The others get them one by one.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "cases.h"

struct bench_take {
	const struct bench_case *c;
	struct bench_service *s;
	struct bench_item *items;
	unsigned int nr;
	u64 from[BENCH_MAX_CPUS];
	u64 to[BENCH_MAX_CPUS];
	u64 spent;
	u64 lat[BENCH_LATENCIES];
};

/**
 * bench_members() - how many CPUs take part
 * @c: the case
 *
 * Return: a number from 1; may exceed the number of submitting CPUs.
 */
unsigned int bench_members(const struct bench_case *c)
{
	return c->members ?: bench_nr_cpus;
}

static void bench_put(const struct bench_take *t, struct bench_item *items,
		      unsigned int burst, unsigned int member)
{
	unsigned int i, batch = t->c->batch;

	if (!batch || !t->s->queue_many) {
		t->s->queue(items, burst, member);
		return;
	}
	for (i = 0; i < burst; i += batch)
		t->s->queue_many(items + i, min(batch, burst - i), member);
}

static void bench_execute_job(unsigned int member, void *arg)
{
	struct bench_take *t = arg;
	struct bench_item *items = t->items + member * t->nr;
	unsigned int burst = t->c->burst ?: t->nr;
	unsigned int r;

	t->from[member] = ktime_get_ns();
	for (r = 0; r < t->nr / burst; r++) {
		bench_put(t, items, burst, member);
		t->s->flush(member);
	}
	t->to[member] = ktime_get_ns();
}

static void bench_queueing_job(unsigned int member, void *arg)
{
	struct bench_take *t = arg;
	unsigned int burst = t->c->burst ?: t->nr;
	unsigned int r;
	u64 from;

	for (r = 0; r < t->nr / burst; r++) {
		preempt_disable();
		from = ktime_get_ns();
		bench_put(t, t->items, burst, member);
		t->spent += ktime_get_ns() - from;
		preempt_enable();
		t->s->flush(member);
	}
}

static void bench_hand_over_job(unsigned int member, void *arg)
{
	struct bench_take *t = arg;

	t->from[member] = ktime_get_ns();
	if (member)
		t->s->consume(t->nr);
	else
		t->s->produce(t->items, t->nr);
	t->to[member] = ktime_get_ns();
}

static void bench_latency_job(unsigned int member, void *arg)
{
	struct bench_take *t = arg;
	struct bench_item *it = t->items;
	unsigned int i;
	u64 from;

	for (i = 0; i < BENCH_LATENCIES; i++) {
		/* Let the worker go to sleep. */
		usleep_range(50, 100);
		it->stamp = 0;
		from = ktime_get_ns();
		t->s->queue(it, 1, member);
		t->s->flush(member);
		t->lat[i] = it->stamp - from;
	}
}

static int bench_cmp(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/**
 * bench_sort() - sort, for percentiles
 * @values: the values
 * @nr: how many
 */
void bench_sort(u64 *values, unsigned int nr)
{
	sort(values, nr, sizeof(*values), bench_cmp, NULL);
}

/* Whole bursts only. */
static u64 bench_whole(const struct bench_take *t)
{
	return t->c->burst ? t->nr / t->c->burst * t->c->burst : t->nr;
}

/* From the first start to the last end, for each of @run items. */
static u64 bench_span(const struct bench_take *t, unsigned int members, u64 run)
{
	u64 from = t->from[0], to = t->to[0];
	unsigned int i;

	for (i = 1; i < members; i++) {
		from = min(from, t->from[i]);
		to = max(to, t->to[i]);
	}
	return div64_u64((to - from) * 100, run);
}

static struct bench_take *bench_take_new(const struct bench_case *c,
					 struct bench_service *s,
					 struct bench_item *items,
					 unsigned int nr)
{
	struct bench_take *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (t) {
		t->c = c;
		t->s = s;
		t->items = items;
		t->nr = nr;
	}
	return t;
}

static int bench_execute_take(const struct bench_case *c,
			      struct bench_service *s,
			      struct bench_item *items, unsigned int nr,
			      u64 *sample)
{
	struct bench_take *t = bench_take_new(c, s, items, nr);
	unsigned int members = bench_members(c);
	u64 run;
	int ret;

	if (!t)
		return -ENOMEM;
	s->prepare(items, nr * members, BENCH_EMPTY);
	run = bench_whole(t) * members;
	ret = bench_team_run(members, bench_execute_job, t);
	if (!ret) {
		sample[0] = bench_span(t, members, run);
		if (!s->clean(items, run))
			ret = -EIO;
	}
	kfree(t);
	return ret;
}

static int bench_queueing_take(const struct bench_case *c,
			       struct bench_service *s,
			       struct bench_item *items, unsigned int nr,
			       u64 *sample)
{
	struct bench_take *t = bench_take_new(c, s, items, nr);
	int ret;

	if (!t)
		return -ENOMEM;
	s->prepare(items, nr, BENCH_EMPTY);
	ret = bench_team_run(1, bench_queueing_job, t);
	if (!ret) {
		sample[0] = div64_u64(t->spent * 100, bench_whole(t));
		if (!s->clean(items, bench_whole(t)))
			ret = -EIO;
	}
	kfree(t);
	return ret;
}

static int bench_hand_over_take(const struct bench_case *c,
				struct bench_service *s,
				struct bench_item *items, unsigned int nr,
				u64 *sample)
{
	struct bench_take *t = bench_take_new(c, s, items, nr);
	int ret;

	if (!t)
		return -ENOMEM;
	s->prepare(items, nr, BENCH_EMPTY);
	ret = bench_team_run(2, bench_hand_over_job, t);
	if (!ret) {
		sample[0] = bench_span(t, 2, nr);
		if (!s->clean(items, nr))
			ret = -EIO;
		sample[1] = s->again ? div_u64(s->again() * 10000ULL, nr) :
				       BENCH_NO_SAMPLE;
	}
	kfree(t);
	return ret;
}

static int bench_latency_take(const struct bench_case *c,
			      struct bench_service *s,
			      struct bench_item *items, unsigned int nr,
			      u64 *sample)
{
	struct bench_take *t = bench_take_new(c, s, items, nr);
	int ret;

	if (!t)
		return -ENOMEM;
	s->prepare(items, 1, BENCH_STAMP);
	ret = bench_team_run(1, bench_latency_job, t);
	if (!ret) {
		bench_sort(t->lat, BENCH_LATENCIES);
		sample[0] = t->lat[BENCH_LATENCIES / 2] * 100;
		sample[1] = t->lat[BENCH_LATENCIES * 90 / 100] * 100;
		sample[2] = t->lat[BENCH_LATENCIES * 99 / 100] * 100;
		if (!s->clean(items, 1))
			ret = -EIO;
	}
	kfree(t);
	return ret;
}

static bool bench_execute_fits(const struct bench_case *c,
			       const struct bench_service *s)
{
	/* Pools of pointers have services of their own for batches. */
	return !(c->batch && s->raw) && !(s->restricted && c->members != 1);
}

static bool bench_items_fit(const struct bench_case *c,
			    const struct bench_service *s)
{
	return !s->raw;
}

static bool bench_hand_over_fits(const struct bench_case *c,
				 const struct bench_service *s)
{
	return s->produce;
}

const struct bench_kind bench_execute = {
	.parts = { { "", "ns" } },
	.fits = bench_execute_fits,
	.take = bench_execute_take,
};

const struct bench_kind bench_queueing = {
	.parts = { { "", "ns" } },
	.fits = bench_items_fit,
	.take = bench_queueing_take,
};

const struct bench_kind bench_hand_over = {
	.parts = { { "", "ns" }, { ", repeats", "%" } },
	.fits = bench_hand_over_fits,
	.take = bench_hand_over_take,
};

const struct bench_kind bench_latency = {
	.parts = { { ", p50", "ns" }, { ", p90", "ns" }, { ", p99", "ns" } },
	.fits = bench_items_fit,
	.take = bench_latency_take,
};
