// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the promise that no queued item waits behind a long one while
 * a CPU of the queue idles. One long item, ten short ones queued behind it on
 * the same CPU: all ten are done before the long one ends. The long item
 * computes, or sleeps, or a real-time thread keeps its worker off the CPU. If
 * the queue has only that CPU and the long item sleeps, a standby worker runs
 * the short ones. A CPU whose worker sleeps in an item counts as idle if
 * nothing waits behind the item.
 *
 * The long item queues the ten itself, or a thread that has preempted it does,
 * so they are right behind it in the same container. It ends when they are
 * done, or after a timeout that fails the test. The waits are printed, but not
 * checked.
 */
#include <linux/ktime.h>
#include <linux/sort.h>
#include <uapi/linux/wsq.h>

#include "../exec/exec.h"
#include "../exec/tenant.h"
#include "../obs/cpu_stats.h"
#include "items.h"

#define SHORT_ITEMS	10

/* How long the long item waits for the short ones at most, in ns. */
#define LONG_NS		WSQ_TEST_TIMEOUT_NS

struct short_item {
	struct wsq_work work;
	struct long_run *r;
	u64 queued;
	u64 began;
	int cpu;
};

/**
 * struct long_run - a long item and those behind it
 * @work: the long one
 * @q: the queue
 * @cpu: where the long one runs, and all others are queued
 * @sleeps: the long one sleeps
 * @yields: it computes, but yields to threads that preempt it. User-mode Linux
 *	does not preempt on return from an interrupt.
 * @alone: it queues none. A LIFO engine runs some of them first.
 * @entered: it runs
 * @all_done: the short ones have run
 * @done: how many have
 * @in_time: how many had when the long one ended
 * @over: the long one has ended
 * @items: the short ones
 */
struct long_run {
	struct wsq_work work;
	struct wsq *q;
	unsigned int cpu;
	bool sleeps;
	bool yields;
	bool alone;
	struct completion entered;
	struct completion all_done;
	atomic_t done;
	int in_time;
	struct completion over;
	struct short_item items[SHORT_ITEMS];
};

static void short_fn(struct wsq_work *work)
{
	struct short_item *s = container_of(work, struct short_item, work);
	struct long_run *r = s->r;

	s->began = ktime_get_ns();
	s->cpu = raw_smp_processor_id();
	if (atomic_inc_return(&r->done) == SHORT_ITEMS)
		complete_all(&r->all_done);
}

/* Queue the short items on this CPU, behind what is there. */
static void long_queue_short(struct long_run *r)
{
	int i;

	for (i = 0; i < SHORT_ITEMS; i++) {
		r->items[i].queued = ktime_get_ns();
		wsq_queue_work(r->q, &r->items[i].work);
	}
}

static void long_fn(struct wsq_work *work)
{
	struct long_run *r = container_of(work, struct long_run, work);
	u64 until = ktime_get_ns() + LONG_NS;

	/* The item may have been stolen before it began. */
	r->cpu = raw_smp_processor_id();
	if (!r->yields && !r->alone)
		long_queue_short(r);
	complete(&r->entered);
	if (r->sleeps)
		wait_for_completion_timeout(&r->all_done,
					    nsecs_to_jiffies(LONG_NS));
	while (!r->sleeps && atomic_read(&r->done) < SHORT_ITEMS &&
	       ktime_get_ns() < until) {
		cpu_relax();
		if (r->yields)
			wsq_test_yield();
	}
	r->in_time = atomic_read(&r->done);
	complete(&r->over);
}

static struct long_run *long_new(struct kunit *test, bool sleeps,
				 const struct cpumask *cpus, bool resident)
{
	struct long_run *r = kzalloc(sizeof(*r), GFP_KERNEL);
	struct wsq_attrs attrs = { .cpumask = cpus };
	int i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	/* The CPU least used by this thread and by the machine's own work. */
	r->cpu = cpumask_last(cpu_online_mask);
	if (resident)
		attrs.flags = WSQ_RESIDENT;
	r->q = wsq_test_queue_attrs(test, &attrs);
	r->sleeps = sleeps;
	init_completion(&r->entered);
	init_completion(&r->all_done);
	init_completion(&r->over);
	INIT_WSQ_WORK(&r->work, long_fn);
	for (i = 0; i < SHORT_ITEMS; i++) {
		INIT_WSQ_WORK(&r->items[i].work, short_fn);
		r->items[i].r = r;
		r->items[i].cpu = -1;
	}
	return r;
}

