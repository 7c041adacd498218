/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the unit tests of SALSA: operations with an expected result. Part
 * of unit/salsa*.c.
 */
#ifndef _WSQ_UNIT_SALSA_OPS_H
#define _WSQ_UNIT_SALSA_OPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pool.h"
#include "chunk_thief.h"

static inline void open_is(struct pool *t, u32 p, u32 c, int ret)
{
	assert_int_equal(wsq_salsa_open(t->p[p], t->c[c]), ret);
}

/* Puts tasks first to last, in chunks of consumer @c. */
static inline void put(struct pool *t, u32 p, u32 c, u64 first, u64 last)
{
	for (; first <= last; first++) {
		if (wsq_salsa_put(t->p[p], task_of(first)) == WSQ_OK)
			continue;
		open_is(t, p, c, WSQ_OK);
		assert_int_equal(wsq_salsa_put(t->p[p], task_of(first)), WSQ_OK);
	}
}

static inline void get_is(struct pool *t, u32 c, u64 id)
{
	assert_int_equal(id_of(wsq_salsa_get(t->c[c])), id);
	assert_int_equal(atomic64_read(&t->c[c]->busy), 0);
}

static inline void gets_are(struct pool *t, u32 c, u64 first, u64 last)
{
	for (; first <= last; first++)
		get_is(t, c, first);
}

static inline void claim_is(struct pool *t, u32 c, u64 id)
{
	assert_int_equal(id_of(wsq_salsa_claim(t->c[c])), id);
}

static inline void claim_is_taken(struct pool *t, u32 c)
{
	assert_ptr_equal(wsq_salsa_claim(t->c[c]), WSQ_SALSA_TAKEN);
}

static inline void steal_is(struct pool *t, u32 c, u32 v, bool may_fence, int ret,
		     u64 id)
{
	void *task = task_of(12345);

	assert_int_equal(thief_steal_and_get(t->c[c], t->c[v], may_fence, &task),
			 ret);
	assert_int_equal(id_of(task), id);
	assert_int_equal(atomic64_read(&t->c[c]->busy), 0);
}

/* The owner word of chunk @nr. */
static inline void chunk_is(struct pool *t, u32 nr, u32 state, u32 id, u64 index,
		     u32 epoch, bool claims)
{
	u64 word = (u64)atomic64_read(&t->chunk[nr]->owner);

	assert_int_equal(wsq_salsa_state(word), state);
	assert_int_equal(wsq_salsa_id(word), id);
	assert_int_equal(wsq_salsa_index(word), index);
	assert_int_equal(wsq_salsa_epoch(word), epoch);
	assert_int_equal(!!(word & WSQ_SALSA_CLAIMS), claims);
}

static inline u64 tag(struct pool *t, u32 nr)
{
	return (u64)atomic64_read(&t->chunk[nr]->owner) >> WSQ_SALSA_TAG_SHIFT;
}

static inline void pool_has(struct pool *t, u32 c, u64 nr)
{
	assert_int_equal(wsq_salsa_ring_count(&t->c[c]->pool), nr);
}

#endif /* _WSQ_UNIT_SALSA_OPS_H */
