// SPDX-License-Identifier: GPL-2.0
/*
 * What finds other CPUs besides plain items: jobs and serials, as services of
 * reach.c; and two waits of a single item.
 *
 * An item of a computing caller: member 0 queues an item and computes until the
 * item has begun, for BENCH_GIVE_UP at most. The sample is the time from before
 * the put.
 *
 * Behind a list: all items go to one serial of a queue on one CPU, and then one
 * to another serial. The sample is the time until that one begins. The caller
 * has preemption off until all are queued, 5 ms for 100,000.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/processor.h>
#include <linux/slab.h>

#include "cases.h"

#define BENCH_GIVE_UP		(20 * NSEC_PER_MSEC)

/* Serials of one burst. */
#define BENCH_SERIALS		4

/**
 * struct bench_spread - what a service here has: they are all there at once
 * @q: its queue
 * @serials: serials of @q
 */
struct bench_spread {
	struct wsq *q;
	struct wsq_serial serials[BENCH_SERIALS];
};

static struct bench_spread bench_job_on, bench_serials_on, bench_list_on;

static int bench_spread_start(struct bench_spread *on,
			      const struct wsq_attrs *attrs)
{
	unsigned int i;

	on->q = wsq_create(attrs, "wsq_bench");
	if (IS_ERR(on->q))
		return PTR_ERR(on->q);
	for (i = 0; i < BENCH_SERIALS; i++)
		wsq_serial_init(&on->serials[i], on->q);
	return 0;
}

static void bench_spread_stop(struct bench_spread *on)
{
	unsigned int i;

	for (i = 0; i < BENCH_SERIALS; i++)
		wsq_serial_destroy(&on->serials[i]);
	wsq_destroy(on->q);
}

static void bench_spread_flush(struct bench_spread *on)
{
	unsigned int i;

	for (i = 0; i < BENCH_SERIALS; i++)
		wsq_serial_flush(&on->serials[i]);
}

static bool bench_spread_clean(struct bench_spread *on)
{
	unsigned int i;

	for (i = 0; i < BENCH_SERIALS; i++) {
		/* The flush's own item may still be ending. */
		wsq_flush_work(&on->serials[i].work);
		if (!wsq_serial_idle(&on->serials[i]))
			return false;
	}
	return true;
}

static void bench_spread_queue(struct bench_spread *on,
			       struct bench_item *items, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		wsq_serial_queue(&on->serials[i % BENCH_SERIALS],
				 &items[i].serial);
}

/* ---- jobs ---- */

static int bench_job_start(void)
{
	return bench_spread_start(&bench_job_on, NULL);
}

static void bench_job_stop(void)
{
	bench_spread_stop(&bench_job_on);
}

static void bench_job_fn(unsigned long start, unsigned long end, void *arg)
{
	for (; start < end; start++)
		bench_compute();
}

static void bench_job_prepare(struct bench_item *items, unsigned int nr,
			      enum bench_does does)
{
}

static void bench_job_queue(struct bench_item *items, unsigned int nr,
			    unsigned int member)
{
	const struct wsq_job job = { .func = bench_job_fn, .size = nr };

	wsq_run_job(bench_job_on.q, &job);
}

static void bench_job_flush(unsigned int member)
{
}

static bool bench_job_clean(struct bench_item *items, unsigned int nr)
{
	return true;
}

struct bench_service bench_wsq_job = {
	.name = "wsq job",
	.start = bench_job_start,
	.stop = bench_job_stop,
	.prepare = bench_job_prepare,
	.queue = bench_job_queue,
	.flush = bench_job_flush,
	.clean = bench_job_clean,
	.only = &bench_reach,
};

/* ---- serials ---- */

static void bench_serial_compute(struct wsq_serial_work *work)
{
	bench_compute();
}

static void bench_serial_empty(struct wsq_serial_work *work)
{
}

static void bench_serial_stamp(struct wsq_serial_work *work)
{
	container_of(work, struct bench_item, serial)->stamp = ktime_get_ns();
}

static void bench_serial_prepare(struct bench_item *items, unsigned int nr,
				 enum bench_does does)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		wsq_serial_work_init(&items[i].serial,
				     does == BENCH_COMPUTE ? bench_serial_compute :
				     does == BENCH_STAMP ? bench_serial_stamp :
				     bench_serial_empty);
}

static int bench_serial_start(void)
{
	return bench_spread_start(&bench_serials_on, NULL);
}

static void bench_serial_stop(void)
{
	bench_spread_stop(&bench_serials_on);
}

static void bench_serial_queue(struct bench_item *items, unsigned int nr,
			       unsigned int member)
{
	bench_spread_queue(&bench_serials_on, items, nr);
}

static void bench_serial_flush(unsigned int member)
{
	bench_spread_flush(&bench_serials_on);
}

static bool bench_serial_clean(struct bench_item *items, unsigned int nr)
{
	return bench_spread_clean(&bench_serials_on);
}

