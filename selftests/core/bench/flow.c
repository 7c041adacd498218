// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of the flow benchmark: producers and consumers on their own
 * threads (flow.h), in the same windows for all kinds of pools in turn; prints
 * samples as JSON lines (tools/bench/README.md) for tools/bench/collect.
 *
 * Rows:
 *	1P/1C		one producer, one consumer, a CPU each
 *	2 CPUs both	each CPU puts for the other and takes its own
 *	1P/NC		N consumers; "balanced" or not (figures 4 to 6 of the SALSA
 *			paper), with compare-and-exchanges and heavy fences for
 *			each task. N up to the CPUs, and beyond
 *	chunk of N	2 producers, 2 consumers, or as many as there are CPUs
 *			(figure 8)
 *
 * As main.c: rounds in turn; windows in which a thread was off its CPU for more
 * than a 64th are measured again (not where threads outnumber CPUs; the driver
 * itself needs a CPU for some microseconds); after each window every task that
 * was put must have been taken, or be left in a container.
 *
 * Limitations: as main.c. Rows with more threads than CPUs depend on the
 * scheduler.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "flow.h"
#include "util.h"

#define FLOW_ROWS	160
#define FLOW_RETRIES	6
#define FLOW_BOUND	8192

extern const struct flow_queue flow_queue_salsa, flow_queue_cas, flow_queue_bag,
	flow_queue_msq, flow_queue_lifo, flow_queue_ptr, flow_queue_plain,
	flow_queue_locked, flow_queue_cached;
extern const struct flow_queue flow_queue_moody __attribute__((weak));

static int cpus[64], nr_cpus;

struct row {
	const struct flow_queue *queue;
	struct flow_shape shape;
	bool both;
	bool costs;
	char metric[64];
	char name[64];
	unsigned int dropped;
	unsigned int nr;
	double sample[BENCH_MAX_ROUNDS];
	double exchanges[BENCH_MAX_ROUNDS];
	double fences[BENCH_MAX_ROUNDS];
	double stolen[BENCH_MAX_ROUNDS];	/* calls that stole, in % of tasks */
};

static struct row rows[FLOW_ROWS];
static unsigned int nr_rows;

void flow_yield(void)
{
	sched_yield();
}

/* ---- one window ---- */

static struct {
	struct flow f;
	const struct row *row;
	pthread_barrier_t ready;
	int disturbed;			/* atomic */
} w;

struct start {
	unsigned int id;
	bool consumer;
	int cpu;
};

static void *thread_main(void *arg)
{
	const struct start *s = arg;
	const struct flow_queue *queue = w.row->queue;
	const struct sched_param least = { .sched_priority = 1 };
	uint64_t begin, ran;

	/* Real-time, but below the driver, which must end this. */
	if (sched_getscheduler(0) == SCHED_FIFO)
		sched_setscheduler(0, SCHED_FIFO, &least);
	bench_pin(s->cpu);
	pthread_barrier_wait(&w.ready);
	begin = bench_now_ns();
	ran = bench_ran_ns();
	if (w.row->both)
		queue->both(&w.f, s->id);
	else if (s->consumer)
		queue->consume(&w.f, s->id);
	else
		queue->produce(&w.f, s->id);
	begin = bench_now_ns() - begin;
	ran = bench_ran_ns() - ran;
	/* Threads never sleep here: missing time went to other threads. */
	if (begin - ran > begin / 64 && ran < begin)
		__atomic_store_n(&w.disturbed, 1, __ATOMIC_RELAXED);
	return NULL;
}

static uint64_t sum(const struct flow_party *party, unsigned int nr, bool puts)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		n += puts ? party[i].puts :
			    __atomic_load_n(&party[i].done, __ATOMIC_RELAXED);
	return n;
}

static void pause_us(unsigned int us)
{
	struct timespec ts = { 0, (long)us * 1000 };

	nanosleep(&ts, NULL);
}

/* Takes what is left, and checks that every task that was put came out. */
static void check(const struct row *row)
{
	uint64_t done = sum(w.f.consumer, FLOW_PARTIES, false), left = 0;
	uint64_t puts = sum(w.f.producer, FLOW_PARTIES, true);
	unsigned int i;

	for (i = 0; i < row->shape.consumers; i++) {
		while (row->queue->rest(w.f.q, i))
			left++;
	}
	if (puts != done + left)
		bench_die("%s, %s: %llu put, %llu taken, %llu left", row->name,
			  row->metric, (unsigned long long)puts,
			  (unsigned long long)done, (unsigned long long)left);
}

