// SPDX-License-Identifier: GPL-2.0
/*
 * Chase-Lev deque, the usual work-stealing structure: the owner works at the
 * bottom (last in, first out), thieves at the top.
 *
 * Written here from the published algorithm: Chase and Lev, "Dynamic circular
 * work-stealing deque", SPAA 2005, with the C11 orderings of Le, Pop, Cohen and
 * Zappa Nardelli, "Correct and efficient work-stealing for weak memory models",
 * PPoPP 2013, figure 1. The array does not grow: put says full instead, which
 * spares it the indirection and favours the peer.
 */
#include <stdatomic.h>

#include "../owner.h"

struct chase_lev {
	_Alignas(64) atomic_size_t top;
	_Alignas(64) atomic_size_t bottom;
	_Alignas(64) size_t mask;
	_Atomic(void *) *slots;
};

static inline bool cl_put(struct chase_lev *d, void *task)
{
	size_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed);
	size_t t = atomic_load_explicit(&d->top, memory_order_acquire);

	if (__builtin_expect(b - t > d->mask, 0))
		return false;
	atomic_store_explicit(&d->slots[b & d->mask], task,
			      memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&d->bottom, b + 1, memory_order_relaxed);
	return true;
}

static inline void *cl_get(struct chase_lev *d)
{
	size_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
	void *task = NULL;
	ptrdiff_t left;
	size_t t;

	atomic_store_explicit(&d->bottom, b, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	t = atomic_load_explicit(&d->top, memory_order_relaxed);
	left = (ptrdiff_t)(b - t);

	if (left >= 0) {
		task = atomic_load_explicit(&d->slots[b & d->mask],
					    memory_order_relaxed);
		if (__builtin_expect(left > 0, 1))
			return task;
		/* The last one: thieves want it too. */
		if (!atomic_compare_exchange_strong_explicit(&d->top, &t, t + 1,
							     memory_order_seq_cst,
							     memory_order_relaxed))
			task = NULL;
	}
	atomic_store_explicit(&d->bottom, b + 1, memory_order_relaxed);
	return task;
}

static inline bool cl_steal(struct chase_lev *d)
{
	size_t t = atomic_load_explicit(&d->top, memory_order_acquire);
	size_t b;
	void *task;

	atomic_thread_fence(memory_order_seq_cst);
	b = atomic_load_explicit(&d->bottom, memory_order_acquire);
	if ((ptrdiff_t)(b - t) <= 0)
		return false;
	task = atomic_load_explicit(&d->slots[t & d->mask],
				    memory_order_relaxed);
	bench_use(task);
	return atomic_compare_exchange_strong_explicit(&d->top, &t, t + 1,
						       memory_order_seq_cst,
						       memory_order_relaxed);
}

static unsigned int cl_call_steal(void *arg)
{
	return cl_steal(arg);
}

static void *cl_create(const struct bench_queue *self)
{
	struct chase_lev *d = bench_alloc(sizeof(*d));

	d->mask = self->capacity - 1;
	d->slots = bench_alloc(self->capacity * sizeof(*d->slots));
	return d;
}

static void cl_destroy(void *arg)
{
	struct chase_lev *d = arg;

	bench_free((void *)d->slots);
	bench_free(d);
}

BENCH_OWNER(cl, struct chase_lev, cl_put, cl_get)
BENCH_ROBBED(cl, struct chase_lev, cl_put, cl_get, BENCH_BOUNDED)

const struct bench_queue bench_chase_lev = {
	.name		= "chase_lev c11",
	.capacity	= 8192,
	.create		= cl_create,
	.destroy	= cl_destroy,
	.put		= cl_call_put,
	.get		= cl_call_get,
	.pass		= cl_pass,
	.robbed		= cl_robbed,
	.steal		= cl_call_steal,
};

#ifdef BENCH_POOL

#include "../pool.h"

/*
 * In a pool: see ../pool.h. It has no blocks to sample; who samples it reads both
 * of its ends.
 */

static inline u64 cl_size(struct chase_lev *d)
{
	size_t t = atomic_load_explicit(&d->top, memory_order_relaxed);
	size_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed);

	return (ptrdiff_t)(b - t) > 0 ? b - t : 0;
}

static inline u32 cl_sample(struct chase_lev *d, u32 rnd, u32 *place)
{
	(void)rnd;
	*place = 0;
	return (u32)cl_size(d);
}

static inline u32 cl_full(const struct chase_lev *d)
{
	return (u32)d->mask + 1;
}

static inline bool cl_steal_at(struct chase_lev *d, u32 place)
{
	(void)place;
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
