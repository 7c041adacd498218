/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Of the sample wsq_tree.ko: the graph, and the check of a spanning tree of it.
 * Nothing in here knows of queues; that is wsq_tree.c.
 */
#ifndef _WSQ_SAMPLES_TREE_H
#define _WSQ_SAMPLES_TREE_H

#include <linux/types.h>
#include <linux/wsq.h>

/* No vertex. */
#define TREE_NONE		U32_MAX

#define TREE_MIN_VERTICES	2U
#define TREE_MAX_VERTICES	0x1000000U
#define TREE_MIN_DEGREE		2U
#define TREE_MAX_DEGREE		64U

/**
 * struct tree_vertex - a vertex, and the item that visits it
 * @work: the item. Whoever claims the vertex makes and queues it
 * @parent: the vertex that this one was reached from, %TREE_NONE before; the root
 *	is its own. Anybody claims it, by compare-and-exchange
 * @runs: how often the item ran. Written by the item: it never runs beside itself
 * @cpu: where it ran last. Written by the item
 */
struct tree_vertex {
	struct wsq_work work;
	u32 parent;
	u16 runs;
	u16 cpu;
};

/**
 * struct tree_graph - a connected graph, and what is known of it
 * @nr: vertices; number 0 is the root of trees
 * @edges: how many
 * @bytes: memory of all of it
 * @first: where the neighbours of each vertex begin in @ends, and, behind the
 *	last vertex, where they end
 * @ends: neighbours, vertex by vertex; an edge is there at both of its ends
 * @distance: of each vertex from the root, by tree_walk()
 * @scratch: a number for each vertex, for whoever needs one
 * @vertices: the vertices
 *
 * Nothing but @vertices changes while several CPUs look at it.
 */
struct tree_graph {
	u32 nr;
	u32 edges;
	size_t bytes;
	u32 *first;
	u32 *ends;
	u32 *distance;
	u32 *scratch;
	struct tree_vertex *vertices;
};

int tree_graph_create(struct tree_graph *g, u32 nr, u32 degree, u32 reach,
		      u64 seed);
void tree_graph_destroy(struct tree_graph *g);
int tree_walk(struct tree_graph *g, u32 *depth);
int tree_check(struct tree_graph *g, u32 *depth);
int tree_rest(void);

#endif /* _WSQ_SAMPLES_TREE_H */
