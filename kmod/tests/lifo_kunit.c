// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the LIFO queue (kmod/core/bwos_lifo.h) in the kernel, with the
 * kernel's own atomics, real preemption, and a timer interrupt that acts as
 * owner between the owner's operations. Sanitizers and the model checker run
 * the same source under selftests/core.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../compat/hrtimer.h"
#include "../core/bwos_lifo.h"
#include "threads.h"

#define NR_SPARE	2

static struct wsq_bwos_lifo *lifo_new(struct kunit *test, u32 cpus, u32 size)
{
	struct wsq_bwos_lifo_mem *m;
	struct wsq_bwos_lifo *q;
	u32 all = cpus + NR_SPARE;

	/* Whole pages: smaller allocations may share cache lines. */
	q = kunit_kzalloc(test, PAGE_ALIGN(sizeof(*q)), GFP_KERNEL);
	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	KUNIT_ASSERT_NOT_NULL(test, m);
	m->first.blocks = kunit_kzalloc(test, PAGE_ALIGN(all * sizeof(*m->first.blocks)),
					GFP_KERNEL);
	m->first.slots = kunit_kcalloc(test, all * size,
				       sizeof(*m->first.slots), GFP_KERNEL);
	m->dir.words = kunit_kcalloc(test, cpus, sizeof(*m->dir.words),
				     GFP_KERNEL);
	m->dir.blocks = kunit_kcalloc(test, all, sizeof(*m->dir.blocks),
				      GFP_KERNEL);
	m->dir.spare = kunit_kcalloc(test, NR_SPARE, sizeof(u16), GFP_KERNEL);
	m->dir.held = kunit_kcalloc(test, NR_SPARE, sizeof(u16), GFP_KERNEL);
	m->below = kunit_kcalloc(test, cpus, sizeof(u16), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->first.blocks);
	KUNIT_ASSERT_NOT_NULL(test, m->first.slots);
	KUNIT_ASSERT_NOT_NULL(test, m->dir.words);
	KUNIT_ASSERT_NOT_NULL(test, m->dir.blocks);
	KUNIT_ASSERT_NOT_NULL(test, m->dir.spare);
	KUNIT_ASSERT_NOT_NULL(test, m->dir.held);
	KUNIT_ASSERT_NOT_NULL(test, m->below);
	m->dir.max_entries = cpus;
	m->dir.max_blocks = all;
	m->first.nr_entries = cpus;
	m->first.nr_spare = NR_SPARE;
	m->block_size = size;
	wsq_bwos_lifo_init(q);
	wsq_bwos_lifo_attach(q, m);
	return q;
}

static void *id_task(unsigned long id)
{
	return (void *)(id + 1);
}

/* Fill until refused, then empty, last in first out; extreme shapes. */
static void lifo_order(struct kunit *test)
{
	static const struct {
		u32 cpus;
		u32 size;
	} shapes[] = { { 2, 2 }, { 2, 3 }, { 3, 2 }, { 8, 256 }, { 64, 2 },
		       { 2, 4096 }, { 64, 4096 } };
	int s, round;

	for (s = 0; s < ARRAY_SIZE(shapes); s++) {
		unsigned long i, n = (unsigned long)shapes[s].cpus * shapes[s].size;
		struct wsq_bwos_lifo *q = lifo_new(test, shapes[s].cpus,
						   shapes[s].size);

		for (round = 0; round < 5; round++) {
			for (i = 0; i < n; i++)
				KUNIT_ASSERT_EQ(test, wsq_bwos_lifo_put(q, id_task(i)),
						i && i % shapes[s].size == 0 ?
						WSQ_PUBLISHED : WSQ_OK);
			KUNIT_ASSERT_EQ(test, wsq_bwos_lifo_put(q, id_task(n)),
					WSQ_FULL);
			for (i = n; i; i--)
				KUNIT_ASSERT_PTR_EQ(test, wsq_bwos_lifo_get(q),
						    id_task(i - 1));
			KUNIT_ASSERT_NULL(test, wsq_bwos_lifo_get(q));
			KUNIT_ASSERT_TRUE(test, wsq_bwos_lifo_empty(q));
		}
	}
}

