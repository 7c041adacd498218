// SPDX-License-Identifier: GPL-2.0
/*
 * The workers' threads. A CPU's workers are made with the first queue that
 * includes the CPU, and kept until the CPU goes offline or the module is
 * unloaded. Each CPU has a current worker and at least one standby worker;
 * standby.c says when they change roles.
 *
 * A worker whose CPU goes offline is marked gone. It ends as soon as its item
 * does, on whichever CPU that runs. Maintenance work then frees it.
 *
 * Threads are made, ended and waited for without wsq_workers_lock: that may
 * take long, and the creation of a queue and CPU hotplug must not wait for it.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "item.h"

/* All workers, including those that lost their CPU. */
LIST_HEAD(wsq_workers);
WSQ_EXPORT_KUNIT(wsq_workers);

/* Protects the list, and which workers a CPU has. */
DEFINE_MUTEX(wsq_workers_lock);
WSQ_EXPORT_KUNIT(wsq_workers_lock);

/* Workers by number. No worker has number 0. */
static DEFINE_XARRAY_ALLOC1(wsq_worker_ids);

static enum cpuhp_state wsq_worker_hp;

/**
 * wsq_worker_find() - find a worker by its number
 * @id: the number
 *
 * Context: any, with preemption off or RCU held for as long as the worker is
 * used.
 * Return: the worker, %NULL if it no longer exists.
 */
struct wsq_worker *wsq_worker_find(u32 id)
{
	return id ? xa_load(&wsq_worker_ids, id) : NULL;
}

/**
 * wsq_worker_create() - make a worker, not running yet
 * @class: its class
 * @cpu: its CPU
 * @fn: its thread function, called with the worker
 * @name: its name
 *
 * Context: task; may sleep for long, without wsq_workers_lock.
 * Return: the worker or ERR_PTR().
 */
