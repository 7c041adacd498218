// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of SALSA: results of each operation at its edges, the state of
 * chunks and lists, the counters.
 *
 * For: run-checks, under shim/stall, plain and with gcc's address and undefined
 * sanitizers. Cost: negligible. Limitations: one thread; salsa.c tests stops in
 * the middle of operations.
 */
#include "salsa_ops.h"
#include "party.h"

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

	/* Epoch and way of taking stay, the rest is as given. */
	word = wsq_salsa_next_word(word | WSQ_SALSA_CLAIMS, WSQ_SALSA_STOLEN, 3, 5);
	assert_int_equal(wsq_salsa_state(word), WSQ_SALSA_STOLEN);
	assert_int_equal(wsq_salsa_id(word), 3);
	assert_int_equal(wsq_salsa_index(word), 5);
	assert_int_equal(wsq_salsa_epoch(word), WSQ_SALSA_EPOCHS - 1);
	assert_true(word & WSQ_SALSA_CLAIMS);
	assert_int_equal(word >> WSQ_SALSA_TAG_SHIFT, 2);

	/* The tag wraps without changing other fields. */
	word = wsq_salsa_next_word(WSQ_SALSA_TAG_MASK, WSQ_SALSA_FREE, 0, 0);
	assert_int_equal(word, 0);
}

static void rings(void **state)
{
	atomic64_t cells[4];
	struct wsq_salsa_ring r;
	u32 nr, i, k;

	(void)state;
	wsq_salsa_ring_init(&r, cells, 4);
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
		/* From another slot the next time. */
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
	assert_false(wsq_salsa_remove(&t->s, 0, 0, task_of(1)));
	wsq_salsa_leave(t->c[0]);
	pool_free(t);
}

/* In the order of the chunks, through chunks that are reused repeatedly. */
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
			/* All of it, and all but one the next time. */
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

/* A consumer that finds nothing stays for a while, without blocking others. */
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


/* A finished chunk stays unchanged until its grace period is over. */
static void tags(void **state)
{
	struct pool *t = pool_new(2, 1, 2, 1, 1, 0);

	(void)state;
	pool_supply(t, 0, 1);
	assert_int_equal(tag(t, 0), 0);
	put(t, 0, 0, 1, 2);
	assert_int_equal(tag(t, 0), 1);
	get_is(t, 0, 1);
	assert_int_equal(tag(t, 0), 2);
	wsq_salsa_leave(t->c[0]);
	assert_int_equal(tag(t, 0), 3 % (1ULL << WSQ_SALSA_TAG_BITS));
	steal_is(t, 1, 0, false, WSQ_OK, 2);
	assert_int_equal(tag(t, 0), 4 % (1ULL << WSQ_SALSA_TAG_BITS));
	wsq_salsa_leave(t->c[1]);
	assert_int_equal(tag(t, 0), 5 % (1ULL << WSQ_SALSA_TAG_BITS));
	chunk_is(t, 0, WSQ_SALSA_FREE, 1, 0, 0, false);
	/* To the consumer that finished it. */
	pool_has(t, 0, 0);
	pool_has(t, 1, 1);
	open_is(t, 0, 0, WSQ_FULL);
	open_is(t, 0, 1, WSQ_OK);
	chunk_is(t, 0, WSQ_SALSA_LEFT, 1, 0, 0, false);
	pool_free(t);
}

