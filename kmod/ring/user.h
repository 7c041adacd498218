/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Users of rings: each has a queue of its own, and limits (limits.c).
 */
#ifndef _WSQ_RING_USER_H
#define _WSQ_RING_USER_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include "ops.h"

struct wsq;
struct wsq_ring;

/**
 * struct wsq_user - a user that has rings
 * @node: in the table of users. Under wsq_users_lock
 * @uid: the user, a real uid. Constant
 * @opener: the user that opened the file of its first ring, see user.c.
 *	Constant
 * @refs: rings, and callers of SETUP. Under wsq_users_lock
 * @rings: rings that are charged. Under wsq_users_lock
 * @leaving: of these, those whose file is closed. Under wsq_users_lock
 * @gone: number of closed rings freed so far. Under wsq_users_lock
 * @tasks: completion entries of @rings. Under wsq_users_lock
 * @memory: bytes of @rings, and of the user itself while there are any. Under
 *	wsq_users_lock
 * @left: callers of SETUP that wait until one of @leaving is freed
 * @queue_lock: serializes the creation of @queue and @conts
 * @queue: runs the tasks of all rings of the user; %NULL until the first SETUP
 *	has created it. Written under @queue_lock; constant while there is a
 *	ring
 * @conts: state of tasks that have begun and left their worker
 * @fj: how its tasks fork and join
 */
struct wsq_user {
	struct hlist_node node;
	kuid_t uid;
	kuid_t opener;
	unsigned long refs;
	unsigned long rings;
	unsigned long leaving;
	u64 gone;
	u64 tasks;
	u64 memory;
	wait_queue_head_t left;
	struct mutex queue_lock;	/* making @queue and @conts */
	struct wsq *queue;
	struct wsq_conts conts;
	struct wsq_op_fj fj;
};

extern spinlock_t wsq_users_lock;

u64 wsq_user_bytes(void);
struct wsq_user *wsq_user_find(kuid_t uid);
struct wsq_user *wsq_user_get(const struct wsq_ring *ring);
void wsq_user_put(struct wsq_user *user);
int wsq_user_start(struct wsq_user *user);

#endif /* _WSQ_RING_USER_H */
