// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of engines where thieves read before they claim (@read_first of
 * the memory): random operations, each task out once, thieves' counts
 * unchanged, and a block is reusable as soon as it is empty. One program for
 * each engine.
 *
 * For: run-checks, under shim/native, plain and with sanitizers. Limitations: one
 * thread; for races see ../stress with first=1 and ../model/first*.cpp.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "queue.h"

#define MAX_SIZE	64
#define ROUNDS		20000

static const u32 entries[] = { 2, 3, 7, 64 };
static const u32 sizes[] = { 2, 3, MAX_SIZE };

#define for_each(i, array) \
	for (i = 0; i < sizeof(array) / sizeof(array[0]); i++)

/* Marks each task taken, once. Returns how many. */
static u64 took(u8 *seen, void **tasks, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		assert_true(id_of(tasks[i]) && id_of(tasks[i]) <= ROUNDS);
		assert_int_equal(++seen[id_of(tasks[i])], 1);
	}
	return n > 0 ? (u64)n : 0;
}

static void random_ops(u32 nb, u32 bs, u64 seed)
{
	struct queue *t = queue_new(nb, bs, 1);
	u8 *seen = (u8 *)calloc(ROUNDS + 1, 1);
	u64 in = 0, out = 0;
	void *tasks[MAX_SIZE];
	u32 i;

	assert_non_null(seen);
	t->mem.read_first = true;
	while (in < ROUNDS) {
		switch (rnd(&seed) % 8) {
		case 0:
		case 1:
			tasks[0] = engine(get)(&t->q);
			out += took(seen, tasks, !!tasks[0]);
			break;
		case 2:
			out += took(seen, tasks,
				    engine(steal)(&t->q, tasks,
						  1 + (u32)(rnd(&seed) % bs)));
			break;
		case 3:
			engine_publish(&t->q);
			break;
		default:
			if (engine(put)(&t->q, task_of(in + 1)) >= 0) {
				in++;
			} else if (in == out) {
				/* A FIFO's consumer has to skip them first. */
				assert_false(ENGINE_LIFO);
				assert_null(engine(get)(&t->q));
				assert_true(engine(put)(&t->q, task_of(++in)) >= 0);
			}
		}
	}
	while ((tasks[0] = engine(get)(&t->q)))
		out += took(seen, tasks, 1);
	assert_int_equal(out, in);
	assert_true(engine(empty)(&t->q));
	for (i = 0; i < engine_capacity(nb, bs); i++)
		assert_true(engine(put)(&t->q, task_of(1)) >= 0);
	for (i = 0; ENGINE_LIFO && i < nb + 1; i++)
		assert_int_equal(atomic64_read(&t->mem.first.blocks[i].s_cnt), 0);
	assert_int_equal(t->q.nr_spare, 1);
	free(seen);
	queue_free(t);
}

static void all_sizes(void **state)
{
	u32 i, k;

	(void)state;
	for_each(i, entries)
		for_each(k, sizes)
			random_ops(entries[i], sizes[k], 1 + i * 16 + k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_sizes),
	};

	return cmocka_run_group_tests_name("first " ENGINE_NAME, tests, NULL, NULL);
}