struct wsq_worker *wsq_worker_create(struct wsq_class *class, unsigned int cpu,
				     int (*fn)(void *arg), const char *name)
{
	struct wsq_worker *w;
	int ret;

	lockdep_assert_not_held(&wsq_workers_lock);
	w = kzalloc_node(sizeof(*w), GFP_KERNEL, cpu_to_node(cpu));
	if (!w)
		return ERR_PTR(-ENOMEM);
	w->cpu = cpu;
	w->class = class;
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
 * Context: task; may sleep until the worker's item ends, without
 * wsq_workers_lock.
 */
void wsq_worker_end(struct wsq_worker *w)
{
	lockdep_assert_not_held(&wsq_workers_lock);
	kthread_stop(w->task);
	wsq_standby_worker_exit(w);
	put_task_struct(w->task);
	xa_erase(&wsq_worker_ids, w->id);
	/* A context that found it by its number may still look. */
	kfree_rcu(w, rcu);
}

/**
 * wsq_worker_new() - make a worker for a CPU, not running yet
 * @c: the CPU, and the class
 *
 * The CPU may go offline meanwhile, and get other workers. The caller looks
 * whether it needs this one, and then calls wsq_worker_add() or
 * wsq_worker_end().
 *
 * Context: as wsq_worker_create().
 * Return: the worker or ERR_PTR().
 */
struct wsq_worker *wsq_worker_new(struct wsq_cpu *c)
{
	struct wsq_worker *w;
	char name[TASK_COMM_LEN];

	snprintf(name, sizeof(name), "wsq/%u%s", c->cpu, c->class->suffix);
	w = wsq_worker_create(c->class, c->cpu, wsq_worker_fn, name);
	if (IS_ERR(w))
		return w;
	kthread_bind(w->task, c->cpu);
	set_user_nice(w->task, c->class->nice);
	return w;
}

/**
 * wsq_worker_add() - start a worker
 * @c: its CPU: the worker is the current one if the CPU has none, otherwise a
 *	standby worker
 * @w: the worker, of wsq_worker_new()
 *
 * Context: task; wsq_workers_lock is held.
 */
void wsq_worker_add(struct wsq_cpu *c, struct wsq_worker *w)
{
	lockdep_assert_held(&wsq_workers_lock);
	list_add(&w->list, &wsq_workers);
	WRITE_ONCE(c->nr_workers, c->nr_workers + 1);
	raw_spin_lock_irq(&c->role_lock);
	if (c->worker) {
		/* List it before it runs, so that no other one is made. */
		w->replaced = true;
		list_add(&w->standby, &c->standby);
		WRITE_ONCE(c->nr_standby, c->nr_standby + 1);
	} else {
		WRITE_ONCE(c->worker, w);
	}
	raw_spin_unlock_irq(&c->role_lock);
	wake_up_process(w->task);
}

/**
 * wsq_worker_dismiss() - remove a worker that is to end from the list
 * @w: the worker; wsq_worker_end() follows
 *
 * Context: task; wsq_workers_lock is held.
 */
void wsq_worker_dismiss(struct wsq_worker *w)
{
	struct wsq_cpu *c = wsq_worker_cpu(w);

	lockdep_assert_held(&wsq_workers_lock);
	if (!w->gone)
		WRITE_ONCE(c->nr_workers, c->nr_workers - 1);
	list_del(&w->list);
}

/* End the workers in @over, after wsq_worker_dismiss(). */
static void wsq_workers_end(struct list_head *over)
{
	struct wsq_worker *w, *n;

	list_for_each_entry_safe(w, n, over, list)
		wsq_worker_end(w);
}

/* End the workers that lost their CPU and have left their queue. */
static void wsq_workers_reap(struct work_struct *work)
{
	struct wsq_worker *w, *n;
	LIST_HEAD(over);

	mutex_lock(&wsq_workers_lock);
	list_for_each_entry_safe(w, n, &wsq_workers, list) {
		if (!w->gone || wsq_worker_cpu(w)->losing ||
		    READ_ONCE(w->serving))
			continue;
		wsq_worker_dismiss(w);
		list_add(&w->list, &over);
	}
	mutex_unlock(&wsq_workers_lock);
	wsq_workers_end(&over);
}

static DECLARE_WORK(wsq_reap_work, wsq_workers_reap);

/**
 * wsq_worker_gone() - a worker ends: if it lost its CPU, have it freed
 * @w: the worker
 *
 * Context: @w itself.
 */
void wsq_worker_gone(const struct wsq_worker *w)
{
	if (READ_ONCE(w->gone))
		queue_work(wsq_maintenance, &wsq_reap_work);
}

/*
 * Held over the creation of current workers, by contexts that hold the CPU
 * hotplug lock: none waits for it that would not wait for that lock.
 */
static DEFINE_MUTEX(wsq_start_lock);

/* Start an online CPU's current worker. CPU hotplug lock held. */
static int wsq_worker_start(struct wsq_cpu *c)
{
	struct wsq_worker *w;
	int ret = 0;

	if (READ_ONCE(c->worker))
		return 0;
	/* One thread for the CPU, however many queues are being created. */
	mutex_lock(&wsq_start_lock);
	if (READ_ONCE(c->worker))
		goto unlock;
	w = wsq_worker_new(c);
	if (IS_ERR(w)) {
		ret = PTR_ERR(w);
		goto unlock;
	}
	mutex_lock(&wsq_workers_lock);
	wsq_worker_add(c, w);
	mutex_unlock(&wsq_workers_lock);
	/* For the first item that sleeps. */
	wsq_standby_have(c);
unlock:
	mutex_unlock(&wsq_start_lock);
	return ret;
}

/**
 * wsq_workers_shrink() - end standby workers that are idle
 *
 * Context: task; may sleep.
 * Return: true if there may be more.
 */
bool wsq_workers_shrink(void)
{
	LIST_HEAD(over);
	bool more = false;
	unsigned int cpu;
	u32 nr;

	mutex_lock(&wsq_workers_lock);
	for (nr = 0; nr < WSQ_CLASSES; nr++) {
		struct wsq_class *class = wsq_class_find(nr);

		for_each_possible_cpu(cpu) {
			if (class)
				more |= wsq_standby_shrink(class->cpus[cpu],
							   &over);
		}
	}
	mutex_unlock(&wsq_workers_lock);
	/* Without the lock: they may be kept off their CPUs for long. */
	wsq_workers_end(&over);
	return more;
}

/* When maintenance work looks again at dead CPUs, and restores queues' CPUs. */
#define WSQ_ADOPT_JIFFIES	(HZ / 10)

static void wsq_workers_adopt(struct work_struct *work);
static DECLARE_DELAYED_WORK(wsq_adopt_work, wsq_workers_adopt);

/* Move items of dead CPUs' queues to online CPUs, where a watchdog runs. */
static void wsq_workers_adopt(struct work_struct *work)
{
	struct wsq *q;
	unsigned long id;
	unsigned int cpu;

	mutex_lock(&wsq_queues_lock);
	xa_for_each(&wsq_queues, id, q) {
		for_each_possible_cpu(cpu) {
			struct wsq_lane *lane = wsq_lane_any(q, cpu);

			if (lane && atomic_read(&lane->ct.ownership) != WSQ_OWNED)
				wsq_evacuate(q, cpu);
		}
		cond_resched();
	}
	mutex_unlock(&wsq_queues_lock);
	if (wsq_cpumask_online())
		queue_delayed_work(wsq_maintenance, &wsq_adopt_work,
				   WSQ_ADOPT_JIFFIES);
}

/*
 * Queues may have items here without ready bits, left from when the CPU was no
 * member: wsq_serve_drop().
 */
static void wsq_worker_inherit(struct wsq_cpu *c)
{
	unsigned long id;
	struct wsq *q;

	preempt_disable();
	xa_for_each(&wsq_queues, id, q) {
		if (q->class == c->class && wsq_lane(q, c->cpu))
			wsq_ready_mark(c, id);
	}
	if (wsq_ready_any(c))
		wsq_watchdog_start(c);
	preempt_enable();
}

/* The workers of one class lose a CPU. */
static void wsq_worker_lose(struct wsq_cpu *c)
{
	struct wsq_worker *w;

	mutex_lock(&wsq_workers_lock);
	raw_spin_lock_irq(&c->role_lock);
	wsq_standby_offline(c);
	list_for_each_entry(w, &wsq_workers, list) {
		if (wsq_worker_cpu(w) != c)
			continue;
		WRITE_ONCE(w->gone, true);
		/* A worker that never ran does not remove itself. */
		list_del_init(&w->standby);
	}
	WRITE_ONCE(c->nr_standby, 0);
	c->wanted = false;
	raw_spin_unlock_irq(&c->role_lock);
	WRITE_ONCE(c->nr_workers, 0);
	/* They are not ended during the grace period. */
	c->losing = true;
	mutex_unlock(&wsq_workers_lock);
	/*
	 * Wait for contexts that read c->worker and wake it, with preemption
	 * off, and for a worker that is about to announce that it parks.
	 */
	synchronize_rcu();
	raw_spin_lock_irq(&c->role_lock);
	wsq_idle_leave(c);
	raw_spin_unlock_irq(&c->role_lock);
	/* A replacement that should do this may never run. */
	wsq_standby_loosen(c);
	mutex_lock(&wsq_workers_lock);
	c->losing = false;
	/* A worker in an item sees @gone when the item ends. */
	list_for_each_entry(w, &wsq_workers, list) {
		if (wsq_worker_cpu(w) == c && !READ_ONCE(w->cur))
			wake_up_process(w->task);
	}
	mutex_unlock(&wsq_workers_lock);
	/* Workers that never ran do not call wsq_worker_gone(). */
	queue_work(wsq_maintenance, &wsq_reap_work);
	/* Thieves take the items left here; other CPUs adopt the rest. */
	preempt_disable();
	if (wsq_ready_any(c))
		wsq_wake_all(NULL, c);
	/* The worker may have been the seeker. */
	wsq_seek_end(c);
	preempt_enable();
}

/* The workers of the first @end classes lose a CPU. */
static void wsq_workers_lose(unsigned int cpu, u32 end)
{
	u32 nr;

	for (nr = 0; nr < end; nr++) {
		struct wsq_class *class = wsq_class_find(nr);

		if (class)
			wsq_worker_lose(class->cpus[cpu]);
	}
}

static int wsq_worker_online(unsigned int cpu)
{
	int ret = 0;
	u32 nr;

	for (nr = 0; nr < WSQ_CLASSES; nr++) {
		struct wsq_class *class = wsq_class_find(nr);

		if (!class)
			continue;
		if (cpumask_test_cpu(cpu, class->needed))
			ret = wsq_worker_start(class->cpus[cpu]);
		if (ret) {
			/* Hotplug does not undo what has failed. */
			wsq_workers_lose(cpu, nr);
			return ret;
		}
		wsq_worker_inherit(class->cpus[cpu]);
	}
	/* It may be the first online CPU of a queue. */
	queue_delayed_work(wsq_maintenance, &wsq_adopt_work, 0);
	return 0;
}

static int wsq_worker_offline(unsigned int cpu)
{
	wsq_cpumask_offline(cpu);
	wsq_workers_lose(cpu, WSQ_CLASSES);
	return 0;
}

/**
 * wsq_queue_cpu_dead() - a CPU that is offline may have left items behind
 * @pool: the queue's pool
 * @cpu: the CPU
 *
 * Context: task; may sleep. The queue cannot be freed meanwhile.
 */
void wsq_queue_cpu_dead(struct wsq_pool *pool, unsigned int cpu)
{
	/* Move the items to CPUs where a watchdog runs. */
	wsq_evacuate(wsq_of_pool(pool), cpu);
	/* A put that found the CPU alive may come behind this. */
	queue_delayed_work(wsq_maintenance, &wsq_adopt_work, WSQ_ADOPT_JIFFIES);
}

/**
 * wsq_workers_need() - start workers on some CPUs
 * @class: their class
 * @cpus: the CPUs; an offline CPU gets its worker when it comes online
 *
 * Context: task; may sleep; CPU hotplug lock held.
 * Return: 0 or a negative errno.
 */
int wsq_workers_need(struct wsq_class *class, const struct cpumask *cpus)
{
	unsigned int cpu;
	int ret = 0;

	for_each_cpu(cpu, cpus) {
		cpumask_set_cpu(cpu, class->needed);
		if (!cpu_online(cpu))
			continue;
		ret = wsq_worker_start(class->cpus[cpu]);
		if (ret)
			break;
	}
	return ret;
}

/**
 * wsq_worker_notify() - have a worker look whether its queue is frozen
 * @w: the worker; looks before it begins the next item
 *
 * Context: task.
 */
void wsq_worker_notify(struct wsq_worker *w)
{
	raw_spin_lock_irq(&w->lock);
	WRITE_ONCE(w->attention, true);
	raw_spin_unlock_irq(&w->lock);
}

/**
 * wsq_workers_at() - does any worker serve a queue
 * @q: the queue
 * @notify: call wsq_worker_notify() for those that do
 *
 * Context: task; may sleep.
 * Return: true if so. If not, the caller sees what they did.
 */
bool wsq_workers_at(const struct wsq *q, bool notify)
{
	struct wsq_worker *w;
	bool at = false;

	mutex_lock(&wsq_workers_lock);
	list_for_each_entry(w, &wsq_workers, list) {
		/* Pairs with the release in wsq_serve_leave(). */
		if (smp_load_acquire(&w->serving) != q)		/* SV(left:A) */
			continue;
		at = true;
		if (!notify)
			break;
		wsq_worker_notify(w);
	}
	mutex_unlock(&wsq_workers_lock);
	return at;
}

/**
 * wsq_workers_leave() - wait until no worker serves a queue
 * @q: the queue; it is empty and can no longer be found
 *
 * Waits without wsq_workers_lock, so that a worker that is kept off its CPU
 * does not delay the creation of queues.
 *
 * Context: task; may sleep.
 */
void wsq_workers_leave(const struct wsq *q)
{
	while (wsq_workers_at(q, false))
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

	wsq_sleep_notifiers_get();
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "wsq/worker:online",
					wsq_worker_online, wsq_worker_offline);
	if (ret < 0) {
		wsq_sleep_notifiers_put();
		return ret;
	}
	wsq_worker_hp = ret;
	return 0;
}

