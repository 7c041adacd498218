// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of work items: queueing one while it is pending, while it runs,
 * and when its memory becomes another item; waiting for one; disabling one.
 * Cancelling is in cancel_kunit.c.
 */
#include <linux/delay.h>
#include <linux/random.h>

#include "items.h"

static unsigned int here_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

/* True if newly queued, false while pending. It runs once for each true. */
static void work_true_false(struct kunit *test)
{
	unsigned int cpu = here_cpu();
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_gate *g = wsq_test_hold(test, q, cpu);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);

	KUNIT_EXPECT_FALSE(test, wsq_work_pending(&it->work));
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&it->work), 0);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work(q, &it->work));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work_on(cpu, q, &it->work));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work_node(NUMA_NO_NODE, q,
						     &it->work));
	KUNIT_EXPECT_TRUE(test, wsq_work_pending(&it->work));
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&it->work), WSQ_BUSY_PENDING);
	/* The gate runs, and may be queued again, once. */
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&g->it.work), WSQ_BUSY_RUNNING);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g->it.work));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work(q, &g->it.work));
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&g->it.work),
			WSQ_BUSY_RUNNING | WSQ_BUSY_PENDING);
	wsq_test_gate_open(g);
	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_expect_runs(test, it, 1, 1);
	wsq_test_expect_runs(test, &g->it, 1, 2);
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&it->work), 0);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	wsq_test_queue_end(test, q);
	wsq_test_expect_runs(test, it, 1, 2);
	vfree(it);
	kfree(g);
}

/* Statically initialized items. */
static void work_static_fn(struct wsq_work *work);
static DECLARE_WSQ_WORK(work_static_item, work_static_fn);
static DECLARE_WSQ_DELAYED_WORK(work_static_delayed, work_static_fn);
static atomic_t work_static_runs;

static void work_static_fn(struct wsq_work *work)
{
	atomic_inc(&work_static_runs);
}

static void work_compiled(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_work onstack;
	int i;

	atomic_set(&work_static_runs, 0);
	INIT_WSQ_WORK_ONSTACK(&onstack, work_static_fn);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &work_static_item));
		KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &work_static_delayed,
							       i));
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &onstack));
		wsq_flush_work(&work_static_item);
		wsq_flush_delayed_work(&work_static_delayed);
		wsq_flush_work(&onstack);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&work_static_runs), 9);
	wsq_test_queue_end(test, q);
	wsq_destroy_work_on_stack(&onstack);
}

struct visible {
	struct wsq_work work;
	u64 told;
	u64 seen;
	u64 runs;
};

static void visible_fn(struct wsq_work *work)
{
	struct visible *v = container_of(work, struct visible, work);

	/* Plain on purpose: only the queueing call orders it. */
	WRITE_ONCE(v->seen, READ_ONCE(v->told));
	WRITE_ONCE(v->runs, v->runs + 1);
}

/*
 * The function sees what was written before the queueing call. That holds also
 * if the call found the item pending: the coming run sees it.
 */
static void work_visible(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct visible *v = kunit_kzalloc(test, sizeof(*v), GFP_KERNEL);
	u64 refused = 0, queued = 0, last_refused = 0;
	u32 seed = 1;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, v);
	INIT_WSQ_WORK(&v->work, visible_fn);
	for (i = 1; i <= 20000; i++) {
		int cpu;

		seed = seed * 1103515245 + 12345;
		cpu = seed >> 16 & 1 ? here_cpu() : wsq_test_other(here_cpu());
		WRITE_ONCE(v->told, i);
		if (wsq_queue_work_on(cpu, q, &v->work)) {
			queued++;
		} else {
			refused++;
			last_refused = i;
		}
		/* Now and then check that a run has seen the write. */
		if (seed >> 20 & 15)
			continue;
		if (!wsq_test_spin_until(READ_ONCE(v->seen) >= last_refused))
			break;
	}
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_EXPECT_EQ(test, v->seen, v->told);
	KUNIT_EXPECT_EQ(test, v->told, 20000);
	KUNIT_EXPECT_EQ(test, v->runs, queued);
	KUNIT_EXPECT_GT(test, refused, 0);
	wsq_test_queue_end(test, q);
}

