// SPDX-License-Identifier: GPL-2.0
/*
 * Ops of another module, in shapes that no built-in op has, and arbitrary ones.
 * Also makes numbers and entries from bytes.
 */
#include <linux/wsq_op.h>

#include "input.h"
#include "oracle.h"

#include <ring/ops.h>

static int sum_prep(const struct wsq_sqe *sqe)
{
	return sqe->arg > 999 ? -EINVAL : 0;
}

static s64 sum_issue(const struct wsq_op_task *task)
{
	struct wsq_op_piece p = {};
	u64 sum = SHIM_SUM ^ task->arg;
	int ret;

	while ((ret = wsq_op_next_piece(task, &p)) > 0) {
		MUST(p.len);
		sum = shim_sum(sum, p.addr, p.len);
	}
	if (ret)
		return ret;
	memcpy(task->dst, &sum, 8);
	memcpy(task->dst + 8, &sum, 8);
	return 16;
}

static const struct wsq_op_def op_sum = {
	.name = "sum",
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST | WSQ_SHAPE_ARG | WSQ_SHAPE_APART,
	.cap = -1,
	.max_len = 1000,
	.dst_len = 16,
	.prep = sum_prep,
	.issue = sum_issue,
};

static s64 mark_issue(const struct wsq_op_task *task)
{
	MUST(!task->nr && !task->len);
	memset(task->dst, 0xa5, 8);
	return 0;
}

static const struct wsq_op_def op_mark = {
	.name = "mark",
	.cap = -1,
	.dst_len = 8,
	.issue = mark_issue,
};

int ops_register(void)
{
	int ret = wsq_register_op(&op_sum);

	MUST(ret == OP_SUM || ret == -ENOMEM);
	if (ret < 0)
		return ret;
	ret = wsq_register_op(&op_mark);
	MUST(ret == OP_MARK || ret == -ENOMEM);
	if (ret < 0)
		wsq_unregister_op(&op_sum);
	return min(ret, 0);
}

void ops_unregister(void)
{
	wsq_unregister_op(&op_mark);
	wsq_unregister_op(&op_sum);
}

static s64 no_issue(const struct wsq_op_task *task)
{
	return 0;
}

