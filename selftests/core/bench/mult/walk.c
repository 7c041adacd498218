// SPDX-License-Identifier: GPL-2.0
/*
 * A walk over a graph by several threads, and its check: see walk.h.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "case.h"

/**
 * struct walk_thread - a thread
 * @w: its part
 * @c: the queue
 * @cpu: where it runs; -1: anywhere
 * @ready: threads that are ready; all begin when all are
 * @began: when it began, in ns
 * @ended: when it ended
 * @ran: its CPU time between the two
 */
struct walk_thread {
	struct walker w;
	const struct mult_case *c;
	int cpu;
	u32 *ready;
	u64 began, ended, ran;
};

static u64 walk_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

static void *walk_thread(void *arg)
{
	struct walk_thread *t = (struct walk_thread *)arg;
	u32 nr = t->w.walk->nr;
	cpu_set_t set;

	if (t->cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(t->cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	__atomic_fetch_add(t->ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(t->ready, __ATOMIC_SEQ_CST) != nr)
		sched_yield();
	t->began = walk_clock(CLOCK_MONOTONIC);
	t->ran = walk_clock(CLOCK_THREAD_CPUTIME_ID);
	t->c->walk(&t->w);
	t->ran = walk_clock(CLOCK_THREAD_CPUTIME_ID) - t->ran;
	t->ended = walk_clock(CLOCK_MONOTONIC);
	return NULL;
}

void walk_run(struct walk *walk, const struct mult_case *c, u64 length, u32 cpus,
	      struct walk_result *r)
{
	struct walk_thread *threads = (struct walk_thread *)
		mult_zalloc(walk->nr * sizeof(*threads));
	pthread_t ids[WALK_THREADS];
	u64 began = ~0ULL, ended = 0, off;
	u32 i, ready = 0;

	memset(r, 0, sizeof(*r));
	walk->crowd = walk->nr > (u32)sysconf(_SC_NPROCESSORS_ONLN);
	for (i = 0; i < walk->nr; i++)
		walk->queues[i] = c->create(walk->nr, length, walk->g->nr);
	walk->idle = 0;
	memset(walk->parent, 0xff, walk->g->nr * sizeof(*walk->parent));
	walk->parent[walk->g->root] = walk->g->root;
	walk_mark(walk, 0, walk->g->root, WALK_PUT);
	for (i = 0; i < walk->nr; i++) {
		struct walk_thread *t = &threads[i];

		t->w.walk = walk;
		t->w.me = i;
		t->w.seed = 0x9e3779b97f4a7c15ULL * (i + 1);
		t->w.root = i ? NULL : walk_task(walk->g->root, 0);
		t->c = c;
		t->cpu = cpus ? (int)(i % cpus) : -1;
		t->ready = &ready;
		pthread_create(&ids[i], NULL, walk_thread, t);
	}
	for (i = 0; i < walk->nr; i++) {
		pthread_join(ids[i], NULL);
		r->visits += threads[i].w.visits;
		r->puts += threads[i].w.puts;
		r->stolen += threads[i].w.stolen;
		off = threads[i].ended - threads[i].began - threads[i].ran;
		if ((s64)off > (s64)r->off)
			r->off = off;
		began = threads[i].began < began ? threads[i].began : began;
		ended = threads[i].ended > ended ? threads[i].ended : ended;
	}
	r->ns = ended - began;
	for (i = 0; i < walk->nr; i++)
		c->destroy(walk->queues[i]);
	free(threads);
}

const char *walk_check(const struct walk *walk, bool *loops)
{
	const struct graph *g = walk->g;
	u8 *leads = (u8 *)mult_zalloc(g->nr);
	u32 v, u, steps;

	*loops = false;
	for (v = 0; v < g->nr; v++) {
		if ((walk->parent[v] != GRAPH_NONE) != g->known[v]) {
			free(leads);
			return g->known[v] ? "a vertex was not reached" :
			       "a vertex was reached that cannot be";
		}
		if (g->known[v] && v != g->root && !graph_adjacent(g, walk->parent[v], v)) {
			free(leads);
			return "a parent is no neighbour";
		}
	}
	leads[g->root] = 1;
	for (v = 0; v < g->nr; v++) {
		if (!g->known[v])
			continue;
		for (u = v, steps = 0; !leads[u] && steps <= g->nr; steps++)
			u = walk->parent[u];
		if (!leads[u]) {
			*loops = true;
			break;
		}
		for (u = v; !leads[u]; u = walk->parent[u])
			leads[u] = 1;
	}
	free(leads);
	return NULL;
}
