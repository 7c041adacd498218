// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in ops that idle CPUs take part in, by fork and join (kmod/algo).
 *
 * A fork-join object serves one run at a time. Each user has one object with all
 * CPUs, made when it is first needed. A task that finds it in use runs with an
 * object of its own and of one CPU: then there are other tasks for the other
 * CPUs. So besides that object a user has at most one for each of its running
 * tasks, and no task waits for another.
 *
 * Memory of kmod/algo, while a task runs: 130 KiB for fsverity of the largest
 * range, none for sort64, 270 KiB for gzip and each CPU that takes part.
 *
 * Cost: for a task that does not get the user's object, 5 KiB of memory that is
 * allocated and freed, and a mutex of all fork-join objects, twice.
 * Allocating may sleep, for long if the memory cgroup has little left. Then
 * other workers take over. So that they do not become many, each task of these
 * ops counts as one that has left, from its start (cont.c).
 *
 * Limitations: such a task has no state, and keeps its worker until it ends. The
 * memory for a task is charged to its ring's memory cgroup, but not the user's
 * object, of 9 KiB for each CPU, nor a task's own.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/string.h>
#include <linux/wsq_algo.h>
#include <linux/wsq_fj.h>

#include "../compat/export.h"
#include "../compat/memcg.h"
#include "ops.h"

/*
 * No op has more tasks spawned and not synced: sort64 has the most, below 40.
 * There is one more descriptor. All together are a page.
 */
#define WSQ_OP_FJ_DEPTH		63

static_assert((WSQ_OP_FJ_DEPTH + 1) * sizeof(struct wsq_fj_task) <= 4096);

/* For the first and the last. */
static_assert(WSQ_GZIP_BOUND(1) == 1 + WSQ_GZIP_EXTRA);
static_assert(WSQ_GZIP_BOUND(WSQ_OP_MAX_LEN) == WSQ_OP_MAX_LEN +
	      WSQ_OP_MAX_LEN / WSQ_GZIP_CHUNK * WSQ_GZIP_EXTRA);

static struct wsq_fj *wsq_op_fj_get(struct wsq_op_fj *of)
{
	static const struct wsq_fj_attrs all = { .depth = WSQ_OP_FJ_DEPTH };
	static const struct wsq_fj_attrs one = {
		.depth = WSQ_OP_FJ_DEPTH, .max_cpus = 1,
	};
	struct wsq_fj *fj;

	if (test_and_set_bit_lock(0, &of->busy))
		return wsq_fj_create(of->q, &one);
	fj = of->fj;
	if (!fj) {
		fj = wsq_fj_create(of->q, &all);
		if (IS_ERR(fj))
			clear_bit_unlock(0, &of->busy);
		else
			WRITE_ONCE(of->fj, fj);
	}
	return fj;
}

static void wsq_op_fj_put(struct wsq_op_fj *of, struct wsq_fj *fj)
{
	if (fj == READ_ONCE(of->fj))
		clear_bit_unlock(0, &of->busy);
	else
		wsq_fj_destroy(fj);
}

/**
 * wsq_op_fj_exit() - free a user's object
 * @of: it; no task runs
 *
 * Context: task; may sleep. Not from an item of the user's queue.
 */
void wsq_op_fj_exit(struct wsq_op_fj *of)
{
	if (of->fj)
		wsq_fj_destroy(of->fj);
	of->fj = NULL;
}
WSQ_EXPORT_KUNIT(wsq_op_fj_exit);

static int wsq_algo_op_stop(void *task)
{
	return wsq_op_stopped(task);
}

