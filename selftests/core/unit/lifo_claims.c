// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the LIFO BWoS's claimed slots: results and effects of each
 * operation at its edges, the oldest task, samples, and random operations
 * against a sequential model. Each slot that is filled must be empty before.
 *
 * For: run-checks, under shim/native, plain and with gcc's address and
 * undefined sanitizers. Cost: negligible. Limitations: one thread;
 * stress/claims.c tests contention.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "claims.h"

static void oldest_is(struct queue *t, u64 id)
{
	assert_int_equal(id_of(wsq_bwos_lifo_claim_oldest(&t->q)), id);
}

static void steal_is(struct queue *t, u32 max, u64 first, u64 last)
{
	void *tasks[64];
	u64 k, n = last + 1 - first;

	assert_int_equal(wsq_bwos_lifo_steal_claim(&t->q, tasks, max), n);
	for (k = 0; k < n; k++)
		assert_int_equal(id_of(tasks[k]), first + k);
}

static void all_null(struct queue *t)
{
	u32 i, n = t->mem.dir.nr_blocks * t->mem.block_size;

	for (i = 0; i < n; i++)
		assert_null(wsq_slot_peek(&t->mem.first.slots[i]));
}

static void spaces(void **state)
{
	struct queue *t = queue_new(2, 3, 0);
	struct wsq_bwos_space space = { .n = 0 };

	(void)state;
	space_is(t, WSQ_OK, 0, 3);
	/* Slots that are not committed are returned again. */
	space_is(t, WSQ_OK, 0, 3);
	put(t, 1, 1);
	/* To the end of the block, not across it. */
	space_is(t, WSQ_OK, 1, 2);
	put(t, 2, 3);
	space_is(t, WSQ_PUBLISHED, 3, 3);
	assert_int_equal(wsq_bwos_lifo_reserve(&t->q, &space), WSQ_OK);

	/* In steps or at once. */
	fill(t, &space, 0, 4);
	fill(t, &space, 1, 5);
	wsq_bwos_lifo_commit(&t->q, &space, 1);
	fill(t, &space, 2, 6);
	space_is(t, WSQ_OK, 4, 2);
	wsq_bwos_lifo_commit(&t->q, &space, 3);

	/* Full until a block below is drained; the owner can reuse its own. */
	is_full(t);
	claim_is(t, 6);
	space_is(t, WSQ_OK, 5, 1);
	claim_is(t, 5);
	claim_is(t, 4);
	claim_is(t, 3);
	/* Down in the block below, at its end. */
	space_is(t, WSQ_OK, 2, 1);
	claim_is(t, 2);
	claim_is(t, 1);
	claim_is(t, 0);
	all_null(t);
	queue_free(t);
}

/* A spare block's slots have numbers behind those of the others. */
static void space_in_spare_block(void **state)
{
	struct queue *t = queue_new(2, 2, 1);
	struct wsq_bwos_lifo_block *blk = &t->mem.first.blocks[0];
	void *task;

	(void)state;
	put(t, 1, 3);
	/* A thief, by hand, claims both positions and sleeps. */
	atomic64_set(&blk->s_pos, atomic64_read(&blk->s_pos) + 2);
	put(t, 4, 4);
	space_is(t, WSQ_PUBLISHED, 4, 2);
	put(t, 5, 5);
	out(t, 4, 5, true);
	claim_is_tomb(t);
	/* The sleeper still finds its tasks, except a removed one. */
	out(t, 1, 2, true);
	assert_int_equal(id_of(wsq_slot_claim(&t->mem.first.slots[0])), 1);
	assert_null(wsq_slot_claim(&t->mem.first.slots[1]));
	atomic64_fetch_add_release(2, &blk->s_cnt);
	/*
	 * A steal from the active block uses the owner's block, by its number.
	 */
	put(t, 6, 6);
	assert_int_equal(wsq_bwos_lifo_steal_active(&t->q, &task, 1), 1);
	assert_int_equal(id_of(task), 6);
	claim_is_tomb(t);
	claim_is(t, 4);
	claim_is(t, 3);
	claim_is(t, 0);
	all_null(t);
	queue_free(t);
}

