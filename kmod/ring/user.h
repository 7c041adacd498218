/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Users of rings: each has a queue of its own (user.c), and limits (limits.c).
 */
#ifndef _WSQ_RING_USER_H
#define _WSQ_RING_USER_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "ops.h"

struct cred;
struct user_namespace;
struct wsq;
struct wsq_ring;

/**
 * struct wsq_user_key - which user: a uid, or a user namespace
 * @uid: the uid; invalid if it is a namespace
 * @ns: the namespace, or %NULL
 */
struct wsq_user_key {
	kuid_t uid;
	struct user_namespace *ns;
};

/**
 * struct wsq_user - a user that has rings
 * @node: in the table of users. Under wsq_users_lock
 * @key: the user. Constant
 * @opener: the user that opened the file of its first ring. Constant
 * @refs: rings, and callers of SETUP. Under wsq_users_lock
 * @queue_lock: serializes the creation of @queue and @conts
 * @queue: runs the tasks of all rings of the user; %NULL until the first SETUP
 *	has created it. Written under @queue_lock; constant while there is a
 *	ring
 * @conts: state of tasks that have begun and left their worker
 * @fj: how its tasks fork and join
 */
struct wsq_user {
	struct hlist_node node;
	struct wsq_user_key key;
	struct wsq_user_key opener;
	unsigned long refs;
	struct mutex queue_lock;	/* making @queue and @conts */
	struct wsq *queue;
	struct wsq_conts conts;
	struct wsq_op_fj fj;
};

struct wsq_user_key wsq_user_key_of(const struct cred *cred);
struct wsq_user_key wsq_user_key_uid(kuid_t uid);
void wsq_user_key_get(const struct wsq_user_key *key);
void wsq_user_key_put(const struct wsq_user_key *key);
bool wsq_user_same(const struct wsq_user_key *a, const struct wsq_user_key *b);
u32 wsq_user_hash(const struct wsq_user_key *key);
u64 wsq_user_bytes(void);
struct wsq_user *wsq_user_get(const struct wsq_ring *ring);
void wsq_user_put(struct wsq_user *user);
int wsq_user_start(struct wsq_user *user);

#endif /* _WSQ_RING_USER_H */