/* Requeued by its own function: one run each time, never concurrent. */
static void work_requeue_self(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 2, NULL);
	struct wsq_test_item *items = wsq_test_items(test, q, 8,
						     wsq_test_repeat);
	int i;

	for (i = 0; i < 8; i++) {
		items[i].again = 999;
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[i].work));
	}
	wsq_test_call(test, wsq_test_drain, q);
	wsq_test_expect_runs(test, items, 8, 1000);
	wsq_test_queue_end(test, q);
	vfree(items);
}

/* From another CPU while it runs: not concurrent, exactly once afterwards. */
static void work_requeue_elsewhere(struct kunit *test)
{
	unsigned int cpu = here_cpu(), other = wsq_test_other(cpu);
	int kind = WSQ_NOWHERE;
	struct wsq_test_gate *g;
	struct wsq *q;

	wsq_test_need_cpus(test, 2);
	q = wsq_test_queue(test, 2, 4, NULL);
	g = wsq_test_hold(test, q, cpu);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(other, q, &g->it.work));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work_on(other, q, &g->it.work));
	/* The other CPU's worker takes it, and leaves it where it runs. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until((kind = wsq_test_kind(&g->it.work)) ==
					       WSQ_DEFERRED));
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, kind, WSQ_DEFERRED);
	KUNIT_EXPECT_EQ(test, atomic_read(&g->it.runs), 1);
	KUNIT_EXPECT_TRUE(test, wsq_work_pending(&g->it.work));
	wsq_test_gate_open(g);
	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_expect_runs(test, &g->it, 1, 2);
	wsq_test_queue_end(test, q);
	kfree(g);
}

/* Queue @g, which runs on @from, on @cpu while it runs. It then runs there. */
static void bound_again(struct kunit *test, struct wsq *q, struct wsq *other,
			unsigned int from, unsigned int cpu, bool sleeps)
{
	struct wsq_test_gate *g = wsq_test_gate(test, sleeps), *hold;
	u64 where = 0;

	wsq_test_gate_begin(test, q, from, g);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, q, &g->it.work));
	/* A worker of @cpu takes it, and leaves it where it runs. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_test_kind(&g->it.work) ==
					       WSQ_DEFERRED));
	/* No worker there takes it once more. */
	hold = wsq_test_hold(test, other, cpu);
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_test_until((where = READ_ONCE(g->it.work.link.where),
						wsq_location_kind(where) != WSQ_DEFERRED &&
						wsq_location_kind(where) != WSQ_NOWHERE) ||
					       atomic_read(&g->it.runs) > 1));
	KUNIT_EXPECT_EQ(test, atomic_read(&g->it.runs), 1);
	KUNIT_EXPECT_TRUE(test, wsq_location_bound(where));
	KUNIT_EXPECT_EQ(test, wsq_location_cpu(where), cpu);
	wsq_test_release(test, other, hold);
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_EXPECT_EQ(test, READ_ONCE(g->it.cpu), (int)cpu);
	wsq_test_expect_runs(test, &g->it, 1, 2);
	kfree(g);
}

/* An item that is bound to a CPU while it runs stays bound to it. */
static void work_bound_again(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	unsigned int from = wsq_test_other(cpu);
	struct wsq *other = wsq_test_queue(test, 2, 4, NULL);
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);

	wsq_test_need_cpus(test, 2);
	/* It sleeps, and a standby worker takes it. */
	bound_again(test, q, other, cpu, cpu, true);
	/* It is on another CPU. */
	bound_again(test, q, other, from, cpu, true);
	bound_again(test, q, other, from, cpu, false);
	wsq_test_queue_end(test, q);
	wsq_test_queue_end(test, other);
}