static void removing(void **state)
{
	struct queue *t = queue_new(2, 4, 1);
	struct wsq_bwos_space space = { .n = 0 };

	(void)state;
	put(t, 1, 6);
	out(t, 1, 1, false);
	out(t, 1, 2, true);
	out(t, 1, 2, false);
	out(t, 5, 6, true);
	/* A number that is no slot. */
	out(t, 3 * 4, 1, false);
	out(t, 3 * 4 + 1, 1, false);
	out(t, UINT32_MAX, 1, false);
	out(t, 3 * 4 - 1, 1, false);
	/* Filling suffices. */
	assert_int_equal(wsq_bwos_lifo_reserve(&t->q, &space), WSQ_OK);
	fill(t, &space, 0, 7);
	out(t, space.nr, 7, true);
	wsq_bwos_lifo_commit(&t->q, &space, 1);

	claim_is_tomb(t);
	claim_is_tomb(t);
	/* Claimed and given up: another task is in the slot now. */
	put(t, 8, 8);
	out(t, 5, 6, false);
	out(t, 5, 7, false);
	claim_is(t, 8);
	claim_is(t, 5);
	claim_is(t, 4);
	claim_is(t, 3);
	claim_is_tomb(t);
	claim_is(t, 1);
	out(t, 0, 1, false);
	claim_is(t, 0);
	assert_true(wsq_bwos_lifo_empty(&t->q));
	all_null(t);
	queue_free(t);
}

static void stealing(void **state)
{
	struct queue *t = queue_new(3, 4, 0);
	void *tasks[4];
	u64 id;

	(void)state;
	assert_int_equal(wsq_bwos_lifo_steal_claim(&t->q, tasks, 4), WSQ_EMPTY);
	put(t, 1, 12);
	/* A range with holes returns what is left of it, oldest first. */
	out(t, 1, 2, true);
	assert_int_equal(wsq_bwos_lifo_steal_claim(&t->q, tasks, 3), 2);
	assert_int_equal(id_of(tasks[0]), 1);
	assert_int_equal(id_of(tasks[1]), 3);
	/* A range with nothing left is skipped, in the same block ... */
	out(t, 4, 5, true);
	out(t, 5, 6, true);
	steal_is(t, 1, 4, 4);
	steal_is(t, 2, 7, 8);
	/* ... and thieves cannot take from the owner's own block. */
	assert_int_equal(wsq_bwos_lifo_steal_claim(&t->q, tasks, 4), WSQ_EMPTY);
	for (id = 12; id >= 9; id--)
		claim_is(t, id);
	claim_is(t, 0);
	queue_free(t);

	/* A block of holes only: on to the next block. */
	t = queue_new(3, 4, 0);
	put(t, 1, 12);
	for (id = 1; id <= 4; id++)
		out(t, (u32)id - 1, id, true);
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 0), 4);
	steal_is(t, 4, 5, 8);
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 0), 0);
	assert_int_equal(wsq_bwos_lifo_steal_claim(&t->q, tasks, 4), WSQ_EMPTY);
	for (id = 12; id >= 9; id--)
		claim_is(t, id);
	claim_is(t, 0);
	assert_true(wsq_bwos_lifo_empty(&t->q));
	all_null(t);
	queue_free(t);
}

static void stealing_at(void **state)
{
	struct queue *t = queue_new(3, 8, 0);
	void *tasks[8];
	u64 id;

	(void)state;
	put(t, 1, 17);
	assert_int_equal(wsq_bwos_lifo_steal_claim_at(&t->q, 1, tasks, 2), 2);
	assert_int_equal(id_of(tasks[0]), 9);
	assert_int_equal(id_of(tasks[1]), 10);
	assert_int_equal(wsq_bwos_lifo_steal_claim_at(&t->q, 2, tasks, 2), WSQ_DONE);
	/* No such block. */
	assert_int_equal(wsq_bwos_lifo_steal_claim_at(&t->q, 3, tasks, 2), WSQ_EMPTY);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 3, tasks, 2), WSQ_EMPTY);
	/* As many tries as there are holes, then it returns to the caller. */
	for (id = 11; id <= 15; id++)
		out(t, (u32)id - 1, id, true);
	assert_int_equal(wsq_bwos_lifo_steal_claim_at(&t->q, 1, tasks, 1),
			 WSQ_CONFLICT);
	assert_int_equal(wsq_bwos_lifo_steal_claim_at(&t->q, 1, tasks, 1), 1);
	assert_int_equal(id_of(tasks[0]), 16);
	assert_int_equal(wsq_bwos_lifo_steal_claim_at(&t->q, 1, tasks, 8), WSQ_DONE);
	steal_is(t, 8, 1, 8);
	claim_is(t, 17);
	claim_is(t, 0);
	all_null(t);
	queue_free(t);
}

