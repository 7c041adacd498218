// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of SALSA: the cases of section 5.3 of the paper, one by one, under
 * the names of kmod/core/salsa.h, by parties that stop at the critical points
 * (party.h), and similar ones. Operations without stops are in salsa_ops.c,
 * chunks that wait for a grace period in salsa_reuse.c, chunks that their
 * victims take back in salsa_back.c.
 *
 * For: run-checks, under shim/stall, plain and with gcc's address and undefined
 * sanitizers. Compiled once more with tags of 2 bits, which wrap after four
 * changes: then a thief that slept must be seen to steal wrongly.
 *
 * Cost: negligible. Limitations: selected stops; stall/salsa.c tests all
 * others.
 */
#include "salsa_party.h"

static void op_steal(struct party *p)
{
	p->ret = thief_steal_and_get((struct wsq_salsa_consumer *)p->arg[0],
				     (struct wsq_salsa_consumer *)p->arg[1],
				     true, &p->task);
}

static struct party *steal_stops(struct pool *t, u32 c, u32 v, const char *label)
{
	struct party *p = &parties[c];

	p->arg[0] = t->c[c];
	p->arg[1] = t->c[v];
	party_stop_at(p, label);
	assert_false(party_start(p, op_steal));
	return p;
}

static void steals_on(struct party *p, int ret, u64 id)
{
	goes_on(p, id);
	assert_int_equal(p->ret, ret);
}

/* Steps where a party stops are counted, and stores wait where they should. */
static void stopping(void **state)
{
	struct pool *t = pool_filled(1, 4, 4, 0);
	const u64 cpu_0 = 1;
	struct party *p;
	u64 n, steps = 0;

	(void)state;
	get_is(t, 0, 1);
	p = get_stops(t, 0, "SA(get:E)");
	assert_int_equal(atomic64_read(t->c[0]->idx), 2);
	assert_int_equal(atomic64_read(&t->c[0]->busy), 1);
	goes_on(p, 2);
	assert_int_equal(atomic64_read(&t->c[0]->busy), 0);

	p->cpu.lazy = true;
	p = get_stops(t, 0, "SA(get:E)");
	assert_int_equal(atomic64_read(t->c[0]->idx), 2);
	assert_int_equal(atomic64_read(&t->c[0]->busy), 0);
	assert_int_equal(p->cpu.nr_stores, 2);
	wsq_fence_heavy(&cpu_0, 1);
	assert_int_equal(atomic64_read(t->c[0]->idx), 3);
	assert_int_equal(atomic64_read(&t->c[0]->busy), 1);
	assert_int_equal(wsq_grace_oldest(), 0);
	goes_on(p, 3);
	assert_int_equal(wsq_grace_oldest(), ~0ULL);

	/* The accesses of a take that finds a task, one by one. */
	p->stop_at = n = 1;
	p->arg[0] = t->c[0];
	while (!party_start(p, op_get) && n < 9) {
		assert_int_equal(p->cpu.steps, n);
		while (!party_go(p))
			steps++;
		assert_int_equal(p->cpu.steps, 6);
		t->c[0]->at = 3;
		p->stop_at = ++n;
	}
	assert_int_equal(n, 7);
	assert_int_equal(steps, 0);
	assert_int_equal(id_of(p->task), 4);
	pool_free(t);
}

/* V's last look was before the theft: its index is seen, even if buffered. */
static void steal_before_index(void **state)
{
	struct party *v;
	struct pool *t;
	int lazy;

	(void)state;
	for (lazy = 0; lazy < 2; lazy++) {
		t = pool_filled(2, 4, 4, 0);
		get_is(t, 0, 1);
		parties[0].cpu.lazy = lazy;
		v = get_stops(t, 0, "SA(get:F)");
		assert_int_equal(atomic64_read(&t->chunk[0]->idx[0]), 2 - lazy);
		steal_is(t, 1, 0, true, WSQ_OK, 3);
		assert_int_equal(atomic64_read(&t->chunk[0]->idx[0]), 2);
		/* V may be taking this one, as far as A knows. */
		chunk_is(t, 0, WSQ_SALSA_LEFT, 1, 3, 1, false);
		assert_int_equal(t->c[1]->count.busy, 1);
		assert_int_equal(t->c[1]->count.contended, 1);
		goes_on(v, 2);
		assert_int_equal(t->c[0]->count.contended, 0);
		get_is(t, 0, 0);
		get_is(t, 1, 4);
		assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
		pool_free(t);
	}
}

