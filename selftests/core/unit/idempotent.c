// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of idempotent work stealing beside work stealing with multiplicity:
 * the execution of section 7 of A. Castañeda, M. Piña, "Fully Read/Write
 * Fence-Free Work-Stealing with Multiplicity" (2020), in which a thief takes the
 * same task any number of times. Idempotent queues (bench/mult/idem_*.h) do so.
 * kmod/core/ws_mult.h and WS-MULT (bench/mult/ws_mult_strict.h) do not.
 *
 * The execution: the owner puts tasks. It begins to take one and stops before
 * its last store. A thief takes all there is. The owner ends: its store undoes
 * what the thief has stored, and the other tasks are there again. The same once
 * more, until the owner has taken everything.
 *
 * For: run-checks, under shim/stall, plain and with sanitizers. The owner's
 * operation is the one that benchmarks run; thefts run inside it, before the
 * chosen access.
 *
 * Cost: milliseconds. Limitations: this schedule and that of all stops of a
 * get; stress and model have others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <wsq_platform.h>

#include "bench/mult/idem_deque.h"
#include "bench/mult/idem_fifo.h"
#include "bench/mult/idem_lifo.h"
#include "bench/mult/the.h"
#include "bench/mult/ws_mult_strict.h"
#include "ws_mult.h"

#define TASKS	40
#define THIEVES	3

/* Takes by each party; the owner is behind the thieves. Indices are task - 1. */
static u32 took[THIEVES + 1][TASKS];

/**
 * struct kind - a queue under test
 * @create: makes it, with space for TASKS
 * @put: the owner's
 * @get: the owner's
 * @steal: one attempt of a thief
 */
struct kind {
	void *(*create)(void);
	void (*destroy)(void *q);
	void (*put)(void *q, void *task);
	void *(*get)(void *q);
	void *(*steal)(void *q, u32 thief);
};

/* ---- The owner stops before an access of its get; thieves go on ---- */

struct wsq_cpu *wsq_cpu;
static struct wsq_cpu owner_cpu;
static u64 stop_at;
static const struct kind *stopped;
static void *stopped_queue;
static u32 nr_thieves;

static void note(u32 party, void *task)
{
	u64 id = (uintptr_t)task;

	assert_in_range(id, 1, TASKS);
	took[party][id - 1]++;
}

static void thieves_take_all(const struct kind *k, void *q)
{
	void *task;
	u32 i;

	for (i = 0; i < nr_thieves; i++)
		while ((task = k->steal(q, i)))
			note(i, task);
}

void wsq_cpu_step(const char *file, int line)
{
	(void)file;
	(void)line;
	if (++owner_cpu.steps != stop_at)
		return;
	wsq_cpu = NULL;
	thieves_take_all(stopped, stopped_queue);
	wsq_cpu = &owner_cpu;
}

/* A get that stops before access number @stop; 0: never. */
static void *get_stopping(const struct kind *k, void *q, u64 stop)
{
	void *task;

	stop_at = stop;
	stopped = k;
	stopped_queue = q;
	owner_cpu.steps = 0;
	wsq_cpu = &owner_cpu;
	task = k->get(q);
	wsq_cpu = NULL;
	return task;
}

static void *filled(const struct kind *k)
{
	void *q = k->create();
	u64 i;

	for (i = 1; i <= TASKS; i++)
		k->put(q, (void *)(uintptr_t)i);
	return q;
}

/* How many accesses a get has that finds tasks and is not disturbed. */
static u64 steps_of(const struct kind *k)
{
	void *q = filled(k);

	assert_non_null(get_stopping(k, q, 0));
	k->destroy(q);
	return owner_cpu.steps;
}

/* The execution; the owner stops before its access number @stop. */
static void execute(const struct kind *k, u64 stop, u32 thieves)
{
	void *q = filled(k), *task;
	u32 gets;

	nr_thieves = thieves;
	memset(took, 0, sizeof(took));
	for (gets = 0; gets <= TASKS; gets++) {
		task = get_stopping(k, q, stop);
		if (!task)
			break;
		note(THIEVES, task);
	}
	assert_null(task);
	k->destroy(q);
}

/* ---- The queues ---- */

static void *zeroed(size_t size)
{
	void *mem = aligned_alloc(64, (size + 63) / 64 * 64);

	assert_non_null(mem);
	return memset(mem, 0, size);
}

