// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the hooks of fence.h in user space: allowed contexts and
 * repetitions. kmod/core is tested with these hooks, so they are tested, too.
 *
 * For: run-checks. Cost: nothing. Limitations: one thread; stress tests the
 * ordering.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fence.h"

static void sections_nest(void **state)
{
	(void)state;
	wsq_fence_begin();
	wsq_fence_begin();
	wsq_fence_light();
	wsq_fence_end();
	wsq_fence_light();
	wsq_fence_end();
	assert_true(wsq_fence_reaches(0));
}

/* An empty set, this thread's, all. */
static void any_set(void **state)
{
	static const u64 sets[][2] = { { 0, 0 }, { 1, 0 }, { ~0ULL, ~0ULL } };
	u32 i;

	(void)state;
	for (i = 0; i < 3; i++)
		wsq_fence_heavy(sets[i], 2);
}

/* A call that was never started is done; so is each started one, repeatedly. */
static void calls(void **state)
{
	struct wsq_fence_call call[2];
	u32 i;

	(void)state;
	for (i = 0; i < 2; i++) {
		wsq_fence_call_init(&call[i]);
		assert_true(wsq_fence_done(&call[i]));
	}
	for (i = 0; i < 100; i++) {
		wsq_fence_start(&call[0], i);
		wsq_fence_start(&call[1], 0);
		while (!wsq_fence_done(&call[0]))
			;
		while (!wsq_fence_done(&call[1]))
			;
	}
	/* From inside a section, as a thief may. */
	wsq_fence_begin();
	wsq_fence_start(&call[0], 0);
	wsq_fence_end();
	while (!wsq_fence_done(&call[0]))
		;
	assert_true(wsq_fence_done(&call[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_nest),
		cmocka_unit_test(any_set),
		cmocka_unit_test(calls),
	};

	wsq_fence_register();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
