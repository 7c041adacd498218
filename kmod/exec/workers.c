// SPDX-License-Identifier: GPL-2.0
/*
 * The workers' threads: made when the first queue that includes their CPU is,
 * kept until the module or the CPU goes. Each CPU has a current worker and at
 * least one standby worker; standby.c says when they change roles.
 *
 * A worker whose CPU goes offline is marked gone. It ends as soon as the item
 * that it runs does, wherever the scheduler has moved it; maintenance work then
 * frees it.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "item.h"

/* All workers, those that lost their CPU included. */
LIST_HEAD(wsq_workers);
WSQ_EXPORT_KUNIT(wsq_workers);

/* Starts and ends one worker at a time; holds the list. */
DEFINE_MUTEX(wsq_workers_lock);
WSQ_EXPORT_KUNIT(wsq_workers_lock);

/* Workers by number; no worker has 0. */
static DEFINE_XARRAY_ALLOC1(wsq_worker_ids);

static enum cpuhp_state wsq_worker_hp;

/* CPUs that some queue includes. wsq_workers_lock. */
static cpumask_var_t wsq_needed;

/**
 * wsq_worker_find() - a worker by its number
 * @id: the number
 *
 * Context: any, with preemption off or RCU held for as long as the worker is
 * used.
 * Return: the worker, %NULL if there is none any more.
 */
struct wsq_worker *wsq_worker_find(u32 id)
{
	return id ? xa_load(&wsq_worker_ids, id) : NULL;
}

/**
 * wsq_worker_create() - make a worker, not running yet
 * @cpu: its CPU
 * @fn: its life; the worker is its argument
 * @name: its name
 *
 * Context: task; may sleep.
 * Return: the worker or ERR_PTR().
 */
struct wsq_worker *wsq_worker_create(unsigned int cpu, int (*fn)(void *arg),
				     const char *name)
{
	struct wsq_worker *w;
	int ret;

	w = kzalloc_node(sizeof(*w), GFP_KERNEL, cpu_to_node(cpu));
	if (!w)
		return ERR_PTR(-ENOMEM);
	w->cpu = cpu;
	raw_spin_lock_init(&w->lock);
	INIT_LIST_HEAD(&w->waiters);
	INIT_LIST_HEAD(&w->deferred);
	INIT_LIST_HEAD(&w->list);
	ret = wsq_standby_worker_init(w);
	if (ret)
		goto free;
	ret = xa_alloc(&wsq_worker_ids, &w->id, w, xa_limit_31b, GFP_KERNEL);
	if (ret)
		goto free;
	w->task = kthread_create_on_node(fn, w, cpu_to_node(cpu), "%s", name);
	if (IS_ERR(w->task)) {
		ret = PTR_ERR(w->task);
		goto erase;
	}
	get_task_struct(w->task);
	return w;
erase:
	xa_erase(&wsq_worker_ids, w->id);
free:
	wsq_standby_worker_exit(w);
	kfree(w);
	return ERR_PTR(ret);
}

/**
 * wsq_worker_end() - end a worker and free it
 * @w: the worker; not current, in no list
 *
 * Context: task; may sleep until the item that it runs ends.
 */
void wsq_worker_end(struct wsq_worker *w)
{
	kthread_stop(w->task);
	wsq_standby_worker_exit(w);
	put_task_struct(w->task);
	xa_erase(&wsq_worker_ids, w->id);
	/* A context that found it by its number may still look. */
	kfree_rcu(w, rcu);
}

/**
 * wsq_worker_new() - make a worker for an online CPU, not running yet
 * @cpu: the CPU
 *
 * Context: task; may sleep; wsq_workers_lock is held.
 * Return: the worker or ERR_PTR().
 */
struct wsq_worker *wsq_worker_new(unsigned int cpu)
{
	struct wsq_worker *w;
	char name[TASK_COMM_LEN];

	lockdep_assert_held(&wsq_workers_lock);
	snprintf(name, sizeof(name), "wsq/%u", cpu);
	w = wsq_worker_create(cpu, wsq_worker_fn, name);
	if (IS_ERR(w))
		return w;
	kthread_bind(w->task, cpu);
	list_add(&w->list, &wsq_workers);
	WRITE_ONCE(wsq_cpus[cpu]->nr_workers, wsq_cpus[cpu]->nr_workers + 1);
	return w;
}

/**
 * wsq_worker_dismiss() - take a worker that is to end out of the list
 * @w: the worker; wsq_worker_end() follows
 *
 * Context: task; wsq_workers_lock is held.
 */
void wsq_worker_dismiss(struct wsq_worker *w)
{
	lockdep_assert_held(&wsq_workers_lock);
	if (!w->gone)
		WRITE_ONCE(wsq_cpus[w->cpu]->nr_workers,
			   wsq_cpus[w->cpu]->nr_workers - 1);
	list_del(&w->list);
}

