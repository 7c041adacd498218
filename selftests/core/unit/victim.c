// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the choice of victims (kmod/pool/victim_pick.h): the drawn
 * victims, their order and frequencies, and that a search ends.
 *
 * For: run-checks, under shim/native, plain and with gcc's address and
 * undefined sanitizers. Cost: negligible. Limitations: seeds are fixed, so
 * bounds on frequencies always hold or always fail; they are five standard
 * deviations wide. Stealing by it, in the kernel, is in
 * kmod/tests/victim_kunit.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../pool/victim_pick.h"

#define DRAWS	100000U

/*
 * CPU 0's list: a sibling, 3 with the same cache, 4 of the node, 8 of the next
 * node and 4 of one beyond, which has the same distance but more hops.
 */
static const u32 ends[] = { 1, 4, 8, 16, 20 };

#define NR_ENDS	(sizeof(ends) / sizeof(ends[0]))

static struct wsq_access *list_new(u32 nr)
{
	struct wsq_access *list = malloc(sizeof(*list) +
					 nr * sizeof(list->victims[0]));
	u32 i, g = 0;

	assert_non_null(list);
	list->nr = nr;
	for (i = 0; i < nr; i++) {
		while (i >= ends[g])
			g++;
		list->victims[i].cpu = (u16)(i + 1);
		list->victims[i].distance = g < 3 ? (u8)g : 3;
		list->victims[i].hops = g < 3 ? 10 : (u8)(20 + g);
		list->victims[i].end = 0;
	}
	wsq_access_group(list);
	return list;
}

static void groups(void **state)
{
	struct wsq_access *list;
	u32 nr, i, g;

	(void)state;
	for (nr = 0; nr <= 20; nr++) {
		list = list_new(nr);
		for (i = 0, g = 0; i < nr; i++) {
			while (i >= ends[g])
				g++;
			assert_int_equal(list->victims[i].end,
					 ends[g] < nr ? ends[g] : nr);
		}
		free(list);
	}
}

/* Draws until the search ends; counts each victim, by list position. */
static u32 search(struct wsq_thief *t, const struct wsq_access *list, u32 flags,
		  u32 *drawn)
{
	const struct wsq_victim *v;
	struct wsq_pick p;
	u32 n = 0;

	wsq_pick_begin(&p, list, flags);
	while ((v = wsq_pick_next(&p, t))) {
		assert_true(v >= list->victims && v < list->victims + list->nr);
		drawn[v - list->victims]++;
		n++;
	}
	/* It stays at its end. */
	assert_null(wsq_pick_next(&p, t));
	return n;
}

static void ends_soon(void **state)
{
	static const u32 flags[] = {
		WSQ_PICK_DRAW,
		WSQ_PICK_DRAW | WSQ_PICK_NEXT,
		WSQ_PICK_DRAW | WSQ_PICK_NEAR,
		WSQ_PICK_DRAW | WSQ_PICK_NEAR | WSQ_PICK_AT,
	};
	struct wsq_thief t;
	u32 drawn[20];
	u32 i, nr, n;

	(void)state;
	wsq_thief_init(&t, 3);
	for (i = 0; i < 4; i++) {
		for (nr = 0; nr <= 20; nr++) {
			struct wsq_access *list = list_new(nr);
			u32 least = flags[i] & WSQ_PICK_AT ? 1 : 2;

			n = search(&t, list, flags[i], drawn);
			if (nr < least)
				assert_int_equal(n, 0);
			else if (flags[i] & WSQ_PICK_NEAR)
				assert_int_equal(n, nr < WSQ_PICK_MOST ? nr : WSQ_PICK_MOST);
			else
				assert_int_equal(n, nr < WSQ_PICK_TRIES ? nr : WSQ_PICK_TRIES);
			/* A policy that does not draw. */
			assert_int_equal(search(&t, list, flags[i] & ~WSQ_PICK_DRAW, drawn), 0);
			free(list);
		}
	}
}

/* Is @n within five standard deviations of the expected value? */
static void about(u64 n, u64 expected)
{
	u64 off = n > expected ? n - expected : expected - n;

	/* Whole numbers are off by one; the variance is below the mean. */
	if (off > 1)
		assert_true((off - 1) * (off - 1) <= 25 * expected);
}

