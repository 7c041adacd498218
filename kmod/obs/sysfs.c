// SPDX-License-Identifier: GPL-2.0
/*
 * Queues in sysfs, in workqueue's words: a directory /sys/class/wsq/NAME for
 * each queue that was made with WSQ_SYSFS, for administrators who look at a
 * queue or move it to other CPUs.
 *
 *	cpumask			its CPUs as asked for; root may write others
 *	cpumask_effective	of these, the ones that have a part now: online,
 *				and with memory for their container
 *	mem_reclaim, resident	1 if it was made so, 0 if not
 *	steal_policy		whom its CPUs rob when they have run dry, a word of
 *				wsq_steal_policies[]; root may write another
 *	steal_batch		how much they take, a word of wsq_steal_batches[];
 *				root may write another
 *	queued, executed	items since it was made
 *
 * /sys/class/wsq/cpumask shows the CPUs of queues that name none. Masks are
 * hexadecimal, as workqueue's.
 *
 * Costs nothing while nobody looks; a read of a counter visits each CPU's
 * container.
 *
 * Limitations: names are one name space for the machine: a queue whose name is
 * taken is not made. Names in there stand alone, so a queue has to have one
 * that a directory can bear.
 *
 * Lifetimes. A directory comes once its queue is whole, and goes before
 * anything else of the queue does; its going waits for those who read or write
 * there. Class and devices are memory of the driver core, released by its own
 * functions: nobody who still holds one calls into the module.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kdev_t.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <uapi/linux/wsq.h>

#include "../compat/device.h"
#include "../exec/exec.h"
#include "../pool/victim.h"
#include "stats.h"
#include "sysfs.h"

static struct class *wsq_class;

/* Names: from the look whether one is free until it is taken, and back. */
static DEFINE_MUTEX(wsq_sysfs_lock);

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct wsq *q = dev_get_drvdata(dev);
	ssize_t n;

	mutex_lock(&q->mask_lock);
	n = sysfs_emit(buf, "%*pb\n", cpumask_pr_args(q->pool.cpus));
	mutex_unlock(&q->mask_lock);
	return n;
}

/* The parser stops at the end of a line; what comes after it is an error. */
static bool wsq_sysfs_one_line(const char *buf, size_t count)
{
	size_t n = strcspn(buf, "\n");

	return n + (buf[n] == '\n') == count;
}

static ssize_t cpumask_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	struct wsq *q = dev_get_drvdata(dev);
	cpumask_var_t mask;
	int ret = -EINVAL;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	if (wsq_sysfs_one_line(buf, count))
		ret = cpumask_parse(buf, mask);
	if (!ret)
		ret = wsq_set_cpumask(q, mask);
	free_cpumask_var(mask);
	return ret ?: count;
}
static DEVICE_ATTR_RW(cpumask);

static ssize_t cpumask_effective_show(struct device *dev,
				      struct device_attribute *attr, char *buf)
{
	struct wsq *q = dev_get_drvdata(dev);
	cpumask_var_t mask;
	unsigned int cpu;
	ssize_t n;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	mutex_lock(&q->mask_lock);
	for_each_cpu_and(cpu, q->pool.cpus, cpu_online_mask) {
		if (wsq_pool_ct(&q->pool, cpu))
			cpumask_set_cpu(cpu, mask);
	}
	mutex_unlock(&q->mask_lock);
	n = sysfs_emit(buf, "%*pb\n", cpumask_pr_args(mask));
	free_cpumask_var(mask);
	return n;
}
static DEVICE_ATTR_RO(cpumask_effective);

static ssize_t mem_reclaim_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	const struct wsq *q = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%d\n", !!q->rescuer);
}
static DEVICE_ATTR_RO(mem_reclaim);

static ssize_t resident_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	const struct wsq *q = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%d\n", q->pool.resident);
}
static DEVICE_ATTR_RO(resident);

/*
 * Which of @words is the line that was written: its number, or %-EINVAL. The first
 * one, the default, has no word.
 */
static int wsq_sysfs_word(const char *const *words, size_t nr, const char *buf,
			  size_t count)
{
	int ret = -EINVAL;

	/* The comparison ends with the string, which can be shorter. */
	if (wsq_sysfs_one_line(buf, count))
		ret = __sysfs_match_string(words, nr, buf);
	return ret ?: -EINVAL;
}

static ssize_t steal_policy_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	const struct wsq *q = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n",
			  wsq_steal_policies[READ_ONCE(q->pool.policy)]);
}

static ssize_t steal_policy_store(struct device *dev,
				  struct device_attribute *attr,
				  const char *buf, size_t count)
{
	struct wsq *q = dev_get_drvdata(dev);
	int ret = wsq_sysfs_word(wsq_steal_policies, WSQ_STEAL_POLICIES, buf,
				 count);

	if (ret > 0)
		ret = wsq_victim_set_policy(&q->pool, ret);
	return ret ?: count;
}
static DEVICE_ATTR_RW(steal_policy);

