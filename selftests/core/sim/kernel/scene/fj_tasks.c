// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks of the fork-join scenarios, as in bench/forkjoin/wsq.c: spawns,
 * syncs, and the work of fib and queens are charged access by access. Compilers
 * do not instrument structures that are passed by value, so nodes and products
 * are words here.
 */
#include "forkjoin.h"

DEFINE_WSQ_TASK1(u64, fib, w, int, n)
{
	u64 a, b;

	fj_ran();
	if (n < 2)
		return n;
	wsq_spawn(w, fib, n - 1);
	a = wsq_fj_call(w, fib, n - 2);
	b = wsq_sync(w, fib);
	return a + b;
}

DEFINE_WSQ_TASK3(u64, queens, w, struct fj_board, board, int, n, int, row)
{
	int i, nr = 0;
	u64 sum = 0;

	fj_ran();
	if (row == n)
		return 1;
	for (i = 0; i < n; i++) {
		if (!fj_queen_fits(&board, row, i))
			continue;
		board.column[row] = i;
		wsq_spawn(w, queens, board, n, row + 1);
		nr++;
	}
	while (nr--)
		sum += wsq_sync(w, queens);
	return sum;
}

DEFINE_WSQ_TASK3(u64, uts, w, u64, a, u64, b, u64, c)
{
	const struct fj_node node = { { a, b, c } };
	u32 i, nr = fj_children(node);
	struct fj_node child;
	u64 sum = 1;

	fj_ran();
	for (i = 0; i < nr; i++) {
		child = fj_child(node, i);
		wsq_spawn(w, uts, child.word[0], child.word[1], child.word[2]);
	}
	while (nr--)
		sum += wsq_sync(w, uts);
	return sum;
}

static __always_inline u64 shape_of(const struct fj_product *x)
{
	return (u64)x->m | (u64)x->n << 16 | (u64)x->p << 32 | (u64)x->add << 48;
}

/* @shape: m, n, p, and whether to add. */
DEFINE_WSQ_TASK4(int, matmul, w, const float *, a, const float *, b, float *, c,
		 u64, shape)
{
	struct fj_product x = {
		.a = a, .b = b, .c = c, .m = shape & 0xffff,
		.n = shape >> 16 & 0xffff, .p = shape >> 32 & 0xffff,
		.stride = fj_stride, .add = shape >> 48,
	}, y;

	fj_ran();
	switch (fj_product_halve(&x, &y)) {
	case FJ_BASE:
		fj_base(&x);
		break;
	case FJ_BOTH:
		wsq_spawn(w, matmul, x.a, x.b, x.c, shape_of(&x));
		wsq_fj_call(w, matmul, y.a, y.b, y.c, shape_of(&y));
		wsq_sync(w, matmul);
		break;
	case FJ_TURN:
		wsq_fj_call(w, matmul, x.a, x.b, x.c, shape_of(&x));
		wsq_fj_call(w, matmul, y.a, y.b, y.c, shape_of(&y));
		break;
	}
	return 0;
}

static void parts(unsigned long start, unsigned long end, void *arg)
{
	for (; start < end; start++)
		fj_part();
}

int fj_tasks_run(struct wsq_fj *fj, u64 *result, const struct fj_job *job)
{
	const struct wsq_fj_loop range = { .fn = parts, .size = job->n };
	const struct fj_product *x = &job->product;
	struct fj_node root;
	int none;

	switch ((int)job->work) {
	case FJ_FIB:
		return fib_run(fj, result, job->n);
	case FJ_QUEENS:
		return queens_run(fj, result, (struct fj_board){ { 0 } }, job->n,
				  0);
	case FJ_UTS:
		root = fj_root();
		return uts_run(fj, result, root.word[0], root.word[1],
			       root.word[2]);
	case FJ_RANGE:
		return wsq_fj_range(fj, &range);
	default:
		return matmul_run(fj, &none, x->a, x->b, x->c, shape_of(x));
	}
}
