// SPDX-License-Identifier: GPL-2.0
/*
 * ringbench: tasks through the wsq ring, beside io_uring, AF_ALG and the
 * process itself, by one process in one kernel. Prints JSON lines
 * (tools/bench/README.md).
 *
 *	ringbench [-r ROUNDS] [-n TASKS] [-t THREADS] [-R RUN]
 *		  [-c METRICS] [-e CASES] [-p]
 *
 * -n	nops in a sample; a sixteenth of that of crc32c, a 128th of sha256
 * -t	most threads, default 2; each has its own rings and sockets
 * -c	prefixes of metrics, separated by colons
 * -e	names of cases, separated by colons; a missing wsq is then no error
 * -p	pins threads to the first CPUs, one each, and their pollers to the last
 *
 * Engines never work at the same time: in each round each engine, in turn,
 * gives one sample of each metric; the order of engines changes from round to
 * round. A batch is submitted, waited for and checked, then comes the next. A
 * thread that waits by polling polls for 0.3 ms, then waits in the kernel.
 *
 * The cost of an empty system call is measured separately, and the system calls
 * of each task are counted. Rows in which calls make up half of the time or
 * more say so: they compare system calls.
 *
 * Limitations: all tasks are of one kind and exist when the clock starts; the
 * machine is otherwise idle; each batch is waited for as a whole, so only work
 * inside an engine overlaps.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#define MAX_ROUNDS	1000
#define MAX_THREADS	2
#define NR_BATCHES	4
#define CALLS_A_ROUND	256
#define LINE_SAMPLES	50
#define WARM_NS		3000000

static const unsigned int batches[NR_BATCHES] = { 1, 8, 64, MAX_BATCH };

static const struct {
	const char *name;
	unsigned int share;
} kinds[NR_TASKS] = {
	[TASK_NOP]	= { "nop", 1 },
	[TASK_CRC32C]	= { "crc32c of 4 KiB", 16 },
	[TASK_SHA256]	= { "sha256 of 64 KiB", 128 },
};

static const struct engine *const engines[] = {
	&wsq_engine, &wsq_poll_engine, &wsq_futures_engine,
	&uring_engine, &uring_poll_engine, &uring_async_engine,
	&alg_crc_engine, &alg_sha_engine, &self_engine, &self_plain_engine,
};

#define NR_ENGINES	(sizeof(engines) / sizeof(engines[0]))

/*
 * Pairs to compare, and floors: where system calls do not dominate, a nop that
 * a worker runs takes at most 1.5 times as long as one that io_uring runs in
 * the call, and a fifth of one that io_uring has a worker run.
 */
static const struct {
	const struct engine *ours;
	const struct engine *peer;
	double floor;		/* from FLOOR_BATCH on, nops of one thread */
} peers[] = {
	{ &wsq_engine, &uring_engine, 0.667 },
	{ &wsq_engine, &uring_poll_engine, 0 },
	{ &wsq_engine, &uring_async_engine, 5 },
	{ &wsq_engine, &alg_crc_engine, 0 },
	{ &wsq_engine, &alg_sha_engine, 0 },
	{ &wsq_engine, &self_engine, 0 },
	{ &wsq_engine, &self_plain_engine, 0 },
	{ &wsq_futures_engine, &wsq_engine, 0 },
	{ &wsq_poll_engine, &wsq_engine, 0 },
	{ &wsq_poll_engine, &uring_engine, 0 },
	{ &wsq_poll_engine, &uring_poll_engine, 0 },
	{ &wsq_poll_engine, &uring_async_engine, 0 },
};

#define NR_PEERS	(sizeof(peers) / sizeof(peers[0]))
#define FLOOR_BATCH	64

struct series {
	double ns[MAX_ROUNDS];
	double calls[MAX_ROUNDS];
};

static unsigned int rounds = 15;
static unsigned int tasks = 8192;
static unsigned int max_threads = MAX_THREADS;
static unsigned int run;
static const char *only_metrics = "", *only_cases = "";

static struct series *series[NR_TASKS][MAX_THREADS][NR_BATCHES][NR_ENGINES];

__thread uint64_t calls;
__thread int poller_cpu = -1;

static bool pin;

