// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of work stealing with multiplicity: order, the edges of FULL and
 * EMPTY, all sizes, thieves that are late by any number of tasks, and random
 * operations of an owner and three thieves against a book of what each took.
 *
 * For: run-checks, under shim/native, plain and with gcc's address and
 * undefined sanitizers.
 *
 * Cost: a second. Limitations: one thread; model has the interleavings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../rnd.h"
#include "ws_mult.h"

#define THIEVES	3

/**
 * struct mult - a queue, its memory, its kind and its thieves' maxima
 */
struct mult {
	struct wsq_ws_mult q;
	struct wsq_ws_mult_mem mem;
	u32 kind;
	atomic64_t max[THIEVES];
};

static const u32 kinds[] = { WSQ_MULT_WEAK, WSQ_MULT_BOUNDED, WSQ_MULT_EXACT };
static const u32 shapes[][2] = { { 2, 2 }, { 2, 4 }, { 4, 2 }, { 8, 16 }, { 2, 4096 }, { 64, 2 } };

static void *task_of(u64 id)
{
	return (void *)(uintptr_t)id;
}

static struct mult *mult_new(u32 nr_blocks, u32 block_size, u32 kind)
{
	struct mult *m = aligned_alloc(64, (sizeof(*m) + 63) / 64 * 64);
	size_t slots = (size_t)nr_blocks * block_size;

	assert_non_null(m);
	memset(m, 0, sizeof(*m));
	m->mem.bases = aligned_alloc(64, nr_blocks * sizeof(*m->mem.bases));
	m->mem.slots = malloc(slots * sizeof(*m->mem.slots));
	m->mem.nr_blocks = nr_blocks;
	m->mem.block_size = block_size;
	assert_non_null(m->mem.bases);
	assert_non_null(m->mem.slots);
	memset(m->mem.bases, 0, nr_blocks * sizeof(*m->mem.bases));
	/* Slots need not be initialized. */
	memset(m->mem.slots, 0xa5, slots * sizeof(*m->mem.slots));
	m->kind = kind;
	wsq_ws_mult_init(&m->q, &m->mem);
	return m;
}

static void mult_free(struct mult *m)
{
	free(m->mem.bases);
	free(m->mem.slots);
	free(m);
}

static void steal_is(struct mult *m, unsigned int thief, u64 id)
{
	void *task = NULL;

	assert_int_equal(wsq_ws_mult_steal(&m->q, m->kind, &m->max[thief], &task), WSQ_OK);
	assert_int_equal((uintptr_t)task, id);
}

static void steal_fails(struct mult *m, unsigned int thief)
{
	void *task = NULL;

	assert_int_equal(wsq_ws_mult_steal(&m->q, m->kind, &m->max[thief], &task), WSQ_EMPTY);
	assert_null(task);
}

static void get_is(struct mult *m, u64 id)
{
	assert_int_equal((uintptr_t)wsq_ws_mult_get(&m->q, m->kind), id);
}

static void put_is(struct mult *m, u64 id, int ret)
{
	assert_int_equal(wsq_ws_mult_put(&m->q, task_of(id)), ret);
}

static void new_is_empty(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 3; k++) {
		struct mult *m = mult_new(2, 2, kinds[k]);

		assert_null(wsq_ws_mult_get(&m->q, m->kind));
		steal_fails(m, 0);
		assert_int_equal(wsq_ws_mult_waiting(&m->q), 0);
		assert_false(wsq_ws_mult_catch_up(&m->q));
		mult_free(m);
	}
}

