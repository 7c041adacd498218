// SPDX-License-Identifier: GPL-2.0
/*
 * The work service, its pools, and lists behind locks, in the simulator. Takes
 * the options of ../../out.h, and
 *
 *	--ms MS			simulated time that is measured at most (0.5)
 *	--item NS		computing time of an item
 *	--flight N		items of a thread or CPU
 *	--preempt		PREEMPT instead of PREEMPT_VOLUNTARY
 *	--wake-latency NS	from a wake-up until the thread runs on an idle
 *				CPU
 *	--drop-wakeup N		the wake-up of that number is lost
 *
 * Each scenario is a separate run in a child: a warm-up, then figures are taken
 * until --tasks for each CPU were run or the time is over. Then nothing new is
 * queued, and everything that was queued has to come out, each once.
 *
 * Exit status 2: usage; 3: an item came twice, or a contract was violated; 4:
 * the machine stood still, perhaps because an item was lost.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../../kmod/exec/exec.h"
#include "../../out.h"
#include "scene.h"

#define MAX_SAMPLES	(1U << 20)
#define STEP		(20 * SIM_US)
#define FAULT_AT	100

static struct sim_options sim;

struct scene_options options = { .engine = WSQ_BWOS_FIFO, .ns = -1 };
const struct peer *peer = &wsq_peer;
bool scene_stop;

static const struct scene *scene;
static const char *case_name;
static sim_time window = SIM_MS / 2;
static sim_time wake_latency;
static u64 in, out;
static u64 *samples, nr_samples;
static bool measuring;
static unsigned int threads;

static struct {
	const char *name;
	const char *unit;
	double value;
} figures[16];
static unsigned int nr_figures;

/* ---- functions for scenarios ---- */

struct item *scene_item(unsigned int cpu, void (*fn)(struct item *it), u32 ns)
{
	struct item *it = sim_alloc(sizeof(*it), sim_node_of_cpu(cpu));

	it->fn = fn;
	it->ns = options.ns >= 0 ? options.ns : ns;
	it->home = cpu;
	return it;
}

static void count_in(u32 *state)
{
	if (*state != ITEM_IDLE && *state != ITEM_RUNS)
		sim_fail("an item is queued that waits already");
	*state = ITEM_QUEUED;
	in++;
}

static void count_out(u32 *state)
{
	if (sim.fault && out == FAULT_AT) {
		if (!strcmp(sim.fault, "lose")) {
			/* It is not recorded. */
			sim.fault = NULL;
			return;
		}
		*state = ITEM_RUNS;
	}
	if (*state != ITEM_QUEUED)
		sim_fail("a task came out twice, or was never put");
	*state = ITEM_RUNS;
	out++;
	sim_progress();
}

void scene_put(struct item *it)
{
	count_in(&it->state);
	it->queued = sim_now();
	peer->queue(it);
}

void scene_put_on(unsigned int cpu, struct item *it)
{
	count_in(&it->state);
	it->queued = sim_now();
	peer->queue_on(cpu, it);
}

void scene_sample(sim_time time)
{
	if (measuring && nr_samples < MAX_SAMPLES)
		samples[nr_samples++] = time;
}

void scene_run(struct item *it)
{
	count_out(&it->state);
	if (!scene->timed)
		scene_sample(sim_now() - it->queued);
	if (it->ns)
		sim_compute(it->ns * SIM_NS);
	if (it->state == ITEM_RUNS)
		it->state = ITEM_IDLE;
	it->fn(it);
}

void scene_in(u32 *state)
{
	count_in(state);
}

void scene_out(u32 *state)
{
	count_out(state);
	*state = ITEM_IDLE;
}

void scene_figure(const char *name, const char *unit, double value)
{
	MUST(nr_figures < ARRAY_SIZE(figures));
	figures[nr_figures].name = name;
	figures[nr_figures].unit = unit;
	figures[nr_figures++].value = value;
}

struct started {
	int (*fn)(void *arg);
	void *arg;
};

static int scene_thread_fn(void *data)
{
	struct started *s = data;
	int ret = s->fn(s->arg);

	threads--;
	return ret;
}

void scene_thread(unsigned int cpu, int (*fn)(void *arg), void *arg,
		  const char *name)
{
	struct started *s = malloc(sizeof(*s));

	MUST(s);
	*s = (struct started){ .fn = fn, .arg = arg };
	threads++;
	shim_thread(cpu, scene_thread_fn, s, name);
}

