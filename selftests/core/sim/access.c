// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that code compiled with -fsanitize=thread and
 * -fsanitize-coverage=trace-pc calls, in place of libtsan: each access is
 * charged (cache.c), and atomic ones are executed here.
 *
 * A load is charged before it is done, so it sees what CPUs stored at earlier
 * times. Accesses are charged as on x86: loads of any order and stores are
 * plain, sequentially consistent stores and read-modify-writes are locked
 * instructions. memcpy(), memmove() and memset() of instrumented objects are
 * renamed to the functions below (Makefile), because compilers do not
 * instrument them.
 *
 * Limitations: locked instructions of 1, 2, 4 and 8 bytes.
 */
#include <string.h>

#include "machine.h"

#define PC	__builtin_return_address(0)

void sim_read(const void *addr, size_t size)
{
	if (sim_cur)
		sim_cache_read((uintptr_t)addr, size, PC);
}

void sim_write(void *addr, size_t size)
{
	if (sim_cur)
		sim_cache_write((uintptr_t)addr, size, PC);
}

void sim_rmw(void *addr)
{
	if (sim_cur)
		sim_cache_rmw((uintptr_t)addr, PC);
}

void sim_mb(void)
{
	if (sim_cur)
		sim_cache_mb(PC);
}

void sim_mb_atomic(void)
{
	if (sim_cur)
		sim_cache_mb_atomic(PC);
}

/* Before an access and after it: what the compiler calls for plain ones. */
void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
	(void)pc;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

#define PLAIN(name, size)						\
void __tsan_read##name(void *addr);					\
void __tsan_read##name(void *addr)					\
{									\
	if (sim_cur)							\
		sim_cache_read((uintptr_t)addr, size, PC);		\
}									\
									\
void __tsan_write##name(void *addr);					\
void __tsan_write##name(void *addr)					\
{									\
	if (sim_cur)							\
		sim_cache_write((uintptr_t)addr, size, PC);		\
}

PLAIN(1, 1)
PLAIN(2, 2)
PLAIN(4, 4)
PLAIN(8, 8)
PLAIN(16, 16)

/* The same for accesses that may be unaligned, and for volatile ones. */
#define ALIAS(kind, size)						\
void __tsan_##kind##_read##size(void *addr)				\
	__attribute__((alias("__tsan_read" #size)));			\
void __tsan_##kind##_write##size(void *addr)				\
	__attribute__((alias("__tsan_write" #size)))

ALIAS(unaligned, 2);
ALIAS(unaligned, 4);
ALIAS(unaligned, 8);
ALIAS(unaligned, 16);
ALIAS(volatile, 1);
ALIAS(volatile, 2);
ALIAS(volatile, 4);
ALIAS(volatile, 8);
ALIAS(volatile, 16);

void __tsan_read_range(void *addr, size_t size);
void __tsan_read_range(void *addr, size_t size)
{
	if (sim_cur && size)
		sim_cache_read((uintptr_t)addr, size, PC);
}

void __tsan_write_range(void *addr, size_t size);
void __tsan_write_range(void *addr, size_t size)
{
	if (sim_cur && size)
		sim_cache_write((uintptr_t)addr, size, PC);
}

void __tsan_vptr_update(void **at, void *val);
void __tsan_vptr_update(void **at, void *val)
{
	(void)val;
	__tsan_write8(at);
}

/* ---- atomic operations ---- */

static void charge_rmw(void *addr, void *pc)
{
	if (sim_cur)
		sim_cache_rmw((uintptr_t)addr, pc);
}

/* Relaxed: the kernel's headers use it where the result is not used. */
#define RMW(bits, type, name, op, expr)					\
type __tsan_atomic##bits##_##name(volatile type *addr, type val,	\
				  int order);				\
type __tsan_atomic##bits##_##name(volatile type *addr, type val,	\
				  int order)				\
{									\
	type old;							\
									\
	if (order == __ATOMIC_RELAXED && sim_cur) {			\
		if (sim_cache_void_rmw((uintptr_t)addr, bits / 8, op,	\
				       val, PC))			\
			return 0;					\
	} else {							\
		charge_rmw((void *)addr, PC);				\
	}								\
	old = *addr;							\
	*addr = (type)(expr);						\
	return old;							\
}

#define CMPXCHG(bits, type, name)					\
int __tsan_atomic##bits##_compare_exchange_##name(volatile type *addr,	\
			type *expected, type val, int order, int fail);	\
int __tsan_atomic##bits##_compare_exchange_##name(volatile type *addr,	\
			type *expected, type val, int order, int fail)	\
{									\
	type old;							\
									\
	(void)order;							\
	(void)fail;							\
	charge_rmw((void *)addr, PC);					\
	old = *addr;							\
	if (old == *expected)						\
		*addr = val;						\
	if (old == *expected)						\
		return 1;						\
	*expected = old;						\
	return 0;							\
}

#define ATOMIC(bits, type)						\
type __tsan_atomic##bits##_load(const volatile type *addr, int order);	\
type __tsan_atomic##bits##_load(const volatile type *addr, int order)	\
{									\
	(void)order;							\
	if (sim_cur)							\
		sim_cache_read((uintptr_t)addr, bits / 8, PC);		\
	return *addr;							\
}									\
									\
void __tsan_atomic##bits##_store(volatile type *addr, type val,		\
				 int order);				\
void __tsan_atomic##bits##_store(volatile type *addr, type val,		\
				 int order)				\
{									\
	if (order == __ATOMIC_SEQ_CST)					\
		charge_rmw((void *)addr, PC);				\
	else if (sim_cur)						\
		sim_cache_write((uintptr_t)addr, bits / 8, PC);		\
	*addr = val;							\
}									\
									\
