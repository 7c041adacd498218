// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the budget of serials: how long a worker stays at one, and
 * what it runs next. Items of other serials and queues run in between, whatever
 * the queue's order.
 *
 * Seen to fail: Documentation/serial.rst.
 */
#include <linux/delay.h>

#include "../serial/serial.h"
#include "serials.h"

/**
 * struct fed - an item that always requeues itself
 * @work: the item
 * @serial: its serial
 * @slow: each run takes a tick
 * @stop: stop requeueing
 * @runs: how often it ran
 * @turn: the worker's item count when it last ran: a serial's turn is one item
 * @turns: how many turns there were
 * @other: another item of this kind on the same CPU, if any
 * @seen: @turns of @other at the last turn
 * @beside: successive turns in which @other had none
 * @alone: the most of @beside
 * @in_slice: how often it has run in this turn
 * @most: the most of @in_slice
 */
struct fed {
	struct wsq_serial_work work;
	struct wsq_serial *serial;
	bool slow;
	bool stop;
	int runs;
	u64 turn;
	int turns;
	struct fed *other;
	int seen;
	int beside;
	int alone;
	int in_slice;
	int most;
};

/* A turn begins. How many were there since one of the other item? */
static void fed_slice(struct fed *f)
{
	if (!f->other)
		return;
	if (f->seen != READ_ONCE(f->other->turns))
		f->beside = 0;
	f->seen = READ_ONCE(f->other->turns);
	WRITE_ONCE(f->alone, max(READ_ONCE(f->alone), ++f->beside));
}

static void fed_fn(struct wsq_serial_work *work)
{
	struct fed *f = container_of(work, struct fed, work);
	const struct wsq_worker *w = kthread_data(current);
	unsigned long end = jiffies + 1;

	if (f->turn != READ_ONCE(w->nr_run)) {
		f->in_slice = 0;
		WRITE_ONCE(f->turns, f->turns + 1);
		fed_slice(f);
	}
	f->turn = READ_ONCE(w->nr_run);
	f->most = max(f->most, ++f->in_slice);
	WRITE_ONCE(f->runs, f->runs + 1);
	while (f->slow && time_before(jiffies, end))
		wsq_test_yield();
	if (!READ_ONCE(f->stop))
		wsq_serial_queue(f->serial, work);
}

/* An item queued now runs in between, and the serial then goes on. */
static void fed_beside(struct kunit *test, struct wsq *q, struct fed *f)
{
	struct wsq_test_item *it = kzalloc(sizeof(*it), GFP_KERNEL);
	int at;

	KUNIT_ASSERT_NOT_NULL(test, it);
	wsq_test_item_init(it, q, wsq_test_count);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	KUNIT_ASSERT_TRUE(test, wsq_test_until(atomic_read(&it->runs)));
	wsq_test_call(test, wsq_test_flush_work, &it->work);
	kfree(it);
	at = READ_ONCE(f->runs);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(f->runs) > at));
}

/* A serial that is never idle, on the only CPU: its turns are short. */
static void serial_slice_budget(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq *q = wsq_test_queue(test, 4, 64, cpumask_of(cpu));
	struct wsq *other = wsq_test_queue(test, 4, 64, cpumask_of(cpu));
	struct wsq_serial *s = kzalloc(sizeof(*s), GFP_KERNEL);
	struct fed *f = kzalloc(sizeof(*f), GFP_KERNEL);
	int slow;

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_NOT_NULL(test, s);
	wsq_serial_init(s, q);
	for (slow = 0; slow < 2; slow++) {
		memset(f, 0, sizeof(*f));
		wsq_serial_work_init(&f->work, fed_fn);
		f->serial = s;
		f->slow = slow;
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue(s, &f->work));
		KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(f->runs) > 3));
		fed_beside(test, q, f);
		fed_beside(test, other, f);
		WRITE_ONCE(f->stop, true);
		/* Twice: the item may have requeued itself behind the first. */
		wsq_test_call(test, serial_test_flush, s);
		wsq_test_call(test, serial_test_flush, s);
		if (slow)
			KUNIT_EXPECT_EQ(test, f->most, 1);
		else
			KUNIT_EXPECT_LE(test, f->most, WSQ_SERIAL_BUDGET);
	}
	wsq_test_call(test, serial_test_destroy, s);
	wsq_test_queue_end(test, other);
	wsq_test_queue_end(test, q);
	kfree(s);
	kfree(f);
}