/* Several takes under one word: a thief comes before each step. */
static void op_get_many(struct party *p)
{
	void **tasks = (void **)p->arg[1];

	p->ret = (int)wsq_salsa_get_many((struct wsq_salsa_consumer *)p->arg[0],
					 tasks, 4);
}

static void many_at(const char *label, u32 nth, bool lazy)
{
	void *in[3] = { task_of(2), task_of(3), task_of(4) };
	struct pool *t = pool_filled(2, 4, 1, 0);
	u64 seen = 0, all = 1ULL << 2 | 1ULL << 3 | 1ULL << 4, bit;
	struct party *v = &parties[0];
	void *task, *out[4];
	u32 i, n;
	int ret;

	assert_int_equal(wsq_salsa_put_many(t->p[0], in, 3), 3);
	assert_int_equal(wsq_salsa_put_many(t->p[0], in, 3), 0);
	get_is(t, 0, 1);
	v->cpu.lazy = lazy;
	v->arg[0] = t->c[0];
	v->arg[1] = out;
	party_stop_at(v, label);
	assert_false(party_start(v, op_get_many));
	while (--nth) {
		party_stop_at(v, label);
		assert_false(party_go(v));
	}
	ret = thief_steal_and_get(t->c[1], t->c[0], true, &task);
	if (ret == WSQ_OK)
		seen |= 1ULL << id_of(task);
	assert_true(party_go(v));
	wsq_cpu_drain(&v->cpu);
	n = (u32)v->ret;
	for (i = 0; i < n; i++) {
		bit = 1ULL << id_of(out[i]);
		assert_false(seen & bit);
		seen |= bit;
	}
	for (i = 0; i < 2; i++) {
		while ((task = wsq_salsa_get(t->c[i]))) {
			bit = 1ULL << id_of(task);
			assert_false(seen & bit);
			seen |= bit;
		}
	}
	assert_int_equal(seen, all);
	pool_free(t);
}

static void steal_many(void **state)
{
	static const char * const steps[] = {
		"SA(get:B)", "SA(get:C)", "SA(get:D)", "SA(get:E)",
	};
	u32 i, nth;

	(void)state;
	for (i = 0; i < 4; i++) {
		for (nth = 1; nth <= 3; nth++) {
			many_at(steps[i], nth, false);
			many_at(steps[i], nth, true);
		}
	}
	many_at("SA(get:A)", 1, false);
	many_at("SA(get:F)", 1, true);
}