/* Fills it, empties it from either side, many times round. */
static void fills(void **state)
{
	unsigned int s, k, round;
	u64 id = 1, first, i, cap;

	(void)state;
	for (s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		for (k = 0; k < 3; k++) {
			struct mult *m = mult_new(shapes[s][0], shapes[s][1], kinds[k]);

			cap = (u64)shapes[s][0] * shapes[s][1];
			for (round = 0; round < 5; round++) {
				first = id;
				for (i = 0; i < cap; i++, id++)
					put_is(m, id, i % shapes[s][1] ? WSQ_OK : WSQ_PUBLISHED);
				put_is(m, id, WSQ_FULL);
				assert_int_not_equal(wsq_ws_mult_waiting(&m->q), 0);
				for (i = first; i < id; i++)
					if (round % 2)
						get_is(m, i);
					else
						steal_is(m, round % THIEVES, i);
				steal_fails(m, 0);
				assert_int_equal(wsq_ws_mult_waiting(&m->q), 0);
				/* Thieves make no space until the owner looks. */
				if (round % 2 == 0)
					assert_true(wsq_ws_mult_catch_up(&m->q));
				assert_false(wsq_ws_mult_catch_up(&m->q));
				assert_null(wsq_ws_mult_get(&m->q, m->kind));
			}
			mult_free(m);
		}
}

/* A head that goes back: every party takes a task once, and the owner goes on. */
static void head_goes_back(void **state)
{
	struct mult *m = mult_new(4, 2, WSQ_MULT_WEAK);
	s64 head = atomic64_read(&m->q.head);
	u64 id;

	(void)state;
	for (id = 1; id <= 6; id++)
		put_is(m, id, id % 2 ? WSQ_PUBLISHED : WSQ_OK);
	get_is(m, 1);
	steal_is(m, 0, 2);
	/* As a thief that has taken nothing yet, and stores late. */
	atomic64_set(&m->q.head, head);
	steal_is(m, 1, 2);
	atomic64_set(&m->q.head, head);
	steal_is(m, 0, 3);
	atomic64_set(&m->q.head, head);
	get_is(m, 2);
	get_is(m, 3);
	get_is(m, 4);
	/* Tasks taken by now do not come out again. */
	atomic64_set(&m->q.head, head);
	wsq_ws_mult_settle(&m->q, wsq_ws_mult_taken(&m->q));
	steal_is(m, 2, 5);
	steal_is(m, 1, 6);
	mult_free(m);
}

/* What thieves alone have taken does not come out to the owner either. */
static void settled(void **state)
{
	struct mult *m = mult_new(4, 2, WSQ_MULT_WEAK);
	s64 head = atomic64_read(&m->q.head);
	u64 id, n;

	(void)state;
	for (id = 1; id <= 5; id++)
		put_is(m, id, id % 2 ? WSQ_PUBLISHED : WSQ_OK);
	for (id = 1; id <= 3; id++)
		steal_is(m, 0, id);
	n = (u64)atomic64_read(&m->max[0]);
	/* As a thief that has taken nothing yet, and stores late. */
	atomic64_set(&m->q.head, head);
	wsq_ws_mult_settle(&m->q, n);
	get_is(m, 4);
	assert_int_equal(wsq_ws_mult_gets(&m->q), 1);
	steal_is(m, 1, 5);
	assert_int_equal(wsq_ws_mult_waiting(&m->q), 0);
	assert_true(wsq_ws_mult_catch_up(&m->q));
	assert_int_equal(wsq_ws_mult_gets(&m->q), 1);
	assert_int_equal(wsq_ws_mult_puts(&m->q), 5);
	mult_free(m);
}

/* The head is behind the floor, and the owner only puts. */
static void settled_full(void **state)
{
	struct mult *m = mult_new(2, 2, WSQ_MULT_WEAK);
	s64 head = atomic64_read(&m->q.head), end;
	void *task;
	u64 id;

	(void)state;
	for (id = 1; id <= 4; id++)
		put_is(m, id, id % 2 ? WSQ_PUBLISHED : WSQ_OK);
	put_is(m, 5, WSQ_FULL);
	for (id = 1; id <= 4; id++)
		steal_is(m, 0, id);
	end = atomic64_read(&m->max[0]);
	/* A thief that has taken the first, and stores late. */
	atomic64_set(&m->q.head, head + 1);
	wsq_ws_mult_settle(&m->q, (u64)end);
	assert_int_equal(wsq_ws_mult_waiting(&m->q), 0);
	assert_true(wsq_ws_mult_catch_up(&m->q));
	assert_false(wsq_ws_mult_catch_up(&m->q));
	put_is(m, 5, WSQ_PUBLISHED);
	steal_is(m, 1, 5);
	/* A thief that finds nothing moves the head on. */
	atomic64_set(&m->q.head, head + 1);
	wsq_ws_mult_settle(&m->q, (u64)atomic64_read(&m->max[1]));
	assert_int_equal(wsq_ws_mult_steal(&m->q, WSQ_MULT_WEAK, &m->max[2], &task),
			 WSQ_EMPTY);
	assert_int_equal(atomic64_read(&m->q.head), end + 1);
	mult_free(m);
}

/* As a thief sees it that has read all this some time ago. */
static void as_before(struct mult *m, s64 head)
{
	atomic64_set(&m->q.head, head);
	atomic64_set(&m->q.own, head);
}

static void marked(void **state)
{
	struct mult *m = mult_new(2, 4, WSQ_MULT_BOUNDED);
	s64 head = atomic64_read(&m->q.head);
	u64 id;

	(void)state;
	for (id = 1; id <= 4; id++)
		put_is(m, id, id == 1 ? WSQ_PUBLISHED : WSQ_OK);
	steal_is(m, 0, 1);
	as_before(m, head);
	/* Another thief does not get it, the owner knows it is gone. */
	steal_is(m, 1, 2);
	as_before(m, head);
	get_is(m, 3);
	/* The owner does not mark. */
	as_before(m, head);
	steal_is(m, 2, 3);
	mult_free(m);

	m = mult_new(2, 4, WSQ_MULT_EXACT);
	for (id = 1; id <= 4; id++)
		put_is(m, id, id == 1 ? WSQ_PUBLISHED : WSQ_OK);
	get_is(m, 1);
	as_before(m, head);
	steal_is(m, 2, 2);
	as_before(m, head);
	get_is(m, 3);
	as_before(m, head);
	steal_is(m, 1, 4);
	as_before(m, head);
	assert_null(wsq_ws_mult_get(&m->q, m->kind));
	assert_int_equal(wsq_ws_mult_waiting(&m->q), 0);
	mult_free(m);
}

/*
 * A thief stores late, so that @head is behind many marked tasks. Steals that
 * give up keep their progress, and the first that finds nothing repairs @head.
 */
static void behind(void **state)
{
	const u64 nr = 100;
	unsigned int k, i;

	(void)state;
	for (k = 0; k < 3; k++) {
		struct mult *m = mult_new(8, 16, kinds[k]);
		s64 first = atomic64_read(&m->q.head);
		void *task = NULL;
		u64 id;

		for (id = 1; id <= nr; id++)
			assert_true(wsq_ws_mult_put(&m->q, task_of(id)) >= 0);
		steal_is(m, 0, 1);
		for (id = 2; id <= 60; id++)
			steal_is(m, 1, id);
		if (kinds[k] != WSQ_MULT_WEAK) {
			/* Thief 0 stores only now. */
			atomic64_set(&m->q.head, first + 1);
			for (i = 0; i < 8; i++)
				if (wsq_ws_mult_steal(&m->q, m->kind, &m->max[2], &task) == WSQ_OK)
					break;
			assert_int_equal((uintptr_t)task, 61);
			id++;
		}
		for (; id <= nr; id++)
			steal_is(m, 1, id);
		for (i = 0; i < THIEVES; i++) {
			/* In the weak kind only a thief that has taken all. */
			if (kinds[k] == WSQ_MULT_WEAK && i != 1)
				continue;
			atomic64_set(&m->q.head, first + 1);
			while (wsq_ws_mult_steal(&m->q, m->kind, &m->max[i], &task) == WSQ_CONFLICT)
				;
			assert_int_equal(wsq_ws_mult_waiting(&m->q), 0);
		}
		assert_true(wsq_ws_mult_catch_up(&m->q));
		assert_int_equal(wsq_ws_mult_gets(&m->q), 0);
		/* A look that finds nothing new stores nothing. */
		atomic64_set(&m->q.head, first);
		steal_fails(m, 1);
		assert_int_equal(atomic64_read(&m->q.head), first);
		mult_free(m);
	}
}

/* A thief with a head of long ago goes on at the oldest block that may be there. */
static void late(void **state)
{
	const u64 cap = 8;
	u64 behind, id, n;

	(void)state;
	for (behind = 1; behind < 5 * cap; behind++) {
		struct mult *m = mult_new(4, 2, WSQ_MULT_WEAK);
		s64 head = atomic64_read(&m->q.head);
		void *task = NULL;

		for (id = 1; id <= behind; id++) {
			assert_true(wsq_ws_mult_put(&m->q, task_of(id)) >= 0);
			get_is(m, id);
		}
		for (n = 0; n < 4; n++, id++)
			assert_true(wsq_ws_mult_put(&m->q, task_of(id)) >= 0);
		atomic64_set(&m->q.head, head);
		assert_int_equal(wsq_ws_mult_steal(&m->q, m->kind, &m->max[0], &task), WSQ_OK);
		/* One of those in memory, in order from there on. */
		n = (uintptr_t)task;
		assert_true(n >= 1 && n + cap >= id && n <= behind + 1);
		while (++n < id)
			steal_is(m, 0, n);
		steal_fails(m, 0);
		mult_free(m);
	}
}

static void random_book(void **state)
{
	enum { TASKS = 4000 };
	static u8 took[TASKS + 1][THIEVES + 1];
	unsigned int k, s, i;
	u64 seed = 7;

	(void)state;
	for (k = 0; k < 3; k++)
		for (s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
			struct mult *m = mult_new(shapes[s][0], shapes[s][1], kinds[k]);
			s64 heads[8];
			u64 id = 1;

			memset(took, 0, sizeof(took));
			for (i = 0; i < 8; i++)
				heads[i] = atomic64_read(&m->q.head);
			while (id <= TASKS) {
				u64 r = rnd(&seed);
				unsigned int thief = r / 8 % THIEVES;
				void *task = NULL;

				switch (r % 8) {
				case 0 ... 3:
					if (wsq_ws_mult_put(&m->q, task_of(id)) >= 0)
						id++;
					else
						wsq_ws_mult_catch_up(&m->q);
					break;
				case 4:
					task = wsq_ws_mult_get(&m->q, m->kind);
					if (task)
						took[(uintptr_t)task][THIEVES]++;
					break;
				case 5:
					/* A party stores a head of a while ago. */
					heads[r / 64 % 8] = atomic64_read(&m->q.head);
					atomic64_set(&m->q.head, heads[r / 512 % 8]);
					break;
				default:
					if (wsq_ws_mult_steal(&m->q, m->kind, &m->max[thief], &task) == WSQ_OK)
						took[(uintptr_t)task][thief]++;
				}
			}
			for (;;) {
				void *task = wsq_ws_mult_get(&m->q, m->kind);

				if (!task)
					break;
				took[(uintptr_t)task][THIEVES]++;
			}
			for (i = 1; i < id; i++) {
				unsigned int thieves = took[i][0] + took[i][1] + took[i][2];
				unsigned int all = thieves + took[i][3];
				unsigned int p;

				assert_true(all >= 1);
				for (p = 0; p <= THIEVES; p++)
					assert_true(took[i][p] <= 1);
				if (kinds[k] != WSQ_MULT_WEAK)
					assert_true(thieves <= 1);
				if (kinds[k] == WSQ_MULT_EXACT)
					assert_int_equal(all, 1);
			}
			mult_free(m);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_is_empty),
		cmocka_unit_test(fills),
		cmocka_unit_test(head_goes_back),
		cmocka_unit_test(settled),
		cmocka_unit_test(settled_full),
		cmocka_unit_test(marked),
		cmocka_unit_test(behind),
		cmocka_unit_test(late),
		cmocka_unit_test(random_book),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
