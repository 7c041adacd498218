// SPDX-License-Identifier: GPL-2.0
/*
 * What a pool does with a task that finds no room where it is pushed: the rules
 * of enum wsq_overflow. A rule is asked when the engine of the CPU, or the inbox
 * where a CPU without a part puts, has refused; a push that finds room pays for
 * none of it.
 *
 * NEIGHBOUR goes along the access list and leaves the task in the first inbox
 * that has a link to lend, dead CPUs last. INLINE calls a function. Both work in
 * every context.
 *
 * WAIT lists the task and sleeps. Whoever pops lets those in who wait, first come
 * first served: having taken a task out he is on a CPU, with the rights of its
 * puts, where there may be room now, and pushes for them there, by
 * wsq_pool_put_here(). Nobody is woken before his task is in, and a waiter gets
 * on although nobody pops on his CPU. A pop that finds nothing at all is given
 * what waits first.
 *
 * That leaves room that no push of the CPU that pops can use, although one of the
 * waiter's CPU could. Then all who wait are woken, to try where they are:
 *
 *	a pop that stole, on a CPU whose own puts find no room: the thief's count
 *		has made a block reusable for the victim's puts
 *	growth: memory was offered to a CPU, taken in by it, or not to be had, and
 *		is asked for anew by who tries (grow.c, wsq_engine_extend())
 *	a pop in an interrupt: what it interrupted may have the role of the
 *		producer
 *	a pop that looked into the inbox: links are room for those who have no
 *		part in the pool, and for nobody here
 *	more waiters than one pop lets in
 *
 * and with SALSA every 20 ms besides (wsq_engine_patience()), for chunks that were
 * stolen come back by time alone: a grace period.
 *
 * No wake-up is lost:
 *
 *	push				pop
 *	@nr = 1				makes room
 *	[OV1] smp_mb()			[OV2] smp_mb()
 *	looks for room			reads @nr
 *
 * so that who sleeps has not found the room, hence is found by the pop, and who
 * is not found, finds it. It is the store buffering pattern, and
 * set_current_state() is where the left barrier comes from, so that a wake-up
 * after the look ends the sleep as well. Both sides put under @lock, so that a
 * task is pushed by one of the two.
 *
 * Costs: pops of a pool with WAIT a full barrier each; while somebody waits, a
 * lock and an attempt to put, too. Other pools' pops test a pointer.
 * Limitations: a task that waited may lie on another CPU than the one that pushed
 * it. What a dead CPU cannot be told (irq_work) waits for the next pop.
 */
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../compat/export.h"
#include "engine.h"
#include "overflow.h"
#include "raw.h"

/* Waiters that one pop lets in before it leaves the rest to themselves. */
#define WSQ_ADMIT_MOST		64

/**
 * struct wsq_waiter - a push that waits, on its stack
 * @list: entry in @waiting of struct wsq_room while @ret is %-EAGAIN
 * @who: whom to wake
 * @task: what is pushed
 * @ret: what has come of it. All under the room's lock.
 */
struct wsq_waiter {
	struct list_head list;
	struct task_struct *who;
	void *task;
	int ret;
};

/**
 * struct wsq_room - those who wait for room in a pool
 * @lock: guards all else; held for one put or one pass over @waiting
 * @waiting: struct wsq_waiter, first come first
 * @nr: entries of @waiting. @lock; pops read it without
 * @inside: pushes that still know of this struct. @lock
 * @kick: wakes all, for who must not take @lock
 */
struct wsq_room {
	raw_spinlock_t lock;	/* waiters of the pool */
	struct list_head waiting;
	unsigned int nr;
	unsigned int inside;
	struct irq_work kick;
};

/* A waiter's push is over. @room->lock is held. */
static void wsq_room_settle(struct wsq_room *room, struct wsq_waiter *w, int ret)
{
	lockdep_assert_held(&room->lock);
	list_del(&w->list);
	WRITE_ONCE(room->nr, room->nr - 1);
	w->ret = ret;
	/*
	 * He reads @ret under @lock, and is there until then. He may be current,
	 * and about to sleep: a pop in an interrupt came after his look.
	 */
	wake_up_process(w->who);
}

/* Have all who wait try again where they are. */
static void wsq_room_wake(struct wsq_room *room)
{
	struct wsq_waiter *w;
	unsigned long flags;

	raw_spin_lock_irqsave(&room->lock, flags);
	list_for_each_entry(w, &room->waiting, list)
		wake_up_process(w->who);
	raw_spin_unlock_irqrestore(&room->lock, flags);
}

