/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What user tasks may do: the table of ops. Knows entries and arenas, nothing
 * of rings, so that tests can feed it anything.
 */
#ifndef _WSQ_RING_OPS_H
#define _WSQ_RING_OPS_H

#include <linux/types.h>
#include <uapi/linux/wsq.h>

/**
 * struct wsq_op_def - one op
 * @name: as QUERY tells it
 * @max_len: largest len; 0 if it takes none
 * @ready: what it needs is there. Written at module load only.
 * @prep: refuses entries that are not right: %0 or -errno. Looks at the entry
 *	and the arena's size only. All of an entry that @issue relies on is
 *	checked here and nowhere else, whichever way the entry came.
 * @issue: does it, in a worker: the result, or -errno. The entry has passed
 *	@prep. May sleep; gives up early once *@dead.
 *
 * No op touches a file, a path or an address space: the arena is the kernel's
 * memory. So none needs credentials, and none has a capability to ask for; an
 * op that does gets a member for it here.
 */
struct wsq_op_def {
	const char *name;
	u64 max_len;
	bool ready;
	int (*prep)(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
		    u64 arena_bytes);
	s64 (*issue)(const struct wsq_sqe *sqe, void *arena, const bool *dead);
};

int wsq_ops_init(void);
void wsq_ops_exit(void);
const struct wsq_op_def *wsq_op_prep(const struct wsq_sqe *sqe,
				     u64 arena_bytes);
s64 wsq_op_issue(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
		 void *arena, const bool *dead);
const struct wsq_op_def *wsq_op_info(unsigned int op);

#endif /* _WSQ_RING_OPS_H */