/* By ops.rst: is this definition valid? */
static bool def_right(const struct wsq_op_def *d)
{
	const bool src = d->shape & WSQ_SHAPE_SRC, out = d->shape & WSQ_SHAPE_OUT;
	const bool list = d->shape & WSQ_SHAPE_LIST, apart = d->shape & WSQ_SHAPE_APART;
	size_t i, len = d->name ? strlen(d->name) : 0;

	for (i = 0; i < len; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_-", d->name[i]))
			return false;
	if (!len || len > 15 || !d->issue || d->cap < -1 || d->cap > 40)
		return false;
	if (d->shape >= 32 || (src && out))
		return false;
	if (!src && !out)
		return !list && !apart && !d->max_len && d->dst_len < WSQ_DST_ARG;
	if (d->dst_len == WSQ_DST_ARG && !(d->shape & WSQ_SHAPE_ARG))
		return false;
	if (!d->max_len || (out && (d->dst_len || apart)))
		return false;
	return !apart || d->dst_len;
}

static bool name_taken(const char *name)
{
	u32 op;

	for (op = 0; op <= OP_MARK; op++)
		if (rule_of(op) && !strcmp(rule_of(op)->name, name))
			return true;
	return false;
}

void op_any(struct input *in)
{
	const u8 how = in_u8(in);
	char name[20] = "x";
	struct wsq_op_def def = {
		.name = how & 1 ? NULL : name,
		.owner = (struct module *)name,
		.shape = in_u8(in),
		.cap = (int)in_u8(in) - 2,
		.max_len = in_number(in, U64_MAX),
		.dst_len = in_number(in, U64_MAX),
		.issue = how & 2 ? NULL : no_issue,
	};
	struct wsq_op_info info;
	u32 next;
	int ret;

	if (how & 4)
		in_bytes(in, name, sizeof(name) - 1);
	if (how & 64)
		memset(name, 'n', how & 8 ? 16 : 15);
	if (how == 8)
		strcpy(name, "sha256");
	shim_memory.failed = false;
	next = wsq_op_next;
	wsq_op_next = how & 16 ? 65536 - (how >> 7) : 1000 + how;
	ret = wsq_register_op(&def);
	if (!def_right(&def))
		MUST(ret == -EINVAL);
	else if (ret == -ENOMEM)
		MUST(shim_memory.failed);
	else if (ret == -ENOSPC)
		MUST(how & 16 && !(how >> 7));
	else if (ret == -EEXIST || name_taken(name))
		MUST(ret == -EEXIST && name_taken(name));
	else
		MUST(ret == (how & 16 ? 65535 : 1000 + how));
	if (ret >= 0) {
		MUST(wsq_op_query(ret, &info) && !strcmp(info.name, name));
		MUST(info.cap == (def.cap < 0 ? 0 : (u64)def.cap));
		MUST(!(info.flags & WSQ_OPF_CAP) == (def.cap < 0));
		MUST(!(info.flags & WSQ_OPF_VEC) == !(def.shape & WSQ_SHAPE_LIST));
		if (how & 32)
			/* The module unloads without unregistering. */
			shim_notifier->notifier_call(shim_notifier,
						     MODULE_STATE_GOING, name);
		else
			wsq_unregister_op(&def);
		MUST(!wsq_op_query(ret, &info));
	}
	wsq_op_next = next;
}

u64 in_number(struct input *in, u64 limit)
{
	const u8 how = in_u8(in);

	switch (how & 7) {
	case 0:
		return how >> 3;
	case 1:
		return in_u8(in);
	case 2:
		return in_u16(in);
	case 3:
		return limit - (how >> 3);
	case 4:
		return limit + (how >> 3);
	case 5:
		return -(u64)(how >> 3);
	case 6:
		return (1ULL << (how >> 3) << (in_u8(in) & 31)) - 1 + (how >> 7);
	default:
		return in_u64(in);
	}
}

/* A range that is mostly in the arena. */
static void in_range(struct input *in, u64 arena_bytes, u64 *off, u64 *len)
{
	*off = in_u16(in);
	*len = in_u8(in);
	if (arena_bytes)
		*off %= arena_bytes;
	if (*len >= 0xf0)
		*len = (*len - 0xf0) << 12 | in_u8(in);
	if (*off + *len > arena_bytes && *len & 1)
		*off = arena_bytes - min(*len, arena_bytes);
}

/* Lists go into the arena. */
static void in_list(struct input *in, struct wsq_sqe *sqe, u8 *arena, u64 arena_bytes)
{
	struct wsq_vec vec;
	unsigned int i, nr = in_u8(in) % 20;
	const u8 how = in_u8(in);
	u64 last = 0;

	sqe->len = nr;
	sqe->src = in_u16(in) & ~7;
	if (arena_bytes)
		sqe->src %= arena_bytes;
	for (i = 0; i < nr; i++) {
		in_range(in, arena_bytes, &vec.off, &vec.len);
		if (how & 1 && i)
			vec.len = last;
		if (how == 7 + i)
			vec.off = in_number(in, arena_bytes);
		if (how == 70 + i)
			vec.len = in_number(in, 1ULL << 24);
		last = vec.len;
		if (sqe->src + (i + 1) * sizeof(vec) <= arena_bytes)
			memcpy(arena + sqe->src + i * sizeof(vec), &vec, sizeof(vec));
	}
}

void in_futures(struct input *in, struct wsq_sqe *sqe, u32 i, u32 many)
{
	const u8 a = in_u8(in), b = in_u8(in);

	if (a < 0xf0)
		sqe->flags &= ~WSQ_SQE_DEADLINE;
	sqe->flags |= WSQ_SQE_FUTURES;
	sqe->deadline = WSQ_FUTURES(a & 15, a >> 4, b & 15, b >> 4);
	/* A row, or one for which all others wait. */
	if (many)
		sqe->deadline = WSQ_FUTURES(i + 1, many & 1 ? i : !!i, 0, 0);
}

void in_sqe(struct input *in, struct wsq_sqe *sqe, u8 *arena, u64 arena_bytes)
{
	const u8 how = in_u8(in), flags = in_u8(in);
	const struct wsq_rule *r;
	u64 other;

	if (how == 0xff) {
		in_bytes(in, sqe, sizeof(*sqe));
		return;
	}
	memset(sqe, 0, sizeof(*sqe));
	sqe->op = how & 15;
	if (sqe->op > 9)
		sqe->op = sqe->op < 14 ? OP_SUM + sqe->op - 10 : in_u16(in);
	if ((how & 15) == 15 && sqe->op & 2)
		sqe->op = sqe->op & 1 ? WSQ_OP_SORT64 : WSQ_OP_GZIP;
	sqe->flags = flags & 0x7f;
	r = rule_of(sqe->op);
	if (r && r->src)
		in_range(in, arena_bytes, &sqe->src, &sqe->len);
	if (r && (r->out || r->dst))
		in_range(in, arena_bytes, &sqe->dst, r->out ? &sqe->len : &other);
	if (r && r->arg)
		sqe->arg = in_u32(in);
	/* Seldom right otherwise. */
	if (r && r->align && flags < 0x80) {
		sqe->src -= sqe->src % r->align;
		sqe->len -= sqe->len % r->align;
		sqe->dst -= sqe->dst % r->align;
	}
	if (r && r->dst == WSQ_RULE_ARG && flags < 0x80)
		sqe->arg = wsq_rule_grown(sqe->len) + (sqe->arg & 7);
	if (sqe->flags & WSQ_SQE_VEC) {
		in_list(in, sqe, arena, arena_bytes);
		if (r && r->out)
			sqe->dst = 0;
	}
	if (sqe->flags & (WSQ_SQE_CPU | WSQ_SQE_NODE))
		sqe->hint = in_u8(in) % 20;
	if (sqe->flags & WSQ_SQE_KEY)
		sqe->key = in_u8(in) & 7;
	if (sqe->flags & WSQ_SQE_DEADLINE)
		sqe->deadline = shim_clock + in_u16(in) * 64;
	sqe->user_data = in_u8(in);
	/* Then change something that may be wrong. */
	switch (how >> 4) {
	case 1:
		sqe->src = in_number(in, arena_bytes);
		break;
	case 2:
		sqe->len = in_number(in, arena_bytes);
		break;
	case 3:
		sqe->dst = in_number(in, arena_bytes);
		break;
	case 4:
		sqe->len = in_number(in, 1ULL << 24);
		break;
	case 5:
		sqe->arg = in_number(in, 1ULL << 32);
		break;
	case 6:
		sqe->hint = in_number(in, 16);
		break;
	case 7:
		sqe->flags |= in_u16(in);
		break;
	case 8:
		sqe->deadline = in_number(in, shim_clock);
		break;
	case 9:
		sqe->key = in_number(in, 1);
		break;
	case 10:
		sqe->src = in_number(in, arena_bytes) & ~7ULL;
		sqe->len = in_number(in, 16);
		break;
	case 11:
		/* One directly behind the other, or overlapping by one byte. */
		sqe->dst = sqe->src + sqe->len - (in_u8(in) & 1);
		break;
	}
}