#define PEER(id)							\
static void *id##_create(void)						\
{									\
	struct id *q = zeroed(sizeof(*q));				\
									\
	id##_init(q, 64);						\
	return q;							\
}									\
									\
static void id##_destroy(void *q)					\
{									\
	id##_exit(q);							\
	free(q);							\
}									\
									\
static void id##_do_put(void *q, void *task)				\
{									\
	id##_put(q, task);						\
}									\
									\
static void *id##_do_get(void *q)					\
{									\
	return id##_get(q);						\
}									\
									\
static void *id##_do_steal(void *q, u32 thief)				\
{									\
	void *task = NULL;						\
									\
	(void)thief;							\
	return id##_steal(q, &task) == WSQ_OK ? task : NULL;		\
}									\
									\
static const struct kind id = {						\
	id##_create, id##_destroy, id##_do_put, id##_do_get, id##_do_steal, \
}

PEER(idem_fifo);
PEER(idem_lifo);
PEER(idem_deque);
PEER(the);

struct mult {
	struct wsq_ws_mult q;
	struct wsq_ws_mult_base bases[4];
	wsq_slot_t slots[4 * 16];
	atomic64_t max[THIEVES];
};

static void *mult_create(void)
{
	struct mult *m = zeroed(sizeof(*m));
	struct wsq_ws_mult_mem mem = {
		.bases = m->bases, .slots = m->slots, .nr_blocks = 4, .block_size = 16,
	};

	wsq_ws_mult_init(&m->q, &mem);
	return m;
}

static void mult_put(void *q, void *task)
{
	struct mult *m = q;

	assert_true(wsq_ws_mult_put(&m->q, task) >= 0);
}

#define MULT(id, number)						\
static void *id##_get(void *q)						\
{									\
	struct mult *m = q;						\
									\
	return wsq_ws_mult_get(&m->q, number);				\
}									\
									\
static void *id##_steal(void *q, u32 thief)				\
{									\
	struct mult *m = q;						\
	void *task = NULL;						\
									\
	wsq_ws_mult_steal(&m->q, number, &m->max[thief], &task);	\
	return task;							\
}									\
									\
static const struct kind id = {						\
	mult_create, free, mult_put, id##_get, id##_steal,		\
}

MULT(weak, WSQ_MULT_WEAK);
MULT(bounded, WSQ_MULT_BOUNDED);
MULT(exact, WSQ_MULT_EXACT);

struct strict {
	struct wsq_ws_strict q;
	struct wsq_ws_strict_party parties[THIEVES + 1];
	struct wsq_max_own own[THIEVES + 1];
	struct wsq_tasks_node node;
	wsq_slot_t slots[64];
	atomic64_t switches[128];
};

static struct strict *strict_create(bool tree)
{
	struct strict *s = zeroed(sizeof(*s));
	u32 i;

	s->node.size = 64;
	s->node.slots = s->slots;
	wsq_ws_strict_init(&s->q, &s->node, tree ? NULL : s->own, THIEVES + 1);
	for (i = 0; i <= THIEVES; i++)
		wsq_ws_strict_join(&s->q, &s->parties[i], i);
	for (i = 0; tree && i < 6; i++)
		wsq_ws_strict_grow_head(&s->q, i, s->switches + wsq_max_switches(i));
	return s;
}

static void *flat_create(void)
{
	return strict_create(false);
}

static void *tree_create(void)
{
	return strict_create(true);
}

static void strict_put(void *q, void *task)
{
	struct strict *s = q;

	assert_int_equal(wsq_ws_strict_put(&s->q, task), WSQ_OK);
}

#define STRICT(id, reg)							\
static void *id##_get(void *q)						\
{									\
	struct strict *s = q;						\
									\
	return wsq_ws_strict_get(&s->q, WSQ_TASKS_LINKED, reg, &s->parties[0]);	\
}									\
									\
static void *id##_steal(void *q, u32 thief)				\
{									\
	struct strict *s = q;						\
	void *task = NULL;						\
									\
	wsq_ws_strict_steal(&s->q, WSQ_TASKS_LINKED, reg, &s->parties[thief + 1], &task); \
	return task;							\
}									\
									\
static const struct kind id = {						\
	id##_create, free, strict_put, id##_get, id##_steal,		\
}

