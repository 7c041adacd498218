/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Serials: a serial runs its items one at a time, in the order they were
 * queued, on any worker of a queue.
 *
 * For objects whose work must not run concurrently with itself (a connection, a
 * file, a key), if there are too many objects for a queue each. No lock is
 * taken and no thread waits: the worker that already runs items of the serial
 * runs the new item too. Items of different serials run in parallel.
 *
 * Costs: 96 bytes for each serial and 24 for each item (without lockdep); to
 * queue, three read-modify-writes, and wsq_queue_work() if the serial was idle;
 * to run, two.
 *
 * Limitations: a cancelled item stays in the list until the items in front of
 * it have run, because the list cannot be unlinked in the middle. So waiting
 * for an item includes waiting for those in front of it. A serial runs on one
 * CPU at a time, however many items it has.
 *
 * Symbols are exported GPL-only in namespace WSQ.
 */
#ifndef _LINUX_WSQ_SERIAL_H
#define _LINUX_WSQ_SERIAL_H

#include <linux/wsq.h>

struct wsq_serial_work;

/**
 * typedef wsq_serial_func_t - what an item of a serial does
 * @work: the item; the function may free it or queue it again, on any serial
 *
 * Context: task, on a worker of the module; may sleep, and its serial waits for
 * it. Must not free its serial.
 */
typedef void (*wsq_serial_func_t)(struct wsq_serial_work *work);

/**
 * struct wsq_serial_work - a serial's item, to be embedded in the caller's
 * struct
 * @link: the item pushed before it
 * @state: queued, cancelled or neither; and how often it is disabled
 *	(wsq_serial_disable())
 * @func: the function
 *
 * All members are private to wsq. The caller must not move or free the item
 * from wsq_serial_queue() until its function is called. If the item is
 * cancelled, this holds until wsq_serial_cancel_sync(), or a wsq_serial_flush()
 * that begins later, returns.
 */
struct wsq_serial_work {
	atomic64_t link;
	atomic_t state;
	wsq_serial_func_t func;
};

/**
 * struct wsq_serial - runs its items one at a time, in the order they were
 * queued
 * @queue: a struct wsq_owner_queue (kmod/core/owner_queue.h)
 * @q: the queue whose workers run it
 * @work: queued on @q while the owner waits for a worker. Written by the owner.
 * @cur: the item that runs. Written by the owner, read by any context.
 * @dying: being destroyed; only its own items may queue
 * @pause: the enum wsq_serial_pause of the last item that ran. Written by the
 *	owner.
 * @sticky: see wsq_serial_set_sticky()
 * @cpu: where its items ran last, if it is sticky. Written by the owner.
 *
 * All members are private to wsq. The caller must not move or free the serial
 * while an item is queued to it; see wsq_serial_idle() and
 * wsq_serial_destroy().
 */
struct wsq_serial {
	u64 queue[4];
	struct wsq *q;
	struct wsq_work work;
	struct wsq_serial_work *cur;
	bool dying;
	u8 pause;
	bool sticky;
	int cpu;
};

/* Items of one serial that a worker runs before it serves other work. */
#define WSQ_SERIAL_BUDGET	64

/**
 * wsq_serial_run() - run a serial's items
 * @work: its work item
 *
 * Context: task; the function of @work.
 */
void wsq_serial_run(struct wsq_work *work);

/**
 * __wsq_serial_init() - wsq_serial_init(), except for the work item
 * @serial: the serial
 * @q: the queue whose workers run it
 *
 * Context: any.
 */
void __wsq_serial_init(struct wsq_serial *serial, struct wsq *q);

/**
 * wsq_serial_init_key() - wsq_serial_init(), with a lockdep class
 * @serial: the serial
 * @queue: the queue whose workers run it; must outlive the serial
 * @key: the class of what flushing the serial depends on
 * @lock_name: name of the class, a constant
 *
 * For serials that are initialized in one place in the source, and flush each
 * other: those of each layer have a class.
 */
#define wsq_serial_init_key(serial, queue, key, lock_name)		\
	do {								\
		struct wsq_serial *__s = (serial);			\
									\
		___wsq_init_work(&__s->work, wsq_serial_run, false);	\
		__wsq_work_lockdep_init(&__s->work, lock_name, key);	\
		__wsq_serial_init(__s, queue);				\
	} while (0)

