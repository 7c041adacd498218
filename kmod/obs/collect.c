// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics that are collected only on request, by writing 1 to `collect` in
 * /sys/kernel/debug/wsq: histograms of latency (hist.c) and a matrix of steals
 * (steal_matrix.c). Both attach to tracepoints, so they cost nothing otherwise.
 *
 * Writing 1 again starts afresh: the new collection is attached before the old
 * one is detached, so that a failure leaves the old one in place. Each has its
 * own memory, which its probes get as their argument.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "../exec/exec.h"
#include "collect.h"
#include "hist.h"
#include "steal_matrix.h"

/**
 * struct wsq_collection - one collection
 * @hist: latencies
 * @steals: steals by thief and victim
 */
struct wsq_collection {
	struct wsq_hist *hist;
	struct wsq_steals *steals;
};

/* The attached collection, or %NULL. Under the lock. */
static struct wsq_collection *wsq_collection;
static DEFINE_MUTEX(wsq_collect_lock);

static void wsq_collection_free(struct wsq_collection *n)
{
	wsq_steals_destroy(n->steals);
	wsq_hist_destroy(n->hist);
	kfree(n);
}

/* Free a detached collection. Its probes may still run. */
static void wsq_collection_drop(struct wsq_collection *n)
{
	tracepoint_synchronize_unregister();
	wsq_collection_free(n);
}

static void wsq_collection_end(struct wsq_collection *n)
{
	wsq_steals_detach(n->steals);
	wsq_hist_detach(n->hist);
	wsq_collection_drop(n);
}

static int wsq_collection_attach(struct wsq_collection *n)
{
	int ret = wsq_hist_attach(n->hist);

	if (ret)
		return ret;
	ret = wsq_steals_attach(n->steals);
	if (ret)
		wsq_hist_detach(n->hist);
	return ret;
}

/* Create a collection and attach it. */
static int wsq_collection_begin(struct wsq_collection **out)
{
	struct wsq_collection *n = kzalloc(sizeof(*n), GFP_KERNEL);
	int ret;

	if (!n)
		return -ENOMEM;
	n->hist = wsq_hist_create();
	n->steals = wsq_steals_create();
	if (!n->hist || !n->steals) {
		wsq_collection_free(n);
		return -ENOMEM;
	}
	ret = wsq_collection_attach(n);
	if (ret)
		wsq_collection_drop(n);
	else
		*out = n;
	return ret;
}

static int wsq_collect_set(bool on)
{
	struct wsq_collection *n = NULL, *old;
	int ret;

	ret = mutex_lock_interruptible(&wsq_collect_lock);
	if (ret)
		return ret;
	if (on)
		ret = wsq_collection_begin(&n);
	if (!ret) {
		old = wsq_collection;
		wsq_collection = n;
		if (old)
			wsq_collection_end(old);
	}
	mutex_unlock(&wsq_collect_lock);
	return ret;
}

/* 0 or 1, with or without a newline, and nothing else. */
static ssize_t wsq_collect_write(struct file *file, const char __user *from,
				 size_t count, loff_t *pos)
{
	char text[3];
	int ret;

	if (!count || count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	if ((text[0] != '0' && text[0] != '1') ||
	    (count == 2 && text[1] != '\n'))
		return -EINVAL;
	ret = wsq_collect_set(text[0] == '1');
	return ret ?: count;
}

static int wsq_collect_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%d\n", !!READ_ONCE(wsq_collection));
	return 0;
}

static int wsq_collect_open(struct inode *inode, struct file *file)
{
	return single_open(file, wsq_collect_show, NULL);
}

static const struct file_operations wsq_collect_fops = {
	.owner		= THIS_MODULE,
	.open		= wsq_collect_open,
	.read		= seq_read,
	.write		= wsq_collect_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int wsq_latency_show(struct seq_file *m, void *unused)
{
	int ret = mutex_lock_interruptible(&wsq_collect_lock);

	if (ret)
		return ret;
	seq_puts(m, "# items that waited, and ran, for ns or more, but less than the next line's\n");
	if (wsq_collection)
		ret = wsq_hist_show(m, wsq_collection->hist);
	mutex_unlock(&wsq_collect_lock);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(wsq_latency);

static int wsq_matrix_show(struct seq_file *m, void *unused)
{
	int ret = mutex_lock_interruptible(&wsq_collect_lock);

	if (ret)
		return ret;
	seq_puts(m, "# items that the CPU of the line has stolen from those of the columns\n");
	if (wsq_collection)
		ret = wsq_steals_show(m, wsq_collection->steals);
	mutex_unlock(&wsq_collect_lock);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(wsq_matrix);

/**
 * wsq_collect_files() - create the files
 * @dir: their directory
 *
 * Context: module load.
 */
void wsq_collect_files(struct dentry *dir)
{
	debugfs_create_file("collect", 0600, dir, NULL, &wsq_collect_fops);
	debugfs_create_file("latency", 0400, dir, NULL, &wsq_latency_fops);
	debugfs_create_file("steals", 0400, dir, NULL, &wsq_matrix_fops);
}

/**
 * wsq_collect_ran_for() - how long a worker has been running its item
 * @w: the worker, which cannot be freed
 *
 * Context: any.
 * Return: nanoseconds, 1 at least; 0 if it runs nothing, or nothing was
 * collected when the item began.
 */
u64 wsq_collect_ran_for(const struct wsq_worker *w)
{
	/* Pairs with the release in wsq_hist_start_probe(). */
	u64 run = smp_load_acquire(&w->began_run);		/* BG(ran:A) */
	u64 began = READ_ONCE(w->began);

	/* A later @began is stored after the later @nr_run. */
	smp_rmb();						/* BG(ran:B) */
	if (!READ_ONCE(w->cur) || !run || READ_ONCE(w->nr_run) != run)
		return 0;
	return max_t(s64, ktime_get_mono_fast_ns() - began, 1);
}

/**
 * wsq_collect_exit() - stop collecting
 *
 * Context: module unload; the files are gone.
 */
void wsq_collect_exit(void)
{
	if (wsq_collection)
		wsq_collection_end(wsq_collection);
}
