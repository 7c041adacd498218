// SPDX-License-Identifier: GPL-2.0
/*
 * Spanning trees: a walk over graphs by 1 to N threads, on work stealing with
 * multiplicity and on what it is compared with. Section 8 of A. Castañeda, M.
 * Piña, "Fully Read/Write Fence-Free Work-Stealing with Multiplicity" (2020).
 * Prints samples as JSON lines (tools/bench/README.md).
 *
 *	spanning [vertices=N] [threads=N] [rounds=N] [length=N] [claims=0|1]
 *		 [seed=N] [slow=0|1] [PART OF A CASE'S NAME]
 *
 * threads: from 1 to so many, default one for each CPU. length: slots that
 * arrays begin with, blocks of the ring; a power of two. claims: parents are
 * stored by compare-and-exchange (walk.h). slow=0: leave out the cases that are
 * slow.
 *
 * Rows, for each graph, directed and undirected:
 *	GRAPH SIZE		milliseconds. The fastest and the slowest of the
 *				rounds are left out. Ratios are over Chase-Lev
 *				with one thread
 *	GRAPH SIZE: repeated	visits beyond one for each vertex that was
 *				reached, in percent of these
 *	GRAPH SIZE: put twice	puts beyond one for each vertex, likewise: they
 *				explain as many of the repeated visits
 *	SIZE: no tree		walks after which the parents were no tree, in
 *				percent: without claims that is no error (walk.h)
 *
 * Each round measures all cases, with each number of threads, in turn, on the
 * same graph with the same root. A walk in which a thread was off its CPU for
 * more than a 64th of the time is repeated, twice at most. After each walk it
 * checks that every vertex that can be reached was reached, from a neighbour.
 *
 * Cost: four minutes for a million vertices on two CPUs. Limitations: threads
 * are pinned one to a CPU, from CPU 0 on; graphs are those of graph.c, because
 * the paper gives kinds and sizes only.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../option.h"
#include "case.h"

#define MAX_ROUNDS	32
#define MAX_CASES	32
#define TRIES		3

static u64 vertices = 1000000, threads, nr_rounds = 5, length = 256, claims, seed = 1, slow = 1;
static const char *only;

/**
 * struct sample - what a walk did
 * @ms: how long it took
 * @repeated: visits beyond one for each vertex reached, in percent of these
 * @twice: of these, how many further puts explain
 */
struct sample {
	double ms, repeated, twice;
};

static struct sample samples[MAX_CASES][WALK_THREADS][MAX_ROUNDS];
static u32 walks[MAX_CASES][WALK_THREADS], no_trees[MAX_CASES][WALK_THREADS];
static u32 dropped[MAX_CASES][WALK_THREADS];

static bool wanted(const struct mult_case *c)
{
	if (c->slow && !slow)
		return false;
	return c == &mult_chase_lev || !only || strstr(c->name, only);
}

/* A walk, and its check. */
static void walk_once(struct walk *walk, u32 index, struct walk_result *r)
{
	const struct graph *g = walk->g;
	const char *wrong;
	bool loops;

	walk_run(walk, mult_cases[index], length, (u32)sysconf(_SC_NPROCESSORS_ONLN), r);
	wrong = walk_check(walk, &loops);
	walks[index][walk->nr - 1]++;
	no_trees[index][walk->nr - 1] += loops;
	if (wrong || (loops && claims) || r->visits < g->reached || r->puts < g->reached) {
		fprintf(stderr, "%s, %u threads: %s\n", mult_cases[index]->name, walk->nr,
			wrong ? wrong : loops ? "no tree" : "a visit is missing");
		exit(1);
	}
}

/* If other processes disturb it, again; of all attempts the least disturbed. */
static void measure(const struct graph *g, u32 *parent, u32 index, u32 nr, struct sample *s)
{
	struct walk walk = { .g = g, .parent = parent, .nr = nr, .claims = claims };
	struct walk_result best, r;
	u32 tries;

	walk_once(&walk, index, &best);
	for (tries = 1; tries < TRIES && best.off > best.ns / 64; tries++) {
		dropped[index][nr - 1]++;
		walk_once(&walk, index, &r);
		if (r.off < best.off)
			best = r;
	}
	s->ms = (double)best.ns / 1e6;
	s->repeated = 100. * (double)(best.visits - g->reached) / g->reached;
	s->twice = 100. * (double)(best.puts - g->reached) / g->reached;
}

