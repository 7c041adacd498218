// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of queues that keep order (WSQ_ORDERED): items run one at a time,
 * in the order of the puts, whatever call, CPU or context puts them; and what
 * else a queue promises holds: cancel, flush, drain, delays, stealing, sharing
 * of CPUs, rescuers.
 */
#include <linux/delay.h>

#include "contexts.h"

/**
 * struct ordered - a queue that keeps order, and what ran there
 * @q: the queue
 * @now: items that run
 * @over: how often there was more than one
 * @nr: how many have begun
 * @log: the numbers of these, in order
 * @size: length of @log
 */
struct ordered {
	struct wsq *q;
	atomic_t now;
	atomic_t over;
	atomic_t nr;
	int *log;
	int size;
};

/**
 * struct ordered_item - an item of such a queue
 * @it: the item
 * @o: the queue; with @it.again below 0, the item sleeps
 */
struct ordered_item {
	struct wsq_test_item it;
	struct ordered *o;
};

static void ordered_enter(struct ordered *o, int id)
{
	int at = atomic_fetch_inc(&o->nr);

	if (atomic_inc_return(&o->now) != 1)
		atomic_inc(&o->over);
	if (at < o->size)
		WRITE_ONCE(o->log[at], id);
}

static void ordered_fn(struct wsq_work *work)
{
	struct ordered_item *oi = container_of(work, struct ordered_item, it.work);
	struct ordered *o = oi->o;

	wsq_test_enter(&oi->it);
	ordered_enter(o, oi->it.id);
	if (oi->it.again < 0)
		schedule_timeout_uninterruptible(1);
	atomic_dec(&o->now);
	if (oi->it.again > 0) {
		oi->it.again--;
		wsq_queue_work(o->q, work);
	}
	wsq_test_leave(&oi->it);
}

/* A queue, with a log of @size. */
static struct ordered *ordered_begin(struct kunit *test, u32 flags,
				     const struct cpumask *mask, int size)
{
	struct wsq_attrs attrs = {
		.flags = WSQ_ORDERED | flags,
		.cpumask = mask,
	};
	struct ordered *o = kunit_kzalloc(test, sizeof(*o), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, o);
	o->log = vzalloc(array_size(max(size, 1), sizeof(*o->log)));
	KUNIT_ASSERT_NOT_NULL(test, o->log);
	o->size = size;
	o->q = wsq_create(&attrs, "ordered");
	KUNIT_ASSERT_FALSE(test, IS_ERR(o->q));
	return o;
}

static void ordered_end(struct kunit *test, struct ordered *o)
{
	wsq_test_queue_end(test, o->q);
	KUNIT_EXPECT_EQ(test, atomic_read(&o->over), 0);
	vfree(o->log);
}

static struct ordered_item *ordered_items(struct kunit *test, struct ordered *o,
					  int nr)
{
	struct ordered_item *items = vzalloc(array_size(nr, sizeof(*items)));
	int i;

	KUNIT_ASSERT_NOT_NULL(test, items);
	for (i = 0; i < nr; i++) {
		wsq_test_item_init(&items[i].it, o->q, ordered_fn);
		items[i].it.id = i;
		items[i].o = o;
	}
	return items;
}

/* Hold the queue with an item that sleeps. */
static struct wsq_test_gate *ordered_hold(struct kunit *test, struct ordered *o)
{
	struct wsq_test_gate *g = wsq_test_gate(test, true);

	KUNIT_ASSERT_TRUE(test, wsq_queue_work(o->q, &g->it.work));
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	return g;
}

/* The first @nr entries of the log are 0, 1, 2 and so on, times @step. */
static void ordered_expect(struct kunit *test, struct ordered *o, int nr,
			   int step)
{
	int i;

	KUNIT_EXPECT_EQ(test, atomic_read(&o->nr), nr);
	for (i = 0; i < min(nr, o->size); i++) {
		KUNIT_EXPECT_EQ(test, o->log[i], i * step);
		if (o->log[i] != i * step)
			break;
	}
}

