// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of kmod/core in the kernel, with the kernel's own atomics, real
 * preemption and real interrupts. Sanitizers and the model checker run the same
 * source under selftests/core.
 */
#include <kunit/test.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../core/bwos_fifo.h"
#include "../core/inbox.h"
#include "../core/parking.h"
#include "threads.h"

#define NR_SPARE	2

static struct wsq_bwos_fifo *fifo_new(struct kunit *test, u32 cpus, u32 size)
{
	u32 all = cpus + NR_SPARE;
	struct wsq_bwos_block *none;
	struct wsq_bwos_fifo *q;
	struct wsq_bwos_mem *m;

	q = kunit_kzalloc(test, PAGE_ALIGN(sizeof(*q)), GFP_KERNEL);
	none = kunit_kzalloc(test, sizeof(*none), GFP_KERNEL);
	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	KUNIT_ASSERT_NOT_NULL(test, none);
	KUNIT_ASSERT_NOT_NULL(test, m);
	m->first.blocks = kunit_kcalloc(test, all, sizeof(*m->first.blocks),
					GFP_KERNEL);
	m->first.slots = kunit_kcalloc(test, all * size,
				       sizeof(*m->first.slots), GFP_KERNEL);
	m->dir.words = kunit_kcalloc(test, cpus, sizeof(*m->dir.words),
				     GFP_KERNEL);
	m->dir.blocks = kunit_kcalloc(test, all, sizeof(*m->dir.blocks),
				      GFP_KERNEL);
	m->dir.spare = kunit_kcalloc(test, NR_SPARE, sizeof(u16), GFP_KERNEL);
	m->dir.held = kunit_kcalloc(test, NR_SPARE, sizeof(u16), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->first.blocks);
	KUNIT_ASSERT_NOT_NULL(test, m->first.slots);
	KUNIT_ASSERT_NOT_NULL(test, m->dir.words);
	KUNIT_ASSERT_NOT_NULL(test, m->dir.blocks);
	KUNIT_ASSERT_NOT_NULL(test, m->dir.spare);
	KUNIT_ASSERT_NOT_NULL(test, m->dir.held);
	m->dir.max_entries = cpus;
	m->dir.max_blocks = all;
	m->first.nr_entries = cpus;
	m->first.nr_spare = NR_SPARE;
	m->block_size = size;
	wsq_bwos_fifo_init(q, none);
	wsq_bwos_fifo_attach(q, m);
	return q;
}

static struct wsq_bwos_mem *fifo_mem(const struct wsq_bwos_fifo *q)
{
	return (struct wsq_bwos_mem *)(uintptr_t)atomic64_read(&q->mem);
}

static void *id_task(unsigned long id)
{
	return (void *)(id + 1);
}

/* Fill until refused, then empty in order; several rounds, extreme shapes. */
static void fifo_order(struct kunit *test)
{
	static const struct {
		u32 cpus;
		u32 size;
	} shapes[] = { { 2, 2 }, { 2, 3 }, { 3, 2 }, { 8, 256 }, { 64, 2 },
		       { 2, 4096 }, { 64, 4096 } };
	int s, round;

	for (s = 0; s < ARRAY_SIZE(shapes); s++) {
		u32 cpus = shapes[s].cpus, size = shapes[s].size;
		struct wsq_bwos_fifo *q = fifo_new(test, cpus, size);

		for (round = 0; round < 5; round++) {
			unsigned long i, n = 0;

			while (wsq_bwos_fifo_put(q, id_task(n)) >= 0)
				n++;
			/* The consumer's block may be partly used. */
			KUNIT_ASSERT_GE(test, n, (cpus - 1) * size);
			KUNIT_ASSERT_LE(test, n, cpus * size);
			for (i = 0; i < n; i++)
				KUNIT_ASSERT_PTR_EQ(test, wsq_bwos_fifo_get(q),
						    id_task(i));
			KUNIT_ASSERT_NULL(test, wsq_bwos_fifo_get(q));
			KUNIT_ASSERT_TRUE(test, wsq_bwos_fifo_empty(q));
		}
	}
}

