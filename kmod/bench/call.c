// SPDX-License-Identifier: GPL-2.0
/*
 * What a call, and an item of a serial, cost beside a plain item: member 0 makes
 * a burst ready, which is not timed, then starts all of it and waits until it
 * has run. Time per item, empty functions.
 *
 * A call was given one future and sent before; it is started by resolving that
 * future. Items of a serial go to one serial, or each to an idle one. All run on
 * one CPU. Peers have a lock in their function, or are an ordered workqueue:
 * they do the serial's work in other ways.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wsq_call.h>

#include "cases.h"

/* Items of a burst here, at most. */
#define BENCH_CALLS		1024

/* A call with the future that starts it. */
struct bench_call_one {
	struct wsq_future first;
	struct wsq_call_dep dep;
	struct wsq_call call;
} ____cacheline_aligned;

/**
 * struct bench_call_on - what a service here has
 * @q: its queue, on one CPU
 * @serial: of @q
 */
struct bench_call_on {
	struct wsq *q;
	struct wsq_serial serial;
};

static struct bench_call_on bench_plain_on, bench_lock_on, bench_one_on;
static struct bench_call_on bench_calls_on, bench_each_on;
static struct bench_call_one *bench_calls;
static struct wsq_serial *bench_serials;
static DEFINE_SPINLOCK(bench_call_lock);

static int bench_call_on_start(struct bench_call_on *on)
{
	const struct wsq_attrs attrs = { .cpumask = cpumask_of(bench_cpus[0]) };

	on->q = wsq_create(&attrs, "wsq_bench");
	if (IS_ERR(on->q))
		return PTR_ERR(on->q);
	wsq_serial_init(&on->serial, on->q);
	return 0;
}

static void bench_call_on_stop(struct bench_call_on *on)
{
	wsq_serial_destroy(&on->serial);
	wsq_destroy(on->q);
}

#define BENCH_CALL_ON(id)						\
static int bench_##id##_start(void)					\
{									\
	return bench_call_on_start(&bench_##id##_on);			\
}									\
									\
static void bench_##id##_stop(void)					\
{									\
	bench_call_on_stop(&bench_##id##_on);				\
}									\
									\
static void bench_##id##_flush(unsigned int member)			\
{									\
	wsq_flush(bench_##id##_on.q);					\
}

BENCH_CALL_ON(plain)
BENCH_CALL_ON(lock)

/* ---- plain items ---- */

static void bench_plain_fn(struct wsq_work *work)
{
}

static void bench_lock_fn(struct wsq_work *work)
{
	spin_lock(&bench_call_lock);
	spin_unlock(&bench_call_lock);
}

static void bench_plain_prepare(struct bench_item *items, unsigned int nr,
				enum bench_does does)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		INIT_WSQ_WORK(&items[i].wsq, bench_plain_fn);
}

static void bench_lock_prepare(struct bench_item *items, unsigned int nr,
			       enum bench_does does)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		INIT_WSQ_WORK(&items[i].wsq, bench_lock_fn);
}

static void bench_plain_queue(struct bench_item *items, unsigned int nr,
			      unsigned int member)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		wsq_queue_work(bench_plain_on.q, &items[i].wsq);
}

static void bench_lock_queue(struct bench_item *items, unsigned int nr,
			     unsigned int member)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		wsq_queue_work(bench_lock_on.q, &items[i].wsq);
}

static bool bench_plain_clean(struct bench_item *items, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (wsq_work_pending(&items[i].wsq))
			return false;
	return true;
}

struct bench_service bench_call_plain = {
	.name = "wsq item",
	.start = bench_plain_start,
	.stop = bench_plain_stop,
	.prepare = bench_plain_prepare,
	.queue = bench_plain_queue,
	.flush = bench_plain_flush,
	.clean = bench_plain_clean,
	.only = &bench_call,
};

