/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thief of SALSA as in kmod/engine/salsa/salsa.c: steals a chunk that no
 * consumer is in, and if there is none, the one that the victim is in.
 *
 * For: unit, stall, stress and the benchmarks.
 */
#ifndef _WSQ_SELFTESTS_CHUNK_THIEF_H
#define _WSQ_SELFTESTS_CHUNK_THIEF_H

#include "salsa.h"

/* As wsq_salsa_steal_begin(). */
static inline int thief_steal(struct wsq_salsa_consumer *c,
			      struct wsq_salsa_consumer *v, bool may_fence,
			      void **task)
{
	int ret = wsq_salsa_steal_left(c, v, false, task);

	return ret == WSQ_EMPTY ?
		       wsq_salsa_steal_begin(c, v, may_fence, task) : ret;
}

/*
 * The same with one get after it. %WSQ_CONFLICT if the victim's CPU has not
 * answered by then, %WSQ_EMPTY if the chunk was drained before it did.
 */
static inline int thief_steal_and_get(struct wsq_salsa_consumer *c,
				      struct wsq_salsa_consumer *v,
				      bool may_fence, void **task)
{
	bool before = wsq_salsa_under_way(c);
	int ret = thief_steal(c, v, may_fence, task);

	if (before || !wsq_salsa_under_way(c))
		return ret;
	*task = c->claims ? wsq_salsa_claim(c) : wsq_salsa_get(c);
	if (*task)
		return WSQ_OK;
	return wsq_salsa_under_way(c) ? WSQ_CONFLICT : WSQ_EMPTY;
}

#endif /* _WSQ_SELFTESTS_CHUNK_THIEF_H */
