/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What Documentation/ring.rst, errors.rst, ops.rst and <linux/wsq.h> say that an
 * entry comes to, written from these and not from kmod/ring.
 */
#ifndef _WSQ_FUZZ_ORACLE_H
#define _WSQ_FUZZ_ORACLE_H

#include "shim/shim.h"

#include <uapi/linux/wsq.h>

#include "../wsq/wsq_rules.h"

/* Ops that the harness registers, from WSQ_OP_REGISTERED on; op.c. */
#define OP_SUM		256	/* lists, arg, 16 bytes at dst that are apart */
#define OP_MARK		257	/* no range, 8 bytes at dst */
#define OP_PROBE	258	/* nothing but arg; ring.c */

/* Ops of the harness that are there, from the first one on. */
extern unsigned int oracle_own;
const struct wsq_rule *rule_of(u32 op);

/* What is wrong with an entry on a ring with so large an arena: 0 or -errno. */
int oracle_entry(const struct wsq_sqe *sqe, u64 arena_bytes);

/**
 * struct verdict - what a task may come to
 * @res: its result, if nothing is wrong
 * @errors: if something is, a bit for each errno that may be told
 * @touched: bytes that may differ afterwards, if it was stopped
 * @nr: how many such ranges
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

/* What a task of an entry without fault comes to, and what it leaves in the arena. */
void oracle_task(const struct wsq_sqe *sqe, u8 *arena, u64 arena_bytes,
		 struct verdict *v);

/* op.c */
int ops_register(void);
void ops_unregister(void);

#endif /* _WSQ_FUZZ_ORACLE_H */
