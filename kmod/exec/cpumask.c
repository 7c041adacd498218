// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPUs run a queue's items: those of its own cpumask, or of the module's.
 * The module's excludes isolated CPUs unless its parameter says otherwise.
 *
 * Cpuset partitions may isolate CPUs at run time, and modules are not notified.
 * On kernels where that is so, maintenance work checks every two seconds, while
 * a queue follows the module's mask, and moves such queues. Its timer is
 * deferrable, so it wakes no idle CPU. On other kernels it is never queued.
 *
 * While none of a queue's CPUs is online, another CPU runs its items: one of
 * the module's that is online, not the same for all queues. It is added to the
 * members of the pool when the queue gets such CPUs, and otherwise before the
 * last one's worker goes. If memory is short, none is added, items wait, and
 * the stall detector reports it. Maintenance work removes the CPU once one of
 * the queue's is back. Hotplug does not wait for that, because it takes a grace
 * period.
 */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/workqueue.h>

#include "../compat/export.h"
#include "../compat/isolation.h"
#include "item.h"

static char *cpumask_param;
module_param_named(cpumask, cpumask_param, charp, 0444);
MODULE_PARM_DESC(cpumask, "CPUs of queues that name none, as a list; default: all that are not isolated");

/* CPUs of the parameter, if it was given. Constant after load. */
static cpumask_var_t wsq_cpus_param;

/* Interval at which the module's mask is compared with the queues'. */
#define WSQ_FOLLOW_JIFFIES	(2 * HZ)

/* Queues looked at before wsq_queues_lock is released. */
#define WSQ_FOLLOW_MOST		8

static void wsq_follow_look(struct work_struct *work);
/* Deferrable: while all CPUs are idle, no item runs on an isolated CPU. */
static DECLARE_DEFERRABLE_WORK(wsq_follow_work, wsq_follow_look);

/**
 * wsq_default_cpus() - CPUs of queues that name none
 * @cpus: where to store them; not empty afterwards
 *
 * The CPUs of the module's parameter, or all that are not isolated now.
 *
 * Context: any.
 */
void wsq_default_cpus(struct cpumask *cpus)
{
	if (!cpumask_empty(wsq_cpus_param)) {
		cpumask_copy(cpus, wsq_cpus_param);
		return;
	}
	wsq_housekeeping_cpus(cpus);
	cpumask_and(cpus, cpus, cpu_possible_mask);
	if (cpumask_empty(cpus))
		cpumask_copy(cpus, cpu_possible_mask);
}
WSQ_EXPORT_KUNIT(wsq_default_cpus);

/**
 * wsq_cpumask_init() - read the module's parameter
 *
 * Context: module load.
 * Return: 0; %-EINVAL if the parameter is no list of CPUs, or lists no possible
 * CPU; %-ENOMEM.
 */
int wsq_cpumask_init(void)
{
	int ret;

	if (!zalloc_cpumask_var(&wsq_cpus_param, GFP_KERNEL))
		return -ENOMEM;
	if (!cpumask_param)
		return 0;
	ret = cpulist_parse(cpumask_param, wsq_cpus_param);
	cpumask_and(wsq_cpus_param, wsq_cpus_param, cpu_possible_mask);
	if (!ret && !cpumask_empty(wsq_cpus_param))
		return 0;
	pr_err("wsq: cpumask=%s names no CPU of this machine\n",
	       cpumask_param);
	free_cpumask_var(wsq_cpus_param);
	return -EINVAL;
}

/**
 * wsq_cpumask_exit() - after the last queue
 *
 * Context: module unload.
 */
void wsq_cpumask_exit(void)
{
	free_cpumask_var(wsq_cpus_param);
}

/*
 * Move items out of containers whose CPU has left the queue, or is dead and
 * kept its items because no CPU of the queue was online.
 */
static void wsq_cpumask_clear(struct wsq *q)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct wsq_lane *lane = wsq_lane_any(q, cpu);

		if (lane && atomic_read(&lane->ct.ownership) != WSQ_OWNED)
			wsq_evacuate(q, cpu);
	}
}

/*
 * A CPU that joins again may have items from before without their ready bit,
 * which a CPU that is no member drops (wsq_serve_drop()).
 */
static void wsq_cpumask_notify(struct wsq *q)
{
	unsigned int cpu;

	preempt_disable();
	for_each_online_cpu(cpu) {
		if (wsq_lane(q, cpu))
			wsq_ready_mark(wsq_cpu_of(q, cpu), q->id);
	}
	preempt_enable();
}

/*
 * Change the members of a queue's pool. The CPU hotplug lock is held, and
 * mask_lock, unless hotplug calls or the queue cannot be found yet. Returns 0
 * or an error, as wsq_set_cpumask().
 */
static int wsq_cpumask_change(struct wsq *q, const struct cpumask *cpus,
			      struct cpumask *left)
{
	int ret = wsq_workers_need(q->class, cpus);

