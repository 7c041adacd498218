// SPDX-License-Identifier: GPL-2.0
/*
 * Scenarios of pools, after section 8 of A. Castañeda and M. Piña, "Fully Read/Write
 * Fence-Free Work-Stealing with Multiplicity" (2020), for exact engines too.
 *
 * put_take		each CPU pushes 256 tasks and pops as many, again and again: zero
 *			cost, on all CPUs at once
 * put_steal		each even CPU pushes 1024; then the next CPU pops until it finds
 *			nothing; then the even one pops what others could not reach
 * walk_...		all CPUs walk a graph of 16384 vertices, then again: spanning trees.
 *			2d, 3d: meshes; 60_2d, 40_3d: that share of their edges; random:
 *			three edges a vertex; dir_: directed
 *
 * A vertex is an object of its own, with pointers to its neighbours. The next walk
 * begins when the last vertex was visited, which costs nothing here.
 *
 * Each push has a ticket, which is what is pushed. Which CPUs popped a ticket is
 * recorded, and must be what the pool's multiplicity allows. After each walk all
 * vertices must have been reached, each from a neighbour.
 */
#include <linux/wsq_pool.h>

#include "../../../../../kmod/pool/pool.h"
#include "../../../bench/mult/graph.h"
#include "scene.h"
#include "mult.h"

#define VERTICES	16384
#define TICKETS		(1U << 22)
#define TAKE		256	/* tasks in a round of put_take */
#define STEAL		1024	/* ... of put_steal */

struct ticket {
	u32 state;
	u32 walk;
	u16 owner;
	bool taken, stolen;
	struct vertex *v;
	u64 by[SIM_CPUS / 64];
};

static struct ticket *tickets;
static u64 word_nr;
/* Tickets of each CPU that have not come out. */
static unsigned int waiting[SIM_CPUS];

static void make_pool(u32 blocks)
{
	const struct wsq_attrs attrs = {
		.engine = options.engine, .blocks = blocks,
		.multiplicity = options.multiplicity,
		.flags = options.engine == WSQ_WS_MULT ? WSQ_AT_LEAST_ONCE : 0,
	};

	scene_pool = wsq_pool_create(&attrs, "scene");
	if (IS_ERR(scene_pool))
		sim_fail("wsq_pool_create(): %ld", PTR_ERR(scene_pool));
	/* Pages that are not used take no memory. */
	tickets = calloc(TICKETS, sizeof(*tickets));
	MUST(tickets);
}

/* Tickets are used again after 4 million pushes. */
static struct ticket *ticket_of(u64 word)
{
	return &tickets[word % TICKETS];
}

static bool push(struct vertex *v, u32 walk)
{
	const unsigned int cpu = sim_cpu();
	const u64 word = ++word_nr;
	struct ticket *t = ticket_of(word);

	if (t->state)
		sim_fail("a ticket is still out after %u pushes", TICKETS);
	memset(t, 0, sizeof(*t));
	t->owner = cpu;
	t->v = v;
	t->walk = walk;
	scene_in(&t->state);
	waiting[cpu]++;
	if (!wsq_pool_push(scene_pool, (void *)word))
		return true;
	scene_out(&t->state);
	waiting[cpu]--;
	return false;
}

/* Does the contract allow that this CPU pops it? */
static void check(struct ticket *t, unsigned int cpu)
{
	const bool thief = cpu != t->owner;
	const bool again = t->taken || t->stolen;

	if (again && (options.engine != WSQ_WS_MULT ||
		      options.multiplicity == WSQ_MULTIPLICITY_EXACT))
		sim_fail("a task of an exact pool came out twice");
	if (t->stolen && thief && options.multiplicity == WSQ_MULTIPLICITY_BOUNDED)
		sim_fail("two thieves popped a task of a bounded pool");
	if (t->by[cpu / 64] >> (cpu % 64) & 1)
		sim_fail("CPU %u popped a task twice", cpu);
	t->by[cpu / 64] |= 1ULL << (cpu % 64);
	t->taken |= !thief;
	t->stolen |= thief;
}

