// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of serials: items run in order, one at a time, in parallel with
 * other serials. A cancelled item does not run. A wait ends as soon as what it
 * names has happened.
 *
 * Seen to fail: Documentation/serial.rst.
 */
#include <linux/delay.h>
#include <linux/rcupdate.h>

#include "../serial/serial.h"
#include "serials.h"

/* One thread queues from different CPUs: items run in exactly that order. */
static void serial_order(struct kunit *test)
{
	enum { NR = 1000 };
	struct bench *b = bench_new(test);
	struct sitem *items = vzalloc(array_size(NR, sizeof(*items)));
	struct book book = { .log = vzalloc(NR * sizeof(int)), .space = NR };
	unsigned int cpu = 0;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, items);
	KUNIT_ASSERT_NOT_NULL(test, book.log);
	for (i = 0; i < NR; i++) {
		sitem_init(&items[i], &b->serial, &book, 0, i + 1);
		if (i % 100 == 0) {
			cpu = wsq_test_other(cpu);
			wsq_test_stay(test, cpu);
		}
		/* With some items in the worker's backlog already. */
		if (i == NR / 2)
			complete_all(&b->gate.leave);
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial,
							 &items[i].work));
	}
	wsq_test_roam();
	wsq_test_call(test, serial_test_flush, &b->serial);
	KUNIT_EXPECT_EQ(test, book.nr, NR);
	KUNIT_EXPECT_EQ(test, book.wrong, 0);
	for (i = 0; i < NR; i++)
		KUNIT_ASSERT_EQ(test, book.log[i], i + 1);
	bench_end(test, b);
	vfree(book.log);
	vfree(items);
}

/* Each producer uses each serial. */
#define NR_SERIALS	3
#define NR_EACH		2000
#define NR_PRODUCERS	4

struct crowd {
	struct wsq *q;
	struct wsq_serial serial[NR_SERIALS];
	struct book book[NR_SERIALS];
	struct sitem *items;
	atomic_t refused;
};

static void crowd_fn(void *arg, int nr)
{
	struct crowd *c = arg;
	int i, s;

	for (i = 0; i < NR_EACH; i++) {
		for (s = 0; s < NR_SERIALS; s++) {
			struct sitem *it = &c->items[(nr * NR_EACH + i) * NR_SERIALS + s];

			sitem_init(it, &c->serial[s], &c->book[s], nr, i + 1);
			if (!wsq_serial_queue(it->serial, &it->work))
				atomic_inc(&c->refused);
		}
		if (i % 256 == nr)
			schedule_timeout_uninterruptible(1);
		wsq_test_yield();
	}
}

static void serial_crowd(struct kunit *test)
{
	struct crowd *c = kzalloc(sizeof(*c), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->items = vzalloc(array3_size(NR_PRODUCERS * NR_EACH, NR_SERIALS,
				       sizeof(*c->items)));
	KUNIT_ASSERT_NOT_NULL(test, c->items);
	c->q = wsq_test_queue(test, 4, 64, NULL);
	for (i = 0; i < NR_SERIALS; i++)
		wsq_serial_init(&c->serial[i], c->q);
	wsq_test_run(test, NR_PRODUCERS, crowd_fn, c);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->refused), 0);
	for (i = 0; i < NR_SERIALS; i++) {
		wsq_test_call(test, serial_test_flush, &c->serial[i]);
		KUNIT_EXPECT_EQ(test, c->book[i].nr, NR_PRODUCERS * NR_EACH);
		KUNIT_EXPECT_EQ(test, c->book[i].wrong, 0);
		wsq_test_call(test, serial_test_destroy, &c->serial[i]);
	}
	for (i = 0; i < NR_PRODUCERS * NR_EACH * NR_SERIALS; i++)
		KUNIT_ASSERT_EQ(test, atomic_read(&c->items[i].runs), 1);
	wsq_test_queue_end(test, c->q);
	vfree(c->items);
	kfree(c);
}

/* One serial is held; others go on. */
static void serial_parallel(struct kunit *test)
{
	struct bench *b = bench_new(test);
	struct wsq_serial *other = kzalloc(sizeof(*other), GFP_KERNEL);
	struct sitem it;

	KUNIT_ASSERT_NOT_NULL(test, other);
	wsq_serial_init(other, b->q);
	sitem_init(&it, other, NULL, 0, 2);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, &b->it->work));
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(other, &it.work));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&it.runs) == 1));
	KUNIT_EXPECT_EQ(test, atomic_read(&b->it->runs), 0);
	KUNIT_EXPECT_FALSE(test, wsq_serial_idle(&b->serial));
	wsq_test_call(test, serial_test_destroy, other);
	bench_end(test, b);
	kfree(other);
}

