// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the LIFO BWoS queue: each function separately, the edges of
 * FULL and EMPTY, all sizes, random operations against a sequential model,
 * published and taken-over blocks, held blocks, and thieves that sleep where no
 * schedule would put them (by hand).
 *
 * For: run-checks, under shim/native, plain and with gcc's address and
 * undefined sanitizers. Compiled once more with rounds of 3 bits, which wrap
 * every eight publications: all must hold except for a thief that sleeps
 * through the wrap.
 *
 * Cost: a second. Limitations: one thread; stress tests contention.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "thief.h"

static const u32 entries[] = { 2, 3, 4, 7, 8, 63, 64 };
static const u32 sizes[] = { 2, 3, 4, 5, 64, 4095, 4096 };

#define for_each(i, array) \
	for (i = 0; i < sizeof(array) / sizeof(array[0]); i++)

static void put_is(struct queue *t, u64 id, int ret)
{
	assert_int_equal(wsq_bwos_lifo_put(&t->q, task_of(id)), ret);
}

/* One task, from wherever thieves begin. */
static void steal_is(struct queue *t, u64 id)
{
	void *task;

	assert_int_equal(wsq_bwos_lifo_steal(&t->q, &task, 1), 1);
	assert_int_equal(id_of(task), id);
}

static void new_is_empty(void **state)
{
	struct queue *t = queue_new(2, 2, 1);
	void *tasks[2];

	(void)state;
	assert_true(wsq_bwos_lifo_empty(&t->q));
	assert_false(wsq_bwos_lifo_published(&t->q));
	assert_false(wsq_bwos_lifo_waiting(&t->q));
	assert_null(wsq_bwos_lifo_get(&t->q));
	assert_int_equal(wsq_bwos_lifo_get_many(&t->q, tasks, 2), 0);
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_EMPTY);
	assert_int_equal(wsq_bwos_lifo_steal(&t->q, tasks, 2), WSQ_EMPTY);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 0, tasks, 2), WSQ_DONE);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 1, tasks, 2), WSQ_DONE);
	queue_free(t);
}

static void fill_and_empty(u32 nb, u32 bs, u32 spare)
{
	struct queue *t = queue_new(nb, bs, spare);
	u64 in;
	u32 lap;

	for (lap = 0; lap < 3; lap++) {
		for (in = 0; in < (u64)nb * bs; in++)
			put_is(t, in + 1, in && in % bs == 0 ? WSQ_PUBLISHED : WSQ_OK);
		put_is(t, in + 1, WSQ_FULL);
		put_is(t, in + 1, WSQ_FULL);
		assert_true(wsq_bwos_lifo_published(&t->q));
		get_is(t, in);
		put_is(t, in, WSQ_OK);
		put_is(t, in + 1, WSQ_FULL);
		while (in) {
			assert_false(wsq_bwos_lifo_empty(&t->q));
			assert_true(wsq_bwos_lifo_waiting(&t->q));
			get_is(t, in--);
		}
		assert_true(wsq_bwos_lifo_empty(&t->q));
		assert_false(wsq_bwos_lifo_waiting(&t->q));
		assert_false(wsq_bwos_lifo_published(&t->q));
		get_is(t, 0);
	}
	queue_free(t);
}

static void all_sizes(void **state)
{
	u32 i, k, spare;

	(void)state;
	for_each(i, entries)
		for_each(k, sizes)
			for (spare = 0; spare < 3; spare++)
				fill_and_empty(entries[i], sizes[k], spare);
}

