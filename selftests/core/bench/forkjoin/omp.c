// SPDX-License-Identifier: GPL-2.0
/*
 * The jobs of the fork-join benchmark by OpenMP's tasks: compiled by gcc for
 * libgomp, by clang for libomp (package libomp-dev).
 */
#include <stdlib.h>

#include "fj.h"

static uint64_t fib(int n)
{
	uint64_t a, b;

	if (n < 2)
		return (uint64_t)n;
#pragma omp task shared(b)
	b = fib(n - 1);
	a = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static uint64_t tree(int n)
{
	uint64_t a, b;

	if (!n)
		return 1;
#pragma omp task shared(b)
	b = tree(n - 1);
	a = tree(n - 1);
#pragma omp taskwait
	return a + b;
}

static uint64_t queens(struct fj_board board, int n, int row)
{
	uint64_t part[FJ_QUEENS_MAX], sum = 0;
	int i, nr = 0;

	if (row == n)
		return 1;
	for (i = 0; i < n; i++) {
		uint64_t *to = &part[nr];

		if (!fj_queen_fits(&board, row, i))
			continue;
		board.column[row] = (uint8_t)i;
#pragma omp task firstprivate(board, to)
		*to = queens(board, n, row + 1);
		nr++;
	}
#pragma omp taskwait
	while (nr--)
		sum += part[nr];
	return sum;
}

static uint64_t uts(const struct uts_tree *of, struct uts_node node)
{
	uint32_t i, nr = uts_children(of, &node);
	uint64_t few[100], *part = nr > 100 ? malloc(nr * sizeof(*part)) : few;
	uint64_t sum = 1;

	for (i = 0; i < nr; i++) {
		struct uts_node child = uts_child(&node, i);
		uint64_t *to = &part[i];

#pragma omp task firstprivate(child, to)
		*to = uts(of, child);
	}
#pragma omp taskwait
	for (i = 0; i < nr; i++)
		sum += part[i];
	if (part != few)
		free(part);
	return sum;
}

static void matmul(struct fj_product x)
{
	struct fj_product y;

	switch (fj_product_halve(&x, &y)) {
	case FJ_BASE:
		fj_product_base(&x);
		break;
	case FJ_BOTH:
#pragma omp task firstprivate(x)
		matmul(x);
		matmul(y);
#pragma omp taskwait
		break;
	case FJ_TURN:
		matmul(x);
		matmul(y);
		break;
	}
}

static void *start(unsigned int workers)
{
	unsigned int *handle = malloc(sizeof(*handle));

	if (handle)
		*handle = workers;
	return handle;
}

static uint64_t run(void *handle, const struct fj_job *job)
{
	int workers = (int)*(unsigned int *)handle;
	uint64_t result = 0;

#pragma omp parallel num_threads(workers)
#pragma omp single
	switch (job->work) {
	case FJ_FIB:
		result = fib(job->n);
		break;
	case FJ_QUEENS:
		result = queens((struct fj_board){ { 0 } }, job->n, 0);
		break;
	case FJ_UTS:
		result = uts(job->tree, uts_root(job->tree));
		break;
	case FJ_MATMUL:
		matmul(job->product);
		break;
	case FJ_TREE:
		result = tree(job->n);
		break;
	case FJ_WORKS:
		break;
	}
	return result;
}

const struct fj_lib fj_libs[] = {
	{ FJ_NAME, start, run, free },
	{ NULL, NULL, NULL, NULL },
};