/* Thieves are excluded from the consumer's block only. */
static void fifo_steal(struct kunit *test)
{
	struct wsq_bwos_fifo *q = fifo_new(test, 4, 4);
	void *got[4];
	int i;

	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, wsq_bwos_fifo_put(q, id_task(i)), WSQ_OK);
	KUNIT_EXPECT_EQ(test, wsq_bwos_fifo_steal(q, got, 4), WSQ_EMPTY);
	KUNIT_EXPECT_EQ(test, wsq_bwos_fifo_put(q, id_task(4)), WSQ_PUBLISHED);
	KUNIT_EXPECT_EQ(test, wsq_bwos_fifo_steal(q, got, 1), 1);
	KUNIT_EXPECT_PTR_EQ(test, got[0], id_task(4));
	for (i = 5; i < 8; i++)
		KUNIT_ASSERT_EQ(test, wsq_bwos_fifo_put(q, id_task(i)), WSQ_OK);
	KUNIT_EXPECT_EQ(test, wsq_bwos_fifo_steal(q, got, 4), 3);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_PTR_EQ(test, got[i], id_task(5 + i));
	KUNIT_EXPECT_EQ(test, wsq_bwos_fifo_steal(q, got, 4), WSQ_EMPTY);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_fifo_get(q), id_task(i));
	KUNIT_EXPECT_NULL(test, wsq_bwos_fifo_get(q));
}

/* A thief that claims and never counts costs a spare block, nothing else. */
static void fifo_stopped_thief(struct kunit *test)
{
	struct wsq_bwos_fifo *q = fifo_new(test, 2, 2);
	struct wsq_bwos_block *held;
	struct wsq_bwos_dir *dir;
	unsigned long in = 0, out = 0;
	int i;
	s64 s;

	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_GE(test, wsq_bwos_fifo_put(q, id_task(in++)), 0);
	/* Do what a thief does up to BF(steal:D). */
	dir = &fifo_mem(q)->dir;
	held = wsq_bwos_block_at(dir, wsq_bwos_nr(wsq_bwos_at(dir, 1)));
	s = atomic64_read(&held->s_pos);
	KUNIT_ASSERT_EQ(test, wsq_bwos_idx(s), 0);
	KUNIT_ASSERT_EQ(test, atomic64_cmpxchg(&held->s_pos, s, s + 1), s);

	/* Ids 0 and 1 come out, then all others but 2, in order. */
	for (i = 0; i < 1000; i++) {
		if (wsq_bwos_fifo_put(q, id_task(in)) >= 0)
			in++;
		if (out == 2)
			out++;
		KUNIT_ASSERT_PTR_EQ(test, wsq_bwos_fifo_get(q), id_task(out));
		out++;
	}
	KUNIT_EXPECT_EQ(test, q->nr_held, 1);
	atomic64_fetch_add_release(1, &held->s_cnt);
	for (i = 0; i < 8; i++) {
		if (wsq_bwos_fifo_put(q, id_task(in)) >= 0)
			in++;
		KUNIT_ASSERT_PTR_EQ(test, wsq_bwos_fifo_get(q), id_task(out));
		out++;
	}
	KUNIT_EXPECT_EQ(test, q->nr_held, 0);
	KUNIT_EXPECT_EQ(test, q->nr_spare, NR_SPARE);
}

#define STRESS_IDS	WSQ_TEST_MANY(400000)

struct fifo_stress {
	struct wsq_bwos_fifo *q;
	u8 *seen;
	atomic_t doubled;
	atomic64_t taken;
	bool done;
	u32 max;
};

static void stress_saw(struct fifo_stress *s, void *task)
{
	unsigned long id = (unsigned long)task - 1;

	/* Each id has one taker. A plain count would hide a race. */
	if (id >= STRESS_IDS || xchg(&s->seen[id], 1))
		atomic_inc(&s->doubled);
	atomic64_inc(&s->taken);
}

static void stress_thread(void *arg, int nr)
{
	struct fifo_stress *s = arg;
	void *got[64];
	int n, i;

	if (nr) {
		/* Thieves stop only after the owner has counted its tasks. */
		while (!smp_load_acquire(&s->done)) {
			preempt_disable();
			n = wsq_bwos_fifo_steal(s->q, got, s->max);
			preempt_enable();
			for (i = 0; i < n; i++)
				stress_saw(s, got[i]);
			if (n <= 0)
				wsq_test_yield();
		}
		return;
	}
	for (i = 0; i < STRESS_IDS; ) {
		void *task;

		preempt_disable();
		for (n = 0; n < 7 && i < STRESS_IDS; n++) {
			if (wsq_bwos_fifo_put(s->q, id_task(i)) < 0)
				break;
			i++;
		}
		for (n = 0; n < 5; n++) {
			task = wsq_bwos_fifo_get(s->q);
			if (!task)
				break;
			stress_saw(s, task);
		}
		preempt_enable();
	}
	/* Take the tasks that no thief has claimed. */
	preempt_disable();
	for (;;) {
		void *task = wsq_bwos_fifo_get(s->q);

		if (!task)
			break;
		stress_saw(s, task);
	}
	preempt_enable();
	/* All takes of the owner are before this. */
	smp_store_release(&s->done, true);
}

