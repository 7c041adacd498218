/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's class in sysfs. See sysfs.c; what queues need of it is in
 * exec/exec.h.
 */
#ifndef _WSQ_OBS_SYSFS_H
#define _WSQ_OBS_SYSFS_H

int wsq_sysfs_init(void);
void wsq_sysfs_exit(void);

#endif /* _WSQ_OBS_SYSFS_H */