/* Run an op's function with an object. */
static s64 wsq_algo_op_run(const struct wsq_op_task *task,
			   s64 (*fn)(const struct wsq_op_task *task,
				     struct wsq_fj *fj,
				     const struct wsq_algo_stop *stop))
{
	const struct wsq_algo_stop stop = { wsq_algo_op_stop, (void *)task };
	struct wsq_op_fj *of = task->stop->fj;
	struct wsq_fj *fj = wsq_op_fj_get(of);
	struct mem_cgroup *outer;
	s64 res;

	if (IS_ERR(fj))
		return PTR_ERR(fj);
	outer = set_active_memcg(task->stop->memcg);
	res = fn(task, fj, &stop);
	set_active_memcg(outer);
	wsq_op_fj_put(of, fj);
	return res;
}

static s64 wsq_fsverity_run(const struct wsq_op_task *task, struct wsq_fj *fj,
			    const struct wsq_algo_stop *stop)
{
	struct wsq_tree_digest hash;
	int ret = wsq_tree_hash(fj, task->ranges[0].addr, task->len, &hash,
				stop);

	if (ret)
		return ret;
	memcpy(task->dst, &hash, sizeof(hash));
	return sizeof(hash);
}

static s64 wsq_fsverity_issue(const struct wsq_op_task *task)
{
	return wsq_algo_op_run(task, wsq_fsverity_run);
}

const struct wsq_op_def wsq_op_fsverity = {
	.name = "fsverity",
	.shape = WSQ_SHAPE_SRC,
	.cap = -1,
	.max_len = WSQ_OP_MAX_LEN,
	.dst_len = sizeof(struct wsq_tree_digest),
	.issue = wsq_fsverity_issue,
	.allocates = true,
};

static int wsq_sort64_prep(const struct wsq_sqe *sqe)
{
	return (sqe->src | sqe->len | sqe->dst) % sizeof(u64) ? -EINVAL : 0;
}

static s64 wsq_sort64_run(const struct wsq_op_task *task, struct wsq_fj *fj,
			  const struct wsq_algo_stop *stop)
{
	return wsq_sort_u64(fj, (u64 *)task->ranges[0].addr, (u64 *)task->dst,
			    task->len / sizeof(u64), stop) ?: (s64)task->len;
}

static s64 wsq_sort64_issue(const struct wsq_op_task *task)
{
	return wsq_algo_op_run(task, wsq_sort64_run);
}

const struct wsq_op_def wsq_op_sort64 = {
	.name = "sort64",
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_APART,
	.cap = -1,
	.max_len = WSQ_OP_MAX_LEN,
	.dst_len = WSQ_DST_ALL,
	.prep = wsq_sort64_prep,
	.issue = wsq_sort64_issue,
	.allocates = true,
};

static int wsq_gzip_prep(const struct wsq_sqe *sqe)
{
	/* Longer ones are refused later, with another error. */
	return sqe->len <= WSQ_OP_MAX_LEN &&
	       sqe->arg < WSQ_GZIP_BOUND(sqe->len) ? -EINVAL : 0;
}

static s64 wsq_gzip_run(const struct wsq_op_task *task, struct wsq_fj *fj,
			const struct wsq_algo_stop *stop)
{
	return wsq_gzip(fj, task->ranges[0].addr, task->len, task->dst,
			task->arg, stop);
}

static s64 wsq_gzip_issue(const struct wsq_op_task *task)
{
	return wsq_algo_op_run(task, wsq_gzip_run);
}

const struct wsq_op_def wsq_op_gzip = {
	.name = "gzip",
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_ARG | WSQ_SHAPE_APART,
	.cap = -1,
	.max_len = WSQ_OP_MAX_LEN,
	.dst_len = WSQ_DST_ARG,
	.prep = wsq_gzip_prep,
	.issue = wsq_gzip_issue,
	.allocates = true,
};

/**
 * wsq_algo_op_there() - does this kernel support a built-in op
 * @def: any of them
 *
 * Context: after wsq_algo_init().
 * Return: true if it does.
 */
bool wsq_algo_op_there(const struct wsq_op_def *def)
{
	if (def == &wsq_op_fsverity)
		return wsq_tree_hash_there();
	return def != &wsq_op_gzip || wsq_gzip_there();
}