/* A producer has at most as many chunks with a consumer as list entries. */
static void full_list(void **state)
{
	struct pool *t = pool_new(2, 2, 1, 2 * WSQ_SALSA_ENTRIES + 2, 64, 0);
	u64 i;

	(void)state;
	pool_supply(t, 0, 2 * WSQ_SALSA_ENTRIES + 2);
	put(t, 0, 0, 1, WSQ_SALSA_ENTRIES);
	pool_has(t, 0, WSQ_SALSA_ENTRIES + 2);
	for (i = 0; i < WSQ_SALSA_ENTRIES + 3; i++) {
		open_is(t, 0, 0, WSQ_FULL);
		pool_has(t, 0, WSQ_SALSA_ENTRIES + 2);
		/* A chunk is finished when its consumer moves on. */
		wsq_salsa_leave(t->c[0]);
		get_is(t, 0, i + 1);
		open_is(t, 0, 0, WSQ_FULL);
		wsq_salsa_leave(t->c[0]);
		pool_has(t, 0, WSQ_SALSA_ENTRIES + 3);
		put(t, 0, 0, WSQ_SALSA_ENTRIES + i + 1, WSQ_SALSA_ENTRIES + i + 1);
	}
	pool_free(t);

	/* Others have separate lists; stolen chunks need no entry there. */
	t = pool_new(2, 2, 1, 2 * WSQ_SALSA_ENTRIES + 2, 64, 0);
	pool_supply(t, 0, 2 * WSQ_SALSA_ENTRIES + 2);
	put(t, 0, 0, 1, WSQ_SALSA_ENTRIES);
	put(t, 1, 0, 101, 100 + WSQ_SALSA_ENTRIES);
	open_is(t, 0, 0, WSQ_FULL);
	open_is(t, 1, 0, WSQ_FULL);
	for (i = 1; i <= WSQ_SALSA_ENTRIES; i++)
		steal_is(t, 1, 0, false, WSQ_OK, i);
	put(t, 0, 0, 201, 200 + 2);
	open_is(t, 0, 0, WSQ_FULL);
	pool_free(t);
}

/* A thief can have a chunk of each producer, and some more, unfinished. */
static void full_of_stolen(void **state)
{
	const u64 space = WSQ_SALSA_ENTRIES + 2;
	struct pool *t = pool_new(2, 2, 2, 2 * WSQ_SALSA_ENTRIES, 64, 0);
	u64 i;

	(void)state;
	pool_supply(t, 0, 2 * WSQ_SALSA_ENTRIES);
	put(t, 0, 0, 1, 2 * WSQ_SALSA_ENTRIES);
	put(t, 1, 0, 2 * WSQ_SALSA_ENTRIES + 1, 2 * space + 2);
	for (i = 0; i < space; i++) {
		steal_is(t, 1, 0, false, WSQ_OK, 2 * i + 1);
		wsq_salsa_leave(t->c[1]);
	}
	steal_is(t, 1, 0, false, WSQ_FULL, 0);
	chunk_is(t, space, WSQ_SALSA_LEFT, 0, 0, 0, false);
	assert_int_equal(atomic64_read(&t->c[1]->in), 0);
	for (i = 0; i < space; i++) {
		assert_true(wsq_salsa_waiting(t->c[1]));
		get_is(t, 1, 2 * i + 2);
	}
	assert_false(wsq_salsa_waiting(t->c[1]));
	steal_is(t, 1, 0, false, WSQ_OK, 2 * space + 1);
	get_is(t, 1, 2 * space + 2);
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
	pool_free(t);
}

/* A producer feeds any number of consumers, in any order. */
static void targets(void **state)
{
	struct pool *t = pool_new(9, 2, 1, 18, 4, 0);
	u32 i;

	(void)state;
	for (i = 0; i < 9; i++)
		pool_supply(t, i, 2);
	for (i = 0; i < 8; i++)
		put(t, 0, i, i + 1, i + 1);
	/* Chunks that others have opened since need no entry in any case. */
	for (i = 0; i < 8; i++) {
		get_is(t, i, i + 1);
		wsq_salsa_leave(t->c[i]);
	}
	for (i = 0; i < 8; i++) {
		put(t, 1, i, 20 + i, 20 + i);
		put(t, 1, i, 30 + i, 30 + i);
	}
	open_is(t, 0, 7, WSQ_FULL);
	put(t, 0, 8, 9, 10);
	/* A stale entry leads to the chunk's current tasks. */
	steal_is(t, 8, 1, false, WSQ_OK, 31);
	get_is(t, 8, 9);
	get_is(t, 8, 10);
	get_is(t, 1, 21);
	for (i = 0; i < 8; i++) {
		if (i == 1)
			continue;
		get_is(t, i, 20 + i);
		get_is(t, i, 30 + i);
		get_is(t, i, 0);
	}
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
	pool_free(t);
}

