// SPDX-License-Identifier: GPL-2.0
/*
 * Fork and join in the simulator: kmod/forkjoin with helpers that are work
 * items, on 1 to 256 CPUs. The benchmarks of the paper (T. van Dijk and J. van
 * de Pol, "Lace", 2014, section 4.1), with less to do:
 *
 *	fib		fib(@n)
 *	queens		all solutions of @n queens
 *	uts_t2l		a tree that is easy to balance: T2L with a shorter
 *			period
 *	uts_t3l		one that is not: T3L with a lower probability of
 *			children, which makes it 50 times smaller
 *	matmul		a product of two matrices by halving
 *	range		a range of @n parts of 50 us
 *
 * Takes the options of ../../out.h; cases are the flags of the object. With
 * --tasks below 1000, the problems are smaller. Each run is a child. The thread
 * on CPU 0 is the caller. First, one CPU runs the same, for the speed-up.
 *
 * The result, and the number of tasks that ran, must be exact.
 *
 * Exit status 2: usage; 3: a wrong result, or a contract was violated; 4: the
 * machine stood still.
 *
 * Limitations: what a node of a tree, and a part of a product, compute, is
 * charged as a time (costs below).
 */
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../../kmod/forkjoin/forkjoin.h"
#include "../../out.h"
#include "forkjoin.h"

/* Deep recursion: uts_t3l has 2367 levels. */
#define STACK		(2U << 20)
#define DEPTH		8192

/*
 * Time of a node: that of the paper's sequential programs (figure 5) divided by
 * the number of tasks, from its 1.9 GHz to the 3.3 of costs.def.
 */
#define T2L_NS		500
#define T3L_NS		220
/*
 * Of each task: a task of fib takes 2.2 ns natively at 4.5 GHz. Compilers do not
 * instrument calls, returns and saved registers, so only 0.7 of 3 ns at 3.3 GHz
 * are charged otherwise.
 */
#define CALL_PS		2300
/* Of a part of a range. */
#define PART_NS		50000
/* Of a multiplication and addition: three accesses, and half a cycle. */
#define PRODUCT_PS	500

static struct sim_options sim;

/**
 * struct scene - a scenario
 * @name: its name on the command line
 * @job: what is to be done; of FJ_MATMUL, @n is the size of the matrices
 * @small: the same, smaller
 * @node_ns: time of a node of FJ_UTS, of a part of FJ_RANGE
 */
struct scene {
	const char *name;
	struct fj_job job;
	struct fj_job small;
	u32 node_ns;
};

static const struct uts_tree t2l = {
	.kind = UTS_CYCLIC, .seed = 220, .root = 7, .depth = 16, .nodes = 1491998,
};

static const struct uts_tree t2l_small = {
	.kind = UTS_CYCLIC, .seed = 220, .root = 7, .depth = 13, .nodes = 93771,
};

static const struct uts_tree t3l = {
	.kind = UTS_BINOMIAL, .seed = 7, .root = 2000, .prob = 0.1995, .many = 5,
	.nodes = 2205911,
};

static const struct uts_tree t3l_small = {
	.kind = UTS_BINOMIAL, .seed = 7, .root = 200, .prob = 0.1985, .many = 5,
	.nodes = 160626,
};

static const struct scene scenes[] = {
	{ "fib", { FJ_FIB, 36 }, { FJ_FIB, 30 } },
	{ "queens", { FJ_QUEENS, 13 }, { FJ_QUEENS, 11 } },
	{ "uts_t2l", { FJ_UTS, .tree = &t2l }, { FJ_UTS, .tree = &t2l_small },
	  T2L_NS },
	{ "uts_t3l", { FJ_UTS, .tree = &t3l }, { FJ_UTS, .tree = &t3l_small },
	  T3L_NS },
	{ "matmul", { FJ_MATMUL, 1024 }, { FJ_MATMUL, 512 } },
	{ "range", { FJ_RANGE, 4096 }, { FJ_RANGE, 1024 }, PART_NS },
};

static const struct {
	const char *name;
	u32 flags;
} cases[] = {
	{ "wsq forkjoin, plain", 0 },
	{ "wsq forkjoin, random", WSQ_FJ_RANDOM },
	{ "wsq forkjoin, half", WSQ_FJ_HALF },
	{ "wsq forkjoin, both", WSQ_FJ_RANDOM | WSQ_FJ_HALF },
	{ "wsq forkjoin, spread", WSQ_FJ_SPREAD },
};

