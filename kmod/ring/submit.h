/* SPDX-License-Identifier: GPL-2.0 */
/* Entries become requests, see submit.c. */
#ifndef _WSQ_RING_SUBMIT_H
#define _WSQ_RING_SUBMIT_H

#include <linux/types.h>

struct wsq_ring;

int wsq_ring_take(struct wsq_ring *ring, u32 max, u32 *taken);

#endif /* _WSQ_RING_SUBMIT_H */