RMW(bits, type, exchange, SIM_OP_OTHER, val)						\
RMW(bits, type, fetch_add, SIM_OP_ADD, old + val)					\
RMW(bits, type, fetch_sub, SIM_OP_SUB, old - val)					\
RMW(bits, type, fetch_and, SIM_OP_AND, old & val)					\
RMW(bits, type, fetch_or, SIM_OP_OR, old | val)					\
RMW(bits, type, fetch_xor, SIM_OP_XOR, old ^ val)					\
RMW(bits, type, fetch_nand, SIM_OP_OTHER, ~(old & val))				\
CMPXCHG(bits, type, strong)						\
CMPXCHG(bits, type, weak)						\
									\
type __tsan_atomic##bits##_compare_exchange_val(volatile type *addr,	\
			type expected, type val, int order, int fail);	\
type __tsan_atomic##bits##_compare_exchange_val(volatile type *addr,	\
			type expected, type val, int order, int fail)	\
{									\
	type old;							\
									\
	(void)order;							\
	(void)fail;							\
	charge_rmw((void *)addr, PC);					\
	old = *addr;							\
	if (old == expected)						\
		*addr = val;						\
	return old;							\
}

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
	if (order == __ATOMIC_SEQ_CST && sim_cur)
		sim_cache_mb(PC);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}

/* ---- instructions ---- */

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	struct sim_machine_cpu *cpu = sim_cur;

	if (!cpu)
		return;
	cpu->stats.blocks++;
	cpu->clock += sim_config.costs.block;
	if (__builtin_expect(cpu->clock >= sim_limit, 0))
		sim_look();
}

/* ---- memory functions of instrumented objects ---- */

void *sim_memcpy(void *to, const void *from, size_t size);
void *sim_memcpy(void *to, const void *from, size_t size)
{
	if (sim_cur && size) {
		sim_cache_read((uintptr_t)from, size, PC);
		sim_cache_write((uintptr_t)to, size, PC);
	}
	return memcpy(to, from, size);
}

void *sim_memmove(void *to, const void *from, size_t size);
void *sim_memmove(void *to, const void *from, size_t size)
{
	if (sim_cur && size) {
		sim_cache_read((uintptr_t)from, size, PC);
		sim_cache_write((uintptr_t)to, size, PC);
	}
	return memmove(to, from, size);
}

void *sim_memset(void *to, int val, size_t size);
void *sim_memset(void *to, int val, size_t size)
{
	if (sim_cur && size)
		sim_cache_write((uintptr_t)to, size, PC);
	return memset(to, val, size);
}

int sim_memcmp(const void *a, const void *b, size_t size);
int sim_memcmp(const void *a, const void *b, size_t size)
{
	if (sim_cur && size) {
		sim_cache_read((uintptr_t)a, size, PC);
		sim_cache_read((uintptr_t)b, size, PC);
	}
	return memcmp(a, b, size);
}
