/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wsq: work queues and pools for tasks of nanoseconds to microseconds.
 *
 * Two levels. A pool (struct wsq_pool) holds pointers and hands them out again;
 * it runs nothing. A queue (struct wsq) runs work items on per-CPU workers, as
 * workqueue does. Both keep tasks on the CPU that put them, in the memory of
 * its node, until that CPU takes them or an idle one steals them.
 *
 * Symbols are exported GPL-only in namespace WSQ.
 */
#ifndef _LINUX_WSQ_H
#define _LINUX_WSQ_H

#include <linux/atomic.h>
#include <linux/types.h>

struct cpumask;
struct wsq;
struct wsq_pool;
struct wsq_work;

/**
 * struct wsq_attrs - what a pool or queue is made like; zero means default
 * @blocks: blocks of each CPU's container, 2 to 64; default 8
 * @block_size: tasks in a block, 2 to 4096; default 256. What is left of the
 *	block that a CPU works in is out of reach for thieves: small blocks
 *	spread work better, large ones cost less
 * @cpumask: CPUs that have a container, and with queues a worker; %NULL means
 *	all. Copied. Other CPUs may put as well, their tasks go to the nearest
 *	CPU in the mask
 */
struct wsq_attrs {
	u32 blocks;
	u32 block_size;
	const struct cpumask *cpumask;
};

#define WSQ_DEF_BLOCKS		8
#define WSQ_DEF_BLOCK_SIZE	256

/* Pools: pointers in, pointers out. */

__printf(2, 3)
struct wsq_pool *wsq_pool_create(const struct wsq_attrs *attrs,
				 const char *fmt, ...);
void wsq_pool_destroy(struct wsq_pool *pool);
int wsq_pool_push(struct wsq_pool *pool, void *task);
unsigned int wsq_pool_push_many(struct wsq_pool *pool, void *const *tasks,
				unsigned int nr);
void *wsq_pool_pop(struct wsq_pool *pool);
unsigned int wsq_pool_pop_many(struct wsq_pool *pool, void **tasks,
			       unsigned int nr);

/* Queues: work items that workers run. */

/**
 * typedef wsq_func_t - what a work item does
 * @work: the item; the function may free it or queue it again
 *
 * Context: task, on a worker of the module; may sleep, but what is queued on
 * the same CPU waits for it.
 */
typedef void (*wsq_func_t)(struct wsq_work *work);

/**
 * struct wsq_work - a work item, to be embedded in the caller's struct
 * @link: place in an inbox, while it is in one
 * @state: pending or not
 * @phase: flush phase it is counted in, while pending
 * @func: what to run
 *
 * All members are private to wsq. The item must stay where it is from
 * wsq_queue_work() until its function is called, not longer.
 */
struct wsq_work {
	atomic64_t link;
	unsigned long state;
	unsigned long phase;
	wsq_func_t func;
};

#define __WSQ_WORK_INITIALIZER(f) {					\
	.link = ATOMIC64_INIT(0),					\
	.state = 0,							\
	.func = (f),							\
}

/**
 * DECLARE_WSQ_WORK() - define a work item and make it ready to be queued
 * @name: its name
 * @f: its function, a wsq_func_t
 */
#define DECLARE_WSQ_WORK(name, f)					\
	struct wsq_work name = __WSQ_WORK_INITIALIZER(f)

/**
 * INIT_WSQ_WORK() - make a work item ready to be queued
 * @work: the item; neither pending nor in use
 * @f: its function
 */
static inline void INIT_WSQ_WORK(struct wsq_work *work, wsq_func_t f)
{
	atomic64_set(&work->link, 0);
	work->state = 0;
	work->phase = 0;
	work->func = f;
}

__printf(2, 3)
struct wsq *wsq_create(const struct wsq_attrs *attrs, const char *fmt, ...);
void wsq_destroy(struct wsq *q);
bool wsq_queue_work(struct wsq *q, struct wsq_work *work);
void wsq_flush(struct wsq *q);

#endif /* _LINUX_WSQ_H */
