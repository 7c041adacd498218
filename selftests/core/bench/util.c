// SPDX-License-Identifier: GPL-2.0
/*
 * Shared by the native benchmarks' drivers: see util.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "util.h"

unsigned int bench_build;

struct bench_options bench_options = { 9, 8000, NULL, NULL };

void bench_read_options(int argc, char **argv, char own, const char *usage)
{
	const char letters[] = { 'b', ':', 'r', ':', 'w', ':', 'o', ':', own, ':', 0 };
	struct bench_options *o = &bench_options;
	int opt;

	while ((opt = getopt(argc, argv, letters)) != -1) {
		if (opt == 'b')
			bench_build = (unsigned int)atoi(optarg);
		else if (opt == 'r')
			o->rounds = (unsigned int)atoi(optarg);
		else if (opt == 'w')
			o->window_us = (unsigned int)atoi(optarg);
		else if (opt == 'o')
			o->only = optarg;
		else if (opt == own)
			o->own = optarg;
		else
			break;
	}
	if (opt == -1 && optind == argc && o->rounds &&
	    o->rounds <= BENCH_MAX_ROUNDS)
		return;
	fputs(usage, stderr);
	exit(2);
}

bool bench_wanted(const char *name)
{
	return !bench_options.only || strstr(name, bench_options.only);
}

void bench_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("bench: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

void *bench_alloc(size_t size)
{
	static unsigned int nth;
	size_t shift = 64 + (bench_build * 5 + nth++ * 3) % 64 * 64;
	size_t all = (shift + size + 4095) / 4096 * 4096;
	char *base = aligned_alloc(4096, all);

	if (!base)
		bench_die("out of memory");
	memset(base, 0, all);
	memcpy(base + shift - sizeof(base), &base, sizeof(base));
	return base + shift;
}

void bench_free(void *mem)
{
	void *base;

	if (!mem)
		return;
	memcpy(&base, (char *)mem - sizeof(base), sizeof(base));
	free(base);
}

uint64_t bench_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t bench_ran_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

long bench_descheduled(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return ru.ru_nivcsw;
}

void bench_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bench_die("cannot run on CPU %d: %s", cpu, strerror(errno));
}