/* As the paper's machine, beside powers of two. */
static const unsigned int sizes[] = { 1, 2, 4, 8, 16, 32, 48, 64, 128, 256 };

/* ---- the run that is under way ---- */

static const struct scene *scene;
static struct fj_job job;
static const char *case_name;
static u32 flags;
static double alone;			/* time on one CPU, ps */
int fj_stride;

static int to_parent;
static bool silent;

static u64 ran;
static u64 ran_on[SIM_CPUS];
static sim_time began;

/* When a CPU ran its first task, and how many had run by then. */
static struct first {
	sim_time at;
	u64 ran;
} first[SIM_CPUS];

void fj_ran(void)
{
	unsigned int cpu = sim_cpu();

	sim_charge(CALL_PS);
	if (sim.fault && ran == 100) {
		ran += !strcmp(sim.fault, "twice");
		ran -= !strcmp(sim.fault, "lose");
		sim.fault = NULL;
	}
	ran++;
	if (!ran_on[cpu]++)
		first[cpu] = (struct first){ sim_now(), ran };
	sim_progress();
}

static struct fj_node to_words(struct uts_node node)
{
	struct fj_node ret;

	static_assert(sizeof(ret) == sizeof(node));
	memcpy(&ret, &node, sizeof(ret));
	return ret;
}

static struct uts_node from_words(struct fj_node node)
{
	struct uts_node ret;

	memcpy(&ret, &node, sizeof(ret));
	return ret;
}

void fj_part(void)
{
	fj_ran();
	sim_compute(scene->node_ns * SIM_NS);
}

struct fj_node fj_root(void)
{
	return to_words(uts_root(job.tree));
}

u32 fj_children(struct fj_node node)
{
	const struct uts_node n = from_words(node);

	return uts_children(job.tree, &n);
}

struct fj_node fj_child(struct fj_node node, u32 nr)
{
	const struct uts_node n = from_words(node);

	sim_compute(scene->node_ns * SIM_NS);
	return to_words(uts_child(&n, nr));
}

/* The lines of a part of a matrix. */
static void touch(const float *at, int rows, int columns, int stride,
		  bool write)
{
	int i;

	for (i = 0; i < rows; i++, at += stride) {
		const char *line = (const char *)((uintptr_t)at & -SIM_LINE);

		for (; line < (const char *)(at + columns); line += SIM_LINE) {
			if (write)
				sim_write((void *)line, 8);
			else
				sim_read(line, 8);
		}
	}
}

void fj_base(const struct fj_product *x)
{
	int i, k, j;

	touch(x->a, x->m, x->n, x->stride, false);
	touch(x->b, x->n, x->p, x->stride, false);
	sim_compute((u64)x->m * x->n * x->p * PRODUCT_PS);
	touch(x->c, x->m, x->p, x->stride, true);
	for (i = 0; i < x->m; i++) {
		float *c = x->c + (ptrdiff_t)i * x->stride;

		if (!x->add)
			memset(c, 0, x->p * sizeof(*c));
		for (k = 0; k < x->n; k++) {
			const float a = x->a[(ptrdiff_t)i * x->stride + k];
			const float *b = x->b + (ptrdiff_t)k * x->stride;

			for (j = 0; j < x->p; j++)
				c[j] += a * b[j];
		}
	}
}

/* ---- what must come out ---- */

static u64 fib_of(int n)
{
	u64 a = 0, b = 1;

	while (n--) {
		b += a;
		a = b - a;
	}
	return a;
}

/* How many solutions, and how many boards on the way. */
static u64 queens_of(struct fj_board *board, int n, int row, u64 *boards)
{
	u64 sum = 0;
	int i;

	++*boards;
	if (row == n)
		return 1;
	for (i = 0; i < n; i++) {
		if (fj_queen_fits(board, row, i)) {
			board->column[row] = i;
			sum += queens_of(board, n, row + 1, boards);
		}
	}
	return sum;
}

static u64 parts_of(struct fj_product x)
{
	struct fj_product y;

	if (fj_product_halve(&x, &y) == FJ_BASE)
		return 1;
	return 1 + parts_of(x) + parts_of(y);
}

