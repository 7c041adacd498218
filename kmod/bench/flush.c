// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for one item: member 0 repeatedly queues it and waits, for the item
 * or for the whole queue; time for one queueing and waiting. Contains a wake-up
 * of the worker and one of the waiter. If nothing is queued, the cost of
 * finding that out.
 */
#include <linux/ktime.h>
#include <linux/math64.h>

#include "cases.h"

struct bench_waits {
	const struct bench_case *c;
	struct bench_service *s;
	struct bench_item *items;
	u64 spent;
};

static void bench_flush_job(unsigned int member, void *arg)
{
	struct bench_waits *wt = arg;
	unsigned int i;
	u64 from;

	from = ktime_get_ns();
	for (i = 0; i < BENCH_FLUSHES; i++) {
		if (!wt->c->far)
			wt->s->queue(wt->items, 1, member);
		if (wt->c->sync)
			wt->s->flush(member);
		else
			wt->s->flush_one(wt->items);
	}
	wt->spent = ktime_get_ns() - from;
}

static int bench_flush_take(const struct bench_case *c,
			    struct bench_service *s, struct bench_item *items,
			    unsigned int nr, u64 *sample)
{
	struct bench_waits wt = { .c = c, .s = s, .items = items };
	int ret;

	s->prepare(items, 1, BENCH_EMPTY);
	ret = bench_team_run(1, bench_flush_job, &wt);
	if (!ret && !s->clean(items, 1))
		ret = -EIO;
	sample[0] = div64_u64(wt.spent * 100, BENCH_FLUSHES);
	return ret;
}

static bool bench_flush_fits(const struct bench_case *c,
			     const struct bench_service *s)
{
	return c->sync ? s->flushes : !!s->flush_one;
}

const struct bench_kind bench_flush = {
	.parts = { { "", "ns" } },
	.fits = bench_flush_fits,
	.take = bench_flush_take,
};
