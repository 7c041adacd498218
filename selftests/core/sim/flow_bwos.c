// SPDX-License-Identifier: GPL-2.0
/*
 * BWoS, FIFO and LIFO, in the framework of selftests/core/bench/flow.h. A queue
 * belongs to a producer, because only its owner puts; consumers steal,
 * beginning with the queue of their own number. A thread that does both takes
 * what it has put, and steals when there is nothing. A producer whose queue is
 * full takes some tasks itself: thieves cannot take the block from which the
 * owner takes next.
 *
 * Compiled once for each engine, with its folder of selftests/core/engine on
 * the include path.
 */
#include <stdlib.h>

#include "../bench/flow.h"

#include "../queue.h"

#define PASTE2(a, b)	a##b
#define PASTE(a, b)	PASTE2(a, b)

/* The blocks of the native benchmark's case "64x128", few enough to become warm. */
#define PLACES		8
#define BLOCK		128
#define SPARE		2
#define MOST		64		/* most tasks of a theft */

#if ENGINE_LIFO
#define BLOCK_NAME	"wsq_bwos_lifo_block"
#else
#define BLOCK_NAME	"wsq_bwos_block"
#endif

struct pool {
	unsigned int nr;
	struct {
		struct queue *t;
	} of[FLOW_PARTIES];
};

static void *bwos_create(const struct flow_shape *shape)
{
	struct pool *p = bench_alloc(sizeof(*p));
	unsigned int i, k;

	p->nr = shape->producers;
	for (i = 0; i < p->nr; i++) {
		p->of[i].t = queue_new(PLACES, BLOCK, SPARE);
		sim_name(&p->of[i].t->q, sizeof(p->of[i].t->q), "wsq_" ENGINE_NAME);
		for (k = 0; k < PLACES + SPARE; k++)
			sim_name(&p->of[i].t->mem.first.blocks[k],
				 sizeof(engine_block), BLOCK_NAME);
		sim_name(p->of[i].t->mem.first.slots,
			 (PLACES + SPARE) * BLOCK * sizeof(wsq_slot_t), "slots");
	}
	return p;
}

static void bwos_destroy(void *arg)
{
	(void)arg;
}

/* Steals from all others in turn; true if there was something. */
static bool bwos_steal_any(struct flow *f, struct pool *p, unsigned int id)
{
	void *tasks[MOST];
	unsigned int k;
	int n = 0, i;

	for (k = f->shape.own; k < p->nr && n <= 0; k++) {
		f->consumer[id].looks++;
		n = engine(steal)(&p->of[(id + k) % p->nr].t->q, tasks, MOST);
	}
	if (n <= 0)
		return false;
	f->consumer[id].stolen++;
	for (i = 0; i < n; i++)
		bench_use(tasks[i]);
	f->consumer[id].done += (unsigned int)n;
	return true;
}

static void bwos_produce(struct flow *f, unsigned int id)
{
	struct pool *p = f->q;
	uint64_t puts = 0;
	unsigned int k;
	void *task;

	while (!flow_ended(f)) {
		if (engine(put)(&p->of[id].t->q, FLOW_TASK(id, puts + 1)) >= 0) {
			puts++;
			continue;
		}
		for (k = 0; k < FLOW_TURN; k++) {
			task = engine(get)(&p->of[id].t->q);
			if (!task)
				break;
			bench_use(task);
			f->consumer[id].done++;
		}
		if (!k)
			flow_relax(f);
	}
	f->producer[id].puts = puts;
}

static void bwos_consume(struct flow *f, unsigned int id)
{
	struct pool *p = f->q;

	while (!flow_ended(f)) {
		if (!bwos_steal_any(f, p, id))
			flow_relax(f);
	}
}

static void bwos_both(struct flow *f, unsigned int id)
{
	struct pool *p = f->q;
	uint64_t puts = 0;
	unsigned int k;
	void *task;

	while (!flow_ended(f)) {
		for (k = 0; k < FLOW_TURN; k++) {
			if (engine(put)(&p->of[id].t->q, FLOW_TASK(id, puts + 1)) < 0)
				break;
			puts++;
		}
		for (k = 0; k < FLOW_TURN; k++) {
			task = engine(get)(&p->of[id].t->q);
			if (!task)
				break;
			bench_use(task);
			f->consumer[id].done++;
		}
		if (!k && !bwos_steal_any(f, p, id))
			flow_relax(f);
	}
	f->producer[id].puts = puts;
}

static void *bwos_rest(void *arg, unsigned int id)
{
	struct pool *p = arg;

	return id < p->nr ? engine(get)(&p->of[id].t->q) : NULL;
}

const struct flow_queue PASTE(flow_queue_, FLOW_ENGINE) = {
	.name		= "wsq " ENGINE_NAME,
	.create		= bwos_create,
	.destroy	= bwos_destroy,
	.produce	= bwos_produce,
	.consume	= bwos_consume,
	.both		= bwos_both,
	.rest		= bwos_rest,
};