static void stealing_active(void **state)
{
	struct queue *t = queue_new(3, 4, 0);
	void *tasks[8];

	(void)state;
	assert_int_equal(wsq_bwos_lifo_steal_active(&t->q, tasks, 8), 0);
	put(t, 1, 4);
	assert_int_equal(wsq_bwos_lifo_steal_active(&t->q, tasks, 0), 0);
	claim_is(t, 4);
	out(t, 0, 1, true);
	/* Oldest first, across a hole, not more than asked for. */
	assert_int_equal(wsq_bwos_lifo_steal_active(&t->q, tasks, 1), 1);
	assert_int_equal(id_of(tasks[0]), 2);
	assert_int_equal(wsq_bwos_lifo_steal_active(&t->q, tasks, 8), 1);
	assert_int_equal(id_of(tasks[0]), 3);
	assert_int_equal(wsq_bwos_lifo_steal_active(&t->q, tasks, 8), 0);
	put(t, 5, 7);
	/* From the owner's block only; thieves may take from the others. */
	assert_int_equal(wsq_bwos_lifo_steal_active(&t->q, tasks, 8), 2);
	assert_int_equal(id_of(tasks[0]), 6);
	assert_int_equal(id_of(tasks[1]), 7);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is(t, 5);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is(t, 0);

	/* Not below what thieves have claimed in the owner's block. */
	put(t, 8, 12);
	steal_is(t, 2, 8, 9);
	claim_is(t, 12);
	claim_is(t, 11);
	put(t, 13, 13);
	assert_int_equal(wsq_bwos_lifo_steal_active(&t->q, tasks, 1), 1);
	assert_int_equal(id_of(tasks[0]), 10);
	claim_is(t, 13);
	claim_is_tomb(t);
	claim_is(t, 0);
	all_null(t);
	queue_free(t);
}

/*
 * A thief may have read words at different times, of other blocks and other
 * memory: whatever they are, it stays within its memory.
 */
static void stealing_active_astray(void **state)
{
	struct queue *t = queue_new(2, 4, 0);
	u64 words[] = { 0, 1, 3, 4, 5, 7, 8, 9, 4096, UINT32_MAX }, i, k, l;
	const size_t n = sizeof(words) / sizeof(words[0]);
	struct wsq_bwos_lifo q;
	void *tasks[8];

	(void)state;
	q = t->q;
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			for (l = 0; l < n; l++) {
				atomic64_set(&q.first, (s64)words[i]);
				atomic64_set(&q.low, (s64)words[k]);
				atomic64_set(&q.pos, (s64)words[l]);
				assert_int_equal(wsq_bwos_lifo_steal_active(&q, tasks, 8), 0);
			}
	put(t, 1, 1);
	/* An end that no block can have comes from other memory. */
	q = t->q;
	atomic64_set(&q.pos, 5);
	assert_int_equal(wsq_bwos_lifo_steal_active(&q, tasks, 8), 0);
	/* The age of the end does not matter: the slot has a task. */
	atomic64_set(&q.pos, 4);
	assert_int_equal(wsq_bwos_lifo_steal_active(&q, tasks, 8), 1);
	claim_is_tomb(t);
	queue_free(t);
}

