// SPDX-License-Identifier: GPL-2.0
/*
 * Users of rings, and their queues.
 *
 * The user of a ring is the caller of its SETUP, by the real uid in the initial
 * user namespace. All rings of a user feed one queue. Workers serve the queues
 * of users in turn (exec/tenant.h), so the tasks of one user do not wait for
 * the backlog of another.
 *
 * The first SETUP of a user creates its queue. The queue is destroyed when the
 * last ring has been freed, which held the last reference on the user. No
 * request is left by then, so destroying the queue waits for no task, only for
 * workers that are about to return from one. A SETUP in the meantime does not
 * find the user any more, and creates a new struct wsq_user.
 *
 * Queues for users are few (WSQ_MAX_TENANTS), so at most max_users users can
 * have rings at a time. At most max_opener_users of them can have got there by
 * files of one opener, unless the opener has CAP_SYS_RESOURCE in the initial
 * user namespace. Otherwise one person could take all of them: a process can
 * pass a file to processes of other uids, and a user namespace gives it as many
 * uids as it likes. The opener of a file is its real uid; or, for an opener in
 * a user namespace, the owner of the outermost one. The opener is checked when
 * a user gets its first ring, and counts until that user has none. A user does
 * not count for itself.
 *
 * Cost: a spinlock for SETUP, close and QUERY, a queue for each user; nothing
 * for tasks.
 * Limitations: a user's queue, and its object for fork and join (ops_algo.c),
 * are not charged to a memory cgroup; their size depends on the number of CPUs,
 * not on what the user does.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>
#include <linux/wsq.h>

#include "../exec/tenant.h"
#include "mem.h"
#include "ops.h"
#include "restrict.h"
#include "ring.h"
#include "user.h"

/* One queue is the closing queue. */
#define WSQ_MAX_USERS		(WSQ_MAX_TENANTS - 1)

static unsigned int wsq_max_users = WSQ_MAX_USERS;

static int wsq_max_users_set(const char *val, const struct kernel_param *kp)
{
	unsigned int n;
	int ret = kstrtouint(val, 0, &n);

	if (ret)
		return ret;
	if (n > WSQ_MAX_USERS)
		return -EINVAL;
	WRITE_ONCE(wsq_max_users, n);
	return 0;
}

static const struct kernel_param_ops wsq_max_users_ops = {
	.set = wsq_max_users_set,
	.get = param_get_uint,
};

module_param_cb(max_users, &wsq_max_users_ops, &wsq_max_users, 0644);
MODULE_PARM_DESC(max_users, "users that may have rings at a time, 0 to 511");
__MODULE_PARM_TYPE(max_users, "uint");

static unsigned int wsq_max_opener_users = 64;
module_param_named(max_opener_users, wsq_max_opener_users, uint, 0644);
MODULE_PARM_DESC(max_opener_users, "users that may have rings by files of one opener");

/* Protects the table, and the members of struct wsq_user that name it. */
DEFINE_SPINLOCK(wsq_users_lock);
static DEFINE_HASHTABLE(wsq_users, 8);
/* Users with a queue; of these, those that are no longer in the table. */
static unsigned int wsq_nr_users;
static unsigned int wsq_nr_going;
/* Callers of SETUP that wait until a user of wsq_nr_going is freed. */
static DECLARE_WAIT_QUEUE_HEAD(wsq_users_gone);

