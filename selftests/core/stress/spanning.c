// SPDX-License-Identifier: GPL-2.0
/*
 * Walks over graphs under stress: threads that put, take and steal vertices with
 * the queues of the experiments with multiplicity (bench/mult), the short form of
 * bench/mult/spanning.c. Checked after each walk: each vertex that can be reached
 * was reached, from a neighbour; each task put came out, and as often as its queue
 * allows: once; once to the owner and once to a thief; once to each thread; any
 * number of times.
 *
 *	spanning [queue=N] [graph=N] [threads=N] [vertices=N] [length=N]
 *		 [claims=0|1] [rounds=N] [pause=US] [seed=N] [limit=SECONDS]
 *
 * queue, graph: index in mult_cases of bench/mult/cases.c, and enum graph_kind;
 * default all, with graphs directed and undirected in turn. length: slots that
 * arrays begin with. claims=1: a parent is stored by compare-and-exchange, and
 * then the parents must be a tree; without that it is counted (bench/mult/walk.h).
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer. Counts how
 * many visits were repeated; no time decides anything.
 *
 * Seen to fail: a WS-MULT thief that does not write the head; B-WS-WMULT without
 * marks, with pause=100 rounds=4; ws_wmult.h without a party's maximum, which does
 * not end. Not noticed: Chase-Lev without the fence of its get.
 * Limitations: a thread takes few tasks of others while it has its own; mult.c has
 * more thefts.
 */
#include "stress.h"

#include "bench/mult/case.h"

static u64 queue = ~0ULL, graph = ~0ULL, nr_threads = 3, vertices = 100000, length = 4;
static u64 claims, nr_rounds = 1;

static u64 walks, no_trees, visits, repeated, stolen;

/* How often one task came out: @bits of walk.took. */
static void check_task(const struct mult_case *c, u32 putter, u32 v, u32 bits)
{
	u32 threads = (1U << WALK_THREADS) - 1;
	u32 took = bits & threads, twice = bits >> WALK_THREADS & threads;
	u32 thieves = took & ~(1U << putter);

	if (!(bits & WALK_PUT)) {
		check(!took, "%s: vertex %u of thread %u came out and was not put", c->name, v,
		      putter);
		return;
	}
	check(took, "%s: vertex %u of thread %u was lost", c->name, v, putter);
	if (c->bound == MULT_AGAIN)
		return;
	check(!twice, "%s: a thread took vertex %u of thread %u twice", c->name, v, putter);
	check(c->bound != MULT_ONCE || !(took & (took - 1)),
	      "%s: vertex %u of thread %u came out twice", c->name, v, putter);
	check(c->bound != MULT_THIEF_ONCE || !(thieves & (thieves - 1)),
	      "%s: two thieves took vertex %u of thread %u", c->name, v, putter);
}

static void walk_once(const struct graph *g, const struct mult_case *c)
{
	struct walk walk = { .g = g, .nr = (u32)nr_threads, .claims = claims };
	struct walk_result r;
	const char *wrong;
	bool loops;
	u32 i, v;

	walk.parent = calloc(g->nr, sizeof(*walk.parent));
	check(walk.parent, "no memory");
	for (i = 0; i < walk.nr; i++) {
		walk.took[i] = calloc(g->nr, sizeof(*walk.took[i]));
		check(walk.took[i], "no memory");
	}
	walk_run(&walk, c, length, 0, &r);
	wrong = walk_check(&walk, &loops);
	check(!wrong, "%s: %s", c->name, wrong);
	check(!loops || !claims, "%s: the parents are no tree", c->name);
	for (i = 0; i < walk.nr; i++) {
		for (v = 0; v < g->nr; v++)
			check_task(c, i, v, walk.took[i][v]);
		free(walk.took[i]);
	}
	free(walk.parent);
	walks++;
	no_trees += loops;
	visits += r.visits;
	repeated += r.visits - g->reached;
	stolen += r.stolen;
}

static void *all_walks(void *arg)
{
	u64 round;
	u32 kind, i;

	(void)arg;
	for (round = 0; round < nr_rounds; round++)
		for (kind = 0; kind < GRAPH_KINDS; kind++) {
			struct graph g;

			if (graph < GRAPH_KINDS && graph != kind)
				continue;
			graph_create(&g, (enum graph_kind)kind, (round + kind) % 2,
				     (u32)vertices, seed + round);
			for (i = 0; mult_cases[i]; i++)
				if (queue == ~0ULL || queue == i)
					walk_once(&g, mult_cases[i]);
			graph_destroy(&g);
		}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	return NULL;
}

static const struct stress_option options[] = {
	{ "queue", &queue }, { "graph", &graph }, { "threads", &nr_threads },
	{ "vertices", &vertices }, { "length", &length }, { "claims", &claims },
	{ "rounds", &nr_rounds },
};

int main(int argc, char **argv)
{
	u64 state;
	pthread_t id;
	sigset_t set;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (!nr_threads || nr_threads > WALK_THREADS || vertices < 1000 || vertices > 1 << 24 ||
	    length < 2 || length & (length - 1))
		return 2;
	printf("%llu threads, %llu vertices, length %llu, claims %llu, pause %llu us, seed %llu\n",
	       nr_threads, vertices, length, claims, pause_opt, seed);
	pthread_create(&id, NULL, all_walks, NULL);
	/* Signals stop any of the other threads. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	state = seed;
	while (pause_us && !is_over()) {
		kill(getpid(), SIGUSR1);
		sleep_us((u32)(rnd(&state) % (pause_us / 2 + 1)) + 20);
	}
	pthread_join(id, NULL);
	printf("%llu walks, %llu of %llu visits stolen, %llu repeated, %llu walks left no tree\n",
	       walks, stolen, visits, repeated, no_trees);
	return 0;
}
