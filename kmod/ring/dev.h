/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/wsq: the device, see dev.c. */
#ifndef _WSQ_RING_DEV_H
#define _WSQ_RING_DEV_H

#include <linux/types.h>

int wsq_ring_init(void);
void wsq_ring_exit(void);
int wsq_struct_get(void *dst, size_t ksize, size_t least,
		   const void __user *src, u32 *size);
int wsq_struct_put(void __user *dst, const void *src, size_t ksize, u32 size);

/* %WSQ_IOC_STATS shows counters of all rooms: kmod/obs supplies it. */
long wsq_ioctl_stats(void __user *arg);

#endif /* _WSQ_RING_DEV_H */