/* V looks after the theft: exactly one of them gets the task. */
static void steal_after_index(void **state)
{
	struct party *v, *a;
	struct pool *t;
	int lazy;

	(void)state;
	for (lazy = 0; lazy < 2; lazy++) {
		/* The index is stored: A does not take this one. */
		t = pool_filled(2, 4, 4, 0);
		get_is(t, 0, 1);
		parties[0].cpu.lazy = lazy;
		v = get_stops(t, 0, "SA(get:E)");
		steal_is(t, 1, 0, true, WSQ_OK, 3);
		goes_on(v, 2);
		assert_int_equal(t->c[0]->count.contended, 1);
		assert_int_equal(t->c[0]->count.lost, 1);
		get_is(t, 1, 4);
		pool_free(t);

		/* It is not stored: A tries to take it, and is first. */
		t = pool_filled(2, 4, 4, 0);
		get_is(t, 0, 1);
		parties[0].cpu.lazy = lazy;
		v = get_stops(t, 0, "SA(get:D)");
		steal_is(t, 1, 0, true, WSQ_OK, 2);
		goes_on(v, 0);
		assert_int_equal(t->c[0]->count.contended, 1);
		gets_are(t, 1, 3, 4);
		pool_free(t);

		/* ... or V is. */
		t = pool_filled(2, 4, 4, 0);
		get_is(t, 0, 1);
		parties[0].cpu.lazy = lazy;
		v = get_stops(t, 0, "SA(get:D)");
		a = steal_stops(t, 1, 0, "SA(take:F)");
		chunk_is(t, 0, WSQ_SALSA_LEFT, 1, 2, 1, false);
		goes_on(v, 2);
		steals_on(a, WSQ_OK, 3);
		get_is(t, 1, 4);
		assert_int_equal(t->c[1]->count.contended, 1);
		pool_free(t);

		/* ... before A has read anything: then A does not need it. */
		t = pool_filled(2, 4, 4, 0);
		get_is(t, 0, 1);
		parties[0].cpu.lazy = lazy;
		v = get_stops(t, 0, "SA(get:D)");
		a = steal_stops(t, 1, 0, "SA(take:E)");
		goes_on(v, 2);
		steals_on(a, WSQ_OK, 3);
		chunk_is(t, 0, WSQ_SALSA_ENTERED, 1, 2, 1, false);
		get_is(t, 1, 4);
		pool_free(t);
	}
}

/* A has an empty chunk: tasks that are put there are A's. */
static void steal_empty(void **state)
{
	static const char * const where[] = { "SA(get:B)", "SA(slow:A)" };
	struct party *v, *a;
	struct pool *t;
	u32 i;

	(void)state;
	for (i = 0; i < 4; i++) {
		t = pool_filled(2, 4, 2, 0);
		get_is(t, 0, 1);
		/* A has seen task 2, which V takes. */
		a = steal_stops(t, 1, 0, "SA(take:A)");
		get_is(t, 0, 2);
		parties[0].cpu.lazy = i / 2;
		v = get_stops(t, 0, where[i % 2]);
		steals_on(a, WSQ_EMPTY, 0);
		chunk_is(t, 0, WSQ_SALSA_LEFT, 1, 2, 1, false);
		put(t, 0, 0, 3, 4);
		goes_on(v, 0);
		gets_are(t, 1, 3, 4);
		pool_free(t);

	/* V sees tasks put before the theft: A sees them, too. */
		t = pool_filled(2, 4, 2, 0);
		get_is(t, 0, 1);
		a = steal_stops(t, 1, 0, "SA(take:A)");
		get_is(t, 0, 2);
		put(t, 0, 0, 3, 3);
		parties[0].cpu.lazy = i / 2;
		v = get_stops(t, 0, i % 2 ? "SA(get:D)" : "SA(get:C)");
		steals_on(a, WSQ_OK, 3);
		goes_on(v, 0);
		put(t, 0, 0, 4, 4);
		get_is(t, 1, 4);
		pool_free(t);
	}
}

/* V stores its index when A is far ahead: it is not read. */
static void index_back(void **state)
{
	struct pool *t = pool_filled(3, 8, 8, 0);
	struct party *v;

	(void)state;
	get_is(t, 0, 1);
	v = get_stops(t, 0, "SA(get:D)");
	steal_is(t, 1, 0, true, WSQ_OK, 2);
	gets_are(t, 1, 3, 5);
	goes_on(v, 0);
	assert_int_equal(atomic64_read(&t->chunk[0]->idx[0]), 2);
	assert_int_equal(atomic64_read(&t->chunk[0]->idx[1]), 5);
	steal_is(t, 2, 1, true, WSQ_OK, 6);
	assert_int_equal(t->c[2]->count.busy, 0);
	chunk_is(t, 0, WSQ_SALSA_ENTERED, 2, 5, 1, false);
	wsq_salsa_leave(t->c[2]);
	chunk_is(t, 0, WSQ_SALSA_LEFT, 2, 6, 1, false);
	steal_is(t, 0, 2, false, WSQ_OK, 7);
	get_is(t, 0, 8);
	/* It is unknown whether V has continued. */
	wsq_salsa_leave(t->c[0]);
	assert_int_equal(t->c[0]->count.retired, 1);
	pool_free(t);
}

