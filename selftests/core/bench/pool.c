// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of the pool benchmark (pool.h; paper 001, section 6.2.3, figure
 * 12): a thread on each CPU fills its queue, empties it, and then attempts to
 * steal k % of the capacity from the others, by each policy. Prints samples as
 * JSON lines (tools/bench/README.md) for tools/bench/collect.
 *
 * Rows:
 *	pool, balance K %	puts, gets and steals together, on the real
 *				CPUs. With one victim, policies that only choose
 *				the victim are the same: left out
 *	pool of 8, ...		the same with one thread playing eight, a few
 *				random operations of one of them at a time, on
 *				an invented machine of two nodes, two caches
 *				each, two CPUs each: distances of steals,
 *				victims looked at for each, and the size of the
 *				victim relative to the others. That
 *				distinguishes policies on any machine, since no
 *				time is measured
 *
 * As flow.c: rounds in turn; windows of the first kind in which a thread was
 * off its CPU for more than a 64th are measured again; after each window every
 * task that was put must have been taken or stolen, or be left in a queue.
 *
 * Limitations: as main.c. Distances are same core, last cache, node, or other
 * node; the distance between nodes does not count.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pool.h"
#include "util.h"

#define POOL_ROWS	128
#define POOL_RETRIES	6
#define POOL_INVENTED	8
#define POOL_STEPS	20000
#define POOL_STEP	64
#define POOL_GAMES	3	/* in a build, however many rounds there are */

extern const struct pool_queue pool_fifo, pool_lifo, pool_chase_lev;

static const struct pool_policy policies[] = {
	{ .name = "numa" },
	{ .name = "random", .flags = WSQ_PICK_DRAW },
	{ .name = "sequential", .flags = WSQ_PICK_DRAW | WSQ_PICK_NEXT },
	{ .name = "prob", .flags = WSQ_PICK_DRAW | WSQ_PICK_ACCEPT },
	{ .name = "randomized",
	  .flags = WSQ_PICK_DRAW | WSQ_PICK_ACCEPT | WSQ_PICK_AT },
	{ .name = "numa+prob",
	  .flags = WSQ_PICK_DRAW | WSQ_PICK_NEAR | WSQ_PICK_ACCEPT },
	{ .name = "prob if any", .flags = WSQ_PICK_DRAW | WSQ_PICK_ACCEPT,
	  .any = true },
	{ .name = "randomized if any",
	  .flags = WSQ_PICK_DRAW | WSQ_PICK_ACCEPT | WSQ_PICK_AT, .any = true },
	{ .name = "numa+prob if any",
	  .flags = WSQ_PICK_DRAW | WSQ_PICK_NEAR | WSQ_PICK_ACCEPT, .any = true },
	{ .name = "last victim", .last = true },
	{ .name = "best of two", .sizes = true },
	{ .name = "best of many", .sizes = true, .many = true },
};

#define NR_POLICIES	(sizeof(policies) / sizeof(*policies))

/* ---- CPUs, real and invented ones ---- */

struct index {
	int cpu;		/* where the thread runs */
	int core, cache, node;
};

static struct index here[POOL_THREADS], invented[POOL_INVENTED];
static unsigned int nr_here;

/* A number in a file of sysfs, or @other. */
static int number_of(int cpu, const char *file, int other)
{
	char path[128];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu,
		 file);
	f = fopen(path, "r");
	if (!f)
		return other;
	if (fscanf(f, "%d", &n) != 1)
		n = other;
	fclose(f);
	return n;
}

static int node_of(int cpu)
{
	char path[128];
	int node;

	for (node = 0; node < 1024; node++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/node%d", cpu, node);
		if (!access(path, F_OK))
			return node;
	}
	return 0;
}

static void find_locations(void)
{
	cpu_set_t set;
	unsigned int i;
	int cpu;

	sched_getaffinity(0, sizeof(set), &set);
	for (cpu = 0; cpu < CPU_SETSIZE && nr_here < POOL_THREADS; cpu++) {
		struct index *index = &here[nr_here];

		if (!CPU_ISSET(cpu, &set))
			continue;
		index->cpu = cpu;
		/* Core numbers are per package. */
		index->core = number_of(cpu, "topology/core_id", cpu) |
			number_of(cpu, "topology/physical_package_id", 0) << 16;
		index->node = node_of(cpu);
		index->cache = number_of(cpu, "cache/index3/id", index->node);
		nr_here++;
	}
	for (i = 0; i < POOL_INVENTED; i++) {
		invented[i].core = (int)i;
		invented[i].cache = (int)i / 2;
		invented[i].node = (int)i / 4;
	}
}

