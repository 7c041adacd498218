/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests of the work service share: items that count their runs, gates that
 * hold a worker, and calls that must end.
 *
 * Every wait has a timeout (WSQ_TEST_TIMEOUT): a test that waits in vain fails
 * with a message. API functions that might hang are called in threads of their
 * own (wsq_test_start()); if such a thread hangs, what it uses is not freed.
 * Nothing else depends on time: tests run for a number of rounds. A race that
 * did not come in these rounds is a skip (wsq_test_met()). Tests that measure
 * time are slow cases (engines.h).
 */
#ifndef _WSQ_TESTS_ITEMS_H
#define _WSQ_TESTS_ITEMS_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wsq.h>

#include "../exec/exec.h"
#include "../exec/location.h"
#include "engines.h"
#include "threads.h"

/* Wait until @cond holds. False on timeout. */
#define wsq_test_until(cond)						\
({									\
	unsigned long __end = jiffies + WSQ_TEST_TIMEOUT;		\
	bool __ok;							\
									\
	while (!(__ok = (cond)) && time_before(jiffies, __end))		\
		schedule_timeout_uninterruptible(1);			\
	__ok;								\
})

/* Without sleeping, for conditions that hold soon. */
#define wsq_test_spin_until(cond)					\
({									\
	unsigned long __end = jiffies + WSQ_TEST_TIMEOUT;		\
	bool __ok;							\
									\
	while (!(__ok = (cond)) && time_before(jiffies, __end))		\
		wsq_test_yield();					\
	__ok;								\
})

/* Wait a while for what must not happen. */
static inline void wsq_test_linger(void)
{
	schedule_timeout_uninterruptible(HZ / 20 + 2);
}

/* Compute for @us microseconds. */
static inline void wsq_test_compute(unsigned int us)
{
	u64 end = ktime_get_ns() + us * (u64)NSEC_PER_USEC;

	while (ktime_get_ns() < end)
		cpu_relax();
}

/* Calls that must end. */

/**
 * struct wsq_test_call - a function called by a thread of its own
 * @fn: the function
 * @arg: its argument
 * @who: the thread
 * @nvcsw: the thread's voluntary context switches before the call
 * @begun: the thread is about to call @fn
 * @ret: what @fn returned
 * @over: @fn has returned
 */
struct wsq_test_call {
	bool (*fn)(void *arg);
	void *arg;
	struct task_struct *who;
	unsigned long nvcsw;
	bool begun;
	bool ret;
	struct completion over;
};

static inline int wsq_test_call_fn(void *data)
{
	struct wsq_test_call *call = data;

	call->nvcsw = READ_ONCE(current->nvcsw);
	/* Pairs with wsq_test_slept(). */
	smp_store_release(&call->begun, true);
	call->ret = call->fn(call->arg);
	kthread_complete_and_exit(&call->over, 0);
}

/* Call @fn(@arg) in a thread on @cpu, or on any CPU if negative. */
static inline struct wsq_test_call *
wsq_test_start_on(struct kunit *test, int cpu, bool (*fn)(void *arg), void *arg)
{
	struct wsq_test_call *call = kzalloc(sizeof(*call), GFP_KERNEL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, call);
	call->fn = fn;
	call->arg = arg;
	init_completion(&call->over);
	task = kthread_create(wsq_test_call_fn, call, "wsq_test_call");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	call->who = task;
	if (cpu >= 0)
		kthread_bind(task, cpu);
	wake_up_process(task);
	return call;
}

static inline struct wsq_test_call *
wsq_test_start(struct kunit *test, bool (*fn)(void *arg), void *arg)
{
	return wsq_test_start_on(test, -1, fn, arg);
}

/* Has it ended? Then wsq_test_end() does not wait. */
static inline bool wsq_test_over(struct wsq_test_call *call)
{
	return completion_done(&call->over);
}

/* Has it slept in the call? A thread about to sleep may check once more. */
static inline bool wsq_test_slept(struct wsq_test_call *call)
{
	/* Pairs with wsq_test_call_fn(). */
	return smp_load_acquire(&call->begun) &&
	       READ_ONCE(call->who->nvcsw) != call->nvcsw;
}

