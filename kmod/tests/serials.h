/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites of serials share: items that log their runs, gates, and a
 * serial held by a gate.
 */
#ifndef _WSQ_TESTS_SERIALS_H
#define _WSQ_TESTS_SERIALS_H

#include <linux/wsq_serial.h>

#include "items.h"

/**
 * struct sitem - an item of a serial that logs its runs
 * @work: the item
 * @serial: its serial
 * @book: where its runs are logged, if anywhere
 * @by: the context that queues it
 * @seq: its number among those
 * @again: how often it requeues itself, negative: always
 * @runs: how often it ran
 * @said: read by its function
 * @heard: what the function read
 */
struct sitem {
	struct wsq_serial_work work;
	struct wsq_serial *serial;
	struct book *book;
	int by;
	int seq;
	int again;
	atomic_t runs;
	int said;
	int heard;
};

#define NR_BY	8

/**
 * struct book - the log shared by the items of one serial
 * @inside: one of them runs; plain, because they run one at a time
 * @wrong: how often two ran at once, or in the wrong order
 * @last: the last item that ran, by queueing context
 * @nr: how many have run
 * @log: their numbers, if wanted
 * @space: capacity of @log
 */
struct book {
	int inside;
	int wrong;
	int last[NR_BY];
	int nr;
	int *log;
	int space;
};

static inline struct sitem *sitem_of(struct wsq_serial_work *work)
{
	return container_of(work, struct sitem, work);
}

static inline void book_enter(struct book *b)
{
	if (READ_ONCE(b->inside))
		b->wrong++;
	WRITE_ONCE(b->inside, 1);
}

static inline void book_leave(struct book *b, const struct sitem *it)
{
	if (it->seq <= b->last[it->by])
		b->wrong++;
	b->last[it->by] = it->seq;
	if (b->nr < b->space)
		b->log[b->nr] = it->seq;
	b->nr++;
	if (!READ_ONCE(b->inside))
		b->wrong++;
	WRITE_ONCE(b->inside, 0);
}

static inline void sitem_fn(struct wsq_serial_work *work)
{
	struct sitem *it = sitem_of(work);
	struct book *b = it->book;

	if (b)
		book_enter(b);
	it->heard = READ_ONCE(it->said);
	atomic_inc(&it->runs);
	/* Give other contexts time to interfere. */
	if (it->seq % 64 == 1)
		schedule_timeout_uninterruptible(1);
	else if (it->seq % 8 == 1)
		wsq_test_yield();
	if (b)
		book_leave(b, it);
	if (it->again) {
		if (it->again > 0)
			it->again--;
		wsq_serial_queue(it->serial, work);
	}
}

static inline void sitem_init(struct sitem *it, struct wsq_serial *s, struct book *b,
			      int by, int seq)
{
	memset(it, 0, sizeof(*it));
	wsq_serial_work_init(&it->work, sitem_fn);
	it->serial = s;
	it->book = b;
	it->by = by;
	it->seq = seq;
}

/**
 * struct sgate - an item that holds its serial, asleep
 * @work: the item
 * @entered: it runs
 * @leave: it may end
 * @left: it has ended
 */
struct sgate {
	struct wsq_serial_work work;
	struct completion entered;
	struct completion leave;
	bool left;
};

static inline void sgate_fn(struct wsq_serial_work *work)
{
	struct sgate *g = container_of(work, struct sgate, work);

	complete(&g->entered);
	wait_for_completion(&g->leave);
	WRITE_ONCE(g->left, true);
}

static inline bool sgate_entered(struct sgate *g)
{
	return wait_for_completion_timeout(&g->entered, WSQ_TEST_TIMEOUT);
}

/* One serial, held by a gate, on a queue of its own. */
struct bench {
	struct wsq *q;
	struct wsq_serial serial;
	struct sgate gate;
	struct sitem items[8];
	struct sitem *it;
};

static inline struct bench *bench_new(struct kunit *test)
{
	struct bench *b = kzalloc(sizeof(*b), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->q = wsq_test_queue(test, 4, 64, NULL);
	wsq_serial_init(&b->serial, b->q);
	wsq_serial_work_init(&b->gate.work, sgate_fn);
	init_completion(&b->gate.entered);
	init_completion(&b->gate.leave);
	for (i = 0; i < ARRAY_SIZE(b->items); i++)
		sitem_init(&b->items[i], &b->serial, NULL, 0, 2 * i + 2);
	b->it = &b->items[0];
	KUNIT_ASSERT_TRUE(test, wsq_serial_queue(&b->serial, &b->gate.work));
	KUNIT_ASSERT_TRUE(test, sgate_entered(&b->gate));
	return b;
}

static inline bool serial_test_flush(void *s)
{
	wsq_serial_flush(s);
	return true;
}

static inline bool serial_test_destroy(void *s)
{
	wsq_serial_destroy(s);
	return true;
}

static inline bool bench_cancel_sync(void *arg)
{
	struct bench *b = arg;

	return wsq_serial_cancel_sync(&b->serial, &b->it->work);
}

static inline void bench_end(struct kunit *test, struct bench *b)
{
	complete_all(&b->gate.leave);
	wsq_test_call(test, serial_test_destroy, &b->serial);
	KUNIT_EXPECT_TRUE(test, wsq_serial_idle(&b->serial));
	wsq_test_queue_end(test, b->q);
	kfree(b);
}

#endif /* _WSQ_TESTS_SERIALS_H */
