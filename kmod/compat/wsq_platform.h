/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kmod/core is compiled against in the kernel.
 *
 * kmod/core has several compilations (Documentation/design.rst). Each finds its
 * platform by this name and the include path: this file in the module, files of
 * the same name under selftests/core/shim in stress tests, benchmarks, model
 * checker and simulator. Everything core may use is here or in
 * <linux/atomic.h>:
 *
 * atomic64_*       every word that more than one context touches
 * wsq_slot_*       payload: written before it is published. Read after it is
 *                  claimed, or, by a thief that reads first (read_first,
 *                  bwos_fifo.h), before its claim, which tells whether what it
 *                  read is valid. Accessed by _read and _write, because such a
 *                  thief may come at any time. With claimed slots
 *                  (bwos_fifo.h) contexts race for the slot itself, by
 *                  _publish, _claim, _claim_if and _peek; for the slots of
 *                  chunks (salsa.h), by _publish, _acquire, _peek, _mark_if
 *                  and _reset
 * wsq_local_*      a word whose other user is on the same CPU: an interrupt, or
 *                  the code it interrupted. Program order is all that such a
 *                  pair needs, so it gets a compiler barrier only. If two
 *                  threads play the parts (stress tests, the model checker),
 *                  the shim makes them acquire and release
 */
#ifndef _WSQ_PLATFORM_H
#define _WSQ_PLATFORM_H

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>

#define WSQ_CACHE_ALIGNED	____cacheline_aligned

/**
 * typedef wsq_slot_t - one payload slot of a container
 * @task: the task, owned by the context that claimed the slot
 */
typedef struct {
	void *task;
} wsq_slot_t;

static inline void *wsq_slot_read(const wsq_slot_t *slot)
{
	return READ_ONCE(slot->task);
}

static inline void wsq_slot_write(wsq_slot_t *slot, void *task)
{
	WRITE_ONCE(slot->task, task);
}

/* Store a task for later claims. Release. */
static inline void wsq_slot_publish(wsq_slot_t *slot, void *task)
{
	/* Pairs with the claims below. */
	smp_store_release(&slot->task, task);
}

/* Take the slot's task, %NULL if it was taken before. Full barrier. */
static inline void *wsq_slot_claim(wsq_slot_t *slot)
{
	return xchg(&slot->task, NULL);
}

/* Take @task if it is in the slot. Acquire if so, else no order. */
static inline bool wsq_slot_claim_if(wsq_slot_t *slot, void *task)
{
	return cmpxchg(&slot->task, task, NULL) == task;
}

/* Read the slot, as of some moment. No order. */
static inline void *wsq_slot_peek(const wsq_slot_t *slot)
{
	return READ_ONCE(slot->task);
}

/* Read the slot; what preceded its put is visible. Acquire. */
static inline void *wsq_slot_acquire(const wsq_slot_t *slot)
{
	/* Pairs with wsq_slot_publish(). */
	return smp_load_acquire(&slot->task);
}

/* Replace @task by @mark if @task is in the slot. Full barrier if so. */
static inline bool wsq_slot_mark_if(wsq_slot_t *slot, void *task, void *mark)
{
	return cmpxchg(&slot->task, task, mark) == task;
}

/* Empty the slot, even if other contexts may still read it. No order. */
static inline void wsq_slot_reset(wsq_slot_t *slot)
{
	WRITE_ONCE(slot->task, NULL);
}

/* 64-bit kernels only. */
static_assert(sizeof(wsq_slot_t) == sizeof(u64));

/*
 * Empty @nr slots, as fast as memory is cleared, but in whole words. A context
 * that still reads may claim what it saw without checking the chunk's owner
 * (wsq_salsa_steal_active()), so it must not see half a task.
 */
static inline void wsq_slots_reset(wsq_slot_t *slots, u32 nr)
{
	/* A reader finds that the chunk is gone, or claims by the slot. */
	data_race(memset64((u64 *)slots, 0, nr));
}

/* Load; what follows in program order stays behind it on this CPU. */
static inline u64 wsq_local_read(const atomic64_t *v)
{
	u64 val = (u64)atomic64_read(v);

	barrier();
	return val;
}

/* Store; what precedes in program order stays before it on this CPU. */
static inline void wsq_local_set(atomic64_t *v, u64 val)
{
	barrier();
	atomic64_set(v, (s64)val);
}

#endif /* _WSQ_PLATFORM_H */
