/* SPDX-License-Identifier: GPL-2.0 */
/*
 * linux/atomic.h, bitops.h, asm/barrier.h for code that is compiled with
 * -fsanitize=thread: every access is a compiler builtin, so that it calls the
 * runtime. Each becomes what it is on x86: loads and stores of any order are
 * plain, read-modify-writes of any order are locked instructions, and so is
 * smp_mb(); smp_rmb() and smp_wmb() are compiler barriers.
 *
 * Operations without a result are relaxed, and smp_mb__after_atomic() is a call
 * that costs nothing: explore.c gives them their weaker meaning.
 */
#ifndef _WSQ_SIM_ATOMIC_H
#define _WSQ_SIM_ATOMIC_H

#include "../../shim/kernel/basic.h"
#include "../sim.h"

#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, val)	(*(volatile typeof(x) *)&(x) = (val))
#define data_race(expr)		(expr)

#define smp_mb()		sim_mb()
#define smp_rmb()		barrier()
#define smp_wmb()		barrier()
#define smp_mb__before_atomic()	sim_mb_atomic()
#define smp_mb__after_atomic()	sim_mb_atomic()
#define smp_mb__after_spinlock()	barrier()
#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, val)	\
	__atomic_store_n((p), (val), __ATOMIC_RELEASE)
#define smp_store_mb(var, val)	\
	((void)__atomic_exchange_n(&(var), (val), __ATOMIC_SEQ_CST))

#define xchg(p, val)		__atomic_exchange_n((p), (val), __ATOMIC_SEQ_CST)
#define cmpxchg(p, old, val)						\
({									\
	typeof(*(p)) __old = (old);					\
									\
	__atomic_compare_exchange_n((p), &__old, (val), false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	__old;								\
})
#define cmpxchg_acquire(p, old, val)	cmpxchg(p, old, val)
#define try_cmpxchg(p, old, val)					\
	__atomic_compare_exchange_n((p), (old), (val), false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter;
} atomic64_t;

typedef struct {
	long counter;
} atomic_long_t;

#define ATOMIC_INIT(i)		{ (i) }
#define ATOMIC64_INIT(i)	{ (i) }

/* Operations of all three types, for one order. */
#define SIM_ATOMIC_ORDER(prefix, type, word, suffix)			\
static inline word prefix##_xchg##suffix(type *v, word i)		\
{									\
	return __atomic_exchange_n(&v->counter, i, __ATOMIC_SEQ_CST);	\
}									\
									\
static inline word prefix##_cmpxchg##suffix(type *v, word old, word i)	\
{									\
	__atomic_compare_exchange_n(&v->counter, &old, i, false,	\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	return old;							\
}									\
									\
static inline bool prefix##_try_cmpxchg##suffix(type *v, word *old, word i) \
{									\
	return __atomic_compare_exchange_n(&v->counter, old, i, false,	\
					   __ATOMIC_SEQ_CST,		\
					   __ATOMIC_SEQ_CST);		\
}									\
									\
static inline word prefix##_fetch_add##suffix(word i, type *v)		\
{									\
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST);	\
}									\
									\
static inline word prefix##_fetch_or##suffix(word i, type *v)		\
{									\
	return __atomic_fetch_or(&v->counter, i, __ATOMIC_SEQ_CST);	\
}									\
									\
static inline word prefix##_fetch_and##suffix(word i, type *v)		\
{									\
	return __atomic_fetch_and(&v->counter, i, __ATOMIC_SEQ_CST);	\
}									\
									\
static inline word prefix##_fetch_andnot##suffix(word i, type *v)	\
{									\
	return __atomic_fetch_and(&v->counter, ~i, __ATOMIC_SEQ_CST);	\
}									\
									\
static inline word prefix##_add_return##suffix(word i, type *v)		\
{									\
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_SEQ_CST);	\
}

#define SIM_ATOMIC(prefix, type, word)					\
static inline word prefix##_read(const type *v)				\
{									\
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);		\
}									\
									\
static inline word prefix##_read_acquire(const type *v)			\
{									\
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);		\
}									\
									\