/*
 * Entries of chunks that another producer has opened since, for the same
 * consumer, and left half full, occupy no entry.
 */
static void entries_of_others(void **state)
{
	struct pool *t = pool_new(2, 2, 2, 2 * WSQ_SALSA_ENTRIES, 64, 0);
	u64 i, n = WSQ_SALSA_ENTRIES;

	(void)state;
	pool_supply(t, 0, n);
	put(t, 0, 0, 1, 2 * n);
	for (i = 1; i <= 2 * n; i++)
		get_is(t, 0, i);
	wsq_salsa_leave(t->c[0]);
	put(t, 1, 0, 101, 100 + 2 * n);
	pool_supply(t, 0, n);
	put(t, 0, 0, 201, 200 + 2 * n);
	open_is(t, 0, 0, WSQ_FULL);
	pool_free(t);
}

/* Producers take turns; a chunk is emptied first. */
static void turns(void **state)
{
	struct pool *t = pool_new(1, 3, 2, 6, 8, 0);
	u64 seen[3] = { 0 };
	u32 i, k;

	(void)state;
	pool_supply(t, 0, 6);
	for (i = 0; i < 3; i++)
		put(t, i, 0, 100 * i + 1, 100 * i + 4);
	for (k = 0; k < 6; k++) {
		u64 id = id_of(wsq_salsa_get(t->c[0]));

		i = (u32)(id / 100);
		assert_int_equal(id, 100 * i + seen[i] + 1);
		get_is(t, 0, id + 1);
		seen[i] += 2;
		/* No producer is two chunks ahead. */
		for (i = 0; i < 3; i++)
			assert_true(seen[i] <= seen[(i + 1) % 3] + 2);
	}
	get_is(t, 0, 0);
	pool_free(t);
}

/* No consumer is in the chunk: one exchange, no fence, in any case. */
static void steal_left(void **state)
{
	struct pool *t = pool_new(2, 1, 4, 2, 4, 0);

	(void)state;
	pool_supply(t, 0, 2);
	assert_false(wsq_salsa_holds(t->c[0]));
	/* Fresh, and being filled. */
	put(t, 0, 0, 1, 2);
	assert_true(wsq_salsa_holds(t->c[0]));
	assert_false(wsq_salsa_holds(t->c[1]));
	steal_is(t, 1, 0, false, WSQ_OK, 1);
	assert_false(wsq_salsa_holds(t->c[0]));
	assert_true(wsq_salsa_holds(t->c[1]));
	chunk_is(t, 0, WSQ_SALSA_ENTERED, 1, 0, 0, false);
	assert_int_equal(t->c[1]->count.stolen, 1);
	assert_int_equal(t->c[1]->count.fences, 0);
	assert_int_equal(t->c[1]->count.exchanges, 1);
	get_is(t, 1, 2);
	put(t, 0, 0, 3, 3);
	get_is(t, 0, 0);
	get_is(t, 1, 3);
	assert_int_equal(t->c[1]->count.entered, 0);
	/* Left: it is stolen back, at the index. */
	wsq_salsa_leave(t->c[1]);
	chunk_is(t, 0, WSQ_SALSA_LEFT, 1, 3, 0, false);
	/* No task, but it may get one. */
	assert_true(wsq_salsa_holds(t->c[1]));
	steal_is(t, 0, 1, false, WSQ_EMPTY, 0);
	put(t, 0, 0, 4, 4);
	steal_is(t, 0, 1, false, WSQ_OK, 4);
	chunk_is(t, 0, WSQ_SALSA_ENTERED, 0, 3, 0, false);
	get_is(t, 0, 0);
	get_is(t, 0, 0);
	chunk_is(t, 0, WSQ_SALSA_FREE, 0, 0, 0, false);
	assert_false(wsq_salsa_holds(t->c[0]));
	assert_false(wsq_salsa_holds(t->c[1]));
	assert_int_equal(t->c[0]->count.retired, 0);
	pool_has(t, 0, 2);
	pool_free(t);
}

