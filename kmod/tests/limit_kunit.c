// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of limits that change: frozen queues, by the functions that the
 * sentinel calls (kmod/exec/limit.c), and wsq_set_max_active(). While a queue is
 * frozen none of its items begins, wherever it waits; those under way are waited
 * for; all others run after the thaw. The suspend of a whole system is tested in
 * a virtual machine: selftests/wsq/freeze.c.
 *
 * The tests wait a while for what must not happen: they may miss a fault, but a
 * slow machine does not make them fail.
 */
#include <linux/wsq_serial.h>

#include "items.h"

#define LIMIT_ITEMS	200

static struct wsq *limit_queue(struct kunit *test, u32 flags)
{
	struct wsq_attrs attrs = { .flags = WSQ_FREEZABLE | flags };
	struct wsq *q = wsq_create(&attrs, "limit");

	KUNIT_ASSERT_FALSE(test, IS_ERR(q));
	return q;
}

/* Freeze, which must end: nothing that does not end is under way. */
static void limit_freeze(struct kunit *test)
{
	wsq_freeze_begin();
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!wsq_freeze_busy()));
}

/* How many of these have begun? */
static int limit_runs(struct wsq_test_item *items, int nr)
{
	int i, sum = 0;

	for (i = 0; i < nr; i++)
		sum += atomic_read(&items[i].runs);
	return sum;
}

/* Items put in all ways stay where they are, and can be cancelled there. */
static void freeze_put(struct kunit *test)
{
	struct wsq *q = limit_queue(test, WSQ_RESIDENT);
	struct wsq_test_item *items = wsq_test_items(test, q, LIMIT_ITEMS,
						     wsq_test_count);
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq_test_call *flush, *one;
	int i;

	limit_freeze(test);
	for (i = 0; i < LIMIT_ITEMS; i++) {
		struct wsq_work *work = &items[i].work;

		switch (i % 4) {
		case 0:
			KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, work));
			break;
		case 1:
			KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, q, work));
			break;
		case 2:
			KUNIT_EXPECT_TRUE(test, wsq_queue_work_near(cpu, q, work));
			break;
		default:
			KUNIT_EXPECT_EQ(test, wsq_queue_work_many(q, &work, 1), 1U);
			break;
		}
		KUNIT_EXPECT_FALSE(test, wsq_queue_work(q, work));
		cpu = wsq_test_other(cpu);
	}
	flush = wsq_test_start(test, wsq_test_flush, q);
	one = wsq_test_start(test, wsq_test_flush_work, &items[7].work);
	wsq_test_waits(test, flush);
	wsq_test_waits(test, one);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(flush));
	KUNIT_EXPECT_FALSE(test, wsq_test_over(one));
	KUNIT_EXPECT_EQ(test, limit_runs(items, LIMIT_ITEMS), 0);
	KUNIT_EXPECT_FALSE(test, wsq_freeze_busy());
	for (i = 0; i < LIMIT_ITEMS; i += 5) {
		KUNIT_EXPECT_EQ(test, wsq_work_busy(&items[i].work),
				(unsigned int)WSQ_BUSY_PENDING);
		KUNIT_EXPECT_TRUE(test, wsq_test_call(test, wsq_test_cancel_sync,
						      &items[i].work));
	}
	wsq_freeze_end();
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, one));
	wsq_test_end(test, flush);
	for (i = 0; i < LIMIT_ITEMS; i++)
		wsq_test_expect_runs(test, &items[i], 1, !!(i % 5));
	wsq_test_queue_end(test, q);
	vfree(items);
}

/*
 * Items under way are waited for, whether they sleep or compute. Those behind
 * them on the CPU, which the same worker would run, do not begin.
 */
