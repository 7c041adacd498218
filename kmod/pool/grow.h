/* SPDX-License-Identifier: GPL-2.0 */
/*
 * More memory for engines that are short of room: who asks, who offers, who takes
 * it in. For kmod/pool and housekeeping; the argument is in grow.c.
 */
#ifndef _WSQ_POOL_GROW_H
#define _WSQ_POOL_GROW_H

#include "container.h"

int wsq_grow_init(struct wsq_pool *pool);
void wsq_grow_exit(struct wsq_pool *pool);
void wsq_grow_ask(struct wsq_container *ct);
struct wsq_engine *wsq_grow_take(struct wsq_container *ct);
void wsq_grow_done(struct wsq_container *ct);
void wsq_grow_drop(struct wsq_container *ct);

/* Has the container been offered memory that nobody has taken in? A hint. */
static inline bool wsq_grow_offered(const struct wsq_container *ct)
{
	return unlikely(atomic_read(&ct->grow) == WSQ_GROW_OFFERED);
}

/* Is memory on its way to the container? A hint. */
static inline bool wsq_grow_pending(const struct wsq_container *ct)
{
	return atomic_read(&ct->grow) != WSQ_GROW_NO;
}

#endif /* _WSQ_POOL_GROW_H */
