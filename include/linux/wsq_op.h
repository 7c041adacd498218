/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ops: the operations that entries of a ring (/dev/wsq) name. Other modules can
 * add ops, which processes find by name with WSQ_IOC_QUERY.
 *
 * An op describes its entries (enum wsq_op_shape, dst_len, max_len), and wsq
 * checks them. The op's function gets kernel addresses and valid lengths. It
 * must not trust the contents: the process can write this memory at any time.
 * Treat the bytes as data only, and copy a value before using it twice.
 *
 * An op that uses anything but its ranges (a file, memory of another process, a
 * device) checks access itself. It runs on a worker, not in the process, and
 * without the credentials of the process. Such an op names the capability that
 * it requires.
 *
 * Costs, compared with a built-in op: two lookups and two references on per-CPU
 * counters for each task.
 *
 * A long task works in pieces, and may leave its worker between two pieces, so
 * that tasks of other users and other queues do not wait for all of it. For
 * this the op keeps its progress in memory that wsq provides (state_size), and
 * returns %WSQ_OP_AGAIN when wsq asks it to. wsq calls the op again later. An
 * op without state keeps its worker until its task is done.
 *
 * Limitations: an op that sleeps occupies a worker thread; a standby worker of
 * the same CPU runs the tasks that wait there. At most 65280 ops can be
 * registered, unregistered ones included, until wsq is loaded again.
 *
 * Symbols are exported GPL-only in namespace WSQ.
 */
#ifndef _LINUX_WSQ_OP_H
#define _LINUX_WSQ_OP_H

#include <linux/bits.h>
#include <linux/types.h>
#include <linux/wsq_ns.h>
#include <uapi/linux/wsq.h>

struct module;
struct wsq_stop;

/**
 * enum wsq_op_shape - which members an op's entries use
 * @WSQ_SHAPE_SRC: src and len are a range, which the op reads
 * @WSQ_SHAPE_OUT: dst and len are a range, which the op writes; not together
 *	with %WSQ_SHAPE_SRC
 * @WSQ_SHAPE_LIST: src and len may instead be a list of such ranges
 *	(WSQ_SQE_VEC)
 * @WSQ_SHAPE_ARG: arg is used
 * @WSQ_SHAPE_APART: dst must not overlap any range that is read
 *
 * All other members of the entry must be zero.
 */
enum wsq_op_shape {
	WSQ_SHAPE_SRC	= BIT(0),
	WSQ_SHAPE_OUT	= BIT(1),
	WSQ_SHAPE_LIST	= BIT(2),
	WSQ_SHAPE_ARG	= BIT(3),
	WSQ_SHAPE_APART	= BIT(4),
};

/*
 * struct wsq_op_def.dst_len: length of all ranges; of each (all equal); or arg,
 * which then is not zero.
 */
#define WSQ_DST_ALL		U64_MAX
#define WSQ_DST_EACH		(U64_MAX - 1)
#define WSQ_DST_ARG		(U64_MAX - 2)

/**
 * struct wsq_range - a range of the arena
 * @addr: its address
 * @len: its bytes, not zero
 */
struct wsq_range {
	u8 *addr;
	u64 len;
};

/*
 * Returned by wsq_op_next_piece() and wsq_op_stopped(), and by an op with state
 * that asks to be called again later. It is not an errno, so never a result.
 */
#define WSQ_OP_AGAIN		(-4096)

/* Maximum bytes of state of an op. */
#define WSQ_OP_STATE_MAX	320

