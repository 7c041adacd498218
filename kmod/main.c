// SPDX-License-Identifier: GPL-2.0
/*
 * wsq.ko: load and unload. Layers come up from below and go down from above.
 */
#include <linux/module.h>

#include "exec/exec.h"
#include "obs/debugfs.h"
#include "obs/stall.h"
#include "obs/sysfs.h"
#include "ring/ring.h"

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
	ret = wsq_ready_init();
	if (ret)
		goto exit_pool;
	ret = wsq_queues_init();
	if (ret)
		goto exit_ready;
	wsq_stall_init();
	ret = wsq_workers_init();
	if (ret)
		goto exit_stall;
	ret = wsq_ring_init();
	if (ret)
		goto exit_workers;
	wsq_debugfs_init();
	return 0;

exit_workers:
	wsq_workers_exit();
exit_stall:
	wsq_stall_exit();
	wsq_queues_exit();
exit_ready:
	wsq_ready_exit();
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
	wsq_workers_exit();
	wsq_stall_exit();
	wsq_queues_exit();
	wsq_ready_exit();
	wsq_pool_module_exit();
	wsq_sysfs_exit();
	wsq_cpumask_exit();
}

module_init(wsq_module_init);
module_exit(wsq_module_exit);

MODULE_DESCRIPTION("Per-CPU, NUMA-local, lock-free task pools and work queues");
MODULE_AUTHOR("The wsq founders");
MODULE_LICENSE("GPL");