/* Wait until the call sleeps or has ended; then linger. */
static inline void wsq_test_waits(struct kunit *test, struct wsq_test_call *call)
{
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_test_over(call) ||
					       wsq_test_slept(call)));
	wsq_test_linger();
}

/* Wait until the call has ended, and return what it returned. */
static inline bool wsq_test_end(struct kunit *test, struct wsq_test_call *call)
{
	unsigned long left;
	bool ret;

	left = wait_for_completion_timeout(&call->over, WSQ_TEST_TIMEOUT);
	KUNIT_ASSERT_NE_MSG(test, left, 0UL, "%ps does not end", call->fn);
	ret = call->ret;
	put_task_struct(call->who);
	kfree(call);
	return ret;
}

/* Call @fn(@arg), which must end. */
static inline bool wsq_test_call(struct kunit *test, bool (*fn)(void *arg),
				 void *arg)
{
	return wsq_test_end(test, wsq_test_start(test, fn, arg));
}

static inline bool wsq_test_cancel(void *work)
{
	return wsq_cancel_work(work);
}

static inline bool wsq_test_cancel_sync(void *work)
{
	return wsq_cancel_work_sync(work);
}

static inline bool wsq_test_disable_sync(void *work)
{
	return wsq_disable_work_sync(work);
}

static inline bool wsq_test_flush_work(void *work)
{
	return wsq_flush_work(work);
}

static inline bool wsq_test_flush(void *q)
{
	wsq_flush(q);
	return true;
}

static inline bool wsq_test_drain(void *q)
{
	wsq_drain(q);
	return true;
}

static inline bool wsq_test_destroy(void *q)
{
	wsq_destroy(q);
	return true;
}

/* Queues. */

static inline struct wsq *wsq_test_queue_attrs(struct kunit *test,
					       const struct wsq_attrs *attrs)
{
	struct wsq *q = wsq_test_create(test, attrs, "test");

	KUNIT_ASSERT_FALSE(test, IS_ERR(q));
	return q;
}

/* A queue of @blocks by @size with memory, on @mask; %NULL: all CPUs. */
static inline struct wsq *wsq_test_queue(struct kunit *test, u32 blocks,
					 u32 size, const struct cpumask *mask)
{
	struct wsq_attrs attrs = {
		.blocks = blocks,
		.block_size = size,
		.flags = WSQ_RESIDENT,
		.cpumask = mask,
	};

	return wsq_test_queue_attrs(test, &attrs);
}

/* An online CPU that is not @cpu; @cpu if there is no other. */
static inline unsigned int wsq_test_other(unsigned int cpu)
{
	unsigned int other = cpumask_any_but(cpu_online_mask, cpu);

	return other < nr_cpu_ids ? other : cpu;
}

/* lockdep_kunit.c: the module's parameter "provoke". */
extern char *wsq_test_provoke;

/* Go on only if this case was asked for: it provokes a report. */
static inline void wsq_test_provoked(struct kunit *test)
{
	if (strcmp(wsq_test_provoke, test->name))
		kunit_skip(test, "one report in a boot: tools/check/lockdep");
}

static inline void wsq_test_need_cpus(struct kunit *test, unsigned int nr)
{
	if (num_online_cpus() < nr)
		kunit_skip(test, "needs %u CPUs", nr);
}

/* Stay on @cpu from here on; wsq_test_roam() ends it. */
static inline void wsq_test_stay(struct kunit *test, unsigned int cpu)
{
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
}

