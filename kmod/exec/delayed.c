// SPDX-License-Identifier: GPL-2.0
/*
 * Delayed items: an item with a timer in front. On its timer an item is
 * pending, in a place of its own kind.
 *
 * An interrupt that wants another time for an item that somebody has in hand
 * cannot wait for him: he may be whom it interrupted. It leaves a wish, the bit
 * %WSQ_REARM, to be seen by whoever lets the item go: a worker that begins it
 * (wait.c), or who puts it on its timer (wsq_arm()); one that calls it back, or
 * has a later wish of his own, drops it.
 *
 *	who arms			interrupt that wishes
 *	--------			---------------------
 *	interrupts off			look long, in vain, for who has it in hand
 *	RA(arm:A) it is on its timer	RA(ask:A) set REARM (full barrier)
 *	RA(arm:B) smp_mb		it is on its timer? wait, get it
 *	REARM? then as wished		from there : leave it at that
 *	add_timer()
 *	interrupts on
 *
 * One sees the other. Who says that an item is on its timer while its timer does
 * not run has interrupts off, so that no interrupt waits for whom it interrupted.
 *
 *	RA(arm:B) against RA(ask:A): store buffering
 *		litmus/exec-rearm-timer.litmus
 *	RA(ask:A) full -> RA(drop:A) full
 *		It is seen when the wish is dropped. litmus/exec-rearm.litmus
 */
#include <linux/irqflags.h>
#include <linux/jiffies.h>

#include "../compat/export.h"
#include "../compat/timer.h"
#include "item.h"
#include "put.h"

/* Nobody wishes any more. Returns what the state was. */
static unsigned long wsq_drop_wish(struct wsq_work *work)
{
	unsigned long state = READ_ONCE(work->state);

	/* RA(drop:A) */
	while (state & WSQ_REARM &&
	       !try_cmpxchg(&work->state, &state, state & ~WSQ_REARM))
		;
	return state;
}

/* What was wished: when, and where to. */
static unsigned long wsq_take_wish(struct wsq_delayed_work *dwork)
{
	/* Acquire: it was written before the bit was set. */
	wsq_drop_wish(&dwork->work);
	dwork->q = READ_ONCE(dwork->rearm.q);
	dwork->cpu = READ_ONCE(dwork->rearm.cpu);
	return READ_ONCE(dwork->rearm.expires);
}

/* Put an item, in hand, on its timer. Preemption is off. */
static void wsq_arm(struct wsq_delayed_work *dwork, unsigned long expires)
{
	struct timer_list *timer = &dwork->timer;
	unsigned long flags;

	wsq_debug_activate(&dwork->work);
	local_irq_save(flags);
	WRITE_ONCE(dwork->work.link.where, WSQ_ON_TIMER);	/* RA(arm:A) */
	smp_mb();						/* RA(arm:B) */
	if (unlikely(READ_ONCE(dwork->work.state) & WSQ_REARM))
		expires = wsq_take_wish(dwork);
	timer->expires = expires;
	if (dwork->cpu >= 0 && cpu_online(dwork->cpu))
		add_timer_on(timer, dwork->cpu);
	else
		add_timer(timer);
	local_irq_restore(flags);
}

/**
 * wsq_unarm() - take an item off its timer
 * @work: the item of a struct wsq_delayed_work, pending
 *
 * Context: any but NMI, with preemption off.
 * Return: true if it was there, and is in the caller's hand now.
 */
bool wsq_unarm(struct wsq_work *work)
{
	unsigned long flags;
	bool got;

	local_irq_save(flags);
	got = timer_delete(&to_wsq_delayed_work(work)->timer);
	if (got)
		WRITE_ONCE(work->link.where, 0);
	local_irq_restore(flags);
	if (got)
		wsq_debug_deactivate(work);
	return got;
}

/**
 * wsq_delayed_work_timer_fn() - the time of a delayed item has come
 * @timer: its timer
 *
 * Context: timer, interrupts off.
 */
void wsq_delayed_work_timer_fn(struct timer_list *timer)
{
	struct wsq_delayed_work *dwork = container_of(timer,
						      struct wsq_delayed_work,
						      timer);

	preempt_disable();
	wsq_debug_deactivate(&dwork->work);
	wsq_put_owned(dwork->q, &dwork->work, dwork->cpu);
	preempt_enable();
}
WSQ_EXPORT(wsq_delayed_work_timer_fn);

/* Put an item, in hand, on its timer or, without delay, on its queue. */
static bool wsq_delay(struct wsq *q, struct wsq_delayed_work *dwork, int cpu,
		      unsigned long delay)
{
	if (!wsq_may_put(q, &dwork->work))
		return false;
	if (WARN_ON_ONCE(cpu != WSQ_CPU_ANY && (unsigned int)cpu >= nr_cpu_ids))
		cpu = WSQ_CPU_ANY;
	dwork->q = q;
	dwork->cpu = cpu;
	if (delay)
		wsq_arm(dwork, jiffies + delay);
	else
		wsq_put(q, &dwork->work, cpu);
	return true;
}