static void freeze_running(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	int sleeps;

	for (sleeps = 0; sleeps < 2; sleeps++) {
		struct wsq *q = limit_queue(test, 0);
		struct wsq_test_item *items = wsq_test_items(test, q, LIMIT_ITEMS,
							     wsq_test_count);
		struct wsq_test_gate *g = wsq_test_gate(test, sleeps);
		int i, begun;

		wsq_test_gate_begin(test, q, cpu, g);
		/* Only bound items wait behind one that sleeps or computes. */
		for (i = 0; i < LIMIT_ITEMS && !sleeps; i++)
			KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, q,
								  &items[i].work));
		wsq_freeze_begin();
		for (i = 0; i < LIMIT_ITEMS && sleeps; i++)
			KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[i].work));
		KUNIT_EXPECT_TRUE(test, wsq_freeze_busy());
		wsq_test_linger();
		begun = limit_runs(items, LIMIT_ITEMS);
		KUNIT_EXPECT_EQ(test, begun, 0);
		KUNIT_EXPECT_TRUE(test, wsq_freeze_busy());
		wsq_test_gate_open(g);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(!wsq_freeze_busy()));
		wsq_test_linger();
		/* The sentinel has told the worker before the gate opened. */
		KUNIT_EXPECT_EQ(test, limit_runs(items, LIMIT_ITEMS), 0);
		wsq_freeze_end();
		wsq_test_call(test, wsq_test_flush, q);
		wsq_test_expect_runs(test, items, LIMIT_ITEMS, 1);
		wsq_test_expect_runs(test, &g->it, 1, 1);
		wsq_test_queue_end(test, q);
		kfree(g);
		vfree(items);
	}
}

/* A queue that keeps order stops behind the item that runs, and goes on there. */
static void freeze_ordered(struct kunit *test)
{
	struct wsq *q = limit_queue(test, WSQ_ORDERED | WSQ_MEM_RECLAIM);
	struct wsq_test_item *items = wsq_test_items(test, q, LIMIT_ITEMS,
						     wsq_test_count);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	int i;

	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g->it.work));
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	for (i = 0; i < LIMIT_ITEMS; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[i].work));
	wsq_freeze_begin();
	KUNIT_EXPECT_TRUE(test, wsq_freeze_busy());
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!wsq_freeze_busy()));
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, limit_runs(items, LIMIT_ITEMS), 0);
	for (i = 0; i < LIMIT_ITEMS; i += 3)
		KUNIT_EXPECT_TRUE(test, wsq_cancel_work(&items[i].work));
	wsq_freeze_end();
	wsq_test_call(test, wsq_test_flush, q);
	for (i = 0; i < LIMIT_ITEMS; i++)
		wsq_test_expect_runs(test, &items[i], 1, !!(i % 3));
	wsq_test_queue_end(test, q);
	kfree(g);
	vfree(items);
}

struct limit_serial {
	struct wsq_serial serial;
	struct wsq_serial_work works[LIMIT_ITEMS];
	struct completion go;
	struct completion entered;
	atomic_t runs;
};

static void limit_serial_fn(struct wsq_serial_work *work)
{
	struct limit_serial *s;

	/* The first one waits. */
	s = container_of(wsq_current_work(), struct limit_serial, serial.work);
	if (work == &s->works[0]) {
		complete(&s->entered);
		wait_for_completion(&s->go);
	}
	atomic_inc(&s->runs);
}

/* A serial stops at the end of its time slice. */
static void freeze_serial(struct kunit *test)
{
	struct wsq *q = limit_queue(test, 0);
	struct limit_serial *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	int i, runs;

	KUNIT_ASSERT_NOT_NULL(test, s);
	wsq_serial_init(&s->serial, q);
	init_completion(&s->go);
	init_completion(&s->entered);
	for (i = 0; i < LIMIT_ITEMS; i++) {
		wsq_serial_work_init(&s->works[i], limit_serial_fn);
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&s->serial, &s->works[i]));
	}
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&s->entered,
							  WSQ_TEST_TIMEOUT), 0UL);
	wsq_freeze_begin();
	KUNIT_EXPECT_TRUE(test, wsq_freeze_busy());
	complete_all(&s->go);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!wsq_freeze_busy()));
	runs = atomic_read(&s->runs);
	KUNIT_EXPECT_LE(test, runs, WSQ_SERIAL_BUDGET);
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), runs);
	wsq_freeze_end();
	wsq_serial_flush(&s->serial);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), LIMIT_ITEMS);
	wsq_serial_destroy(&s->serial);
	wsq_test_queue_end(test, q);
}

struct limit_delayed {
	struct wsq_delayed_work dwork;
	atomic_t runs;
};

static void limit_delayed_fn(struct wsq_work *work)
{
	atomic_inc(&container_of(to_wsq_delayed_work(work), struct limit_delayed,
				 dwork)->runs);
}

