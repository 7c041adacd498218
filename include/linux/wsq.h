/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wsq: work queues for tasks of nanoseconds to microseconds.
 *
 * A queue runs work items on per-CPU workers, as workqueue does. It keeps an
 * item on the CPU that put it, in memory of that CPU's node, until that CPU
 * takes it or an idle CPU steals it. Pools, which hold pointers and run
 * nothing, are in <linux/wsq_pool.h>.
 *
 * Symbols are exported GPL-only in namespace WSQ: see WSQ_IMPORT_NS().
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
#include <linux/wsq_attrs.h>
#include <linux/wsq_ns.h>

struct cpumask;
struct wsq;
struct wsq_work;

/**
 * typedef wsq_func_t - what a work item does
 * @work: the item; the function may free it or queue it again
 *
 * While the function sleeps, a standby worker of the same CPU runs the items
 * that wait there. While it computes, idle CPUs of the queue steal waiting
 * items that are not bound to the CPU. If it computes for more than 10 ms and
 * another queue waits on the CPU, the CPU gets another worker. From then on the
 * scheduler may migrate the running function to any CPU of the queue, unless
 * the item was queued by wsq_queue_work_on(). A function that relies on its CPU
 * must disable migration or preemption, for a short time only, and must return
 * with both enabled.
 *
 * Context: task, on a worker of the module; may sleep.
 */
typedef void (*wsq_func_t)(struct wsq_work *work);

/**
 * struct wsq_link - where a pending work item is
 * @next: next item in an inbox
 * @list: link in a list
 * @where: kind of location, container and flush color; no kind while the item
 *	is nowhere or is being moved
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
 * @link: where it is while pending
 * @state: pending or not, disable count, last worker
 * @func: the function
 *
 * All members are private to wsq. The caller must not move or free the item
 * from wsq_queue_work() until its function is called.
 */
struct wsq_work {
	struct wsq_link link;
	unsigned long state;
	wsq_func_t func;
#ifdef CONFIG_LOCKDEP
	/* private: dependencies of the item */
	struct lockdep_map lockdep_map;
#endif
};

/**
 * struct wsq_delayed_work - a work item that a timer queues
 * @work: the item
 * @timer: queues @work
 */
struct wsq_delayed_work {
	struct wsq_work work;
	struct timer_list timer;
	/* private: where the timer queues it */
	struct wsq *q;
	int cpu;
	/* private: set by an interrupt while another context owns @work */
	struct {
		struct wsq *q;
		int cpu;
		unsigned long expires;
	} rearm;
};

/**
 * struct wsq_rcu_work - a work item that is queued after an RCU grace period
 * @work: the item. It must not be cancelled or disabled while it waits for the
 *	grace period
 * @rcu: calls back after the grace period
 */
struct wsq_rcu_work {
	struct wsq_work work;
	struct rcu_head rcu;
	/* private: where it is queued */
	struct wsq *q;
};

/* No CPU in particular. */
#define WSQ_CPU_ANY	(-1)

/**
 * enum wsq_busy - what wsq_work_busy() returns
 * @WSQ_BUSY_PENDING: the item waits, in a queue or for its timer
 * @WSQ_BUSY_RUNNING: its function runs
 */
enum wsq_busy {
	WSQ_BUSY_PENDING	= 1U << 0,
	WSQ_BUSY_RUNNING	= 1U << 1,
};

/**
 * to_wsq_delayed_work() - the delayed work item that contains an item
 * @work: its member @work, as its function gets it
 *
 * Context: any.
 * Return: the delayed work item.
 */
static inline struct wsq_delayed_work *
to_wsq_delayed_work(struct wsq_work *work)
{
	return container_of(work, struct wsq_delayed_work, work);
}

/**
 * to_wsq_rcu_work() - the RCU work item that contains an item
 * @work: its member @work, as its function gets it
 *
 * Context: any.
 * Return: the RCU work item.
 */