static void oldest(void **state)
{
	struct queue *t = queue_new(3, 4, 0);
	struct wsq_bwos_lifo_block *blk = &t->mem.first.blocks[1];
	u64 id;

	(void)state;
	oldest_is(t, 0);
	/* One block, the owner's: from its bottom. */
	put(t, 1, 3);
	oldest_is(t, 1);
	assert_true(wsq_bwos_lifo_published(&t->q));
	put(t, 4, 4);
	oldest_is(t, 2);
	claim_is(t, 4);
	/* The others come back to the owner. */
	claim_is(t, 3);
	claim_is(t, 0);

	/* Several: from the lowest. */
	put(t, 5, 14);
	oldest_is(t, 5);
	oldest_is(t, 6);
	steal_is(t, 1, 7, 7);
	claim_is(t, 14);
	for (id = 8; id <= 11; id++)
		oldest_is(t, id);
	oldest_is(t, 12);
	oldest_is(t, 13);
	oldest_is(t, 0);
	claim_is(t, 0);

	/* Across holes, as thieves do; if there is nothing else, on top. */
	put(t, 20, 23);
	out(t, t->q.index * 4, 20, true);
	out(t, t->q.index * 4 + 1, 21, true);
	oldest_is(t, 22);
	out(t, t->q.index ? t->q.index * 4 - 1 : 11, 23, true);
	put(t, 24, 24);
	oldest_is(t, 24);
	claim_is(t, 0);
	all_null(t);
	queue_free(t);

	/* No block to go up to: the owner takes its own oldest. */
	t = queue_new(2, 4, 0);
	blk = &t->mem.first.blocks[0];
	put(t, 1, 7);
	/* A thief, by hand, sleeps with all that was published. */
	atomic64_set(&blk->s_pos, atomic64_read(&blk->b_pos));
	assert_int_equal(wsq_bwos_lifo_publish(&t->q), WSQ_FULL);
	oldest_is(t, 5);
	oldest_is(t, 6);
	claim_is(t, 7);
	claim_is_tomb(t);
	put(t, 8, 8);
	oldest_is(t, 8);
	/* Only tombstones: returned on the way through them. */
	assert_ptr_equal(wsq_bwos_lifo_claim_oldest(&t->q), WSQ_TOMB);
	assert_ptr_equal(wsq_bwos_lifo_claim_oldest(&t->q), WSQ_TOMB);
	oldest_is(t, 0);
	queue_free(t);
}

/* A task that puts itself again must not starve the others. */
static void oldest_gets_all(void **state)
{
	u32 nb, bs;

	(void)state;
	for (nb = 2; nb <= 4; nb++) {
		for (bs = 2; bs <= 5; bs++) {
			struct queue *t = queue_new(nb, bs, 1);
			u64 n = (u64)(nb - 1) * bs, seen = 0, take;

			put(t, 1, n + 1);
			for (take = 1; seen < n && take < 1000; take++) {
				void *task = take % 8 ? wsq_bwos_lifo_claim(&t->q) :
					     wsq_bwos_lifo_claim_oldest(&t->q);

				assert_non_null(task);
				if (task == WSQ_TOMB)
					continue;
				if (id_of(task) == n + 1)
					put(t, n + 1, n + 1);
				else
					seen++;
			}
			/* One in eight, and some passes to reach it. */
			assert_int_equal(seen, n);
			assert_true(take <= 8 * (n + 3));
			claim_is(t, n + 1);
			claim_is(t, 0);
			all_null(t);
			queue_free(t);
		}
	}
}

static void sampling(void **state)
{
	struct queue *t = queue_new(3, 4, 1);
	struct wsq_bwos_lifo_block *blk = &t->mem.first.blocks[0];
	s64 b;

	(void)state;
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 0), 0);
	put(t, 1, 4);
	/* Thieves cannot take from the owner's block. */
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 0), 0);
	put(t, 5, 9);
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 0), 4);
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 1), 4);
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 2), 0);
	/* No such block. */
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 3), 0);
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, UINT32_MAX), 0);
	steal_is(t, 3, 1, 3);
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 0), 1);
	/* The end of a later publication does not go with an earlier index. */
	b = atomic64_read(&blk->b_pos);
	atomic64_set(&blk->b_pos, (s64)wsq_bwos_next_round((u64)b) | 4);
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 0), 0);
	atomic64_set(&blk->b_pos, b);
	steal_is(t, 3, 4, 4);
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 0), 0);
	claim_is(t, 9);
	claim_is(t, 8);
	/* Taken over. */
	assert_int_equal(wsq_bwos_lifo_sample(&t->q, 1), 0);
	queue_free(t);
}

/**
 * struct reference - a sequential model of a queue with claimed slots
 * @where: slot number of each task
 * @in: is it in the queue?
 * @stack: the tasks from the bottom up, including removed ones
 * @height: number of tasks in @stack
 * @next: the next task
 */
struct reference {
	u32 where[200000];
	bool in[200000];
	u64 stack[200000];
	u64 height;
	u64 next;
};

static void ref_took(struct reference *r, u64 id)
{
	assert_true(id && id < r->next);
	assert_true(r->in[id]);
	r->in[id] = false;
}

/*
 * The owner gets the topmost task that thieves and others have left: no task
 * above the one it got is left.
 */