/* Each id comes out exactly once, with one owner and three thieves. */
static void fifo_stress(struct kunit *test)
{
	static const struct {
		u32 cpus;
		u32 size;
		u32 max;
	} shapes[] = { { 2, 2, 1 }, { 2, 3, 64 }, { 4, 2, 2 }, { 8, 64, 32 } };
	int i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct fifo_stress s = {
			.q = fifo_new(test, shapes[i].cpus, shapes[i].size),
			.max = shapes[i].max,
		};

		s.seen = kvzalloc(STRESS_IDS, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, s.seen);
		wsq_test_run(test, 4, stress_thread, &s);
		kvfree(s.seen);
		KUNIT_EXPECT_EQ(test, atomic_read(&s.doubled), 0);
		KUNIT_EXPECT_EQ(test, atomic64_read(&s.taken), STRESS_IDS);
	}
}

struct inbox_stress {
	struct wsq_inbox inbox;
	atomic64_t *links;
	u8 *seen;
	int per_thread;
	atomic_t pushers;
	atomic_t doubled;
	atomic_t disorder;
	atomic_t taken;
};

static void inbox_thread(void *arg, int nr)
{
	struct inbox_stress *s = arg;
	struct wsq_backlog bl;
	atomic64_t *link;
	int i, last[4];

	if (nr) {
		for (i = 0; i < s->per_thread; i++) {
			link = &s->links[(nr - 1) * s->per_thread + i];
			while (wsq_inbox_try_push(&s->inbox, link) ==
			       WSQ_CONFLICT)
				;
		}
		atomic_dec(&s->pushers);
		return;
	}
	for (i = 0; i < 4; i++)
		last[i] = -1;
	wsq_backlog_init(&bl);
	for (;;) {
		bool over = !atomic_read(&s->pushers);

		smp_rmb();	/* Read over before the inbox. */
		if (wsq_backlog_empty(&bl))
			wsq_backlog_fill(&bl, wsq_inbox_take(&s->inbox));
		wsq_test_yield();
		if (!wsq_backlog_reverse(&bl, 16))
			continue;
		link = wsq_backlog_pop(&bl);
		if (!link) {
			if (over && wsq_inbox_empty(&s->inbox))
				return;
			continue;
		}
		i = link - s->links;
		if (s->seen[i]++)
			atomic_inc(&s->doubled);
		if (i % s->per_thread <= last[i / s->per_thread])
			atomic_inc(&s->disorder);
		last[i / s->per_thread] = i % s->per_thread;
		atomic_inc(&s->taken);
	}
}

/* Three pushers, one taker: nothing is lost, each pusher's order is kept. */
static void inbox_stress(struct kunit *test)
{
	struct inbox_stress s = { .per_thread = 50000 };
	int all = 3 * s.per_thread;

	s.links = kvcalloc(all, sizeof(*s.links), GFP_KERNEL);
	s.seen = kvzalloc(all, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s.links);
	KUNIT_ASSERT_NOT_NULL(test, s.seen);
	atomic_set(&s.pushers, 3);
	wsq_inbox_init(&s.inbox);
	wsq_test_run(test, 4, inbox_thread, &s);
	kvfree(s.links);
	kvfree(s.seen);
	KUNIT_EXPECT_EQ(test, atomic_read(&s.doubled), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s.disorder), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s.taken), all);
}

/* One of several claims wins, and only after an announcement. */
static void park_claims(struct kunit *test)
{
	struct wsq_park park;

	wsq_park_init(&park);
	KUNIT_EXPECT_FALSE(test, wsq_park_claim(&park));
	wsq_park_announce(&park);
	KUNIT_EXPECT_TRUE(test, wsq_parked(&park));
	KUNIT_EXPECT_TRUE(test, wsq_park_claim(&park));
	KUNIT_EXPECT_FALSE(test, wsq_park_claim(&park));
	wsq_park_announce(&park);
	KUNIT_EXPECT_TRUE(test, wsq_park_claim(&park));
	KUNIT_EXPECT_FALSE(test, wsq_parked(&park));
	KUNIT_EXPECT_FALSE(test, wsq_park_claim(&park));
}

static struct kunit_case core_cases[] = {
	KUNIT_CASE(fifo_order),
	KUNIT_CASE(fifo_steal),
	KUNIT_CASE(fifo_stopped_thief),
	KUNIT_CASE(fifo_stress),
	KUNIT_CASE(inbox_stress),
	KUNIT_CASE(park_claims),
	{}
};

static struct kunit_suite core_suite = {
	.name = "wsq_core",
	.test_cases = core_cases,
};

kunit_test_suite(core_suite);
