// SPDX-License-Identifier: GPL-2.0
/*
 * Work stealing with multiplicity, the part outside the fast path. The argument,
 * the labels and the pairs are in ws_mult.h.
 */
#include "ws_mult.h"

/**
 * wsq_ws_mult_open() - begin a block: empty its slots
 * @q: the queue
 * @t: number of the block's first task, which is put next
 *
 * Context: any, NMI included; the producer. Takes time proportional to the block
 * size.
 * Return: %WSQ_PUBLISHED; %WSQ_FULL as wsq_ws_mult_put().
 */
int wsq_ws_mult_open(struct wsq_ws_mult *q, u64 t)
{
	atomic64_t *base = wsq_ws_mult_base(q, t);
	/* The tasks that are there were put that many numbers ago. */
	u64 oldest = t - q->slot_mask - 1;

	if (wsq_local_read(&q->own) < oldest + q->block_mask + 1) /* WM(open:A) */
		return WSQ_FULL;
	/* Pairs with WM(steal:C). */
	atomic64_set_release(base, (s64)(t | WSQ_MULT_EMPTYING)); /* WM(open:C) */
	/* A thief that sees a slot changed sees @own beyond its task: WM(steal:E). */
	smp_wmb();						/* WM(open:D) */
	wsq_slots_reset(wsq_ws_mult_slot(q, t),
			(u32)q->block_mask + 1);		/* WM(open:E) */
	atomic64_set_release(base, (s64)t);			/* WM(open:B) */
	return WSQ_PUBLISHED;
}
