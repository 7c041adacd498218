/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ops: what entries of a ring (/dev/wsq) may ask for. Other modules can add their
 * own, which processes find by name with WSQ_IOC_QUERY.
 *
 * An op says what its entries look like (enum wsq_op_shape, dst_len, max_len),
 * and wsq checks them: the function that does the work gets addresses of the
 * kernel's and lengths that are right. What is there it has to distrust all the
 * same, as it is memory that the process writes whenever it likes: bytes are
 * data and no more, and an op that needs the same value twice copies it first.
 *
 * What is not one of an op's ranges (a file, memory of another process, a
 * device) is the op's own affair. It runs in a worker, not in the process, and
 * not with the credentials of the process. Such an op names the capability that
 * it takes.
 *
 * Costs, beside a built-in op: two lookups and two references on per-CPU counters
 * for each task.
 *
 * A task of an op that takes long works piece by piece, and may leave its
 * worker between two pieces, so that the tasks of other users and of other
 * queues do not wait for all of it. For that the op keeps its progress in
 * memory that wsq provides (state_size), and returns %WSQ_OP_AGAIN when wsq
 * asks it to. wsq calls the op again later. An op without state keeps its
 * worker until its task is done.
 *
 * Limitations: an op that sleeps occupies a worker thread meanwhile. A standby
 * worker of the same CPU then runs what waits there. 65280 ops may be
 * registered, one after the other, before wsq is loaded anew.
 *
 * Symbols are exported GPL-only in namespace WSQ.
 */
#ifndef _LINUX_WSQ_OP_H
#define _LINUX_WSQ_OP_H

#include <linux/bits.h>
#include <linux/types.h>
#include <uapi/linux/wsq.h>

struct module;
struct wsq_stop;

/**
 * enum wsq_op_shape - what an op's entries look like
 * @WSQ_SHAPE_SRC: src and len are a range, which the op reads
 * @WSQ_SHAPE_OUT: dst and len are a range, which the op writes; not with the former
 * @WSQ_SHAPE_LIST: instead, src and len may be a list of such ranges (WSQ_SQE_VEC)
 * @WSQ_SHAPE_ARG: arg means something
 * @WSQ_SHAPE_APART: dst overlaps none of what is read
 *
 * Members of an entry that its op does not name are zero.
 */
enum wsq_op_shape {
	WSQ_SHAPE_SRC	= BIT(0),
	WSQ_SHAPE_OUT	= BIT(1),
	WSQ_SHAPE_LIST	= BIT(2),
	WSQ_SHAPE_ARG	= BIT(3),
	WSQ_SHAPE_APART	= BIT(4),
};

/* struct wsq_op_def.dst_len: as many as all ranges, or as each, which are equal. */
#define WSQ_DST_ALL		U64_MAX
#define WSQ_DST_EACH		(U64_MAX - 1)

/**
 * struct wsq_range - a range of the arena
 * @addr: where it is
 * @len: bytes, not zero
 */
struct wsq_range {
	u8 *addr;
	u64 len;
};

/*
 * Returned by wsq_op_piece() and wsq_op_stopped(), and by an op with state that
 * is to be called again later. It is no errno, and so no result either.
 */
#define WSQ_OP_AGAIN		(-4096)

/* Most bytes of state that an op may have. */
#define WSQ_OP_STATE_MAX	320

/**
 * struct wsq_op_task - a task, as its op sees it
 * @ranges: what the entry named: to be read, or with %WSQ_SHAPE_OUT to be written
 * @nr: how many; 0 if the op has none, 1 unless it takes lists
 * @len: bytes of all of them
 * @dst: where the op's dst_len bytes are; %NULL if that is zero
 * @arg: of the entry
 * @state: the op's state_size bytes, aligned to 8; %NULL if that is zero.
 *	Zeroed before the first call, and kept from one call to the next, though
 *	perhaps at another address
 * @stop: why the task shall end early. Private
 */
struct wsq_op_task {
	const struct wsq_range *ranges;
	unsigned int nr;
	u64 len;
	u8 *dst;
	u64 arg;
	void *state;
	const struct wsq_stop *stop;
};

/**
 * struct wsq_op_def - an op
 * @name: 1 to 15 of a-z, 0-9, _ and -; no other op's
 * @owner: THIS_MODULE. Should it leave without having unregistered the op, wsq does
 * @shape: enum wsq_op_shape
 * @cap: the capability (CAP_*) that it takes to ask for it, or -1. It is looked for
 *	in the credentials of who opened the file, in the first user namespace
 * @max_len: most bytes of all ranges; 0 if it has none
 * @dst_len: bytes at dst, to be read or written; %WSQ_DST_ALL, %WSQ_DST_EACH; or 0
 * @prep: refuses entries whose arg is wrong: 0 or -errno; may be %NULL. Looks at
 *	nothing but the entry, whose ranges are not checked yet. Called with the
 *	ring's lock held, in the process or not
 * @state_size: bytes that @issue keeps from one call to the next, up to
 *	%WSQ_OP_STATE_MAX; 0 if it is called once for each task
 * @issue: does the task, in a worker, and returns the result or -errno. May
 *	sleep. An op that takes more than 100 us works in pieces
 *	(wsq_op_piece()), or calls wsq_op_stopped() about every 100 us, and
 *	returns what either says. An op with @state_size may return
 *	%WSQ_OP_AGAIN. It is then called again later, with the same ranges, by
 *	any worker; or never, because the task is cancelled, its ring is closed,
 *	its deadline is over or the op is unregistered. So the state is plain
 *	data: no reference, lock or allocated memory, and no pointer into the
 *	state itself
 */
struct wsq_op_def {
	const char *name;
	struct module *owner;
	unsigned int shape;
	int cap;
	u64 max_len;
	u64 dst_len;
	unsigned int state_size;
	int (*prep)(const struct wsq_sqe *sqe);
	s64 (*issue)(const struct wsq_op_task *task);
};

/* Bytes of a piece. */
#define WSQ_OP_PIECE		16384

/**
 * struct wsq_op_piece - where wsq_op_piece() is
 * @addr: the piece
 * @len: its bytes, at most WSQ_OP_PIECE
 * @at: bytes of the task's ranges that came before it
 *
 * To be zeroed before the first call; all else is private. An op with state
 * keeps it in its state.
 */
struct wsq_op_piece {
	u8 *addr;
	size_t len;
	u64 at;
	/* private: */
	unsigned int range;
	unsigned int since;
	u64 off;
};

int wsq_register_op(const struct wsq_op_def *def);
void wsq_unregister_op(const struct wsq_op_def *def);
int wsq_op_piece(const struct wsq_op_task *task, struct wsq_op_piece *p);
int wsq_op_stopped(const struct wsq_op_task *task);

#endif /* _LINUX_WSQ_OP_H */
