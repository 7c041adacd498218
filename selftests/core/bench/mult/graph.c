// SPDX-License-Identifier: GPL-2.0
/*
 * Graphs for the experiments with multiplicity. The same parameters give the
 * same graph on any machine.
 *
 * The paper names the kinds and the numbers of vertices. What it leaves open is
 * chosen as follows:
 *
 * - meshes are as square as the number of vertices allows, and wrap
 * - undirected: each edge leads both ways
 * - directed, 2D and 3D: each edge leads from the lower coordinate to the
 *   higher, which wraps, so there are two or three neighbours
 * - directed, 2D60 and 3D40: each direction of an edge is drawn by itself. With
 *   one direction only, 60 % would be below the threshold of percolation, and
 *   next to nothing could be reached from anywhere
 * - random: 3 edges for each vertex; directed, 3 arcs. Two vertices may have
 *   several: at a million vertices that is one edge in 300,000
 * - the root is the first vertex from which more than a quarter of all can be
 *   reached
 *
 * Cost: 8 + 4 * (neighbours) bytes a vertex, and some 20 ns for each arc. The
 * random numbers are drawn twice instead of being kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../rnd.h"
#include "graph.h"

const char *const graph_names[GRAPH_KINDS] = { "2D", "2D60", "3D", "3D40", "random" };

/* Three edges for each vertex of a random graph. */
#define EDGES	3

static void *graph_alloc(size_t size)
{
	void *mem = calloc(1, size);

	if (!mem) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	return mem;
}

/**
 * struct drawing - how a graph is drawn
 * @g: the graph
 * @kind: its kind
 * @directed: whether an edge leads one way
 * @sides: of a mesh, the lengths of its sides; 1 behind the last
 * @percent: of a mesh, the edges that there are
 * @seed: random state
 * @fill: the second time: the arcs are stored, not counted
 */
struct drawing {
	struct graph *g;
	enum graph_kind kind;
	bool directed;
	u32 sides[3];
	u32 percent;
	u64 seed;
	bool fill;
};

static void draw_arc(struct drawing *d, u32 from, u32 to)
{
	if (d->fill)
		d->g->ends[--d->g->first[from]] = to;
	else
		d->g->first[from]++;
}

static bool draw_chance(struct drawing *d)
{
	return d->percent == 100 || (rnd(&d->seed) >> 32) * 100 >> 32 < d->percent;
}

/* An edge of a mesh. */
static void draw_edge(struct drawing *d, u32 from, u32 to)
{
	bool there = draw_chance(d), back;

	if (!d->directed)
		back = there;
	else
		back = d->percent < 100 && draw_chance(d);
	if (there)
		draw_arc(d, from, to);
	if (back)
		draw_arc(d, to, from);
}

static void draw_mesh(struct drawing *d)
{
	const u32 *side = d->sides;
	u32 x, y, z, v = 0;

	for (z = 0; z < side[2]; z++)
		for (y = 0; y < side[1]; y++)
			for (x = 0; x < side[0]; x++, v++) {
				draw_edge(d, v, x + 1 < side[0] ? v + 1 : v + 1 - side[0]);
				draw_edge(d, v, y + 1 < side[1] ? v + side[0] :
					  v + side[0] - side[0] * side[1]);
				if (side[2] > 1)
					draw_edge(d, v, z + 1 < side[2] ? v + side[0] * side[1] :
						  v + side[0] * side[1] - d->g->nr);
			}
}

static void draw_random(struct drawing *d)
{
	u32 nr = d->g->nr, from, to;
	u64 i;

	for (i = 0; i < (u64)EDGES * nr; i++) {
		from = (u32)((rnd(&d->seed) >> 32) * nr >> 32);
		to = (u32)((rnd(&d->seed) >> 32) * (nr - 1) >> 32);
		to += to >= from;
		draw_arc(d, from, to);
		if (!d->directed)
			draw_arc(d, to, from);
	}
}

static void draw(struct drawing *d)
{
	u64 seed = d->seed;

	if (d->kind == GRAPH_RANDOM)
		draw_random(d);
	else
		draw_mesh(d);
	d->seed = seed;
}

/* The lengths of the sides, and from them the number of vertices. */
static u32 draw_sides(struct drawing *d, u32 nr)
{
	bool deep = d->kind == GRAPH_3D || d->kind == GRAPH_3D40;
	u32 a = 2;

	d->sides[2] = 1;
	if (d->kind == GRAPH_RANDOM)
		return nr;
	while ((u64)a * a * (deep ? a : 1) < nr)
		a++;
	d->sides[0] = a;
	d->sides[1] = deep ? a : (nr + a - 1) / a;
	d->sides[2] = deep ? (nr + a * a - 1) / (a * a) : 1;
	return d->sides[0] * d->sides[1] * d->sides[2];
}

/* Breadth first. */
static u32 graph_reach(struct graph *g, u32 root, u32 *order)
{
	u32 done, known = 1, i, v;

	memset(g->known, 0, g->nr);
	g->known[root] = 1;
	order[0] = root;
	for (done = 0; done < known; done++) {
		v = order[done];
		for (i = g->first[v]; i < g->first[v + 1]; i++)
			if (!g->known[g->ends[i]]) {
				g->known[g->ends[i]] = 1;
				order[known++] = g->ends[i];
			}
	}
	return known;
}

void graph_create(struct graph *g, enum graph_kind kind, bool directed, u32 nr, u64 seed)
{
	struct drawing d = {
		.g = g, .kind = kind, .directed = directed,
		.seed = seed * 0x9e3779b97f4a7c15ULL | 1,
		.percent = kind == GRAPH_2D60 ? 60 : kind == GRAPH_3D40 ? 40 : 100,
	};
	u32 i, *order;

	g->nr = draw_sides(&d, nr);
	g->first = (u32 *)graph_alloc((g->nr + 1UL) * sizeof(*g->first));
	g->known = (u8 *)graph_alloc(g->nr);
	draw(&d);
	for (i = 1; i < g->nr; i++)
		g->first[i] += g->first[i - 1];
	g->arcs = g->first[g->nr - 1];
	g->first[g->nr] = g->arcs;
	g->ends = (u32 *)graph_alloc((g->arcs + 1UL) * sizeof(*g->ends));
	d.fill = true;
	draw(&d);
	order = (u32 *)graph_alloc(g->nr * sizeof(*order));
	for (g->root = 0; g->root < g->nr; g->root++) {
		g->reached = graph_reach(g, g->root, order);
		if (g->reached > g->nr / 4)
			break;
	}
	free(order);
	if (g->root == g->nr) {
		fputs("no vertex leads to enough others\n", stderr);
		exit(1);
	}
}

void graph_destroy(struct graph *g)
{
	free(g->first);
	free(g->ends);
	free(g->known);
	memset(g, 0, sizeof(*g));
}

bool graph_adjacent(const struct graph *g, u32 from, u32 to)
{
	u32 i;

	for (i = g->first[from]; i < g->first[from + 1]; i++)
		if (g->ends[i] == to)
			return true;
	return false;
}
