/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for completion entries, see wait.c. */
#ifndef _WSQ_RING_WAIT_H
#define _WSQ_RING_WAIT_H

#include <linux/poll.h>
#include <linux/types.h>

struct wsq_ring;

u64 wsq_ring_published(struct wsq_ring *ring, u64 limit);
int wsq_ring_wait(struct wsq_ring *ring, u64 target, u64 *timeout_ns);
void wsq_ring_wake(struct wsq_ring *ring, u64 n);
__poll_t wsq_ring_poll(struct wsq_ring *ring);

#endif /* _WSQ_RING_WAIT_H */