/* Called on @cpu, so that the long item goes to this CPU's container. */
static bool long_queue(void *arg)
{
	struct long_run *r = arg;

	return wsq_queue_work(r->q, &r->work);
}

static int long_cmp(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/*
 * Wait for the long item. All ten must have run in time, on other CPUs if this
 * one was busy. Prints how long they waited.
 */
static void long_expect(struct kunit *test, struct long_run *r,
			const char *what)
{
	u64 waits[SHORT_ITEMS];
	int i, elsewhere = 0;
	unsigned long left;

	left = wait_for_completion_timeout(&r->over, 2 * WSQ_TEST_TIMEOUT);
	KUNIT_ASSERT_NE_MSG(test, left, 0UL, "the long item does not end");
	KUNIT_EXPECT_EQ_MSG(test, r->in_time, SHORT_ITEMS,
			    "short items done when the long one ended");
	wsq_test_call(test, wsq_test_flush, r->q);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->done), SHORT_ITEMS);
	for (i = 0; i < SHORT_ITEMS; i++) {
		waits[i] = r->items[i].began - r->items[i].queued;
		elsewhere += r->items[i].cpu != r->cpu;
	}
	sort(waits, SHORT_ITEMS, sizeof(waits[0]), long_cmp, NULL);
	/* After a second the long item may have lost its CPU. */
	if (!r->sleeps && !r->alone &&
	    waits[SHORT_ITEMS - 1] < 900 * NSEC_PER_MSEC)
		KUNIT_EXPECT_EQ(test, elsewhere, SHORT_ITEMS);
	kunit_info(test, "%s: waits of %d items: least %llu us, median %llu us, most %llu us; %d ran on other CPUs",
		   what, SHORT_ITEMS, waits[0] / 1000,
		   waits[SHORT_ITEMS / 2] / 1000,
		   waits[SHORT_ITEMS - 1] / 1000, elsewhere);
}

static void long_end(struct kunit *test, struct long_run *r)
{
	wsq_test_queue_end(test, r->q);
	kfree(r);
}

static void long_try(struct kunit *test, bool sleeps,
		     const struct cpumask *cpus, const char *what)
{
	static const char * const memory[] = { "inbox", "engine" };
	int resident, turn;

	for (resident = 0; resident < 2; resident++) {
		for (turn = 0; turn < 3; turn++) {
			struct long_run *r = long_new(test, sleeps, cpus,
						      resident);
			struct wsq_test_call *call;
			char text[64];

			call = wsq_test_start_on(test, r->cpu, long_queue, r);
			KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
			snprintf(text, sizeof(text), "%s, %s", what,
				 memory[resident]);
			long_expect(test, r, text);
			long_end(test, r);
		}
	}
}

static void long_computes(struct kunit *test)
{
	wsq_test_need_cpus(test, 2);
	long_try(test, false, NULL, "behind one that computes");
}

static void long_sleeps(struct kunit *test)
{
	wsq_test_need_cpus(test, 2);
	long_try(test, true, NULL, "behind one that sleeps");
}

/* The queue has no other CPU: a standby worker of the same CPU runs them. */
static void long_sleeps_one_cpu(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct wsq_cpu_stats before, after;

	/* A CPU has workers only once a queue has used it. */
	wsq_test_queue_end(test, wsq_test_queue(test, 2, 2, NULL));
	wsq_stats_cpu(cpu, &before);
	long_try(test, true, cpumask_of(cpu), "behind one that sleeps, one CPU");
	wsq_stats_cpu(cpu, &after);
	KUNIT_EXPECT_GE(test, after.standbys - before.standbys, 1);
}

/* On an idle CPU, as one batch: the short items are behind the long one. */
static bool long_queue_many(void *arg)
{
	struct wsq_work *works[SHORT_ITEMS + 1];
	struct long_run *r = arg;
	int i;

	works[0] = &r->work;
	for (i = 0; i < SHORT_ITEMS; i++) {
		works[i + 1] = &r->items[i].work;
		r->items[i].queued = ktime_get_ns();
	}
	return wsq_queue_work_many(r->q, works, ARRAY_SIZE(works)) ==
	       ARRAY_SIZE(works);
}

/* No later put checks whether the worker makes progress. */
static void long_many(struct kunit *test)
{
	int turn;

	wsq_test_need_cpus(test, 2);
	for (turn = 0; turn < 4; turn++) {
		struct long_run *r = long_new(test, false, NULL, true);
		struct wsq_test_call *call;

		r->alone = true;
		call = wsq_test_start_on(test, r->cpu, long_queue_many, r);
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
		long_expect(test, r, "queued in one go with one that computes");
		long_end(test, r);
	}
}

