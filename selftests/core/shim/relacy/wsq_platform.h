/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The platform for kmod/core under the model checker Relacy, as C++17.
 *
 * For: selftests/core/model. Each shared word is an rl::atomic, which keeps the
 * stores that a relaxed load may still see; each payload slot is an rl::var,
 * which reports a race and a read before the first write. The accessors are
 * macros, so that Relacy's history names the line of kmod/core.
 *
 * The local accesses are acquire and release, as in shim/threads.
 *
 * Limitations: Relacy has the C11 model without load buffering, not the
 * kernel's. A compare-and-exchange that fails reads the newest value. A fully
 * ordered one is a sequentially consistent operation and, if it succeeds, a
 * fence behind it; the kernel's leading barrier is covered by the release in
 * the operation for core's pairs. Words are not aligned to cache lines.
 */
#ifndef _WSQ_PLATFORM_H
#define _WSQ_PLATFORM_H

#include <relacy/relacy.hpp>

#include <cstdint>

typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef long long s64;

#define likely(x)	(x)
#define unlikely(x)	(x)

#define WSQ_CACHE_ALIGNED
#define __aligned(x)

typedef rl::atomic<s64> atomic64_t;

/* A queue's slots are either claimed ones or not: one of the two is in use. */
struct wsq_slot_t {
	rl::var<void *> task;
	rl::atomic<void *> claimed;
};

/*
 * For a client that simulates interrupts (model/salsa_client.h). Called with
 * true after a plain store, which the compiler may move behind the following
 * accesses, and with false after an operation behind which it may not move a
 * store. After the store, not before it: until then its thread can be
 * interrupted as at any other access.
 */
static void (*wsq_shim_loose)(bool loose);

static inline void wsq_shim_stores(bool loose)
{
	if (wsq_shim_loose)
		wsq_shim_loose(loose);
}

static inline bool wsq_shim_claim_if(wsq_slot_t *slot, void *task,
				     rl::memory_order order,
				     rl::debug_info_param info)
{
	void *none = nullptr;

	return slot->claimed.compare_exchange_strong(task, none, order, info,
						     rl::mo_relaxed, info);
}

/* The order of a peek at a slot that takes nothing: none. */
#ifndef WSQ_SHIM_PEEK
#define WSQ_SHIM_PEEK	rl::mo_relaxed
#endif

static inline bool wsq_shim_mark_if(wsq_slot_t *slot, void *task, void *mark,
				    rl::memory_order order, bool full,
				    rl::debug_info_param info)
{
	bool done = slot->claimed.compare_exchange_strong(task, mark, order, info,
							  WSQ_SHIM_PEEK, info);

	if (done && full)
		rl::atomic_thread_fence(rl::mo_seq_cst, info);
	wsq_shim_stores(false);
	return done;
}

static inline s64 wsq_shim_cmpxchg(atomic64_t *v, s64 old, s64 i,
				   rl::memory_order order, bool full,
				   rl::debug_info_param info)
{
	bool done = v->compare_exchange_strong(old, i, order, info,
					       rl::mo_relaxed, info);

	if (done && full)
		rl::atomic_thread_fence(rl::mo_seq_cst, info);
	wsq_shim_stores(false);
	return old;
}

static inline s64 wsq_shim_fetch_or(atomic64_t *v, s64 i,
				    rl::memory_order order, bool full,
				    rl::debug_info_param info)
{
	s64 old;

	if (full)
		rl::atomic_thread_fence(rl::mo_seq_cst, info);
	old = v->fetch_or(i, order, info);
	if (full)
		rl::atomic_thread_fence(rl::mo_seq_cst, info);
	wsq_shim_stores(false);
	return old;
}

static inline s64 wsq_shim_fetch_add(atomic64_t *v, s64 i,
				     rl::debug_info_param info)
{
	s64 old;

	rl::atomic_thread_fence(rl::mo_seq_cst, info);
	old = v->fetch_add(i, rl::mo_seq_cst, info);
	rl::atomic_thread_fence(rl::mo_seq_cst, info);
	wsq_shim_stores(false);
	return old;
}

static inline s64 wsq_shim_xchg(atomic64_t *v, s64 i,
				rl::debug_info_param info)
{
	s64 old;

	rl::atomic_thread_fence(rl::mo_seq_cst, info);
	old = v->exchange(i, rl::mo_seq_cst, info);
	rl::atomic_thread_fence(rl::mo_seq_cst, info);
	wsq_shim_stores(false);
	return old;
}

#define smp_mb()	\
	(rl::atomic_thread_fence(rl::mo_seq_cst, $), wsq_shim_stores(false))

#define smp_wmb()	rl::atomic_thread_fence(rl::mo_release, $)

