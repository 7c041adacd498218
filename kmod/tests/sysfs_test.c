// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_sysfs_test.ko: queues in sysfs for selftests/wsq/sysfs, on any kernel.
 *
 *	sysfs-test	exists as long as the module. Reading the module
 *			parameter ran_on runs an item there and prints the CPU
 *	sysfs-follows	likewise; it names no CPUs
 *	sysfs-churn	is created, given an item and destroyed, repeatedly.
 *			The parameter churned counts that
 *
 * Loading checks names: invalid ones are refused with the right error and leave
 * nothing behind; otherwise loading fails with -EIO. Costs: a busy thread.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/wsq.h>
#include <linux/wsq_version.h>

#include "../compat/export.h"

static struct wsq *steady;
static struct wsq *follows;
static struct task_struct *churn;
static unsigned int churned;
module_param(churned, uint, 0444);
MODULE_PARM_DESC(churned, "how many queues sysfs-churn there have been");

static const struct wsq_attrs in_sysfs = {
	.flags = WSQ_SYSFS | WSQ_RESIDENT,
	.cpumask = cpu_possible_mask,
	.blocks = 2,
	.block_size = 4,
};

static const struct wsq_attrs in_sysfs_follows = { .flags = WSQ_SYSFS };

struct where {
	struct wsq_work work;
	int cpu;
};

static void where_fn(struct wsq_work *work)
{
	container_of(work, struct where, work)->cpu = raw_smp_processor_id();
}

/* Run an item on @q and return its CPU. */
static int where(struct wsq *q)
{
	struct where w = { .cpu = -1 };

	INIT_WSQ_WORK_ONSTACK(&w.work, where_fn);
	wsq_queue_work(q, &w.work);
	wsq_flush_work(&w.work);
	wsq_destroy_work_on_stack(&w.work);
	return w.cpu;
}

/* Parameters can be read during module init and exit. */
static int ran_on_get(char *buf, const struct kernel_param *kp)
{
	struct wsq *q = READ_ONCE(steady);

	return q ? sysfs_emit(buf, "%d\n", where(q)) : -EAGAIN;
}

static const struct kernel_param_ops ran_on_ops = { .get = ran_on_get };
module_param_cb(ran_on, &ran_on_ops, NULL, 0444);
MODULE_PARM_DESC(ran_on, "runs an item in sysfs-test, and prints the CPU");

static int churn_fn(void *unused)
{
	while (!kthread_should_stop()) {
		struct wsq *q = wsq_create(&in_sysfs, "sysfs-churn");

		if (IS_ERR(q)) {
			pr_err("wsq_sysfs_test: wsq_create() returned %ld\n",
			       PTR_ERR(q));
			break;
		}
		if (where(q) < 0)
			pr_err("wsq_sysfs_test: an item did not run\n");
		usleep_range(100, 3000);
		wsq_destroy(q);
		WRITE_ONCE(churned, churned + 1);
	}
	while (!kthread_should_stop())
		schedule_timeout_idle(1);
	return 0;
}

/* A queue of this name is created, or refused with the right error. */
static bool try_name(const char *name, int want)
{
	struct wsq *q = wsq_create(&in_sysfs, "%s", name);
	int got = PTR_ERR_OR_ZERO(q);

	if (!got)
		wsq_destroy(q);
	if (got != want)
		pr_err("wsq_sysfs_test: '%s': %d, not %d\n", name, got, want);
	return got == want;
}

static int names(void)
{
	static const struct {
		const char *name;
		int want;
	} rows[] = {
		{ "", -EINVAL }, { ".", -EINVAL }, { "..", -EINVAL },
		{ "/", -EINVAL }, { "a/b", -EINVAL }, { "../x", -EINVAL },
		{ "a-name-of-thirty-two-characters!", -EINVAL },
		{ "a-name-of-thirty-one-characters", 0 },
		{ "sysfs-test", -EEXIST }, { "cpumask", -EEXIST },
		{ "...", 0 }, { "name with space", 0 }, { "name", 0 },
		/* Again: nothing is left of the one before. */
		{ "name", 0 },
	};
	struct wsq *q;
	bool ok = true;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		ok &= try_name(rows[i].name, rows[i].want);
	/* A queue that is not in sysfs may have any name. */
	q = wsq_create(NULL, "sysfs-test");
	if (IS_ERR(q))
		return PTR_ERR(q);
	wsq_destroy(q);
	return ok ? 0 : -EIO;
}

static int __init sysfs_test_init(void)
{
	struct wsq *q = wsq_create(&in_sysfs, "sysfs-test");
	int ret;

	if (IS_ERR(q))
		return PTR_ERR(q);
	follows = wsq_create(&in_sysfs_follows, "sysfs-follows");
	if (IS_ERR(follows)) {
		wsq_destroy(q);
		return PTR_ERR(follows);
	}
	ret = names();
	if (ret)
		goto destroy;
	churn = kthread_run(churn_fn, NULL, "wsq_sysfs_churn");
	ret = PTR_ERR_OR_ZERO(churn);
	if (ret)
		goto destroy;
	WRITE_ONCE(steady, q);
	return 0;
destroy:
	wsq_destroy(follows);
	wsq_destroy(q);
	return ret;
}

static void __exit sysfs_test_exit(void)
{
	struct wsq *q = steady;

	/* Readers of ran_on hold the lock of the parameters. */
	kernel_param_lock(THIS_MODULE);
	WRITE_ONCE(steady, NULL);
	kernel_param_unlock(THIS_MODULE);
	kthread_stop(churn);
	wsq_destroy(follows);
	wsq_destroy(q);
}

module_init(sysfs_test_init);
module_exit(sysfs_test_exit);

MODULE_DESCRIPTION("Queues in sysfs for tests of wsq");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
