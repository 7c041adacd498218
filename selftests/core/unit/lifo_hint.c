// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the hint where thieves of the LIFO BWoS begin (@t_hint): with
 * the oldest task, also after they have left tasks below to others or behind
 * many holes, and after the owner has emptied the queue and begins elsewhere,
 * even if a thief is still in progress.
 *
 * For: run-checks, under shim/stall, plain and with sanitizers; thieves that
 * have to be stopped are parties. Cost: negligible. Limitations: there is only
 * one hint, so each test is one scenario; random ones against a model, without
 * stopped parties, are in bwos_lifo.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "queue.h"
#include "party.h"

#define TRIES		4	/* WSQ_BWOS_LIFO_CLAIM_TRIES */

/* Puts tasks first to last, to claimed slots or others. */
static void put(struct queue *t, u64 first, u64 last, bool claim)
{
	struct wsq_bwos_space space = { .n = 0 };

	for (; first <= last; first++) {
		if (!claim) {
			assert_true(wsq_bwos_lifo_put(&t->q, task_of(first)) >= 0);
			continue;
		}
		assert_true(wsq_bwos_lifo_reserve(&t->q, &space) >= 0);
		wsq_bwos_lifo_fill(&t->q, &space, 0, task_of(first));
		wsq_bwos_lifo_commit(&t->q, &space, 1);
	}
}

static int steal(struct queue *t, void **tasks, u32 max, bool claim)
{
	return claim ? wsq_bwos_lifo_steal_claim(&t->q, tasks, max) :
		       wsq_bwos_lifo_steal(&t->q, tasks, max);
}

static void steal_is(struct queue *t, u64 id, bool claim)
{
	void *task;

	assert_int_equal(steal(t, &task, 1, claim), 1);
	assert_int_equal(id_of(task), id);
}

static void get_is(struct queue *t, u64 id)
{
	assert_int_equal(id_of(wsq_bwos_lifo_get(&t->q)), id);
}

/* Tasks first to last, from the bottom up; then only the owner has tasks. */
static void steals_are(struct queue *t, u64 first, u64 last, bool claim)
{
	void *task;

	for (; first <= last; first++)
		steal_is(t, first, claim);
	assert_int_equal(steal(t, &task, 1, claim), WSQ_EMPTY);
}

/* The tries of one call end in holes: the tasks behind them are older still. */
static void behind_holes(void **state)
{
	u32 holes;

	(void)state;
	for (holes = 0; holes <= 2 * TRIES; holes++) {
		struct queue *t = queue_new(4, 16, 0);
		u32 i, calls = holes / TRIES;

		put(t, 1, 40, true);
		for (i = 0; i < holes; i++)
			assert_true(wsq_bwos_lifo_remove(&t->q, i,
							 task_of(i + 1)));
		/* One above for each vain call, and then the oldest. */
		for (i = 0; i < calls; i++)
			steal_is(t, 17 + i, true);
		for (i = holes + 1; i <= 16; i++)
			steal_is(t, i, true);
		steals_are(t, 17 + calls, 32, true);
		queue_free(t);
	}
}

/* The owner's take of the oldest behaves the same. */
static void oldest_behind_holes(void **state)
{
	struct queue *t = queue_new(4, 16, 0);
	u32 i;

	(void)state;
	put(t, 1, 40, true);
	for (i = 0; i < TRIES; i++)
		assert_true(wsq_bwos_lifo_remove(&t->q, i, task_of(i + 1)));
	assert_int_equal(id_of(wsq_bwos_lifo_claim_oldest(&t->q)), 17);
	for (i = TRIES + 1; i <= 16; i++)
		assert_int_equal(id_of(wsq_bwos_lifo_claim_oldest(&t->q)), i);
	assert_int_equal(id_of(wsq_bwos_lifo_claim_oldest(&t->q)), 18);
	queue_free(t);
}

static void *stolen[4];

static void op_steal(struct party *p)
{
	p->ret = steal((struct queue *)p->arg[0], stolen, 2, p->arg[1]);
}

/*
 * A thief loses all its tries in one block to others, and takes from the next
 * one: tasks that they have left come before the rest of that block.
 */
