/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks of tests in user space: the numbers 1, 2, 3, ...
 */
#ifndef _WSQ_SELFTESTS_TASK_H
#define _WSQ_SELFTESTS_TASK_H

#include <wsq_platform.h>

static inline void *task_of(u64 id)
{
	return (void *)(uintptr_t)id;
}

static inline u64 id_of(const void *task)
{
	return (u64)(uintptr_t)task;
}

#endif /* _WSQ_SELFTESTS_TASK_H */
