// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of SALSA: what each operation returns at its edges, what becomes of
 * chunks and lists, and what is counted.
 *
 * For: run-checks, under shim/native, plain and with gcc's address and undefined
 * sanitizers. Cost: nothing to speak of. Limitations: one thread; contention is
 * the business of stress/salsa.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pool.h"
#include "grace.h"

WSQ_GRACE_DEFINE;

static void open_is(struct pool *t, u32 p, u32 c, int ret)
{
	assert_int_equal(wsq_salsa_open(t->p[p], t->c[c]), ret);
}

/* Puts tasks first to last, in chunks of consumer @c. */
static void put(struct pool *t, u32 p, u32 c, u64 first, u64 last)
{
	for (; first <= last; first++) {
		if (wsq_salsa_put(t->p[p], task_of(first)) == WSQ_OK)
			continue;
		open_is(t, p, c, WSQ_OK);
		assert_int_equal(wsq_salsa_put(t->p[p], task_of(first)), WSQ_OK);
	}
}

static void get_is(struct pool *t, u32 c, u64 id)
{
	assert_int_equal(id_of(wsq_salsa_get(t->c[c])), id);
	assert_int_equal(atomic64_read(&t->c[c]->busy), 0);
}

static void gets_are(struct pool *t, u32 c, u64 first, u64 last)
{
	for (; first <= last; first++)
		get_is(t, c, first);
}



static void steal_is(struct pool *t, u32 c, u32 v, bool may_fence, int ret,
		     u64 id)
{
	void *task = task_of(12345);

	assert_int_equal(wsq_salsa_steal(t->c[c], t->c[v], may_fence, &task), ret);
	assert_int_equal(id_of(task), id);
	assert_int_equal(atomic64_read(&t->c[c]->busy), 0);
}

/* The owner word of chunk @nr. */
static void chunk_is(struct pool *t, u32 nr, u32 state, u32 id, u64 index,
		     u32 epoch, bool claims)
{
	u64 word = (u64)atomic64_read(&t->chunk[nr]->owner);

	assert_int_equal(wsq_salsa_state(word), state);
	assert_int_equal(wsq_salsa_id(word), id);
	assert_int_equal(wsq_salsa_index(word), index);
	assert_int_equal(wsq_salsa_epoch(word), epoch);
	assert_int_equal(!!(word & WSQ_SALSA_CLAIMS), claims);
}


static void pool_has(struct pool *t, u32 c, u64 nr)
{
	assert_int_equal(wsq_salsa_ring_count(&t->c[c]->pool), nr);
}

static void words(void **state)
{
	u64 word = wsq_salsa_next_word(0, WSQ_SALSA_LEFT,
				       WSQ_SALSA_MAX_CONSUMERS - 1,
				       WSQ_SALSA_MAX_SIZE);
	u32 i;

	(void)state;
	assert_int_equal(wsq_salsa_state(word), WSQ_SALSA_LEFT);
	assert_int_equal(wsq_salsa_id(word), WSQ_SALSA_MAX_CONSUMERS - 1);
	assert_int_equal(wsq_salsa_index(word), WSQ_SALSA_MAX_SIZE);
	assert_int_equal(wsq_salsa_epoch(word), 0);
	assert_int_equal(word >> WSQ_SALSA_TAG_SHIFT, 1);
	for (i = 1; i < WSQ_SALSA_EPOCHS; i++) {
		word = wsq_salsa_next_epoch(word);
		assert_int_equal(wsq_salsa_epoch(word), i);
	}
	assert_int_equal(wsq_salsa_next_epoch(word), word);

	/* Epoch and way of taking stay, the rest is as said. */
	word = wsq_salsa_next_word(word | WSQ_SALSA_CLAIMS, WSQ_SALSA_STOLEN, 3, 5);
	assert_int_equal(wsq_salsa_state(word), WSQ_SALSA_STOLEN);
	assert_int_equal(wsq_salsa_id(word), 3);
	assert_int_equal(wsq_salsa_index(word), 5);
	assert_int_equal(wsq_salsa_epoch(word), WSQ_SALSA_EPOCHS - 1);
	assert_true(word & WSQ_SALSA_CLAIMS);
	assert_int_equal(word >> WSQ_SALSA_TAG_SHIFT, 2);

	/* The tag wraps, into nothing else. */
	word = wsq_salsa_next_word(WSQ_SALSA_TAG_MASK, WSQ_SALSA_FREE, 0, 0);
	assert_int_equal(word, 0);
}