static void wsq_room_kick(struct irq_work *irq)
{
	wsq_room_wake(container_of(irq, struct wsq_room, kick));
}

/**
 * wsq_overflow_init() - give a pool its rule
 * @pool: the pool; @raw is set
 * @attrs: as in wsq_pool_create(); may be %NULL
 *
 * Context: task; may sleep.
 * Return: 0; %-EINVAL for a rule that is none, a queue's pool with any, a function
 * without its rule or the other way round; %-ENOMEM.
 */
int wsq_overflow_init(struct wsq_pool *pool, const struct wsq_attrs *attrs)
{
	struct wsq_room *room;
	bool calls;

	if (!attrs)
		return 0;
	calls = attrs->overflow == WSQ_OVERFLOW_INLINE;
	if (attrs->overflow > WSQ_OVERFLOW_WAIT ||
	    calls != !!attrs->overflow_fn || (attrs->overflow && !pool->raw))
		return -EINVAL;
	pool->overflow = attrs->overflow;
	pool->overflow_fn = attrs->overflow_fn;
	pool->overflow_arg = attrs->overflow_arg;
	if (pool->overflow != WSQ_OVERFLOW_WAIT)
		return 0;
	room = kzalloc(sizeof(*room), GFP_KERNEL);
	if (!room)
		return -ENOMEM;
	raw_spin_lock_init(&room->lock);
	INIT_LIST_HEAD(&room->waiting);
	/* Hard: a thread's CPU could go, and the kick with it. */
	room->kick = IRQ_WORK_INIT_HARD(wsq_room_kick);
	pool->room = room;
	return 0;
}

/**
 * wsq_overflow_close() - turn away who waits for room in a pool
 * @pool: the pool, about to go
 *
 * Nobody should: their pushes return %-ESHUTDOWN.
 *
 * Context: task; may sleep.
 * Return: how many there were.
 */
unsigned int wsq_overflow_close(struct wsq_pool *pool)
{
	struct wsq_room *room = pool->room;
	struct wsq_waiter *w, *next;
	unsigned int left, nr = 0;

	if (!room)
		return 0;
	for (;;) {
		raw_spin_lock_irq(&room->lock);
		list_for_each_entry_safe(w, next, &room->waiting, list) {
			wsq_room_settle(room, w, -ESHUTDOWN);
			nr++;
		}
		left = room->inside;
		raw_spin_unlock_irq(&room->lock);
		if (!left)
			return nr;
		schedule_timeout_uninterruptible(1);
	}
}
WSQ_EXPORT(wsq_overflow_close);

/**
 * wsq_overflow_exit() - undo wsq_overflow_init()
 * @pool: the pool, which nobody uses any more and which does not grow any more
 *
 * Context: task; may sleep.
 */
void wsq_overflow_exit(struct wsq_pool *pool)
{
	if (!pool->room)
		return;
	irq_work_sync(&pool->room->kick);
	kfree(pool->room);
	pool->room = NULL;
}

/**
 * wsq_overflow_waiting() - how many wait for room in a pool
 * @pool: the pool
 *
 * Context: any.
 * Return: as of some moment.
 */
unsigned int wsq_overflow_waiting(const struct wsq_pool *pool)
{
	return pool->room ? READ_ONCE(pool->room->nr) : 0;
}
WSQ_EXPORT(wsq_overflow_waiting);

/**
 * wsq_overflow_kick() - have all who wait for room look again
 * @pool: the pool, where there may be room that no pop has made
 *
 * Context: any, NMI included, with preemption off.
 */
void wsq_overflow_kick(struct wsq_pool *pool)
{
	struct wsq_room *room = pool->room;

	if (!room)
		return;
	/* Room, then who waits: as in wsq_overflow_admit(). */
	smp_mb();
	/* A CPU on its way out may run no irq_work any more. */
	if (READ_ONCE(room->nr) && cpu_online(smp_processor_id()))
		irq_work_queue(&room->kick);
}

/**
 * wsq_overflow_admit() - let those in who wait for room
 * @pool: the pool, which has @room
 * @task: what was popped just now; %NULL for nothing
 * @stolen: it may not be of this CPU's engine
 *
 * Context: as wsq_pool_pop(), with preemption off, on the CPU of the pop.
 * Return: @task or, where that is %NULL, that of the first who waits, if any.
 * Ordering: sees of a waiter's task what wsq_pool_pop() would.
 */