/* ---- the run ---- */

static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static double quantile(double q)
{
	return nr_samples ? (double)samples[(u64)(q * (nr_samples - 1))] / SIM_NS : 0;
}

struct moment {
	struct sim_counts n;
	struct shim_counts kernel;
	u64 again;
	sim_time at;
};

static void look(struct moment *m)
{
	unsigned int cpu, i;

	memset(m, 0, sizeof(*m));
	m->n.tasks = out;
	m->n.looks = scene_looks;
	m->kernel = shim_counts;
	m->at = sim_now();
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		for (i = 0; i < WSQ_DIST_NR; i++)
			m->n.thefts += wsq_cpus[cpu]->steals[i];
	}
	m->n.thefts += scene_stolen;
	m->again = scene_again;
}

static void print(const struct moment *a, const struct moment *b)
{
	const struct shim_counts *k = &b->kernel, *l = &a->kernel;
	struct sim_counts n = {
		.tasks = b->n.tasks - a->n.tasks,
		.ps = b->at - a->at,
		.wakes = k->wakeups + k->wakeups_here - l->wakeups - l->wakeups_here,
		.ipis = k->ipis - l->ipis,
		.looks = b->n.looks - a->n.looks,
		.thefts = b->n.thefts - a->n.thefts,
	};
	const double tasks = n.tasks ?: 1;
	struct sim_stats sum;
	unsigned int i;

	sim_stats_sum(&sum);
	sim_print(case_name, scene->name, sim_config.cpus, &n, &sum);
	sim_print_also("stolen", "per task", n.thefts / tasks);
	if (options.engine == WSQ_WS_MULT)
		sim_print_also("run again", "per task", (b->again - a->again) / tasks);
	sim_print_also("parks", "per task", (k->parks - l->parks) / tasks);
	sim_print_also("timer interrupts", "per task", (k->timers - l->timers) / tasks);
	sim_print_also("idle", "of the time",
		       (double)sum.idle / n.ps / sim_config.cpus);
	if (nr_samples) {
		const char *const what[2][2] = {
			{ "wait until it runs, p50", "wait until it runs, p99" },
			{ "queueing, p50", "queueing, p99" },
		};

		qsort(samples, nr_samples, sizeof(*samples), by_size);
		sim_print_also(what[scene->timed][0], "ns", quantile(0.5));
		sim_print_also(what[scene->timed][1], "ns", quantile(0.99));
	}
	for (i = 0; i < nr_figures; i++)
		sim_print_also(figures[i].name, figures[i].unit, figures[i].value);
}

/* Prints the state of a run that stands still. */
static void report(void)
{
	fprintf(stderr, "  of %llu tasks that were put %llu have not come out\n", in,
		in - out);
	shim_report();
}

/* All threads end, then everything that was queued comes out. */
static void finish(void)
{
	scene_stop = true;
	while (threads)
		shim_sleep(STEP);
	while (in != out) {
		if (!scene->rest || !scene->rest())
			shim_sleep(STEP);
	}
}

/* Runs until so many tasks were run, or the time is over. */
static void go_on(u64 tasks, sim_time most)
{
	const u64 before = out;
	const sim_time until = sim_now() + most;

	while (out - before < tasks && sim_now() < until)
		shim_sleep(STEP);
}

static int scene_main(void *data)
{
	u64 tasks = sim.tasks * max(nr_cpu_ids, 32U);
	struct moment a, b;

	current->rt = true;
	if (shim_module_init())
		sim_fail("the module does not load");
	if (!scene->pool)
		peer->start();
	scene->start();
	go_on(tasks / 2, window);
	sim_stats_reset();
	measuring = true;
	look(&a);
	go_on(tasks, window);
	look(&b);
	measuring = false;
	if (scene->over)
		scene->over();
	print(&a, &b);
	finish();
	sim_stop();
	return 0;
}

/* ---- the list of runs ---- */

