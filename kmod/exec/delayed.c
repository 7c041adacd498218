// SPDX-License-Identifier: GPL-2.0
/*
 * Delayed items: an item with a timer in front. On its timer an item is
 * pending, in a place of its own kind.
 */
#include <linux/jiffies.h>

#include "../compat/export.h"
#include "../compat/timer.h"
#include "item.h"
#include "put.h"

/* Put an item, in hand, on its timer. Preemption is off. */
static void wsq_arm(struct wsq_delayed_work *dwork, unsigned long expires)
{
	struct timer_list *timer = &dwork->timer;

	wsq_debug_activate(&dwork->work);
	WRITE_ONCE(dwork->work.link.where, WSQ_ON_TIMER);
	timer->expires = expires;
	if (dwork->cpu >= 0 && cpu_online(dwork->cpu))
		add_timer_on(timer, dwork->cpu);
	else
		add_timer(timer);
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
	unsigned long state = READ_ONCE(work->state);
	struct wsq_delayed_work *dwork = to_wsq_delayed_work(work);

	/* Acquire: what was wanted was written before the bit was set. */
	while (!try_cmpxchg(&work->state, &state, state & ~WSQ_REARM))
		;
	dwork->q = READ_ONCE(dwork->rearm.q);
	dwork->cpu = READ_ONCE(dwork->rearm.cpu);
	wsq_arm(dwork, READ_ONCE(dwork->rearm.expires));
}

/*
 * Whoever has the item in hand, or gets it from him, shall put it on its timer.
 * False if nobody has it any more. Two interrupts may do so at a time: one of
 * them has its wish, or half of it.
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
	} while (!try_cmpxchg(&dwork->work.state, &state, state | WSQ_REARM));
	return true;
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
			wsq_delay(q, dwork, cpu, delay);
			preempt_enable();
			return was_pending;
		}
		/* An interrupt, and perhaps what it interrupted has the item. */
		asked = wsq_ask_rearm(q, dwork, cpu, delay);
		preempt_enable();
		if (asked)
			return true;
		/* It was begun meanwhile. */
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
	/* Whoever deletes the timer has the item in hand. */
	timed = timer_delete(&dwork->timer);
	if (timed) {
		wsq_debug_deactivate(&dwork->work);
		wsq_put_owned(dwork->q, &dwork->work, dwork->cpu);
	}
	preempt_enable();
	/* It may have run already. */
	return wsq_flush_work(&dwork->work) || timed;
}
WSQ_EXPORT(wsq_flush_delayed_work);