static void steal_edges(void **state)
{
	struct queue *t = queue_new(3, 4, 0);
	void *tasks[4];
	u64 id;

	(void)state;
	/* Thieves cannot take from the owner's block, full or not. */
	for (id = 1; id <= 4; id++)
		put_is(t, id, WSQ_OK);
	assert_int_equal(wsq_bwos_lifo_steal(&t->q, tasks, 4), WSQ_EMPTY);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 0, tasks, 4), WSQ_DONE);
	assert_false(wsq_bwos_lifo_published(&t->q));

	/* The next put publishes it: oldest first, up to the number asked. */
	put_is(t, 5, WSQ_PUBLISHED);
	assert_true(wsq_bwos_lifo_published(&t->q));
	assert_int_equal(wsq_bwos_lifo_steal(&t->q, tasks, 2), 2);
	assert_int_equal(id_of(tasks[0]), 1);
	assert_int_equal(id_of(tasks[1]), 2);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 1, tasks, 4), WSQ_DONE);

	/* The owner gets its own, then what thieves left; they get none. */
	get_is(t, 5);
	get_is(t, 4);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 0, tasks, 4), WSQ_DONE);
	assert_int_equal(wsq_bwos_lifo_steal(&t->q, tasks, 4), WSQ_EMPTY);

	/* Puts stay above stolen tasks; the block is published again. */
	put_is(t, 6, WSQ_OK);
	put_is(t, 7, WSQ_PUBLISHED);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 0, tasks, 1), 1);
	assert_int_equal(id_of(tasks[0]), 3);
	get_is(t, 7);
	get_is(t, 6);
	get_is(t, 0);
	assert_true(wsq_bwos_lifo_empty(&t->q));

	/* Empty and all counted: the whole block is usable again. */
	for (id = 8; id <= 11; id++)
		put_is(t, id, WSQ_OK);
	put_is(t, 12, WSQ_PUBLISHED);
	assert_int_equal(wsq_bwos_lifo_steal(&t->q, tasks, 4), 4);
	for (id = 8; id <= 11; id++)
		assert_int_equal(id_of(tasks[id - 8]), id);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 0, tasks, 4), WSQ_DONE);
	get_is(t, 12);
	get_is(t, 0);
	queue_free(t);
}

/* Thieves take from the bottom, wherever it is. */
static void bottom_first(void **state)
{
	u32 nb, lap, k;
	void *task;
	u64 in;

	(void)state;
	for (nb = 2; nb <= 7; nb++) {
		struct queue *t = queue_new(nb, 3, 0);
		u64 out = 0;

		in = 0;
		/* A stream, oldest first, around the queue. */
		for (lap = 0; lap < 40; lap++) {
			while (wsq_bwos_lifo_put(&t->q, task_of(in + 1)) >= 0)
				in++;
			assert_int_equal(in - out, nb * 3);
			for (k = 0; k < 3 + lap % 3 && out / 3 < (in - 1) / 3; k++)
				steal_is(t, ++out);
			/* Only whole blocks become free. */
			while (out % 3)
				steal_is(t, ++out);
		}
		while (out / 3 < (in - 1) / 3)
			steal_is(t, ++out);
		assert_int_equal(wsq_bwos_lifo_steal(&t->q, &task, 1), WSQ_EMPTY);
		while (out < in)
			get_is(t, in--);
		get_is(t, 0);

		/* The bottom is where the owner is now, not where it was. */
		for (k = 0; k < nb * 3; k++)
			put_ok(t, 1000 + k);
		for (k = 0; k < (nb - 1) * 3; k++)
			steal_is(t, 1000 + k);
		/* The owner comes down below the thieves, and up again. */
		for (k = nb * 3; k > (nb - 1) * 3; k--)
			get_is(t, 1000 + k - 1);
		get_is(t, 0);
		for (k = 0; k < nb * 3; k++)
			put_ok(t, 2000 + k);
		steal_is(t, 2000);
		queue_free(t);
	}
}

/*
 * The loss of section 5.2: a thief that passes on to the next block does not
 * change it, since the owner may be taking it over, nor the one that it leaves.
 */
static void thieves_reset_nothing(void **state)
{
	struct wsq_bwos_lifo_block before[3];
	struct queue *t = queue_new(3, 2, 0);
	void *task;
	u64 id;

	(void)state;
	for (id = 1; id <= 5; id++)
		put_ok(t, id);
	steal_is(t, 1);
	steal_is(t, 2);
	/* The owner comes down to the thieves' next block. */
	get_is(t, 5);
	get_is(t, 4);
	memcpy(before, t->mem.first.blocks, sizeof(before));
	assert_int_equal(wsq_bwos_lifo_steal(&t->q, &task, 1), WSQ_EMPTY);
	assert_memory_equal(before, t->mem.first.blocks, sizeof(before));
	put_is(t, 6, WSQ_OK);
	get_is(t, 6);
	get_is(t, 3);
	get_is(t, 0);
	queue_free(t);
}