/* Without the fastest and the slowest. */
static bool is_extreme(const struct sample *s, u64 at)
{
	u64 least = 0, most = 0, i;

	for (i = 1; i < nr_rounds; i++) {
		if (s[i].ms < s[least].ms)
			least = i;
		if (s[i].ms >= s[most].ms)
			most = i;
	}
	return nr_rounds > 2 && (at == least || at == most);
}

/* What each line of JSON begins with. */
static void print_head(u32 index, u32 nr, const char *title, const char *what, const char *unit)
{
	printf("{\"suite\":\"core\",\"case\":\"%s, %u\",", mult_cases[index]->name, nr);
	printf("\"metric\":\"%s%s\",\"unit\":\"%s\",", title, what, unit);
}

static void print_samples(const char *title, u32 index, u32 nr)
{
	const struct sample *s = samples[index][nr - 1];
	const char *comma = "";
	u64 i;

	print_head(index, nr, title, "", "ms");
	if (index || nr > 1)
		printf("\"peer\":\"%s, 1\",", mult_chase_lev.name);
	printf("\"dropped\":%u,\"samples\":[", dropped[index][nr - 1]);
	dropped[index][nr - 1] = 0;
	for (i = 0; i < nr_rounds; i++)
		if (!is_extreme(s, i)) {
			printf("%s%.3f", comma, s[i].ms);
			comma = ",";
		}
	printf("]}\n");
	for (u32 which = 0; which < 2; which++) {
		print_head(index, nr, title, which ? ": put twice" : ": repeated", "%");
		printf("\"samples\":[");
		for (i = 0; i < nr_rounds; i++)
			printf("%s%.4f", i ? "," : "", which ? s[i].twice : s[i].repeated);
		printf("]}\n");
	}
}

static void of_graph(enum graph_kind kind, bool directed)
{
	struct graph g;
	char title[64];
	u32 *parent;
	u64 round;
	u32 i, nr;

	graph_create(&g, kind, directed, (u32)vertices, seed);
	parent = malloc(g.nr * sizeof(*parent));
	if (!parent)
		exit(1);
	snprintf(title, sizeof(title), "%s %s %lluk", graph_names[kind],
		 directed ? "directed" : "undirected", vertices / 1000);
	fprintf(stderr, "%s: %u vertices, %u arcs, %u reached\n", title, g.nr, g.arcs, g.reached);
	for (round = 0; round < nr_rounds; round++)
		for (i = 0; mult_cases[i]; i++)
			for (nr = 1; nr <= threads && wanted(mult_cases[i]); nr++)
				measure(&g, parent, i, nr, &samples[i][nr - 1][round]);
	for (i = 0; mult_cases[i]; i++)
		for (nr = 1; nr <= threads && wanted(mult_cases[i]); nr++)
			print_samples(title, i, nr);
	fflush(stdout);
	free(parent);
	graph_destroy(&g);
}

static void print_no_trees(void)
{
	char title[32];
	u32 i, nr;

	snprintf(title, sizeof(title), "%lluk", vertices / 1000);
	for (i = 0; mult_cases[i]; i++)
		for (nr = 1; nr <= threads && wanted(mult_cases[i]); nr++) {
			print_head(i, nr, title, ": no tree", "%");
			printf("\"samples\":[%.3f]}\n", 100. * no_trees[i][nr - 1] / walks[i][nr - 1]);
		}
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		u64 *value;
	} options[] = {
		{ "vertices", &vertices }, { "threads", &threads }, { "rounds", &nr_rounds },
		{ "length", &length }, { "claims", &claims }, { "seed", &seed },
		{ "slow", &slow },
	};
	u32 kind, i;
	int a;

	for (a = 1; a < argc; a++) {
		for (i = 0; i < sizeof(options) / sizeof(*options); i++)
			if (option(argv[a], options[i].name, options[i].value))
				break;
		if (i < sizeof(options) / sizeof(*options))
			continue;
		if (strchr(argv[a], '=')) {
			fprintf(stderr, "%s: what is %s?\n", argv[0], argv[a]);
			return 2;
		}
		only = argv[a];
	}
	if (!threads)
		threads = (u64)sysconf(_SC_NPROCESSORS_ONLN);
	if (threads > WALK_THREADS)
		threads = WALK_THREADS;
	if (vertices < 1000 || vertices > 1 << 24 || !nr_rounds || nr_rounds > MAX_ROUNDS ||
	    length < 2 || length & (length - 1))
		return 2;
	/* The heap keeps what is freed, for all threads. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, 64 << 20);
	mallopt(M_ARENA_MAX, 1);
	for (kind = 0; kind < GRAPH_KINDS; kind++)
		for (i = 0; i < 2; i++)
			of_graph((enum graph_kind)kind, !i);
	print_no_trees();
	return 0;
}
