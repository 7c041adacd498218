// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of displacing an owner in user space, natively: an owner puts and
 * takes tasks on one core, a thief on the other makes it execute a full barrier
 * over and over. Prints samples as JSON lines (tools/bench/README.md).
 *
 *	fence [-b BUILD] [-r ROUNDS] [-w WINDOW_US]
 *
 * For selftests/core/bench/run. Ways of displacing:
 *
 * - wsq fence: fence.h's hooks in user space, membarrier
 * - rebinding: the thief moves to the owner's CPU and back (sched_setaffinity),
 * the original method
 * - mfence, locked add, compare-and-exchange: the owner pays for each task, and
 * is never displaced
 *
 * Figures: thief, the thief's time for each fence; victim, the owner's delay by
 * each; operation, a put and a take without displacing. A round measures all
 * ways in turn. A window in which the owner was descheduled is thrown away,
 * except for rebinding, which deschedules it on purpose.
 *
 * Limitations: needs two CPUs. The kernel's own fence interrupts one CPU,
 * membarrier all that run the process: here one as well.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "fence.h"

#define MAX_ROUNDS	64
#define MAX_RETRIES	8
#define NR_SLOTS	64
#define PAUSE_NS	20000

enum way { FENCE, REBIND, MFENCE, LOCKED, CAS, NR_WAYS };

static const char *const names[NR_WAYS] = {
	"wsq fence (membarrier)", "rebinding (sched_setaffinity)",
	"mfence for each task", "locked add for each task",
	"compare-and-exchange for each task",
};

static unsigned int opt_build, opt_rounds = 9, opt_window_us = 8000;
static int cpus[2] = { -1, -1 };

static atomic64_t owner WSQ_CACHE_ALIGNED;
static atomic64_t idx WSQ_CACHE_ALIGNED;
static atomic64_t slots[NR_SLOTS] WSQ_CACHE_ALIGNED;
static int over WSQ_CACHE_ALIGNED;

/* One window, and its results. */
struct window {
	enum way way;
	pthread_barrier_t begin;
	double called, op;		/* ns */
	uint64_t nr, laps, drained;
	long descheduled;
};

struct figures {
	double thief[MAX_ROUNDS], victim[MAX_ROUNDS], op[MAX_ROUNDS];
	unsigned int dropped;
};

