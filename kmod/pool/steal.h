/* SPDX-License-Identifier: GPL-2.0 */
/* Stealing from other CPUs of a pointer pool. */
#ifndef _WSQ_POOL_STEAL_H
#define _WSQ_POOL_STEAL_H

#include "pool.h"

unsigned int wsq_pool_steal(struct wsq_pool *pool, struct wsq_container *me,
			    void **tasks, unsigned int nr);

#endif /* _WSQ_POOL_STEAL_H */
