// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of entries, and the ranges that ops work on.
 *
 * An entry is the kernel's own copy here. The arena is memory that the process
 * may write at any time. So no op reads a length, an offset or anything else it
 * relies on from the arena: bytes there are only data. A process that changes
 * them while its task runs spoils its own result. A list of ranges, which lies
 * in the arena, is read once when its task begins, each word by one load, and
 * then checked; ops get the checked copy.
 *
 * Long ranges are processed in pieces. Between two pieces the scheduler may
 * run other threads, the task ends early if its result is no longer needed, and
 * it leaves its worker if other queues wait. When it leaves, the op's state and
 * the ranges are copied from the worker's stack to memory that the task keeps
 * until it ends.
 */
#include <linux/align.h>
#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../compat/attributes.h"
#include "../compat/export.h"
#include "../exec/leak.h"
#include "../exec/tenant.h"
#include "ops.h"

#define WSQ_SHAPE_RANGE		(WSQ_SHAPE_SRC | WSQ_SHAPE_OUT)
#define WSQ_SHAPE_KNOWN		(WSQ_SHAPE_RANGE | WSQ_SHAPE_LIST | \
				 WSQ_SHAPE_ARG | WSQ_SHAPE_APART)

/* Most ops have no more state than this, which is cleared without a call. */
#define WSQ_STATE_SMALL		48

int wsq_op_stopped(const struct wsq_op_task *task)
{
	int ret = wsq_stopped(task->stop);

	if (!ret && task->state && task->stop->conts && wsq_slice_over())
		ret = WSQ_OP_AGAIN;
	return ret;
}
WSQ_EXPORT(wsq_op_stopped);

int wsq_op_next_piece(const struct wsq_op_task *task, struct wsq_op_piece *p)
{
	const struct wsq_range *r;
	int ret;

	p->at += p->len;
	p->off += p->len;
	p->since += p->len;
	if (p->len && p->off == task->ranges[p->range].len) {
		p->range++;
		p->off = 0;
	}
	p->len = 0;
	if (p->range == task->nr)
		return 0;
	if (p->since == WSQ_OP_PIECE) {
		p->since = 0;
		cond_resched();
		ret = wsq_op_stopped(task);
		if (ret)
			return ret;
	}
	r = &task->ranges[p->range];
	p->addr = r->addr + p->off;
	p->len = min_t(u64, r->len - p->off, WSQ_OP_PIECE - p->since);
	return 1;
}
WSQ_EXPORT(wsq_op_next_piece);

static bool wsq_name_right(const char *name)
{
	size_t i;

	if (!name || !*name)
		return false;
	for (i = 0; name[i]; i++) {
		char c = name[i];

		if (i == WSQ_OP_NAME_LEN - 1)
			return false;
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
		    c != '_' && c != '-')
			return false;
	}
	return true;
}

/**
 * wsq_def_right() - is the definition of a registered op valid
 * @def: the op
 *
 * Context: any.
 * Return: true if it is.
 */
bool wsq_def_right(const struct wsq_op_def *def)
{
	const unsigned int shape = def->shape;
	const bool relative = def->dst_len >= WSQ_DST_ARG;

	if (!wsq_name_right(def->name) || !def->issue || def->batched ||
	    def->allocates || def->state_size > WSQ_OP_STATE_MAX)
		return false;
	if (def->cap != -1 && !cap_valid(def->cap))
		return false;
	if (shape & ~WSQ_SHAPE_KNOWN)
		return false;
	if (def->dst_len == WSQ_DST_ARG && !(shape & WSQ_SHAPE_ARG))
		return false;
	switch (shape & WSQ_SHAPE_RANGE) {
	case 0:
		return !(shape & WSQ_SHAPE_LIST) && !def->max_len &&
		       !(shape & WSQ_SHAPE_APART) && !relative;
	case WSQ_SHAPE_SRC:
		return def->max_len &&
		       (def->dst_len || !(shape & WSQ_SHAPE_APART));
	case WSQ_SHAPE_OUT:
		return def->max_len && !def->dst_len &&
		       !(shape & WSQ_SHAPE_APART);
	default:
		return false;
	}
}

/* Does [@off, @off + @len) lie in the arena? */
static bool wsq_in_arena(u64 off, u64 len, u64 arena_bytes)
{
	u64 end;

	return !check_add_overflow(off, len, &end) && end <= arena_bytes;
}

