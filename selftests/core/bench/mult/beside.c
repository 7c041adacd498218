// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks of a given length beside a thief: how often one comes out again, and what
 * the second thread gains. A. Castañeda, M. Piña, "Fully Read/Write Fence-Free
 * Work-Stealing with Multiplicity" (2020) leaves both out. Prints samples as JSON
 * lines (tools/bench/README.md).
 *
 *	beside [rounds=N] [PART OF A CASE'S NAME]
 *
 * The owner puts all tasks, then takes and runs them, and ends when it finds its
 * queue empty. The thief steals and runs meanwhile. Rows:
 *	N ns			microseconds until both have ended; case "NAME, 1"
 *				without the thief, "NAME, 2" with it
 *	N ns: repeated		runs beyond one for each task, in percent of the tasks
 *	N ns: stolen		runs by the thief, likewise
 *
 * Each round measures all cases in turn. One in which a thread was off its CPU
 * for more than a hundredth of the time is repeated; what was dropped is counted.
 * Checked: each task ran, and no more often than its queue allows.
 *
 * Cost: half a minute. Limitations: two CPUs, one thief. The length is that of a
 * loop of multiplications, measured at the start: a memory access is no part of
 * it.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../option.h"
#include "case.h"

#define MAX_ROUNDS	64
#define MAX_CASES	32
#define MAX_TASKS	100000
#define TRIES		100

/* ns, and how many tasks. */
static const struct {
	u32 ns, tasks;
} lengths[] = { { 0, 100000 }, { 100, 30000 }, { 300, 10000 }, { 1000, 1024 } };

static u64 nr_rounds = 21;
static const char *only;
static double turns_per_ns;

static struct sample {
	double us, repeated, stolen;
} samples[MAX_CASES][2][MAX_ROUNDS];
static u32 dropped[MAX_CASES][2];

/**
 * struct side - a thread
 * @c: the queue's functions
 * @q: the queue
 * @t: what it runs
 * @cpu: where
 * @ready: threads that are ready
 * @nr: how many there are
 * @began: when it began, in ns
 * @ended: when it ended
 * @off: how long it was off its CPU between the two
 */
struct side {
	const struct mult_case *c;
	void *q;
	struct spin_tasks t;
	int cpu;
	u32 *ready;
	u32 nr;
	u64 began, ended, off;
};

static u64 clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *side_run(void *arg)
{
	struct side *s = arg;
	u64 ran;

	pin(s->cpu);
	__atomic_fetch_add(s->ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(s->ready, __ATOMIC_SEQ_CST) != s->nr)
		spin_relax();
	ran = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	s->began = clock_ns(CLOCK_MONOTONIC);
	if (s->cpu) {
		s->c->thieves(s->q, &s->t);
	} else {
		s->c->owns(s->q, &s->t);
		__atomic_store_n(s->t.over, 1, __ATOMIC_RELEASE);
	}
	s->ended = clock_ns(CLOCK_MONOTONIC);
	s->off = s->ended - s->began - (clock_ns(CLOCK_THREAD_CPUTIME_ID) - ran);
	return NULL;
}

static void must(bool ok, const struct mult_case *c, const char *what, u32 task)
{
	if (ok)
		return;
	fprintf(stderr, "%s: task %u %s\n", c->name, task, what);
	exit(1);
}

/* One run of @n tasks by @nr threads. False if one was off its CPU for long. */
static bool run(const struct mult_case *c, u32 ns, u32 n, u32 nr, struct sample *to)
{
	static u8 ran[2][MAX_TASKS + 1];
	u32 ready = 0, over = 0, i, task;
	u64 began, ended, runs = 0, stolen = 0;
	void *q = c->create(2, 256, n);
	struct side sides[2];
	pthread_t ids[2];
	bool quiet = true;

	memset(ran, 0, sizeof(ran));
	c->puts(q, n);
	for (i = 0; i < nr; i++) {
		sides[i] = (struct side){
			.c = c, .q = q, .cpu = (int)i, .ready = &ready, .nr = nr,
			.t = { (u64)(ns * turns_per_ns), 0, ran[i], &over },
		};
		if (pthread_create(&ids[i], NULL, side_run, &sides[i]))
			exit(1);
	}
	for (i = 0; i < nr; i++)
		pthread_join(ids[i], NULL);
	began = sides[0].began;
	ended = sides[0].ended;
	for (i = 0; i < nr; i++) {
		began = sides[i].began < began ? sides[i].began : began;
		ended = sides[i].ended > ended ? sides[i].ended : ended;
	}
	for (i = 0; i < nr; i++)
		quiet = quiet && (s64)(sides[i].off * 100) <= (s64)(ended - began);
	for (task = 1; task <= n; task++) {
		u32 times = ran[0][task] + ran[1][task];

		must(times, c, "did not run", task);
		must(c->bound != MULT_ONCE || times == 1, c, "ran again", task);
		must(c->bound == MULT_AGAIN || (ran[0][task] <= 1 && ran[1][task] <= 1),
		     c, "came out to a thread again", task);
		runs += times;
		stolen += ran[1][task];
	}
	c->destroy(q);
	to->us = (double)(ended - began) / 1000;
	to->repeated = 100. * (double)(runs - n) / n;
	to->stolen = 100. * (double)stolen / n;
	return quiet;
}

static void measure(u32 index, u32 length, u32 nr, struct sample *to)
{
	u32 i;

	for (i = 0; i < TRIES; i++) {
		if (run(mult_cases[index], lengths[length].ns, lengths[length].tasks, nr, to))
			return;
		dropped[index][nr - 1]++;
	}
	fprintf(stderr, "beside: other processes take the CPUs\n");
}

static void print(u32 index, u32 length, u32 nr, u32 which)
{
	static const char *const what[] = { "", ": repeated", ": stolen" };
	u64 i;

	printf("{\"suite\":\"core\",\"case\":\"%s, %u\",\"metric\":\"%u ns%s\",\"unit\":\"%s\",",
	       mult_cases[index]->name, nr, lengths[length].ns, what[which], which ? "%" : "us");
	if (!which)
		printf("\"peer\":\"%s, 1\",\"dropped\":%u,", mult_cases[index]->name,
		       dropped[index][nr - 1]);
	printf("\"samples\":[");
	for (i = 0; i < nr_rounds; i++) {
		const struct sample *s = &samples[index][nr - 1][i];

		printf("%s%.4f", i ? "," : "", which == 2 ? s->stolen : which ? s->repeated : s->us);
	}
	printf("]}\n");
}

static bool wanted(const struct mult_case *c)
{
	return !c->slow && (!only || strstr(c->name, only));
}

static void of_length(u32 length)
{
	u64 round;
	u32 i, nr, which;

	memset(dropped, 0, sizeof(dropped));
	for (round = 0; round < nr_rounds; round++)
		for (i = 0; mult_cases[i]; i++)
			for (nr = 1; nr <= 2 && wanted(mult_cases[i]); nr++)
				measure(i, length, nr, &samples[i][nr - 1][round]);
	for (i = 0; mult_cases[i]; i++)
		for (nr = 1; nr <= 2 && wanted(mult_cases[i]); nr++)
			for (which = 0; which < (nr == 1 ? 1 : 3); which++)
				print(i, length, nr, which);
	fflush(stdout);
}

/* The fastest of some runs: the others were disturbed. */
static void calibrate(void)
{
	u64 turns = 1000000, best = ~0ULL, took, x = 0;
	int i;

	for (i = 0; i < 20; i++) {
		took = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		x = spin_turns(x, turns);
		took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - took;
		best = took < best ? took : best;
	}
	turns_per_ns = (double)turns / (double)best;
}

int main(int argc, char **argv)
{
	u32 i;
	int a;

	for (a = 1; a < argc; a++)
		if (!option(argv[a], "rounds", &nr_rounds)) {
			if (strchr(argv[a], '=')) {
				fprintf(stderr, "%s: what is %s?\n", argv[0], argv[a]);
				return 2;
			}
			only = argv[a];
		}
	if (!nr_rounds || nr_rounds > MAX_ROUNDS)
		return 2;
	/* The heap keeps what is freed, for both threads. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, 64 << 20);
	mallopt(M_ARENA_MAX, 1);
	pin(0);
	calibrate();
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		of_length(i);
	return 0;
}