/* The consumer is in it, between two takes: as if left, with a fence. */
static void steal_entered(void **state)
{
	struct pool *t = pool_new(3, 1, 4, 2, 4, 0);

	(void)state;
	pool_supply(t, 0, 2);
	put(t, 0, 0, 1, 6);
	get_is(t, 0, 1);
	/* Chunks that no consumer is in come first. */
	steal_is(t, 1, 0, true, WSQ_OK, 5);
	assert_int_equal(t->c[1]->count.fences, 0);
	steal_is(t, 2, 0, false, WSQ_CONFLICT, 0);
	assert_int_equal(t->c[2]->count.exchanges, 0);
	steal_is(t, 2, 0, true, WSQ_OK, 2);
	assert_int_equal(t->c[2]->count.replaced, 1);
	assert_int_equal(t->c[2]->count.busy, 0);
	assert_int_equal(t->c[2]->count.fences, 1);
	/* One exchange each to seize, to own and to enter it. */
	assert_int_equal(t->c[2]->count.exchanges, 3);
	assert_int_equal(t->c[2]->count.contended, 0);
	chunk_is(t, 0, WSQ_SALSA_ENTERED, 2, 1, 0, false);
	get_is(t, 0, 0);
	assert_int_equal(t->c[0]->count.lost, 1);
	assert_null(t->c[0]->chunk);
	gets_are(t, 2, 3, 4);
	get_is(t, 2, 0);
	get_is(t, 2, 0);
	/* At once: no take can be in progress. */
	pool_has(t, 2, 1);
	assert_int_equal(t->c[2]->count.retired, 0);
	get_is(t, 1, 6);

	/* The victim notices when it leaves. */
	put(t, 0, 2, 7, 8);
	steal_is(t, 0, 1, true, WSQ_OK, 7);
	wsq_salsa_leave(t->c[1]);
	assert_int_equal(t->c[1]->count.lost, 1);
	assert_int_equal(t->c[1]->count.left, 0);
	get_is(t, 0, 8);
	pool_free(t);
}

/* A thief leaves the chunk it is in. */
static void steal_and_leave(void **state)
{
	struct pool *t = pool_new(2, 1, 4, 2, 4, 0);

	(void)state;
	pool_supply(t, 0, 1);
	pool_supply(t, 1, 1);
	put(t, 0, 0, 1, 4);
	put(t, 0, 1, 5, 6);
	get_is(t, 0, 1);
	wsq_salsa_leave(t->c[0]);
	get_is(t, 1, 5);
	steal_is(t, 1, 0, false, WSQ_OK, 2);
	chunk_is(t, 1, WSQ_SALSA_LEFT, 1, 1, 0, false);
	assert_int_equal(t->c[1]->count.left, 1);
	assert_int_equal(atomic64_read(&t->c[1]->in), 1);
	gets_are(t, 1, 3, 4);
	get_is(t, 1, 6);
	assert_int_equal(atomic64_read(&t->c[1]->in), 2);
	pool_free(t);
}

