// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of SALSA: chunks in which a take may still be in progress are
 * reused after a grace period, by the first that needs them.
 *
 * For: run-checks, under shim/stall, plain and with gcc's address and undefined
 * sanitizers. Cost: negligible. Limitations: as salsa.c.
 */
#include "salsa_party.h"

/* Is this the only chunk that waits for a grace period there? */
static bool waits(const struct pool *t, u32 c, u32 nr)
{
	return (u64)atomic64_read(&t->c[c]->waiting.head) ==
	       (u64)(uintptr_t)&t->chunk[nr]->link &&
	       !atomic64_read(&t->chunk[nr]->link);
}

/*
 * Tasks @id and @id + 1 fill a chunk of consumer 0; it takes the first, stops
 * in the take of the second, which is stolen, and with it the chunk.
 */
static struct party *stolen_in_take(struct pool *t, u64 id)
{
	struct party *v;

	put(t, 0, 0, id, id + 1);
	get_is(t, 0, id);
	v = get_stops(t, 0, "SA(get:D)");
	steal_is(t, 1, 0, true, WSQ_OK, id + 1);
	return v;
}

/* A chunk in which a take may be in progress waits for it; others do not. */
static void graces(void **state)
{
	struct pool *t = pool_new(2, 1, 2, 2, 2, 0);
	struct party *v;

	(void)state;
	party_reset();
	pool_supply(t, 0, 2);
	v = stolen_in_take(t, 1);
	get_is(t, 1, 0);
	assert_int_equal(t->c[1]->count.retired, 1);
	assert_true(waits(t, 1, 0));
	chunk_is(t, 0, WSQ_SALSA_FREE, 1, 0, 1, false);
	/* The other one can be reused at any time. */
	put(t, 0, 0, 3, 4);
	steal_is(t, 1, 0, true, WSQ_OK, 3);
	get_is(t, 1, 4);
	get_is(t, 1, 0);
	get_is(t, 1, 0);
	pool_has(t, 1, 1);
	assert_true(waits(t, 1, 0));
	goes_on(v, 0);
	/* At the next occasion. */
	get_is(t, 1, 0);
	assert_false(waits(t, 1, 0));
	pool_has(t, 1, 2);
	pool_free(t);
}

/* A consumer has no claim to a chunk that it has finished. */
static void graces_of_others(void **state)
{
	u32 far;

	(void)state;
	for (far = 0; far < 2; far++) {
		struct pool *t = pool_new(2, 1, 2, 3, 2, 0);
		struct party *v;
		u32 keeper = far ? 0 : 1;

		party_reset();
		t->c[1]->node = far;
		pool_supply(t, 0, 1);
		v = stolen_in_take(t, 1);
		get_is(t, 1, 0);
		assert_true(waits(t, keeper, 0));
		/* A take may still be in progress. */
		assert_int_equal(wsq_salsa_open(t->p[0], t->c[keeper]), WSQ_FULL);
		assert_true(waits(t, keeper, 0));
		goes_on(v, 0);
		/* No party takes or steals from here on. */
		assert_int_equal(wsq_salsa_open(t->p[0], t->c[!keeper]), WSQ_FULL);
		assert_int_equal(wsq_salsa_open(t->p[0], t->c[keeper]), WSQ_OK);
		assert_int_equal(t->p[0]->nr, 0);
		assert_true(wsq_inbox_empty(&t->c[keeper]->waiting));
		pool_free(t);
	}
}

/* Of several waiting chunks, a producer gets those whose wait is over. */
static void graces_of_some(void **state)
{
	struct pool *t = pool_new(2, 1, 2, 4, 4, 0);
	struct party *v;
	u32 i;

	(void)state;
	party_reset();
	pool_supply(t, 0, 3);
	for (i = 0; i < 3; i++) {
		v = stolen_in_take(t, 2 * i + 1);
		/* The last reader is still in its section. */
		if (i < 2)
			goes_on(v, 0);
		wsq_salsa_leave(t->c[1]);
		t->c[1]->cookie = ~0ULL;
	}
	assert_int_equal(t->c[1]->count.retired, 3);
	for (i = 0; i < 2; i++) {
		t->p[0]->size = 0;
		assert_int_equal(wsq_salsa_open(t->p[0], t->c[1]), WSQ_OK);
	}
	assert_int_equal(wsq_salsa_open(t->p[0], t->c[1]), WSQ_FULL);
	assert_true(waits(t, 1, 2));
	goes_on(v, 0);
	assert_int_equal(wsq_salsa_open(t->p[0], t->c[1]), WSQ_OK);
	assert_int_equal(t->p[0]->nr, 2);
	pool_free(t);
}

/* Of several waiting chunks, a consumer reclaims each as soon as allowed. */
static void graces_in_slice(void **state)
{
	struct pool *t = pool_new(2, 1, 2, 4, 4, 0);
	struct party *reader, *v;
	u32 i;

	(void)state;
	party_reset();
	pool_supply(t, 0, 4);
	for (i = 0; i < 4; i++) {
		/* In a section from before the chunk's period, to its end. */
		reader = &parties[2 + i];
		reader->arg[0] = &t->s;
		party_stop_at(reader, "SA(scan:B)");
		assert_false(party_start(reader, op_empty));
		v = stolen_in_take(t, 2 * i + 1);
		goes_on(v, 0);
		wsq_salsa_leave(t->c[1]);
	}
	assert_int_equal(t->c[1]->count.retired, 4);
	for (i = 0; i < 4; i++) {
		wsq_salsa_tidy(t->c[1]);
		assert_int_equal(wsq_salsa_ring_count(&t->c[1]->pool), i);
		assert_true(party_go(&parties[2 + i]));
	}
	wsq_salsa_tidy(t->c[1]);
	assert_int_equal(wsq_salsa_ring_count(&t->c[1]->pool), 4);
	pool_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graces),
		cmocka_unit_test(graces_of_others),
		cmocka_unit_test(graces_of_some),
		cmocka_unit_test(graces_in_slice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
