// SPDX-License-Identifier: GPL-2.0
/*
 * Who is a CPU's worker. One thread for each CPU, started when the first queue
 * that includes the CPU is made, kept until the module goes or the CPU does.
 *
 * When the worker in office sleeps in an item while others wait behind it, the
 * watch gives its office to a spare worker of the same CPU; if there is none,
 * one is made, in task context. The old one, once it is through, becomes a
 * spare itself. Spares that are idle go after a while (memory.c). So a CPU has
 * one thread more than it has items that sleep at a time.
 *
 * The office changes hands only while its holder is inside an item. It learns
 * of that before it does anything else in that office (item.h, RN(leave:B)).
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "item.h"

/* Workers of one CPU. */
#define WSQ_MAX_WORKERS		64

/* All workers, those that lost their CPU included. */
LIST_HEAD(wsq_workers);
WSQ_EXPORT_KUNIT(wsq_workers);

/* Starts and ends one worker at a time; holds the list. */
DEFINE_MUTEX(wsq_workers_lock);
WSQ_EXPORT_KUNIT(wsq_workers_lock);

/* Workers by number; 0 is nobody. */
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
	INIT_LIST_HEAD(&w->spare);
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
	kfree(w);
	return ERR_PTR(ret);
}

/**
 * wsq_worker_end() - end a worker and free it
 * @w: the worker; out of office, in nobody's list
 *
 * Context: task; may sleep until the item that it runs is through.
 */
void wsq_worker_end(struct wsq_worker *w)
{
	kthread_stop(w->task);
	put_task_struct(w->task);
	xa_erase(&wsq_worker_ids, w->id);
	/* Who found it by its number may still look. */
	kfree_rcu(w, rcu);
}

/* Make a worker for an online CPU. wsq_workers_lock is held. */
static struct wsq_worker *wsq_worker_hire(unsigned int cpu)
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
	wsq_cpus[cpu]->nr_workers++;
	return w;
}

/* A worker is to end: nobody finds it by the list any more. */
static void wsq_worker_dismiss(struct wsq_worker *w)
{
	lockdep_assert_held(&wsq_workers_lock);
	if (!w->gone)
		wsq_cpus[w->cpu]->nr_workers--;
	list_del(&w->list);
}

static void wsq_worker_fire(struct wsq_worker *w)
{
	wsq_worker_dismiss(w);
	wsq_worker_end(w);
}

/* Give an online CPU its worker. wsq_workers_lock is held. */
static int wsq_worker_start(unsigned int cpu)
{
	struct wsq_cpu *c = wsq_cpus[cpu];
	struct wsq_worker *w;

	if (c->worker)
		return 0;
	w = wsq_worker_hire(cpu);
	if (IS_ERR(w))
		return PTR_ERR(w);
	raw_spin_lock_irq(&c->role_lock);
	WRITE_ONCE(c->worker, w);
	raw_spin_unlock_irq(&c->role_lock);
	wake_up_process(w->task);
	wsq_watch_start(c);
	return 0;
}

/* Make a spare worker. */
static void wsq_office_spawn(struct work_struct *work)
{
	struct wsq_cpu *c = container_of(work, struct wsq_cpu, spawn);
	struct wsq_worker *w;

	/*
	 * Not under the lock of hotplug: who takes a CPU down may wait for an item
	 * that is behind one that waits for that lock. While there is a worker in
	 * office, what takes it out is still to come, and to wait for our lock.
	 */
	mutex_lock(&wsq_workers_lock);
	if (c->worker && !READ_ONCE(c->nr_spares) &&
	    c->nr_workers < WSQ_MAX_WORKERS) {
		w = wsq_worker_hire(c->cpu);
		if (!IS_ERR(w)) {
			/* At once, lest the watch ask for more until it runs. */
			raw_spin_lock_irq(&c->role_lock);
			w->displaced = true;
			list_add(&w->spare, &c->spares);
			WRITE_ONCE(c->nr_spares, c->nr_spares + 1);
			raw_spin_unlock_irq(&c->role_lock);
			wake_up_process(w->task);
		}
	}
	mutex_unlock(&wsq_workers_lock);
	/* It shall go again when it was idle for a while. */
	wsq_memory_later();
}

/**
 * wsq_office_init() - before a CPU has a worker
 * @c: the CPU
 */
void wsq_office_init(struct wsq_cpu *c)
{
	raw_spin_lock_init(&c->role_lock);
	INIT_LIST_HEAD(&c->spares);
	INIT_WORK(&c->spawn, wsq_office_spawn);
}

/**
 * wsq_office_wait() - out of office: wait for one
 * @w: the worker
 *
 * Context: @w itself. Returns when it is in office, or to end.
 */