/* No worker of a class, which may be %NULL, is current any more. */
static void wsq_workers_resign(struct wsq_class *class)
{
	struct wsq_worker *w, *n;
	unsigned int cpu;

	if (!class)
		return;
	for_each_possible_cpu(cpu) {
		struct wsq_cpu *c = class->cpus[cpu];

		raw_spin_lock_irq(&c->role_lock);
		WRITE_ONCE(c->worker, NULL);
		/*
		 * A worker that never ran does not remove itself from the list,
		 * and maintenance work must not find one that was freed.
		 */
		list_for_each_entry_safe(w, n, &c->standby, standby)
			list_del_init(&w->standby);
		WRITE_ONCE(c->nr_standby, 0);
		raw_spin_unlock_irq(&c->role_lock);
	}
}

/* No worker of a class, which may be %NULL, is detached or made any more. */
static void wsq_workers_settle(struct wsq_class *class)
{
	unsigned int cpu;

	if (!class)
		return;
	for_each_possible_cpu(cpu) {
		wsq_standby_loosen(class->cpus[cpu]);
		cancel_delayed_work_sync(&class->cpus[cpu]->spawn);
	}
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
	u32 nr;

	cpuhp_remove_state_nocalls(wsq_worker_hp);
	cancel_delayed_work_sync(&wsq_adopt_work);
	mutex_lock(&wsq_workers_lock);
	for (nr = 0; nr < WSQ_CLASSES; nr++)
		wsq_workers_resign(wsq_class_find(nr));
	mutex_unlock(&wsq_workers_lock);
	/* Wait for contexts that read a current worker, timers included. */
	synchronize_rcu();
	for (nr = 0; nr < WSQ_CLASSES; nr++)
		wsq_workers_settle(wsq_class_find(nr));
	/* No more workers are made. */
	mutex_lock(&wsq_workers_lock);
	list_for_each_entry_safe(w, n, &wsq_workers, list) {
		wsq_worker_dismiss(w);
		list_add(&w->list, &over);
	}
	mutex_unlock(&wsq_workers_lock);
	cancel_work_sync(&wsq_reap_work);
	wsq_workers_end(&over);
	/* Last: a worker that ends may queue maintenance work. */
	wsq_memory_exit();
	wsq_sleep_notifiers_put();
	xa_destroy(&wsq_worker_ids);
}
