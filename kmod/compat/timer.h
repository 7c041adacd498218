/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/timer.h>: del_timer() became timer_delete() in 6.2, and was removed
 * later; destroy_timer_on_stack() became timer_destroy_on_stack() in 6.16. From
 * 6.9 on add_timer() leaves a timer pinned that add_timer_on() once pinned.
 */
#ifndef _WSQ_COMPAT_TIMER_H
#define _WSQ_COMPAT_TIMER_H

#include <linux/timer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define timer_delete(timer)		del_timer(timer)
#define timer_delete_sync(timer)	del_timer_sync(timer)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define add_timer_global(timer)		add_timer(timer)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define timer_destroy_on_stack(timer)	destroy_timer_on_stack(timer)
#endif

#endif /* _WSQ_COMPAT_TIMER_H */
