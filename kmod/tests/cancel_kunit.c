// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of cancelling items, in each state that a pending item can be in.
 * A cancel does not wait for unrelated items, and returns true exactly if the
 * item was pending. Afterwards the item may be freed or reused at once, and the
 * flush counts are balanced.
 *
 * A gate holds the queue's only worker while items are cancelled. Each item is
 * then in the state that the test names, and a cancel that waited for the
 * worker would not end.
 */
#include "items.h"

/**
 * struct shelf - a queue on one CPU, held by a gate, with items behind it
 * @q: the queue
 * @cpu: its CPU
 * @gate: holds its worker
 * @items: one allocation each, so that each can be freed on its own
 * @nr: how many
 * @total: runs of all
 */
struct shelf {
	struct wsq *q;
	unsigned int cpu;
	struct wsq_test_gate *gate;
	struct wsq_test_item **items;
	int nr;
	atomic_t total;
};

static struct shelf *shelf_new(struct kunit *test, int nr, u32 blocks, u32 size)
{
	struct shelf *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->cpu = cpumask_first(cpu_online_mask);
	s->q = wsq_test_queue(test, blocks, size, cpumask_of(s->cpu));
	s->gate = wsq_test_hold(test, s->q, s->cpu);
	s->nr = nr;
	s->items = kcalloc(nr, sizeof(*s->items), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s->items);
	for (i = 0; i < nr; i++) {
		s->items[i] = kzalloc(sizeof(*s->items[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, s->items[i]);
		wsq_test_item_init(s->items[i], s->q, wsq_test_count);
		s->items[i]->total = &s->total;
	}
	return s;
}

/* Open the gate. All items but those taken out (%NULL) have run @runs times. */
static void shelf_end(struct kunit *test, struct shelf *s, int runs)
{
	int i, left = 0;

	wsq_test_release(test, s->q, s->gate);
	for (i = 0; i < s->nr; i++) {
		if (!s->items[i])
			continue;
		left++;
		wsq_test_expect_runs(test, s->items[i], 1, runs);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&s->total), left * runs);
	wsq_test_queue_end(test, s->q);
	for (i = 0; i < s->nr; i++)
		kfree(s->items[i]);
	kfree(s->items);
	kfree(s);
}

/* Cancel item @i, which must be in state @kind, and poison it. */
static void shelf_take_out(struct kunit *test, struct shelf *s, int i,
			   enum wsq_kind kind)
{
	struct wsq_test_item *it = s->items[i];

