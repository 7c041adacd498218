// SPDX-License-Identifier: GPL-2.0
/*
 * Fork and join beside the plain calls of the same functions: fib, queens, and
 * an unbalanced tree. All of a run's time is its tasks', because they do nothing
 * else. The figure is the time of a run by its number of tasks.
 *
 * And runs that are over before a helper could come, one after the other: a tree
 * of 1,023 nodes, of which 511 spawn one each. The figures are times of a run.
 *
 * The plain functions have the same arguments, and are not inlined either.
 *
 * A range that is halved is a service of reach.c, beside wsq_run_job().
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/wsq_fj.h>

#include "cases.h"

/* Children of a node of the tree, at most; and of its root. */
#define BENCH_TREE_ROOT		200
#define BENCH_TREE_CHILDREN	4

/* Runs in a sample of a short tree, and their times in ns. */
#define BENCH_SHORT_RUNS	1000

static u64 bench_short_ns[BENCH_SHORT_RUNS];

/**
 * struct bench_fj - a service here
 * @q: its queue
 * @fj: its object
 * @result: what the last run returned
 * @spent: how long it took, ns
 * @failed: it returned an error
 */
struct bench_fj {
	struct wsq *q;
	struct wsq_fj *fj;
	u64 result;
	u64 spent;
	int failed;
};

static struct bench_fj bench_fj_all_on, bench_fj_one_on, bench_fj_plain_on;
static struct bench_fj bench_fj_range_on;

/* ---- the work, as tasks and as plain functions ---- */

DEFINE_WSQ_TASK1(u64, bench_fib, w, int, n)
{
	u64 a, b;

	if (n < 2)
		return 1;
	wsq_spawn(w, bench_fib, n - 1);
	a = wsq_fj_call(w, bench_fib, n - 2);
	b = wsq_sync(w, bench_fib);
	return a + b + 1;
}

static noinline u64 bench_plain_fib(int n)
{
	u64 a, b;

	if (n < 2)
		return 1;
	a = bench_plain_fib(n - 2);
	b = bench_plain_fib(n - 1);
	return a + b + 1;
}

/* Columns and diagonals that are attacked, of a board of @n rows. */
DEFINE_WSQ_TASK4(u64, bench_queens, w, u32, n, u32, columns, u32, left,
		 u32, right)
{
	u32 free = ~(columns | left | right) & (BIT(n) - 1), rest = free;
	u64 sum = 1;

	if (!free)
		return 1;
	for (; rest & (rest - 1); rest &= rest - 1) {
		u32 bit = rest & -rest;

		wsq_spawn(w, bench_queens, n, columns | bit,
			  (left | bit) << 1, (right | bit) >> 1);
	}
	/* The last one is left. */
	sum += wsq_fj_call(w, bench_queens, n, columns | rest,
			   (left | rest) << 1, (right | rest) >> 1);
	for (; free & (free - 1); free &= free - 1)
		sum += wsq_sync(w, bench_queens);
	return sum;
}

static noinline u64 bench_plain_queens(u32 n, u32 columns, u32 left, u32 right)
{
	u32 free = ~(columns | left | right) & (BIT(n) - 1);
	u64 sum = 1;

	for (; free; free &= free - 1) {
		u32 bit = free & -free;

		sum += bench_plain_queens(n, columns | bit, (left | bit) << 1,
					  (right | bit) >> 1);
	}
	return sum;
}

