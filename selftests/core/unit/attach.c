// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of attaching and detaching memory: the result of every operation
 * on a queue without memory, when memory can be detached, and that nothing of
 * it is left in the next one. One program for each engine.
 *
 * For: run-checks, under shim/native, plain and with gcc's address and
 * undefined sanitizers. Cost: negligible. Limitations: one thread; for races
 * see ../stress/claims.c with reattach=1 and ../model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "claims.h"

/* Full for puts and empty for all others. */
static void has_no_memory(struct queue *t)
{
	void *tasks[2] = { task_of(1), task_of(2) };
	struct wsq_bwos_space space = { .n = 0 };
	bool published = false;
	u32 index = 0;

	assert_int_equal(engine(put)(&t->q, task_of(1)), WSQ_FULL);
	assert_int_equal(engine(put_many)(&t->q, tasks, 2, &published), 0);
	assert_false(published);
	assert_int_equal(engine(reserve)(&t->q, &space), WSQ_FULL);
	assert_int_equal(engine(open)(&t->q), WSQ_FULL);
	assert_true(engine(short)(&t->q));
	assert_null(engine(get)(&t->q));
	assert_int_equal(engine(get_many)(&t->q, tasks, 2), 0);
	claim_is(t, 0);
	assert_null(engine_claim_oldest(&t->q));
	assert_int_equal(engine(steal)(&t->q, tasks, 2), WSQ_EMPTY);
	assert_int_equal(engine(steal_at)(&t->q, 0, tasks, 2), WSQ_EMPTY);
	assert_int_equal(engine(steal_at)(&t->q, 1, tasks, 2), WSQ_EMPTY);
	assert_int_equal(engine(steal_claim)(&t->q, tasks, 2), WSQ_EMPTY);
	assert_int_equal(engine(steal_claim_at)(&t->q, 1, tasks, 2), WSQ_EMPTY);
	assert_int_equal(engine(steal_active)(&t->q, tasks, 2), 0);
	assert_int_equal(engine_look(&t->q, UINT32_MAX, &index), 0);
	assert_int_equal(index, 0);
	out(t, 0, 1, false);
	assert_false(engine(waiting)(&t->q));
	assert_false(engine(published)(&t->q));
	assert_true(engine(empty)(&t->q));
	if (ENGINE_LIFO)
		assert_int_equal(engine_publish(&t->q), WSQ_EMPTY);
	assert_null(engine(detach)(&t->q));
}

static void without_memory(void **state)
{
	struct queue *t = queue_new(2, 2, 0);
	u32 i;

	(void)state;
	engine_init(&t->q, &t->rest);
	for (i = 0; i < 3; i++) {
		has_no_memory(t);
		engine(attach)(&t->q, &t->mem);
		assert_ptr_equal(engine(detach)(&t->q), &t->mem);
	}
	queue_free(t);
}

/* Not while any task is there, including holes and tasks left by thieves. */
static void detaching(void **state)
{
	struct queue *t = queue_new(2, 2, 0);
	void *tasks[2];

	(void)state;
	put(t, 1, 1);
	assert_null(engine(detach)(&t->q));
	out(t, 0, 1, true);
	assert_null(engine(detach)(&t->q));
	claim_is_tomb(t);
	put(t, 2, 4);
	claim_is(t, ENGINE_LIFO ? 4 : 2);
	/* Thieves have what is left. */
	assert_null(engine(detach)(&t->q));
	assert_int_equal(engine(steal_claim)(&t->q, tasks, 2), 2);
	assert_int_equal(id_of(tasks[0]), ENGINE_LIFO ? 2 : 3);
	if (!ENGINE_LIFO) {
		/* The consumer has not come that far. */
		assert_null(engine(detach)(&t->q));
		claim_is(t, 0);
	}
	assert_ptr_equal(engine(detach)(&t->q), &t->mem);
	has_no_memory(t);
	queue_free(t);
}