static void claiming(void **state)
{
	struct pool *t = pool_new(2, 1, 4, 2, 4, 3);

	(void)state;
	assert_int_equal(t->s.all_words, 0);
	pool_supply(t, 0, 2);
	put(t, 0, 0, 1, 8);
	claim_is(t, 0, 1);
	chunk_is(t, 0, WSQ_SALSA_ENTERED, 0, 0, 0, true);
	/* Between two takes, by one exchange. */
	steal_is(t, 1, 0, false, WSQ_OK, 5);
	steal_is(t, 1, 0, false, WSQ_OK, 2);
	chunk_is(t, 0, WSQ_SALSA_ENTERED, 1, 1, 1, true);
	assert_int_equal(t->c[1]->count.stolen, 2);
	assert_int_equal(t->c[1]->count.fences, 0);
	claim_is(t, 0, 0);
	assert_int_equal(t->c[0]->count.lost, 1);
	claim_is(t, 1, 3);
	claim_is(t, 1, 4);
	claim_is(t, 1, 6);
	/* Another consumer may still claim from it. */
	assert_int_equal(t->c[1]->count.retired, 1);
	/* A reused chunk is like a new one. */
	claim_is(t, 1, 7);
	claim_is(t, 1, 8);
	claim_is(t, 1, 0);
	claim_is(t, 1, 0);
	assert_int_equal(t->c[1]->count.finished, 2);
	assert_int_equal(t->c[1]->count.retired, 1);
	pool_has(t, 1, 2);
	pool_free(t);
}

/* Plain consumers claim from a chunk that was claimed from, silently. */
static void mixed(void **state)
{
	struct pool *t = pool_new(2, 1, 6, 2, 4, 1);

	(void)state;
	assert_int_equal(t->s.all[0], 2);
	pool_supply(t, 0, 1);
	pool_supply(t, 1, 1);
	put(t, 0, 0, 1, 6);
	claim_is(t, 0, 1);
	assert_true(wsq_salsa_remove(&t->s, 0, 2, task_of(3)));
	steal_is(t, 1, 0, false, WSQ_OK, 2);
	chunk_is(t, 0, WSQ_SALSA_ENTERED, 1, 1, 1, true);
	get_is(t, 1, 4);
	assert_true(wsq_salsa_remove(&t->s, 0, 4, task_of(5)));
	assert_true(wsq_salsa_remove(&t->s, 0, 5, task_of(6)));
	get_is(t, 1, 0);
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
	get_is(t, 1, 0);
	assert_int_equal(t->c[1]->count.finished, 1);
	assert_int_equal(t->c[1]->count.retired, 1);

	/* The other way round: a claimer displaces, and claims from there on. */
	put(t, 0, 1, 7, 10);
	get_is(t, 1, 7);
	steal_is(t, 0, 1, false, WSQ_CONFLICT, 0);
	steal_is(t, 0, 1, true, WSQ_OK, 8);
	assert_int_equal(t->c[0]->count.fences, 1);
	assert_true(wsq_salsa_remove(&t->s, t->c[0]->chunk->nr, 2, task_of(9)));
	claim_is_taken(t, 0);
	claim_is(t, 0, 10);
	claim_is(t, 0, 0);
	pool_free(t);
}

static void removing(void **state)
{
	struct pool *t = pool_new(1, 1, 4, 3, 4, 1);

	(void)state;
	pool_supply(t, 0, 2);
	put(t, 0, 0, 1, 6);
	/* The task must be there, once. */
	assert_false(wsq_salsa_remove(&t->s, 0, 1, task_of(1)));
	assert_true(wsq_salsa_remove(&t->s, 0, 1, task_of(2)));
	assert_false(wsq_salsa_remove(&t->s, 0, 1, task_of(2)));
	/* Not yet put, and invalid numbers. */
	assert_false(wsq_salsa_remove(&t->s, 1, 2, task_of(7)));
	assert_false(wsq_salsa_remove(&t->s, 2, 0, task_of(1)));
	assert_false(wsq_salsa_remove(&t->s, 3, 0, task_of(1)));
	assert_false(wsq_salsa_remove(&t->s, WSQ_SALSA_NONE, 0, task_of(1)));
	assert_false(wsq_salsa_remove(&t->s, 0, 4, task_of(1)));
	assert_false(wsq_salsa_remove(&t->s, 0, ~0ULL, task_of(1)));

	claim_is(t, 0, 1);
	assert_false(wsq_salsa_remove(&t->s, 0, 0, task_of(1)));
	claim_is_taken(t, 0);
	claim_is(t, 0, 3);
	claim_is(t, 0, 4);
	claim_is(t, 0, 5);
	/* Finished and reused: the old task's slot has another task. */
	put(t, 0, 0, 7, 9);
	assert_false(wsq_salsa_remove(&t->s, 0, 0, task_of(1)));
	assert_true(wsq_salsa_remove(&t->s, 0, 0, task_of(9)));
	assert_true(wsq_salsa_remove(&t->s, 1, 2, task_of(7)));
	claim_is(t, 0, 6);
	claim_is_taken(t, 0);
	claim_is(t, 0, 8);
	claim_is(t, 0, 0);
	pool_free(t);
}

