// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of a FIFO BWoS that grows: with producer and consumer in every
 * position to each other, several times, with blocks held and spare, up to the
 * limit; all operations that look for tasks find new blocks and slots.
 * Reattached memory is in attach.c.
 *
 * For: run-checks, under shim/native, plain and with gcc's address and
 * undefined sanitizers. Cost: a second. Limitations: one thread;
 * model/grow*.cpp, stress/conserve.c and stress/claims.c test races.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "queue.h"

#define MAX_PIECES	8

/**
 * struct grown - a queue with the segments that it has grown by
 * @t: the queue
 * @segment: the segments
 * @nr: number of segments
 * @in: last task put
 * @out: last task that came out
 */
struct grown {
	struct queue *t;
	struct wsq_bwos_segment segment[MAX_PIECES];
	u32 nr;
	u64 in;
	u64 out;
};

static void grown_new(struct grown *g, u32 nb, u32 bs, u32 spare, u32 max_nb,
		      u32 max_spare)
{
	memset(g, 0, sizeof(*g));
	g->t = queue_new_max(nb, bs, spare, max_nb, max_spare);
}

static void grown_free(struct grown *g)
{
	while (g->nr)
		segment_free(&g->segment[--g->nr]);
	queue_free(g->t);
}

static u32 grow(struct grown *g, u32 n, u32 spare)
{
	struct wsq_bwos_segment *segment = &g->segment[g->nr++];

	assert_true(g->nr <= MAX_PIECES);
	segment_new(segment, n, g->t->mem.block_size, spare);
	return wsq_bwos_fifo_extend(&g->t->q, segment);
}

static bool put(struct grown *g)
{
	bool space = wsq_bwos_fifo_put(&g->t->q, task_of(g->in + 1)) >= 0;

	g->in += space;
	return space;
}

static void fill(struct grown *g)
{
	while (put(g))
		;
	assert_true(wsq_bwos_fifo_short(&g->t->q));
}

static void get(struct grown *g, u64 n)
{
	for (; n; n--)
		assert_int_equal(id_of(wsq_bwos_fifo_get(&g->t->q)), ++g->out);
}

static void empty(struct grown *g)
{
	get(g, g->in - g->out);
	assert_null(wsq_bwos_fifo_get(&g->t->q));
	assert_true(wsq_bwos_fifo_empty(&g->t->q));
	assert_false(wsq_bwos_fifo_published(&g->t->q));
}

/* @walked tasks have come and gone, @there are queued, and it grows by @n. */
static void position(u32 nb, u32 bs, u64 walked, u64 there, u32 n)
{
	struct grown g;
	u64 in, i;

	grown_new(&g, nb, bs, 0, nb + n, 0);
	for (i = 0; i < walked; i++) {
		assert_true(put(&g));
		get(&g, 1);
	}
	while (g.in - g.out < there && put(&g))
		;
	in = g.in;
	assert_int_equal(grow(&g, n, 0), n);
	assert_false(wsq_bwos_fifo_short(&g.t->q));
	/* The producer fills its block, goes to the new ones, then on. */
	for (i = 0; i < (u64)n * bs; i++)
		assert_true(put(&g));
	fill(&g);
	assert_int_equal(g.in - g.out / bs * bs, (u64)(nb + n) * bs);
	assert_true(g.in >= in + n * bs);
	empty(&g);
	/* Two laps and a half. */
	for (i = 0; i < 5; i++) {
		fill(&g);
		assert_int_equal(g.in - g.out / bs * bs, (u64)(nb + n) * bs);
		get(&g, (g.in - g.out) / 2);
	}
	empty(&g);
	grown_free(&g);
}

static void every_position(void **state)
{
	u32 nb, bs, n;
	u64 walked, there;

	(void)state;
	for (nb = 2; nb <= 4; nb++)
		for (bs = 2; bs <= 3; bs++)
			for (n = 1; n <= 3; n++)
				for (walked = 0; walked <= nb * bs + bs; walked++)
					for (there = 0; there <= nb * bs; there++)
						position(nb, bs, walked, there, n);
}