/* A's view is long outdated, though the owner is the same. */
static void steal_stale(void **state)
{
	const bool fooled = WSQ_SALSA_TAG_BITS == 2;
	struct pool *t = pool_filled(3, 4, 4, 0);
	struct party *a;
	u64 id = 1;
	u32 i;

	(void)state;
	/* A chunk that V left, and has again. */
	get_is(t, 0, 1);
	wsq_salsa_leave(t->c[0]);
	a = steal_stops(t, 1, 0, "SA(take:G)");
	steal_is(t, 2, 0, false, WSQ_OK, 2);
	wsq_salsa_leave(t->c[2]);
	steal_is(t, 0, 2, false, WSQ_OK, 3);
	wsq_salsa_leave(t->c[0]);
	chunk_is(t, 0, WSQ_SALSA_LEFT, 0, 3, 0, false);
	steals_on(a, WSQ_CONFLICT, 0);
	assert_int_equal(atomic64_read(&t->c[1]->in), 0);
	get_is(t, 0, 4);
	pool_free(t);

	/* A chunk that V is in, after four more uses, at the same index. */
	t = pool_filled(2, 4, 4, 0);
	gets_are(t, 0, 1, 2);
	a = steal_stops(t, 1, 0, "SA(take:A)");
	gets_are(t, 0, 3, 4);
	for (i = 0; i < 4; i++) {
		wsq_salsa_leave(t->c[0]);
		put(t, 0, 0, 1, 4);
		get_is(t, 0, 1);
		if (i < 3)
			gets_are(t, 0, 2, 4);
	}
	/* After the exchange it reads everything again: harmless if fooled. */
	steals_on(a, fooled ? WSQ_OK : WSQ_CONFLICT, fooled ? 2 : 0);
	get_is(t, fooled ? 1 : 0, fooled ? 3 : 2);
	pool_free(t);

	/* Claimed, A keeps the index that it read: tasks before it are lost. */
	t = pool_filled(2, 4, 4, 3);
	for (id = 1; id <= 3; id++)
		claim_is(t, 0, id);
	a = steal_stops(t, 1, 0, "SA(take:G)");
	claim_is(t, 0, 4);
	for (i = 0; i < 4; i++) {
		wsq_salsa_leave(t->c[0]);
		put(t, 0, 0, 1, 4);
		for (id = 1; id <= (i < 3 ? 4 : 1); id++)
			claim_is(t, 0, id);
	}
	steals_on(a, fooled ? WSQ_OK : WSQ_CONFLICT, fooled ? 4 : 0);
	claim_is(t, 0, fooled ? 0 : 2);
	assert_int_equal(wsq_salsa_empty(&t->s), fooled ? WSQ_EMPTY : WSQ_OK);
	pool_free(t);
}

/* A stops when neither V nor A may take from the chunk. */
static void steal_halted(void **state)
{
	static const char * const where[] = { "SA(take:B)", "SA(take:C)",
					      "SA(take:E)", "SA(take:H)" };
	struct party *v, *a;
	struct pool *t;
	u32 i;

	(void)state;
	for (i = 0; i < 8; i++) {
		t = pool_filled(4, 8, 8, 0);
		get_is(t, 0, 1);
		parties[0].cpu.lazy = i / 4;
		v = get_stops(t, 0, "SA(get:D)");
		a = steal_stops(t, 1, 0, where[i % 4]);
		chunk_is(t, 0, WSQ_SALSA_STOLEN, 1, 0, 0, false);
		assert_true(wsq_salsa_waiting(t->c[1]));
		assert_int_equal(wsq_salsa_empty(&t->s), WSQ_OK);
		/* B finds it in A's list. */
		steal_is(t, 2, 1, false, WSQ_CONFLICT, 0);
		steal_is(t, 2, 1, true, WSQ_OK, 2);
		assert_int_equal(t->c[2]->count.overtaken, 1);
		assert_int_equal(t->c[2]->count.busy, 1);
		chunk_is(t, 0, WSQ_SALSA_ENTERED, 2, 2, 1, false);
		get_is(t, 2, 3);
		if (i % 2) {
			steals_on(a, WSQ_EMPTY, 0);
			goes_on(v, 0);
		} else {
			goes_on(v, 0);
			steals_on(a, WSQ_EMPTY, 0);
		}
		assert_int_equal(atomic64_read(&t->c[1]->in), 0);
		assert_false(wsq_salsa_waiting(t->c[1]));
		gets_are(t, 2, 4, 7);
	/* V's take was in the chunk: it counts as entered. */
		steal_is(t, 3, 2, true, WSQ_OK, 8);
		wsq_salsa_leave(t->c[3]);
		assert_int_equal(t->c[3]->count.retired, 1);
		pool_free(t);
	}
}

