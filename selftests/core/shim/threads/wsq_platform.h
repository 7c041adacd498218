/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The platform for kmod/core where two threads act as the producer and the
 * consumer that share a CPU in the kernel: the local accesses become acquire
 * and release, the weakest orders that give between two CPUs what program order
 * gives on one.
 *
 * For: stress with put || get, and the thread sanitizer. Cost: none on x86,
 * ldar and stlr on arm64. Limitations: not what the module compiles.
 */
#ifndef _WSQ_PLATFORM_H
#define _WSQ_PLATFORM_H

#include "../wsq_user.h"

/* Clears the slots while others may still look. No order. */
static inline void wsq_slots_reset(wsq_slot_t *slots, u32 nr)
{
	u32 i;

	/* The thread sanitizer must see atomic stores. */
	for (i = 0; i < nr; i++)
		wsq_slot_reset(&slots[i]);
}

static inline u64 wsq_local_read(const atomic64_t *v)
{
	return (u64)atomic64_read_acquire(v);
}

static inline void wsq_local_set(atomic64_t *v, u64 val)
{
	atomic64_set_release(v, (s64)val);
}

#endif /* _WSQ_PLATFORM_H */