static const struct {
	const char *name;
	const struct peer *peer;	/* NULL: a pool */
	enum wsq_engine_type engine;
	unsigned int most;		/* CPUs; more take too long. 0: any */
	enum wsq_multiplicity multiplicity;
} cases[] = {
	{ "wsq queue, bwos", &wsq_peer, WSQ_BWOS_FIFO },
	{ "wsq queue, lifo", &wsq_peer, WSQ_BWOS_LIFO },
	{ "wsq queue, salsa", &wsq_peer, WSQ_SALSA },
	{ "list for the machine", &machine_peer, .most = 64 },
	{ "list for each node", &node_peer },
	{ "list for each cluster", &cluster_peer },
	{ "list for each CPU", &cpu_peer },
	{ "wsq pool, bwos", NULL, WSQ_BWOS_FIFO },
	{ "wsq pool, lifo", NULL, WSQ_BWOS_LIFO },
	{ "wsq pool, salsa", NULL, WSQ_SALSA },
	{ "wsq pool, ws_mult", NULL, WSQ_WS_MULT },
	{ "wsq pool, bounded", NULL, WSQ_WS_MULT, .multiplicity = WSQ_MULTIPLICITY_BOUNDED },
	{ "wsq pool, exact", NULL, WSQ_WS_MULT, .multiplicity = WSQ_MULTIPLICITY_EXACT },
};

/* One run; does not return. */
static void __attribute__((noreturn)) run(unsigned int cpus)
{
	struct sim_config config = sim.config;
	int status = 0;

	samples = malloc(MAX_SAMPLES * sizeof(*samples));
	MUST(samples);
	config.cpus = cpus;
	if (wake_latency)
		config.costs.wake_latency = wake_latency;
	config.still = 50 * SIM_MS;
	sim_init(&config);
	shim_init();
	sim_report = report;
	shim_thread(0, scene_main, NULL, "scene");
	if (sim_run() == SIM_STOOD_STILL)
		status = 4;
	else if (config.profile)
		sim_profile_print();
	fflush(stdout);
	exit(status);
}

static int run_in_child(unsigned int cpus)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		run(cpus);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

static bool wanted(const char *name, const char *only)
{
	return !only || strstr(name, only);
}

/* Each wanted case of a scenario. */
static int run_cases(const struct scene *s)
{
	unsigned int i, cpus;
	int worst = 0;

	scene = s;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		peer = cases[i].peer ?: &wsq_peer;
		if (!cases[i].peer != s->pool || !wanted(cases[i].name, sim.case_only) ||
		    (s->ours && peer != &wsq_peer))
			continue;
		case_name = cases[i].name;
		options.engine = cases[i].engine ?: WSQ_BWOS_FIFO;
		options.multiplicity = cases[i].multiplicity;
		if (sim.list)
			printf("%s\t%s\n", s->name, case_name);
		for (cpus = 1; cpus <= sim.to && !sim.list; cpus *= 2) {
			if (sim.from != sim.to && (cpus < sim.from || cpus < s->least))
				continue;
			if (sim.from == sim.to)
				cpus = max(sim.to, s->least);
			if ((s->most && cpus > s->most) ||
			    (cases[i].most && sim.from != sim.to && cpus > cases[i].most))
				break;
			worst = max(worst, run_in_child(cpus));
			if (sim.from == sim.to)
				break;
		}
	}
	return worst;
}

/* Removes our own options from the arguments. */
static int own_options(int argc, char **argv)
{
	int i, left = 1;

	for (i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--preempt")) {
			shim_preempt_full = true;
			continue;
		}
		if (!strcmp(argv[i], "--ms"))
			window = atof(value) * SIM_MS;
		else if (!strcmp(argv[i], "--item"))
			options.ns = atol(value);
		else if (!strcmp(argv[i], "--flight"))
			options.flight = atol(value);
		else if (!strcmp(argv[i], "--wake-latency"))
			wake_latency = atof(value) * SIM_NS;
		else if (!strcmp(argv[i], "--drop-wakeup"))
			shim_drop_wakeup = atol(value);
		else {
			argv[left++] = argv[i];
			continue;
		}
		i++;
	}
	argv[left] = NULL;
	return left;
}

int main(int argc, char **argv)
{
	const struct scene *all[] = { scenes, pool_scenes, mult_scenes }, *s;
	unsigned int i;
	int worst = 0;

	argc = own_options(argc, argv);
	sim_options(&sim, argc, argv);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		for (s = all[i]; s->name; s++) {
			if (s->named && !sim.only && !sim.list)
				continue;
			if (wanted(s->name, sim.only))
				worst = max(worst, run_cases(s));
		}
	}
	return worst;
}