/*
 * Behind an item that computes, while the worker of the only other CPU sleeps
 * in an item with nothing behind it.
 */
static void long_seeks(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask), other;
	struct wsq_test_call *call;
	struct wsq_test_gate *g;
	struct cpumask *cpus;
	struct long_run *r;
	int resident;

	wsq_test_need_cpus(test, 2);
	cpus = kzalloc(cpumask_size(), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cpus);
	other = wsq_test_other(cpu);
	cpumask_set_cpu(cpu, cpus);
	cpumask_set_cpu(other, cpus);
	for (resident = 0; resident < 2; resident++) {
		r = long_new(test, false, cpus, resident);
		g = wsq_test_gate(test, true);
		KUNIT_EXPECT_TRUE(test,
				  wsq_queue_work_on(other, r->q, &g->it.work));
		KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
		call = wsq_test_start_on(test, cpu, long_queue, r);
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
		KUNIT_ASSERT_NE(test, 0UL,
				wait_for_completion_timeout(&r->over,
							    2 * WSQ_TEST_TIMEOUT));
		/* long_expect() checks the rest, and waits for all. */
		complete(&r->over);
		wsq_test_gate_open(g);
		long_expect(test, r, "behind one that computes, beside one that sleeps");
		long_end(test, r);
		kfree(g);
	}
	kfree(cpus);
}

/* Items that sleep behind items that sleep: each worker is replaced in turn. */
static void long_sleeps_deep(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	struct wsq_test_gate *g[8];
	int i;

	for (i = 0; i < ARRAY_SIZE(g); i++) {
		g[i] = wsq_test_gate(test, true);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g[i]->it.work));
	}
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	/* None of them ends before all have begun. */
	for (i = 0; i < ARRAY_SIZE(g); i++)
		KUNIT_EXPECT_TRUE_MSG(test, wsq_test_gate_entered(g[i]),
				      "item %d", i);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&it->runs)));
	for (i = 0; i < ARRAY_SIZE(g); i++)
		wsq_test_gate_open(g[i]);
	wsq_test_queue_end(test, q);
	for (i = 0; i < ARRAY_SIZE(g); i++) {
		wsq_test_expect_runs(test, &g[i]->it, 1, 1);
		KUNIT_EXPECT_EQ(test, g[i]->it.cpu, (int)cpu);
		kfree(g[i]);
	}
	vfree(it);
}

/* A real-time thread that occupies a CPU. */
struct hog {
	struct long_run *r;
	int in_time;
};

static bool hog_fn(void *arg)
{
	struct hog *h = arg;
	u64 until = ktime_get_ns() + LONG_NS;

	sched_set_fifo(current);
	/* From here on the worker, with the items behind it, is off its CPU. */
	long_queue_short(h->r);
	while (atomic_read(&h->r->done) < SHORT_ITEMS && ktime_get_ns() < until)
		cpu_relax();
	h->in_time = atomic_read(&h->r->done);
	return true;
}

/* A hog occupies the CPU of @r until all short items are done. */
static void long_hog_run(struct kunit *test, struct long_run *r)
{
	struct hog *h = kzalloc(sizeof(*h), GFP_KERNEL);
	struct wsq_test_call *call;

	KUNIT_ASSERT_NOT_NULL(test, h);
	h->r = r;
	call = wsq_test_start_on(test, r->cpu, hog_fn, h);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ_MSG(test, h->in_time, SHORT_ITEMS,
			    "short items done when the hog ended");
	kfree(h);
}

/*
 * A thread that does not leave the CPU preempts a worker in the middle of an
 * item. Other CPUs run the items behind it before the hog ends.
 */
static void long_hog(struct kunit *test)
{
	int turn;

	wsq_test_need_cpus(test, 2);
	for (turn = 0; turn < 4; turn++) {
		struct long_run *r = long_new(test, false, NULL, turn & 1);
		struct wsq_test_call *call;

		r->yields = true;
		call = wsq_test_start_on(test, r->cpu, long_queue, r);
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
		KUNIT_ASSERT_TRUE(test,
				  wait_for_completion_timeout(&r->entered,
							      WSQ_TEST_TIMEOUT));
		long_hog_run(test, r);
		long_expect(test, r, turn & 1 ?
			    "behind a preempted worker, engine" :
			    "behind a preempted worker, inbox");
		long_end(test, r);
	}
}

