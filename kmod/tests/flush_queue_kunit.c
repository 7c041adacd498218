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
					       READ_ONCE(q->awaited) == color));
	return call;
}

/**
 * struct flush_then - flush, and then queue an item
 * @q: the queue
 * @g: the item
 * @color: the queue's color during the flush
 * @early: the color may not have changed before the item is queued. The next
 *	flush then waits for the item, too.
 */
struct flush_then {
	struct wsq *q;
	struct wsq_test_gate *g;
	unsigned int color;
	bool early;
};

static bool flush_then_fn(void *arg)
{
	struct flush_then *then = arg;

	wsq_flush(then->q);
	then->early = READ_ONCE(then->q->color) == READ_ONCE(then->color);
	return wsq_queue_work(then->q, &then->g->it.work);
}

/* Rounds that suffice, and rounds to find them. */
#define NEXT_ENOUGH	5
#define NEXT_ROUNDS	50

/*
 * A flush does not wait for what others queue when they have flushed and the
 * color has changed.
 */
static void flush_next(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct flush_then then = { .q = q };
	struct wsq_test_call *first, *second;
	struct wsq_test_gate *g;
	int round, nr = 0;

	for (round = 0; round < NEXT_ROUNDS && nr < NEXT_ENOUGH; round++) {
		g = wsq_test_gate(test, true);
		then.g = wsq_test_gate(test, true);
		first = flush_begin(test, q, g, flush_then_fn, &then);
		WRITE_ONCE(then.color, READ_ONCE(q->color));
		second = wsq_test_start(test, wsq_test_flush, q);
		wsq_test_waits(test, second);
		KUNIT_EXPECT_FALSE(test, wsq_test_over(first));
		KUNIT_EXPECT_FALSE(test, wsq_test_over(second));
		wsq_test_gate_open(g);
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, first));
		KUNIT_EXPECT_TRUE(test, wsq_test_gate_entered(then.g));
		if (!then.early) {
			KUNIT_EXPECT_TRUE(test,
					  wsq_test_until(wsq_test_over(second)));
			nr++;
		}
		wsq_test_gate_open(then.g);
		wsq_test_end(test, second);
		wsq_test_call(test, wsq_test_flush, q);
		kfree(then.g);
		kfree(g);
	}
	wsq_test_queue_end(test, q);
	wsq_test_met(test, nr, "the color always changed too late");
}

/* Those who come while a flush is under way have one between them. */
static void flush_together(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct wsq_test_call *calls[FLUSHES];
	u32 step;
	int i;

	calls[0] = flush_begin(test, q, g, wsq_test_flush, q);
	step = READ_ONCE(q->flush_step);
	for (i = 1; i < FLUSHES; i++)
		calls[i] = wsq_test_start(test, wsq_test_flush, q);
	for (i = 1; i < FLUSHES; i++)
		wsq_test_waits(test, calls[i]);
	for (i = 0; i < FLUSHES; i++)
		KUNIT_EXPECT_FALSE(test, wsq_test_over(calls[i]));
	KUNIT_EXPECT_EQ(test, READ_ONCE(q->flush_step), step);
	wsq_test_gate_open(g);
	for (i = 0; i < FLUSHES; i++)
		wsq_test_end(test, calls[i]);
	/* The end of the first, a change of the color, the end of the others. */
	KUNIT_EXPECT_EQ(test, READ_ONCE(q->flush_step), step + 3);
	KUNIT_EXPECT_EQ(test, READ_ONCE(q->awaited), (unsigned int)WSQ_NO_COLOR);
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
	KUNIT_CASE(flush_next),
	KUNIT_CASE(flush_together),
	KUNIT_CASE(flush_storm),
	{}
};

static struct kunit_suite flush_queue_suite = {
	.name = "wsq_flush",
	.test_cases = flush_queue_cases,
};

kunit_test_suite(flush_queue_suite);
