// SPDX-License-Identifier: GPL-2.0
/*
 * Queues of wsq, with several sizes of container.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/ktime.h>

#include "bench.h"

static void bench_wsq_empty(struct wsq_work *work)
{
}

static void bench_wsq_stamp(struct wsq_work *work)
{
	struct bench_item *it = container_of(work, struct bench_item, wsq);

	it->stamp = ktime_get_ns();
}

static void bench_wsq_prepare(struct bench_item *items, unsigned int nr,
			      bool stamp)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		INIT_WSQ_WORK(&items[i].wsq, stamp ? bench_wsq_stamp :
						     bench_wsq_empty);
}

static bool bench_wsq_clean(struct bench_item *items, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (wsq_work_pending(&items[i].wsq))
			return false;
	return true;
}

static int bench_wsq_make(struct wsq **q, u32 blocks, u32 block_size,
			  const struct cpumask *mask)
{
	struct wsq_attrs attrs = {
		.blocks = blocks,
		.block_size = block_size,
		.cpumask = mask,
	};

	*q = wsq_create(&attrs, "wsq_bench");
	return PTR_ERR_OR_ZERO(*q);
}

#define BENCH_WSQ(id, title, blocks, block_size, mask)		\
static struct wsq *bench_q_##id;					\
									\
static int bench_##id##_start(void)					\
{									\
	return bench_wsq_make(&bench_q_##id, blocks, block_size, mask);	\
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
	.flush = bench_##id##_flush,					\
	.clean = bench_wsq_clean,					\
}

BENCH_WSQ(wsq, "wsq queue", 0, 0, NULL);
BENCH_WSQ(wsq_local, "wsq queue on one CPU", 0, 0, cpumask_of(bench_cpus[0]));
BENCH_WSQ(wsq_large, "wsq queue 32x4096", 32, 4096, NULL);
BENCH_WSQ(wsq_blocks, "wsq queue 64x256", 64, 256, NULL);
