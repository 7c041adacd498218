/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the kernel's headers that every program needs which compiles
 * sources of the module in user space, as far as no machine is involved: types,
 * attributes, arithmetic, error pointers, warnings.
 *
 * For: the fuzzers (selftests/fuzz/shim/kernel.h) and the simulator
 * (selftests/core/sim/kernel/kernel.h), which add their locks, tasks and
 * memory. Each supplies shim_fail(), READ_ONCE() and WRITE_ONCE().
 */
#ifndef _WSQ_SHIM_BASIC_H
#define _WSQ_SHIM_BASIC_H

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* linux/types.h: 64 bits are long long everywhere. */
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int32_t s32;
typedef long long s64;
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef s32 __s32;
typedef s64 __s64;
typedef unsigned int gfp_t;
typedef s64 ktime_t;

/* linux/version.h, kconfig.h */
#define KERNEL_VERSION(a, b, c)	(((a) << 16) + ((b) << 8) + (c))
#define __ARG_PLACEHOLDER_1	0,
#define __take_second_arg(ignored, val, ...)	val
#define ___is_defined(arg)	__take_second_arg(arg 1, 0)
#define __is_defined2(val)	___is_defined(__ARG_PLACEHOLDER_##val)
#define __is_defined1(x)	__is_defined2(x)
#define IS_ENABLED(option)	__is_defined1(option)
#define IS_REACHABLE(option)	__is_defined1(option)

/* linux/compiler.h, build_bug.h, cache.h, stddef.h */
#ifndef likely
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define barrier()	__asm__ __volatile__("" ::: "memory")
#endif
#define __user
#define __percpu
#define __rcu
#define __init
#define __exit
#define __ro_after_init
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define noinline		__attribute__((noinline))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define __no_kcsan
#define __acquires(x)
#define __releases(x)
#define L1_CACHE_BYTES		64
#define ____cacheline_aligned	__attribute__((aligned(L1_CACHE_BYTES)))
#define __aligned(n)		__attribute__((aligned(n)))
#ifndef __maybe_unused
#define __maybe_unused		__attribute__((unused))
#endif
#undef static_assert
#define static_assert(expr, ...)	_Static_assert(expr, #expr)
#define BUILD_BUG_ON(cond)	_Static_assert(!(cond), #cond)
#define sizeof_field(type, member)	sizeof(((type *)0)->member)
#define offsetofend(type, member)	\
	(offsetof(type, member) + sizeof_field(type, member))
#define container_of(ptr, type, member)	\
	((type *)((char *)(ptr) - offsetof(type, member)))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

/* A violated contract fails the test. */
__printf(3, 4) __attribute__((noreturn))
void shim_fail(const char *file, int line, const char *fmt, ...);
#define FAIL(...)		shim_fail(__FILE__, __LINE__, __VA_ARGS__)
#define MUST(cond)		\
	do { if (!(cond)) FAIL("not so: %s", #cond); } while (0)

#define WARN_ON(cond)		\
	({ bool __w = (cond); if (__w) FAIL("warning: %s", #cond); __w; })
#define WARN_ON_ONCE(cond)	WARN_ON(cond)
#define WARN_ONCE(cond, fmt, ...)	\
	({ bool __w = (cond); if (__w) FAIL("warning: " fmt, ##__VA_ARGS__); __w; })
#define pr_warn(fmt, ...)	do { if (0) printf(fmt, ##__VA_ARGS__); } while (0)
#define pr_err(fmt, ...)	pr_warn(fmt, ##__VA_ARGS__)

/* linux/bits.h, minmax.h, math.h, align.h, log2.h, overflow.h, limits.h */
#define BITS_PER_LONG		64
#define BIT(n)			(1UL << (n))
#define BIT_MASK(n)		BIT((n) % BITS_PER_LONG)
#define BIT_WORD(n)		((n) / BITS_PER_LONG)
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(h, l)		((~0UL << (l)) & (~0UL >> (63 - (h))))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define min(a, b)		\
	({ typeof(a) __a = (a); typeof(b) __b = (b); __a < __b ? __a : __b; })
#define max(a, b)		\
	({ typeof(a) __a = (a); typeof(b) __b = (b); __a > __b ? __a : __b; })
#define max3(a, b, c)		\
	({ typeof(a) __m = max(a, b); typeof(c) __c = (c); __m > __c ? __m : __c; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp_t(type, v, lo, hi)	min_t(type, max_t(type, v, lo), hi)
#define swap(a, b)		\
	do { typeof(a) __t = (a); (a) = (b); (b) = __t; } while (0)
#define round_down(x, y)	((x) & ~((typeof(x))(y) - 1))
#define round_up(x, y)		round_down((x) + (y) - 1, y)
#define roundup(x, y)		(((x) + (y) - 1) / (y) * (y))
#define ALIGN(x, a)		round_up(x, a)
#define IS_ALIGNED(x, a)	(!((x) & ((typeof(x))(a) - 1)))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define U16_MAX			((u16)~0)
#define U32_MAX			((u32)~0U)
#define U64_MAX			((u64)~0ULL)
#define SZ_64K			0x10000
#define SZ_1M			0x100000
#define SZ_1G			0x40000000
#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define array_size(n, size)	((size_t)(n) * (size))
#define struct_size(p, member, n)	\
	(sizeof(*(p)) + (n) * sizeof((p)->member[0]))
#define ilog2(n)		(63 - __builtin_clzll(n))
#define div_u64(a, b)		((u64)(a) / (u32)(b))

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n <= 1 ? 1 : 1UL << (64 - __builtin_clzl(n - 1));
}

/* linux/err.h */
#define ERR_PTR(err)		((void *)(long)(err))
#define PTR_ERR(ptr)		((long)(ptr))
#define IS_ERR(ptr)		((unsigned long)(ptr) >= (unsigned long)-4095)
#define IS_ERR_OR_NULL(ptr)	(!(ptr) || IS_ERR(ptr))

/* linux/mm.h */
#define PAGE_SHIFT		12
#define PAGE_SIZE		4096UL
#define PAGE_ALIGN(n)		round_up(n, PAGE_SIZE)
#define offset_in_page(p)	((unsigned long)(p) & (PAGE_SIZE - 1))

/* linux/string.h */
static inline void memset64(u64 *p, u64 val, size_t n)
{
	while (n--)
		*p++ = val;
}

/* linux/module.h, moduleparam.h, export.h */
#define THIS_MODULE		((struct module *)NULL)

struct module;

struct kernel_param {
	void *arg;
};

struct kernel_param_ops {
	int (*set)(const char *val, const struct kernel_param *kp);
	int (*get)(char *buffer, const struct kernel_param *kp);
};

#define EXPORT_SYMBOL_NS_GPL(sym, ns)	_Static_assert(1, "")
#define MODULE_SOFTDEP(text)	_Static_assert(1, "")
#define MODULE_PARM_DESC(name, text)	_Static_assert(1, "")
#define __MODULE_PARM_TYPE(name, type)	_Static_assert(1, "")
/* Recorded for the harness, by name. */
#define module_param_named(name, var, type, perm)	\
	void *shim_param_##name(void) { return &(var); } _Static_assert(1, "")
#define module_param_cb(name, ops, arg, perm)	\
	const struct kernel_param_ops *shim_param_##name(void)	\
	{ return (ops); } _Static_assert(1, "")

#endif /* _WSQ_SHIM_BASIC_H */