static void share_edges(void **state)
{
	struct queue *t = queue_new(3, 4, 0);
	void *tasks[4];

	(void)state;
	put_ok(t, 1);
	put_ok(t, 2);
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_PUBLISHED);
	assert_true(wsq_bwos_lifo_published(&t->q));
	/* Thieves have tasks: later puts stay the owner's. */
	put_is(t, 3, WSQ_OK);
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_OK);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 1, tasks, 4), WSQ_DONE);
	steal_is(t, 1);
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_OK);
	get_is(t, 3);

	/* The rest comes back, and the block is filled up to its end. */
	get_is(t, 2);
	put_is(t, 4, WSQ_OK);
	put_is(t, 5, WSQ_OK);
	put_is(t, 6, WSQ_OK);
	put_is(t, 7, WSQ_PUBLISHED);
	assert_int_equal(wsq_bwos_lifo_steal(&t->q, tasks, 4), 3);
	assert_int_equal(id_of(tasks[0]), 4);
	assert_int_equal(id_of(tasks[2]), 6);

	/* A partly published block, drained, is like a whole one. */
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_PUBLISHED);
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_OK);
	assert_int_equal(wsq_bwos_lifo_steal(&t->q, tasks, 4), 1);
	assert_int_equal(id_of(tasks[0]), 7);
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_EMPTY);
	put_is(t, 8, WSQ_OK);
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_PUBLISHED);
	put_is(t, 9, WSQ_OK);
	steal_is(t, 8);
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_PUBLISHED);
	steal_is(t, 9);
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_EMPTY);
	get_is(t, 0);
	queue_free(t);
}

/* If no block can be begun the owner keeps its tasks. */
static void share_full(void **state)
{
	struct queue *t = queue_new(2, 2, 0);
	struct wsq_bwos_lifo_block *blk = &t->mem.first.blocks[0];
	u64 id;

	(void)state;
	for (id = 1; id <= 3; id++)
		put_ok(t, id);
	/* Thieves have claimed all blocks below and not counted. */
	atomic64_set(&blk->s_pos, atomic64_read(&blk->b_pos));
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_FULL);
	put_ok(t, 4);
	put_is(t, 5, WSQ_FULL);
	atomic64_fetch_add_release(2, &blk->s_cnt);
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_PUBLISHED);
	steal_is(t, 3);
	get_is(t, 4);
	get_is(t, 0);
	queue_free(t);
}

/*
 * A sequential model of the queue: segments from the bottom up, the last of
 * which is the owner's.
 */
struct segment {
	u64 id[64];
	u64 low, end;
};

struct reference {
	u64 nb, bs, nr;
	struct segment seg[64];
};

static bool ref_has(const struct reference *r, u64 k)
{
	return r->seg[k].low != r->seg[k].end;
}

static bool ref_up(struct reference *r)
{
	if (r->nr == r->nb) {
		if (ref_has(r, 0))
			return false;
		memmove(r->seg, r->seg + 1, --r->nr * sizeof(r->seg[0]));
	}
	memset(&r->seg[r->nr++], 0, sizeof(r->seg[0]));
	return true;
}

static int ref_put(struct reference *r, u64 id)
{
	struct segment *top = &r->seg[r->nr - 1];
	int ret = WSQ_OK;

	if (top->end == r->bs) {
		if (!ref_up(r))
			return WSQ_FULL;
		top = &r->seg[r->nr - 1];
		ret = WSQ_PUBLISHED;
	}
	top->id[top->end++] = id;
	return ret;
}

static u64 ref_get(struct reference *r)
{
	u64 k;

	for (k = r->nr; k; k--) {
		if (!ref_has(r, k - 1))
			continue;
		r->nr = k;
		return r->seg[k - 1].id[--r->seg[k - 1].end];
	}
	r->nr = 1;
	memset(&r->seg[0], 0, sizeof(r->seg[0]));
	return 0;
}

static struct segment *ref_bottom(struct reference *r)
{
	u64 k;

	for (k = 0; k + 1 < r->nr; k++)
		if (ref_has(r, k))
			return &r->seg[k];
	return NULL;
}

