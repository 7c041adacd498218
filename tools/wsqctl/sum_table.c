// SPDX-License-Identifier: GPL-2.0
/*
 * wsqctl sum: the figures at the end, on stderr or as JSON.
 *
 * Waits are of tasks, from submission to start, as the module measured them;
 * quantiles by hist.h, off by at most 1.6 %. Steals are the difference of the
 * module's counters over the run, so other programs' tasks are included.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "sum.h"

void sum_totals(const struct sum_run *run, struct sum_total *t)
{
	unsigned int i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < run->opts.producers; i++) {
		const struct sum_worker *w = &run->worker[i];

		t->w.files += w->files;
		t->w.errors += w->errors;
		t->w.bytes += w->bytes;
		t->w.tasks += w->tasks;
		t->w.same_cpu += w->same_cpu;
		t->w.same_node += w->same_node;
		t->w.empty += w->empty;
		t->w.large += w->large;
		t->w.enters += w->enters;
		hist_add(&t->w.wait, &w->wait);
	}
	t->cpu = counters_total(&run->after);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_ns(uint64_t ns)
{
	if (ns < 10000)
		fprintf(stderr, "%" PRIu64 " ns", ns);
	else if (ns < 10000000)
		fprintf(stderr, "%.1f us", (double)ns / 1e3);
	else
		fprintf(stderr, "%.1f ms", (double)ns / 1e6);
}

static uint64_t local_steals(const struct sum_total *t)
{
	return t->cpu.steals[WSQ_DIST_SMT] + t->cpu.steals[WSQ_DIST_CACHE] +
	       t->cpu.steals[WSQ_DIST_NODE];
}

void sum_table(const struct sum_run *run)
{
	double s = (double)run->ns / 1e9;
	struct sum_total *t = malloc(sizeof(*t));

	if (!t)
		return;
	sum_totals(run, t);
	fprintf(stderr, "files          %zu, %zu errors\n", run->list.nr,
		run->errors + run->list.errors);
	fprintf(stderr, "bytes          %" PRIu64 " (%.1f MB)\n", t->w.bytes,
		(double)t->w.bytes / 1e6);
	fprintf(stderr, "producers      %u processes%s, %u ended early\n",
		run->opts.producers, run->opts.pin ? ", each on its CPU" : "",
		run->died);
	fprintf(stderr, "tasks          %" PRIu64 " through the ring, %.1f a call\n",
		t->w.tasks, t->w.enters ?
		(double)t->w.tasks / (double)t->w.enters : 0);
	fprintf(stderr, "in process     %" PRIu64 " empty, %" PRIu64
		" too large for a task\n", t->w.empty, t->w.large);
	fprintf(stderr, "time           %.3f s\n", s);
	fprintf(stderr, "rate           %.0f tasks/s, %.1f MB/s\n",
		(double)t->w.tasks / s, (double)t->w.bytes / 1e6 / s);
	fprintf(stderr, "ran on         submitter's node %.1f %%, its CPU %.1f %%\n",
		share(t->w.same_node, t->w.tasks),
		share(t->w.same_cpu, t->w.tasks));
	fprintf(stderr, "steals         local %" PRIu64 " (smt %" PRIu64
		", cache %" PRIu64 ", node %" PRIu64 "), remote %" PRIu64 "\n",
		local_steals(t), (uint64_t)t->cpu.steals[WSQ_DIST_SMT],
		(uint64_t)t->cpu.steals[WSQ_DIST_CACHE],
		(uint64_t)t->cpu.steals[WSQ_DIST_NODE],
		(uint64_t)t->cpu.steals[WSQ_DIST_REMOTE]);
	fprintf(stderr, "wait           p50 ");
	print_ns(hist_quantile(&t->w.wait, 500));
	fprintf(stderr, ", p99 ");
	print_ns(hist_quantile(&t->w.wait, 990));
	fprintf(stderr, ", most ");
	print_ns(t->w.wait.max);
	fputc('\n', stderr);
	free(t);
}

static void put_u64(struct json_object *o, const char *name, uint64_t v)
{
	json_object_object_add(o, name, json_object_new_uint64(v));
}

static void put_double(struct json_object *o, const char *name, double v)
{
	json_object_object_add(o, name, json_object_new_double(v));
}

struct json_object *sum_table_json(const struct sum_run *run)
{
	struct json_object *o = json_object_new_object(), *e;
	struct sum_total *t = malloc(sizeof(*t));
	double s = (double)run->ns / 1e9;

	if (!t)
		return o;
	sum_totals(run, t);
	put_u64(o, "files", run->list.nr);
	put_u64(o, "errors", run->errors + run->list.errors);
	put_u64(o, "not_hashed", run->lost);
	put_u64(o, "bytes", t->w.bytes);
	put_u64(o, "producers", run->opts.producers);
	put_u64(o, "producers_ended_early", run->died);
	put_u64(o, "tasks", t->w.tasks);
	put_u64(o, "enters", t->w.enters);
	put_u64(o, "empty_in_process", t->w.empty);
	put_u64(o, "large_in_process", t->w.large);
	put_double(o, "seconds", s);
	put_double(o, "tasks_per_second", (double)t->w.tasks / s);
	put_double(o, "bytes_per_second", (double)t->w.bytes / s);
	put_u64(o, "tasks_on_submitters_node", t->w.same_node);
	put_u64(o, "tasks_on_submitters_cpu", t->w.same_cpu);
	e = json_object_new_object();
	put_u64(e, "smt", t->cpu.steals[WSQ_DIST_SMT]);
	put_u64(e, "cache", t->cpu.steals[WSQ_DIST_CACHE]);
	put_u64(e, "node", t->cpu.steals[WSQ_DIST_NODE]);
	put_u64(e, "remote", t->cpu.steals[WSQ_DIST_REMOTE]);
	json_object_object_add(o, "steals", e);
	e = json_object_new_object();
	put_u64(e, "p50", hist_quantile(&t->w.wait, 500));
	put_u64(e, "p99", hist_quantile(&t->w.wait, 990));
	put_u64(e, "max", t->w.wait.max);
	json_object_object_add(o, "wait_ns", e);
	free(t);
	return o;
}