/**
 * wsq_serial_init() - initialize a serial
 * @serial: the serial
 * @queue: the queue whose workers run it; must outlive the serial
 *
 * All serials initialized at one place in the source share a lockdep class.
 * Nothing is allocated: an idle serial may simply be freed.
 */
#define wsq_serial_init(serial, queue)					\
	do {								\
		static struct lock_class_key __key;			\
									\
		wsq_serial_init_key(serial, queue, &__key,		\
				    "(wsq_serial)" #serial);		\
	} while (0)

/**
 * wsq_serial_work_init() - initialize an item of a serial
 * @work: the item; neither queued nor in use
 * @func: its function
 */
static inline void wsq_serial_work_init(struct wsq_serial_work *work,
					wsq_serial_func_t func)
{
	atomic64_set(&work->link, 0);
	atomic_set(&work->state, 0);
	work->func = func;
}

/**
 * wsq_serial_set_sticky() - let a serial run where it ran last
 * @serial: the serial
 * @sticky: whether to
 *
 * An idle serial that gets an item by wsq_serial_queue() goes to the CPU that
 * called it, where the item's data is. If @sticky, it goes to the CPU that ran its
 * items last, where the object's data is, or to an idle CPU near it. Worth it for
 * objects that are larger than the items.
 *
 * Context: any; takes effect for items queued later.
 */
void wsq_serial_set_sticky(struct wsq_serial *serial, bool sticky);

/**
 * wsq_serial_current() - the item that the caller is in
 *
 * Context: any.
 * Return: the item, if the caller is the function of an item of a serial, or was
 * called by it; %NULL otherwise, and in interrupts. Only its address may be used:
 * the function may have freed it.
 */
struct wsq_serial_work *wsq_serial_current(void);

/**
 * wsq_serial_queue_on() - queue an item behind all others, on a given CPU
 * @cpu: the CPU, or %WSQ_CPU_ANY; used only if the serial is idle. Otherwise
 *	the item runs where those in front of it do
 * @serial: the serial
 * @work: the item; not queued to another serial
 *
 * Items run in the order in which they were queued, by any context. An item may
 * have run, and the serial be idle, before this returns to its caller. The
 * serial must not be freed before that.
 *
 * Context: as wsq_queue_work(): any, NMI included. Never sleeps, never fails
 * for lack of memory or space.
 * Return: true if @work was queued. False if it was queued already: its
 * function has not been called yet and will be, unless the item is cancelled.
 * False also in three cases in which the function will not be called for this
 * attempt: @work was cancelled and the items in front of it have not run yet; a
 * context is in wsq_serial_cancel_sync() for it; or the serial or its queue is
 * being destroyed, or its queue drained, which is logged.
 * Ordering: what precedes the call is visible to the function, also if @work
 * was queued already.
 */
bool wsq_serial_queue_on(int cpu, struct wsq_serial *serial,
			 struct wsq_serial_work *work);

/**
 * wsq_serial_queue_near() - queue an item behind all others, near a given CPU
 * @cpu: the CPU; used only if the serial is idle, and then as by
 *	wsq_queue_work_near()
 * @serial: the serial
 * @work: the item; not queued to another serial
 *
 * Unlike with wsq_serial_queue_on(), idle CPUs may take the serial over.
 *
 * Context: as wsq_serial_queue_on().
 * Return: as wsq_serial_queue_on().
 * Ordering: as wsq_serial_queue_on().
 */
bool wsq_serial_queue_near(int cpu, struct wsq_serial *serial,
			   struct wsq_serial_work *work);

/**
 * wsq_serial_queue_node() - queue an item behind all others, near a node
 * @node: the node, or %NUMA_NO_NODE; used only if the serial is idle, and then
 *	as by wsq_queue_work_node()
 * @serial: the serial
 * @work: the item; not queued to another serial
 *
 * As wsq_serial_queue_near(), on a CPU near @node.
 *
 * Context: as wsq_serial_queue_on().
 * Return: as wsq_serial_queue_on().
 * Ordering: as wsq_serial_queue_on().
 */
bool wsq_serial_queue_node(int node, struct wsq_serial *serial,
			   struct wsq_serial_work *work);

/**
 * wsq_serial_queue_many() - queue several items behind all others
 * @serial: the serial
 * @works: the items; some may be queued already
 * @nr: how many
 *
 * As wsq_serial_queue() of each in turn, with two read-modify-writes for 64 items
 * and one for each.
 *
 * Context: as wsq_serial_queue_on(). Runs with preemption off for 64 items at a
 * time.
 * Return: how many were queued: those for which wsq_serial_queue() would have
 * returned true.
 * Ordering: as wsq_serial_queue_on().
 */
unsigned int wsq_serial_queue_many(struct wsq_serial *serial,
				   struct wsq_serial_work *const *works,
				   unsigned int nr);

/**
 * wsq_serial_disable() - cancel an item and refuse to queue it
 * @work: the item
 *
 * As wsq_serial_cancel(). Until wsq_serial_enable() was called as often as this,
 * attempts to queue @work return false.
 *
 * Context: any, NMI included. Never sleeps.
 * Return: as wsq_serial_cancel().
 */
bool wsq_serial_disable(struct wsq_serial_work *work);

/**
 * wsq_serial_disable_sync() - disable an item, and wait until it has left
 * @serial: the serial that it was queued to last
 * @work: the item
 *
 * As wsq_serial_disable(), then as wsq_serial_cancel_sync(): on return the function
 * does not run, and will not before wsq_serial_enable().
 *
 * Context: as wsq_serial_cancel_sync().
 * Return: as wsq_serial_cancel().
 * Ordering: all that the function did is visible.
 */
bool wsq_serial_disable_sync(struct wsq_serial *serial,
			     struct wsq_serial_work *work);

/**
 * wsq_serial_enable() - undo one wsq_serial_disable()
 * @work: the item
 *
 * Context: any, NMI included.
 * Return: true if it may be queued now: no other context has disabled it or waits
 * for it.
 */
bool wsq_serial_enable(struct wsq_serial_work *work);

/**
 * wsq_serial_cancel() - cancel an item
 * @work: the item
 *
 * The item stays in the list of its serial until the items in front of it have
 * run. Until then it can neither be queued nor freed: see
 * wsq_serial_cancel_sync(). This does not wait for a function that is already
 * running.
 *
 * Context: any, NMI included. Never sleeps.
 * Return: true if @work was queued and will not run for that queueing.
 */
bool wsq_serial_cancel(struct wsq_serial_work *work);

/**
 * wsq_serial_cancel_sync() - cancel an item, and wait until it has left
 * @serial: the serial that it was queued to last
 * @work: the item; other contexts and its own function may try to queue it, but
 *	such attempts return false until this returns
 *
 * If @work was queued, or runs, this waits for the items in front of it, and
 * for those queued behind it during the wait.
 *
 * Context: task; may sleep. Not from an item of @serial, nor with a lock held
 * that one of them takes.
 * Return: true if @work was queued and will not run for that queueing. On
 * return it is in no list and its function does not run, unless it was queued
 * after that: it may be queued, to any serial, or freed. If its own function
 * has queued it to another serial, it may still run there, or still be in its
 * function here: then call this for both.
 * Ordering: all that the function did is visible.
 */
bool wsq_serial_cancel_sync(struct wsq_serial *serial,
			    struct wsq_serial_work *work);

/**
 * wsq_serial_flush() - wait until all items queued before have run
 * @serial: the serial
 *
 * On return each item that was queued before has run or was cancelled. It may
 * then be queued again or freed. The flush may also wait for some items queued
 * after the call, but not for those queued after its own entry in the list.
 * Each call makes a worker run the serial.
 *
 * Context: task; may sleep. Not from an item of @serial, nor with a lock held
 * that one of them takes.
 * Ordering: all that those items did is visible.
 */
void wsq_serial_flush(struct wsq_serial *serial);

/**
 * wsq_serial_idle() - is no item of a serial queued or running
 * @serial: the serial
 *
 * Once this is true, and no context is in wsq_serial_queue() or will enter it,
 * the serial may be freed. While a context is in it, this may be true although
 * an item that was queued before still waits.
 *
 * Context: any.
 * Return: true if so, as of some moment; then all that its items did before is
 * visible.
 */
bool wsq_serial_idle(const struct wsq_serial *serial);

/**
 * wsq_serial_destroy() - run what is queued; then the serial may be freed
 * @serial: the serial; wsq_serial_init() before it is used again
 *
 * After this call only the serial's own items may queue to @serial. It waits
 * for those items as well. Call it before the queue is destroyed.
 *
 * Context: task; may sleep. As wsq_serial_flush().
 * Ordering: all that the items did is visible.
 */
void wsq_serial_destroy(struct wsq_serial *serial);

/**
 * wsq_serial_queue() - queue an item behind all others of a serial
 * @serial: the serial
 * @work: the item
 *
 * Context: any, NMI included. Never sleeps, never fails for lack of memory.
 * Return: true if @work was queued. False if it was already queued, or for the
 * reasons that wsq_serial_queue_on() lists.
 * Ordering: what precedes the call is visible to the function, even if @work
 * was already queued.
 */
static inline bool wsq_serial_queue(struct wsq_serial *serial,
				    struct wsq_serial_work *work)
{
	return wsq_serial_queue_on(WSQ_CPU_ANY, serial, work);
}

/**
 * struct wsq_serial_delayed_work - an item of a serial that is queued after a delay
 * @work: the item
 * @serial: the serial that it will be queued to
 * @timer: queues it
 *
 * @serial and @timer are private to wsq. @work may be queued at once, too, and
 * cancelled by itself.
 */
struct wsq_serial_delayed_work {
	struct wsq_serial_work work;
	struct wsq_serial *serial;
	struct wsq_delayed_work timer;
};

/* The function of @timer. */
void __wsq_serial_delay_over(struct wsq_work *work);

/**
 * wsq_serial_delayed_init() - initialize an item that is queued after a delay
 * @dwork: the struct wsq_serial_delayed_work; neither queued nor in use
 * @fn: its function, of which the argument is @work of @dwork
 */
#define wsq_serial_delayed_init(dwork, fn)				\
	do {								\
		struct wsq_serial_delayed_work *__d = (dwork);		\
									\
		wsq_serial_work_init(&__d->work, fn);			\
		__d->serial = NULL;					\
		INIT_WSQ_DELAYED_WORK(&__d->timer, __wsq_serial_delay_over); \
	} while (0)

/**
 * wsq_serial_queue_delayed() - queue an item after a delay
 * @serial: the serial
 * @dwork: the item
 * @delay: jiffies to wait
 *
 * When the delay is over the item is queued behind all others, from a worker of
 * the serial's queue. Cancel it before the serial is destroyed. A call for
 * another serial has no effect while the delay runs. If the item may have begun
 * a delay before, and its function has not run since, call
 * wsq_serial_cancel_delayed_sync() before using another serial.
 *
 * Context: any but NMI.
 * Return: true if the delay has begun; false if it had begun before, if the item
 * is queued, or if it is refused (wsq_queue_delayed_work()).
 * Ordering: as wsq_serial_queue_on().
 */
bool wsq_serial_queue_delayed(struct wsq_serial *serial,
			      struct wsq_serial_delayed_work *dwork,
			      unsigned long delay);

/**
 * wsq_serial_cancel_delayed() - cancel an item, whether it is delayed or queued
 * @dwork: the item
 *
 * Context: any but hardirq and NMI. Does not wait: see
 * wsq_serial_cancel_delayed_sync().
 * Return: true if it was pending in one of the two ways. False also at the
 * moment at which the end of the delay queues it: it then runs.
 * wsq_serial_cancel_delayed_sync() has no such moment.
 */
bool wsq_serial_cancel_delayed(struct wsq_serial_delayed_work *dwork);

/**
 * wsq_serial_cancel_delayed_sync() - the same, and wait until it has left
 * @serial: the serial that it was queued to last
 * @dwork: the item
 *
 * Context: as wsq_serial_cancel_sync().
 * Return: as wsq_serial_cancel_delayed().
 * Ordering: all that the function did is visible.
 */
bool wsq_serial_cancel_delayed_sync(struct wsq_serial *serial,
				    struct wsq_serial_delayed_work *dwork);

#endif /* _LINUX_WSQ_SERIAL_H */
