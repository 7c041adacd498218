/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/unaligned.h> was <asm/unaligned.h> before 6.12.
 */
#ifndef _WSQ_COMPAT_UNALIGNED_H
#define _WSQ_COMPAT_UNALIGNED_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif /* _WSQ_COMPAT_UNALIGNED_H */