/* Do two ranges overlap? They are in the arena, so neither sum overflows. */
static bool wsq_overlap(u64 a, u64 a_len, u64 b, u64 b_len)
{
	return a < b + b_len && b < a + a_len;
}

/* Bytes at dst, for ranges of @all bytes in total and @each bytes each. */
static u64 wsq_dst_len(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
		       u64 all, u64 each)
{
	switch (def->dst_len) {
	case WSQ_DST_ARG:
		return sqe->arg;
	case WSQ_DST_ALL:
		return all;
	case WSQ_DST_EACH:
		return each;
	default:
		return def->dst_len;
	}
}

/* Are unused members zero, and is len set exactly if there are ranges? */
static bool wsq_members_right(const struct wsq_op_def *def,
			      const struct wsq_sqe *sqe)
{
	const bool list = sqe->flags & WSQ_SQE_VEC;
	bool src = def->shape & WSQ_SHAPE_SRC, dst = def->dst_len;

	if (list && !(def->shape & WSQ_SHAPE_LIST))
		return false;
	if (list)
		src = true;
	else if (def->shape & WSQ_SHAPE_OUT)
		dst = true;
	if (sqe->src && !src)
		return false;
	if (sqe->dst && !dst)
		return false;
	if (sqe->arg && !(def->shape & WSQ_SHAPE_ARG))
		return false;
	if (!sqe->arg && def->dst_len == WSQ_DST_ARG)
		return false;
	if (list && !IS_ALIGNED(sqe->src, sizeof(u64)))
		return false;
	return !!sqe->len == !!(def->shape & WSQ_SHAPE_RANGE);
}

/**
 * wsq_shape_prep() - check the members that depend on the op
 * @def: the op
 * @sqe: the kernel's own copy of the entry
 * @arena_bytes: size of its ring's arena
 *
 * Context: as the op's prep.
 * Return: 0, then wsq_shape_issue() finds no error except in a list; or -errno.
 */
int wsq_shape_prep(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
		   u64 arena_bytes)
{
	const bool list = sqe->flags & WSQ_SQE_VEC;
	const bool out = def->shape & WSQ_SHAPE_OUT;
	u64 len = sqe->len, dst_len;
	int ret;

	if (!wsq_members_right(def, sqe))
		return -EINVAL;
	if (def->prep) {
		ret = def->prep(sqe);
		if (ret)
			return ret;
	}
	if (list) {
		if (len > WSQ_VEC_MAX)
			return -E2BIG;
		if (!wsq_in_arena(sqe->src, len * sizeof(struct wsq_vec),
				  arena_bytes))
			return -EFAULT;
		/* The list has the lengths. */
		dst_len = wsq_dst_len(def, sqe, 0, 0);
	} else {
		if (len > def->max_len)
			return -E2BIG;
		if (len && !wsq_in_arena(out ? sqe->dst : sqe->src, len,
					 arena_bytes))
			return -EFAULT;
		dst_len = wsq_dst_len(def, sqe, len, len);
	}
	if (dst_len && !wsq_in_arena(sqe->dst, dst_len, arena_bytes))
		return -EFAULT;
	if (!list && def->shape & WSQ_SHAPE_APART &&
	    wsq_overlap(sqe->src, len, sqe->dst, dst_len))
		return -EINVAL;
	return 0;
}

/* Read and check the list of ranges, and check the range at dst. */
static int wsq_list_read(const struct wsq_op_def *def,
			 const struct wsq_sqe *sqe, void *arena,
			 u64 arena_bytes, struct wsq_op_task *task,
			 struct wsq_range *to)
{
	const struct wsq_vec *list = arena + sqe->src;
	u64 dst_len, i;

	for (i = 0; i < sqe->len; i++) {
		u64 off = READ_ONCE(list[i].off);
		u64 len = READ_ONCE(list[i].len);

		if (!len)
			return -EINVAL;
		if (len > def->max_len - task->len)
			return -E2BIG;
		if (!wsq_in_arena(off, len, arena_bytes))
			return -EFAULT;
		if (def->dst_len == WSQ_DST_EACH && i && len != to[0].len)
			return -EINVAL;
		to[i].addr = arena + array_index_nospec(off, arena_bytes);
		to[i].len = len;
		task->len += len;
	}
	task->ranges = to;
	task->nr = sqe->len;
	if (!def->dst_len)
		return 0;