void die(const char *what, int err)
{
	fprintf(stderr, "ringbench: %s: %s\n", what, strerror(err));
	exit(1);
}

void stay(pid_t thread, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(thread, sizeof(set), &set))
		die("sched_setaffinity", errno);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/**
 * struct lane - one thread, and its state of each engine
 * @state: of engines; NULL where there is none
 * @why: the reason for NULL
 * @from: start time
 * @to: end time
 * @calls: system calls in between
 */
static struct lane {
	void *state[NR_ENGINES];
	const char *why[NR_ENGINES];
	uint64_t from;
	uint64_t to;
	uint64_t calls;
} lanes[MAX_THREADS];

/* What all lanes do next, between two barriers. */
static struct {
	const struct engine *engine;
	unsigned int index;
	enum task task;
	unsigned int batch;
	unsigned int turns;
	bool end;
} job;

static pthread_barrier_t meeting;

static void lane_open(struct lane *lane, bool (*wanted)(const char *))
{
	int me = (int)(lane - lanes), nr = (int)sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int i;

	if (pin)
		poller_cpu = nr - 1 - me % nr;
	for (i = 0; i < NR_ENGINES; i++) {
		lane->why[i] = "not asked for";
		if (wanted(engines[i]->name))
			lane->state[i] = engines[i]->open(engines[i],
							  &lane->why[i]);
	}
	/* Only now: threads that others create for us would inherit it. */
	if (pin)
		stay(0, me % nr);
}

static void lane_work(struct lane *lane)
{
	void *state = lane->state[job.index];
	uint64_t before;
	unsigned int k;

	/* Wake workers that sleep, and let queues learn the new task. */
	lane->from = now_ns();
	do {
		job.engine->batch(state, job.task, job.batch);
	} while (now_ns() - lane->from < WARM_NS);
	before = calls;
	lane->from = now_ns();
	for (k = 0; k < job.turns; k++)
		job.engine->batch(state, job.task, job.batch);
	lane->to = now_ns();
	lane->calls = calls - before;
}

/* Is @name, or a prefix of it if @part, in a list separated by colons? */
static bool listed(const char *list, const char *name, bool part)
{
	size_t len;

	if (!*list)
		return true;
	for (; *list; list += len + !!list[len]) {
		len = strcspn(list, ":");
		if (len && !strncmp(list, name, len) && (part || !name[len]))
			return true;
	}
	return false;
}

static bool case_wanted(const char *name)
{
	return listed(only_cases, name, false);
}

static void *second_thread(void *arg)
{
	struct lane *lane = arg;

	lane_open(lane, case_wanted);
	for (;;) {
		pthread_barrier_wait(&meeting);
		if (job.end)
			return NULL;
		lane_work(lane);
		pthread_barrier_wait(&meeting);
	}
}

static void metric_name(char *buf, size_t size, unsigned int t,
			unsigned int threads, unsigned int batch)
{
	snprintf(buf, size, "%s, %u thread%s, batches of %u", kinds[t].name,
		 threads, threads > 1 ? "s" : "", batch);
}

static bool there(unsigned int i, unsigned int t, unsigned int threads)
{
	return engines[i]->tasks & 1U << t && lanes[threads - 1].state[i];
}

static void measure(struct series *s, unsigned int round, unsigned int threads)
{
	struct timespec idle = { .tv_nsec = REST_MS * 1000000 };
	uint64_t from, to, n = 0;
	double all;
	unsigned int i;

	if (threads > 1)
		pthread_barrier_wait(&meeting);
	lane_work(&lanes[0]);
	if (threads > 1)
		pthread_barrier_wait(&meeting);
	from = lanes[0].from;
	to = lanes[0].to;
	for (i = 0; i < threads; i++) {
		n += lanes[i].calls;
		from = lanes[i].from < from ? lanes[i].from : from;
		to = lanes[i].to > to ? lanes[i].to : to;
	}
	all = (double)threads * job.turns * job.batch;
	s->ns[round] = (double)(to - from) / all;
	s->calls[round] = (double)n / all;
	/* Wait until its poller sleeps and leaves the CPU to the next. */
	if (job.engine->polls)
		nanosleep(&idle, NULL);
}

