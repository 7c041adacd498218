// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the FIFO BWoS queue: each function separately, the edges of
 * FULL and EMPTY, all sizes, random operations against a sequential reference,
 * held blocks, and thieves that sleep where no schedule would put them (by hand).
 *
 * For: run-checks, under shim/native, plain and with gcc's address and undefined
 * sanitizers. Compiled once more with rounds of 3 bits, which wrap every eight
 * blocks: all must hold but for a thief that sleeps through the wrap.
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

/* Rounds distinguish uses of one block only if they differ within a lap. */
static bool rounds_suffice(u32 nr_entries)
{
	return !((u64)nr_entries >> WSQ_BWOS_ROUND_BITS);
}

static void new_is_empty(void **state)
{
	struct queue *t = queue_new(2, 2, 1);
	void *tasks[2];

	(void)state;
	assert_true(wsq_bwos_fifo_empty(&t->q));
	assert_false(wsq_bwos_fifo_published(&t->q));
	assert_true(wsq_bwos_fifo_shut(&t->q));
	assert_null(wsq_bwos_fifo_get(&t->q));
	assert_int_equal(wsq_bwos_fifo_get_many(&t->q, tasks, 2), 0);
	assert_int_equal(wsq_bwos_fifo_steal(&t->q, tasks, 2), WSQ_EMPTY);
	assert_int_equal(wsq_bwos_fifo_steal_at(&t->q, 0, tasks, 2), WSQ_DONE);
	assert_int_equal(wsq_bwos_fifo_steal_at(&t->q, 1, tasks, 2), WSQ_DONE);
	queue_free(t);
}