	KUNIT_EXPECT_EQ_MSG(test, wsq_test_kind(&it->work), kind, "item %d", i);
	KUNIT_EXPECT_TRUE(test, wsq_work_pending(&it->work));
	KUNIT_EXPECT_TRUE_MSG(test, wsq_test_call(test, wsq_test_cancel,
						  &it->work), "item %d", i);
	KUNIT_EXPECT_FALSE(test, wsq_work_pending(&it->work));
	KUNIT_EXPECT_FALSE(test, wsq_cancel_work(&it->work));
	/* The item can be queued again or freed at once. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(s->q, &it->work));
	KUNIT_EXPECT_TRUE(test, wsq_test_call(test, wsq_test_cancel_sync,
					      &it->work));
	KUNIT_EXPECT_FALSE(test, wsq_test_call(test, wsq_test_cancel_sync,
					       &it->work));
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 0);
	memset(it, 0x6b, sizeof(*it));
	kfree(it);
	s->items[i] = NULL;
}

static bool shelf_put_all(void *arg)
{
	struct shelf *s = arg;
	bool all = true;
	int i;

	for (i = 0; i < s->nr; i++)
		all &= wsq_queue_work(s->q, &s->items[i]->work);
	return all;
}

/* Queue all items, from the queue's own CPU or from another one. */
static void shelf_fill(struct kunit *test, struct shelf *s, bool own)
{
	unsigned int cpu = own ? s->cpu : wsq_test_other(s->cpu);
	struct wsq_test_call *call;

	call = wsq_test_start_on(test, cpu, shelf_put_all, s);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
}

/* In the engine's slots: first block, later, last; cancelled by each CPU. */
static void cancel_slot(struct kunit *test)
{
	static const int which[] = { 0, 1, 4, 7, 8, 16, 29 };
	unsigned int cpu;
	int i;

	for_each_online_cpu(cpu) {
		struct shelf *s = shelf_new(test, 30, 8, 8);

		shelf_fill(test, s, true);
		wsq_test_stay(test, cpu);
		for (i = 0; i < ARRAY_SIZE(which); i++)
			shelf_take_out(test, s, which[i], WSQ_IN_SLOT);
		wsq_test_roam();
		shelf_end(test, s, 1);
	}
}

/* In the inbox, put there by another CPU. */
static void cancel_inbox(struct kunit *test)
{
	static const int which[] = { 9, 0, 5 };
	struct shelf *s;
	int i;

	wsq_test_need_cpus(test, 2);
	s = shelf_new(test, 10, 8, 8);
	shelf_fill(test, s, false);
	shelf_take_out(test, s, which[0], WSQ_IN_INBOX);
	/*
	 * The first cancel may have taken the others out of the inbox into the
	 * ordered list, so accept any state for them.
	 */
	for (i = 1; i < ARRAY_SIZE(which); i++)
		shelf_take_out(test, s, which[i],
			       wsq_test_kind(&s->items[which[i]]->work));
	shelf_end(test, s, 1);
}

/* Bound to the CPU by wsq_queue_work_on(). */
static void cancel_bound(struct kunit *test)
{
	struct shelf *s = shelf_new(test, 10, 8, 8);
	int i;

	for (i = 0; i < s->nr; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(s->cpu, s->q,
							  &s->items[i]->work));
	shelf_take_out(test, s, 4, WSQ_IN_INBOX);
	shelf_take_out(test, s, 0, wsq_test_kind(&s->items[0]->work));
	shelf_take_out(test, s, 9, wsq_test_kind(&s->items[9]->work));
	shelf_end(test, s, 1);
}

/*
 * In the overflow of a full container: first, middle, last. Then the same
 * behind a second gate, when the worker has begun to move the remaining items
 * to its ordered list.
 */
static void cancel_overflow(struct kunit *test)
{
	struct shelf *s = shelf_new(test, 400, 2, 2);
	struct wsq_test_gate *second = wsq_test_gate(test, false);
	int i, in_list = 0, other = 0, at = -1;

	/* Queue the second gate in the middle of the overflow. */
	wsq_test_stay(test, s->cpu);
	for (i = 0; i < s->nr; i++) {
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(s->q, &s->items[i]->work));
		if (i == 150)
			wsq_queue_work(s->q, &second->it.work);
	}
	wsq_test_roam();
	KUNIT_EXPECT_EQ(test, wsq_test_kind(&s->items[0]->work), WSQ_IN_SLOT);
	shelf_take_out(test, s, 399, WSQ_IN_INBOX);
	shelf_take_out(test, s, 200, wsq_test_kind(&s->items[200]->work));
	for (i = 0; s->items[i] && wsq_test_kind(&s->items[i]->work) == WSQ_IN_SLOT;
	     i++)
		;
	KUNIT_EXPECT_LE(test, i, 6);
	shelf_take_out(test, s, i, wsq_test_kind(&s->items[i]->work));

	wsq_test_gate_open(s->gate);
	KUNIT_EXPECT_TRUE(test, wsq_test_gate_entered(second));
	for (i = 0; i < s->nr; i++) {
		if (!s->items[i] || !wsq_work_pending(&s->items[i]->work))
			continue;
		if (wsq_test_kind(&s->items[i]->work) == WSQ_IN_LIST) {
			in_list++;
			at = i;
		} else {
			other++;
		}
	}
	KUNIT_EXPECT_GT(test, in_list, 0);
	if (at >= 0)
		shelf_take_out(test, s, at, WSQ_IN_LIST);
	for (i = 160; i < s->nr; i += 10) {
		if (s->items[i] && wsq_work_pending(&s->items[i]->work))
			shelf_take_out(test, s, i,
				       wsq_test_kind(&s->items[i]->work));
	}
	wsq_test_gate_open(second);
	shelf_end(test, s, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&second->it.runs), 1);
	kfree(second);
}

