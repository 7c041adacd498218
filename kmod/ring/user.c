// SPDX-License-Identifier: GPL-2.0
/*
 * Users of rings, and their queues.
 *
 * All rings of a user feed one queue. Workers serve the queues of users in turn
 * (exec/tenant.h), so the tasks of one user do not wait for the backlog of
 * another.
 *
 * The user of a ring is meant to be a person. It is found by the credentials of
 * the caller of SETUP:
 *
 * - In the initial user namespace it is the real uid.
 * - In any other the outermost of the namespaces counts, because it gives its
 *   owner as many uids as the owner likes: the user is that owner.
 * - If root has made the outermost namespace, it is a container of a manager
 *   that serves many. Then the user is that namespace.
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
 * user namespace: a process can pass a file to processes of other users. The
 * opener of a file is a user, too, by its credentials. It is checked when a
 * user gets its first ring, and counts until that user has none. A user does
 * not count for itself.
 *
 * Cost: a spinlock for SETUP, close and QUERY, a queue for each user; nothing
 * for tasks. Limitations: a set-user-ID program that makes user namespaces as
 * root for its callers gives each of them a queue, up to max_user_rings for a
 * uid. The limits are those of the uid all the same (limits.c). A user's queue,
 * and its object for fork and join (ops_algo.c), are not charged to a memory
 * cgroup; their size depends on the number of CPUs, not on what the user does.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hash.h>
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
#include "queues.h"
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
static DEFINE_SPINLOCK(wsq_users_lock);
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
 * wsq_user_key_of() - which user these credentials are
 * @cred: the credentials
 *
 * Context: any.
 * Return: the key, without a reference on its namespace.
 */
struct wsq_user_key wsq_user_key_of(const struct cred *cred)
{
	struct user_namespace *ns = cred->user_ns;
	struct wsq_user_key key = { .uid = INVALID_UID };

	if (ns == &init_user_ns)
		return wsq_user_key_uid(cred->uid);
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
		return wsq_user_key_uid(ns->owner);
	key.ns = ns;
	return key;
}

/**
 * wsq_user_key_uid() - the user that a uid is in the initial user namespace
 * @uid: the uid
 *
 * Context: any.
 * Return: the key.
 */
struct wsq_user_key wsq_user_key_uid(kuid_t uid)
{
	struct wsq_user_key key = { .uid = uid };

	return key;
}

/* Hold the key's namespace. */
void wsq_user_key_get(const struct wsq_user_key *key)
{
	if (key->ns)
		get_user_ns(key->ns);
}

void wsq_user_key_put(const struct wsq_user_key *key)
{
	if (key->ns)
		put_user_ns(key->ns);
}

bool wsq_user_same(const struct wsq_user_key *a, const struct wsq_user_key *b)
{
	return uid_eq(a->uid, b->uid) && a->ns == b->ns;
}

u32 wsq_user_hash(const struct wsq_user_key *key)
{
	return key->ns ? hash_ptr(key->ns, 32) : __kuid_val(key->uid);
}

/* The user of that key, or NULL. The caller holds wsq_users_lock. */
static struct wsq_user *wsq_user_find(const struct wsq_user_key *key)
{
	struct wsq_user *user;

	lockdep_assert_held(&wsq_users_lock);
	hash_for_each_possible(wsq_users, user, node, wsq_user_hash(key))
		if (wsq_user_same(&user->key, key))
			return user;
	return NULL;
}

/* Has the opener of @new as many users as it may have? */
static bool wsq_opener_full(const struct wsq_user *new)
{
	const struct wsq_user *user;
	unsigned int nr = 0, bkt;

	if (wsq_user_same(&new->opener, &new->key))
		return false;
	hash_for_each(wsq_users, bkt, user, node)
		nr += wsq_user_same(&user->opener, &new->opener) &&
		      !wsq_user_same(&user->opener, &user->key);
	return nr >= READ_ONCE(wsq_max_opener_users);
}

/*
 * Take a reference on the user with the key of @new, or on @new if there is
 * none. ERR_PTR(): %-ENOSPC if there are too many users; %-EAGAIN if there are,
 * but some are being destroyed; %-EDQUOT if the opener has too many and is not
 * @exempt.
 */
static struct wsq_user *wsq_user_try_get(struct wsq_user *new, bool exempt)
{
	struct wsq_user *user;

	spin_lock(&wsq_users_lock);
	user = wsq_user_find(&new->key);
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
		hash_add(wsq_users, &user->node, wsq_user_hash(&user->key));
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

static void wsq_user_free(struct wsq_user *user)
{
	wsq_user_key_put(&user->key);
	wsq_user_key_put(&user->opener);
	kfree(user);
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
	struct wsq_user_key key = wsq_user_key_of(current_cred());
	struct wsq_user *user, *new;

	/* Do not charge an existing user for a struct that it does not need. */
	spin_lock(&wsq_users_lock);
	user = wsq_user_find(&key);
	if (user)
		user->refs++;
	spin_unlock(&wsq_users_lock);
	if (user)
		return user;

	new = kzalloc(sizeof(*new), WSQ_GFP);
	if (!new)
		return ERR_PTR(-ENOMEM);
	new->key = key;
	wsq_user_key_get(&new->key);
	new->opener = wsq_user_key_of(ring->cred);
	wsq_user_key_get(&new->opener);
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
		wsq_user_free(new);
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
	wsq_user_free(user);
	spin_lock(&wsq_users_lock);
	wsq_nr_users--;
	wsq_nr_going--;
	spin_unlock(&wsq_users_lock);
	wake_up_all(&wsq_users_gone);
}

/* Small blocks: idle CPUs soon reach what one process submits at once. */
static struct wsq *wsq_user_queue(const struct wsq_user_key *key)
{
	static const struct wsq_attrs attrs = {
		.blocks = 64,
		.block_size = 16,
	};
	char name[24];

	if (key->ns)
		snprintf(name, sizeof(name), "ring:ns:%u", key->ns->ns.inum);
	else
		snprintf(name, sizeof(name), "ring:%u", __kuid_val(key->uid));
	return wsq_rings_create(&attrs, name);
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
		q = wsq_user_queue(&user->key);
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
