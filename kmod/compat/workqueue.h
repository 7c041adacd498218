/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/workqueue.h>: 6.9 added WQ_BH. 6.18 requires a flag for per-CPU
 * queues, renamed system_wq, and warns about uses of the old name.
 */
#ifndef _WSQ_COMPAT_WORKQUEUE_H
#define _WSQ_COMPAT_WORKQUEUE_H

#include <linux/version.h>
#include <linux/workqueue.h>

/* Flags of a per-CPU queue and of system_wq. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define WSQ_WQ_PERCPU		WQ_PERCPU
#define wsq_system_wq		system_percpu_wq
#else
#define WSQ_WQ_PERCPU		0
#define wsq_system_wq		system_wq
#endif

/* Flags of a queue that runs in softirq context; 0 if the kernel has none. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define WSQ_WQ_BH		(WQ_BH | WSQ_WQ_PERCPU)
#else
#define WSQ_WQ_BH		0
#endif

#endif /* _WSQ_COMPAT_WORKQUEUE_H */