/* One sample of one metric from each engine. */
static void measure_metric(unsigned int round, unsigned int t,
			   unsigned int threads, unsigned int b)
{
	unsigned int n = tasks / kinds[t].share / batches[b], k;

	/* Small batches are slow, and need fewer tasks. */
	if (n > 256 / kinds[t].share + 16)
		n = 256 / kinds[t].share + 16;
	for (k = 0; k < NR_ENGINES; k++) {
		unsigned int i = (k + round) % NR_ENGINES;
		struct series **s = &series[t][threads - 1][b][i];

		if (!there(i, t, threads))
			continue;
		if (!*s)
			*s = calloc(1, sizeof(**s));
		if (!*s)
			die("series", ENOMEM);
		job.engine = engines[i];
		job.index = i;
		job.task = t;
		job.batch = batches[b];
		job.turns = n ? n : 1;
		measure(*s, round, threads);
	}
}

/* System calls that do nothing. */

static void call_getppid(void *state)
{
	(void)state;
	syscall(SYS_getppid);
}

static struct call {
	const char *name;
	void (*call)(void *state);
	const struct engine *engine;
	double ns[MAX_ROUNDS];
} empty_calls[] = {
	{ .name = "getppid", .call = call_getppid },
	{ .name = "wsq enter", .call = wsq_empty_call, .engine = &wsq_engine },
	{ .name = "io_uring_enter", .call = uring_empty_call,
	  .engine = &uring_engine },
};

#define NR_CALLS	(sizeof(empty_calls) / sizeof(empty_calls[0]))

static unsigned int index_of(const struct engine *engine)
{
	unsigned int i;

	for (i = 0; engines[i] != engine; i++)
		;
	return i;
}

static void *call_state(const struct call *c)
{
	return c->engine ? lanes[0].state[index_of(c->engine)] : (void *)c;
}

static void measure_calls(unsigned int round)
{
	unsigned int i, k;

	for (i = 0; i < NR_CALLS; i++) {
		struct call *c = &empty_calls[(i + round) % NR_CALLS];
		void *state = call_state(c);
		uint64_t from = now_ns();

		if (!state)
			continue;
		for (k = 0; k < CALLS_A_ROUND; k++)
			c->call(state);
		c->ns[round] = (double)(now_ns() - from) / CALLS_A_ROUND;
	}
}

static int cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(const double *samples)
{
	double sorted[MAX_ROUNDS];

	memcpy(sorted, samples, rounds * sizeof(*samples));
	qsort(sorted, rounds, sizeof(*sorted), cmp_double);
	return sorted[rounds / 2];
}

static void print_samples(const char *name, const char *metric,
			  const char *unit, const double *samples,
			  const char *more)
{
	unsigned int i, k;

	for (i = 0; i < rounds; i += LINE_SAMPLES) {
		printf("{\"suite\":\"ring\",\"case\":\"%s\",\"metric\":\"%s\",",
		       name, metric);
		printf("\"unit\":\"%s\",\"run\":%u,\"round\":%u,", unit, run, i);
		printf("%s\"samples\":[", i ? "" : more);
		for (k = i; k < rounds && k < i + LINE_SAMPLES; k++)
			printf("%s%.5g", k == i ? "" : ",", samples[k]);
		printf("]}\n");
	}
}

/* Notes the share of the time that empty calls would take, if it is large. */
static void calls_note(char *buf, size_t size, const struct series *s)
{
	double share = 100 * median(s->calls) * median(empty_calls[0].ns) /
		       median(s->ns);

	*buf = 0;
	if (share >= 50)
		snprintf(buf, size,
			 "\"note\":\"system calls dominate: %.0f %% of the time\",",
			 share);
}

