/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kmod/core is compiled against in the kernel.
 *
 * kmod/core has several compilations (Documentation/design.rst) and finds each
 * platform by this name and the include path: this file in the module, its
 * namesakes under selftests/core/shim in stress, benchmarks, model checker and
 * simulator. Everything core may use is here or in <linux/atomic.h>:
 *
 * atomic64_*       every word that more than one context touches
 * wsq_slot_*       payload: written before it is published. Read after it is
 *                  claimed, or before by a thief whose claim then tells whether
 *                  what he read is good (read_first, bwos_fifo.h): by _read and
 *                  _write, for such a thief may come at any time. With claimed
 *                  slots (bwos_fifo.h) the slot itself is what is
 *                  raced for, by _publish, _claim, _claim_if and _peek; so
 *                  are those of chunks (salsa.h), by _publish, _acquire,
 *                  _peek, _mark_if and _reset
 * wsq_local_*      a word whose other party is on the same CPU, namely an
 *                  interrupt or the code it interrupted. Program order is all
 *                  such a pair needs, so a compiler barrier is all it gets;
 *                  where two threads play the parts (stress tests, the model
 *                  checker) the shim makes them acquire and release
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
 * @task: the task, owned by whoever claimed the slot
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

/* Store a task for whoever claims it. Release. */
static inline void wsq_slot_publish(wsq_slot_t *slot, void *task)
{
	/* Pairs with the claims below. */
	smp_store_release(&slot->task, task);
}

/* Take what is in the slot, %NULL if it was taken before. Full barrier. */
static inline void *wsq_slot_claim(wsq_slot_t *slot)
{
	return xchg(&slot->task, NULL);
}

/* Take @task if it is in the slot. Acquire if so, else no order. */
static inline bool wsq_slot_claim_if(wsq_slot_t *slot, void *task)
{
	return cmpxchg(&slot->task, task, NULL) == task;
}

/* What is in the slot, as of some moment. */
static inline void *wsq_slot_peek(const wsq_slot_t *slot)
{
	return READ_ONCE(slot->task);
}

/* What is in the slot; who put it is before what follows. Acquire. */
static inline void *wsq_slot_acquire(const wsq_slot_t *slot)
{
	/* Pairs with wsq_slot_publish(). */
	return smp_load_acquire(&slot->task);
}

/* Put @mark in the place of @task, if that is there. Full barrier if so. */
static inline bool wsq_slot_mark_if(wsq_slot_t *slot, void *task, void *mark)
{
	return cmpxchg(&slot->task, task, mark) == task;
}

/* Nothing is in the slot, whoever may still look. No order. */
static inline void wsq_slot_reset(wsq_slot_t *slot)
{
	WRITE_ONCE(slot->task, NULL);
}

/* 64-bit kernels only. */
static_assert(sizeof(wsq_slot_t) == sizeof(u64));

/*
 * The same of @nr slots, as fast as memory is cleared, but in whole words: who
 * still looks may claim what he saw without asking whose it is (wsq_salsa_pry()),
 * and must not have seen half a task.
 */
static inline void wsq_slots_reset(wsq_slot_t *slots, u32 nr)
{
	/* Whoever looks has been told that the chunk is gone, or asks the slot. */
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