/**
 * wsq_rearm() - put an item on its timer for an interrupt that could not wait
 * @work: the item of a struct wsq_delayed_work, in hand
 *
 * Context: any but NMI, with preemption off.
 */
void wsq_rearm(struct wsq_work *work)
{
	struct wsq_delayed_work *dwork = to_wsq_delayed_work(work);

	wsq_arm(dwork, wsq_take_wish(dwork));
}

/*
 * Whoever has the item in hand, or gets it from him, shall put it on its timer.
 * False if nobody has it any more, or if it may be on its timer already: look
 * again. Two interrupts may do so at a time: one of them has its wish, or half of
 * it.
 */
static bool wsq_ask_rearm(struct wsq *q, struct wsq_delayed_work *dwork,
			  int cpu, unsigned long delay)
{
	unsigned long state = READ_ONCE(dwork->work.state);

	if (WARN_ON_ONCE(cpu != WSQ_CPU_ANY && (unsigned int)cpu >= nr_cpu_ids))
		cpu = WSQ_CPU_ANY;
	WRITE_ONCE(dwork->rearm.q, q);
	WRITE_ONCE(dwork->rearm.cpu, cpu);
	WRITE_ONCE(dwork->rearm.expires, jiffies + delay);
	do {
		if (!(state & WSQ_PENDING))
			return false;
		/* RA(ask:A) */
	} while (!try_cmpxchg(&dwork->work.state, &state, state | WSQ_REARM));
	return wsq_where_kind(READ_ONCE(dwork->work.link.where)) != WSQ_ON_TIMER;
}

/**
 * wsq_queue_delayed_work_on() - have a work item run later, on a given CPU
 * @cpu: the CPU, or %WSQ_CPU_ANY
 * @q: the queue
 * @dwork: the item
 * @delay: jiffies to wait; 0 queues at once
 *
 * Context: any but NMI.
 * Return: true if @dwork was put on its timer or queued; false if it was
 * pending already, or is disabled.
 * Ordering: what precedes the call is visible to the function.
 */
bool wsq_queue_delayed_work_on(int cpu, struct wsq *q,
			       struct wsq_delayed_work *dwork,
			       unsigned long delay)
{
	bool ret = false;

	preempt_disable();
	/* RN(delay:A) */
	if (!test_and_set_bit(WSQ_PENDING_BIT, &dwork->work.state))
		ret = wsq_delay(q, dwork, cpu, delay);
	preempt_enable();
	return ret;
}
WSQ_EXPORT(wsq_queue_delayed_work_on);

/**
 * wsq_mod_delayed_work_on() - have a work item run so much later from now
 * @cpu: the CPU, or %WSQ_CPU_ANY
 * @q: the queue
 * @dwork: the item, pending or not
 * @delay: jiffies to wait; 0 queues at once
 *
 * Context: any but NMI.
 * Return: true if @dwork was pending: it runs once, so much later. False if it
 * was idle, or ran: it is queued anew. Disabled ones are left alone.
 * Ordering: what precedes the call is visible to the function.
 */
bool wsq_mod_delayed_work_on(int cpu, struct wsq *q,
			     struct wsq_delayed_work *dwork,
			     unsigned long delay)
{
	bool was_pending, asked;

	for (;;) {
		if (wsq_grab(&dwork->work, &was_pending)) {
			/* What interrupts wished up to now is of before. */
			wsq_drop_wish(&dwork->work);
			wsq_delay(q, dwork, cpu, delay);
			preempt_enable();
			return was_pending;
		}
		/* An interrupt, and perhaps what it interrupted has the item. */
		asked = wsq_ask_rearm(q, dwork, cpu, delay);
		preempt_enable();
		if (asked)
			return true;
		/* It was begun meanwhile, or comes to be on its timer. */
		cpu_relax();
	}
}
WSQ_EXPORT(wsq_mod_delayed_work_on);

/**
 * wsq_flush_delayed_work() - have a delayed item run now, and wait for it
 * @dwork: the item
 *
 * Context: task; may sleep. As wsq_flush_work().
 * Return: true if it had to wait, false if @dwork was idle.
 */
bool wsq_flush_delayed_work(struct wsq_delayed_work *dwork)
{
	bool timed;

	might_sleep();
	preempt_disable();
	timed = wsq_unarm(&dwork->work);
	if (timed)
		wsq_put_owned(dwork->q, &dwork->work, dwork->cpu);
	preempt_enable();
	/* It may have run already. */
	return wsq_flush_work(&dwork->work) || timed;
}
WSQ_EXPORT(wsq_flush_delayed_work);
