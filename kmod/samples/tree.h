/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of the sample wsq_tree.ko: the graph, and the check of a spanning tree.
 * The queue is used only in wsq_tree.c.
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
 * @work: the item, initialised and queued by the context that claims the vertex
 * @parent: the vertex that this one was reached from; %TREE_NONE before. The
 *	root is its own parent. Claimed by compare-and-exchange, by any context
 * @runs: how often the item ran. Written by the item, never concurrently
 * @cpu: where it ran last. Written by the item
 */
struct tree_vertex {
	struct wsq_work work;
	u32 parent;
	u16 runs;
	u16 cpu;
};

/**
 * struct tree_graph - a connected graph
 * @nr: vertices; number 0 is the root of trees
 * @edges: number of edges
 * @bytes: memory of all of it
 * @first: index in @ends of each vertex's first neighbour; one more entry for
 *	the end
 * @ends: neighbours, vertex by vertex; each edge is stored at both of its ends
 * @distance: of each vertex from the root, by tree_walk()
 * @scratch: a number for each vertex
 * @vertices: the vertices
 *
 * Only @vertices changes while several CPUs use the graph.
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