/* Other memory: no index, size or hint of the previous one is left. */
static void attaching(void **state)
{
	static const u32 shapes[][3] = {
		{ 7, 5, 2 }, { 2, 2, 0 }, { 64, 3, 1 }, { 3, 64, 0 }, { 2, 3, 3 },
	};
	struct queue *t = queue_new(2, 2, 0);
	struct wsq_bwos_space space;
	engine_mem mem;
	void *tasks[64];
	u64 id = 0, n;
	size_t i;

	(void)state;
	assert_ptr_equal(engine(detach)(&t->q), &t->mem);
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		u64 first = id + 1, size = shapes[i][1], all = shapes[i][0] * size;

		mem_new(&mem, shapes[i][0], shapes[i][1], shapes[i][2]);
		engine(attach)(&t->q, &mem);
		assert_int_equal(atomic64_read(&t->q.t_hint), 0);
		assert_false(engine(waiting)(&t->q));
		assert_true(engine(empty)(&t->q));
		assert_int_equal(engine(reserve)(&t->q, &space), WSQ_OK);
		assert_int_equal(space.nr, 0);
		assert_int_equal(space.n, size);
		for (n = 0; n < all; n++) {
			assert_true(engine(reserve)(&t->q, &space) >= 0);
			assert_int_equal(space.nr, n);
			id++;
			put(t, id, id);
		}
		assert_int_equal(engine(reserve)(&t->q, &space), WSQ_FULL);

		out(t, (u32)(all - 1), id, true);
		out(t, (u32)(all + shapes[i][2] * size), id, false);
		/* A thief of the previous memory writes its hint late. */
		atomic64_set(&t->q.t_hint, WSQ_BWOS_MAX_BLOCKS - 1);
		n = 0;
		while (engine(steal_claim)(&t->q, tasks, 64) > 0)
			n++;
		assert_int_equal(n, shapes[i][0] - 1);
		if (ENGINE_LIFO) {
			claim_is_tomb(t);
			for (n = 1; n < size; n++)
				claim_is(t, id - n);
		} else {
			for (n = 0; n < size; n++)
				claim_is(t, first + n);
		}
		claim_is(t, 0);
		assert_ptr_equal(engine(detach)(&t->q), &mem);
		mem_free(&mem);
		has_no_memory(t);
	}
	queue_free(t);
}

static u64 fill_up(struct queue *t, u64 id)
{
	while (engine(put)(&t->q, task_of(id)) >= 0)
		id++;
	assert_true(engine(short)(&t->q));
	return id;
}

/* Attached again, it has its first state, and grows again. */
static void attached_again(void **state)
{
	struct queue *t = queue_new_max(2, 3, 1, 6, 2);
	engine_segment segment[3];
	u32 lap;

	(void)state;
	for (lap = 0; lap < 3; lap++) {
		assert_int_equal(fill_up(t, 1), 7);
		segment_new(&segment[lap], 2, 3, 1);
		assert_int_equal(engine(extend)(&t->q, &segment[lap]), 2);
		assert_true(engine_ring(&t->mem));
		assert_int_equal(fill_up(t, 7), 13);
		assert_null(engine(detach)(&t->q));
		while (engine(get)(&t->q))
			;
		assert_ptr_equal(engine(detach)(&t->q), &t->mem);
		has_no_memory(t);
		engine(attach)(&t->q, &t->mem);
		assert_true(engine_ring(&t->mem));
		assert_int_equal(wsq_bwos_nr_entries(&t->mem.dir), 2);
		assert_int_equal(t->q.nr_spare, 1);
	}
	assert_int_equal(fill_up(t, 1), 7);
	while (lap--)
		segment_free(&segment[lap]);
	queue_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_memory),
		cmocka_unit_test(detaching),
		cmocka_unit_test(attaching),
		cmocka_unit_test(attached_again),
	};

	return cmocka_run_group_tests_name("attach " ENGINE_NAME, tests, NULL, NULL);
}
