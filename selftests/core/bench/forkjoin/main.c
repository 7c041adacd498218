// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of the fork-join benchmark (paper 002, section 5): the same jobs by
 * wsq, by plain calls and by other libraries in turn; prints samples as JSON
 * lines (tools/bench/README.md) for tools/bench/collect.
 *
 * Rows:
 *	JOB, N workers		time for each task: fib, queens, two UTS trees,
 *				a matrix product. A task is a spawn; a plain
 *				call counts as one
 *	fib, spawn and sync	what they take beyond the plain call of the same
 *				function, both of them from the same code layout
 *	JOB, T1/T2		one worker's time over that of as many as there
 *				are CPUs
 *	JOB, twice the workers	the time with as many workers as CPUs over the
 *				time with twice as many
 *	tree of 1023, ...	a run that is over before a helper could come:
 *				the 95th percentile of 1000 runs; of the plain
 *				call, the median
 *	JOB, memory		what a process with as many workers as CPUs has
 *				in memory at most, beyond what it had before
 *
 * Each sample is taken in a process of its own, so that no library's threads
 * spin beside another's. Peers are shared objects (-l), each with its libraries
 * for itself: libgomp and libomp have the same symbols.
 *
 * As flow.c: rounds in turn; runs of one thread during which it was descheduled
 * do not count (hence the small jobs). With several, a thread that is
 * descheduled is what a library may avoid. Each result is compared with what is
 * known.
 *
 * "forkjoin count" runs the larger jobs once, whose task counts are known;
 * "forkjoin count-all" those of the paper's figure 5.
 *
 * Limitations: as ../main.c.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bench.h"
#include "../util.h"
#include "fj.h"
#include "steps.h"

#define FJ_ROWS		192
#define FJ_RUNS		64	/* most in a sample */
#define FJ_LEAST	3	/* fewest */
#define FJ_TRIES	12	/* attempts, in order to get so many */
#define FJ_LIMIT	10	/* seconds for a sample */
#define FJ_EMPTY_RUNS	1000
#define FJ_EMPTY_DEPTH	9	/* 1023 nodes, 511 of which spawn */
#define FJ_CLOCK_NS	0.01	/* less than this counts as this */

extern const struct fj_lib fj_wsq, fj_call;
uint64_t fj_wsq_steals(void *fj);

static unsigned int nr_cpus;

/* ---- jobs ---- */

/* Trees of the kinds of T3 and T2, of sizes that suit a benchmark. */
static const struct uts_tree binomial = {
	.name = "binomial", .kind = UTS_BINOMIAL, .seed = 10, .root = 100,
	.prob = 0.124875, .many = 8, .nodes = 8237,
};

static const struct uts_tree binomial_large = {
	.name = "binomial", .kind = UTS_BINOMIAL, .seed = 11, .root = 100,
	.prob = 0.124875, .many = 8, .nodes = 825109,
};

static const struct uts_tree geometric = {
	.name = "geometric", .kind = UTS_CYCLIC, .seed = 10, .root = 5,
	.depth = 11, .nodes = 7664,
};

static const struct uts_tree geometric_large = {
	.name = "geometric", .kind = UTS_CYCLIC, .seed = 7, .root = 5,
	.depth = 11, .nodes = 194534,
};

/**
 * struct task_set - a job and what is known of it
 * @name: of the job
 * @job: the job
 * @tasks: how many it spawns
 * @result: what it returns
 */
struct task_set {
	const char *name;
	struct fj_job job;
	uint64_t tasks;
	uint64_t result;
};

static uint64_t fib_of(int n)
{
	uint64_t a = 0, b = 1, c;

	while (n--) {
		c = a + b;
		a = b;
		b = c;
	}
	return a;
}

static struct task_set fib_set(int n)
{
	return (struct task_set){
		"fib", { .work = FJ_FIB, .n = n }, fib_of(n + 1) - 1, fib_of(n)
	};
}

/* Placements and solutions of n queens, from 8 (OEIS A319284, A000170). */
static const uint64_t queens_tasks[] = {
	2056, 8393, 35538, 166925, 856188, 4674889, 27358552, 171129071
};

static const uint64_t queens_solutions[] = {
	92, 352, 724, 2680, 14200, 73712, 365596, 2279184
};

static struct task_set queens_set(int n)
{
	return (struct task_set){
		"queens", { .work = FJ_QUEENS, .n = n }, queens_tasks[n - 8],
		queens_solutions[n - 8]
	};
}

