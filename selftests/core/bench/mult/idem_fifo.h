/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Idempotent work stealing, FIFO: M. Michael, M. Vechev, V. Saraswat,
 * "Idempotent work stealing" (PPoPP 2009). Written here from the published
 * algorithm.
 *
 * A task comes out at least once. The owner takes it by a plain store of the
 * head, which undoes what thieves have taken between its load and its store: all
 * of that comes out again, from the same thief too, as often as that happens
 * (unit/idempotent.c). Thieves take by compare-and-exchange.
 *
 * For: the experiments of run. Cost: put: three loads, two stores, the second a
 * release. Get: four loads, a store. Steal: three load-acquires, a load, a
 * compare-and-exchange.
 */
#ifndef _WSQ_BENCH_MULT_IDEM_FIFO_H
#define _WSQ_BENCH_MULT_IDEM_FIFO_H

#include "array.h"
#include "status.h"

/**
 * struct idem_fifo - a queue
 * @head: number of the oldest task. Any party
 * @tail: number of the next task. Owner
 * @array: the tasks. Owner
 */
struct idem_fifo {
	atomic64_t head WSQ_CACHE_ALIGNED;
	atomic64_t tail WSQ_CACHE_ALIGNED;
	wsq_slot_t array;
};

static inline void idem_fifo_init(struct idem_fifo *q, u64 size)
{
	atomic64_set(&q->head, 0);
	atomic64_set(&q->tail, 0);
	wsq_slot_write(&q->array, ring_array_new(size, NULL));
}

static inline void idem_fifo_exit(struct idem_fifo *q)
{
	ring_array_free((struct ring_array *)wsq_slot_peek(&q->array));
}

static __always_inline void idem_fifo_put(struct idem_fifo *q, void *task)
{
	u64 h = (u64)atomic64_read(&q->head);
	u64 t = (u64)atomic64_read(&q->tail);
	struct ring_array *a = (struct ring_array *)wsq_slot_peek(&q->array);

	if (unlikely(t - h > a->mask)) {
		a = ring_array_double(a, h, t);
		wsq_slot_publish(&q->array, a);
	}
	wsq_slot_write(ring_array_slot(a, t), task);
	atomic64_set_release(&q->tail, (s64)(t + 1));
}

static __always_inline void *idem_fifo_get(struct idem_fifo *q)
{
	u64 h = (u64)atomic64_read(&q->head);
	u64 t = (u64)atomic64_read(&q->tail);
	void *task;

	if (h == t)
		return NULL;
	task = wsq_slot_peek(ring_array_slot((struct ring_array *)wsq_slot_peek(&q->array), h));
	atomic64_set(&q->head, (s64)(h + 1));
	return task;
}

/* One attempt: WSQ_OK, WSQ_EMPTY or WSQ_CONFLICT. */
static __always_inline int idem_fifo_steal(struct idem_fifo *q, void **taken)
{
	u64 h = (u64)atomic64_read_acquire(&q->head);
	u64 t = (u64)atomic64_read_acquire(&q->tail);
	void *task;

	if ((s64)(t - h) <= 0)
		return WSQ_EMPTY;
	task = wsq_slot_read(ring_array_slot((struct ring_array *)wsq_slot_acquire(&q->array), h));
	if (atomic64_cmpxchg(&q->head, (s64)h, (s64)(h + 1)) != (s64)h)
		return WSQ_CONFLICT;
	*taken = task;
	return WSQ_OK;
}

static inline bool idem_fifo_waiting(struct idem_fifo *q)
{
	return (s64)(atomic64_read(&q->tail) - atomic64_read(&q->head)) > 0;
}

#endif /* _WSQ_BENCH_MULT_IDEM_FIFO_H */
