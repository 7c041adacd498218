/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the native benchmarks' drivers have in common. For main.c and flow.c.
 */
#ifndef _WSQ_BENCH_UTIL_H
#define _WSQ_BENCH_UTIL_H

#include <stdbool.h>
#include <stdint.h>

/* So many rounds are the most, for who keeps a figure of each. */
#define BENCH_MAX_ROUNDS	64

/* Number of the build, by which bench_alloc() differs. */
extern unsigned int bench_build;

/**
 * struct bench_options - what a driver was told
 * @rounds: -r, how often each case is measured
 * @window_us: -w, how long, each time
 * @only: -o, what the names of the cases contain; %NULL for any
 * @own: the driver's own option, %NULL if that was not given
 */
struct bench_options {
	unsigned int rounds;
	unsigned int window_us;
	const char *only;
	const char *own;
};

extern struct bench_options bench_options;

/* Reads them, and -b into @bench_build. @own: the letter of the driver's own. */
void bench_read_options(int argc, char **argv, char own, const char *usage);

/* Is it one of the cases that were asked for? */
bool bench_wanted(const char *name);

__attribute__((noreturn, format(printf, 1, 2)))
void bench_die(const char *fmt, ...);

uint64_t bench_now_ns(void);

/* How long the caller has been on a CPU. */
uint64_t bench_ran_ns(void);

/* How often the caller was descheduled against its will. */
long bench_descheduled(void);

void bench_pin(int cpu);

#endif /* _WSQ_BENCH_UTIL_H */