/* A thief that does not wait takes its tasks, and others'; then the rest. */
static void begin_meanwhile(void **state)
{
	struct pool *t = pool_new(3, 3, 4, 4, 4, 0);
	u64 word;

	(void)state;
	party_reset();
	pool_supply(t, 0, 1);
	pool_supply(t, 1, 1);
	pool_supply(t, 2, 2);
	put(t, 0, 0, 1, 4);
	get_is(t, 0, 1);
	put(t, 1, 1, 11, 14);
	get_is(t, 1, 11);
	put(t, 2, 2, 21, 24);
	parties[0].cpu.deaf = true;
	begins(t, 1, 0, true);
	assert_int_equal(t->c[1]->count.sent, 1);
	chunk_is(t, 0, WSQ_SALSA_STOLEN, 1, 0, 0, false);
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_OK);
	/* The thief has its own tasks in the meantime, and is in that chunk. */
	gets_are(t, 1, 12, 13);
	chunk_is(t, 1, WSQ_SALSA_ENTERED, 1, 0, 0, false);
	assert_int_equal(t->c[1]->limit, 0);
	steal_is(t, 1, 2, false, WSQ_OK, 21);
	assert_int_equal(t->c[1]->limit, 0);
	get_is(t, 1, 22);
	assert_true(wsq_salsa_under_way(t->c[1]));
	/* One at a time. */
	put(t, 2, 2, 25, 26);
	get_is(t, 2, 25);
	word = (u64)atomic64_read(&t->chunk[3]->owner);
	begins(t, 1, 2, true);
	assert_int_equal(atomic64_read(&t->chunk[3]->owner), word);
	parties[0].cpu.deaf = false;
	get_is(t, 1, 23);
	assert_false(wsq_salsa_under_way(t->c[1]));
	assert_int_equal(t->c[1]->limit, 4);
	chunk_is(t, 0, WSQ_SALSA_LEFT, 1, 1, 0, false);
	assert_int_equal(t->c[1]->count.replaced, 1);
	assert_int_equal(t->c[1]->count.busy, 0);
	get_is(t, 1, 24);
	gets_are(t, 1, 2, 4);
	get_is(t, 1, 14);
	get_is(t, 1, 0);
	begins(t, 1, 2, true);
	get_is(t, 1, 26);
	get_is(t, 1, 0);
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
	pool_free(t);
}

