// SPDX-License-Identifier: GPL-2.0
/*
 * ck_ring of Concurrency Kit (package libck-dev), single producer, with a
 * single consumer (spsc) and with several (spmc, what a queue with thieves
 * needs). It holds one task less than its size.
 */
#include <ck_ring.h>

#include "../owner.h"

struct ck {
	ck_ring_t ring;
	ck_ring_buffer_t *buf;
};

static inline bool ck_put_spsc(struct ck *r, void *task)
{
	return ck_ring_enqueue_spsc(&r->ring, r->buf, task);
}

static inline void *ck_get_spsc(struct ck *r)
{
	void *task;

	return ck_ring_dequeue_spsc(&r->ring, r->buf, &task) ? task : NULL;
}

static inline bool ck_put_spmc(struct ck *r, void *task)
{
	return ck_ring_enqueue_spmc(&r->ring, r->buf, task);
}

static inline void *ck_get_spmc(struct ck *r)
{
	void *task;

	return ck_ring_dequeue_spmc(&r->ring, r->buf, &task) ? task : NULL;
}

static unsigned int ck_steal(void *arg)
{
	struct ck *r = arg;
	void *task;

	return ck_ring_trydequeue_spmc(&r->ring, r->buf, &task);
}

static void *ck_create(const struct bench_queue *self)
{
	struct ck *r = bench_alloc(sizeof(*r));

	r->buf = bench_alloc(self->capacity * sizeof(*r->buf));
	ck_ring_init(&r->ring, self->capacity);
	return r;
}

static void ck_destroy(void *arg)
{
	struct ck *r = arg;

	bench_free(r->buf);
	bench_free(r);
}

BENCH_OWNER(ck_spsc, struct ck, ck_put_spsc, ck_get_spsc)
BENCH_OWNER(ck_spmc, struct ck, ck_put_spmc, ck_get_spmc)
BENCH_BESIDE_THIEF(ck_spmc, struct ck, ck_put_spmc, ck_get_spmc, BENCH_BOUNDED)

const struct bench_queue bench_ck_spsc = {
	.name		= "ck_ring spsc",
	.capacity	= 8192,
	.create		= ck_create,
	.destroy	= ck_destroy,
	.put		= ck_spsc_call_put,
	.get		= ck_spsc_call_get,
	.pass		= ck_spsc_pass,
};

const struct bench_queue bench_ck_spmc = {
	.name		= "ck_ring spmc",
	.capacity	= 8192,
	.create		= ck_create,
	.destroy	= ck_destroy,
	.put		= ck_spmc_call_put,
	.get		= ck_spmc_call_get,
	.pass		= ck_spmc_pass,
	.beside_thief	= ck_spmc_beside_thief,
	.steal		= ck_steal,
};
