// SPDX-License-Identifier: GPL-2.0
/*
 * Items that an interrupt queues: the completions of a device. The interrupt is
 * a hard hrtimer, pinned to its CPU, which is the same on all kernels.
 *
 * One at a time: the interrupt comes 100 us after the item before it has run,
 * and queues one item, which stores the time. The sample is the time from just
 * before the put until the function runs. In the first case all CPUs are idle.
 * In the others, ordinary threads compute on all CPUs, or on that of the
 * interrupt only; or an item of another queue computes there for a
 * millisecond. That queue is wsq's for wsq's services, and a per-CPU workqueue
 * for the others. For a computing item the interrupt comes only once the item
 * has begun.
 *
 * At saturation: BENCH_DEVICE requests are in flight, in groups of 16. An
 * interrupt queues one group. The function of each item computes for a
 * microsecond; the last one of a group gives the group to the device again,
 * which completes it at once: the next interrupt comes on the CPU where that
 * function ran, as with a device that has a queue for each CPU. The figures are
 * the time for each item, and the context switches of all CPUs for a thousand
 * items. Switches come from /proc/stat; without it they are left out.
 *
 * Limitations: user-mode Linux delivers such an interrupt by a signal, and does
 * not preempt on return from it, so the threads offer to be preempted after
 * each look at the clock. Switches of other programs count, too.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../compat/hrtimer.h"
#include "../compat/workqueue.h"
#include "cases.h"

/* From one item to the next interrupt; from the begin of a computing item. */
#define BENCH_DEVICE_NS		(100 * NSEC_PER_USEC)
#define BENCH_DEVICE_SOON_NS	(20 * NSEC_PER_USEC)

/* Between two interrupts, if groups are there. */
#define BENCH_DEVICE_NEXT_NS	(5 * NSEC_PER_USEC)

/* Items one at a time in a sample. */
#define BENCH_SINGLES		300

/* Groups in flight. */
#define BENCH_GROUPS		(BENCH_DEVICE / BENCH_GROUP)

/* Groups that have run in a sample at saturation. */
#define BENCH_GROUPS_RUN	2048

/* What an item computes, at saturation, and the one that takes the CPU. */
#define BENCH_DEVICE_WORK_NS	NSEC_PER_USEC
#define BENCH_TAKEN_NS		NSEC_PER_MSEC

/* Enough of /proc/stat. */
#define BENCH_STAT_SIZE		(256 * 1024)

/**
 * struct bench_line - the interrupt of one CPU
 * @timer: the interrupt
 * @member: its CPU's member; 0 for CPUs that do not submit
 * @set: it will come, or runs
 * @nr: groups that are complete
 * @groups: their first items
 *
 * Only the CPU itself uses it, with interrupts off.
 */
struct bench_line {
	struct hrtimer timer;
	unsigned int member;
	bool set;
	unsigned int nr;
	struct bench_item *groups[BENCH_GROUPS];
};

static DEFINE_PER_CPU(struct bench_line, bench_lines);

/**
 * struct bench_device - the device
 * @s: the service that it completes requests to
 * @items: the requests
 * @singly: one at a time
 * @from: just before that one was queued
 * @to_run: items of each group that have not run
 * @left: groups that have to run, less than 0 for the last ones
 * @out: groups in flight
 * @over: the one has run, or all have
 */
struct bench_device {
	struct bench_service *s;
	struct bench_item *items;
	bool singly;
	u64 from;
	atomic_t to_run[BENCH_GROUPS];
	atomic_t left;
	atomic_t out;
	struct completion over;
};

/* One sample at a time. */
static struct bench_device bench_device;

static enum hrtimer_restart bench_line_fn(struct hrtimer *timer)
{
	struct bench_line *line = container_of(timer, struct bench_line, timer);
	struct bench_device *dev = &bench_device;
	struct bench_item *group;

