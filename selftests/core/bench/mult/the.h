/* SPDX-License-Identifier: GPL-2.0 */
/*
 * THE, the work stealing of Cilk: M. Frigo, C. Leiserson, K. Randall, "The
 * implementation of the Cilk-5 multithreaded language" (PLDI 1998), without its
 * exceptions. Written here from the published protocol. The owner puts and takes
 * at the tail, thieves take at the head.
 *
 * Each side announces by a store what it takes and then looks at the other side,
 * with a full barrier between the two. Thieves hold a lock; the owner takes the
 * lock only if the two sides have met. Each task comes out once.
 *
 * For: the experiments of run. Cost: put: three loads, two stores, the second a
 * release. Get: four loads, a store, a full barrier. Steal: a lock, a full
 * barrier.
 *
 * Limitations: the owner waits for a thief that stopped with the lock held. A
 * thief does not wait: it finds the queue in use.
 */
#ifndef _WSQ_BENCH_MULT_THE_H
#define _WSQ_BENCH_MULT_THE_H

#include <sched.h>

#include "array.h"
#include "status.h"

/**
 * struct the - a queue
 * @head: number of the oldest task. Holder of the lock
 * @lock: 1 while it is held. Any party
 * @tail: number of the next task. Owner
 * @array: the tasks. Owner, with the lock held
 */
struct the {
	atomic64_t head WSQ_CACHE_ALIGNED;
	atomic64_t lock;
	atomic64_t tail WSQ_CACHE_ALIGNED;
	wsq_slot_t array;
};

static inline void the_init(struct the *q, u64 size)
{
	atomic64_set(&q->head, 0);
	atomic64_set(&q->lock, 0);
	atomic64_set(&q->tail, 0);
	wsq_slot_write(&q->array, ring_array_new(size, NULL));
}

static inline void the_exit(struct the *q)
{
	ring_array_free((struct ring_array *)wsq_slot_peek(&q->array));
}

static inline void the_lock(struct the *q)
{
	while (atomic64_xchg(&q->lock, 1))
		sched_yield();
}

static inline void the_unlock(struct the *q)
{
	atomic64_set_release(&q->lock, 0);
}

static inline struct ring_array *the_grow(struct the *q, struct ring_array *a, u64 t)
{
	the_lock(q);
	a = ring_array_double(a, (u64)atomic64_read(&q->head), t);
	wsq_slot_publish(&q->array, a);
	the_unlock(q);
	return a;
}

static __always_inline void the_put(struct the *q, void *task)
{
	u64 t = (u64)atomic64_read(&q->tail);
	struct ring_array *a = (struct ring_array *)wsq_slot_peek(&q->array);

	/* A thief raises the head before it reads the task, hence the lock. */
	if (unlikely(t - (u64)atomic64_read(&q->head) + 1 > a->mask))
		a = the_grow(q, a, t);
	wsq_slot_write(ring_array_slot(a, t), task);
	atomic64_set_release(&q->tail, (s64)(t + 1));
}

static __always_inline void *the_get(struct the *q)
{
	u64 t = (u64)atomic64_read(&q->tail) - 1;

	atomic64_set(&q->tail, (s64)t);
	smp_mb();
	if (unlikely((s64)((u64)atomic64_read(&q->head) - t) > 0)) {
		/* Met a thief, or empty: which, is clear under the lock. */
		the_lock(q);
		if ((s64)((u64)atomic64_read(&q->head) - t) > 0) {
			atomic64_set(&q->tail, (s64)(t + 1));
			the_unlock(q);
			return NULL;
		}
		the_unlock(q);
	}
	return wsq_slot_peek(ring_array_slot((struct ring_array *)wsq_slot_peek(&q->array), t));
}

/* One attempt: WSQ_OK, WSQ_EMPTY or WSQ_CONFLICT. */
static __always_inline int the_steal(struct the *q, void **taken)
{
	u64 h = (u64)atomic64_read(&q->head);
	int ret = WSQ_EMPTY;

	/* Without the lock while there is nothing. */
	if ((s64)((u64)atomic64_read(&q->tail) - h) <= 0)
		return WSQ_EMPTY;
	if (atomic64_xchg(&q->lock, 1))
		return WSQ_CONFLICT;
	h = (u64)atomic64_read(&q->head);
	atomic64_set(&q->head, (s64)(h + 1));
	smp_mb();
	if ((s64)((u64)atomic64_read_acquire(&q->tail) - h) > 0) {
		*taken = wsq_slot_read(ring_array_slot((struct ring_array *)
						       wsq_slot_acquire(&q->array), h));
		ret = WSQ_OK;
	} else {
		atomic64_set(&q->head, (s64)h);
	}
	the_unlock(q);
	return ret;
}

static inline bool the_waiting(struct the *q)
{
	return (s64)(atomic64_read(&q->tail) - atomic64_read(&q->head)) > 0;
}

#endif /* _WSQ_BENCH_MULT_THE_H */
