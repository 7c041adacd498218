// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of a LIFO BWoS that grows: with the owner and the bottom in every
 * position to each other, with blocks drained, held and spare, several times,
 * up to the limit and at random; all operations that look for tasks find new
 * blocks and slots. Reattached memory is in attach.c.
 *
 * For: run-checks, under shim/native, plain and with gcc's address and
 * undefined sanitizers. Cost: seconds. Limitations: one thread;
 * model/lifo_grow*.cpp, stress/conserve.c and stress/claims.c test races.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "queue.h"

#define MAX_PIECES	8

/**
 * struct grown - a queue with the segments that it has grown by
 * @t: the queue
 * @segment: the segments
 * @nr: number of segments
 * @in: the topmost task
 * @out: tasks up to this one have been stolen
 */
struct grown {
	struct queue *t;
	struct wsq_bwos_lifo_segment segment[MAX_PIECES];
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

static u32 nr_entries(const struct grown *g)
{
	return wsq_bwos_nr_entries(&g->t->mem.dir);
}

/* All blocks form one ring, in both directions. */
static void ring_is_whole(const struct grown *g)
{
	const struct wsq_bwos_lifo_mem *mem = &g->t->mem;
	u32 n = nr_entries(g), index = 0, i;
	bool seen[WSQ_BWOS_MAX_BLOCKS] = { false };

	for (i = 0; i < n; i++) {
		u32 next = wsq_bwos_next(wsq_bwos_at(&mem->dir, index));

		assert_true(next < n);
		assert_false(seen[next]);
		seen[next] = true;
		assert_int_equal(mem->below[next], index);
		index = next;
	}
	assert_int_equal(index, 0);
}

static u32 grow(struct grown *g, u32 n, u32 spare)
{
	struct wsq_bwos_lifo_segment *segment = &g->segment[g->nr++];
	u32 was = nr_entries(g), got;

	assert_true(g->nr <= MAX_PIECES);
	segment_new(segment, n, g->t->mem.block_size, spare);
	got = wsq_bwos_lifo_extend(&g->t->q, segment);
	assert_int_equal(nr_entries(g), was + got);
	ring_is_whole(g);
	return got;
}

static bool put(struct grown *g)
{
	bool tight = wsq_bwos_lifo_short(&g->t->q);
	u64 pos = (u64)atomic64_read(&g->t->q.pos);
	bool space = wsq_bwos_lifo_put(&g->t->q, task_of(g->in + 1)) >= 0;

	/* All thieves are awake: its own estimate of its capacity is exact. */
	assert_int_equal(space, !tight || pos < g->t->q.block_size);
	g->in += space;
	return space;
}

static void fill(struct grown *g)
{
	while (put(g))
		;
	assert_true(wsq_bwos_lifo_short(&g->t->q));
}

/* The owner gets the topmost. */
static void get(struct grown *g, u64 n)
{
	for (; n; n--)
		assert_int_equal(id_of(wsq_bwos_lifo_get(&g->t->q)), g->in--);
}

/* A thief gets the lowest, unless it is the owner's. */
static bool steal(struct grown *g)
{
	void *task;

	if (wsq_bwos_lifo_steal(&g->t->q, &task, 1) != 1)
		return false;
	assert_int_equal(id_of(task), ++g->out);
	return true;
}

static void empty(struct grown *g)
{
	get(g, g->in - g->out);
	assert_null(wsq_bwos_lifo_get(&g->t->q));
	assert_true(wsq_bwos_lifo_empty(&g->t->q));
	assert_false(wsq_bwos_lifo_published(&g->t->q));
	assert_false(wsq_bwos_lifo_waiting(&g->t->q));
	g->in = 0;
	g->out = 0;
}

/* All tasks that fit, from an empty queue; thieves and the owner take them. */
static void laps(struct grown *g)
{
	const u64 all = (u64)nr_entries(g) * g->t->mem.block_size;
	int i;

	for (i = 0; i < 3; i++) {
		fill(g);
		assert_int_equal(g->in, all);
		empty(g);
	}
	for (i = 0; i < 3; i++) {
		fill(g);
		assert_int_equal(g->in, all);
		while (steal(g))
			;
		/* Except for the owner's block. */
		assert_int_equal(g->in - g->out, g->t->mem.block_size);
		empty(g);
	}
	/* Half each: the owner walks around the queue. */
	for (i = 0; i < 40; i++) {
		fill(g);
		while (g->in - g->out > all / 2 && steal(g))
			;
	}
	empty(g);
}

/*
 * The owner has walked @walked blocks, @there tasks are in the queue, @stolen
 * of them are stolen, and it grows by @n.
 */
static void position(u32 nb, u32 bs, u32 walked, u64 there, u64 stolen, u32 n,
		     bool thief)
{
	struct grown g;
	u64 i;

	grown_new(&g, nb, bs, 0, nb + n, 0);
	while (walked--) {
		while (!wsq_bwos_lifo_published(&g.t->q))
			assert_true(put(&g));
		while (steal(&g))
			;
		get(&g, 1);
		g.in = 0;
		g.out = 0;
		g.t->q.depth = 0;
	}
	while (g.in < there && put(&g))
		;
	for (i = 0; i < stolen; i++)
		if (!steal(&g))
			break;
	assert_int_equal(grow(&g, n, 0), n);
	assert_false(wsq_bwos_lifo_short(&g.t->q));
	fill(&g);
	/* The rest of the lowest block prevents more. */
	assert_int_equal(g.in - g.out, (u64)(nb + n) * bs - g.out % bs);
	while (thief && steal(&g))
		;
	empty(&g);
	laps(&g);
	grown_free(&g);
}

static void every_position(void **state)
{
	u32 nb, bs, n, walked;
	u64 there, stolen;

	(void)state;
	for (nb = 2; nb <= 4; nb++)
		for (bs = 2; bs <= 3; bs++)
			for (n = 1; n <= 3; n++)
				for (walked = 0; walked <= nb; walked++)
					for (there = 0; there <= nb * bs; there++)
						for (stolen = 0; stolen <= there; stolen++) {
							position(nb, bs, walked, there, stolen, n, false);
							position(nb, bs, walked, there, stolen, n, true);
						}
}

/*
 * The queue is full, all around, and the block above the owner's is the lowest:
 * the owner goes up to new ones, and down through all.
 */
static void around_and_full(void **state)
{
	struct grown g;
	u32 at;

	(void)state;
	for (at = 0; at < 4; at++) {
		grown_new(&g, 4, 2, 0, 7, 0);
		fill(&g);
		/* Move the owner to block @at. */
		while (g.t->q.index != at) {
			assert_true(steal(&g));
			assert_true(steal(&g));
			fill(&g);
		}
		assert_int_equal(g.in - g.out, 8);
		assert_int_equal(g.t->q.depth, 3);
		assert_int_equal(grow(&g, 2, 0), 2);
		fill(&g);
		assert_int_equal(g.in - g.out, 12);
		assert_int_equal(g.t->q.depth, 5);
		/* From a new block, which is in the middle by then. */
		get(&g, 3);
		assert_true(steal(&g));
		assert_int_equal(grow(&g, 1, 0), 1);
		fill(&g);
		assert_int_equal(g.in - g.out, 13);
		empty(&g);
		laps(&g);
		grown_free(&g);
	}
}

/* Thieves have emptied blocks in the middle, and are at one. */
static void drained_middle(void **state)
{
	struct grown g;
	void *tasks[2];
	u64 id;

	(void)state;
	grown_new(&g, 4, 2, 0, 6, 0);
	fill(&g);
	assert_int_equal(wsq_bwos_lifo_steal_at(&g.t->q, 1, tasks, 2), 2);
	assert_int_equal(id_of(tasks[1]), 4);
	assert_int_equal(wsq_bwos_lifo_steal_at(&g.t->q, 2, tasks, 1), 1);
	assert_int_equal(id_of(tasks[0]), 5);
	assert_int_equal(grow(&g, 2, 0), 2);
	fill(&g);
	assert_int_equal(g.in, 12);
	/* A pass from any block: all tasks, in some order. */
	atomic64_set(&g.t->q.t_hint, 3);
	assert_int_equal(wsq_bwos_lifo_steal(&g.t->q, tasks, 1), 1);
	assert_int_equal(id_of(tasks[0]), 7);
	for (id = 12; id >= 1; id--)
		if (id != 7 && id != 5 && id != 4 && id != 3)
			assert_int_equal(id_of(wsq_bwos_lifo_get(&g.t->q)), id);
	g.in = 0;
	empty(&g);
	laps(&g);
	grown_free(&g);
}

/* Grows as often as needed, up to the limit, and no block more. */
static void to_the_limit(void **state)
{
	struct grown g;
	u32 n;

	(void)state;
	grown_new(&g, 2, 4, 2, 64, 7);
	for (n = 2; n < 64; n *= 2) {
		fill(&g);
		assert_int_equal(g.in - g.out, n * 4);
		/* Another lowest block each time. */
		assert_true(steal(&g) && steal(&g) && steal(&g) && steal(&g));
		fill(&g);
		assert_int_equal(grow(&g, n, 1), n);
	}
	fill(&g);
	assert_int_equal(g.in - g.out, 64 * 4);
	assert_int_equal(g.t->q.nr_spare, 7);
	assert_int_equal(grow(&g, 3, 1), 0);
	assert_int_equal(g.t->q.nr_spare, 7);
	assert_int_equal(nr_entries(&g), 64);
	assert_int_equal(g.t->mem.dir.nr_blocks, 71);
	assert_false(put(&g));
	empty(&g);
	laps(&g);
	grown_free(&g);

	/* Blocks beyond the limit are not used. */
	grown_new(&g, 3, 2, 0, 5, 1);
	assert_int_equal(grow(&g, 4, 3), 2);
	assert_int_equal(g.t->q.nr_spare, 1);
	laps(&g);
	grown_free(&g);
}

/* A thief has held a block since before the growth; a new one replaces it. */
static void held_meanwhile(void **state)
{
	struct wsq_bwos_lifo_block *held;
	struct grown g;
	void *task;
	u64 i;

	(void)state;
	grown_new(&g, 2, 2, 0, 4, 1);
	fill(&g);
	held = mem_block(&g.t->mem, 0);
	/* Task 1 is claimed, and not counted for a long time. */
	atomic64_set(&held->s_pos, atomic64_read(&held->s_pos) + 1);
	g.out++;
	assert_true(steal(&g));
	assert_true(wsq_bwos_lifo_short(&g.t->q));
	assert_int_equal(wsq_bwos_lifo_put(&g.t->q, task_of(5)), WSQ_FULL);
	assert_int_equal(grow(&g, 2, 1), 2);
	fill(&g);
	/* The last of them in the spare block, which replaces the held one. */
	assert_int_equal(g.in, 10);
	assert_int_equal(g.t->q.nr_held, 1);
	assert_int_equal(g.t->q.nr_spare, 0);
	assert_ptr_not_equal(mem_block(&g.t->mem, 0), held);
	assert_int_equal(g.t->q.index, 0);
	/* Thieves can steal from it. */
	assert_int_equal(wsq_bwos_lifo_steal_at(&g.t->q, 0, &task, 1), WSQ_DONE);
	assert_true(steal(&g) && steal(&g));
	fill(&g);
	assert_int_equal(wsq_bwos_lifo_steal_at(&g.t->q, 0, &task, 1), 1);
	assert_int_equal(id_of(task), 9);
	assert_int_equal(id_of(wsq_slot_read(&held->slots[0])), 1);
	atomic64_fetch_add_release(1, &held->s_cnt);
	for (i = 12; i > 4; i--)
		if (i != 9)
			assert_int_equal(id_of(wsq_bwos_lifo_get(&g.t->q)), i);
	g.in = g.out;
	empty(&g);
	laps(&g);
	assert_int_equal(g.t->q.nr_held, 0);
	assert_int_equal(g.t->q.nr_spare, 1);
	grown_free(&g);
}

/* Steals, samples and queries reach the new blocks, from any block. */
static void found_by_all(void **state)
{
	struct grown g;
	void *tasks[4];
	u32 i, n;

	(void)state;
	grown_new(&g, 2, 4, 0, 4, 0);
	assert_int_equal(wsq_bwos_lifo_steal_at(&g.t->q, 2, tasks, 1), WSQ_EMPTY);
	assert_int_equal(wsq_bwos_lifo_sample(&g.t->q, 2), 0);
	assert_int_equal(wsq_bwos_lifo_random_index(&g.t->q, UINT32_MAX), 1);
	for (i = 0; i < 4; i++)
		put(&g);
	assert_int_equal(grow(&g, 2, 0), 2);
	assert_int_equal(wsq_bwos_lifo_random_index(&g.t->q, 0), 0);
	assert_int_equal(wsq_bwos_lifo_random_index(&g.t->q, 0x80000000), 2);
	assert_int_equal(wsq_bwos_lifo_random_index(&g.t->q, UINT32_MAX), 3);
	for (i = 0; i < 4; i++)
		put(&g);
	assert_int_equal(g.t->q.index, 2);
	put(&g);
	assert_int_equal(g.t->q.index, 3);
	assert_int_equal(wsq_bwos_lifo_sample(&g.t->q, 2), 4);
	assert_int_equal(wsq_bwos_lifo_sample(&g.t->q, 4), 0);
	assert_int_equal(wsq_bwos_lifo_steal_at(&g.t->q, 0, tasks, 4), 4);
		/* All stealable tasks are in the new block. */
	for (i = 0; i < 4; i++) {
		assert_true(wsq_bwos_lifo_waiting(&g.t->q));
		atomic64_set(&g.t->q.t_hint, (s64)i);
		n = (u32)wsq_bwos_lifo_steal(&g.t->q, tasks, 1);
		assert_int_equal(n, 1);
		assert_int_equal(id_of(tasks[0]), 5 + i);
	}
	atomic64_set(&g.t->q.t_hint, 4);
	assert_int_equal(wsq_bwos_lifo_steal(&g.t->q, tasks, 1), WSQ_EMPTY);
	assert_true(wsq_bwos_lifo_waiting(&g.t->q));
	g.out = 8;
	empty(&g);
	laps(&g);
	grown_free(&g);
}

static void claimed(struct grown *g, u32 nr)
{
	struct wsq_bwos_space space = { .n = 0 };

	assert_true(wsq_bwos_lifo_reserve(&g->t->q, &space) >= 0);
	assert_int_equal(space.nr, nr);
	wsq_bwos_lifo_fill(&g->t->q, &space, 0, task_of(++g->in));
	wsq_bwos_lifo_commit(&g->t->q, &space, 1);
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
		assert_false(wsq_bwos_lifo_remove(&g.t->q, nr, task_of(5)));
	assert_int_equal(grow(&g, 1, 1), 1);
	claimed(&g, 6);
	claimed(&g, 7);
	assert_int_equal(grow(&g, 2, 0), 2);
	claimed(&g, 10);
	/* The owner is in a new block. */
	assert_int_equal(wsq_bwos_lifo_steal_active(&g.t->q, tasks, 8), 1);
	assert_int_equal(id_of(tasks[0]), 7);
	claimed(&g, 11);
	/* Just beyond the last slot, and far beyond. */
	for (nr = 0; nr < 100; nr++)
		assert_int_equal(wsq_bwos_lifo_remove(&g.t->q, nr, task_of(5)),
				 nr == 6);
	assert_false(wsq_bwos_lifo_remove(&g.t->q, ~0U, task_of(6)));
	assert_false(wsq_bwos_lifo_remove(&g.t->q, 1U << 31, task_of(6)));
	assert_true(wsq_bwos_lifo_remove(&g.t->q, 11, task_of(8)));
	assert_ptr_equal(wsq_bwos_lifo_claim(&g.t->q), WSQ_TOMB);
	assert_ptr_equal(wsq_bwos_lifo_claim(&g.t->q), WSQ_TOMB);
	assert_int_equal(id_of(wsq_bwos_lifo_claim_oldest(&g.t->q)), 1);
	assert_int_equal(id_of(wsq_bwos_lifo_claim(&g.t->q)), 6);
	assert_ptr_equal(wsq_bwos_lifo_claim(&g.t->q), WSQ_TOMB);
	for (nr = 4; nr > 1; nr--)
		assert_int_equal(id_of(wsq_bwos_lifo_claim(&g.t->q)), nr);
	assert_null(wsq_bwos_lifo_claim(&g.t->q));
	grown_free(&g);
}

#define MANY	4000

/* The tasks in the queue, the topmost last; 0 where a thief took one. */
struct book {
	u64 id[MANY];
	u32 n, there;
};

static void stolen(struct book *b, void *const *tasks, int n)
{
	u64 last = 0;
	u32 i = 0;

	for (; n > 0; n--, tasks++) {
		assert_true(id_of(*tasks) > last);
		last = id_of(*tasks);
		while (i < b->n && b->id[i] != last)
			i++;
		assert_true(i < b->n);
		b->id[i] = 0;
		b->there--;
	}
}

/* Any operations, in any order; the owner always gets the topmost. */
static void at_random(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 400; seed++) {
		u64 rand = seed * 0x9e3779b97f4a7c15ULL | 1, r, id = 0;
		const u32 bs = 2 + (u32)(rnd(&rand) % 3);
		struct book b = { .n = 0 };
		void *tasks[4], *task;
		struct grown g;
		u32 i;

		grown_new(&g, 2 + (u32)(seed % 3), bs, seed % 2, 13, 4);
		g.t->mem.read_first = seed % 5 == 0;
		for (i = 0; i < MANY; i++) {
			r = rnd(&rand);
			switch (r % 8) {
			case 0:
				if (g.nr < 5 && r >> 32 & 15)
					break;
				if (g.nr < MAX_PIECES)
					grow(&g, 1 + (r >> 16) % 4, (r >> 24) % 2);
				break;
			case 1:
				stolen(&b, tasks,
				       wsq_bwos_lifo_steal(&g.t->q, tasks,
							   1 + (u32)(r >> 16) % bs));
				break;
			case 2:
				stolen(&b, tasks,
				       wsq_bwos_lifo_steal_at(&g.t->q,
							      (u32)(r >> 16) % 16,
							      tasks, bs));
				break;
			case 3:
				if (r >> 32 & 1) {
					wsq_bwos_lifo_publish(&g.t->q);
					break;
				}
				/* fallthrough */
			case 4:
				task = wsq_bwos_lifo_get(&g.t->q);
				while (b.n && !b.id[b.n - 1])
					b.n--;
				assert_int_equal(id_of(task), b.n ? b.id[b.n - 1] : 0);
				b.n -= !!b.n;
				b.there -= !!task;
				break;
			default:
				if (wsq_bwos_lifo_put(&g.t->q, task_of(id + 1)) >= 0) {
					b.id[b.n++] = ++id;
					b.there++;
				} else {
					assert_true(b.there);
				}
			}
		}
		while ((task = wsq_bwos_lifo_get(&g.t->q))) {
			while (!b.id[b.n - 1])
				b.n--;
			assert_int_equal(id_of(task), b.id[--b.n]);
			b.there--;
		}
		assert_int_equal(b.there, 0);
		g.in = 0;
		g.out = 0;
		laps(&g);
		assert_int_equal(g.t->q.nr_held, 0);
		grown_free(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_position),
		cmocka_unit_test(around_and_full),
		cmocka_unit_test(drained_middle),
		cmocka_unit_test(to_the_limit),
		cmocka_unit_test(held_meanwhile),
		cmocka_unit_test(found_by_all),
		cmocka_unit_test(slot_numbers),
		cmocka_unit_test(at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
