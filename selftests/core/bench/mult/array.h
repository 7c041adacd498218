/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Circular arrays that grow, for the queues of other authors in this folder:
 * the owner replaces a full array by one of twice the size. The former ones stay
 * until the queue is destroyed, because a thief may still look into them.
 *
 * For: idem_fifo.h, idem_lifo.h, idem_deque.h, the.h.
 *
 * Limitations: user space only; a program without memory ends.
 */
#ifndef _WSQ_BENCH_MULT_ARRAY_H
#define _WSQ_BENCH_MULT_ARRAY_H

#include <stdio.h>
#include <stdlib.h>

#include <wsq_platform.h>

/**
 * struct ring_array - an array
 * @mask: slots - 1; a power of two of them. Constant
 * @older: the array that it has replaced. Owner
 * @slots: tasks. Owner
 */
struct ring_array {
	u64 mask;
	struct ring_array *older;
	wsq_slot_t slots[];
};

static inline struct ring_array *ring_array_new(u64 size, struct ring_array *older)
{
	struct ring_array *a = (struct ring_array *)malloc(sizeof(*a) + size * sizeof(a->slots[0]));

	if (!a) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	a->mask = size - 1;
	a->older = older;
	return a;
}

static inline void ring_array_free(struct ring_array *a)
{
	while (a) {
		struct ring_array *older = a->older;

		free(a);
		a = older;
	}
}

static __always_inline wsq_slot_t *ring_array_slot(struct ring_array *a, u64 n)
{
	return &a->slots[n & a->mask];
}

/* An array of twice the size, with tasks @first to @end - 1 of @a. */
static inline struct ring_array *ring_array_double(struct ring_array *a, u64 first, u64 end)
{
	struct ring_array *b = ring_array_new(2 * (a->mask + 1), a);

	for (; first != end; first++)
		wsq_slot_write(ring_array_slot(b, first), wsq_slot_peek(ring_array_slot(a, first)));
	return b;
}

#endif /* _WSQ_BENCH_MULT_ARRAY_H */
