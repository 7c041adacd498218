// SPDX-License-Identifier: GPL-2.0
/*
 * Chase-Lev deque (chase_lev.h) under measurement, with an array that does not
 * grow.
 */
#include "../owner.h"

#include "chase_lev.h"

static inline bool cl_put(struct chase_lev *d, void *task)
{
	return chase_lev_put(d, task, false);
}

static inline void *cl_get(struct chase_lev *d)
{
	return chase_lev_get(d, false);
}

static inline bool cl_steal(struct chase_lev *d)
{
	void *task = NULL;
	bool done = chase_lev_steal(d, &task, false);

	bench_use(task);
	return done;
}

static unsigned int cl_call_steal(void *arg)
{
	return cl_steal(arg);
}

static void *cl_create(const struct bench_queue *self)
{
	struct chase_lev *d = bench_alloc(sizeof(*d));

	d->array.mask = self->capacity - 1;
	d->array.slots = bench_alloc(self->capacity * sizeof(*d->array.slots));
	return d;
}

static void cl_destroy(void *arg)
{
	struct chase_lev *d = arg;

	bench_free((void *)d->array.slots);
	bench_free(d);
}

BENCH_OWNER(cl, struct chase_lev, cl_put, cl_get)
BENCH_BESIDE_THIEF(cl, struct chase_lev, cl_put, cl_get, BENCH_BOUNDED)

const struct bench_queue bench_chase_lev = {
	.name		= "chase_lev c11",
	.capacity	= 8192,
	.create		= cl_create,
	.destroy	= cl_destroy,
	.put		= cl_call_put,
	.get		= cl_call_get,
	.pass		= cl_pass,
	.beside_thief	= cl_beside_thief,
	.steal		= cl_call_steal,
};

#ifdef BENCH_POOL

#include "../pool.h"

/* Pool operations: see ../pool.h. Without blocks, a sample reads both ends. */

static inline u64 cl_size(struct chase_lev *d)
{
	return chase_lev_size(d);
}

static inline u32 cl_sample(struct chase_lev *d, u32 rnd, u32 *index)
{
	(void)rnd;
	*index = 0;
	return (u32)cl_size(d);
}

static inline u32 cl_full(const struct chase_lev *d)
{
	return (u32)d->array.mask + 1;
}

static inline bool cl_steal_at(struct chase_lev *d, u32 index)
{
	(void)index;
	return cl_steal(d);
}

static void *cl_pool_create(void)
{
	return cl_create(&bench_chase_lev);
}

POOL(cl, struct chase_lev)

const struct pool_queue pool_chase_lev = {
	.name		= "chase_lev c11",
	.capacity	= 8192,
	.create		= cl_pool_create,
	.destroy	= cl_destroy,
	.get		= cl_call_get,
	.run		= cl_run,
	.step		= cl_step,
};

#endif /* BENCH_POOL */