#define ORDERED_ITEMS	WSQ_TEST_MANY(4000)

struct ordered_race {
	struct ordered *o;
	struct ordered_item *items;
	int threads;
};

static void ordered_race_thread(void *arg, int nr)
{
	struct ordered_race *r = arg;
	int i;

	for (i = nr * ORDERED_ITEMS; i < (nr + 1) * ORDERED_ITEMS; i++) {
		int cpu = i % 3 ? WSQ_CPU_ANY :
			  (int)wsq_test_other(raw_smp_processor_id());

		wsq_queue_work_on(cpu, r->o->q, &r->items[i].it.work);
		if (!(i & 63))
			wsq_test_yield();
	}
}

/*
 * Several CPUs put at once, some items sleep: each runs once, those of each CPU
 * in order, and no two at a time.
 */
static void ordered_race(struct kunit *test)
{
	int threads = 2 * num_online_cpus(), nr = threads * ORDERED_ITEMS;
	struct ordered *o = ordered_begin(test, 0, NULL, nr);
	struct ordered_race r = {
		.o = o,
		.items = ordered_items(test, o, nr),
		.threads = threads,
	};
	int *last = kunit_kcalloc(test, threads, sizeof(*last), GFP_KERNEL);
	int i, wrong = 0;

	KUNIT_ASSERT_NOT_NULL(test, last);
	for (i = 0; i < nr; i += 997)
		r.items[i].it.again = -1;
	wsq_test_run(test, threads, ordered_race_thread, &r);
	wsq_test_call(test, wsq_test_flush, o->q);
	KUNIT_EXPECT_EQ(test, atomic_read(&o->nr), nr);
	for (i = 0; i < nr; i++) {
		int by = o->log[i] / ORDERED_ITEMS;
		int at = o->log[i] % ORDERED_ITEMS;

		wrong += at != last[by];
		last[by] = at + 1;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	for (i = 0; i < nr; i++)
		wsq_test_expect_runs(test, &r.items[i].it, 1, 1);
	ordered_end(test, o);
	vfree(r.items);
}

/* All calls that queue, in turn, keep one order. */
static void ordered_calls(struct kunit *test)
{
	struct ordered *o = ordered_begin(test, 0, NULL, 210);
	struct ordered_item *items = ordered_items(test, o, 210);
	struct wsq_test_gate *g = ordered_hold(test, o);
	int cpu = cpumask_first(cpu_online_mask), i;

	for (i = 0; i < 210; i += 7) {
		struct wsq_work *works[3] = {
			&items[i + 4].it.work,
			&items[i + 5].it.work,
			&items[i + 6].it.work,
		};

		KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[i].it.work));
		KUNIT_EXPECT_FALSE(test, wsq_queue_work(o->q, &items[i].it.work));
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, o->q,
							  &items[i + 1].it.work));
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_near(cpu, o->q,
							    &items[i + 2].it.work));
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_node(NUMA_NO_NODE, o->q,
							    &items[i + 3].it.work));
		KUNIT_EXPECT_EQ(test, wsq_queue_work_many(o->q, works, 3), 3U);
		cpu = wsq_test_other(cpu);
	}
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&o->nr), 0);
	wsq_test_release(test, o->q, g);
	ordered_expect(test, o, 210, 1);
	ordered_end(test, o);
	vfree(items);
}

/* From any context: the put that interrupts another one included. */
static int ordered_put_some(void *arg)
{
	struct ordered_item *items = arg;
	int i, wrong = 0;

	for (i = 0; i < 20; i++)
		wrong += !wsq_queue_work(items[i].o->q, &items[i].it.work);
	return wrong;
}

