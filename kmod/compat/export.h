/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/export.h>: 6.13 wants the namespace as a string, older kernels as a
 * bare word.
 */
#ifndef _WSQ_COMPAT_EXPORT_H
#define _WSQ_COMPAT_EXPORT_H

#include <linux/export.h>
#include <linux/module.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define WSQ_EXPORT(sym)		EXPORT_SYMBOL_NS_GPL(sym, "WSQ")
#define WSQ_IMPORT_NS()		MODULE_IMPORT_NS("WSQ")
#else
#define WSQ_EXPORT(sym)		EXPORT_SYMBOL_NS_GPL(sym, WSQ)
#define WSQ_IMPORT_NS()		MODULE_IMPORT_NS(WSQ)
#endif

#endif /* _WSQ_COMPAT_EXPORT_H */
