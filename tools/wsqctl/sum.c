// SPDX-License-Identifier: GPL-2.0
/*
 * wsqctl sum: SHA-256 of files, computed by the module's workers.
 *
 * For people who want to see wsq at work on real data, and for `make demo`. The
 * output format is sha256sum's, so both can be compared. This file: arguments,
 * the producers' lives, progress. Cost: a process, a ring and an arena (16 MiB)
 * for each producer; 40 bytes and its name for each file. Limitations: not
 * faster than sha256sum in parallel where hashing, not submitting, is the work.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sum.h"

#define MAX_PRODUCERS	1024
#define MAX_CLAIM	8

enum { OPT_PIN = 256, OPT_DEPTH, OPT_ARENA, OPT_STALL, OPT_POLL, OPT_PROGRESS, OPT_TABLE };

static const struct argp_option options[] = {
	{ "recursive", 'r', NULL, 0, "Hash the files below directories", 0 },
	{ "files-from", 'f', "F", 0, "Take names from the lines of F, - is "
	  "standard input", 0 },
	{ "null", '0', NULL, 0, "Names in F end with NUL", 0 },
	{ "sort", 's', NULL, 0, "In the order of names, not of arguments", 0 },
	{ "zero", 'z', NULL, 0, "End lines with NUL, escape nothing", 0 },
	{ "json", 'j', NULL, 0, "Print JSON", 0 },
	{ "producers", 'p', "N", 0, "Producer processes (default: one for each CPU)",
	  1 },
	{ "pin", OPT_PIN, NULL, 0, "Keep each producer on a CPU", 1 },
	{ "depth", OPT_DEPTH, "N", 0, "Most tasks in flight of each (default 64)",
	  1 },
	{ "arena", OPT_ARENA, "BYTES", 0, "Arena of each; K and M are "
	  "understood (default 16M)", 1 },
	{ "poll", OPT_POLL, NULL, 0, "Have a thread of the kernel take the tasks, "
	  "without system calls", 1 },
	{ "stall", OPT_STALL, "SECONDS", 0, "Give up when no task completes for "
	  "so long (default 60)", 1 },
	{ "progress", OPT_PROGRESS, NULL, 0, "Progress on stderr although it is "
	  "no terminal", 2 },
	{ "table", OPT_TABLE, NULL, 0, "Figures on stderr although it is no "
	  "terminal", 2 },
	{ "quiet", 'q', NULL, 0, "Neither progress nor figures", 2 },
	{ 0 }
};

static uint64_t number(struct argp_state *state, const char *arg,
		       const char *what, uint64_t min, uint64_t max)
{
	unsigned long long v;
	unsigned int shift = 0;
	char *end;

	errno = 0;
	v = strtoull(arg, &end, 10);
	if (end != arg && (*end == 'K' || *end == 'M') && !end[1])
		shift = *end++ == 'K' ? 10 : 20;
	if (end == arg || *end || errno || *arg == '-' || v < min >> shift ||
	    v > max >> shift || v << shift < min)
		argp_error(state, "%s: '%s' is no number from %" PRIu64
			   " to %" PRIu64, what, arg, min, max);
	return v << shift;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sum_opts *o = state->input;

	switch (key) {
	case 'r':
		o->recurse = true;
		return 0;
	case 'f':
		o->files_from = arg;
		return 0;
	case '0':
		o->null = true;
		return 0;
	case 's':
		o->sort = true;
		return 0;
	case 'z':
		o->zero = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'p':
		o->producers = number(state, arg, "producers", 1, MAX_PRODUCERS);
		return 0;
	case OPT_PIN:
		o->pin = true;
		return 0;
	case OPT_DEPTH:
		o->depth = number(state, arg, "depth", 1, 4096);
		if (o->depth & (o->depth - 1))
			argp_error(state, "depth: %u is no power of two",
				   o->depth);
		return 0;
	case OPT_ARENA:
		o->arena = number(state, arg, "arena", 4096, 1ULL << 32);
		return 0;
	case OPT_STALL:
		o->stall = number(state, arg, "stall", 1, 86400);
		return 0;
	case OPT_POLL:
		o->poll = true;
		return 0;
	case OPT_PROGRESS:
		o->progress = true;
		return 0;
	case OPT_TABLE:
		o->table = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->paths = state->argv + state->next;
		o->nr_paths = state->argc - state->next;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FILE...]",
	.doc = "Prints the SHA-256 of each FILE as sha256sum does, computed by "
	       "the workers of the wsq module. FILE - is standard input, as is "
	       "no FILE.\v"
	       "Exit status: 0 all hashed; 1 some were not, or a producer ended "
	       "early; 2 wrong arguments, no device, or output failed.",
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void *shared(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* The @n-th CPU, going round, that this process may use. */
static int nth_cpu(const cpu_set_t *set, unsigned int n)
{
	int cpu;

	n %= CPU_COUNT(set);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, set) && !n--)
			return cpu;
	return 0;
}