/* All items, in every state, in a scattered order. */
static void cancel_all(struct kunit *test)
{
	struct shelf *s = shelf_new(test, 211, 4, 8);
	int i, got = 0;

	shelf_fill(test, s, true);
	for (i = 0; i < s->nr; i++)
		got += wsq_cancel_work(&s->items[i * 73 % s->nr]->work);
	KUNIT_EXPECT_EQ(test, got, s->nr);
	/* Once more, with tombstones in the slots. */
	shelf_fill(test, s, true);
	for (i = s->nr - 1; i >= 0; i--)
		got -= wsq_cancel_work(&s->items[i]->work);
	KUNIT_EXPECT_EQ(test, got, 0);
	shelf_fill(test, s, true);
	shelf_end(test, s, 1);
}

/* Deferred: left with the worker that still runs the item. */
static void cancel_deferred(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq_test_gate *g;
	struct wsq *q;
	int i;

	wsq_test_need_cpus(test, 2);
	q = wsq_test_queue(test, 2, 4, NULL);
	g = wsq_test_hold(test, q, cpu);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(wsq_test_other(cpu),
							  q, &g->it.work));
		KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_test_kind(&g->it.work) ==
						       WSQ_DEFERRED));
		KUNIT_EXPECT_TRUE(test, wsq_test_call(test, wsq_test_cancel,
						      &g->it.work));
		KUNIT_EXPECT_FALSE(test, wsq_work_pending(&g->it.work));
	}
	wsq_test_gate_open(g);
	wsq_test_queue_end(test, q);
	wsq_test_expect_runs(test, &g->it, 1, 1);
	kfree(g);
}

/* Idle and running items are not pending: false. */
static void cancel_false(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	struct wsq_test_gate *g;

	KUNIT_EXPECT_FALSE(test, wsq_cancel_work(&it->work));
	KUNIT_EXPECT_FALSE(test, wsq_cancel_work_sync(&it->work));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_EXPECT_FALSE(test, wsq_cancel_work(&it->work));
	KUNIT_EXPECT_FALSE(test, wsq_cancel_work_sync(&it->work));
	g = wsq_test_hold(test, q, cpumask_first(cpu_online_mask));
	KUNIT_EXPECT_FALSE(test, wsq_cancel_work(&g->it.work));
	wsq_test_release(test, q, g);
	wsq_test_expect_runs(test, it, 1, 1);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* cancel_sync waits for the function, and for nothing else. */
static void cancel_sync_running(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_gate *g = wsq_test_hold(test, q, cpu);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	struct wsq_test_call *call;

	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	call = wsq_test_start(test, wsq_test_cancel_sync, &g->it.work);
	wsq_test_waits(test, call);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	/* The item cannot be queued while it is being cancelled. */
	KUNIT_EXPECT_FALSE(test, wsq_queue_work(q, &g->it.work));
	KUNIT_EXPECT_FALSE(test, wsq_work_pending(&g->it.work));
	/* The item behind the gate does not run: its cancel returns at once. */
	KUNIT_EXPECT_TRUE(test, wsq_test_call(test, wsq_test_cancel_sync,
					      &it->work));
	wsq_test_gate_open(g);
	KUNIT_EXPECT_FALSE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, atomic_read(&g->it.inside), 0);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g->it.work));
	wsq_test_queue_end(test, q);
	wsq_test_expect_runs(test, &g->it, 1, 2);
	wsq_test_expect_runs(test, it, 1, 0);
	vfree(it);
	kfree(g);
}

/* An item that always requeues itself, cancelled at all stages of its life. */
static void cancel_sync_endless(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_repeat);
	int i, runs;

	for (i = 0; i < 100; i++) {
		it->again = -1;
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
		if (i & 1)
			wsq_test_until(atomic_read(&it->runs) >= i);
		wsq_test_call(test, wsq_test_cancel_sync, &it->work);
		runs = atomic_read(&it->runs);
		KUNIT_EXPECT_EQ(test, wsq_work_busy(&it->work), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&it->inside), 0);
		wsq_test_call(test, wsq_test_flush, q);
		KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), runs);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&it->twice), 0);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* Two at once, on an item that runs and is pending: both end, one is true. */
