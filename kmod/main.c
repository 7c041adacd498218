// SPDX-License-Identifier: GPL-2.0
/*
 * wsq.ko: load and unload. Layers are set up bottom to top, and torn down in
 * the reverse order.
 */
#include <linux/module.h>
#include <linux/wsq_version.h>

#include "algo/algo.h"
#include "exec/exec.h"
#include "obs/debugfs.h"
#include "obs/stall.h"
#include "obs/sysfs.h"
#include "ring/dev.h"

static int __init wsq_module_init(void)
{
	int ret;

	ret = wsq_cpumask_init();
	if (ret)
		return ret;
	ret = wsq_sysfs_init();
	if (ret)
		goto exit_cpumask;
	ret = wsq_pool_module_init();
	if (ret)
		goto exit_sysfs;
	ret = wsq_classes_init();
	if (ret)
		goto exit_pool;
	ret = wsq_queues_init();
	if (ret)
		goto exit_classes;
	wsq_stall_init();
	ret = wsq_workers_init();
	if (ret)
		goto exit_stall;
	ret = wsq_algo_init();
	if (ret)
		goto exit_workers;
	ret = wsq_ring_init();
	if (ret)
		goto exit_algo;
	wsq_debugfs_init();
	return 0;

exit_algo:
	wsq_algo_exit();
exit_workers:
	wsq_workers_exit();
exit_stall:
	wsq_stall_exit();
	wsq_queues_exit();
exit_classes:
	wsq_classes_exit();
exit_pool:
	wsq_pool_module_exit();
exit_sysfs:
	wsq_sysfs_exit();
exit_cpumask:
	wsq_cpumask_exit();
	return ret;
}

static void __exit wsq_module_exit(void)
{
	wsq_debugfs_exit();
	wsq_ring_exit();
	wsq_algo_exit();
	wsq_workers_exit();
	wsq_stall_exit();
	wsq_queues_exit();
	wsq_classes_exit();
	wsq_pool_module_exit();
	wsq_sysfs_exit();
	wsq_cpumask_exit();
}

module_init(wsq_module_init);
module_exit(wsq_module_exit);

MODULE_DESCRIPTION("Per-CPU, NUMA-local, lock-free task pools and work queues");
MODULE_AUTHOR("The wsq founders");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
