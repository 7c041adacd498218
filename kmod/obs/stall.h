/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stall detector, as the watch and the module see it. See stall.c.
 */
#ifndef _WSQ_OBS_STALL_H
#define _WSQ_OBS_STALL_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

extern unsigned int wsq_stall_ms;
extern bool wsq_stall_stack;
extern atomic_t wsq_stall_armed;
extern atomic_t wsq_stall_reports;

void wsq_stall_arm(void);
int wsq_stall_init(void);
void wsq_stall_exit(void);

/* A worker is awake: see to it that somebody looks after items that stall. */
static inline void wsq_stall_watch(void)
{
	if (unlikely(!atomic_read(&wsq_stall_armed)) &&
	    READ_ONCE(wsq_stall_ms))
		wsq_stall_arm();
}

#endif /* _WSQ_OBS_STALL_H */