	if (!ret)
		ret = wsq_pool_set_cpus(&q->pool, cpus, left);
	wsq_cpumask_clear(q);
	wsq_cpumask_notify(q);
	return ret;
}

/* Does a CPU of @cpus, but not @except, run the queue's items? */
static bool wsq_cpumask_serves(const struct wsq *q, const struct cpumask *cpus,
			       unsigned int except)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpus) {
		if (cpu != except && cpu_online(cpu) && wsq_pool_ct(&q->pool, cpu))
			return true;
	}
	return false;
}

/*
 * The CPU, not @except, that runs a queue's items while all CPUs of the queue
 * are offline.
 */
static unsigned int wsq_cpumask_substitute(const struct wsq *q,
					   struct cpumask *scratch,
					   unsigned int except)
{
	unsigned int cpu;

	wsq_default_cpus(scratch);
	/* Not one CPU for all queues. */
	for_each_cpu_wrap(cpu, scratch, q->id % nr_cpu_ids) {
		if (cpu != except && cpu_online(cpu))
			return cpu;
	}
	for_each_online_cpu(cpu) {
		if (cpu != except)
			break;
	}
	return cpu;
}

/*
 * If no member of a queue but @except is online, add one. The CPU hotplug lock
 * is held. Returns 0 or an error, as wsq_set_cpumask().
 */
static int wsq_cpumask_ensure(struct wsq *q, unsigned int except,
			      struct cpumask *cpus, struct cpumask *left)
{
	if (wsq_cpumask_serves(q, q->pool.cpus, except))
		return 0;
	cpumask_copy(cpus, q->pool.cpus);
	cpumask_set_cpu(wsq_cpumask_substitute(q, left, except), cpus);
	return wsq_cpumask_change(q, cpus, left);
}

/* Two masks, for scratch. False if there is no memory. */
static bool wsq_cpumask_alloc(cpumask_var_t *cpus, cpumask_var_t *left)
{
	if (!zalloc_cpumask_var(cpus, GFP_KERNEL))
		return false;
	if (zalloc_cpumask_var(left, GFP_KERNEL))
		return true;
	free_cpumask_var(*cpus);
	return false;
}

static void wsq_cpumask_free(cpumask_var_t cpus, cpumask_var_t left)
{
	free_cpumask_var(left);
	free_cpumask_var(cpus);
}

/**
 * wsq_cpumask_begin() - see that a CPU runs the items of a new queue
 * @q: the queue, which cannot be found yet
 *
 * Context: task; may sleep; CPU hotplug lock held until the queue can be found.
 * Return: 0 or a negative errno.
 */
int wsq_cpumask_begin(struct wsq *q)
{
	cpumask_var_t cpus, left;
	int ret;

	if (!wsq_cpumask_alloc(&cpus, &left))
		return -ENOMEM;
	cpumask_copy(q->cpus, q->pool.cpus);
	ret = wsq_workers_need(q->class, q->cpus) ?:
	      wsq_cpumask_ensure(q, nr_cpu_ids, cpus, left);
	wsq_cpumask_free(cpus, left);
	return ret;
}

/**
 * wsq_cpumask_offline() - a CPU goes offline: see to queues that have no other
 * @cpu: the CPU, which still has its workers
 *
 * Context: CPU hotplug.
 */
void wsq_cpumask_offline(unsigned int cpu)
{
	cpumask_var_t cpus, left;
	unsigned long id;
	struct wsq *q;

	if (!wsq_cpumask_alloc(&cpus, &left))
		return;
	/*
	 * Without wsq_queues_lock, whose holders may take long: a queue that is
	 * found is not freed before wsq_pool_exit() gets the hotplug lock.
	 */
	xa_for_each(&wsq_queues, id, q) {
		wsq_cpumask_ensure(q, cpu, cpus, left);
		cond_resched();
	}
	wsq_cpumask_free(cpus, left);
}

/**
 * wsq_follow() - make a queue that names no CPUs use the module's
 * @q: the queue, which is not freed meanwhile
 * @cpus: the module's CPUs
 * @left: scratch memory
 *
 * Waits neither for CPU hotplug nor for another change of the queue's mask:
 * hotplug may wait for an item that waits for a lock of the caller. It does
 * nothing if a lock is taken, or if none of @cpus is online.
 *
 * Context: task; may sleep.
 * Return: true if @q must be looked at again: it names no CPUs, or its mask is
 * being changed.
 */
bool wsq_follow(struct wsq *q, const struct cpumask *cpus, struct cpumask *left)
{
	bool follows;

	if (!mutex_trylock(&q->mask_lock))
		return true;
	follows = q->follows;
	if (follows && !cpumask_equal(q->cpus, cpus) &&
	    cpus_read_trylock()) {
		/* If memory is short, the next look tries again. */
		if (cpumask_intersects(cpus, cpu_online_mask) &&
		    !wsq_cpumask_change(q, cpus, left))
			cpumask_copy(q->cpus, cpus);
		cpus_read_unlock();
	}
	mutex_unlock(&q->mask_lock);
	return follows;
}
WSQ_EXPORT_KUNIT(wsq_follow);

