// SPDX-License-Identifier: GPL-2.0
/*
 * More memory for engines that run short of space, up to the pool's max_blocks.
 *
 * A put cannot allocate, because it may have interrupted anything. A put that
 * finds little space left requests memory: it changes a word of the container
 * and raises an irq_work of the pool, both of which are NMI-safe. The irq_work
 * queues maintenance work, which allocates for all containers that have asked
 * and leaves the memory with them. The next put takes the memory, or the next
 * take that looks into the inbox, provided that it holds the roles of producer
 * and consumer. No context waits for any of this. Until the memory is there,
 * puts work as without growth.
 *
 *	NO -> ASKED -> OFFERED -> TAKEN -> NO		@grow of a container
 *	         \-> NO					no memory
 *
 * Only one party may make each change, by compare-and-exchange or because it
 * owns the state: the work item owns ASKED, the context whose exchange
 * succeeded owns TAKEN. So at most one segment is under way to a container. Its
 * size follows the engine's size when the segment was made. If the engine's
 * memory was detached and attached again since then, the segment may be larger
 * than what is left below max_blocks; the excess is not used.
 *
 *	GR(ask:A) full -> GR(work:A) acquire; GR(work:B) release -> GR(take:A)
 *	acquire
 *		The work item sees the engine's size, and the memory is found as
 *		it was made. litmus/pool-grow.litmus
 *	GR(done:A) release -> the next GR(ask:A) -> GR(work:A) acquire
 *		The next work item sees the engine's new size.
 *		litmus/pool-grow-again.litmus
 *
 * If there is no memory, the container stays as it is and may ask again. After
 * an allocation has failed, the work item runs again no earlier than
 * WSQ_GROW_PAUSE later.
 *
 * Costs, for each block or chunk that is begun: the test of a pointer in a pool
 * that may not grow (with blocks also a call); one more load of the container's
 * word in a pool that may.
 * Limitations: memory offered to a CPU that neither puts nor takes stays unused
 * until its queue is idle there, or the pool is destroyed.
 */
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "../engine/engine.h"
#include "grow.h"
#include "overflow.h"
#include "pool.h"

#define WSQ_GROW_PAUSE		(HZ / 10)

/**
 * struct wsq_growth - how a pool's engines get more memory
 * @pool: the pool. Constant.
 * @irq: queues @work
 * @work: allocates
 * @not_before: when to try again after an allocation failed, in jiffies. @work;
 *	@irq reads
 */
struct wsq_growth {
	struct wsq_pool *pool;
	struct irq_work irq;
	struct delayed_work work;
	unsigned long not_before;
};

static void wsq_grow_irq(struct irq_work *irq)
{
	struct wsq_growth *g = container_of(irq, struct wsq_growth, irq);
	unsigned long until = READ_ONCE(g->not_before), now = jiffies;

	/* If it is queued already, it will see the new request. */
	queue_delayed_work(wsq_maintenance, &g->work,
			   time_before(now, until) ? until - now : 0);
}

/* Allocate for all containers that have asked. */
static void wsq_grow_work(struct work_struct *work)
{
	struct wsq_growth *g = container_of(to_delayed_work(work),
					    struct wsq_growth, work);
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_any(g->pool, cpu);
		struct wsq_engine *more;

		/*
		 * GR(work:A): Pairs with wsq_grow_ask(): the CPU that asks
		 * knows the engine's size.
		 */
		if (!ct || atomic_read_acquire(&ct->grow) != WSQ_GROW_ASKED)
			continue;
		more = wsq_engine_create_more(ct, wsq_cpu_node(cpu));
		if (IS_ERR(more)) {
			WRITE_ONCE(g->not_before, jiffies + WSQ_GROW_PAUSE);
			more = NULL;
		}
		ct->more = more;
		/* GR(work:B): Pairs with wsq_grow_take() and wsq_grow_ask(). */
		atomic_set_release(&ct->grow, more ? WSQ_GROW_OFFERED :
						     WSQ_GROW_NO);
		/* A waiter takes the memory, or asks again. */
		preempt_disable();
		wsq_overflow_kick(g->pool);
		preempt_enable();
		cond_resched();
	}
}

/**
 * wsq_grow_ask() - request more memory for an engine
 * @ct: the container, of a pool that may grow
 *
 * A request that is not answered yet is not repeated.
 *
 * Context: any, NMI included, with preemption off.
 */
void wsq_grow_ask(struct wsq_container *ct)
{
	/* A CPU that is going offline may run no irq_work any more. */
	if (unlikely(!cpu_online(smp_processor_id())))
		return;
	if (atomic_read(&ct->grow) == WSQ_GROW_NO &&
	    /* Full: the work item sees the request and the engine's size. */
	    atomic_cmpxchg(&ct->grow, WSQ_GROW_NO,		/* GR(ask:A) */
			   WSQ_GROW_ASKED) == WSQ_GROW_NO)
		irq_work_queue(&ct->pool->growth->irq);
}

/**
 * wsq_grow_take() - take the offered memory
 * @ct: the container
 *
 * Context: any.
 * Return: the memory, %NULL if there is none. Call wsq_grow_done() when it is
 * in use.
 */
struct wsq_engine *wsq_grow_take(struct wsq_container *ct)
{
	struct wsq_engine *more;

	if (!wsq_grow_offered(ct) ||
	    atomic_cmpxchg_acquire(&ct->grow, WSQ_GROW_OFFERED,	/* GR(take:A) */
				   WSQ_GROW_TAKEN) != WSQ_GROW_OFFERED)
		return NULL;
	more = ct->more;
	ct->more = NULL;
	return more;
}

/**
 * wsq_grow_done() - the taken memory is in use
 * @ct: the container
 *
 * Context: the one that called wsq_grow_take().
 */
void wsq_grow_done(struct wsq_container *ct)
{
	/* The next request, and the work item, see the engine's new size. */
	atomic_set_release(&ct->grow, WSQ_GROW_NO);	/* GR(done:A) */
}

/**
 * wsq_grow_drop() - free offered memory that no put has taken
 * @ct: the container
 *
 * Context: task; may sleep.
 */
void wsq_grow_drop(struct wsq_container *ct)
{
	struct wsq_engine *more = wsq_grow_take(ct);

	if (!more)
		return;
	wsq_engine_destroy(more);
	wsq_grow_done(ct);
}

/**
 * wsq_grow_init() - let a pool's engines grow if @max_blocks allows it
 * @pool: the pool; @blocks and @max_blocks are set
 *
 * Context: task; may sleep.
 * Return: 0 or %-ENOMEM.
 */
int wsq_grow_init(struct wsq_pool *pool)
{
	struct wsq_growth *g;

	if (pool->max_blocks == pool->blocks)
		return 0;
	g = kzalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return -ENOMEM;
	g->pool = pool;
	/*
	 * Hard: the CPU of an irq_work thread could go offline with the
	 * request.
	 */
	g->irq = IRQ_WORK_INIT_HARD(wsq_grow_irq);
	INIT_DELAYED_WORK(&g->work, wsq_grow_work);
	g->not_before = jiffies;
	pool->growth = g;
	return 0;
}

/**
 * wsq_grow_exit() - stop growing
 * @pool: the pool; no more puts
 *
 * Context: task; may sleep.
 */
void wsq_grow_exit(struct wsq_pool *pool)
{
	struct wsq_growth *g = pool->growth;

	if (!g)
		return;
	/* The irq_work queues the work item. */
	irq_work_sync(&g->irq);
	cancel_delayed_work_sync(&g->work);
	kfree(g);
	pool->growth = NULL;
}