/* More than a worker may put in order within one turn. */
#define LONG_LIST	8192

/**
 * struct longlist - a serial with a long list, and an item behind it
 * @starter: queues the list, then @probe, from the CPU where all of them run
 * @probe: runs behind the serial's first turn
 * @q: the queue of all of them
 * @serial: the serial
 * @items: its items
 * @ran: how many of them have run
 * @at_probe: @ran when @probe ran, -1 before
 */
struct longlist {
	struct wsq_work starter;
	struct wsq_work probe;
	struct wsq *q;
	struct wsq_serial serial;
	struct wsq_serial_work *items;
	atomic_t ran;
	atomic_t at_probe;
};

static struct longlist *longlist;

static void longlist_item_fn(struct wsq_serial_work *work)
{
	atomic_inc(&longlist->ran);
}

static void longlist_probe_fn(struct wsq_work *work)
{
	struct longlist *l = container_of(work, struct longlist, probe);

	atomic_set(&l->at_probe, atomic_read(&l->ran));
}

static void longlist_starter_fn(struct wsq_work *work)
{
	struct longlist *l = container_of(work, struct longlist, starter);
	int i;

	for (i = 0; i < LONG_LIST; i++)
		wsq_serial_queue(&l->serial, &l->items[i]);
	wsq_queue_work(l->q, &l->probe);
}

/*
 * Time to put a list in order counts towards the turn. The starter is bound, so
 * that its worker is not detached, and what it queues runs when it has ended.
 */
static void serial_slice_order(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct longlist *l = kzalloc(sizeof(*l), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, l);
	l->items = vzalloc(array_size(LONG_LIST, sizeof(*l->items)));
	KUNIT_ASSERT_NOT_NULL(test, l->items);
	l->q = wsq_test_queue(test, 4, 64, cpumask_of(cpu));
	INIT_WSQ_WORK(&l->starter, longlist_starter_fn);
	INIT_WSQ_WORK(&l->probe, longlist_probe_fn);
	wsq_serial_init(&l->serial, l->q);
	for (i = 0; i < LONG_LIST; i++)
		wsq_serial_work_init(&l->items[i], longlist_item_fn);
	atomic_set(&l->at_probe, -1);
	longlist = l;
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, l->q, &l->starter));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&l->ran) == LONG_LIST));
	KUNIT_EXPECT_EQ(test, atomic_read(&l->at_probe), 0);
	wsq_test_call(test, serial_test_destroy, &l->serial);
	wsq_test_queue_end(test, l->q);
	vfree(l->items);
	kfree(l);
}

/* Two busy serials share the only CPU, whatever the engine's order. */
static void serial_slice_two(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq *q = wsq_test_queue(test, 4, 64, cpumask_of(cpu));
	struct wsq_serial *s = kcalloc(2, sizeof(*s), GFP_KERNEL);
	struct fed *f = kcalloc(2, sizeof(*f), GFP_KERNEL);
	int at, i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < 2; i++) {
		wsq_serial_init(&s[i], q);
		wsq_serial_work_init(&f[i].work, fed_fn);
		f[i].serial = &s[i];
		f[i].other = &f[1 - i];
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&s[i], &f[i].work));
	}
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(f[i].turns)));
	/* From here on both always have an item. */
	WRITE_ONCE(f[0].alone, 0);
	at = READ_ONCE(f[0].turns);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(f[0].turns) - at > 1000));
	KUNIT_EXPECT_LE(test, READ_ONCE(f[0].alone), 2);
	for (i = 0; i < 2; i++)
		WRITE_ONCE(f[i].stop, true);
	for (i = 0; i < 2; i++)
		wsq_test_call(test, serial_test_destroy, &s[i]);
	wsq_test_queue_end(test, q);
	kfree(f);
	kfree(s);
}

static struct kunit_case serial_slice_cases[] = {
	KUNIT_CASE(serial_slice_budget),
	KUNIT_CASE(serial_slice_order),
	WSQ_ENGINE_CASE(serial_slice_two),
	{}
};

static struct kunit_suite serial_slice_suite = {
	.name = "wsq_serial_slice",
	.test_cases = serial_slice_cases,
};

kunit_test_suite(serial_slice_suite);