/* The victim is in the middle of a take; it or the thief continues first. */
static void begin_busy(void **state)
{
	static const char * const where[] = { "SA(get:D)", "SA(get:E)" };
	struct party *v;
	struct pool *t;
	u32 i, index;

	(void)state;
	for (i = 0; i < 8; i++) {
		t = pool_new(2, 1, 4, 1, 1, 0);
		party_reset();
		pool_supply(t, 0, 1);
		put(t, 0, 0, 1, 4);
		get_is(t, 0, 1);
		parties[0].cpu.lazy = i / 4;
		v = get_stops(t, 0, where[i % 2]);
		parties[0].cpu.deaf = true;
		begins(t, 1, 0, true);
		get_is(t, 1, 0);
		parties[0].cpu.deaf = false;
		if (i / 2 % 2) {
			/* It sees the theft first, and takes the chunk back. */
			goes_on(v, 2);
			assert_int_equal(t->c[0]->count.back, 1);
			chunk_is(t, 0, WSQ_SALSA_ENTERED, 0, 2, 0, false);
			get_is(t, 1, 0);
			gets_are(t, 0, 3, 4);
			get_is(t, 0, 0);
			assert_int_equal(t->c[0]->count.contended, 1);
			assert_int_equal(t->c[0]->count.retired, 0);
			assert_int_equal(t->c[1]->count.busy, 0);
		} else if (i % 2) {
			/* The index is stored: @at is the next. */
			get_is(t, 1, 3);
			goes_on(v, 2);
			get_is(t, 1, 4);
			assert_int_equal(t->c[1]->count.busy, 1);
		} else {
			/* It is not: the thief is first. */
			get_is(t, 1, 2);
			goes_on(v, 0);
			gets_are(t, 1, 3, 4);
			assert_int_equal(t->c[1]->count.contended, 1);
		}
		index = t->c[1]->count.busy ? 1 : 0;
		get_is(t, 1, 0);
		assert_int_equal(t->c[1]->count.retired, index);
		assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
		pool_free(t);
	}
}

/* The contested task was the chunk's last, and the thief does not return. */
static void begin_end(void **state)
{
	struct party *v;
	struct pool *t;
	bool seized;
	u32 i;

	(void)state;
	for (i = 0; i < 2; i++) {
		t = pool_new(2, 1, 2, 1, 1, 0);
		party_reset();
		pool_supply(t, 0, 1);
		put(t, 0, 0, 1, 2);
		get_is(t, 0, 1);
		v = get_stops(t, 0, "SA(get:D)");
		parties[0].cpu.deaf = true;
		begins(t, 1, 0, true);
		/* Others see that it waits: they give it more time. */
		assert_true(wsq_salsa_progress(t->c[1], &seized) && seized);
		assert_int_equal(wsq_salsa_progress(t->c[0], &seized), 0);
		assert_false(seized);
		parties[0].cpu.deaf = false;
		if (i)
			goes_on(v, 2);
		get_is(t, 1, i ? 0 : 2);
		if (i)
			get_is(t, 0, 0);
		assert_int_equal(t->c[!i]->count.finished, 1);
		assert_int_equal(t->c[1]->count.retired, !i);
		if (!i)
			goes_on(v, 0);
		assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
		pool_free(t);
	}
}

/* A second thief does not wait for the first, which gets another chunk. */
static void begin_overtaken(void **state)
{
	struct pool *t;
	u32 i;

	(void)state;
	for (i = 0; i < 3; i++) {
		t = pool_new(3, 2, 4, 2, 2, 0);
		party_reset();
		pool_supply(t, 0, 2);
		put(t, 0, 0, 1, 4);
		get_is(t, 0, 1);
		put(t, 1, 0, 11, 12);
		parties[0].cpu.deaf = true;
		begins(t, 1, 0, true);
		/* It takes over at once. */
		if (i) {
			steal_is(t, 2, 1, true, WSQ_OK, 2);
		} else {
			void *task;

			assert_int_equal(wsq_salsa_steal_begin(t->c[2], t->c[1],
							       true, &task), WSQ_OK);
			assert_int_equal(id_of(task), 2);
		}
		assert_int_equal(t->c[2]->count.overtaken, 1);
		steal_is(t, 1, 0, false, WSQ_OK, 11);
		assert_int_equal(atomic64_read(&t->c[1]->stolen.top), 1);
		if (i == 2) {
			/* It has the chunk back when the first one answers. */
			wsq_salsa_leave(t->c[2]);
			steal_is(t, 1, 2, false, WSQ_OK, 3);
			chunk_is(t, 0, WSQ_SALSA_ENTERED, 1, 2, 1, false);
		}
		parties[0].cpu.deaf = false;
		get_is(t, 1, i == 2 ? 4 : 12);
		assert_false(wsq_salsa_under_way(t->c[1]));
		get_is(t, 1, i == 2 ? 12 : 0);
		if (i < 2)
			gets_are(t, 2, 3, 4);
		get_is(t, 1, 0);
		get_is(t, 1, 0);
		/* Tasks put late into the second chunk are not lost. */
		put(t, 1, 0, 13, 14);
		gets_are(t, 1, 13, 14);
		get_is(t, 1, 0);
		get_is(t, 2, 0);
		assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);
		pool_free(t);
	}
}

