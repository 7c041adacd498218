/* SPDX-License-Identifier: GPL-2.0 */
/*
 * More memory for engines that run short of space: request, offer and take. For
 * kmod/pool and maintenance work. grow.c has the protocol.
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

/* Is there memory that the container has not taken yet? A hint. */
static inline bool wsq_grow_offered(const struct wsq_container *ct)
{
	return unlikely(atomic_read(&ct->grow) == WSQ_GROW_OFFERED);
}

/* Is a request for memory under way? A hint. */
static inline bool wsq_grow_pending(const struct wsq_container *ct)
{
	return atomic_read(&ct->grow) != WSQ_GROW_NO;
}

#endif /* _WSQ_POOL_GROW_H */
