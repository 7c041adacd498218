// SPDX-License-Identifier: GPL-2.0
/*
 * A burst of items that compute: does it find idle CPUs? Member 0 queues the
 * burst to a new queue on an idle machine, and waits until it has run.
 *
 * Figures: how many times faster the burst was than its items one after the
 * other; and the time from just before the first put until an item began on
 * another CPU, none if none did.
 *
 * Limitation: if the host takes CPU time away, items seem to compute in that
 * time.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/processor.h>
#include <linux/smp.h>

#include "cases.h"

/**
 * struct bench_burst - the burst under way
 * @c: the case
 * @s: the service
 * @items: the items
 * @home: the CPU where they are queued
 * @spent: ns until all had run. The member
 * @from: when the first was queued
 * @elsewhere: when one began on another CPU; 0 if none has. Set by the first
 *	one
 *
 * Constant while items run, but for @elsewhere.
 */
static struct bench_burst {
	const struct bench_case *c;
	struct bench_service *s;
	struct bench_item *items;
	unsigned int home;
	u64 spent;
	u64 from;
	atomic64_t elsewhere;
} bench_burst;

/**
 * bench_compute() - the function of an item, with %BENCH_COMPUTE
 *
 * Context: whatever the service runs items in.
 */
void bench_compute(void)
{
	struct bench_burst *b = &bench_burst;
	u64 from = ktime_get_ns(), ns = b->c->batch * (u64)NSEC_PER_USEC;

	if (raw_smp_processor_id() != b->home &&
	    !atomic64_read(&b->elsewhere))
		atomic64_cmpxchg(&b->elsewhere, 0, from);
	while (ktime_get_ns() - from < ns)
		cpu_relax();
}

static void bench_reach_job(unsigned int member, void *arg)
{
	struct bench_burst *b = arg;

	/* Let the threads that created the queue go to sleep. */
	usleep_range(2000, 3000);
	b->home = raw_smp_processor_id();
	atomic64_set(&b->elsewhere, 0);
	b->from = ktime_get_ns();
	b->s->queue(b->items, b->c->burst, member);
	b->s->flush(member);
	b->spent = ktime_get_ns() - b->from;
}

static int bench_reach_take(const struct bench_case *c, struct bench_service *s,
			    struct bench_item *items, unsigned int nr,
			    u64 *sample)
{
	struct bench_burst *b = &bench_burst;
	u64 elsewhere, alone = (u64)c->burst * c->batch * NSEC_PER_USEC;
	int ret;

	b->c = c;
	b->s = s;
	b->items = items;
	s->prepare(items, c->burst, BENCH_COMPUTE);
	/* A new queue, which has learnt nothing of its items. */
	s->stop();
	ret = s->start();
	if (ret) {
		s->error = ret;
		return ret;
	}
	ret = bench_team_run(1, bench_reach_job, b);
	if (ret)
		return ret;
	elsewhere = atomic64_read(&b->elsewhere);
	sample[0] = div64_u64(alone * 100, b->spent);
	sample[1] = elsewhere ? (elsewhere - b->from) * 100 : BENCH_NO_SAMPLE;
	return s->clean(items, c->burst) ? 0 : -EIO;
}

static bool bench_reach_fits(const struct bench_case *c,
			     const struct bench_service *s)
{
	return !s->raw && !s->softirq && !s->serial && !s->stays &&
	       !s->restricted;
}

const struct bench_kind bench_reach = {
	.parts = { { ", beside one CPU", "times" },
		   { ", begun elsewhere", "ns" } },
	.fits = bench_reach_fits,
	.take = bench_reach_take,
};
