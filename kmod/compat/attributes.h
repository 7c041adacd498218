/* SPDX-License-Identifier: GPL-2.0 */
/*
 * __uninitialized is newer than 6.6. Where the kernel clears stack variables
 * (INIT_STACK_ALL_ZERO), it exempts variables that are filled in anyway.
 */
#ifndef _WSQ_COMPAT_ATTRIBUTES_H
#define _WSQ_COMPAT_ATTRIBUTES_H

#include <linux/compiler.h>

#ifndef __uninitialized
#if __has_attribute(uninitialized)
#define __uninitialized	__attribute__((uninitialized))
#else
#define __uninitialized
#endif
#endif

#endif /* _WSQ_COMPAT_ATTRIBUTES_H */
