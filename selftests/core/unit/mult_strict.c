// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of what the experiments with multiplicity add to kmod/core
 * (bench/mult): WS-MULT on both MaxRegisters and WS-WMULT, each with growing and
 * with linked arrays.
 *
 * Random operations of an owner and three thieves, each of which other parties
 * interrupt before any of its accesses, two deep. Of each operation it is known
 * when it began and ended. So it is checked that a task comes out at least once
 * and at most once to each party; in the order of puts to each; from WS-MULT
 * only to operations that overlap; from B-WS-WMULT to one thief. A MaxRegister
 * must not return less than an operation that ended before had written.
 *
 * That WS-WMULT does hand tasks to operations that do not overlap is checked as
 * well: it shows that these schedules can tell the two apart.
 *
 * For: run-checks, under shim/stall, plain and with sanitizers.
 *
 * Seen to fail: max_register.h, if a write that finds a switch set returns at
 * once, if it sets switches from the root down or leaves out those between
 * segments, if a read skips a party; tasks.h, if a put empties no slot, if a
 * growing array begins with the newest tasks; ws_mult_strict.h, if a thief does
 * not write the head; ws_wmult.h without a party's maximum, or without marks.
 * Cost: a second. Limitations: an operation that interrupts another one ends
 * first, so two never take turns; all accesses are in program order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <wsq_platform.h>

#include "bench/mult/ws_mult_strict.h"
#include "bench/mult/ws_wmult.h"
#include "rnd.h"

#define PARTIES	4
#define TASKS	600
#define ROUNDS	60
#define DEPTH	2

enum algorithm { FLAT, TREE, WEAK, BOUNDED };

/**
 * struct taken - an operation that took a task
 * @began: when
 * @ended: when; 0 if it did not
 */
struct taken {
	u64 began, ended;
};

static enum algorithm algorithm;
static u32 way;
static struct wsq_ws_strict strict;
static struct wsq_ws_strict_party strict_party[PARTIES];
static struct wsq_max_own own[PARTIES];
static struct ws_wmult wmult;
static struct ws_wmult_party wmult_party[PARTIES];

static struct taken took[TASKS + 1][PARTIES];
static u64 last_of[PARTIES], next_task, now, seed;
static bool busy[PARTIES], putting;
static u32 depth;

/* All memory of a queue, freed at its end. */
static void *memory[4 * TASKS];
static u32 nr_memory;

static void *get_memory(size_t size)
{
	void *mem = malloc(size);

	assert_non_null(mem);
	assert_true(nr_memory < 4 * TASKS);
	/* It need not be initialized. */
	memset(mem, 0xa5, size);
	memory[nr_memory++] = mem;
	return mem;
}

static struct wsq_tasks_node *get_node(u64 size)
{
	bool marks = algorithm == BOUNDED;
	struct wsq_tasks_node *node = get_memory(sizeof(*node) +
						 (marks + 1) * size * sizeof(wsq_slot_t));

	node->size = size;
	node->slots = (wsq_slot_t *)(node + 1);
	node->marks = marks ? node->slots + size : NULL;
	return node;
}

static bool is_strict(void)
{
	return algorithm == FLAT || algorithm == TREE;
}

static struct wsq_tasks *tasks(void)
{
	return is_strict() ? &strict.tasks : &wmult.tasks;
}

static u32 reg(void)
{
	return algorithm == FLAT ? WSQ_MAX_FLAT : WSQ_MAX_TREE;
}

static void create(enum algorithm a, u32 with, u64 length)
{
	u32 i;

	algorithm = a;
	way = with;
	memset(own, 0, sizeof(own));
	if (is_strict())
		wsq_ws_strict_init(&strict, get_node(length), a == FLAT ? own : NULL, PARTIES);
	else
		ws_wmult_init(&wmult, get_node(length));
	for (i = 0; i < PARTIES; i++) {
		wsq_ws_strict_join(&strict, &strict_party[i], i);
		ws_wmult_join(&wmult, &wmult_party[i]);
	}
	memset(took, 0, sizeof(took));
	memset(last_of, 0, sizeof(last_of));
	next_task = 1;
	now = 0;
}

static void destroy(void)
{
	while (nr_memory)
		free(memory[--nr_memory]);
}

/* ---- Operations ---- */

static int put(void *task)
{
	return is_strict() ? wsq_ws_strict_put(&strict, task) : ws_wmult_put(&wmult, task);
}

