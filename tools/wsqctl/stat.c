// SPDX-License-Identifier: GPL-2.0
/*
 * wsqctl stat: what each CPU did, by STATS. With an interval, as vmstat: first
 * the totals since the module was loaded, then the difference for each
 * interval.
 *
 * The counters of a CPU are read one after the other while it works, so sums
 * may be off by what happens in between.
 *
 * Pools whose tasks may run again, and fork-join objects, are not in STATS: they
 * are read from debugfs, if it is there and may be read (WSQ_DEBUGFS: its
 * directory of wsq).
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "wsqctl.h"

struct args {
	bool json;
	double interval;
	unsigned long count;
	unsigned int nr;
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print JSON, one document a line", 0 },
	{ 0 }
};

static void parse_number(struct argp_state *state, struct args *a, char *arg)
{
	char *end;

	errno = 0;
	if (a->nr++ == 0) {
		a->interval = strtod(arg, &end);
		if (*end || end == arg || !(a->interval > 0) ||
		    a->interval > 1e6)
			argp_error(state, "'%s' is no interval in seconds", arg);
	} else if (a->nr == 2) {
		a->count = strtoul(arg, &end, 10);
		if (*end || end == arg || errno || *arg == '-' || !a->count)
			argp_error(state, "'%s' is no count", arg);
	} else {
		argp_usage(state);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case 'j':
		a->json = true;
		return 0;
	case ARGP_KEY_ARG:
		parse_number(state, a, arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[INTERVAL [COUNT]]",
	.doc = "Shows what each CPU did since the wsq module was loaded; then, "
	       "every INTERVAL seconds, what it did in that time, COUNT reports in "
	       "all.\v"
	       "Columns: puts queued there; gets run there; of these, steals by "
	       "distance of the victim (smt: same core, cache, node, remote); "
	       "parks of the worker; wakeups by a put there; inbox: of puts, "
	       "those through an inbox; standbys: times a standby worker "
	       "replaced one in a task, which slept or computed for long; fences: interrupts of this "
	       "CPU for fences of others. W: worker, P: it sleeps, -: offline. "
	       "Below, for root: pools whose tasks may run again, and how many did; "
	       "fork-join objects, and what their threads stole and shared.",
};

static void row(const char *cpu, const char *node, const char *flags,
		const struct wsq_cpu_stats *s)
{
	printf("%5s %4s %2s", cpu, node, flags);
	printf(" %12" PRIu64 " %12" PRIu64, (uint64_t)s->puts,
	       (uint64_t)s->gets);
	printf(" %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64,
	       (uint64_t)s->steals[WSQ_DIST_SMT],
	       (uint64_t)s->steals[WSQ_DIST_CACHE],
	       (uint64_t)s->steals[WSQ_DIST_NODE],
	       (uint64_t)s->steals[WSQ_DIST_REMOTE]);
	printf(" %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64
	       " %9" PRIu64 "\n",
	       (uint64_t)s->parks, (uint64_t)s->wakeups, (uint64_t)s->inbox,
	       (uint64_t)s->standbys, (uint64_t)s->fences);
}

/* A pool of debugfs whose tasks may run again. */
struct pool {
	uint64_t puts, takes, steals, duplicates;
	char name[64];
};

/* NULL if it is not there or may not be read. */
static FILE *open_debugfs(const char *name)
{
	const char *dir = getenv("WSQ_DEBUGFS") ?: "/sys/kernel/debug/wsq";
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, "re");
}

/*
 * Call @fn for each. Lines as in Documentation/observability.rst; those of other
 * pools have no numbers.
 */
static void each_pool(void (*fn)(const struct pool *p, void *arg), void *arg)
{
	FILE *f = open_debugfs("pools");
	char line[512];

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		struct pool p;

		if (sscanf(line, "%*s %*s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %63s",
			   &p.puts, &p.takes, &p.steals, &p.duplicates, p.name) == 5)
			fn(&p, arg);
	}
	fclose(f);
}