static inline struct wsq_rcu_work *to_wsq_rcu_work(struct wsq_work *work)
{
	return container_of(work, struct wsq_rcu_work, work);
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

/* In @state: initialized statically. */
#define WSQ_WORK_STATIC	BIT(3)

#define __WSQ_WORK_INITIALIZER(n, f) {					\
	.link = { .where = 0 },						\
	.state = WSQ_WORK_STATIC,					\
	.func = (f),							\
	__WSQ_WORK_LOCKDEP_INIT(#n)					\
}

/**
 * DECLARE_WSQ_WORK() - define and initialize a work item
 * @n: its name
 * @f: its function, a wsq_func_t
 */
#define DECLARE_WSQ_WORK(n, f)						\
	struct wsq_work n = __WSQ_WORK_INITIALIZER(n, f)

#define __DECLARE_WSQ_DELAYED_WORK(n, f, flags)				\
	struct wsq_delayed_work n = {					\
		.work = __WSQ_WORK_INITIALIZER(n.work, f),		\
		.timer = __TIMER_INITIALIZER(wsq_delayed_work_timer_fn,	\
					     TIMER_IRQSAFE | (flags)),	\
	}

/**
 * DECLARE_WSQ_DELAYED_WORK() - define and initialize a delayed work item
 * @n: its name
 * @f: its function, a wsq_func_t
 */
#define DECLARE_WSQ_DELAYED_WORK(n, f)					\
	__DECLARE_WSQ_DELAYED_WORK(n, f, 0)

/**
 * DECLARE_WSQ_DEFERRABLE_WORK() - define a delayed item that wakes no idle CPU
 * @n: its name
 * @f: its function, a wsq_func_t
 *
 * As INIT_WSQ_DEFERRABLE_WORK().
 */
#define DECLARE_WSQ_DEFERRABLE_WORK(n, f)				\
	__DECLARE_WSQ_DELAYED_WORK(n, f, TIMER_DEFERRABLE)

/**
 * wsq_delayed_work_timer_fn() - queue a delayed item whose timer expired
 * @timer: its timer
 *
 * Context: timer, interrupts off.
 */
void wsq_delayed_work_timer_fn(struct timer_list *timer);

/**
 * __wsq_init_work() - an item is about to be initialised
 * @work: the item
 * @onstack: it is on the caller's stack
 *
 * Context: any but NMI.
 */
void __wsq_init_work(struct wsq_work *work, bool onstack);

/**
 * wsq_destroy_work_on_stack() - end of an item on the stack
 * @work: the item, idle; made by INIT_WSQ_WORK_ONSTACK()
 */
void wsq_destroy_work_on_stack(struct wsq_work *work);

/**
 * wsq_destroy_delayed_work_on_stack() - end of a delayed item on the stack
 * @dwork: the item, idle; made by INIT_WSQ_DELAYED_WORK_ONSTACK()
 */
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
 * INIT_WSQ_WORK() - initialize a work item
 * @w: the item; neither pending nor in use. Enabled afterwards
 * @f: its function, a wsq_func_t
 */
#define INIT_WSQ_WORK(w, f)		__INIT_WSQ_WORK(w, f, false)

/**
 * INIT_WSQ_WORK_ONSTACK() - initialize a work item on the stack
 * @w: the item; call wsq_destroy_work_on_stack() before it goes out of scope
 * @f: its function, a wsq_func_t
 */
#define INIT_WSQ_WORK_ONSTACK(w, f)	__INIT_WSQ_WORK(w, f, true)

#define __INIT_WSQ_DELAYED_WORK(d, f, flags)				\
	do {								\
		INIT_WSQ_WORK(&(d)->work, f);				\
		timer_setup(&(d)->timer, wsq_delayed_work_timer_fn,	\
			    TIMER_IRQSAFE | (flags));			\
	} while (0)

/**
 * INIT_WSQ_DELAYED_WORK() - initialize a delayed work item
 * @d: the item; neither pending nor in use. Enabled afterwards
 * @f: its function, a wsq_func_t
 */
#define INIT_WSQ_DELAYED_WORK(d, f)	__INIT_WSQ_DELAYED_WORK(d, f, 0)

/**
 * INIT_WSQ_DEFERRABLE_WORK() - initialize a delayed item that wakes no idle CPU
 * @d: the item; neither pending nor in use. Enabled afterwards
 * @f: its function, a wsq_func_t
 *
 * A delayed item in all respects, except that its timer does not wake an idle
 * CPU: if the delay is over while the CPU is idle, the item is queued when the
 * CPU next wakes up for another reason.
 */
#define INIT_WSQ_DEFERRABLE_WORK(d, f)					\
	__INIT_WSQ_DELAYED_WORK(d, f, TIMER_DEFERRABLE)

/**
 * INIT_WSQ_RCU_WORK() - initialize an RCU work item
 * @r: the item; neither pending nor in use. Enabled afterwards
 * @f: its function, a wsq_func_t
 */
#define INIT_WSQ_RCU_WORK(r, f)		INIT_WSQ_WORK(&(r)->work, f)

/**
 * INIT_WSQ_DELAYED_WORK_ONSTACK() - initialize a delayed work item on the stack
 * @d: the item; call wsq_destroy_delayed_work_on_stack() before it goes out of
 *	scope
 * @f: its function, a wsq_func_t
 */
#define INIT_WSQ_DELAYED_WORK_ONSTACK(d, f)				\
	do {								\
		INIT_WSQ_WORK_ONSTACK(&(d)->work, f);			\
		timer_setup_on_stack(&(d)->timer,			\
				     wsq_delayed_work_timer_fn,		\
				     TIMER_IRQSAFE);			\
	} while (0)

/* Create, destroy, flush. */

/**
 * wsq_create_key() - wsq_create(), with a lockdep class
 * @attrs: attributes; %NULL or zero members for defaults
 * @key: the class of what flushing the queue depends on; %NULL for one of its
 *	own, as wsq_create() has it
 * @lock_name: name of the class; unused if @key is %NULL
 * @fmt: the queue's name, as for printf
 *
 * Context: task; may sleep.
 * Return: as wsq_create().
 */
__printf(4, 5)
struct wsq *wsq_create_key(const struct wsq_attrs *attrs,
			   struct lock_class_key *key, const char *lock_name,
			   const char *fmt, ...);

/**
 * wsq_create() - create a queue
 * @attrs: its attributes; %NULL or zero members for defaults
 * @fmt: printf format of its name, followed by arguments
 *
 * Starts the workers of its CPUs unless they already run. Each queue has a
 * lockdep class of its own. So an item of one queue may flush another queue that
 * was created by the same line, without a false report.
 *
 * Context: task; may sleep.
 * Return: the queue, or ERR_PTR(): %-EINVAL for attributes out of bounds or for
 * pools only (such as @overflow), or that do not go together, or, with
 * %WSQ_SYSFS, for a name that is empty, ".", "..", longer than 31 bytes or
 * contains a slash; %-EEXIST if another queue in sysfs has the name; %-ENOMEM;
 * %-ENOSPC if there are too many queues; %-EINTR if the caller was killed while
 * a thread was being started.
 */
#define wsq_create(attrs, fmt, ...)					\
	wsq_create_key(attrs, NULL, NULL, fmt, ##__VA_ARGS__)

/**
 * wsq_destroy() - run what is queued, then free the queue
 * @q: the queue, or %NULL
 *
 * From this call on, only the items of @q may queue to it; this waits for what
 * they queue. The caller must cancel delayed items before.
 *
 * All functions of items have returned when this returns. The memory is freed
 * after a grace period, for which this does not wait.
 *
 * Context: task; may sleep. Not from an item of @q.
 */
void wsq_destroy(struct wsq *q);

/**
 * wsq_flush() - wait until everything queued before has run
 * @q: the queue
 *
 * Does not wait for items queued after the call, not even by items of @q. So
 * these may wait for it, but see "Flush ends" in Documentation/core-api.rst.
 *
 * Context: task; may sleep. Not from an item of @q, nor with a lock held that
 * one of them takes.
 * Ordering: everything that those items did is visible on return.
 */
void wsq_flush(struct wsq *q);

/**
 * wsq_drain() - run what is queued, until nothing is left
 * @q: the queue
 *
 * Meanwhile only the items of @q may queue to it; other puts are refused, with
 * a warning. A serial of @q that is not idle still takes items, from any
 * context. Stop those that queue to it: while it is never idle, this does not
 * return. Does not wait for items on a timer. If items that queue items keep it
 * from ending for stall_ms (module parameter), the kernel log says so, and again
 * each time that it has taken twice as long.
 *
 * Context: task; may sleep. As wsq_flush().
 */
void wsq_drain(struct wsq *q);

/**
 * wsq_set_cpumask() - change which CPUs run a queue's items
 * @q: the queue; may be in use
 * @mask: the CPUs from now on; %NULL to follow the module's mask
 *
 * Items that wait on excluded CPUs move to others. An item that runs there runs
 * to its end. While no CPU of @mask is online, another CPU runs the items.
 *
 * Context: task; may sleep. Not from an item of @q.
 * Return: 0; %-EINVAL if no possible CPU is in @mask; %-ENOMEM, or %-EINTR if
 * the caller was killed. After an error nothing has changed.
 */
int wsq_set_cpumask(struct wsq *q, const struct cpumask *mask);

/**
 * wsq_set_steal() - change a queue's victim policy and steal batch
 * @q: the queue; may be in use
 * @policy: an enum wsq_steal_policy, 0 for the default
 * @batch: an enum wsq_steal_batch, 0 for the default
 *
 * Context: any. Steals that are under way end as they began.
 * Return: 0; %-EINVAL if there is no such policy or batch. Then nothing has
 * changed.
 */
int wsq_set_steal(struct wsq *q, u32 policy, u32 batch);

/**
 * wsq_set_max_active() - change how many items may be under way on a CPU
 * @q: the queue; may be in use, but not one with %WSQ_ORDERED
 * @max_active: as in struct wsq_attrs; 0 for the default
 *
 * Items under way are not affected. After a lower limit there may be more of
 * them than it allows, until they end.
 *
 * Context: task; may sleep.
 * Return: 0; %-EINVAL if @max_active is out of bounds, or @q keeps order.
 */
int wsq_set_max_active(struct wsq *q, u32 max_active);

/**
 * wsq_congested() - do a queue's items on a CPU wait because of its limit
 * @cpu: the CPU, or %WSQ_CPU_ANY for this one
 * @q: the queue
 *
 * Context: any.
 * Return: true if @q has items on @cpu and has reached its limit there, or is
 * frozen. A hint, which may be outdated.
 */
bool wsq_congested(int cpu, struct wsq *q);

/* Put. */

/**
 * wsq_queue_work() - queue a work item
 * @q: the queue
 * @work: the item; may be running, and is non-reentrant
 *
 * The item runs on this CPU, or on one that becomes idle earlier.
 *
 * Context: any, NMI included; not under a runqueue lock, a task's pi_lock or a
 * lock of the timer code. Never sleeps, never fails for lack of memory or
 * space.
 * Return: true if @work was queued. False if it was pending already: its
 * function has not been called yet and will be, unless @work is cancelled. Also
 * false if it is disabled, or @q is being drained or destroyed.
 * Ordering: what precedes the call is visible to the function, also if @work
 * was pending.
 */
bool wsq_queue_work(struct wsq *q, struct wsq_work *work);

/**
 * wsq_queue_work_on() - queue a work item on a given CPU
 * @cpu: the CPU. If it is offline, coming online or going offline, or no CPU
 *	of @q, another CPU may run it
 * @q: the queue
 * @work: the item. If it still runs, it runs on @cpu when that is over.
 *
 * Context: as wsq_queue_work().
 * Return: as wsq_queue_work().
 * Ordering: as wsq_queue_work().
 */
bool wsq_queue_work_on(int cpu, struct wsq *q, struct wsq_work *work);

/**
 * wsq_queue_work_near() - queue a work item on a CPU, not bound to it
 * @cpu: the CPU. If it is offline, coming online, or no CPU of @q, this CPU
 *	gets the item
 * @q: the queue
 * @work: the item
 *
 * The CPU gets the item as if it had queued it. An idle CPU may still steal it.
 *
 * Context: as wsq_queue_work().
 * Return: as wsq_queue_work().
 * Ordering: as wsq_queue_work().
 */
bool wsq_queue_work_near(int cpu, struct wsq *q, struct wsq_work *work);

/**
 * wsq_queue_work_node() - queue a work item on a NUMA node
 * @node: the node, or %NUMA_NO_NODE. If @q has no CPU online there, any node
 *	may run it
 * @q: the queue
 * @work: the item
 *
 * A CPU of the node gets the item: this CPU, if it is of that node. An idle CPU
 * may still steal it.
 *
 * Context: as wsq_queue_work().
 * Return: as wsq_queue_work().
 * Ordering: as wsq_queue_work().
 */
bool wsq_queue_work_node(int node, struct wsq *q, struct wsq_work *work);

/**
 * wsq_queue_work_many() - queue several work items
 * @q: the queue
 * @works: the items; may be running, pending or disabled, in any mixture
 * @nr: number of items
 *
 * As wsq_queue_work() of each item, but cheaper.
 *
 * Context: as wsq_queue_work(). Runs with preemption off for a few items at a
 * time.
 * Return: number of items queued: those for which wsq_queue_work() would have
 * returned true.
 * Ordering: as wsq_queue_work().
 */
unsigned int wsq_queue_work_many(struct wsq *q, struct wsq_work *const *works,
				 unsigned int nr);

/**
 * wsq_queue_delayed_work_on() - queue a work item after a delay, on a given CPU
 * @cpu: the CPU, or %WSQ_CPU_ANY
 * @q: the queue
 * @dwork: the item
 * @delay: jiffies to wait; 0 queues at once
 *
 * Context: any but NMI.
 * Return: true if @dwork was put on its timer or queued; false if it was
 * pending already, or is refused (wsq_queue_work()).
 * Ordering: what precedes the call is visible to the function.
 */
bool wsq_queue_delayed_work_on(int cpu, struct wsq *q,
			       struct wsq_delayed_work *dwork,
			       unsigned long delay);

/**
 * wsq_mod_delayed_work_on() - set a work item's delay anew, from now
 * @cpu: the CPU, or %WSQ_CPU_ANY
 * @q: the queue
 * @dwork: the item, pending or not
 * @delay: jiffies to wait; 0 queues at once
 *
 * Context: any but NMI.
 * Return: true if @dwork was pending: it runs once, @delay from now. False if
 * it was idle or running: it is queued anew. A disabled item is not queued.
 * Ordering: what precedes the call is visible to the function.
 */
bool wsq_mod_delayed_work_on(int cpu, struct wsq *q,
			     struct wsq_delayed_work *dwork,
			     unsigned long delay);

/**
 * wsq_queue_delayed_work() - queue a work item after a delay
 * @q: the queue
 * @dwork: the item
 * @delay: delay in jiffies; 0 queues at once
 *
 * Context: any but NMI.
 * Return: true if @dwork was queued or its timer started; false if it was
 * already pending, or is disabled.
 * Ordering: what precedes the call is visible to the function.
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
 * @delay: delay in jiffies; 0 queues at once
 *
 * Context: any but NMI.
 * Return: true if @dwork was pending: it runs once, @delay from now. False if
 * it was idle or ran: it is queued again. A disabled item is not queued.
 * Ordering: what precedes the call is visible to the function.
 */
static inline bool wsq_mod_delayed_work(struct wsq *q,
					struct wsq_delayed_work *dwork,
					unsigned long delay)
{
	return wsq_mod_delayed_work_on(WSQ_CPU_ANY, q, dwork, delay);
}

/**
 * wsq_queue_rcu_work() - queue a work item after an RCU grace period
 * @q: the queue; must not be destroyed before wsq_flush_rcu_work() or the
 *	function has been called
 * @rwork: the item
 *
 * Context: any but NMI.
 * Return: true if @rwork will be queued. False if it was pending already: then
 * the function may run after a grace period that began before this call. Also
 * false if it is refused (wsq_queue_work()).
 * Ordering: readers that were in an RCU read-side critical section when this
 * was called have left it when the function runs, if this returned true.
 */
bool wsq_queue_rcu_work(struct wsq *q, struct wsq_rcu_work *rwork);

/* Wait for, cancel or disable one item. */

/**
 * wsq_flush_work() - wait until an item has run
 * @work: the item
 *
 * Waits for the run for which @work was queued last, and so for all earlier
 * ones, but not for a run for which it is queued meanwhile. An item on its
 * timer counts as queued: wsq_flush_delayed_work() does not wait for the timer.
 *
 * If that run is cancelled meanwhile, or its put is refused, this still waits
 * for a run before it that is under way. So after wsq_disable_work() and then
 * wsq_flush_work() the function does not run before wsq_enable_work(), whatever
 * other contexts do with @work.
 *
 * Context: as wsq_disable_work_sync().
 * Return: true if it had to wait, false if @work was idle.
 * Ordering: all that the function did is visible.
 */
bool wsq_flush_work(struct wsq_work *work);

/**
 * wsq_cancel_work() - cancel a pending item
 * @work: the item
 *
 * Removes the item from its queue or its timer, without waiting for other
 * items. Unlike wsq_cancel_work_sync(), does not wait for a function that
 * already runs. A wsq_flush_work() that waits for @work goes on waiting while
 * the function runs.
 *
 * Context: any but NMI. Never sleeps. In an interrupt handler it returns false,
 * as if the item ran already, if the handler interrupted the context that owns
 * the item (a put, or a worker that is about to begin it), or if more than some
 * 4,000 items that were queued from other CPUs are in front of @work: to look
 * through these takes about 1 ms.
 * Return: true if @work was pending and this run is cancelled.
 */
bool wsq_cancel_work(struct wsq_work *work);

/**
 * wsq_cancel_work_sync() - cancel an item and wait until it does not run
 * @work: the item. If other contexts, or its own function, queue it meanwhile,
 *	these puts return false
 *
 * Context: as wsq_disable_work_sync().
 * Return: true if @work was pending and this run is cancelled. Its function
 * does not run when this returns, unless it was queued again by then.
 * Ordering: all that the function did is visible.
 */
bool wsq_cancel_work_sync(struct wsq_work *work);

/**
 * wsq_disable_work() - cancel an item and refuse to queue it
 * @work: the item
 *
 * Until wsq_enable_work() was called as often as this, putting @work on a queue
 * or on its timer does nothing and returns false. Does not wait for a function
 * that already runs: wsq_flush_work() does.
 *
 * Context: as wsq_cancel_work(). If it returns false in an interrupt handler,
 * @work is disabled all the same, but one run for which it was queued before
 * may follow.
 * Return: true if @work was pending and this run is cancelled.
 */
bool wsq_disable_work(struct wsq_work *work);

/**
 * wsq_disable_work_sync() - disable an item and wait until it does not run
 * @work: the item
 *
 * As wsq_disable_work(), and waits for a function that already runs.
 *
 * Context: task; may sleep. Not from the item itself, nor with a lock held that
 * its function takes.
 * Return: true if @work was pending and this run is cancelled. Its function
 * does not run when this returns, and will not.
 * Ordering: all that the function did is visible.
 */
bool wsq_disable_work_sync(struct wsq_work *work);

/**
 * wsq_enable_work() - undo one wsq_disable_work()
 * @work: the item
 *
 * Context: any but NMI. Never sleeps.
 * Return: true if @work is enabled now.
 */
bool wsq_enable_work(struct wsq_work *work);

/**
 * wsq_work_busy() - is an item pending or running
 * @work: the item
 *
 * Context: any.
 * Return: enum wsq_busy; 0 if the item was idle at some moment.
 * Ordering: none.
 */
unsigned int wsq_work_busy(struct wsq_work *work);

/**
 * wsq_flush_delayed_work() - run a delayed item now, and wait for it
 * @dwork: the item
 *
 * Takes @dwork off its timer and queues it, then waits as wsq_flush_work()
 * does. If the run is cancelled meanwhile, or the queue refuses @dwork, this
 * still waits for an earlier run that is under way. If another context puts
 * @dwork on its timer again, this waits for that timer.
 *
 * Context: task; may sleep. Not from the item itself, nor with a lock held that
 * its function takes.
 * Return: true if it had to wait, false if @dwork was idle.
 * Ordering: all that the function did is visible.
 */
bool wsq_flush_delayed_work(struct wsq_delayed_work *dwork);

/**
 * wsq_flush_rcu_work() - wait until an RCU work item has run
 * @rwork: the item
 *
 * If it is pending, waits for grace periods, then as wsq_flush_work() does.
 *
 * Context: task; may sleep. Not from the item itself, nor with a lock held that
 * its function takes, nor in an RCU read-side critical section.
 * Return: true if it had to wait, false if @rwork was idle.
 * Ordering: all that the function did is visible.
 */
bool wsq_flush_rcu_work(struct wsq_rcu_work *rwork);

/**
 * wsq_cancel_delayed_work() - cancel a delayed item that is pending
 * @dwork: the item, on its timer, in a queue, running or idle
 *
 * Context: as wsq_cancel_work().
 * Return: true if @dwork was pending and this run is cancelled.
 */
static inline bool wsq_cancel_delayed_work(struct wsq_delayed_work *dwork)
{
	return wsq_cancel_work(&dwork->work);
}

/**
 * wsq_cancel_delayed_work_sync() - cancel a delayed item and wait for its run
 * @dwork: the item, on its timer, in a queue, running or idle
 *
 * Context: as wsq_disable_work_sync().
 * Return: true if @dwork was pending and this run is cancelled. Its function
 * does not run when this returns, unless it was queued again by then.
 * Ordering: all that the function did is visible.
 */
static inline bool wsq_cancel_delayed_work_sync(struct wsq_delayed_work *dwork)
{
	return wsq_cancel_work_sync(&dwork->work);
}

/**
 * wsq_disable_delayed_work() - cancel a delayed item and refuse to queue it
 * @dwork: the item, on its timer, in a queue, running or idle
 *
 * As wsq_disable_work(). Neither its timer nor a queue accepts @dwork until
 * wsq_enable_delayed_work().
 *
 * Context: as wsq_cancel_work().
 * Return: true if @dwork was pending and this run is cancelled.
 */
static inline bool wsq_disable_delayed_work(struct wsq_delayed_work *dwork)
{
	return wsq_disable_work(&dwork->work);
}

/**
 * wsq_disable_delayed_work_sync() - disable a delayed item, wait for its run
 * @dwork: the item, on its timer, in a queue, running or idle
 *
 * Context: as wsq_disable_work_sync().
 * Return: true if @dwork was pending and this run is cancelled. Its function
 * does not run when this returns, and will not.
 * Ordering: all that the function did is visible.
 */
static inline bool
wsq_disable_delayed_work_sync(struct wsq_delayed_work *dwork)
{
	return wsq_disable_work_sync(&dwork->work);
}

/**
 * wsq_enable_delayed_work() - undo one wsq_disable_delayed_work()
 * @dwork: the item
 *
 * Context: any but NMI. Never sleeps.
 * Return: true if @dwork is enabled now.
 */
static inline bool wsq_enable_delayed_work(struct wsq_delayed_work *dwork)
{
	return wsq_enable_work(&dwork->work);
}

/**
 * wsq_work_pending() - test whether an item waits to run
 * @work: the item
 *
 * Context: any.
 * Return: true if the item was pending at some moment of the call.
 * Ordering: none.
 */
static inline bool wsq_work_pending(const struct wsq_work *work)
{
	return READ_ONCE(work->state) & 1UL;
}

/**
 * wsq_current_work() - the item whose function the caller is in
 *
 * Context: any.
 * Return: the item, which its function may have freed; %NULL if the caller is
 * not in an item's function.
 */
struct wsq_work *wsq_current_work(void);

/* Jobs: a range, processed in pieces. */

/**
 * struct wsq_job - a range that several CPUs process in parallel
 * @func: called for each piece of the range, on several CPUs at a time
 * @arg: passed to @func
 * @start: start of the range
 * @size: length of the range; 0 means no work
 * @align: pieces start at @start plus a multiple of this; 0 means 1
 * @grain: smallest piece worth a call, in units of the range; 0 means 1
 * @max_cpus: maximum CPUs at a time, including the caller's; 0 means all
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

/**
 * wsq_run_job() - work through a range on several CPUs
 * @q: the queue whose CPUs may help
 * @job: the range and what to do with it
 *
 * Calls the function from this context and from workers, for each index exactly
 * once, in pieces of no particular order. Without memory for helpers the caller
 * runs all pieces itself.
 *
 * Context: task; may sleep. Also from items of @q, and from jobs.
 * Ordering: all that the function did is visible on return.
 */
void wsq_run_job(struct wsq *q, const struct wsq_job *job);

#endif /* _LINUX_WSQ_H */
