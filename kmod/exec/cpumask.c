// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPUs run a queue's items: those of its cpumask, or of the module's. The
 * module's leaves isolated CPUs alone unless its parameter says otherwise.
 */
#include <linux/cpu.h>
#include <linux/moduleparam.h>

#include "../compat/export.h"
#include "../compat/isolation.h"
#include "item.h"

static char *cpumask_param;
module_param_named(cpumask, cpumask_param, charp, 0444);
MODULE_PARM_DESC(cpumask, "CPUs of queues that name none, as a list; default: all that are not isolated");

/* CPUs of the parameter, if it was given. Constant after load. */
static cpumask_var_t wsq_cpus_param;

/**
 * wsq_default_cpus() - CPUs of queues that name none
 * @cpus: where to store them; not empty afterwards
 *
 * Those of the module's parameter, or all that are not isolated at this moment:
 * cpuset partitions may isolate CPUs at run time. Queues that are there do not
 * follow by themselves; wsq_set_cpumask() with %NULL has them do so.
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
 * Return: 0; %-EINVAL if the parameter is no list of CPUs, or none of them is
 * possible; %-ENOMEM.
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
 * Those who have left, and orphans of before whose items found no refuge, because
 * no CPU of the queue was online, leave what they have to others.
 */
static void wsq_cpumask_clear(struct wsq *q)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);

		if (ct && atomic_read(&ct->orphan) != WSQ_OWNED)
			wsq_evacuate(q, cpu);
	}
}

/*
 * One that has joined again may have items that were left there: nobody keeps
 * ready bits for CPUs that have no part in a queue (wsq_serve_drop()).
 */
static void wsq_cpumask_tell(struct wsq *q)
{
	unsigned int cpu;

	preempt_disable();
	for_each_online_cpu(cpu) {
		if (wsq_pool_ct(&q->pool, cpu))
			wsq_ready_mark(wsq_cpus[cpu], q->pool.id);
	}
	preempt_enable();
}

/**
 * wsq_set_cpumask() - change which CPUs run a queue's items
 * @q: the queue; may be in use
 * @mask: the CPUs from now on; %NULL for the module's, as they are now
 *
 * Items that wait on CPUs that are left out move to others. One that runs there
 * runs to its end.
 *
 * Context: task; may sleep. Not from an item of @q.
 * Return: 0; %-EINVAL if no possible CPU is in @mask; %-ENOMEM, or %-EINTR if
 * the caller was killed, and then nothing has changed.
 */
int wsq_set_cpumask(struct wsq *q, const struct cpumask *mask)
{
	cpumask_var_t cpus, left;
	int ret = -ENOMEM;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	if (!zalloc_cpumask_var(&left, GFP_KERNEL))
		goto free_cpus;
	if (mask)
		cpumask_and(cpus, mask, cpu_possible_mask);
	else
		wsq_default_cpus(cpus);
	ret = -EINVAL;
	if (cpumask_empty(cpus))
		goto free_left;

	mutex_lock(&q->mask_lock);
	cpus_read_lock();
	ret = wsq_workers_need(cpus);
	if (!ret)
		ret = wsq_pool_set_cpus(&q->pool, cpus, left);
	wsq_cpumask_clear(q);
	wsq_cpumask_tell(q);
	cpus_read_unlock();
	mutex_unlock(&q->mask_lock);
free_left:
	free_cpumask_var(left);
free_cpus:
	free_cpumask_var(cpus);
	return ret;
}
WSQ_EXPORT(wsq_set_cpumask);