#define atomic64_read(v)		(v)->load(rl::mo_relaxed, $)
#define atomic64_read_acquire(v)	(v)->load(rl::mo_acquire, $)
#define atomic64_set(v, i)	\
	((v)->store(i, rl::mo_relaxed, $), wsq_shim_stores(true))
#define atomic64_set_release(v, i)	\
	((v)->store(i, rl::mo_release, $), wsq_shim_stores(false))
#define atomic64_xchg_relaxed(v, i)	(v)->exchange(i, rl::mo_relaxed, $)
#define atomic64_xchg(v, i)		wsq_shim_xchg(v, i, $)
#define atomic64_xchg_acquire(v, i)	(v)->exchange(i, rl::mo_acquire, $)
#define atomic64_fetch_add_relaxed(i, v) (v)->fetch_add(i, rl::mo_relaxed, $)
#define atomic64_fetch_add_release(i, v) (v)->fetch_add(i, rl::mo_release, $)
#define atomic64_fetch_add_acquire(i, v) (v)->fetch_add(i, rl::mo_acquire, $)
#define atomic64_fetch_add(i, v)	wsq_shim_fetch_add(v, i, $)
#define atomic64_fetch_or_relaxed(i, v) \
	wsq_shim_fetch_or(v, i, rl::mo_relaxed, false, $)
#define atomic64_fetch_or(i, v) \
	wsq_shim_fetch_or(v, i, rl::mo_seq_cst, true, $)
#define atomic64_cmpxchg_relaxed(v, old, i) \
	wsq_shim_cmpxchg(v, old, i, rl::mo_relaxed, false, $)
#define atomic64_cmpxchg_acquire(v, old, i) \
	wsq_shim_cmpxchg(v, old, i, rl::mo_acquire, false, $)
#define atomic64_cmpxchg_release(v, old, i) \
	wsq_shim_cmpxchg(v, old, i, rl::mo_release, false, $)
#define atomic64_cmpxchg(v, old, i) \
	wsq_shim_cmpxchg(v, old, i, rl::mo_seq_cst, true, $)

/* Thieves that read before they claim may read a slot that is not theirs. */
#ifdef WSQ_SHIM_READ_FIRST
#define wsq_slot_read(slot)		(slot)->claimed.load(rl::mo_relaxed, $)
#define wsq_slot_write(slot, t)		(slot)->claimed.store(t, rl::mo_relaxed, $)
#else
#define wsq_slot_read(slot)		(slot)->task($).load()
#define wsq_slot_write(slot, t)		(slot)->task($).store(t)
#endif

#define wsq_slot_publish(slot, t)	(slot)->claimed.store(t, rl::mo_release, $)
#define wsq_slot_claim(slot)	\
	(slot)->claimed.exchange((void *)nullptr, rl::mo_seq_cst, $)
#define wsq_slot_claim_if(slot, t)	\
	wsq_shim_claim_if(slot, t, rl::mo_acq_rel, $)
#define wsq_slot_acquire(slot)		(slot)->claimed.load(rl::mo_acquire, $)
#define wsq_slot_mark_if(slot, t, mark)	\
	wsq_shim_mark_if(slot, t, mark, rl::mo_seq_cst, true, $)
#define wsq_slot_reset(slot)	\
	(slot)->claimed.store((void *)nullptr, rl::mo_relaxed, $)
#define wsq_slot_peek(slot)		(slot)->claimed.load(WSQ_SHIM_PEEK, $)
#define wsq_slots_reset(slots, nr)					\
	do {								\
		u32 wsq_shim_i;						\
									\
		for (wsq_shim_i = 0; wsq_shim_i < (nr); wsq_shim_i++)	\
			wsq_slot_reset(&(slots)[wsq_shim_i]);		\
	} while (0)

#define wsq_local_read(v)		((u64)(v)->load(rl::mo_acquire, $))
#define wsq_local_set(v, i)		(v)->store((s64)(i), rl::mo_release, $)

/* Replacements of the above for model/mutants.py. */
#define wsq_weak_local_read(v)		((u64)(v)->load(rl::mo_relaxed, $))
#define wsq_weak_local_set(v, i)	(v)->store((s64)(i), rl::mo_relaxed, $)
#define wsq_weak_slot_publish(slot, t)	(slot)->claimed.store(t, rl::mo_relaxed, $)
#define wsq_weak_slot_claim(slot)	\
	(slot)->claimed.exchange((void *)nullptr, rl::mo_relaxed, $)
#define wsq_weak_slot_claim_if(slot, t)	\
	wsq_shim_claim_if(slot, t, rl::mo_relaxed, $)
#define wsq_weak_slot_acquire(slot)	(slot)->claimed.load(rl::mo_relaxed, $)
#define wsq_weak_slot_mark_if(slot, t, mark)	\
	wsq_shim_mark_if(slot, t, mark, rl::mo_relaxed, false, $)

#endif /* _WSQ_PLATFORM_H */