/*
 * Remove CPUs that were added to a queue's while these were offline. Waits for
 * no lock, as wsq_follow(). True if the queue must be looked at again.
 */
static bool wsq_cpumask_restore(struct wsq *q, const struct cpumask *unused,
				struct cpumask *left)
{
	bool again = false;

	if (!mutex_trylock(&q->mask_lock))
		return true;
	if (!cpumask_equal(q->pool.cpus, q->cpus)) {
		again = !cpus_read_trylock();
		if (!again) {
			if (cpumask_intersects(q->cpus, cpu_online_mask))
				again = wsq_cpumask_change(q, q->cpus, left);
			cpus_read_unlock();
		}
	}
	mutex_unlock(&q->mask_lock);
	return again;
}

/*
 * @fn for all queues. True if one must be looked at again. A change takes a
 * grace period, so few are made before the lock is released.
 */
static bool wsq_cpumask_each(bool (*fn)(struct wsq *q,
					const struct cpumask *cpus,
					struct cpumask *left),
			     const struct cpumask *cpus, struct cpumask *left)
{
	unsigned int most;
	bool more = false;
	unsigned long id = 0;
	struct wsq *q;

	do {
		most = WSQ_FOLLOW_MOST;
		mutex_lock(&wsq_queues_lock);
		xa_for_each_start(&wsq_queues, id, q, id) {
			more |= fn(q, cpus, left);
			if (!--most)
				break;
		}
		mutex_unlock(&wsq_queues_lock);
		id++;
		cond_resched();
	} while (q);
	return more;
}

static void wsq_follow_look(struct work_struct *work)
{
	cpumask_var_t cpus, left;
	bool more = true;

	if (wsq_cpumask_alloc(&cpus, &left)) {
		wsq_default_cpus(cpus);
		more = wsq_cpumask_each(wsq_follow, cpus, left);
		wsq_cpumask_free(cpus, left);
	}
	if (more)
		wsq_follow_start();
}

/**
 * wsq_cpumask_online() - a CPU came online: queues may have their own again
 *
 * Context: task; may sleep; maintenance work.
 * Return: true if this must be called again in a while.
 */
bool wsq_cpumask_online(void)
{
	cpumask_var_t left;
	bool again = true;

	if (zalloc_cpumask_var(&left, GFP_KERNEL)) {
		again = wsq_cpumask_each(wsq_cpumask_restore, NULL, left);
		free_cpumask_var(left);
	}
	return again;
}

/**
 * wsq_follow_later() - compare the module's mask with the queues' in a while
 *
 * Context: any but NMI.
 */
void wsq_follow_later(void)
{
	queue_delayed_work(wsq_maintenance, &wsq_follow_work,
			   WSQ_FOLLOW_JIFFIES);
}
WSQ_EXPORT_KUNIT(wsq_follow_later);

/**
 * wsq_follow_start() - a queue follows the module's mask
 *
 * Context: task.
 */
void wsq_follow_start(void)
{
	if (WSQ_HOUSEKEEPING_CHANGES && cpumask_empty(wsq_cpus_param))
		wsq_follow_later();
}

/**
 * wsq_follow_exit() - no queue follows any more
 *
 * Context: module unload.
 */
void wsq_follow_exit(void)
{
	cancel_delayed_work_sync(&wsq_follow_work);
}

int wsq_set_cpumask(struct wsq *q, const struct cpumask *mask)
{
	unsigned int other = nr_cpu_ids;
	cpumask_var_t cpus, left;
	int ret = -EINVAL;

	if (!wsq_cpumask_alloc(&cpus, &left))
		return -ENOMEM;
	if (mask)
		cpumask_and(cpus, mask, cpu_possible_mask);
	else
		wsq_default_cpus(cpus);
	if (cpumask_empty(cpus))
		goto free;

	mutex_lock(&q->mask_lock);
	cpus_read_lock();
	if (!cpumask_intersects(cpus, cpu_online_mask)) {
		other = wsq_cpumask_substitute(q, left, nr_cpu_ids);
		cpumask_set_cpu(other, cpus);
	}
	ret = wsq_cpumask_change(q, cpus, left);
	if (!ret) {
		if (other < nr_cpu_ids)
			cpumask_clear_cpu(other, cpus);
		cpumask_copy(q->cpus, cpus);
		q->follows = !mask;
	}
	cpus_read_unlock();
	mutex_unlock(&q->mask_lock);
	if (!ret && !mask)
		wsq_follow_start();
free:
	wsq_cpumask_free(cpus, left);
	return ret;
}
WSQ_EXPORT(wsq_set_cpumask);
