// SPDX-License-Identifier: GPL-2.0
/*
 * WS-MSQ: a Michael-Scott queue for each consumer, from which thieves take as
 * the consumer does.
 *
 * Written here from Michael and Scott, "Simple, Fast, and Practical Non-Blocking
 * and Blocking Concurrent Queue Algorithms", PODC 1996, figure 1, with numbered
 * nodes and tags (flow_nodes.h).
 */
#include "flow_nodes.h"

struct msq {
	struct nodes n;
	struct {
		_Alignas(128) _Atomic(node_word_t) head;
		_Alignas(128) _Atomic(node_word_t) tail;
	} q[FLOW_PARTIES];
};

static inline struct nodes_side *msq_producer(struct msq *m, unsigned int id)
{
	return &m->n.producer[id];
}

static inline struct nodes_side *msq_consumer(struct msq *m, unsigned int id)
{
	return &m->n.consumer[id];
}

static inline unsigned int msq_most(struct msq *m)
{
	(void)m;
	return NODE_MAGAZINE;
}

static inline unsigned int msq_open(struct msq *m, struct nodes_side *me,
				    unsigned int c)
{
	if (!nodes_load(&m->n, me, c))
		return 0;
	me->to = c;
	return NODE_MAGAZINE;
}

static inline void msq_put(struct msq *m, struct nodes_side *me, void *task)
{
	_Atomic(node_word_t) *at_tail = &m->q[me->to].tail;
	uint32_t nr = node_get(&m->n, me);
	struct node *node = &m->n.node[nr];
	node_word_t tail, next;

	atomic_store_explicit(&node->task, task, memory_order_relaxed);
	next = atomic_load_explicit(&node->next, memory_order_relaxed);
	atomic_store_explicit(&node->next, node_word(next, NODE_NONE),
			      memory_order_relaxed);
	for (;;) {
		tail = atomic_load_explicit(at_tail, memory_order_acquire);
		next = atomic_load_explicit(&m->n.node[node_of(tail)].next,
					    memory_order_acquire);
		if (tail != atomic_load_explicit(at_tail, memory_order_relaxed))
			continue;
		if (node_of(next) != NODE_NONE)
			node_try(me, at_tail, tail, node_of(next));
		else if (node_try(me, &m->n.node[node_of(tail)].next, next, nr))
			break;
	}
	node_try(me, at_tail, tail, nr);
}

static inline void *msq_take(struct msq *m, struct nodes_side *me,
			     unsigned int c)
{
	node_word_t head, tail, next;
	void *task;

	for (;;) {
		head = atomic_load_explicit(&m->q[c].head, memory_order_acquire);
		tail = atomic_load_explicit(&m->q[c].tail, memory_order_acquire);
		next = atomic_load_explicit(&m->n.node[node_of(head)].next,
					    memory_order_acquire);
		if (head != atomic_load_explicit(&m->q[c].head,
						 memory_order_acquire))
			continue;
		if (node_of(head) == node_of(tail)) {
			if (node_of(next) == NODE_NONE)
				return NULL;
			node_try(me, &m->q[c].tail, tail, node_of(next));
			continue;
		}
		task = atomic_load_explicit(&m->n.node[node_of(next)].task,
					    memory_order_relaxed);
		if (node_try(me, &m->q[c].head, head, node_of(next)))
			break;
	}
	node_free(&m->n, me, node_of(head));
	return task;
}

static inline void *msq_get(struct msq *m, struct nodes_side *me)
{
	return msq_take(m, me, me->id);
}

static inline void *msq_steal(struct msq *m, struct nodes_side *me,
			      unsigned int victim)
{
	return msq_take(m, me, victim);
}

static inline void msq_idle(struct msq *m)
{
	(void)m;
}

#define msq_join	msq_idle
#define msq_leave	msq_idle

static void *msq_create(const struct flow_shape *shape)
{
	struct msq *m = bench_alloc(sizeof(*m));
	unsigned int i;

	nodes_init(&m->n, shape, shape->consumers);
	/* The first nodes are the queues' dummies. */
	for (i = 0; i < shape->consumers; i++) {
		atomic_store(&m->q[i].head, i + 1);
		atomic_store(&m->q[i].tail, i + 1);
	}
	return m;
}

static void msq_destroy(void *arg)
{
	struct msq *m = arg;

	bench_free(m->n.node);
	bench_free(m);
}

static void msq_cost(void *arg, struct flow_cost *cost)
{
	nodes_cost(&((struct msq *)arg)->n, cost);
}

FLOW(msq, struct msq, struct nodes_side, struct nodes_side)

const struct flow_queue flow_queue_msq = {
	.name		= "michael-scott per consumer",
	.create		= msq_create,
	.destroy	= msq_destroy,
	.produce	= msq_produce,
	.consume	= msq_consume,
	.both		= msq_both,
	.rest		= msq_rest,
	.cost		= msq_cost,
};