/* The result, and the number of tasks; @result is 0 for matmul and range. */
static u64 expected(u64 *result)
{
	struct fj_board board = { { 0 } };
	u64 nr = 0;

	*result = 0;
	switch ((int)job.work) {
	case FJ_FIB:
		*result = fib_of(job.n);
		return 2 * fib_of(job.n + 1) - 1;
	case FJ_QUEENS:
		*result = queens_of(&board, job.n, 0, &nr);
		return nr;
	case FJ_UTS:
		*result = job.tree->nodes;
		return *result;
	case FJ_RANGE:
		return job.n;
	default:
		return parts_of(job.product);
	}
}

/* Matrices of small integers, so that each sum is exact. */
static void matrices(void)
{
	const size_t nr = (size_t)job.n * job.n;
	float *m[3];
	size_t i, k;

	for (k = 0; k < 3; k++) {
		m[k] = sim_alloc_pages(nr * sizeof(float), 0);
		for (i = 0; k < 2 && i < nr; i++)
			m[k][i] = sim_random_below(4);
	}
	fj_stride = job.n;
	job.product = (struct fj_product){
		.a = m[0], .b = m[1], .c = m[2], .m = job.n, .n = job.n,
		.p = job.n, .stride = job.n,
	};
}

/* Is c v = a (b v), for a vector? */
static bool product_right(void)
{
	const struct fj_product *x = &job.product;
	double *v = calloc(job.n, sizeof(*v)), *bv = calloc(job.n, sizeof(*v));
	bool right = true;
	int i, k;

	MUST(v && bv);
	for (i = 0; i < job.n; i++)
		v[i] = sim_random_below(1000);
	for (i = 0; i < job.n; i++) {
		for (k = 0; k < job.n; k++)
			bv[i] += (double)x->b[i * job.n + k] * v[k];
	}
	for (i = 0; i < job.n; i++) {
		double abv = 0, cv = 0;

		for (k = 0; k < job.n; k++) {
			abv += (double)x->a[i * job.n + k] * bv[k];
			cv += (double)x->c[i * job.n + k] * v[k];
		}
		right &= abv == cv;
	}
	free(v);
	free(bv);
	return right;
}

static void check(u64 result, int err)
{
	u64 right, nr = expected(&right);

	if (err)
		sim_fail("the run ended with %d", err);
	if (job.work == FJ_MATMUL ? !product_right() : result != right)
		sim_fail("the result is wrong: %llu, not %llu", result, right);
	if (ran != nr)
		sim_fail("%llu tasks ran, not %llu", ran, nr);
}

/* ---- the run ---- */

