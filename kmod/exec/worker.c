// SPDX-License-Identifier: GPL-2.0
/*
 * Workers: one thread for each CPU, started when the first queue that includes
 * the CPU is made, kept until the module goes. It serves all queues that have
 * work on its CPU in turn, steals when there is none, and parks when stealing
 * brings nothing; parked, it costs no time.
 *
 * A worker owns the containers of its CPU only while it runs there, with
 * preemption off. One that lost its CPU to hotplug finishes the item it is at
 * and ends; the item is counted in far_cnt, for it is no longer this CPU's only
 * counter.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "exec.h"

/* All workers, those that lost their CPU included. */
LIST_HEAD(wsq_workers);
WSQ_EXPORT(wsq_workers);

/* Starts and ends one worker at a time; holds the list. */
DEFINE_MUTEX(wsq_workers_lock);
WSQ_EXPORT(wsq_workers_lock);

static enum cpuhp_state wsq_worker_hp;

/* CPUs that some queue includes. wsq_workers_lock. */
static cpumask_var_t wsq_needed;

/* A worker that parks twice within this time gets too many wake-ups. */
#define WSQ_BREATHE_NS		(10 * NSEC_PER_USEC)

/* Is the caller, with preemption off, this CPU's worker? */
static bool wsq_at_home(const struct wsq_worker *w)
{
	return likely(smp_processor_id() == w->cpu && !READ_ONCE(w->gone));
}

/* Run one item. Returns the phase to count it in. */
static unsigned int wsq_run(struct wsq *q, struct wsq_work *work,
			    unsigned int last_phase)
{
	wsq_func_t func = work->func;
	unsigned int phase = work->phase;

	/*
	 * From here on the item may be queued again. Full barrier: a put that
	 * found the item pending is seen by the function, and the count of the
	 * item before is out before @awaited is read below.
	 */
	xchg(&work->state, 0);
	if (phase != last_phase)
		wsq_flush_check(q, last_phase);
	func(work);
	/* The item may be gone. */
	return phase;
}

/* Count an item that has run. Preemption is off. */
static void wsq_account(struct wsq_container *ct, bool home,
			unsigned int phase)
{
	if (likely(home))
		/* [FL1] */
		smp_store_release(&ct->done_cnt[phase],
				  ct->done_cnt[phase] + 1);
	else
		atomic64_fetch_add_release(1, &ct->far_cnt[phase]);
}

/*
 * Run items of one queue, at most a budget. The queue cannot go: @w->serving
 * says we are there.
 */
static void wsq_serve(struct wsq_worker *w, struct wsq_cpu *c, struct wsq *q,
		      struct wsq_container *ct)
{
	unsigned int budget = WSQ_BUDGET;
	unsigned int phase = WSQ_NO_PHASE;
	void *task;
	bool home;

	preempt_disable();
	home = wsq_at_home(w);
	while (budget-- && home) {
		task = wsq_container_get(ct);
		if (!task) {
			wsq_ready_unmark(c, q->id, ct);
			break;
		}
		if (task == WSQ_AGAIN)
			continue;
		/* More behind it: one more worker may be worth its waking. */
		if (budget == WSQ_BUDGET - 1 && wsq_bwos_fifo_shared(&ct->fifo))
			wsq_wake_idle(q, c->cpu);
		preempt_enable();

		phase = wsq_run(q, task, phase);
		cond_resched();

		preempt_disable();
		home = wsq_at_home(w);
		wsq_account(ct, home, phase);
	}
	preempt_enable();

	smp_mb();						/* [FL2] */
	wsq_flush_check(q, phase);
}

/* Serve the next queue that has work here. False if there is none. */
static bool wsq_serve_next(struct wsq_worker *w, struct wsq_cpu *c)
{
	struct wsq_container *ct = NULL;
	struct wsq *q;
	u32 id;

	id = wsq_ready_next(c, c->next);
	if (id == WSQ_MAX_QUEUES) {
		if (unlikely(wsq_ready_any(c)))
			wsq_ready_tidy(c);
		return false;
	}
	c->next = id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0;

	preempt_disable();
	q = wsq_at_home(w) ? xa_load(&wsq_queues, id) : NULL;
	if (q)
		ct = wsq_pool_ct(&q->pool, c->cpu);
	/* Before preemption is on again: against wsq_workers_leave(). */
	if (ct)
		WRITE_ONCE(w->serving, q);
	preempt_enable();
	if (!ct)
		return true;

	wsq_serve(w, c, q, ct);
	/* The queue may go once this is seen. */
	smp_store_release(&w->serving, NULL);
	return true;
}

