// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of what serials have beyond queueing and cancelling one item: several
 * items at once, the item that runs, disabled and delayed items, sticky serials.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "../exec/exec.h"
#include "serials.h"
#include "threads.h"

static struct wsq *unit_queue(struct kunit *test)
{
	struct wsq *q = wsq_create(NULL, "unit");

	KUNIT_ASSERT_FALSE(test, IS_ERR(q));
	return q;
}

/* Not on the stack, because of its work item. */
static struct wsq_serial *unit_serial(struct kunit *test, struct wsq *q)
{
	struct wsq_serial *serial = kunit_kzalloc(test, sizeof(*serial), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, serial);
	wsq_serial_init(serial, q);
	return serial;
}

#define MANY	200

/**
 * struct many - items that are queued at once, by several threads
 * @serial: their serial
 * @book: where they log their runs
 * @items: by thread
 * @works: pointers to them
 * @queued: what wsq_serial_queue_many() said, in all
 */
struct many {
	struct wsq_serial serial;
	struct book book;
	struct sitem (*items)[MANY];
	struct wsq_serial_work *works[NR_BY][MANY];
	atomic_t queued;
};

static void many_thread(void *arg, int nr)
{
	struct many *m = arg;
	unsigned int at = 0, n = 1;

	/* One, two, ... at a time, so that batches of all sizes mix. */
	while (at < MANY) {
		n = min(n, MANY - at);
		atomic_add(wsq_serial_queue_many(&m->serial, m->works[nr] + at, n),
			   &m->queued);
		at += n;
		n = n * 2 + 1;
	}
}

/* Items of several threads, each thread's in order, each once. */
static void unit_many(struct kunit *test)
{
	int nr = min_t(int, NR_BY, 2 * num_online_cpus()), t, i;
	struct wsq *q = unit_queue(test);
	struct many *m;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	m->items = kunit_kcalloc(test, nr, sizeof(*m->items), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->items);
	wsq_serial_init(&m->serial, q);
	for (t = 0; t < nr; t++) {
		for (i = 0; i < MANY; i++) {
			struct sitem *it = &m->items[t][i];

			wsq_serial_work_init(&it->work, sitem_fn);
			it->serial = &m->serial;
			it->book = &m->book;
			it->by = t;
			it->seq = i + 1;
			m->works[t][i] = &it->work;
		}
	}
	wsq_test_run(test, nr, many_thread, m);
	wsq_serial_flush(&m->serial);
	KUNIT_EXPECT_EQ(test, atomic_read(&m->queued), nr * MANY);
	KUNIT_EXPECT_EQ(test, m->book.nr, nr * MANY);
	KUNIT_EXPECT_EQ(test, m->book.wrong, 0);
	wsq_serial_destroy(&m->serial);
	wsq_destroy(q);
}

struct gate {
	struct wsq_serial_work work;
	struct completion open, entered;
	struct wsq_serial_work *seen;
	struct wsq_serial *serial;
	int cpu;
	int last;
};

static void gate_fn(struct wsq_serial_work *work)
{
	struct gate *g = container_of(work, struct gate, work);

	g->seen = wsq_serial_current();
	g->cpu = raw_smp_processor_id();
	if (g->serial)
		g->last = READ_ONCE(g->serial->cpu);
	complete(&g->entered);
	wait_for_completion(&g->open);
}

static void gate_init(struct gate *g)
{
	wsq_serial_work_init(&g->work, gate_fn);
	init_completion(&g->open);
	init_completion(&g->entered);
}

struct counted {
	struct wsq_serial_delayed_work d;
	struct wsq_serial *serial;
	atomic_t runs;
	bool again;
	unsigned long at;
};

static void counted_fn(struct wsq_serial_work *work)
{
	struct counted *c = container_of(work, struct counted, d.work);

	atomic_inc(&c->runs);
	c->at = jiffies;
	if (c->again)
		wsq_serial_queue_delayed(c->serial, &c->d, 1);
}

static void counted_init(struct counted *c, struct wsq_serial *serial)
{
	wsq_serial_delayed_init(&c->d, counted_fn);
	c->serial = serial;
	atomic_set(&c->runs, 0);
	c->again = false;
}

/* Not on the stack, because of its timer. */
static struct counted *counted_new(struct kunit *test)
{
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	return c;
}

