// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel has for running items: workqueue in its kinds, and
 * kthread_worker.
 *
 * system_wq is not flushed (that is forbidden): an item queued last on the same
 * CPU is waited for instead. Workers of one CPU start items in order, and empty
 * items end where they start; but an item whose worker was off the CPU when it
 * was queued again waits for that worker, hence the patience afterwards.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/ktime.h>

#include "../compat/workqueue.h"
#include "bench.h"

static void bench_work_empty(struct work_struct *work)
{
}

static void bench_work_stamp(struct work_struct *work)
{
	struct bench_item *it = container_of(work, struct bench_item, work);

	it->stamp = ktime_get_ns();
}

static void bench_work_prepare(struct bench_item *items, unsigned int nr,
			       bool stamp)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (stamp)
			INIT_WORK(&items[i].work, bench_work_stamp);
		else
			INIT_WORK(&items[i].work, bench_work_empty);
	}
}

static bool bench_work_clean(struct bench_item *items, unsigned int nr)
{
	unsigned int i, patience = 1000;

	for (i = 0; i < nr; i++) {
		while (work_pending(&items[i].work)) {
			if (!patience--)
				return false;
			usleep_range(1000, 2000);
		}
	}
	return true;
}

/* system_wq */

static struct work_struct bench_last[BENCH_MAX_CPUS];

static int bench_system_start(void)
{
	unsigned int i;

	for (i = 0; i < BENCH_MAX_CPUS; i++)
		INIT_WORK(&bench_last[i], bench_work_empty);
	return 0;
}

static void bench_system_stop(void)
{
}

static void bench_system_queue(struct bench_item *items, unsigned int nr,
			       unsigned int member)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		queue_work(wsq_system_wq, &items[i].work);
}

static void bench_system_flush(unsigned int member)
{
	queue_work(wsq_system_wq, &bench_last[member]);
	flush_work(&bench_last[member]);
}

struct bench_service bench_system_wq = {
	.name = "system_wq",
	.start = bench_system_start,
	.stop = bench_system_stop,
	.prepare = bench_work_prepare,
	.queue = bench_system_queue,
	.flush = bench_system_flush,
	.clean = bench_work_clean,
};

/* Queues of our own */

static int bench_wq_make(struct workqueue_struct **wq, unsigned int flags)
{
	*wq = alloc_workqueue("wsq_bench", flags, 0);
	return *wq ? 0 : -ENOMEM;
}

static int bench_bh_make(struct workqueue_struct **wq, unsigned int flags)
{
	/* Kernels before 6.9 have none. */
	return flags ? bench_wq_make(wq, flags) : -EOPNOTSUPP;
}

#define BENCH_WQ(id, title, make, flags)				\
static struct workqueue_struct *bench_wq_##id;				\
									\
static int bench_##id##_start(void)					\
{									\
	return make(&bench_wq_##id, flags);				\
}									\
									\
static void bench_##id##_stop(void)					\
{									\
	destroy_workqueue(bench_wq_##id);				\
}									\
									\
static void bench_##id##_queue(struct bench_item *items,		\
			       unsigned int nr, unsigned int member)	\
{									\
	unsigned int i;							\
									\
	for (i = 0; i < nr; i++)					\
		queue_work(bench_wq_##id, &items[i].work);		\
}									\
									\
static void bench_##id##_flush(unsigned int member)			\
{									\
	flush_workqueue(bench_wq_##id);					\
}									\
									\
struct bench_service bench_##id##_wq = {				\
	.name = title,							\
	.start = bench_##id##_start,					\
	.stop = bench_##id##_stop,					\
	.prepare = bench_work_prepare,					\
	.queue = bench_##id##_queue,					\
	.flush = bench_##id##_flush,					\
	.clean = bench_work_clean,					\
}

BENCH_WQ(percpu, "per-CPU workqueue", bench_wq_make, WSQ_WQ_PERCPU);
BENCH_WQ(unbound, "WQ_UNBOUND", bench_wq_make, WQ_UNBOUND);
BENCH_WQ(bh, "WQ_BH", bench_bh_make, WSQ_WQ_BH);

/* kthread_worker, one for each submitting CPU, there */

static struct kthread_worker bench_kworker[BENCH_MAX_CPUS];
static struct task_struct *bench_kworker_task[BENCH_MAX_CPUS];

static void bench_kwork_empty(struct kthread_work *work)
{
}

static void bench_kwork_stamp(struct kthread_work *work)
{
	struct bench_item *it = container_of(work, struct bench_item, kwork);

	it->stamp = ktime_get_ns();
}

static void bench_kthread_stop(void)
{
	unsigned int i;

	for (i = 0; i < bench_nr_cpus; i++) {
		if (!bench_kworker_task[i])
			continue;
		kthread_flush_worker(&bench_kworker[i]);
		kthread_stop(bench_kworker_task[i]);
		bench_kworker_task[i] = NULL;
	}
}

static int bench_kthread_start(void)
{
	struct task_struct *task;
	unsigned int i;

	for (i = 0; i < bench_nr_cpus; i++) {
		kthread_init_worker(&bench_kworker[i]);
		task = kthread_create(kthread_worker_fn, &bench_kworker[i],
				      "wsq_bench_kw/%u", bench_cpus[i]);
		if (IS_ERR(task)) {
			bench_kthread_stop();
			return PTR_ERR(task);
		}
		kthread_bind(task, bench_cpus[i]);
		bench_kworker_task[i] = task;
		wake_up_process(task);
	}
	return 0;
}

static void bench_kthread_prepare(struct bench_item *items, unsigned int nr,
				  bool stamp)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		kthread_init_work(&items[i].kwork, stamp ? bench_kwork_stamp :
							   bench_kwork_empty);
}

static void bench_kthread_queue(struct bench_item *items, unsigned int nr,
				unsigned int member)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		kthread_queue_work(&bench_kworker[member], &items[i].kwork);
}

static void bench_kthread_flush(unsigned int member)
{
	kthread_flush_worker(&bench_kworker[member]);
}

static bool bench_kthread_clean(struct bench_item *items, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!list_empty(&items[i].kwork.node))
			return false;
	return true;
}

struct bench_service bench_kthread_worker = {
	.name = "kthread_worker",
	.start = bench_kthread_start,
	.stop = bench_kthread_stop,
	.prepare = bench_kthread_prepare,
	.queue = bench_kthread_queue,
	.flush = bench_kthread_flush,
	.clean = bench_kthread_clean,
};
