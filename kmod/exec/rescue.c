// SPDX-License-Identifier: GPL-2.0
/*
 * Rescuers: a thread of its own for each queue that memory reclaim may wait
 * for. If the workers of a CPU sleep, perhaps for memory, and there is no memory
 * for a standby worker, the rescuer goes to that CPU and runs what its queue has
 * there, as another worker of the CPU, within the queue's limit.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "item.h"

/**
 * struct wsq_rescuer - a queue's rescuer
 * @w: the thread, a worker without a CPU of its own
 * @q: the queue
 * @cpus: where it is needed. Set by anybody, cleared by the rescuer.
 */
struct wsq_rescuer {
	struct wsq_worker *w;
	struct wsq *q;
	cpumask_var_t cpus;
};

/* Run what the queue has on one CPU. */
static void wsq_rescue_cpu(struct wsq_rescuer *r, unsigned int cpu)
{
	struct wsq_cpu *c = wsq_cpus[cpu];
	struct wsq_container *ct;

	/* Offline, or about to be: others find what is there. */
	if (cpu_dying(cpu) || set_cpus_allowed_ptr(current, cpumask_of(cpu)))
		return;
	WRITE_ONCE(r->w->cpu, cpu);
	/* The queue cannot go: it ends us first. */
	WRITE_ONCE(r->w->serving, r->q);
	do {
		preempt_disable();
		ct = smp_processor_id() == cpu ?
		     wsq_pool_ct(&r->q->pool, cpu) : NULL;
		if (ct && !wsq_rescue_begin(c, r->q, ct))
			ct = NULL;
		preempt_enable();
		if (!ct)
			break;
		wsq_serve(r->w, c, r->q, ct);
		preempt_disable();
		wsq_rescue_end(c, ct);
		preempt_enable();
		cond_resched();
	} while (wsq_ready_test(c, r->q->pool.id) && !kthread_should_stop());
	WRITE_ONCE(r->w->serving, NULL);
}

/**
 * wsq_rescuer_fn() - a rescuer's life
 * @arg: its struct wsq_worker
 *
 * Return: 0.
 */
int wsq_rescuer_fn(void *arg)
{
	struct wsq_worker *w = arg;
	struct wsq_rescuer *r;
	unsigned int cpu;

	set_user_nice(current, MIN_NICE);
	for (;;) {
		set_current_state(TASK_IDLE);		/* RS(sleep:A) */
		if (kthread_should_stop())
			break;
		r = READ_ONCE(w->rescuer);
		if (cpumask_empty(r->cpus)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		for_each_cpu(cpu, r->cpus) {
			cpumask_clear_cpu(cpu, r->cpus);
			wsq_rescue_cpu(r, cpu);
		}
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/**
 * wsq_rescue() - a queue's items on a CPU have nobody to run them
 * @q: the queue; if it has a rescuer, that comes
 * @cpu: the CPU
 *
 * Context: any but NMI, with preemption off.
 */
void wsq_rescue(struct wsq *q, unsigned int cpu)
{
	struct wsq_rescuer *r = READ_ONCE(q->rescuer);

	if (!r)
		return;
	cpumask_set_cpu(cpu, r->cpus);				/* RS(ask:A) */
	/* Set, then look whether it is asleep. */
	smp_mb__after_atomic();					/* RS(ask:B) */
	/* Asleep in an item, it looks again when that is through. */
	if (!READ_ONCE(r->w->cur))
		wake_up_process(r->w->task);
}

/**
 * wsq_rescuer_worker() - a queue's rescuer as a worker, for statistics
 * @q: the queue
 *
 * Context: any, with RCU held for as long as the worker is used.
 * Return: the worker; %NULL if there is none, or none any more.
 */
const struct wsq_worker *wsq_rescuer_worker(const struct wsq *q)
{
	const struct wsq_rescuer *r = READ_ONCE(q->rescuer);

	return r ? r->w : NULL;
}

/**
 * wsq_rescuer_create() - give a queue its rescuer
 * @q: the queue
 *
 * Context: task; may sleep.
 * Return: 0 or a negative errno.
 */
int wsq_rescuer_create(struct wsq *q)
{
	char name[TASK_COMM_LEN];
	struct wsq_rescuer *r;

	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	if (!zalloc_cpumask_var(&r->cpus, GFP_KERNEL)) {
		kfree(r);
		return -ENOMEM;
	}
	r->q = q;
	snprintf(name, sizeof(name), "wsq-R-%u", q->pool.id);
	r->w = wsq_worker_create(cpumask_first(q->pool.cpus), wsq_rescuer_fn,
				 name);
	if (IS_ERR(r->w)) {
		int ret = PTR_ERR(r->w);

		free_cpumask_var(r->cpus);
		kfree(r);
		return ret;
	}
	r->w->rescuer = r;
	q->rescuer = r;
	wake_up_process(r->w->task);
	return 0;
}

/**
 * wsq_rescuer_destroy() - end a queue's rescuer
 * @q: the queue; empty
 *
 * Context: task; may sleep.
 */
void wsq_rescuer_destroy(struct wsq *q)
{
	struct wsq_rescuer *r = q->rescuer;

	if (!r)
		return;
	/* The watchdog looks for it with preemption off. */
	WRITE_ONCE(q->rescuer, NULL);
	synchronize_rcu();
	wsq_worker_end(r->w);
	free_cpumask_var(r->cpus);
	kfree(r);
}
