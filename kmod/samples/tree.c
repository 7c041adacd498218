// SPDX-License-Identifier: GPL-2.0
/*
 * Part of the sample wsq_tree.ko: a random connected graph, a walk over it by
 * one thread, and the check of a spanning tree.
 *
 * The same parameters give the same graph on any machine. Two vertices may have
 * several edges between them; no edge leads from a vertex to itself.
 *
 * Cost, without lockdep: 60 + 4 * degree bytes a vertex, and some 50 ns to
 * create each edge. The random numbers are drawn twice instead of being kept.
 */
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "tree.h"

/* Vertices or edges between two calls of tree_rest(). */
#define TREE_STRIDE	4096

/**
 * tree_rest() - let other threads run, and check for a signal
 *
 * Context: task; may sleep.
 * Return: 0, or %-EINTR if a signal is pending.
 */
int tree_rest(void)
{
	cond_resched();
	return signal_pending(current) ? -EINTR : 0;
}

/* Call tree_rest() once in TREE_STRIDE steps of a loop. */
static int tree_step(u32 i)
{
	return i % TREE_STRIDE ? 0 : tree_rest();
}

/* The state that edges are drawn from. */
struct tree_dice {
	struct rnd_state rnd;
	u32 nr;
	u32 reach;
};

/*
 * Draw edge number @i. The first ones make a tree, so that the graph is
 * connected. The others connect any two vertices. With a reach, the numbers of
 * the two ends differ by no more than that.
 */
static void tree_edge(struct tree_dice *d, u32 i, u32 *a, u32 *b)
{
	u32 reach = d->reach ? d->reach : d->nr;

	if (i < d->nr - 1) {
		*a = i + 1;
	} else if (d->reach) {
		*a = 1 + reciprocal_scale(prandom_u32_state(&d->rnd),
					  d->nr - 1);
	} else {
		*a = reciprocal_scale(prandom_u32_state(&d->rnd), d->nr);
		*b = reciprocal_scale(prandom_u32_state(&d->rnd), d->nr - 1);
		*b += *b >= *a;
		return;
	}
	*b = *a - 1 - reciprocal_scale(prandom_u32_state(&d->rnd),
				       min(*a, reach));
}

/* Count neighbours, then add up: @first is where the neighbours of each end. */
static int tree_count(struct tree_graph *g, struct tree_dice d)
{
	u32 i, a, b;
	int ret;

	for (i = 0; i < g->edges; i++) {
		tree_edge(&d, i, &a, &b);
		g->first[a]++;
		g->first[b]++;
		ret = tree_step(i);
		if (ret)
			return ret;
	}
	for (i = 1; i < g->nr; i++)
		g->first[i] += g->first[i - 1];
	g->first[g->nr] = g->first[g->nr - 1];
	return 0;
}

/* Fill in from the end of each part: then @first is where it begins. */
static int tree_fill(struct tree_graph *g, struct tree_dice d)
{
	u32 i, a, b;
	int ret;

	for (i = 0; i < g->edges; i++) {
		tree_edge(&d, i, &a, &b);
		g->ends[--g->first[a]] = b;
		g->ends[--g->first[b]] = a;
		ret = tree_step(i);
		if (ret)
			return ret;
	}
	for (i = 0; i < g->nr; i++) {
		g->vertices[i].parent = TREE_NONE;
		ret = tree_step(i);
		if (ret)
			return ret;
	}
	return 0;
}