	dst_len = wsq_dst_len(def, sqe, task->len, to[0].len);
	if (!wsq_in_arena(sqe->dst, dst_len, arena_bytes))
		return -EFAULT;
	task->dst = arena + array_index_nospec(sqe->dst, arena_bytes);
	if (!(def->shape & WSQ_SHAPE_APART))
		return 0;
	for (i = 0; i < task->nr; i++)
		if (wsq_overlap(to[i].addr - (u8 *)arena, to[i].len, sqe->dst,
				dst_len))
			return -EINVAL;
	return 0;
}

/* Is a list, as it is now, longer than one piece? */
static bool wsq_list_long(const struct wsq_sqe *sqe, const void *arena)
{
	const struct wsq_vec *list = arena + sqe->src;
	u64 room = WSQ_OP_PIECE, i;

	for (i = 0; i < sqe->len; i++) {
		u64 len = READ_ONCE(list[i].len);

		if (len > room)
			return true;
		room -= len;
	}
	return false;
}

/**
 * wsq_sqe_long() - does a task wait while too many have left, see cont.c
 * @sqe: an entry that has passed wsq_shape_prep()
 * @arena: the ring's arena
 *
 * The process may change a list before it is read for the task. So this
 * decides only whether the task waits for others of its user.
 *
 * Context: any.
 * Return: true if so: the op is built-in, and the entry is longer than one
 * piece or the op allocates.
 */
bool wsq_sqe_long(const struct wsq_sqe *sqe, const void *arena)
{
	if (sqe->op >= WSQ_OP_NR)
		return false;
	if (wsq_op_table[array_index_nospec(sqe->op, WSQ_OP_NR)]->allocates)
		return true;
	return sqe->flags & WSQ_SQE_VEC ? wsq_list_long(sqe, arena) :
					  sqe->len > WSQ_OP_PIECE;
}

/* Save a task whose op is to be called again. */
static void wsq_cont_save(struct wsq_op_cont *c, const struct wsq_op_def *def,
			  const struct wsq_op_task *task)
{
	c->task = *task;
	c->task.stop = NULL;
	if (task->nr) {
		memcpy(c->ranges, task->ranges,
		       task->nr * sizeof(*task->ranges));
		c->task.ranges = c->ranges;
	}
	if (task->state) {
		memcpy(c->state, task->state, def->state_size);
		c->task.state = c->state;
	}
}

/*
 * Call the op, which is named if it leaves a lock or the like. Those that may be
 * in a batch are our own, and run with preemption off there.
 */
static __always_inline s64 wsq_op_call(const struct wsq_op_def *def,
				       const struct wsq_op_task *task)
{
	int locks;
	s64 res;

	if (likely(def->batched))
		return def->issue(task);
	locks = wsq_leak_begin();
	res = def->issue(task);
	wsq_leak_end(def->issue, locks);
	return res;
}

/*
 * An op is to be called again. The task leaves if there is memory for it; the
 * result is %WSQ_OP_AGAIN then. Otherwise its worker calls the op again,
 * without asking it to leave. If the op still returns %WSQ_OP_AGAIN, it waits
 * for something, perhaps for another task, which a standby worker runs while
 * this one sleeps.
 */
static noinline s64 wsq_op_again(const struct wsq_op_def *def, u16 op,
				 struct wsq_op_task *task,
				 struct wsq_op_cont **cont)
{
	struct wsq_stop stay = *task->stop;
	struct wsq_conts *conts = stay.conts;
	bool waits = false;
	s64 res;

	stay.conts = NULL;
	task->stop = &stay;
	do {
		if (conts && !*cont)
			*cont = wsq_cont_get(conts, op);
		if (conts && *cont) {
			wsq_cont_save(*cont, def, task);
			return WSQ_OP_AGAIN;
		}
		if (waits)
			schedule_timeout_idle(1);
		else
			cond_resched();
		waits = conts;
		res = wsq_stopped(&stay);
		if (res)
			return res;
		if (unlikely(wsq_op_going(op)))
			return -EOPNOTSUPP;
		res = wsq_op_call(def, task);
	} while (res == WSQ_OP_AGAIN);
	return res;
}

