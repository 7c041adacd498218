/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics that are collected only on request. See collect.c.
 */
#ifndef _WSQ_OBS_COLLECT_H
#define _WSQ_OBS_COLLECT_H

#include <linux/types.h>

struct dentry;
struct wsq_worker;

void wsq_collect_files(struct dentry *dir);
u64 wsq_collect_ran_for(const struct wsq_worker *w);
void wsq_collect_exit(void);

#endif /* _WSQ_OBS_COLLECT_H */
