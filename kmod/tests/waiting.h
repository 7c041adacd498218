/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many callers wait for space in a pool, for the suites that have them
 * wait.
 */
#ifndef _WSQ_TESTS_WAITING_H
#define _WSQ_TESTS_WAITING_H

#include "../pool/overflow.h"

static inline u32 wsq_test_waiting(const struct wsq_pool *pool)
{
	return pool->waiting ? (u32)atomic64_read(&pool->waiting->space.nr) : 0;
}

#endif /* _WSQ_TESTS_WAITING_H */
