// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of inbox, backlog and parking, each function separately.
 *
 * For: run-checks. Cost: nothing. Limitations: one thread; stress, model and
 * litmus test a try_push that loses (WSQ_CONFLICT) and the forbidden outcomes
 * of parking.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inbox.h"
#include "parking.h"

#define NR	9

static void push(struct wsq_inbox *in, atomic64_t *link, int want)
{
	assert_int_equal(wsq_inbox_try_push(in, link), want);
}

static void inbox_push_take(void **state)
{
	struct wsq_inbox in;
	atomic64_t links[NR], *l;
	int i;

	(void)state;
	wsq_inbox_init(&in);
	assert_true(wsq_inbox_empty(&in));
	assert_null(wsq_inbox_take(&in));
	for (i = 0; i < NR; i++)
		push(&in, &links[i], i ? WSQ_OK : WSQ_PUBLISHED);
	assert_false(wsq_inbox_empty(&in));
	l = wsq_inbox_take(&in);
	assert_true(wsq_inbox_empty(&in));
	assert_null(wsq_inbox_take(&in));
	/* Newest first, and the list ends. */
	for (i = NR - 1; i >= 0; i--, l = wsq_link_next(l))
		assert_ptr_equal(l, &links[i]);
	assert_null(l);
	/* Empty again: the next push returns so, and a link may be reused. */
	push(&in, &links[3], WSQ_PUBLISHED);
	assert_ptr_equal(wsq_inbox_take(&in), &links[3]);
	assert_null(wsq_link_next(&links[3]));
}

static void backlog_order(void **state)
{
	struct wsq_inbox in;
	struct wsq_backlog bl;
	atomic64_t links[NR];
	u32 budget, turns;
	int n, i;

	(void)state;
	for (n = 0; n <= NR; n++) {
		for (budget = 1; budget <= NR + 1; budget++) {
			wsq_inbox_init(&in);
			wsq_backlog_init(&bl);
			assert_true(wsq_backlog_empty(&bl));
			for (i = 0; i < n; i++)
				push(&in, &links[i], i ? WSQ_OK : WSQ_PUBLISHED);
			wsq_backlog_fill(&bl, wsq_inbox_take(&in));
			assert_int_equal(wsq_backlog_empty(&bl), n == 0);
			for (turns = 1; !wsq_backlog_reverse(&bl, budget); turns++)
				assert_false(wsq_backlog_empty(&bl));
			assert_int_equal(turns, n ? (n + budget - 1) / budget : 1);
			for (i = 0; i < n; i++) {
				assert_false(wsq_backlog_empty(&bl));
				assert_ptr_equal(wsq_backlog_pop(&bl), &links[i]);
			}
			assert_null(wsq_backlog_pop(&bl));
			assert_true(wsq_backlog_empty(&bl));
		}
	}
}

static void backlog_budget_zero(void **state)
{
	struct wsq_backlog bl;
	atomic64_t link;

	(void)state;
	wsq_backlog_init(&bl);
	assert_true(wsq_backlog_reverse(&bl, 0));
	wsq_link_set(&link, NULL);
	wsq_backlog_fill(&bl, &link);
	assert_false(wsq_backlog_reverse(&bl, 0));
	assert_true(wsq_backlog_reverse(&bl, 1));
	assert_ptr_equal(wsq_backlog_pop(&bl), &link);
}

static void parking(void **state)
{
	struct wsq_park park;

	(void)state;
	wsq_park_init(&park);
	assert_false(wsq_park_claim(&park));
	wsq_park_announce(&park);
	assert_true(wsq_park_claim(&park));
	assert_false(wsq_park_claim(&park));
	wsq_park_announce(&park);
	assert_true(wsq_parked(&park));
	assert_true(wsq_park_claim(&park));
	assert_false(wsq_parked(&park));
	assert_false(wsq_park_claim(&park));
	wsq_park_announce(&park);
	wsq_park_announce(&park);
	assert_true(wsq_park_claim(&park));
	assert_false(wsq_park_claim(&park));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inbox_push_take),
		cmocka_unit_test(backlog_order),
		cmocka_unit_test(backlog_budget_zero),
		cmocka_unit_test(parking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