/* The hash of a node's child: one round of splitmix64. */
static u64 bench_child(u64 node, u32 i)
{
	u64 z = node + (i + 1) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* A node has children with probability 0.24: the tree is finite, but barely. */
static u32 bench_children(u64 node)
{
	return node % 100 < 24 ? BENCH_TREE_CHILDREN : 0;
}

DEFINE_WSQ_TASK2(u64, bench_uts, w, u64, node, u32, nr)
{
	u64 sum = 1, child;
	u32 i;

	if (!nr)
		return 1;
	for (i = 1; i < nr; i++) {
		child = bench_child(node, i);
		wsq_spawn(w, bench_uts, child, bench_children(child));
	}
	child = bench_child(node, 0);
	sum += wsq_fj_call(w, bench_uts, child, bench_children(child));
	for (i = 1; i < nr; i++)
		sum += wsq_sync(w, bench_uts);
	return sum;
}

static noinline u64 bench_plain_uts(u64 node, u32 nr)
{
	u64 sum = 1;
	u32 i;

	for (i = 0; i < nr; i++) {
		u64 child = bench_child(node, i);

		sum += bench_plain_uts(child, bench_children(child));
	}
	return sum;
}

/* The number of its leaves. */
DEFINE_WSQ_TASK1(u64, bench_even, w, u32, height)
{
	u64 a, b;

	if (!height)
		return 1;
	wsq_spawn(w, bench_even, height - 1);
	a = wsq_fj_call(w, bench_even, height - 1);
	b = wsq_sync(w, bench_even);
	return a + b;
}

static noinline u64 bench_plain_even(u32 height)
{
	u64 a, b;

	if (!height)
		return 1;
	/* Otherwise the compiler calls once and doubles. */
	barrier();
	a = bench_plain_even(height - 1);
	b = bench_plain_even(height - 1);
	return a + b;
}

/* ---- services ---- */

static int bench_fj_start(struct bench_fj *on, u32 max_cpus)
{
	const struct wsq_fj_attrs attrs = { .max_cpus = max_cpus };
	int ret;

	on->q = wsq_create(NULL, "wsq_bench");
	if (IS_ERR(on->q))
		return PTR_ERR(on->q);
	on->fj = wsq_fj_create(on->q, &attrs);
	if (!IS_ERR(on->fj))
		return 0;
	ret = PTR_ERR(on->fj);
	wsq_destroy(on->q);
	return ret;
}

static void bench_fj_stop(struct bench_fj *on)
{
	wsq_fj_destroy(on->fj);
	wsq_destroy(on->q);
}

static int bench_fj_all_start(void)
{
	return bench_fj_start(&bench_fj_all_on, 0);
}

static void bench_fj_all_stop(void)
{
	bench_fj_stop(&bench_fj_all_on);
}

static int bench_fj_one_start(void)
{
	return bench_fj_start(&bench_fj_one_on, 1);
}

static void bench_fj_one_stop(void)
{
	bench_fj_stop(&bench_fj_one_on);
}

static int bench_fj_plain_start(void)
{
	return 0;
}

static void bench_fj_plain_stop(void)
{
}

static void bench_fj_prepare(struct bench_item *items, unsigned int nr,
			     enum bench_does does)
{
}

static void bench_fj_flush(unsigned int member)
{
}

static bool bench_fj_clean(struct bench_item *items, unsigned int nr)
{
	return true;
}

struct bench_service bench_wsq_fj = {
	.name = "wsq fork-join",
	.start = bench_fj_all_start,
	.stop = bench_fj_all_stop,
	.prepare = bench_fj_prepare,
	.flush = bench_fj_flush,
	.clean = bench_fj_clean,
	.only = &bench_forkjoin,
};

struct bench_service bench_wsq_fj_one = {
	.name = "wsq fork-join on one CPU",
	.start = bench_fj_one_start,
	.stop = bench_fj_one_stop,
	.prepare = bench_fj_prepare,
	.flush = bench_fj_flush,
	.clean = bench_fj_clean,
	.only = &bench_forkjoin,
};

struct bench_service bench_fj_plain = {
	.name = "plain calls",
	.start = bench_fj_plain_start,
	.stop = bench_fj_plain_stop,
	.prepare = bench_fj_prepare,
	.flush = bench_fj_flush,
	.clean = bench_fj_clean,
	.only = &bench_forkjoin,
};

static int bench_fj_range_start(void)
{
	return bench_fj_start(&bench_fj_range_on, 0);
}

static void bench_fj_range_stop(void)
{
	bench_fj_stop(&bench_fj_range_on);
}

static void bench_fj_range_part(unsigned long start, unsigned long end, void *arg)
{
	for (; start < end; start++)
		bench_compute();
}

static void bench_fj_range_queue(struct bench_item *items, unsigned int nr,
				 unsigned int member)
{
	const struct wsq_fj_loop range = {
		.fn = bench_fj_range_part, .size = nr,
	};

	bench_fj_range_on.failed = wsq_fj_range(bench_fj_range_on.fj, &range);
}

static bool bench_fj_range_clean(struct bench_item *items, unsigned int nr)
{
	return !bench_fj_range_on.failed;
}

struct bench_service bench_wsq_fj_range = {
	.name = "wsq range",
	.start = bench_fj_range_start,
	.stop = bench_fj_range_stop,
	.prepare = bench_fj_prepare,
	.queue = bench_fj_range_queue,
	.flush = bench_fj_flush,
	.clean = bench_fj_range_clean,
	.only = &bench_reach,
};

/* ---- the cases ---- */

/**
 * struct bench_fj_take - one sample
 * @c: the case
 * @on: the service
 */
struct bench_fj_take {
	const struct bench_case *c;
	struct bench_fj *on;
};

static void bench_fj_job(unsigned int member, void *arg)
{
	struct bench_fj_take *t = arg;
	struct bench_fj *on = t->on;
	u32 n = t->c->burst;
	u64 from = ktime_get_ns();

	on->failed = 0;
	switch (t->c->batch) {
	case BENCH_FJ_FIB:
		if (on->fj)
			on->failed = bench_fib_run(on->fj, &on->result, n);
		else
			on->result = bench_plain_fib(n);
		break;
	case BENCH_FJ_QUEENS:
		if (on->fj)
			on->failed = bench_queens_run(on->fj, &on->result, n,
						      0, 0, 0);
		else
			on->result = bench_plain_queens(n, 0, 0, 0);
		break;
	default:
		if (on->fj)
			on->failed = bench_uts_run(on->fj, &on->result, n,
						   BENCH_TREE_ROOT);
		else
			on->result = bench_plain_uts(n, BENCH_TREE_ROOT);
	}
	on->spent = ktime_get_ns() - from;
}

static struct bench_fj *bench_fj_of(const struct bench_service *s)
{
	if (s == &bench_wsq_fj)
		return &bench_fj_all_on;
	return s == &bench_wsq_fj_one ? &bench_fj_one_on : &bench_fj_plain_on;
}

static int bench_forkjoin_take(const struct bench_case *c,
			       struct bench_service *s,
			       struct bench_item *items, unsigned int nr,
			       u64 *sample)
{
	struct bench_fj_take t = { c, bench_fj_of(s) };
	struct bench_fj_take plain = { c, &bench_fj_plain_on };
	int ret;

	ret = bench_team_run(1, bench_fj_job, &t);
	if (ret)
		return ret;
	if (t.on->failed)
		return t.on->failed;
	sample[0] = div64_u64(t.on->spent * 100, t.on->result);
	/* The same number of tasks. */
	ret = bench_team_run(1, bench_fj_job, &plain);
	if (ret)
		return ret;
	return plain.on->result == t.on->result ? 0 : -EIO;
}

static void bench_short_job(unsigned int member, void *arg)
{
	struct bench_fj_take *t = arg;
	struct bench_fj *on = t->on;
	u32 height = t->c->burst, i;
	u64 from;

	on->failed = 0;
	for (i = 0; i < BENCH_SHORT_RUNS && !on->failed; i++) {
		from = ktime_get_ns();
		if (on->fj)
			on->failed = bench_even_run(on->fj, &on->result, height);
		else
			on->result = bench_plain_even(height);
		bench_short_ns[i] = ktime_get_ns() - from;
		if (!on->failed && on->result != 1ULL << height)
			on->failed = -EIO;
	}
}

static int bench_short_take(const struct bench_case *c,
			    struct bench_service *s, struct bench_item *items,
			    unsigned int nr, u64 *sample)
{
	struct bench_fj_take t = { c, bench_fj_of(s) };
	int ret = bench_team_run(1, bench_short_job, &t);

	if (ret)
		return ret;
	if (t.on->failed)
		return t.on->failed;
	bench_sort(bench_short_ns, BENCH_SHORT_RUNS);
	sample[0] = bench_short_ns[BENCH_SHORT_RUNS / 2] * 100;
	sample[1] = bench_short_ns[BENCH_SHORT_RUNS * 95 / 100] * 100;
	return 0;
}

static bool bench_forkjoin_fits(const struct bench_case *c,
				const struct bench_service *s)
{
	return s->only == &bench_forkjoin;
}

const struct bench_kind bench_forkjoin = {
	.parts = { { "", "ns" } },
	.fits = bench_forkjoin_fits,
	.take = bench_forkjoin_take,
};

const struct bench_kind bench_forkjoin_short = {
	.parts = { { ", p50", "ns" }, { ", p95", "ns" } },
	.fits = bench_forkjoin_fits,
	.take = bench_short_take,
	.like = &bench_forkjoin,
};
