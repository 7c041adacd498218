/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/device/class.h>: 6.4 made the class that callbacks get const, and
 * removed the module argument of class_create().
 */
#ifndef _WSQ_COMPAT_DEVICE_H
#define _WSQ_COMPAT_DEVICE_H

#include <linux/device.h>
#include <linux/module.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define wsq_class_const
#define wsq_class_create(name)	class_create(THIS_MODULE, name)
#else
#define wsq_class_const		const
#define wsq_class_create(name)	class_create(name)
#endif

#endif /* _WSQ_COMPAT_DEVICE_H */