/* A named CPU or node is used, as for queues, unless items are in front. */
static void serial_near(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	unsigned int cpu, nr = 0, i;
	struct wsq_serial *s;
	struct wsq_test_gate **g;
	struct sitem *items;
	int node;

	g = kunit_kcalloc(test, nr_cpu_ids, sizeof(*g), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, g);
	s = kunit_kcalloc(test, nr_cpu_ids + nr_node_ids, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	items = kunit_kcalloc(test, nr_cpu_ids + nr_node_ids, 2 * sizeof(*items),
			      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, items);
	for (i = 0; i < nr_cpu_ids + nr_node_ids; i++) {
		wsq_serial_init(&s[i], q);
		sitem_init(&items[2 * i], &s[i], NULL, 0, 8);
		sitem_init(&items[2 * i + 1], &s[i], NULL, 0, 8);
	}
	for_each_online_cpu(cpu)
		g[cpu] = wsq_test_hold(test, q, cpu);
	/* No idle worker can steal it. The first item decides the CPU. */
	for_each_online_cpu(cpu) {
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue_near(cpu, &s[nr],
							      &items[2 * nr].work));
		KUNIT_EXPECT_FALSE(test, wsq_serial_queue_near(cpu, &s[nr],
							       &items[2 * nr].work));
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&s[nr],
							 &items[2 * nr + 1].work));
		KUNIT_EXPECT_EQ(test, cpu, wsq_location_cpu(READ_ONCE(s[nr].work.link.where)));
		nr++;
	}
	for_each_online_node(node) {
		u32 where;

		KUNIT_EXPECT_TRUE(test, wsq_serial_queue_node(node, &s[nr],
							      &items[2 * nr].work));
		KUNIT_EXPECT_FALSE(test, wsq_serial_queue_node(node, &s[nr],
							       &items[2 * nr].work));
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue_near(0, &s[nr],
							      &items[2 * nr + 1].work));
		where = wsq_location_cpu(READ_ONCE(s[nr].work.link.where));
		if (!cpumask_empty(cpumask_of_node(node)))
			KUNIT_EXPECT_EQ(test, cpu_to_node(where), node);
		nr++;
	}
	for_each_online_cpu(cpu)
		wsq_test_gate_open(g[cpu]);
	for (i = 0; i < nr; i++)
		wsq_serial_destroy(&s[i]);
	for (i = 0; i < 2 * nr; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&items[i].runs), 1);
	wsq_test_queue_end(test, q);
	for_each_online_cpu(cpu)
		kfree(g[cpu]);
}

/* Queued again while pending: the run sees what was written before. */
static void serial_pending(struct kunit *test)
{
	struct bench *b = bench_new(test);

	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, &b->it->work));
	b->it->said = 7;
	KUNIT_EXPECT_FALSE(test, wsq_serial_queue(&b->serial, &b->it->work));
	complete_all(&b->gate.leave);
	wsq_test_call(test, serial_test_flush, &b->serial);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->it->runs), 1);
	KUNIT_EXPECT_EQ(test, b->it->heard, 7);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, &b->it->work));
	wsq_test_call(test, serial_test_flush, &b->serial);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->it->runs), 2);
	bench_end(test, b);
}

/* Cancelled in every position of the list; in the list until its turn comes. */
static void serial_cancel(struct kunit *test)
{
	struct bench *b = bench_new(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(b->items); i++) {
		struct wsq_serial_work *work = &b->items[i].work;

		KUNIT_EXPECT_FALSE(test, wsq_serial_cancel(work));
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, work));
	}
	for (i = 0; i < ARRAY_SIZE(b->items); i++) {
		struct wsq_serial_work *work = &b->items[i].work;

		if (i == 1 || i == 4)
			continue;
		KUNIT_EXPECT_TRUE(test, wsq_serial_cancel(work));
		KUNIT_EXPECT_FALSE(test, wsq_serial_cancel(work));
		KUNIT_EXPECT_FALSE(test, wsq_serial_queue(&b->serial, work));
	}
	complete_all(&b->gate.leave);
	wsq_test_call(test, serial_test_flush, &b->serial);
	for (i = 0; i < ARRAY_SIZE(b->items); i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&b->items[i].runs),
				i == 1 || i == 4);
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial,
							 &b->items[i].work));
	}
	wsq_test_call(test, serial_test_flush, &b->serial);
	for (i = 0; i < ARRAY_SIZE(b->items); i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&b->items[i].runs),
				(i == 1 || i == 4) + 1);
	bench_end(test, b);
}