static void contended(bool claim, bool first)
{
	struct queue *t = queue_new(4, 16, 0);
	struct party *p = &parties[0];
	const char *at = first ? "LI(steal:H)" : "LI(steal:D)";
	u64 id;

	t->mem.read_first = first;
	put(t, 1, 40, claim);
	party_reset();
	p->arg[0] = t;
	p->arg[1] = claim ? t : NULL;
	party_stop_at(p, at);
	assert_false(party_start(p, op_steal));
	for (id = 1; id <= TRIES; id++) {
		steal_is(t, id, claim);
		if (id < TRIES) {
			party_stop_at(p, at);
			assert_false(party_go(p));
		}
	}
	p->nr_entries = 0;
	assert_true(party_go(p));
	assert_int_equal(p->ret, 2);
	assert_int_equal(id_of(stolen[0]), 17);
	assert_int_equal(id_of(stolen[1]), 18);
	for (; id <= 16; id++)
		steal_is(t, id, claim);
	steals_are(t, 19, 32, claim);
	queue_free(t);
}

static void left_to_others(void **state)
{
	(void)state;
	contended(false, false);
	contended(false, true);
	contended(true, false);
}

/*
 * A thief has emptied the second block and is about to store the hint. In the
 * meantime the owner empties the queue, is in the first block again a lap
 * later, empties it as well and begins there: the thief's hint then refers to
 * another bottom.
 */
static void late_hint(void **state)
{
	struct queue *t = queue_new(4, 2, 0);
	struct party *p = &parties[0];

	(void)state;
	put(t, 1, 7, false);
	steal_is(t, 1, false);
	steal_is(t, 2, false);
	party_reset();
	p->arg[0] = t;
	p->arg[1] = NULL;
	party_stop_at(p, "LI(hint:B)");
	assert_false(party_start(p, op_steal));
	get_is(t, 7);
	get_is(t, 6);
	get_is(t, 5);
	get_is(t, 0);
	assert_int_equal(t->q.index, 2);
	put(t, 10, 14, false);
	assert_int_equal(t->q.index, 0);
	steals_are(t, 10, 13, false);
	get_is(t, 14);
	get_is(t, 0);
	assert_int_equal(t->q.index, 0);
	put(t, 20, 26, false);

	assert_true(party_go(p));
	assert_int_equal(p->ret, 2);
	assert_int_equal(id_of(stolen[0]), 3);
	steals_are(t, 20, 25, false);
	get_is(t, 26);
	get_is(t, 0);
	queue_free(t);
}

/*
 * Thieves that choose the block themselves store no hint. An owner that has
 * emptied the queue is above the block where others began last, around the
 * queue, and goes on past it: they must begin where the owner did.
 */
static void emptied(void **state)
{
	struct queue *t = queue_new(4, 2, 0);
	void *tasks[2];

	(void)state;
	put(t, 1, 7, false);
	steal_is(t, 1, false);
	steal_is(t, 2, false);
	steal_is(t, 3, false);
	steal_is(t, 4, false);
	steal_is(t, 5, false);
	/* Wrapped: the third block is the bottom, the owner in the second. */
	put(t, 8, 11, false);
	assert_int_equal(t->q.index, 1);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 2, tasks, 2), 1);
	assert_int_equal(wsq_bwos_lifo_steal_at(&t->q, 3, tasks, 2), 2);
	get_is(t, 11);
	get_is(t, 10);
	get_is(t, 9);
	get_is(t, 0);
	assert_int_equal(t->q.index, 0);
	put(t, 20, 26, false);
	assert_int_equal(t->q.index, 3);
	steals_are(t, 20, 25, false);
	get_is(t, 26);
	get_is(t, 0);
	queue_free(t);
}

/* Down to a lower block and up again: the bottom is unchanged. */
static void down_and_up(void **state)
{
	u32 down;

	(void)state;
	for (down = 1; down <= 5; down++) {
		struct queue *t = queue_new(4, 2, 0);
		u64 id;

		put(t, 1, 7, false);
		steal_is(t, 1, false);
		for (id = 7; id > 7 - down; id--)
			get_is(t, id);
		put(t, 20, 19 + down, false);
		steal_is(t, 2, false);
		for (id = 3; id <= 7 - down; id++)
			steal_is(t, id, false);
		for (id = 20; id < 19 + down; id++)
			steal_is(t, id, false);
		get_is(t, id);
		get_is(t, 0);
		queue_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behind_holes),
		cmocka_unit_test(oldest_behind_holes),
		cmocka_unit_test(left_to_others),
		cmocka_unit_test(late_hint),
		cmocka_unit_test(emptied),
		cmocka_unit_test(down_and_up),
	};

	return cmocka_run_group_tests_name("lifo_hint", tests, NULL, NULL);
}
