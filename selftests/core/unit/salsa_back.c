// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of SALSA: a victim that takes its chunk back while the thief waits
 * for its fence, and chunks that it must not take back.
 *
 * For: run-checks, under shim/stall, plain and with gcc's address and undefined
 * sanitizers. Cost: negligible. Limitations: those of salsa.c.
 */
#include "salsa_party.h"
#include "salsa_find.h"

/* The victim takes the chunk back first: the tasks are its own. */
static void begin_back(void **state)
{
	struct pool *t;
	u32 i;

	(void)state;
	for (i = 0; i < 3; i++) {
		t = pool_new(3, 1, 8, 1, 1, 0);
		party_reset();
		pool_supply(t, 0, 1);
		put(t, 0, 0, 1, 8);
		gets_are(t, 0, 1, 2);
		parties[0].cpu.deaf = true;
		begins(t, 1, 0, true);
		get_is(t, 0, 3);
		chunk_is(t, 0, WSQ_SALSA_ENTERED, 0, 2, 0, false);
		assert_int_equal(t->c[0]->count.back, 1);
		assert_int_equal(t->c[0]->count.lost, 0);
		assert_int_equal(t->c[0]->limit, 8);
		/* From now on it uses the fast path again. */
		get_is(t, 0, 4);
		assert_true(wsq_salsa_under_way(t->c[1]));
		if (!i) {
			/* The thief gets nothing, and its fence was in vain. */
			parties[0].cpu.deaf = false;
			get_is(t, 1, 0);
			assert_false(wsq_salsa_under_way(t->c[1]));
			gets_are(t, 0, 5, 8);
		} else {
			/* Another thief begins before the first has ended. */
			begins(t, 2, 0, true);
			chunk_is(t, 0, WSQ_SALSA_STOLEN, 2, 2, 0, false);
			if (i == 1)
				get_is(t, 0, 5);
			parties[0].cpu.deaf = false;
			get_is(t, 1, 0);
			get_is(t, 2, i == 1 ? 0 : 5);
			get_is(t, i == 1 ? 0 : 2, 6);
			get_is(t, i == 1 ? 2 : 0, 0);
			gets_are(t, i == 1 ? 0 : 2, 7, 8);
			assert_int_equal(t->c[0]->count.back, i == 1 ? 2 : 1);
		}
		get_is(t, i == 2 ? 2 : 0, 0);
		/* No chunk waits for a grace period. */
		pool_has(t, i == 2 ? 2 : 0, 1);
		assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
		pool_free(t);
	}
}

/* Must not take back from a thief that took the chunk from another thief. */
static void begin_not_back(void **state)
{
	struct party *a;
	struct pool *t;
	u64 word;

	(void)state;
	t = pool_filled(3, 8, 8, 0);
	get_is(t, 0, 1);
	parties[0].cpu.deaf = true;
	begins(t, 1, 0, true);
	/* The second thief halts amid its change; it does not name a victim. */
	a = &parties[2];
	a->arg[0] = t->c[2];
	a->arg[1] = t->c[1];
	party_stop_at(a, "SA(take:H)");
	assert_false(party_start(a, op_begin));
	chunk_is(t, 0, WSQ_SALSA_STOLEN, 2, 0, 0, false);
	t->c[0]->limit = 0;
	assert_false(wsq_salsa_take_back(t->c[0]));
	goes_on(a, 2);
	/*
	 * Unaware, the victim steals its former chunk; its own word is of the
	 * same chunk, and so is the first thief's theft.
	 */
	assert_ptr_equal(t->c[0]->chunk, t->chunk[0]);
	assert_true(wsq_salsa_under_way(t->c[1]));
	parties[2].cpu.deaf = true;
	begins(t, 0, 2, true);
	word = (u64)atomic64_read(&t->chunk[0]->owner);
	assert_int_equal(wsq_salsa_state(word), WSQ_SALSA_STOLEN);
	begins(t, 1, 0, true);
	assert_int_equal(atomic64_read(&t->chunk[0]->owner), word);
	/* The thief must not take its own theft back either. */
	get_is(t, 0, 0);
	assert_int_equal(t->c[0]->count.back, 0);
	assert_int_equal(t->c[0]->count.lost, 1);
	/* But the victim of that theft takes it back. */
	get_is(t, 2, 3);
	assert_int_equal(t->c[2]->count.back, 1);
	parties[0].cpu.deaf = false;
	parties[2].cpu.deaf = false;
	get_is(t, 0, 0);
	get_is(t, 1, 0);
	assert_int_equal(atomic64_read(&t->c[1]->stealing), 0);
	gets_are(t, 2, 4, 8);
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
	pool_free(t);
}

/* A chunk that was stolen before stays in the one list that has it. */
static void begin_back_listed(void **state)
{
	struct pool *t = pool_new(3, 2, 4, 2, 2, 0);

	(void)state;
	party_reset();
	pool_supply(t, 2, 2);
	put(t, 0, 2, 1, 4);
	steal_is(t, 0, 2, false, WSQ_OK, 1);
	put(t, 1, 2, 11, 14);
	get_is(t, 2, 11);
	parties[0].cpu.deaf = true;
	begins(t, 1, 0, true);
	/* It needs an entry in its list for its next theft. */
	parties[2].cpu.deaf = true;
	begins(t, 0, 2, true);
	get_is(t, 0, 2);
	assert_int_equal(t->c[0]->count.back, 1);
	wsq_salsa_leave(t->c[0]);
	assert_true(wsq_salsa_waiting(t->c[0]));
	gets_are(t, 0, 3, 4);
	parties[0].cpu.deaf = false;
	parties[2].cpu.deaf = false;
	get_is(t, 1, 0);
	gets_are(t, 0, 12, 14);
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
	pool_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begin_back),
		cmocka_unit_test(begin_not_back),
		cmocka_unit_test(begin_back_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
