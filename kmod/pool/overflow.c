// SPDX-License-Identifier: GPL-2.0
/*
 * What a pool does with a task that finds no space where it is pushed: the
 * rules of enum wsq_overflow. A rule applies after the engine of the CPU has
 * refused a task, or the inbox into which a non-member CPU puts. A push that
 * finds space pays nothing for it.
 *
 * NEIGHBOUR follows the access list and leaves the task in the first inbox that
 * has a free link, dead CPUs' inboxes last. INLINE calls a function. Both work
 * in every context.
 *
 * WAIT puts the task on a list and sleeps. A pop admits waiters, first come
 * first served: after it has taken a task out, its CPU may have space. The pop
 * pushes for the waiters by wsq_pool_put_here(), with the rights of its own
 * CPU's puts. A waiter is woken only when its task is in the pool, and it makes
 * progress even if no pop runs on its CPU. A pop that finds nothing gets the
 * first waiting task.
 *
 * That leaves space which only a push on the waiter's own CPU can use. Then all
 * waiters are woken in slices, with interrupts on in between, to try on their
 * own CPUs:
 *
 *	a pop that stole, on a CPU whose own puts find no space: the thief's
 *		count has made a block reusable for the victim's puts
 *	growth: memory was offered to a CPU or taken by it, or the allocation
 *		failed and the next attempt requests it again (grow.c,
 *		wsq_engine_extend())
 *	a pop in an interrupt: the interrupted context may be the producer
 *	a pop that looked into the inbox: links are space for non-member CPUs,
 *		and for no push here
 *	more waiters than one pop admits
 *	a CPU that came or went: its waiters may put elsewhere now
 *		(wsq_pool_cpu_up(), wsq_pool_cpu_dead())
 *
 * With SALSA, waiters try every 20 ms too (@space_timeout of the engine),
 * because stolen chunks become free after a grace period, with no event.
 * core/space_wait.h argues why no wake-up is lost, and why either the waiter or
 * a pop pushes a task, never both.
 *
 * Costs: in a pool with WAIT, each pop pays a full barrier, and while there are
 * waiters a lock and an attempt to put. In other pools a pop tests a pointer.
 * Limitations: a task that waited may be on another CPU than the one that
 * pushed it. A wake-up that a dying CPU cannot send (irq_work) is sent when it
 * is dead.
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
#include "pointer.h"

/* Waiters that one pop admits before it lets the rest try on their own CPUs. */
#define WSQ_ADMIT_MOST		64

/* How wsq_space puts: on this CPU, with preemption off. */
static bool wsq_overflow_put(void *pool, void *task)
{
	return !wsq_pool_put_here(pool, task);
}

/*
 * Wake the waiters that are left after a slice, with interrupts on between
 * slices.
 */
static void wsq_overflow_go_on(struct wsq_waiting *wait, bool more)
{
	/*
	 * On a CPU that is going offline wsq_pool_cpu_dead() wakes all later.
	 */
	if (more && cpu_online(smp_processor_id()))
		irq_work_queue(&wait->rest);
}

static void wsq_overflow_rest(struct irq_work *irq)
{
	struct wsq_waiting *wait = container_of(irq, struct wsq_waiting, rest);

	wsq_overflow_go_on(wait, wsq_space_go_on(&wait->space));
}

/* Wake all waiters, to try on their own CPUs. */
static void wsq_overflow_call(struct wsq_waiting *wait)
{
	wsq_overflow_go_on(wait, wsq_space_call(&wait->space));
}

static void wsq_overflow_kicked(struct irq_work *irq)
{
	wsq_overflow_call(container_of(irq, struct wsq_waiting, kick));
}

/**
 * wsq_overflow_init() - set a pool's overflow rule
 * @pool: the pool; @pointers is set
 * @attrs: as in wsq_pool_create(); may be %NULL
 *
 * Context: task; may sleep.
 * Return: 0; %-EINVAL for an unknown rule, for a queue's pool with a rule, and
 * for a function without %WSQ_OVERFLOW_INLINE or the other way round; %-ENOMEM.
 */
