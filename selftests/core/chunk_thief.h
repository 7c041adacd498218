/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thief of SALSA as kmod/pool/engine_salsa.c has it: a chunk that no consumer
 * is in, and if there is none, the one that the victim is in.
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
 * The same by a thief that does nothing else until the victim's CPU has answered.
 * %WSQ_EMPTY also if the chunk was drained by then. The CPU must answer.
 */
static inline int thief_steal_and_wait(struct wsq_salsa_consumer *c,
				       struct wsq_salsa_consumer *v,
				       bool may_fence, void **task)
{
	bool before = wsq_salsa_under_way(c);
	int ret = thief_steal(c, v, may_fence, task);

	if (before || !wsq_salsa_under_way(c))
		return ret;
	do
		*task = c->claims ? wsq_salsa_claim(c) : wsq_salsa_get(c);
	while (!*task && wsq_salsa_under_way(c));
	return *task ? WSQ_OK : WSQ_EMPTY;
}

#endif /* _WSQ_SELFTESTS_CHUNK_THIEF_H */
