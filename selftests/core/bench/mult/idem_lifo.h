/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Idempotent work stealing, LIFO: M. Michael, M. Vechev, V. Saraswat,
 * "Idempotent work stealing" (PPoPP 2009). Written here from the published
 * algorithm.
 *
 * A task comes out at least once, as often as in idem_fifo.h. Number of tasks
 * and a tag are in one word, the anchor. The owner stores it, thieves
 * compare-and-exchange it. Each put changes the tag, so that a thief notices
 * that the task which it has read was replaced.
 *
 * For: the experiments of run. Cost: put: two loads, two stores, the second a
 * release. Get: three loads, a store-release. Steal: two load-acquires, a load,
 * a compare-and-exchange.
 *
 * Limitations: 2^32 tasks at a time; the tag has 32 bits, and a thief that stops
 * for exactly so many puts does not notice them.
 */
#ifndef _WSQ_BENCH_MULT_IDEM_LIFO_H
#define _WSQ_BENCH_MULT_IDEM_LIFO_H

#include "array.h"
#include "status.h"

/**
 * struct idem_lifo - a queue
 * @anchor: tag in the upper half, number of tasks in the lower. Any party
 * @array: the tasks. Owner
 */
struct idem_lifo {
	atomic64_t anchor WSQ_CACHE_ALIGNED;
	wsq_slot_t array WSQ_CACHE_ALIGNED;
};

static inline void idem_lifo_init(struct idem_lifo *q, u64 size)
{
	atomic64_set(&q->anchor, 0);
	wsq_slot_write(&q->array, ring_array_new(size, NULL));
}

static inline void idem_lifo_exit(struct idem_lifo *q)
{
	ring_array_free((struct ring_array *)wsq_slot_peek(&q->array));
}

static __always_inline void idem_lifo_put(struct idem_lifo *q, void *task)
{
	u64 anchor = (u64)atomic64_read(&q->anchor), t = (u32)anchor;
	struct ring_array *a = (struct ring_array *)wsq_slot_peek(&q->array);

	if (unlikely(t > a->mask)) {
		a = ring_array_double(a, 0, t);
		wsq_slot_publish(&q->array, a);
	}
	wsq_slot_write(ring_array_slot(a, t), task);
	atomic64_set_release(&q->anchor, (s64)(anchor + (1ULL << 32) + 1));
}

static __always_inline void *idem_lifo_get(struct idem_lifo *q)
{
	u64 anchor = (u64)atomic64_read(&q->anchor), t = (u32)anchor;
	void *task;

	if (!t)
		return NULL;
	task = wsq_slot_peek(ring_array_slot((struct ring_array *)wsq_slot_peek(&q->array), t - 1));
	/* A thief that sees this may rely on the puts that preceded it. */
	atomic64_set_release(&q->anchor, (s64)(anchor - 1));
	return task;
}

/* One attempt: WSQ_OK, WSQ_EMPTY or WSQ_CONFLICT. */
static __always_inline int idem_lifo_steal(struct idem_lifo *q, void **taken)
{
	u64 anchor = (u64)atomic64_read_acquire(&q->anchor), t = (u32)anchor;
	struct ring_array *a;
	void *task;

	if (!t)
		return WSQ_EMPTY;
	a = (struct ring_array *)wsq_slot_acquire(&q->array);
	task = wsq_slot_read(ring_array_slot(a, t - 1));
	if (atomic64_cmpxchg(&q->anchor, (s64)anchor, (s64)(anchor - 1)) != (s64)anchor)
		return WSQ_CONFLICT;
	*taken = task;
	return WSQ_OK;
}

static inline bool idem_lifo_waiting(struct idem_lifo *q)
{
	return (u32)atomic64_read(&q->anchor);
}

#endif /* _WSQ_BENCH_MULT_IDEM_LIFO_H */
