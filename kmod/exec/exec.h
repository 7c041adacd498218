/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The work service: queues, the workers that serve them, and how the two find
 * each other. Internal.
 *
 * A queue is a pool whose tasks are work items. Workers belong to the module,
 * one for each CPU, and serve all queues. Which queues have work on a CPU is
 * told by that CPU's ready bits, one for each queue. A put that finds its bit
 * set is done; one that finds it clear sets it and wakes the worker if that
 * parked. The worker clears a bit when it has found the container empty, looks
 * once more, and parks when no bit is left and stealing brings nothing.
 *
 * Ready bits: a leaf of 64 words, 64 queues each, and a summary word, so that a
 * thief learns with one load that a CPU has nothing.
 *
 *	mark (put)			unmark (worker)
 *	----------			---------------
 *	task is in the container	clear leaf bit
 *	[RD1] test and set leaf bit	[RD2] smp_mb
 *	[RD1] test and set summary bit	container empty? else mark again
 *	wake if parked			leaf word 0? clear summary bit
 *					[RD2] smp_mb
 *					leaf word still 0? else set summary bit
					and wake if parked, for others tidy too
 *
 * [RD1] on the container's own CPU needs no order (scenario A of
 * core/parking.h), elsewhere the push into the inbox is a full barrier: one of
 * the two sides sees the other's store.
 * litmus/exec-ready.litmus
 */
#ifndef _WSQ_EXEC_EXEC_H
#define _WSQ_EXEC_EXEC_H

#include <linux/bitops.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/wsq.h>
#include <linux/xarray.h>

#include "../core/parking.h"
#include "../pool/pool.h"

#define WSQ_LEAF_WORDS		64
#define WSQ_MAX_QUEUES		(WSQ_LEAF_WORDS * 64)

/* Tasks that a worker runs for one queue before it looks at the next. */
#define WSQ_BUDGET		64

/* Tasks that a worker takes from one victim at a time. */
#define WSQ_STEAL_MAX		16

/* No phase: nothing was run yet, or no flush waits. */
#define WSQ_NO_PHASE		WSQ_PHASES

/* struct wsq_work.state */
#define WSQ_PENDING_BIT		0

/**
 * struct wsq - a queue
 * @pool: its containers
 * @id: number of its ready bits. Constant.
 * @phase: the phase that puts count in. Written under @flush_lock.
 * @awaited: the phase that a flush sleeps for or is about to, %WSQ_NO_PHASE if
 *	none does. Written under @flush_lock, read by workers.
 * @flush_lock: one flush at a time
 * @flush_wait: where a flush sleeps
 * @dying: set by wsq_destroy(); puts are refused. Anybody reads.
 */
struct wsq {
	struct wsq_pool pool;
	u32 id;
	unsigned int phase;
	unsigned int awaited;
	bool dying;
	struct mutex flush_lock;	/* one flush at a time */
	wait_queue_head_t flush_wait;
};

/**
 * struct wsq_worker - a thread that runs tasks
 * @cpu: the CPU it belongs to. Constant.
 * @task: the thread. Constant.
 * @serving: the queue it is at, which wsq_destroy() must not free. Worker.
 * @gone: it has lost its CPU and ends when it may. Hotplug callback.
 * @list: in wsq_workers
 */
struct wsq_worker {
	unsigned int cpu;
	struct task_struct *task;
	struct wsq *serving;
	bool gone;
	struct list_head list;
};

/**
 * struct wsq_cpu - what the work service knows about a CPU
 * @summary: bit i is set while @leaf[i] may have bits. Anybody.
 * @leaf: ready bits of all queues. Set by anybody, cleared by the worker.
 * @park: the worker's announcement
 * @cpu: its number. Constant.
 * @worker: the worker, %NULL while there is none. Written under wsq_workers_lock,
 *	read with preemption off.
 * @access: whom to rob. Constant.
 * @next: queue to begin with, for fairness. Worker.
 * @steals: tasks taken from others, by distance. Worker.
 * @parks: times it parked. Worker.
 * @wakeups: wake-ups sent from this CPU. Anybody.
 * @old_puts: tasks put on this CPU to queues that are gone. wsq_queues_lock.
 * @old_inbox: of these, through the inbox. wsq_queues_lock.
 * @old_gets: tasks run by this CPU for queues that are gone. wsq_queues_lock.
 * @nmi_work: wakes the worker for a put in an NMI handler
 */
struct wsq_cpu {
	unsigned long summary;
	unsigned long leaf[WSQ_LEAF_WORDS * 64 / BITS_PER_LONG];

	struct wsq_park park ____cacheline_aligned;
	unsigned int cpu;
	struct wsq_worker *worker;
	const struct wsq_access *access;
	u32 next;
	u64 steals[WSQ_DIST_NR];
	u64 parks;

	atomic64_t wakeups ____cacheline_aligned;
	u64 old_puts;
	u64 old_inbox;
	u64 old_gets;
	struct irq_work nmi_work;
};

extern struct wsq_cpu **wsq_cpus;
extern atomic_t wsq_nr_idle;
extern struct xarray wsq_queues;
extern struct mutex wsq_queues_lock;
extern struct list_head wsq_workers;
extern struct mutex wsq_workers_lock;

/* ready.c */
int wsq_ready_init(void);
void wsq_ready_exit(void);
void wsq_ready_mark(struct wsq_cpu *c, u32 id);
void wsq_ready_unmark(struct wsq_cpu *c, u32 id, struct wsq_container *ct);
void wsq_ready_tidy(struct wsq_cpu *c);
void wsq_ready_forget(u32 id);
u32 wsq_ready_next(const struct wsq_cpu *c, u32 from);
void wsq_wake_cpu(struct wsq_cpu *c);
bool wsq_wake_idle(const struct wsq *q, unsigned int cpu);
void wsq_wake_all(void);
void wsq_idle_enter(unsigned int cpu);
void wsq_idle_leave(unsigned int cpu);

/* Is any worker parked? As of some moment; no order. */
static inline bool wsq_idle_any(void)
{
	return atomic_read(&wsq_nr_idle);
}

static inline bool wsq_ready_test(const struct wsq_cpu *c, u32 id)
{
	return test_bit(id, c->leaf);
}

static inline bool wsq_ready_any(const struct wsq_cpu *c)
{
	return READ_ONCE(c->summary);
}

/* worker.c */
int wsq_workers_init(void);
void wsq_workers_exit(void);
int wsq_workers_need(const struct cpumask *cpus);
void wsq_workers_leave(const struct wsq *q);
void wsq_queue_orphan(struct wsq_pool *pool, unsigned int cpu);

/* steal.c */
bool wsq_steal(struct wsq_cpu *c);

/* flush.c */
void wsq_flush_init(struct wsq *q);
bool wsq_flushed(const struct wsq *q);
void wsq_flush_wake(struct wsq *q, unsigned int phase);

/* After a full barrier since the last item of @phase was counted. */
static inline void wsq_flush_check(struct wsq *q, unsigned int phase)
{
	if (unlikely(READ_ONCE(q->awaited) == phase) && phase != WSQ_NO_PHASE)
		wsq_flush_wake(q, phase);
}

/* queue.c */
int wsq_queues_init(void);
void wsq_queues_exit(void);

#endif /* _WSQ_EXEC_EXEC_H */