/* All tasks of a chunk removed: nothing to take, and yet it must come back. */
static void removed(void **state)
{
	struct pool *t = pool_new(2, 1, 2, 1, 1, 3);

	(void)state;
	pool_supply(t, 0, 1);
	put(t, 0, 0, 1, 2);
	assert_true(wsq_salsa_remove(&t->s, 0, 0, task_of(1)));
	assert_true(wsq_salsa_waiting(t->c[0]));
	assert_true(wsq_salsa_remove(&t->s, 0, 1, task_of(2)));
	assert_false(wsq_salsa_waiting(t->c[0]));
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
	steal_is(t, 1, 0, true, WSQ_EMPTY, 0);
	claim_is_taken(t, 0);
	claim_is_taken(t, 0);
	claim_is(t, 0, 0);
	/* The same for the rest of a chunk. */
	put(t, 0, 0, 3, 3);
	claim_is(t, 0, 3);
	wsq_salsa_leave(t->c[0]);
	put(t, 0, 0, 4, 4);
	assert_true(wsq_salsa_remove(&t->s, 0, 1, task_of(4)));
	claim_is_taken(t, 0);
	claim_is(t, 0, 0);
	put(t, 0, 0, 5, 6);
	claim_is(t, 0, 5);
	claim_is(t, 0, 6);
	pool_free(t);
}

static void remove_all(struct pool *t, u32 nr, u64 first)
{
	u64 i;

	for (i = 0; i < t->s.chunk_size; i++)
		assert_true(wsq_salsa_remove(&t->s, nr, i,
					     task_of(first + i)));
}

/* Two chunks of consumer 0 with tasks 1 to 8. Chunks go home, as in a queue. */
static struct pool *pool_to_reclaim(void)
{
	struct pool *t = pool_new(2, 1, 4, 2, 4, 3);

	party_reset();
	t->c[1]->node = 1;
	pool_supply(t, 0, 2);
	put(t, 0, 0, 1, 8);
	open_is(t, 0, 0, WSQ_FULL);
	assert_false(wsq_salsa_reclaim(t->c[0], 0, 2));
	return t;
}

/* A chunk of removed tasks that no consumer is in. The other one stays. */
static void reclaiming(void **state)
{
	struct pool *t = pool_to_reclaim();
	u64 i, k;

	(void)state;
	remove_all(t, 1, 5);
	open_is(t, 0, 0, WSQ_FULL);
	assert_true(wsq_salsa_reclaim(t->c[0], 0, 2));
	chunk_is(t, 1, WSQ_SALSA_FREE, 0, 0, 0, false);
	chunk_is(t, 0, WSQ_SALSA_LEFT, 0, 0, 0, false);
	assert_false(wsq_salsa_reclaim(t->c[0], 0, 2));
	pool_has(t, 0, 1);
	/* While any task is left, the chunk is not free. */
	for (i = 0; i < 4; i++) {
		put(t, 0, 0, 11, 14);
		for (k = 0; k < 4; k++)
			assert_true(k == i ||
				    wsq_salsa_remove(&t->s, 1, k, task_of(11 + k)));
		assert_false(wsq_salsa_reclaim(t->c[0], 0, 2));
		assert_true(wsq_salsa_remove(&t->s, 1, i, task_of(11 + i)));
		assert_true(wsq_salsa_reclaim(t->c[0], 0, 2));
	}
	pool_free(t);
}