static void rings(void **state)
{
	atomic64_t places[4];
	struct wsq_salsa_ring r;
	u32 nr, i, k;

	(void)state;
	wsq_salsa_ring_init(&r, places, 4);
	for (k = 0; k < 5; k++) {
		assert_int_equal(wsq_salsa_ring_get(&r, &nr), WSQ_EMPTY);
		for (i = 0; i < 4; i++) {
			assert_int_equal(wsq_salsa_ring_count(&r), i);
			assert_int_equal(wsq_salsa_ring_give(&r, 10 * k + i), WSQ_OK);
		}
		assert_int_equal(wsq_salsa_ring_give(&r, 99), WSQ_FULL);
		for (i = 0; i < 4; i++) {
			assert_int_equal(wsq_salsa_ring_get(&r, &nr), WSQ_OK);
			assert_int_equal(nr, 10 * k + i);
		}
		/* From another place the next time. */
		assert_int_equal(wsq_salsa_ring_give(&r, 7), WSQ_OK);
		assert_int_equal(wsq_salsa_ring_get(&r, &nr), WSQ_OK);
		assert_int_equal(nr, 7);
	}
}

static void without_anything(void **state)
{
	struct pool *t = pool_new(2, 1, 2, 4, 4, 0);

	(void)state;
	assert_int_equal(wsq_salsa_put(t->p[0], task_of(1)), WSQ_FULL);
	open_is(t, 0, 0, WSQ_FULL);
	get_is(t, 0, 0);
	steal_is(t, 1, 0, true, WSQ_EMPTY, 0);
	assert_false(wsq_salsa_waiting(t->c[0]));
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
	assert_false(wsq_salsa_withdraw(&t->s, 0, 0, task_of(1)));
	wsq_salsa_leave(t->c[0]);
	pool_free(t);
}

/* In the order of the chunks, through chunks that are used again and again. */
static void one_by_one(void **state)
{
	static const u32 sizes[] = { 1, 2, 3, 1008, WSQ_SALSA_MAX_SIZE };
	struct pool *t;
	u64 in, out;
	u32 i, lap;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		t = pool_new(1, 1, sizes[i], 3, 4, 0);
		pool_supply(t, 0, 3);
		in = out = 0;
		for (lap = 0; lap < 20; lap++) {
			for (;;) {
				if (wsq_salsa_put(t->p[0], task_of(in + 1)) != WSQ_OK &&
				    (wsq_salsa_open(t->p[0], t->c[0]) != WSQ_OK ||
				     wsq_salsa_put(t->p[0], task_of(in + 1)) != WSQ_OK))
					break;
				in++;
			}
			assert_int_equal(in % sizes[i], 0);
			assert_int_equal(wsq_salsa_put(t->p[0], task_of(1)), WSQ_FULL);
			/* All of it, and the next time but one. */
			while (out + lap % 2 < in)
				get_is(t, 0, ++out);
		}
		while (out < in)
			get_is(t, 0, ++out);
		get_is(t, 0, 0);
		assert_false(wsq_salsa_waiting(t->c[0]));
		assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
		assert_int_equal(t->c[0]->count.entered, in / sizes[i]);
		pool_free(t);
	}
}

/* A consumer that finds nothing stays for a while, and is not in the way. */
static void dry(void **state)
{
	struct pool *t = pool_new(1, 1, 4, 2, 2, 0);

	(void)state;
	pool_supply(t, 0, 2);
	put(t, 0, 0, 1, 1);
	get_is(t, 0, 1);
	chunk_is(t, 0, WSQ_SALSA_ENTERED, 0, 0, 0, false);
	get_is(t, 0, 0);
	put(t, 0, 0, 2, 2);
	get_is(t, 0, 2);
	assert_int_equal(t->c[0]->count.entered, 1);
	get_is(t, 0, 0);
	get_is(t, 0, 0);
	chunk_is(t, 0, WSQ_SALSA_LEFT, 0, 2, 0, false);
	assert_int_equal(t->c[0]->count.left, 1);
	put(t, 0, 0, 3, 5);
	gets_are(t, 0, 3, 5);
	assert_int_equal(t->c[0]->count.entered, 3);
	assert_int_equal(t->c[0]->count.finished, 1);
	assert_int_equal(t->c[0]->count.retired, 0);
	pool_has(t, 0, 1);
	pool_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(rings),
		cmocka_unit_test(without_anything),
		cmocka_unit_test(one_by_one),
		cmocka_unit_test(dry),
	};

	wsq_fence_register();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
