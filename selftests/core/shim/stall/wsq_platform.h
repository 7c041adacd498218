/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The platform for kmod/core where a party can be stopped before any of its
 * accesses to shared words while others go on.
 *
 * For: unit/salsa*.c, unit/first_less.c, unit/lifo_hint.c and stall/salsa.c,
 * through ../../party.h, which has the parties; unit/idempotent.c and
 * unit/mult_strict.c have their own. A program runs on one thread,
 * each party on its own stack; @wsq_cpu is the running one. Each accessor first
 * calls wsq_cpu_step() with its location in core. Accesses of the test itself,
 * outside of parties, are plain.
 *
 * A CPU may be lazy: then its stores wait in a store buffer like x86's, first
 * in, first out. They leave it at a full barrier, at a heavy fence aimed at the
 * CPU, and when the test says so. Its own loads see them. So a stop shows what
 * others see while the stores are still buffered.
 *
 * Cost: some ten instructions for each access. Limitations: x86's store
 * buffering is the only reordering; the model checker and the litmus files
 * cover the rest. The location is a line, the last one of the access with gcc.
 */
#ifndef _WSQ_PLATFORM_H
#define _WSQ_PLATFORM_H

#include "../wsq_user.h"

#define WSQ_CPU_STORES	32

typedef s64 wsq_cpu_word __attribute__((__may_alias__));

/**
 * struct wsq_cpu - the CPU of a party
 * @nr: its number, for wsq_fence_start()
 * @lazy: stores wait in the buffer
 * @deaf: it does not answer started fences
 * @inside: in a section
 * @since: when that began, in cookies
 * @steps: accesses so far, including the current one
 * @nr_stores: number of buffered stores
 * @stores: buffered stores, oldest first
 */
struct wsq_cpu {
	unsigned int nr;
	bool lazy;
	bool deaf;
	bool inside;
	u64 since;
	u64 steps;
	u32 nr_stores;
	struct {
		wsq_cpu_word *word;
		s64 value;
	} stores[WSQ_CPU_STORES];
};

/* The running CPU; NULL for the test itself. */
extern struct wsq_cpu *wsq_cpu;

/* Called before each access of a party; returns when it may go on. */
void wsq_cpu_step(const char *file, int line);

static inline void wsq_cpu_drain_one(struct wsq_cpu *cpu)
{
	u32 i;

	__atomic_store_n(cpu->stores[0].word, cpu->stores[0].value,
			 __ATOMIC_RELAXED);
	cpu->nr_stores--;
	for (i = 0; i < cpu->nr_stores; i++)
		cpu->stores[i] = cpu->stores[i + 1];
}

static inline void wsq_cpu_drain(struct wsq_cpu *cpu)
{
	while (cpu->nr_stores)
		wsq_cpu_drain_one(cpu);
}

static inline s64 wsq_cpu_load(const void *word)
{
	u32 i = wsq_cpu ? wsq_cpu->nr_stores : 0;

	while (i--)
		if (wsq_cpu->stores[i].word == word)
			return wsq_cpu->stores[i].value;
	return __atomic_load_n((const wsq_cpu_word *)word, __ATOMIC_RELAXED);
}

static inline void wsq_cpu_store(void *word, s64 value)
{
	struct wsq_cpu *cpu = wsq_cpu;

	if (!cpu || !cpu->lazy) {
		__atomic_store_n((wsq_cpu_word *)word, value, __ATOMIC_RELAXED);
		return;
	}
	if (cpu->nr_stores == WSQ_CPU_STORES)
		wsq_cpu_drain_one(cpu);
	cpu->stores[cpu->nr_stores].word = (wsq_cpu_word *)word;
	cpu->stores[cpu->nr_stores++].value = value;
}

/* Drains the running CPU's store buffer, as a full barrier does. */
static inline void wsq_cpu_full(void)
{
	if (wsq_cpu)
		wsq_cpu_drain(wsq_cpu);
}

static inline void wsq_cpu_stop(const char *file, int line)
{
	if (wsq_cpu)
		wsq_cpu_step(file, line);
}

#define WSQ_STEP	wsq_cpu_stop(__FILE__, __LINE__)

/* A read-modify-write, whatever its order in C: a full barrier on x86. */
#define WSQ_STEP_RMW(call)	(WSQ_STEP, wsq_cpu_full(), (call))

#undef smp_mb
#define smp_mb()		(WSQ_STEP, wsq_cpu_full())

#define atomic64_read(v)	(WSQ_STEP, wsq_cpu_load(&(v)->counter))
#define atomic64_read_acquire(v) (WSQ_STEP, wsq_cpu_load(&(v)->counter))
#define atomic64_set(v, i)	(WSQ_STEP, wsq_cpu_store(&(v)->counter, i))
#define atomic64_set_release(v, i) (WSQ_STEP, wsq_cpu_store(&(v)->counter, i))

#define atomic64_xchg(v, i)	WSQ_STEP_RMW((atomic64_xchg)(v, i))
#define atomic64_xchg_acquire(v, i) WSQ_STEP_RMW((atomic64_xchg)(v, i))
#define atomic64_cmpxchg(v, old, i) WSQ_STEP_RMW((atomic64_cmpxchg)(v, old, i))
#define atomic64_cmpxchg_relaxed(v, old, i) \
	WSQ_STEP_RMW((atomic64_cmpxchg)(v, old, i))
#define atomic64_cmpxchg_release(v, old, i) \
	WSQ_STEP_RMW((atomic64_cmpxchg)(v, old, i))
#define atomic64_fetch_add(i, v) WSQ_STEP_RMW((atomic64_fetch_add)(i, v))
#define atomic64_fetch_add_relaxed(i, v) WSQ_STEP_RMW((atomic64_fetch_add)(i, v))
#define atomic64_fetch_add_release(i, v) WSQ_STEP_RMW((atomic64_fetch_add)(i, v))
#define atomic64_fetch_or(i, v)	WSQ_STEP_RMW((atomic64_fetch_or)(i, v))
#define atomic64_fetch_or_relaxed(i, v) WSQ_STEP_RMW((atomic64_fetch_or)(i, v))

#define wsq_local_read(v)	((u64)atomic64_read(v))
#define wsq_local_set(v, i)	atomic64_set(v, (s64)(i))

#define wsq_slot_read(slot)	wsq_slot_acquire(slot)
#define wsq_slot_write(slot, t)	wsq_slot_publish(slot, t)
#define wsq_slot_publish(slot, t) \
	(WSQ_STEP, wsq_cpu_store(&(slot)->task, (s64)(uintptr_t)(t)))
#define wsq_slot_acquire(slot)	\
	(WSQ_STEP, (void *)(uintptr_t)wsq_cpu_load(&(slot)->task))
#define wsq_slot_peek(slot)	wsq_slot_acquire(slot)
#define wsq_slot_claim(slot)	WSQ_STEP_RMW((wsq_slot_claim)(slot))
#define wsq_slot_claim_if(slot, t) WSQ_STEP_RMW((wsq_slot_claim_if)(slot, t))
#define wsq_slot_reset(slot)	wsq_slot_publish(slot, NULL)
#define wsq_slots_reset(slots, nr)					\
	do {								\
		u32 wsq_shim_i;						\
									\
		for (wsq_shim_i = 0; wsq_shim_i < (nr); wsq_shim_i++)	\
			wsq_slot_reset(&(slots)[wsq_shim_i]);		\
	} while (0)
#define wsq_slot_mark_if(slot, t, mark) \
	WSQ_STEP_RMW((wsq_slot_mark_if)(slot, t, mark))

#endif /* _WSQ_PLATFORM_H */
