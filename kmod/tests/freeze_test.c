// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_freeze_test.ko: freezable queues for selftests/wsq/freeze, on any kernel
 * with CONFIG_PM_SLEEP. It has a device. The device's suspend and resume
 * callbacks are called while everything is frozen, and check that
 *
 *	- no item of a freezable queue is under way, none begins, wherever it was
 *	  put and whatever timer has expired, and one can be cancelled;
 *	- items of another queue run;
 *	- a freezable queue that is destroyed runs its items.
 *
 * Meanwhile, and before, items that sleep, compute and queue themselves again
 * run on all CPUs: bound ones, those of a serial, of a queue that keeps order,
 * and of timers.
 *
 * Parameters: suspended counts the suspends, wrong the checks that failed, ran
 * the items; writing 1 to hold begins an item that ends when 0 is written.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/slab.h>
#include <linux/wsq.h>
#include <linux/wsq_serial.h>
#include <linux/wsq_version.h>

#include "../compat/export.h"

#define NR_ITEMS	8

static unsigned int suspended, wrong;
module_param(suspended, uint, 0444);
MODULE_PARM_DESC(suspended, "how often the device was suspended");
module_param(wrong, uint, 0444);
MODULE_PARM_DESC(wrong, "how many checks failed");

static struct platform_device *device;
static struct wsq *frozen, *ordered, *plain;
static struct wsq_serial serial;
static atomic_t inside, ran;
static bool ending;

/**
 * struct busy - an item that queues itself again
 * @dwork: the item
 * @nr: its number, which says how
 */
struct busy {
	struct wsq_delayed_work dwork;
	int nr;
};

static struct busy busy[NR_ITEMS];
static struct wsq_serial_work works[2];

/* An item of a freezable queue. */
static void one_run(int nr)
{
	atomic_inc(&inside);
	atomic_inc(&ran);
	if (nr & 1)
		usleep_range(1000, 5000);
	else
		udelay(9);
	atomic_dec(&inside);
}

static void busy_fn(struct wsq_work *work)
{
	struct busy *b = container_of(to_wsq_delayed_work(work), struct busy, dwork);
	struct wsq *q = b->nr & 4 ? ordered : frozen;

	one_run(b->nr);
	if (READ_ONCE(ending))
		return;
	if (b->nr & 2)
		wsq_queue_delayed_work(q, &b->dwork, 1);
	else
		wsq_queue_delayed_work_on(b->nr % nr_cpu_ids, q, &b->dwork, 0);
}

static void serial_fn(struct wsq_serial_work *work)
{
	one_run(work - works);
	if (!READ_ONCE(ending))
		wsq_serial_queue(&serial, work);
}

static int ran_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&ran));
}

static const struct kernel_param_ops ran_ops = { .get = ran_get };
module_param_cb(ran, &ran_ops, NULL, 0444);
MODULE_PARM_DESC(ran, "how many items of freezable queues have begun");

/* An item that ends when it may. */
static DECLARE_COMPLETION(let_go);
static bool hold;

static void hold_fn(struct wsq_work *work)
{
	wait_for_completion(&let_go);
}

static DECLARE_WSQ_WORK(hold_work, hold_fn);

static int hold_set(const char *val, const struct kernel_param *kp)
{
	int ret = param_set_bool(val, kp);

	if (ret || !device)
		return ret;
	if (!hold) {
		complete_all(&let_go);
		return 0;
	}
	wsq_flush_work(&hold_work);
	reinit_completion(&let_go);
	wsq_queue_work(frozen, &hold_work);
	/* It has begun when this returns. */
	while (!(wsq_work_busy(&hold_work) & WSQ_BUSY_RUNNING))
		usleep_range(100, 1000);
	return 0;
}

static const struct kernel_param_ops hold_ops = {
	.set = hold_set,
	.get = param_get_bool,
};

module_param_cb(hold, &hold_ops, &hold, 0600);
MODULE_PARM_DESC(hold, "an item is under way");

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	pr_err("wsq_freeze_test: %s\n", what);
	wrong++;
}

/* An item of a callback. */
struct probe {
	struct wsq_work work;
	bool done;
};

static void probe_fn(struct wsq_work *work)
{
	WRITE_ONCE(container_of(work, struct probe, work)->done, true);
}

static struct probe probes[4];

/* Does the item of another queue run? */
static void check_plain(void)
{
	struct probe *p = &probes[0];

	p->done = false;
	check(wsq_queue_work(plain, &p->work), "an item is pending");
	wsq_flush_work(&p->work);
	check(p->done, "an item of a plain queue has not run");
}

