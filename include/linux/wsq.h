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
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/timer.h>
#include <linux/types.h>

struct cpumask;
struct wsq;
struct wsq_pool;
struct wsq_work;

/**
 * enum wsq_attr_flags - what a queue promises
 * @WSQ_MEM_RECLAIM: memory reclaim may wait for items of this queue. A thread of
 *	its own, made beforehand, runs them when a CPU's worker sleeps and no
 *	standby worker can be made for want of memory
 * @WSQ_RESIDENT: containers have all their memory from the start and keep it.
 *	Otherwise a CPU's blocks are there while the queue is busy on it
 * @WSQ_SYSFS: the queue has a directory /sys/class/wsq/NAME, where root may
 *	change its cpumask and whom its CPUs rob. The name is one that a directory can bear, and no
 *	other such queue's. wsq_destroy() waits for whoever is writing there,
 *	and so for CPU hotplug
 * @WSQ_HAND_OVER: for pools only: what some CPUs push, others pop
 */
enum wsq_attr_flags {
	WSQ_MEM_RECLAIM	= 1U << 0,
	WSQ_RESIDENT	= 1U << 1,
	WSQ_SYSFS	= 1U << 2,
	WSQ_HAND_OVER	= 1U << 3,
};

/**
 * enum wsq_engine_type - the algorithm that keeps tasks
 * @WSQ_DEFAULT_ENGINE: %WSQ_SALSA for a pool with %WSQ_HAND_OVER, %WSQ_BWOS for
 *	all else: what was measured to be faster (Documentation/benchmarks.rst)
 * @WSQ_BWOS: blocks of which thieves take single tasks. For tasks that mostly
 *	run where they were put
 * @WSQ_SALSA: chunks that change hands as a whole. For tasks that some CPUs put
 *	and others take. A pool's put goes to the nearest CPU that keeps up, and
 *	a pop may interrupt a CPU that does not
 * @WSQ_BWOS_LIFO: blocks, as %WSQ_BWOS, of which a CPU takes what it put last,
 *	and thieves what is oldest. For work that spawns work. In a queue one of
 *	64 items is the oldest of its CPU, so that none waits for ever
 */
enum wsq_engine_type {
	WSQ_DEFAULT_ENGINE,
	WSQ_BWOS,
	WSQ_SALSA,
	WSQ_BWOS_LIFO,
};

/**
 * enum wsq_overflow - what becomes of a task that finds no room in a pool
 * @WSQ_OVERFLOW_FAIL: the push says %-EAGAIN
 * @WSQ_OVERFLOW_NEIGHBOUR: the nearest other CPU of the pool that has room takes
 *	it, up to 64 tasks each that it has not looked at yet; where none has,
 *	%-EAGAIN. A %WSQ_SALSA pool goes to the nearest first in any case
 * @WSQ_OVERFLOW_INLINE: the push calls @overflow_fn of struct wsq_attrs
 * @WSQ_OVERFLOW_WAIT: the push sleeps until there is room, or its thread is
 *	killed. From task context only
 *
 * Pools only. A queue has no such rule, for it is never full: each work item has
 * a link of its own, by which it can wait.
 */
enum wsq_overflow {
	WSQ_OVERFLOW_FAIL,
	WSQ_OVERFLOW_NEIGHBOUR,
	WSQ_OVERFLOW_INLINE,
	WSQ_OVERFLOW_WAIT,
};

/**
 * typedef wsq_overflow_fn_t - what a push does itself for want of room
 * @task: what was pushed, and is not in the pool
 * @arg: @overflow_arg of struct wsq_attrs
 *
 * Context: that of the push. If it pushes to the same pool, it may be called
 * again before it returns.
 */
typedef void (*wsq_overflow_fn_t)(void *task, void *arg);

/**
 * enum wsq_steal_policy - whom a CPU robs that has run dry
 * @WSQ_STEAL_DEFAULT: %WSQ_STEAL_NUMA_PROB
 * @WSQ_STEAL_RANDOM: any other, by chance
 * @WSQ_STEAL_SEQUENTIAL: one after the other, behind the one it tried last
 * @WSQ_STEAL_NUMA: the nearest that has something
 * @WSQ_STEAL_PROB: by chance, and likelier the more it has: a victim is accepted
 *	with the probability of what is in reach over its capacity, as one block
 *	of it, which chance picks, lets expect
 * @WSQ_STEAL_RANDOMIZED: the same, taking from the block that was looked at
 * @WSQ_STEAL_NUMA_PROB: as %WSQ_STEAL_PROB, among the nearest first
 *
 * Tries are few. After them, as with %WSQ_STEAL_NUMA at once, the thief looks at
 * all others, the nearest first, so that with every policy a single task anywhere
 * is found.
 */