static void *get(void)
{
	return is_strict() ? wsq_ws_strict_get(&strict, way, reg(), &strict_party[0]) :
	       ws_wmult_get(&wmult, way, &wmult_party[0]);
}

static void *steal(u32 i)
{
	void *task = NULL;

	if (!is_strict())
		return ws_wmult_steal(&wmult, way, algorithm == BOUNDED, &wmult_party[i]);
	wsq_ws_strict_steal(&strict, way, reg(), &strict_party[i], &task);
	return task;
}

static void grow(void)
{
	u64 size = way == WSQ_TASKS_GROWING ? 2 * tasks()->last->size : 2 + rnd(&seed) % 7;
	atomic64_t *switches;
	u32 segment;

	if (is_strict() && wsq_ws_strict_needs_head(&strict, &segment)) {
		switches = get_memory(wsq_max_switches(segment) * sizeof(*switches));
		memset(switches, 0, wsq_max_switches(segment) * sizeof(*switches));
		wsq_ws_strict_grow_head(&strict, segment, switches);
	} else {
		wsq_tasks_grow(tasks(), way, get_node(size));
	}
}

static void take(u32 party)
{
	struct taken t;
	void *task;
	u64 id;

	busy[party] = true;
	t.began = ++now;
	task = party ? steal(party) : get();
	t.ended = ++now;
	busy[party] = false;
	id = (uintptr_t)task;
	if (!id)
		return;
	assert_in_range(id, 1, TASKS);
	/* In order, hence at most once. */
	assert_true(id > last_of[party]);
	last_of[party] = id;
	took[id][party] = t;
}

/* A put interrupts a get, but adds memory only when there is none. */
static void put_one(void)
{
	if (next_task > TASKS || putting)
		return;
	putting = true;
	if (put((void *)(uintptr_t)next_task) == WSQ_OK) {
		next_task++;
	} else if (!busy[0]) {
		/* The caller is then busy growing: no get. */
		busy[0] = true;
		grow();
		busy[0] = false;
	}
	putting = false;
}

static struct wsq_cpu cpu;
struct wsq_cpu *wsq_cpu;

static void any_operation(void)
{
	u32 party = rnd(&seed) % (2 * PARTIES);

	if (party >= PARTIES)
		put_one();
	else if (!busy[party] && !(party == 0 && putting))
		take(party);
}

static void (*operation)(void);

void wsq_cpu_step(const char *file, int line)
{
	(void)file;
	(void)line;
	if (depth == DEPTH || rnd(&seed) % 4)
		return;
	depth++;
	operation();
	depth--;
}

static u32 overlaps(const struct taken *a, const struct taken *b)
{
	return a->began < b->ended && b->began < a->ended;
}

/* Checks a task; counts pairs of operations on it that do not overlap. */
static u32 judge(u64 id)
{
	u32 i, j, thieves = 0, all = 0, apart = 0;

	for (i = 0; i < PARTIES; i++) {
		if (!took[id][i].ended)
			continue;
		all++;
		thieves += i > 0;
		for (j = 0; j < i; j++)
			if (took[id][j].ended)
				apart += !overlaps(&took[id][i], &took[id][j]);
	}
	assert_true(all);
	if (algorithm == BOUNDED)
		assert_true(thieves <= 1);
	if (is_strict())
		assert_int_equal(apart, 0);
	return apart;
}

static u32 play(enum algorithm a, u32 with)
{
	u32 round, apart = 0;
	u64 id;

	for (round = 1; round <= ROUNDS; round++) {
		seed = round * 0x9e3779b97f4a7c15ULL;
		create(a, with, 2 + round % 5);
		operation = any_operation;
		wsq_cpu = &cpu;
		while (next_task <= TASKS)
			any_operation();
		wsq_cpu = NULL;
		/* Undisturbed, each party finds nothing at the end. */
		while (get() != NULL)
			;
		for (id = 1; id <= TASKS; id++) {
			/* Taken in the loop above, in which nothing is recorded. */
			if (id > last_of[0] && id > last_of[1] && id > last_of[2] &&
			    id > last_of[3])
				break;
			apart += judge(id);
		}
		destroy();
	}
	return apart;
}

static void strict_flat_growing(void **state)
{
	(void)state;
	play(FLAT, WSQ_TASKS_GROWING);
}

