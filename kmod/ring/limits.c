// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of users: rings, tasks in flight, memory.
 *
 * A ring is charged to up to three accounts, from SETUP until the memory of the
 * ring is free again, and must be within the limits of each:
 *
 * - the user of the ring (user.c), on whose queue its tasks run
 * - the real uid of the caller of SETUP, if the user is a namespace: such a
 *   namespace may have been made for a uid that has rings outside
 * - the user that opened the file, by the opener's credentials, unless the
 *   opener has CAP_SYS_RESOURCE in the initial user namespace. Otherwise a
 *   person could pass files to processes of other users, and use their limits
 *
 * The tasks in flight of a ring are never more than its completion entries, so
 * these are charged once, instead of each task. A ring may exceed the limits if
 * both the opener of its file and the caller of SETUP have CAP_SYS_RESOURCE in
 * the initial user namespace; it counts all the same. If the opener's
 * capability sufficed, a process that was passed files would have no limit. If
 * the caller's sufficed, a process could have a privileged one make rings for
 * it.
 *
 * The memory of a user (user.c) is charged once, with the account's first ring.
 *
 * A ring is freed soon after its file is closed, not at once (close.c). A
 * caller that is at a limit of an account with closed rings waits in SETUP
 * until one of them is freed. So closing a ring and making another works under
 * any limit, those of memory cgroups included.
 *
 * Cost: a spinlock for SETUP, close and QUERY; nothing for tasks.
 * Limitations: pages to which others hold references (mem.c) outlive the ring,
 * and are then charged to the memory cgroup only. Accounts are charged to none;
 * there are at most three for each ring.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
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

/**
 * struct wsq_account - what is charged to a user
 * @node: in the table of accounts. Under wsq_accounts_lock
 * @key: the user. Constant
 * @refs: rings, and callers of SETUP. Under wsq_accounts_lock
 * @rings: rings that are charged. Under wsq_accounts_lock
 * @leaving: of these, those whose file is closed. Under wsq_accounts_lock
 * @gone: number of closed rings freed so far. Under wsq_accounts_lock
 * @tasks: completion entries of @rings. Under wsq_accounts_lock
 * @memory: bytes of @rings, and of a user while there are any. Under
 *	wsq_accounts_lock
 * @left: callers of SETUP that wait until one of @leaving is freed
 */
struct wsq_account {
	struct hlist_node node;
	struct wsq_user_key key;
	unsigned long refs;
	unsigned long rings;
	unsigned long leaving;
	u64 gone;
	u64 tasks;
	u64 memory;
	wait_queue_head_t left;
};

/* Protects the table, and the members of struct wsq_account that name it. */
static DEFINE_SPINLOCK(wsq_accounts_lock);
static DEFINE_HASHTABLE(wsq_accounts, 8);

static struct wsq_account *wsq_account_find(const struct wsq_user_key *key)
{
	struct wsq_account *a;

	lockdep_assert_held(&wsq_accounts_lock);
	hash_for_each_possible(wsq_accounts, a, node, wsq_user_hash(key))
		if (wsq_user_same(&a->key, key))
			return a;
	return NULL;
}

/* Take a reference on the account of that user, or on @new if there is none. */
static struct wsq_account *wsq_account_try_get(const struct wsq_user_key *key,
					       struct wsq_account *new)
{
	struct wsq_account *a;

	spin_lock(&wsq_accounts_lock);
	a = wsq_account_find(key);
	if (!a && new) {
		a = new;
		hash_add(wsq_accounts, &a->node, wsq_user_hash(key));
	}
	if (a)
		a->refs++;
	spin_unlock(&wsq_accounts_lock);
	return a;
}

static struct wsq_account *wsq_account_get(const struct wsq_user_key *key)
{
	struct wsq_account *a = wsq_account_try_get(key, NULL), *new;

	if (a)
		return a;
	/* Not charged: QUERY does not know which accounts will be new. */
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return NULL;
	new->key = *key;
	wsq_user_key_get(&new->key);
	init_waitqueue_head(&new->left);
	a = wsq_account_try_get(key, new);
	if (a != new) {
		wsq_user_key_put(&new->key);
		kfree(new);
	}
	return a;
}

