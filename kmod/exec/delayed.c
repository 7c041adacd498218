// SPDX-License-Identifier: GPL-2.0
/*
 * Delayed items: an item with a timer in front. An item on its timer is
 * pending, and its @where is %WSQ_ON_TIMER.
 *
 * An interrupt cannot spin for the owner of an item, because it may have
 * interrupted that owner. To change the time it leaves a request, the bit
 * %WSQ_REARM. A worker that begins the item (wait.c), or a context that puts it
 * on its timer (wsq_arm()), sees the bit and follows the request. A context
 * that cancels the item, or sets its time anew, drops the request.
 *
 *	context that arms		interrupt that requests
 *	-----------------		-----------------------
 *	interrupts off			try to own the item, fail
 *	RA(arm:A) it is on its timer	RA(ask:A) set REARM (full barrier)
 *	RA(arm:B) smp_mb		it is on its timer? take it off :
 *	REARM? then as requested	done
 *	add_timer()
 *	interrupts on
 *
 * One sees the other. While @where says that an item is on its timer but the
 * timer is not set, the owner has interrupts off. So no interrupt waits for a
 * context that it interrupted.
 *
 *	RA(arm:B) against RA(ask:A): store buffering
 *		litmus/exec-rearm-timer.litmus
 *	RA(ask:A) full -> RA(drop:A) full
 *		A context that drops the request sees its time, queue and CPU.
 *		litmus/exec-rearm.litmus
 */
#include <linux/irqflags.h>
#include <linux/jiffies.h>

#include "../compat/export.h"
#include "../compat/isolation.h"
#include "../compat/timer.h"
#include "item.h"
#include "put.h"

/* Drop a request. Returns the state before. */
static unsigned long wsq_drop_request(struct wsq_work *work)
{
	unsigned long state = READ_ONCE(work->state);

	/* RA(drop:A) */
	while (state & WSQ_REARM &&
	       !try_cmpxchg(&work->state, &state, state & ~WSQ_REARM))
		;
	return state;
}

/* Take a request: set queue and CPU, and return the time. */
static unsigned long wsq_take_request(struct wsq_delayed_work *dwork)
{
	/* Acquire: the request was written before the bit was set. */
	wsq_drop_request(&dwork->work);
	dwork->q = READ_ONCE(dwork->rearm.q);
	dwork->cpu = READ_ONCE(dwork->rearm.cpu);
	return READ_ONCE(dwork->rearm.expires);
}

/* Put an item, owned, on its timer. Preemption is off. */
static void wsq_arm(struct wsq_delayed_work *dwork, unsigned long expires)
{
	struct timer_list *timer = &dwork->timer;
	unsigned long flags;
	int cpu;

	wsq_debug_activate(&dwork->work);
	local_irq_save(flags);
	WRITE_ONCE(dwork->work.link.where, WSQ_ON_TIMER);	/* RA(arm:A) */
	smp_mb();						/* RA(arm:B) */
	if (unlikely(READ_ONCE(dwork->work.state) & WSQ_REARM))
		expires = wsq_take_request(dwork);
	timer->expires = expires;
	cpu = dwork->cpu;
	if (cpu < 0 || !cpu_online(cpu))
		cpu = wsq_timer_cpu();
	if (cpu >= 0)
		add_timer_on(timer, cpu);
	else
		add_timer_global(timer);
	local_irq_restore(flags);
}

/**
 * wsq_unarm() - take an item off its timer
 * @work: the item of a struct wsq_delayed_work, pending
 *
 * Context: any but NMI, with preemption off.
 * Return: true if it was on its timer. The caller owns it then.
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

/* Put an item, owned, on its timer or, if @delay is 0, on its queue. */
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
 * wsq_rearm() - put an item on its timer, as an interrupt has requested
 * @work: the item of a struct wsq_delayed_work, owned
 *
 * Context: any but NMI, with preemption off.
 */
void wsq_rearm(struct wsq_work *work)
{
	struct wsq_delayed_work *dwork = to_wsq_delayed_work(work);

	wsq_arm(dwork, wsq_take_request(dwork));
}

/*
 * Request that the item's owner puts it on its timer. Returns false if no
 * context owns it any more, or if it may be on its timer already: try again. If
 * two interrupts request at the same time, queue, CPU and time may come from
 * different ones.
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
	return wsq_location_kind(READ_ONCE(dwork->work.link.where)) != WSQ_ON_TIMER;
}

/**
 * wsq_queue_delayed_owned() - queue an item after a delay, prepared by its owner
 * @cpu: as for wsq_queue_delayed_work_on()
 * @q: the queue
 * @dwork: the item
 * @delay: jiffies to wait
 * @owned: called if the item was not pending, before it can run; %NULL for none.
 *	The item may be refused all the same
 * @arg: for @owned
 *
 * Context: any but NMI.
 * Return: as wsq_queue_delayed_work_on().
 */
bool wsq_queue_delayed_owned(int cpu, struct wsq *q,
			     struct wsq_delayed_work *dwork, unsigned long delay,
			     void (*owned)(struct wsq_delayed_work *dwork,
					   void *arg), void *arg)
{
	bool ret = false;

	preempt_disable();
	/* RN(delay:A) */
	if (!test_and_set_bit(WSQ_PENDING_BIT, &dwork->work.state)) {
		if (owned)
			owned(dwork, arg);
		ret = wsq_delay(q, dwork, cpu, delay);
	}
	preempt_enable();
	return ret;
}

bool wsq_queue_delayed_work_on(int cpu, struct wsq *q,
			       struct wsq_delayed_work *dwork,
			       unsigned long delay)
{
	return wsq_queue_delayed_owned(cpu, q, dwork, delay, NULL, NULL);
}
WSQ_EXPORT(wsq_queue_delayed_work_on);

bool wsq_mod_delayed_work_on(int cpu, struct wsq *q,
			     struct wsq_delayed_work *dwork,
			     unsigned long delay)
{
	bool was_pending, asked;

	for (;;) {
		if (wsq_grab(&dwork->work, &was_pending)) {
			/* A request that an interrupt left is older. */
			wsq_drop_request(&dwork->work);
			wsq_delay(q, dwork, cpu, delay);
			preempt_enable();
			return was_pending;
		}
		/* The caller may have interrupted the owner. */
		asked = wsq_ask_rearm(q, dwork, cpu, delay);
		preempt_enable();
		if (asked)
			return true;
		/* A worker has begun it, or it is about to be on its timer. */
		cpu_relax();
	}
}
WSQ_EXPORT(wsq_mod_delayed_work_on);

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