static void ordered_contexts(struct kunit *test)
{
	struct ordered *o = ordered_begin(test, 0, NULL, 20 * ARRAY_SIZE(contexts));
	struct ordered_item *items = ordered_items(test, o,
						   20 * ARRAY_SIZE(contexts));
	bool nmi = nmi_there();
	int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		if (context_skip(&contexts[i], nmi))
			continue;
		context_do(test, &contexts[i], ordered_put_some, items + nr);
		nr += 20;
	}
	if (nmi)
		nmi_gone();
	wsq_test_call(test, wsq_test_flush, o->q);
	ordered_expect(test, o, nr, 1);
	ordered_end(test, o);
	vfree(items);
}

/*
 * A pending item is cancelled at once, although the item in front does not end,
 * and may be queued again, or freed.
 */
static void ordered_cancel(struct kunit *test)
{
	struct ordered *o = ordered_begin(test, 0, NULL, 300);
	struct ordered_item *items = ordered_items(test, o, 300);
	struct wsq_test_gate *g = ordered_hold(test, o);
	int i;

	for (i = 0; i < 300; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[i].it.work));
	for (i = 1; i < 300; i += 2)
		KUNIT_EXPECT_TRUE(test, i % 3 ?
				  wsq_cancel_work(&items[i].it.work) :
				  wsq_test_call(test, wsq_test_cancel_sync,
						&items[i].it.work));
	KUNIT_EXPECT_FALSE(test, wsq_cancel_work(&items[1].it.work));
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&items[1].it.work), 0U);
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&items[0].it.work),
			(unsigned int)WSQ_BUSY_PENDING);
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&g->it.work),
			(unsigned int)WSQ_BUSY_RUNNING);
	/* To the end of the queue; and once more. */
	items[1].it.id = 300;
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[1].it.work));
	/* Refused. */
	KUNIT_EXPECT_TRUE(test, wsq_disable_work(&items[298].it.work));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work(o->q, &items[298].it.work));
	KUNIT_EXPECT_TRUE(test, wsq_enable_work(&items[298].it.work));
	items[298].it.id = 302;
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[298].it.work));
	wsq_test_release(test, o->q, g);
	KUNIT_EXPECT_EQ(test, o->log[149], 300);
	KUNIT_EXPECT_EQ(test, o->log[150], 302);
	o->size = 149;
	ordered_expect(test, o, 151, 2);
	ordered_end(test, o);
	vfree(items);
}

/*
 * All items are cancelled while the queue waits for a CPU: nothing runs, the
 * queue works as before, and can be destroyed in this state.
 */
static void ordered_cancel_all(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct wsq *other = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_gate *g;
	struct ordered_item *items;
	struct ordered *o;
	int again, i;

	for (again = 0; again < 4; again++) {
		g = wsq_test_hold(test, other, cpu);
		o = ordered_begin(test, 0, cpumask_of(cpu), 40);
		items = ordered_items(test, o, 40);
		for (i = 0; i < 40; i++)
			KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q,
							       &items[i].it.work));
		for (i = 0; i < 40; i++)
			KUNIT_EXPECT_TRUE(test, wsq_cancel_work(&items[i].it.work));
		/* Nothing is left to wait for. */
		wsq_test_call(test, wsq_test_flush, o->q);
		if (again & 1) {
			for (i = 0; i < 40; i++)
				wsq_queue_work(o->q, &items[i].it.work);
			wsq_test_gate_open(g);
			wsq_test_call(test, wsq_test_flush, o->q);
			ordered_expect(test, o, 40, 1);
			ordered_end(test, o);
		} else {
			ordered_end(test, o);
			wsq_queues_settle();
			wsq_test_gate_open(g);
		}
		wsq_test_release(test, other, g);
		vfree(items);
	}
	wsq_test_queue_end(test, other);
}