struct bench_service bench_call_spinlock = {
	.name = "wsq item with a spinlock",
	.start = bench_lock_start,
	.stop = bench_lock_stop,
	.prepare = bench_lock_prepare,
	.queue = bench_lock_queue,
	.flush = bench_lock_flush,
	.clean = bench_plain_clean,
	.only = &bench_call,
};

/* ---- items of a serial ---- */

static int bench_one_start(void)
{
	return bench_call_on_start(&bench_one_on);
}

static void bench_one_stop(void)
{
	bench_call_on_stop(&bench_one_on);
}

static void bench_one_fn(struct wsq_serial_work *work)
{
}

static void bench_one_prepare(struct bench_item *items, unsigned int nr,
			      enum bench_does does)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		wsq_serial_work_init(&items[i].serial, bench_one_fn);
}

static void bench_one_queue(struct bench_item *items, unsigned int nr,
			    unsigned int member)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		wsq_serial_queue(&bench_one_on.serial, &items[i].serial);
}

static void bench_one_flush(unsigned int member)
{
	wsq_serial_flush(&bench_one_on.serial);
}

static bool bench_one_clean(struct bench_item *items, unsigned int nr)
{
	/* The flush's own item may still be ending. */
	wsq_flush_work(&bench_one_on.serial.work);
	return wsq_serial_idle(&bench_one_on.serial);
}

struct bench_service bench_call_serial = {
	.name = "wsq serial item",
	.start = bench_one_start,
	.stop = bench_one_stop,
	.prepare = bench_one_prepare,
	.queue = bench_one_queue,
	.flush = bench_one_flush,
	.clean = bench_one_clean,
	.only = &bench_call,
};

/* ---- items of as many serials, each idle ---- */

static int bench_each_start(void)
{
	unsigned int i;
	int ret;

	bench_serials = kvcalloc(BENCH_CALLS, sizeof(*bench_serials), GFP_KERNEL);
	if (!bench_serials)
		return -ENOMEM;
	ret = bench_call_on_start(&bench_each_on);
	if (ret) {
		kvfree(bench_serials);
		return ret;
	}
	for (i = 0; i < BENCH_CALLS; i++)
		wsq_serial_init(&bench_serials[i], bench_each_on.q);
	return 0;
}

static void bench_each_stop(void)
{
	bench_call_on_stop(&bench_each_on);
	kvfree(bench_serials);
}

static void bench_each_queue(struct bench_item *items, unsigned int nr,
			     unsigned int member)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		wsq_serial_queue(&bench_serials[i], &items[i].serial);
}

static void bench_each_flush(unsigned int member)
{
	wsq_flush(bench_each_on.q);
}

static bool bench_each_clean(struct bench_item *items, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!wsq_serial_idle(&bench_serials[i]))
			return false;
	return true;
}

struct bench_service bench_call_serials = {
	.name = "wsq item of an idle serial",
	.start = bench_each_start,
	.stop = bench_each_stop,
	.prepare = bench_one_prepare,
	.queue = bench_each_queue,
	.flush = bench_each_flush,
	.clean = bench_each_clean,
	.only = &bench_call,
};

/* ---- calls, on a queue and on a serial ---- */

static int bench_call_fn(struct wsq_call *call)
{
	return 0;
}

static int bench_calls_start(void)
{
	int ret;

	bench_calls = kvcalloc(BENCH_CALLS, sizeof(*bench_calls), GFP_KERNEL);
	if (!bench_calls)
		return -ENOMEM;
	ret = bench_call_on_start(&bench_calls_on);
	if (ret)
		kvfree(bench_calls);
	return ret;
}

static void bench_calls_stop(void)
{
	bench_call_on_stop(&bench_calls_on);
	kvfree(bench_calls);
}

