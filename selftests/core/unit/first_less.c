// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of engines where thieves read before they claim, beside others
 * that claim first: a thief that asked for many and lost asks for less, so that
 * it does not keep reading in vain while others take one at a time. One program
 * for each engine.
 *
 * For: run-checks, under shim/stall, plain and with sanitizers. The reader is a
 * party that is stopped, and its reads are counted each time; the others take
 * tasks while it is stopped.
 *
 * Cost: milliseconds. Limitations: a read is assumed to cost as much as any
 * other access, so the second test shows that a batch succeeds, not how often.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "queue.h"
#include "party.h"

#define BLOCK		4096
#define TRIES		4	/* WSQ_BWOS_CLAIM_TRIES, and of the LIFO queue */

/* The block with BLOCK stealable tasks that make() creates; 1 is the oldest. */
#define PLACE		(ENGINE_LIFO ? 0 : 1)

static struct queue *make(void)
{
	struct queue *t = queue_new(2, BLOCK, 0);
	u64 id;

	t->mem.read_first = true;
	/* The block after the consumer's, or the one below the owner's. */
	for (id = 1; !ENGINE_LIFO && id <= BLOCK; id++) {
		assert_true(engine(put)(&t->q, task_of(id)) >= 0);
		assert_int_equal(id_of(engine(get)(&t->q)), id);
	}
	for (id = 1; id <= BLOCK + ENGINE_LIFO; id++)
		assert_true(engine(put)(&t->q, task_of(id)) >= 0);
	return t;
}

static int steal(struct queue *t, void **tasks, u32 max)
{
	return engine(steal_at)(&t->q, PLACE, tasks, max);
}

#define for_each(i, array) \
	for (i = 0; i < sizeof(array) / sizeof(array[0]); i++)

static void *batch_of[BLOCK];
static u32 most;

static void op_steal(struct party *p)
{
	p->ret = steal((struct queue *)p->arg[0], batch_of, most);
}

/* How many slots it has read since the last call, and the first of them. */
static u32 was_read(u64 *first)
{
	u32 n = 0;

	*first = batch_of[0] ? id_of(batch_of[0]) : 0;
	while (n < BLOCK && batch_of[n]) {
		assert_int_equal(id_of(batch_of[n]), *first + n);
		n++;
	}
	memset(batch_of, 0, sizeof(batch_of));
	return n;
}

/* Another party that asks for one task gets the oldest. */
static void other_takes(struct queue *queue, u64 *taken)
{
	void *task;

	assert_int_equal(steal(queue, &task, 1), 1);
	assert_int_equal(id_of(task), ++*taken);
}

/*
 * Loses @losses times to a party that takes one task, each time before its
 * claim: it then reads a sixteenth of what it asked for before, and at least
 * one.
 */
static void loses(u32 losses)
{
	struct party *p = &parties[0];
	struct queue *queue = make();
	u64 taken = 0, first;
	u32 n, tries;
	bool over;

	party_reset();
	memset(batch_of, 0, sizeof(batch_of));
	p->arg[0] = queue;
	party_stop_at(p, ENGINE_CLAIM);
	over = party_start(p, op_steal);
	for (tries = 0; tries < losses; tries++) {
		assert_false(over);
		n = most >> 4 * tries ? most >> 4 * tries : 1;
		assert_int_equal(was_read(&first), n);
		assert_int_equal(first, taken + 1);
		other_takes(queue, &taken);
		party_stop_at(p, ENGINE_CLAIM);
		over = party_go(p);
	}
	if (losses == TRIES) {
		assert_true(over);
		assert_int_equal(p->ret, WSQ_CONFLICT);
	} else {
		assert_false(over);
		n = most >> 4 * tries ? most >> 4 * tries : 1;
		p->nr_entries = 0;
		assert_true(party_go(p));
		assert_int_equal(p->ret, n);
		assert_int_equal(was_read(&first), n);
		assert_int_equal(first, taken + 1);
		taken += n;
	}
	/* Tasks read in vain are still there; the next call asks for all. */
	other_takes(queue, &taken);
	assert_int_equal(steal(queue, batch_of, most),
			 BLOCK - taken < most ? BLOCK - taken : most);
	assert_true(was_read(&first) > 0);
	assert_int_equal(first, taken + 1);
	queue_free(queue);
}

static void reads_less(void **state)
{
	static const u32 asked[] = { 1, 2, 15, 16, 17, 64, 255, 256, BLOCK - 8 };
	u32 i, losses;

	(void)state;
	for_each(i, asked) {
		most = asked[i];
		for (losses = 0; losses <= TRIES; losses++)
			loses(losses);
	}
}

/*
 * Beside a party that takes a task at every @pace-th access of the reader, from
 * any access on. With at least the three accesses that a try needs beside its
 * reads, it gets something in one call; with 16, which are enough for eight
 * reads, it gets more than one task.
 */
static void races(u32 pace, u32 from)
{
	struct party *p = &parties[0];
	struct queue *queue = make();
	u64 taken = 0;
	bool over;
	s64 i;

	party_reset();
	p->arg[0] = queue;
	p->stop_at = from;
	over = party_start(p, op_steal);
	while (!over) {
		other_takes(queue, &taken);
		p->stop_at = p->cpu.steps + pace;
		over = party_go(p);
	}
	assert_true(p->ret >= (pace < 300 ? 1 : 8));
	/* And no task that another party has. */
	for (i = 0; i < p->ret; i++)
		assert_int_equal(id_of(batch_of[i]), taken + 1 + (u64)i);
	queue_free(queue);
}

static void gets_through(void **state)
{
	static const u32 paces[] = { 16, 64, 300, 1000 };
	u32 i, from;

	(void)state;
	most = BLOCK / 2;
	for_each(i, paces)
		for (from = 1; from <= paces[i]; from += 1 + from / 32)
			races(paces[i], from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_less),
		cmocka_unit_test(gets_through),
	};

	return cmocka_run_group_tests_name("first_less " ENGINE_NAME, tests, NULL, NULL);
}