/* Thieves cannot take from the owner's block; in others, the oldest first. */
static void lifo_steal(struct kunit *test)
{
	struct wsq_bwos_lifo *q = lifo_new(test, 4, 4);
	void *got[4];
	int i;

	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, wsq_bwos_lifo_put(q, id_task(i)), WSQ_OK);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal(q, got, 4), WSQ_EMPTY);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_put(q, id_task(4)), WSQ_PUBLISHED);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal(q, got, 2), 2);
	KUNIT_EXPECT_PTR_EQ(test, got[0], id_task(0));
	KUNIT_EXPECT_PTR_EQ(test, got[1], id_task(1));
	for (i = 4; i >= 2; i--)
		KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_get(q), id_task(i));
	KUNIT_EXPECT_NULL(test, wsq_bwos_lifo_get(q));
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal(q, got, 4), WSQ_EMPTY);
}

/* Tasks in the owner's block can be stolen once the owner publishes it. */
static void lifo_publish(struct kunit *test)
{
	struct wsq_bwos_lifo *q = lifo_new(test, 4, 4);
	void *got[4];
	int i;

	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_publish(q), WSQ_EMPTY);
	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, wsq_bwos_lifo_put(q, id_task(i)), WSQ_OK);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal(q, got, 4), WSQ_EMPTY);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_publish(q), WSQ_PUBLISHED);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_publish(q), WSQ_OK);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal(q, got, 1), 1);
	KUNIT_EXPECT_PTR_EQ(test, got[0], id_task(0));
	KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_get(q), id_task(2));
	KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_get(q), id_task(1));
	KUNIT_EXPECT_NULL(test, wsq_bwos_lifo_get(q));
}

/* Put a task into a claimed slot, which is empty. Returns the slot's number. */
static u32 claimed_put(struct kunit *test, struct wsq_bwos_lifo *q,
		       unsigned long id)
{
	struct wsq_bwos_space space = { .n = 0 };

	KUNIT_EXPECT_GE(test, wsq_bwos_lifo_reserve(q, &space), 0);
	KUNIT_EXPECT_NULL(test, wsq_slot_peek(&q->slots[space.b]));
	wsq_bwos_lifo_fill(q, &space, 0, id_task(id));
	wsq_bwos_lifo_commit(q, &space, 1);
	return space.nr;
}

/* A task taken out of its slot leaves a tombstone, which all skip. */
static void lifo_claims(struct kunit *test)
{
	struct wsq_bwos_lifo *q = lifo_new(test, 3, 4);
	void *got[4];
	u32 where[9];
	int i, round;

	for (round = 0; round < 5; round++) {
		for (i = 0; i < 9; i++)
			where[i] = claimed_put(test, q, i);
		KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_sample(q, q->index), 0);
		/* A hole in the lowest block, the next, and the owner's. */
		KUNIT_EXPECT_TRUE(test, wsq_bwos_lifo_remove(q, where[1], id_task(1)));
		KUNIT_EXPECT_FALSE(test, wsq_bwos_lifo_remove(q, where[1], id_task(1)));
		KUNIT_EXPECT_FALSE(test, wsq_bwos_lifo_remove(q, where[2], id_task(1)));
		KUNIT_EXPECT_FALSE(test, wsq_bwos_lifo_remove(q, U32_MAX, id_task(1)));
		KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal_claim(q, got, 4), 3);
		KUNIT_EXPECT_PTR_EQ(test, got[0], id_task(0));
		KUNIT_EXPECT_PTR_EQ(test, got[1], id_task(2));
		KUNIT_EXPECT_TRUE(test, wsq_bwos_lifo_remove(q, where[6], id_task(6)));
		KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal_active(q, got, 4), 1);
		KUNIT_EXPECT_PTR_EQ(test, got[0], id_task(8));
		KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_claim(q), WSQ_TOMB);
		KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_claim(q), id_task(7));
		KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_claim(q), WSQ_TOMB);
		KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_claim(q), id_task(5));
		KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_claim(q), id_task(4));
		KUNIT_EXPECT_NULL(test, wsq_bwos_lifo_claim(q));
	}
}

/* A task that is put again each time it is taken does not starve the others. */
static void lifo_oldest(struct kunit *test)
{
	struct wsq_bwos_lifo *q = lifo_new(test, 4, 4);
	unsigned long seen = 0, takes = 0;
	int i;

	for (i = 0; i < 13; i++)
		claimed_put(test, q, i);
	while (seen < 12 && takes++ < 200) {
		void *task = takes % 8 ? wsq_bwos_lifo_claim(q) :
			     wsq_bwos_lifo_claim_oldest(q);

		if (task == id_task(12))
			claimed_put(test, q, 12);
		else
			KUNIT_EXPECT_PTR_EQ(test, task, id_task(seen++));
	}
	KUNIT_EXPECT_EQ(test, seen, 12);
	KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_claim_oldest(q), id_task(12));
	KUNIT_EXPECT_NULL(test, wsq_bwos_lifo_claim_oldest(q));
}

