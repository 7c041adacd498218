// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/exec and pointer pools with random interleavings (../../explore.c).
 *
 *	explorer --list
 *	explorer [--cpus N] [--seeds FIRST[-LAST]] [--trace] SCENE
 *
 * The module is set up once. Each seed is a child process, in which accesses
 * take random times from there on. It runs some rounds of the scenario. After
 * each, all that was queued must have run. The first seed that fails ends the
 * program, with its report on stderr; with --trace, all its accesses are
 * printed, with addresses for addr2line -fe.
 *
 * Exit status 0: all seeds passed. 1: one failed. 2: usage.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../../kmod/exec/exec.h"
#include "../../explore.h"
#include "explore.h"

/* More than any seed needs. An endless run is the same on each machine. */
#define MOST_ACCESSES	(8U << 20)

static const struct scene *const scenes[] = {
	&handoff_scene, &limits_scene, &detach_scene, &detached_scene, &watch_scene,
	&parking_scene, &passed_scene, &released_scene, &few_scene, &wake_scene,
	&again_scene, &bound_scene, &flush_scene, &flush_all_scene, &pool_bwos_scene,
	&pool_lifo_scene, &pool_salsa_scene, &pool_wake_scene, &pool_far_scene, &ordered_scene, &ordered_gone_scene,
};

static const struct scene *scene;
static unsigned long first = 1, last = 20;
static bool want_trace;
static struct queue queues[LIMITS][QUEUES];
static struct queue ordered = { .most = 1 };

static unsigned int threads, round;
static struct task_struct *keeper;	/* waits for the end of a round */
static u64 seed;

struct queue *queue_of(unsigned int most, unsigned int nr)
{
	return &queues[most - 1][nr];
}

struct queue *queue_ordered(void)
{
	return &ordered;
}

/* ---- the round ---- */

static bool is_over(void)
{
	unsigned int i;

	if (threads)
		return false;
	for (i = 0; i < nr_items; i++) {
		const struct item *it = items[i];

		if (it->begun != it->ended || it->ended + it->cancelled < it->accepted)
			return false;
	}
	return true;
}

void explore_look(void)
{
	if (keeper && is_over()) {
		struct task_struct *t = keeper;

		keeper = NULL;
		wake_up_process(t);
	}
}

void explore_begin_thread(void)
{
	threads++;
}

void explore_end_thread(bool unused)
{
	threads--;
	sim_progress();
	explore_look();
}

struct started {
	int (*fn)(void *arg);
	void *arg;
};

static int thread_fn(void *data)
{
	struct started s = *(struct started *)data;

	free(data);
	s.fn(s.arg);
	explore_end_thread(true);
	return 0;
}

void thread(int (*fn)(void *arg), void *arg)
{
	struct started *s = malloc(sizeof(*s));
	struct task_struct *t;

	MUST(s);
	*s = (struct started){ .fn = fn, .arg = arg };
	threads++;
	t = shim_thread(some_cpu(), thread_fn, s, "put");
	/* Some take precedence over workers, others do not. */
	t->rt = once_in(2);
}

static void one_round(void)
{
	unsigned int i;

	nr_items = 0;
	scene->round();
	/* Woken, so that no timer disturbs. */
	while (!is_over()) {
		current->__state = TASK_UNINTERRUPTIBLE;
		keeper = current;
		schedule();
		current->__state = TASK_RUNNING;
	}
	keeper = NULL;
	for (i = 0; i < nr_items; i++) {
		const struct item *it = items[i];

		if (it->begun + it->cancelled != it->accepted)
			sim_fail("item %u ran %u times, was queued %u times and cancelled %u times",
				 i, it->begun, it->accepted, it->cancelled);
	}
	if (scene->over)
		scene->over();
}

/* Prints the module's state of a CPU. */
static void report_cpu(const struct wsq_cpu *c)
{
	const struct wsq_worker *w = c->worker;
	unsigned int k, m;

	fprintf(stderr, "  CPU %u: worker %u %s,%s%s%s standby %u%s, %llu hand-offs\n", c->cpu,
		w->id, w->cur ? "in an item" : "in none",
		wsq_parked(&c->park) ? " parked," : "", c->passed ? " passed," : "",
		atomic_read(&c->watched) ? " watched," : "", c->nr_standby,
		c->wanted ? ", wanted" : "", c->standbys);
	for (m = 0; m < LIMITS; m++) {
		for (k = 0; k < QUEUES; k++) {
			const struct wsq *q = queues[m][k].q;
			const struct wsq_lane *lane = wsq_lane_any(q, c->cpu);
			int away = atomic_read(&lane->away);
			bool ready = wsq_ready_test(c, q->id);
			bool held = test_bit(q->id, c->held);

			if (away || ready || held)
				fprintf(stderr,
					"    queue %u of %u: away %d, detached %d%s%s\n", k,
					m + 1, away, atomic_read(&lane->detached),
					ready ? ", ready" : "", held ? ", held" : "");
		}
	}
}

