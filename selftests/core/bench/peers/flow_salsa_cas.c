// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA+CAS, the paper's own comparator: the chunks, chunk pools and lists of
 * SALSA, but every take is a compare-and-exchange of a slot, and a thief takes
 * one task, not a chunk. Uses kmod/core's consumers that claim, and
 * wsq_salsa_steal_active().
 */
#include "../flow_salsa.h"

#define cas_producer	flow_salsa_producer
#define cas_most	flow_salsa_most
#define cas_open	flow_salsa_open
#define cas_put		flow_salsa_put
#define cas_idle	flow_salsa_idle
#define cas_join	flow_salsa_join
#define cas_leave	flow_salsa_leave

static void *cas_create(const struct flow_shape *shape)
{
	return flow_salsa_make(shape, true);
}

static inline struct wsq_salsa_consumer *cas_consumer(struct flow_salsa *q,
						      unsigned int id)
{
	return q->b->consumer[id];
}

static inline void *cas_get(struct flow_salsa *q, struct wsq_salsa_consumer *c)
{
	void *task;

	do {
		task = wsq_salsa_claim(c);
		q->claimed[c->id][0] += !!task;
	} while (task == WSQ_SALSA_TAKEN);
	return task;
}

static inline void *cas_steal(struct flow_salsa *q,
			      struct wsq_salsa_consumer *c, unsigned int victim)
{
	void *task;

	if (!wsq_salsa_steal_active(q->b->consumer[victim], &task, 1, true))
		return NULL;
	q->claimed[c->id][0]++;
	return task;
}

FLOW(cas, struct flow_salsa, struct wsq_salsa_producer,
     struct wsq_salsa_consumer)

const struct flow_queue flow_queue_cas = {
	.name		= "salsa+cas",
	.create		= cas_create,
	.destroy	= flow_salsa_destroy,
	.produce	= cas_produce,
	.consume	= cas_consume,
	.both		= cas_both,
	.rest		= cas_rest,
	.cost		= flow_salsa_cost,
};
