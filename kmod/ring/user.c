// SPDX-License-Identifier: GPL-2.0
/*
 * Users of rings, and their queues.
 *
 * The user of a ring is the caller of its SETUP, by the real uid outside of all user
 * namespaces. All rings of a user feed one queue. Workers serve the queues of users
 * in turn (exec/tenant.h), so the tasks of one user do not wait for the backlog of
 * another.
 *
 * A user's queue is made by the user's first SETUP. It is destroyed when the
 * last ring has been freed, which held the last reference on the user. No
 * request is left by then, so destroying the queue waits for no task, only for
 * workers that are about to leave the function of one. A SETUP that comes
 * meanwhile does not find the user any more, and makes a new struct wsq_user.
 *
 * Queues are few, and in-kernel users need them as well. So not more than
 * max_users users can have rings at a time, and never more than there are
 * numbers for their queues (WSQ_FIRST_TENANT), one of which the closing queue
 * has.
 *
 * Cost: a spinlock for SETUP, close and QUERY, a queue for each user; nothing for
 * tasks.
 * Limitations: a user's queue is not charged to a memory cgroup; what it takes follows
 * from the number of CPUs, not from what the user does.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wsq.h>

#include "../exec/tenant.h"
#include "ring.h"
#include "user.h"

static unsigned int wsq_max_users = 1024;
module_param_named(max_users, wsq_max_users, uint, 0644);
MODULE_PARM_DESC(max_users, "users that may have rings at a time");

/* Protects the table, and the members of struct wsq_user that name it. */
DEFINE_SPINLOCK(wsq_users_lock);
static DEFINE_HASHTABLE(wsq_users, 8);
static unsigned int wsq_nr_users;

/**
 * wsq_user_bytes() - memory of a user, at most
 *
 * Context: any.
 * Return: bytes.
 */
u64 wsq_user_bytes(void)
{
	return roundup_pow_of_two(sizeof(struct wsq_user)) + wsq_conts_bytes();
}

/**
 * wsq_user_find() - look a user up
 * @uid: the user
 *
 * Context: any, under wsq_users_lock.
 * Return: the user, or %NULL.
 */
struct wsq_user *wsq_user_find(kuid_t uid)
{
	struct wsq_user *user;

	lockdep_assert_held(&wsq_users_lock);
	hash_for_each_possible(wsq_users, user, node, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/**
 * wsq_user_get() - find or make a user, and take a reference
 * @uid: the user
 *
 * Context: task; may sleep.
 * Return: the user; ERR_PTR(): %-ENOMEM, %-ENOSPC if there are too many users.
 */
struct wsq_user *wsq_user_get(kuid_t uid)
{
	struct wsq_user *user, *new;

	/* SETUP is rare enough to allocate one that may not be needed. */
	new = kzalloc(sizeof(*new), WSQ_GFP);
	if (!new)
		return ERR_PTR(-ENOMEM);
	new->uid = uid;
	init_waitqueue_head(&new->left);
	mutex_init(&new->queue_lock);
	wsq_conts_init(&new->conts);

	spin_lock(&wsq_users_lock);
	user = wsq_user_find(uid);
	if (user) {
		user->refs++;
	} else if (wsq_nr_users >= READ_ONCE(wsq_max_users)) {
		user = ERR_PTR(-ENOSPC);
	} else {
		user = new;
		new = NULL;
		user->refs = 1;
		wsq_nr_users++;
		hash_add(wsq_users, &user->node, __kuid_val(uid));
	}
	spin_unlock(&wsq_users_lock);
	kfree(new);
	return user;
}

/**
 * wsq_user_put() - drop a reference on a user
 * @user: the user; may be freed on return
 *
 * Context: task; may sleep. Not from an item of the user's queue.
 */
void wsq_user_put(struct wsq_user *user)
{
	bool last;

	spin_lock(&wsq_users_lock);
	last = !--user->refs;
	if (last) {
		hash_del(&user->node);
		wsq_nr_users--;
	}
	spin_unlock(&wsq_users_lock);
	if (!last)
		return;
	wsq_destroy(user->queue);
	wsq_conts_exit(&user->conts);
	kfree(user);
}

/* Small blocks: idle CPUs soon reach what one process submits at once. */
static struct wsq *wsq_user_queue(kuid_t uid)
{
	static const struct wsq_attrs attrs = {
		.blocks = 64,
		.block_size = 16,
	};
	char name[24];

	snprintf(name, sizeof(name), "ring:%u", __kuid_val(uid));
	return wsq_tenant_create(&attrs, name);
}

/**
 * wsq_user_start() - make what the tasks of a user need
 * @user: of wsq_user_get()
 *
 * What was made stays until the last reference is dropped.
 *
 * Context: task; may sleep.
 * Return: 0; %-ENOMEM, %-ENOSPC, as wsq_create(); %-EINTR if the process was killed.
 */
int wsq_user_start(struct wsq_user *user)
{
	struct wsq *q;
	int ret;

	if (mutex_lock_killable(&user->queue_lock))
		return -EINTR;
	ret = wsq_conts_make(&user->conts);
	if (!ret && !user->queue) {
		q = wsq_user_queue(user->uid);
		if (IS_ERR(q))
			ret = PTR_ERR(q);
		else
			user->queue = q;
	}
	mutex_unlock(&user->queue_lock);
	return ret;
}
