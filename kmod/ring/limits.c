// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of users: rings, tasks in flight, memory.
 *
 * A ring counts for the user that calls SETUP (user.c), from SETUP until the
 * memory of the ring is free again. It does not matter which user opened the
 * file. The tasks in flight of a ring are never more than its completion
 * entries, so these are charged once, instead of each task. A ring may exceed
 * the limits if both the opener of its file and the caller of SETUP have
 * CAP_SYS_RESOURCE in the initial user namespace; it counts all the same. If
 * the opener's capability sufficed, a process that was passed files would have
 * no limit. If the caller's sufficed, a process could have a privileged one
 * make rings for it.
 *
 * The memory of the user itself (user.c) is charged once, with its first ring.
 *
 * A ring is freed soon after its file is closed, not at once (close.c). A
 * caller that is at its limit and has closed rings waits in SETUP until one of
 * them is freed. So closing a ring and making another works under any limit,
 * those of memory cgroups included.
 *
 * Cost: a spinlock for SETUP, close and QUERY; nothing for tasks.
 * Limitations: pages to which others hold references (mem.c) outlive the ring,
 * and are then charged to the memory cgroup only.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include "../compat/export.h"
#include "limits.h"
#include "restrict.h"
#include "ring.h"
#include "user.h"

/* How long SETUP waits for rings that are closed and not freed yet. */
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

/* Bytes that one more ring is charged. Under wsq_users_lock. */
static u64 wsq_user_more(const struct wsq_user *user, const struct wsq_sizes *s)
{
	return user->rings ? s->memory : s->memory + wsq_user_bytes();
}

/* Is one more within the limits? No sum overflows: all of it is memory. */
static bool wsq_user_within_limits(const struct wsq_user *user,
				   const struct wsq_sizes *s)
{
	return user->rings < READ_ONCE(wsq_max_user_rings) &&
	       user->tasks + s->cq_entries <= READ_ONCE(wsq_max_user_tasks) &&
	       user->memory + wsq_user_more(user, s) <=
	       READ_ONCE(wsq_max_user_memory);
}

/* Returns 0; %-EDQUOT; %-EAGAIN if closed rings will soon be uncharged. */
static int wsq_user_try(struct wsq_user *user, const struct wsq_sizes *s,
			bool exempt)
{
	int ret = 0;

	spin_lock(&wsq_users_lock);
	if (exempt || wsq_user_within_limits(user, s)) {
		user->memory += wsq_user_more(user, s);
		user->rings++;
		user->tasks += s->cq_entries;
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
	/* Check capabilities only if it matters: checks may be audited. */
	if (wsq_opener_capable(ring, CAP_SYS_RESOURCE) &&
	    capable(CAP_SYS_RESOURCE))
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
 * wsq_limits_charge() - charge a ring to the calling user
 * @ring: the ring, its lock held, not live
 * @s: its sizes
 *
 * Context: SETUP; may sleep.
 * Return: 0, then wsq_limits_uncharge() is due at the end; %-EDQUOT; %-ENOSPC,
 * %-ENOMEM, as wsq_user_get(); %-EINTR if the process was killed.
 */
int wsq_limits_charge(struct wsq_ring *ring, const struct wsq_sizes *s)
{
	struct wsq_user *user = wsq_user_get(ring);
	int ret;

	if (IS_ERR(user))
		return PTR_ERR(user);
	ret = wsq_user_charge(ring, user, s);
	if (ret)
		wsq_user_put(user);
	else
		ring->user = user;
	return ret;
}
WSQ_EXPORT_KUNIT(wsq_limits_charge);

/**
 * wsq_limits_uncharge() - uncharge a ring whose memory is free
 * @ring: the ring, not in use
 * @s: the sizes given to wsq_limits_charge()
 *
 * Context: task; may sleep. Not from a worker.
 */
void wsq_limits_uncharge(struct wsq_ring *ring, const struct wsq_sizes *s)
{
	struct wsq_user *user = ring->user;

	ring->user = NULL;
	spin_lock(&wsq_users_lock);
	user->rings--;
	user->tasks -= s->cq_entries;
	user->memory -= wsq_user_more(user, s);
	if (ring->dead) {
		user->leaving--;
		user->gone++;
	}
	spin_unlock(&wsq_users_lock);
	wake_up_all(&user->left);
	wsq_user_put(user);
}

/**
 * wsq_limits_leave() - count a ring whose file is closed as leaving
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

/* How many were freed so far, and whether any is closed and not freed yet. */
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
 * wsq_limits_settle() - wait until a closed ring of the same user is freed
 * @ring: after wsq_limits_charge()
 *
 * For a caller at the limit of its memory cgroup.
 *
 * Context: task; may sleep.
 * Return: true if one was freed, so that the caller should try again.
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
 * wsq_limits_query() - fill in the limits, and what the caller is charged
 * @q: filled in; its @memory is that of a ring, or 0
 *
 * Context: ioctl.
 */
void wsq_limits_query(struct wsq_query *q)
{
	const struct wsq_user *user;

	q->max_user_rings = READ_ONCE(wsq_max_user_rings);
	q->max_user_tasks = READ_ONCE(wsq_max_user_tasks);
	q->max_user_memory = READ_ONCE(wsq_max_user_memory);
	q->user_rings = 0;
	q->user_tasks = 0;
	q->user_memory = 0;
	spin_lock(&wsq_users_lock);
	user = wsq_user_find(current_uid());
	if (user) {
		q->user_rings = user->rings;
		q->user_tasks = min_t(u64, user->tasks, U32_MAX);
		q->user_memory = user->memory;
	}
	if (q->memory && !q->user_rings)
		q->memory += wsq_user_bytes();
	spin_unlock(&wsq_users_lock);
}