STRICT(flat, WSQ_MAX_FLAT);
STRICT(tree, WSQ_MAX_TREE);

/* ---- Tests ---- */

/*
 * The task at position i of the owner's order, from the end, comes out to the
 * same thief i times or more: as often as one likes, with enough tasks.
 */
static void without_bound(const struct kind *k, bool oldest_first)
{
	u64 last = steps_of(k);
	u32 i;

	execute(k, last, 1);
	for (i = 0; i < TASKS; i++) {
		u32 times = took[0][oldest_first ? i : TASKS - 1 - i];

		/* In each of its gets before this task's turn, and in that. */
		assert_int_equal(times, i + 1);
	}
	for (i = 0; i < TASKS; i++)
		assert_int_equal(took[THIEVES][i], 1);
	/* Without the stop all tasks come out once, to the owner. */
	execute(k, 0, 1);
	for (i = 0; i < TASKS; i++) {
		assert_int_equal(took[0][i], 0);
		assert_int_equal(took[THIEVES][i], 1);
	}
}

static void fifo_without_bound(void **state)
{
	(void)state;
	without_bound(&idem_fifo, true);
}

static void lifo_without_bound(void **state)
{
	(void)state;
	without_bound(&idem_lifo, false);
}

/* The thief takes from the other end, so its first task is there each time. */
static void deque_without_bound(void **state)
{
	u64 last = steps_of(&idem_deque);
	u32 i;

	(void)state;
	execute(&idem_deque, last, 1);
	for (i = 0; i < TASKS; i++)
		assert_int_equal(took[0][i], TASKS - i);
}

/* Each task at least once, and at most once to each party, at any stop. */
static void bound_holds(const struct kind *k, u32 all, u32 among_thieves)
{
	u64 steps = steps_of(k), stop;
	u32 thieves, i, p;

	for (stop = 0; stop <= steps; stop++)
		for (thieves = 1; thieves <= THIEVES; thieves++) {
			execute(k, stop, thieves);
			for (i = 0; i < TASKS; i++) {
				u32 stolen = 0;

				for (p = 0; p <= THIEVES; p++) {
					assert_true(took[p][i] <= 1);
					stolen += p < THIEVES ? took[p][i] : 0;
				}
				assert_true(stolen <= among_thieves);
				assert_in_range(stolen + took[THIEVES][i], 1, all);
			}
		}
}

static void weak_has_a_bound(void **state)
{
	u32 i;

	(void)state;
	bound_holds(&weak, THIEVES + 1, THIEVES);
	/* The execution itself: only the get that was stopped has its task, too. */
	execute(&weak, steps_of(&weak), 1);
	for (i = 0; i < TASKS; i++) {
		assert_int_equal(took[0][i], 1);
		assert_int_equal(took[THIEVES][i], i == 0);
	}
}

static void bounded_has_a_bound(void **state)
{
	(void)state;
	bound_holds(&bounded, 2, 1);
}

static void exact_has_a_bound(void **state)
{
	(void)state;
	bound_holds(&exact, 1, 1);
}

/* Only the get that overlaps a theft takes its task as well. */
static void strict_has_a_bound(const struct kind *k)
{
	u32 i, again = 0;

	bound_holds(k, 2, 1);
	execute(k, steps_of(k), 1);
	for (i = 0; i < TASKS; i++)
		again += took[0][i] + took[THIEVES][i] - 1;
	assert_int_equal(again, 1);
}

/* For comparison: with its fence, each task comes out once. */
static void the_is_exact(void **state)
{
	(void)state;
	bound_holds(&the, 1, 1);
}

static void flat_has_a_bound(void **state)
{
	(void)state;
	strict_has_a_bound(&flat);
}

static void tree_has_a_bound(void **state)
{
	(void)state;
	strict_has_a_bound(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fifo_without_bound),
		cmocka_unit_test(lifo_without_bound),
		cmocka_unit_test(deque_without_bound),
		cmocka_unit_test(weak_has_a_bound),
		cmocka_unit_test(bounded_has_a_bound),
		cmocka_unit_test(exact_has_a_bound),
		cmocka_unit_test(the_is_exact),
		cmocka_unit_test(flat_has_a_bound),
		cmocka_unit_test(tree_has_a_bound),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