static void report(void)
{
	unsigned int i;

	fprintf(stderr, "  %s, %u CPUs, seed %llu, round %u, %u threads\n", scene->name,
		nr_cpu_ids, seed, round, threads);
	for (i = 0; i < nr_items; i++) {
		const struct item *it = items[i];

		fprintf(stderr,
			"  item %u of a queue of %u, CPU %d: queued %u, begun %u, ended %u, cancelled %u, %s\n",
			i, it->q->most, it->cpu, it->accepted, it->begun, it->ended,
			it->cancelled, it->waiter ? "waits" : "does not wait");
	}
	for (i = 0; i < nr_cpu_ids; i++)
		report_cpu(wsq_cpus[i]);
	shim_report();
}

/* A random machine: its kernel's speed varies. */
static void draw_machine(void)
{
	static const sim_time slices[] = {
		2 * SIM_US, 20 * SIM_US, 300 * SIM_US, 3 * SIM_MS
	};
	struct sim_costs *c = &sim_config.costs;

	shim_balance = true;
	sim_config.slice = slices[below(4)];
	c->wake_latency = 1 + sim_random_below(once_in(2) ? 2 * SIM_US : 50 * SIM_US);
	c->wake_caller = 1 + sim_random_below(2 * SIM_US);
	c->wake_here = 1 + sim_random_below(2 * SIM_US);
	c->switch_to = 1 + sim_random_below(SIM_US);
	c->irq_work = 1 + sim_random_below(once_in(2) ? SIM_US : 20 * SIM_US);
	c->ipi_latency = 1 + sim_random_below(once_in(2) ? SIM_US : 50 * SIM_US);
	c->ipi_victim = 1 + sim_random_below(SIM_US);
}

static void __attribute__((noreturn)) one_seed(void)
{
	explore_trace = want_trace;
	explore_begin(seed);
	draw_machine();
	for (round = 0; round < scene->rounds; round++)
		one_round();
	_exit(0);
}

static int explore_main(void *unused)
{
	static const struct wsq_attrs keeps_order = { .flags = WSQ_ORDERED };
	unsigned int i, k;
	int status;
	pid_t pid;

	if (shim_module_init())
		sim_fail("the module does not load");
	for (i = 0; i < LIMITS; i++) {
		for (k = 0; k < QUEUES; k++) {
			const struct wsq_attrs attrs = {
				.flags = WSQ_RESIDENT, .max_active = i + 1,
				.blocks = 2, .block_size = 4,
			};

			queues[i][k].most = i + 1;
			queues[i][k].q = wsq_create(&attrs, "limit%u-%u", i + 1, k);
			if (IS_ERR(queues[i][k].q))
				sim_fail("wsq_create(): %ld", PTR_ERR(queues[i][k].q));
		}
	}
	ordered.q = wsq_create(&keeps_order, "ordered");
	if (IS_ERR(ordered.q))
		sim_fail("wsq_create(): %ld", PTR_ERR(ordered.q));
	shim_sleep(50 * SIM_MS);
	for (seed = first; seed <= last; seed++) {
		fflush(stdout);
		pid = fork();
		if (!pid) {
			sim_progress();
			one_seed();
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			_exit(2);
		if (status) {
			if (WIFSIGNALED(status))
				fprintf(stderr, "CRASHED: %s\n", strsignal(WTERMSIG(status)));
			printf("%s, %u CPUs: seed %llu fails\n", scene->name, nr_cpu_ids,
			       seed);
			fflush(stdout);
			_exit(1);
		}
	}
	printf("%s, %u CPUs: %lu seeds pass\n", scene->name, nr_cpu_ids, last - first + 1);
	fflush(stdout);
	_exit(0);
}

/* ---- the program ---- */

static void __attribute__((noreturn)) usage(void)
{
	fprintf(stderr, "usage: explorer --list | [--cpus N] [--seeds FIRST[-LAST]] [--trace] SCENE\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct sim_config config;
	unsigned int i;
	int at;

	sim_config_default(&config);
	config.cpus = 2;
	config.slack = 0;
	config.still = 300 * SIM_MS;
	config.costs.grace = 100 * SIM_US;
	for (at = 1; at < argc; at++) {
		const char *arg = argv[at], *value = argv[at + 1];
		char *end;

		if (!strcmp(arg, "--list")) {
			for (i = 0; i < ARRAY_SIZE(scenes); i++)
				printf("%s\n", scenes[i]->name);
			return 0;
		}
		if (!strcmp(arg, "--trace")) {
			want_trace = true;
		} else if (!strcmp(arg, "--cpus") && value) {
			config.cpus = atoi(value);
			at++;
		} else if (!strcmp(arg, "--seeds") && value) {
			first = last = strtoul(value, &end, 10);
			if (*end == '-')
				last = strtoul(end + 1, &end, 10);
			if (*end || !first || last < first)
				usage();
			at++;
		} else {
			for (i = 0; i < ARRAY_SIZE(scenes); i++)
				if (!strcmp(arg, scenes[i]->name))
					scene = scenes[i];
			if (!scene || value)
				usage();
		}
	}
	if (!scene)
		usage();
	config.cpus += scene->more;
	config.cluster = scene->cluster ?: config.cluster;
	explore_most = MOST_ACCESSES;
	shim_preempt_full = true;
	sim_init(&config);
	shim_init();
	sim_report = report;
	shim_thread(0, explore_main, NULL, "explore");
	sim_run();
	/* In a child that stood still. */
	_exit(4);
}