/* End workers that were taken out of the list, by @list. */
static void wsq_workers_end(struct list_head *over)
{
	struct wsq_worker *w, *n;

	list_for_each_entry_safe(w, n, over, list)
		wsq_worker_end(w);
}

/*
 * Workers that lost their CPU and have ended the item that they ran.
 */
static void wsq_workers_reap(struct work_struct *work)
{
	struct wsq_worker *w, *n;
	LIST_HEAD(over);

	mutex_lock(&wsq_workers_lock);
	list_for_each_entry_safe(w, n, &wsq_workers, list) {
		if (!w->gone || READ_ONCE(w->serving))
			continue;
		wsq_worker_dismiss(w);
		list_add(&w->list, &over);
	}
	mutex_unlock(&wsq_workers_lock);
	wsq_workers_end(&over);
}

static DECLARE_WORK(wsq_reap_work, wsq_workers_reap);

/**
 * wsq_worker_gone() - a worker that lost its CPU is at its end
 * @w: the worker
 *
 * Context: @w itself.
 */
void wsq_worker_gone(const struct wsq_worker *w)
{
	if (READ_ONCE(w->gone))
		queue_work(wsq_housekeeping, &wsq_reap_work);
}

/* Give an online CPU its worker. wsq_workers_lock is held. */
static int wsq_worker_start(unsigned int cpu)
{
	struct wsq_cpu *c = wsq_cpus[cpu];
	struct wsq_worker *w;

	if (c->worker)
		return 0;
	w = wsq_worker_new(cpu);
	if (IS_ERR(w))
		return PTR_ERR(w);
	raw_spin_lock_irq(&c->role_lock);
	WRITE_ONCE(c->worker, w);
	raw_spin_unlock_irq(&c->role_lock);
	wake_up_process(w->task);
	/* For the first item that sleeps. */
	wsq_standby_have(c);
	return 0;
}

/**
 * wsq_workers_thin() - end standby workers that are idle
 *
 * Context: task; may sleep.
 * Return: true if there may be more.
 */
bool wsq_workers_thin(void)
{
	LIST_HEAD(over);
	bool more = false;
	unsigned int cpu;

	mutex_lock(&wsq_workers_lock);
	for_each_possible_cpu(cpu)
		more |= wsq_standby_thin(wsq_cpus[cpu], &over);
	mutex_unlock(&wsq_workers_lock);
	/* Without the lock: they may be kept off their CPUs for long. */
	wsq_workers_end(&over);
	return more;
}

/* Move what orphans have to CPUs that are back, where workers are watched. */
static void wsq_workers_adopt(struct work_struct *work)
{
	struct wsq *q;
	unsigned long id;
	unsigned int cpu;

	mutex_lock(&wsq_queues_lock);
	xa_for_each(&wsq_queues, id, q) {
		for_each_possible_cpu(cpu) {
			struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);

			if (ct && atomic_read(&ct->orphan) != WSQ_OWNED)
				wsq_queue_orphan(&q->pool, cpu);
		}
		cond_resched();
	}
	mutex_unlock(&wsq_queues_lock);
}

static DECLARE_WORK(wsq_adopt_work, wsq_workers_adopt);

/*
 * Queues may have items here that were left while the CPU had no part in them, and
 * without their ready bits: wsq_serve_drop().
 */
static void wsq_worker_inherit(struct wsq_cpu *c)
{
	unsigned long id;
	struct wsq *q;

	preempt_disable();
	xa_for_each(&wsq_queues, id, q) {
		if (wsq_pool_ct(&q->pool, c->cpu))
			wsq_ready_mark(c, id);
	}
	if (wsq_ready_any(c))
		wsq_watch_start(c);
	preempt_enable();
}

static int wsq_worker_online(unsigned int cpu)
{
	int ret = 0;

	mutex_lock(&wsq_workers_lock);
	if (cpumask_test_cpu(cpu, wsq_needed))
		ret = wsq_worker_start(cpu);
	mutex_unlock(&wsq_workers_lock);
	if (!ret)
		wsq_worker_inherit(wsq_cpus[cpu]);
	/* It may be the first of a queue's CPUs that is. */
	if (!ret)
		queue_work(wsq_housekeeping, &wsq_adopt_work);
	return ret;
}

