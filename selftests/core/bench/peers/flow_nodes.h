/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes for linked containers, one container per consumer, in the framework of
 * flow.h.
 *
 * Nodes are in an array and named by number, so that a word holds a number and
 * a tag: the tag reveals a reused node, and no node is ever freed. Free nodes
 * travel in magazines of 64. A party that takes tasks fills magazines and gives
 * them to its own consumer's stack (to the first consumer's, where producers
 * are not balanced). A producer begins a run with a magazine of the consumer
 * that it puts to, which refuses if it has none. That is one
 * compare-and-exchange on either side for 64 tasks, cheaper than an allocator.
 */
#ifndef _WSQ_BENCH_FLOW_NODES_H
#define _WSQ_BENCH_FLOW_NODES_H

#include <stdatomic.h>

#include "../flow.h"

#define NODE_MAGAZINE	64
#define NODE_NONE	0

/* A node's number below, a tag above. */
typedef uint64_t node_word_t;

struct node {
	_Atomic(node_word_t) next;
	_Atomic(void *) task;
	_Atomic uint32_t below;		/* next magazine of a stack */
	uint32_t free;			/* next node of a magazine */
};

struct nodes_side {
	_Alignas(128) uint64_t exchanges;
	uint32_t free;			/* nodes that a party holds */
	uint32_t nr_free;
	uint32_t to;			/* consumer that a producer puts to */
	uint32_t id;
};

struct nodes {
	struct flow_shape shape;
	struct node *node;
	struct nodes_side producer[FLOW_PARTIES];
	struct nodes_side consumer[FLOW_PARTIES];
	struct {
		_Alignas(128) _Atomic(node_word_t) stack;
	} magazines[FLOW_PARTIES];
};

static inline uint32_t node_of(node_word_t w)
{
	return (uint32_t)w;
}

/* A word for @nr that differs from @old. */
static inline node_word_t node_word(node_word_t old, uint32_t nr)
{
	return ((old >> 32) + 1) << 32 | nr;
}

/* Compare-and-exchange, counted. */
static inline bool node_try(struct nodes_side *me, _Atomic(node_word_t) *at,
			    node_word_t old, uint32_t nr)
{
	me->exchanges++;
	return atomic_compare_exchange_strong_explicit(at, &old,
			node_word(old, nr), memory_order_acq_rel,
			memory_order_relaxed);
}

static inline bool nodes_load(struct nodes *n, struct nodes_side *me,
			      unsigned int c)
{
	node_word_t top;
	uint32_t nr;

	do {
		top = atomic_load_explicit(&n->magazines[c].stack,
					   memory_order_acquire);
		nr = node_of(top);
		if (nr == NODE_NONE)
			return false;
	} while (!node_try(me, &n->magazines[c].stack, top,
			   atomic_load_explicit(&n->node[nr].below,
						memory_order_relaxed)));
	me->free = nr;
	me->nr_free = NODE_MAGAZINE;
	return true;
}

static inline void nodes_unload(struct nodes *n, struct nodes_side *me,
				unsigned int c)
{
	node_word_t top;

	do {
		top = atomic_load_explicit(&n->magazines[c].stack,
					   memory_order_relaxed);
		atomic_store_explicit(&n->node[me->free].below, node_of(top),
				      memory_order_relaxed);
	} while (!node_try(me, &n->magazines[c].stack, top, me->free));
	me->free = NODE_NONE;
	me->nr_free = 0;
}

/* A node to put a task in: there is always one until the run ends. */
static inline uint32_t node_get(struct nodes *n, struct nodes_side *me)
{
	uint32_t nr = me->free;

	me->free = n->node[nr].free;
	me->nr_free--;
	return nr;
}

static inline void node_free(struct nodes *n, struct nodes_side *me, uint32_t nr)
{
	n->node[nr].free = me->free;
	me->free = nr;
	if (++me->nr_free == NODE_MAGAZINE)
		nodes_unload(n, me, n->shape.balance ? me->id : 0);
}

/*
 * Enough nodes for twice the bound, and two magazines for each party, beside
 * @extra nodes from number 1 on.
 */
static inline void nodes_init(struct nodes *n, const struct flow_shape *shape,
			      uint32_t extra)
{
	uint32_t per = 2 * shape->bound / NODE_MAGAZINE / shape->consumers + 2;
	uint32_t first = 1 + extra, c, m, i;

	n->shape = *shape;
	n->node = (struct node *)bench_alloc((first + (per + 1) * NODE_MAGAZINE *
					      (shape->consumers + 1)) *
					     sizeof(*n->node));
	for (c = 0; c < shape->consumers; c++) {
		n->producer[c].id = c;
		n->consumer[c].id = c;
		for (m = 0; m < per; m++, first += NODE_MAGAZINE) {
			struct nodes_side *me = &n->consumer[c];

			for (i = 0; i < NODE_MAGAZINE; i++)
				n->node[first + i].free = first + i + 1;
			me->free = first;
			nodes_unload(n, me, shape->balance ? c : 0);
		}
		n->consumer[c].exchanges = 0;
	}
}

static inline void nodes_cost(struct nodes *n, struct flow_cost *cost)
{
	unsigned int i;

	cost->fences = 0;
	cost->exchanges = 0;
	for (i = 0; i < FLOW_PARTIES; i++)
		cost->exchanges += n->producer[i].exchanges +
				   n->consumer[i].exchanges;
}

#endif /* _WSQ_BENCH_FLOW_NODES_H */
