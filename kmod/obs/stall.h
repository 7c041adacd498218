/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stall detector. See stall.c.
 */
#ifndef _WSQ_OBS_STALL_H
#define _WSQ_OBS_STALL_H

#include <linux/atomic.h>
#include <linux/types.h>

extern unsigned int wsq_stall_ms;
extern bool wsq_stall_stack;
extern atomic_t wsq_stall_armed;
extern atomic_t wsq_stall_reports;

void wsq_stall_init(void);
void wsq_stall_exit(void);

#endif /* _WSQ_OBS_STALL_H */
