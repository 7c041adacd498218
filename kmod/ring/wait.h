/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for completion entries, see wait.c. */
#ifndef _WSQ_RING_WAIT_H
#define _WSQ_RING_WAIT_H

#include <linux/poll.h>
#include <linux/rbtree.h>
#include <linux/types.h>

struct task_struct;
struct wsq_ring;

/**
 * struct wsq_ring_waiter - a thread that sleeps in ENTER
 * @node: in struct wsq_ring.waiters; empty if nothing wakes it. Under
 *	struct wsq_ring.wait_lock
 * @task: the thread
 * @n: woken by this completion or a later one. Under the same lock
 */
struct wsq_ring_waiter {
	struct rb_node node;
	struct task_struct *task;
	u64 n;
};

u64 wsq_ring_published(struct wsq_ring *ring, u64 limit);
void wsq_waiter_arm(struct wsq_ring *ring, struct wsq_ring_waiter *w, u64 n);
void wsq_waiter_disarm(struct wsq_ring *ring, struct wsq_ring_waiter *w);
int wsq_ring_wait(struct wsq_ring *ring, u64 target, u64 *timeout_ns);
void wsq_ring_wake(struct wsq_ring *ring, u64 n);
__poll_t wsq_ring_poll(struct wsq_ring *ring);

#endif /* _WSQ_RING_WAIT_H */