#define STRESS_IDS	WSQ_TEST_MANY(400000)

/**
 * struct lifo_stress - an owner with thieves
 * @q: the queue
 * @seen: which ids came out
 * @doubled: how many came out more than once
 * @taken: how many came out
 * @done: the owner has found the queue empty for the last time
 * @max: how many tasks a thief takes at a time
 * @claimed: use the functions with claimed slots
 * @where: for those, the slot number of each id. Owner
 * @next: the next id. Owner; others read it as a hint
 * @timer: the interrupt that acts as owner
 * @inside: the owner is in an operation. Owner, and read on its CPU
 * @has_published: how often the interrupt published or took something. Owner's
 *	CPU
 * @out: how many tasks were taken out of their slots. The last thread
 */
struct lifo_stress {
	struct wsq_bwos_lifo *q;
	u8 *seen;
	atomic_t doubled;
	atomic64_t taken;
	bool done;
	u32 max;
	bool claimed;
	u32 *where;
	int next;
	struct hrtimer timer;
	bool inside;
	unsigned long has_published;
	unsigned long out;
};

static void stress_saw(struct lifo_stress *s, void *task)
{
	unsigned long id = (unsigned long)task - 1;

	/* Each id has one taker. A plain count would hide a race. */
	if (id >= STRESS_IDS || xchg(&s->seen[id], 1))
		atomic_inc(&s->doubled);
	atomic64_inc(&s->taken);
}

/* The owner may be held up: the interrupt acts as owner. */
static enum hrtimer_restart stress_share(struct hrtimer *timer)
{
	struct lifo_stress *s = container_of(timer, struct lifo_stress, timer);

	if (READ_ONCE(s->inside)) {
		/* The owner is in an operation. */
	} else if (s->claimed) {
		void *task = wsq_bwos_lifo_claim_oldest(s->q);

		if (task && task != WSQ_TOMB) {
			stress_saw(s, task);
			s->has_published++;
		}
	} else if (wsq_bwos_lifo_publish(s->q) == WSQ_PUBLISHED) {
		s->has_published++;
	}
	hrtimer_forward_now(timer, us_to_ktime(200));
	return HRTIMER_RESTART;
}

static void stress_inside(struct lifo_stress *s, bool inside)
{
	/* The interrupt is on this CPU. */
	barrier();
	WRITE_ONCE(s->inside, inside);
	barrier();
}

static void stress_thief(struct lifo_stress *s)
{
	void *got[64];
	int n, i;

	/* Thieves stop only after the owner has counted its tasks. */
	while (!smp_load_acquire(&s->done)) {
		preempt_disable();
		n = s->claimed ? wsq_bwos_lifo_steal_claim(s->q, got, s->max) :
				 wsq_bwos_lifo_steal(s->q, got, s->max);
		preempt_enable();
		for (i = 0; i < n; i++)
			stress_saw(s, got[i]);
		if (n <= 0)
			wsq_test_yield();
	}
}

/* Takes tasks out of their slots: in the owner's block, and recent ones. */
static void stress_outsider(struct lifo_stress *s)
{
	unsigned long out = 0;
	void *got[4];
	int n, i, id;

	/* It stops only after the owner has counted its tasks. */
	while (!smp_load_acquire(&s->done)) {
		preempt_disable();
		n = wsq_bwos_lifo_steal_active(s->q, got, 4);
		preempt_enable();
		for (i = 0; i < n; i++)
			stress_saw(s, got[i]);
		out += n;
		for (i = 1; i < 8; i++) {
			bool gone;

			id = READ_ONCE(s->next) - i;
			if (id < 0)
				break;
			preempt_disable();
			gone = wsq_bwos_lifo_remove(s->q, READ_ONCE(s->where[id]),
						    id_task(id));
			preempt_enable();
			if (!gone)
				continue;
			stress_saw(s, id_task(id));
			out++;
		}
		wsq_test_yield();
	}
	s->out = out;
}

