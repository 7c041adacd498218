/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Robbing other CPUs of a raw pool's tasks.
 */
#ifndef _WSQ_POOL_ROB_H
#define _WSQ_POOL_ROB_H

#include "pool.h"

unsigned int wsq_rob(struct wsq_pool *pool, struct wsq_container *me,
		     void **tasks, unsigned int nr);

#endif /* _WSQ_POOL_ROB_H */
