// SPDX-License-Identifier: GPL-2.0
/*
 * The jobs of the fork-join benchmark by the macros of <linux/wsq_fj.h>, with
 * kmod/core/fj_team.c beneath. Compiled as modules are: no vector registers,
 * not position independent.
 */
#include "native.h"
#include "fj.h"

DEFINE_WSQ_TASK1(u64, fib, w, int, n)
{
	u64 a, b;

	if (n < 2)
		return (u64)n;
	wsq_spawn(w, fib, n - 1);
	a = wsq_fj_call(w, fib, n - 2);
	b = wsq_sync(w, fib);
	return a + b;
}

DEFINE_WSQ_TASK3(u64, queens, w, struct fj_board, board, int, n, int, row)
{
	int i, nr = 0;
	u64 sum = 0;

	if (row == n)
		return 1;
	for (i = 0; i < n; i++) {
		if (!fj_queen_fits(&board, row, i))
			continue;
		board.column[row] = (u8)i;
		wsq_spawn(w, queens, board, n, row + 1);
		nr++;
	}
	while (nr--)
		sum += wsq_sync(w, queens);
	return sum;
}

DEFINE_WSQ_TASK2(u64, uts, w, const struct uts_tree *, tree,
		 struct uts_node, node)
{
	u32 i, nr = uts_children(tree, &node);
	u64 sum = 1;

	for (i = 0; i < nr; i++)
		wsq_spawn(w, uts, tree, uts_child(&node, i));
	while (nr--)
		sum += wsq_sync(w, uts);
	return sum;
}

DEFINE_WSQ_TASK1(int, matmul, w, struct fj_product, x)
{
	struct fj_product y;

	switch (fj_product_halve(&x, &y)) {
	case FJ_BASE:
		fj_product_base(&x);
		break;
	case FJ_BOTH:
		wsq_spawn(w, matmul, x);
		wsq_fj_call(w, matmul, y);
		wsq_sync(w, matmul);
		break;
	case FJ_TURN:
		wsq_fj_call(w, matmul, x);
		wsq_fj_call(w, matmul, y);
		break;
	}
	return 0;
}

DEFINE_WSQ_TASK1(u64, tree, w, int, n)
{
	u64 a, b;

	if (!n)
		return 1;
	wsq_spawn(w, tree, n - 1);
	a = wsq_fj_call(w, tree, n - 1);
	b = wsq_sync(w, tree);
	return a + b;
}

static void *start(unsigned int workers)
{
	/* Room for UTS T3L: 17,844 levels of up to 5, below a root of 2000. */
	const struct wsq_fj_attrs attrs = { .depth = 1 << 17 };

	return fj_native_create(workers, 64U << 20, &attrs);
}

static void stop(void *fj)
{
	wsq_fj_destroy(fj);
}

static uint64_t run(void *fj, const struct fj_job *job)
{
	u64 result = 0;
	int none, err = 0;

	switch (job->work) {
	case FJ_FIB:
		err = fib_run(fj, &result, job->n);
		break;
	case FJ_QUEENS:
		err = queens_run(fj, &result, (struct fj_board){ { 0 } }, job->n,
				 0);
		break;
	case FJ_UTS:
		err = uts_run(fj, &result, job->tree, uts_root(job->tree));
		break;
	case FJ_MATMUL:
		err = matmul_run(fj, &none, job->product);
		break;
	case FJ_TREE:
		err = tree_run(fj, &result, job->n);
		break;
	case FJ_WORKS:
		break;
	}
	/* No job has this result. */
	return err ? ~0ULL : result;
}

const struct fj_lib fj_wsq = { "wsq fork-join", start, run, stop };

/* For the driver: see @steals of struct wsq_fj_stats. */
u64 fj_wsq_steals(void *fj)
{
	struct wsq_fj_stats stats;

	wsq_fj_read_stats(fj, &stats);
	return stats.steals + stats.leaps;
}