static inline void wsq_test_roam(void)
{
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* Items. */

/**
 * struct wsq_test_item - an item that counts
 * @work: the item
 * @q: a queue, for functions that queue
 * @again: how often it requeues itself, negative: always
 * @id: its number
 * @runs: how often it began
 * @inside: how many run it now
 * @twice: how often it ran concurrently with itself
 * @cpu: where it ran last, -1 before
 * @total: incremented by each run as well, if not %NULL
 */
struct wsq_test_item {
	struct wsq_work work;
	struct wsq *q;
	int again;
	int id;
	atomic_t runs;
	atomic_t inside;
	atomic_t twice;
	int cpu;
	atomic_t *total;
};

static inline struct wsq_test_item *wsq_test_item_of(struct wsq_work *work)
{
	return container_of(work, struct wsq_test_item, work);
}

static inline void wsq_test_enter(struct wsq_test_item *it)
{
	if (atomic_inc_return(&it->inside) != 1)
		atomic_inc(&it->twice);
	atomic_inc(&it->runs);
	WRITE_ONCE(it->cpu, raw_smp_processor_id());
}

static inline void wsq_test_leave(struct wsq_test_item *it)
{
	atomic_t *total = it->total;

	atomic_dec(&it->inside);
	if (total)
		atomic_inc(total);
}

static inline void wsq_test_count(struct wsq_work *work)
{
	struct wsq_test_item *it = wsq_test_item_of(work);

	wsq_test_enter(it);
	wsq_test_leave(it);
}

/* Requeues itself @again times. */
static inline void wsq_test_repeat(struct wsq_work *work)
{
	struct wsq_test_item *it = wsq_test_item_of(work);
	int again = READ_ONCE(it->again);

	wsq_test_enter(it);
	if (again > 0)
		WRITE_ONCE(it->again, again - 1);
	if (again)
		wsq_queue_work(it->q, work);
	wsq_test_leave(it);
}

static inline void wsq_test_item_init(struct wsq_test_item *it, struct wsq *q,
				      wsq_func_t fn)
{
	memset(it, 0, sizeof(*it));
	INIT_WSQ_WORK(&it->work, fn);
	it->q = q;
	it->cpu = -1;
}

/* Freed by vfree(). */
static inline struct wsq_test_item *wsq_test_items(struct kunit *test,
						   struct wsq *q, int nr,
						   wsq_func_t fn)
{
	struct wsq_test_item *items = vzalloc(array_size(nr, sizeof(*items)));
	int i;

	KUNIT_ASSERT_NOT_NULL(test, items);
	for (i = 0; i < nr; i++) {
		wsq_test_item_init(&items[i], q, fn);
		items[i].id = i;
	}
	return items;
}

/* Where a pending item is. May change at once unless a gate holds the item. */
static inline enum wsq_kind wsq_test_kind(const struct wsq_work *work)
{
	return wsq_location_kind(READ_ONCE(work->link.where));
}

/* Gates. */

/**
 * struct wsq_test_gate - an item that holds its worker
 * @it: the item
 * @open: it may end
 * @sleeps: it sleeps; otherwise it computes, and hides the time from the
 *	watchdog, so that no standby worker takes over
 * @firm: it computes with preemption off, so that no standby worker can run on
 *	its CPU. For short times, while the test runs on another CPU
 * @entered: it runs
 * @leave: it may end, for one that sleeps
 */
struct wsq_test_gate {
	struct wsq_test_item it;
	bool open;
	bool sleeps;
	bool firm;
	struct completion entered;
	struct completion leave;
};

/* Called by an item that computes for long: hides that from the watchdog. */
static inline void wsq_test_stay_young(void)
{
	const struct wsq_worker *w = kthread_data(current);
	struct wsq_cpu *c = wsq_worker_cpu(w);

	local_irq_disable();
	if (!WARN_ON_ONCE(c->worker != w)) {
		c->watchdog.worker = w;
		c->watchdog.seen = READ_ONCE(w->nr_run);
		c->watchdog.since = ktime_get_mono_fast_ns() + 3600 * NSEC_PER_SEC;
	}
	local_irq_enable();
}

static inline void wsq_test_gate_fn(struct wsq_work *work)
{
	struct wsq_test_gate *g = container_of(work, struct wsq_test_gate,
					       it.work);

	wsq_test_enter(&g->it);
	if (!g->sleeps)
		wsq_test_stay_young();
	complete(&g->entered);
	if (g->sleeps)
		wait_for_completion(&g->leave);
	if (g->firm) {
		preempt_disable();
		while (!READ_ONCE(g->open))
			cpu_relax();
		preempt_enable();
	}
	while (!READ_ONCE(g->open)) {
		wsq_test_yield();
		cpu_relax();
	}
	wsq_test_leave(&g->it);
}

/* A gate; freed by kfree() once its queue is flushed. */
static inline struct wsq_test_gate *wsq_test_gate(struct kunit *test,
						  bool sleeps)
{
	struct wsq_test_gate *g = kzalloc(sizeof(*g), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, g);
	wsq_test_item_init(&g->it, NULL, wsq_test_gate_fn);
	init_completion(&g->entered);
	init_completion(&g->leave);
	g->sleeps = sleeps;
	return g;
}

static inline void wsq_test_gate_open(struct wsq_test_gate *g)
{
	WRITE_ONCE(g->open, true);
	complete_all(&g->leave);
}

/* Wait until its function runs. */
static inline bool wsq_test_gate_entered(struct wsq_test_gate *g)
{
	return wait_for_completion_timeout(&g->entered, WSQ_TEST_TIMEOUT);
}

/* Begin a gate on @cpu. */
static inline void wsq_test_gate_begin(struct kunit *test, struct wsq *q,
				       int cpu, struct wsq_test_gate *g)
{
	KUNIT_ASSERT_TRUE(test, wsq_queue_work_on(cpu, q, &g->it.work));
	KUNIT_ASSERT_TRUE_MSG(test, wsq_test_gate_entered(g),
			      "no worker comes on CPU %d", cpu);
	KUNIT_ASSERT_EQ(test, READ_ONCE(g->it.cpu), cpu);
}

/*
 * Hold @cpu with an item of @q that computes. Items of @q behind it wait, and
 * those of other queues wait for a while.
 */
static inline struct wsq_test_gate *wsq_test_hold(struct kunit *test,
						  struct wsq *q, int cpu)
{
	struct wsq_test_gate *g = wsq_test_gate(test, false);

	wsq_test_gate_begin(test, q, cpu, g);
	return g;
}

/* Items of all queues wait. The caller stays on another CPU. */
static inline struct wsq_test_gate *wsq_test_hold_firmly(struct kunit *test,
							 struct wsq *q, int cpu)
{
	struct wsq_test_gate *g = wsq_test_gate(test, false);

	g->firm = true;
	wsq_test_gate_begin(test, q, cpu, g);
	return g;
}

/* Open a gate, wait until all items of @q have run, and free the gate. */
static inline void wsq_test_release(struct kunit *test, struct wsq *q,
				    struct wsq_test_gate *g)
{
	wsq_test_gate_open(g);
	wsq_test_call(test, wsq_test_flush, q);
	kfree(g);
}

/* CPU time of the current workers; standby workers come and go. */
static inline u64 wsq_test_workers_time(void)
{
	unsigned int cpu;
	u64 sum = 0;

	mutex_lock(&wsq_workers_lock);
	for_each_online_cpu(cpu) {
		const struct wsq_worker *w = READ_ONCE(wsq_cpus[cpu]->worker);

		if (w)
			sum += READ_ONCE(w->task->se.sum_exec_runtime);
	}
	mutex_unlock(&wsq_workers_lock);
	return sum;
}

/* Destroy a queue. This must end. */
static inline void wsq_test_queue_end(struct kunit *test, struct wsq *q)
{
	wsq_test_call(test, wsq_test_destroy, q);
}

/* No item ran concurrently with itself, and each ran @runs times. */
static inline void wsq_test_expect_runs(struct kunit *test,
					struct wsq_test_item *items, int nr,
					int runs)
{
	int i;

	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&items[i].runs), runs,
				    "item %d", i);
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&items[i].twice), 0,
				    "item %d ran concurrently with itself", i);
	}
}

#endif /* _WSQ_TESTS_ITEMS_H */