static int by_time(const void *a, const void *b)
{
	const struct first *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void print(const struct wsq_fj_stats *s, sim_time time,
		  const struct shim_counts *k, const struct sim_stats *sum)
{
	const struct sim_counts n = {
		.tasks = ran, .ps = time, .wakes = k->wakeups + k->wakeups_here,
		.ipis = k->ipis,
	};
	const struct first *most;
	unsigned int i, nr = 0;
	double lines = 0;

	sim_print(case_name, scene->name, sim_config.cpus, &n, sum);
	for (i = 0; i < SIM_DISTANCES; i++)
		lines += sum->lines[i];
	for (i = 0; i < nr_cpu_ids; i++) {
		if (ran_on[i])
			first[nr++] = first[i];
	}
	qsort(first, nr, sizeof(*first), by_time);
	most = &first[(nr - 1) * 9 / 10];
	sim_print_also("time", "us", (double)time / SIM_US);
	sim_print_also("speed-up", "times", alone / time);
	sim_print_also("lines moved", "lines/task", lines / ran);
	sim_print_also("steals", "tasks", s->steals);
	sim_print_also("leaps", "tasks", s->leaps);
	sim_print_also("grows", "times", s->grows);
	sim_print_also("shrinks", "times", s->shrinks);
	sim_print_also("sleeps", "times", s->sleeps);
	sim_print_also("helpers started", "times", s->started);
	sim_print_also("CPUs that ran tasks", "CPUs", nr);
	sim_print_also("until 9 of 10 of these ran one", "us",
		       (double)(most->at - began) / SIM_US);
	sim_print_also("speed-up from then on", "times",
		       (double)(ran - most->ran) / (began + time - most->at) *
		       alone / ran);
}

/* For profiles. */
static void name_objects(struct wsq_fj *fj)
{
	u32 i;

	sim_name(fj, sizeof(*fj) + fj->team.nr * sizeof(*fj->seats), "wsq_fj");
	for (i = 0; i < fj->team.nr; i++) {
		struct wsq_fj_seat *seat = fj->team.seats[i];

		sim_name(seat, sizeof(struct wsq_fj_member), "wsq_fj_member");
		sim_name(seat->dq.tasks, DEPTH * sizeof(struct wsq_fj_task),
			 "descriptors");
	}
}

static int scene_main(void *data)
{
	const struct wsq_attrs attrs = { .flags = WSQ_RESIDENT };
	const struct wsq_fj_attrs fj_attrs = { .flags = flags, .depth = DEPTH };
	struct wsq_fj_stats stats;
	struct shim_counts before, used;
	struct sim_stats sum;
	struct wsq_fj *fj;
	struct wsq *q;
	u64 result = 0;
	double time;
	int err;

	if (shim_module_init())
		sim_fail("the module does not load");
	q = wsq_create(&attrs, "scene");
	if (IS_ERR(q))
		sim_fail("wsq_create(): %ld", PTR_ERR(q));
	fj = wsq_fj_create(q, &fj_attrs);
	if (IS_ERR(fj))
		sim_fail("wsq_fj_create(): %ld", PTR_ERR(fj));
	if (job.work == FJ_MATMUL)
		matrices();
	name_objects(fj);
	/* Until all workers are parked. */
	shim_sleep(SIM_MS);
	sim_stats_reset();
	before = shim_counts;
	began = sim_now();
	err = fj_tasks_run(fj, &result, &job);
	time = sim_now() - began;
	sim_stats_sum(&sum);
	used = shim_counts;
	used.wakeups -= before.wakeups;
	used.wakeups_here -= before.wakeups_here;
	used.ipis -= before.ipis;
	check(result, err);
	/* Until helpers have left. */
	shim_sleep(SIM_MS);
	wsq_fj_read_stats(fj, &stats);
	wsq_fj_destroy(fj);
	if (!alone)
		alone = time;
	MUST(write(to_parent, &time, sizeof(time)) == sizeof(time));
	if (!silent)
		print(&stats, time, &used, &sum);
	sim_stop();
	return 0;
}

/* ---- the list of runs ---- */

/* One run; does not return. */
static void __attribute__((noreturn)) run(unsigned int cpus)
{
	struct sim_config config = sim.config;
	int status = 0;

	config.cpus = cpus;
	config.still = 50 * SIM_MS;
	config.stack = STACK;
	sim_init(&config);
	shim_init();
	sim_report = shim_report;
	shim_thread(0, scene_main, NULL, "scene");
	if (sim_run() == SIM_STOOD_STILL)
		status = 4;
	else if (config.profile && !silent)
		sim_profile_print();
	fflush(stdout);
	exit(status);
}

/* The time of a run on one CPU is @alone from now on. */
static int run_in_child(unsigned int cpus)
{
	int status, pipes[2];
	double time;
	pid_t pid;

	if (pipe(pipes))
		return 2;
	to_parent = pipes[1];
	fflush(stdout);
	pid = fork();
	if (!pid)
		run(cpus);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 2;
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 3;
	if (!status && read(pipes[0], &time, sizeof(time)) != sizeof(time))
		status = 3;
	close(pipes[0]);
	close(pipes[1]);
	if (!status && cpus == 1)
		alone = time;
	return status;
}

static bool wanted(const char *name, const char *only)
{
	return !only || strstr(name, only);
}

static int run_sizes(void)
{
	unsigned int i;
	int worst;

	alone = 0;
	silent = sim.from > 1;
	worst = run_in_child(1);
	silent = false;
	/* One number need not be of the list. */
	if (sim.from == sim.to && sim.to > 1)
		return worst ?: run_in_child(sim.to);
	for (i = 1; i < ARRAY_SIZE(sizes) && !worst; i++) {
		if (sizes[i] >= sim.from && sizes[i] <= sim.to)
			worst = run_in_child(sizes[i]);
	}
	return worst;
}

int main(int argc, char **argv)
{
	unsigned int s, c;
	int worst = 0;

	sim_options(&sim, argc, argv);
	for (s = 0; s < ARRAY_SIZE(scenes); s++) {
		for (c = 0; c < ARRAY_SIZE(cases); c++) {
			scene = &scenes[s];
			job = sim.tasks < 1000 ? scene->small : scene->job;
			case_name = cases[c].name;
			flags = cases[c].flags;
			if (!wanted(scene->name, sim.only) ||
			    !wanted(case_name, sim.case_only))
				continue;
			if (sim.list)
				printf("%s\t%s\n", scene->name, case_name);
			else
				worst = max(worst, run_sizes());
		}
	}
	return worst;
}