	if (dev->singly) {
		dev->from = ktime_get_ns();
		dev->s->queue(dev->items, 1, line->member);
		return HRTIMER_NORESTART;
	}
	group = line->groups[--line->nr];
	atomic_set(&dev->to_run[(group - dev->items) / BENCH_GROUP],
		   BENCH_GROUP);
	dev->s->queue(group, BENCH_GROUP, line->member);
	line->set = line->nr;
	if (!line->set)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(BENCH_DEVICE_NEXT_NS));
	return HRTIMER_RESTART;
}

/* Let this CPU's interrupt come in @ns. */
static void bench_line_start(u64 ns)
{
	preempt_disable();
	hrtimer_start(&this_cpu_ptr(&bench_lines)->timer, ns_to_ktime(ns),
		      HRTIMER_MODE_REL_PINNED_HARD);
	preempt_enable();
}

/* A group is given to the device, which completes it at once. */
static void bench_device_submit(struct bench_item *group)
{
	struct bench_line *line;
	unsigned long flags;

	local_irq_save(flags);
	line = this_cpu_ptr(&bench_lines);
	line->groups[line->nr++] = group;
	if (!line->set) {
		line->set = true;
		bench_line_start(0);
	}
	local_irq_restore(flags);
}

/* Let others run, where the kernel does not preempt after interrupts. */
static void bench_offer(void)
{
	preempt_disable();
	preempt_enable();
	cond_resched();
	cpu_relax();
}

/**
 * bench_finish() - the function of an item, with %BENCH_FINISH
 * @it: the item
 *
 * Context: whatever the service runs items in.
 */
void bench_finish(struct bench_item *it)
{
	struct bench_device *dev = &bench_device;
	u64 from = ktime_get_ns();
	unsigned int group;

	if (dev->singly) {
		it->stamp = from;
		complete(&dev->over);
		return;
	}
	while (ktime_get_ns() - from < BENCH_DEVICE_WORK_NS)
		cpu_relax();
	group = (it - dev->items) / BENCH_GROUP;
	if (!atomic_dec_and_test(&dev->to_run[group]))
		return;
	if (atomic_dec_return(&dev->left) >= 0)
		bench_device_submit(dev->items + group * BENCH_GROUP);
	else if (atomic_dec_and_test(&dev->out))
		complete(&dev->over);
}

/* ---- what takes CPUs ---- */

/**
 * struct bench_taker - what takes CPUs
 * @threads: threads that compute, by member
 * @q: the queue of an item that computes, if it is wsq's
 * @wq: likewise, if it is a workqueue
 * @wsq: the item, if its queue is wsq's
 * @work: the item, if not
 */
struct bench_taker {
	struct task_struct *threads[BENCH_MAX_CPUS];
	struct wsq *q;
	struct workqueue_struct *wq;
	struct wsq_work wsq;
	struct work_struct work;
};

static int bench_taker_thread(void *arg)
{
	while (!kthread_should_stop())
		bench_offer();
	return 0;
}

static void bench_taker_item(void)
{
	u64 from = ktime_get_ns();

	bench_line_start(BENCH_DEVICE_SOON_NS);
	while (ktime_get_ns() - from < BENCH_TAKEN_NS)
		bench_offer();
}

static void bench_taker_wsq(struct wsq_work *work)
{
	bench_taker_item();
}

static void bench_taker_work(struct work_struct *work)
{
	bench_taker_item();
}

static void bench_taker_end(struct bench_taker *t)
{
	unsigned int i;

	for (i = 0; i < BENCH_MAX_CPUS; i++)
		if (t->threads[i])
			kthread_stop(t->threads[i]);
	if (t->q)
		wsq_destroy(t->q);
	if (t->wq)
		destroy_workqueue(t->wq);
	kfree(t);
}

static int bench_taker_threads(struct bench_taker *t, unsigned int cpus)
{
	struct task_struct *task;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		task = kthread_create(bench_taker_thread, NULL,
				      "wsq_bench_busy/%u", bench_cpus[i]);
		if (IS_ERR(task))
			return PTR_ERR(task);
		t->threads[i] = task;
		kthread_bind(task, bench_cpus[i]);
		wake_up_process(task);
	}
	return 0;
}

