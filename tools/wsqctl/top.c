// SPDX-License-Identifier: GPL-2.0
/*
 * wsqctl top: what each CPU does now, as rates, refreshed like top(1).
 *
 * Shows where work is queued, which CPUs steal and which sleep. Each refresh is
 * one STATS ioctl. On a terminal the alternate screen is redrawn in place, and
 * left when the program ends. If there are more CPUs than lines, idle CPUs are
 * left out first. Otherwise, or with --batch or --json, reports follow each
 * other.
 *
 * Limitations: rates are over the time between two reports; the counters of a
 * CPU are read one after the other while it works. A stop (^Z) leaves the
 * screen as it is.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "wsqctl.h"

enum sort { SORT_BUSY, SORT_CPU };

struct args {
	double delay;
	unsigned long iterations;
	bool batch;
	bool json;
	enum sort sort;
};

/* One line: a CPU, or all of them. */
struct rates {
	const struct wsq_cpu_stats *s;	/* differences */
	double seconds;
};

static volatile sig_atomic_t ended, resized;

static const struct argp_option options[] = {
	{ "delay", 'd', "SECONDS", 0, "Time between two reports (default 1)",
	  0 },
	{ "iterations", 'n', "N", 0, "End after N reports", 0 },
	{ "batch", 'b', NULL, 0, "No terminal control, all CPUs", 0 },
	{ "json", 'j', NULL, 0, "Print JSON, one document a line", 0 },
	{ "sort", 's', "KEY", 0, "busy (default) or cpu", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;
	char *end;

	errno = 0;
	switch (key) {
	case 'd':
		a->delay = strtod(arg, &end);
		if (*end || end == arg || !(a->delay >= 0.01) ||
		    a->delay > 1e6)
			argp_error(state, "'%s' is no delay in seconds", arg);
		return 0;
	case 'n':
		a->iterations = strtoul(arg, &end, 10);
		if (*end || end == arg || errno || *arg == '-' ||
		    !a->iterations)
			argp_error(state, "'%s' is no number of reports", arg);
		return 0;
	case 'b':
		a->batch = true;
		return 0;
	case 'j':
		a->json = true;
		return 0;
	case 's':
		if (!strcmp(arg, "busy"))
			a->sort = SORT_BUSY;
		else if (!strcmp(arg, "cpu"))
			a->sort = SORT_CPU;
		else
			argp_error(state, "cannot sort by '%s'", arg);
		return 0;
	case ARGP_KEY_ARG:
		argp_usage(state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Shows what each CPU does, refreshed every second.\v"
	       "Columns, all but inbox% a second: tasks run there; puts queued "
	       "there; inbox%: share of puts that went through an inbox; tasks "
	       "stolen by distance of the victim (smt: same core, cache, node, "
	       "remote); wakeups by a put there; parks of the worker; standbys: "
	       "times a standby worker replaced one in a task; fences that interrupted the CPU.",
};

static void on_signal(int sig)
{
	if (sig == SIGWINCH)
		resized = 1;
	else
		ended = sig;
}

/* A signal ends a wait, since nanosleep() is never restarted, but no write. */
static void signals_set(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		sigaction(all[i], &sa, NULL);
}

static double rate(const struct rates *r, __u64 n)
{
	return (double)n / r->seconds;
}

static double inbox_share(const struct wsq_cpu_stats *s)
{
	return s->puts ? 100.0 * (double)s->inbox / (double)s->puts : 0;
}

/* Whether all columns would be zero. */
static bool idle(const struct wsq_cpu_stats *s)
{
	return !(s->puts | s->gets | s->wakeups | s->parks | s->standbys |
		 s->fences);
}

/* At most 7 characters: 12345.6, 123456, 12.3M. */
static void cell(double v, int width)
{
	if (v < 9999.95)
		printf(" %*.1f", width, v);
	else if (v < 999999.5)
		printf(" %*.0f", width, v);
	else if (v < 999.95e6)
		printf(" %*.1fM", width - 1, v / 1e6);
	else
		printf(" %*.1fG", width - 1, v / 1e9);
}

static void line(const char *cpu, const char *node, const struct rates *r)
{
	const struct wsq_cpu_stats *s = r->s;
	unsigned int i;

	printf("%5s %4s", cpu, node);
	cell(rate(r, s->gets), 8);
	cell(rate(r, s->puts), 8);
	printf(" %6.1f", inbox_share(s));
	for (i = 0; i < WSQ_DIST_NR; i++)
		cell(rate(r, s->steals[i]), 7);
	cell(rate(r, s->wakeups), 8);
	cell(rate(r, s->parks), 7);
	cell(rate(r, s->standbys), 8);
	cell(rate(r, s->fences), 7);
}

static int by_cpu(const void *a, const void *b)
{
	const struct wsq_cpu_stats *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int by_busy(const void *a, const void *b)
{
	const struct wsq_cpu_stats *x = a, *y = b;

	if (x->gets != y->gets)
		return x->gets < y->gets ? 1 : -1;
	if (x->puts != y->puts)
		return x->puts < y->puts ? 1 : -1;
	return by_cpu(a, b);
}

static void put_rate(struct json_object *o, const char *name, double v)
{
	json_object_object_add(o, name, json_object_new_double(v));
}

static struct json_object *rates_json(const struct rates *r)
{
	static const char * const dist[WSQ_DIST_NR] = {
		"smt", "cache", "node", "remote"
	};
	struct json_object *o = json_object_new_object();
	struct json_object *steals = json_object_new_object();
	unsigned int i;

	put_rate(o, "tasks", rate(r, r->s->gets));
	put_rate(o, "puts", rate(r, r->s->puts));
	put_rate(o, "inbox_percent", inbox_share(r->s));
	for (i = 0; i < WSQ_DIST_NR; i++)
		put_rate(steals, dist[i], rate(r, r->s->steals[i]));
	json_object_object_add(o, "steals", steals);
	put_rate(o, "wakeups", rate(r, r->s->wakeups));
	put_rate(o, "parks", rate(r, r->s->parks));
	put_rate(o, "standbys", rate(r, r->s->standbys));
	put_rate(o, "fences", rate(r, r->s->fences));
	return o;
}

static int as_json(const struct counters *c, const struct rates *all)
{
	struct json_object *o = json_object_new_object();
	struct json_object *list = json_object_new_array();
	unsigned int i;

	put_rate(o, "seconds", all->seconds);
	for (i = 0; i < c->nr; i++) {
		struct rates r = { &c->cpus[i], all->seconds };
		struct json_object *e = rates_json(&r);

		json_object_object_add(e, "cpu",
				       json_object_new_uint64(r.s->cpu));
		json_object_object_add(e, "node",
				       json_object_new_uint64(r.s->node));
		json_object_array_add(list, e);
	}
	json_object_object_add(o, "cpus", list);
	json_object_object_add(o, "total", rates_json(all));
	return print_json(o, true);
}

/* Chooses the CPUs to leave out so that the others fit into @room lines. */
static unsigned int hide(const struct counters *c, unsigned int room,
			 bool *skip)
{
	unsigned int i, shown = c->nr;

	for (i = c->nr; i-- > 0 && shown > room;) {
		if (idle(&c->cpus[i])) {
			skip[i] = true;
			shown--;
		}
	}
	/* All that are left are busy: leave out the last ones. */
	for (i = c->nr; i-- > 0 && shown > room;) {
		if (!skip[i]) {
			skip[i] = true;
			shown--;
		}
	}
	return c->nr - shown;
}

/* Prints @rows lines at most, 0 for any number; @screen: redraws in place. */
static int as_text(const struct counters *c, const struct rates *all,
		   unsigned int rows, bool screen)
{
	const char *eol = screen ? "\033[K\n" : "\n";
	bool *skip = calloc(c->nr + 1, sizeof(*skip));
	unsigned int i, hidden = 0;
	char cpu[16], node[16];

	if (!skip) {
		complain("%s", strerror(ENOMEM));
		return EXIT_TROUBLE;
	}
	/* Title, heading, total, and the line where the cursor ends. */
	if (rows)
		hidden = hide(c, rows > 4 ? rows - 4 : 0, skip);
	if (screen)
		printf("\033[H");
	printf("wsq: %u rings, %u queues, %u workers, %.1f s", c->st.rings,
	       c->st.queues, c->st.workers, all->seconds);
	if (hidden)
		printf(", %u CPUs not shown", hidden);
	printf("%s%5s %4s %8s %8s %6s %7s %7s %7s %7s %8s %7s %8s %7s%s", eol,
	       "CPU", "node", "tasks", "puts", "inbox%", "smt", "cache",
	       "node", "remote", "wakeups", "parks", "standbys", "fences",
	       eol);
	for (i = 0; i < c->nr; i++) {
		struct rates r = { &c->cpus[i], all->seconds };

		if (skip[i])
			continue;
		snprintf(cpu, sizeof(cpu), "%u", r.s->cpu);
		snprintf(node, sizeof(node), "%u", r.s->node);
		line(cpu, node, &r);
		printf("%s", eol);
	}
	line("all", "", all);
	printf("%s", eol);
	if (screen)
		printf("\033[J");
	free(skip);
	return flush_stdout();
}

/* Lines of the terminal; 24 if unknown. */
static unsigned int rows_now(void)
{
	struct winsize w;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_row ? w.ws_row :
								    24;
}

static int show(const struct args *a, const struct counters *c, double seconds,
		bool screen)
{
	struct wsq_cpu_stats total = counters_total(c);
	struct rates all = { &total, seconds };

	if (a->json)
		return as_json(c, &all);
	return as_text(c, &all, screen ? rows_now() : 0, screen);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Waits until @end, or until a signal needs handling. */
static void wait_until(double end)
{
	double left;

	while (!ended && !resized && (left = end - now()) > 0) {
		struct timespec t = { .tv_sec = (time_t)left };

		t.tv_nsec = (long)((left - (double)t.tv_sec) * 1e9);
		nanosleep(&t, NULL);
	}
}

/* @diff is @after - @before; then @before becomes @after. */
static int difference(struct counters *before, const struct counters *after,
		      struct counters *diff)
{
	free(diff->cpus);
	*diff = *after;
	diff->cpus = calloc(after->nr + 1, sizeof(*diff->cpus));
	if (!diff->cpus) {
		complain("%s", strerror(ENOMEM));
		return EXIT_TROUBLE;
	}
	memcpy(diff->cpus, after->cpus, after->nr * sizeof(*diff->cpus));
	counters_sub(diff, before);
	free(before->cpus);
	*before = *after;
	return EXIT_OK;
}

static int run(int fd, const struct args *a, bool screen)
{
	struct counters before, after, diff = { .cpus = NULL };
	double then = now(), seconds = 0;
	unsigned long n = 0;
	int ret = EXIT_OK;

	if (counters_get(fd, &before))
		return EXIT_TROUBLE;
	while (!ret && !ended && (!a->iterations || n < a->iterations)) {
		wait_until(then + a->delay);
		if (ended)
			break;
		/* Redraw the same figures in the new size. */
		if (resized) {
			resized = 0;
			if (screen && diff.cpus)
				ret = show(a, &diff, seconds, screen);
			continue;
		}
		if (counters_get(fd, &after)) {
			ret = EXIT_TROUBLE;
			break;
		}
		seconds = now() - then;
		then += seconds;
		ret = difference(&before, &after, &diff);
		if (ret) {
			free(after.cpus);
			break;
		}
		qsort(diff.cpus, diff.nr, sizeof(*diff.cpus),
		      a->sort == SORT_CPU ? by_cpu : by_busy);
		ret = show(a, &diff, seconds, screen);
		n++;
	}
	free(before.cpus);
	free(diff.cpus);
	return ret;
}

int cmd_top(int argc, char **argv)
{
	struct args a = { .delay = 1 };
	const char *term = getenv("TERM");
	bool screen;
	int fd, ret;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	screen = !a.batch && !a.json && isatty(STDOUT_FILENO) && term &&
		 strcmp(term, "dumb");
	fd = open_device();
	if (fd < 0)
		return EXIT_TROUBLE;
	signals_set();
	/* Alternate screen, no cursor; both are undone on every exit path. */
	if (screen) {
		/* Error messages wait for the main screen. */
		setvbuf(stderr, NULL, _IOFBF, BUFSIZ);
		printf("\033[?1049h\033[?25l");
		fflush(stdout);
	}
	ret = run(fd, &a, screen);
	if (screen) {
		printf("\033[?25h\033[?1049l");
		ret = flush_stdout() ?: ret;
		fflush(stderr);
	}
	wsq_close(fd);
	/* Die by the signal's default action, so that the shell sees it. */
	if (ended && ended != SIGINT) {
		signal(ended, SIG_DFL);
		raise(ended);
	}
	return ret;
}
