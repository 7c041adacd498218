/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /sys/kernel/debug/wsq. See debugfs.c.
 */
#ifndef _WSQ_OBS_DEBUGFS_H
#define _WSQ_OBS_DEBUGFS_H

void wsq_debugfs_init(void);
void wsq_debugfs_exit(void);

#endif /* _WSQ_OBS_DEBUGFS_H */
