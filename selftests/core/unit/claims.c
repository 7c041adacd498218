// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the FIFO BWoS's claimed slots: what each operation returns at its
 * edges and leaves behind. Memory that comes and goes is in mount.c.
 *
 * For: run-checks, under shim/native, plain and with gcc's address and undefined
 * sanitizers. Cost: nothing to speak of. Limitations: one thread; contention is
 * the business of stress/claims.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "claims.h"

static void rooms(void **state)
{
	struct queue *t = queue_new(2, 3, 0);
	struct wsq_bwos_room room = { .n = 0 };

	(void)state;
	room_is(t, WSQ_OK, 0, 3);
	/* What is not committed is given again. */
	room_is(t, WSQ_OK, 0, 3);
	put(t, 1, 1);
	/* To the end of the block, not across it. */
	room_is(t, WSQ_OK, 1, 2);
	put(t, 2, 3);
	room_is(t, WSQ_OPENED, 3, 3);
	assert_int_equal(wsq_bwos_fifo_reserve(&t->q, &room), WSQ_OK);

	/* Filled, and invisible until committed; in steps as well as at once. */
	wsq_bwos_fifo_fill(&t->q, &room, 0, task_of(4));
	wsq_bwos_fifo_fill(&t->q, &room, 1, task_of(5));
	wsq_bwos_fifo_commit(&t->q, &room, 1);
	wsq_bwos_fifo_fill(&t->q, &room, 2, task_of(6));
	claim_is(t, 1);
	claim_is(t, 2);
	room_is(t, WSQ_OK, 4, 2);
	wsq_bwos_fifo_commit(&t->q, &room, 3);

	/* Full until the consumer has read its block to the end. */
	is_full(t);
	claim_is(t, 3);
	room_is(t, WSQ_OPENED, 0, 3);
	claim_is(t, 4);
	claim_is(t, 5);
	claim_is(t, 6);
	claim_is(t, 0);
	queue_free(t);
}

/* A spare block's slots have numbers behind those of the others. */
static void room_in_spare_block(void **state)
{
	struct queue *t = queue_new(2, 2, 1);
	struct wsq_bwos_block *blk = &t->mem.first.blocks[1];

	(void)state;
	put(t, 1, 4);
	/* A thief, by hand, that claims a slot's place and goes to sleep. */
	atomic64_set(&blk->s_pos, atomic64_read(&blk->s_pos) + 1);
	claim_is(t, 1);
	claim_is(t, 2);
	claim_is(t, 4);
	put(t, 5, 6);
	room_is(t, WSQ_OPENED, 4, 2);
	put(t, 7, 7);
	out(t, 4, 7, true);
	claim_is(t, 5);
	claim_is(t, 6);
	claim_is_tomb(t);
	/* The sleeper still finds its task. */
	assert_int_equal(id_of(wsq_slot_claim(&t->mem.first.slots[2])), 3);
	queue_free(t);
}

static void withdrawing(void **state)
{
	struct queue *t = queue_new(2, 4, 1);
	struct wsq_bwos_room room = { .n = 0 };

	(void)state;
	put(t, 1, 6);
	out(t, 1, 1, false);
	out(t, 1, 2, true);
	out(t, 1, 2, false);
	out(t, 5, 6, true);
	/* A number of no slot. */
	out(t, 3 * 4, 1, false);
	out(t, 3 * 4 + 1, 1, false);
	out(t, UINT32_MAX, 1, false);
	out(t, 3 * 4 - 1, 1, false);
	/* Filled is enough. */
	assert_int_equal(wsq_bwos_fifo_reserve(&t->q, &room), WSQ_OK);
	wsq_bwos_fifo_fill(&t->q, &room, 0, task_of(7));
	out(t, room.nr, 7, true);
	wsq_bwos_fifo_commit(&t->q, &room, 1);

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
	/* A range with holes gives what is left of it, oldest first. */
	out(t, 5, 6, true);
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 3), 2);
	assert_int_equal(id_of(tasks[0]), 5);
	assert_int_equal(id_of(tasks[1]), 7);
	/* One of which nothing is left is passed over, in the same block ... */
	out(t, 8, 9, true);
	out(t, 9, 10, true);
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 1), 1);
	assert_int_equal(id_of(tasks[0]), 8);
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 2), 2);
	assert_int_equal(id_of(tasks[0]), 11);
	assert_int_equal(id_of(tasks[1]), 12);
	/* ... and the consumer's own block is out of reach. */
	assert_int_equal(wsq_bwos_fifo_steal_claim(&t->q, tasks, 4), WSQ_EMPTY);
	claim_is(t, 1);
	claim_is(t, 2);
	claim_is(t, 3);
	claim_is(t, 4);
	claim_is(t, 0);
	queue_free(t);

	/* Of one block and no other, by its place. */
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

	/* A block of nothing but holes: on to the next block. */
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

static void prying(void **state)
{
	struct queue *t = queue_new(3, 4, 0);
	void *tasks[8];

	(void)state;
	assert_int_equal(wsq_bwos_fifo_pry(&t->q, tasks, 8), 0);
	put(t, 1, 6);
	assert_int_equal(wsq_bwos_fifo_pry(&t->q, tasks, 0), 0);
	claim_is(t, 1);
	out(t, 1, 2, true);
	/* Oldest first, over a hole, not more than asked for. */
	assert_int_equal(wsq_bwos_fifo_pry(&t->q, tasks, 1), 1);
	assert_int_equal(id_of(tasks[0]), 3);
	/* From the consumer's block; thieves may have the others. */
	assert_int_equal(wsq_bwos_fifo_pry(&t->q, tasks, 8), 1);
	assert_int_equal(id_of(tasks[0]), 4);
	assert_int_equal(wsq_bwos_fifo_pry(&t->q, tasks, 8), 0);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is_tomb(t);
	claim_is(t, 5);
	assert_int_equal(wsq_bwos_fifo_pry(&t->q, tasks, 8), 1);
	assert_int_equal(id_of(tasks[0]), 6);
	claim_is_tomb(t);
	claim_is(t, 0);

	put(t, 7, 8);
	assert_int_equal(wsq_bwos_fifo_pry(&t->q, tasks, 8), 2);
	assert_int_equal(id_of(tasks[0]), 7);
	assert_int_equal(id_of(tasks[1]), 8);
	queue_free(t);
}

static void waiting(void **state)
{
	struct queue *t = queue_new(3, 2, 0);
	struct wsq_bwos_room room = { .n = 0 };
	void *tasks[2];

	(void)state;
	assert_false(wsq_bwos_fifo_waiting(&t->q));
	assert_int_equal(wsq_bwos_fifo_reserve(&t->q, &room), WSQ_OK);
	wsq_bwos_fifo_fill(&t->q, &room, 0, task_of(1));
	assert_false(wsq_bwos_fifo_waiting(&t->q));
	wsq_bwos_fifo_commit(&t->q, &room, 1);
	assert_true(wsq_bwos_fifo_waiting(&t->q));
	claim_is(t, 1);
	assert_false(wsq_bwos_fifo_waiting(&t->q));

	/* In a block that the consumer has not come to. */
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
		cmocka_unit_test(rooms),
		cmocka_unit_test(room_in_spare_block),
		cmocka_unit_test(withdrawing),
		cmocka_unit_test(stealing),
		cmocka_unit_test(prying),
		cmocka_unit_test(waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