/* A cancelled item may be freed: sync waits for the items ahead. */
static void serial_cancel_sync(struct kunit *test)
{
	struct bench *b = bench_new(test);
	struct sitem *it = kzalloc(sizeof(*it), GFP_KERNEL);
	struct wsq_test_call *call;

	KUNIT_ASSERT_NOT_NULL(test, it);
	sitem_init(it, &b->serial, NULL, 0, 2);
	b->it = it;
	/* Idle: nothing to wait for, whatever else the serial does. */
	KUNIT_EXPECT_FALSE(test, wsq_test_call(test, bench_cancel_sync, b));
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, &it->work));
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial,
						 &b->items[1].work));
	call = wsq_test_start(test, bench_cancel_sync, b);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&it->work.state) & 2));
	wsq_test_linger();
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_FALSE(test, wsq_serial_queue(&b->serial, &it->work));
	complete_all(&b->gate.leave);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 0);
	memset(it, 0x6b, sizeof(*it));
	kfree(it);
	wsq_test_call(test, serial_test_flush, &b->serial);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->items[1].runs), 1);
	bench_end(test, b);
}

static bool bench_cancel_gate(void *arg)
{
	struct bench *b = arg;

	return wsq_serial_cancel_sync(&b->serial, &b->gate.work) ||
	       !READ_ONCE(b->gate.left);
}

/* The item runs: the cancel waits for it. */
static void serial_cancel_running(struct kunit *test)
{
	struct bench *b = bench_new(test);
	struct wsq_test_call *call;

	KUNIT_EXPECT_FALSE(test, wsq_serial_cancel(&b->gate.work));
	call = wsq_test_start(test, bench_cancel_gate, b);
	wsq_test_waits(test, call);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	/* It cannot be queued while the cancel waits. */
	KUNIT_EXPECT_FALSE(test, wsq_serial_queue(&b->serial, &b->gate.work));
	complete_all(&b->gate.leave);
	KUNIT_EXPECT_FALSE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, &b->gate.work));
	bench_end(test, b);
}

/* An item that always requeues itself can still be stopped and flushed. */
static void serial_forever(struct kunit *test)
{
	struct bench *b = bench_new(test);
	int runs, i;

	complete_all(&b->gate.leave);
	for (i = 0; i < 50; i++) {
		b->it->again = -1;
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, &b->it->work));
		KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&b->it->runs) >
						       100 * i));
		wsq_test_call(test, serial_test_flush, &b->serial);
		wsq_test_call(test, bench_cancel_sync, b);
		runs = atomic_read(&b->it->runs);
		if (i % 16 == 0)
			wsq_test_linger();
		wsq_test_call(test, serial_test_flush, &b->serial);
		KUNIT_EXPECT_EQ(test, atomic_read(&b->it->runs), runs);
		atomic_set(&b->it->runs, 100 * (i + 1));
	}
	bench_end(test, b);
}

/* A running item is not queued; if it requeues itself, cancel works. */
struct inward {
	struct wsq_serial_work work;
	struct wsq_serial *serial;
	struct wsq_serial_work *other;
	int wrong;
	int runs;
};

static void inward_fn(struct wsq_serial_work *work)
{
	struct inward *in = container_of(work, struct inward, work);

	if (in->runs++)
		return;
	in->wrong += wsq_serial_cancel(work);
	in->wrong += !wsq_serial_queue(in->serial, work);
	in->wrong += wsq_serial_queue(in->serial, work);
	in->wrong += !wsq_serial_cancel(work);
	in->wrong += wsq_serial_queue(in->serial, work);
	in->wrong += !wsq_serial_queue(in->serial, in->other);
}

static void serial_inward(struct kunit *test)
{
	struct bench *b = bench_new(test);
	struct inward in = { .serial = &b->serial, .other = &b->it->work };

	wsq_serial_work_init(&in.work, inward_fn);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, &in.work));
	complete_all(&b->gate.leave);
	/* Twice: queued items queue further ones. */
	wsq_test_call(test, serial_test_flush, &b->serial);
	wsq_test_call(test, serial_test_flush, &b->serial);
	KUNIT_EXPECT_EQ(test, in.wrong, 0);
	KUNIT_EXPECT_EQ(test, in.runs, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->it->runs), 1);
	bench_end(test, b);
}

