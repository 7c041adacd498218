// SPDX-License-Identifier: GPL-2.0
/*
 * One item in flight for each submitting CPU, as in the kernel's
 * lib/test_workqueue.c: each member repeatedly queues its item and sleeps until
 * the item's function has completed it. Items per second of all members
 * together; percentiles, over all members, of the queueing call alone (which
 * test_workqueue reports) and of the whole round.
 *
 * An item may be queued again while its function is still returning.
 */
#include <linux/completion.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "cases.h"

struct bench_flights {
	struct bench_service *s;
	struct bench_item *items;
	u64 *queue;		/* BENCH_FLIGHTS for each member */
	u64 *round;
	u64 from[BENCH_MAX_CPUS];
	u64 to[BENCH_MAX_CPUS];
};

static void bench_flight_job(unsigned int member, void *arg)
{
	struct bench_flights *fl = arg;
	struct bench_item *it = fl->items + member;
	u64 *queue = fl->queue + member * BENCH_FLIGHTS;
	u64 *round = fl->round + member * BENCH_FLIGHTS;
	struct completion done;
	unsigned int i;
	u64 from;

	init_completion(&done);
	it->done = &done;
	fl->from[member] = ktime_get_ns();
	for (i = 0; i < BENCH_FLIGHTS; i++) {
		reinit_completion(&done);
		from = ktime_get_ns();
		fl->s->queue(it, 1, member);
		queue[i] = ktime_get_ns() - from;
		wait_for_completion(&done);
		round[i] = ktime_get_ns() - from;
	}
	fl->to[member] = ktime_get_ns();
	/* The function may not have returned yet. */
	fl->s->flush(member);
}

static void bench_flight_figures(struct bench_flights *fl, unsigned int members,
				 u64 *sample)
{
	unsigned int i, nr = members * BENCH_FLIGHTS;
	u64 from = fl->from[0], to = fl->to[0], sum = 0;

	for (i = 1; i < members; i++) {
		from = min(from, fl->from[i]);
		to = max(to, fl->to[i]);
	}
	for (i = 0; i < nr; i++)
		sum += fl->queue[i];
	bench_sort(fl->queue, nr);
	bench_sort(fl->round, nr);
	sample[0] = div64_u64(100 * NSEC_PER_SEC * nr, max(to - from, 1ULL));
	sample[1] = fl->round[nr / 2] * 100;
	sample[2] = fl->round[nr / 10 * 9] * 100;
	sample[3] = fl->round[nr / 20 * 19] * 100;
	sample[4] = fl->queue[nr / 2] * 100;
	sample[5] = fl->queue[nr / 10 * 9] * 100;
	sample[6] = fl->queue[nr / 20 * 19] * 100;
	/* The mean resolves times below the clock's resolution. */
	sample[7] = div_u64(sum * 100, nr);
}

static int bench_flight_take(const struct bench_case *c,
			     struct bench_service *s, struct bench_item *items,
			     unsigned int nr, u64 *sample)
{
	unsigned int members = bench_members(c);
	struct bench_flights *fl;
	int ret = -ENOMEM;

	fl = kzalloc(sizeof(*fl), GFP_KERNEL);
	if (!fl)
		return -ENOMEM;
	fl->s = s;
	fl->items = items;
	fl->queue = kvcalloc(members * BENCH_FLIGHTS, sizeof(u64), GFP_KERNEL);
	fl->round = kvcalloc(members * BENCH_FLIGHTS, sizeof(u64), GFP_KERNEL);
	if (!fl->queue || !fl->round)
		goto free;
	s->prepare(items, members, BENCH_COMPLETE);
	ret = bench_team_run(members, bench_flight_job, fl);
	if (!ret) {
		bench_flight_figures(fl, members, sample);
		if (!s->clean(items, members))
			ret = -EIO;
	}
free:
	kvfree(fl->queue);
	kvfree(fl->round);
	kfree(fl);
	return ret;
}

static bool bench_flight_fits(const struct bench_case *c,
			      const struct bench_service *s)
{
	return !s->raw && !(s->restricted && c->members != 1);
}

const struct bench_kind bench_flight = {
	.parts = {
		{ ", rate", "items/s" },
		{ ", round p50", "ns" },
		{ ", round p90", "ns" },
		{ ", round p95", "ns" },
		{ ", queueing p50", "ns" },
		{ ", queueing p90", "ns" },
		{ ", queueing p95", "ns" },
		{ ", queueing mean", "ns" },
	},
	.fits = bench_flight_fits,
	.take = bench_flight_take,
};
