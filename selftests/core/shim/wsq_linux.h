/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What <linux/wsq_fj.h> uses of the kernel's headers, in user space.
 *
 * For: programs that use -I shim/linux and -I include beside one of the other
 * shims. Cost: none. Limitations: x86-64 and arm64.
 */
#ifndef _WSQ_SHIM_LINUX_H
#define _WSQ_SHIM_LINUX_H

#include <wsq_platform.h>

#ifndef __aligned
#define __aligned(x)		__attribute__((__aligned__(x)))
#endif
#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define noinline		__attribute__((__noinline__))
#define __maybe_unused		__attribute__((__unused__))
#define SMP_CACHE_BYTES		64
#define BUILD_BUG_ON(x)		_Static_assert(!(x), #x)

/* As the kernel has it. A program may have another, then without assembler. */
#define CONFIG_ARCH_HAS_CURRENT_STACK_POINTER	1
#ifdef current_stack_pointer
#elif defined(__x86_64__)
#define CONFIG_X86_64	1
register unsigned long current_stack_pointer __asm__("rsp");
#elif defined(__aarch64__)
register unsigned long current_stack_pointer __asm__("sp");
#endif

#endif /* _WSQ_SHIM_LINUX_H */