/* A delay that is over while the queue is frozen: the item is queued, and waits. */
static void freeze_delayed(struct kunit *test)
{
	struct wsq *q = limit_queue(test, 0);
	struct limit_delayed *d = kunit_kcalloc(test, 4, sizeof(*d), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, d);
	for (i = 0; i < 4; i++)
		INIT_WSQ_DELAYED_WORK(&d[i].dwork, limit_delayed_fn);
	/* Before the freeze, but not over then. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &d[3].dwork, 3600 * HZ));
	limit_freeze(test);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &d[i].dwork, i));
	KUNIT_EXPECT_TRUE(test, wsq_mod_delayed_work(q, &d[3].dwork, 1));
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_TRUE(test,
				  wsq_test_until(wsq_test_kind(&d[i].dwork.work) !=
						 WSQ_ON_TIMER));
	wsq_test_linger();
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&d[i].runs), 0);
	KUNIT_EXPECT_TRUE(test, wsq_cancel_delayed_work_sync(&d[2].dwork));
	wsq_freeze_end();
	wsq_test_call(test, wsq_test_flush, q);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&d[i].runs), i != 2);
	wsq_test_queue_end(test, q);
}

/* Other queues go on meanwhile, on all CPUs, and the watchdogs stop. */
static void freeze_others(struct kunit *test)
{
	struct wsq *q = limit_queue(test, 0), *other = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *items = wsq_test_items(test, q, LIMIT_ITEMS,
						     wsq_test_count);
	struct wsq_test_item *others = wsq_test_items(test, other, LIMIT_ITEMS,
						      wsq_test_repeat);
	unsigned int cpu;
	int i;

	limit_freeze(test);
	for_each_online_cpu(cpu) {
		for (i = cpu; i < LIMIT_ITEMS; i += num_online_cpus()) {
			wsq_queue_work_near(cpu, q, &items[i].work);
			others[i].again = 10;
			wsq_queue_work_on(cpu, other, &others[i].work);
		}
	}
	wsq_test_call(test, wsq_test_drain, other);
	for (i = 0; i < LIMIT_ITEMS; i++)
		wsq_test_expect_runs(test, &others[i], 1,
				     atomic_read(&others[i].runs) ? 11 : 0);
	KUNIT_EXPECT_GT(test, limit_runs(others, LIMIT_ITEMS), 0);
	KUNIT_EXPECT_EQ(test, limit_runs(items, LIMIT_ITEMS), 0);
	/* What is frozen keeps no timer running. */
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_TRUE(test,
				  wsq_test_until(!atomic_read(&wsq_cpus[cpu]->watched)));
	wsq_freeze_end();
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_EXPECT_EQ(test, limit_runs(items, LIMIT_ITEMS), LIMIT_ITEMS);
	wsq_test_queue_end(test, q);
	wsq_test_queue_end(test, other);
	vfree(items);
	vfree(others);
}

/* A frozen queue that is destroyed runs its items; a new one is frozen. */
static void freeze_destroy(struct kunit *test)
{
	struct wsq *a = limit_queue(test, 0), *b = limit_queue(test, 0), *c;
	struct wsq_test_item *items = wsq_test_items(test, a, 30, wsq_test_count);
	int i;

	limit_freeze(test);
	c = limit_queue(test, 0);
	for (i = 0; i < 30; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(i % 3 == 0 ? a : i % 3 == 1 ?
						       b : c, &items[i].work));
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, limit_runs(items, 30), 0);
	wsq_test_queue_end(test, a);
	KUNIT_EXPECT_EQ(test, limit_runs(items, 30), 10);
	wsq_freeze_end();
	wsq_test_queue_end(test, b);
	wsq_test_queue_end(test, c);
	wsq_test_expect_runs(test, items, 30, 1);
	vfree(items);
}

/* Nor does the rescuer run them. */
static void freeze_rescued(struct kunit *test)
{
	struct wsq *q = limit_queue(test, WSQ_MEM_RECLAIM);
	struct wsq_test_item *items = wsq_test_items(test, q, 50, wsq_test_count);
	unsigned int cpu = cpumask_last(cpu_online_mask);
	int i;

	limit_freeze(test);
	for (i = 0; i < 50; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, q, &items[i].work));
	preempt_disable();
	wsq_rescue(q, cpu);
	preempt_enable();
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, limit_runs(items, 50), 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!wsq_freeze_busy()));
	wsq_freeze_end();
	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_expect_runs(test, items, 50, 1);
	wsq_test_queue_end(test, q);
	vfree(items);
}