/* A flush waits for what was queued before it, and for nothing else. */
static void ordered_flush(struct kunit *test)
{
	struct ordered *o = ordered_begin(test, 0, NULL, 50);
	struct ordered_item *items = ordered_items(test, o, 50);
	struct wsq_test_gate *g = ordered_hold(test, o);
	struct wsq_test_gate *behind = wsq_test_gate(test, true);
	struct wsq_test_call *flush, *one;
	int i;

	for (i = 0; i < 50; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[i].it.work));
	flush = wsq_test_start(test, wsq_test_flush, o->q);
	one = wsq_test_start(test, wsq_test_flush_work, &items[20].it.work);
	wsq_test_waits(test, flush);
	wsq_test_waits(test, one);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(flush));
	KUNIT_EXPECT_FALSE(test, wsq_test_over(one));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &behind->it.work));
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, one));
	wsq_test_end(test, flush);
	ordered_expect(test, o, 50, 1);
	KUNIT_EXPECT_TRUE(test, wsq_test_gate_entered(behind));
	wsq_test_release(test, o->q, behind);
	kfree(g);
	ordered_end(test, o);
	vfree(items);
}

/* A drain waits for items that queue themselves again, and refuses others. */
static void ordered_drain(struct kunit *test)
{
	struct ordered *o = ordered_begin(test, 0, NULL, 0);
	struct ordered_item *items = ordered_items(test, o, 10);
	int i;

	for (i = 0; i < 10; i++) {
		items[i].it.again = 20 * i;
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[i].it.work));
	}
	wsq_test_call(test, wsq_test_drain, o->q);
	for (i = 0; i < 10; i++)
		wsq_test_expect_runs(test, &items[i].it, 1, 20 * i + 1);
	for (i = 0; i < 10; i++) {
		items[i].it.again = i;
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[i].it.work));
	}
	/* wsq_destroy() does the same. */
	ordered_end(test, o);
	for (i = 0; i < 10; i++)
		wsq_test_expect_runs(test, &items[i].it, 1, 21 * i + 2);
	vfree(items);
}

struct ordered_delayed {
	struct wsq_delayed_work dwork;
	struct ordered *o;
	int id;
};

static void ordered_delayed_fn(struct wsq_work *work)
{
	struct ordered_delayed *d = container_of(to_wsq_delayed_work(work),
						 struct ordered_delayed, dwork);

	ordered_enter(d->o, d->id);
	atomic_dec(&d->o->now);
}

/* An item is queued, at the end of the queue, when its delay is over. */
static void ordered_delay(struct kunit *test)
{
	struct ordered *o = ordered_begin(test, 0, NULL, 8);
	struct wsq_test_gate *g = ordered_hold(test, o);
	struct ordered_delayed *d = kunit_kcalloc(test, 8, sizeof(*d),
						  GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, d);
	for (i = 0; i < 8; i++) {
		INIT_WSQ_DELAYED_WORK(&d[i].dwork, ordered_delayed_fn);
		d[i].o = o;
		d[i].id = i;
	}
	/* Number 0 is first in the queue although it was set last. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(o->q, &d[1].dwork, 3));
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(o->q, &d[7].dwork,
						       3600 * HZ));
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(o->q, &d[5].dwork,
						       3600 * HZ));
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(o->q, &d[0].dwork, 0));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_test_kind(&d[1].dwork.work) ==
					       WSQ_IN_INBOX ||
					       wsq_test_kind(&d[1].dwork.work) ==
					       WSQ_IN_LIST));
	KUNIT_EXPECT_TRUE(test, wsq_mod_delayed_work(o->q, &d[7].dwork, 0));
	d[7].id = 2;
	/* From the middle of the queue to its end. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(o->q, &d[4].dwork, 0));
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(o->q, &d[3].dwork, 0));
	KUNIT_EXPECT_TRUE(test, wsq_mod_delayed_work(o->q, &d[4].dwork, 0));
	KUNIT_EXPECT_TRUE(test, wsq_cancel_delayed_work(&d[5].dwork));
	KUNIT_EXPECT_FALSE(test, wsq_cancel_delayed_work_sync(&d[5].dwork));
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(o->q, &d[5].dwork,
						       3600 * HZ));
	KUNIT_EXPECT_TRUE(test, wsq_flush_delayed_work(&d[5].dwork));
	ordered_expect(test, o, 6, 1);
	kfree(g);
	ordered_end(test, o);
}

/* Idle CPUs take over a queue whose items were put on a busy CPU. */
static void ordered_stolen(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq *other = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct ordered *o = ordered_begin(test, 0, NULL, 500);
	struct ordered_item *items = ordered_items(test, o, 500);
	struct wsq_test_gate *g;
	int i;

	wsq_test_need_cpus(test, 2);
	g = wsq_test_hold(test, other, cpu);
	wsq_test_stay(test, cpu);
	for (i = 0; i < 500; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[i].it.work));
	wsq_test_roam();
	wsq_test_call(test, wsq_test_flush, o->q);
	ordered_expect(test, o, 500, 1);
	for (i = 0; i < 500; i++)
		KUNIT_EXPECT_NE(test, READ_ONCE(items[i].it.cpu), (int)cpu);
	wsq_test_release(test, other, g);
	wsq_test_queue_end(test, other);
	ordered_end(test, o);
	vfree(items);
}

