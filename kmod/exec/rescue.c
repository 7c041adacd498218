// SPDX-License-Identifier: GPL-2.0
/*
 * Rescuers: one thread for each queue that memory reclaim may wait for. If the
 * workers of a CPU sleep, perhaps for memory, and there is no memory for a
 * standby worker, the rescuer goes to that CPU. It runs its queue's items there
 * as another worker of the CPU, within the queue's limit.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "item.h"

/**
 * struct wsq_rescuer - a queue's rescuer
 * @w: the thread, a worker without a CPU of its own
 * @q: the queue
 * @cpus: where it is needed. Set by any context, cleared by the rescuer.
 */
struct wsq_rescuer {
	struct wsq_worker *w;
	struct wsq *q;
	cpumask_var_t cpus;
};

/**
 * struct wsq_rescue_item - the item in which a CPU's worker sleeps
 * @id: the worker's number; 0 if it does not sleep in one
 * @nr_run: the item's number
 */
struct wsq_rescue_item {
	u32 id;
	u64 nr_run;
};

/* While it stays the same, no worker begins what waits there. */
static struct wsq_rescue_item wsq_rescue_item(const struct wsq_cpu *c)
{
	struct wsq_rescue_item item = {};
	const struct wsq_worker *w;

	/* The worker is not freed: this is an RCU read side. */
	preempt_disable();
	w = READ_ONCE(c->worker);
	if (w && READ_ONCE(w->cur) &&
	    READ_ONCE(w->task->__state) != TASK_RUNNING) {
		item.id = w->id;
		item.nr_run = READ_ONCE(w->nr_run);
	}
	preempt_enable();
	return item;
}

/* Does the worker still sleep in that item? */
static bool wsq_rescue_still(const struct wsq_cpu *c,
			     const struct wsq_rescue_item *item)
{
	struct wsq_rescue_item now = wsq_rescue_item(c);

	return now.id && now.id == item->id && now.nr_run == item->nr_run;
}

/*
 * Run a batch of the queue's items on one CPU. Returns true if more wait there,
 * and the CPU's worker has slept in one item all the time. A worker that is
 * awake needs the CPU itself, and a rescuer has a much higher weight.
 */
static bool wsq_rescue_batch(struct wsq_rescuer *r, struct wsq_cpu *c)
{
	struct wsq_rescue_item item = wsq_rescue_item(c);
	struct wsq_lane *lane;

	preempt_disable();
	lane = smp_processor_id() == c->cpu ? wsq_lane(r->q, c->cpu) : NULL;
	if (lane && !wsq_rescue_begin(c, r->q, lane))
		lane = NULL;
	preempt_enable();
	if (!lane)
		return false;
	wsq_serve(r->w, c, r->q, lane);
	preempt_disable();
	/* This starts the watchdog, which asks again if need be. */
	wsq_rescue_end(c, lane);
	preempt_enable();
	cond_resched();
	return wsq_ready_test(c, r->q->id) && wsq_rescue_still(c, &item);
}

/*
 * The CPU is going offline: run an item of it here, as its workers would
 * (wsq_serve_astray()). True if there was one. Once the CPU has no worker, other
 * CPUs take its items.
 */
static bool wsq_rescue_astray(struct wsq_rescuer *r, struct wsq_cpu *c)
{
	unsigned int color = WSQ_NO_COLOR;
	struct wsq_lane *lane;
	void *task = NULL;

	preempt_disable();
	lane = READ_ONCE(c->worker) ? wsq_lane_any(r->q, c->cpu) : NULL;
	if (lane && !wsq_rescue_begin(c, r->q, lane))
		lane = NULL;
	if (lane)
		wsq_lane_steal(lane, NULL, &task, 1, true, true);
	if (task)
		color = wsq_serve_taken(r->w, r->q, lane, task);
	preempt_enable();
	if (task)
		wsq_serve_end(r->w, r->q, color);
	if (lane) {
		preempt_disable();
		wsq_rescue_end(c, lane);
		preempt_enable();
	}
	return task;
}

/* Serve one CPU. True if the rescuer is to come back. */
static bool wsq_rescue_cpu(struct wsq_rescuer *r, unsigned int cpu)
{
	struct wsq_cpu *c = wsq_cpu_of(r->q, cpu);
	bool dying = cpu_dying(cpu), more;

	if (!dying && set_cpus_allowed_ptr(current, cpumask_of(cpu)))
		return false;
	WRITE_ONCE(r->w->cpu, cpu);
	/* The queue is not freed: wsq_destroy() ends the rescuer first. */
	WRITE_ONCE(r->w->serving, r->q);
	more = dying ? wsq_rescue_astray(r, c) : wsq_rescue_batch(r, c);
	/* As in wsq_serve_leave(). */
	smp_store_release(&r->w->serving, NULL);	/* SV(rescue:A) */
	return more;
}

