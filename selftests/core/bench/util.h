/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the native benchmarks' drivers have in common. For main.c and flow.c.
 */
#ifndef _WSQ_BENCH_UTIL_H
#define _WSQ_BENCH_UTIL_H

#include <stdint.h>

/* Number of the build, by which bench_alloc() differs. */
extern unsigned int bench_build;

__attribute__((noreturn, format(printf, 1, 2)))
void bench_die(const char *fmt, ...);

uint64_t bench_now_ns(void);

/* How long the caller has been on a CPU. */
uint64_t bench_ran_ns(void);

/* How often the caller was descheduled against its will. */
long bench_descheduled(void);

void bench_pin(int cpu);

#endif /* _WSQ_BENCH_UTIL_H */
