// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the FIFO BWoS's claimed slots: results and effects of each
 * operation at its edges. Reattached memory is in attach.c.
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
	assert_int_equal(wsq_bwos_fifo_reserve(&t->q, &space), WSQ_OK);

	/* Filled, and invisible until committed, in steps or at once. */
	wsq_bwos_fifo_fill(&t->q, &space, 0, task_of(4));
	wsq_bwos_fifo_fill(&t->q, &space, 1, task_of(5));
	wsq_bwos_fifo_commit(&t->q, &space, 1);
	wsq_bwos_fifo_fill(&t->q, &space, 2, task_of(6));
	claim_is(t, 1);
	claim_is(t, 2);
	space_is(t, WSQ_OK, 4, 2);
	wsq_bwos_fifo_commit(&t->q, &space, 3);

	/* Full until the consumer has read its block to the end. */
	is_full(t);
	claim_is(t, 3);
	space_is(t, WSQ_PUBLISHED, 0, 3);
	claim_is(t, 4);
	claim_is(t, 5);
	claim_is(t, 6);
	claim_is(t, 0);
	queue_free(t);
}

/* A spare block's slots have numbers behind those of the others. */
static void space_in_spare_block(void **state)
{
	struct queue *t = queue_new(2, 2, 1);
	struct wsq_bwos_block *blk = &t->mem.first.blocks[1];

	(void)state;
	put(t, 1, 4);
	/* A thief, by hand, claims a position and sleeps. */
	atomic64_set(&blk->s_pos, atomic64_read(&blk->s_pos) + 1);
	claim_is(t, 1);
	claim_is(t, 2);
	claim_is(t, 4);
	put(t, 5, 6);
	space_is(t, WSQ_PUBLISHED, 4, 2);
	put(t, 7, 7);
	out(t, 4, 7, true);
	claim_is(t, 5);
	claim_is(t, 6);
	claim_is_tomb(t);
	/* The sleeper still finds its task. */
	assert_int_equal(id_of(wsq_slot_claim(&t->mem.first.slots[2])), 3);
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
	assert_int_equal(wsq_bwos_fifo_reserve(&t->q, &space), WSQ_OK);
	wsq_bwos_fifo_fill(&t->q, &space, 0, task_of(7));
	out(t, space.nr, 7, true);
	wsq_bwos_fifo_commit(&t->q, &space, 1);

	claim_is(t, 1);
	out(t, 0, 1, false);
	claim_is_tomb(t);
	claim_is(t, 3);
	claim_is(t, 4);
	claim_is(t, 5);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is(t, 0);
	assert_true(wsq_bwos_fifo_empty(&t->q));
	queue_free(t);
}

static void stealing(void **state)
{
	struct queue *t = queue_new(3, 4, 0);
	void *tasks[4];
	u64 id;

	(void)state;
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 4), WSQ_EMPTY);
	put(t, 1, 12);
	/* A range with holes returns what is left of it, oldest first. */
	out(t, 5, 6, true);
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 3), 2);
	assert_int_equal(id_of(tasks[0]), 5);
	assert_int_equal(id_of(tasks[1]), 7);
	/* A range with nothing left is skipped, in the same block ... */
	out(t, 8, 9, true);
	out(t, 9, 10, true);
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 1), 1);
	assert_int_equal(id_of(tasks[0]), 8);
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 2), 2);
	assert_int_equal(id_of(tasks[0]), 11);
	assert_int_equal(id_of(tasks[1]), 12);
	/* ... and thieves cannot take from the consumer's own block. */
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 4), WSQ_EMPTY);
	claim_is(t, 1);
	claim_is(t, 2);
	claim_is(t, 3);
	claim_is(t, 4);
	claim_is(t, 0);
	queue_free(t);

	/* From one block only, by its index. */
	t = queue_new(3, 4, 0);
	put(t, 1, 12);
	out(t, 8, 9, true);
	assert_int_equal(wsq_bwos_fifo_steal_claim_at(&t->q, 2, tasks, 2), 1);
	assert_int_equal(id_of(tasks[0]), 10);
	out(t, 9, 10, false);
	assert_int_equal(wsq_bwos_fifo_steal_claim_at(&t->q, 2, tasks, 4), 2);
	assert_int_equal(wsq_bwos_fifo_steal_claim_at(&t->q, 2, tasks, 4), WSQ_DONE);
	assert_int_equal(wsq_bwos_fifo_steal_claim_at(&t->q, 0, tasks, 4), WSQ_DONE);
	assert_int_equal(wsq_bwos_fifo_steal_claim_at(&t->q, 3, tasks, 4), WSQ_EMPTY);
	for (id = 1; id <= 8; id++)
		claim_is(t, id);
	claim_is(t, 0);
	queue_free(t);

	/* A block of holes only: on to the next block. */
	t = queue_new(3, 4, 0);
	put(t, 1, 12);
	for (id = 5; id <= 8; id++)
		out(t, (u32)id - 1, id, true);
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 4), 4);
	assert_int_equal(id_of(tasks[0]), 9);
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 4), WSQ_EMPTY);
	for (id = 1; id <= 4; id++)
		claim_is(t, id);
	claim_is(t, 0);
	assert_true(wsq_bwos_fifo_empty(&t->q));
	queue_free(t);
}