static int ref_share(struct reference *r)
{
	if (ref_bottom(r))
		return WSQ_OK;
	if (!ref_has(r, r->nr - 1))
		return WSQ_EMPTY;
	return ref_up(r) ? WSQ_PUBLISHED : WSQ_FULL;
}

/*
 * Random operations on twins, one with the batched forms, one with as many
 * single ones: both must do what the model says.
 */
static void random_ops(u32 nb, u32 bs, u64 seed)
{
	struct queue *one = queue_new(nb, bs, 1), *many = queue_new(nb, bs, 2);
	static struct reference r;
	struct segment *bottom;
	u64 start = seed, next = 1, k, max;
	int i, na, nm, ret;
	void *a[128], *b[128];

	memset(&r, 0, sizeof(r));
	r.nb = nb;
	r.bs = bs;
	r.nr = 1;
	print_message("# %u x %u, seed %llu\n", nb, bs, start);
	for (i = 0; i < 20000; i++) {
		bool opened_one = false, published = false, left;

		max = rnd(&seed) % (2 * bs < 128 ? 2 * bs : 128);
		switch (rnd(&seed) % 8) {
		case 0: case 1: case 2:
			for (k = 0; k < max; k++)
				b[k] = task_of(next + k);
			for (na = 0; (u64)na < max; na++) {
				ret = ref_put(&r, next + (u64)na);
				assert_int_equal(wsq_bwos_lifo_put(&one->q, b[na]), ret);
				if (ret < 0)
					break;
				opened_one |= ret == WSQ_PUBLISHED;
			}
			nm = (int)wsq_bwos_lifo_put_many(&many->q, b, (u32)max, &published);
			assert_int_equal(nm, na);
			assert_int_equal(published, opened_one);
			next += (u64)na;
			break;
		case 3: case 4: case 5:
			for (na = 0; (u64)na < max; na++) {
				u64 id = ref_get(&r);

				a[na] = wsq_bwos_lifo_get(&one->q);
				assert_int_equal(id_of(a[na]), id);
				if (!id)
					break;
			}
			nm = (int)wsq_bwos_lifo_get_many(&many->q, b, (u32)max);
			assert_int_equal(nm, na);
			assert_memory_equal(a, b, (size_t)na * sizeof(a[0]));
			break;
		case 6:
			max = rnd(&seed) % bs + 1;
			ret = wsq_bwos_lifo_steal(&one->q, a, (u32)max);
			assert_int_equal(wsq_bwos_lifo_steal(&many->q, b, (u32)max), ret);
			bottom = ref_bottom(&r);
			if (!bottom) {
				assert_int_equal(ret, WSQ_EMPTY);
				break;
			}
			k = bottom->end - bottom->low;
			assert_int_equal(ret, k < max ? k : max);
			assert_memory_equal(a, b, (size_t)ret * sizeof(a[0]));
			for (na = 0; na < ret; na++)
				assert_int_equal(id_of(a[na]), bottom->id[bottom->low++]);
			break;
		default:
			ret = ref_share(&r);
			assert_int_equal(wsq_bwos_lifo_publish(&one->q), ret);
			assert_int_equal(wsq_bwos_lifo_publish(&many->q), ret);
			break;
		}
		left = ref_bottom(&r) || ref_has(&r, r.nr - 1);
		assert_int_equal(wsq_bwos_lifo_published(&one->q), r.nr > 1);
		assert_int_equal(wsq_bwos_lifo_empty(&one->q), !left);
		assert_int_equal(wsq_bwos_lifo_empty(&many->q), !left);
		assert_int_equal(wsq_bwos_lifo_waiting(&one->q), left);
		assert_int_equal(wsq_bwos_lifo_shut(&one->q), !ref_bottom(&r));
	}
	queue_free(one);
	queue_free(many);
}

static void random_against_reference(void **state)
{
	u64 seed = 88172645463325252ULL;
	u32 i;

	(void)state;
	if (getenv("SEED"))
		seed = strtoull(getenv("SEED"), NULL, 0) | 1;
	for (i = 0; i < 3; i++) {
		random_ops(2, 2, rnd(&seed));
		random_ops(2, 3, rnd(&seed));
		random_ops(3, 2, rnd(&seed));
		random_ops(4, 2, rnd(&seed));
		random_ops(7, 5, rnd(&seed));
		random_ops(8, 64, rnd(&seed));
		random_ops(64, 2, rnd(&seed));
		random_ops(64, 64, rnd(&seed));
	}
}