/* Measures tasks taken per microsecond, and the cost of each. */
static bool window(struct row *row)
{
	unsigned int nr = row->shape.consumers, i, k;
	struct start start[2 * FLOW_PARTIES];
	pthread_t thread[2 * FLOW_PARTIES];
	uint64_t begin, end, first, last;
	struct flow_cost cost = { 0, 0 };
	uint64_t stolen = 0;

	if (!row->both)
		nr += row->shape.producers;
	memset(&w.f, 0, sizeof(w.f));
	w.row = row;
	w.f.shape = row->shape;
	w.f.q = row->queue->create(&row->shape);
	w.f.crowded = nr > (unsigned int)nr_cpus;
	w.disturbed = 0;
	pthread_barrier_init(&w.ready, NULL, nr + 1);
	for (i = 0; i < nr; i++) {
		start[i].consumer = i >= row->shape.producers;
		start[i].id = i - (start[i].consumer && !row->both ?
				   row->shape.producers : 0);
		start[i].cpu = cpus[i % (unsigned int)nr_cpus];
		if (pthread_create(&thread[i], NULL, thread_main, &start[i]))
			bench_die("no thread");
	}
	pthread_barrier_wait(&w.ready);
	/* Warm up caches and predictors, and let the threads be scheduled. */
	pause_us(bench_options.window_us / 4);
	first = sum(w.f.consumer, row->shape.consumers, false);
	begin = bench_now_ns();
	pause_us(bench_options.window_us);
	last = sum(w.f.consumer, row->shape.consumers, false);
	end = bench_now_ns();
	__atomic_store_n(&w.f.stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&w.ready);

	k = row->nr;
	row->sample[k] = (double)(last - first) * 1e3 / (double)(end - begin);
	if (row->queue->cost)
		row->queue->cost(w.f.q, &cost);
	last = sum(w.f.consumer, row->shape.consumers, false);
	for (i = 0; i < row->shape.consumers; i++)
		stolen += w.f.consumer[i].stolen;
	if (last) {
		row->exchanges[k] = (double)cost.exchanges / (double)last;
		row->fences[k] = (double)cost.fences / (double)last;
		row->stolen[k] = 100.0 * (double)stolen / (double)last;
	}
	check(row);
	row->queue->destroy(w.f.q);
	return last && (w.f.crowded || !w.disturbed);
}

static void measure(struct row *row)
{
	int i;

	for (i = 0; i < FLOW_RETRIES; i++) {
		if (window(row)) {
			row->nr++;
			return;
		}
		row->dropped++;
	}
	/* Always disturbed: a missing value, so that rounds stay aligned. */
	row->sample[row->nr++] = -1;
}

/* ---- rows ---- */

static struct row *add(const struct flow_queue *queue, unsigned int producers,
		       unsigned int consumers, const char *metric)
{
	struct row *row = &rows[nr_rows];

	if (!queue || !bench_wanted(queue->name) ||
	    (bench_options.own && !strstr(metric, bench_options.own)))
		return NULL;
	if (queue->max && (producers > queue->max || consumers > queue->max))
		return NULL;
	if (nr_rows == FLOW_ROWS)
		bench_die("more than %u rows", FLOW_ROWS);
	nr_rows++;
	row->queue = queue;
	row->shape.producers = producers;
	row->shape.consumers = consumers;
	row->shape.bound = FLOW_BOUND;
	row->shape.balance = true;
	snprintf(row->metric, sizeof(row->metric), "%s", metric);
	snprintf(row->name, sizeof(row->name), "%s", queue->name);
	return row;
}

static const struct flow_queue *queues[] = {
	&flow_queue_salsa, &flow_queue_cas, &flow_queue_bag, &flow_queue_msq,
	&flow_queue_lifo, &flow_queue_ptr, &flow_queue_plain,
	&flow_queue_locked, &flow_queue_cached,
};

static void add_pairs(const struct flow_queue *queue)
{
	struct row *row;

	if (nr_cpus < 2)
		return;
	add(queue, 1, 1, "1P/1C");
	row = add(queue, 2, 2, "2 CPUs both");
	if (row)
		row->both = true;
}

