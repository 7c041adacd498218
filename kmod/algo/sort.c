// SPDX-License-Identifier: GPL-2.0
/*
 * A merge sort of numbers, by fork and join.
 *
 * Both the sort of halves and the merge are split: otherwise the last merge,
 * by one CPU, would take half of the time on many CPUs. All positions follow
 * from the number of elements and from searches that stay within them. So if
 * another thread changes the numbers meanwhile, the output is wrong, but no
 * other memory is touched.
 *
 * Cost: some 5 ns for each number and level of the tree, log2(n / 32) levels.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "../compat/export.h"
#include "algo.h"

/* So many are sorted by insertion. */
#define WSQ_SORT_FEW		32
/* So many are merged by one task. */
#define WSQ_SORT_GRAIN		4096
/* So many are sorted between two looks whether to stop. */
#define WSQ_SORT_LOOK		2048

/**
 * struct wsq_sort_run - a sort under way
 * @run: the run
 * @from: the numbers, scratch memory afterwards
 * @to: the other array
 */
struct wsq_sort_run {
	struct wsq_algo_run run;
	u64 *from;
	u64 *to;
};

/**
 * struct wsq_merge - two sorted arrays to be merged
 * @a: one
 * @nr_a: its length
 * @b: the other
 * @nr_b: its length
 * @to: where the result goes
 *
 * On the stack of the task that waits for the merge.
 */
struct wsq_merge {
	const u64 *a;
	size_t nr_a;
	const u64 *b;
	size_t nr_b;
	u64 *to;
};

/* Sort a few numbers into @to, which may be @from. */
static void __no_kcsan wsq_sort_few(const u64 *from, u64 *to, size_t nr)
{
	size_t i, k;

	for (i = 0; i < nr; i++) {
		u64 x = from[i];

		for (k = i; k && to[k - 1] > x; k--)
			to[k] = to[k - 1];
		to[k] = x;
	}
}

static void __no_kcsan wsq_merge_few(const struct wsq_merge *m)
{
	const u64 *a = m->a, *const end_a = a + m->nr_a;
	const u64 *b = m->b, *const end_b = b + m->nr_b;
	u64 *to = m->to;

	while (a < end_a && b < end_b)
		*to++ = *b < *a ? *b++ : *a++;
	while (a < end_a)
		*to++ = *a++;
	while (b < end_b)
		*to++ = *b++;
}

/* How many of the sorted @v are below @x. */
static size_t __no_kcsan wsq_sort_below(const u64 *v, size_t nr, u64 x)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (v[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Split at the middle of the longer array, and merge both parts. */
DEFINE_WSQ_TASK2(int, wsq_merge_all, w, struct wsq_sort_run *, r,
		 const struct wsq_merge *, m)
{
	struct wsq_merge low, high;

	if (m->nr_a + m->nr_b <= WSQ_SORT_GRAIN) {
		wsq_merge_few(m);
		return 0;
	}
	if (wsq_algo_stopped(&r->run, w))
		return 0;
	low = *m;
	if (low.nr_a < low.nr_b) {
		swap(low.a, low.b);
		swap(low.nr_a, low.nr_b);
	}
	high = low;
	low.nr_a /= 2;
	low.nr_b = wsq_sort_below(low.b, low.nr_b, READ_ONCE(low.a[low.nr_a]));
	high.a += low.nr_a;
	high.nr_a -= low.nr_a;
	high.b += low.nr_b;
	high.nr_b -= low.nr_b;
	high.to += low.nr_a + low.nr_b;
	wsq_spawn(w, wsq_merge_all, r, &high);
	wsq_fj_call(w, wsq_merge_all, r, &low);
	wsq_sync(w, wsq_merge_all);
	return 0;
}

/* Sort @nr numbers of @from, in place or into the same part of @to. */
DEFINE_WSQ_TASK4(int, wsq_sort_part, w, struct wsq_sort_run *, r, size_t, first,
		 size_t, nr, bool, move)
{
	u64 *from = r->from + first, *to = r->to + first;
	struct wsq_merge m;
	size_t half = nr / 2;

	if (nr <= WSQ_SORT_FEW) {
		wsq_sort_few(from, move ? to : from, nr);
		return 0;
	}
	if (nr >= WSQ_SORT_LOOK && wsq_algo_stopped(&r->run, w))
		return 0;
	wsq_spawn(w, wsq_sort_part, r, first + half, nr - half, !move);
	wsq_fj_call(w, wsq_sort_part, r, first, half, !move);
	wsq_sync(w, wsq_sort_part);
	if (!move)
		swap(from, to);
	m = (struct wsq_merge) {
		.a = from, .nr_a = half,
		.b = from + half, .nr_b = nr - half,
		.to = to,
	};
	wsq_fj_call(w, wsq_merge_all, r, &m);
	return 0;
}

int wsq_sort_u64(struct wsq_fj *fj, u64 *from, u64 *to, size_t nr,
		 const struct wsq_algo_stop *stop)
{
	struct wsq_sort_run r = {
		.run = { .fj = fj, .stop = stop },
		.from = from,
		.to = to,
	};
	int none;

	return wsq_algo_result(&r.run, wsq_sort_part_run(fj, &none, &r, 0, nr,
							 true));
}
WSQ_EXPORT(wsq_sort_u64);