/* A requeued item goes behind those that were queued while it ran. */
static void serial_again(struct kunit *test)
{
	struct bench *b = bench_new(test);
	int log[16], i;
	struct book book = { .log = log, .space = ARRAY_SIZE(log) };

	for (i = 0; i < 3; i++) {
		sitem_init(&b->items[i], &b->serial, &book, i, 10 + i);
		b->items[i].again = i ? 0 : 2;
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial,
							 &b->items[i].work));
	}
	complete_all(&b->gate.leave);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_serial_idle(&b->serial)));
	KUNIT_EXPECT_EQ(test, book.nr, 5);
	KUNIT_EXPECT_EQ(test, log[0], 10);
	KUNIT_EXPECT_EQ(test, log[1], 11);
	KUNIT_EXPECT_EQ(test, log[2], 12);
	KUNIT_EXPECT_EQ(test, log[3], 10);
	KUNIT_EXPECT_EQ(test, log[4], 10);
	bench_end(test, b);
}

static void sitem_free_fn(struct wsq_serial_work *work)
{
	struct sitem *it = sitem_of(work);
	atomic_t *runs = (atomic_t *)it->book;

	memset(it, 0x6b, sizeof(*it));
	kfree(it);
	atomic_inc(runs);
}

/* Each item is freed by its own function. */
static void serial_frees(struct kunit *test)
{
	enum { NR = 500 };
	struct bench *b = bench_new(test);
	atomic_t runs = ATOMIC_INIT(0);
	int i;

	for (i = 0; i < NR; i++) {
		struct sitem *it = kzalloc(sizeof(*it), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, it);
		wsq_serial_work_init(&it->work, sitem_free_fn);
		it->book = (struct book *)&runs;
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, &it->work));
		if (i == NR / 2)
			complete_all(&b->gate.leave);
	}
	wsq_test_call(test, serial_test_flush, &b->serial);
	KUNIT_EXPECT_EQ(test, atomic_read(&runs), NR);
	bench_end(test, b);
}

/* A flush waits for items queued before it, and for no later ones. */
static void serial_flush(struct kunit *test)
{
	struct bench *b = bench_new(test);
	struct sgate behind;
	struct wsq_test_call *call;

	wsq_serial_work_init(&behind.work, sgate_fn);
	init_completion(&behind.entered);
	init_completion(&behind.leave);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, &b->it->work));
	call = wsq_test_start(test, serial_test_flush, &b->serial);
	wsq_test_waits(test, call);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, &behind.work));
	complete_all(&b->gate.leave);
	wsq_test_end(test, call);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->it->runs), 1);
	KUNIT_EXPECT_TRUE(test, sgate_entered(&behind));
	KUNIT_EXPECT_FALSE(test, READ_ONCE(behind.left));
	complete_all(&behind.leave);
	bench_end(test, b);
	KUNIT_EXPECT_TRUE(test, behind.left);
}

/*
 * While a queue is drained, waits for its serials, idle ones included, work as
 * always, and a serial that is not idle takes new items.
 */
static void serial_drained(struct kunit *test)
{
	struct bench *b = bench_new(test);
	struct bench *idle = kzalloc(sizeof(*idle), GFP_KERNEL);
	struct wsq_test_call *call;

	KUNIT_ASSERT_NOT_NULL(test, idle);
	idle->q = b->q;
	idle->it = &idle->items[0];
	wsq_serial_init(&idle->serial, b->q);
	sitem_init(idle->it, &idle->serial, NULL, 0, 2);
	call = wsq_test_start(test, wsq_test_drain, b->q);
	while (!READ_ONCE(b->q->flags) && !wsq_test_over(call))
		wsq_test_linger();
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial, &b->it->work));
	wsq_test_call(test, serial_test_flush, &idle->serial);
	wsq_test_call(test, bench_cancel_sync, idle);
	wsq_test_call(test, serial_test_destroy, &idle->serial);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	complete_all(&b->gate.leave);
	wsq_test_end(test, call);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->it->runs), 1);
	kfree(idle);
	bench_end(test, b);
}