static void late_claim_fails(void **state)
{
	struct queue *t = queue_new(2, 2, 0);
	struct thief th;
	u64 id;

	(void)state;
	for (id = 1; id <= 3; id++)
		put_ok(t, id);
	thief_looks(t, &th, 0);
	get_is(t, 3);
	get_is(t, 2);
	assert_false(thief_claims(&th, 1));
	get_is(t, 1);
	get_is(t, 0);
	queue_free(t);
}

/*
 * A thief sleeps from its look to its claim, while the block is taken over and
 * published again with the same index and another task in the slot.
 */
static void asleep_over_reopening(void **state)
{
	const bool wraps = WSQ_BWOS_ROUND_BITS == 3;
	struct queue *t = queue_new(2, 2, 0);
	struct thief th;
	u64 id = 3;
	int lap;

	(void)state;
	put_ok(t, 1);
	put_ok(t, 2);
	put_is(t, 3, WSQ_PUBLISHED);		/* round 1 */
	thief_looks(t, &th, 0);
	for (lap = 2; lap <= 9; lap++) {
		get_is(t, id);
		get_is(t, id == 3 ? 2 : id - 1);
		get_is(t, lap == 2 ? 1 : id - 2);
		put_ok(t, ++id);
		put_ok(t, ++id);
		put_is(t, ++id, WSQ_PUBLISHED);	/* round lap */
		assert_int_equal(atomic64_read(&th.blk->s_pos) == (s64)th.s,
				 wraps && lap == 9);
	}
	/* Eight publications later: 3 bits of round repeat, 51 do not. */
	assert_int_equal(thief_claims(&th, 2), wraps);
	if (!wraps) {
		get_is(t, id);
		get_is(t, id - 1);
		get_is(t, id - 2);
		get_is(t, 0);
	}
	queue_free(t);
}

/* The end of a later publication does not fit an index of an earlier one. */
static void another_round(void **state)
{
	struct queue *t = queue_new(2, 4, 0);
	struct wsq_bwos_lifo_block *blk = &t->mem.first.blocks[0];
	void *tasks[4];
	u64 b;

	(void)state;
	put_ok(t, 1);
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_PUBLISHED);
	steal_is(t, 1);
	/* The block as a thief may see it between LI(publish:A) and LI(publish:B). */
	b = (u64)atomic64_read(&blk->b_pos);
	atomic64_set(&blk->b_pos, (s64)(wsq_bwos_next_round(b) | 4));
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 0, tasks, 4), WSQ_EMPTY);
	assert_int_equal(wsq_bwos_lifo_steal(&t->q, tasks, 4), WSQ_EMPTY);
	assert_false(wsq_bwos_lifo_waiting(&t->q));
	atomic64_set(&blk->b_pos, (s64)b);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 0, tasks, 4), WSQ_DONE);
	queue_free(t);
}

/* No spare block: a sleeper stops the owner at its block, and only there. */
static void held_without_spare(void **state)
{
	struct queue *t = queue_new(3, 2, 0);
	struct thief th;
	u64 id;

	(void)state;
	for (id = 1; id <= 4; id++)
		put_ok(t, id);
	thief_looks(t, &th, 0);
	assert_true(thief_claims(&th, 1));	/* task 1 */
	get_is(t, 4);
	get_is(t, 3);
	get_is(t, 2);
	get_is(t, 0);
	/* Puts do not use the slot that the thief reads. */
	put_is(t, 5, WSQ_OK);
	put_is(t, 6, WSQ_PUBLISHED);
	put_is(t, 7, WSQ_OK);
	put_is(t, 8, WSQ_PUBLISHED);
	put_is(t, 9, WSQ_OK);
	put_is(t, 10, WSQ_FULL);
	steal_is(t, 5);
	for (id = 0; id < 5; id++)
		put_is(t, 10, WSQ_FULL);
	assert_int_equal(thief_counts(&th), 1);
	put_is(t, 10, WSQ_PUBLISHED);
	for (id = 10; id >= 6; id--)
		get_is(t, id);
	get_is(t, 0);
	queue_free(t);
}