static int wsq_worker_offline(unsigned int cpu)
{
	struct wsq_cpu *c = wsq_cpus[cpu];
	struct wsq_worker *w;

	mutex_lock(&wsq_workers_lock);
	raw_spin_lock_irq(&c->role_lock);
	wsq_standby_offline(c);
	list_for_each_entry(w, &wsq_workers, list) {
		if (w->cpu != cpu)
			continue;
		WRITE_ONCE(w->gone, true);
		/* One that has not run yet does not take itself out. */
		list_del_init(&w->standby);
	}
	WRITE_ONCE(c->nr_standby, 0);
	c->wanted = false;
	raw_spin_unlock_irq(&c->role_lock);
	WRITE_ONCE(c->nr_workers, 0);
	/*
	 * A context that read c->worker wakes it with preemption off. And the
	 * worker may have been about to announce that it parks.
	 */
	synchronize_rcu();
	raw_spin_lock_irq(&c->role_lock);
	wsq_idle_leave(c);
	raw_spin_unlock_irq(&c->role_lock);
	/* The new worker, which should do this, may not run any more. */
	wsq_standby_loosen(c);
	/* One that is in an item, asleep perhaps, finds out by itself. */
	list_for_each_entry(w, &wsq_workers, list) {
		if (w->cpu == cpu && !READ_ONCE(w->cur))
			wake_up_process(w->task);
	}
	mutex_unlock(&wsq_workers_lock);
	/* Workers that never ran do not call wsq_worker_gone(). */
	queue_work(wsq_housekeeping, &wsq_reap_work);
	/* What they leave waits for thieves, then for foster consumers. */
	preempt_disable();
	if (wsq_ready_any(c))
		wsq_wake_all(NULL, c);
	/* The worker may have been woken to steal. */
	wsq_seek_end(c);
	preempt_enable();
	return 0;
}

/**
 * wsq_queue_orphan() - a CPU that is offline may have left items behind
 * @pool: the queue's pool
 * @cpu: the CPU
 *
 * Context: task; may sleep. The queue cannot go.
 */
void wsq_queue_orphan(struct wsq_pool *pool, unsigned int cpu)
{
	/* To where workers are watched. */
	wsq_evacuate(wsq_of_pool(pool), cpu);
}

/**
 * wsq_workers_need() - have workers on some CPUs
 * @cpus: the CPUs; those that are offline get theirs when they come
 *
 * Context: task; may sleep; CPU hotplug lock held.
 * Return: 0 or a negative errno.
 */
int wsq_workers_need(const struct cpumask *cpus)
{
	unsigned int cpu;
	int ret = 0;

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
	return ret;
}

/* Is any worker at a queue? If not, what it did there is seen. */
static bool wsq_workers_at(const struct wsq *q)
{
	struct wsq_worker *w;
	bool at = false;

	mutex_lock(&wsq_workers_lock);
	list_for_each_entry(w, &wsq_workers, list) {
		/* Pairs with the release in wsq_serve_next(). */
		at = smp_load_acquire(&w->serving) == q;	/* SV(left:A) */
		if (at)
			break;
	}
	mutex_unlock(&wsq_workers_lock);
	return at;
}

/**
 * wsq_workers_leave() - wait until no worker is at a queue
 * @q: the queue; empty, and no longer to be found
 *
 * The lock is not held while waiting, so that a worker that is kept off its CPU
 * keeps no queue from being made.
 *
 * Context: task; may sleep.
 */
void wsq_workers_leave(const struct wsq *q)
{
	while (wsq_workers_at(q))
		usleep_range(20, 200);
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
	wsq_sleep_notifiers_get();
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "wsq/worker:online",
					wsq_worker_online, wsq_worker_offline);
	if (ret < 0) {
		wsq_sleep_notifiers_put();
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
	LIST_HEAD(over);
	unsigned int cpu;

	cpuhp_remove_state_nocalls(wsq_worker_hp);
	cancel_work_sync(&wsq_adopt_work);
	mutex_lock(&wsq_workers_lock);
	for_each_possible_cpu(cpu) {
		struct wsq_cpu *c = wsq_cpus[cpu];

		raw_spin_lock_irq(&c->role_lock);
		WRITE_ONCE(c->worker, NULL);
		/*
		 * A worker that never ran does not take itself out of the list,
		 * and maintenance work must not find one that was freed.
		 */
		list_for_each_entry_safe(w, n, &c->standby, standby)
			list_del_init(&w->standby);
		WRITE_ONCE(c->nr_standby, 0);
		raw_spin_unlock_irq(&c->role_lock);
	}
	mutex_unlock(&wsq_workers_lock);
	/* A context that saw a current worker is through, timers included. */
	synchronize_rcu();
	for_each_possible_cpu(cpu) {
		wsq_standby_loosen(wsq_cpus[cpu]);
		cancel_delayed_work_sync(&wsq_cpus[cpu]->spawn);
	}
	/* No more workers are made. */
	mutex_lock(&wsq_workers_lock);
	list_for_each_entry_safe(w, n, &wsq_workers, list) {
		wsq_worker_dismiss(w);
		list_add(&w->list, &over);
	}
	mutex_unlock(&wsq_workers_lock);
	cancel_work_sync(&wsq_reap_work);
	wsq_workers_end(&over);
	/* Last: a worker may ask for housekeeping on its way out. */
	wsq_memory_exit();
	wsq_sleep_notifiers_put();
	xa_destroy(&wsq_worker_ids);
	free_cpumask_var(wsq_needed);
}
