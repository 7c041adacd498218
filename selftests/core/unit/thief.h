/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps of the unit tests of a block engine, and a thief by hand, which can
 * sleep where no schedule would put it: BF or LI, (steal:A..C), then (steal:D),
 * then (steal:E..F).
 *
 * For: bwos_fifo.c, bwos_lifo.c, which have included cmocka.h.
 */
#ifndef _WSQ_SELFTESTS_UNIT_THIEF_H
#define _WSQ_SELFTESTS_UNIT_THIEF_H

#include "queue.h"

static inline void put_ok(struct queue *t, u64 id)
{
	assert_true(engine(put)(&t->q, task_of(id)) >= 0);
}

static inline void get_is(struct queue *t, u64 id)
{
	assert_int_equal(id_of(engine(get)(&t->q)), id);
}

struct thief {
	engine_block *blk;
	wsq_slot_t *slot;
	u64 s, n;
};

static inline void thief_looks(struct queue *t, struct thief *th, u32 index)
{
	u64 b;

	th->blk = mem_block(&t->mem, index);
	th->s = (u64)atomic64_read_acquire(&th->blk->s_pos);
	th->slot = &th->blk->slots[wsq_bwos_idx(th->s)];
	b = (u64)atomic64_read_acquire(&th->blk->b_pos);
	assert_int_equal(wsq_bwos_round(b), wsq_bwos_round(th->s));
	assert_true(b > th->s);
	th->n = b - th->s;
}

static inline bool thief_claims(struct thief *th, u64 n)
{
	th->n = n;
	return (u64)atomic64_cmpxchg_relaxed(&th->blk->s_pos, (s64)th->s,
					     (s64)(th->s + n)) == th->s;
}

static inline u64 thief_counts(struct thief *th)
{
	u64 id = id_of(wsq_slot_read(th->slot));

	atomic64_fetch_add_release((s64)th->n, &th->blk->s_cnt);
	return id;
}

#endif /* _WSQ_SELFTESTS_UNIT_THIEF_H */
