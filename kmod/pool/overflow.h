/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a pool does with a task that finds no space where it is pushed
 * (overflow.c).
 */
#ifndef _WSQ_POOL_OVERFLOW_H
#define _WSQ_POOL_OVERFLOW_H

#include <linux/irq_work.h>

#include "../core/space_wait.h"
#include "pool.h"

/**
 * struct wsq_waiting - the callers that wait for space in a pool
 * @space: the callers
 * @kick: wakes all, for contexts that must not take @space's lock
 * @rest: wakes those that the previous slice has left
 */
struct wsq_waiting {
	struct wsq_space space;
	struct irq_work kick;
	struct irq_work rest;
};

int wsq_overflow_init(struct wsq_pool *pool, const struct wsq_attrs *attrs);
void wsq_overflow_exit(struct wsq_pool *pool);
unsigned int wsq_overflow_close(struct wsq_pool *pool);
int wsq_overflow_push(struct wsq_pool *pool, void *task);
void *wsq_overflow_admit(struct wsq_pool *pool, void *task, bool stolen);
void wsq_overflow_kick(struct wsq_pool *pool);

#endif /* _WSQ_POOL_OVERFLOW_H */
