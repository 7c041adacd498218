// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of the native benchmark: takes every queue through the same
 * windows, ours and the peers in turn, and prints samples as JSON lines
 * (tools/bench/README.md) for tools/bench/collect.
 *
 * For selftests/core/bench/run, which builds it several times with different
 * code layouts and calls it once per build. It guards against:
 *
 * - drift: a round measures every case once, so figures that are compared were
 * taken within the same second; the order rotates from round to round;
 * - disturbance: a window in which owner or thief was descheduled involuntarily
 * ("dropped"), or in which another share was stolen than was wanted ("missed"),
 * is thrown away, measured again, and counted in the output;
 * - a thief that is faster or slower than its share: it idles by the recent
 * rate and by that of the whole window, the owner waits for a thief that is too
 * slow, and a window counts from when both have settled;
 * - broken queues: each queue is checked for conservation before it is
 * measured, and in every window puts must equal gets plus steals.
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
/* A share outside of these, relative to the wanted one, is not accepted. */
#define SHARE_LEAST	0.85
#define SHARE_MOST	1.15

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

/* ---- one case: a queue and its workload ---- */

enum mode { ONE, MANY, STEAL };

struct run {
	const struct bench_queue *queue;
	enum mode mode;
	unsigned int percent;		/* stolen, for STEAL; 0: no thief */
	const char *metric;
	void *q;
	uint64_t passes;		/* per window */
	double idle;			/* the thief's, between attempts */
	unsigned int dropped;
	unsigned int missed;
	unsigned int nr;
	double sample[BENCH_MAX_ROUNDS];	/* million operations per second */
	double stolen[BENCH_MAX_ROUNDS];	/* percent of what was put */
};

/* ---- the thief ---- */

#define THIEF_NAP	4096	/* turns of an empty loop, between two looks */
#define THIEF_STEAL	32	/* what a theft takes, in these turns */
#define THIEF_LOOK_NS	50000

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct run *run;		/* what to steal from, under lock */
	struct bench_count *count;
	int ready, stop;		/* atomic */
	long descheduled;
} thief = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
};

/* The thief's view of a window at its last adaptation. */
struct pace {
	uint64_t stretch;	/* puts between two looks, at least */
	uint64_t puts, steals;
	uint64_t looked_ns;
	double publish;
	double late;		/* steals behind when the owner waits */
	double idle;
};

/*
 * Idle longer or shorter, by the puts since the last look, and so that half of
 * the whole window's lag or lead is made up for by the next look.
 */
static void thief_adapt(struct pace *pace, uint64_t puts, uint64_t steals)
{
	double usual = pace->publish * (double)(puts - pace->puts);
	double behind = pace->publish * (double)puts - (double)steals;
	double next = usual + behind / 2;
	double factor;

	if (next < usual / 4)
		next = usual / 4;
	factor = (double)(steals - pace->steals) / next;
	if (factor > 2)
		factor = 2;
	if (factor < 0.5)
		factor = 0.5;
	/* A steal itself takes about that long. */
	pace->idle = (pace->idle + THIEF_STEAL) * factor - THIEF_STEAL;
	if (pace->idle < 0)
		pace->idle = 0;
	pace->puts = puts;
	pace->steals = steals;
}

/* The counters' cache lines are the owner's too: do not look every time. */
static void thief_look(struct pace *pace, const struct bench_count *count,
		       uint64_t steals)
{
	uint64_t now = bench_now_ns(), puts;

	if (now - pace->looked_ns < THIEF_LOOK_NS)
		return;
	pace->looked_ns = now;
	puts = __atomic_load_n(&count->puts, __ATOMIC_RELAXED);
	if (puts - pace->puts >= pace->stretch)
		thief_adapt(pace, puts, steals);
	else if (pace->publish * (double)puts - (double)steals >= pace->late)
		pace->idle /= 2;
}

