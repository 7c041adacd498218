// SPDX-License-Identifier: GPL-2.0
/*
 * WS-LIFO: a stack for each consumer (Treiber's), from which thieves take as the
 * consumer does.
 *
 * Written here from the usual description (Michael, "Hazard Pointers", 2004,
 * section 4), with numbered nodes and tags (flow_nodes.h) instead of hazard
 * pointers, which favours it.
 */
#include "flow_nodes.h"

struct lifo {
	struct nodes n;
	struct {
		_Alignas(128) _Atomic(node_word_t) top;
	} s[FLOW_PARTIES];
};

static inline struct nodes_side *lifo_producer(struct lifo *l, unsigned int id)
{
	return &l->n.producer[id];
}

static inline struct nodes_side *lifo_consumer(struct lifo *l, unsigned int id)
{
	return &l->n.consumer[id];
}

static inline unsigned int lifo_most(struct lifo *l)
{
	(void)l;
	return NODE_MAGAZINE;
}

static inline unsigned int lifo_open(struct lifo *l, struct nodes_side *me,
				     unsigned int c)
{
	if (!nodes_load(&l->n, me, c))
		return 0;
	me->to = c;
	return NODE_MAGAZINE;
}

static inline void lifo_put(struct lifo *l, struct nodes_side *me, void *task)
{
	uint32_t nr = node_get(&l->n, me);
	struct node *node = &l->n.node[nr];
	node_word_t top;

	atomic_store_explicit(&node->task, task, memory_order_relaxed);
	do {
		top = atomic_load_explicit(&l->s[me->to].top,
					   memory_order_relaxed);
		atomic_store_explicit(&node->next, node_of(top),
				      memory_order_relaxed);
	} while (!node_try(me, &l->s[me->to].top, top, nr));
}

static inline void *lifo_take(struct lifo *l, struct nodes_side *me,
			      unsigned int c)
{
	node_word_t top;
	struct node *node;
	uint32_t next;
	void *task;

	do {
		top = atomic_load_explicit(&l->s[c].top, memory_order_acquire);
		if (node_of(top) == NODE_NONE)
			return NULL;
		node = &l->n.node[node_of(top)];
		next = node_of(atomic_load_explicit(&node->next,
						    memory_order_relaxed));
		task = atomic_load_explicit(&node->task, memory_order_relaxed);
	} while (!node_try(me, &l->s[c].top, top, next));
	node_free(&l->n, me, node_of(top));
	return task;
}

static inline void *lifo_get(struct lifo *l, struct nodes_side *me)
{
	return lifo_take(l, me, me->id);
}

static inline void *lifo_steal(struct lifo *l, struct nodes_side *me,
			       unsigned int victim)
{
	return lifo_take(l, me, victim);
}

static inline void lifo_idle(struct lifo *l)
{
	(void)l;
}

#define lifo_join	lifo_idle
#define lifo_leave	lifo_idle

static void *lifo_create(const struct flow_shape *shape)
{
	struct lifo *l = bench_alloc(sizeof(*l));

	nodes_init(&l->n, shape, 0);
	return l;
}

static void lifo_destroy(void *arg)
{
	struct lifo *l = arg;

	bench_free(l->n.node);
	bench_free(l);
}

static void lifo_cost(void *arg, struct flow_cost *cost)
{
	nodes_cost(&((struct lifo *)arg)->n, cost);
}

FLOW(lifo, struct lifo, struct nodes_side, struct nodes_side)

const struct flow_queue flow_queue_lifo = {
	.name		= "lifo per consumer",
	.create		= lifo_create,
	.destroy	= lifo_destroy,
	.produce	= lifo_produce,
	.consume	= lifo_consume,
	.both		= lifo_both,
	.rest		= lifo_rest,
	.cost		= lifo_cost,
};