#define HAMMER_ITEMS	5
#define HAMMER_ROUNDS	WSQ_TEST_MANY(20000)

struct hammer {
	struct wsq *q[2];
	struct wsq_test_item *items;
	atomic_t queued[HAMMER_ITEMS];
};

static void hammer_fn(struct wsq_work *work)
{
	struct wsq_test_item *it = wsq_test_item_of(work);
	int i;

	wsq_test_enter(it);
	for (i = 0; i < (it->id & 3) * 20; i++)
		cpu_relax();
	wsq_test_leave(it);
}

static void hammer_thread(void *arg, int nr)
{
	struct hammer *h = arg;
	u32 seed = nr + 1;
	int i;

	for (i = 0; i < HAMMER_ROUNDS; i++) {
		struct wsq *q;
		int k, cpu = WSQ_CPU_ANY;

		seed = seed * 1103515245 + 12345;
		k = (seed >> 16) % HAMMER_ITEMS;
		q = h->q[seed >> 26 & 1];
		if (seed >> 27 & 1)
			cpu = wsq_test_other(raw_smp_processor_id());
		if (wsq_queue_work_on(cpu, q, &h->items[k].work))
			atomic_inc(&h->queued[k]);
		if (!(seed >> 20 & 31))
			wsq_test_yield();
	}
}

/*
 * A few items queued from all CPUs to all CPUs, to two queues in turn, running
 * or not: as many runs as puts that returned true, none concurrent.
 */
static void work_hammer(struct kunit *test)
{
	struct hammer *h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, h);
	h->q[0] = wsq_test_queue(test, 2, 4, NULL);
	h->q[1] = wsq_test_queue(test, 4, 2, NULL);
	h->items = wsq_test_items(test, NULL, HAMMER_ITEMS, hammer_fn);
	wsq_test_run(test, 2 * num_online_cpus(), hammer_thread, h);
	for (i = 0; i < 2; i++)
		wsq_test_call(test, wsq_test_flush, h->q[i]);
	for (i = 0; i < HAMMER_ITEMS; i++)
		wsq_test_expect_runs(test, &h->items[i], 1,
				     atomic_read(&h->queued[i]));
	for (i = 0; i < 2; i++)
		wsq_test_queue_end(test, h->q[i]);
	vfree(h->items);
}

struct reuse {
	struct wsq *q;
	struct completion second_ran;
	struct completion first_over;
	bool in_time;
	bool flushed;
	bool cancelled;
	unsigned int wrong;
};

struct reuse_item {
	struct wsq_work work;
	struct reuse *r;
};

static void reuse_second(struct wsq_work *work)
{
	struct reuse *r = container_of(work, struct reuse_item, work)->r;

	complete(&r->second_ran);
}

/* As if it freed itself: nothing of the first item is left. */
static void reuse_first(struct wsq_work *work)
{
	struct reuse_item *it = container_of(work, struct reuse_item, work);
	struct reuse *r = it->r;

	memset(it, 0x6b, sizeof(*it));
	it->r = r;
	INIT_WSQ_WORK(&it->work, reuse_second);
	if (!wsq_queue_work(r->q, &it->work))
		r->wrong++;
	/* It runs although this function, at the same address, still does. */
	r->in_time = wait_for_completion_timeout(&r->second_ran,
						 WSQ_TEST_TIMEOUT);
	/* It has ended and is not mistaken for this run: no waiting. */
	wsq_flush_work(&it->work);
	r->flushed = true;
	r->cancelled = wsq_cancel_work_sync(&it->work);
	memset(it, 0x6b, sizeof(*it));
	complete(&r->first_over);
}

/*
 * A function may free its item, and the memory may become another item at once.
 * That one does not wait for the first and is not mistaken for it.
 */