static bool thief_stopped(void)
{
	return __atomic_load_n(&thief.stop, __ATOMIC_ACQUIRE);
}

static void thief_loop(struct run *run)
{
	const struct bench_queue *queue = run->queue;
	uint64_t steals = 0, told = 0, rest, n, i;
	struct pace pace = { .idle = run->idle };
	unsigned int ticks = 0;
	long before = bench_descheduled();

	pace.publish = run->percent / 100.0;
	pace.late = 0.9 * pace.publish * (double)(queue->capacity +
						  thief.count->slack);
	/* Several passes of the owner, and several thefts. */
	pace.stretch = 8 * bench_grain(queue) * 100 / run->percent;
	if (pace.stretch < 4 * queue->capacity)
		pace.stretch = 4 * queue->capacity;
	__atomic_store_n(&thief.ready, 1, __ATOMIC_RELEASE);
	while (!thief_stopped()) {
		n = queue->steal(run->q);
		steals += n;
		/* The owner may be waiting for steals not yet published. */
		if (steals - told >= BENCH_NOTIFIED || (!n && steals != told)) {
			told = steals;
			__atomic_store_n(&thief.count->steals, steals,
					 __ATOMIC_RELAXED);
		}
		ticks += 64;
		for (rest = (uint64_t)pace.idle; rest && !thief_stopped();
		     rest -= n) {
			n = rest < THIEF_NAP ? rest : THIEF_NAP;
			ticks += (unsigned int)n;
			for (i = n; i; i--)
				bench_barrier();
		}
		if (ticks < THIEF_NAP)
			continue;
		ticks = 0;
		thief_look(&pace, thief.count, steals);
	}
	run->idle = pace.idle;
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
		thief_loop(thief.run);
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
	/* At real-time priority it may need this CPU first, to leave it. */
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

enum verdict { GOOD, DISTURBED, MISSED };

/*
 * Beside a thief: from when owner and thief have the same pace, which takes the
 * owner's slack at most.
 */
static uint64_t window_beside_thief(struct run *run, uint64_t passes,
			      struct bench_count *count,
			      struct bench_count *settled)
{
	const struct bench_queue *queue = run->queue;
	uint64_t begin;

	count->total = 4 * queue->capacity + 2 * count->slack;
	queue->beside_thief(run->q, count);
	*settled = *count;
	settled->steals = __atomic_load_n(&count->steals, __ATOMIC_RELAXED);
	count->total += passes * queue->capacity;
	begin = bench_now_ns();
	queue->beside_thief(run->q, count);
	return bench_now_ns() - begin;
}

/*
 * One window of @passes. Returns how long it lasted; *@rate is operations per
 * microsecond, puts, gets and steals together; *@stolen is in percent of what
 * was taken.
 */
static uint64_t window(struct run *run, uint64_t passes, double *rate,
		       double *stolen, enum verdict *verdict)
{
	static struct bench_count count __attribute__((aligned(64)));
	struct bench_count settled = { 0 };
	const struct bench_queue *queue = run->queue;
	bool stealing = run->mode == STEAL && run->percent;
	uint64_t begin, ns, puts, gets, steals;
	bool disturbed;
	long before;

	memset(&count, 0, sizeof(count));
	if (stealing) {
		double odds = (100.0 - run->percent) / run->percent;

		count.odds = (uint64_t)(1024 * odds);
		count.slack = 2 * queue->capacity +
			      (uint64_t)(2 * bench_grain(queue) * odds);
		count.most = queue->capacity;
		thief_begin(run, &count);
	}
	before = bench_descheduled();
	begin = bench_now_ns();
	if (stealing)
		ns = window_beside_thief(run, passes, &count, &settled);
	else if (run->mode == MANY)
		queue->pass_many(run->q, passes, &count);
	else
		queue->pass(run->q, passes, &count);
	if (!stealing)
		ns = bench_now_ns() - begin;
	steals = __atomic_load_n(&count.steals, __ATOMIC_RELAXED) -
		 settled.steals;
	disturbed = bench_descheduled() != before;
	if (stealing) {
		thief_end();
		disturbed |= thief.descheduled != 0;
	}
	puts = count.puts - settled.puts;
	gets = count.gets - settled.gets;
	*rate = (double)(puts + gets + steals) * 1e3 / (double)ns;
	*stolen = 100.0 * (double)steals / (double)(gets + steals);
	*verdict = GOOD;
	if (disturbed && !queue->moves)
		*verdict = DISTURBED;
	else if (stealing && !queue->moves &&
		 (*stolen < SHARE_LEAST * run->percent ||
		  *stolen > SHARE_MOST * run->percent))
		*verdict = MISSED;
	/* What the owner held back, not measured. */
	while (stealing && queue->get(run->q))
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
	enum verdict verdict;
	uint64_t ns;
	int i;

	run->passes = 8;
	/* More than once: the thief's pace has to settle as well. */
	for (i = 0; i < 8; i++) {
		ns = window(run, run->passes, &rate, &stolen, &verdict);
		if (i >= 4 && !run->percent)
			break;
		if (ns < want / 2 || ns > want * 2)
			run->passes = run->passes * want / (ns + 1) + 1;
	}
}

static void measure(struct run *run)
{
	double rate, stolen;
	enum verdict verdict;
	int i;

	for (i = 0; i < MAX_RETRIES; i++) {
		window(run, run->passes, &rate, &stolen, &verdict);
		if (verdict == GOOD) {
			run->stolen[run->nr] = stolen;
			run->sample[run->nr++] = rate;
			return;
		}
		if (verdict == MISSED)
			run->missed++;
		else
			run->dropped++;
	}
	/* Always disturbed: a missing value, so that rounds stay aligned. */
	run->sample[run->nr++] = -1;
}

/* Every task put must come out once, before any figure counts. */
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
			  const char *metric, const char *unit,
			  const char *describes)
{
	unsigned int i;

	printf("{\"suite\":\"core\",\"case\":\"%s\",\"metric\":\"%s\",\"unit\":\"%s\",\"run\":%u,\"dropped\":%u,\"missed\":%u,",
	       run->queue->name, metric, unit, bench_build, run->dropped,
	       run->missed);
	if (describes)
		printf("\"describes\":\"%s\",", describes);
	fputs("\"samples\":[", stdout);
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

	print_samples(run, run->sample, run->metric, "Mops/s", NULL);
	if (run->mode != STEAL || !run->percent)
		return;
	snprintf(metric, sizeof(metric), "stolen, %u %% wanted", run->percent);
	print_samples(run, run->stolen, metric, "%", run->metric);
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
	} shares[] = {
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
	for (k = 0; k < sizeof(shares) / sizeof(*shares); k++) {
		/* The same upper bounds beside them, without a thief. */
		add(runs, &nr, &bench_seq_8k, STEAL, 0, shares[k].metric);
		add(runs, &nr, &bench_seq_stack_8k, STEAL, 0,
		    shares[k].metric);
		/* ... and SALSA without theft. */
		add(runs, &nr, &bench_salsa_8x1024_alone, STEAL, 0,
		    shares[k].metric);
		for (i = 0; bench_queues[i].queue != BENCH_END; i++) {
			if (bench_queues[i].queue &&
			    bench_queues[i].queue->steal &&
			    (bench_options.only || !bench_queues[i].asked))
				add(runs, &nr, bench_queues[i].queue, STEAL,
				    shares[k].percent, shares[k].metric);
		}
	}
	return nr;
}

static const char usage[] =
	"usage: bench [-b BUILD] [-r ROUNDS] [-w WINDOW_US] [-o CASE_PART] [-n PASSES]\n"
	"  -o  only cases whose name contains this; \"rebinding\" and \"thief takes 8\" are\n"
	"      not measured else\n"
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