static struct task_set uts_set(const char *name, const struct uts_tree *tree)
{
	return (struct task_set){
		name, { .work = FJ_UTS, .tree = tree }, tree->nodes - 1,
		tree->nodes
	};
}

/* Spawns of a matrix product: two halves out of three levels' splits are. */
static uint64_t product_tasks(int m, int n, int p)
{
	const struct fj_product of = { .m = m, .n = n, .p = p };
	struct fj_product x = of, y;
	enum fj_half half = fj_product_halve(&x, &y);

	if (half == FJ_BASE)
		return 0;
	/* Sizes are powers of two, so the halves are alike. */
	return 2 * product_tasks(x.m, x.n, x.p) + (half == FJ_BOTH);
}

static float *matrix(int n)
{
	size_t size = (size_t)n * (size_t)n, i;
	float *m = bench_alloc(size * sizeof(*m));

	for (i = 0; i < size; i++)
		m[i] = (float)(i % 7);
	return m;
}

static uint64_t checksum(const struct fj_product *x)
{
	uint64_t sum = 0;
	int i, j;

	for (i = 0; i < x->m; i++) {
		for (j = 0; j < x->p; j++)
			sum = sum * 31 + (uint64_t)x->c[(ptrdiff_t)i * x->stride + j];
	}
	return sum;
}

/* All products of a size have the same matrices. */
static struct task_set product_set(int n)
{
	static struct task_set last;

	if (last.job.n == n)
		return last;
	last = (struct task_set){
		"matmul", {
			.work = FJ_MATMUL, .n = n,
			.product = {
				.a = matrix(n), .b = matrix(n), .c = matrix(n),
				.m = n, .n = n, .p = n, .stride = n,
			},
		}, product_tasks(n, n, n), 0
	};
	fj_call.run(fj_call.start(1), &last.job);
	last.result = checksum(&last.job.product);
	return last;
}

static struct task_set empty_set(void)
{
	return (struct task_set){
		"tree of 1023", { .work = FJ_TREE, .n = FJ_EMPTY_DEPTH },
		(1 << FJ_EMPTY_DEPTH) - 1, 1 << FJ_EMPTY_DEPTH
	};
}

/* ---- samples ---- */

struct row;

/**
 * struct sample - what a process returns
 * @value: the figure; -1 for none
 * @dropped: runs that do not count
 */
struct sample {
	double value;
	unsigned int dropped;
};

static struct sample *sample;

/**
 * struct row - a case and metric
 * @lib: whose
 * @set: what to compute
 * @workers: threads
 * @measure: takes a sample
 * @metric: as it appears in the results
 * @unit: likewise
 * @dropped: runs that do not count
 * @nr: samples
 * @sample: the figures; -1 for a missing one
 */
struct row {
	const struct fj_lib *lib;
	struct task_set set;
	unsigned int workers;
	double (*measure)(const struct row *row);
	char metric[64];
	const char *unit;
	unsigned int dropped;
	unsigned int nr;
	double sample[BENCH_MAX_ROUNDS];
};

static struct row rows[FJ_ROWS];
static unsigned int nr_rows;

static void *start(const struct row *row, unsigned int workers)
{
	void *handle = row->lib->start(workers);

	if (!handle)
		bench_die("%s: no %u workers", row->lib->name, workers);
	return handle;
}