static void strict_flat_linked(void **state)
{
	(void)state;
	play(FLAT, WSQ_TASKS_LINKED);
}

static void strict_tree_growing(void **state)
{
	(void)state;
	play(TREE, WSQ_TASKS_GROWING);
}

static void strict_tree_linked(void **state)
{
	(void)state;
	play(TREE, WSQ_TASKS_LINKED);
}

static void weak_growing(void **state)
{
	(void)state;
	assert_true(play(WEAK, WSQ_TASKS_GROWING) > 0);
}

static void weak_linked(void **state)
{
	(void)state;
	assert_true(play(WEAK, WSQ_TASKS_LINKED) > 0);
}

static void bounded_linked(void **state)
{
	(void)state;
	play(BOUNDED, WSQ_TASKS_LINKED);
}

/* Alone, each operation takes the oldest task. */
static void alone(void **state)
{
	static const struct {
		enum algorithm a;
		u32 way;
	} all[] = {
		{ FLAT, WSQ_TASKS_GROWING }, { FLAT, WSQ_TASKS_LINKED },
		{ TREE, WSQ_TASKS_GROWING }, { TREE, WSQ_TASKS_LINKED },
		{ WEAK, WSQ_TASKS_GROWING }, { WEAK, WSQ_TASKS_LINKED },
		{ BOUNDED, WSQ_TASKS_LINKED },
	};
	u64 id, oldest;
	u32 k, party;
	void *task;

	(void)state;
	for (k = 0; k < sizeof(all) / sizeof(*all); k++) {
		seed = k + 1;
		create(all[k].a, all[k].way, 2);
		for (id = oldest = 1; oldest <= TASKS;) {
			if (id <= TASKS && rnd(&seed) % 2) {
				while (put((void *)(uintptr_t)id) != WSQ_OK)
					grow();
				id++;
				continue;
			}
			/* B-WS-WMULT: the owner marks nothing, so thieves skip nothing. */
			party = rnd(&seed) % PARTIES;
			task = party ? steal(party) : get();
			assert_int_equal((uintptr_t)task, oldest < id ? oldest : 0);
			oldest += !!task;
		}
		destroy();
	}
}

/* ---- The registers by themselves ---- */

#define NUMBERS	((1ULL << 15) - 1)

static struct wsq_max_register max;
static u64 written;
/* Whose writes have begun. */
static bool begun[NUMBERS];

static void raise_max(void)
{
	u32 party = rnd(&seed) % PARTIES;
	u64 least = written, v;

	if (busy[party])
		return;
	busy[party] = true;
	v = wsq_max_read(&max, reg());
	assert_true(v >= least && begun[v]);
	v += 1 + (rnd(&seed) % 8 ? 0 : rnd(&seed) % 40);
	if (v < NUMBERS) {
		begun[v] = true;
		wsq_max_write(&max, reg(), party, v);
		written = v > written ? v : written;
	}
	busy[party] = false;
}

static void registers(void **state)
{
	u32 kind, round, i, k;
	atomic64_t *switches;

	(void)state;
	for (kind = 0; kind < 2; kind++)
		for (round = 1; round <= ROUNDS; round++) {
			seed = round;
			algorithm = kind ? TREE : FLAT;
			memset(own, 0, sizeof(own));
			wsq_max_init(&max, kind ? NULL : own, PARTIES);
			for (k = 0; k < 15; k++) {
				switches = get_memory(wsq_max_switches(k) * sizeof(*switches));
				memset(switches, 0, wsq_max_switches(k) * sizeof(*switches));
				wsq_max_add(&max, k, switches);
			}
			written = 0;
			memset(begun, 0, sizeof(begun));
			begun[0] = true;
			assert_int_equal(wsq_max_read(&max, reg()), 0);
			operation = raise_max;
			wsq_cpu = &cpu;
			for (i = 0; i < 300; i++)
				raise_max();
			wsq_cpu = NULL;
			assert_int_equal(wsq_max_read(&max, reg()), written);
			destroy();
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone),
		cmocka_unit_test(registers),
		cmocka_unit_test(strict_flat_growing),
		cmocka_unit_test(strict_flat_linked),
		cmocka_unit_test(strict_tree_growing),
		cmocka_unit_test(strict_tree_linked),
		cmocka_unit_test(weak_growing),
		cmocka_unit_test(weak_linked),
		cmocka_unit_test(bounded_linked),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
