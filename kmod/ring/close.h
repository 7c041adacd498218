/* SPDX-License-Identifier: GPL-2.0 */
/* The requests of a ring whose file is closed, see close.c. */
#ifndef _WSQ_RING_CLOSE_H
#define _WSQ_RING_CLOSE_H

struct wsq_ring;

void wsq_close_init(struct wsq_ring *ring);
void wsq_close_begin(struct wsq_ring *ring);

#endif /* _WSQ_RING_CLOSE_H */