/* A ticket, or %NULL. @first: no other CPU has popped it. */
static struct ticket *pop(bool *first)
{
	const unsigned int cpu = sim_cpu();
	void *word = wsq_pool_pop(scene_pool);
	struct ticket *t;

	if (!word)
		return NULL;
	t = ticket_of((uintptr_t)word);
	check(t, cpu);
	*first = t->state;
	if (!t->state) {
		scene_again++;
		return t;
	}
	scene_out(&t->state);
	waiting[t->owner]--;
	if (t->owner != cpu)
		scene_stolen++;
	return t;
}

static bool pop_one(void)
{
	bool first;

	if (!pop(&first))
		return false;
	if (options.ns > 0)
		sim_compute(options.ns * SIM_NS);
	return true;
}

static void pop_rest(void)
{
	while (pop_one())
		cond_resched();
}

/* ---- put_take ---- */

static int taker(void *arg)
{
	unsigned int i;

	while (!scene_stop) {
		for (i = 0; i < TAKE && push(NULL, 0); i++)
			cond_resched();
		while (i-- && pop_one())
			cond_resched();
	}
	pop_rest();
	return 0;
}

static void take_start(void)
{
	unsigned int cpu;

	make_pool(0);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		scene_thread(cpu, taker, NULL, "taker");
}

/* ---- put_steal ---- */

/* Of each even CPU: the next one is to steal. */
static bool turn[SIM_CPUS];

static int putter(void *arg)
{
	const unsigned int cpu = sim_cpu();
	unsigned int i;

	while (!scene_stop) {
		for (i = 0; i < STEAL && push(NULL, 0); i++)
			cond_resched();
		turn[cpu] = true;
		while (turn[cpu] && !scene_stop) {
			sim_relax();
			cond_resched();
		}
		while (waiting[cpu] && pop_one())
			cond_resched();
	}
	pop_rest();
	return 0;
}

static int stealer(void *arg)
{
	const unsigned int cpu = sim_cpu() - 1;

	while (!scene_stop) {
		if (turn[cpu] && (!waiting[cpu] || !pop_one()))
			turn[cpu] = false;
		if (!turn[cpu])
			sim_relax();
		cond_resched();
	}
	pop_rest();
	return 0;
}

static void steal_start(void)
{
	unsigned int cpu;

	make_pool(0);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		scene_thread(cpu, cpu % 2 ? stealer : putter, NULL,
			     cpu % 2 ? "stealer" : "putter");
}

/* ---- walks ---- */

static struct graph graph;
static struct vertex **vertices;
static u32 walk_nr;		/* from 1 */
static u32 walk_puts;		/* of this walk */
static u64 all_puts, walks;	/* of those that ended */
static u32 walk_left;		/* tasks that were put and not visited */
static sim_time walk_began, walk_time;
/* Those that found no space. */
static struct vertex **spill[SIM_CPUS];
static u32 nr_spill[SIM_CPUS];
static u64 spilled;

static void make_vertices(void)
{
	u32 v, i;

	vertices = calloc(graph.nr, sizeof(*vertices));
	MUST(vertices);
	for (v = 0; v < graph.nr; v++) {
		const u32 arcs = graph.first[v + 1] - graph.first[v];

		vertices[v] = sim_alloc(struct_size(vertices[v], to, arcs),
					sim_node_of_cpu((u64)v * nr_cpu_ids / graph.nr));
		vertices[v]->nr = v;
		vertices[v]->arcs = arcs;
		vertices[v]->parent = 0;
	}
	for (v = 0; v < graph.nr; v++)
		for (i = 0; i < vertices[v]->arcs; i++)
			vertices[v]->to[i] = vertices[graph.ends[graph.first[v] + i]];
}

static void walk_put(struct vertex *v)
{
	const unsigned int cpu = sim_cpu();

	walk_left++;
	walk_puts++;
	if (scene_stop || push(v, walk_nr))
		return;
	spill[cpu][nr_spill[cpu]++] = v;
	spilled++;
}

