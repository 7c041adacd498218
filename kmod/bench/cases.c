// SPDX-License-Identifier: GPL-2.0
/*
 * How one sample of each kind is taken.
 *
 * execute: members queue bursts and wait until they have run, over and over;
 * time from the first start to the last end, for each item. Contains the price
 * of waking and of waiting once a burst.
 * queue: the queueing loop alone, with preemption off, so that no worker of
 * this CPU runs meanwhile; what is queued runs between two bursts, apart. A
 * worker of another CPU that comes to fetch items is part of the price.
 * hand over: member 0 produces, member 1 consumes.
 * latency: from before one item is queued until its function runs, with the
 * worker idle before.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
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

static void bench_execute_job(unsigned int member, void *arg)
{
	struct bench_take *t = arg;
	struct bench_item *items = t->items + member * t->nr;
	unsigned int burst = t->c->burst ?: t->nr;
	unsigned int r;

	t->from[member] = ktime_get_ns();
	for (r = 0; r < t->nr / burst; r++) {
		t->s->queue(items, burst, member);
		t->s->flush(member);
	}
	t->to[member] = ktime_get_ns();
}

static void bench_queue_job(unsigned int member, void *arg)
{
	struct bench_take *t = arg;
	unsigned int burst = t->c->burst ?: t->nr;
	unsigned int r;
	u64 from;

	for (r = 0; r < t->nr / burst; r++) {
		preempt_disable();
		from = ktime_get_ns();
		t->s->queue(t->items, burst, member);
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
 * bench_case_take() - take one sample
 * @c: the case
 * @s: the service
 * @items: as many for each member as @nr says
 * @nr: how many
 * @sample: where to store hundredths of ns; two of them for a latency, the
 *	median and the 99th percentile
 *
 * Context: task; may sleep.
 * Return: 0; a negative errno, %-EIO if items have not run.
 */
int bench_case_take(const struct bench_case *c, struct bench_service *s,
		    struct bench_item *items, unsigned int nr, u64 *sample)
{
	struct bench_take *t;
	u64 from, to, run;
	unsigned int i;
	int ret;

	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	t->c = c;
	t->s = s;
	t->items = items;
	t->nr = nr;
	/* Whole bursts only. */
	run = c->burst ? nr / c->burst * c->burst : nr;
	s->prepare(items, nr * c->members, c->kind == BENCH_LATENCY);

	switch (c->kind) {
	case BENCH_EXECUTE:
		ret = bench_team_run(c->members, bench_execute_job, t);
		break;
	case BENCH_QUEUE:
		ret = bench_team_run(1, bench_queue_job, t);
		break;
	case BENCH_HAND_OVER:
		ret = bench_team_run(2, bench_hand_over_job, t);
		break;
	case BENCH_LATENCY:
	default:
		ret = bench_team_run(1, bench_latency_job, t);
		break;
	}
	if (ret)
		goto out;

	switch (c->kind) {
	case BENCH_LATENCY:
		sort(t->lat, BENCH_LATENCIES, sizeof(t->lat[0]), bench_cmp,
		     NULL);
		sample[0] = t->lat[BENCH_LATENCIES / 2] * 100;
		sample[1] = t->lat[BENCH_LATENCIES * 99 / 100] * 100;
		break;
	case BENCH_QUEUE:
		sample[0] = div64_u64(t->spent * 100, run);
		break;
	default:
		from = t->from[0];
		to = t->to[0];
		for (i = 1; i < c->members; i++) {
			from = min(from, t->from[i]);
			to = max(to, t->to[i]);
		}
		if (c->kind == BENCH_EXECUTE)
			run *= c->members;
		sample[0] = div64_u64((to - from) * 100, run);
		break;
	}
	if (c->kind != BENCH_LATENCY && !s->clean(items, run))
		ret = -EIO;
out:
	kfree(t);
	return ret;
}