/* Items that are queued, cancelled or disabled already are left out. */
static void unit_many_mixed(struct kunit *test)
{
	struct wsq *q = unit_queue(test);
	struct wsq_serial_work *works[6];
	struct wsq_serial *serial;
	struct counted *items = kunit_kcalloc(test, 6, sizeof(*items), GFP_KERNEL);
	struct gate gate;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, items);
	serial = unit_serial(test, q);
	gate_init(&gate);
	for (i = 0; i < 6; i++) {
		counted_init(&items[i], serial);
		works[i] = &items[i].d.work;
	}
	KUNIT_EXPECT_EQ(test, wsq_serial_queue_many(serial, works, 0), 0);
	wsq_serial_queue(serial, &gate.work);
	wait_for_completion(&gate.entered);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(serial, works[1]));
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(serial, works[3]));
	KUNIT_EXPECT_TRUE(test, wsq_serial_cancel(works[3]));
	KUNIT_EXPECT_FALSE(test, wsq_serial_disable(works[4]));
	/* 1 waits, 3 is in the list still, 4 is disabled. */
	KUNIT_EXPECT_EQ(test, wsq_serial_queue_many(serial, works, 6), 3);
	KUNIT_EXPECT_EQ(test, wsq_serial_queue_many(serial, works, 6), 0);
	complete(&gate.open);
	wsq_serial_flush(serial);
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&items[i].runs), i != 3 && i != 4,
				    "item %d", i);
	KUNIT_EXPECT_TRUE(test, wsq_serial_enable(works[4]));
	KUNIT_EXPECT_EQ(test, wsq_serial_queue_many(serial, works + 3, 2), 2);
	wsq_serial_flush(serial);
	KUNIT_EXPECT_EQ(test, atomic_read(&items[3].runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&items[4].runs), 1);
	wsq_serial_destroy(serial);
	wsq_destroy(q);
}

/* A plain item that frees itself, and then asks. */
struct freeing {
	struct wsq_work work;
	struct completion *done;
};

static void freeing_fn(struct wsq_work *work)
{
	struct freeing *f = container_of(work, struct freeing, work);
	struct completion *done = f->done;

	kfree(f);
	if (!wsq_serial_current())
		complete(done);
}

/* The function knows which item it is; other contexts are in none. */
static void unit_current(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct wsq *q = unit_queue(test);
	struct wsq_serial *serial;
	struct freeing *f;
	struct gate gate;

	f = kzalloc(sizeof(*f), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f);
	INIT_WSQ_WORK(&f->work, freeing_fn);
	f->done = &done;
	wsq_queue_work(q, &f->work);
	wsq_flush(q);
	KUNIT_EXPECT_TRUE(test, completion_done(&done));

	serial = unit_serial(test, q);
	gate_init(&gate);
	KUNIT_EXPECT_NULL(test, wsq_serial_current());
	wsq_serial_queue(serial, &gate.work);
	complete(&gate.open);
	wsq_serial_flush(serial);
	KUNIT_EXPECT_PTR_EQ(test, gate.seen, &gate.work);
	wsq_serial_destroy(serial);
	wsq_destroy(q);
}

/* Disabled as often as enabled; waits for the function. */
static void unit_disable(struct kunit *test)
{
	struct wsq *q = unit_queue(test);
	struct wsq_serial *serial;
	struct counted *c = counted_new(test);
	struct gate gate;

	serial = unit_serial(test, q);
	counted_init(c, serial);
	gate_init(&gate);
	wsq_serial_queue(serial, &gate.work);
	wait_for_completion(&gate.entered);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(serial, &c->d.work));
	KUNIT_EXPECT_TRUE(test, wsq_serial_disable(&c->d.work));
	KUNIT_EXPECT_FALSE(test, wsq_serial_disable(&c->d.work));
	complete(&gate.open);
	KUNIT_EXPECT_FALSE(test, wsq_serial_disable_sync(serial, &c->d.work));
	KUNIT_EXPECT_FALSE(test, wsq_serial_queue(serial, &c->d.work));
	KUNIT_EXPECT_FALSE(test, wsq_serial_enable(&c->d.work));
	KUNIT_EXPECT_FALSE(test, wsq_serial_enable(&c->d.work));
	KUNIT_EXPECT_FALSE(test, wsq_serial_queue(serial, &c->d.work));
	KUNIT_EXPECT_TRUE(test, wsq_serial_enable(&c->d.work));
	KUNIT_EXPECT_EQ(test, atomic_read(&c->runs), 0);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(serial, &c->d.work));
	wsq_serial_flush(serial);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->runs), 1);
	wsq_serial_destroy(serial);
	wsq_destroy(q);
}

static void unit_delayed(struct kunit *test)
{
	struct wsq *q = unit_queue(test);
	unsigned long from = jiffies;
	struct wsq_serial *serial;
	struct counted *c = counted_new(test);
	struct gate gate;

	serial = unit_serial(test, q);
	counted_init(c, serial);
	KUNIT_EXPECT_FALSE(test, wsq_serial_cancel_delayed(&c->d));
	/* Not before the delay is over. */
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue_delayed(serial, &c->d, 3));
	KUNIT_EXPECT_FALSE(test, wsq_serial_queue_delayed(serial, &c->d, 1));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&c->runs)));
	KUNIT_EXPECT_GE(test, c->at - from, 3UL);
	/* Without a delay. */
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue_delayed(serial, &c->d, 0));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&c->runs) == 2));
	wsq_serial_flush(serial);
	/* Cancelled before it is over, and behind. */
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue_delayed(serial, &c->d, 1000 * HZ));
	KUNIT_EXPECT_TRUE(test, wsq_serial_cancel_delayed(&c->d));
	gate_init(&gate);
	wsq_serial_queue(serial, &gate.work);
	wait_for_completion(&gate.entered);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue_delayed(serial, &c->d, 1));
	msleep(50);
	KUNIT_EXPECT_FALSE(test, wsq_serial_queue_delayed(serial, &c->d, 1));
	KUNIT_EXPECT_TRUE(test, wsq_serial_cancel_delayed(&c->d));
	/* It is still in the list, and runs all the same once it has left. */
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue_delayed(serial, &c->d, 1));
	msleep(50);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->runs), 2);
	complete(&gate.open);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&c->runs) == 3));
	wsq_serial_cancel_delayed_sync(serial, &c->d);
	/* One that sets its delay anew is stopped for good. */
	c->again = true;
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue_delayed(serial, &c->d, 1));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&c->runs) > 5));
	KUNIT_EXPECT_TRUE(test, wsq_serial_cancel_delayed_sync(serial, &c->d));
	atomic_set(&c->runs, 0);
	msleep(50);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->runs), 0);
	wsq_serial_destroy(serial);
	wsq_destroy(q);
}