static void bench_calls_make(unsigned int nr, bool serial)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct bench_call_one *c = &bench_calls[i];

		wsq_future_init(&c->first);
		wsq_call_init(&c->call, bench_call_fn);
		wsq_call_after(&c->call, &c->dep, &c->first);
		if (serial)
			wsq_call_send_serial(&c->call, &bench_calls_on.serial);
		else
			wsq_call_send(&c->call, bench_calls_on.q);
	}
}

static void bench_calls_prepare(struct bench_item *items, unsigned int nr,
				enum bench_does does)
{
	bench_calls_make(nr, false);
}

static void bench_unit_prepare(struct bench_item *items, unsigned int nr,
			       enum bench_does does)
{
	bench_calls_make(nr, true);
}

static void bench_calls_queue(struct bench_item *items, unsigned int nr,
			      unsigned int member)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		wsq_future_resolve(&bench_calls[i].first, i);
}

static void bench_calls_flush(unsigned int member)
{
	wsq_flush(bench_calls_on.q);
}

static void bench_unit_flush(unsigned int member)
{
	wsq_serial_flush(&bench_calls_on.serial);
}

static bool bench_calls_clean(struct bench_item *items, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (wsq_future_error(&bench_calls[i].call.future))
			return false;
	return true;
}

/* Both use the same memory, one after the other. */
static int bench_unit_start(void)
{
	return bench_calls ? 0 : -ENOMEM;
}

static void bench_unit_stop(void)
{
}

struct bench_service bench_call_future = {
	.name = "wsq call",
	.start = bench_calls_start,
	.stop = bench_calls_stop,
	.prepare = bench_calls_prepare,
	.queue = bench_calls_queue,
	.flush = bench_calls_flush,
	.clean = bench_calls_clean,
	.only = &bench_call,
};

struct bench_service bench_call_unit = {
	.name = "wsq call on a serial",
	.start = bench_unit_start,
	.stop = bench_unit_stop,
	.prepare = bench_unit_prepare,
	.queue = bench_calls_queue,
	.flush = bench_unit_flush,
	.clean = bench_calls_clean,
	.only = &bench_call,
};

/* ---- the case ---- */

/**
 * struct bench_call_take - one sample
 * @c: the case
 * @s: the service
 * @items: the items
 * @nr: how many in all
 * @spent: ns
 * @unclean: something has not run
 */
struct bench_call_take {
	const struct bench_case *c;
	struct bench_service *s;
	struct bench_item *items;
	unsigned int nr;
	u64 spent;
	bool unclean;
};

static void bench_call_job(unsigned int member, void *arg)
{
	struct bench_call_take *t = arg;
	unsigned int burst = t->c->burst, r;
	u64 from;

	for (r = 0; r < t->nr / burst; r++) {
		t->s->prepare(t->items, burst, BENCH_EMPTY);
		from = ktime_get_ns();
		t->s->queue(t->items, burst, member);
		t->s->flush(member);
		t->spent += ktime_get_ns() - from;
		t->unclean |= !t->s->clean(t->items, burst);
	}
}

static int bench_call_sample(const struct bench_case *c, struct bench_service *s,
			     struct bench_item *items, unsigned int nr,
			     u64 *sample)
{
	struct bench_call_take *t = kzalloc(sizeof(*t), GFP_KERNEL);
	int ret;

	if (!t)
		return -ENOMEM;
	t->c = c;
	t->s = s;
	t->items = items;
	t->nr = nr;
	ret = bench_team_run(1, bench_call_job, t);
	if (!ret) {
		sample[0] = div64_u64(t->spent * 100, nr / c->burst * c->burst);
		if (t->unclean)
			ret = -EIO;
	}
	kfree(t);
	return ret;
}

static bool bench_call_fits(const struct bench_case *c,
			    const struct bench_service *s)
{
	return s->only == &bench_call || s == &bench_ordered_wq ||
	       s == &bench_system_wq;
}

const struct bench_kind bench_call = {
	.parts = { { "", "ns" } },
	.fits = bench_call_fits,
	.take = bench_call_sample,
};