/* The chunk that the consumer is in: its slots from the next one on. */
static void reclaiming_own(void **state)
{
	struct pool *t = pool_to_reclaim();

	(void)state;
	claim_is(t, 0, 1);
	claim_is(t, 0, 2);
	assert_true(wsq_salsa_remove(&t->s, 0, 3, task_of(4)));
	assert_false(wsq_salsa_reclaim(t->c[0], 0, 2));
	assert_true(wsq_salsa_remove(&t->s, 0, 2, task_of(3)));
	assert_true(wsq_salsa_reclaim(t->c[0], 0, 2));
	chunk_is(t, 0, WSQ_SALSA_FREE, 0, 0, 0, true);
	assert_null(t->c[0]->chunk);
	assert_int_equal(atomic64_read(&t->c[0]->in), 0);
	assert_int_equal(t->c[0]->count.retired, 0);
	put(t, 0, 0, 9, 12);
	claim_is(t, 0, 5);
	pool_free(t);
}

/* A chunk that a thief is in waits for a grace period, because of takes. */
static void reclaiming_stolen(void **state)
{
	struct pool *t = pool_to_reclaim();

	(void)state;
	steal_is(t, 1, 0, false, WSQ_OK, 1);
	assert_true(wsq_salsa_remove(&t->s, 0, 1, task_of(2)));
	assert_true(wsq_salsa_remove(&t->s, 0, 2, task_of(3)));
	assert_false(wsq_salsa_reclaim(t->c[0], 0, 2));
	assert_true(wsq_salsa_remove(&t->s, 0, 3, task_of(4)));
	parties[1].cpu.inside = true;
	parties[1].cpu.since = wsq_grace_now;
	assert_false(wsq_salsa_reclaim(t->c[0], 0, 2));
	chunk_is(t, 0, WSQ_SALSA_FREE, 0, 0, 1, true);
	assert_int_equal(t->c[0]->count.retired, 1);
	open_is(t, 0, 0, WSQ_FULL);
	/* Its next take notices. Until then its @in names the chunk. */
	assert_int_equal(atomic64_read(&t->c[1]->in), 1);
	claim_is(t, 1, 0);
	assert_null(t->c[1]->chunk);
	assert_int_equal(atomic64_read(&t->c[1]->in), 0);
	parties[1].cpu.inside = false;
	put(t, 0, 0, 9, 12);
	pool_free(t);
}

/* It looks at a bounded number of slots of chunks with tasks. */
static void reclaiming_bound(void **state)
{
	struct pool *t = pool_new(1, 1, 8, 4, 4, 1);
	u64 i, k;

	(void)state;
	party_reset();
	pool_supply(t, 0, 4);
	put(t, 0, 0, 1, 32);
	/* Three chunks with one task left, and one without. */
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 8; i++)
			assert_true(i == 6 || wsq_salsa_remove(&t->s, (u32)k, i,
							       task_of(8 * k + i + 1)));
	}
	remove_all(t, 3, 25);
	assert_false(wsq_salsa_reclaim(t->c[0], 0, 4));
	assert_true(wsq_salsa_reclaim(t->c[0], 2, 2));
	pool_free(t);
}

static void empty_and_waiting(void **state)
{
	struct pool *t = pool_new(2, 1, 4, 2, 4, 0);

	(void)state;
	pool_supply(t, 0, 2);
	open_is(t, 0, 0, WSQ_OK);
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
	assert_false(wsq_salsa_waiting(t->c[0]));
	put(t, 0, 0, 1, 1);
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_OK);
	assert_true(wsq_salsa_waiting(t->c[0]));
	assert_false(wsq_salsa_waiting(t->c[1]));
	get_is(t, 0, 1);
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
	assert_false(wsq_salsa_waiting(t->c[0]));
	put(t, 0, 0, 2, 5);
	assert_true(wsq_salsa_waiting(t->c[0]));
	steal_is(t, 1, 0, true, WSQ_OK, 5);
	steal_is(t, 1, 0, true, WSQ_OK, 2);
	assert_false(wsq_salsa_waiting(t->c[0]));
	assert_true(wsq_salsa_waiting(t->c[1]));
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_OK);
	gets_are(t, 1, 3, 4);
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
	pool_free(t);
}

