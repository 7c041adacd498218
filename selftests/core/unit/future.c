// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of futures and calls, one thread in all roles: which links the
 * resolver gets, which context starts a call, and which may resolve or
 * cancel it.
 *
 * For: run-checks. Cost: nothing. Limitations: nothing happens at the same time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "future.h"
#include "inbox.h"

#define NR	5

static void links(void **state)
{
	atomic64_t word, link[NR], *at;
	int i;

	(void)state;
	wsq_fu_init(&word, false);
	assert_null(wsq_fu_waiting(&word));
	assert_false(wsq_fu_resolved(&word));
	for (i = 0; i < NR; i++) {
		assert_int_equal(wsq_fu_try_add(&word, &link[i]), WSQ_OK);
		/* A claim in between changes nothing for those that wait. */
		if (i == 2)
			assert_true(wsq_fu_claim(&word));
		assert_ptr_equal(wsq_fu_waiting(&word), &link[i]);
	}
	assert_false(wsq_fu_claim(&word));
	at = wsq_fu_close(&word);
	for (i = NR - 1; i >= 0; i--) {
		assert_ptr_equal(at, &link[i]);
		at = wsq_link_next(at);
	}
	assert_null(at);
	assert_true(wsq_fu_resolved(&word));
	assert_false(wsq_fu_claim(&word));
	assert_int_equal(wsq_fu_try_add(&word, &link[0]), WSQ_DONE);
	assert_null(wsq_fu_waiting(&word));
}

/* A call's future may be waited for from send on, and is the call's alone. */
static void calls_future(void **state)
{
	atomic64_t word, link;

	(void)state;
	wsq_fu_init(&word, true);
	assert_true(wsq_fu_unsent(&word));
	assert_true(wsq_fu_call(&word));
	wsq_fu_publish(&word);
	assert_false(wsq_fu_unsent(&word));
	assert_true(wsq_fu_call(&word));
	assert_false(wsq_fu_claim(&word));
	assert_int_equal(wsq_fu_try_add(&word, &link), WSQ_OK);
	assert_false(wsq_fu_unsent(&word));
	assert_true(wsq_fu_call(&word));
	assert_ptr_equal(wsq_fu_close(&word), &link);
	assert_false(wsq_fu_call(&word));
	assert_false(wsq_fu_unsent(&word));
	wsq_fu_init(&word, false);
	assert_false(wsq_fu_call(&word));
	assert_false(wsq_fu_unsent(&word));
}

/* One context starts the call, whatever came before it was sent. */
static void one_starts(void **state)
{
	int given, before, i;

	(void)state;
	for (given = 0; given <= NR; given++) {
		for (before = 0; before <= given; before++) {
			atomic64_t count;
			int started = 0;

			wsq_fu_count_init(&count);
			for (i = 0; i < before; i++)
				assert_false(wsq_fu_arrive(&count));
			assert_int_equal(wsq_fu_missing(&count, (u32)given),
					 given - before);
			started += wsq_fu_send(&count, (u32)given);
			assert_int_equal(started, before == given);
			for (; i < given; i++) {
				assert_int_equal(started, 0);
				assert_int_equal(wsq_fu_missing(&count, (u32)given),
						 given - i);
				started += wsq_fu_arrive(&count);
			}
			assert_int_equal(started, 1);
			assert_int_equal(wsq_fu_missing(&count, (u32)given), 0);
		}
	}
}

/* A cancel is in time until the call begins, and disturbs no count. */
static void cancel(void **state)
{
	atomic64_t count;
	int when;

	(void)state;
	for (when = 0; when < 4; when++) {
		wsq_fu_count_init(&count);
		if (when == 0)
			assert_true(wsq_fu_cancel(&count));
		assert_false(wsq_fu_send(&count, 1));
		if (when == 1)
			assert_true(wsq_fu_cancel(&count));
		assert_int_equal(wsq_fu_missing(&count, 1), 1);
		assert_true(wsq_fu_arrive(&count));
		if (when == 2)
			assert_true(wsq_fu_cancel(&count));
		assert_int_equal(wsq_fu_begin(&count), when == 3);
		assert_false(wsq_fu_cancel(&count));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links),
		cmocka_unit_test(calls_future),
		cmocka_unit_test(one_starts),
		cmocka_unit_test(cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
