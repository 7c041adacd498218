/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a pool does with a task that finds no room where it is pushed
 * (overflow.c).
 */
#ifndef _WSQ_POOL_OVERFLOW_H
#define _WSQ_POOL_OVERFLOW_H

#include "pool.h"

int wsq_overflow_init(struct wsq_pool *pool, const struct wsq_attrs *attrs);
void wsq_overflow_exit(struct wsq_pool *pool);
unsigned int wsq_overflow_close(struct wsq_pool *pool);
unsigned int wsq_overflow_waiting(const struct wsq_pool *pool);
int wsq_overflow_push(struct wsq_pool *pool, void *task);
void *wsq_overflow_admit(struct wsq_pool *pool, void *task, bool stolen);
void wsq_overflow_kick(struct wsq_pool *pool);

#endif /* _WSQ_POOL_OVERFLOW_H */