/* The thread exists while a freezable queue does. */
static void freeze_sentinel(struct kunit *test)
{
	struct wsq *plain = wsq_test_queue(test, 2, 4, NULL), *a, *b;
	struct task_struct *task;

	KUNIT_EXPECT_TRUE(test, wsq_test_until(!READ_ONCE(wsq_sentinel)));
	a = limit_queue(test, 0);
	task = READ_ONCE(wsq_sentinel);
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_STREQ(test, task->comm, "wsq-freezer");
	/* Once it has run, the freezer finds it. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!(READ_ONCE(task->flags) &
						 PF_NOFREEZE)));
	b = limit_queue(test, 0);
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(wsq_sentinel), task);
	wsq_test_queue_end(test, a);
	wsq_test_linger();
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(wsq_sentinel), task);
	wsq_test_queue_end(test, b);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!READ_ONCE(wsq_sentinel)));
	/* And again, at once. */
	wsq_test_queue_end(test, limit_queue(test, 0));
	a = limit_queue(test, 0);
	KUNIT_EXPECT_NOT_NULL(test, READ_ONCE(wsq_sentinel));
	wsq_test_queue_end(test, a);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!READ_ONCE(wsq_sentinel)));
	wsq_test_queue_end(test, plain);
}

#define FREEZE_STRESS_ITEMS	16
#define FREEZE_STRESS_ROUNDS	WSQ_TEST_MANY(8000)

struct freeze_stress {
	struct wsq *q[2];
	struct wsq_test_item *items;
	atomic_t *put;
	bool frozen;
	atomic_t wrong;
	atomic_t threads;
};

static void freeze_stress_thread(void *arg, int nr)
{
	struct freeze_stress *s = arg;
	u32 seed = nr * 7 + 1;
	int i, k;

	if (!nr) {
		/* Freezes and thaws until the others are done. */
		while (atomic_read(&s->threads) > 1) {
			int runs;

			wsq_freeze_begin();
			while (wsq_freeze_busy())
				schedule_timeout_idle(1);
			runs = limit_runs(s->items, FREEZE_STRESS_ITEMS);
			schedule_timeout_idle(2);
			if (runs != limit_runs(s->items, FREEZE_STRESS_ITEMS))
				atomic_inc(&s->wrong);
			wsq_freeze_end();
			schedule_timeout_idle(1);
		}
		return;
	}
	for (i = 0; i < FREEZE_STRESS_ROUNDS; i++) {
		struct wsq_work *work;

		seed = seed * 1103515245 + 12345;
		k = (seed >> 16) % FREEZE_STRESS_ITEMS;
		work = &s->items[k].work;
		switch (seed >> 24 & 7) {
		case 0 ... 3:
			if (wsq_queue_work_on(seed & 0x10000 ? WSQ_CPU_ANY :
					      (int)wsq_test_other(raw_smp_processor_id()),
					      s->q[seed >> 28 & 1], work))
				atomic_inc(&s->put[k]);
			break;
		case 4:
		case 5:
			if (wsq_cancel_work(work))
				atomic_dec(&s->put[k]);
			break;
		case 6:
			if (!(seed & 0x70000) && wsq_cancel_work_sync(work))
				atomic_dec(&s->put[k]);
			break;
		default:
			if (!(seed & 0x7f0000))
				wsq_flush(s->q[seed >> 28 & 1]);
			break;
		}
		if (!(seed >> 20 & 15))
			wsq_test_yield();
	}
	atomic_dec(&s->threads);
}

/* Frozen and thawed again and again, beside puts, cancels and flushes. */
static void freeze_stress(struct kunit *test)
{
	struct freeze_stress s = {
		.q = { limit_queue(test, 0), limit_queue(test, WSQ_ORDERED) },
		.items = wsq_test_items(test, NULL, FREEZE_STRESS_ITEMS,
					wsq_test_count),
		.put = kunit_kcalloc(test, FREEZE_STRESS_ITEMS, sizeof(*s.put),
				     GFP_KERNEL),
	};
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s.put);
	atomic_set(&s.threads, 2 * num_online_cpus() + 1);
	wsq_test_run(test, 2 * num_online_cpus() + 1, freeze_stress_thread, &s);
	for (i = 0; i < 2; i++)
		wsq_test_queue_end(test, s.q[i]);
	for (i = 0; i < FREEZE_STRESS_ITEMS; i++)
		wsq_test_expect_runs(test, &s.items[i], 1, atomic_read(&s.put[i]));
	KUNIT_EXPECT_EQ(test, atomic_read(&s.wrong), 0);
	KUNIT_EXPECT_GT(test, limit_runs(s.items, FREEZE_STRESS_ITEMS), 0);
	vfree(s.items);
}