/* A delay that has begun is for its serial, whatever is asked meanwhile. */
static void unit_delayed_other(struct kunit *test)
{
	struct wsq *q = unit_queue(test);
	struct counted *c = counted_new(test);
	struct wsq_serial *serial, *other;
	struct gate gate;

	serial = unit_serial(test, q);
	other = unit_serial(test, q);
	counted_init(c, serial);
	gate_init(&gate);
	wsq_serial_queue(other, &gate.work);
	wait_for_completion(&gate.entered);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue_delayed(serial, &c->d, 3));
	KUNIT_EXPECT_FALSE(test, wsq_serial_queue_delayed(other, &c->d, 3));
	/* Not behind the item of the other serial. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&c->runs)));
	complete(&gate.open);
	wsq_serial_destroy(other);
	wsq_serial_destroy(serial);
	wsq_destroy(q);
}

/* Queue an item from this CPU, run it, and say where it ran. */
static int sticky_run(struct kunit *test, struct wsq_serial *serial,
		      struct gate *g, int cpu)
{
	gate_init(g);
	g->serial = serial;
	complete(&g->open);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue_on(cpu, serial, &g->work));
	wait_for_completion(&g->entered);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_serial_idle(serial)));
	return g->cpu;
}

/* Where it ran last, whichever CPU queues. */
static void unit_sticky(struct kunit *test)
{
	struct wsq *q = unit_queue(test);
	unsigned int first = cpumask_first(cpu_online_mask);
	unsigned int second = cpumask_next(first, cpu_online_mask);
	struct wsq_serial *serial = unit_serial(test, q);
	int i, last = 0, there = 0;
	struct gate gate;

	if (second >= nr_cpu_ids) {
		wsq_destroy(q);
		kunit_skip(test, "needs two CPUs");
	}
	/* Does not look where it runs. */
	KUNIT_EXPECT_EQ(test, sticky_run(test, serial, &gate, second), second);
	KUNIT_EXPECT_EQ(test, gate.last, 0);
	wsq_serial_set_sticky(serial, true);
	for (i = 0; i < 40; i++) {
		/* An item for a given CPU is not stolen. */
		KUNIT_EXPECT_EQ(test, sticky_run(test, serial, &gate, second), second);
		last += gate.last == second;
		/* Without one it goes there, unless it is stolen. */
		there += sticky_run(test, serial, &gate, WSQ_CPU_ANY) == second;
	}
	KUNIT_EXPECT_EQ(test, last, 40);
	KUNIT_EXPECT_GT(test, there, 0);
	wsq_serial_destroy(serial);
	wsq_destroy(q);
}

/* If the CPU where it last ran is busy, it runs on another one. */
static void unit_sticky_busy(struct kunit *test)
{
	struct wsq *q = unit_queue(test);
	unsigned int first = cpumask_first(cpu_online_mask);
	unsigned int second = cpumask_next(first, cpu_online_mask);
	struct wsq_serial *serial = unit_serial(test, q);
	struct wsq_test_gate *held;
	struct gate gate;
	int i;

	if (second >= nr_cpu_ids) {
		wsq_destroy(q);
		kunit_skip(test, "needs two CPUs");
	}
	wsq_serial_set_sticky(serial, true);
	wsq_test_stay(test, first);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, sticky_run(test, serial, &gate, second), second);
		held = wsq_test_hold_firmly(test, q, second);
		KUNIT_EXPECT_NE(test, sticky_run(test, serial, &gate, WSQ_CPU_ANY),
				second);
		wsq_test_release(test, q, held);
	}
	wsq_test_roam();
	wsq_serial_destroy(serial);
	wsq_destroy(q);
}

static struct kunit_case unit_cases[] = {
	KUNIT_CASE(unit_many),
	KUNIT_CASE(unit_many_mixed),
	KUNIT_CASE(unit_current),
	KUNIT_CASE(unit_disable),
	KUNIT_CASE(unit_delayed),
	KUNIT_CASE(unit_delayed_other),
	KUNIT_CASE(unit_sticky),
	KUNIT_CASE(unit_sticky_busy),
	{}
};

static struct kunit_suite unit_suite = {
	.name = "wsq_serial_unit",
	.test_cases = unit_cases,
};

kunit_test_suite(unit_suite);
