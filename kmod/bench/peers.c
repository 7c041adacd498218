// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's services for running items: workqueue in its kinds, and
 * kthread_worker.
 *
 * Flushing system_wq is forbidden. Instead an item queued last on the same CPU
 * is waited for. Workers of one CPU start items in order, and empty items end
 * at once. But if an item's worker was off the CPU when the item was queued
 * again, the item waits for that worker. Therefore the caller retries for a
 * while.
 *
 * Affinity scopes of unbound queues can be set in sysfs only. Unless sysfs is
 * mounted, those services are left out.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ktime.h>

#include "../compat/workqueue.h"
#include "cases.h"

static void bench_work_empty(struct work_struct *work)
{
}

static void bench_work_stamp(struct work_struct *work)
{
	struct bench_item *it = container_of(work, struct bench_item, work);

	it->stamp = ktime_get_ns();
}

static void bench_work_complete(struct work_struct *work)
{
	struct bench_item *it = container_of(work, struct bench_item, work);

	complete(it->done);
}

static void bench_work_spawn(struct work_struct *work)
{
	bench_spawn(container_of(work, struct bench_item, work));
}

static void bench_work_sleep(struct work_struct *work)
{
	struct bench_item *it = container_of(work, struct bench_item, work);

	WRITE_ONCE(it->stamp, ktime_get_ns());
	wait_for_completion(it->done);
}

static void bench_work_compute(struct work_struct *work)
{
	bench_compute();
}

static void bench_work_finish(struct work_struct *work)
{
	bench_finish(container_of(work, struct bench_item, work));
}

static void bench_work_prepare(struct bench_item *items, unsigned int nr,
			       enum bench_does does)
{
	static const work_func_t funcs[BENCH_NR_DOES] = {
		[BENCH_EMPTY] = bench_work_empty,
		[BENCH_STAMP] = bench_work_stamp,
		[BENCH_COMPLETE] = bench_work_complete,
		[BENCH_SPAWN] = bench_work_spawn,
		[BENCH_SLEEP] = bench_work_sleep,
		[BENCH_COMPUTE] = bench_work_compute,
		[BENCH_FINISH] = bench_work_finish,
	};
	unsigned int i;

	for (i = 0; i < nr; i++)
		INIT_WORK(&items[i].work, funcs[does]);
}

static void bench_work_flush_one(struct bench_item *item)
{
	flush_work(&item->work);
}

static unsigned int bench_work_cancel(struct bench_item *items,
				      unsigned int nr, bool sync)
{
	unsigned int i, was = 0;

	if (sync) {
		for (i = 0; i < nr; i++)
			was += cancel_work_sync(&items[i].work);
		return was;
	}
	for (i = 0; i < nr; i++)
		was += cancel_work(&items[i].work);
	return was;
}