static void print_metric(unsigned int t, unsigned int threads, unsigned int b)
{
	char metric[64], about[80], more[160];
	unsigned int i;

	metric_name(metric, sizeof(metric), t, threads, batches[b]);
	snprintf(about, sizeof(about), "%s: system calls", metric);
	for (i = 0; i < NR_ENGINES; i++) {
		const struct series *s = series[t][threads - 1][b][i];

		if (!s)
			continue;
		calls_note(more, sizeof(more), s);
		print_samples(engines[i]->name, metric, "ns", s->ns, more);
		snprintf(more, sizeof(more), "\"describes\":\"%s\",", metric);
		print_samples(engines[i]->name, about, "calls/task", s->calls,
			      more);
	}
	for (i = 0; i < NR_PEERS; i++) {
		unsigned int o = index_of(peers[i].ours);
		unsigned int p = index_of(peers[i].peer);

		if (!series[t][threads - 1][b][o] ||
		    !series[t][threads - 1][b][p])
			continue;
		printf("{\"suite\":\"ring\",\"case\":\"%s\",\"metric\":\"%s\",\"peer\":\"%s\"",
		       engines[o]->name, metric, engines[p]->name);
		if (peers[i].floor && t == TASK_NOP && threads == 1 &&
		    batches[b] >= FLOOR_BATCH)
			printf(",\"floor\":%g", peers[i].floor);
		printf("}\n");
	}
}

/* Calls @what for each metric, in the order of printing. */
static void each_metric(void (*what)(unsigned int t, unsigned int threads,
				     unsigned int b))
{
	unsigned int t, threads, b;
	char metric[64];

	for (t = 0; t < NR_TASKS; t++)
		for (threads = 1; threads <= max_threads; threads++)
			for (b = 0; b < NR_BATCHES; b++) {
				metric_name(metric, sizeof(metric), t, threads,
					    batches[b]);
				if (listed(only_metrics, metric, true))
					what(t, threads, b);
			}
}

static unsigned int this_round;

static void measure_this_round(unsigned int t, unsigned int threads,
			       unsigned int b)
{
	measure_metric(this_round, t, threads, b);
}

static void print_all(void)
{
	unsigned int i;

	for (i = 0; i < NR_CALLS; i++)
		if (call_state(&empty_calls[i]))
			print_samples(empty_calls[i].name, "empty system call",
				      "ns", empty_calls[i].ns, "");
	for (i = 0; i < NR_ENGINES; i++)
		if (!lanes[0].state[i] && case_wanted(engines[i]->name))
			printf("{\"suite\":\"ring\",\"case\":\"%s\",\"metric\":\"%s, 1 thread, batches of 1\",\"note\":\"not measured: %s\"}\n",
			       engines[i]->name,
			       kinds[__builtin_ctz(engines[i]->tasks)].name,
			       lanes[0].why[i]);
	each_metric(print_metric);
}

static unsigned int number(const char *text, unsigned int min, unsigned int max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!*text || *end || n < min || n > max) {
		fprintf(stderr, "ringbench: %s: a number from %u to %u, please\n",
			text, min, max);
		exit(2);
	}
	return (unsigned int)n;
}

static void options(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "r:n:t:R:c:e:p")) != -1) {
		switch (opt) {
		case 'r':
			rounds = number(optarg, 1, MAX_ROUNDS);
			break;
		case 'n':
			tasks = number(optarg, 1, 10000000);
			break;
		case 't':
			max_threads = number(optarg, 1, MAX_THREADS);
			break;
		case 'R':
			run = number(optarg, 0, 1000);
			break;
		case 'c':
			only_metrics = optarg;
			break;
		case 'e':
			only_cases = optarg;
			break;
		case 'p':
			pin = true;
			break;
		default:
			fprintf(stderr, "usage: ringbench [-r ROUNDS] [-n TASKS] [-t THREADS] [-R RUN] [-c METRICS] [-e CASES] [-p]\n");
			exit(2);
		}
	}
	if (optind < argc)
		exit(2);
}

int main(int argc, char **argv)
{
	pthread_t second;

	options(argc, argv);
	self_init();
	lane_open(&lanes[0], case_wanted);
	if (!lanes[0].state[0] && !*only_cases) {
		fprintf(stderr, "ringbench: wsq: %s\n", lanes[0].why[0]);
		return 1;
	}
	if (max_threads > 1) {
		pthread_barrier_init(&meeting, NULL, 2);
		if (pthread_create(&second, NULL, second_thread, &lanes[1]))
			die("pthread_create", EAGAIN);
	}
	for (this_round = 0; this_round < rounds; this_round++) {
		measure_calls(this_round);
		each_metric(measure_this_round);
	}
	if (max_threads > 1) {
		job.end = true;
		pthread_barrier_wait(&meeting);
		pthread_join(second, NULL);
	}
	print_all();
	return 0;
}