/* The consumer has read its block, and the producer is in it a lap later. */
static void a_round_behind(void **state)
{
	struct grown g;
	int i;

	(void)state;
	grown_new(&g, 2, 2, 0, 6, 0);
	put(&g);
	put(&g);
	get(&g, 2);
	fill(&g);
	assert_int_equal(g.in, 6);
	assert_int_equal(g.t->q.c.index, g.t->q.p.index);
	/* Twice, with the producer where it was, and on its way. */
	assert_int_equal(grow(&g, 1, 0), 1);
	assert_false(wsq_bwos_fifo_empty(&g.t->q));
	assert_int_equal(grow(&g, 1, 0), 1);
	put(&g);
	assert_int_equal(grow(&g, 1, 0), 1);
	fill(&g);
	assert_int_equal(g.in, 12);
	/* And from the consumer's block. */
	assert_int_equal(grow(&g, 1, 0), 1);
	fill(&g);
	assert_int_equal(g.in, 14);
	for (i = 0; i < 3; i++) {
		empty(&g);
		fill(&g);
		assert_int_equal(g.in - g.out, 12);
	}
	empty(&g);
	grown_free(&g);
}

/* Grows as often as needed, up to the limit, and no block more. */
static void to_the_limit(void **state)
{
	struct grown g;
	u32 n, i;

	(void)state;
	grown_new(&g, 2, 4, 2, 64, 7);
	for (n = 2; n < 64; n *= 2) {
		fill(&g);
		assert_int_equal(grow(&g, n, 1), n);
		get(&g, 3 * n);
	}
	assert_int_equal(g.t->q.nr_spare, 7);
	assert_int_equal(grow(&g, 3, 1), 0);
	assert_int_equal(g.t->q.nr_spare, 7);
	assert_int_equal(wsq_bwos_nr_entries(&g.t->mem.dir), 64);
	assert_int_equal(g.t->mem.dir.nr_blocks, 71);
	for (i = 0; i < 3; i++) {
		fill(&g);
		assert_int_equal(g.in - g.out / 4 * 4, 64 * 4);
		empty(&g);
	}
	grown_free(&g);

	/* Blocks beyond the limit are not used. */
	grown_new(&g, 3, 2, 0, 5, 1);
	assert_int_equal(grow(&g, 4, 3), 2);
	assert_int_equal(g.t->q.nr_spare, 1);
	fill(&g);
	assert_int_equal(g.in, 10);
	empty(&g);
	grown_free(&g);
}

/* A thief has held a block since before the growth; a new one replaces it. */
static void held_meanwhile(void **state)
{
	struct wsq_bwos_block *held;
	struct grown g;
	void *task;
	u64 i;

	(void)state;
	grown_new(&g, 2, 2, 0, 4, 1);
	fill(&g);
	held = mem_block(&g.t->mem, 1);
	atomic64_set(&held->s_pos, atomic64_read(&held->s_pos) + 1);
	get(&g, 2);
	g.out++;
	get(&g, 1);
	put(&g);
	put(&g);
	assert_false(put(&g));
	assert_true(wsq_bwos_fifo_short(&g.t->q));
	assert_int_equal(grow(&g, 2, 1), 2);
	for (i = 0; i < 20; i++) {
		assert_true(put(&g));
		get(&g, 1);
	}
	assert_int_equal(g.t->q.nr_held, 1);
	assert_int_equal(g.t->q.nr_spare, 0);
	assert_ptr_not_equal(mem_block(&g.t->mem, 1), held);
	/* Thieves can steal from it. */
	while (g.t->q.p.index != 1)
		assert_true(put(&g));
	if (wsq_bwos_fifo_steal_at(&g.t->q, 1, &task, 1) == 1)
		assert_int_equal(id_of(task), g.in);
	assert_int_equal(id_of(wsq_slot_read(&held->slots[0])), 3);
	atomic64_fetch_add_release(1, &held->s_cnt);
	while (wsq_bwos_fifo_get(&g.t->q))
		;
	for (i = 0; i < 20; i++) {
		assert_true(wsq_bwos_fifo_put(&g.t->q, task_of(100 + i)) >= 0);
		assert_int_equal(id_of(wsq_bwos_fifo_get(&g.t->q)), 100 + i);
	}
	assert_int_equal(g.t->q.nr_held, 0);
	assert_int_equal(g.t->q.nr_spare, 1);
	grown_free(&g);
}

static u64 steal(struct grown *g, u32 index)
{
	void *task;

	return wsq_bwos_fifo_steal_at(&g->t->q, index, &task, 1) == 1 ?
	       id_of(task) : 0;
}

