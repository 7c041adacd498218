// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_kunit.ko: the KUnit suites of all layers in one module. Needs a kernel
 * with CONFIG_KUNIT. Runs on insmod and reports KTAP to the kernel log.
 *
 * During the tests only what exceeds their timeout (items.h) counts as a stall.
 * Until then the machine may just be slow, and the lab treats the stack in a
 * stall report as a fault.
 */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/wsq_version.h>

#include "../compat/export.h"
#include "../obs/stall.h"
#include "items.h"

char *wsq_test_only = "";
module_param_named(engine, wsq_test_only, charp, 0444);
MODULE_PARM_DESC(engine, "the only engine of cases for which it is a detail (all)");

static unsigned int stall_ms_before;

/* Suites run after this has returned. */
static int __init tests_init(void)
{
	unsigned int ms = jiffies_to_msecs(WSQ_TEST_TIMEOUT);

	if (*wsq_test_only && !wsq_test_engine_known(wsq_test_only)) {
		pr_err("wsq_kunit: there is no engine %s\n", wsq_test_only);
		return -EINVAL;
	}
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
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
WSQ_IMPORT_KUNIT_NS();
