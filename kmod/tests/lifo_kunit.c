// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the LIFO queue (kmod/core/bwos_lifo.h) in the kernel: with the
 * kernel's own atomics, real preemption, and a timer's interrupt that plays the
 * owner between its operations. What sanitizers and the model checker say of the
 * same source is under selftests/core.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../compat/hrtimer.h"
#include "../core/bwos_lifo.h"
#include "threads.h"

#define NR_SPARE	2

static struct wsq_bwos_lifo *lifo_new(struct kunit *test, u32 places, u32 size)
{
	struct wsq_bwos_lifo_mem *m;
	struct wsq_bwos_lifo *q;
	u32 all = places + NR_SPARE;

	/* Whole pages: what is smaller need not be on lines of its own. */
	q = kunit_kzalloc(test, PAGE_ALIGN(sizeof(*q)), GFP_KERNEL);
	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	KUNIT_ASSERT_NOT_NULL(test, m);
	m->blocks = kunit_kzalloc(test, PAGE_ALIGN(all * sizeof(*m->blocks)),
				  GFP_KERNEL);
	m->slots = kunit_kcalloc(test, all * size, sizeof(*m->slots),
				 GFP_KERNEL);
	m->dir = kunit_kcalloc(test, places, sizeof(*m->dir), GFP_KERNEL);
	m->spare = kunit_kcalloc(test, NR_SPARE, sizeof(u16), GFP_KERNEL);
	m->held = kunit_kcalloc(test, NR_SPARE, sizeof(u16), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->blocks);
	KUNIT_ASSERT_NOT_NULL(test, m->slots);
	KUNIT_ASSERT_NOT_NULL(test, m->dir);
	KUNIT_ASSERT_NOT_NULL(test, m->spare);
	KUNIT_ASSERT_NOT_NULL(test, m->held);
	m->nr_places = places;
	m->block_size = size;
	m->nr_spare = NR_SPARE;
	wsq_bwos_lifo_init(q);
	wsq_bwos_lifo_mount(q, m);
	return q;
}

static void *id_task(unsigned long id)
{
	return (void *)(id + 1);
}

/* Fill, refuse, empty, the last first, several times, at all extremes. */
static void lifo_order(struct kunit *test)
{
	static const struct {
		u32 places;
		u32 size;
	} shapes[] = { { 2, 2 }, { 2, 3 }, { 3, 2 }, { 8, 256 }, { 64, 2 },
		       { 2, 4096 }, { 64, 4096 } };
	int s, round;

	for (s = 0; s < ARRAY_SIZE(shapes); s++) {
		unsigned long i, n = (unsigned long)shapes[s].places * shapes[s].size;
		struct wsq_bwos_lifo *q = lifo_new(test, shapes[s].places,
						   shapes[s].size);

		for (round = 0; round < 5; round++) {
			for (i = 0; i < n; i++)
				KUNIT_ASSERT_EQ(test, wsq_bwos_lifo_put(q, id_task(i)),
						i && i % shapes[s].size == 0 ?
						WSQ_OPENED : WSQ_OK);
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

/* Thieves are shut out of the owner's block, and take the oldest of others. */
static void lifo_steal(struct kunit *test)
{
	struct wsq_bwos_lifo *q = lifo_new(test, 4, 4);
	void *got[4];
	int i;

	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, wsq_bwos_lifo_put(q, id_task(i)), WSQ_OK);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal(q, got, 4), WSQ_EMPTY);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_put(q, id_task(4)), WSQ_OPENED);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal(q, got, 2), 2);
	KUNIT_EXPECT_PTR_EQ(test, got[0], id_task(0));
	KUNIT_EXPECT_PTR_EQ(test, got[1], id_task(1));
	for (i = 4; i >= 2; i--)
		KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_get(q), id_task(i));
	KUNIT_EXPECT_NULL(test, wsq_bwos_lifo_get(q));
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal(q, got, 4), WSQ_EMPTY);
}

/* What is in the owner's block can be had when the owner shares it. */
static void lifo_share(struct kunit *test)
{
	struct wsq_bwos_lifo *q = lifo_new(test, 4, 4);
	void *got[4];
	int i;

	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_share(q), WSQ_EMPTY);
	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, wsq_bwos_lifo_put(q, id_task(i)), WSQ_OK);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal(q, got, 4), WSQ_EMPTY);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_share(q), WSQ_OPENED);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_share(q), WSQ_OK);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_steal(q, got, 1), 1);
	KUNIT_EXPECT_PTR_EQ(test, got[0], id_task(0));
	KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_get(q), id_task(2));
	KUNIT_EXPECT_PTR_EQ(test, wsq_bwos_lifo_get(q), id_task(1));
	KUNIT_EXPECT_NULL(test, wsq_bwos_lifo_get(q));
}

