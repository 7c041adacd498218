/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Items that sleep until all of them are released, for suites that put many on
 * one CPU.
 *
 * The items of a crowd end when enough of them have begun, or when the test
 * releases them. A test that gives up waiting releases them as well, so that
 * nothing is left for the tests that follow.
 */
#ifndef _WSQ_TESTS_CROWD_H
#define _WSQ_TESTS_CROWD_H

#include "items.h"

struct wsq_test_crowd;

/**
 * struct wsq_test_sleeper - an item that sleeps
 * @it: the item
 * @crowd: the items that are released together
 */
struct wsq_test_sleeper {
	struct wsq_test_item it;
	struct wsq_test_crowd *crowd;
};

/**
 * struct wsq_test_crowd - items that sleep until all are released
 * @items: the items
 * @nr: how many
 * @enough: the @enough-th item that begins releases all; 0 if none does
 * @begun: how many have begun
 * @go: they may end
 */
struct wsq_test_crowd {
	struct wsq_test_sleeper *items;
	int nr;
	int enough;
	atomic_t begun;
	struct completion go;
};

static inline void wsq_test_sleeper_fn(struct wsq_work *work)
{
	struct wsq_test_sleeper *s = container_of(work, struct wsq_test_sleeper,
						  it.work);
	struct wsq_test_crowd *crowd = s->crowd;

	wsq_test_enter(&s->it);
	if (atomic_inc_return(&crowd->begun) == crowd->enough)
		complete_all(&crowd->go);
	wait_for_completion(&crowd->go);
	wsq_test_leave(&s->it);
}

/* Make a crowd; wsq_test_crowd_end() frees it. */
static inline struct wsq_test_crowd *
wsq_test_crowd(struct kunit *test, int nr, int enough)
{
	struct wsq_test_crowd *crowd = kzalloc(sizeof(*crowd), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, crowd);
	crowd->items = vzalloc(array_size(max(nr, 1), sizeof(*crowd->items)));
	KUNIT_ASSERT_NOT_NULL(test, crowd->items);
	crowd->nr = nr;
	crowd->enough = enough;
	init_completion(&crowd->go);
	for (i = 0; i < nr; i++) {
		wsq_test_item_init(&crowd->items[i].it, NULL,
				   wsq_test_sleeper_fn);
		crowd->items[i].it.id = i;
		crowd->items[i].crowd = crowd;
	}
	return crowd;
}

/* Queue items @from to @to - 1, bound to @cpu unless it is %WSQ_CPU_ANY. */
static inline void wsq_test_crowd_put(struct kunit *test,
				      struct wsq_test_crowd *crowd,
				      struct wsq *q, int cpu, int from, int to)
{
	int i;

	for (i = from; i < to; i++)
		KUNIT_EXPECT_TRUE(test,
				  wsq_queue_work_on(cpu, q,
						    &crowd->items[i].it.work));
}

/* Queue all items of a crowd. */
static inline void wsq_test_crowd_queue(struct kunit *test,
					struct wsq_test_crowd *crowd,
					struct wsq *q, int cpu)
{
	wsq_test_crowd_put(test, crowd, q, cpu, 0, crowd->nr);
}

/* Wait until @nr items have begun. Fails the test if they do not. */
static inline bool wsq_test_crowd_begun(struct kunit *test,
					struct wsq_test_crowd *crowd, int nr)
{
	bool ok = wsq_test_until(atomic_read(&crowd->begun) >= nr);

	KUNIT_EXPECT_TRUE_MSG(test, ok, "%d of %d items have begun",
			      atomic_read(&crowd->begun), nr);
	return ok;
}

static inline void wsq_test_crowd_go(struct wsq_test_crowd *crowd)
{
	complete_all(&crowd->go);
}

static inline void wsq_test_crowd_free(struct wsq_test_crowd *crowd)
{
	vfree(crowd->items);
	kfree(crowd);
}

/* Release the items, flush @q, check that each ran once, and free them. */
static inline void wsq_test_crowd_end(struct kunit *test,
				      struct wsq_test_crowd *crowd,
				      struct wsq *q)
{
	int i;

	wsq_test_crowd_go(crowd);
	wsq_test_call(test, wsq_test_flush, q);
	for (i = 0; i < crowd->nr; i++)
		wsq_test_expect_runs(test, &crowd->items[i].it, 1, 1);
	wsq_test_crowd_free(crowd);
}

#endif /* _WSQ_TESTS_CROWD_H */