static void halving(void **state)
{
	struct queue *t = queue_new(3, 8, 0);
	void *tasks[8];

	(void)state;
	assert_int_equal(wsq_bwos_fifo_kept(&t->q), 0);
	assert_int_equal(wsq_bwos_fifo_halve(&t->q, tasks, 8, 2), 0);
	put(t, 1, 7);
	assert_int_equal(wsq_bwos_fifo_kept(&t->q), 7);
	/* Too few, then the newer half, then limited by @max. */
	assert_int_equal(wsq_bwos_fifo_halve(&t->q, tasks, 8, 8), 0);
	assert_int_equal(wsq_bwos_fifo_halve(&t->q, tasks, 8, 7), 3);
	assert_int_equal(id_of(tasks[0]), 5);
	assert_int_equal(id_of(tasks[2]), 7);
	claim_is(t, 1);
	/* The next one begins where others have left tasks. */
	assert_int_equal(wsq_bwos_fifo_halve(&t->q, tasks, 8, 4), 0);
	assert_int_equal(wsq_bwos_fifo_halve(&t->q, tasks, 8, 3), 1);
	assert_int_equal(id_of(tasks[0]), 4);
	put(t, 8, 8);
	assert_int_equal(wsq_bwos_fifo_halve(&t->q, tasks, 1, 2), 1);
	assert_int_equal(id_of(tasks[0]), 8);
	/* Nothing can be halved where thieves may be. */
	put(t, 9, 12);
	assert_int_equal(wsq_bwos_fifo_kept(&t->q), 0);
	claim_is(t, 2);
	claim_is(t, 3);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is(t, 9);
	assert_int_equal(wsq_bwos_fifo_kept(&t->q), 3);
	assert_int_equal(wsq_bwos_fifo_halve(&t->q, tasks, 8, 2), 1);
	assert_int_equal(id_of(tasks[0]), 12);
	queue_free(t);
}

static void stealing_active(void **state)
{
	struct queue *t = queue_new(3, 4, 0);
	void *tasks[8];

	(void)state;
	assert_int_equal(wsq_bwos_fifo_steal_active(&t->q, tasks, 8), 0);
	put(t, 1, 6);
	assert_int_equal(wsq_bwos_fifo_steal_active(&t->q, tasks, 0), 0);
	claim_is(t, 1);
	out(t, 1, 2, true);
	/* Oldest first, across a hole, not more than asked for. */
	assert_int_equal(wsq_bwos_fifo_steal_active(&t->q, tasks, 1), 1);
	assert_int_equal(id_of(tasks[0]), 3);
	/* From the consumer's block; thieves may take from the others. */
	assert_int_equal(wsq_bwos_fifo_steal_active(&t->q, tasks, 8), 1);
	assert_int_equal(id_of(tasks[0]), 4);
	assert_int_equal(wsq_bwos_fifo_steal_active(&t->q, tasks, 8), 0);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is(t, 5);
	assert_int_equal(wsq_bwos_fifo_steal_active(&t->q, tasks, 8), 1);
	assert_int_equal(id_of(tasks[0]), 6);
	claim_is_tomb(t);
	claim_is(t, 0);

	put(t, 7, 8);
	assert_int_equal(wsq_bwos_fifo_steal_active(&t->q, tasks, 8), 2);
	assert_int_equal(id_of(tasks[0]), 7);
	assert_int_equal(id_of(tasks[1]), 8);
	queue_free(t);
}

static void waiting(void **state)
{
	struct queue *t = queue_new(3, 2, 0);
	struct wsq_bwos_space space = { .n = 0 };
	void *tasks[2];

	(void)state;
	assert_false(wsq_bwos_fifo_waiting(&t->q));
	assert_int_equal(wsq_bwos_fifo_reserve(&t->q, &space), WSQ_OK);
	wsq_bwos_fifo_fill(&t->q, &space, 0, task_of(1));
	assert_false(wsq_bwos_fifo_waiting(&t->q));
	wsq_bwos_fifo_commit(&t->q, &space, 1);
	assert_true(wsq_bwos_fifo_waiting(&t->q));
	claim_is(t, 1);
	assert_false(wsq_bwos_fifo_waiting(&t->q));

	/* In a block that the consumer has not reached. */
	put(t, 2, 4);
	claim_is(t, 2);
	assert_true(wsq_bwos_fifo_waiting(&t->q));
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 1), 1);
	assert_true(wsq_bwos_fifo_waiting(&t->q));
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 1), 1);
	assert_false(wsq_bwos_fifo_waiting(&t->q));
	claim_is(t, 0);
	assert_false(wsq_bwos_fifo_waiting(&t->q));
	queue_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spaces),
		cmocka_unit_test(space_in_spare_block),
		cmocka_unit_test(removing),
		cmocka_unit_test(stealing),
		cmocka_unit_test(halving),
		cmocka_unit_test(stealing_active),
		cmocka_unit_test(waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
