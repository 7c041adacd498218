// SPDX-License-Identifier: GPL-2.0
/*
 * What the entries of a ring may ask for: less than all, if whoever made it said so
 * before the ring was enabled, perhaps on behalf of one to whom it passes the file.
 *
 * Who opened the file may lack the capability that an op takes.
 *
 * Cost: nothing for a ring that is not restricted, a bit for each entry otherwise;
 * the security modules are asked for each entry whose op takes a capability.
 */
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "poller.h"
#include "ring.h"

/* As struct wsq_sqe.op has them. */
#define WSQ_OP_NUMBERS		(U16_MAX + 1)
#define WSQ_RESTRICT_OPS	1024

/**
 * wsq_opener_capable() - had who opened the file a capability
 * @ring: the ring of that file
 * @cap: which, in the first user namespace
 *
 * As file_ns_capable() would say of the open file: whoever calls, be it one to
 * whom the file was passed. But a ring may outlive its file.
 *
 * Context: task. The answer may be logged.
 * Return: whether.
 */
bool wsq_opener_capable(const struct wsq_ring *ring, int cap)
{
	const struct cred *old = override_creds(ring->cred);
	bool capable = ns_capable(&init_user_ns, cap);

	revert_creds(old);
	return capable;
}

/**
 * wsq_ring_may_ask() - may this be asked for here, of a ring or an op that is not
 * for all
 * @ring: the ring, its lock held
 * @def: the op of the entry
 * @sqe: the kernel's own copy of it
 *
 * Context: as wsq_ring_may().
 * Return: as wsq_ring_may().
 */
int wsq_ring_may_ask(const struct wsq_ring *ring, const struct wsq_op_def *def,
		     const struct wsq_sqe *sqe)
{
	if (ring->allowed &&
	    (!test_bit(sqe->op, ring->allowed) ||
	     sqe->flags & ~ring->sqe_flags))
		return -EPERM;
	if (def->cap >= 0 && !wsq_opener_capable(ring, def->cap))
		return -EPERM;
	return 0;
}

/* A bit for each op that the caller names. */
static unsigned long *wsq_restrict_get(const struct wsq_restrict *r)
{
	const u32 __user *from = u64_to_user_ptr(r->ops);
	unsigned long *ops;
	u32 i, op;

	ops = kvcalloc(BITS_TO_LONGS(WSQ_OP_NUMBERS), sizeof(*ops), WSQ_GFP);
	if (!ops)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < r->nr_ops; i++) {
		if (get_user(op, from + i)) {
			kvfree(ops);
			return ERR_PTR(-EFAULT);
		}
		if (op < WSQ_OP_NUMBERS)
			__set_bit(op, ops);
	}
	return ops;
}

/**
 * wsq_ring_restrict() - allow less
 * @ring: a live ring
 * @r: what stays allowed
 *
 * Context: ioctl.
 * Return: 0 or -errno as the user ABI has it; then nothing has changed.
 */
int wsq_ring_restrict(struct wsq_ring *ring, const struct wsq_restrict *r)
{
	unsigned long *ops;
	int ret = 0;

	if (r->rsv || r->nr_ops > WSQ_RESTRICT_OPS)
		return -EINVAL;
	ops = wsq_restrict_get(r);
	if (IS_ERR(ops))
		return PTR_ERR(ops);
	if (mutex_lock_killable(&ring->lock)) {
		kvfree(ops);
		return -EINTR;
	}
	if (!ring->disabled) {
		ret = -EBUSY;
	} else if (ring->allowed) {
		bitmap_and(ring->allowed, ring->allowed, ops, WSQ_OP_NUMBERS);
		ring->sqe_flags &= r->sqe_flags;
	} else {
		swap(ring->allowed, ops);
		ring->sqe_flags = r->sqe_flags;
	}
	mutex_unlock(&ring->lock);
	kvfree(ops);
	return ret;
}

/**
 * wsq_ring_enable() - let entries be taken
 * @ring: a live ring
 *
 * Context: ioctl.
 * Return: 0; %-EBADFD if it was not disabled; %-EINTR if the process was killed.
 */
int wsq_ring_enable(struct wsq_ring *ring)
{
	int ret = 0;

	if (mutex_lock_killable(&ring->lock))
		return -EINTR;
	if (ring->disabled)
		WRITE_ONCE(ring->disabled, false);
	else
		ret = -EBADFD;
	mutex_unlock(&ring->lock);
	/* It may have found entries that it could not take. */
	if (!ret && ring->poller)
		wsq_poller_kick(ring);
	return ret;
}
