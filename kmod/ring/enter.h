/* SPDX-License-Identifier: GPL-2.0 */
/* The ENTER ioctl, see enter.c. */
#ifndef _WSQ_RING_ENTER_H
#define _WSQ_RING_ENTER_H

struct wsq_enter;
struct wsq_ring;

int wsq_ring_enter(struct wsq_ring *ring, struct wsq_enter *e);

#endif /* _WSQ_RING_ENTER_H */