void wsq_office_wait(struct wsq_worker *w)
{
	struct wsq_cpu *c = wsq_cpus[w->cpu];

	raw_spin_lock_irq(&c->role_lock);
	if (w->displaced && !w->gone && !w->ending && list_empty(&w->spare)) {
		list_add(&w->spare, &c->spares);
		WRITE_ONCE(c->nr_spares, c->nr_spares + 1);
	}
	raw_spin_unlock_irq(&c->role_lock);
	for (;;) {
		set_current_state(TASK_IDLE);
		if (!READ_ONCE(w->displaced) || READ_ONCE(w->gone) ||
		    kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	raw_spin_lock_irq(&c->role_lock);
	if (!list_empty(&w->spare)) {
		list_del_init(&w->spare);
		WRITE_ONCE(c->nr_spares, c->nr_spares - 1);
	}
	raw_spin_unlock_irq(&c->role_lock);
}

/**
 * wsq_office_hand_over() - give the office to a spare worker
 * @c: the CPU
 * @w: its worker, seen asleep in an item
 * @seen: the number of that item
 *
 * Context: hardirq, or interrupts off.
 * Return: true if a stand-in is at work; false if there is none yet, or none is
 * needed any more.
 */
bool wsq_office_hand_over(struct wsq_cpu *c, struct wsq_worker *w, u64 seen)
{
	struct wsq_worker *s;
	bool ok = false;

	raw_spin_lock(&c->role_lock);
	s = list_first_entry_or_null(&c->spares, struct wsq_worker, spare);
	if (s && c->worker == w) {
		raw_spin_lock(&w->lock);
		WRITE_ONCE(w->attention, true);
		smp_mb();				/* RN(hand:B) */
		ok = READ_ONCE(w->cur) && READ_ONCE(w->nr_run) == seen;
		if (ok) {
			WRITE_ONCE(w->displaced, true);
			WRITE_ONCE(s->displaced, false);
			list_del_init(&s->spare);
			WRITE_ONCE(c->nr_spares, c->nr_spares - 1);
			WRITE_ONCE(c->worker, s);
			WRITE_ONCE(c->standins, c->standins + 1);
		}
		raw_spin_unlock(&w->lock);
	}
	raw_spin_unlock(&c->role_lock);
	if (ok)
		wake_up_process(s->task);
	else if (!s)
		/* There: it has time, while here may be one who computes. */
		schedule_work_on(c->cpu, &c->spawn);
	return ok;
}

/**
 * wsq_workers_thin() - end spare workers that are idle
 *
 * Context: task; may sleep.
 * Return: true if there may be more.
 */
bool wsq_workers_thin(void)
{
	struct wsq_worker *w, *n;
	LIST_HEAD(over);
	bool more = false;
	unsigned int cpu;

	mutex_lock(&wsq_workers_lock);
	for_each_possible_cpu(cpu) {
		struct wsq_cpu *c = wsq_cpus[cpu];

		raw_spin_lock_irq(&c->role_lock);
		w = list_first_entry_or_null(&c->spares, struct wsq_worker,
					     spare);
		if (w) {
			list_del_init(&w->spare);
			WRITE_ONCE(c->nr_spares, c->nr_spares - 1);
			/* If it has not run yet, it would enter itself. */
			w->ending = true;
		}
		raw_spin_unlock_irq(&c->role_lock);
		if (w) {
			wsq_worker_dismiss(w);
			list_add(&w->list, &over);
		}
		more |= c->nr_workers > 1;
	}
	mutex_unlock(&wsq_workers_lock);
	/* Without the lock: somebody may keep them off their CPUs for long. */
	list_for_each_entry_safe(w, n, &over, list)
		wsq_worker_end(w);
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
	preempt_enable();
}

static int wsq_worker_online(unsigned int cpu)
{
	struct wsq_worker *w, *n;
	int ret = 0;

	mutex_lock(&wsq_workers_lock);
	/* Those that lost this CPU earlier and are through by now. */
	list_for_each_entry_safe(w, n, &wsq_workers, list) {
		if (w->cpu == cpu && w->gone && !READ_ONCE(w->serving))
			wsq_worker_fire(w);
	}
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
	WRITE_ONCE(c->worker, NULL);
	list_for_each_entry(w, &wsq_workers, list) {
		if (w->cpu != cpu)
			continue;
		WRITE_ONCE(w->gone, true);
		/* One that has not run yet does not take itself out. */
		list_del_init(&w->spare);
	}
	WRITE_ONCE(c->nr_spares, 0);
	raw_spin_unlock_irq(&c->role_lock);
	c->nr_workers = 0;
	/* Who read c->worker wakes it with preemption off. */
	synchronize_rcu();
	/* Who is in an item, asleep perhaps, finds out by himself. */
	list_for_each_entry(w, &wsq_workers, list) {
		if (w->cpu == cpu && !READ_ONCE(w->cur))
			wake_up_process(w->task);
	}
	mutex_unlock(&wsq_workers_lock);
	/* What they leave waits for thieves, then for foster consumers. */
	preempt_disable();
	if (wsq_ready_any(c))
		wsq_wake_all();
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
		while (smp_load_acquire(&w->serving) == q)	/* SV(left:A) */
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
	cancel_work_sync(&wsq_adopt_work);
	mutex_lock(&wsq_workers_lock);
	for_each_possible_cpu(cpu) {
		struct wsq_cpu *c = wsq_cpus[cpu];

		raw_spin_lock_irq(&c->role_lock);
		WRITE_ONCE(c->worker, NULL);
		/*
		 * One that never ran does not take itself out, and housekeeping
		 * must not find what is gone.
		 */
		list_for_each_entry_safe(w, n, &c->spares, spare)
			list_del_init(&w->spare);
		WRITE_ONCE(c->nr_spares, 0);
		raw_spin_unlock_irq(&c->role_lock);
	}
	mutex_unlock(&wsq_workers_lock);
	/* Who saw them in office is through, the watch included. */
	synchronize_rcu();
	for_each_possible_cpu(cpu)
		cancel_work_sync(&wsq_cpus[cpu]->spawn);
	/* Nobody makes spare workers any more. */
	mutex_lock(&wsq_workers_lock);
	list_for_each_entry_safe(w, n, &wsq_workers, list)
		wsq_worker_fire(w);
	mutex_unlock(&wsq_workers_lock);
	/* Last: a worker may ask for housekeeping on its way out. */
	wsq_memory_exit();
	xa_destroy(&wsq_worker_ids);
	free_cpumask_var(wsq_needed);
}