struct bench_service bench_wsq_serials = {
	.name = "wsq serials",
	.start = bench_serial_start,
	.stop = bench_serial_stop,
	.prepare = bench_serial_prepare,
	.queue = bench_serial_queue,
	.flush = bench_serial_flush,
	.clean = bench_serial_clean,
	.only = &bench_reach,
};

static int bench_list_start(void)
{
	const struct wsq_attrs attrs = { .cpumask = cpumask_of(bench_cpus[0]) };

	return bench_spread_start(&bench_list_on, &attrs);
}

static void bench_list_stop(void)
{
	bench_spread_stop(&bench_list_on);
}

static void bench_list_queue(struct bench_item *items, unsigned int nr,
			     unsigned int member)
{
	bench_spread_queue(&bench_list_on, items, nr);
}

static void bench_list_flush(unsigned int member)
{
	bench_spread_flush(&bench_list_on);
}

static bool bench_list_clean(struct bench_item *items, unsigned int nr)
{
	return bench_spread_clean(&bench_list_on);
}

struct bench_service bench_wsq_list = {
	.name = "wsq serials on one CPU",
	.start = bench_list_start,
	.stop = bench_list_stop,
	.prepare = bench_serial_prepare,
	.queue = bench_list_queue,
	.flush = bench_list_flush,
	.clean = bench_list_clean,
	.only = &bench_list,
};

/**
 * struct bench_spread_take - one sample
 * @s: the service
 * @items: the items
 * @nr: how many
 * @wait: what was measured, ns
 */
struct bench_spread_take {
	struct bench_service *s;
	struct bench_item *items;
	unsigned int nr;
	u64 wait[BENCH_BEHIND];
};

static void bench_list_job(unsigned int member, void *arg)
{
	struct bench_spread_take *t = arg;
	struct bench_item *last = &t->items[t->nr - 1];
	unsigned int i;
	u64 from;

	preempt_disable();
	for (i = 0; i < t->nr - 1; i++)
		wsq_serial_queue(&bench_list_on.serials[0], &t->items[i].serial);
	from = ktime_get_ns();
	wsq_serial_queue(&bench_list_on.serials[1], &last->serial);
	preempt_enable();
	t->s->flush(member);
	t->wait[0] = last->stamp - from;
}

static int bench_spread_run(struct bench_service *s, struct bench_item *items,
			    unsigned int nr, bench_job_t job, unsigned int waits,
			    u64 *sample)
{
	struct bench_spread_take *t = kzalloc(sizeof(*t), GFP_KERNEL);
	int ret;

	if (!t)
		return -ENOMEM;
	t->s = s;
	t->items = items;
	t->nr = nr;
	s->prepare(items, nr - 1, BENCH_EMPTY);
	s->prepare(items + nr - 1, 1, BENCH_STAMP);
	ret = bench_team_run(1, job, t);
	bench_sort(t->wait, waits);
	sample[0] = t->wait[waits / 2] * 100;
	sample[1] = t->wait[waits * 99 / 100] * 100;
	kfree(t);
	return ret ?: s->clean(items, nr) ? 0 : -EIO;
}

static int bench_list_take(const struct bench_case *c, struct bench_service *s,
			   struct bench_item *items, unsigned int nr,
			   u64 *sample)
{
	return bench_spread_run(s, items, nr, bench_list_job, 1, sample);
}

static bool bench_list_fits(const struct bench_case *c,
			    const struct bench_service *s)
{
	return s->only == &bench_list;
}

const struct bench_kind bench_list = {
	.parts = { { "", "ns" } },
	.fits = bench_list_fits,
	.take = bench_list_take,
};

/* ---- an item of a computing caller ---- */

static void bench_computing_job(unsigned int member, void *arg)
{
	struct bench_spread_take *t = arg;
	struct bench_item *it = t->items;
	unsigned int i;
	u64 from;

	for (i = 0; i < BENCH_BEHIND; i++) {
		/* Let the workers of all CPUs go to sleep. */
		usleep_range(200, 300);
		WRITE_ONCE(it->stamp, 0);
		from = ktime_get_ns();
		t->s->queue(it, 1, member);
		while (!READ_ONCE(it->stamp) &&
		       ktime_get_ns() - from < BENCH_GIVE_UP)
			cpu_relax();
		t->s->flush(member);
		t->wait[i] = it->stamp - from;
	}
}

static int bench_computing_take(const struct bench_case *c,
				struct bench_service *s,
				struct bench_item *items, unsigned int nr,
				u64 *sample)
{
	return bench_spread_run(s, items, 1, bench_computing_job, BENCH_BEHIND,
				sample);
}

static bool bench_computing_fits(const struct bench_case *c,
				 const struct bench_service *s)
{
	return !s->raw && !s->softirq && !s->stays && !s->restricted;
}

const struct bench_kind bench_computing = {
	.parts = { { ", p50", "ns" }, { ", p99", "ns" } },
	.fits = bench_computing_fits,
	.take = bench_computing_take,
};