enum wsq_steal_policy {
	WSQ_STEAL_DEFAULT,
	WSQ_STEAL_RANDOM,
	WSQ_STEAL_SEQUENTIAL,
	WSQ_STEAL_NUMA,
	WSQ_STEAL_PROB,
	WSQ_STEAL_RANDOMIZED,
	WSQ_STEAL_NUMA_PROB,
};

/**
 * enum wsq_steal_batch - how many tasks are stolen at a time, at most
 * @WSQ_BATCH_DEFAULT: %WSQ_BATCH_FEW from a queue, %WSQ_BATCH_ONE from a pool
 * @WSQ_BATCH_ONE: one
 * @WSQ_BATCH_FEW: 16, or half a block if that is less
 * @WSQ_BATCH_HALF: half a block
 * @WSQ_BATCH_BLOCK: a block
 *
 * What is stolen from a pool beyond what was asked for goes to the thief's own
 * part, if that has room. %WSQ_SALSA's chunks are stolen as a whole.
 */
enum wsq_steal_batch {
	WSQ_BATCH_DEFAULT,
	WSQ_BATCH_ONE,
	WSQ_BATCH_FEW,
	WSQ_BATCH_HALF,
	WSQ_BATCH_BLOCK,
};

/**
 * struct wsq_attrs - what a pool or queue is made like; zero means default
 * @blocks: blocks of each CPU's container, 2 to 64; default 8
 * @block_size: tasks in a block, 2 to 4096; default 256. What is left of the
 *	block that a CPU works in is out of reach for thieves who rob a pool,
 *	and dear to get at for those of a queue: small blocks spread work
 *	better, large ones cost less. With %WSQ_BWOS_LIFO a CPU gives away what
 *	is beyond its thieves' reach when one asks, and it next puts or takes
 * @flags: enum wsq_attr_flags; but for %WSQ_HAND_OVER of no effect on pools
 * @engine: enum wsq_engine_type. With %WSQ_SALSA @blocks is the number of chunks
 *	each CPU begins with, 2 to 64, default 8, and @block_size that of tasks
 *	in a chunk, default 1024
 * @max_blocks: blocks, or chunks, that a CPU's container may have when it is
 *	short of them, @blocks to 64; 0 means @blocks: it does not grow. A pool
 *	keeps what has come, a queue gives it back with the rest
 * @steal_policy: enum wsq_steal_policy
 * @steal_batch: enum wsq_steal_batch
 * @max_active: items of a queue that may have begun, and not ended, on one CPU,
 *	1 to 65536; default 1024. There is more than one at a time only if items
 *	sleep, or compute for more than 10 ms while another queue waits. A queue
 *	at its limit on a CPU waits there until one of these items ends. For
 *	queues only
 * @cpumask: CPUs that have a container, and with queues a worker; %NULL means
 *	all that are not isolated (parameter cpumask of the module). Copied.
 *	Other CPUs may put as well, their tasks go to the nearest CPU in the
 *	mask
 * @overflow: enum wsq_overflow; for pools only
 * @overflow_fn: with %WSQ_OVERFLOW_INLINE, what is called; otherwise %NULL
 * @overflow_arg: given to @overflow_fn
 */