static ssize_t steal_batch_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	const struct wsq *q = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n",
			  wsq_steal_batches[READ_ONCE(q->pool.batch)]);
}

static ssize_t steal_batch_store(struct device *dev,
				 struct device_attribute *attr,
				 const char *buf, size_t count)
{
	struct wsq *q = dev_get_drvdata(dev);
	int ret = wsq_sysfs_word(wsq_steal_batches, WSQ_STEAL_BATCHES, buf,
				 count);

	if (ret > 0)
		ret = wsq_victim_set_batch(&q->pool, ret);
	return ret ?: count;
}
static DEVICE_ATTR_RW(steal_batch);

static ssize_t queued_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	struct wsq_cpu_stats sum;

	wsq_stats_queue(dev_get_drvdata(dev), &sum);
	return sysfs_emit(buf, "%llu\n", sum.puts);
}
static DEVICE_ATTR_RO(queued);

static ssize_t executed_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	struct wsq_cpu_stats sum;

	wsq_stats_queue(dev_get_drvdata(dev), &sum);
	return sysfs_emit(buf, "%llu\n", sum.gets);
}
static DEVICE_ATTR_RO(executed);

static struct attribute *wsq_queue_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_cpumask_effective.attr,
	&dev_attr_mem_reclaim.attr,
	&dev_attr_resident.attr,
	&dev_attr_steal_policy.attr,
	&dev_attr_steal_batch.attr,
	&dev_attr_queued.attr,
	&dev_attr_executed.attr,
	NULL
};
ATTRIBUTE_GROUPS(wsq_queue);

static ssize_t
wsq_default_cpumask_show(wsq_class_const struct class *class,
			 wsq_class_const struct class_attribute *attr, char *buf)
{
	cpumask_var_t cpus;
	int ret;

	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	wsq_default_cpus(cpus);
	ret = sysfs_emit(buf, "%*pb\n", cpumask_pr_args(cpus));
	free_cpumask_var(cpus);
	return ret;
}

static const struct class_attribute wsq_default_cpumask =
	__ATTR(cpumask, 0444, wsq_default_cpumask_show, NULL);

/**
 * wsq_sysfs_name_ok() - can a queue of this name have a directory
 * @name: the name
 *
 * Context: any.
 * Return: not if it is empty, "." or "..", or has a slash in it.
 */
bool wsq_sysfs_name_ok(const char *name)
{
	return *name && strcmp(name, ".") && strcmp(name, "..") &&
	       !strchr(name, '/');
}

/* The driver core would warn of a name that is taken, and show its stack. */
static bool wsq_sysfs_taken(const char *name)
{
	struct device *dev = class_find_device_by_name(wsq_class, name);

	put_device(dev);
	return dev || !strcmp(name, wsq_default_cpumask.attr.name);
}

/**
 * wsq_sysfs_add() - give a queue its directory
 * @q: the queue, ready to be used; wsq_sysfs_name_ok() of its name
 *
 * Context: task; may sleep.
 * Return: 0; %-EEXIST if another queue's directory, or a file beside it, has
 * this name; %-ENOMEM.
 */
int wsq_sysfs_add(struct wsq *q)
{
	struct device *dev = ERR_PTR(-EEXIST);

	mutex_lock(&wsq_sysfs_lock);
	if (!wsq_sysfs_taken(q->pool.name))
		dev = device_create_with_groups(wsq_class, NULL, MKDEV(0, 0), q,
						wsq_queue_groups, "%s",
						q->pool.name);
	mutex_unlock(&wsq_sysfs_lock);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	q->dev = dev;
	return 0;
}

/**
 * wsq_sysfs_remove() - take a queue's directory away, if it has one
 * @q: the queue; nothing of it has gone yet
 *
 * Nobody reads or writes there once this returns.
 *
 * Context: task; may sleep, also for as long as wsq_set_cpumask() takes.
 */
void wsq_sysfs_remove(struct wsq *q)
{
	if (!q->dev)
		return;
	/* The name leaves the class first and the directory last. */
	mutex_lock(&wsq_sysfs_lock);
	device_unregister(q->dev);
	mutex_unlock(&wsq_sysfs_lock);
	q->dev = NULL;
}

/**
 * wsq_sysfs_init() - make /sys/class/wsq
 *
 * Context: module load; wsq_default_cpus() is known.
 * Return: 0 or -errno.
 */
int wsq_sysfs_init(void)
{
	int ret;

	wsq_class = wsq_class_create("wsq");
	if (IS_ERR(wsq_class))
		return PTR_ERR(wsq_class);
	ret = class_create_file(wsq_class, &wsq_default_cpumask);
	if (ret)
		class_destroy(wsq_class);
	return ret;
}

/**
 * wsq_sysfs_exit() - take it away
 *
 * Context: module unload; no queue is left.
 */
void wsq_sysfs_exit(void)
{
	class_remove_file(wsq_class, &wsq_default_cpumask);
	class_destroy(wsq_class);
}
