/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's interface that kmod/core uses, for user space: the part that the
 * native and the threads shim share (types, atomic64_*, smp_mb, payload slots).
 *
 * For: unit tests, stress, sanitizers, the object code test, benchmarks. A
 * program never includes this file by name; it uses -I shim/native or -I
 * shim/threads, and <wsq_platform.h> includes it.
 *
 * Cost: none over the kernel's. Each accessor is one compiler builtin of the
 * order the kernel documents for it (Documentation/atomic_t.txt), and both
 * compilers turn it into the instructions of the kernel's own macro: relaxed
 * into a plain load or store, as READ_ONCE and WRITE_ONCE; acquire and release
 * into ldar and stlr on arm64 and into plain moves on x86, as smp_load_acquire
 * and smp_store_release; a relaxed read-modify-write into a locked one on x86.
 * Where the builtin alone would differ from the kernel's, the code is spelled
 * out: smp_mb() and the fully ordered atomic64_xchg, _cmpxchg, _fetch_add and
 * _fetch_or.
 *
 * Limitations: x86-64 and arm64 are exact, other architectures merely correct.
 * The thread sanitizer does not see the barrier of smp_mb(); core publishes
 * plain data by acquire and release only, so nothing is missed or invented.
 */
#ifndef _WSQ_SHIM_USER_H
#define _WSQ_SHIM_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As <linux/types.h>: 64 bits are long long everywhere. */
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef long long s64;

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define barrier()	__asm__ __volatile__("" ::: "memory")

#define WSQ_CACHE_ALIGNED	__attribute__((__aligned__(64)))

/*
 * The kernel's choice on x86-64 is a locked add below the stack pointer: it
 * costs a seventh of mfence, which is what the compilers' builtin may give.
 */
#if defined(smp_mb)
/* The simulator's. */
#elif defined(__x86_64__)
#define smp_mb()	\
	__asm__ __volatile__("lock; addl $0,-4(%%rsp)" ::: "memory", "cc")
#elif defined(__aarch64__)
#define smp_mb()	__asm__ __volatile__("dmb ish" ::: "memory")
#else
#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

#if defined(__x86_64__)
#define smp_wmb()	barrier()
#elif defined(__aarch64__)
#define smp_wmb()	__asm__ __volatile__("dmb ishst" ::: "memory")
#else
#define smp_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)
#endif

/*
 * A fully ordered operation has a full barrier on both sides. On x86 the locked
 * instruction is one; on arm64 casal or ldaxr and stlxr are not (a later load
 * may pass the store half), so the barriers are written out, as the kernel
 * does. One that fails is unordered in the kernel and at least that here.
 */
#if defined(__x86_64__)
#define wsq_shim_full()	barrier()
#else
#define wsq_shim_full()	smp_mb()
#endif

/**
 * typedef atomic64_t - a word that several contexts access
 * @counter: the value; only the functions below access it
 */
typedef struct {
	s64 counter;
} atomic64_t;

#define ATOMIC64_INIT(i)	{ (i) }

static inline s64 atomic64_read(const atomic64_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline s64 atomic64_read_acquire(const atomic64_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);
}

static inline void atomic64_set(atomic64_t *v, s64 i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}

static inline void atomic64_set_release(atomic64_t *v, s64 i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELEASE);
}

#define WSQ_SHIM_RMW(suffix, order, fence)				\
static inline s64 atomic64_xchg##suffix(atomic64_t *v, s64 i)		\
{									\
	s64 old;							\
									\
	fence;								\
	old = __atomic_exchange_n(&v->counter, i, order);		\
	fence;								\
	return old;							\
}									\
									\
static inline s64 atomic64_cmpxchg##suffix(atomic64_t *v, s64 old, s64 i) \
{									\
	fence;								\
	__atomic_compare_exchange_n(&v->counter, &old, i, false, order,	\
				    __ATOMIC_RELAXED);			\
	fence;								\
	return old;							\
}									\
									\
static inline s64 atomic64_fetch_add##suffix(s64 i, atomic64_t *v)	\
{									\
	s64 old;							\
									\
	fence;								\
	old = __atomic_fetch_add(&v->counter, i, order);		\
	fence;								\
	return old;							\
}									\
									\
static inline s64 atomic64_fetch_or##suffix(s64 i, atomic64_t *v)	\
{									\
	s64 old;							\
									\
	fence;								\
	old = __atomic_fetch_or(&v->counter, i, order);			\
	fence;								\
	return old;							\
}

WSQ_SHIM_RMW(_relaxed, __ATOMIC_RELAXED, (void)0)
WSQ_SHIM_RMW(_acquire, __ATOMIC_ACQUIRE, (void)0)
WSQ_SHIM_RMW(_release, __ATOMIC_RELEASE, (void)0)
WSQ_SHIM_RMW(, __ATOMIC_SEQ_CST, wsq_shim_full())

/**
 * typedef wsq_slot_t - one payload slot of a container
 * @task: the task; plain, so that the sanitizers see a race on it
 */
typedef struct {
	void *task;
} wsq_slot_t;

static inline void *wsq_slot_read(const wsq_slot_t *slot)
{
	return __atomic_load_n(&slot->task, __ATOMIC_RELAXED);
}

static inline void wsq_slot_write(wsq_slot_t *slot, void *task)
{
	__atomic_store_n(&slot->task, task, __ATOMIC_RELAXED);
}

/* Claimed slots: as in kmod/compat/wsq_platform.h. */
static inline void wsq_slot_publish(wsq_slot_t *slot, void *task)
{
	__atomic_store_n(&slot->task, task, __ATOMIC_RELEASE);
}

static inline void *wsq_slot_claim(wsq_slot_t *slot)
{
	void *task;

	wsq_shim_full();
	task = __atomic_exchange_n(&slot->task, NULL, __ATOMIC_SEQ_CST);
	wsq_shim_full();
	return task;
}

static inline bool wsq_slot_claim_if(wsq_slot_t *slot, void *task)
{
	bool done;

	wsq_shim_full();
	done = __atomic_compare_exchange_n(&slot->task, &task, NULL, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	wsq_shim_full();
	return done;
}

static inline void *wsq_slot_peek(const wsq_slot_t *slot)
{
	return __atomic_load_n(&slot->task, __ATOMIC_RELAXED);
}

static inline void *wsq_slot_acquire(const wsq_slot_t *slot)
{
	return __atomic_load_n(&slot->task, __ATOMIC_ACQUIRE);
}

static inline bool wsq_slot_mark_if(wsq_slot_t *slot, void *task, void *mark)
{
	bool done;

	wsq_shim_full();
	done = __atomic_compare_exchange_n(&slot->task, &task, mark, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	wsq_shim_full();
	return done;
}

static inline void wsq_slot_reset(wsq_slot_t *slot)
{
	__atomic_store_n(&slot->task, NULL, __ATOMIC_RELAXED);
}

#endif /* _WSQ_SHIM_USER_H */