static void walk_check(void)
{
	u32 v, parent;

	for (v = 0; v < graph.nr; v++) {
		if ((vertices[v]->parent >> 32 == walk_nr) != graph.known[v])
			sim_fail("vertex %u was %sreached", v, graph.known[v] ? "not " : "");
		parent = (u32)vertices[v]->parent;
		if (graph.known[v] && v != graph.root && !graph_adjacent(&graph, parent, v))
			sim_fail("vertex %u has a parent that is no neighbour", v);
	}
}

static void walk_begin(void)
{
	struct vertex *root = vertices[graph.root];

	walk_nr++;
	walk_puts = 0;
	walk_began = sim_now();
	root->parent = (u64)walk_nr << 32 | root->nr;
	walk_put(root);
}

/* A task of an earlier walk that comes out again has nothing to do. */
static void walk_visit(struct vertex *v, u32 walk, bool first)
{
	if (walk == walk_nr)
		vertex_visit(v, walk, walk_put);
	if (options.ns > 0)
		sim_compute(options.ns * SIM_NS);
	if (!first || --walk_left || scene_stop)
		return;
	walk_check();
	walk_time += sim_now() - walk_began;
	all_puts += walk_puts;
	walks++;
	walk_begin();
}

static bool walk_one(void)
{
	const unsigned int cpu = sim_cpu();
	struct ticket *t;
	bool first;

	t = pop(&first);
	if (t)
		walk_visit(t->v, t->walk, first);
	else if (nr_spill[cpu])
		walk_visit(spill[cpu][--nr_spill[cpu]], walk_nr, true);
	else
		return false;
	return true;
}

static int walker(void *arg)
{
	if (!sim_cpu())
		walk_begin();
	while (!scene_stop) {
		if (!walk_one())
			sim_relax();
		cond_resched();
	}
	pop_rest();
	return 0;
}

static void walk_start(enum graph_kind kind, bool directed)
{
	/* Enough blocks for all vertices, as far as there may be so many. */
	u32 blocks = roundup_pow_of_two(max(VERTICES * 4 / 256 / nr_cpu_ids, 8U));
	unsigned int cpu;

	graph_create(&graph, kind, directed, VERTICES, 1);
	make_vertices();
	make_pool(min(blocks, 64U));
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		spill[cpu] = malloc(graph.nr * sizeof(**spill));
		MUST(spill[cpu]);
		scene_thread(cpu, walker, NULL, "walker");
	}
}

static void walk_2d(void)
{
	walk_start(GRAPH_2D, false);
}

static void walk_dir_2d(void)
{
	walk_start(GRAPH_2D, true);
}

static void walk_60_2d(void)
{
	walk_start(GRAPH_2D60, false);
}

static void walk_3d(void)
{
	walk_start(GRAPH_3D, false);
}

static void walk_40_3d(void)
{
	walk_start(GRAPH_3D40, false);
}

static void walk_random(void)
{
	walk_start(GRAPH_RANDOM, false);
}

static void walk_dir_60_2d(void)
{
	walk_start(GRAPH_2D60, true);
}

static void walk_dir_3d(void)
{
	walk_start(GRAPH_3D, true);
}

static void walk_dir_40_3d(void)
{
	walk_start(GRAPH_3D40, true);
}

static void walk_dir_random(void)
{
	walk_start(GRAPH_RANDOM, true);
}

static void walk_over(void)
{
	if (!walks)
		return;
	scene_figure("a walk", "us", (double)walk_time / SIM_US / walks);
	scene_figure("put by two", "per task", (double)all_puts / walks / graph.reached - 1);
	scene_figure("found no space", "per task", (double)spilled / all_puts);
}

#define WALK(_name)								\
	{ .name = #_name, .start = _name, .over = walk_over, .rest = pop_one,	\
	  .pool = true, .named = true }

const struct scene mult_scenes[] = {
	{ .name = "put_take", .start = take_start, .rest = pop_one, .pool = true },
	{ .name = "put_steal", .start = steal_start, .rest = pop_one,
	  .pool = true, .least = 2 },
	WALK(walk_2d), WALK(walk_dir_2d), WALK(walk_60_2d), WALK(walk_3d),
	WALK(walk_40_3d), WALK(walk_random), WALK(walk_dir_60_2d),
	WALK(walk_dir_3d), WALK(walk_dir_40_3d), WALK(walk_dir_random),
	{ }
};
