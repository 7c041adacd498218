// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_kunit.ko: the KUnit suites of all layers in one module. Needs a kernel
 * with CONFIG_KUNIT; runs on insmod and reports KTAP to the kernel log.
 */
#include <linux/module.h>

#include "../compat/export.h"

MODULE_DESCRIPTION("KUnit suites of wsq");
MODULE_LICENSE("GPL");
WSQ_IMPORT_NS();
