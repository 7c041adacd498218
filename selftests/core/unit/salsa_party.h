/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations of SALSA by parties that stop in them (party.h).
 *
 * For: salsa.c, salsa_back.c, salsa_reuse.c. Included once in a program.
 */
#ifndef _WSQ_UNIT_SALSA_PARTY_H
#define _WSQ_UNIT_SALSA_PARTY_H

#include "salsa_ops.h"
#include "party.h"

/* Parties 0 to 3 are the consumers. */
static inline void op_get(struct party *p)
{
	p->task = wsq_salsa_get((struct wsq_salsa_consumer *)p->arg[0]);
}

static inline void op_empty(struct party *p)
{
	p->ret = wsq_salsa_empty((struct wsq_salsa *)p->arg[0]);
}

static inline void op_begin(struct party *p)
{
	p->ret = wsq_salsa_steal_begin((struct wsq_salsa_consumer *)p->arg[0],
				       (struct wsq_salsa_consumer *)p->arg[1],
				       true, &p->task);
}

/* Consumer @c begins to steal from @v. Is a theft of @c in progress then? */
static inline void begins(struct pool *t, u32 c, u32 v, bool under_way)
{
	void *task = task_of(12345);

	assert_int_equal(wsq_salsa_steal_begin(t->c[c], t->c[v], true, &task),
			 WSQ_CONFLICT);
	assert_null(task);
	assert_int_equal(wsq_salsa_under_way(t->c[c]), under_way);
}

/* One chunk, of consumer 0, with tasks 1 to @last; no party is halted. */
static inline struct pool *pool_filled(u32 nr_consumers, u32 size, u64 last, u64 claims)
{
	struct pool *t = pool_new(nr_consumers, 1, size, 1, 1, claims);

	party_reset();
	pool_supply(t, 0, 1);
	put(t, 0, 0, 1, last);
	return t;
}

/* Consumer @c begins a take and stops before the access with @label. */
static inline struct party *get_stops(struct pool *t, u32 c, const char *label)
{
	struct party *p = &parties[c];

	p->arg[0] = t->c[c];
	party_stop_at(p, label);
	assert_false(party_start(p, op_get));
	return p;
}

static inline void goes_on(struct party *p, u64 id)
{
	assert_true(party_go(p));
	wsq_cpu_drain(&p->cpu);
	assert_int_equal(id_of(p->task), id);
}

#endif /* _WSQ_UNIT_SALSA_PARTY_H */
