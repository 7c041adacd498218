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
 *	a CPU that has come or gone: who waits there may put elsewhere now
 *		(wsq_pool_cpu_up(), wsq_pool_cpu_dead())
 *
 * in slices, with interrupts on in between; and with SALSA every 20 ms besides
 * (@patience of the engine), for chunks that were stolen come back by time alone: a
 * grace period. That no wake-up is lost, and that a task is pushed by one of the
 * two, is argued in core/room.h.
 *
 * Costs: pops of a pool with WAIT a full barrier each; while somebody waits, a
 * lock and an attempt to put, too. Other pools' pops test a pointer.
 * Limitations: a task that waited may lie on another CPU than the one that pushed
 * it. What a dying CPU cannot say any more (irq_work) is said when it is dead.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "../engine/engine.h"
#include "overflow.h"
#include "raw.h"

/* Waiters that one pop lets in before it leaves the rest to themselves. */
#define WSQ_ADMIT_MOST		64

/* Of the room's functions: on this CPU, with preemption off. */
static bool wsq_overflow_put(void *pool, void *task)
{
	return !wsq_pool_put_here(pool, task);
}

/* Those who are left after a slice; interrupts are on in between. */
static void wsq_overflow_go_on(struct wsq_waiting *wait, bool more)
{
	/* A CPU on its way out: wsq_pool_cpu_dead() calls all once more. */
	if (more && cpu_online(smp_processor_id()))
		irq_work_queue(&wait->rest);
}

static void wsq_overflow_rest(struct irq_work *irq)
{
	struct wsq_waiting *wait = container_of(irq, struct wsq_waiting, rest);

	wsq_overflow_go_on(wait, wsq_room_go_on(&wait->room));
}

/* Have all who wait try again where they are. */
static void wsq_overflow_call(struct wsq_waiting *wait)
{
	wsq_overflow_go_on(wait, wsq_room_call(&wait->room));
}

static void wsq_overflow_kicked(struct irq_work *irq)
{
	wsq_overflow_call(container_of(irq, struct wsq_waiting, kick));
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
	struct wsq_waiting *wait;
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
	wait = kzalloc(sizeof(*wait), GFP_KERNEL);
	if (!wait)
		return -ENOMEM;
	wsq_room_init(&wait->room);
	/* Hard: a thread's CPU could go, and the kick with it. */
	wait->kick = IRQ_WORK_INIT_HARD(wsq_overflow_kicked);
	wait->rest = IRQ_WORK_INIT_HARD(wsq_overflow_rest);
	pool->waiting = wait;
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
	struct wsq_waiting *wait = pool->waiting;
	unsigned int n, nr = 0;
	u32 inside;

	if (!wait)
		return 0;
	for (;;) {
		n = wsq_room_close(&wait->room, &inside);
		nr += n;
		if (n)
			continue;
		if (!inside)
			return nr;
		schedule_timeout_uninterruptible(1);
	}
}
WSQ_EXPORT_KUNIT(wsq_overflow_close);

/**
 * wsq_overflow_exit() - undo wsq_overflow_init()
 * @pool: the pool, which nobody uses any more and which does not grow any more
 *
 * Context: task; may sleep.
 */
void wsq_overflow_exit(struct wsq_pool *pool)
{
	if (!pool->waiting)
		return;
	/* The one queues the other, and then itself. */
	irq_work_sync(&pool->waiting->kick);
	irq_work_sync(&pool->waiting->rest);
	kfree(pool->waiting);
	pool->waiting = NULL;
}

/**
 * wsq_overflow_kick() - have all who wait for room look again
 * @pool: the pool, where there may be room that no pop has made
 *
 * Context: any, NMI included, with preemption off.
 */
void wsq_overflow_kick(struct wsq_pool *pool)
{
	struct wsq_waiting *wait = pool->waiting;

	/* A CPU on its way out: as in wsq_overflow_go_on(). */
	if (wait && !wsq_room_nobody(&wait->room) &&
	    cpu_online(smp_processor_id()))
		irq_work_queue(&wait->kick);
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
	struct wsq_waiting *wait = pool->waiting;
	unsigned int n;
	int ret = WSQ_OK;

	if (likely(wsq_room_nobody(&wait->room)))
		return task;
	/* One by one, for the time that interrupts are off. */
	for (n = 0; n < WSQ_ADMIT_MOST && ret == WSQ_OK; n++)
		ret = wsq_room_admit(&wait->room, &task, wsq_overflow_put, pool);
	if (ret == WSQ_OK || (ret == WSQ_FULL && (stolen || !in_task())))
		wsq_overflow_call(wait);
	return task;
}
WSQ_EXPORT_KUNIT(wsq_overflow_admit);

/* With what is in the list until somebody has let it in. */
static int wsq_overflow_wait(struct wsq_pool *pool, void *task)
{
	might_sleep();
	/* Not allowed, as that has said where it can tell. */
	if (preempt_count() || irqs_disabled())
		return -EAGAIN;

	switch (wsq_room_wait(&pool->waiting->room, task, wsq_overflow_put, pool,
			      wsq_engine_ops(pool->kind)->patience)) {
	case WSQ_ROOM_IN:
		return 0;
	case WSQ_ROOM_KILLED:
		return -EINTR;
	default:
		return -ESHUTDOWN;
	}
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
	/* AL(find:A): Pairs with the release in wsq_topology_access(). */
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
