// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of the native benchmark: takes every queue through the same
 * windows, ours and the peers in turn, and prints samples as JSON lines
 * (tools/bench/README.md) for tools/bench/collect.
 *
 * For selftests/core/bench/run, which builds it several times with different
 * code layouts and calls it once per build. What it guards against:
 *
 * - drift: a round measures every case once, so figures that are compared were
 *   taken within the same second; the order turns from round to round;
 * - disturbance: a window in which owner or thief was descheduled against its
 *   will, or in which the share stolen is far from what was wanted, is thrown
 *   away, measured again, and counted in the output;
 * - nonsense: each queue is checked for conservation before it is measured, and
 *   in every window puts must equal gets plus steals.
 *
 * Limitations: sees only the descheduling its own kernel does, not that of a
 * hypervisor beneath; needs two CPUs for the rows with a thief.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "cases.h"
#include "util.h"

#define MAX_RETRIES	8

static int cpu_owner = -1, cpu_thief = -1;

static void choose_cpus(void)
{
	cpu_set_t set;
	int cpu;

	sched_getaffinity(0, sizeof(set), &set);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		if (cpu_owner < 0)
			cpu_owner = cpu;
		else if (cpu_thief < 0)
			cpu_thief = cpu;
	}
}

/* ---- one case: a queue and what is done with it ---- */

enum mode { ONE, MANY, STEAL };

struct run {
	const struct bench_queue *queue;
	enum mode mode;
	unsigned int percent;		/* stolen, for STEAL; 0: nobody steals */
	const char *metric;
	void *q;
	uint64_t passes;		/* per window */
	double idle;			/* the thief's, between attempts */
	unsigned int dropped;
	unsigned int nr;
	double sample[BENCH_MAX_ROUNDS];	/* million operations per second */
	double stolen[BENCH_MAX_ROUNDS];	/* percent of what was put */
};

/* ---- the thief ---- */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct run *run;		/* what to rob, under lock */
	struct bench_count *count;
	int ready, stop;		/* atomic */
	long descheduled;
} thief = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
};

/* Idle longer or shorter, by what came of the last few passes of the owner. */
static double thief_pace(const struct run *run, double idle, uint64_t puts,
			 uint64_t steals)
{
	double want = (double)puts * run->percent / 100.0;
	double over = (double)steals / want;

	if (over > 2)
		over = 2;
	if (over < 0.5)
		over = 0.5;
	idle = (idle + 1) * over - 1;
	return idle < 0 ? 0 : idle;
}

static void thief_rob(struct run *run)
{
	const uint64_t stretch = 4 * run->queue->capacity;
	uint64_t puts, last_puts = 0, steals = 0, last_steals = 0, told = 0;
	double idle = run->idle;
	unsigned int tick = 0;
	uint64_t i;
	long before = bench_descheduled();

	__atomic_store_n(&thief.ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&thief.stop, __ATOMIC_ACQUIRE)) {
		steals += run->queue->steal(run->q);
		for (i = (uint64_t)idle; i; i--)
			bench_barrier();
		/* Not at every turn: the counters' lines are the owner's too. */
		if (steals - told >= 16) {
			told = steals;
			__atomic_store_n(&thief.count->steals, steals,
					 __ATOMIC_RELAXED);
		}
		if (++tick % 64)
			continue;
		puts = __atomic_load_n(&thief.count->puts, __ATOMIC_RELAXED);
		if (puts - last_puts < stretch)
			continue;
		idle = thief_pace(run, idle, puts - last_puts,
				  steals - last_steals);
		last_puts = puts;
		last_steals = steals;
	}
	run->idle = idle;
	__atomic_store_n(&thief.count->steals, steals, __ATOMIC_RELAXED);
	thief.descheduled = bench_descheduled() - before;
}

static void *thief_main(void *arg)
{
	(void)arg;
	bench_pin(cpu_thief);
	pthread_mutex_lock(&thief.lock);
	for (;;) {
		while (!thief.run)
			pthread_cond_wait(&thief.wake, &thief.lock);
		thief_rob(thief.run);
		thief.run = NULL;
		pthread_cond_broadcast(&thief.wake);
	}
	return NULL;
}

