// SPDX-License-Identifier: GPL-2.0
/*
 * The latency of an item while all submitting CPUs are busy: with items of
 * another queue that compute for a millisecond each, at least two on each CPU,
 * or with one ordinary computing thread on each CPU. The sample is the time
 * from just before an item is queued until its function runs. Its worker is
 * idle before.
 *
 * The other queue is of the same kind as the service: wsq's own, or a per-CPU
 * workqueue for workqueue's. Member 0, which queues, is a thread of the busy
 * CPU like any other.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "../compat/workqueue.h"
#include "cases.h"

/* How long an item computes, and a thread before it yields. */
#define BENCH_PIECE_NS		NSEC_PER_MSEC

/* Items of the other queue on each CPU. */
#define BENCH_FLOOD		2

struct bench_flood;

/* An item that computes, and requeues itself on its CPU. */
struct bench_flood_item {
	union {
		struct wsq_work wsq;
		struct work_struct work;
	};
	struct bench_flood *flood;
	unsigned int cpu;
};

/**
 * struct bench_flood - what keeps all CPUs busy
 * @q: the other queue, if it is wsq's
 * @wq: the other queue, if it is a workqueue
 * @threads: the threads, by CPU, if there is no other queue
 * @items: the items of @q or @wq
 * @stop: the items are not to requeue themselves
 */
struct bench_flood {
	struct wsq *q;
	struct workqueue_struct *wq;
	struct task_struct *threads[BENCH_MAX_CPUS];
	struct bench_flood_item items[BENCH_MAX_CPUS * BENCH_FLOOD];
	bool stop;
};

static void bench_flood_piece(void)
{
	u64 end = ktime_get_ns() + BENCH_PIECE_NS;

	while (ktime_get_ns() < end)
		cpu_relax();
}

static void bench_flood_wsq(struct wsq_work *work)
{
	struct bench_flood_item *it = container_of(work,
						   struct bench_flood_item, wsq);

	bench_flood_piece();
	if (!READ_ONCE(it->flood->stop))
		wsq_queue_work_on(it->cpu, it->flood->q, work);
}

static void bench_flood_work(struct work_struct *work)
{
	struct bench_flood_item *it = container_of(work,
						   struct bench_flood_item,
						   work);

	bench_flood_piece();
	if (!READ_ONCE(it->flood->stop))
		queue_work_on(it->cpu, it->flood->wq, work);
}

static int bench_flood_thread(void *arg)
{
	while (!kthread_should_stop()) {
		bench_flood_piece();
		/*
		 * User-mode Linux does not preempt on return from an interrupt,
		 * and cond_resched() does nothing on preemptible kernels.
		 */
		preempt_disable();
		preempt_enable();
		cond_resched();
	}
	return 0;
}

static void bench_flood_end(struct bench_flood *f)
{
	unsigned int i;

	WRITE_ONCE(f->stop, true);
	for (i = 0; i < bench_nr_cpus; i++)
		if (f->threads[i])
			kthread_stop(f->threads[i]);
	if (f->q)
		wsq_destroy(f->q);
	if (f->wq)
		destroy_workqueue(f->wq);
	kfree(f);
}

static int bench_flood_threads(struct bench_flood *f)
{
	struct task_struct *task;
	unsigned int i;

	for (i = 0; i < bench_nr_cpus; i++) {
		task = kthread_create(bench_flood_thread, NULL,
				      "wsq_bench_busy/%u", bench_cpus[i]);
		if (IS_ERR(task))
			return PTR_ERR(task);
		f->threads[i] = task;
		kthread_bind(task, bench_cpus[i]);
		wake_up_process(task);
	}
	return 0;
}

static int bench_flood_items(struct bench_flood *f, bool ours)
{
	unsigned int i;

	if (ours) {
		f->q = wsq_create(NULL, "wsq_bench_flood");
		if (IS_ERR(f->q)) {
			int ret = PTR_ERR(f->q);

			f->q = NULL;
			return ret;
		}
	} else {
		f->wq = alloc_workqueue("wsq_bench_flood", WSQ_WQ_PERCPU, 0);
		if (!f->wq)
			return -ENOMEM;
	}
	for (i = 0; i < bench_nr_cpus * BENCH_FLOOD; i++) {
		struct bench_flood_item *it = &f->items[i];

		it->flood = f;
		it->cpu = bench_cpus[i / BENCH_FLOOD];
		if (ours) {
			INIT_WSQ_WORK(&it->wsq, bench_flood_wsq);
			wsq_queue_work_on(it->cpu, f->q, &it->wsq);
		} else {
			INIT_WORK(&it->work, bench_flood_work);
			queue_work_on(it->cpu, f->wq, &it->work);
		}
	}
	return 0;
}

struct bench_beside_take {
	struct bench_service *s;
	struct bench_item *item;
	u64 lat[BENCH_BESIDE];
};

static void bench_beside_job(unsigned int member, void *arg)
{
	struct bench_beside_take *t = arg;
	unsigned int i;
	u64 from;

	for (i = 0; i < BENCH_BESIDE; i++) {
		/* Let the others go first, and the worker go to sleep. */
		usleep_range(2000, 3000);
		from = ktime_get_ns();
		t->s->queue(t->item, 1, member);
		t->s->flush_one(t->item);
		t->lat[i] = t->item->stamp - from;
	}
}

static int bench_beside_sample(const struct bench_case *c,
			       struct bench_service *s,
			       struct bench_item *items, unsigned int nr,
			       u64 *sample)
{
	struct bench_beside_take *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct bench_flood *f = kzalloc(sizeof(*f), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!t || !f)
		goto free;
	t->s = s;
	t->item = items;
	s->prepare(items, 1, BENCH_STAMP);
	ret = c->far ? bench_flood_threads(f) :
		       bench_flood_items(f, !strncmp(s->name, "wsq ", 4));
	if (!ret)
		ret = bench_team_run(1, bench_beside_job, t);
	bench_flood_end(f);
	f = NULL;
	if (!ret) {
		bench_sort(t->lat, BENCH_BESIDE);
		sample[0] = t->lat[BENCH_BESIDE / 2] / 10;
		sample[1] = t->lat[BENCH_BESIDE * 90 / 100] / 10;
		sample[2] = t->lat[BENCH_BESIDE * 99 / 100] / 10;
		if (!s->clean(items, 1))
			ret = -EIO;
	}
free:
	kfree(f);
	kfree(t);
	return ret;
}

static bool bench_beside_fits(const struct bench_case *c,
			      const struct bench_service *s)
{
	return s == &bench_wsq_bwos_fifo || s == &bench_wsq_local ||
	       s == &bench_system_wq || s == &bench_percpu_wq ||
	       s == &bench_unbound_wq;
}

const struct bench_kind bench_beside = {
	.parts = { { ", p50", "us" }, { ", p90", "us" }, { ", p99", "us" } },
	.fits = bench_beside_fits,
	.take = bench_beside_sample,
};