static inline void prefix##_set(type *v, word i)			\
{									\
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);		\
}									\
									\
static inline void prefix##_set_release(type *v, word i)		\
{									\
	__atomic_store_n(&v->counter, i, __ATOMIC_RELEASE);		\
}									\
									\
SIM_ATOMIC_ORDER(prefix, type, word, )					\
SIM_ATOMIC_ORDER(prefix, type, word, _relaxed)				\
SIM_ATOMIC_ORDER(prefix, type, word, _acquire)				\
SIM_ATOMIC_ORDER(prefix, type, word, _release)				\
									\
static inline void prefix##_add(word i, type *v)			\
{									\
	__atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);					\
}									\
									\
static inline void prefix##_inc(type *v)				\
{									\
	__atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);					\
}									\
									\
static inline void prefix##_dec(type *v)				\
{									\
	__atomic_fetch_add(&v->counter, -1, __ATOMIC_RELAXED);					\
}									\
									\
static inline word prefix##_dec_return(type *v)				\
{									\
	return prefix##_add_return(-1, v);				\
}

SIM_ATOMIC(atomic, atomic_t, int)
SIM_ATOMIC(atomic64, atomic64_t, s64)
SIM_ATOMIC(atomic_long, atomic_long_t, long)

/* linux/bitops.h */
#define BITS_TO_LONGS(n)	(((n) + 63) / 64)
#define DECLARE_BITMAP(name, bits)	unsigned long name[BITS_TO_LONGS(bits)]
/* As in the build of the module that ./layout compares with. */
#define NR_CPUS			8192
#define __ffs(x)		((unsigned long)__builtin_ctzl(x))
#define __ffs64(x)		((unsigned long)__builtin_ctzll(x))
#define hweight8(x)		((unsigned int)__builtin_popcount((x) & 0xff))
#define hweight64(x)		__builtin_popcountll(x)
#define hweight_long(x)		__builtin_popcountl(x)

static inline bool test_bit(unsigned long n, const unsigned long *map)
{
	return READ_ONCE(map[n / 64]) >> (n % 64) & 1;
}

static inline void set_bit(unsigned long n, unsigned long *map)
{
	__atomic_fetch_or(&map[n / 64], BIT(n % 64), __ATOMIC_RELAXED);
}

static inline void clear_bit(unsigned long n, unsigned long *map)
{
	__atomic_fetch_and(&map[n / 64], ~BIT(n % 64), __ATOMIC_RELAXED);
}

static inline bool test_and_set_bit(unsigned long n, unsigned long *map)
{
	return __atomic_fetch_or(&map[n / 64], BIT(n % 64),
				 __ATOMIC_SEQ_CST) >> (n % 64) & 1;
}

static inline bool test_and_clear_bit(unsigned long n, unsigned long *map)
{
	return __atomic_fetch_and(&map[n / 64], ~BIT(n % 64),
				  __ATOMIC_SEQ_CST) >> (n % 64) & 1;
}

static inline void __set_bit(unsigned long n, unsigned long *map)
{
	map[n / 64] |= BIT(n % 64);
}

/* The first of [@from, @size) that is set, @size if there is none. */
static inline unsigned long find_next_bit(const unsigned long *map,
					  unsigned long size, unsigned long from)
{
	unsigned long word, at;

	if (from >= size)
		return size;
	at = from / 64;
	word = READ_ONCE(map[at]) & ~0UL << (from % 64);
	while (!word) {
		if (++at * 64 >= size)
			return size;
		word = READ_ONCE(map[at]);
	}
	return min(at * 64 + __ffs(word), size);
}

static inline unsigned long find_next_and_bit(const unsigned long *map,
					      const unsigned long *other,
					      unsigned long size,
					      unsigned long bit)
{
	do {
		bit = find_next_bit(map, size, bit);
	} while (bit < size && !test_bit(bit, other) && ++bit);
	return bit;
}

#define for_each_set_bit(bit, map, size)				\
	for ((bit) = find_next_bit((map), (size), 0); (bit) < (size);	\
	     (bit) = find_next_bit((map), (size), (bit) + 1))

#endif /* _WSQ_SIM_ATOMIC_H */
