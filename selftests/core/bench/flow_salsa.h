/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SALSA pools in the framework of flow.h: shared by flow_salsa.c and
 * peers/flow_salsa_cas.c.
 *
 * With balancing, a chunk goes to the consumer that took its last task, and a
 * consumer without chunks refuses. Without, all chunks are the first consumer's
 * and go back to it, which stands for the paper's forced put with an allocator
 * that costs nothing.
 */
#ifndef _WSQ_BENCH_FLOW_SALSA_H
#define _WSQ_BENCH_FLOW_SALSA_H

#include "flow.h"
#include "salsa_mem.h"

#define FLOW_SALSA_CHUNK	1024

/**
 * struct flow_salsa - a pool
 * @b: the pool
 * @published: chunks that a producer has begun, one exchange each
 * @claimed: exchanges of slots by a consumer, where tasks are claimed
 */
struct flow_salsa {
	struct bench_salsa *b;
	u64 published[FLOW_PARTIES][8] WSQ_CACHE_ALIGNED;
	u64 claimed[FLOW_PARTIES][8] WSQ_CACHE_ALIGNED;
};

void *flow_salsa_make(const struct flow_shape *shape, bool claims);
void flow_salsa_destroy(void *arg);
void flow_salsa_cost(void *arg, struct flow_cost *cost);

static inline struct wsq_salsa_producer *
flow_salsa_producer(struct flow_salsa *q, unsigned int id)
{
	return q->b->producer[id];
}

static inline struct wsq_salsa_consumer *
flow_salsa_consumer(struct flow_salsa *q, unsigned int id)
{
	return q->b->consumer[id];
}

static inline unsigned int flow_salsa_most(struct flow_salsa *q)
{
	return q->b->s.chunk_size;
}

static inline unsigned int flow_salsa_open(struct flow_salsa *q,
					   struct wsq_salsa_producer *p,
					   unsigned int c)
{
	if (wsq_salsa_open(p, q->b->consumer[c]) != WSQ_OK)
		return 0;
	q->published[p->id][0]++;
	return q->b->s.chunk_size;
}

static inline void flow_salsa_put(struct flow_salsa *q,
				  struct wsq_salsa_producer *p, void *task)
{
	(void)q;
	wsq_salsa_put(p, task);
}

static inline void flow_salsa_idle(struct flow_salsa *q)
{
	(void)q;
	wsq_grace_quiesce();
}

static inline void flow_salsa_join(struct flow_salsa *q)
{
	(void)q;
	wsq_grace_join();
}

static inline void flow_salsa_leave(struct flow_salsa *q)
{
	(void)q;
	wsq_grace_leave();
}

#endif /* _WSQ_BENCH_FLOW_SALSA_H */
