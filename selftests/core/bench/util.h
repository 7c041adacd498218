/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the native benchmarks' drivers, main.c, flow.c and pool.c.
 */
#ifndef _WSQ_BENCH_UTIL_H
#define _WSQ_BENCH_UTIL_H

#include <stdbool.h>
#include <stdint.h>

/* Most rounds, for drivers that keep a figure of each. */
#define BENCH_MAX_ROUNDS	64

/* Number of the build; bench_alloc() depends on it. */
extern unsigned int bench_build;

/**
 * struct bench_options - command line of a driver
 * @rounds: -r, how often each case is measured
 * @window_us: -w, microseconds of each measurement
 * @only: -o, a part of the names of the cases to measure; %NULL for any
 * @own: the driver's own option; %NULL if not given
 */
struct bench_options {
	unsigned int rounds;
	unsigned int window_us;
	const char *only;
	const char *own;
};

extern struct bench_options bench_options;

/* Reads them, and -b into @bench_build. @own: the driver's own letter. */
void bench_read_options(int argc, char **argv, char own, const char *usage);

/* Was this case selected? */
bool bench_wanted(const char *name);

__attribute__((noreturn, format(printf, 1, 2)))
void bench_die(const char *fmt, ...);

uint64_t bench_now_ns(void);

/* CPU time of the caller. */
uint64_t bench_ran_ns(void);

/* Involuntary context switches of the caller. */
long bench_descheduled(void);

void bench_pin(int cpu);

#endif /* _WSQ_BENCH_UTIL_H */