static void cancel_sync_two(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_call *call[3];
	int i, turn, got;

	for (turn = 0; turn < 10; turn++) {
		struct wsq_test_gate *g;

		g = wsq_test_hold(test, q, cpumask_first(cpu_online_mask));
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g->it.work));
		for (i = 0; i < ARRAY_SIZE(call); i++)
			call[i] = wsq_test_start(test, wsq_test_cancel_sync,
						 &g->it.work);
		/* Some come while the item runs, some afterwards. */
		for (i = 0; turn & 1 && i < ARRAY_SIZE(call); i++)
			wsq_test_waits(test, call[i]);
		wsq_test_gate_open(g);
		for (got = 0, i = 0; i < ARRAY_SIZE(call); i++)
			got += wsq_test_end(test, call[i]);
		/* Unless the item ran again before the first cancel came. */
		KUNIT_EXPECT_EQ(test, got + atomic_read(&g->it.runs), 2);
		KUNIT_EXPECT_EQ(test, wsq_work_busy(&g->it.work), 0);
		if (turn & 1)
			KUNIT_EXPECT_EQ(test, got, 1);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g->it.work));
		wsq_test_call(test, wsq_test_flush, q);
		kfree(g);
	}
	wsq_test_queue_end(test, q);
}

/*
 * A flush that waits for an item ends when the item is cancelled. The flush
 * counts are balanced afterwards, in both colors. The gate is in another queue,
 * so the flush waits for the item only. It holds the CPU firmly, so that no
 * standby worker runs the items.
 */
static void cancel_flush(struct kunit *test)
{
	unsigned int stay = cpumask_first(cpu_online_mask);
	unsigned int cpu = wsq_test_other(stay);
	struct wsq_test_item *items;
	struct wsq_test_call *call;
	struct wsq *other, *q;
	struct wsq_test_gate *g;
	int i, turn;

	wsq_test_need_cpus(test, 2);
	other = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	q = wsq_test_queue(test, 2, 2, cpumask_of(cpu));
	items = wsq_test_items(test, q, 20, wsq_test_count);
	wsq_test_stay(test, stay);
	g = wsq_test_hold_firmly(test, other, cpu);
	for (turn = 0; turn < 4; turn++) {
		for (i = 0; i < 20; i++)
			KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[i].work));
		call = wsq_test_start_on(test, stay, wsq_test_flush, q);
		wsq_test_waits(test, call);
		for (i = 0; i < 20; i++) {
			KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
			KUNIT_EXPECT_TRUE(test, wsq_cancel_work(&items[i].work));
		}
		wsq_test_end(test, call);
		/* Likewise while no flush waits. */
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[turn].work));
		KUNIT_EXPECT_TRUE(test, wsq_cancel_work(&items[turn].work));
		wsq_flush(q);
		wsq_drain(q);
	}
	wsq_test_release(test, other, g);
	wsq_test_roam();
	wsq_test_expect_runs(test, items, 20, 0);
	wsq_test_queue_end(test, q);
	wsq_test_queue_end(test, other);
	vfree(items);
}

#define STRESS_ITEMS	7
#define STRESS_ROUNDS	WSQ_TEST_MANY(20000)

struct stress {
	struct wsq *q[2];
	struct wsq_test_item *items;
	atomic_t queued[STRESS_ITEMS];
	atomic_t cancelled[STRESS_ITEMS];
};

static void stress_thread(void *arg, int nr)
{
	struct stress *s = arg;
	u32 seed = nr * 7 + 1;
	int i;

	for (i = 0; i < STRESS_ROUNDS; i++) {
		struct wsq_work *work;
		int k, cpu = WSQ_CPU_ANY;

		seed = seed * 1103515245 + 12345;
		k = (seed >> 16) % STRESS_ITEMS;
		work = &s->items[k].work;
		if (seed >> 30 & 1)
			cpu = wsq_test_other(raw_smp_processor_id());
		switch (seed >> 24 & 15) {
		case 0 ... 8:
			if (wsq_queue_work_on(cpu, s->q[seed >> 29 & 1], work))
				atomic_inc(&s->queued[k]);
			break;
		case 9 ... 13:
			if (wsq_cancel_work(work))
				atomic_inc(&s->cancelled[k]);
			break;
		case 14:
			if (wsq_disable_work(work))
				atomic_inc(&s->cancelled[k]);
			wsq_enable_work(work);
			break;
		default:
			if (seed & 0x700000)
				break;
			if (wsq_cancel_work_sync(work))
				atomic_inc(&s->cancelled[k]);
			break;
		}
		if (!(seed >> 20 & 15))
			wsq_test_yield();
	}
}