static void pool_text(const struct pool *p, void *arg)
{
	bool *begun = arg;

	if (!*begun)
		printf("\n%-24s %12s %12s %12s %12s %7s\n", "pool, since it was created",
		       "puts", "takes", "steals", "duplicates", "share");
	*begun = true;
	printf("%-24s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %6.2f%%\n",
	       p->name, p->puts, p->takes, p->steals, p->duplicates,
	       p->puts ? 100.0 * (double)p->duplicates / (double)p->puts : 0);
}

/* The numbers of a fork-join object, in the order of the columns in debugfs. */
enum {
	FJ_MAX_CPUS, FJ_SEATS, FJ_RUNS, FJ_STARTED, FJ_STEALS, FJ_LEAPS,
	FJ_REQUESTS, FJ_GROWS, FJ_SHRINKS, FJ_SLEEPS, NR_FJ
};

static const char * const forkjoin_names[NR_FJ] = {
	"max_cpus", "seats", "runs", "started", "steals", "leaps", "requests",
	"grows", "shrinks", "sleeps"
};

struct forkjoin {
	uint64_t n[NR_FJ];
	char queue[64];
};

/* Call @fn for each. The name of a queue may have spaces. */
static void each_forkjoin(void (*fn)(const struct forkjoin *fj, void *arg),
			  void *arg)
{
	FILE *f = open_debugfs("forkjoin");
	struct forkjoin fj;
	char line[512];

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		char *at = line, *end;
		unsigned int i;

		for (i = 0; i < NR_FJ; i++, at = end) {
			fj.n[i] = strtoull(at, &end, 10);
			if (end == at)
				break;
		}
		if (i == NR_FJ && sscanf(at, " %63[^\n]", fj.queue) == 1)
			fn(&fj, arg);
	}
	fclose(f);
}

static void forkjoin_text(const struct forkjoin *fj, void *arg)
{
	bool *begun = arg;
	unsigned int i;

	if (!*begun) {
		printf("\n%-24s", "fork-join, of the queue");
		for (i = 0; i < NR_FJ; i++)
			printf(" %*s", i < FJ_RUNS ? 8 : 10, forkjoin_names[i]);
		putchar('\n');
	}
	*begun = true;
	printf("%-24s", fj->queue);
	for (i = 0; i < NR_FJ; i++)
		printf(" %*" PRIu64, i < FJ_RUNS ? 8 : 10, fj->n[i]);
	putchar('\n');
}

static int as_text(const struct counters *c)
{
	struct wsq_cpu_stats total = counters_total(c);
	char cpu[16], node[16], flags[3];
	bool pools = false, objects = false;
	unsigned int i;

	printf("%5s %4s %2s %12s %12s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n",
	       "CPU", "node", "", "puts", "gets", "smt", "cache", "node",
	       "remote", "parks", "wakeups", "inbox", "standbys", "fences");
	for (i = 0; i < c->nr; i++) {
		const struct wsq_cpu_stats *s = &c->cpus[i];

		snprintf(cpu, sizeof(cpu), "%u", s->cpu);
		snprintf(node, sizeof(node), "%u", s->node);
		snprintf(flags, sizeof(flags), "%s%s",
			 !(s->flags & WSQ_CPU_ONLINE) ? "-" :
			 s->flags & WSQ_CPU_WORKER ? "W" : " ",
			 s->flags & WSQ_CPU_PARKED ? "P" : "");
		row(cpu, node, flags, s);
	}
	row("all", "", "", &total);
	each_pool(pool_text, &pools);
	each_forkjoin(forkjoin_text, &objects);
	return flush_stdout();
}

static void put_u64(struct json_object *o, const char *name, __u64 v)
{
	json_object_object_add(o, name, json_object_new_uint64(v));
}

static void put_bool(struct json_object *o, const char *name, bool v)
{
	json_object_object_add(o, name, json_object_new_boolean(v));
}

static struct json_object *cpu_json(const struct wsq_cpu_stats *s)
{
	static const char * const dist[WSQ_DIST_NR] = {
		"smt", "cache", "node", "remote"
	};
	struct json_object *o = json_object_new_object();
	struct json_object *steals = json_object_new_object();
	unsigned int i;