static void ref_claimed(struct reference *r, u64 id)
{
	ref_took(r, id);
	while (r->height && r->stack[r->height - 1] != id) {
		assert_false(r->in[r->stack[r->height - 1]]);
		r->height--;
	}
	assert_true(r->height);
	r->height--;
}

static void random_ops(u32 nb, u32 bs, u32 spare, u64 seed)
{
	static struct reference r;
	struct queue *t = queue_new(nb, bs, spare);
	struct wsq_bwos_space space = { .n = 0 };
	void *task, *tasks[64];
	u64 id, left = 0;
	int i, k, n;

	memset(&r, 0, sizeof(r));
	r.next = 1;
	print_message("# %u x %u + %u, seed %llu\n", nb, bs, spare, seed);
	for (i = 0; i < 20000; i++) {
		switch (rnd(&seed) % 10) {
		case 0: case 1: case 2:
			if (wsq_bwos_lifo_reserve(&t->q, &space) < 0)
				break;
			assert_in_range(space.n, 1, bs);
			n = (int)(rnd(&seed) % space.n) + 1;
			for (k = 0; k < n && k < 8; k++) {
				r.where[r.next] = space.nr + (u32)k;
				r.in[r.next] = true;
				r.stack[r.height++] = r.next;
				fill(t, &space, (u32)k, r.next++);
				left++;
			}
			wsq_bwos_lifo_commit(&t->q, &space, (u32)k);
			break;
		case 3: case 4: case 5:
			task = wsq_bwos_lifo_claim(&t->q);
			if (!task) {
				assert_int_equal(left, 0);
				assert_true(wsq_bwos_lifo_empty(&t->q));
				all_null(t);
			} else if (task != WSQ_TOMB) {
				ref_claimed(&r, id_of(task));
				left--;
			}
			break;
		case 6:
			n = wsq_bwos_lifo_steal_claim(&t->q, tasks,
						      (u32)(rnd(&seed) % bs) % 64 + 1);
			for (k = 0; k < n; k++) {
				assert_true(!k || id_of(tasks[k]) > id_of(tasks[k - 1]));
				ref_took(&r, id_of(tasks[k]));
				left--;
			}
			break;
		case 7:
			n = wsq_bwos_lifo_steal_active(&t->q, tasks, (u32)(rnd(&seed) % 4));
			for (k = 0; k < n; k++) {
				assert_true(!k || id_of(tasks[k]) > id_of(tasks[k - 1]));
				ref_took(&r, id_of(tasks[k]));
				left--;
			}
			break;
		case 8:
			/* One of the last; in the queue, or gone. */
			id = r.next - rnd(&seed) % (r.next < 40 ? r.next : 40);
			if (id == r.next || !id)
				break;
			out(t, r.where[id], id, r.in[id]);
			left -= r.in[id];
			r.in[id] = false;
			break;
		default:
			task = wsq_bwos_lifo_claim_oldest(&t->q);
			if (!task) {
				assert_int_equal(left, 0);
			} else if (task != WSQ_TOMB) {
				ref_took(&r, id_of(task));
				left--;
			}
			break;
		}
	}
	while ((task = wsq_bwos_lifo_claim(&t->q))) {
		if (task == WSQ_TOMB)
			continue;
		ref_claimed(&r, id_of(task));
		left--;
	}
	assert_int_equal(left, 0);
	all_null(t);
	queue_free(t);
}

static void random_against_reference(void **state)
{
	u64 seed = 88172645463325252ULL;
	u32 i;

	(void)state;
	if (getenv("SEED"))
		seed = strtoull(getenv("SEED"), NULL, 0) | 1;
	for (i = 0; i < 3; i++) {
		random_ops(2, 2, 0, rnd(&seed));
		random_ops(2, 3, 1, rnd(&seed));
		random_ops(3, 2, 2, rnd(&seed));
		random_ops(4, 4, 0, rnd(&seed));
		random_ops(7, 5, 1, rnd(&seed));
		random_ops(8, 64, 1, rnd(&seed));
		random_ops(64, 2, 3, rnd(&seed));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spaces),
		cmocka_unit_test(space_in_spare_block),
		cmocka_unit_test(removing),
		cmocka_unit_test(stealing),
		cmocka_unit_test(stealing_at),
		cmocka_unit_test(stealing_active),
		cmocka_unit_test(stealing_active_astray),
		cmocka_unit_test(oldest),
		cmocka_unit_test(oldest_gets_all),
		cmocka_unit_test(sampling),
		cmocka_unit_test(random_against_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