/* One producer and N consumers: N up to the CPUs less one, and beyond. */
static void add_consumers(const struct flow_queue *queue)
{
	static const unsigned int consumers[] = { 1, 2, 4, 8 };
	char metric[64];
	struct row *row;
	unsigned int i, balance;

	/* Rings have one consumer. */
	if (queue->max)
		return;
	for (i = 0; i < sizeof(consumers) / sizeof(*consumers); i++) {
		for (balance = 0; balance < 2; balance++) {
			/* These have no containers to choose from. */
			if (!balance && (queue == &flow_queue_bag ||
					 queue == &flow_queue_moody))
				continue;
			if (!balance && consumers[i] == 1)
				continue;
			snprintf(metric, sizeof(metric), "1P/%uC%s", consumers[i],
				 consumers[i] == 1 ? ", costs" :
				 balance ? ", balanced" : ", not balanced");
			row = add(queue, 1, consumers[i], metric);
			if (!row)
				continue;
			row->costs = queue->cost;
			row->shape.balance = balance;
			row->shape.bound = 2 * FLOW_BOUND;
		}
	}
}

static void add_chunks(const struct flow_queue *queue)
{
	static const unsigned int sizes[] = {
		64, 128, 256, 512, 1024, 2048, 4096
	};
	struct row *row;
	unsigned int i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char metric[64];

		snprintf(metric, sizeof(metric), "1P/1C, chunks of %u", sizes[i]);
		row = add(queue, 1, 1, metric);
		if (!row)
			continue;
		row->shape.chunk = sizes[i];
		row->shape.bound = 2 * FLOW_BOUND;
	}
}

static void add_all(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(queues) / sizeof(*queues); i++) {
		add_pairs(queues[i]);
		add_consumers(queues[i]);
	}
	if (&flow_queue_moody) {
		add_pairs(&flow_queue_moody);
		add_consumers(&flow_queue_moody);
	}
	add_chunks(&flow_queue_salsa);
	add_chunks(&flow_queue_cas);
	add_chunks(&flow_queue_bag);
}

/* ---- output ---- */

static void print_samples(const struct row *row, const double *sample,
			  const char *metric, const char *unit)
{
	unsigned int i;

	printf("{\"suite\":\"core\",\"case\":\"%s\",\"metric\":\"%s\",\"unit\":\"%s\",\"run\":%u,\"dropped\":%u,\"samples\":[",
	       row->name, metric, unit, bench_build, row->dropped);
	for (i = 0; i < row->nr; i++) {
		if (i)
			putchar(',');
		if (row->sample[i] < 0)
			fputs("null", stdout);
		else
			printf("%.5g", sample[i]);
	}
	puts("]}");
}

/* Prints the promised value, as a case to compare with. */
static void print_promise(const struct row *row, const char *metric,
			  const char *unit, double most)
{
	unsigned int i;

	printf("{\"suite\":\"core\",\"case\":\"promised\",\"metric\":\"%s\",\"unit\":\"%s\",\"run\":%u,\"samples\":[",
	       metric, unit, bench_build);
	for (i = 0; i < row->nr; i++)
		printf("%s%g", i ? "," : "", most);
	puts("]}");
}

static void print_row(const struct row *row)
{
	char metric[96];

	print_samples(row, row->sample, row->metric, "Mtasks/s");
	if (!row->costs)
		return;
	snprintf(metric, sizeof(metric), "%s: exchanges", row->metric);
	print_samples(row, row->exchanges, metric, "exchanges per task");
	if (row->queue == &flow_queue_salsa)
		print_promise(row, metric, "exchanges per task", 0.01);
	snprintf(metric, sizeof(metric), "%s: stolen", row->metric);
	print_samples(row, row->stolen, metric, "%");
	if (row->queue != &flow_queue_salsa)
		return;
	snprintf(metric, sizeof(metric), "%s: heavy fences", row->metric);
	print_samples(row, row->fences, metric, "fences per task");
	print_promise(row, metric, "fences per task", 0.002);
}

static const char usage[] =
	"usage: flow [-b BUILD] [-r ROUNDS] [-w WINDOW_US] [-o CASE_PART] [-m METRIC_PART]\n";

int main(int argc, char **argv)
{
	unsigned int i, round;
	cpu_set_t set;

	bench_read_options(argc, argv, 'm', usage);
	sched_getaffinity(0, sizeof(set), &set);
	for (i = 0; i < CPU_SETSIZE && nr_cpus < 64; i++) {
		if (CPU_ISSET(i, &set))
			cpus[nr_cpus++] = (int)i;
	}
	add_all();
	for (round = 0; round < bench_options.rounds; round++) {
		for (i = 0; i < nr_rows; i++)
			measure(&rows[(i + round) % nr_rows]);
	}
	for (i = 0; i < nr_rows; i++)
		print_row(&rows[i]);
	if (nr_cpus < 2)
		puts("{\"suite\":\"core\",\"case\":\"all\",\"metric\":\"1P/1C\",\"note\":\"only one CPU: no rows with two\"}");
	return 0;
}