/*
 * While an item of the queue sleeps, those behind it wait, on all CPUs, and
 * those of other queues do not.
 */
static void ordered_sleeps(struct kunit *test)
{
	struct ordered *o = ordered_begin(test, 0, NULL, 100);
	struct ordered_item *items = ordered_items(test, o, 100);
	struct wsq *other = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *its = wsq_test_items(test, other, 100,
						   wsq_test_count);
	struct wsq_test_gate *g = ordered_hold(test, o);
	unsigned int cpu;
	int i;

	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[i].it.work));
	for_each_online_cpu(cpu) {
		for (i = 0; i < 100; i++)
			wsq_queue_work_on(cpu, other, &its[i].work);
		wsq_test_call(test, wsq_test_flush, other);
	}
	wsq_test_expect_runs(test, its, 100, num_online_cpus());
	KUNIT_EXPECT_EQ(test, atomic_read(&o->nr), 0);
	wsq_test_release(test, o->q, g);
	ordered_expect(test, o, 100, 1);
	wsq_test_queue_end(test, other);
	ordered_end(test, o);
	vfree(its);
	vfree(items);
}

/**
 * struct ordered_fair - a long list, and an item of another queue
 * @opener: the first item of the list; waits for @full, then queues @beside
 * @full: the list is complete
 * @beside: the item of the other queue
 * @other: that queue
 * @o: the list
 * @before: how many of the list had begun when @beside did
 */
struct ordered_fair {
	struct wsq_test_item opener;
	struct completion full;
	struct wsq_test_item beside;
	struct wsq *other;
	struct ordered *o;
	int before;
};

static void ordered_opener_fn(struct wsq_work *work)
{
	struct ordered_fair *f = container_of(work, struct ordered_fair,
					      opener.work);

	wsq_test_enter(&f->opener);
	wait_for_completion(&f->full);
	wsq_queue_work(f->other, &f->beside.work);
	wsq_test_leave(&f->opener);
}

static void ordered_beside_fn(struct wsq_work *work)
{
	struct ordered_fair *f = container_of(work, struct ordered_fair,
					      beside.work);

	wsq_test_enter(&f->beside);
	f->before = atomic_read(&f->o->nr);
	wsq_test_leave(&f->beside);
}

/*
 * A long list does not hold up another queue of the CPU. The list itself queues
 * the other item, so that it is complete by then and has hardly begun.
 */