static void wsq_account_put(struct wsq_account *a)
{
	bool last;

	spin_lock(&wsq_accounts_lock);
	last = !--a->refs;
	if (last)
		hash_del(&a->node);
	spin_unlock(&wsq_accounts_lock);
	if (last) {
		wsq_user_key_put(&a->key);
		kfree(a);
	}
}

static void wsq_accounts_put(struct wsq_ring *ring)
{
	int i;

	for (i = 0; i < WSQ_RING_ACCOUNTS; i++) {
		if (ring->accounts[i])
			wsq_account_put(ring->accounts[i]);
		ring->accounts[i] = NULL;
	}
}

/* The users to which the calling thread's rings are charged; how many. */
static int wsq_caller_keys(struct wsq_user_key *keys)
{
	keys[0] = wsq_user_key_of(current_cred());
	if (!keys[0].ns)
		return 1;
	keys[1] = wsq_user_key_uid(current_uid());
	return 2;
}

/* Find or create the accounts of a ring. 0 or %-ENOMEM. */
static int wsq_accounts_get(struct wsq_ring *ring)
{
	struct wsq_user_key keys[WSQ_RING_ACCOUNTS];
	int i, nr = wsq_caller_keys(keys);

	keys[nr] = wsq_user_key_of(ring->cred);
	for (i = 0; i < nr && !wsq_user_same(&keys[i], &keys[nr]); i++)
		;
	/* Only if it matters: the check may be logged. */
	if (i == nr && !wsq_opener_capable(ring, CAP_SYS_RESOURCE))
		nr++;
	for (i = 0; i < nr; i++) {
		ring->accounts[i] = wsq_account_get(&keys[i]);
		if (!ring->accounts[i]) {
			wsq_accounts_put(ring);
			return -ENOMEM;
		}
	}
	return 0;
}

/* Bytes that one more ring is charged. Under wsq_accounts_lock. */
static u64 wsq_account_more(const struct wsq_account *a,
			    const struct wsq_sizes *s)
{
	return a->rings ? s->memory : s->memory + wsq_user_bytes();
}

/* Is one more within the limits? No sum overflows: all of it is memory. */
static bool wsq_account_within_limits(const struct wsq_account *a,
				      const struct wsq_sizes *s)
{
	return a->rings < READ_ONCE(wsq_max_user_rings) &&
	       a->tasks + s->cq_entries <= READ_ONCE(wsq_max_user_tasks) &&
	       a->memory + wsq_account_more(a, s) <=
	       READ_ONCE(wsq_max_user_memory);
}

/*
 * Charge all accounts of a ring, or none. Returns 0; %-EDQUOT; %-EAGAIN if
 * closed rings will soon be uncharged from the account @at, which has freed
 * @gone so far.
 */
static int wsq_accounts_try(struct wsq_ring *ring, const struct wsq_sizes *s,
			    bool exempt, struct wsq_account **at, u64 *gone)
{
	struct wsq_account *a;
	int i, ret = 0;

	spin_lock(&wsq_accounts_lock);
	for (i = 0; !exempt && i < WSQ_RING_ACCOUNTS; i++) {
		a = ring->accounts[i];
		if (!a || wsq_account_within_limits(a, s))
			continue;
		if (!a->leaving) {
			ret = -EDQUOT;
			break;
		}
		ret = -EAGAIN;
		*at = a;
		*gone = a->gone;
	}
	for (i = 0; !ret && i < WSQ_RING_ACCOUNTS; i++) {
		a = ring->accounts[i];
		if (!a)
			continue;
		a->memory += wsq_account_more(a, s);
		a->rings++;
		a->tasks += s->cq_entries;
	}
	spin_unlock(&wsq_accounts_lock);
	return ret;
}

/* How many were freed so far, and whether any is closed and not freed yet. */
static u64 wsq_account_gone(const struct wsq_account *a, bool *more)
{
	u64 gone;

	spin_lock(&wsq_accounts_lock);
	gone = a->gone;
	*more = a->leaving;
	spin_unlock(&wsq_accounts_lock);
	return gone;
}

