/* SPDX-License-Identifier: GPL-2.0 */
/* The CANCEL ioctl, see cancel.c. */
#ifndef _WSQ_RING_CANCEL_H
#define _WSQ_RING_CANCEL_H

struct wsq_cancel;
struct wsq_ring;

int wsq_ring_cancel(struct wsq_ring *ring, struct wsq_cancel *c);

#endif /* _WSQ_RING_CANCEL_H */
