// SPDX-License-Identifier: GPL-2.0
/*
 * many.ko: makes idle queues, so that tools/check/shapes can read their cost in
 * /proc/meminfo and compare it with the documented formula.
 *
 *	insmod many.ko queues=500
 *
 * The queues are destroyed when the module is removed.
 */
#include <linux/module.h>
#include <linux/vmalloc.h>
#include <linux/wsq.h>

#include "../../../kmod/compat/export.h"

static unsigned int queues = 500;
module_param(queues, uint, 0444);
MODULE_PARM_DESC(queues, "how many queues");

static struct wsq **all;

static void many_exit(void)
{
	unsigned int i;

	for (i = 0; i < queues && !IS_ERR_OR_NULL(all[i]); i++)
		wsq_destroy(all[i]);
	vfree(all);
}

static int __init many_init(void)
{
	unsigned int i;
	int ret;

	all = vcalloc(queues, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (i = 0; i < queues; i++) {
		all[i] = wsq_create(NULL, "many");
		if (IS_ERR(all[i])) {
			ret = PTR_ERR(all[i]);
			many_exit();
			return ret;
		}
	}
	return 0;
}

module_init(many_init);
module_exit(many_exit);

MODULE_DESCRIPTION("Idle queues of wsq, for what they cost");
MODULE_LICENSE("GPL");
WSQ_IMPORT_NS();