static u8 distance(const struct index *a, const struct index *b)
{
	if (a->node != b->node)
		return 3;
	if (a->cache != b->cache)
		return 2;
	return a->core != b->core;
}

/* The others, nearest first; within a distance, those after the thief first. */
static struct wsq_access *access_list(const struct index *entries,
				      unsigned int nr, unsigned int id)
{
	struct wsq_access *list = malloc(sizeof(*list) +
					 nr * sizeof(*list->victims));
	unsigned int i;
	u8 d;

	if (!list)
		bench_die("out of memory");
	list->nr = 0;
	for (d = 0; d < POOL_DISTANCES; d++) {
		for (i = 1; i < nr; i++) {
			unsigned int other = (id + i) % nr;
			struct wsq_victim *v = &list->victims[list->nr];

			if (distance(&entries[id], &entries[other]) != d)
				continue;
			v->cpu = (u16)other;
			v->distance = d;
			v->hops = 10;
			list->nr++;
		}
	}
	wsq_access_group(list);
	return list;
}

/* ---- one window ---- */

struct row {
	const struct pool_queue *queue;
	const struct pool_policy *policy;
	const struct index *entries;
	unsigned int threads;
	unsigned int balance;		/* in percent */
	char name[64];
	unsigned int dropped;
	unsigned int nr;
	double sample[BENCH_MAX_ROUNDS];
	double stolen[BENCH_MAX_ROUNDS];	/* in % of what was taken */
	double at[POOL_DISTANCES][BENCH_MAX_ROUNDS];	/* in % of steals */
	double looks[BENCH_MAX_ROUNDS];	/* for each steal */
	double sizes[BENCH_MAX_ROUNDS];	/* likewise */
};

static struct row rows[POOL_ROWS];
static unsigned int nr_rows;

static struct {
	struct pool p;
	const struct row *row;
	pthread_barrier_t ready;
	pthread_mutex_t create;
	int disturbed;			/* atomic */
} w = { .create = PTHREAD_MUTEX_INITIALIZER };

static void *thread_main(void *arg)
{
	unsigned int id = (unsigned int)(uintptr_t)arg;
	struct pool_thread *t = &w.p.thread[id];
	uint64_t begin, ran;

	bench_pin(w.row->entries[id].cpu);
	/* On the CPU that uses it, for memory of its node. */
	pthread_mutex_lock(&w.create);
	t->q = w.row->queue->create();
	t->list = access_list(w.row->entries, w.row->threads, id);
	pthread_mutex_unlock(&w.create);
	wsq_thief_init(&t->thief, id);
	pthread_barrier_wait(&w.ready);
	begin = bench_now_ns();
	ran = bench_ran_ns();
	w.row->queue->run(&w.p, id);
	begin = bench_now_ns() - begin;
	ran = bench_ran_ns() - ran;
	/* Threads never sleep here: missing time went to other threads. */
	if (begin - ran > begin / 64 && ran < begin)
		__atomic_store_n(&w.disturbed, 1, __ATOMIC_RELAXED);
	return NULL;
}

static uint64_t ops(unsigned int nr)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		n += __atomic_load_n(&w.p.thread[i].ops, __ATOMIC_RELAXED);
	return n;
}

static void pause_us(unsigned int us)
{
	struct timespec ts = { 0, (long)us * 1000 };

	nanosleep(&ts, NULL);
}