/**
 * wsq_user_bytes() - memory of a user, an upper bound
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

/* The user that counts as opener of a file, by the opener's credentials. */
static kuid_t wsq_opener(const struct cred *cred)
{
	const struct user_namespace *ns = cred->user_ns;
	kuid_t uid = cred->uid;

	for (; ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

/* Has the opener of @new as many users as it may have? */
static bool wsq_opener_full(const struct wsq_user *new)
{
	const struct wsq_user *user;
	unsigned int nr = 0, bkt;

	if (uid_eq(new->opener, new->uid))
		return false;
	hash_for_each(wsq_users, bkt, user, node)
		nr += uid_eq(user->opener, new->opener) &&
		      !uid_eq(user->opener, user->uid);
	return nr >= READ_ONCE(wsq_max_opener_users);
}

/*
 * Take a reference on the user with the uid of @new, or on @new if there is
 * none. ERR_PTR(): %-ENOSPC if there are too many users; %-EAGAIN if there are,
 * but some are being destroyed; %-EDQUOT if the opener has too many and is not
 * @exempt.
 */
static struct wsq_user *wsq_user_try_get(struct wsq_user *new, bool exempt)
{
	struct wsq_user *user;

	spin_lock(&wsq_users_lock);
	user = wsq_user_find(new->uid);
	if (user) {
		user->refs++;
	} else if (wsq_nr_users >= READ_ONCE(wsq_max_users)) {
		user = ERR_PTR(wsq_nr_going ? -EAGAIN : -ENOSPC);
	} else if (!exempt && wsq_opener_full(new)) {
		user = ERR_PTR(-EDQUOT);
	} else {
		user = new;
		user->refs = 1;
		wsq_nr_users++;
		hash_add(wsq_users, &user->node, __kuid_val(user->uid));
	}
	spin_unlock(&wsq_users_lock);
	return user;
}

/* As wsq_user_try_get(), but wait for users that are being destroyed. */
static struct wsq_user *wsq_user_wait_get(struct wsq_user *new, bool exempt)
{
	struct wsq_user *user;
	int ret;

	ret = wait_event_killable(wsq_users_gone,
				  (user = wsq_user_try_get(new, exempt)) !=
				  ERR_PTR(-EAGAIN));
	return ret ? ERR_PTR(-EINTR) : user;
}

/**
 * wsq_user_get() - take a reference on the calling user; create it if necessary
 * @ring: a ring for that user
 *
 * Context: task; may sleep.
 * Return: the user; ERR_PTR(): %-ENOMEM; %-ENOSPC if there are too many users,
 * or too many by files of one opener; %-EINTR if the process was killed.
 */
struct wsq_user *wsq_user_get(const struct wsq_ring *ring)
{
	struct wsq_user *user, *new;

	/* Do not charge an existing user for a struct that it does not need. */
	spin_lock(&wsq_users_lock);
	user = wsq_user_find(current_uid());
	if (user)
		user->refs++;
	spin_unlock(&wsq_users_lock);
	if (user)
		return user;

	new = kzalloc(sizeof(*new), WSQ_GFP);
	if (!new)
		return ERR_PTR(-ENOMEM);
	new->uid = current_uid();
	new->opener = wsq_opener(ring->cred);
	init_waitqueue_head(&new->left);
	mutex_init(&new->queue_lock);
	wsq_conts_init(&new->conts);

	user = wsq_user_wait_get(new, false);
	if (user == ERR_PTR(-EDQUOT)) {
		/* Only now: the check may be logged. */
		if (wsq_opener_capable(ring, CAP_SYS_RESOURCE))
			user = wsq_user_wait_get(new, true);
		else
			user = ERR_PTR(-ENOSPC);
	}
	if (user != new)
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
		wsq_nr_going++;
	}
	spin_unlock(&wsq_users_lock);
	if (!last)
		return;
	wsq_op_fj_exit(&user->fj);
	wsq_destroy(user->queue);
	wsq_conts_exit(&user->conts);
	kfree(user);
	spin_lock(&wsq_users_lock);
	wsq_nr_users--;
	wsq_nr_going--;
	spin_unlock(&wsq_users_lock);
	wake_up_all(&wsq_users_gone);
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
 * wsq_user_start() - allocate what the tasks of a user need
 * @user: of wsq_user_get()
 *
 * It is kept until the last reference is dropped.
 *
 * Context: task; may sleep.
 * Return: 0; %-ENOMEM, %-ENOSPC, as wsq_create(); %-EINTR if the process was
 * killed.
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
		if (IS_ERR(q)) {
			ret = PTR_ERR(q);
		} else {
			user->queue = q;
			user->fj.q = q;
		}
	}
	mutex_unlock(&user->queue_lock);
	return ret;
}
