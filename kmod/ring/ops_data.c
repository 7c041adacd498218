// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in ops that copy, fill and compare bytes.
 *
 * Cost: about that of memcpy(), memset64() and memcmp(). xor uses 64-bit words,
 * not vector registers: saving these would cost more than it gains for small
 * tasks.
 */
#include <linux/compiler.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../compat/unaligned.h"
#include "ops.h"

static s64 wsq_nop_issue(const struct wsq_op_task *task)
{
	return 0;
}

const struct wsq_op_def wsq_op_nop = {
	.name = "nop",
	.cap = -1,
	.issue = wsq_nop_issue,
	.batched = true,
};

static s64 wsq_copy_issue(const struct wsq_op_task *task)
{
	struct wsq_op_piece *p = task->state;
	int ret;

	while ((ret = wsq_op_next_piece(task, p)) > 0)
		memcpy(task->dst + p->at, p->addr, p->len);
	return ret ?: (s64)task->len;
}

const struct wsq_op_def wsq_op_copy = {
	.name = "copy",
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST | WSQ_SHAPE_APART,
	.cap = -1,
	.max_len = WSQ_OP_MAX_LEN,
	.dst_len = WSQ_DST_ALL,
	.state_size = sizeof(struct wsq_op_piece),
	.issue = wsq_copy_issue,
	.batched = true,
};

/* The eight bytes of @pattern from its byte @from on, rotated. */
static u64 wsq_pattern_from(u64 pattern, unsigned int from)
{
	u8 twice[2 * sizeof(pattern)];

	memcpy(twice, &pattern, sizeof(pattern));
	memcpy(twice + sizeof(pattern), &pattern, sizeof(pattern));
	return get_unaligned((u64 *)&twice[from % sizeof(pattern)]);
}

/* Write @n bytes of the pattern to @p, from pattern byte @from on. */
static void wsq_fill(u8 *p, size_t n, u64 pattern, unsigned int from)
{
	size_t head = min_t(size_t, n, -(unsigned long)p % sizeof(u64));
	u64 word = wsq_pattern_from(pattern, from);

	memcpy(p, &word, head);
	p += head;
	n -= head;
	word = wsq_pattern_from(pattern, from + head);
	memset64((u64 *)p, word, n / sizeof(word));
	memcpy(p + round_down(n, sizeof(word)), &word, n % sizeof(word));
}

static s64 wsq_fill_issue(const struct wsq_op_task *task)
{
	struct wsq_op_piece *p = task->state;
	int ret;

	while ((ret = wsq_op_next_piece(task, p)) > 0)
		wsq_fill(p->addr, p->len, task->arg, p->at % sizeof(u64));
	return ret ?: (s64)task->len;
}

const struct wsq_op_def wsq_op_fill = {
	.name = "fill",
	.shape = WSQ_SHAPE_OUT | WSQ_SHAPE_LIST | WSQ_SHAPE_ARG,
	.cap = -1,
	.max_len = WSQ_OP_MAX_LEN,
	.state_size = sizeof(struct wsq_op_piece),
	.issue = wsq_fill_issue,
	.batched = true,
};

/* Number of equal bytes at the front; @n if a second look finds all equal. */
static size_t wsq_equal(const u8 *a, const u8 *b, size_t n)
{
	size_t i;

	if (!memcmp(a, b, n))
		return n;
	for (i = 0; i < n; i++)
		if (READ_ONCE(a[i]) != READ_ONCE(b[i]))
			break;
	return i;
}

static s64 wsq_compare_issue(const struct wsq_op_task *task)
{
	struct wsq_op_piece *p = task->state;
	int ret;

	while ((ret = wsq_op_next_piece(task, p)) > 0) {
		size_t n = wsq_equal(p->addr, task->dst + p->at, p->len);

		if (n < p->len)
			return p->at + n;
	}
	return ret ?: (s64)task->len;
}

const struct wsq_op_def wsq_op_compare = {
	.name = "compare",
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST,
	.cap = -1,
	.max_len = WSQ_OP_MAX_LEN,
	.dst_len = WSQ_DST_ALL,
	.state_size = sizeof(struct wsq_op_piece),
	.issue = wsq_compare_issue,
	.batched = true,
};

/* The process may write here concurrently; it spoils only its own result. */
static void __no_kcsan wsq_xor_into(u8 *dst, const u8 *src, size_t n)
{
	while (n >= sizeof(u64)) {
		put_unaligned(get_unaligned((u64 *)dst) ^
			      get_unaligned((const u64 *)src), (u64 *)dst);
		dst += sizeof(u64);
		src += sizeof(u64);
		n -= sizeof(u64);
	}
	while (n--)
		*dst++ ^= *src++;
}

static s64 wsq_xor_issue(const struct wsq_op_task *task)
{
	const u64 len = task->ranges[0].len;
	/* A step of all ranges together reads one piece. */
	const u64 step = WSQ_OP_PIECE / task->nr;
	u64 *at = task->state;

	for (;;) {
		size_t n = min(len - *at, step);
		unsigned int i;
		int ret;

		for (i = 0; i < task->nr; i++)
			wsq_xor_into(task->dst + *at,
				     task->ranges[i].addr + *at, n);
		*at += n;
		if (*at == len)
			return len;
		cond_resched();
		ret = wsq_op_stopped(task);
		if (ret)
			return ret;
	}
}

const struct wsq_op_def wsq_op_xor = {
	.name = "xor",
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST | WSQ_SHAPE_APART,
	.cap = -1,
	.max_len = WSQ_OP_MAX_LEN,
	.dst_len = WSQ_DST_EACH,
	.state_size = sizeof(u64),
	.issue = wsq_xor_issue,
	.batched = true,
};
