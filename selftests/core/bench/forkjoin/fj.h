/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between a fork-join library under measurement and the driver,
 * and what all of them compute.
 *
 * For main.c, wsq.c, call.c and the peers, each of which has every job written
 * in its own way: tasks and joins are the library's, the work between them is
 * the same (inline here, or in work.c and uts.c).
 *
 * Limitations: C and C++ alike.
 */
#ifndef _WSQ_BENCH_FJ_H
#define _WSQ_BENCH_FJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../forkjoin/uts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest board of FJ_QUEENS. */
#define FJ_QUEENS_MAX	16

/* A matrix product this small is computed at once: m + n + p. */
#define FJ_MATMUL_BASE	64

enum fj_work {
	FJ_FIB,		/* fib(@n) */
	FJ_QUEENS,	/* all solutions of @n queens */
	FJ_UTS,		/* nodes of @tree */
	FJ_MATMUL,	/* @c = @a times @b, @n by @n */
	FJ_TREE,	/* 2^@n leaves that do nothing */
	FJ_WORKS
};

/**
 * struct fj_board - queens in the first rows
 * @column: of each row's queen
 */
struct fj_board {
	uint8_t column[FJ_QUEENS_MAX];
};

/* May a queen stand in this row and column? */
static inline bool fj_queen_fits(const struct fj_board *board, int row, int column)
{
	int i, off;

	for (i = 0; i < row; i++) {
		off = board->column[i] - column;
		if (!off || off == row - i || off == i - row)
			return false;
	}
	return true;
}

/**
 * struct fj_product - a part of a matrix product, @c = or += @a times @b
 * @a: m rows of n
 * @b: n rows of p
 * @c: m rows of p
 * @m: rows of @a
 * @n: columns of @a
 * @p: columns of @b
 * @stride: elements from row to row
 * @add: += instead of =
 */
struct fj_product {
	const float *a, *b;
	float *c;
	int m, n, p;
	int stride;
	int add;
};

/* Halves of a product; how they may be done is the kind. */
enum fj_half {
	FJ_BASE,	/* compute it */
	FJ_BOTH,	/* both at the same time */
	FJ_TURN,	/* one after the other: they have the same @c */
};

/* Halve a product, @x being the first half afterwards. */
static inline enum fj_half fj_product_halve(struct fj_product *x,
					    struct fj_product *y)
{
	int first;

	if (x->m + x->n + x->p <= FJ_MATMUL_BASE)
		return FJ_BASE;
	*y = *x;
	if (x->m >= x->n && x->m >= x->p) {
		first = x->m / 2;
		x->m = first;
		y->m -= first;
		y->a += (ptrdiff_t)first * x->stride;
		y->c += (ptrdiff_t)first * x->stride;
		return FJ_BOTH;
	}
	if (x->n >= x->p) {
		first = x->n / 2;
		x->n = first;
		y->n -= first;
		y->a += first;
		y->b += (ptrdiff_t)first * x->stride;
		y->add = 1;
		return FJ_TURN;
	}
	first = x->p / 2;
	x->p = first;
	y->p -= first;
	y->b += first;
	y->c += first;
	return FJ_BOTH;
}

void fj_product_base(const struct fj_product *x);

/**
 * struct fj_job - something to compute
 * @work: what
 * @n: its size
 * @tree: for FJ_UTS
 * @product: for FJ_MATMUL
 */
struct fj_job {
	enum fj_work work;
	int n;
	const struct uts_tree *tree;
	struct fj_product product;
};

/**
 * struct fj_lib - a library
 * @name: the case as it appears in the results; ours begins with "wsq "
 * @start: makes what runs need, with so many threads; NULL if that fails
 * @run: computes a job. Several times, from one thread
 * @stop: ends the threads
 */
struct fj_lib {
	const char *name;
	void *(*start)(unsigned int workers);
	uint64_t (*run)(void *handle, const struct fj_job *job);
	void (*stop)(void *handle);
};

/* Result of @run for a job that the library has no way to do. */
#define FJ_CANNOT	(~1ULL)

/* In a peer's shared object; up to the first without a name. */
extern const struct fj_lib fj_libs[];

#ifdef __cplusplus
}
#endif

#endif /* _WSQ_BENCH_FJ_H */