/* Computes a window's figures, and checks that every task came out once. */
static void reckon(struct row *row)
{
	uint64_t puts = 0, gets = 0, looks = 0, sizes = 0, steals = 0, left = 0;
	uint64_t at[POOL_DISTANCES] = { 0 };
	unsigned int i, d;

	for (i = 0; i < row->threads; i++) {
		struct pool_thread *t = &w.p.thread[i];

		puts += t->puts;
		gets += t->gets;
		looks += t->looks;
		sizes += t->sizes;
		for (d = 0; d < POOL_DISTANCES; d++)
			at[d] += t->steals[d];
		while (row->queue->get(t->q))
			left++;
		row->queue->destroy(t->q);
		free(t->list);
	}
	for (d = 0; d < POOL_DISTANCES; d++)
		steals += at[d];
	if (puts != gets + steals + left)
		bench_die("%s: %llu put, %llu taken, %llu stolen, %llu left",
			  row->name, (unsigned long long)puts,
			  (unsigned long long)gets, (unsigned long long)steals,
			  (unsigned long long)left);
	row->stolen[row->nr] = 100.0 * (double)steals /
			       (double)(gets + steals + !puts);
	for (d = 0; d < POOL_DISTANCES; d++)
		row->at[d][row->nr] = steals ? 100.0 * (double)at[d] /
					       (double)steals : -1;
	row->looks[row->nr] = steals ? (double)looks / (double)steals : -1;
	row->sizes[row->nr] = steals ? (double)sizes / 1e3 / (double)steals : -1;
}

/* Measures operations per microsecond, and the share of thefts. */
static bool window(struct row *row)
{
	pthread_t thread[POOL_THREADS];
	uint64_t begin, end, first, last;
	unsigned int i;

	memset(&w.p, 0, sizeof(w.p));
	w.row = row;
	w.p.policy = row->policy;
	w.p.attempts = row->queue->capacity * row->balance / 100;
	w.disturbed = 0;
	pthread_barrier_init(&w.ready, NULL, row->threads + 1);
	for (i = 0; i < row->threads; i++) {
		if (pthread_create(&thread[i], NULL, thread_main,
				   (void *)(uintptr_t)i))
			bench_die("no thread");
	}
	pthread_barrier_wait(&w.ready);
	/* Warm up caches and predictors, and let the threads be scheduled. */
	pause_us(bench_options.window_us / 4);
	first = ops(row->threads);
	begin = bench_now_ns();
	pause_us(bench_options.window_us);
	last = ops(row->threads);
	end = bench_now_ns();
	__atomic_store_n(&w.p.stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < row->threads; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&w.ready);
	row->sample[row->nr] = (double)(last - first) * 1e3 /
			       (double)(end - begin);
	reckon(row);
	return last != first && !w.disturbed;
}

/* Eight queues and one thread. */
static void play(struct row *row)
{
	struct wsq_thief turn;
	unsigned int i;

	memset(&w.p, 0, sizeof(w.p));
	w.p.policy = row->policy;
	w.p.attempts = row->queue->capacity * row->balance / 100;
	for (i = 0; i < row->threads; i++) {
		struct pool_thread *t = &w.p.thread[i];

		t->q = row->queue->create();
		t->list = access_list(row->entries, row->threads, i);
		wsq_thief_init(&t->thief, i + row->nr * row->threads);
	}
	/* Another seed each round, and in each build. */
	wsq_thief_init(&turn, 1000 + bench_build * BENCH_MAX_ROUNDS + row->nr);
	for (i = 0; i < POOL_STEPS; i++)
		row->queue->step(&w.p, wsq_thief_draw(&turn, row->threads),
				 POOL_STEP);
	reckon(row);
	row->nr++;
}

static void measure(struct row *row)
{
	int i;

	for (i = 0; i < POOL_RETRIES; i++) {
		if (window(row)) {
			row->nr++;
			return;
		}
		row->dropped++;
	}
	/* Always disturbed: a missing value, so that rounds stay aligned. */
	row->sample[row->nr] = -1;
	row->stolen[row->nr] = -1;
	row->nr++;
}

/* ---- rows ---- */

static void add(const struct pool_queue *queue, const struct pool_policy *policy,
		const struct index *entries, unsigned int threads,
		unsigned int balance)
{
	struct row *row = &rows[nr_rows];
	char name[sizeof(row->name)];

	if (balance)
		snprintf(name, sizeof(name), "%s, %s", queue->name, policy->name);
	else
		snprintf(name, sizeof(name), "%s", queue->name);
	if (!bench_wanted(name))
		return;
	if (nr_rows == POOL_ROWS)
		bench_die("more than %u rows", POOL_ROWS);
	nr_rows++;
	memcpy(row->name, name, sizeof(name));
	row->queue = queue;
	row->policy = policy;
	row->entries = entries;
	row->threads = threads;
	row->balance = balance;
}

