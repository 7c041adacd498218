// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_kunit.ko: the KUnit suites of all layers in one module. Needs a kernel
 * with CONFIG_KUNIT; runs on insmod and reports KTAP to the kernel log.
 *
 * Meanwhile a stall is what tests have no patience for: items.h. Before that the
 * machine may be slow, and the laboratory takes a report's stack for a fault.
 */
#include <linux/jiffies.h>
#include <linux/module.h>

#include "../compat/export.h"
#include "../obs/stall.h"
#include "items.h"

static unsigned int stall_ms_before;

/* Suites run when this has returned. */
static int __init tests_init(void)
{
	unsigned int ms = jiffies_to_msecs(WSQ_TEST_PATIENCE);

	stall_ms_before = wsq_stall_ms;
	if (stall_ms_before && stall_ms_before < ms)
		WRITE_ONCE(wsq_stall_ms, ms);
	return 0;
}

static void __exit tests_exit(void)
{
	WRITE_ONCE(wsq_stall_ms, stall_ms_before);
}

module_init(tests_init);
module_exit(tests_exit);

MODULE_DESCRIPTION("KUnit suites of wsq");
MODULE_LICENSE("GPL");
WSQ_IMPORT_NS();
WSQ_IMPORT_KUNIT_NS();