static void thief_begin(struct run *run, struct bench_count *count)
{
	pthread_mutex_lock(&thief.lock);
	thief.run = run;
	thief.count = count;
	thief.ready = 0;
	thief.stop = 0;
	pthread_cond_broadcast(&thief.wake);
	pthread_mutex_unlock(&thief.lock);
	/* At real-time priority it may want this CPU, to leave it. */
	while (!__atomic_load_n(&thief.ready, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void thief_end(void)
{
	__atomic_store_n(&thief.stop, 1, __ATOMIC_RELEASE);
	pthread_mutex_lock(&thief.lock);
	while (thief.run)
		pthread_cond_wait(&thief.wake, &thief.lock);
	pthread_mutex_unlock(&thief.lock);
}

/* ---- windows ---- */

/*
 * One window of @passes. Returns how long it lasted; *@rate is operations per
 * microsecond, puts, gets and steals together; *@disturbed if it does not
 * count.
 */
static uint64_t window(struct run *run, uint64_t passes, double *rate,
		       double *stolen, bool *disturbed)
{
	static struct bench_count count __attribute__((aligned(64)));
	const struct bench_queue *queue = run->queue;
	bool robbed = run->mode == STEAL && run->percent;
	uint64_t begin, ns;
	long before;

	memset(&count, 0, sizeof(count));
	if (robbed) {
		/* 3 % looser than the thief aims at, so that it rarely binds. */
		double share = 0.97 * run->percent / 100;

		count.total = passes * queue->capacity;
		count.odds = (uint64_t)(1024 * (1 - share) / share);
		/* A thief may take an eighth at a time, and that rarely. */
		count.slack = 8 * queue->capacity +
			      2 * queue->capacity / 8 * 100 / run->percent;
		thief_begin(run, &count);
	}
	before = bench_descheduled();
	begin = bench_now_ns();
	if (robbed)
		queue->robbed(run->q, &count);
	else if (run->mode == MANY)
		queue->pass_many(run->q, passes, &count);
	else
		queue->pass(run->q, passes, &count);
	ns = bench_now_ns() - begin;
	*disturbed = !queue->moves && bench_descheduled() != before;
	if (robbed) {
		thief_end();
		*disturbed |= !queue->moves && thief.descheduled != 0;
	}
	*rate = (double)(count.puts + count.gets + count.steals) * 1e3 /
		(double)ns;
	*stolen = 100.0 * (double)count.steals / (double)count.puts;
	/* The thief or the owner stood still: another experiment. */
	if (robbed && !queue->moves && (*stolen < 0.67 * run->percent ||
		       *stolen > 1.5 * run->percent))
		*disturbed = true;
	/* What the owner held back, untimed. */
	while (robbed && queue->get(run->q))
		count.gets++;
	if (count.puts != count.gets + count.steals)
		bench_die("%s: %llu put, %llu taken, %llu stolen", queue->name,
		    (unsigned long long)count.puts,
		    (unsigned long long)count.gets,
		    (unsigned long long)count.steals);
	return ns;
}

static void calibrate(struct run *run)
{
	const uint64_t want = (uint64_t)bench_options.window_us * 1000;
	double rate, stolen;
	bool disturbed;
	uint64_t ns;
	int i;

	run->passes = 8;
	/* More than once: the thief's pace has to settle as well. */
	for (i = 0; i < 8; i++) {
		ns = window(run, run->passes, &rate, &stolen, &disturbed);
		if (i >= 4 && !run->percent)
			break;
		if (ns < want / 2 || ns > want * 2)
			run->passes = run->passes * want / (ns + 1) + 1;
	}
}

static void measure(struct run *run)
{
	double rate, stolen;
	bool disturbed;
	int i;

	for (i = 0; i < MAX_RETRIES; i++) {
		window(run, run->passes, &rate, &stolen, &disturbed);
		if (!disturbed) {
			run->stolen[run->nr] = stolen;
			run->sample[run->nr++] = rate;
			return;
		}
		run->dropped++;
	}
	/* Never undisturbed: a hole, so that rounds stay aligned. */
	run->sample[run->nr++] = -1;
}

/* Everything put comes out once, before anything is believed of the queue. */
static void check(const struct bench_queue *queue)
{
	char *seen = calloc(queue->capacity + 1, 1);
	void *q = queue->create(queue);
	uintptr_t n = 0, out = 0;
	void *task;

	if (!q || !seen)
		bench_die("%s: cannot be created", queue->name);
	while (n < queue->capacity && queue->put(q, (void *)(n + 1)))
		n++;
	/* ck_ring holds one less than its size. */
	if (n + 1 < queue->capacity)
		bench_die("%s: holds %lu, not %u", queue->name, (unsigned long)n,
		    queue->capacity);
	while ((task = queue->get(q))) {
		if ((uintptr_t)task > n || seen[(uintptr_t)task]++)
			bench_die("%s: task %lu came out wrong", queue->name,
			    (unsigned long)(uintptr_t)task);
		out++;
	}
	if (out != n)
		bench_die("%s: %lu put, %lu taken", queue->name, (unsigned long)n,
		    (unsigned long)out);
	queue->destroy(q);
	free(seen);
}

/* ---- output ---- */

static void print_samples(const struct run *run, const double *sample,
			  const char *metric, const char *unit)
{
	unsigned int i;

	printf("{\"suite\":\"core\",\"case\":\"%s\",\"metric\":\"%s\",\"unit\":\"%s\",\"run\":%u,\"dropped\":%u,\"samples\":[",
	       run->queue->name, metric, unit, bench_build, run->dropped);
	for (i = 0; i < run->nr; i++) {
		if (i)
			putchar(',');
		if (run->sample[i] < 0)
			fputs("null", stdout);
		else
			printf("%.5g", sample[i]);
	}
	puts("]}");
}

static void print_run(const struct run *run)
{
	char metric[40];

	print_samples(run, run->sample, run->metric, "Mops/s");
	if (run->mode != STEAL || !run->percent)
		return;
	snprintf(metric, sizeof(metric), "stolen, %u %% wanted", run->percent);
	print_samples(run, run->stolen, metric, "%");
}

static struct run *add(struct run *runs, unsigned int *nr,
		       const struct bench_queue *queue, enum mode mode,
		       unsigned int percent, const char *metric)
{
	struct run *run = &runs[*nr];

	if (!queue || !bench_wanted(queue->name))
		return NULL;
	if (*nr == BENCH_MAX_RUNS)
		bench_die("more than %u cases", BENCH_MAX_RUNS);
	memset(run, 0, sizeof(*run));
	run->queue = queue;
	run->mode = mode;
	run->percent = percent;
	run->metric = metric;
	run->q = queue->create(queue);
	run->idle = 100;
	(*nr)++;
	return run;
}

static unsigned int add_all(struct run *runs)
{
	static const struct {
		unsigned int percent;
		const char *metric;
	} robbed[] = {
		{ 1, "put+get+steal, 1 % stolen" },
		{ 10, "put+get+steal, 10 % stolen" },
		{ 20, "put+get+steal, 20 % stolen" },
	};
	unsigned int i, k, nr = 0;

	for (i = 0; bench_queues[i].queue != BENCH_END; i++) {
		const struct bench_queue *queue = bench_queues[i].queue;

		if (!queue)
			continue;
		check(queue);
		if (bench_queues[i].plain)
			add(runs, &nr, queue, ONE, 0, "put+get");
		if (queue->pass_many && bench_queues[i].plain)
			add(runs, &nr, queue, MANY, 0, "put+get, batches of 32");
	}
	if (cpu_thief < 0)
		return nr;
	for (k = 0; k < sizeof(robbed) / sizeof(*robbed); k++) {
		/* The same upper bound beside them: nobody steals from it. */
		add(runs, &nr, bench_queues[0].queue, STEAL, 0,
		    robbed[k].metric);
		/* ... and what theft takes away from SALSA. */
		add(runs, &nr, &bench_salsa_8x1024_alone, STEAL, 0,
		    robbed[k].metric);
		for (i = 0; bench_queues[i].queue != BENCH_END; i++) {
			/* Rebinding waits for time slices: when asked. */
			if (bench_queues[i].queue &&
			    bench_queues[i].queue->steal &&
			    (bench_options.only || !bench_queues[i].queue->moves))
				add(runs, &nr, bench_queues[i].queue, STEAL,
				    robbed[k].percent, robbed[k].metric);
		}
	}
	return nr;
}

static const char usage[] =
	"usage: bench [-b BUILD] [-r ROUNDS] [-w WINDOW_US] [-o CASE_PART] [-n PASSES]\n"
	"  -o  only cases whose name contains this; \"rebinding\" is not measured else\n"
	"  -n  only so many passes of put+get, no figures: for perf and the like\n";

int main(int argc, char **argv)
{
	static struct run runs[BENCH_MAX_RUNS];
	unsigned int i, nr, round, passes = 0;
	pthread_t thread;

	bench_read_options(argc, argv, 'n', usage);
	if (bench_options.own)
		passes = (unsigned int)atoi(bench_options.own);
	choose_cpus();
	bench_pin(cpu_owner);
	nr = add_all(runs);
	if (passes) {
		for (i = 0; i < nr; i++) {
			struct bench_count count = { 0 };

			if (runs[i].mode == ONE)
				runs[i].queue->pass(runs[i].q, passes,
						    &count);
		}
		return 0;
	}
	if (cpu_thief >= 0 && pthread_create(&thread, NULL, thief_main, NULL))
		bench_die("no thread");
	for (i = 0; i < nr; i++)
		calibrate(&runs[i]);
	for (round = 0; round < bench_options.rounds; round++) {
		for (i = 0; i < nr; i++)
			measure(&runs[(i + round) % nr]);
	}
	for (i = 0; i < nr; i++)
		print_run(&runs[i]);
	if (cpu_thief < 0)
		puts("{\"suite\":\"core\",\"case\":\"all\",\"metric\":\"put+get+steal\",\"note\":\"only one CPU: no rows with a thief\"}");
	return 0;
}
