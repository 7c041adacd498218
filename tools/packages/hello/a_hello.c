// SPDX-License-Identifier: GPL-2.0
/*
 * The smallest user of wsq that DKMS builds: queues one item, waits for it, and
 * says where it ran. It is called a_hello so that it is before wsq in every list:
 * only BUILD_DEPENDS has wsq built first.
 */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/wsq.h>

static struct wsq *q;

static void hello_fn(struct wsq_work *work)
{
	pr_info("a_hello: from %s\n", current->comm);
}

static DECLARE_WSQ_WORK(hello, hello_fn);

static int __init hello_init(void)
{
	q = wsq_create(NULL, "hello");
	if (IS_ERR(q))
		return PTR_ERR(q);
	wsq_queue_work(q, &hello);
	wsq_flush_work(&hello);
	return 0;
}

static void __exit hello_exit(void)
{
	wsq_destroy(q);
}

module_init(hello_init);
module_exit(hello_exit);

MODULE_DESCRIPTION("The smallest user of wsq that DKMS builds");
MODULE_LICENSE("GPL");
WSQ_IMPORT_NS();
