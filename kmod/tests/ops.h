/* SPDX-License-Identifier: GPL-2.0 */
/* For suites that pass SQEs to ops as the ring does, without a ring. */
#ifndef _WSQ_TESTS_OPS_H
#define _WSQ_TESTS_OPS_H

#include <linux/limits.h>

#include "../ring/ops.h"

/* The error that refuses an SQE, or 0. */
static inline int op_check(const struct wsq_sqe *sqe, u64 arena_bytes)
{
	struct wsq_op_ref op;
	int ret;

	if (!wsq_op_get(&op, sqe->op))
		return -EOPNOTSUPP;
	ret = wsq_op_prep(op.def, sqe, arena_bytes);
	wsq_op_put(&op);
	return ret;
}

/* Check, then run. */
static inline s64 op_do_in(const struct wsq_sqe *sqe, void *arena,
			   u64 arena_bytes, bool dead)
{
	const bool stop_asked = false;
	const struct wsq_stop stop = {
		.dead = &dead,
		.stop_asked = &stop_asked,
		.deadline = U64_MAX,
	};
	int ret = op_check(sqe, arena_bytes);

	return ret ?: wsq_op_issue(sqe, arena, arena_bytes, &stop, NULL);
}

#endif /* _WSQ_TESTS_OPS_H */
