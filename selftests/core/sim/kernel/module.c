// SPDX-License-Identifier: GPL-2.0
/*
 * wsq.ko without its ring: kmod/main.c for the layers that are simulated,
 * without sysfs.
 */
#include "../../../../kmod/exec/exec.h"
#include "shim.h"

bool wsq_sysfs_name_ok(const char *name)
{
	return false;
}

int wsq_sysfs_add(struct wsq *q)
{
	return -EOPNOTSUPP;
}

void wsq_sysfs_remove(struct wsq *q)
{
}

int shim_module_init(void)
{
	return wsq_cpumask_init() ?: wsq_pool_module_init() ?:
	       wsq_classes_init() ?: wsq_queues_init() ?: wsq_workers_init();
}