static void work_reuse_memory(struct kunit *test)
{
	struct reuse *r = kzalloc(sizeof(*r), GFP_KERNEL);
	struct reuse_item *it = kzalloc(sizeof(*it), GFP_KERNEL);
	unsigned long left;

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_ASSERT_NOT_NULL(test, it);
	r->q = wsq_test_queue(test, 2, 4, NULL);
	init_completion(&r->second_ran);
	init_completion(&r->first_over);
	it->r = r;
	INIT_WSQ_WORK(&it->work, reuse_first);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(r->q, &it->work));
	left = wait_for_completion_timeout(&r->first_over,
					   2 * WSQ_TEST_TIMEOUT);
	KUNIT_ASSERT_NE_MSG(test, left, 0UL,
			    "in the first function: ran %d flushed %d",
			    r->in_time, r->flushed);
	KUNIT_EXPECT_TRUE(test, r->in_time);
	KUNIT_EXPECT_FALSE(test, r->cancelled);
	KUNIT_EXPECT_EQ(test, r->wrong, 0);
	wsq_test_queue_end(test, r->q);
	kfree(it);
	kfree(r);
}

#define CHAIN_LENGTH	WSQ_TEST_MANY(3000)

struct chain {
	struct wsq *q;
	atomic_t left;
	atomic_t ran;
	atomic_t failed;
};

struct chain_item {
	struct wsq_work work;
	struct chain *chain;
};

/* Each frees itself and queues a new one, very likely at the same address. */
static void chain_fn(struct wsq_work *work)
{
	struct chain_item *it = container_of(work, struct chain_item, work);
	struct chain *chain = it->chain;

	atomic_inc(&chain->ran);
	memset(it, 0x6b, sizeof(*it));
	kfree(it);
	if (atomic_dec_return(&chain->left) < 0)
		return;
	it = kmalloc(sizeof(*it), GFP_KERNEL);
	if (!it) {
		atomic_inc(&chain->failed);
		return;
	}
	it->chain = chain;
	INIT_WSQ_WORK(&it->work, chain_fn);
	wsq_queue_work(chain->q, &it->work);
}

static void work_free_chain(struct kunit *test)
{
	struct chain *chain = kunit_kzalloc(test, sizeof(*chain), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, chain);
	chain->q = wsq_test_queue(test, 2, 2, NULL);
	atomic_set(&chain->left, CHAIN_LENGTH);
	for (i = 0; i < 10; i++) {
		struct chain_item *it = kmalloc(sizeof(*it), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, it);
		it->chain = chain;
		INIT_WSQ_WORK(&it->work, chain_fn);
		wsq_queue_work(chain->q, &it->work);
	}
	wsq_test_queue_end(test, chain->q);
	KUNIT_EXPECT_EQ(test, atomic_read(&chain->ran),
			CHAIN_LENGTH + 10 - atomic_read(&chain->failed));
}

/* Idle: false. Pending: true when it has run. Running: true when over. */
static void work_flush(struct kunit *test)
{
	unsigned int cpu = here_cpu();
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	struct wsq_test_call *pending, *running;
	struct wsq_test_gate *g;

	KUNIT_EXPECT_FALSE(test, wsq_test_call(test, wsq_test_flush_work,
					       &it->work));
	g = wsq_test_hold(test, q, cpu);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	pending = wsq_test_start(test, wsq_test_flush_work, &it->work);
	running = wsq_test_start(test, wsq_test_flush_work, &g->it.work);
	wsq_test_waits(test, pending);
	wsq_test_waits(test, running);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(pending));
	KUNIT_EXPECT_FALSE(test, wsq_test_over(running));
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, running));
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, pending));
	wsq_test_expect_runs(test, it, 1, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&it->inside), 0);
	KUNIT_EXPECT_FALSE(test, wsq_test_call(test, wsq_test_flush_work,
					       &it->work));
	wsq_test_queue_end(test, q);
	vfree(it);
	kfree(g);
}

