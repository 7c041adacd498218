/* SPDX-License-Identifier: GPL-2.0 */
/* The queues that all rings share, see queues.c. */
#ifndef _WSQ_RING_QUEUES_H
#define _WSQ_RING_QUEUES_H

struct rcu_work;
struct work_struct;
struct wsq;
struct wsq_attrs;
struct wsq_ring;
struct wsq_work;

struct wsq *wsq_rings_create(const struct wsq_attrs *attrs, const char *name);
int wsq_closing_make(void);
struct wsq *wsq_closing_queue(void);
void wsq_closing_exit(void);
void wsq_ring_requeue(struct wsq_ring *ring, struct wsq_work *work);
void wsq_rings_queue(struct work_struct *work);
void wsq_rings_queue_rcu(struct rcu_work *work);
int wsq_rings_wq_init(void);
void wsq_rings_wq_exit(void);

#endif /* _WSQ_RING_QUEUES_H */
