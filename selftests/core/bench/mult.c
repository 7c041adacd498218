// SPDX-License-Identifier: GPL-2.0
/*
 * Work stealing with multiplicity under measurement: kmod/core/ws_mult.h, compiled
 * against the native shim. Without a thief, because the windows with one require
 * that each task comes out once; the exact kind with one, too.
 */
#include "owner.h"
#include <string.h>

#include "ws_mult.h"

struct mult {
	struct wsq_ws_mult q;
	struct wsq_ws_mult_mem mem;
	atomic64_t max;
};

static inline bool mult_put(struct mult *m, void *task)
{
	return wsq_ws_mult_put(&m->q, task) >= 0;
}

static inline void *mult_weak_get(struct mult *m)
{
	return wsq_ws_mult_get(&m->q, WSQ_MULT_WEAK);
}

static inline void *mult_exact_get(struct mult *m)
{
	return wsq_ws_mult_get(&m->q, WSQ_MULT_EXACT);
}

/* A put that finds no space lets the owner's maximum follow the thief. */
static inline bool mult_exact_put(struct mult *m, void *task)
{
	return mult_put(m, task) ||
	       (wsq_ws_mult_catch_up(&m->q) && mult_put(m, task));
}

static unsigned int mult_exact_steal(void *arg)
{
	struct mult *m = arg;
	void *task;

	return wsq_ws_mult_steal(&m->q, WSQ_MULT_EXACT, &m->max, &task) == WSQ_OK;
}

static void *mult_create(u32 nr_blocks, u32 block_size)
{
	struct mult *m = bench_alloc(sizeof(*m));

	m->mem.nr_blocks = nr_blocks;
	m->mem.block_size = block_size;
	m->mem.bases = bench_alloc(nr_blocks * sizeof(*m->mem.bases));
	m->mem.slots = bench_alloc((size_t)nr_blocks * block_size * sizeof(*m->mem.slots));
	memset(m->mem.bases, 0, nr_blocks * sizeof(*m->mem.bases));
	atomic64_set(&m->max, 0);
	wsq_ws_mult_init(&m->q, &m->mem);
	return m;
}

static void *mult_create_8x1024(const struct bench_queue *self)
{
	(void)self;
	return mult_create(8, 1024);
}

static void mult_destroy(void *arg)
{
	struct mult *m = arg;

	bench_free(m->mem.slots);
	bench_free(m->mem.bases);
	bench_free(m);
}

BENCH_OWNER(mult_weak, struct mult, mult_put, mult_weak_get)
BENCH_OWNER(mult_exact, struct mult, mult_exact_put, mult_exact_get)
BENCH_BESIDE_THIEF(mult_exact, struct mult, mult_exact_put, mult_exact_get, BENCH_BOUNDED)

const struct bench_queue bench_mult_weak = {
	.name		= "wsq mult 8x1024, weak",
	.capacity	= 8192,
	.create		= mult_create_8x1024,
	.destroy	= mult_destroy,
	.put		= mult_weak_call_put,
	.get		= mult_weak_call_get,
	.pass		= mult_weak_pass,
};

const struct bench_queue bench_mult_exact = {
	.name		= "wsq mult 8x1024, exact",
	.capacity	= 8192,
	.create		= mult_create_8x1024,
	.destroy	= mult_destroy,
	.put		= mult_exact_call_put,
	.get		= mult_exact_call_get,
	.pass		= mult_exact_pass,
	.beside_thief	= mult_exact_beside_thief,
	.steal		= mult_exact_steal,
	.grain		= 1,
};