/* Steals that need no interrupt, may not send one, or find nothing. */
static void begin_at_once(void **state)
{
	struct pool *t = pool_new(2, 1, 4, 2, 2, 1);
	void *task;

	(void)state;
	party_reset();
	pool_supply(t, 0, 1);
	assert_int_equal(wsq_salsa_steal_begin(t->c[1], t->c[0], true, &task),
			 WSQ_EMPTY);
	put(t, 0, 0, 1, 4);
	claim_is(t, 0, 1);
	assert_int_equal(wsq_salsa_steal_begin(t->c[1], t->c[0], false, &task),
			 WSQ_OK);
	assert_int_equal(id_of(task), 2);
	assert_int_equal(t->c[1]->count.fences, 0);
	/* The thief claims now; the other way round as well. */
	assert_int_equal(wsq_salsa_steal_begin(t->c[0], t->c[1], false, &task),
			 WSQ_OK);
	assert_int_equal(id_of(task), 3);
	claim_is(t, 0, 4);
	claim_is(t, 0, 0);
	pool_free(t);

	/* From a consumer that takes plainly, by one that claims. */
	t = pool_new(2, 1, 4, 2, 2, 2);
	pool_supply(t, 0, 1);
	put(t, 0, 0, 1, 4);
	get_is(t, 0, 1);
	assert_int_equal(wsq_salsa_steal_begin(t->c[1], t->c[0], false, &task),
			 WSQ_CONFLICT);
	assert_false(wsq_salsa_under_way(t->c[1]));
	chunk_is(t, 0, WSQ_SALSA_ENTERED, 0, 0, 0, false);
	begins(t, 1, 0, true);
	claim_is(t, 1, 2);
	chunk_is(t, 0, WSQ_SALSA_ENTERED, 1, 1, 0, true);
	claim_is(t, 1, 3);
	pool_free(t);
}

/* Nothing is left when the answer comes. */
static void begin_late(void **state)
{
	struct pool *t = pool_new(2, 2, 2, 2, 2, 0);
	struct party *a;

	(void)state;
	party_reset();
	pool_supply(t, 0, 1);
	pool_supply(t, 1, 1);
	put(t, 0, 0, 1, 2);
	put(t, 1, 1, 11, 12);
	get_is(t, 0, 1);
	get_is(t, 1, 11);
	parties[0].cpu.deaf = true;
	a = &parties[1];
	a->arg[0] = t->c[1];
	a->arg[1] = t->c[0];
	party_stop_at(a, "SA(take:A)");
	assert_false(party_start(a, op_begin));
	get_is(t, 0, 2);
	steals_on(a, WSQ_CONFLICT, 0);
	assert_true(wsq_salsa_under_way(t->c[1]));
	parties[0].cpu.deaf = false;
	/* Its own comes first, and it is still in that chunk. */
	get_is(t, 1, 12);
	assert_int_equal(atomic64_read(&t->c[1]->in), 2);
	chunk_is(t, 0, WSQ_SALSA_FREE, 1, 0, 0, false);
	assert_int_equal(t->c[1]->count.finished, 1);
	pool_has(t, 1, 1);
	get_is(t, 1, 0);
	get_is(t, 0, 0);
	assert_int_equal(atomic64_read(&t->c[0]->in), 0);
	assert_int_equal(wsq_salsa_empty(&t->s), WSQ_EMPTY);

	/* Or another thief was faster in the first place. */
	put(t, 1, 1, 13, 14);
	get_is(t, 1, 13);
	a = &parties[0];
	a->arg[0] = t->c[0];
	a->arg[1] = t->c[1];
	party_stop_at(a, "SA(take:A)");
	assert_false(party_start(a, op_begin));
	wsq_salsa_leave(t->c[1]);
	steals_on(a, WSQ_CONFLICT, 0);
	assert_false(wsq_salsa_under_way(t->c[0]));
	assert_false(wsq_salsa_waiting(t->c[0]));
	get_is(t, 1, 14);
	pool_free(t);
}