static void ordered_fair(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	int nr = WSQ_TEST_MANY(20000);
	struct ordered *o = ordered_begin(test, 0, cpumask_of(cpu), nr);
	struct ordered_item *items = ordered_items(test, o, nr);
	struct wsq *other = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct ordered_fair *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->o = o;
	f->other = other;
	init_completion(&f->full);
	wsq_test_item_init(&f->opener, o->q, ordered_opener_fn);
	wsq_test_item_init(&f->beside, other, ordered_beside_fn);
	wsq_queue_work(o->q, &f->opener.work);
	for (i = 0; i < nr; i++)
		wsq_queue_work(o->q, &items[i].it.work);
	complete(&f->full);
	wsq_test_call(test, wsq_test_flush, o->q);
	wsq_test_call(test, wsq_test_flush, other);
	wsq_test_expect_runs(test, &f->beside, 1, 1);
	KUNIT_EXPECT_LT(test, f->before, nr);
	ordered_expect(test, o, nr, 1);
	wsq_test_queue_end(test, other);
	ordered_end(test, o);
	vfree(items);
}

/*
 * An item that still runs in another queue does not run concurrently with
 * itself, and does not hold up the items behind it.
 */
static void ordered_elsewhere(struct kunit *test)
{
	struct ordered *o = ordered_begin(test, 0, NULL, 30);
	struct ordered_item *items = ordered_items(test, o, 30);
	struct wsq *other = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	int i;

	KUNIT_EXPECT_TRUE(test, wsq_queue_work(other, &g->it.work));
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	for (i = 0; i < 30; i++) {
		if (i == 10)
			KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &g->it.work));
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[i].it.work));
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&o->nr) == 30));
	KUNIT_EXPECT_EQ(test, wsq_test_kind(&g->it.work), WSQ_DEFERRED);
	KUNIT_EXPECT_EQ(test, atomic_read(&g->it.runs), 1);
	wsq_test_gate_open(g);
	wsq_test_call(test, wsq_test_flush, o->q);
	wsq_test_expect_runs(test, &g->it, 1, 2);
	ordered_expect(test, o, 30, 1);
	/* Cancelled where it was deferred. */
	wsq_test_call(test, wsq_test_flush, other);
	reinit_completion(&g->entered);
	reinit_completion(&g->leave);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(other, &g->it.work));
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &g->it.work));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_test_kind(&g->it.work) ==
					       WSQ_DEFERRED));
	KUNIT_EXPECT_TRUE(test, wsq_cancel_work(&g->it.work));
	wsq_test_call(test, wsq_test_flush, o->q);
	wsq_test_release(test, other, g);
	wsq_test_queue_end(test, other);
	ordered_end(test, o);
	vfree(items);
}

/* The queue's CPUs change while it is in use. */
static void ordered_cpumask(struct kunit *test)
{
	int nr = WSQ_TEST_MANY(20000), i;
	struct ordered *o = ordered_begin(test, 0, NULL, nr);
	struct ordered_item *items = ordered_items(test, o, nr);
	unsigned int cpu = cpumask_first(cpu_online_mask);

	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[i].it.work));
		if (i % (nr / 8))
			continue;
		KUNIT_EXPECT_EQ(test, wsq_set_cpumask(o->q, i & 1 ? NULL :
						      cpumask_of(cpu)), 0);
		cpu = wsq_test_other(cpu);
	}
	wsq_test_call(test, wsq_test_flush, o->q);
	ordered_expect(test, o, nr, 1);
	ordered_end(test, o);
	vfree(items);
}

/* As the watchdog does, again and again, if no standby worker can be made. */
static bool ordered_ask(struct wsq *q, unsigned int cpu)
{
	preempt_disable();
	wsq_rescue(q, cpu);
	preempt_enable();
	return true;
}