/*
 * Steals, also from the active block, samples and queries reach the new blocks.
 */
static void found_by_all(void **state)
{
	struct grown g;
	void *tasks[4];
	u32 at, i, n;

	(void)state;
	grown_new(&g, 2, 4, 0, 4, 0);
	assert_int_equal(steal(&g, 2), 0);
	assert_int_equal(wsq_bwos_fifo_steal_at(&g.t->q, 2, tasks, 1), WSQ_EMPTY);
	for (i = 0; i < 4; i++)
		put(&g);
	assert_int_equal(grow(&g, 2, 0), 2);
	put(&g);
	put(&g);
	assert_int_equal(g.t->q.p.index, 2);
	assert_int_equal(wsq_bwos_fifo_sample(&g.t->q, 0x80000000, &at), 2);
	assert_int_equal(at, 2);
	assert_int_equal(steal(&g, 2), 5);
	/* A pass from any block. */
	for (i = 0; i < 4; i++) {
		put(&g);
		atomic64_set(&g.t->q.t_hint, (s64)i);
		n = (u32)wsq_bwos_fifo_steal(&g.t->q, tasks, 4);
		assert_int_equal(n, i ? 1 : 2);
		assert_int_equal(id_of(tasks[n - 1]), g.in);
	}
	get(&g, 4);
	assert_null(wsq_bwos_fifo_get(&g.t->q));
	grown_free(&g);
}

static void claimed(struct grown *g, u32 nr)
{
	struct wsq_bwos_space space = { .n = 0 };

	assert_true(wsq_bwos_fifo_reserve(&g->t->q, &space) >= 0);
	assert_int_equal(space.nr, nr);
	wsq_bwos_fifo_fill(&g->t->q, &space, 0, task_of(++g->in));
	wsq_bwos_fifo_commit(&g->t->q, &space, 1);
}

/* Slots of new blocks have the highest numbers; any number may be passed. */
static void slot_numbers(void **state)
{
	struct grown g;
	void *tasks[8];
	u32 nr;

	(void)state;
	grown_new(&g, 2, 2, 1, 5, 2);
	for (nr = 0; nr < 4; nr++)
		claimed(&g, nr);
	for (nr = 4; nr < 20; nr++)
		assert_false(wsq_bwos_fifo_remove(&g.t->q, nr, task_of(5)));
	assert_int_equal(grow(&g, 1, 1), 1);
	assert_false(wsq_bwos_fifo_waiting(&g.t->q) &&
		     wsq_bwos_fifo_remove(&g.t->q, 6, task_of(5)));
	claimed(&g, 6);
	claimed(&g, 7);
	assert_int_equal(grow(&g, 2, 0), 2);
	claimed(&g, 10);
	/* Just beyond the last slot, and far beyond. */
	for (nr = 0; nr < 100; nr++)
		assert_int_equal(wsq_bwos_fifo_remove(&g.t->q, nr, task_of(5)),
				 nr == 6);
	assert_false(wsq_bwos_fifo_remove(&g.t->q, ~0U, task_of(6)));
	assert_false(wsq_bwos_fifo_remove(&g.t->q, 1U << 31, task_of(6)));
	assert_true(wsq_bwos_fifo_remove(&g.t->q, 10, task_of(7)));
	for (nr = 1; nr <= 4; nr++)
		assert_int_equal(id_of(wsq_bwos_fifo_claim(&g.t->q)), nr);
	assert_ptr_equal(wsq_bwos_fifo_claim(&g.t->q), WSQ_TOMB);
	/* The consumer is in a new block. */
	assert_true(wsq_bwos_fifo_waiting(&g.t->q));
	assert_int_equal(wsq_bwos_fifo_steal_active(&g.t->q, tasks, 8), 1);
	assert_int_equal(id_of(tasks[0]), 6);
	assert_ptr_equal(wsq_bwos_fifo_claim(&g.t->q), WSQ_TOMB);
	assert_ptr_equal(wsq_bwos_fifo_claim(&g.t->q), WSQ_TOMB);
	assert_null(wsq_bwos_fifo_claim(&g.t->q));
	grown_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_position),
		cmocka_unit_test(a_round_behind),
		cmocka_unit_test(to_the_limit),
		cmocka_unit_test(held_meanwhile),
		cmocka_unit_test(found_by_all),
		cmocka_unit_test(slot_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