/**
 * struct wsq_op_task - a task, as passed to its op
 * @ranges: the entry's ranges: to be read, or with %WSQ_SHAPE_OUT to be written
 * @nr: number of ranges; 0 if the op has none, 1 unless it takes lists
 * @len: bytes of all ranges together
 * @dst: address of the op's dst_len bytes; %NULL if dst_len is zero
 * @arg: arg of the entry
 * @state: the op's state_size bytes, aligned to 8; %NULL if state_size is zero.
 *	Zeroed before the first call and kept between calls, but its address may
 *	change
 * @stop: why the task should end early. Private
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
 * @name: 1 to 15 characters of a-z, 0-9, _ and -; unique
 * @owner: THIS_MODULE. If it is unloaded without unregistering the op, wsq
 *	unregisters it
 * @shape: enum wsq_op_shape
 * @cap: the capability (CAP_*) required to use the op, or -1. Checked in the
 *	credentials of the file's opener, in the initial user namespace
 * @max_len: maximum bytes of all ranges together; 0 if the op has none
 * @dst_len: bytes at dst, to be read or written; %WSQ_DST_ALL, %WSQ_DST_EACH;
 *	%WSQ_DST_ARG with %WSQ_SHAPE_ARG; or 0
 * @prep: refuses entries with an invalid arg: returns 0 or -errno; may be
 *	%NULL. It must look at the entry only, whose ranges are not checked yet.
 *	Called with the ring's lock held, not always in the process
 * @state_size: bytes that @issue keeps between calls, up to %WSQ_OP_STATE_MAX;
 *	0 if @issue is called once for each task
 * @issue: runs the task, on a worker, and returns the result or -errno. May
 *	sleep. An op that takes more than 100 us works in pieces
 *	(wsq_op_next_piece()), or calls wsq_op_stopped() about every 100 us, and
 *	returns what either function tells it to. An op with @state_size may
 *	return %WSQ_OP_AGAIN. wsq then calls it again later, with the same
 *	ranges, on any worker; or never, because the task was cancelled, its
 *	ring was closed, its deadline passed or the op was unregistered. So the
 *	state must be plain data: no reference, lock or allocated memory, and no
 *	pointer into the state itself
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
	/* private: a short entry may be in a batch. Built-in ops only. */
	bool batched;
	/* private: it allocates, so it may sleep. Built-in ops only. */
	bool allocates;
};

/* Maximum bytes of a piece. */
#define WSQ_OP_PIECE		16384

/**
 * struct wsq_op_piece - position of wsq_op_next_piece() in a task's ranges
 * @addr: address of the piece
 * @len: its bytes, at most WSQ_OP_PIECE
 * @at: bytes of the task's ranges that precede it
 *
 * Zero it before the first call. All other members are private. An op with
 * state keeps this struct in its state.
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

/**
 * wsq_register_op() - register an op
 * @def: the op; stays as it is until wsq_unregister_op() has returned
 *
 * The op may be called as soon as it is registered, even before this returns.
 *
 * Context: task; may sleep.
 * Return: its number; %-EINVAL if @def is wrong, %-EEXIST if an op has this
 * name, %-ENOSPC if no number is left, %-ENOMEM.
 */
int wsq_register_op(const struct wsq_op_def *def);

/**
 * wsq_unregister_op() - unregister an op
 * @def: as it was registered
 *
 * Entries that ask for it from now on, and those that were taken and have not
 * begun, end with EOPNOTSUPP. Waits for tasks that run.
 *
 * Context: task; sleeps. Not from the op's own functions.
 */
void wsq_unregister_op(const struct wsq_op_def *def);

/**
 * wsq_op_next_piece() - get the next piece of a task's ranges
 * @task: the task
 * @p: zeroed before the first call, then as the last call left it
 *
 * Pieces come in order, from the first byte to the last. No piece spans two
 * ranges. Lets the scheduler run other threads after each 16 KiB.
 *
 * Context: task; may sleep.
 * Return: 1 if there is a piece; 0 after the last; otherwise the value that
 * issue must return: -errno, or %WSQ_OP_AGAIN if the op has state, which
 * includes @p.
 */
int wsq_op_next_piece(const struct wsq_op_task *task, struct wsq_op_piece *p);

/**
 * wsq_op_stopped() - must a task end early, or leave its worker
 * @task: the task
 *
 * For ops that do not use wsq_op_next_piece().
 *
 * Context: any.
 * Return: 0; or the value that issue must return: -errno, or %WSQ_OP_AGAIN if
 * the op has state.
 */
int wsq_op_stopped(const struct wsq_op_task *task);

#endif /* _LINUX_WSQ_OP_H */