/* If every take is cut short the epochs run out; then tasks are claimed. */
static void epochs(void **state)
{
	struct pool *t = pool_filled(2, 32, 32, 0);
	u64 id = 1;
	u32 i, c = 0;

	(void)state;
	get_is(t, 0, id++);
	for (i = 1; i < WSQ_SALSA_EPOCHS; i++) {
		struct party *v = get_stops(t, c, "SA(get:D)");

		steal_is(t, !c, c, true, WSQ_OK, id++);
		chunk_is(t, 0, WSQ_SALSA_LEFT, !c, id - 1, i, false);
		goes_on(v, 0);
		c = !c;
		get_is(t, c, id++);
	}
	steal_is(t, !c, c, true, WSQ_OK, id++);
	c = !c;
	chunk_is(t, 0, WSQ_SALSA_ENTERED, c, id - 2, WSQ_SALSA_EPOCHS - 1, false);
	for (i = 0; i < 3; i++) {
		struct party *v = get_stops(t, c, i ? "SA(claim:C)" : "SA(get:D)");

		steal_is(t, !c, c, true, WSQ_OK, id++);
		assert_true(atomic64_read(&t->chunk[0]->owner) & WSQ_SALSA_CLAIMS);
		goes_on(v, 0);
		c = !c;
	}
	assert_int_equal(t->c[c]->limit, 0);
	/* An index stored by claims may be behind the tasks, never ahead. */
	while (id <= 32)
		get_is(t, c, id++);
	get_is(t, c, 0);
	assert_int_equal(t->c[c]->count.retired, 1);
	pool_free(t);
}

/* Takes between the two looks are noticed, though both looks saw nothing. */
static void empty_and_taken(void **state)
{
	struct pool *t = pool_new(1, 1, 4, 2, 4, 0);
	struct party *p = &parties[3];

	(void)state;
	party_reset();
	pool_supply(t, 0, 2);
	put(t, 0, 0, 1, 1);
	get_is(t, 0, 1);
	p->arg[0] = &t->s;
	party_stop_at(p, "SA(scan:B)");
	assert_false(party_start(p, op_empty));
	put(t, 0, 0, 2, 2);
	get_is(t, 0, 2);
	assert_true(party_go(p));
	assert_int_equal(p->ret, WSQ_CONFLICT);

	party_stop_at(p, "SA(scan:B)");
	assert_false(party_start(p, op_empty));
	put(t, 0, 0, 3, 3);
	assert_true(party_go(p));
	assert_int_equal(p->ret, WSQ_OK);
	get_is(t, 0, 3);

	party_stop_at(p, "SA(scan:B)");
	assert_false(party_start(p, op_empty));
	assert_true(party_go(p));
	assert_int_equal(p->ret, WSQ_EMPTY);
	pool_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stopping),
		cmocka_unit_test(steal_before_index),
		cmocka_unit_test(steal_after_index),
		cmocka_unit_test(steal_many),
		cmocka_unit_test(steal_empty),
		cmocka_unit_test(index_back),
		cmocka_unit_test(steal_stale),
		cmocka_unit_test(steal_halted),
		cmocka_unit_test(begin_meanwhile),
		cmocka_unit_test(begin_busy),
		cmocka_unit_test(begin_end),
		cmocka_unit_test(begin_overtaken),
		cmocka_unit_test(begin_at_once),
		cmocka_unit_test(begin_late),
		cmocka_unit_test(epochs),
		cmocka_unit_test(empty_and_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
