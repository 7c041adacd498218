// SPDX-License-Identifier: GPL-2.0
/*
 * Classes of queues: normal and high. A class has workers of its own on each
 * CPU, with all that they need: ready bits, idle and surplus bits, standby
 * workers and a watchdog (struct wsq_cpu). A worker serves, and steals for, the
 * queues of its class alone. The workers of the high class have nice -20, and
 * the scheduler divides the CPU between the two.
 *
 * So items of one class do not wait behind a queue of the other, and neither
 * class starves. A high worker that is woken preempts the normal one. While
 * both have work on a CPU, the scheduler's weights give the normal class 1024 /
 * (1024 + 88761) of it, more than 1 %. Idle CPUs take over normal items that
 * wait, as behind any long item.
 *
 * A normal worker does not yield to high ones by itself. That was tried: high
 * items began no sooner, and sched_yield()'s penalty kept the normal class off
 * the CPU for up to 280 ms instead of 9.
 *
 * Cost: a normal queue pays nothing for the high class. A put finds the CPU's
 * data in an array of its queue's class, in place of one array for all. The
 * high class is created with its first queue, and kept until the module is
 * unloaded.
 *
 * Limitation: the class of a queue is constant.
 */
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "../compat/export.h"
#include "exec.h"

/* By number; %NULL until the first queue. Set under wsq_classes_lock. */
static struct wsq_class __rcu *wsq_classes[WSQ_CLASSES];

/* The CPUs of the normal class, which always exists. */
struct wsq_cpu **wsq_cpus;
WSQ_EXPORT_KUNIT(wsq_cpus);

/* Creates one class at a time. */
static DEFINE_MUTEX(wsq_classes_lock);

static const struct {
	const char *name;
	const char *suffix;
	int nice;
} wsq_class_defs[WSQ_CLASSES] = {
	[WSQ_CLASS_NORMAL]	= { "normal", "", 0 },
	[WSQ_CLASS_HIGH]	= { "high", "H", MIN_NICE },
};

static void wsq_class_free(struct wsq_class *class)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct wsq_cpu *c = class->cpus[cpu];

		if (!c)
			continue;
		irq_work_sync(&c->nmi_work);
		irq_work_sync(&c->refuse_work);
		wsq_watchdog_exit(c);
		wsq_standby_exit(c);
		kfree(c);
	}
	wsq_domains_exit(class);
	free_cpumask_var(class->needed);
	kfree(class);
}

static int wsq_class_add_cpu(struct wsq_class *class, unsigned int cpu)
{
	struct wsq_cpu *c;

	/* While its node is offline, memory of any node must do. */
	c = kzalloc_node(sizeof(*c), GFP_KERNEL,
			 node_online(cpu_to_node(cpu)) ? cpu_to_node(cpu) :
							 NUMA_NO_NODE);
	if (!c)
		return -ENOMEM;
	class->cpus[cpu] = c;
	c->cpu = cpu;
	c->class = class;
	wsq_idle_cpu_init(c);
	wsq_watchdog_init(c);
	wsq_standby_init(c);
	c->refuse_work = IRQ_WORK_INIT_HARD(wsq_refuse_work_fn);
	c->access = wsq_topology_access(&wsq_machine, cpu);
	return c->access ? 0 : -ENOMEM;
}

static struct wsq_class *wsq_class_new(u32 nr)
{
	struct wsq_class *class;
	unsigned int cpu;

	class = kzalloc(struct_size(class, cpus, nr_cpu_ids), GFP_KERNEL);
	if (!class)
		return NULL;
	class->nr = nr;
	class->nice = wsq_class_defs[nr].nice;
	class->name = wsq_class_defs[nr].name;
	class->suffix = wsq_class_defs[nr].suffix;
	if (!zalloc_cpumask_var(&class->needed, GFP_KERNEL)) {
		kfree(class);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		if (wsq_class_add_cpu(class, cpu))
			goto err;
	}
	if (!wsq_domains_init(class))
		return class;
err:
	wsq_class_free(class);
	return NULL;
}

/**
 * wsq_class_get() - a class, created if there is none yet
 * @nr: its number, enum wsq_class_nr
 *
 * Context: task; may sleep.
 * Return: the class, which exists until the module is unloaded; %NULL if there
 * is no memory.
 */
struct wsq_class *wsq_class_get(u32 nr)
{
	struct wsq_class *class = wsq_class_find(nr);

	if (class)
		return class;
	mutex_lock(&wsq_classes_lock);
	class = wsq_class_find(nr) ?: wsq_class_new(nr);
	rcu_assign_pointer(wsq_classes[nr], class);
	mutex_unlock(&wsq_classes_lock);
	return class;
}

/**
 * wsq_class_find() - a class, if it exists
 * @nr: its number, enum wsq_class_nr
 *
 * Context: any.
 * Return: the class, which exists until the module is unloaded, or %NULL.
 */
struct wsq_class *wsq_class_find(u32 nr)
{
	return rcu_dereference_raw(wsq_classes[nr]);
}
WSQ_EXPORT_KUNIT(wsq_class_find);

/**
 * wsq_classes_init() - before anything else of the work service
 *
 * Context: module load.
 * Return: 0 or %-ENOMEM.
 */
int wsq_classes_init(void)
{
	struct wsq_class *normal = wsq_class_get(WSQ_CLASS_NORMAL);

	if (!normal)
		return -ENOMEM;
	wsq_cpus = normal->cpus;
	return 0;
}

/**
 * wsq_classes_exit() - after everything else of the work service
 *
 * Context: module unload. No put runs or follows.
 */
void wsq_classes_exit(void)
{
	u32 nr;

	/* Then the interrupts requested by the last puts have come. */
	synchronize_rcu();
	for (nr = 0; nr < WSQ_CLASSES; nr++) {
		if (wsq_class_find(nr))
			wsq_class_free(wsq_class_find(nr));
		RCU_INIT_POINTER(wsq_classes[nr], NULL);
	}
	wsq_cpus = NULL;
}
