/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The symbol namespace of wsq, for modules that use it. <linux/wsq.h> and
 * <linux/wsq_op.h> include this header.
 */
#ifndef _LINUX_WSQ_NS_H
#define _LINUX_WSQ_NS_H

/**
 * WSQ_IMPORT_NS - import the symbols of wsq into this module
 *
 * Stands once in a module, beside MODULE_LICENSE(), and needs <linux/module.h>.
 * MODULE_IMPORT_NS() takes a string from 6.13 on and a bare word before. This
 * macro expands to what either of them expands to, so a module that uses it
 * builds for every kernel.
 */
#define WSQ_IMPORT_NS()	MODULE_INFO(import_ns, "WSQ")

#endif /* _LINUX_WSQ_NS_H */