/**
 * wsq_rescuer_fn() - a rescuer's thread function
 * @arg: its struct wsq_worker
 *
 * Return: 0.
 */
int wsq_rescuer_fn(void *arg)
{
	struct wsq_worker *w = arg;
	struct wsq_rescuer *r;
	bool bound = false;
	unsigned int cpu;

	set_user_nice(current, MIN_NICE);
	for (;;) {
		set_current_state(TASK_IDLE);		/* RS(sleep:A) */
		if (kthread_should_stop())
			break;
		r = READ_ONCE(w->rescuer);
		if (cpumask_empty(r->cpus)) {
			if (!bound) {
				schedule();
				continue;
			}
			/* A thread that keeps this CPU must not keep it from others. */
			__set_current_state(TASK_RUNNING);
			set_cpus_allowed_ptr(current, cpu_possible_mask);
			bound = false;
			continue;
		}
		__set_current_state(TASK_RUNNING);
		bound = true;
		/* A batch for each CPU, so that none waits for another's supply. */
		for_each_cpu(cpu, r->cpus) {
			cpumask_clear_cpu(cpu, r->cpus);
			if (wsq_rescue_cpu(r, cpu))
				cpumask_set_cpu(cpu, r->cpus);
		}
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/**
 * wsq_rescue() - send a queue's rescuer, if it has one, to a CPU
 * @q: the queue; it has items there that no worker runs
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
	/* In an item, it looks again when that ends. */
	if (!READ_ONCE(r->w->cur))
		wake_up_process(r->w->task);
}
WSQ_EXPORT_KUNIT(wsq_rescue);

/* Queues that have a rescuer, by number. */
static DECLARE_BITMAP(wsq_rescuable, WSQ_MAX_QUEUES);

/* Queues with a rescuer that an expiry of the watchdog looks at. */
#define WSQ_RESCUE_LOOKS	8

/**
 * wsq_rescue_some() - send rescuers to a CPU on which no worker runs what waits
 * @c: the CPU
 * @from: number of the first queue to look at; set to where to go on
 *
 * Only queues that have a rescuer count: thousands of others may wait there.
 *
 * Context: as wsq_rescue().
 */
void wsq_rescue_some(const struct wsq_cpu *c, u32 *from)
{
	unsigned int looks = WSQ_RESCUE_LOOKS;
	unsigned long id = *from;

	while (looks--) {
		struct wsq_lane *lane;
		struct wsq *q;

		id = find_next_and_bit(c->leaf, wsq_rescuable, WSQ_MAX_QUEUES,
				       id);
		if (id >= WSQ_MAX_QUEUES)
			break;
		q = wsq_queue_at(c, id++);
		lane = q ? wsq_lane_any(q, c->cpu) : NULL;
		if (lane && !wsq_limited(c, q, lane) && wsq_lane_waiting(lane))
			wsq_rescue(q, c->cpu);
	}
	*from = id < WSQ_MAX_QUEUES ? id : 0;
}

/**
 * wsq_rescuer_at() - does a queue's rescuer serve it
 * @q: the queue
 *
 * If so, it looks whether @q is frozen before it begins the next item.
 *
 * Context: task. The queue is not being destroyed.
 * Return: true if so. If not, the caller sees what it did.
 */
bool wsq_rescuer_at(const struct wsq *q)
{
	const struct wsq_rescuer *r = q->rescuer;

	/* SV(left:B) */
	if (!r || smp_load_acquire(&r->w->serving) != q)
		return false;
	wsq_worker_notify(r->w);
	return true;
}

/**
 * wsq_rescuer_worker() - a queue's rescuer as a worker, for statistics
 * @q: the queue
 *
 * Context: any, under RCU while the worker is used.
 * Return: the worker; %NULL if there is none.
 */
const struct wsq_worker *wsq_rescuer_worker(const struct wsq *q)
{
	const struct wsq_rescuer *r = READ_ONCE(q->rescuer);

	return r ? r->w : NULL;
}
WSQ_EXPORT_KUNIT(wsq_rescuer_worker);

/**
 * wsq_rescuer_create() - create a queue's rescuer
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
	snprintf(name, sizeof(name), "wsq-R-%u", q->id);
	r->w = wsq_worker_create(q->class, cpumask_first(q->pool.cpus),
				 wsq_rescuer_fn, name);
	if (IS_ERR(r->w)) {
		int ret = PTR_ERR(r->w);

		free_cpumask_var(r->cpus);
		kfree(r);
		return ret;
	}
	r->w->rescuer = r;
	q->rescuer = r;
	set_bit(q->id, wsq_rescuable);
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
	clear_bit(q->id, wsq_rescuable);
	WRITE_ONCE(q->rescuer, NULL);
	synchronize_rcu();
	wsq_worker_end(r->w);
	free_cpumask_var(r->cpus);
	kfree(r);
}