static int wsq_accounts_charge(struct wsq_ring *ring, const struct wsq_sizes *s)
{
	long left = WSQ_LEAVE_WAIT;
	struct wsq_account *at = NULL;
	u64 gone = 0;
	bool more;
	int ret;

	ret = wsq_accounts_try(ring, s, false, &at, &gone);
	/* Check capabilities only if it matters: checks may be audited. */
	if (ret && wsq_opener_capable(ring, CAP_SYS_RESOURCE) &&
	    capable(CAP_SYS_RESOURCE))
		return wsq_accounts_try(ring, s, true, &at, &gone);
	while (ret == -EAGAIN) {
		left = wait_event_killable_timeout(at->left,
						   wsq_account_gone(at, &more) !=
						   gone, left);
		if (left < 0)
			return -EINTR;
		ret = wsq_accounts_try(ring, s, false, &at, &gone);
		if (!left)
			break;
	}
	return ret == -EAGAIN ? -EDQUOT : ret;
}

/**
 * wsq_limits_charge() - give a ring its user, and charge it
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
	ret = wsq_accounts_get(ring);
	if (ret)
		goto put_user;
	ret = wsq_accounts_charge(ring, s);
	if (ret)
		goto put_accounts;
	ring->user = user;
	return 0;

put_accounts:
	wsq_accounts_put(ring);
put_user:
	wsq_user_put(user);
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
	struct wsq_account *a;
	int i;

	ring->user = NULL;
	spin_lock(&wsq_accounts_lock);
	for (i = 0; i < WSQ_RING_ACCOUNTS && ring->accounts[i]; i++) {
		a = ring->accounts[i];
		a->rings--;
		a->tasks -= s->cq_entries;
		a->memory -= wsq_account_more(a, s);
		if (ring->dead) {
			a->leaving--;
			a->gone++;
		}
	}
	spin_unlock(&wsq_accounts_lock);
	for (i = 0; i < WSQ_RING_ACCOUNTS && ring->accounts[i]; i++)
		wake_up_all(&ring->accounts[i]->left);
	wsq_accounts_put(ring);
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
	int i;

	spin_lock(&wsq_accounts_lock);
	for (i = 0; i < WSQ_RING_ACCOUNTS && ring->accounts[i]; i++)
		ring->accounts[i]->leaving++;
	spin_unlock(&wsq_accounts_lock);
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
	struct wsq_account *a = ring->accounts[0];
	bool more;
	u64 gone = wsq_account_gone(a, &more);

	return more && wait_event_killable_timeout(a->left,
						   wsq_account_gone(a, &more) !=
						   gone, WSQ_LEAVE_WAIT) > 0;
}

/**
 * wsq_limits_query() - fill in the limits, and what the caller is charged
 * @q: filled in; its @memory is that of a ring, or 0
 *
 * If the caller has two accounts, the larger numbers.
 *
 * Context: ioctl.
 */
void wsq_limits_query(struct wsq_query *q)
{
	struct wsq_user_key keys[WSQ_RING_ACCOUNTS];
	int i, nr = wsq_caller_keys(keys);
	const struct wsq_account *a;
	bool needs_user = false;

	q->max_user_rings = READ_ONCE(wsq_max_user_rings);
	q->max_user_tasks = READ_ONCE(wsq_max_user_tasks);
	q->max_user_memory = READ_ONCE(wsq_max_user_memory);
	q->user_rings = 0;
	q->user_tasks = 0;
	q->user_memory = 0;
	spin_lock(&wsq_accounts_lock);
	for (i = 0; i < nr; i++) {
		a = wsq_account_find(&keys[i]);
		needs_user |= !a || !a->rings;
		if (!a)
			continue;
		q->user_rings = max_t(u64, q->user_rings, a->rings);
		q->user_tasks = max_t(u64, q->user_tasks,
				      min_t(u64, a->tasks, U32_MAX));
		q->user_memory = max(q->user_memory, a->memory);
	}
	if (q->memory && needs_user)
		q->memory += wsq_user_bytes();
	spin_unlock(&wsq_accounts_lock);
}