#define STRESS_IDS	400000

/**
 * struct lifo_stress - an owner with thieves
 * @q: the queue
 * @seen: which ids came out
 * @doubled: how many came out more than once
 * @taken: how many came out
 * @done: the owner has found the queue empty for the last time
 * @max: how many thieves take at a time
 * @timer: the interrupt that shares what the owner has
 * @inside: the owner is in an operation. Owner, and read on its CPU
 * @shared: how often the interrupt did so. Owner's CPU
 */
struct lifo_stress {
	struct wsq_bwos_lifo *q;
	u8 *seen;
	atomic_t doubled;
	atomic64_t taken;
	bool done;
	u32 max;
	struct hrtimer timer;
	bool inside;
	unsigned long shared;
};

static void stress_saw(struct lifo_stress *s, void *task)
{
	unsigned long id = (unsigned long)task - 1;

	/* One taker for each id: a plain count would hide a race. */
	if (id >= STRESS_IDS || xchg(&s->seen[id], 1))
		atomic_inc(&s->doubled);
	atomic64_inc(&s->taken);
}

/* The owner is held up, for all that is known: it plays the owner. */
static enum hrtimer_restart stress_share(struct hrtimer *timer)
{
	struct lifo_stress *s = container_of(timer, struct lifo_stress, timer);

	if (!READ_ONCE(s->inside) && wsq_bwos_lifo_share(s->q) == WSQ_OPENED)
		s->shared++;
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

	/* What the owner took is counted before. */
	while (!smp_load_acquire(&s->done)) {
		preempt_disable();
		n = wsq_bwos_lifo_steal(s->q, got, s->max);
		preempt_enable();
		for (i = 0; i < n; i++)
			stress_saw(s, got[i]);
		if (n <= 0)
			wsq_test_breathe();
	}
}

/* Gets up to @nr; false if there was less. */
static bool stress_get(struct lifo_stress *s, int nr)
{
	void *task;

	for (; nr; nr--) {
		stress_inside(s, true);
		task = wsq_bwos_lifo_get(s->q);
		stress_inside(s, false);
		if (!task)
			return false;
		stress_saw(s, task);
	}
	return true;
}

static void stress_thread(void *arg, int nr)
{
	struct lifo_stress *s = arg;
	int i = 0, n, ret;
	bool more;

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
			ret = wsq_bwos_lifo_put(s->q, id_task(i));
			stress_inside(s, false);
			if (ret < 0)
				break;
			i++;
		}
		stress_get(s, 5);
		preempt_enable();
	}
	hrtimer_cancel(&s->timer);
	/* What thieves have not claimed is ours. */
	do {
		preempt_disable();
		more = stress_get(s, 64);
		preempt_enable();
	} while (more);
	/* After the last take. */
	smp_store_release(&s->done, true);
}

/* Each id comes out exactly once, with one owner and three thieves. */
static void lifo_stress(struct kunit *test)
{
	static const struct {
		u32 places;
		u32 size;
		u32 max;
	} shapes[] = { { 2, 2, 1 }, { 2, 3, 64 }, { 4, 2, 2 }, { 8, 64, 32 } };
	unsigned long shared = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct lifo_stress *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, s);
		s->q = lifo_new(test, shapes[i].places, shapes[i].size);
		s->max = shapes[i].max;
		s->seen = kvzalloc(STRESS_IDS, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, s->seen);
		wsq_test_run(test, 4, stress_thread, s);
		kvfree(s->seen);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->doubled), 0);
		KUNIT_EXPECT_EQ(test, atomic64_read(&s->taken), STRESS_IDS);
		shared += s->shared;
	}
	/* The interrupt did come, and found something. */
	KUNIT_EXPECT_GT(test, shared, 0);
}

static struct kunit_case lifo_cases[] = {
	KUNIT_CASE(lifo_order),
	KUNIT_CASE(lifo_steal),
	KUNIT_CASE(lifo_share),
	KUNIT_CASE(lifo_stress),
	{}
};

static struct kunit_suite lifo_suite = {
	.name = "wsq_lifo",
	.test_cases = lifo_cases,
};

kunit_test_suite(lifo_suite);
