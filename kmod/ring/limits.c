// SPDX-License-Identifier: GPL-2.0
/*
 * What users may have: rings, tasks in flight, memory.
 *
 * A ring counts for the user who opened its file, that is the real uid as the kernel has
 * it, outside of all user namespaces, from SETUP until its memory is
 * free again. Its tasks in flight are never more than its completion entries, so it is
 * these that count, once and not for each task. CAP_SYS_RESOURCE of the opener,
 * in the first user namespace, exempts from the limits; it counts all the same.
 *
 * A ring is freed soon after its file is closed, not at once. Who is at his
 * limit and has closed one waits in SETUP until it has gone: so giving up a
 * ring and making another works, whatever the limits, those of memory cgroups
 * included.
 *
 * Cost: a spinlock for SETUP, close and QUERY; nothing for tasks.
 * Limitations: pages that somebody else holds (mem.c) outlive the ring, and count for
 * the memory cgroup alone then.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include "ring.h"

/* How long SETUP waits for rings that are on their way out. */
#define WSQ_LEAVE_WAIT		(10 * HZ)

static unsigned int wsq_max_user_rings = 256;
module_param_named(max_user_rings, wsq_max_user_rings, uint, 0644);
MODULE_PARM_DESC(max_user_rings, "rings that a user may have");

static unsigned int wsq_max_user_tasks = 1U << 20;
module_param_named(max_user_tasks, wsq_max_user_tasks, uint, 0644);
MODULE_PARM_DESC(max_user_tasks, "tasks in flight that a user may have: completion entries of all rings");

static unsigned long long wsq_max_user_memory = SZ_1G;
module_param_named(max_user_memory, wsq_max_user_memory, ullong, 0644);
MODULE_PARM_DESC(max_user_memory, "memory of all rings that a user may have, in bytes");

/**
 * struct wsq_user - a user who has rings
 * @node: in wsq_users
 * @uid: who it is. Constant.
 * @refs: rings, and callers of SETUP
 * @rings: rings that count
 * @leaving: of these, those whose file is gone
 * @gone: rings that are not among @leaving any more
 * @tasks: completion entries of @rings
 * @memory: bytes of @rings
 * @left: who waits in SETUP until one of @leaving has gone
 *
 * All but @left under wsq_users_lock.
 */
struct wsq_user {
	struct hlist_node node;
	kuid_t uid;
	unsigned long refs;
	unsigned long rings;
	unsigned long leaving;
	u64 gone;
	u64 tasks;
	u64 memory;
	wait_queue_head_t left;
};

static DEFINE_SPINLOCK(wsq_users_lock);
static DEFINE_HASHTABLE(wsq_users, 8);

static struct wsq_user *wsq_user_find(kuid_t uid)
{
	struct wsq_user *user;

