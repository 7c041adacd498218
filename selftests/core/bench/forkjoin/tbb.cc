// SPDX-License-Identifier: GPL-2.0
/*
 * The jobs of the fork-join benchmark by oneTBB (package libtbb-dev): by
 * task_group, and by parallel_invoke where a task has two parts.
 */
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "fj.h"

namespace {

struct handle {
	tbb::global_control control;
	tbb::task_arena arena;

	explicit handle(unsigned int workers)
		: control(tbb::global_control::max_allowed_parallelism, workers),
		  arena(static_cast<int>(workers))
	{
	}
};

struct group {
	static uint64_t fib(int n)
	{
		tbb::task_group g;
		uint64_t a, b;

		if (n < 2)
			return static_cast<uint64_t>(n);
		g.run([&b, n] { b = fib(n - 1); });
		a = fib(n - 2);
		g.wait();
		return a + b;
	}

	static uint64_t tree(int n)
	{
		tbb::task_group g;
		uint64_t a, b;

		if (!n)
			return 1;
		g.run([&b, n] { b = tree(n - 1); });
		a = tree(n - 1);
		g.wait();
		return a + b;
	}

	static void matmul(fj_product x)
	{
		tbb::task_group g;
		fj_product y;

		switch (fj_product_halve(&x, &y)) {
		case FJ_BASE:
			fj_product_base(&x);
			break;
		case FJ_BOTH:
			g.run([x] { matmul(x); });
			matmul(y);
			g.wait();
			break;
		case FJ_TURN:
			matmul(x);
			matmul(y);
			break;
		}
	}

	static uint64_t queens(fj_board board, int n, int row)
	{
		uint64_t part[FJ_QUEENS_MAX], sum = 0;
		tbb::task_group g;
		int nr = 0;

		if (row == n)
			return 1;
		for (int i = 0; i < n; i++) {
			if (!fj_queen_fits(&board, row, i))
				continue;
			board.column[row] = static_cast<uint8_t>(i);
			g.run([board, n, row, to = &part[nr]] {
				*to = queens(board, n, row + 1);
			});
			nr++;
		}
		g.wait();
		while (nr--)
			sum += part[nr];
		return sum;
	}

	/* The root of a binomial tree has more children than others. */
	static uint64_t uts(const uts_tree *tree, const uts_node &node)
	{
		uint32_t nr = uts_children(tree, &node);
		uint64_t few[100], *part = nr > 100 ? new uint64_t[nr] : few;
		uint64_t sum = 1;
		tbb::task_group g;

		for (uint32_t i = 0; i < nr; i++) {
			g.run([tree, child = uts_child(&node, i), to = &part[i]] {
				*to = uts(tree, child);
			});
		}
		g.wait();
		for (uint32_t i = 0; i < nr; i++)
			sum += part[i];
		if (part != few)
			delete[] part;
		return sum;
	}
};

struct invoke {
	static uint64_t fib(int n)
	{
		uint64_t a, b;

		if (n < 2)
			return static_cast<uint64_t>(n);
		tbb::parallel_invoke([&a, n] { a = fib(n - 2); },
				     [&b, n] { b = fib(n - 1); });
		return a + b;
	}

	static uint64_t tree(int n)
	{
		uint64_t a, b;

		if (!n)
			return 1;
		tbb::parallel_invoke([&a, n] { a = tree(n - 1); },
				     [&b, n] { b = tree(n - 1); });
		return a + b;
	}

	static void matmul(fj_product x)
	{
		fj_product y;

		switch (fj_product_halve(&x, &y)) {
		case FJ_BASE:
			fj_product_base(&x);
			break;
		case FJ_BOTH:
			tbb::parallel_invoke([x] { matmul(x); },
					     [y] { matmul(y); });
			break;
		case FJ_TURN:
			matmul(x);
			matmul(y);
			break;
		}
	}
};

void *start(unsigned int workers)
{
	return new handle(workers);
}

void stop(void *arg)
{
	delete static_cast<handle *>(arg);
}

uint64_t run_group(void *arg, const fj_job *job)
{
	return static_cast<handle *>(arg)->arena.execute([job]() -> uint64_t {
		switch (job->work) {
		case FJ_FIB:
			return group::fib(job->n);
		case FJ_QUEENS:
			return group::queens(fj_board(), job->n, 0);
		case FJ_UTS:
			return group::uts(job->tree, uts_root(job->tree));
		case FJ_MATMUL:
			group::matmul(job->product);
			return 0;
		case FJ_TREE:
			return group::tree(job->n);
		default:
			return 0;
		}
	});
}

uint64_t run_invoke(void *arg, const fj_job *job)
{
	return static_cast<handle *>(arg)->arena.execute([job]() -> uint64_t {
		switch (job->work) {
		case FJ_FIB:
			return invoke::fib(job->n);
		case FJ_MATMUL:
			invoke::matmul(job->product);
			return 0;
		case FJ_TREE:
			return invoke::tree(job->n);
		default:
			return FJ_CANNOT;
		}
	});
}

}

extern "C" {
extern const struct fj_lib fj_libs[] = {
	{ "tbb task_group", start, run_group, stop },
	{ "tbb parallel_invoke", start, run_invoke, stop },
	{ nullptr, nullptr, nullptr, nullptr },
};
}
