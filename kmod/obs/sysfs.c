// SPDX-License-Identifier: GPL-2.0
/*
 * Queues in sysfs, with workqueue's names: a directory /sys/class/wsq/NAME for
 * each queue that was created with WSQ_SYSFS, for administrators.
 *
 *	class			its class: normal or high
 *	cpumask			its CPUs as configured; root may write
 *	cpumask_effective	the CPUs that run its items now: those of these
 *				that are online, and have memory for their
 *				container; another one if there is none
 *	mem_reclaim, resident	1 if it was created with that flag, else 0
 *	steal_policy		from which CPUs its CPUs steal, a word of
 *				wsq_steal_policies[]; root may write
 *	steal_batch		how much they steal, a word of
 *				wsq_steal_batches[]; root may write
 *	queued, executed	items since it was created
 *	cpu_usec		CPU time of its items since then, in us
 *
 * /sys/class/wsq/cpumask shows the CPUs of queues that name none. Masks are
 * hexadecimal, as workqueue's.
 *
 * Cost: a read of a counter visits the container of each CPU; otherwise none.
 *
 * Limitations: there is one name space for the machine. Creating a queue fails
 * if its name is taken, or cannot be the name of a directory.
 *
 * Lifetimes. A directory is created when its queue is complete. It is removed
 * when the queue has been drained for good, before anything else of the queue
 * is torn down, so that a mask can be written while items of a queue that is
 * being destroyed wait. Removing it waits for readers and writers of its files.
 * Class and devices are memory of the driver core, released by its own
 * functions: a reference to one does not call into the module.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kdev_t.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <uapi/linux/wsq.h>

#include "../compat/device.h"
#include "../exec/exec.h"
#include "../pool/victim.h"
#include "cpu_stats.h"
#include "sysfs.h"

static struct class *wsq_sysfs_class;

/* Serializes the check whether a name is free with using or freeing it. */
static DEFINE_MUTEX(wsq_sysfs_lock);

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct wsq *q = dev_get_drvdata(dev);
	ssize_t n;

	mutex_lock(&q->mask_lock);
	n = sysfs_emit(buf, "%*pb\n", cpumask_pr_args(q->cpus));
	mutex_unlock(&q->mask_lock);
	return n;
}

/* The parser stops at the end of a line; anything after that is an error. */
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

static ssize_t class_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	const struct wsq *q = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n", q->class->name);
}
static DEVICE_ATTR_RO(class);

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
 * Index in @words of the line that was written, or %-EINVAL. The first one, the
 * default, has no word.
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

static ssize_t cpu_usec_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%llu\n",
			  div_u64(wsq_stats_queue_ns(dev_get_drvdata(dev)),
				  NSEC_PER_USEC));
}
static DEVICE_ATTR_RO(cpu_usec);

static struct attribute *wsq_queue_attrs[] = {
	&dev_attr_class.attr,
	&dev_attr_cpumask.attr,
	&dev_attr_cpumask_effective.attr,
	&dev_attr_mem_reclaim.attr,
	&dev_attr_resident.attr,
	&dev_attr_steal_policy.attr,
	&dev_attr_steal_batch.attr,
	&dev_attr_queued.attr,
	&dev_attr_executed.attr,
	&dev_attr_cpu_usec.attr,
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
 * Return: false if it is empty, "." or "..", or contains a slash.
 */
bool wsq_sysfs_name_ok(const char *name)
{
	return *name && strcmp(name, ".") && strcmp(name, "..") &&
	       !strchr(name, '/');
}

/* Check first: for a duplicate name the driver core prints a stack dump. */
static bool wsq_sysfs_taken(const char *name)
{
	struct device *dev = class_find_device_by_name(wsq_sysfs_class, name);

	put_device(dev);
	return dev || !strcmp(name, wsq_default_cpumask.attr.name);
}

/**
 * wsq_sysfs_add() - create the directory of a queue
 * @q: the queue, ready for use; its name has passed wsq_sysfs_name_ok()
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
		dev = device_create_with_groups(wsq_sysfs_class, NULL, MKDEV(0, 0), q,
						wsq_queue_groups, "%s",
						q->pool.name);
	mutex_unlock(&wsq_sysfs_lock);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	q->dev = dev;
	return 0;
}

/**
 * wsq_sysfs_remove() - remove the directory of a queue, if it has one
 * @q: the queue, drained, before anything else of it is torn down
 *
 * No file there is being read or written when this returns.
 *
 * Context: task; may sleep, also for as long as wsq_set_cpumask() takes.
 */
void wsq_sysfs_remove(struct wsq *q)
{
	if (!q->dev)
		return;
	/* The name leaves the class first, the directory is removed last. */
	mutex_lock(&wsq_sysfs_lock);
	device_unregister(q->dev);
	mutex_unlock(&wsq_sysfs_lock);
	q->dev = NULL;
}

/**
 * wsq_sysfs_init() - create /sys/class/wsq
 *
 * Context: module load; wsq_default_cpus() is known.
 * Return: 0 or -errno.
 */
int wsq_sysfs_init(void)
{
	int ret;

	wsq_sysfs_class = wsq_class_create("wsq");
	if (IS_ERR(wsq_sysfs_class))
		return PTR_ERR(wsq_sysfs_class);
	ret = class_create_file(wsq_sysfs_class, &wsq_default_cpumask);
	if (ret)
		class_destroy(wsq_sysfs_class);
	return ret;
}

/**
 * wsq_sysfs_exit() - remove /sys/class/wsq
 *
 * Context: module unload; no queue is left.
 */
void wsq_sysfs_exit(void)
{
	class_remove_file(wsq_sysfs_class, &wsq_default_cpumask);
	class_destroy(wsq_sysfs_class);
}