static int bench_taker_queue(struct bench_taker *t,
			     const struct bench_service *s)
{
	struct wsq *q;

	if (strncmp(s->name, "wsq ", 4)) {
		INIT_WORK(&t->work, bench_taker_work);
		t->wq = alloc_workqueue("wsq_bench_taker", WSQ_WQ_PERCPU, 0);
		return t->wq ? 0 : -ENOMEM;
	}
	INIT_WSQ_WORK(&t->wsq, bench_taker_wsq);
	q = wsq_create(NULL, "wsq_bench_taker");
	if (IS_ERR(q))
		return PTR_ERR(q);
	t->q = q;
	return 0;
}

static int bench_taker_begin(struct bench_taker *t, const struct bench_case *c,
			     const struct bench_service *s)
{
	switch (c->batch) {
	case BENCH_LOADED:
		return bench_taker_threads(t, bench_nr_cpus);
	case BENCH_THREAD_TAKES:
		return bench_taker_threads(t, 1);
	case BENCH_ITEM_TAKES:
		return bench_taker_queue(t, s);
	default:
		return 0;
	}
}

/* ---- samples ---- */

/**
 * struct bench_completions - one sample
 * @taker: what takes CPUs
 * @lat: from the put to the start, ns
 * @spent: ns for all, at saturation
 * @switches: context switches of all CPUs, at saturation. %BENCH_NO_SAMPLE if
 *	not known.
 */
struct bench_completions {
	struct bench_taker *taker;
	u64 lat[BENCH_SINGLES];
	u64 spent;
	u64 switches;
};

/* Context switches of all CPUs since boot: modules cannot ask the scheduler. */
static u64 bench_switches(void)
{
	char *text = kvzalloc(BENCH_STAT_SIZE, GFP_KERNEL);
	u64 nr = BENCH_NO_SAMPLE;
	size_t len = 0;
	struct file *file;
	ssize_t got;
	loff_t at = 0;
	char *line;

	if (!text)
		return nr;
	file = filp_open("/proc/stat", O_RDONLY, 0);
	if (IS_ERR(file))
		goto free;
	do {
		got = kernel_read(file, text + len, BENCH_STAT_SIZE - 1 - len,
				  &at);
		len += max_t(ssize_t, got, 0);
	} while (got > 0 && len < BENCH_STAT_SIZE - 1);
	filp_close(file, NULL);
	line = strstr(text, "\nctxt ");
	if (!line || sscanf(line, "\nctxt %llu", &nr) != 1)
		nr = BENCH_NO_SAMPLE;
free:
	kvfree(text);
	return nr;
}

static void bench_singles_job(unsigned int member, void *arg)
{
	struct bench_completions *t = arg;
	struct bench_device *dev = &bench_device;
	struct bench_taker *taker = t->taker;
	unsigned int i;

	for (i = 0; i < BENCH_SINGLES; i++) {
		reinit_completion(&dev->over);
		if (taker->q)
			wsq_queue_work_on(bench_cpus[0], taker->q, &taker->wsq);
		else if (taker->wq)
			queue_work_on(bench_cpus[0], taker->wq, &taker->work);
		else
			bench_line_start(BENCH_DEVICE_NS);
		wait_for_completion(&dev->over);
		t->lat[i] = dev->items->stamp - dev->from;
		/* The function may not have returned yet. */
		dev->s->flush(member);
		if (taker->q)
			wsq_flush_work(&taker->wsq);
		else if (taker->wq)
			flush_work(&taker->work);
	}
}

static void bench_saturated_job(unsigned int member, void *arg)
{
	struct bench_completions *t = arg;
	struct bench_device *dev = &bench_device;
	u64 from = ktime_get_ns();
	unsigned int i;

	for (i = 0; i < BENCH_GROUPS; i++)
		bench_device_submit(dev->items + i * BENCH_GROUP);
	wait_for_completion(&dev->over);
	t->spent = ktime_get_ns() - from;
	dev->s->flush(member);
}