/* A flush of a pending item ends when the item is cancelled. */
static void work_flush_cancelled(struct kunit *test)
{
	unsigned int cpu = here_cpu();
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_gate *g = wsq_test_hold(test, q, cpu);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	struct wsq_test_call *call[3];
	int i;

	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	for (i = 0; i < ARRAY_SIZE(call); i++)
		call[i] = wsq_test_start(test, wsq_test_flush_work, &it->work);
	for (i = 0; i < ARRAY_SIZE(call); i++)
		wsq_test_waits(test, call[i]);
	for (i = 0; i < ARRAY_SIZE(call); i++)
		KUNIT_EXPECT_FALSE(test, wsq_test_over(call[i]));
	KUNIT_EXPECT_TRUE(test, wsq_test_call(test, wsq_test_cancel, &it->work));
	/* The gate is still closed. */
	for (i = 0; i < ARRAY_SIZE(call); i++)
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call[i]));
	wsq_test_release(test, q, g);
	wsq_test_expect_runs(test, it, 1, 0);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* Queued while it runs, then flushed: the flush waits for the new run. */
static void work_flush_queued_again(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_gate *g = wsq_test_hold(test, q, here_cpu());
	struct wsq_test_call *call;

	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g->it.work));
	call = wsq_test_start(test, wsq_test_flush_work, &g->it.work);
	wsq_test_waits(test, call);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	wsq_test_expect_runs(test, &g->it, 1, 2);
	wsq_test_queue_end(test, q);
	kfree(g);
}

/* An item that always requeues itself: a flush does not wait for later runs. */
static void work_flush_endless(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_repeat);
	atomic_t over = ATOMIC_INIT(0);
	int i, begun;

	it->again = -1;
	it->total = &over;
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	for (i = 0; i < 20; i++) {
		begun = atomic_read(&it->runs);
		KUNIT_EXPECT_TRUE(test, wsq_test_call(test, wsq_test_flush_work,
						      &it->work));
		/* Runs that had begun before the flush are over. */
		KUNIT_EXPECT_GE(test, atomic_read(&over), begun);
		wsq_test_call(test, wsq_test_flush, q);
	}
	wsq_test_call(test, wsq_test_cancel_sync, &it->work);
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&it->work), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&it->twice), 0);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* Disabled twice, enabled twice; every put in between is refused. */
static void work_disable(struct kunit *test)
{
	unsigned int cpu = here_cpu();
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_gate *g = wsq_test_hold(test, q, cpu);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	struct wsq_work *works[1] = { &it->work };

	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	KUNIT_EXPECT_TRUE(test, wsq_disable_work(&it->work));
	KUNIT_EXPECT_FALSE(test, wsq_work_pending(&it->work));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work(q, &it->work));
	KUNIT_EXPECT_FALSE(test, wsq_disable_work(&it->work));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work_on(cpu, q, &it->work));
	KUNIT_EXPECT_FALSE(test, wsq_enable_work(&it->work));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work_node(0, q, &it->work));
	KUNIT_EXPECT_EQ(test, wsq_queue_work_many(q, works, 1), 0);
	KUNIT_EXPECT_FALSE(test, wsq_cancel_work(&it->work));
	KUNIT_EXPECT_FALSE(test, wsq_work_pending(&it->work));
	KUNIT_EXPECT_TRUE(test, wsq_enable_work(&it->work));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	wsq_test_release(test, q, g);
	wsq_test_expect_runs(test, it, 1, 1);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* Any depth is counted. */
static void work_disable_deep(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	int i;

	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_FALSE(test, wsq_disable_work(&it->work));
	for (i = 0; i < 999; i++) {
		KUNIT_ASSERT_FALSE(test, wsq_enable_work(&it->work));
		KUNIT_ASSERT_FALSE(test, wsq_queue_work(q, &it->work));
	}
	KUNIT_EXPECT_TRUE(test, wsq_enable_work(&it->work));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	wsq_test_queue_end(test, q);
	wsq_test_expect_runs(test, it, 1, 1);
	vfree(it);
}