int wsq_overflow_init(struct wsq_pool *pool, const struct wsq_attrs *attrs)
{
	struct wsq_waiting *wait;
	bool calls;

	if (!attrs)
		return 0;
	calls = attrs->overflow == WSQ_OVERFLOW_INLINE;
	if (attrs->overflow > WSQ_OVERFLOW_WAIT ||
	    calls != !!attrs->overflow_fn || (attrs->overflow && !pool->pointers))
		return -EINVAL;
	pool->overflow = attrs->overflow;
	pool->overflow_fn = attrs->overflow_fn;
	pool->overflow_arg = attrs->overflow_arg;
	if (pool->overflow != WSQ_OVERFLOW_WAIT)
		return 0;
	wait = kzalloc(sizeof(*wait), GFP_KERNEL);
	if (!wait)
		return -ENOMEM;
	wsq_space_init(&wait->space);
	/*
	 * Hard: the CPU of an irq_work thread could go offline with the kick.
	 */
	wait->kick = IRQ_WORK_INIT_HARD(wsq_overflow_kicked);
	wait->rest = IRQ_WORK_INIT_HARD(wsq_overflow_rest);
	pool->waiting = wait;
	return 0;
}

/**
 * wsq_overflow_close() - end all waits for space in a pool
 * @pool: the pool, about to be destroyed
 *
 * There should be none. Their pushes return %-ESHUTDOWN.
 *
 * Context: task; may sleep.
 * Return: the number of waiters.
 */
unsigned int wsq_overflow_close(struct wsq_pool *pool)
{
	struct wsq_waiting *wait = pool->waiting;
	unsigned int n, nr = 0;
	u32 inside;

	if (!wait)
		return 0;
	for (;;) {
		n = wsq_space_close(&wait->space, &inside);
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
 * @pool: the pool, no longer in use, after wsq_grow_exit()
 *
 * Context: task; may sleep.
 */
void wsq_overflow_exit(struct wsq_pool *pool)
{
	if (!pool->waiting)
		return;
	/* @kick queues @rest, which queues itself. */
	irq_work_sync(&pool->waiting->kick);
	irq_work_sync(&pool->waiting->rest);
	kfree(pool->waiting);
	pool->waiting = NULL;
}

/**
 * wsq_overflow_kick() - have all waiters look for space again
 * @pool: the pool, which may have space that no pop has made
 *
 * Context: any, NMI included, with preemption off.
 */
void wsq_overflow_kick(struct wsq_pool *pool)
{
	struct wsq_waiting *wait = pool->waiting;

	/* A CPU that is going offline: see wsq_overflow_go_on(). */
	if (wait && !wsq_space_unused(&wait->space) &&
	    cpu_online(smp_processor_id()))
		irq_work_queue(&wait->kick);
}

/**
 * wsq_overflow_admit() - push what waiters want to push
 * @pool: the pool, with @waiting set
 * @task: the task that was just popped, or %NULL
 * @stolen: the task may be from elsewhere than this CPU's engine
 *
 * Context: as wsq_pool_pop(), with preemption off, on the CPU of the pop.
 * Return: @task; if that is %NULL, the task of the first waiter, if any.
 * Ordering: a waiter's task is seen as wsq_pool_pop() would see it.
 */
void *wsq_overflow_admit(struct wsq_pool *pool, void *task, bool stolen)
{
	struct wsq_waiting *wait = pool->waiting;
	unsigned int n;
	int ret = WSQ_OK;

	if (likely(wsq_space_unused(&wait->space)))
		return task;
	/* One task at a time, because interrupts are off for each. */
	for (n = 0; n < WSQ_ADMIT_MOST && ret == WSQ_OK; n++)
		ret = wsq_space_admit(&wait->space, &task, wsq_overflow_put, pool);
	if (ret == WSQ_OK || (ret == WSQ_FULL && (stolen || !in_task())))
		wsq_overflow_call(wait);
	return task;
}
WSQ_EXPORT_KUNIT(wsq_overflow_admit);

/* Wait until the task is in the pool. */
static int wsq_overflow_wait(struct wsq_pool *pool, void *task)
{
	might_sleep();
	/*
	 * might_sleep() has warned, if it can tell that sleeping is not
	 * allowed.
	 */
	if (preempt_count() || irqs_disabled())
		return -EAGAIN;

	switch (wsq_space_wait(&pool->waiting->space, task, wsq_overflow_put, pool,
			       wsq_engine_ops(pool->kind)->space_timeout)) {
	case WSQ_SPACE_ADMITTED:
		return 0;
	case WSQ_SPACE_KILLED:
		return -EINTR;
	default:
		return -ESHUTDOWN;
	}
}

/*
 * Put into the nearest inbox with a free link, of CPUs that are @owned or not.
 */
static bool wsq_overflow_give(struct wsq_pool *pool,
			      const struct wsq_access *list, void *task,
			      bool owned)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		struct wsq_container *ct;

		ct = wsq_pool_ct(pool, list->victims[i].cpu);
		if (ct && (atomic_read(&ct->ownership) == WSQ_OWNED) == owned &&
		    wsq_pointer_push(ct, task) == WSQ_OK)
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
 * wsq_overflow_push() - apply the pool's rule to a task that found no space
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
