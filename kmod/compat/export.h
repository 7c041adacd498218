/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/export.h>: 6.13 takes the namespace as a string, older kernels as a
 * bare word.
 *
 * WSQ is the namespace of the in-kernel API (include/linux) and of what the
 * module's own torture test, benchmark and samples need beside it. WSQ_KUNIT
 * has what only the KUnit suites use. On kernels without KUnit, which users
 * build for, it is not exported at all, so nothing can come to depend on it.
 */
#ifndef _WSQ_COMPAT_EXPORT_H
#define _WSQ_COMPAT_EXPORT_H

#include <linux/export.h>
#include <linux/module.h>
#include <linux/version.h>
#include <linux/wsq_ns.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define WSQ_EXPORT(sym)		EXPORT_SYMBOL_NS_GPL(sym, "WSQ")
#define WSQ_EXPORT_TESTED(sym)	EXPORT_SYMBOL_NS_GPL(sym, "WSQ_KUNIT")
#define WSQ_IMPORT_KUNIT_NS()	MODULE_IMPORT_NS("WSQ_KUNIT")
#else
#define WSQ_EXPORT(sym)		EXPORT_SYMBOL_NS_GPL(sym, WSQ)
#define WSQ_EXPORT_TESTED(sym)	EXPORT_SYMBOL_NS_GPL(sym, WSQ_KUNIT)
#define WSQ_IMPORT_KUNIT_NS()	MODULE_IMPORT_NS(WSQ_KUNIT)
#endif

#if IS_ENABLED(CONFIG_KUNIT)
#define WSQ_EXPORT_KUNIT(sym)	WSQ_EXPORT_TESTED(sym)
#else
#define WSQ_EXPORT_KUNIT(sym)
#endif

#endif /* _WSQ_COMPAT_EXPORT_H */
