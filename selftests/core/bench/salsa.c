// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA under measurement: kmod/core, the same source as the module, compiled
 * against the native shim. One producer and its consumer on a thread, and a
 * second consumer, the thief, which steals a chunk and takes its tasks.
 *
 * Each consumer is on its own node, so that stolen chunks come back.
 */
#define _GNU_SOURCE
#include <sched.h>

#include "salsa_mem.h"
#include "owner.h"
#include "../chunk_thief.h"

/* The owner, as consumer and as producer, and the thief. */
struct bench_pair {
	struct wsq_salsa_consumer c;
	struct wsq_salsa_producer p;
	struct wsq_salsa_consumer *thief;
	struct bench_salsa *b;
};

static __attribute__((noinline)) bool salsa_open(struct bench_pair *q)
{
	if (wsq_grace_me)
		wsq_grace_quiesce();
	return wsq_salsa_open(&q->p, &q->c) == WSQ_OK;
}

static inline bool salsa_put(struct bench_pair *q, void *task)
{
	if (likely(wsq_salsa_put(&q->p, task) == WSQ_OK))
		return true;
	return salsa_open(q) && wsq_salsa_put(&q->p, task) == WSQ_OK;
}

static inline unsigned int salsa_put_many(struct bench_pair *q, void **tasks,
					  unsigned int nr)
{
	unsigned int n = wsq_salsa_put_many(&q->p, tasks, nr);

	if (unlikely(n < nr) && salsa_open(q))
		n += wsq_salsa_put_many(&q->p, tasks + n, nr - n);
	return n;
}

static inline unsigned int salsa_get_many(struct bench_pair *q, void **tasks,
					  unsigned int nr)
{
	return wsq_salsa_get_many(&q->c, tasks, nr);
}

static inline void *salsa_get(struct bench_pair *q)
{
	return wsq_salsa_get(&q->c);
}

static inline void *salsa_claim(struct bench_pair *q)
{
	void *task;

	/* The thief had stolen it, rarely. */
	do
		task = wsq_salsa_claim(&q->c);
	while (unlikely(task == WSQ_SALSA_TAKEN));
	return task;
}

static void *salsa_thief_get(struct wsq_salsa_consumer *c)
{
	void *task;

	if (!c->claims)
		return wsq_salsa_get(c);
	do
		task = wsq_salsa_claim(c);
	while (task == WSQ_SALSA_TAKEN);
	return task;
}

typedef int (*bench_steal_t)(struct wsq_salsa_consumer *c,
			     struct wsq_salsa_consumer *v, bool may_fence,
			     void **task);

/*
 * Steals a chunk and takes all its tasks. First takes what the producer has put
 * into a stolen chunk since.
 */
static inline unsigned int salsa_steal_by(struct bench_pair *q, bench_steal_t steal)
{
	struct wsq_salsa_consumer *c = q->thief;
	unsigned int n = 0;
	void *task;

	if (!wsq_grace_me)
		wsq_grace_join();
	wsq_grace_quiesce();
	task = salsa_thief_get(c);
	if (!task && steal(c, &q->c, true, &task) != WSQ_OK) {
		if (!wsq_salsa_under_way(c))
			return 0;
		task = salsa_thief_get(c);
	}
	for (; task; task = salsa_thief_get(c)) {
		bench_use(task);
		n += task != WSQ_SALSA_TAKEN;
	}
	return n;
}

/* Steals in the cheapest way possible. */
static unsigned int salsa_steal(void *arg)
{
	bench_fence = BENCH_FENCE_MEMBARRIER;
	return salsa_steal_by(arg, thief_steal);
}

/*
 * The paper's thief: the chunk that the owner is in, else any, and a fence each
 * time.
 */
static int salsa_steal_fenced(struct wsq_salsa_consumer *c,
			      struct wsq_salsa_consumer *v, bool may_fence,
			      void **task)
{
	int ret = wsq_salsa_steal_begin(c, v, may_fence, task);

	if (ret != WSQ_EMPTY || !wsq_salsa_waiting(v))
		return ret;
	bench_fence_one(v->id);
	return wsq_salsa_steal_left(c, v, false, task);
}

static unsigned int salsa_steal_fence(void *arg)
{
	bench_fence = BENCH_FENCE_MEMBARRIER;
	return salsa_steal_by(arg, salsa_steal_fenced);
}

static unsigned int salsa_steal_rebind(void *arg)
{
	bench_fence = BENCH_FENCE_REBIND;
	return salsa_steal_by(arg, salsa_steal_fenced);
}

/* What is left when the thief has stopped, including its chunks. */
static void *salsa_rest(void *arg)
{
	struct bench_pair *q = arg;
	void *task = salsa_thief_get(&q->c);

	return task ? task : salsa_thief_get(q->thief);
}

static void *salsa_create(const struct bench_queue *self, u32 chunk_size,
			  bool claims)
{
	struct bench_salsa_shape shape = {
		.consumers = 2, .producers = 1, .chunk_size = chunk_size,
		.chunks = self->capacity / chunk_size, .claims = claims,
		.nodes = true,
	};
	struct bench_pair *q = bench_alloc(sizeof(*q));

	shape.consumer = &q->c;
	shape.producer = &q->p;
	q->b = bench_salsa_create(&shape);
	bench_fence_cpu[0] = sched_getcpu();
	q->thief = q->b->consumer[1];
	return q;
}

static void salsa_destroy(void *arg)
{
	struct bench_pair *q = arg;

	bench_salsa_destroy(q->b);
	bench_free(q);
}

BENCH_OWNER(salsa, struct bench_pair, salsa_put, salsa_get)
BENCH_OWNER_MANY(salsa, struct bench_pair, salsa_put_many, salsa_get_many,
		 BENCH_BOUNDED)
BENCH_OWNER(salsa_claim, struct bench_pair, salsa_put, salsa_claim)
BENCH_BESIDE_THIEF(salsa, struct bench_pair, salsa_put, salsa_get, BENCH_BOUNDED)
BENCH_BESIDE_THIEF(salsa_claim, struct bench_pair, salsa_put, salsa_claim,
	     BENCH_BOUNDED)

#define SALSA(nr, size, suffix, what, prefix, many, claimed, steal_fn)	\
static void *salsa_create_##nr##x##size##suffix(			\
					const struct bench_queue *self)	\
{									\
	return salsa_create(self, size, claimed);			\
}									\
									\
const struct bench_queue bench_salsa_##nr##x##size##suffix = {		\
	.name		= "wsq salsa " #nr "x" #size what,		\
	.capacity	= (nr) * (size),				\
	.create		= salsa_create_##nr##x##size##suffix,		\
	.destroy	= salsa_destroy,				\
	.put		= prefix##_call_put,				\
	.get		= salsa_rest,					\
	.pass		= prefix##_pass,				\
	.pass_many	= many,						\
	.beside_thief	= prefix##_beside_thief,			\
	.steal		= steal_fn,						\
	.grain		= size,						\
	.moves		= (steal_fn) == salsa_steal_rebind,			\
}

SALSA(8, 1024, , "", salsa, salsa_pass_many, false, salsa_steal);
SALSA(4, 2048, , "", salsa, salsa_pass_many, false, salsa_steal);
SALSA(8, 1024, _claims, ", claims", salsa_claim, NULL, true, salsa_steal);
SALSA(8, 1024, _alone, ", nobody steals", salsa, NULL, false, NULL);
SALSA(8, 1024, _fence, ", every theft fenced", salsa, NULL, false,
      salsa_steal_fence);
SALSA(8, 1024, _rebind, ", every theft by rebinding", salsa, NULL, false,
      salsa_steal_rebind);
