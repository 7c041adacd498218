// SPDX-License-Identifier: GPL-2.0
/*
 * How much an item that computes is interrupted while items of many queues wait
 * behind it. Those items are bound to its CPU, so no other CPU can help. The
 * item reads the clock repeatedly. A step of more than a microsecond counts as
 * an interrupt. That includes the tick, and interruptions by the host of a
 * virtual machine; if nothing waits, there are no others. A sample is the
 * length of each step, and their fraction of the time.
 *
 * The item computes for 20 ms, or until an item behind it begins. A step in
 * which another thread of the same CPU may have preempted it is left out.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "cases.h"

/* Queues with an item that waits. */
#define BENCH_QUEUES		1000

/* How often the item computes for a sample, and for how long. */
#define BENCH_COMPUTE_TURNS	10
#define BENCH_COMPUTE_NS	(20 * NSEC_PER_MSEC)

/* Steps that count, and how many are kept. */
#define BENCH_STEP_NS		NSEC_PER_USEC
#define BENCH_STEPS		4096

/**
 * struct bench_waiting - an item that computes, and those behind it
 * @compute: the item
 * @q: its queue
 * @nr: queues with an item behind it
 * @queues: these
 * @items: their items
 * @begun: how many of @items have begun
 * @steps: the lengths of steps, ns
 * @nr_steps: how many
 * @in_steps: their sum, ns
 * @spent: how long the item computed, ns
 * @over: the item has ended
 */
struct bench_waiting {
	struct wsq_work compute;
	struct wsq *q;
	unsigned int nr;
	struct wsq **queues;
	struct bench_waiting_item *items;
	atomic_t begun;
	u64 steps[BENCH_STEPS];
	unsigned int nr_steps;
	u64 in_steps;
	u64 spent;
	struct completion over;
};

struct bench_waiting_item {
	struct wsq_work work;
	struct bench_waiting *w;
};

static void bench_waiting_fn(struct wsq_work *work)
{
	struct bench_waiting_item *it = container_of(work,
						    struct bench_waiting_item,
						    work);

	atomic_inc(&it->w->begun);
}

static void bench_compute_fn(struct wsq_work *work)
{
	struct bench_waiting *w = container_of(work, struct bench_waiting,
					       compute);
	u64 from, last, now, step;
	unsigned int i;

	atomic_set(&w->begun, 0);
	for (i = 0; i < w->nr; i++)
		wsq_queue_work_on(bench_cpus[0], w->queues[i],
				  &w->items[i].work);
	from = ktime_get_ns();
	last = from;
	while (last - from < BENCH_COMPUTE_NS) {
		now = ktime_get_ns();
		if (atomic_read(&w->begun))
			break;
		step = now - last;
		last = now;
		if (step < BENCH_STEP_NS)
			continue;
		w->in_steps += step;
		if (w->nr_steps < BENCH_STEPS)
			w->steps[w->nr_steps++] = step;
	}
	w->spent += last - from;
	complete(&w->over);
}

static void bench_waiting_job(unsigned int member, void *arg)
{
	struct bench_waiting *w = arg;
	unsigned int turn, i;

	for (turn = 0; turn < BENCH_COMPUTE_TURNS; turn++) {
		wsq_queue_work_on(bench_cpus[0], w->q, &w->compute);
		wait_for_completion(&w->over);
		wsq_flush(w->q);
		for (i = 0; i < w->nr; i++)
			wsq_flush_work(&w->items[i].work);
	}
}

static void bench_waiting_free(struct bench_waiting *w)
{
	unsigned int i;

	for (i = 0; w->queues && i < w->nr; i++)
		if (!IS_ERR_OR_NULL(w->queues[i]))
			wsq_destroy(w->queues[i]);
	if (!IS_ERR_OR_NULL(w->q))
		wsq_destroy(w->q);
	kvfree(w->items);
	kvfree(w->queues);
	kvfree(w);
}

static struct bench_waiting *bench_waiting_new(unsigned int nr)
{
	struct bench_waiting *w = kvzalloc(sizeof(*w), GFP_KERNEL);
	unsigned int i;

	if (!w)
		return NULL;
	w->nr = nr;
	init_completion(&w->over);
	INIT_WSQ_WORK(&w->compute, bench_compute_fn);
	w->queues = kvcalloc(max(nr, 1U), sizeof(*w->queues), GFP_KERNEL);
	w->items = kvcalloc(max(nr, 1U), sizeof(*w->items), GFP_KERNEL);
	w->q = wsq_create(NULL, "wsq_bench");
	if (!w->queues || !w->items || IS_ERR(w->q))
		goto free;
	for (i = 0; i < nr; i++) {
		INIT_WSQ_WORK(&w->items[i].work, bench_waiting_fn);
		w->items[i].w = w;
		w->queues[i] = wsq_create(NULL, "wsq_bench");
		if (IS_ERR(w->queues[i]))
			goto free;
	}
	return w;
free:
	bench_waiting_free(w);
	return NULL;
}

static int bench_waiting_sample(const struct bench_case *c,
				struct bench_service *s,
				struct bench_item *items, unsigned int nr,
				u64 *sample)
{
	struct bench_waiting *w;
	int ret;

	w = bench_waiting_new(s == &bench_waiting_many ? BENCH_QUEUES :
			      s == &bench_waiting_one ? 1 : 0);
	if (!w)
		return -ENOMEM;
	ret = bench_team_run(1, bench_waiting_job, w);
	if (!ret && !w->nr_steps)
		ret = -EBUSY;
	if (!ret) {
		bench_sort(w->steps, w->nr_steps);
		sample[0] = w->steps[w->nr_steps / 2] * 100;
		sample[1] = w->steps[w->nr_steps * 99 / 100] * 100;
		sample[2] = div64_u64(w->in_steps * 10000, max(w->spent, 1ULL));
	}
	bench_waiting_free(w);
	return ret;
}

static bool bench_waiting_fits(const struct bench_case *c,
			       const struct bench_service *s)
{
	return s->only == c->kind;
}

const struct bench_kind bench_waiting = {
	.parts = { { ", p50", "ns" }, { ", p99", "ns" }, { ", share", "%" } },
	.fits = bench_waiting_fits,
	.take = bench_waiting_sample,
};

/* Each sample makes its own queues. */
static int bench_waiting_start(void)
{
	return 0;
}

static void bench_waiting_stop(void)
{
}

struct bench_service bench_waiting_many = {
	.name = "wsq 1000 queues wait",
	.start = bench_waiting_start,
	.stop = bench_waiting_stop,
	.only = &bench_waiting,
};

struct bench_service bench_waiting_one = {
	.name = "wsq 1 queue waits",
	.start = bench_waiting_start,
	.stop = bench_waiting_stop,
	.only = &bench_waiting,
};

struct bench_service bench_waiting_none = {
	.name = "nothing waits",
	.start = bench_waiting_start,
	.stop = bench_waiting_stop,
	.only = &bench_waiting,
};
