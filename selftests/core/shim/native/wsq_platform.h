/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The platform for kmod/core natively, exactly as in the kernel: producer and
 * consumer are on one thread.
 *
 * For: unit tests, the object code test, benchmarks. Cost: none. Limitations:
 * put and get on two threads are a data race under this shim; such a program
 * uses -I shim/threads.
 */
#ifndef _WSQ_PLATFORM_H
#define _WSQ_PLATFORM_H

#include "../wsq_user.h"

/* Clears the slots while others may still look. No order. */
static inline void wsq_slots_reset(wsq_slot_t *slots, u32 nr)
{
	__builtin_memset(slots, 0, nr * sizeof(*slots));
}

/* Load; later accesses in program order stay behind it on this CPU. */
static inline u64 wsq_local_read(const atomic64_t *v)
{
	u64 val = (u64)atomic64_read(v);

	barrier();
	return val;
}

/* Store; earlier accesses in program order stay before it on this CPU. */
static inline void wsq_local_set(atomic64_t *v, u64 val)
{
	barrier();
	atomic64_set(v, (s64)val);
}

#endif /* _WSQ_PLATFORM_H */