/*
 * Queue and cancel from all CPUs at once. Each put that returned true is
 * matched by exactly one run or one cancel that returned true.
 */
static void cancel_stress(struct kunit *test)
{
	struct stress *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	int i, cancelled = 0, ran = 0;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->q[0] = wsq_test_queue(test, 2, 2, NULL);
	s->q[1] = wsq_test_queue(test, 4, 8, NULL);
	s->items = wsq_test_items(test, NULL, STRESS_ITEMS, wsq_test_count);
	wsq_test_run(test, 2 * num_online_cpus(), stress_thread, s);
	for (i = 0; i < 2; i++)
		wsq_test_call(test, wsq_test_flush, s->q[i]);
	for (i = 0; i < STRESS_ITEMS; i++) {
		wsq_test_expect_runs(test, &s->items[i], 1,
				     atomic_read(&s->queued[i]) -
				     atomic_read(&s->cancelled[i]));
		cancelled += atomic_read(&s->cancelled[i]);
		ran += atomic_read(&s->items[i].runs);
	}
	for (i = 0; i < 2; i++)
		wsq_test_queue_end(test, s->q[i]);
	vfree(s->items);
	wsq_test_met(test, cancelled && ran, "cancels and workers did not meet");
}

/* More than an interrupt handler looks through, and less than twice that. */
#define DEEP_ITEMS	6000

/* In an interrupt handler: cancel the item that was queued first. */
static void deep_irq(void *arg)
{
	struct wsq_test_item *items = arg;

	WARN_ON(in_task());
	items->again = wsq_cancel_work(&items->work);
}

/*
 * An interrupt handler looks through some 4,000 items of an inbox, then gives
 * up. What it has looked through is in order, so the next call finds the item.
 */
static void cancel_deep(struct kunit *test)
{
	unsigned int here, cpu;
	struct wsq_test_item *items;
	struct wsq_test_gate *g;
	struct wsq *q;
	int i;

	wsq_test_need_cpus(test, 2);
	here = cpumask_first(cpu_online_mask);
	cpu = wsq_test_other(here);
	wsq_test_stay(test, here);
	q = wsq_test_queue(test, 2, 4, NULL);
	items = wsq_test_items(test, q, DEEP_ITEMS, wsq_test_count);
	g = wsq_test_hold(test, q, cpu);
	for (i = 0; i < DEEP_ITEMS; i++)
		wsq_queue_work_on(cpu, q, &items[i].work);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, smp_call_function_single(cpu, deep_irq, items, 1), 0);
		KUNIT_EXPECT_EQ(test, items->again, i);
	}
	/* A task looks through all of them. */
	KUNIT_EXPECT_TRUE(test, wsq_cancel_work(&items[1].work));
	wsq_test_release(test, q, g);
	wsq_test_roam();
	wsq_test_expect_runs(test, items, 2, 0);
	wsq_test_expect_runs(test, items + 2, DEEP_ITEMS - 2, 1);
	wsq_test_queue_end(test, q);
	vfree(items);
}

static struct kunit_case cancel_cases[] = {
	WSQ_ENGINE_CASE(cancel_slot),
	WSQ_ANY_ENGINE_CASE(cancel_inbox),
	WSQ_ANY_ENGINE_CASE(cancel_bound),
	WSQ_ANY_ENGINE_CASE(cancel_overflow),
	WSQ_ANY_ENGINE_CASE(cancel_all),
	WSQ_ANY_ENGINE_CASE(cancel_deferred),
	WSQ_ANY_ENGINE_CASE(cancel_false),
	WSQ_ANY_ENGINE_CASE(cancel_sync_running),
	WSQ_ENGINE_CASE_SLOW(cancel_sync_endless),
	WSQ_ANY_ENGINE_CASE(cancel_sync_two),
	WSQ_ANY_ENGINE_CASE(cancel_flush),
	WSQ_ENGINE_CASE(cancel_stress),
	WSQ_ANY_ENGINE_CASE(cancel_deep),
	{}
};

static struct kunit_suite cancel_suite = {
	.name = "wsq_cancel",
	.test_cases = cancel_cases,
};

kunit_test_suite(cancel_suite);
