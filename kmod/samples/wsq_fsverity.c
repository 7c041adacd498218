// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_fsverity.ko: how another module uses fork and join, by <linux/wsq_algo.h>.
 * Computes the digest of a file that "fsverity digest" prints, on one CPU and on
 * all, and prints it, the times, and how many tasks were stolen.
 *
 *	insmod wsq_fsverity.ko file=/boot/vmlinuz
 *
 * In the namespace WSQ; depends on wsq.ko.
 * Limitations: the file is read whole, into memory.
 */
#include <linux/err.h>
#include <linux/kernel_read_file.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/wsq.h>
#include <linux/wsq_algo.h>
#include <linux/wsq_fj.h>
#include <linux/wsq_version.h>

static char *file = "/boot/vmlinuz";
module_param(file, charp, 0444);
MODULE_PARM_DESC(file, "the file (default /boot/vmlinuz)");

/* On at most @max_cpus CPUs, or on all that are online. */
static int fsverity_run(struct wsq *q, u32 max_cpus, const void *data,
			size_t len, struct wsq_tree_digest *hash)
{
	const struct wsq_fj_attrs attrs = { .max_cpus = max_cpus };
	struct wsq_fj *fj = wsq_fj_create(q, &attrs);
	struct wsq_fj_stats stats;
	ktime_t start;
	int ret;

	if (IS_ERR(fj))
		return PTR_ERR(fj);
	start = ktime_get();
	ret = wsq_tree_hash(fj, data, len, hash, NULL);
	wsq_fj_read_stats(fj, &stats);
	if (!ret)
		pr_info("wsq_fsverity: CPUs %u: %lld us, %llu tasks stolen, helpers started %llu times\n",
			max_cpus ?: num_online_cpus(),
			ktime_us_delta(ktime_get(), start),
			stats.steals + stats.leaps, stats.started);
	wsq_fj_destroy(fj);
	return ret;
}

static int fsverity_both(const void *data, size_t len)
{
	struct wsq *q = wsq_create(NULL, "fsverity");
	struct wsq_tree_digest one, all;
	int ret;

	if (IS_ERR(q))
		return PTR_ERR(q);
	ret = fsverity_run(q, 1, data, len, &one);
	if (!ret)
		ret = fsverity_run(q, 0, data, len, &all);
	if (!ret && memcmp(&one, &all, sizeof(one)))
		ret = -EBADMSG;
	if (!ret)
		pr_info("wsq_fsverity: %zu bytes: sha256:%*phN %s\n", len,
			WSQ_TREE_HASH, all.digest, file);
	wsq_destroy(q);
	return ret;
}

static int __init fsverity_init(void)
{
	void *data = NULL;
	ssize_t len;
	int ret;

	len = kernel_read_file_from_path(file, 0, &data, INT_MAX, NULL,
					 READING_UNKNOWN);
	if (len < 0)
		return len;
	ret = fsverity_both(data, len);
	vfree(data);
	return ret;
}

static void __exit fsverity_exit(void)
{
}

module_init(fsverity_init);
module_exit(fsverity_exit);

MODULE_DESCRIPTION("fs-verity's digest of a file, by fork and join");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