static int stress_put(struct lifo_stress *s, int id)
{
	struct wsq_bwos_space space;
	int ret;

	if (!s->claimed)
		return wsq_bwos_lifo_put(s->q, id_task(id));
	ret = wsq_bwos_lifo_reserve(s->q, &space);
	if (ret < 0)
		return ret;
	WRITE_ONCE(s->where[id], space.nr);
	wsq_bwos_lifo_fill(s->q, &space, 0, id_task(id));
	wsq_bwos_lifo_commit(s->q, &space, 1);
	WRITE_ONCE(s->next, id + 1);
	return ret;
}

/* Gets up to @nr tasks; false if there were fewer. */
static bool stress_get(struct lifo_stress *s, int nr)
{
	void *task;

	for (; nr; nr--) {
		stress_inside(s, true);
		task = s->claimed ? wsq_bwos_lifo_claim(s->q) :
				    wsq_bwos_lifo_get(s->q);
		stress_inside(s, false);
		if (!task)
			return false;
		if (task != WSQ_TOMB)
			stress_saw(s, task);
	}
	return true;
}

static void stress_thread(void *arg, int nr)
{
	struct lifo_stress *s = arg;
	int i = 0, n, ret;
	bool more;

	if (nr == 3 && s->claimed) {
		stress_outsider(s);
		return;
	}
	if (nr) {
		stress_thief(s);
		return;
	}
	wsq_hrtimer_setup(&s->timer, stress_share, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&s->timer, us_to_ktime(200), HRTIMER_MODE_REL_PINNED_HARD);
	while (i < STRESS_IDS) {
		preempt_disable();
		for (n = 0; n < 7 && i < STRESS_IDS; n++) {
			stress_inside(s, true);
			ret = stress_put(s, i);
			stress_inside(s, false);
			if (ret < 0)
				break;
			i++;
		}
		stress_get(s, 5);
		preempt_enable();
	}
	hrtimer_cancel(&s->timer);
	/* Take the tasks that no thief has claimed. */
	do {
		preempt_disable();
		more = stress_get(s, 64);
		preempt_enable();
	} while (more);
	/* All takes of the owner are before this. */
	smp_store_release(&s->done, true);
}

static void stress_run(struct kunit *test, bool claimed)
{
	static const struct {
		u32 cpus;
		u32 size;
		u32 max;
	} shapes[] = { { 2, 2, 1 }, { 2, 3, 64 }, { 4, 2, 2 }, { 8, 64, 32 } };
	unsigned long has_published = 0, out = 0;
	int i, nr = ARRAY_SIZE(shapes);

	/* Again if the interrupt or the outsider got no time. */
	for (i = 0; i < nr || (i < 10 * nr && (!has_published || (claimed && !out))); i++) {
		struct lifo_stress *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, s);
		s->q = lifo_new(test, shapes[i % nr].cpus, shapes[i % nr].size);
		s->max = shapes[i % nr].max;
		s->claimed = claimed;
		s->seen = kvzalloc(STRESS_IDS, GFP_KERNEL);
		s->where = kvcalloc(STRESS_IDS, sizeof(*s->where), GFP_KERNEL);
		if (s->seen && s->where)
			wsq_test_run(test, 4, stress_thread, s);
		else
			KUNIT_FAIL(test, "no memory");
		kvfree(s->where);
		kvfree(s->seen);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->doubled), 0);
		KUNIT_EXPECT_EQ(test, atomic64_read(&s->taken), STRESS_IDS);
		has_published += s->has_published;
		out += s->out;
	}
	wsq_test_met(test, has_published, "the interrupt found nothing");
	wsq_test_met(test, out || !claimed, "the outsider found nothing");
}

/* Each id comes out exactly once, with one owner and three thieves. */
static void lifo_stress(struct kunit *test)
{
	stress_run(test, false);
}

/* With claimed slots. One of the three takes tasks out of their slots. */
static void lifo_claim_stress(struct kunit *test)
{
	stress_run(test, true);
}

static struct kunit_case lifo_cases[] = {
	KUNIT_CASE(lifo_order),
	KUNIT_CASE(lifo_steal),
	KUNIT_CASE(lifo_publish),
	KUNIT_CASE(lifo_claims),
	KUNIT_CASE(lifo_oldest),
	KUNIT_CASE(lifo_stress),
	KUNIT_CASE(lifo_claim_stress),
	{}
};

static struct kunit_suite lifo_suite = {
	.name = "wsq_lifo",
	.test_cases = lifo_cases,
};

kunit_test_suite(lifo_suite);