static void wsq_worker_park(struct wsq_worker *w, struct wsq_cpu *c)
{
	set_current_state(TASK_IDLE);
	wsq_idle_enter(c->cpu);
	wsq_park_announce(&c->park);
	if (!kthread_should_stop() && !READ_ONCE(w->gone) &&
	    !wsq_ready_any(c) && !wsq_steal(c)) {
		WRITE_ONCE(c->parks, c->parks + 1);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	wsq_park_retract(&c->park);
	wsq_idle_leave(c->cpu);
}

/*
 * A worker that is woken for every single item, because it preempts whoever
 * queues them, costs two context switches an item. One that parked less than
 * that time ago lets the others on this CPU go first, without parking, and
 * finds what they have queued meanwhile. Returns true if so; parking comes
 * next.
 */
static bool wsq_worker_breathe(u64 *parked)
{
	u64 now = local_clock();
	bool soon = now - *parked < WSQ_BREATHE_NS;

	/* Once in a row. */
	*parked = soon ? 0 : now;
	if (soon)
		yield();
	return soon;
}

/*
 * Back to where we belong. Hotplug drives a worker out before it tells us, and
 * tells nothing if the CPU stays after all.
 */
static void wsq_worker_return(const struct wsq_worker *w)
{
	set_cpus_allowed_ptr(current, cpumask_of(w->cpu));
	/* Not yet: the CPU is on its way out, or not quite back. */
	if (raw_smp_processor_id() != w->cpu)
		schedule_timeout_idle(1);
}

static int wsq_worker_fn(void *arg)
{
	struct wsq_worker *w = arg;
	struct wsq_cpu *c = wsq_cpus[w->cpu];
	u64 parked = 0;

	while (!kthread_should_stop() && !READ_ONCE(w->gone)) {
		if (unlikely(raw_smp_processor_id() != w->cpu)) {
			wsq_worker_return(w);
			continue;
		}
		if (wsq_serve_next(w, c)) {
			cond_resched_tasks_rcu_qs();
			continue;
		}
		if (wsq_steal(c) || wsq_worker_breathe(&parked))
			continue;
		wsq_worker_park(w, c);
	}
	/* Whoever took us out of office fetches us. */
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* Give an online CPU its worker. wsq_workers_lock is held. */
static int wsq_worker_start(unsigned int cpu)
{
	struct wsq_worker *w;

	if (wsq_cpus[cpu]->worker)
		return 0;
	w = kzalloc_node(sizeof(*w), GFP_KERNEL, cpu_to_node(cpu));
	if (!w)
		return -ENOMEM;
	w->cpu = cpu;
	w->task = kthread_create_on_node(wsq_worker_fn, w, cpu_to_node(cpu),
					 "wsq/%u", cpu);
	if (IS_ERR(w->task)) {
		int ret = PTR_ERR(w->task);

		kfree(w);
		return ret;
	}
	get_task_struct(w->task);
	kthread_bind(w->task, cpu);
	list_add(&w->list, &wsq_workers);
	WRITE_ONCE(wsq_cpus[cpu]->worker, w);
	wake_up_process(w->task);
	return 0;
}

/* End a worker and free it. wsq_workers_lock is held. */
static void wsq_worker_end(struct wsq_worker *w)
{
	kthread_stop(w->task);
	put_task_struct(w->task);
	list_del(&w->list);
	kfree(w);
}

static int wsq_worker_online(unsigned int cpu)
{
	struct wsq_worker *w, *n;
	int ret = 0;

	mutex_lock(&wsq_workers_lock);
	/* One that lost this CPU earlier and is through by now. */
	list_for_each_entry_safe(w, n, &wsq_workers, list) {
		if (w->cpu == cpu && w->gone && !READ_ONCE(w->serving))
			wsq_worker_end(w);
	}
	if (cpumask_test_cpu(cpu, wsq_needed))
		ret = wsq_worker_start(cpu);
	mutex_unlock(&wsq_workers_lock);
	return ret;
}

static int wsq_worker_offline(unsigned int cpu)
{
	struct wsq_cpu *c = wsq_cpus[cpu];
	struct wsq_worker *w;

	mutex_lock(&wsq_workers_lock);
	w = c->worker;
	if (w) {
		WRITE_ONCE(w->gone, true);
		WRITE_ONCE(c->worker, NULL);
		/* Who read it wakes it with preemption off. */
		synchronize_rcu();
		wake_up_process(w->task);
	}
	mutex_unlock(&wsq_workers_lock);
	/* What it leaves waits for thieves, then for foster consumers. */
	preempt_disable();
	if (wsq_ready_any(c))
		wsq_wake_all();
	preempt_enable();
	return 0;
}

/**
 * wsq_queue_orphan() - a CPU died and may have left items behind
 * @pool: the queue's pool
 * @cpu: the CPU
 *
 * Context: task, hotplug callback.
 */
void wsq_queue_orphan(struct wsq_pool *pool, unsigned int cpu)
{
	/* Even if all are busy: each looks around before it parks. */
	preempt_disable();
	wsq_wake_idle(container_of(pool, struct wsq, pool), cpu);
	preempt_enable();
}

/**
 * wsq_workers_need() - have workers on some CPUs
 * @cpus: the CPUs; those that are offline get theirs when they come
 *
 * Context: task; may sleep.
 * Return: 0 or a negative errno.
 */
int wsq_workers_need(const struct cpumask *cpus)
{
	unsigned int cpu;
	int ret = 0;

	cpus_read_lock();
	mutex_lock(&wsq_workers_lock);
	for_each_cpu(cpu, cpus) {
		cpumask_set_cpu(cpu, wsq_needed);
		if (!cpu_online(cpu))
			continue;
		ret = wsq_worker_start(cpu);
		if (ret)
			break;
	}
	mutex_unlock(&wsq_workers_lock);
	cpus_read_unlock();
	return ret;
}

/**
 * wsq_workers_leave() - wait until no worker is at a queue
 * @q: the queue; empty, and no longer to be found
 *
 * Context: task; may sleep.
 */
void wsq_workers_leave(const struct wsq *q)
{
	struct wsq_worker *w;

	mutex_lock(&wsq_workers_lock);
	list_for_each_entry(w, &wsq_workers, list) {
		/* Pairs with the release in wsq_serve_next(). */
		while (smp_load_acquire(&w->serving) == q)
			usleep_range(10, 100);
	}
	mutex_unlock(&wsq_workers_lock);
}

/**
 * wsq_workers_init() - before the first queue
 *
 * Context: module load.
 * Return: 0 or a negative errno.
 */
int wsq_workers_init(void)
{
	int ret;

	if (!zalloc_cpumask_var(&wsq_needed, GFP_KERNEL))
		return -ENOMEM;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "wsq/worker:online",
					wsq_worker_online, wsq_worker_offline);
	if (ret < 0) {
		free_cpumask_var(wsq_needed);
		return ret;
	}
	wsq_worker_hp = ret;
	return 0;
}

/**
 * wsq_workers_exit() - after the last queue
 *
 * Context: module unload.
 */
void wsq_workers_exit(void)
{
	struct wsq_worker *w, *n;
	unsigned int cpu;

	cpuhp_remove_state_nocalls(wsq_worker_hp);
	mutex_lock(&wsq_workers_lock);
	for_each_possible_cpu(cpu)
		WRITE_ONCE(wsq_cpus[cpu]->worker, NULL);
	synchronize_rcu();
	list_for_each_entry_safe(w, n, &wsq_workers, list)
		wsq_worker_end(w);
	mutex_unlock(&wsq_workers_lock);
	free_cpumask_var(wsq_needed);
}