/* The rescuer runs the items, in order, while the CPU's worker does not. */
static void ordered_rescued(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct wsq *other = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct ordered *o = ordered_begin(test, WSQ_MEM_RECLAIM, cpumask_of(cpu),
					  300);
	struct ordered_item *items = ordered_items(test, o, 300);
	struct wsq_test_gate *g = wsq_test_hold(test, other, cpu);
	int i;

	for (i = 0; i < 300; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(o->q, &items[i].it.work));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(ordered_ask(o->q, cpu) &&
					       atomic_read(&items[299].it.runs)));
	wsq_test_call(test, wsq_test_flush, o->q);
	ordered_expect(test, o, 300, 1);
	KUNIT_EXPECT_EQ(test, READ_ONCE(items[0].it.cpu), (int)cpu);
	KUNIT_EXPECT_GT(test, READ_ONCE(wsq_rescuer_worker(o->q)->nr_run), 0ULL);
	wsq_test_release(test, other, g);
	wsq_test_queue_end(test, other);
	ordered_end(test, o);
	vfree(items);
}

struct ordered_nest {
	struct wsq_work work;
	struct wsq_work inner;
	struct wsq *q;
	bool chained;
};

static void ordered_inner_fn(struct wsq_work *work)
{
}

static void ordered_nest_fn(struct wsq_work *work)
{
	struct ordered_nest *n = container_of(work, struct ordered_nest, work);

	n->chained = wsq_current_work() == work;
	wsq_queue_work(n->q, &n->inner);
	wsq_flush(n->q);
}

/* Items of an ordered queue may flush another one: lockdep agrees. */
static void ordered_nested(struct kunit *test)
{
	struct ordered *a = ordered_begin(test, 0, NULL, 0);
	struct wsq_attrs attrs = { .flags = WSQ_ORDERED };
	struct wsq *b = wsq_create(&attrs, "ordered_b");
	struct ordered_nest *n = kunit_kzalloc(test, sizeof(*n), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, n);
	KUNIT_ASSERT_FALSE(test, IS_ERR(b));
	INIT_WSQ_WORK(&n->work, ordered_nest_fn);
	INIT_WSQ_WORK(&n->inner, ordered_inner_fn);
	n->q = b;
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(a->q, &n->work));
	wsq_test_call(test, wsq_test_flush_work, &n->work);
	KUNIT_EXPECT_TRUE(test, n->chained);
	ordered_end(test, a);
	wsq_test_queue_end(test, b);
}

struct ordered_stress {
	struct ordered *o;
	struct wsq *other;
	struct ordered_item *items;
	atomic_t *put;
};

#define ORDERED_STRESS_ITEMS	9
#define ORDERED_STRESS_ROUNDS	WSQ_TEST_MANY(20000)

static void ordered_stress_thread(void *arg, int nr)
{
	struct ordered_stress *s = arg;
	u32 seed = nr * 7 + 1;
	int i;

	for (i = 0; i < ORDERED_STRESS_ROUNDS; i++) {
		struct wsq_work *work;
		int k;

		seed = seed * 1103515245 + 12345;
		k = (seed >> 16) % ORDERED_STRESS_ITEMS;
		work = &s->items[k].it.work;
		switch (seed >> 24 & 15) {
		case 0 ... 7:
			if (wsq_queue_work(s->o->q, work))
				atomic_inc(&s->put[k]);
			break;
		case 8 ... 12:
			if (wsq_cancel_work(work))
				atomic_dec(&s->put[k]);
			break;
		case 13:
			if (wsq_disable_work(work))
				atomic_dec(&s->put[k]);
			wsq_enable_work(work);
			break;
		case 14:
			if (!(seed & 0x30000) && wsq_cancel_work_sync(work))
				atomic_dec(&s->put[k]);
			break;
		default:
			if (!(seed & 0xf0000))
				wsq_flush(s->o->q);
			else if (!(seed & 0x30000))
				wsq_flush_work(work);
			break;
		}
		if (!(seed >> 20 & 15))
			wsq_test_yield();
	}
}