static void fill_and_empty(u32 nb, u32 bs, u32 spare)
{
	struct queue *t = queue_new(nb, bs, spare);
	u64 in = 0, out = 0, i;
	u32 lap;
	int ret;

	for (lap = 0; lap < 3; lap++) {
		/* Full: a block is free again once all of it has been read. */
		while ((ret = wsq_bwos_fifo_put(&t->q, task_of(in + 1))) != WSQ_FULL) {
			assert_int_equal(ret, in && in % bs == 0 ? WSQ_PUBLISHED : WSQ_OK);
			in++;
		}
		assert_int_equal(in - out / bs * bs, (u64)nb * bs);
		assert_int_equal(wsq_bwos_fifo_put(&t->q, task_of(in + 1)), WSQ_FULL);
		assert_true(wsq_bwos_fifo_published(&t->q));

		for (i = out % bs; i + 1 < bs; i++)
			get_is(t, ++out);
		assert_int_equal(wsq_bwos_fifo_put(&t->q, task_of(in + 1)), WSQ_FULL);
		get_is(t, ++out);
		assert_int_equal(wsq_bwos_fifo_put(&t->q, task_of(in + 1)), WSQ_PUBLISHED);
		in++;
		/* The other end is in one block; whole blocks are between. */
		assert_true(wsq_bwos_fifo_published(&t->q));
		while (out < in) {
			assert_false(wsq_bwos_fifo_empty(&t->q));
			get_is(t, ++out);
		}
		assert_true(wsq_bwos_fifo_empty(&t->q));
		assert_false(wsq_bwos_fifo_published(&t->q));
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
				if (rounds_suffice(entries[i]))
					fill_and_empty(entries[i], sizes[k], spare);
}

static void steal_edges(void **state)
{
	struct queue *t = queue_new(3, 4, 0);
	void *tasks[4];
	u64 id;

	(void)state;
	/* Thieves cannot take from the consumer's own block. */
	for (id = 1; id <= 4; id++)
		put_ok(t, id);
	assert_int_equal(wsq_bwos_fifo_steal(&t->q, tasks, 4), WSQ_EMPTY);
	assert_false(wsq_bwos_fifo_published(&t->q));
	assert_true(wsq_bwos_fifo_shut(&t->q));

	/* One of the next block, while the producer is in it. */
	put_ok(t, 5);
	assert_true(wsq_bwos_fifo_published(&t->q));
	assert_int_equal(wsq_bwos_fifo_steal(&t->q, tasks, 4), 1);
	assert_int_equal(id_of(tasks[0]), 5);
	assert_int_equal(wsq_bwos_fifo_steal_at(&t->q, 1, tasks, 4), WSQ_EMPTY);
	/* Thieves reach what is put there next. */
	assert_false(wsq_bwos_fifo_shut(&t->q));

	/* All there is, not more than asked for, oldest first. */
	for (id = 6; id <= 8; id++)
		put_ok(t, id);
	assert_int_equal(wsq_bwos_fifo_steal_at(&t->q, 1, tasks, 2), 2);
	assert_int_equal(id_of(tasks[0]), 6);
	assert_int_equal(id_of(tasks[1]), 7);

	/* The consumer gets what is left, and keeps thieves out. */
	for (id = 1; id <= 4; id++)
		get_is(t, id);
	get_is(t, 8);
	assert_int_equal(wsq_bwos_fifo_steal_at(&t->q, 1, tasks, 4), WSQ_DONE);
	assert_true(wsq_bwos_fifo_shut(&t->q));
	get_is(t, 0);

	/* A whole block; a block that thieves emptied is skipped. */
	for (id = 9; id <= 13; id++)
		put_ok(t, id);
	assert_int_equal(wsq_bwos_fifo_steal(&t->q, tasks, 4), 4);
	for (id = 9; id <= 12; id++)
		assert_int_equal(id_of(tasks[id - 9]), id);
	assert_int_equal(wsq_bwos_fifo_steal_at(&t->q, 2, tasks, 4), WSQ_DONE);
	assert_false(wsq_bwos_fifo_empty(&t->q));
	get_is(t, 13);
	get_is(t, 0);
	assert_true(wsq_bwos_fifo_empty(&t->q));
	queue_free(t);
}

/* Stealable tasks in block @index of @nr, by the extreme random numbers. */
static void sample_is(struct queue *t, u32 index, u32 nr, u32 n)
{
	u32 first = (u32)((((u64)index << 32) + nr - 1) / nr);
	u32 last = (u32)((((u64)index + 1) * (1ULL << 32) - 1) / nr);
	u32 at = ~0U;

	assert_int_equal(wsq_bwos_fifo_sample(&t->q, first, &at), n);
	assert_int_equal(at, index);
	at = ~0U;
	assert_int_equal(wsq_bwos_fifo_sample(&t->q, last, &at), n);
	assert_int_equal(at, index);
}

static void sampling(void **state)
{
	struct queue *t = queue_new(3, 4, 1);
	void *tasks[4];
	u32 at = 7;
	u64 id;

	(void)state;
	sample_is(t, 0, 3, 0);
	sample_is(t, 1, 3, 0);
	sample_is(t, 2, 3, 0);

	/* The consumer's block does not count; the producer's counts partly. */
	for (id = 1; id <= 6; id++)
		put_ok(t, id);
	sample_is(t, 0, 3, 0);
	sample_is(t, 1, 3, 2);
	for (; id <= 12; id++)
		put_ok(t, id);
	sample_is(t, 1, 3, 4);
	sample_is(t, 2, 3, 4);

	/* Tasks that thieves have left, and none of a block taken over. */
	assert_int_equal(wsq_bwos_fifo_steal_at(&t->q, 2, tasks, 3), 3);
	sample_is(t, 2, 3, 1);
	for (id = 1; id <= 5; id++)
		get_is(t, id);
	sample_is(t, 1, 3, 0);
	for (; id <= 8; id++)
		get_is(t, id);
	get_is(t, 12);
	sample_is(t, 2, 3, 0);

	/* An index that does not exist, as after other memory was attached. */
	for (id = 13; id <= 17; id++)
		put_ok(t, id);
	assert_int_equal(wsq_bwos_fifo_steal_at(&t->q, 3, tasks, 4), WSQ_EMPTY);
	assert_int_equal(wsq_bwos_fifo_steal_at(&t->q, ~0U, tasks, 4), WSQ_EMPTY);
	while (wsq_bwos_fifo_get(&t->q))
		;
	assert_non_null(wsq_bwos_fifo_detach(&t->q));
	assert_int_equal(wsq_bwos_fifo_sample(&t->q, ~0U, &at), 0);
	assert_int_equal(at, 7);
	assert_int_equal(wsq_bwos_fifo_steal_at(&t->q, 0, tasks, 4), WSQ_EMPTY);
	queue_free(t);
}

/* Over all random numbers, a sample's share is the tasks' share of capacity. */
static void samples_add_up(void **state)
{
	struct queue *t = queue_new(7, 64, 0);
	u64 sum = 0;
	u32 i, at;
	u64 id;

	(void)state;
	if (!rounds_suffice(7))
		return;
	for (id = 1; id <= 64 * 3 + 20; id++)
		put_ok(t, id);
	for (i = 0; i < 7 * 1024; i++)
		sum += wsq_bwos_fifo_sample(&t->q, (u32)(((u64)i << 32) / (7 * 1024)), &at);
	/* Each block gets the same share of random numbers, except rounding. */
	assert_in_range(sum, 1024 * (2 * 64 + 20) - 64 * 7, 1024 * (2 * 64 + 20) + 64 * 7);
	queue_free(t);
}

/* Thieves empty all they can: get skips up to every block. */
static void all_stolen(void **state)
{
	struct queue *t;
	void *tasks[8];
	u32 nb, i;
	u64 id, in = 0;
	int n;

	(void)state;
	for (nb = 2; nb <= 7; nb++) {
		t = queue_new(nb, 8, 0);
		for (i = 0; i < 3; i++) {
			u64 stolen = 0;

			while (wsq_bwos_fifo_put(&t->q, task_of(in + 1)) >= 0)
				in++;
			while ((n = wsq_bwos_fifo_steal(&t->q, tasks, 8)) > 0)
				stolen += (u64)n;
			assert_int_equal(n, WSQ_EMPTY);
			/*
			 * At first one block is the consumer's; later it is at
			 * the end of a block that has been reused.
			 */
			assert_int_equal(stolen, (nb - !i) * 8);
			for (id = 1; !i && id <= 8; id++)
				get_is(t, id);
			get_is(t, 0);
			assert_true(wsq_bwos_fifo_empty(&t->q));
			assert_int_equal(wsq_bwos_fifo_put(&t->q, task_of(in + 1)),
					 WSQ_PUBLISHED);
			get_is(t, ++in);
			get_is(t, 0);
			/* Align to whole blocks for the next lap. */
			while (in % 8) {
				put_ok(t, ++in);
				get_is(t, in);
			}
		}
		queue_free(t);
		in = 0;
	}
}

/*
 * A sequential model of the queue: blocks are numbered consecutively, a thief
 * takes a prefix of a block before the consumer enters it.
 */
struct reference {
	u64 nb, bs;
	u64 put;		/* tasks put */
	u64 cons, idx;		/* consumer's block and index */
	u64 stolen[4096];	/* prefix of each block that thieves took */
};

static bool ref_may_put(const struct reference *r)
{
	u64 blk = r->put / r->bs;

	return r->put % r->bs || !r->put || blk < r->nb ||
	       blk - r->nb < r->cons || (blk - r->nb == r->cons && r->idx == r->bs);
}

static u64 ref_get(struct reference *r)
{
	while (r->idx == r->bs) {
		if (r->put <= (r->cons + 1) * r->bs)
			return 0;
		r->cons++;
		r->idx = r->stolen[r->cons];
	}
	if (r->cons * r->bs + r->idx >= r->put)
		return 0;
	return r->cons * r->bs + r->idx++ + 1;
}

/* Are these tasks that a thief may take, from one block, oldest first? */
static void ref_stolen(struct reference *r, void **tasks, int n)
{
	u64 blk = (id_of(tasks[0]) - 1) / r->bs;
	int i;

	assert_true(blk > r->cons);
	for (i = 0; i < n; i++)
		assert_int_equal(id_of(tasks[i]), blk * r->bs + r->stolen[blk]++ + 1);
	assert_true(r->stolen[blk] <= r->bs);
	assert_true(id_of(tasks[n - 1]) <= r->put);
}

static bool ref_stealable(const struct reference *r)
{
	u64 blk;

	for (blk = r->cons + 1; blk * r->bs < r->put; blk++)
		if (blk * r->bs + r->stolen[blk] < r->put && r->stolen[blk] < r->bs)
			return true;
	return false;
}

/*
 * Random operations on twins, one with the batched forms, one with as many
 * single ones: both must do what the model says.
 */
static void random_ops(u32 nb, u32 bs, u64 seed)
{
	struct queue *one = queue_new(nb, bs, 1), *many = queue_new(nb, bs, 2);
	struct reference r = { .nb = nb, .bs = bs };
	u64 start = seed, next = 1, k, max;
	void *a[128], *b[128];
	int i, na, nm, ret;

	for (i = 0; i < 20000 && r.put < 4090 * bs; i++) {
		bool opened_one = false, published = false;

		max = rnd(&seed) % (2 * bs < 128 ? 2 * bs : 128);
		switch (rnd(&seed) % 8) {
		case 0: case 1: case 2:
			for (k = 0; k < max; k++)
				b[k] = task_of(next + k);
			na = 0;
			for (k = 0; k < max; k++) {
				bool may = ref_may_put(&r);

				ret = wsq_bwos_fifo_put(&one->q, b[k]);
				assert_int_equal(ret >= 0, may);
				if (!may)
					break;
				opened_one |= ret == WSQ_PUBLISHED;
				r.put++;
				na++;
			}
			nm = (int)wsq_bwos_fifo_put_many(&many->q, b, (u32)max, &published);
			assert_int_equal(nm, na);
			assert_int_equal(published, opened_one);
			next += (u64)na;
			break;
		case 3: case 4: case 5:
			for (na = 0; (u64)na < max; na++) {
				u64 id = ref_get(&r);

				a[na] = wsq_bwos_fifo_get(&one->q);
				assert_int_equal(id_of(a[na]), id);
				if (!id)
					break;
			}
			nm = (int)wsq_bwos_fifo_get_many(&many->q, b, (u32)max);
			assert_int_equal(nm, na);
			assert_memory_equal(a, b, (size_t)na * sizeof(a[0]));
			break;
		default:
			max = rnd(&seed) % bs + 1;
			max = max < 128 ? max : 128;
			ret = wsq_bwos_fifo_steal(&one->q, a, (u32)max);
			assert_int_equal(ret > 0, ref_stealable(&r));
			assert_int_equal(wsq_bwos_fifo_steal(&many->q, b, (u32)max), ret);
			if (ret <= 0)
				break;
			assert_memory_equal(a, b, (size_t)ret * sizeof(a[0]));
			ref_stolen(&r, a, ret);
			break;
		}
		assert_int_equal(wsq_bwos_fifo_published(&one->q),
				 r.put && (r.put - 1) / bs > r.cons);
		assert_int_equal(wsq_bwos_fifo_published(&many->q),
				 wsq_bwos_fifo_published(&one->q));
		assert_int_equal(wsq_bwos_fifo_empty(&many->q),
				 wsq_bwos_fifo_empty(&one->q));
		if (i == 0)
			print_message("# %u x %u, seed %llu\n", nb, bs, start);
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
		if (rounds_suffice(64)) {
			random_ops(8, 64, rnd(&seed));
			random_ops(64, 2, rnd(&seed));
			random_ops(64, 64, rnd(&seed));
		}
	}
}

static void asleep_over_reuse(void **state)
{
	const bool wraps = WSQ_BWOS_ROUND_BITS == 3;
	struct queue *t = queue_new(2, 2, 0);
	struct thief th;
	u64 in = 0;
	int lap;

	(void)state;
	while (in < 4)
		put_ok(t, ++in);
	thief_looks(t, &th, 1);			/* round 2, slot 0 */
	get_is(t, 1);
	get_is(t, 2);
	get_is(t, 3);
	get_is(t, 4);
	for (lap = 0; lap < 7; lap++) {		/* rounds 3 to 9 */
		put_ok(t, ++in);
		put_ok(t, ++in);
		get_is(t, in - 1);
		get_is(t, in);
	}
	put_ok(t, ++in);			/* round 10, in the same block */
	/* Eight blocks later: 3 bits of round repeat, 51 do not. */
	assert_int_equal(thief_claims(&th, 2), wraps);
	if (!wraps)
		get_is(t, in);
	queue_free(t);
}

static void late_claim_fails(void **state)
{
	struct queue *t = queue_new(2, 2, 0);
	struct thief th;
	u64 id;

	(void)state;
	for (id = 1; id <= 4; id++)
		put_ok(t, id);
	thief_looks(t, &th, 1);
	get_is(t, 1);
	get_is(t, 2);
	get_is(t, 3);
	assert_false(thief_claims(&th, 1));
	get_is(t, 4);
	queue_free(t);
}

/* No spare block: a sleeper stops the producer at its block, and only there. */
static void held_without_spare(void **state)
{
	struct queue *t = queue_new(3, 2, 0);
	struct thief th;
	u64 id;

	(void)state;
	for (id = 1; id <= 6; id++)
		put_ok(t, id);
	thief_looks(t, &th, 1);
	assert_true(thief_claims(&th, 1));	/* task 3 */
	get_is(t, 1);
	get_is(t, 2);
	get_is(t, 4);
	put_ok(t, 7);
	put_ok(t, 8);
	for (id = 0; id < 5; id++)
		assert_int_equal(wsq_bwos_fifo_put(&t->q, task_of(9)), WSQ_FULL);
	assert_int_equal(thief_counts(&th), 3);
	put_ok(t, 9);
	for (id = 5; id <= 9; id++)
		get_is(t, id);
	get_is(t, 0);
	queue_free(t);
}

/* With a spare block for each sleeper the producer goes on, lap after lap. */
static void held_with_spares(void **state)
{
	struct queue *t;
	struct thief th[3];
	u64 in, out, id[3];
	u32 nr, i;
	int lap;

	(void)state;
	for (nr = 1; nr <= 3; nr++) {
		t = queue_new(2, 4, nr);
		in = out = 0;
		for (i = 0; i < nr; i++) {
			/* A sleeper in the block behind the consumer's. */
			while (in < out / 4 * 4 + 8)
				put_ok(t, ++in);
			thief_looks(t, &th[i], t->q.p.index);
			assert_true(thief_claims(&th[i], 1));
			id[i] = in - 3;
			while (out < in) {
				if (++out == id[i])
					out++;
				get_is(t, out);
			}
		}
		for (lap = 0; lap < 50; lap++) {
			for (i = 0; i < 8; i++)
				put_ok(t, ++in);
			for (i = 0; i < 8; i++)
				get_is(t, ++out);
			get_is(t, 0);
		}
		assert_int_equal(t->q.nr_held, nr);
		assert_int_equal(t->q.nr_spare, 0);
		/* The slots that they are about to read are unchanged. */
		for (i = 0; i < nr; i++)
			assert_int_equal(thief_counts(&th[i]), id[i]);
		put_ok(t, ++in);
		assert_int_equal(t->q.nr_held, 0);
		assert_int_equal(t->q.nr_spare, nr);
		get_is(t, ++out);
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
	for (id = 1; id <= 4; id++)
		put_ok(t, id);
	thief_looks(t, &a, 1);
	assert_true(thief_claims(&a, 1));	/* task 3 */
	get_is(t, 1);
	get_is(t, 2);
	get_is(t, 4);
	put_ok(t, 5);
	put_ok(t, 6);
	put_ok(t, 7);				/* the spare block */
	assert_int_equal(t->q.nr_held, 1);
	put_ok(t, 8);
	thief_looks(t, &b, 1);
	assert_true(thief_claims(&b, 2));	/* tasks 7 and 8 */
	get_is(t, 5);
	get_is(t, 6);
	put_ok(t, 9);
	put_ok(t, 10);
	get_is(t, 9);
	get_is(t, 10);
	for (id = 0; id < 5; id++)
		assert_int_equal(wsq_bwos_fifo_put(&t->q, task_of(11)), WSQ_FULL);
	get_is(t, 0);

	/* The first one counts: its block replaces the second's. */
	assert_int_equal(thief_counts(&a), 3);
	put_ok(t, 11);
	assert_int_equal(t->q.nr_held, 1);
	put_ok(t, 12);
	get_is(t, 11);
	assert_int_equal(thief_counts(&b), 7);
	get_is(t, 12);
	put_ok(t, 13);
	assert_int_equal(t->q.nr_held, 0);
	assert_int_equal(t->q.nr_spare, 1);
	get_is(t, 13);
	get_is(t, 0);
	queue_free(t);
}

/*
 * With put and get on two CPUs a consumer may see less than thieves have taken
 * (found by the model checker): it must take that for empty, not for a task.
 */
static void behind_thieves(void **state)
{
	struct queue *t = queue_new(2, 2, 0);
	struct wsq_bwos_block *blk = &t->mem.first.blocks[1];
	void *tasks[2];
	u64 b, id;

	(void)state;
	for (id = 1; id <= 4; id++)
		put_ok(t, id);
	assert_int_equal(wsq_bwos_fifo_steal(&t->q, tasks, 1), 1);
	b = (u64)atomic64_read(&blk->b_pos);
	atomic64_set(&blk->b_pos, (s64)(b - 2));
	get_is(t, 1);
	get_is(t, 2);
	get_is(t, 0);
	assert_int_equal(wsq_bwos_fifo_get_many(&t->q, tasks, 2), 0);
	assert_true(wsq_bwos_fifo_empty(&t->q));
	atomic64_set(&blk->b_pos, (s64)b);
	assert_false(wsq_bwos_fifo_empty(&t->q));
	get_is(t, 4);
	queue_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_is_empty),
		cmocka_unit_test(all_sizes),
		cmocka_unit_test(steal_edges),
		cmocka_unit_test(sampling),
		cmocka_unit_test(samples_add_up),
		cmocka_unit_test(all_stolen),
		cmocka_unit_test(random_against_reference),
		cmocka_unit_test(late_claim_fails),
		cmocka_unit_test(asleep_over_reuse),
		cmocka_unit_test(held_without_spare),
		cmocka_unit_test(held_with_spares),
		cmocka_unit_test(spares_run_out),
		cmocka_unit_test(behind_thieves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