/* The time of a run, in nanoseconds. */
static double run(const struct row *row, const struct fj_lib *lib, void *handle)
{
	uint64_t from = bench_now_ns(), result = lib->run(handle, &row->set.job);
	uint64_t to = bench_now_ns();

	if (row->set.job.work == FJ_MATMUL)
		result = checksum(&row->set.job.product);
	if (result != row->set.result)
		bench_die("%s, %s: result %llu instead of %llu", lib->name,
			  row->metric, (unsigned long long)result,
			  (unsigned long long)row->set.result);
	return (double)(to - from);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The value below which a share of them is. */
static double quantile(double *value, unsigned int nr, double share)
{
	qsort(value, nr, sizeof(*value), compare);
	return value[(unsigned int)((double)(nr - 1) * share + 0.5)];
}

/* Involuntary context switches of all threads. */
static long descheduled(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nivcsw;
}

/*
 * The median time with so many workers. @steady: of undisturbed runs; -1 if
 * there were hardly any.
 */
static double time_with(const struct row *row, unsigned int workers, bool steady)
{
	uint64_t window = bench_options.window_us * 1000ULL, begin;
	void *handle = start(row, workers);
	unsigned int nr = 0, tries = 0;
	double ns[FJ_RUNS];

	run(row, row->lib, handle);
	begin = bench_now_ns();
	while (nr < FJ_RUNS) {
		long before = descheduled();

		if (bench_now_ns() - begin > window &&
		    (nr >= FJ_LEAST || tries >= FJ_TRIES))
			break;
		tries++;
		ns[nr] = run(row, row->lib, handle);
		if (!steady || descheduled() == before)
			nr++;
		else
			sample->dropped++;
	}
	row->lib->stop(handle);
	return nr < FJ_LEAST ? -1 : quantile(ns, nr, 0.5);
}

/* The ratio of two times. */
static double ratio(double a, double b)
{
	return a < 0 || b < 0 ? -1 : a / b;
}

static double measure_time(const struct row *row)
{
	return ratio(time_with(row, row->workers, row->workers == 1),
		     (double)row->set.tasks);
}

static double measure_speedup(const struct row *row)
{
	return ratio(time_with(row, 1, true), time_with(row, row->workers, false));
}

static double measure_crowd(const struct row *row)
{
	return ratio(time_with(row, nr_cpus, false),
		     time_with(row, 2 * nr_cpus, false));
}

/* The difference of the shortest times: disturbance only makes them longer. */
static double measure_spawn(const struct row *row)
{
	void *handle = start(row, 1), *call = fj_call.start(1);
	double least = 0, least_call = 0, ns;
	unsigned int i;

	for (i = 0; i < FJ_RUNS / 4; i++) {
		ns = run(row, row->lib, handle);
		if (!i || ns < least)
			least = ns;
		ns = run(row, &fj_call, call);
		if (!i || ns < least_call)
			least_call = ns;
	}
	row->lib->stop(handle);
	ns = (least - least_call) / (double)row->set.tasks;
	return ns < FJ_CLOCK_NS ? FJ_CLOCK_NS : ns;
}

/* In microseconds. */
static double measure_empty(const struct row *row)
{
	void *handle = start(row, row->workers);
	static double ns[FJ_EMPTY_RUNS];
	unsigned int i;

	/* Threads fall asleep, caches and predictors warm up. */
	usleep(2000);
	for (i = 0; i < FJ_EMPTY_RUNS / 10; i++)
		run(row, row->lib, handle);
	for (i = 0; i < FJ_EMPTY_RUNS; i++)
		ns[i] = run(row, row->lib, handle);
	row->lib->stop(handle);
	return quantile(ns, FJ_EMPTY_RUNS, row->lib == &fj_call ? 0.5 : 0.95) / 1e3;
}

/* Most that the process has had in memory, in MiB. */
static double resident(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

static double measure_memory(const struct row *row)
{
	double before = resident();
	void *handle = start(row, row->workers);

	run(row, row->lib, handle);
	return resident() - before;
}

/* Take a sample in a process of its own. */
static void measure(struct row *row)
{
	int status;
	pid_t pid;

	sample->value = -1;
	sample->dropped = 0;
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		bench_die("no process");
	if (!pid) {
		alarm(FJ_LIMIT);
		sample->value = row->measure(row);
		/* No destructors: some libraries wait for their threads. */
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		bench_die("no process");
	if (status && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM))
		bench_die("%s, %s: status %d", row->lib->name, row->metric, status);
	/* Always disturbed: a missing value, so that rounds stay aligned. */
	row->sample[row->nr++] = sample->value;
	row->dropped += sample->dropped;
}

/* ---- rows ---- */

static struct row *add(const struct fj_lib *lib, struct task_set set,
		       const char *metric, const char *unit,
		       double (*measure_row)(const struct row *row))
{
	struct row *row = &rows[nr_rows];

	if (!bench_wanted(lib->name) ||
	    (bench_options.own && !strstr(metric, bench_options.own)))
		return NULL;
	if (nr_rows == FJ_ROWS)
		bench_die("more than %u rows", FJ_ROWS);
	nr_rows++;
	row->lib = lib;
	row->set = set;
	row->workers = 1;
	row->measure = measure_row;
	row->unit = unit;
	snprintf(row->metric, sizeof(row->metric), "%s", metric);
	return row;
}

/* Slower libraries get less to do; times are for each task. */
static int fib_size(const struct fj_lib *lib)
{
	if (lib == &fj_wsq || lib == &fj_call)
		return 28;
	return strcmp(lib->name, "rayon") ? 20 : 24;
}

static void add_times(const struct fj_lib *lib, unsigned int workers)
{
	const struct task_set sets[] = {
		fib_set(fib_size(lib)), queens_set(9),
		uts_set("uts binomial", &binomial),
		uts_set("uts geometric", &geometric), product_set(128),
	};
	char metric[64];
	unsigned int i;

	for (i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		struct row *row;

		/* Two parts only. */
		if (!strcmp(lib->name, "tbb parallel_invoke") &&
		    sets[i].job.work != FJ_FIB && sets[i].job.work != FJ_MATMUL)
			continue;
		snprintf(metric, sizeof(metric), "%s, %u worker%s", sets[i].name,
			 workers, workers == 1 ? "" : "s");
		row = add(lib, sets[i], metric, "ns/task", measure_time);
		if (row)
			row->workers = workers;
	}
}

static void add_empty(const struct fj_lib *lib, unsigned int idle)
{
	char metric[64];
	struct row *row;

	snprintf(metric, sizeof(metric), "tree of 1023, %u idle workers", idle);
	row = add(lib, empty_set(), metric, "us", measure_empty);
	if (row && lib != &fj_call)
		row->workers = idle + 1;
}

static void add_parallel(const struct fj_lib *lib)
{
	const struct task_set sets[] = {
		fib_set(fib_size(lib) + 7),
		uts_set("uts binomial", &binomial_large),
		uts_set("uts geometric", &geometric_large),
	};
	char metric[64];
	unsigned int i;

	for (i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		struct row *row;

		snprintf(metric, sizeof(metric), "%s, T1/T%u", sets[i].name,
			 nr_cpus);
		row = add(lib, sets[i], metric, "times", measure_speedup);
		if (row)
			row->workers = nr_cpus;
		snprintf(metric, sizeof(metric), "%s, twice the workers",
			 sets[i].name);
		add(lib, sets[i], metric, "of the speed", measure_crowd);
	}
}

static void add_memory(const struct fj_lib *lib)
{
	const struct task_set sets[] = {
		fib_set(fib_size(lib)), uts_set("uts binomial", &binomial_large),
	};
	char metric[64];
	unsigned int i;

	for (i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		struct row *row;

		if (!strcmp(lib->name, "tbb parallel_invoke") && i)
			continue;
		snprintf(metric, sizeof(metric), "%s, memory", sets[i].name);
		row = add(lib, sets[i], metric, "MiB", measure_memory);
		if (row)
			row->workers = lib == &fj_call ? 1 : nr_cpus;
	}
}

static void add_lib(const struct fj_lib *lib)
{
	static const unsigned int idle[] = { 0, 1, 3, 7 };
	bool call = lib == &fj_call;
	unsigned int i;

	add_times(lib, 1);
	for (i = 0; i < sizeof(idle) / sizeof(*idle); i++) {
		/* Its threads spin. */
		if (idle[i] < nr_cpus || strncmp(lib->name, "lib", 3))
			add_empty(lib, idle[i]);
	}
	add_memory(lib);
	if (lib == &fj_wsq)
		add(lib, fib_set(28), "fib, spawn and sync", "ns", measure_spawn);
	if (nr_cpus < 2 || call)
		return;
	add_times(lib, nr_cpus);
	if (lib == &fj_wsq || !strcmp(lib->name, "rayon"))
		add_parallel(lib);
}

/* ---- output ---- */

static void print_row(const struct row *row)
{
	unsigned int i;

	printf("{\"suite\":\"core\",\"case\":\"%s\",\"metric\":\"%s\",\"unit\":\"%s\",\"run\":%u,\"dropped\":%u,\"samples\":[",
	       row->lib->name, row->metric, row->unit, bench_build, row->dropped);
	for (i = 0; i < row->nr; i++) {
		if (i)
			putchar(',');
		if (row->sample[i] < 0)
			fputs("null", stdout);
		else
			printf("%.5g", row->sample[i]);
	}
	puts("]}");
}

/* Prints what was promised for a row of ours, as a case to compare with. */
static void print_promise(const struct row *row, double promised)
{
	unsigned int i;

	printf("{\"suite\":\"core\",\"case\":\"promised\",\"metric\":\"%s\",\"unit\":\"%s\",\"run\":%u,\"samples\":[",
	       row->metric, row->unit, bench_build);
	for (i = 0; i < row->nr; i++)
		printf("%s%g", i ? "," : "", promised);
	puts("]}");
}

static void print_all(void)
{
	unsigned int i;

	for (i = 0; i < nr_rows; i++) {
		const struct row *row = &rows[i];

		print_row(row);
		if (row->lib != &fj_wsq)
			continue;
		if (row->measure == measure_spawn)
			print_promise(row, 0.3);
		else if (row->measure == measure_speedup)
			print_promise(row, 0.95 * nr_cpus);
		else if (row->measure == measure_crowd)
			print_promise(row, 1 / 1.1);
	}
}

/* ---- counts ---- */

/*
 * Runs the larger jobs once, by all CPUs and by plain calls; @full: also those
 * of the paper's figure 5, which take minutes.
 */
static void count(bool full)
{
	struct task_set sets[] = {
		fib_set(38), queens_set(12), product_set(512),
		uts_set("uts T1", &uts_t1), uts_set("uts T2", &uts_t2),
		uts_set("uts T3", &uts_t3), fib_set(50), queens_set(15),
		uts_set("uts T2L", &uts_t2l), uts_set("uts T3L", &uts_t3l),
		full ? product_set(4096) : product_set(512),
	};
	unsigned int i, nr = full ? sizeof(sets) / sizeof(*sets) : 6;

	for (i = 0; i < nr; i++) {
		struct row row = { .lib = &fj_wsq, .set = sets[i] };
		void *handle = start(&row, nr_cpus);
		int n = sets[i].job.n;
		double ns;

		snprintf(row.metric, sizeof(row.metric), "%s", sets[i].name);
		ns = run(&row, &fj_wsq, handle);
		printf("{\"suite\":\"core\",\"case\":\"wsq fork-join\",\"metric\":\"tasks\",\"note\":\"%s %d: %llu tasks in %.3f s, %llu of them stolen\"}\n",
		       row.metric, n, (unsigned long long)row.set.tasks,
		       ns / 1e9, (unsigned long long)fj_wsq_steals(handle));
		fj_wsq.stop(handle);
	}
}

/* Steps through fib of two sizes, by wsq and by plain calls: see ./steps. */
static void step(void)
{
	const struct fj_lib *lib[] = { &fj_wsq, &fj_call };
	const struct task_set few = fib_set(11), many = fib_set(13);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		fj_steps(lib[i], &few.job);
		fj_steps(lib[i], &many.job);
	}
}

/* ---- options ---- */

static const struct fj_lib *libs[16] = { &fj_call, &fj_wsq };
static unsigned int nr_libs = 2;

/* The libraries of a shared object. */
static void load(const char *path)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct fj_lib *lib;

	if (!object)
		bench_die("%s", dlerror());
	lib = dlsym(object, "fj_libs");
	if (!lib)
		bench_die("%s", dlerror());
	for (; lib->name && nr_libs < sizeof(libs) / sizeof(*libs); lib++)
		libs[nr_libs++] = lib;
}