/* Each put that returned true is one run, or one cancel that returned true. */
static void ordered_stress(struct kunit *test)
{
	struct ordered *o = ordered_begin(test, 0, NULL, 0);
	struct ordered_stress s = {
		.o = o,
		.items = ordered_items(test, o, ORDERED_STRESS_ITEMS),
		.put = kunit_kcalloc(test, ORDERED_STRESS_ITEMS,
				     sizeof(*s.put), GFP_KERNEL),
	};
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s.put);
	wsq_test_run(test, 2 * num_online_cpus(), ordered_stress_thread, &s);
	wsq_test_call(test, wsq_test_flush, o->q);
	for (i = 0; i < ORDERED_STRESS_ITEMS; i++)
		wsq_test_expect_runs(test, &s.items[i].it, 1,
				     atomic_read(&s.put[i]));
	KUNIT_EXPECT_GT(test, atomic_read(&o->nr), 0);
	ordered_end(test, o);
	vfree(s.items);
}

/* Attributes that mean nothing for such a queue are refused. */
static void ordered_wrong(struct kunit *test)
{
	static const struct wsq_attrs wrong[] = {
		{ .max_active = 1 },
		{ .max_active = 2 },
		{ .flags = WSQ_RESIDENT },
		{ .engine = WSQ_BWOS_FIFO },
		{ .engine = WSQ_BWOS_LIFO },
		{ .engine = WSQ_SALSA },
		{ .blocks = WSQ_DEF_BLOCKS },
		{ .block_size = WSQ_DEF_BLOCK_SIZE },
		{ .max_blocks = 64 },
		{ .flags = WSQ_HAND_OVER },
		{ .flags = WSQ_AT_LEAST_ONCE },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct wsq_attrs attrs = wrong[i];
		struct wsq *q;

		attrs.flags |= WSQ_ORDERED;
		q = wsq_create(&attrs, "wrong");
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(q), -EINVAL,
				    "attributes %d", i);
		if (!IS_ERR(q))
			wsq_destroy(q);
	}
}

/* No engine gets memory, however many items there are. */
static void ordered_memory(struct kunit *test)
{
	struct ordered *o = ordered_begin(test, 0, NULL, 0);
	struct ordered_item *items = ordered_items(test, o, 2000);
	unsigned int cpu;
	int i, again;

	for (again = 0; again < 4; again++) {
		for (i = 0; i < 2000; i++) {
			wsq_queue_work(o->q, &items[i].it.work);
			/* So that the token is claimed each time. */
			if (!(i & 7))
				wsq_flush(o->q);
		}
		wsq_test_call(test, wsq_test_flush, o->q);
	}
	for_each_possible_cpu(cpu) {
		const struct wsq_lane *lane = wsq_lane_any(o->q, cpu);

		if (!lane)
			continue;
		KUNIT_EXPECT_FALSE(test, READ_ONCE(lane->ct.wanted));
		KUNIT_EXPECT_NULL(test, READ_ONCE(lane->ct.engine));
	}
	ordered_end(test, o);
	vfree(items);
}

static struct kunit_case ordered_cases[] = {
	KUNIT_CASE(ordered_race),
	KUNIT_CASE(ordered_calls),
	KUNIT_CASE(ordered_contexts),
	KUNIT_CASE(ordered_cancel),
	KUNIT_CASE(ordered_cancel_all),
	KUNIT_CASE(ordered_flush),
	KUNIT_CASE(ordered_drain),
	KUNIT_CASE(ordered_delay),
	KUNIT_CASE(ordered_stolen),
	KUNIT_CASE(ordered_sleeps),
	KUNIT_CASE(ordered_fair),
	KUNIT_CASE(ordered_elsewhere),
	KUNIT_CASE(ordered_cpumask),
	KUNIT_CASE(ordered_rescued),
	KUNIT_CASE(ordered_nested),
	KUNIT_CASE(ordered_stress),
	KUNIT_CASE(ordered_wrong),
	KUNIT_CASE(ordered_memory),
	{}
};

static struct kunit_suite ordered_suite = {
	.name = "wsq_ordered",
	.test_cases = ordered_cases,
};

kunit_test_suite(ordered_suite);