/* Does it differ from numa, with so many threads? */
static bool differs(const struct pool_queue *queue,
		    const struct pool_policy *policy, unsigned int threads)
{
	if (policy->flags & WSQ_PICK_AT && !queue->at)
		return false;
	if (policy->flags & WSQ_PICK_ACCEPT && !queue->samples)
		return false;
	if (policy->many && threads <= 5)
		return false;
	return threads > 2 || !policy->flags || policy->flags & WSQ_PICK_AT;
}

static void add_all(const struct pool_queue *queue)
{
	static const unsigned int balance[] = { 10, 50, 100 };
	unsigned int i, k;

	if (nr_here > 1)
		add(queue, &policies[0], here, nr_here, 0);
	for (i = 0; i < NR_POLICIES; i++) {
		const struct pool_policy *policy = &policies[i];

		if (differs(queue, policy, POOL_INVENTED))
			add(queue, policy, invented, POOL_INVENTED, 50);
		if (nr_here < 2 || !differs(queue, policy, nr_here) ||
		    (nr_here == 2 && policy->last))
			continue;
		for (k = 0; k < sizeof(balance) / sizeof(*balance); k++)
			add(queue, policy, here, nr_here, balance[k]);
	}
}

/* ---- output ---- */

static void print_samples(const struct row *row, const double *sample,
			  const char *metric, const char *unit,
			  const char *describes)
{
	unsigned int i;

	printf("{\"suite\":\"core\",\"case\":\"%s\",\"metric\":\"%s\",\"unit\":\"%s\",\"run\":%u,\"dropped\":%u,",
	       row->name, metric, unit, bench_build, row->dropped);
	if (describes)
		printf("\"describes\":\"%s\",", describes);
	fputs("\"samples\":[", stdout);
	for (i = 0; i < row->nr; i++) {
		if (i)
			putchar(',');
		if (sample[i] < 0)
			fputs("null", stdout);
		else
			printf("%.5g", sample[i]);
	}
	puts("]}");
}

static void print_row(const struct row *row)
{
	char metric[64], stolen[96];

	if (row->entries == invented) {
		print_samples(row, row->at[1],
			      "pool of 8, stolen from the same cache", "%", NULL);
		print_samples(row, row->at[2],
			      "pool of 8, stolen from the same node", "%", NULL);
		print_samples(row, row->at[3],
			      "pool of 8, stolen from the other node", "%", NULL);
		print_samples(row, row->looks, "pool of 8, looks",
			      "looks per steal", NULL);
		print_samples(row, row->sizes, "pool of 8, size of the victim",
			      "of the others' mean", NULL);
		return;
	}
	snprintf(metric, sizeof(metric), "pool, balance %u %%", row->balance);
	print_samples(row, row->sample, metric, "Mops/s", NULL);
	if (!row->balance)
		return;
	snprintf(stolen, sizeof(stolen), "%s: stolen", metric);
	print_samples(row, row->stolen, stolen, "%", metric);
}

static const char usage[] =
	"usage: pool [-b BUILD] [-r ROUNDS] [-w WINDOW_US] [-o CASE_PART] [-k BALANCE]\n"
	"  -k  only rows of that many percent\n";

int main(int argc, char **argv)
{
	unsigned int i, round, n = 0;

	bench_read_options(argc, argv, 'k', usage);
	find_locations();
	add_all(&pool_fifo);
	add_all(&pool_lifo);
	add_all(&pool_chase_lev);
	for (i = 0; bench_options.own && i < nr_rows; i++) {
		if (rows[i].balance == (unsigned int)atoi(bench_options.own))
			rows[n++] = rows[i];
	}
	if (bench_options.own)
		nr_rows = n;
	for (round = 0; round < bench_options.rounds; round++) {
		for (i = 0; i < nr_rows; i++) {
			struct row *row = &rows[(i + round) % nr_rows];

			if (row->entries != invented)
				measure(row);
			else if (round < POOL_GAMES)
				play(row);
		}
	}
	for (i = 0; i < nr_rows; i++)
		print_row(&rows[i]);
	if (nr_here < 2)
		puts("{\"suite\":\"core\",\"case\":\"all\",\"metric\":\"pool\",\"note\":\"only one CPU: no rows with two\"}");
	else
		printf("{\"suite\":\"core\",\"case\":\"all\",\"metric\":\"pool\",\"note\":\"%u threads, on as many CPUs%s\"}\n",
		       nr_here, nr_here > 2 ? "" :
		       "; one victim each, so that random, sequential, last victim, prob and numa+prob are what numa is, and best of many is best of two");
	return 0;
}