/* A higher limit lets waiting items begin; a lower one holds for later ones. */
static void limit_change(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct wsq_attrs attrs = { .max_active = 1, .cpumask = cpumask_of(cpu) };
	struct wsq *q = wsq_test_queue_attrs(test, &attrs);
	struct wsq_test_gate *g[5];
	int i, begun;

	for (i = 0; i < 5; i++) {
		g[i] = wsq_test_gate(test, true);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g[i]->it.work));
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_gate_entered(g[0]));
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&g[1]->it.runs), 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_congested(cpu, q)));
	KUNIT_EXPECT_EQ(test, wsq_set_max_active(q, 3), 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_gate_entered(g[1]));
	KUNIT_EXPECT_TRUE(test, wsq_test_gate_entered(g[2]));
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&g[3]->it.runs), 0);
	/* Two of three end: none begins, because one is the limit now. */
	KUNIT_EXPECT_EQ(test, wsq_set_max_active(q, 1), 0);
	wsq_test_gate_open(g[0]);
	wsq_test_gate_open(g[1]);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!atomic_read(&g[0]->it.inside) &&
					       !atomic_read(&g[1]->it.inside)));
	wsq_test_linger();
	for (i = 0, begun = 0; i < 5; i++)
		begun += atomic_read(&g[i]->it.runs);
	KUNIT_EXPECT_EQ(test, begun, 3);
	/* The default. */
	KUNIT_EXPECT_EQ(test, wsq_set_max_active(q, 0), 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_gate_entered(g[4]));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!wsq_congested(cpu, q)));
	for (i = 2; i < 5; i++)
		wsq_test_gate_open(g[i]);
	wsq_test_call(test, wsq_test_flush, q);
	for (i = 0; i < 5; i++) {
		wsq_test_expect_runs(test, &g[i]->it, 1, 1);
		kfree(g[i]);
	}
	wsq_test_queue_end(test, q);
}

/* A change of a frozen queue takes effect at the thaw. */
static void limit_frozen(struct kunit *test)
{
	struct wsq *q = limit_queue(test, 0);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);

	limit_freeze(test);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	KUNIT_EXPECT_EQ(test, wsq_set_max_active(q, 7), 0);
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 0);
	wsq_freeze_end();
	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_expect_runs(test, it, 1, 1);
	KUNIT_EXPECT_EQ(test, READ_ONCE(q->max_active), 7U);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* Limits that are refused. */
static void limit_wrong(struct kunit *test)
{
	struct wsq_attrs attrs = { .flags = WSQ_ORDERED };
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq *o = wsq_create(&attrs, "ordered");

	KUNIT_ASSERT_FALSE(test, IS_ERR(o));
	KUNIT_EXPECT_EQ(test, wsq_set_max_active(q, 65536), 0);
	KUNIT_EXPECT_EQ(test, wsq_set_max_active(q, 65537), -EINVAL);
	KUNIT_EXPECT_EQ(test, wsq_set_max_active(q, ~0U), -EINVAL);
	KUNIT_EXPECT_EQ(test, READ_ONCE(q->max_active), 65536U);
	KUNIT_EXPECT_EQ(test, wsq_set_max_active(o, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, wsq_set_max_active(o, 0), -EINVAL);
	KUNIT_EXPECT_FALSE(test, wsq_congested(nr_cpu_ids, q));
	KUNIT_EXPECT_FALSE(test, wsq_congested(-2, q));
	KUNIT_EXPECT_FALSE(test, wsq_congested(WSQ_CPU_ANY, q));
	wsq_test_queue_end(test, q);
	wsq_test_queue_end(test, o);
}

static struct kunit_case limit_cases[] = {
	KUNIT_CASE(freeze_put),
	KUNIT_CASE(freeze_running),
	KUNIT_CASE(freeze_ordered),
	KUNIT_CASE(freeze_serial),
	KUNIT_CASE(freeze_delayed),
	KUNIT_CASE(freeze_others),
	KUNIT_CASE(freeze_destroy),
	KUNIT_CASE(freeze_rescued),
	KUNIT_CASE(freeze_sentinel),
	KUNIT_CASE(freeze_stress),
	KUNIT_CASE(limit_change),
	KUNIT_CASE(limit_frozen),
	KUNIT_CASE(limit_wrong),
	{}
};

static struct kunit_suite limit_suite = {
	.name = "wsq_limit",
	.test_cases = limit_cases,
};

kunit_test_suite(limit_suite);