/* With a spare block for each sleeper the owner goes on, lap after lap. */
static void held_with_spares(void **state)
{
	struct thief th[3];
	u64 in, id[3], k;
	void *tasks[4];
	struct queue *t;
	u32 nr, i;
	int lap;

	(void)state;
	for (nr = 1; nr <= 3; nr++) {
		t = queue_new(2, 4, nr);
		in = 0;
		for (i = 0; i < nr; i++) {
			/* A sleeper in the block below the owner's. */
			while (wsq_bwos_lifo_put(&t->q, task_of(++in)) != WSQ_PUBLISHED)
				;
			thief_looks(t, &th[i], !t->q.index);
			assert_true(thief_claims(&th[i], 1));
			id[i] = in - 4;
			assert_int_equal(wsq_bwos_lifo_steal(&t->q, tasks, 4), 3);
			assert_int_equal(id_of(tasks[2]), in - 1);
			get_is(t, in);
			get_is(t, 0);
		}
		for (lap = 0; lap < 50; lap++) {
			for (k = 0; k < 5; k++)
				put_ok(t, ++in);
			if (lap % 2) {
				assert_int_equal(wsq_bwos_lifo_steal(&t->q, tasks, 4), 4);
				get_is(t, in);
			} else {
				for (k = 0; k < 5; k++)
					get_is(t, in - k);
			}
			get_is(t, 0);
		}
		assert_int_equal(t->q.nr_held, nr);
		assert_int_equal(t->q.nr_spare, 0);
		/* The slots that they are about to read are unchanged. */
		for (i = 0; i < nr; i++)
			assert_int_equal(thief_counts(&th[i]), id[i]);
		for (k = 0; k < 5; k++)
			put_ok(t, ++in);
		assert_int_equal(t->q.nr_held, 0);
		assert_int_equal(t->q.nr_spare, nr);
		for (k = 0; k < 5; k++)
			get_is(t, in - k);
		queue_free(t);
	}
}

/* More sleepers than spares: FULL, nothing lost, and normal afterwards. */
static void spares_run_out(void **state)
{
	struct queue *t = queue_new(2, 2, 1);
	struct thief a, b;
	u64 id;

	(void)state;
	for (id = 1; id <= 3; id++)
		put_ok(t, id);
	thief_looks(t, &a, 0);
	assert_true(thief_claims(&a, 2));	/* tasks 1 and 2 */
	put_is(t, 4, WSQ_OK);
	put_is(t, 5, WSQ_PUBLISHED);		/* the spare block */
	assert_int_equal(t->q.nr_held, 1);
	thief_looks(t, &b, 1);
	assert_true(thief_claims(&b, 2));	/* tasks 3 and 4 */
	put_is(t, 6, WSQ_OK);
	for (id = 0; id < 5; id++)
		put_is(t, 7, WSQ_FULL);

	/* The first one counts: its block replaces the second's. */
	assert_int_equal(thief_counts(&a), 1);
	put_is(t, 7, WSQ_PUBLISHED);
	assert_int_equal(t->q.nr_held, 1);
	assert_int_equal(thief_counts(&b), 3);
	for (id = 7; id >= 5; id--)
		get_is(t, id);
	get_is(t, 0);
	put_ok(t, 8);
	put_ok(t, 9);
	put_is(t, 10, WSQ_PUBLISHED);
	assert_int_equal(t->q.nr_held, 0);
	assert_int_equal(t->q.nr_spare, 1);
	for (id = 10; id >= 8; id--)
		get_is(t, id);
	get_is(t, 0);
	queue_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_is_empty),
		cmocka_unit_test(all_sizes),
		cmocka_unit_test(steal_edges),
		cmocka_unit_test(bottom_first),
		cmocka_unit_test(thieves_reset_nothing),
		cmocka_unit_test(share_edges),
		cmocka_unit_test(share_full),
		cmocka_unit_test(random_against_reference),
		cmocka_unit_test(late_claim_fails),
		cmocka_unit_test(asleep_over_reopening),
		cmocka_unit_test(another_round),
		cmocka_unit_test(held_without_spare),
		cmocka_unit_test(held_with_spares),
		cmocka_unit_test(spares_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
