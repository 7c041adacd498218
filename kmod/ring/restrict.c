// SPDX-License-Identifier: GPL-2.0
/*
 * What the entries of a ring may ask for. The process that made the ring may
 * restrict it before it is enabled, for instance before it passes the file on.
 *
 * An op may also take a capability, which the opener of the file must have.
 *
 * Cost: nothing for a ring that is not restricted, otherwise a bit test for
 * each entry. An entry whose op takes a capability calls the security modules.
 */
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "mem.h"
#include "restrict.h"
#include "ring.h"

/* The range of struct wsq_sqe.op. */
#define WSQ_OP_NUMBERS		(U16_MAX + 1)
#define WSQ_RESTRICT_OPS	1024

/**
 * wsq_opener_capable() - has the opener of the file a capability
 * @ring: the ring of that file
 * @cap: the capability, in the initial user namespace
 *
 * Like file_ns_capable() on the open file, whichever process calls; but a ring
 * may outlive its file.
 *
 * Context: task. The answer may be logged.
 * Return: true if so.
 */
bool wsq_opener_capable(const struct wsq_ring *ring, int cap)
{
	const struct cred *old = override_creds(ring->cred);
	bool capable = ns_capable(&init_user_ns, cap);

	revert_creds(old);
	return capable;
}

/**
 * wsq_ring_may_ask() - wsq_ring_may() for a restricted ring or a privileged op
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

/* A bitmap of the ops that the caller lists. */
static unsigned long *wsq_restrict_get(const struct wsq_restrict *r)
{
	const u32 __user *from = u64_to_user_ptr(r->ops);
	unsigned long *ops;
	u32 i, op;

	ops = kvcalloc(WSQ_ALLOWED_LONGS, sizeof(*ops), WSQ_GFP);
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
 * wsq_ring_restrict() - restrict what a ring allows
 * @ring: a live ring
 * @r: what remains allowed
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