struct wsq_attrs {
	u32 blocks;
	u32 block_size;
	u32 flags;
	u32 engine;
	u32 max_blocks;
	u32 steal_policy;
	u32 steal_batch;
	u32 max_active;
	const struct cpumask *cpumask;
	u32 overflow;
	wsq_overflow_fn_t overflow_fn;
	void *overflow_arg;
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
int wsq_pool_was_empty(struct wsq_pool *pool);

/* Queues: work items that workers run. */

/**
 * typedef wsq_func_t - what a work item does
 * @work: the item; the function may free it or queue it again
 *
 * While the function sleeps, a standby worker of the same CPU begins what waits
 * there. While it computes, idle CPUs of the queue take what waits and is not
 * bound. If it computes for more than 10 ms and another queue waits on the CPU,
 * the CPU gets another worker, and the scheduler may move the function to any CPU
 * of the queue, in the middle, unless the item was queued by
 * wsq_queue_work_on(). A function that relies on its CPU disables migration or
 * preemption meanwhile. It must not do so for long, and it must return with both
 * enabled.
 *
 * Context: task, on a worker of the module; may sleep.
 */
typedef void (*wsq_func_t)(struct wsq_work *work);

/**
 * struct wsq_link - where a work item is while it is pending
 * @next: next in an inbox
 * @list: place in a list
 * @where: kind of place, container and flush phase; no kind while it has no
 *	place or is on its way from one to another
 */
struct wsq_link {
	union {
		atomic64_t next;
		struct list_head list;
	};
	u64 where;
};

/**
 * struct wsq_work - a work item, to be embedded in the caller's struct
 * @link: its place
 * @state: pending or not, how often disabled, who ran it last
 * @func: what to run
 *
 * All members are private to wsq. The item must stay where it is from
 * wsq_queue_work() until its function is called, not longer.
 */
struct wsq_work {
	struct wsq_link link;
	unsigned long state;
	wsq_func_t func;
#ifdef CONFIG_LOCKDEP
	/* private: what the item depends on */
	struct lockdep_map lockdep_map;
#endif
};

/**
 * struct wsq_delayed_work - a work item with a timer in front
 * @work: the item
 * @timer: queues it
 */
struct wsq_delayed_work {
	struct wsq_work work;
	struct timer_list timer;
	/* private: where it goes */
	struct wsq *q;
	int cpu;
	/* private: as wanted by an interrupt that could not wait */
	struct {
		struct wsq *q;
		int cpu;
		unsigned long expires;
	} rearm;
};

/* No CPU in particular. */
#define WSQ_CPU_ANY	(-1)

/**
 * enum wsq_busy - what wsq_work_busy() tells
 * @WSQ_BUSY_PENDING: it waits, in a queue or for its timer
 * @WSQ_BUSY_RUNNING: its function runs
 */
enum wsq_busy {
	WSQ_BUSY_PENDING	= 1U << 0,
	WSQ_BUSY_RUNNING	= 1U << 1,
};

static inline struct wsq_delayed_work *
to_wsq_delayed_work(struct wsq_work *work)
{
	return container_of(work, struct wsq_delayed_work, work);
}

#ifdef CONFIG_LOCKDEP
#define __WSQ_WORK_LOCKDEP_INIT(n)	\
	.lockdep_map = STATIC_LOCKDEP_MAP_INIT(n, &(n)),
#define __wsq_work_lockdep_init(work, name, key)	\
	lockdep_init_map(&(work)->lockdep_map, name, key, 0)
#else
#define __WSQ_WORK_LOCKDEP_INIT(n)
#define __wsq_work_lockdep_init(work, name, key)	\
	do { (void)(work); (void)(name); (void)(key); } while (0)
#endif

/* In @state: made by the compiler. */
#define WSQ_WORK_STATIC	BIT(3)

#define __WSQ_WORK_INITIALIZER(n, f) {					\
	.link = { .where = 0 },						\
	.state = WSQ_WORK_STATIC,					\
	.func = (f),							\
	__WSQ_WORK_LOCKDEP_INIT(#n)					\
}

/**
 * DECLARE_WSQ_WORK() - define a work item and make it ready to be queued
 * @n: its name
 * @f: its function, a wsq_func_t
 */
#define DECLARE_WSQ_WORK(n, f)						\
	struct wsq_work n = __WSQ_WORK_INITIALIZER(n, f)

/**
 * DECLARE_WSQ_DELAYED_WORK() - define a delayed work item, ready to be queued
 * @n: its name
 * @f: its function, a wsq_func_t
 */
#define DECLARE_WSQ_DELAYED_WORK(n, f)					\
	struct wsq_delayed_work n = {					\
		.work = __WSQ_WORK_INITIALIZER(n.work, f),		\
		.timer = __TIMER_INITIALIZER(wsq_delayed_work_timer_fn,	\
					     TIMER_IRQSAFE),		\
	}

void wsq_delayed_work_timer_fn(struct timer_list *timer);

void __wsq_init_work(struct wsq_work *work, bool onstack);
void wsq_destroy_work_on_stack(struct wsq_work *work);
void wsq_destroy_delayed_work_on_stack(struct wsq_delayed_work *dwork);

static inline void ___wsq_init_work(struct wsq_work *work, wsq_func_t f,
				    bool onstack)
{
	if (IS_ENABLED(CONFIG_DEBUG_OBJECTS_WORK))
		__wsq_init_work(work, onstack);
	INIT_LIST_HEAD(&work->link.list);
	work->link.where = 0;
	work->state = 0;
	work->func = f;
}

#define __INIT_WSQ_WORK(w, f, onstack)					\
	do {								\
		static struct lock_class_key __key;			\
		struct wsq_work *__w = (w);				\
									\
		___wsq_init_work(__w, (f), (onstack));			\
		__wsq_work_lockdep_init(__w, "(wsq_work)" #w, &__key);	\
	} while (0)

/**
 * INIT_WSQ_WORK() - make a work item ready to be queued
 * @w: the item; neither pending nor in use. Not disabled afterwards
 * @f: its function, a wsq_func_t
 */
#define INIT_WSQ_WORK(w, f)		__INIT_WSQ_WORK(w, f, false)

/**
 * INIT_WSQ_WORK_ONSTACK() - the same for an item on the stack
 * @w: the item; wsq_destroy_work_on_stack() before it goes
 * @f: its function, a wsq_func_t
 */
#define INIT_WSQ_WORK_ONSTACK(w, f)	__INIT_WSQ_WORK(w, f, true)

/**
 * INIT_WSQ_DELAYED_WORK() - make a delayed work item ready to be queued
 * @d: the item; neither pending nor in use. Not disabled afterwards
 * @f: its function, a wsq_func_t
 */
#define INIT_WSQ_DELAYED_WORK(d, f)					\
	do {								\
		INIT_WSQ_WORK(&(d)->work, f);				\
		timer_setup(&(d)->timer, wsq_delayed_work_timer_fn,	\
			    TIMER_IRQSAFE);				\
	} while (0)

/**
 * INIT_WSQ_DELAYED_WORK_ONSTACK() - the same for an item on the stack
 * @d: the item; wsq_destroy_delayed_work_on_stack() before it goes
 * @f: its function, a wsq_func_t
 */
#define INIT_WSQ_DELAYED_WORK_ONSTACK(d, f)				\
	do {								\
		INIT_WSQ_WORK_ONSTACK(&(d)->work, f);			\
		timer_setup_on_stack(&(d)->timer,			\
				     wsq_delayed_work_timer_fn,		\
				     TIMER_IRQSAFE);			\
	} while (0)

/* queue.c: make, free, wait for all */
__printf(4, 5)
struct wsq *wsq_create_key(const struct wsq_attrs *attrs,
			   struct lock_class_key *key, const char *lock_name,
			   const char *fmt, ...);

/**
 * wsq_create() - make a queue
 * @attrs: what it is like; %NULL or zero members for defaults
 * @fmt: its name, as for printf, and arguments
 *
 * Starts the workers of its CPUs unless they run already.
 *
 * Context: task; may sleep.
 * Return: the queue, or ERR_PTR(): %-EINVAL for attributes out of bounds, or
 * for pools only (@overflow: a queue takes everything), or, with %WSQ_SYSFS, a
 * name that is empty, ".", "..", longer than 31 bytes or has a slash in it;
 * %-EEXIST if another queue in sysfs has the name; %-ENOMEM, %-ENOSPC if there
 * are too many queues, %-EINTR if the caller was killed while a worker was
 * started.
 */
#define wsq_create(attrs, fmt, ...)					\
({									\
	static struct lock_class_key __key;				\
									\
	wsq_create_key(attrs, &__key, "(wsq)" #fmt, fmt, ##__VA_ARGS__);\
})

void wsq_destroy(struct wsq *q);
void wsq_flush(struct wsq *q);
void wsq_drain(struct wsq *q);
int wsq_set_cpumask(struct wsq *q, const struct cpumask *mask);
int wsq_set_steal(struct wsq *q, u32 policy, u32 batch);

/* put */
bool wsq_queue_work(struct wsq *q, struct wsq_work *work);
bool wsq_queue_work_on(int cpu, struct wsq *q, struct wsq_work *work);
bool wsq_queue_work_near(int cpu, struct wsq *q, struct wsq_work *work);
bool wsq_queue_work_node(int node, struct wsq *q, struct wsq_work *work);
unsigned int wsq_queue_work_many(struct wsq *q, struct wsq_work *const *works,
				 unsigned int nr);
bool wsq_queue_delayed_work_on(int cpu, struct wsq *q,
			       struct wsq_delayed_work *dwork,
			       unsigned long delay);
bool wsq_mod_delayed_work_on(int cpu, struct wsq *q,
			     struct wsq_delayed_work *dwork,
			     unsigned long delay);

/**
 * wsq_queue_delayed_work() - have a work item run later
 * @q: the queue
 * @dwork: the item
 * @delay: jiffies to wait; 0 queues at once
 *
 * Context: as wsq_queue_delayed_work_on().
 * Return: as wsq_queue_delayed_work_on().
 */
static inline bool wsq_queue_delayed_work(struct wsq *q,
					  struct wsq_delayed_work *dwork,
					  unsigned long delay)
{
	return wsq_queue_delayed_work_on(WSQ_CPU_ANY, q, dwork, delay);
}

/**
 * wsq_mod_delayed_work() - set a new delay for a work item, counted from now
 * @q: the queue
 * @dwork: the item, pending or not
 * @delay: jiffies to wait; 0 queues at once
 *
 * Context: as wsq_mod_delayed_work_on().
 * Return: as wsq_mod_delayed_work_on().
 */
static inline bool wsq_mod_delayed_work(struct wsq *q,
					struct wsq_delayed_work *dwork,
					unsigned long delay)
{
	return wsq_mod_delayed_work_on(WSQ_CPU_ANY, q, dwork, delay);
}

/* wait for, or cancel, one item */
bool wsq_flush_work(struct wsq_work *work);
bool wsq_cancel_work(struct wsq_work *work);
bool wsq_cancel_work_sync(struct wsq_work *work);
bool wsq_disable_work(struct wsq_work *work);
bool wsq_disable_work_sync(struct wsq_work *work);
bool wsq_enable_work(struct wsq_work *work);
unsigned int wsq_work_busy(struct wsq_work *work);
bool wsq_flush_delayed_work(struct wsq_delayed_work *dwork);

static inline bool wsq_cancel_delayed_work(struct wsq_delayed_work *dwork)
{
	return wsq_cancel_work(&dwork->work);
}

static inline bool wsq_cancel_delayed_work_sync(struct wsq_delayed_work *dwork)
{
	return wsq_cancel_work_sync(&dwork->work);
}

static inline bool wsq_disable_delayed_work(struct wsq_delayed_work *dwork)
{
	return wsq_disable_work(&dwork->work);
}

static inline bool
wsq_disable_delayed_work_sync(struct wsq_delayed_work *dwork)
{
	return wsq_disable_work_sync(&dwork->work);
}

static inline bool wsq_enable_delayed_work(struct wsq_delayed_work *dwork)
{
	return wsq_enable_work(&dwork->work);
}

/**
 * wsq_work_pending() - does an item wait to be run
 * @work: the item
 *
 * Context: any.
 * Return: as of some moment; no order.
 */
static inline bool wsq_work_pending(const struct wsq_work *work)
{
	return READ_ONCE(work->state) & 1UL;
}

struct wsq_work *wsq_current_work(void);

/* Jobs: a range, cut into pieces. */

/**
 * struct wsq_job - a range that several CPUs work through
 * @func: called with a piece of the range, on several CPUs at a time
 * @arg: passed to @func
 * @start: where the range begins
 * @size: its length; 0 is no work
 * @align: pieces begin at @start plus a multiple of this; 0 means 1
 * @grain: smallest piece worth a call, in units of the range; 0 means 1
 * @max_cpus: CPUs at work at a time, the caller included; 0 means all
 */
struct wsq_job {
	void (*func)(unsigned long start, unsigned long end, void *arg);
	void *arg;
	unsigned long start;
	unsigned long size;
	unsigned long align;
	unsigned long grain;
	unsigned int max_cpus;
};

void wsq_run_job(struct wsq *q, const struct wsq_job *job);

#endif /* _LINUX_WSQ_H */
