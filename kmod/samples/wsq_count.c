// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_count.ko: how another module adds an op for processes. "count" returns
 * how often a byte, arg, occurs in a range or a list of ranges.
 *
 *	insmod wsq_count.ko
 *	wsqctl info | grep count
 *
 * With cap=N, the opener of /dev/wsq must have capability N.
 *
 * In the namespace WSQ; depends on wsq.ko.
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/wsq_op.h>
#include <linux/wsq_version.h>

static int cap = -1;
module_param(cap, int, 0444);
MODULE_PARM_DESC(cap, "capability that it requires (default -1, none)");

static int count_prep(const struct wsq_sqe *sqe)
{
	return sqe->arg > U8_MAX ? -EINVAL : 0;
}

/* Progress of a task, which may leave its worker between two segments. */
struct count {
	struct wsq_op_piece p;
	s64 found;
};

static s64 count_issue(const struct wsq_op_task *task)
{
	struct count *c = task->state;
	size_t i;
	int ret;

	while ((ret = wsq_op_next_piece(task, &c->p)) > 0)
		for (i = 0; i < c->p.len; i++)
			c->found += READ_ONCE(c->p.addr[i]) == task->arg;
	return ret ?: c->found;
}

static struct wsq_op_def count_op = {
	.name = "count",
	.owner = THIS_MODULE,
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST | WSQ_SHAPE_ARG,
	.max_len = SZ_16M,
	.state_size = sizeof(struct count),
	.prep = count_prep,
	.issue = count_issue,
};

static int __init count_init(void)
{
	int nr;

	count_op.cap = cap;
	nr = wsq_register_op(&count_op);
	if (nr < 0)
		return nr;
	pr_info("wsq_count: op %s is number %d\n", count_op.name, nr);
	return 0;
}

static void __exit count_exit(void)
{
	/* No task of the op is running when this returns. */
	wsq_unregister_op(&count_op);
}

module_init(count_init);
module_exit(count_exit);

MODULE_DESCRIPTION("Sample op for rings of wsq");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
