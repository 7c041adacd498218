/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pollers: threads that take the entries of rings, so that processes make no
 * system calls. poller.c explains them, ring.h has the pairs of the barriers.
 */
#ifndef _WSQ_RING_POLLER_H
#define _WSQ_RING_POLLER_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

struct seq_file;
struct task_struct;
struct user_namespace;
struct wsq_ring;
struct wsq_setup;

/* Rings of one poller at most: a round takes its lock for each. */
#define WSQ_POLLER_RINGS	256U

#define WSQ_POLLER_IDLE_US	1000U
#define WSQ_POLLER_IDLE_US_MAX	USEC_PER_SEC

/**
 * struct wsq_poller - a thread that takes entries
 *
 * Constant:
 * @task: the thread
 * @uid: euid of the creator
 * @ns: user namespace of the creator, with a reference
 * @idle_limit_ns: how long it polls in vain before it sleeps
 * @end_work: ends it, in process context
 *
 * @list: in wsq_pollers, under wsq_pollers_lock
 * @kicked: it must not sleep, [PK]
 *
 * @lock: protects this group
 * @rings: struct wsq_ring.poll_link; the next ring to look at is first
 * @nr: rings that have joined. Read as a hint, too. At 0 the poller ends
 * @resting: it sleeps, or is about to, and its rings' flags say so, [PL]
 *
 * Written by the thread, read by others:
 * @taken: entries
 * @busy_ns: time of rounds that took entries, in ns. Includes time that it
 *	waited for a CPU
 * @idle_ns: time of rounds that took none, likewise
 * @sleeps: number of times that it slept
 */
struct wsq_poller {
	struct task_struct *task;
	kuid_t uid;
	struct user_namespace *ns;
	u64 idle_limit_ns;
	struct work_struct end_work;
	struct list_head list;

	atomic_t kicked ____cacheline_aligned;

	spinlock_t lock ____cacheline_aligned;	/* its rings */
	struct list_head rings;
	unsigned int nr;
	bool resting;

	u64 taken ____cacheline_aligned;
	u64 busy_ns;
	u64 idle_ns;
	u64 sleeps;
};

extern struct mutex wsq_pollers_lock;
extern struct list_head wsq_pollers;

u64 wsq_poller_round(struct wsq_poller *p);
int wsq_poller_check(const struct wsq_setup *s);
int wsq_poller_join(struct wsq_ring *ring, const struct wsq_setup *s,
		    struct wsq_ring *other);
void wsq_poller_attach(struct wsq_ring *ring);
void wsq_poller_unjoin(struct wsq_ring *ring);
void wsq_poller_leave(struct wsq_ring *ring);
void wsq_poller_kick(struct wsq_ring *ring);
void wsq_poller_fdinfo(struct seq_file *m, const struct wsq_ring *ring);
u32 wsq_poller_count(void);

#endif /* _WSQ_RING_POLLER_H */
