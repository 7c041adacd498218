/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Idempotent work stealing, double-ended: M. Michael, M. Vechev, V. Saraswat,
 * "Idempotent work stealing" (PPoPP 2009). Written here from the published
 * algorithm. The owner puts and takes the newest, thieves take the oldest.
 *
 * A task comes out at least once, as often as in idem_fifo.h. Head, number of
 * tasks and a tag are in one word, the anchor, as in idem_lifo.h.
 *
 * For: the experiments of run. Cost: as idem_lifo.h.
 *
 * Limitations: fewer than 2^25 tasks at a time, since three numbers share a
 * word. So the tag has 14 bits, and a thief that stops for exactly so many puts,
 * or a multiple, may not notice them, and a task is lost. No module would use
 * this; the experiments have no thief that stops for so long.
 */
#ifndef _WSQ_BENCH_MULT_IDEM_DEQUE_H
#define _WSQ_BENCH_MULT_IDEM_DEQUE_H

#include "array.h"
#include "status.h"

#define IDEM_DEQUE_BITS		25
#define IDEM_DEQUE_MASK		((1ULL << IDEM_DEQUE_BITS) - 1)
#define IDEM_DEQUE_TAG		(1ULL << 2 * IDEM_DEQUE_BITS)

/**
 * struct idem_deque - a queue
 * @anchor: tag, head, number of tasks, from the highest bits. Any party
 * @array: the tasks. Owner
 */
struct idem_deque {
	atomic64_t anchor WSQ_CACHE_ALIGNED;
	wsq_slot_t array WSQ_CACHE_ALIGNED;
};

static inline void idem_deque_init(struct idem_deque *q, u64 size)
{
	atomic64_set(&q->anchor, 0);
	wsq_slot_write(&q->array, ring_array_new(size, NULL));
}

static inline void idem_deque_exit(struct idem_deque *q)
{
	ring_array_free((struct ring_array *)wsq_slot_peek(&q->array));
}

static __always_inline u64 idem_deque_head(u64 anchor)
{
	return anchor >> IDEM_DEQUE_BITS & IDEM_DEQUE_MASK;
}

static __always_inline void idem_deque_put(struct idem_deque *q, void *task)
{
	u64 anchor = (u64)atomic64_read(&q->anchor);
	u64 h = idem_deque_head(anchor), s = anchor & IDEM_DEQUE_MASK;
	struct ring_array *a = (struct ring_array *)wsq_slot_peek(&q->array);

	if (unlikely(s > a->mask)) {
		a = ring_array_double(a, h, h + s);
		wsq_slot_publish(&q->array, a);
	}
	wsq_slot_write(ring_array_slot(a, h + s), task);
	atomic64_set_release(&q->anchor, (s64)(anchor + IDEM_DEQUE_TAG + 1));
}

static __always_inline void *idem_deque_get(struct idem_deque *q)
{
	u64 anchor = (u64)atomic64_read(&q->anchor);
	u64 h = idem_deque_head(anchor), s = anchor & IDEM_DEQUE_MASK;
	void *task;

	if (!s)
		return NULL;
	task = wsq_slot_peek(ring_array_slot((struct ring_array *)wsq_slot_peek(&q->array),
					     h + s - 1));
	/* As in idem_lifo_get(). */
	atomic64_set_release(&q->anchor, (s64)(anchor - 1));
	return task;
}

/* One attempt: WSQ_OK, WSQ_EMPTY or WSQ_CONFLICT. */
static __always_inline int idem_deque_steal(struct idem_deque *q, void **taken)
{
	u64 anchor = (u64)atomic64_read_acquire(&q->anchor);
	u64 h = idem_deque_head(anchor), to;
	struct ring_array *a;
	void *task;

	if (!(anchor & IDEM_DEQUE_MASK))
		return WSQ_EMPTY;
	a = (struct ring_array *)wsq_slot_acquire(&q->array);
	task = wsq_slot_read(ring_array_slot(a, h));
	/* The head is an index, so that it remains small. */
	to = anchor - 1 - (h << IDEM_DEQUE_BITS) + (((h + 1) & a->mask) << IDEM_DEQUE_BITS);
	if (atomic64_cmpxchg(&q->anchor, (s64)anchor, (s64)to) != (s64)anchor)
		return WSQ_CONFLICT;
	*taken = task;
	return WSQ_OK;
}

static inline bool idem_deque_waiting(struct idem_deque *q)
{
	return (u64)atomic64_read(&q->anchor) & IDEM_DEQUE_MASK;
}

#endif /* _WSQ_BENCH_MULT_IDEM_DEQUE_H */