	lockdep_assert_held(&wsq_users_lock);
	hash_for_each_possible(wsq_users, user, node, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/* With a reference for the caller; %NULL for want of memory. */
static struct wsq_user *wsq_user_get(kuid_t uid)
{
	struct wsq_user *user, *new;

	/* Rings come seldom enough to allocate one that may not be needed. */
	new = kzalloc(sizeof(*new), WSQ_GFP);
	if (!new)
		return NULL;
	new->uid = uid;
	init_waitqueue_head(&new->left);

	spin_lock(&wsq_users_lock);
	user = wsq_user_find(uid);
	if (!user) {
		user = new;
		new = NULL;
		hash_add(wsq_users, &user->node, __kuid_val(uid));
	}
	user->refs++;
	spin_unlock(&wsq_users_lock);
	kfree(new);
	return user;
}

static void wsq_user_put(struct wsq_user *user)
{
	bool last;

	spin_lock(&wsq_users_lock);
	last = !--user->refs;
	if (last)
		hash_del(&user->node);
	spin_unlock(&wsq_users_lock);
	if (last)
		kfree(user);
}

/* Is there room for one more? No sum of these overflows: it is all memory. */
static bool wsq_user_room(const struct wsq_user *user,
			  const struct wsq_sizes *s)
{
	return user->rings < READ_ONCE(wsq_max_user_rings) &&
	       user->tasks + s->cq_entries <= READ_ONCE(wsq_max_user_tasks) &&
	       user->memory + s->memory <= READ_ONCE(wsq_max_user_memory);
}

/* 0; %-EDQUOT; %-EAGAIN if rings are on their way out that may make room. */
static int wsq_user_try(struct wsq_user *user, const struct wsq_sizes *s,
			bool exempt)
{
	int ret = 0;

	spin_lock(&wsq_users_lock);
	if (exempt || wsq_user_room(user, s)) {
		user->rings++;
		user->tasks += s->cq_entries;
		user->memory += s->memory;
	} else {
		ret = user->leaving ? -EAGAIN : -EDQUOT;
	}
	spin_unlock(&wsq_users_lock);
	return ret;
}

static int wsq_user_charge(struct wsq_ring *ring, struct wsq_user *user,
			   const struct wsq_sizes *s)
{
	int ret = wsq_user_try(user, s, false);
	long left;

	if (!ret)
		return 0;
	/* Asked of those only who need it: the question may be logged. */
	if (wsq_opener_capable(ring, CAP_SYS_RESOURCE))
		return wsq_user_try(user, s, true);
	if (ret != -EAGAIN)
		return ret;
	left = wait_event_killable_timeout(user->left,
					   (ret = wsq_user_try(user, s, false)) !=
					   -EAGAIN, WSQ_LEAVE_WAIT);
	if (left < 0)
		return -EINTR;
	return ret == -EAGAIN ? -EDQUOT : ret;
}

/**
 * wsq_limits_bytes() - what limits take for a ring, at most
 *
 * Context: any.
 * Return: bytes.
 */
u64 wsq_limits_bytes(void)
{
	return roundup_pow_of_two(sizeof(struct wsq_user));
}

/**
 * wsq_limits_charge() - may the user of a ring have it
 * @ring: the ring, its lock held, not live
 * @s: how large it is to be
 *
 * Context: task; may sleep.
 * Return: 0, then wsq_limits_uncharge() is due at the end; %-EDQUOT; %-ENOMEM;
 * %-EINTR if the process was killed.
 */
int wsq_limits_charge(struct wsq_ring *ring, const struct wsq_sizes *s)
{
	struct wsq_user *user = wsq_user_get(ring->cred->uid);
	int ret;

	if (!user)
		return -ENOMEM;
	ret = wsq_user_charge(ring, user, s);
	if (ret)
		wsq_user_put(user);
	else
		ring->user = user;
	return ret;
}

/**
 * wsq_limits_uncharge() - the memory of a ring is free
 * @ring: the ring; nobody uses it
 * @s: as it was for wsq_limits_charge()
 *
 * Context: task.
 */
void wsq_limits_uncharge(struct wsq_ring *ring, const struct wsq_sizes *s)
{
	struct wsq_user *user = ring->user;

	ring->user = NULL;
	spin_lock(&wsq_users_lock);
	user->rings--;
	user->tasks -= s->cq_entries;
	user->memory -= s->memory;
	if (ring->dead) {
		user->leaving--;
		user->gone++;
	}
	spin_unlock(&wsq_users_lock);
	wake_up_all(&user->left);
	wsq_user_put(user);
}

/**
 * wsq_limits_leave() - the file of a ring is gone
 * @ring: the ring, dead from now on
 *
 * Context: task.
 */
void wsq_limits_leave(struct wsq_ring *ring)
{
	spin_lock(&wsq_users_lock);
	ring->user->leaving++;
	spin_unlock(&wsq_users_lock);
}

/* How many have gone so far; whether some are on their way out. */
static u64 wsq_user_gone(const struct wsq_user *user, bool *more)
{
	u64 gone;

	spin_lock(&wsq_users_lock);
	gone = user->gone;
	*more = user->leaving;
	spin_unlock(&wsq_users_lock);
	return gone;
}

/**
 * wsq_limits_settle() - let rings of the same user go that are on their way out
 * @ring: after wsq_limits_charge()
 *
 * For who is at a limit that is not ours: his memory cgroup's.
 *
 * Context: task; may sleep.
 * Return: true if some have gone, so that it is worth another try.
 */
bool wsq_limits_settle(struct wsq_ring *ring)
{
	struct wsq_user *user = ring->user;
	bool more;
	u64 gone = wsq_user_gone(user, &more);

	return more && wait_event_killable_timeout(user->left,
						   wsq_user_gone(user, &more) != gone,
						   WSQ_LEAVE_WAIT) > 0;
}

/**
 * wsq_limits_tell() - limits, and what the user of a file has
 * @ring: of that file, live or not
 * @q: where to put it
 *
 * Context: task.
 */
void wsq_limits_tell(const struct wsq_ring *ring, struct wsq_query *q)
{
	const struct wsq_user *user;

	q->max_user_rings = READ_ONCE(wsq_max_user_rings);
	q->max_user_tasks = READ_ONCE(wsq_max_user_tasks);
	q->max_user_memory = READ_ONCE(wsq_max_user_memory);
	q->user_rings = 0;
	q->user_tasks = 0;
	q->user_memory = 0;
	spin_lock(&wsq_users_lock);
	user = wsq_user_find(ring->cred->uid);
	if (user) {
		q->user_rings = user->rings;
		q->user_tasks = min_t(u64, user->tasks, U32_MAX);
		q->user_memory = user->memory;
	}
	spin_unlock(&wsq_users_lock);
}