/* Call the op for the first time. @state has WSQ_OP_STATE_MAX bytes. */
static __always_inline s64 wsq_op_begin(const struct wsq_op_def *def, u16 op,
					struct wsq_op_task *task, u64 *state,
					struct wsq_op_cont **cont)
{
	s64 res;

	task->state = NULL;
	if (def->state_size) {
		task->state = state;
		memset(state, 0, WSQ_STATE_SMALL);
		if (def->state_size > WSQ_STATE_SMALL)
			memset((u8 *)state + WSQ_STATE_SMALL, 0,
			       def->state_size - WSQ_STATE_SMALL);
	}
	/* It may sleep: it counts as one that has left, cont.c. */
	if (unlikely(def->allocates) && task->stop->conts && !*cont)
		*cont = wsq_cont_get(task->stop->conts, op);
	res = wsq_op_call(def, task);
	if (unlikely(res == WSQ_OP_AGAIN))
		res = wsq_op_again(def, op, task, cont);
	return res;
}

/* Out of line, because other entries do not need this much stack. */
static noinline s64 wsq_list_issue(const struct wsq_op_def *def,
				   const struct wsq_sqe *sqe, void *arena,
				   u64 arena_bytes, const struct wsq_stop *stop,
				   struct wsq_op_cont **cont)
{
	struct wsq_op_task task = { .arg = sqe->arg, .stop = stop };
	u64 state[WSQ_OP_STATE_MAX / sizeof(u64)] __uninitialized;
	struct wsq_range ranges[WSQ_VEC_MAX];
	int ret;

	ret = wsq_list_read(def, sqe, arena, arena_bytes, &task, ranges);
	return ret ?: wsq_op_begin(def, sqe->op, &task, state, cont);
}

/**
 * wsq_shape_issue() - do what an entry asks for
 * @def: the op
 * @sqe: an entry that has passed wsq_shape_prep()
 * @arena: the ring's arena
 * @arena_bytes: its size
 * @stop: when to end early, or to leave the worker
 * @cont: as for wsq_op_issue()
 *
 * Context: as wsq_op_issue().
 * Return: as wsq_op_issue(); -errno also if a list is wrong.
 */
s64 wsq_shape_issue(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
		    void *arena, u64 arena_bytes, const struct wsq_stop *stop,
		    struct wsq_op_cont **cont)
{
	u64 state[WSQ_OP_STATE_MAX / sizeof(u64)] __uninitialized;
	const bool out = def->shape & WSQ_SHAPE_OUT;
	struct wsq_op_task task __uninitialized;
	struct wsq_range range __uninitialized;

	if (unlikely(sqe->flags & WSQ_SQE_VEC))
		return wsq_list_issue(def, sqe, arena, arena_bytes, stop, cont);
	/* One by one: clearing the whole struct takes longer than a nop. */
	range.addr = arena + (out ? sqe->dst : sqe->src);
	range.len = sqe->len;
	task.ranges = sqe->len ? &range : NULL;
	task.nr = !!sqe->len;
	task.len = sqe->len;
	task.dst = def->dst_len ? arena + sqe->dst : NULL;
	task.arg = sqe->arg;
	task.stop = stop;
	return wsq_op_begin(def, sqe->op, &task, state, cont);
}
WSQ_EXPORT_KUNIT(wsq_shape_issue);

/**
 * wsq_op_resume() - continue a task that has left its worker
 * @sqe: its entry
 * @stop: when to end early, or to leave the worker
 * @cont: as wsq_op_issue() has filled it in
 *
 * Context: as wsq_op_issue().
 * Return: as wsq_op_issue(): with %WSQ_OP_AGAIN it has left to @cont again.
 */
s64 wsq_op_resume(const struct wsq_sqe *sqe, const struct wsq_stop *stop,
		  struct wsq_op_cont *cont)
{
	struct wsq_op_ref op __uninitialized;
	s64 res = wsq_stopped(stop);

	if (res)
		return res;
	if (unlikely(!wsq_op_get(&op, sqe->op)))
		return -EOPNOTSUPP;
	cont->task.stop = stop;
	res = wsq_op_call(op.def, &cont->task);
	cont->task.stop = NULL;
	wsq_op_put(&op);
	return res;
}
WSQ_EXPORT_KUNIT(wsq_op_resume);
