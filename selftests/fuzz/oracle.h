/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The outcome of an entry by Documentation/ring.rst, errors.rst, ops.rst and
 * <linux/wsq.h>. Written from these and not from kmod/ring.
 */
#ifndef _WSQ_FUZZ_ORACLE_H
#define _WSQ_FUZZ_ORACLE_H

#include "shim/shim.h"

#include <uapi/linux/wsq.h>

#include "../wsq/wsq_rules.h"

/* Ops that the harness registers, from WSQ_OP_REGISTERED on; op.c. */
#define OP_SUM		256	/* lists, arg, 16 bytes at dst, disjoint */
#define OP_MARK		257	/* no range, 8 bytes at dst */
#define OP_PROBE	258	/* nothing but arg; ring.c */

/* Number of the harness's ops that are registered, from the first one on. */
extern unsigned int oracle_own;
const struct wsq_rule *rule_of(u32 op);

/* Checks an entry on a ring with an arena of this size: 0 or -errno. */
int oracle_entry(const struct wsq_sqe *sqe, u64 arena_bytes);

/**
 * struct verdict - allowed outcomes of a task
 * @res: its result, if nothing is wrong
 * @errors: if something is wrong, a bit for each allowed errno
 * @touched: ranges that may differ afterwards if it was stopped
 * @nr: number of @touched
 */
struct verdict {
	s64 res;
	u64 errors[3];
	struct {
		u64 off, len;
	} touched[WSQ_VEC_MAX];
	unsigned int nr;
};

void verdict_error(struct verdict *v, int error);
bool verdict_has(const struct verdict *v, s64 res);
bool verdict_bad(const struct verdict *v);

/* Outcome of a task of a valid entry, and its effect on the arena. */
void oracle_task(const struct wsq_sqe *sqe, u8 *arena, u64 arena_bytes,
		 struct verdict *v);

/* op.c */
int ops_register(void);
void ops_unregister(void);

#endif /* _WSQ_FUZZ_ORACLE_H */