static const char usage[] =
	"usage: forkjoin [-b BUILD] [-r ROUNDS] [-w WINDOW_US] [-o CASE_PART] [-m METRIC_PART] [PEER.so]...\n"
	"       forkjoin count|count-all|steps\n";

int main(int argc, char **argv)
{
	unsigned int i, round;
	cpu_set_t set;

	sample = mmap(NULL, sizeof(*sample), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sample == MAP_FAILED)
		bench_die("out of memory");
	sched_getaffinity(0, sizeof(set), &set);
	nr_cpus = (unsigned int)CPU_COUNT(&set);
	if (argc == 2 && !strncmp(argv[1], "count", 5)) {
		count(argv[1][5]);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "steps")) {
		step();
		return 0;
	}
	/* Peers are behind the options. */
	for (i = 1; i < (unsigned int)argc && argv[i][0] == '-'; i += 2)
		;
	while ((unsigned int)argc > i)
		load(argv[--argc]);
	bench_read_options(argc, argv, 'm', usage);
	for (i = 0; i < nr_libs; i++)
		add_lib(libs[i]);
	for (round = 0; round < bench_options.rounds; round++) {
		for (i = 0; i < nr_rows; i++)
			measure(&rows[(i + round) % nr_rows]);
	}
	print_all();
	if (nr_cpus < 2)
		puts("{\"suite\":\"core\",\"case\":\"all\",\"metric\":\"fork-join\",\"note\":\"only one CPU: no rows with more\"}");
	return 0;
}
