/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queues in sysfs, as the work service and the module see it. See sysfs.c.
 */
#ifndef _WSQ_OBS_SYSFS_H
#define _WSQ_OBS_SYSFS_H

#include <linux/types.h>

struct wsq;

bool wsq_sysfs_name_ok(const char *name);
int wsq_sysfs_add(struct wsq *q);
void wsq_sysfs_remove(struct wsq *q);
int wsq_sysfs_init(void);
void wsq_sysfs_exit(void);

#endif /* _WSQ_OBS_SYSFS_H */
