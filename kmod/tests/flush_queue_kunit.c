// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of wsq_flush() by several threads.
 */
#include "items.h"

/* Flushes at a time. */
#define FLUSHES		8

/* Hold a worker, and flush until the flush waits for that. */
static struct wsq_test_call *flush_begin(struct kunit *test, struct wsq *q,
					 struct wsq_test_gate *g,
					 bool (*fn)(void *arg), void *arg)
{
	unsigned int color = READ_ONCE(q->color);
	struct wsq_test_call *call;

	wsq_test_gate_begin(test, q, cpumask_first(cpu_online_mask), g);
	call = wsq_test_start(test, fn, arg);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(q->color) != color &&
					       READ_ONCE(q->awaited) == BIT(color)));
	return call;
}

/* Queue a gate on any CPU. */
static struct wsq_test_gate *flush_gate(struct kunit *test, struct wsq *q)
{
	struct wsq_test_gate *g = wsq_test_gate(test, true);

	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g->it.work));
	return g;
}

/* Begin a flush that finds unfinished items, and wait until it sleeps. */
static struct wsq_test_call *flush_waits(struct kunit *test, struct wsq *q)
{
	struct wsq_test_call *call = wsq_test_start(test, wsq_test_flush, q);

	wsq_test_waits(test, call);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	return call;
}

/* A flush called while another waits does not wait for later items. */
static void flush_later_item(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_gate *g = wsq_test_gate(test, true), *later;
	struct wsq_test_call *first, *second;

	first = flush_begin(test, q, g, wsq_test_flush, q);
	second = flush_waits(test, q);
	later = flush_gate(test, q);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(first));
	KUNIT_EXPECT_FALSE(test, wsq_test_over(second));
	wsq_test_gate_open(g);
	wsq_test_end(test, first);
	wsq_test_end(test, second);
	wsq_test_release(test, q, later);
	kfree(g);
	wsq_test_queue_end(test, q);
}

/**
 * struct flush_waiter - an item that waits for flushes called before
 * @work: the item
 * @calls: the flushes
 * @nr: how many there are
 * @late: some did not end
 */
struct flush_waiter {
	struct wsq_work work;
	struct wsq_test_call *calls[FLUSHES];
	int nr;
	bool late;
};

static void flush_waiter_fn(struct wsq_work *work)
{
	struct flush_waiter *w = container_of(work, struct flush_waiter, work);
	int i;

	for (i = 0; i < w->nr; i++)
		if (!wait_for_completion_timeout(&w->calls[i]->over,
						 WSQ_TEST_TIMEOUT))
			w->late = true;
		else
			complete(&w->calls[i]->over);
}

/* A later item may wait for flushes called before it. */
static void flush_waited_for(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct flush_waiter w = { .nr = FLUSHES };
	int i;

	INIT_WSQ_WORK_ONSTACK(&w.work, flush_waiter_fn);
	w.calls[0] = flush_begin(test, q, g, wsq_test_flush, q);
	for (i = 1; i < FLUSHES; i++)
		w.calls[i] = flush_waits(test, q);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &w.work));
	wsq_test_gate_open(g);
	wsq_flush_work(&w.work);
	KUNIT_EXPECT_FALSE(test, w.late);
	for (i = 0; i < FLUSHES; i++)
		wsq_test_end(test, w.calls[i]);
	wsq_destroy_work_on_stack(&w.work);
	kfree(g);
	wsq_test_queue_end(test, q);
}

/*
 * Each flush has items of its own to wait for. They end in any order, and each
 * flush ends when all before it have run. One flush more than there are colors:
 * it ends, too.
 */
