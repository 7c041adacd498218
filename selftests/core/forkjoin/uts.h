/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unbalanced tree search: trees whose shape follows from SHA-1, so that it
 * is not known before. S. Olivier et al., "UTS: An Unbalanced Tree Search
 * Benchmark" (2006); the trees have the parameters and the sizes of its
 * samples.
 *
 * For: stress/forkjoin.c and the benchmark, where each fork-join library walks
 * the same trees by its own tasks. Cost: one or two SHA-1 blocks a node.
 * Limitations: the two kinds of tree, and the two shapes, that are used here.
 */
#ifndef _WSQ_SELFTESTS_FORKJOIN_UTS_H
#define _WSQ_SELFTESTS_FORKJOIN_UTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum uts_kind {
	UTS_BINOMIAL,
	UTS_FIXED,	/* geometric, the same everywhere, to a depth */
	UTS_CYCLIC,	/* geometric, more and less in turn */
};

/**
 * struct uts_tree - a tree
 * @name: its name in the literature, if it has one
 * @kind: kind of distribution
 * @seed: of the root
 * @root: mean number of children; of the root, if binomial
 * @depth: geometric: the period or the depth
 * @prob: binomial: how likely a node has children
 * @many: binomial: ... and how many
 * @nodes: how many nodes it has, the root included; 0 if that is not published
 */
struct uts_tree {
	const char *name;
	enum uts_kind kind;
	uint32_t seed;
	double root;
	uint32_t depth;
	double prob;
	uint32_t many;
	uint64_t nodes;
};

/**
 * struct uts_node - a node
 * @state: SHA-1 of the parent's and its number
 * @height: distance from the root
 */
struct uts_node {
	uint32_t state[5];
	uint32_t height;
};

extern const struct uts_tree uts_t1, uts_t2, uts_t3, uts_t1l, uts_t2l, uts_t3l;

struct uts_node uts_root(const struct uts_tree *tree);

/* How many children has a node? */
uint32_t uts_children(const struct uts_tree *tree, const struct uts_node *node);

/* Child @nr of a node, from 0. */
struct uts_node uts_child(const struct uts_node *node, uint32_t nr);

/* How many nodes has the tree below a node, itself included? */
uint64_t uts_count(const struct uts_tree *tree, const struct uts_node *node);

#ifdef __cplusplus
}
#endif

#endif /* _WSQ_SELFTESTS_FORKJOIN_UTS_H */