void *wsq_overflow_admit(struct wsq_pool *pool, void *task, bool stolen)
{
	struct wsq_room *room = pool->room;
	unsigned int n;

	/* The room that was made, then who waits for it. */
	smp_mb();						/* [OV2] */
	if (likely(!READ_ONCE(room->nr)))
		return task;
	/* One by one, for the time that interrupts are off. */
	for (n = 0; n < WSQ_ADMIT_MOST; n++) {
		struct wsq_waiter *w;
		unsigned long flags;
		bool in = false;

		raw_spin_lock_irqsave(&room->lock, flags);
		w = list_first_entry_or_null(&room->waiting, struct wsq_waiter,
					     list);
		if (w && !task) {
			task = w->task;
			in = true;
		} else if (w) {
			in = !wsq_pool_put_here(pool, w->task);
		}
		if (in)
			wsq_room_settle(room, w, 0);
		raw_spin_unlock_irqrestore(&room->lock, flags);
		if (!w)
			return task;
		if (!in)
			break;
	}
	if (stolen || !in_task() || n == WSQ_ADMIT_MOST)
		wsq_room_wake(room);
	return task;
}
WSQ_EXPORT(wsq_overflow_admit);

/* With what is in the list until somebody has let it in. */
static int wsq_overflow_wait(struct wsq_pool *pool, void *task)
{
	struct wsq_waiter w = { .who = current, .task = task, .ret = -EAGAIN };
	struct wsq_room *room = pool->room;
	unsigned long flags;

	might_sleep();
	/* Not allowed, as that has said where it can tell. */
	if (preempt_count() || irqs_disabled())
		return -EAGAIN;

	raw_spin_lock_irqsave(&room->lock, flags);
	list_add_tail(&w.list, &room->waiting);
	WRITE_ONCE(room->nr, room->nr + 1);
	room->inside++;
	while (w.ret == -EAGAIN) {
		/* Who waits, then the room. */
		set_current_state(TASK_KILLABLE);		/* [OV1] */
		if (!wsq_pool_put_here(pool, task)) {
			wsq_room_settle(room, &w, 0);
			break;
		}
		if (fatal_signal_pending(current)) {
			wsq_room_settle(room, &w, -EINTR);
			break;
		}
		raw_spin_unlock_irqrestore(&room->lock, flags);
		schedule_timeout(wsq_engine_patience(pool->kind));
		raw_spin_lock_irqsave(&room->lock, flags);
	}
	__set_current_state(TASK_RUNNING);
	room->inside--;
	raw_spin_unlock_irqrestore(&room->lock, flags);
	return w.ret;
}

/* To the nearest inbox with a link to lend, of CPUs that are @owned or not. */
static bool wsq_overflow_give(struct wsq_pool *pool,
			      const struct wsq_access *list, void *task,
			      bool owned)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		struct wsq_container *ct;

		ct = wsq_pool_ct(pool, list->victims[i].cpu);
		if (ct && (atomic_read(&ct->orphan) == WSQ_OWNED) == owned &&
		    wsq_raw_push(ct, task) == WSQ_OK)
			return true;
	}
	return false;
}

static int wsq_overflow_neighbour(struct wsq_pool *pool, void *task)
{
	const struct wsq_access *list;
	int ret = -EAGAIN;

	preempt_disable();
	/* Pairs with the release in wsq_topology_access(). */
	list = smp_load_acquire(&pool->topo->access[smp_processor_id()]);
	if (list && (wsq_overflow_give(pool, list, task, true) ||
		     wsq_overflow_give(pool, list, task, false)))
		ret = 0;
	preempt_enable();
	return ret;
}

/**
 * wsq_overflow_push() - do by the pool's rule with what has found no room
 * @pool: the pool
 * @task: the task
 *
 * Context: as wsq_pool_push(), with preemption as the caller has it.
 * Return: as wsq_pool_push().
 */
int wsq_overflow_push(struct wsq_pool *pool, void *task)
{
	switch (pool->overflow) {
	case WSQ_OVERFLOW_FAIL:
		break;
	case WSQ_OVERFLOW_NEIGHBOUR:
		return wsq_overflow_neighbour(pool, task);
	case WSQ_OVERFLOW_INLINE:
		pool->overflow_fn(task, pool->overflow_arg);
		return 0;
	case WSQ_OVERFLOW_WAIT:
		return wsq_overflow_wait(pool, task);
	}
	return -EAGAIN;
}