/*
 * Disabled while it runs: the call waits for the run. The item cannot requeue
 * itself, and stays disabled afterwards.
 */
static void work_disable_running(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_gate *g = wsq_test_hold(test, q, here_cpu());
	struct wsq_test_call *call;

	KUNIT_EXPECT_FALSE(test, wsq_disable_work(&g->it.work));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work(q, &g->it.work));
	call = wsq_test_start(test, wsq_test_disable_sync, &g->it.work);
	wsq_test_waits(test, call);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	wsq_test_gate_open(g);
	KUNIT_EXPECT_FALSE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, atomic_read(&g->it.inside), 0);
	KUNIT_EXPECT_FALSE(test, wsq_queue_work(q, &g->it.work));
	KUNIT_EXPECT_FALSE(test, wsq_enable_work(&g->it.work));
	KUNIT_EXPECT_TRUE(test, wsq_enable_work(&g->it.work));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g->it.work));
	wsq_test_queue_end(test, q);
	wsq_test_expect_runs(test, &g->it, 1, 2);
	kfree(g);
}

/* Pending and running at once: cancelled, waited for, true. */
static void work_disable_both(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_gate *g = wsq_test_hold(test, q, here_cpu());
	struct wsq_test_call *call;

	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g->it.work));
	call = wsq_test_start(test, wsq_test_disable_sync, &g->it.work);
	wsq_test_waits(test, call);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_FALSE(test, wsq_work_pending(&g->it.work));
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_TRUE(test, wsq_enable_work(&g->it.work));
	wsq_test_queue_end(test, q);
	wsq_test_expect_runs(test, &g->it, 1, 1);
	kfree(g);
}

static struct wsq_work *current_work_seen[2];

static void current_work_fn(struct wsq_work *work)
{
	current_work_seen[0] = work;
	current_work_seen[1] = wsq_current_work();
}

static void work_current(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_work *work = kunit_kzalloc(test, sizeof(*work), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, work);
	INIT_WSQ_WORK(work, current_work_fn);
	wsq_queue_work(q, work);
	wsq_test_queue_end(test, q);
	KUNIT_EXPECT_PTR_EQ(test, current_work_seen[0], work);
	KUNIT_EXPECT_PTR_EQ(test, current_work_seen[1], work);
	KUNIT_EXPECT_NULL(test, wsq_current_work());
}

static struct kunit_case work_cases[] = {
	WSQ_ANY_ENGINE_CASE(work_true_false),
	WSQ_ANY_ENGINE_CASE(work_compiled),
	WSQ_ANY_ENGINE_CASE(work_visible),
	WSQ_ANY_ENGINE_CASE(work_requeue_self),
	WSQ_ANY_ENGINE_CASE(work_requeue_elsewhere),
	WSQ_ANY_ENGINE_CASE(work_bound_again),
	WSQ_ENGINE_CASE(work_hammer),
	WSQ_ANY_ENGINE_CASE(work_reuse_memory),
	WSQ_ANY_ENGINE_CASE(work_free_chain),
	WSQ_ANY_ENGINE_CASE(work_flush),
	WSQ_ANY_ENGINE_CASE(work_flush_cancelled),
	WSQ_ANY_ENGINE_CASE(work_flush_queued_again),
	WSQ_ANY_ENGINE_CASE(work_flush_endless),
	WSQ_ANY_ENGINE_CASE(work_disable),
	WSQ_ANY_ENGINE_CASE(work_disable_deep),
	WSQ_ANY_ENGINE_CASE(work_disable_running),
	WSQ_ANY_ENGINE_CASE(work_disable_both),
	WSQ_ANY_ENGINE_CASE(work_current),
	{}
};

static struct kunit_suite work_suite = {
	.name = "wsq_work",
	.test_cases = work_cases,
};

kunit_test_suite(work_suite);
