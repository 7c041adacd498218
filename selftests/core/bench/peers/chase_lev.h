/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Chase-Lev deque, the usual work-stealing structure: the owner works at the
 * bottom (last in, first out), thieves at the top.
 *
 * Written here from the published algorithm: Chase and Lev, "Dynamic circular
 * work-stealing deque", SPAA 2005, with the C11 orderings of Le, Pop, Cohen and
 * Zappa Nardelli, "Correct and efficient work-stealing for weak memory models",
 * PPoPP 2013, figure 1.
 *
 * For: chase_lev.c, whose array does not grow: put returns full instead, which
 * saves the indirection and favours the peer; and ../mult, with an array that
 * grows, as published. @grows says which; a constant.
 */
#ifndef _WSQ_BENCH_CHASE_LEV_H
#define _WSQ_BENCH_CHASE_LEV_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct chase_lev_array - an array
 * @mask: slots - 1; a power of two of them. Constant
 * @slots: the tasks. Owner
 * @older: the array that it has replaced. Owner
 */
struct chase_lev_array {
	size_t mask;
	_Atomic(void *) *slots;
	struct chase_lev_array *older;
};

/**
 * struct chase_lev - a deque
 * @top: number of the oldest task. Any party
 * @bottom: number of the next task. Owner
 * @array: of a deque that does not grow. Constant
 * @grown: of one that does: the array in use. Owner
 */
struct chase_lev {
	_Alignas(64) atomic_size_t top;
	_Alignas(64) atomic_size_t bottom;
	_Alignas(64) struct chase_lev_array array;
	_Atomic(struct chase_lev_array *) grown;
};

static inline __attribute__((always_inline))
bool chase_lev_put(struct chase_lev *d, void *task, bool grows)
{
	size_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed);
	size_t t = atomic_load_explicit(&d->top, memory_order_acquire);
	struct chase_lev_array *a = &d->array;

	if (grows)
		a = atomic_load_explicit(&d->grown, memory_order_relaxed);
	if (__builtin_expect(b - t > a->mask, 0))
		return false;
	atomic_store_explicit(&a->slots[b & a->mask], task,
			      memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&d->bottom, b + 1, memory_order_relaxed);
	return true;
}

/* The owner replaces the array by @a, which has twice the size. */
static inline void chase_lev_grow(struct chase_lev *d, struct chase_lev_array *a)
{
	struct chase_lev_array *old = atomic_load_explicit(&d->grown, memory_order_relaxed);
	size_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed);
	size_t t = atomic_load_explicit(&d->top, memory_order_relaxed);
	void *task;

	for (; t != b; t++) {
		task = atomic_load_explicit(&old->slots[t & old->mask], memory_order_relaxed);
		atomic_store_explicit(&a->slots[t & a->mask], task, memory_order_relaxed);
	}
	a->older = old;
	atomic_store_explicit(&d->grown, a, memory_order_release);
}

static inline __attribute__((always_inline))
void *chase_lev_get(struct chase_lev *d, bool grows)
{
	size_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
	struct chase_lev_array *a = &d->array;
	void *task = NULL;
	ptrdiff_t left;
	size_t t;

	if (grows)
		a = atomic_load_explicit(&d->grown, memory_order_relaxed);
	atomic_store_explicit(&d->bottom, b, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	t = atomic_load_explicit(&d->top, memory_order_relaxed);
	left = (ptrdiff_t)(b - t);

	if (left >= 0) {
		task = atomic_load_explicit(&a->slots[b & a->mask],
					    memory_order_relaxed);
		if (__builtin_expect(left > 0, 1))
			return task;
		/* The last one: thieves want it, too. */
		if (!atomic_compare_exchange_strong_explicit(&d->top, &t, t + 1,
							     memory_order_seq_cst,
							     memory_order_relaxed))
			task = NULL;
	}
	atomic_store_explicit(&d->bottom, b + 1, memory_order_relaxed);
	return task;
}

/* One attempt. Return false if there was nothing, or another party was faster. */
static inline __attribute__((always_inline))
bool chase_lev_steal(struct chase_lev *d, void **taken, bool grows)
{
	size_t t = atomic_load_explicit(&d->top, memory_order_acquire);
	struct chase_lev_array *a = &d->array;
	size_t b;

	atomic_thread_fence(memory_order_seq_cst);
	b = atomic_load_explicit(&d->bottom, memory_order_acquire);
	if ((ptrdiff_t)(b - t) <= 0)
		return false;
	if (grows)
		a = atomic_load_explicit(&d->grown, memory_order_acquire);
	*taken = atomic_load_explicit(&a->slots[t & a->mask],
				      memory_order_relaxed);
	return atomic_compare_exchange_strong_explicit(&d->top, &t, t + 1,
						       memory_order_seq_cst,
						       memory_order_relaxed);
}

/* On another CPU than the owner's a hint. */
static inline size_t chase_lev_size(struct chase_lev *d)
{
	size_t t = atomic_load_explicit(&d->top, memory_order_relaxed);
	size_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed);

	return (ptrdiff_t)(b - t) > 0 ? b - t : 0;
}

#endif /* _WSQ_BENCH_CHASE_LEV_H */