/*
 * The counter is read here, not by the team's thread: that has the first root
 * directory, where /proc may be missing.
 */
static int bench_saturated_run(struct bench_completions *t)
{
	u64 now, from = bench_switches();
	int ret = bench_team_run(1, bench_saturated_job, t);

	now = bench_switches();
	t->switches = from == BENCH_NO_SAMPLE || now == BENCH_NO_SAMPLE ?
		      BENCH_NO_SAMPLE : now - from;
	return ret;
}

static void bench_lines_init(void)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		struct bench_line *line = per_cpu_ptr(&bench_lines, cpu);

		wsq_hrtimer_setup(&line->timer, bench_line_fn, CLOCK_MONOTONIC,
				  HRTIMER_MODE_REL_PINNED_HARD);
		line->member = 0;
		line->set = false;
		line->nr = 0;
	}
	for (i = 0; i < bench_nr_cpus; i++)
		per_cpu_ptr(&bench_lines, bench_cpus[i])->member = i;
}

static void bench_completion_figures(const struct bench_case *c,
				     struct bench_completions *t, u64 *sample)
{
	u64 run = (u64)(BENCH_GROUPS_RUN + BENCH_GROUPS) * BENCH_GROUP;
	unsigned int i;

	for (i = 0; i < 5; i++)
		sample[i] = BENCH_NO_SAMPLE;
	if (c->batch == BENCH_SATURATED) {
		sample[3] = div64_u64(t->spent * 100, run);
		if (t->switches != BENCH_NO_SAMPLE)
			sample[4] = div64_u64(t->switches * 100 * 1000, run);
		return;
	}
	bench_sort(t->lat, BENCH_SINGLES);
	sample[0] = t->lat[BENCH_SINGLES / 2] * 100;
	sample[1] = t->lat[BENCH_SINGLES * 90 / 100] * 100;
	sample[2] = t->lat[BENCH_SINGLES * 99 / 100] * 100;
}

static int bench_completion_take(const struct bench_case *c,
				 struct bench_service *s,
				 struct bench_item *items, unsigned int nr,
				 u64 *sample)
{
	struct bench_completions *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct bench_device *dev = &bench_device;
	int ret = -ENOMEM;

	if (!t)
		return -ENOMEM;
	t->taker = kzalloc(sizeof(*t->taker), GFP_KERNEL);
	if (!t->taker)
		goto free;
	dev->s = s;
	dev->items = items;
	dev->singly = c->batch != BENCH_SATURATED;
	atomic_set(&dev->left, BENCH_GROUPS_RUN);
	atomic_set(&dev->out, BENCH_GROUPS);
	init_completion(&dev->over);
	bench_lines_init();
	s->prepare(items, dev->singly ? 1 : BENCH_DEVICE, BENCH_FINISH);
	ret = bench_taker_begin(t->taker, c, s);
	if (!ret)
		ret = dev->singly ? bench_team_run(1, bench_singles_job, t) :
				    bench_saturated_run(t);
	bench_taker_end(t->taker);
	if (!ret) {
		bench_completion_figures(c, t, sample);
		if (!s->clean(items, dev->singly ? 1 : BENCH_DEVICE))
			ret = -EIO;
	}
free:
	kfree(t);
	return ret;
}

static bool bench_completion_fits(const struct bench_case *c,
				  const struct bench_service *s)
{
	return s->only == &bench_completion || s == &bench_wsq_bwos_fifo ||
	       s == &bench_wsq_salsa || s == &bench_wsq_bwos_lifo ||
	       s == &bench_system_wq || s == &bench_unbound_wq ||
	       s == &bench_bh_wq || s == &bench_kthread_worker;
}

const struct bench_kind bench_completion = {
	.parts = { { ", p50", "ns" }, { ", p90", "ns" }, { ", p99", "ns" },
		   { ", time", "ns" },
		   { ", switches per 1000 items", "switches" } },
	.fits = bench_completion_fits,
	.take = bench_completion_take,
};