static void by_chance(void **state)
{
	struct wsq_access *list = list_new(20);
	u32 drawn[20] = { 0 };
	struct wsq_thief t;
	u32 i, n = 0;

	(void)state;
	wsq_thief_init(&t, 0);
	while (n < DRAWS)
		n += search(&t, list, WSQ_PICK_DRAW, drawn);
	for (i = 0; i < 20; i++)
		about(drawn[i], n / 20);
	free(list);
}

static void nearest_first(void **state)
{
	struct wsq_access *list = list_new(20);
	const struct wsq_victim *v;
	u32 drawn[20] = { 0 };
	struct wsq_thief t;
	struct wsq_pick p;
	u32 i, k, g;

	(void)state;
	wsq_thief_init(&t, 1);
	for (i = 0; i < DRAWS / 16; i++) {
		wsq_pick_begin(&p, list, WSQ_PICK_DRAW | WSQ_PICK_NEAR);
		for (k = 0, g = 0; (v = wsq_pick_next(&p, &t)); k++) {
			/* As many tries in a group as it has members. */
			while (k >= ends[g])
				g++;
			assert_true(v - list->victims < ends[g]);
			assert_true(!g || v - list->victims >= ends[g - 1]);
			drawn[v - list->victims]++;
		}
		assert_int_equal(k, WSQ_PICK_MOST);
	}
	assert_int_equal(drawn[0], DRAWS / 16);
	/* As many draws as candidates: each once, on average. */
	for (k = 1; k < 16; k++)
		about(drawn[k], DRAWS / 16);
	/* Used up before these: the caller looks at all of them anyway. */
	for (; k < 20; k++)
		assert_int_equal(drawn[k], 0);
	free(list);
}

static void one_after_the_other(void **state)
{
	struct wsq_access *list = list_new(20), *other = list_new(7);
	const struct wsq_victim *v;
	struct wsq_thief t;
	struct wsq_pick p;
	u32 i, k = 0;

	(void)state;
	wsq_thief_init(&t, 5);
	for (i = 0; i < 100; i++) {
		wsq_pick_begin(&p, list, WSQ_PICK_DRAW | WSQ_PICK_NEXT);
		/* Continues where the last search found something. */
		while ((v = wsq_pick_next(&p, &t))) {
			assert_ptr_equal(v, &list->victims[k % 20]);
			if (k++ % 3 == 2)
				break;
		}
	}
	/* Another machine's list is shorter: from its front. */
	while ((u32)atomic64_read(&t.next) < 7) {
		wsq_pick_begin(&p, list, WSQ_PICK_DRAW | WSQ_PICK_NEXT);
		wsq_pick_next(&p, &t);
	}
	wsq_pick_begin(&p, other, WSQ_PICK_DRAW | WSQ_PICK_NEXT);
	assert_ptr_equal(wsq_pick_next(&p, &t), &other->victims[0]);
	free(list);
	free(other);
}

static void accepts_by_size(void **state)
{
	static const u32 sizes[] = { 2, 3, 256, 4096 };
	struct wsq_thief t;
	u32 i, there, k;
	u64 n;

	(void)state;
	wsq_thief_init(&t, 7);
	for (i = 0; i < 4; i++) {
		u32 size = sizes[i];

		for (k = 0; k < 1000; k++) {
			assert_false(wsq_pick_accept(&t, 0, size));
			assert_true(wsq_pick_accept(&t, size, size));
			/* A container that only reports that it has tasks. */
			assert_true(wsq_pick_accept(&t, ~0U, size));
		}
		for (there = 1; there < size; there += size / 5 + 1) {
			for (k = 0, n = 0; k < DRAWS; k++)
				n += wsq_pick_accept(&t, there, size);
			about(n, (u64)DRAWS * there / size);
		}
	}
}

/* Two thieves do not draw in step, and both make progress. */
static void thieves_differ(void **state)
{
	struct wsq_thief a, b;
	u32 i, k, same;

	(void)state;
	for (i = 0; i < 256; i++) {
		wsq_thief_init(&a, i);
		wsq_thief_init(&b, i + 1);
		for (k = 0, same = 0; k < 1000; k++) {
			same += wsq_thief_draw(&a, 4) == wsq_thief_draw(&b, 4);
			assert_true(atomic64_read(&a.rnd));
		}
		/* One in four at random: 250, sigma 14. */
		assert_in_range(same, 170, 330);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(ends_soon),
		cmocka_unit_test(by_chance),
		cmocka_unit_test(nearest_first),
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(accepts_by_size),
		cmocka_unit_test(thieves_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
