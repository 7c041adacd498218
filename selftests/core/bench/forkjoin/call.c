// SPDX-License-Identifier: GPL-2.0
/*
 * The jobs of the fork-join benchmark as plain C: each task is a call of a
 * function that is not inlined and has the arguments of wsq's, the two for the
 * context included. Compiled with wsq.c's options.
 */
#include "fj.h"

/* Nor may gcc drop arguments. */
#define noinline	__attribute__((__noipa__))

struct none;

static noinline uint64_t fib(struct none *deque, struct none *head, int n)
{
	uint64_t a, b;

	if (n < 2)
		return (uint64_t)n;
	a = fib(deque, head, n - 2);
	b = fib(deque, head, n - 1);
	return a + b;
}

static noinline uint64_t queens(struct none *deque, struct none *head,
				struct fj_board board, int n, int row)
{
	uint64_t sum = 0;
	int i;

	if (row == n)
		return 1;
	for (i = 0; i < n; i++) {
		if (!fj_queen_fits(&board, row, i))
			continue;
		board.column[row] = (uint8_t)i;
		sum += queens(deque, head, board, n, row + 1);
	}
	return sum;
}

static noinline uint64_t uts(struct none *deque, struct none *head,
			     const struct uts_tree *tree, struct uts_node node)
{
	uint32_t i, nr = uts_children(tree, &node);
	uint64_t sum = 1;

	for (i = 0; i < nr; i++)
		sum += uts(deque, head, tree, uts_child(&node, i));
	return sum;
}

static noinline int matmul(struct none *deque, struct none *head,
			   struct fj_product x)
{
	struct fj_product y;

	if (fj_product_halve(&x, &y) == FJ_BASE) {
		fj_product_base(&x);
		return 0;
	}
	matmul(deque, head, x);
	matmul(deque, head, y);
	return 0;
}

static noinline uint64_t tree(struct none *deque, struct none *head, int n)
{
	uint64_t a, b;

	if (!n)
		return 1;
	a = tree(deque, head, n - 1);
	b = tree(deque, head, n - 1);
	return a + b;
}

static void *start(unsigned int workers)
{
	static int handle;

	return workers == 1 ? &handle : NULL;
}

static void stop(void *handle)
{
	(void)handle;
}

static uint64_t run(void *handle, const struct fj_job *job)
{
	/* Arguments of which the compiler knows nothing. */
	struct none * volatile arg = handle;
	struct none *d = arg, *h = arg;

	switch (job->work) {
	case FJ_FIB:
		return fib(d, h, job->n);
	case FJ_QUEENS:
		return queens(d, h, (struct fj_board){ { 0 } }, job->n, 0);
	case FJ_UTS:
		return uts(d, h, job->tree, uts_root(job->tree));
	case FJ_MATMUL:
		return (uint64_t)matmul(d, h, job->product);
	case FJ_TREE:
		return tree(d, h, job->n);
	case FJ_WORKS:
		break;
	}
	return 0;
}

const struct fj_lib fj_call = { "call", start, run, stop };
