// SPDX-License-Identifier: GPL-2.0
/*
 * rte_ring of DPDK (package libdpdk-dev), single producer, with a single
 * consumer (sp/sc) and with several (sp/mc, what a queue with thieves needs).
 * The ring lies in plain memory; no environment abstraction layer is started.
 */
#include <rte_ring.h>

#include "../owner.h"

static inline bool rte_put(struct rte_ring *r, void *task)
{
	return !rte_ring_sp_enqueue(r, task);
}

static inline void *rte_get_sc(struct rte_ring *r)
{
	void *task;

	return rte_ring_sc_dequeue(r, &task) ? NULL : task;
}

static inline void *rte_get_mc(struct rte_ring *r)
{
	void *task;

	return rte_ring_mc_dequeue(r, &task) ? NULL : task;
}

static inline unsigned int rte_put_many(struct rte_ring *r, void **tasks,
					unsigned int nr)
{
	return rte_ring_sp_enqueue_burst(r, tasks, nr, NULL);
}

static inline unsigned int rte_get_many_sc(struct rte_ring *r, void **tasks,
					   unsigned int nr)
{
	return rte_ring_sc_dequeue_burst(r, tasks, nr, NULL);
}

static inline unsigned int rte_get_many_mc(struct rte_ring *r, void **tasks,
					   unsigned int nr)
{
	return rte_ring_mc_dequeue_burst(r, tasks, nr, NULL);
}

static unsigned int rte_steal(void *arg)
{
	void *task;

	return !rte_ring_mc_dequeue(arg, &task);
}

static void *rte_create(const struct bench_queue *self, unsigned int flags)
{
	/* It holds one less than its size, a power of two. */
	ssize_t size = rte_ring_get_memsize(self->capacity + 1);
	struct rte_ring *r;

	if (size < 0)
		return NULL;
	r = bench_alloc((size_t)size);
	if (rte_ring_init(r, "bench", self->capacity,
			  flags | RING_F_EXACT_SZ)) {
		bench_free(r);
		return NULL;
	}
	return r;
}

static void *rte_create_sc(const struct bench_queue *self)
{
	return rte_create(self, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

static void *rte_create_mc(const struct bench_queue *self)
{
	return rte_create(self, RING_F_SP_ENQ);
}

BENCH_OWNER(rte_sc, struct rte_ring, rte_put, rte_get_sc)
BENCH_OWNER_MANY(rte_sc, struct rte_ring, rte_put_many, rte_get_many_sc,
		 BENCH_BOUNDED)
BENCH_OWNER(rte_mc, struct rte_ring, rte_put, rte_get_mc)
BENCH_BESIDE_THIEF(rte_mc, struct rte_ring, rte_put, rte_get_mc, BENCH_BOUNDED)
BENCH_OWNER_MANY(rte_mc, struct rte_ring, rte_put_many, rte_get_many_mc,
		 BENCH_BOUNDED)

const struct bench_queue bench_rte_spsc = {
	.name		= "rte_ring sp/sc",
	.capacity	= 8191,
	.create		= rte_create_sc,
	.destroy	= bench_free,
	.put		= rte_sc_call_put,
	.get		= rte_sc_call_get,
	.pass		= rte_sc_pass,
	.pass_many	= rte_sc_pass_many,
};

const struct bench_queue bench_rte_spmc = {
	.name		= "rte_ring sp/mc",
	.capacity	= 8191,
	.create		= rte_create_mc,
	.destroy	= bench_free,
	.put		= rte_mc_call_put,
	.get		= rte_mc_call_get,
	.pass		= rte_mc_pass,
	.pass_many	= rte_mc_pass_many,
	.beside_thief	= rte_mc_beside_thief,
	.steal		= rte_steal,
};
