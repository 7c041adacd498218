// SPDX-License-Identifier: GPL-2.0
/*
 * What drivers write themselves for their completions: a list for each
 * submitting CPU, and something that empties it. A work item on a per-CPU
 * workqueue, as in block/bio.c of 7.3; a delayed work item, a jiffy later; or a
 * thread of real-time priority (SCHED_FIFO). A threaded interrupt is such a
 * thread, woken by its handler.
 *
 * An interrupt that finds the list empty queues the work item, or wakes the
 * thread. No other CPU helps.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "../compat/workqueue.h"
#include "cases.h"

/**
 * struct bench_list_cpu - the list of one CPU
 * @list: the newest item first
 * @work: empties it
 * @later: likewise
 * @task: likewise
 */
struct bench_list_cpu {
	struct llist_head list;
	struct work_struct work;
	struct delayed_work later;
	struct task_struct *task;
} ____cacheline_aligned;

/* By member. Each service has its own, because all are there at once. */
static struct bench_list_cpu bench_works[BENCH_MAX_CPUS];
static struct bench_list_cpu bench_laters[BENCH_MAX_CPUS];
static struct bench_list_cpu bench_fifos[BENCH_MAX_CPUS];

static struct workqueue_struct *bench_list_wq, *bench_later_wq;

/* Call the functions, the oldest item first. An item may be queued again. */
static void bench_list_run(struct llist_node *nodes)
{
	struct bench_item *it, *next;

	nodes = llist_reverse_order(nodes);
	llist_for_each_entry_safe(it, next, nodes, listed.node)
		it->listed.func(it);
}

static void bench_list_prepare(struct bench_item *items, unsigned int nr,
			       enum bench_does does)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		items[i].listed.func = bench_finish;
}

/* Add items. True if the list was empty. */
static bool bench_list_add(struct bench_list_cpu *l, struct bench_item *items,
			   unsigned int nr)
{
	bool first = false;
	unsigned int i;

	for (i = 0; i < nr; i++)
		first |= llist_add(&items[i].listed.node, &l->list);
	return first;
}

static bool bench_list_empty(struct bench_list_cpu *lists)
{
	unsigned int i;

	for (i = 0; i < BENCH_MAX_CPUS; i++)
		if (!llist_empty(&lists[i].list))
			return false;
	return true;
}

/* ---- a work item ---- */

static void bench_list_work_fn(struct work_struct *work)
{
	struct bench_list_cpu *l = container_of(work, struct bench_list_cpu,
						work);

	bench_list_run(llist_del_all(&l->list));
}

static int bench_list_work_start(void)
{
	unsigned int i;

	for (i = 0; i < BENCH_MAX_CPUS; i++)
		INIT_WORK(&bench_works[i].work, bench_list_work_fn);
	bench_list_wq = alloc_workqueue("wsq_bench_list", WSQ_WQ_PERCPU, 0);
	return bench_list_wq ? 0 : -ENOMEM;
}

static void bench_list_work_stop(void)
{
	destroy_workqueue(bench_list_wq);
}

static void bench_list_work_queue(struct bench_item *items, unsigned int nr,
				  unsigned int member)
{
	if (bench_list_add(&bench_works[member], items, nr))
		queue_work_on(bench_cpus[member], bench_list_wq,
			      &bench_works[member].work);
}

static void bench_list_work_flush(unsigned int member)
{
	flush_workqueue(bench_list_wq);
}

static bool bench_list_work_clean(struct bench_item *items, unsigned int nr)
{
	return bench_list_empty(bench_works);
}

struct bench_service bench_list_work = {
	.name = "list and work item",
	.start = bench_list_work_start,
	.stop = bench_list_work_stop,
	.prepare = bench_list_prepare,
	.queue = bench_list_work_queue,
	.flush = bench_list_work_flush,
	.clean = bench_list_work_clean,
	.only = &bench_completion,
};

/* ---- a delayed work item ---- */