/* The caller gets -ENOMEM, so no warning in the log. */
static void *tree_get(size_t size)
{
	return __vmalloc(size, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
}

static int tree_alloc(struct tree_graph *g)
{
	size_t numbers = (size_t)g->nr * sizeof(u32);
	size_t ends = 2 * (size_t)g->edges * sizeof(u32);
	size_t vertices = (size_t)g->nr * sizeof(*g->vertices);

	g->bytes = 3 * numbers + sizeof(u32) + ends + vertices;
	/* Do not take more than half of the available memory. */
	if (g->bytes / PAGE_SIZE >= (unsigned long)si_mem_available() / 2)
		return -ENOMEM;
	g->first = tree_get(numbers + sizeof(u32));
	g->ends = tree_get(ends);
	g->distance = tree_get(numbers);
	g->scratch = tree_get(numbers);
	g->vertices = tree_get(vertices);
	if (!g->first || !g->ends || !g->distance || !g->scratch ||
	    !g->vertices)
		return -ENOMEM;
	return 0;
}

/**
 * tree_graph_create() - create a graph
 * @g: the graph; to be destroyed whatever this returns
 * @nr: vertices
 * @degree: average number of neighbours of a vertex
 * @reach: most that the numbers of neighbours differ by; 0: no limit
 * @seed: random seed
 *
 * Context: task; may sleep.
 * Return: 0; %-EINVAL for parameters out of range; %-ENOMEM, also if it would
 * take more than half of the available memory; %-EINTR.
 */
int tree_graph_create(struct tree_graph *g, u32 nr, u32 degree, u32 reach,
		      u64 seed)
{
	struct tree_dice dice = { .nr = nr, .reach = reach };
	int ret;

	memset(g, 0, sizeof(*g));
	if (nr < TREE_MIN_VERTICES || nr > TREE_MAX_VERTICES ||
	    degree < TREE_MIN_DEGREE || degree > TREE_MAX_DEGREE || reach > nr)
		return -EINVAL;
	g->nr = nr;
	g->edges = nr / 2 * degree + nr % 2 * degree / 2;
	ret = tree_alloc(g);
	if (ret)
		return ret;
	prandom_seed_state(&dice.rnd, seed);
	ret = tree_count(g, dice);
	return ret ? ret : tree_fill(g, dice);
}

/**
 * tree_graph_destroy() - free a graph
 * @g: the graph, not in use
 *
 * Context: task; may sleep.
 */
void tree_graph_destroy(struct tree_graph *g)
{
	vfree(g->vertices);
	vfree(g->scratch);
	vfree(g->distance);
	vfree(g->ends);
	vfree(g->first);
	memset(g, 0, sizeof(*g));
}

/**
 * tree_walk() - visit all vertices with one thread, breadth first
 * @g: the graph; @distance is filled in
 * @depth: the largest distance
 *
 * The reference for the result and the time of the queue.
 *
 * Context: task; may sleep.
 * Return: number of vertices reached, or %-EINTR.
 */
int tree_walk(struct tree_graph *g, u32 *depth)
{
	u32 *order = g->scratch;
	u32 done, known = 1, i;
	int ret;

	memset(g->distance, 0xff, (size_t)g->nr * sizeof(u32));
	g->distance[0] = 0;
	order[0] = 0;
	for (done = 0; done < known; done++) {
		u32 v = order[done];

		for (i = g->first[v]; i < g->first[v + 1]; i++) {
			u32 w = g->ends[i];

			if (g->distance[w] != TREE_NONE)
				continue;
			g->distance[w] = g->distance[v] + 1;
			order[known++] = w;
		}
		ret = tree_step(done);
		if (ret)
			return ret;
	}
	*depth = g->distance[order[known - 1]];
	return known;
}

static bool tree_adjacent(const struct tree_graph *g, u32 v, u32 w)
{
	u32 i;

	for (i = g->first[v]; i < g->first[v + 1]; i++)
		if (g->ends[i] == w)
			return true;
	return false;
}

static int tree_wrong(u32 v, const char *what)
{
	pr_err("wsq_tree: wrong: vertex %u %s\n", v, what);
	return -EIO;
}

/* Check what a vertex shows by itself. */
static int tree_check_vertex(const struct tree_graph *g, u32 v)
{
	const struct tree_vertex *x = &g->vertices[v];

	if (x->parent == TREE_NONE)
		return tree_wrong(v, "was not reached");
	if (x->runs != 1)
		return tree_wrong(v, x->runs ? "was visited twice" :
					       "was claimed and not visited");
	if (v && !tree_adjacent(g, v, x->parent))
		return tree_wrong(v, "has a parent that is no neighbour");
	if (!v && x->parent)
		return tree_wrong(v, "is the root and has a parent");
	return 0;
}

/* Follow parents to a known depth, then store the depths on the path. */
static int tree_check_path(const struct tree_graph *g, u32 *depth, u32 v)
{
	u32 u, steps = 0;

	for (u = v; depth[u] == TREE_NONE; u = g->vertices[u].parent)
		if (++steps > g->nr)
			return tree_wrong(v, "does not lead to the root");
	steps += depth[u];
	for (u = v; depth[u] == TREE_NONE; u = g->vertices[u].parent)
		depth[u] = steps--;
	return 0;
}

/**
 * tree_check() - do the parents form a spanning tree
 * @g: the graph, after tree_walk(); no longer written
 * @depth: the largest number of steps to the root
 *
 * Checks that each vertex was visited once, from a neighbour; that from each,
 * parents lead to the root, so there is no cycle; that this takes no fewer
 * steps than tree_walk() found, and that tree_walk() reached the same vertices.
 *
 * Context: task; may sleep.
 * Return: 0; %-EIO if not, with the reason in the kernel log; %-EINTR.
 */
int tree_check(struct tree_graph *g, u32 *depth)
{
	u32 *steps = g->scratch;
	int ret = 0;
	u32 v;

	for (v = 0; v < g->nr && !ret; v++) {
		ret = tree_check_vertex(g, v);
		if (!ret)
			ret = tree_step(v);
	}
	if (ret)
		return ret;
	memset(steps, 0xff, (size_t)g->nr * sizeof(u32));
	steps[0] = 0;
	*depth = 0;
	for (v = 0; v < g->nr; v++) {
		ret = tree_check_path(g, steps, v);
		if (ret)
			return ret;
		if (g->distance[v] == TREE_NONE)
			return tree_wrong(v, "was not reached by one thread");
		if (steps[v] < g->distance[v])
			return tree_wrong(v, "is nearer to the root than it can be");
		*depth = max(*depth, steps[v]);
		ret = tree_step(v);
		if (ret)
			return ret;
	}
	return 0;
}