static void flush_generations(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 16, NULL);
	struct wsq_test_call *calls[WSQ_FLUSH_COLORS + 1];
	struct wsq_test_gate *gates[WSQ_FLUSH_COLORS + 1];
	int i;

	for (i = 0; i <= WSQ_FLUSH_COLORS; i++) {
		gates[i] = flush_gate(test, q);
		calls[i] = flush_waits(test, q);
	}
	/* No color is done: the last two flushes have not changed it. */
	KUNIT_EXPECT_EQ(test, READ_ONCE(q->awaited),
			(unsigned int)BIT(WSQ_FLUSH_COLORS) - 1);
	/* Odd ones first: those before them keep all flushes waiting. */
	for (i = 1; i < WSQ_FLUSH_COLORS; i += 2)
		wsq_test_gate_open(gates[i]);
	wsq_test_linger();
	for (i = 0; i <= WSQ_FLUSH_COLORS; i++)
		KUNIT_EXPECT_FALSE(test, wsq_test_over(calls[i]));
	for (i = 0; i < WSQ_FLUSH_COLORS; i += 2) {
		KUNIT_EXPECT_FALSE(test, wsq_test_over(calls[i]));
		wsq_test_gate_open(gates[i]);
		wsq_test_end(test, calls[i]);
		/* The last two colors of items are the same. */
		if (i + 2 < WSQ_FLUSH_COLORS)
			wsq_test_end(test, calls[i + 1]);
	}
	KUNIT_EXPECT_FALSE(test, wsq_test_over(calls[i]));
	wsq_test_gate_open(gates[i]);
	wsq_test_end(test, calls[i - 1]);
	wsq_test_end(test, calls[i]);
	KUNIT_EXPECT_EQ(test, READ_ONCE(q->awaited), 0U);
	for (i = 0; i <= WSQ_FLUSH_COLORS; i++)
		kfree(gates[i]);
	wsq_test_queue_end(test, q);
}

/* Flushes called while one waits end with it, and change no color. */
static void flush_together(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct wsq_test_call *calls[FLUSHES];
	unsigned int color;
	int i;

	calls[0] = flush_begin(test, q, g, wsq_test_flush, q);
	color = READ_ONCE(q->color);
	for (i = 1; i < FLUSHES; i++)
		calls[i] = wsq_test_start(test, wsq_test_flush, q);
	for (i = 1; i < FLUSHES; i++)
		wsq_test_waits(test, calls[i]);
	for (i = 0; i < FLUSHES; i++)
		KUNIT_EXPECT_FALSE(test, wsq_test_over(calls[i]));
	wsq_test_gate_open(g);
	for (i = 0; i < FLUSHES; i++)
		wsq_test_end(test, calls[i]);
	KUNIT_EXPECT_EQ(test, READ_ONCE(q->color), color);
	KUNIT_EXPECT_EQ(test, READ_ONCE(q->awaited), 0U);
	kfree(g);
	wsq_test_queue_end(test, q);
}

/**
 * struct flush_storm - threads that queue an item and flush, again and again
 * @q: the queue
 * @missed: an item had not run when its flush ended
 */
struct flush_storm {
	struct wsq *q;
	atomic_t missed;
};

struct flush_storm_item {
	struct wsq_work work;
	bool ran;
};

static void flush_storm_item_fn(struct wsq_work *work)
{
	WRITE_ONCE(container_of(work, struct flush_storm_item, work)->ran, true);
}

static bool flush_storm_fn(void *arg)
{
	struct flush_storm *storm = arg;
	struct flush_storm_item item;
	int i;

	INIT_WSQ_WORK_ONSTACK(&item.work, flush_storm_item_fn);
	for (i = 0; i < 500; i++) {
		WRITE_ONCE(item.ran, false);
		wsq_queue_work(storm->q, &item.work);
		wsq_flush(storm->q);
		if (!READ_ONCE(item.ran))
			atomic_inc(&storm->missed);
		/* Not pending any more, but it may still be ending. */
		wsq_cancel_work_sync(&item.work);
	}
	wsq_destroy_work_on_stack(&item.work);
	return true;
}

static void flush_storm(struct kunit *test)
{
	struct flush_storm storm = { .q = wsq_test_queue(test, 2, 4, NULL) };
	struct wsq_test_call *calls[FLUSHES];
	int i;

	for (i = 0; i < FLUSHES; i++)
		calls[i] = wsq_test_start(test, flush_storm_fn, &storm);
	for (i = 0; i < FLUSHES; i++)
		wsq_test_end(test, calls[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&storm.missed), 0);
	wsq_test_queue_end(test, storm.q);
}

static struct kunit_case flush_queue_cases[] = {
	KUNIT_CASE(flush_later_item),
	KUNIT_CASE(flush_waited_for),
	KUNIT_CASE(flush_generations),
	KUNIT_CASE(flush_together),
	KUNIT_CASE(flush_storm),
	{}
};

static struct kunit_suite flush_queue_suite = {
	.name = "wsq_flush",
	.test_cases = flush_queue_cases,
};

kunit_test_suite(flush_queue_suite);