/* The hog comes before the worker has woken up at all. */
static void long_hog_first(struct kunit *test)
{
	int turn;

	wsq_test_need_cpus(test, 2);
	for (turn = 0; turn < 4; turn++) {
		struct long_run *r = long_new(test, false, NULL, turn & 1);

		r->in_time = SHORT_ITEMS;
		complete(&r->over);
		long_hog_run(test, r);
		long_expect(test, r, turn & 1 ?
			    "on an occupied CPU, engine" :
			    "on an occupied CPU, inbox");
		long_end(test, r);
	}
}

/*
 * A CPU has one standby worker. When that is used, another is created. The
 * surplus worker ends after it has been idle for a while.
 */
static void long_spares(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct wsq_cpu *c = wsq_cpus[cpu];

	/* Wait until workers of earlier tests have ended. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(c->nr_workers) == 2));
	KUNIT_ASSERT_TRUE(test, wsq_queue_work_on(cpu, q, &g->it.work));
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, q, &it->work));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&it->runs)));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(c->nr_workers) >= 3));
	wsq_test_release(test, q, g);
	/* Nothing else triggers the maintenance work. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(c->nr_workers) == 2));
	wsq_test_queue_end(test, q);
	vfree(it);
}

/**
 * struct tenant_item - an item of a tenant's queue that computes until told
 * @work: the item
 * @q: its queue
 * @task: the worker that runs it; a reference
 * @entered: it runs
 * @over: it is to end
 */
struct tenant_item {
	struct wsq_work work;
	struct wsq *q;
	struct task_struct *task;
	struct completion entered;
	bool over;
};

static void tenant_fn(struct wsq_work *work)
{
	struct tenant_item *it = container_of(work, struct tenant_item, work);

	it->task = current;
	get_task_struct(current);
	complete(&it->entered);
	while (!READ_ONCE(it->over)) {
		cpu_relax();
		wsq_test_yield();
	}
}

/*
 * Each item of a tenant is detached because the next one waits, until there are
 * as many that compute on one CPU. Their workers count less and less there.
 */
static void long_tenants(struct kunit *test)
{
	/* The last one is current. */
	static const int nice[] = { 0, 5, 10, 15, 19, 19, 0 };
	unsigned int cpu = cpumask_last(cpu_online_mask);
	const struct wsq_attrs attrs = { .cpumask = cpumask_of(cpu) };
	enum { NR = ARRAY_SIZE(nice) };
	struct tenant_item *it;
	unsigned long left;
	int round, i;

	for (round = 0; round < 2; round++) {
		it = kcalloc(NR, sizeof(*it), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, it);
		for (i = 0; i < NR; i++) {
			INIT_WSQ_WORK(&it[i].work, tenant_fn);
			init_completion(&it[i].entered);
			it[i].q = wsq_tenant_create(&attrs, "away");
			KUNIT_ASSERT_FALSE(test, IS_ERR(it[i].q));
			KUNIT_EXPECT_TRUE(test, wsq_queue_work(it[i].q,
							       &it[i].work));
			left = wait_for_completion_timeout(&it[i].entered,
							   WSQ_TEST_TIMEOUT);
			KUNIT_ASSERT_NE(test, left, 0ul);
		}
		for (i = 0; i < NR; i++)
			KUNIT_EXPECT_EQ_MSG(test, task_nice(it[i].task),
					    nice[i], "item %d", i);
		for (i = 0; i < NR; i++)
			WRITE_ONCE(it[i].over, true);
		for (i = 0; i < NR; i++) {
			wsq_test_queue_end(test, it[i].q);
			KUNIT_EXPECT_TRUE(test,
					  wsq_test_until(!task_nice(it[i].task)));
			put_task_struct(it[i].task);
		}
		kfree(it);
	}
}

static struct kunit_case long_cases[] = {
	WSQ_ANY_ENGINE_CASE(long_computes),
	WSQ_ANY_ENGINE_CASE(long_many),
	WSQ_ANY_ENGINE_CASE(long_sleeps),
	WSQ_ANY_ENGINE_CASE(long_sleeps_one_cpu),
	WSQ_ANY_ENGINE_CASE(long_seeks),
	WSQ_ANY_ENGINE_CASE(long_sleeps_deep),
	WSQ_ANY_ENGINE_CASE(long_hog),
	WSQ_ANY_ENGINE_CASE(long_hog_first),
	WSQ_ENGINE_CASE_SLOW(long_spares),
	KUNIT_CASE(long_tenants),
	{}
};

static struct kunit_suite long_suite = {
	.name = "wsq_long",
	.test_cases = long_cases,
};

kunit_test_suite(long_suite);