/* Checks the module's limits once, so that not each producer fails. */
static int check_limits(struct sum_run *run, int fd)
{
	const struct sum_opts *o = &run->opts;
	struct wsq_query q = { .size = 0 };
	struct wsq_op_info *ops;
	unsigned int i;

	if (query(fd, &q, &ops))
		return -1;
	for (i = 0; i < q.nr_ops; i++)
		if (!strncmp(ops[i].name, "sha256", sizeof(ops[i].name)) &&
		    ops[i].op == WSQ_OP_SHA256)
			run->max_len = ops[i].max_len;
	free(ops);
	if (!run->max_len) {
		complain("this module has no sha256 op");
		return -1;
	}
	if (o->depth > q.max_sq_entries || 2 * o->depth > q.max_cq_entries) {
		complain("depth: the module has rings of up to %u entries",
			 q.max_sq_entries);
		return -1;
	}
	if (sum_arena_bytes(o) > q.max_arena) {
		complain("arena: the module has arenas of up to %" PRIu64
			 " bytes, of which %" PRIu64 " are for digests",
			 (uint64_t)q.max_arena, sum_arena_bytes(o) - o->arena);
		return -1;
	}
	return 0;
}

/* One thread for all producers: this ring has no tasks, only the thread. */
static int make_poller(struct sum_run *run)
{
	int ret;

	if (!run->opts.poll)
		return 0;
	ret = wsq_queue_init(1, 0, &run->poller, WSQ_INIT_POLL);
	if (ret)
		complain("polling: %s%s", strerror(-ret),
			 ret == -EPERM ? " (it takes CAP_SYS_NICE)" : "");
	return ret;
}

static int prepare(struct sum_run *run, int fd)
{
	struct sum_opts *o = &run->opts;

	if (check_limits(run, fd) || make_poller(run) || counters_get(fd, &run->before) ||
	    sum_list_make(&run->list, o))
		return -1;
	/* No producer without work; short lists are divided evenly. */
	if (o->producers > run->list.nr)
		o->producers = run->list.nr ?: 1;
	run->claim = run->list.nr / (4 * o->producers);
	if (run->claim < 1 || run->claim > MAX_CLAIM)
		run->claim = run->claim ? MAX_CLAIM : 1;
	run->next = shared(sizeof(*run->next));
	run->result = shared((run->list.nr + 1) * sizeof(*run->result));
	run->worker = shared(o->producers * sizeof(*run->worker));
	if (!run->next || !run->result || !run->worker) {
		complain("memory: %s", strerror(errno));
		return -1;
	}
	if (o->json)
		run->json = json_object_new_array();
	return 0;
}