static void bench_list_delayed_fn(struct work_struct *work)
{
	struct bench_list_cpu *l = container_of(to_delayed_work(work),
						struct bench_list_cpu, later);

	bench_list_run(llist_del_all(&l->list));
}

static int bench_list_delayed_start(void)
{
	unsigned int i;

	for (i = 0; i < BENCH_MAX_CPUS; i++)
		INIT_DELAYED_WORK(&bench_laters[i].later,
				  bench_list_delayed_fn);
	bench_later_wq = alloc_workqueue("wsq_bench_later", WSQ_WQ_PERCPU, 0);
	return bench_later_wq ? 0 : -ENOMEM;
}

static void bench_list_delayed_stop(void)
{
	unsigned int i;

	for (i = 0; i < BENCH_MAX_CPUS; i++)
		cancel_delayed_work_sync(&bench_laters[i].later);
	destroy_workqueue(bench_later_wq);
}

static void bench_list_delayed_queue(struct bench_item *items, unsigned int nr,
				     unsigned int member)
{
	if (bench_list_add(&bench_laters[member], items, nr))
		queue_delayed_work_on(bench_cpus[member], bench_later_wq,
				      &bench_laters[member].later, 1);
}

static void bench_list_delayed_flush(unsigned int member)
{
	unsigned int i;

	for (i = 0; i < bench_nr_cpus; i++)
		flush_delayed_work(&bench_laters[i].later);
}

static bool bench_list_delayed_clean(struct bench_item *items,
				     unsigned int nr)
{
	return bench_list_empty(bench_laters);
}

struct bench_service bench_list_delayed = {
	.name = "list and delayed work",
	.start = bench_list_delayed_start,
	.stop = bench_list_delayed_stop,
	.prepare = bench_list_prepare,
	.queue = bench_list_delayed_queue,
	.flush = bench_list_delayed_flush,
	.clean = bench_list_delayed_clean,
	.only = &bench_completion,
};

/* ---- a thread ---- */

static int bench_list_thread(void *arg)
{
	struct bench_list_cpu *l = arg;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		if (llist_empty(&l->list)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		bench_list_run(llist_del_all(&l->list));
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void bench_list_fifo_stop(void)
{
	unsigned int i;

	for (i = 0; i < BENCH_MAX_CPUS; i++) {
		if (bench_fifos[i].task)
			kthread_stop(bench_fifos[i].task);
		bench_fifos[i].task = NULL;
	}
}

static int bench_list_fifo_start(void)
{
	struct task_struct *task;
	unsigned int i;

	for (i = 0; i < bench_nr_cpus; i++) {
		task = kthread_create(bench_list_thread, &bench_fifos[i],
				      "wsq_bench_fifo/%u", bench_cpus[i]);
		if (IS_ERR(task)) {
			bench_list_fifo_stop();
			return PTR_ERR(task);
		}
		bench_fifos[i].task = task;
		kthread_bind(task, bench_cpus[i]);
		sched_set_fifo(task);
		wake_up_process(task);
	}
	return 0;
}

static void bench_list_fifo_queue(struct bench_item *items, unsigned int nr,
				  unsigned int member)
{
	if (bench_list_add(&bench_fifos[member], items, nr))
		wake_up_process(bench_fifos[member].task);
}

/* The thread does not touch an item whose function has been called. */
static void bench_list_fifo_flush(unsigned int member)
{
}

static bool bench_list_fifo_clean(struct bench_item *items, unsigned int nr)
{
	return bench_list_empty(bench_fifos);
}

struct bench_service bench_list_fifo = {
	.name = "list and FIFO thread",
	.start = bench_list_fifo_start,
	.stop = bench_list_fifo_stop,
	.prepare = bench_list_prepare,
	.queue = bench_list_fifo_queue,
	.flush = bench_list_fifo_flush,
	.clean = bench_list_fifo_clean,
	.only = &bench_completion,
};