static void check_destroy(void)
{
	static const struct wsq_attrs attrs = { .flags = WSQ_FREEZABLE };
	struct wsq *q = wsq_create(&attrs, "freeze-destroy");
	struct probe *p = &probes[1];

	if (IS_ERR(q)) {
		check(false, "no queue");
		return;
	}
	p->done = false;
	wsq_queue_work(q, &p->work);
	msleep(50);
	check(!p->done, "an item of a queue that was created now has run");
	wsq_destroy(q);
	check(p->done, "an item of a queue that was destroyed has not run");
}

/* Called while all is frozen. */
static int freeze_suspend(struct device *dev)
{
	int before = atomic_read(&ran), i;

	suspended++;
	check(!atomic_read(&inside), "an item of a freezable queue is under way");
	for (i = 2; i < 4; i++) {
		probes[i].done = false;
		check(wsq_queue_work(i & 1 ? ordered : frozen, &probes[i].work),
		      "an item is pending");
	}
	msleep(200);
	check(atomic_read(&ran) == before, "an item of a freezable queue has begun");
	check(!probes[2].done && !probes[3].done, "an item has run");
	for (i = 2; i < 4; i++) {
		check(wsq_cancel_work_sync(&probes[i].work),
		      "an item was not cancelled");
		wsq_queue_work(i & 1 ? ordered : frozen, &probes[i].work);
	}
	check_plain();
	check_destroy();
	return 0;
}

static int freeze_resume(struct device *dev)
{
	int before = atomic_read(&ran);

	msleep(50);
	check(atomic_read(&ran) == before, "an item has begun before the thaw");
	check(!probes[2].done && !probes[3].done, "an item has run before the thaw");
	check_plain();
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(freeze_pm, freeze_suspend, freeze_resume);

static struct platform_driver driver = {
	.driver = {
		.name = "wsq_freeze_test",
		.pm = pm_sleep_ptr(&freeze_pm),
	},
};

static void destroy_queues(void)
{
	wsq_destroy(frozen);
	wsq_destroy(ordered);
	wsq_destroy(plain);
}

static int create_queues(void)
{
	struct wsq_attrs attrs = { .flags = WSQ_FREEZABLE };
	struct wsq *q;

	q = wsq_create(&attrs, "freeze");
	if (IS_ERR(q))
		return PTR_ERR(q);
	frozen = q;
	attrs.flags |= WSQ_ORDERED | WSQ_MEM_RECLAIM;
	q = wsq_create(&attrs, "freeze-ordered");
	if (IS_ERR(q))
		return PTR_ERR(q);
	ordered = q;
	q = wsq_create(NULL, "freeze-plain");
	if (IS_ERR(q))
		return PTR_ERR(q);
	plain = q;
	return 0;
}

static int __init freeze_test_init(void)
{
	int ret, i;

	ret = create_queues();
	if (ret)
		goto destroy;
	ret = platform_driver_register(&driver);
	if (ret)
		goto destroy;
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		INIT_WSQ_WORK(&probes[i].work, probe_fn);
	device = platform_device_register_simple("wsq_freeze_test", -1, NULL, 0);
	if (IS_ERR(device)) {
		ret = PTR_ERR(device);
		goto unregister;
	}
	wsq_serial_init(&serial, frozen);
	for (i = 0; i < ARRAY_SIZE(works); i++) {
		wsq_serial_work_init(&works[i], serial_fn);
		wsq_serial_queue(&serial, &works[i]);
	}
	for (i = 0; i < NR_ITEMS; i++) {
		INIT_WSQ_DELAYED_WORK(&busy[i].dwork, busy_fn);
		busy[i].nr = i;
		wsq_queue_delayed_work(i & 4 ? ordered : frozen, &busy[i].dwork, 0);
	}
	return 0;
unregister:
	platform_driver_unregister(&driver);
destroy:
	destroy_queues();
	return ret;
}

static void __exit freeze_test_exit(void)
{
	int i;

	WRITE_ONCE(ending, true);
	for (i = 0; i < NR_ITEMS; i++)
		wsq_cancel_delayed_work_sync(&busy[i].dwork);
	wsq_serial_destroy(&serial);
	complete_all(&let_go);
	platform_device_unregister(device);
	platform_driver_unregister(&driver);
	destroy_queues();
}

module_init(freeze_test_init);
module_exit(freeze_test_exit);

MODULE_DESCRIPTION("Freezable queues for tests of wsq");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
