/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps of the unit tests of claimed slots, of any engine: each asserts its
 * result.
 *
 * For: claims.c, lifo_claims.c, attach.c, which have included cmocka.h.
 */
#ifndef _WSQ_SELFTESTS_UNIT_CLAIMS_H
#define _WSQ_SELFTESTS_UNIT_CLAIMS_H

#include "queue.h"

/* Slot @k of @space must be empty, and gets a task. */
static inline void fill(struct queue *t, const struct wsq_bwos_space *space, u32 k,
			u64 id)
{
	wsq_slot_t *slot = engine_slot(&t->q, space, k);

	assert_null(wsq_slot_peek(slot));
	engine(fill)(&t->q, space, k, task_of(id));
	assert_ptr_equal(wsq_slot_peek(slot), task_of(id));
}

/* Puts tasks first to last, each with its own commit. */
static inline void put(struct queue *t, u64 first, u64 last)
{
	struct wsq_bwos_space space = { .n = 0 };

	for (; first <= last; first++) {
		assert_true(engine(reserve)(&t->q, &space) >= 0);
		fill(t, &space, 0, first);
		engine(commit)(&t->q, &space, 1);
	}
}

static inline void claim_is(struct queue *t, u64 id)
{
	assert_int_equal(id_of(engine(claim)(&t->q)), id);
}

static inline void claim_is_tomb(struct queue *t)
{
	assert_ptr_equal(engine(claim)(&t->q), WSQ_TOMB);
}

static inline void space_is(struct queue *t, int ret, u32 nr, u32 n)
{
	struct wsq_bwos_space space = { .n = 0 };

	assert_int_equal(engine(reserve)(&t->q, &space), ret);
	assert_int_equal(space.nr, nr);
	assert_int_equal(space.n, n);
}

static inline void is_full(struct queue *t)
{
	struct wsq_bwos_space space = { .n = 0 };

	assert_int_equal(engine(reserve)(&t->q, &space), WSQ_FULL);
}

/* Removes a task by its slot's number, or finds that it is not there. */
static inline void out(struct queue *t, u32 nr, u64 id, bool there)
{
	assert_int_equal(engine(remove)(&t->q, nr, task_of(id)), there);
}

#endif /* _WSQ_SELFTESTS_UNIT_CLAIMS_H */