static void start(struct sum_run *run, const cpu_set_t *cpus,
		  const sigset_t *old_mask)
{
	pid_t parent = getpid(), pid;
	unsigned int i;

	for (i = 0; i < run->opts.producers; i++) {
		int cpu = run->opts.pin ? nth_cpu(cpus, i) : -1;

		pid = fork();
		if (!pid) {
			/* A producer must not outlive its parent. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != parent)
				_exit(EXIT_TROUBLE);
			sigprocmask(SIG_SETMASK, old_mask, NULL);
			_exit(sum_worker_main(run, i, cpu));
		}
		if (pid < 0) {
			complain("producer %u: %s", i, strerror(errno));
			run->died++;
			continue;
		}
		run->worker[i].pid = pid;
		run->worker[i].running = true;
	}
}

/* Reports why a producer failed. */
static void obituary(struct sum_run *run, unsigned int i, int status)
{
	const struct sum_worker *w = &run->worker[i];

	run->died++;
	if (WIFSIGNALED(status)) {
		complain("producer %u (process %d) was killed by signal %d (%s)",
			 i, w->pid, WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
		return;
	}
	switch (w->giveup) {
	case GIVEUP_RING:
		if (w->memory)
			complain("producer %u: no ring: %s (it takes %" PRIu64
				 " bytes; see --arena and --depth)", i,
				 strerror(w->err), w->memory);
		else
			complain("producer %u: no ring: %s", i,
				 strerror(w->err));
		break;
	case GIVEUP_ENTER:
		complain("producer %u: ENTER: %s", i, strerror(w->err));
		break;
	case GIVEUP_STALL:
		complain("producer %u: no task completed for %u s, %" PRIu64
			 " in flight", i, run->opts.stall, w->in_flight);
		break;
	case GIVEUP_STRAY:
		complain("producer %u: a completion that belongs to no task", i);
		break;
	default:
		complain("producer %u (process %d) ended with status %d", i,
			 w->pid, WEXITSTATUS(status));
	}
}

/* Reaps dead producers. Returns how many are alive. */
static unsigned int bury(struct sum_run *run)
{
	unsigned int i, alive = 0;
	int status;

	for (i = 0; i < run->opts.producers; i++) {
		struct sum_worker *w = &run->worker[i];

		if (!w->running)
			continue;
		if (waitpid(w->pid, &status, WNOHANG) != w->pid) {
			alive++;
			continue;
		}
		w->running = false;
		if (status)
			obituary(run, i, status);
	}
	return alive;
}

/* On a terminal the line is overwritten; elsewhere there is one each second. */
static void progress(struct sum_run *run, uint64_t ns, bool last)
{
	static uint64_t shown;
	bool tty = isatty(STDERR_FILENO);
	uint64_t files = 0, bytes = 0, errors = 0;
	double s = (double)ns / 1e9;
	unsigned int i;

	if (!last && ns - shown < (tty ? 100000000ULL : 1000000000ULL))
		return;
	shown = ns;
	for (i = 0; i < run->opts.producers; i++) {
		const struct sum_worker *w = &run->worker[i];

		files += __atomic_load_n(&w->files, __ATOMIC_RELAXED);
		bytes += __atomic_load_n(&w->bytes, __ATOMIC_RELAXED);
		errors += __atomic_load_n(&w->errors, __ATOMIC_RELAXED);
	}
	fflush(stdout);
	fprintf(stderr, "%s%3.0f %% %" PRIu64 "/%zu files, %.1f MB, "
		"%.0f files/s, %" PRIu64 " errors%s", tty ? "\r" : "",
		run->list.nr ?
		100.0 * (double)files / (double)run->list.nr : 100.0, files,
		run->list.nr, (double)bytes / 1e6, (double)files / s, errors,
		tty && !last ? "\033[K" : tty ? "\033[K\n" : "\n");
}

/* Waits for the producers to end; prints their results as they come. */
static int supervise(struct sum_run *run)
{
	bool show = !run->opts.quiet &&
		    (run->opts.progress || isatty(STDERR_FILENO));
	struct signalfd_siginfo info;
	sigset_t mask, old;
	unsigned int alive;
	struct pollfd pfd;
	uint64_t begin;
	cpu_set_t cpus;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &old);
	pfd.fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	pfd.events = POLLIN;
	if (pfd.fd < 0 || sched_getaffinity(0, sizeof(cpus), &cpus)) {
		complain("signalfd: %s", strerror(errno));
		return -1;
	}
	begin = now_ns();
	start(run, &cpus, &old);
	while ((alive = bury(run))) {
		poll(&pfd, 1, 100);
		while (read(pfd.fd, &info, sizeof(info)) > 0)
			;
		sum_print_ready(run, false);
		if (show)
			progress(run, now_ns() - begin, false);
	}
	run->ns = now_ns() - begin;
	sum_print_ready(run, true);
	if (show)
		progress(run, run->ns, true);
	close(pfd.fd);
	return 0;
}

static int finish(struct sum_run *run, int fd)
{
	int ret;

	if (counters_get(fd, &run->after))
		return EXIT_TROUBLE;
	counters_sub(&run->after, &run->before);
	if (run->opts.json) {
		sum_json_end(run);
		ret = print_json(run->json, false);
		run->json = NULL;
	} else {
		ret = flush_stdout();
	}
	if (!run->opts.quiet && (run->opts.table || isatty(STDERR_FILENO)))
		sum_table(run);
	if (ret)
		return ret;
	if (run->lost)
		complain("%zu of %zu files were not hashed", run->lost,
			 run->list.nr);
	return run->errors || run->list.errors || run->died ? EXIT_FAILED :
							      EXIT_OK;
}

int cmd_sum(int argc, char **argv)
{
	struct sum_run run = { .opts = {
		.depth = 64, .arena = 16 << 20, .stall = 60,
	}, .poller = { .fd = -1 } };
	int fd, ret = EXIT_TROUBLE;
	cpu_set_t cpus;

	argp_parse(&argp, argc, argv, 0, NULL, &run.opts);
	if (!run.opts.producers) {
		if (sched_getaffinity(0, sizeof(cpus), &cpus))
			CPU_ZERO(&cpus);
		run.opts.producers = CPU_COUNT(&cpus) ?: 1;
	}
	fd = open_device();
	if (fd < 0)
		return EXIT_TROUBLE;
	if (!prepare(&run, fd) && !supervise(&run))
		ret = finish(&run, fd);
	wsq_queue_exit(&run.poller);
	json_object_put(run.json);
	sum_list_free(&run.list);
	free(run.before.cpus);
	free(run.after.cpus);
	wsq_close(fd);
	return ret;
}
