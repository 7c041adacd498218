// SPDX-License-Identifier: GPL-2.0
/*
 * More memory for engines that are short of room, up to the pool's max_blocks.
 *
 * Puts allocate nothing, whatever they interrupt. One that finds little room left
 * asks: it changes a word of the container and raises an irq_work of the pool,
 * both of which NMIs may do. That has housekeeping allocate for all containers
 * that have asked and leave it with them. The next put, or a take that looks at the
 * entrance, that holds the roles of producer and consumer takes it in.
 * Nobody waits for any of this: until then puts do as without.
 *
 *	NO -> ASKED -> OFFERED -> TAKEN -> NO		@grow of a container
 *	         \-> NO					no memory
 *
 * Each change is made by one party, by compare-and-exchange or because the state
 * is its own: ASKED is the work item's, TAKEN whose exchange it was. So there is
 * one piece on its way to a container at a time, and its size is that of what was
 * there when it was made: more than has room, if memory was given back and came
 * anew meanwhile; what is too much is left alone.
 *
 *	GR(ask:A) full -> GR(work:A) acquire; GR(work:B) release -> GR(take:A)
 *	acquire
 *		The answer sees what the engine is, and the memory is found as
 *		it was made. litmus/pool-grow.litmus
 *	GR(done:A) release -> the next GR(ask:A) -> GR(work:A) acquire
 *		The next answer sees what the engine has become.
 *		litmus/pool-grow-again.litmus
 *
 * Without memory the container stays as it is, and may ask again. Runs of the work
 * item that follow one that failed are no closer to it than WSQ_GROW_PAUSE.
 *
 * Costs: a pool that may not grow pays a test of a pointer, with blocks a call as
 * well, for each block or chunk that is begun; one that may, a load of the
 * container's word more.
 * Limitations: what is offered to a CPU that neither puts nor takes stays with it,
 * unused, until its queue is idle there or its pool destroyed.
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
 * @not_before: when to try again after memory was short, in jiffies. @work; @irq
 *	reads
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

	/* It may be queued already: then it will see what has been asked. */
	queue_delayed_work(wsq_housekeeping, &g->work,
			   time_before(now, until) ? until - now : 0);
}

/* Answer all who have asked. */
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
		 * knows what there is.
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
		/* Who waits takes it in, or asks again. */
		preempt_disable();
		wsq_overflow_kick(g->pool);
		preempt_enable();
		cond_resched();
	}
}

/**
 * wsq_grow_ask() - have an engine given more memory
 * @ct: the container, of a pool that may grow
 *
 * Asked again before there is an answer, it does nothing.
 *
 * Context: any, NMI included, with preemption off.
 */
void wsq_grow_ask(struct wsq_container *ct)
{
	/* A CPU on its way out may run no irq_work any more. */
	if (unlikely(!cpu_online(smp_processor_id())))
		return;
	if (atomic_read(&ct->grow) == WSQ_GROW_NO &&
	    /* Full: the answer sees it, and what the engine has become. */
	    atomic_cmpxchg(&ct->grow, WSQ_GROW_NO,		/* GR(ask:A) */
			   WSQ_GROW_ASKED) == WSQ_GROW_NO)
		irq_work_queue(&ct->pool->growth->irq);
}

/**
 * wsq_grow_take() - take what was offered
 * @ct: the container
 *
 * Context: any.
 * Return: the memory; wsq_grow_done() when it has been taken in. %NULL if there is
 * none.
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
 * wsq_grow_done() - what was taken is in use
 * @ct: the container
 *
 * Context: whoever has called wsq_grow_take().
 */
void wsq_grow_done(struct wsq_container *ct)
{
	/* Who asks now, and who answers, sees the engine as it has become. */
	atomic_set_release(&ct->grow, WSQ_GROW_NO);	/* GR(done:A) */
}

/**
 * wsq_grow_drop() - free what was offered and nobody has taken in
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
 * wsq_grow_init() - let a pool's engines grow, if they may
 * @pool: the pool; sizes are set
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
	/* Hard: a thread's CPU could go, and with it all who ask. */
	g->irq = IRQ_WORK_INIT_HARD(wsq_grow_irq);
	INIT_DELAYED_WORK(&g->work, wsq_grow_work);
	g->not_before = jiffies;
	pool->growth = g;
	return 0;
}

/**
 * wsq_grow_exit() - give no answers any more
 * @pool: the pool, into which nobody puts any more
 *
 * Context: task; may sleep.
 */
void wsq_grow_exit(struct wsq_pool *pool)
{
	struct wsq_growth *g = pool->growth;

	if (!g)
		return;
	/* The one queues the other. */
	irq_work_sync(&g->irq);
	cancel_delayed_work_sync(&g->work);
	kfree(g);
	pool->growth = NULL;
}
