/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Graphs for the experiments with multiplicity: see graph.c.
 */
#ifndef _WSQ_BENCH_MULT_GRAPH_H
#define _WSQ_BENCH_MULT_GRAPH_H

#include <wsq_platform.h>

/* No vertex. */
#define GRAPH_NONE	UINT32_MAX

/**
 * enum graph_kind - the graphs of the paper's section 8.2
 * @GRAPH_2D: a mesh on a torus, four neighbours
 * @GRAPH_2D60: the same, 60 % of the edges, drawn at random
 * @GRAPH_3D: six neighbours
 * @GRAPH_3D40: the same, 40 % of the edges
 * @GRAPH_RANDOM: three edges a vertex, between any two
 */
enum graph_kind {
	GRAPH_2D,
	GRAPH_2D60,
	GRAPH_3D,
	GRAPH_3D40,
	GRAPH_RANDOM,
	GRAPH_KINDS,
};

/**
 * struct graph - a graph
 * @nr: vertices
 * @arcs: number of @ends
 * @root: where walks begin
 * @reached: vertices that can be reached from @root, with it
 * @first: index in @ends of each vertex's first neighbour, and the end
 * @ends: neighbours, vertex by vertex
 * @known: of each vertex, 1 if it can be reached
 */
struct graph {
	u32 nr;
	u32 arcs;
	u32 root;
	u32 reached;
	u32 *first;
	u32 *ends;
	u8 *known;
};

extern const char *const graph_names[GRAPH_KINDS];

/* The vertices will be about @nr: see graph.c. A program without memory ends. */
void graph_create(struct graph *g, enum graph_kind kind, bool directed, u32 nr, u64 seed);
void graph_destroy(struct graph *g);
bool graph_adjacent(const struct graph *g, u32 from, u32 to);

#endif /* _WSQ_BENCH_MULT_GRAPH_H */