/* Chunks of a node that others finish go back there. */
static void nodes(void **state)
{
	struct pool *t = pool_new(3, 1, 1, 3, 1, 0);
	struct wsq_salsa_consumer *c;

	(void)state;
	t->c[1]->node = 1;
	pool_supply(t, 0, 1);
	put(t, 0, 0, 1, 1);
	/* To another node, and home again by the inbox, when home looks. */
	steal_is(t, 1, 0, false, WSQ_OK, 1);
	wsq_salsa_leave(t->c[1]);
	pool_has(t, 1, 0);
	pool_has(t, 0, 0);
	assert_false(wsq_inbox_empty(&t->c[0]->returned));
	get_is(t, 0, 0);
	assert_true(wsq_inbox_empty(&t->c[0]->returned));
	pool_has(t, 0, 1);
	/* Two at once, and a chunk pool with space for one: the other waits. */
	pool_chunk(t, 0, 0);
	c = t->c[0];
	wsq_salsa_supply(t->c[1], t->chunk[1]);
	get_is(t, 0, 0);
	pool_has(t, 0, 1);
	assert_false(wsq_inbox_empty(&c->returned));
	put(t, 0, 0, 2, 2);
	pool_has(t, 0, 0);
	/* It can be used nevertheless, and fits in the end. */
	assert_int_equal(wsq_salsa_open(t->p[0], c), WSQ_OK);
	assert_true(wsq_inbox_empty(&c->returned));
	wsq_salsa_supply(t->c[1], t->chunk[t->p[0]->nr]);
	t->p[0]->size = 0;
	get_is(t, 0, 2);
	wsq_salsa_leave(c);
	pool_has(t, 0, 1);
	assert_false(wsq_inbox_empty(&c->returned));
	pool_has(t, 0, 1);
	put(t, 0, 0, 2, 2);
	steal_is(t, 2, 0, false, WSQ_OK, 2);
	get_is(t, 0, 0);
	assert_true(wsq_inbox_empty(&c->returned));
	pool_has(t, 0, 1);
	wsq_salsa_leave(t->c[2]);
	pool_has(t, 2, 1);
	t->c[2]->pool.head = t->c[2]->pool.tail;
	/* On its own node a chunk stays with the consumer that finished it. */
	put(t, 0, 0, 3, 3);
	steal_is(t, 2, 0, true, WSQ_OK, 3);
	wsq_salsa_leave(t->c[2]);
	pool_has(t, 2, 1);
	/* One without a home. */
	t->c[2]->node = 2;
	atomic64_set(&t->s.consumers[0], 0);
	put(t, 0, 2, 4, 4);
	get_is(t, 2, 4);
	wsq_salsa_leave(t->c[2]);
	pool_has(t, 2, 1);
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
		cmocka_unit_test(tags),
		cmocka_unit_test(full_list),
		cmocka_unit_test(full_of_stolen),
		cmocka_unit_test(targets),
		cmocka_unit_test(entries_of_others),
		cmocka_unit_test(turns),
		cmocka_unit_test(steal_left),
		cmocka_unit_test(steal_entered),
		cmocka_unit_test(steal_and_leave),
		cmocka_unit_test(claiming),
		cmocka_unit_test(mixed),
		cmocka_unit_test(removing),
		cmocka_unit_test(removed),
		cmocka_unit_test(reclaiming),
		cmocka_unit_test(reclaiming_own),
		cmocka_unit_test(reclaiming_stolen),
		cmocka_unit_test(reclaiming_bound),
		cmocka_unit_test(empty_and_waiting),
		cmocka_unit_test(nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
