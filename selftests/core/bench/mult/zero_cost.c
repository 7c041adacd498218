// SPDX-License-Identifier: GPL-2.0
/*
 * Zero cost: what puts, takes and thefts cost by themselves, of work stealing
 * with multiplicity and of what it is compared with. Section 8 of A. Castañeda,
 * M. Piña, "Fully Read/Write Fence-Free Work-Stealing with Multiplicity" (2020):
 * 10 million puts, then as many takes, or as many thefts, with arrays of
 * different initial length. Prints samples as JSON lines (tools/bench/README.md).
 *
 *	zero_cost [tasks=N] [rounds=N] [shift=N] [slow=0|1] [build=N]
 *		  [PART OF A CASE'S NAME]
 *
 * shift: only arrays of 2^N slots; default all of those below. The paper's
 * lengths, where they are no power of two, are rounded up to one. slow: measure
 * the cases that are slow as well, with the shortest arrays. build: number of the
 * code layout, which is printed.
 *
 * Rows, in ns of CPU time for each task, growth included:
 *	put-take, LENGTH	a put and a take by the owner
 *	put-steal, LENGTH	a put, and a theft from the same thread
 *	take, LENGTH		the takes alone
 *	steal, LENGTH		the thefts alone
 *
 * Each round measures all cases in turn, on one CPU. One more round comes
 * before, so that memory comes from the heap and not from the kernel. It checks
 * that each task put came out.
 *
 * Cost: a minute and a half. Limitations: one thread, as in the paper: no cache line
 * changes its CPU. In the paper's Java, memory is zeroed when it is allocated
 * and freed by a garbage collector; here arrays are neither zeroed nor freed
 * before the end.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../option.h"
#include "case.h"

#define MAX_ROUNDS	32
#define MAX_CASES	32

static const u32 shifts[] = { 8, 12, 15, 17, 18, 19, 20 };
static const char *const rows[] = { "put-take", "put-steal", "take", "steal" };

static u64 nr_tasks = 10000000, nr_rounds = 5, shift, slow = 1, build;
static const char *only;

static double samples[4][MAX_CASES][MAX_ROUNDS];

/* CPU time, so that other processes cost only what they take from the caches. */
static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* One sample of a case; @row: with takes, or with thefts. */
static void measure(u32 row, u32 index, u64 length, u64 round)
{
	const struct mult_case *c = mult_cases[index];
	void *q = c->create(2, length, nr_tasks);
	double began = now(), put, ended;
	u64 n;

	c->puts(q, nr_tasks);
	put = now();
	n = row ? c->steals(q) : c->gets(q);
	ended = now();
	if (n != nr_tasks) {
		fprintf(stderr, "%s: %llu of %llu tasks came out\n", c->name, n, nr_tasks);
		exit(1);
	}
	c->destroy(q);
	if (!round)
		return;
	samples[row][index][round - 1] = (ended - began) / (double)nr_tasks;
	samples[2 + row][index][round - 1] = (ended - put) / (double)nr_tasks;
}

static bool wanted(const struct mult_case *c, u64 length)
{
	if (c->slow && (!slow || length > 1ULL << shifts[0]))
		return false;
	return c == &mult_chase_lev || !only || strstr(c->name, only);
}

static void print(u32 row, u32 index, u64 length)
{
	const struct mult_case *c = mult_cases[index];
	u64 i;

	printf("{\"suite\":\"core\",\"case\":\"%s\",\"metric\":\"%s, %llu\",\"unit\":\"ns\",",
	       c->name, rows[row], length);
	if (c != &mult_chase_lev)
		printf("\"peer\":\"%s\",", mult_chase_lev.name);
	printf("\"run\":%llu,\"samples\":[", build);
	for (i = 0; i < nr_rounds; i++)
		printf("%s%.3f", i ? "," : "", samples[row][index][i]);
	printf("]}\n");
}

static void of_length(u64 length)
{
	u64 round;
	u32 i, row;

	for (round = 0; round <= nr_rounds; round++)
		for (i = 0; mult_cases[i]; i++)
			for (row = 0; row < 2 && wanted(mult_cases[i], length); row++)
				measure(row, i, length, round);
	for (row = 0; row < 4; row++)
		for (i = 0; mult_cases[i]; i++)
			if (wanted(mult_cases[i], length))
				print(row, i, length);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	cpu_set_t set;
	u32 i;
	int a;

	for (a = 1; a < argc; a++)
		if (!option(argv[a], "tasks", &nr_tasks) && !option(argv[a], "rounds", &nr_rounds) &&
		    !option(argv[a], "shift", &shift) && !option(argv[a], "slow", &slow) &&
		    !option(argv[a], "build", &build)) {
			if (strchr(argv[a], '=')) {
				fprintf(stderr, "%s: what is %s?\n", argv[0], argv[a]);
				return 2;
			}
			only = argv[a];
		}
	if (!nr_tasks || nr_tasks > 1 << 24 || !nr_rounds || nr_rounds > MAX_ROUNDS || shift > 24)
		return 2;
	/* The heap keeps what is freed. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, 64 << 20);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (i = 0; i < sizeof(shifts) / sizeof(*shifts); i++)
		if (!shift || shift == shifts[i])
			of_length(1ULL << shifts[i]);
	return 0;
}