static void die(const char *what)
{
	fprintf(stderr, "bench fence: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static long descheduled(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return ru.ru_nivcsw;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

/* Elsewhere than on x86 both are the only full barrier. */
#ifdef __x86_64__
#define full_mfence()	__asm__ __volatile__("mfence" : : : "memory")
#define full_locked()	\
	__asm__ __volatile__("lock; addl $0,-4(%%rsp)" : : : "memory", "cc")
#else
#define full_mfence()	smp_mb()
#define full_locked()	smp_mb()
#endif

/* As in fence.h, scenario D; here the chunk is never taken. */
static inline __attribute__((always_inline)) bool take(enum way way)
{
	s64 i = atomic64_read(&idx), task = atomic64_read(&slots[i]);

	if (!task || !atomic64_read(&owner))
		return false;
	atomic64_set(&idx, i + 1);
	if (way == CAS)
		return atomic64_cmpxchg(&slots[i], task, 0) == task;
	if (way == MFENCE)
		full_mfence();
	else if (way == LOCKED)
		full_locked();
	else
		wsq_fence_light();
	if (!atomic64_read(&owner))
		return false;
	atomic64_set(&slots[i], 0);
	return true;
}

static inline __attribute__((always_inline)) void lap(enum way way)
{
	int i;

	wsq_fence_begin();
	for (i = 0; i < NR_SLOTS; i++)
		atomic64_set_release(&slots[i], i + 1);
	atomic64_set(&idx, 0);
	for (i = 0; i < NR_SLOTS; i++)
		if (!take(way))
			break;
	wsq_fence_end();
}

/* Alone for half of the window, then until the thief has finished. */
static inline __attribute__((always_inline))
void own(struct window *w, enum way way)
{
	uint64_t from, now, laps = 0;
	long before;
	int i;

	before = descheduled();
	from = now_ns();
	do {
		for (i = 0; i < 64; i++)
			lap(way);
		laps += 64;
		now = now_ns();
	} while (now - from < opt_window_us * 500ULL);
	w->op = (double)(now - from) / (double)(laps * NR_SLOTS);
	/* Time from here on is charged to the thief. */
	w->descheduled = descheduled() - before;
	pthread_barrier_wait(&w->begin);
	before = descheduled();
	from = now_ns();
	for (laps = 0; !__atomic_load_n(&over, __ATOMIC_ACQUIRE); laps++)
		lap(way);
	w->drained = now_ns() - from;
	w->laps = laps;
	if (way != REBIND)
		w->descheduled += descheduled() - before;
}

static void *owner_main(void *arg)
{
	struct window *w = arg;

	pin(cpus[1]);
	switch (w->way) {
	case MFENCE:
		own(w, MFENCE);
		break;
	case LOCKED:
		own(w, LOCKED);
		break;
	case CAS:
		own(w, CAS);
		break;
	case REBIND:
		own(w, REBIND);
		break;
	default:
		own(w, FENCE);
		break;
	}
	return NULL;
}

static void displace(enum way way)
{
	static const u64 set[1] = { 2 };

	if (way == FENCE) {
		wsq_fence_heavy(set, 1);
	} else {
		pin(cpus[1]);
		pin(cpus[0]);
	}
}

static void window(struct window *w, enum way way)
{
	uint64_t from, to, end;
	pthread_t thread;

	memset(w, 0, sizeof(*w));
	w->way = way;
	__atomic_store_n(&over, 0, __ATOMIC_RELEASE);
	pthread_barrier_init(&w->begin, NULL, 2);
	if (pthread_create(&thread, NULL, owner_main, w))
		die("pthread_create");
	pthread_barrier_wait(&w->begin);
	end = now_ns() + opt_window_us * 500ULL;
	do {
		if (way > REBIND)
			break;
		from = now_ns();
		displace(way);
		to = now_ns();
		w->called += (double)(to - from);
		w->nr++;
		while (now_ns() < to + PAUSE_NS)
			;
	} while (to < end);
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&w->begin);
}

static void measure(struct figures *f, enum way way, unsigned int round)
{
	struct window w;
	double late;
	int i;

	f->thief[round] = -1;
	f->victim[round] = -1;
	f->op[round] = -1;
	for (i = 0; i < MAX_RETRIES; i++) {
		window(&w, way);
		if (!w.descheduled)
			break;
		f->dropped++;
	}
	if (i == MAX_RETRIES)
		return;
	f->op[round] = w.op;
	if (way > REBIND)
		return;
	late = (double)w.drained - w.op * (double)(w.laps * NR_SLOTS);
	f->thief[round] = w.called / (double)w.nr;
	f->victim[round] = late < 0 ? 0 : late / (double)w.nr;
}

static void print(enum way way, const struct figures *f, const char *metric,
		  const double *sample)
{
	unsigned int i;

	printf("{\"suite\":\"core\",\"case\":\"%s\",\"metric\":\"fence, %s\",\"unit\":\"ns\",\"run\":%u,\"dropped\":%u,\"samples\":[",
	       names[way], metric, opt_build, f->dropped);
	for (i = 0; i < opt_rounds; i++) {
		if (i)
			putchar(',');
		if (sample[i] < 0)
			fputs("null", stdout);
		else
			printf("%.5g", sample[i]);
	}
	puts("]}");
}

static void choose_cpus(void)
{
	cpu_set_t set;
	int cpu, nr = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		die("sched_getaffinity");
	for (cpu = 0; cpu < CPU_SETSIZE && nr < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[nr++] = cpu;
}

int main(int argc, char **argv)
{
	static struct figures figures[NR_WAYS];
	unsigned int round, i;
	int opt;

	while ((opt = getopt(argc, argv, "b:r:w:")) != -1) {
		if (opt == 'b')
			opt_build = (unsigned int)atoi(optarg);
		else if (opt == 'r')
			opt_rounds = (unsigned int)atoi(optarg);
		else if (opt == 'w')
			opt_window_us = (unsigned int)atoi(optarg);
		else
			return 2;
	}
	if (optind != argc || !opt_rounds || opt_rounds > MAX_ROUNDS)
		return 2;
	choose_cpus();
	if (cpus[1] < 0) {
		puts("{\"suite\":\"core\",\"case\":\"wsq fence (membarrier)\",\"metric\":\"fence, thief\",\"note\":\"only one CPU\"}");
		return 0;
	}
	pin(cpus[0]);
	wsq_fence_register();
	atomic64_set(&owner, 1);
	for (round = 0; round < opt_rounds; round++)
		for (i = 0; i < NR_WAYS; i++)
			measure(&figures[(i + round) % NR_WAYS],
				(enum way)((i + round) % NR_WAYS), round);
	for (i = 0; i < NR_WAYS; i++) {
		print((enum way)i, &figures[i], "operation", figures[i].op);
		if (i > REBIND)
			continue;
		print((enum way)i, &figures[i], "thief", figures[i].thief);
		print((enum way)i, &figures[i], "victim", figures[i].victim);
	}
	return 0;
}
