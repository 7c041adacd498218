// SPDX-License-Identifier: GPL-2.0
/* Queues of wsq, with each engine and several container sizes. */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/ktime.h>

#include "cases.h"

static void bench_wsq_empty(struct wsq_work *work)
{
}

static void bench_wsq_stamp(struct wsq_work *work)
{
	struct bench_item *it = container_of(work, struct bench_item, wsq);

	it->stamp = ktime_get_ns();
}

static void bench_wsq_complete(struct wsq_work *work)
{
	struct bench_item *it = container_of(work, struct bench_item, wsq);

	complete(it->done);
}

static void bench_wsq_spawn(struct wsq_work *work)
{
	bench_spawn(container_of(work, struct bench_item, wsq));
}

static void bench_wsq_sleep(struct wsq_work *work)
{
	struct bench_item *it = container_of(work, struct bench_item, wsq);

	WRITE_ONCE(it->stamp, ktime_get_ns());
	wait_for_completion(it->done);
}

static void bench_wsq_compute(struct wsq_work *work)
{
	bench_compute();
}

static void bench_wsq_finish(struct wsq_work *work)
{
	bench_finish(container_of(work, struct bench_item, wsq));
}

static void bench_wsq_prepare(struct bench_item *items, unsigned int nr,
			      enum bench_does does)
{
	static const wsq_func_t funcs[BENCH_NR_DOES] = {
		[BENCH_EMPTY] = bench_wsq_empty,
		[BENCH_STAMP] = bench_wsq_stamp,
		[BENCH_COMPLETE] = bench_wsq_complete,
		[BENCH_SPAWN] = bench_wsq_spawn,
		[BENCH_SLEEP] = bench_wsq_sleep,
		[BENCH_COMPUTE] = bench_wsq_compute,
		[BENCH_FINISH] = bench_wsq_finish,
	};
	unsigned int i;

	for (i = 0; i < nr; i++)
		INIT_WSQ_WORK(&items[i].wsq, funcs[does]);
}

static void bench_wsq_flush_one(struct bench_item *item)
{
	wsq_flush_work(&item->wsq);
}

static unsigned int bench_wsq_cancel(struct bench_item *items, unsigned int nr,
				     bool sync)
{
	unsigned int i, was = 0;

	if (sync) {
		for (i = 0; i < nr; i++)
			was += wsq_cancel_work_sync(&items[i].wsq);
		return was;
	}
	for (i = 0; i < nr; i++)
		was += wsq_cancel_work(&items[i].wsq);
	return was;
}

/* Items in one wsq_queue_work_many(). */
#define BENCH_WSQ_BATCH		512

static bool bench_wsq_clean(struct bench_item *items, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (wsq_work_pending(&items[i].wsq))
			return false;
	return true;
}

static int bench_wsq_make(struct wsq **q, const struct wsq_attrs *attrs)
{
	*q = wsq_create(attrs, "wsq_bench");
	return PTR_ERR_OR_ZERO(*q);
}

/* Items of one wsq_queue_work_many(), by member. */
static struct wsq_work *bench_wsq_works[BENCH_MAX_CPUS][BENCH_WSQ_BATCH];

static void bench_wsq_put_many(struct wsq *q, struct bench_item *items,
			       unsigned int nr, unsigned int member)
{
	struct wsq_work **works = bench_wsq_works[member];
	unsigned int i, n;

	for (i = 0; i < nr; i += n) {
		for (n = 0; n < BENCH_WSQ_BATCH && i + n < nr; n++)
			works[n] = &items[i + n].wsq;
		wsq_queue_work_many(q, works, n);
	}
}

#define BENCH_ATTRS(...)	{ __VA_ARGS__ }

/* @how initializes a struct wsq_attrs; the rest a struct bench_service. */
#define BENCH_WSQ(id, title, how, ...)					\
static struct wsq *bench_q_##id;					\
									\