	put_u64(o, "puts", s->puts);
	put_u64(o, "gets", s->gets);
	for (i = 0; i < WSQ_DIST_NR; i++)
		put_u64(steals, dist[i], s->steals[i]);
	json_object_object_add(o, "steals", steals);
	put_u64(o, "parks", s->parks);
	put_u64(o, "wakeups", s->wakeups);
	put_u64(o, "inbox", s->inbox);
	put_u64(o, "standbys", s->standbys);
	put_u64(o, "fences", s->fences);
	return o;
}

static void pool_json(const struct pool *p, void *arg)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "name", json_object_new_string(p->name));
	put_u64(o, "puts", p->puts);
	put_u64(o, "takes", p->takes);
	put_u64(o, "steals", p->steals);
	put_u64(o, "duplicates", p->duplicates);
	json_object_array_add(arg, o);
}

static void forkjoin_json(const struct forkjoin *fj, void *arg)
{
	struct json_object *o = json_object_new_object();
	unsigned int i;

	json_object_object_add(o, "queue", json_object_new_string(fj->queue));
	for (i = 0; i < NR_FJ; i++)
		put_u64(o, forkjoin_names[i], fj->n[i]);
	json_object_array_add(arg, o);
}

static int as_json(const struct counters *c, double seconds)
{
	struct json_object *o = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct wsq_cpu_stats total = counters_total(c);
	unsigned int i;

	/* 0: since the module was loaded. */
	json_object_object_add(o, "seconds", json_object_new_double(seconds));
	put_u64(o, "rings", c->st.rings);
	put_u64(o, "queues", c->st.queues);
	put_u64(o, "workers", c->st.workers);
	for (i = 0; i < c->nr; i++) {
		const struct wsq_cpu_stats *s = &c->cpus[i];
		struct json_object *e = cpu_json(s);

		put_u64(e, "cpu", s->cpu);
		put_u64(e, "node", s->node);
		put_bool(e, "online", s->flags & WSQ_CPU_ONLINE);
		put_bool(e, "worker", s->flags & WSQ_CPU_WORKER);
		put_bool(e, "parked", s->flags & WSQ_CPU_PARKED);
		json_object_array_add(list, e);
	}
	json_object_object_add(o, "cpus", list);
	list = json_object_new_array();
	each_pool(pool_json, list);
	json_object_object_add(o, "pools", list);
	list = json_object_new_array();
	each_forkjoin(forkjoin_json, list);
	json_object_object_add(o, "forkjoin", list);
	json_object_object_add(o, "total", cpu_json(&total));
	return print_json(o, true);
}

/* One report; keeps the counters in @last for the next. */
static int report(int fd, const struct args *a, struct counters *last,
		  double seconds)
{
	struct counters now, diff;
	int ret = EXIT_TROUBLE;

	if (counters_get(fd, &now))
		return EXIT_TROUBLE;
	diff = now;
	diff.cpus = calloc(now.nr + 1, sizeof(*diff.cpus));
	if (diff.cpus) {
		memcpy(diff.cpus, now.cpus, now.nr * sizeof(*diff.cpus));
		if (last->cpus)
			counters_sub(&diff, last);
		ret = a->json ? as_json(&diff, seconds) : as_text(&diff);
		free(diff.cpus);
	}
	free(last->cpus);
	*last = now;
	return ret;
}

int cmd_stat(int argc, char **argv)
{
	struct counters last = { .nr = 0 };
	struct args a = { .count = 0 };
	struct timespec pause;
	unsigned long n;
	int fd, ret;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	fd = open_device();
	if (fd < 0)
		return EXIT_TROUBLE;
	pause.tv_sec = (time_t)a.interval;
	pause.tv_nsec = (long)((a.interval - (double)pause.tv_sec) * 1e9);
	ret = report(fd, &a, &last, 0);
	for (n = 1; !ret && a.interval > 0 && n != a.count; n++) {
		nanosleep(&pause, NULL);
		if (!a.json)
			putchar('\n');
		ret = report(fd, &a, &last, a.interval);
	}
	free(last.cpus);
	wsq_close(fd);
	return ret;
}