static bool bench_work_clean(struct bench_item *items, unsigned int nr)
{
	unsigned int i, timeout = 1000;

	for (i = 0; i < nr; i++) {
		while (work_pending(&items[i].work)) {
			if (!timeout--)
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
	.flush_one = bench_work_flush_one,
	.cancel = bench_work_cancel,
	.clean = bench_work_clean,
	.stays = true,
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

static int bench_ordered_make(struct workqueue_struct **wq, unsigned int flags)
{
	*wq = alloc_ordered_workqueue("wsq_bench", flags);
	return *wq ? 0 : -ENOMEM;
}

/* Set the affinity scope of a queue by its name. */
static int bench_scope_set(const char *wq, const char *scope)
{
	struct file *file;
	char path[80];
	loff_t at = 0;
	ssize_t ret;

	snprintf(path, sizeof(path),
		 "/sys/bus/workqueue/devices/%s/affinity_scope", wq);
	file = filp_open(path, O_WRONLY, 0);
	if (IS_ERR(file))
		return -EOPNOTSUPP;
	ret = kernel_write(file, scope, strlen(scope), &at);
	filp_close(file, NULL);
	return ret < 0 ? -EOPNOTSUPP : 0;
}

static int bench_scope_make(struct workqueue_struct **wq, const char *scope)
{
	char name[24];
	int ret;

	snprintf(name, sizeof(name), "wsq_bench_%s", scope);
	*wq = alloc_workqueue("%s", WQ_UNBOUND | WQ_SYSFS, 0, name);
	if (!*wq)
		return -ENOMEM;
	ret = bench_scope_set(name, scope);
	if (ret)
		destroy_workqueue(*wq);
	return ret;
}

#define BENCH_WQ(id, title, make, how, ...)				\
static struct workqueue_struct *bench_wq_##id;				\
									\
static int bench_##id##_start(void)					\
{									\
	return make(&bench_wq_##id, how);				\
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
struct bench_service bench_##id = {					\
	.name = title,							\
	.start = bench_##id##_start,					\
	.stop = bench_##id##_stop,					\
	.prepare = bench_work_prepare,					\
	.queue = bench_##id##_queue,					\
	.flush = bench_##id##_flush,					\
	.flush_one = bench_work_flush_one,				\
	.cancel = bench_work_cancel,					\
	.clean = bench_work_clean,					\
	.flushes = true,						\
	__VA_ARGS__							\
}

BENCH_WQ(percpu_wq, "per-CPU workqueue", bench_wq_make, WSQ_WQ_PERCPU,
	 .stays = true);
BENCH_WQ(highpri_wq, "WQ_HIGHPRI", bench_wq_make, WSQ_WQ_PERCPU | WQ_HIGHPRI,
	 .stays = true, .only = &bench_completion);
BENCH_WQ(unbound_wq, "WQ_UNBOUND", bench_wq_make, WQ_UNBOUND);
BENCH_WQ(bh_wq, "WQ_BH", bench_bh_make, WSQ_WQ_BH,
	 .stays = true, .softirq = true);
BENCH_WQ(ordered_wq, "ordered workqueue", bench_ordered_make, 0,
	 .serial = true);
BENCH_WQ(scope_shard, "WQ_UNBOUND cache_shard", bench_scope_make,
	 "cache_shard");
BENCH_WQ(scope_cpu, "WQ_UNBOUND cpu", bench_scope_make, "cpu",
	 .only = &bench_flight);
BENCH_WQ(scope_smt, "WQ_UNBOUND smt", bench_scope_make, "smt",
	 .only = &bench_flight);
BENCH_WQ(scope_cache, "WQ_UNBOUND cache", bench_scope_make, "cache",
	 .only = &bench_flight);
BENCH_WQ(scope_numa, "WQ_UNBOUND numa", bench_scope_make, "numa",
	 .only = &bench_flight);
BENCH_WQ(scope_system, "WQ_UNBOUND system", bench_scope_make, "system",
	 .only = &bench_flight);

/* kthread_worker, one bound to each submitting CPU */

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

static void bench_kwork_complete(struct kthread_work *work)
{
	struct bench_item *it = container_of(work, struct bench_item, kwork);

	complete(it->done);
}

static void bench_kwork_spawn(struct kthread_work *work)
{
	bench_spawn(container_of(work, struct bench_item, kwork));
}

static void bench_kwork_sleep(struct kthread_work *work)
{
	struct bench_item *it = container_of(work, struct bench_item, kwork);

	WRITE_ONCE(it->stamp, ktime_get_ns());
	wait_for_completion(it->done);
}

static void bench_kwork_compute(struct kthread_work *work)
{
	bench_compute();
}

static void bench_kwork_finish(struct kthread_work *work)
{
	bench_finish(container_of(work, struct bench_item, kwork));
}

static void bench_kthread_prepare(struct bench_item *items, unsigned int nr,
				  enum bench_does does)
{
	static const kthread_work_func_t funcs[BENCH_NR_DOES] = {
		[BENCH_EMPTY] = bench_kwork_empty,
		[BENCH_STAMP] = bench_kwork_stamp,
		[BENCH_COMPLETE] = bench_kwork_complete,
		[BENCH_SPAWN] = bench_kwork_spawn,
		[BENCH_SLEEP] = bench_kwork_sleep,
		[BENCH_COMPUTE] = bench_kwork_compute,
		[BENCH_FINISH] = bench_kwork_finish,
	};
	unsigned int i;

	for (i = 0; i < nr; i++)
		kthread_init_work(&items[i].kwork, funcs[does]);
}

static void bench_kthread_flush_one(struct bench_item *item)
{
	kthread_flush_work(&item->kwork);
}

static unsigned int bench_kthread_cancel(struct bench_item *items,
					 unsigned int nr, bool sync)
{
	unsigned int i, was = 0;

	for (i = 0; i < nr; i++)
		was += kthread_cancel_work_sync(&items[i].kwork);
	return was;
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
	.flush_one = bench_kthread_flush_one,
	.cancel = bench_kthread_cancel,
	.clean = bench_kthread_clean,
	.flushes = true,
	.stays = true,
	.sync_only = true,
	.serial = true,
};