static int bench_##id##_start(void)					\
{									\
	const struct wsq_attrs attrs = BENCH_ATTRS how;			\
									\
	return bench_wsq_make(&bench_q_##id, &attrs);			\
}									\
									\
static void bench_##id##_stop(void)					\
{									\
	wsq_destroy(bench_q_##id);					\
}									\
									\
static void bench_##id##_queue(struct bench_item *items,		\
			       unsigned int nr, unsigned int member)	\
{									\
	unsigned int i;							\
									\
	for (i = 0; i < nr; i++)					\
		wsq_queue_work(bench_q_##id, &items[i].wsq);		\
}									\
									\
static void bench_##id##_queue_many(struct bench_item *items,		\
				    unsigned int nr, unsigned int member) \
{									\
	bench_wsq_put_many(bench_q_##id, items, nr, member);		\
}									\
									\
static void bench_##id##_flush(unsigned int member)			\
{									\
	wsq_flush(bench_q_##id);					\
}									\
									\
struct bench_service bench_##id = {					\
	.name = title,							\
	.start = bench_##id##_start,					\
	.stop = bench_##id##_stop,					\
	.prepare = bench_wsq_prepare,					\
	.queue = bench_##id##_queue,					\
	.queue_many = bench_##id##_queue_many,				\
	.flush = bench_##id##_flush,					\
	.flush_one = bench_wsq_flush_one,				\
	.cancel = bench_wsq_cancel,					\
	.clean = bench_wsq_clean,					\
	.flushes = true,						\
	__VA_ARGS__							\
}

#define BENCH_WSQ_ENGINE(type, name, ...)				\
	BENCH_WSQ(wsq_##name, BENCH_TITLE(type, name, "queue"), (.engine = (type)));
WSQ_ENGINES(BENCH_WSQ_ENGINE)
BENCH_WSQ(wsq_local, "wsq queue on one CPU", (.cpumask = cpumask_of(bench_cpus[0])),
	  .stays = true, .restricted = true);
BENCH_WSQ(wsq_large, "wsq queue 32x4096", (.blocks = 32, .block_size = 4096),
	  .only = &bench_execute);
BENCH_WSQ(wsq_blocks, "wsq queue 64x256", (.blocks = 64, .block_size = 256),
	  .only = &bench_execute);
BENCH_WSQ(wsq_short, "wsq queue 64x32", (.blocks = 64, .block_size = 32),
	  .only = &bench_reach);
BENCH_WSQ(wsq_high, "wsq high", (.class = WSQ_CLASS_HIGH), .only = &bench_completion);

/*
 * wsq's default queue, waited for as peers.c waits for system_wq: by an item
 * that is queued last on the same CPU. A flush of the queue also waits for
 * items of other CPUs.
 */
static struct wsq_work bench_last_items[BENCH_MAX_CPUS];

static int bench_last_start(void)
{
	unsigned int i;

	for (i = 0; i < BENCH_MAX_CPUS; i++)
		INIT_WSQ_WORK(&bench_last_items[i], bench_wsq_empty);
	return 0;
}

static void bench_last_stop(void)
{
}

static void bench_last_flush(unsigned int member)
{
	wsq_queue_work(bench_q_wsq_bwos_fifo, &bench_last_items[member]);
	wsq_flush_work(&bench_last_items[member]);
}

struct bench_service bench_wsq_last = {
	.name = "wsq queue, last item",
	.start = bench_last_start,
	.stop = bench_last_stop,
	.prepare = bench_wsq_prepare,
	.queue = bench_wsq_bwos_fifo_queue,
	.queue_many = bench_wsq_bwos_fifo_queue_many,
	.flush = bench_last_flush,
	.flush_one = bench_wsq_flush_one,
	.clean = bench_wsq_clean,
	.only = &bench_execute,
};

/*
 * wsq's default queue, which gets what an interrupt brings as one batch. Any
 * CPU's interrupt calls this, so the array is on its stack.
 */
static void bench_batch_queue(struct bench_item *items, unsigned int nr,
			      unsigned int member)
{
	struct wsq_work *works[BENCH_GROUP];
	unsigned int i;

	for (i = 0; i < nr; i++)
		works[i] = &items[i].wsq;
	wsq_queue_work_many(bench_q_wsq_bwos_fifo, works, nr);
}

struct bench_service bench_wsq_batch = {
	.name = "wsq queue, batches",
	.start = bench_last_start,
	.stop = bench_last_stop,
	.prepare = bench_wsq_prepare,
	.queue = bench_batch_queue,
	.flush = bench_wsq_bwos_fifo_flush,
	.flush_one = bench_wsq_flush_one,
	.clean = bench_wsq_clean,
	.only = &bench_completion,
};
