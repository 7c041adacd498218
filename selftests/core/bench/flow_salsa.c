// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA in the framework of flow.h: plain takes; steals of chunks, first those
 * that no consumer is in, with the fence for the others.
 */
#include "flow_salsa.h"
#include "../chunk_thief.h"

void *flow_salsa_make(const struct flow_shape *shape, bool claims)
{
	struct bench_salsa_shape s = {
		.consumers = shape->consumers,
		.producers = shape->producers,
		.chunk_size = shape->chunk ? shape->chunk : FLOW_SALSA_CHUNK,
		.claims = claims,
		.nodes = !shape->balance,
	};
	struct flow_salsa *q = bench_alloc(sizeof(*q));
	u32 all = 2 * shape->bound / s.chunk_size;

	s.chunks = (all + shape->consumers - 1) / shape->consumers;
	/* Each producer fills one, and each consumer is in one. */
	if (s.chunks < 3)
		s.chunks = 3;
	if (!shape->balance)
		s.chunks_first = s.chunks * shape->consumers;
	q->b = bench_salsa_create(&s);
	return q;
}

void flow_salsa_destroy(void *arg)
{
	struct flow_salsa *q = arg;

	bench_salsa_destroy(q->b);
	bench_free(q);
}

void flow_salsa_cost(void *arg, struct flow_cost *cost)
{
	struct flow_salsa *q = arg;
	u32 i;

	cost->exchanges = 0;
	cost->fences = 0;
	for (i = 0; i < q->b->shape.producers; i++)
		cost->exchanges += q->published[i][0];
	for (i = 0; i < q->b->shape.consumers; i++) {
		const struct wsq_salsa_consumer *c = q->b->consumer[i];

		cost->exchanges += c->count.exchanges + c->count.contended +
				   q->claimed[i][0];
		cost->fences += c->count.fences;
	}
}

static void *flow_salsa_create(const struct flow_shape *shape)
{
	return flow_salsa_make(shape, false);
}

static inline void *flow_salsa_get(struct flow_salsa *q,
				   struct wsq_salsa_consumer *c)
{
	(void)q;
	return wsq_salsa_get(c);
}

static inline void *flow_salsa_steal(struct flow_salsa *q,
				     struct wsq_salsa_consumer *c,
				     unsigned int victim)
{
	void *task;

	thief_steal_and_get(c, q->b->consumer[victim], true, &task);
	return task;
}

FLOW(flow_salsa, struct flow_salsa, struct wsq_salsa_producer,
     struct wsq_salsa_consumer)

const struct flow_queue flow_queue_salsa = {
	.name		= "wsq salsa",
	.create		= flow_salsa_create,
	.destroy	= flow_salsa_destroy,
	.produce	= flow_salsa_produce,
	.consume	= flow_salsa_consume,
	.both		= flow_salsa_both,
	.rest		= flow_salsa_rest,
	.cost		= flow_salsa_cost,
};