/* All that its own items still queue is run before destroy returns. */
static void serial_destroy(struct kunit *test)
{
	struct bench *b = bench_new(test);
	int again[ARRAY_SIZE(b->items)], i;

	for (i = 0; i < ARRAY_SIZE(b->items); i++) {
		again[i] = 100 * i;
		/* One sleeps in each run, until long after the first flush. */
		if (i == 1) {
			again[i] = 20;
			b->items[i].seq = 65;
		}
		b->items[i].again = again[i];
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial,
							 &b->items[i].work));
	}
	complete_all(&b->gate.leave);
	wsq_test_call(test, serial_test_destroy, &b->serial);
	KUNIT_EXPECT_TRUE(test, wsq_serial_idle(&b->serial));
	KUNIT_EXPECT_FALSE(test, wsq_work_busy(&b->serial.work));
	for (i = 0; i < ARRAY_SIZE(b->items); i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&b->items[i].runs),
				again[i] + 1);
	memset(&b->serial, 0x6b, sizeof(b->serial));
	wsq_test_queue_end(test, b->q);
	kfree(b);
}

/* An item that is not done until its function was called several times. */
struct paused {
	struct wsq_serial_work work;
	struct wsq_serial *serial;
	struct completion held;
	int calls;
};

#define PAUSED_AGAIN	5

static void paused_fn(struct wsq_serial_work *work)
{
	struct paused *p = container_of(work, struct paused, work);

	p->calls++;
	if (p->calls <= PAUSED_AGAIN) {
		wsq_serial_pause(p->serial, WSQ_SERIAL_AGAIN);
	} else if (p->calls == PAUSED_AGAIN + 1) {
		wsq_serial_pause(p->serial, WSQ_SERIAL_HELD);
		complete(&p->held);
	}
}

/* Until the item is done no other of its serial runs, in whichever queue. */
static void serial_paused(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 64, NULL);
	struct wsq *other = wsq_test_queue(test, 4, 64, NULL);
	struct wsq_serial *s = kzalloc(sizeof(*s), GFP_KERNEL);
	struct paused *p = kzalloc(sizeof(*p), GFP_KERNEL);
	struct sitem *it = kzalloc(sizeof(*it), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_NOT_NULL(test, it);
	wsq_serial_init(s, q);
	wsq_serial_work_init(&p->work, paused_fn);
	p->serial = s;
	init_completion(&p->held);
	sitem_init(it, s, NULL, 0, 1);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(s, &p->work));
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(s, &it->work));
	wait_for_completion(&p->held);
	msleep(20);
	KUNIT_EXPECT_EQ(test, p->calls, PAUSED_AGAIN + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 0);
	KUNIT_EXPECT_FALSE(test, wsq_serial_idle(s));

	/* The serial moves to another queue, and the first may be destroyed. */
	wsq_serial_redirect(s, other);
	synchronize_rcu();
	wsq_serial_fetch(s);
	wsq_test_queue_end(test, q);
	/* The item is in no list: its memory may be overwritten. */
	memset(&p->work, 0x5a, sizeof(p->work));
	wsq_serial_work_init(&p->work, paused_fn);
	wsq_serial_resume(s);
	wsq_test_call(test, serial_test_flush, s);
	KUNIT_EXPECT_EQ(test, p->calls, PAUSED_AGAIN + 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 1);
	wsq_test_call(test, serial_test_destroy, s);
	wsq_test_queue_end(test, other);
	kfree(it);
	kfree(p);
	kfree(s);
}

static struct kunit_case serial_cases[] = {
	KUNIT_CASE(serial_order),
	KUNIT_CASE(serial_crowd),
	KUNIT_CASE(serial_parallel),
	KUNIT_CASE(serial_near),
	KUNIT_CASE(serial_pending),
	KUNIT_CASE(serial_cancel),
	KUNIT_CASE(serial_cancel_sync),
	KUNIT_CASE(serial_cancel_running),
	KUNIT_CASE(serial_forever),
	KUNIT_CASE(serial_inward),
	KUNIT_CASE(serial_again),
	KUNIT_CASE(serial_frees),
	KUNIT_CASE(serial_flush),
	KUNIT_CASE(serial_drained),
	KUNIT_CASE(serial_destroy),
	KUNIT_CASE(serial_paused),
	{}
};

static struct kunit_suite serial_suite = {
	.name = "wsq_serial",
	.test_cases = serial_cases,
};

kunit_test_suite(serial_suite);
