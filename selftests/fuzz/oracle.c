// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of entries, byte by byte and in 128 bits, so that nothing overflows.
 */
#include "oracle.h"

typedef unsigned __int128 u128;

#define MIB16	(16ULL << 20)

static const struct rule builtin[] = {
	[WSQ_OP_NOP] = { .name = "nop" },
	[WSQ_OP_COPY] = { "copy", .src = true, .list = true, .apart = true,
			  .max = MIB16, .dst = RULE_ALL },
	[WSQ_OP_CRC32C] = { "crc32c", .src = true, .list = true,
			    .arg = 0xffffffff, .max = MIB16 },
	[WSQ_OP_SHA256] = { "sha256", .src = true, .list = true, .max = MIB16,
			    .dst = 32 },
	[WSQ_OP_FILL] = { "fill", .out = true, .list = true, .arg = ~0ULL,
			  .max = MIB16 },
	[WSQ_OP_COMPARE] = { "compare", .src = true, .list = true, .max = MIB16,
			     .dst = RULE_ALL },
	[WSQ_OP_XOR] = { "xor", .src = true, .list = true, .apart = true,
			 .max = MIB16, .dst = RULE_EACH },
	[WSQ_OP_XXHASH64] = { "xxhash64", .src = true, .list = true, .arg = ~0ULL,
			      .max = MIB16, .dst = 8 },
	[WSQ_OP_SHA512] = { "sha512", .src = true, .list = true, .max = MIB16,
			    .dst = 64 },
};

static const struct rule own[] = {
	{ "sum", .src = true, .list = true, .apart = true, .arg = 999, .max = 1000,
	  .dst = 16 },
	{ "mark", .dst = 8 },
	{ "probe", .arg = ~0ULL },
};

unsigned int oracle_own = 2;

const struct rule *rule_of(u32 op)
{
	if (op < ARRAY_SIZE(builtin))
		return &builtin[op];
	if (op >= WSQ_OP_REGISTERED && op < WSQ_OP_REGISTERED + oracle_own)
		return &own[op - WSQ_OP_REGISTERED];
	return NULL;
}

static bool inside(u64 off, u64 len, u64 arena_bytes)
{
	return (u128)off + len <= arena_bytes;
}

static bool meet(u64 a, u64 a_len, u64 b, u64 b_len)
{
	return (u128)a < (u128)b + b_len && (u128)b < (u128)a + a_len;
}

/* EINVAL, but for ranges that overlap. */
static bool members(const struct rule *r, const struct wsq_sqe *sqe)
{
	const bool list = sqe->flags & WSQ_SQE_VEC;
	const bool cpu = sqe->flags & WSQ_SQE_CPU, node = sqe->flags & WSQ_SQE_NODE;

	if (sqe->flags >= 1 << 7)
		return false;
	if (cpu && node)
		return false;
	if (cpu && (sqe->hint >= 16 || sqe->hint == 6))
		return false;
	if (node && (sqe->hint >= 3 || sqe->hint == 1))
		return false;
	if (!cpu && !node && sqe->hint)
		return false;
	if (!(sqe->flags & WSQ_SQE_KEY) && sqe->key)
		return false;
	if (!(sqe->flags & WSQ_SQE_DEADLINE) && sqe->deadline)
		return false;
	if (sqe->arg > r->arg)
		return false;
	if (list && (!r->list || sqe->src % 8))
		return false;
	if (!list && !r->src && sqe->src)
		return false;
	if (sqe->dst && !r->dst && !(r->out && !list))
		return false;
	return (r->src || r->out) == (sqe->len != 0);
}

int oracle_entry(const struct wsq_sqe *sqe, u64 arena_bytes)
{
	const struct rule *r = rule_of(sqe->op);
	const bool list = sqe->flags & WSQ_SQE_VEC;
	u64 dst;

	if (!r)
		return -EOPNOTSUPP;
	if (!members(r, sqe))
		return -EINVAL;
	dst = r->dst;
	if (dst >= RULE_EACH)
		dst = list ? 0 : sqe->len;
	if (list) {
		if (sqe->len > 16)
			return -E2BIG;
		if (!inside(sqe->src, sqe->len * 16, arena_bytes))
			return -EFAULT;
	} else {
		if (sqe->len > r->max)
			return -E2BIG;
		if (r->src && !inside(sqe->src, sqe->len, arena_bytes))
			return -EFAULT;
		if (r->out && !inside(sqe->dst, sqe->len, arena_bytes))
			return -EFAULT;
	}
	if (dst && !inside(sqe->dst, dst, arena_bytes))
		return -EFAULT;
	if (!list && r->apart && meet(sqe->src, sqe->len, sqe->dst, dst))
		return -EINVAL;
	return 0;
}

void verdict_error(struct verdict *v, int error)
{
	v->errors[error / 64] |= 1ULL << (error % 64);
}

bool verdict_bad(const struct verdict *v)
{
	return v->errors[0] | v->errors[1] | v->errors[2];
}

bool verdict_has(const struct verdict *v, s64 res)
{
	if (!verdict_bad(v))
		return res == v->res;
	return res < 0 && res > -192 && v->errors[-res / 64] >> (-res % 64) & 1;
}

static void touch(struct verdict *v, u64 off, u64 len)
{
	v->touched[v->nr].off = off;
	v->touched[v->nr++].len = len;
}

/* Ranges of an entry: its own, or those of the list. */
static unsigned int ranges_of(const struct rule *r, const struct wsq_sqe *sqe,
			      const u8 *arena, u64 arena_bytes, struct wsq_vec *to,
			      struct verdict *v)
{
	u128 all = 0;
	unsigned int i;

	if (!(sqe->flags & WSQ_SQE_VEC)) {
		to->off = r->out ? sqe->dst : sqe->src;
		to->len = sqe->len;
		return sqe->len != 0;
	}
	memcpy(to, arena + sqe->src, sqe->len * sizeof(*to));
	for (i = 0; i < sqe->len; i++) {
		if (!to[i].len)
			verdict_error(v, EINVAL);
		if (!inside(to[i].off, to[i].len, arena_bytes))
			verdict_error(v, EFAULT);
		if (r->dst == RULE_EACH && to[i].len != to[0].len)
			verdict_error(v, EINVAL);
		all += to[i].len;
	}
	if (all > r->max)
		verdict_error(v, E2BIG);
	if (r->dst == RULE_EACH)
		all = to[0].len;
	else if (r->dst != RULE_ALL)
		all = r->dst;
	if (all && !inside(sqe->dst, all > MIB16 ? MIB16 : all, arena_bytes))
		verdict_error(v, EFAULT);
	for (i = 0; i < sqe->len && r->apart; i++)
		if (all <= MIB16 && meet(to[i].off, to[i].len, sqe->dst, all))
			verdict_error(v, EINVAL);
	return sqe->len;
}

static u64 fill(u8 *arena, const struct wsq_vec *range, unsigned int nr, u64 arg)
{
	u64 at = 0, k;
	unsigned int i;

	for (i = 0; i < nr; i++)
		for (k = 0; k < range[i].len; k++, at++)
			arena[range[i].off + k] = arg >> (at % 8 * 8);
	return at;
}

static u64 copy(u8 *to, const u8 *arena, const struct wsq_vec *range, unsigned int nr)
{
	u64 at = 0;
	unsigned int i;

	for (i = 0; i < nr; at += range[i++].len)
		memmove(to + at, arena + range[i].off, range[i].len);
	return at;
}

static u64 compare(const u8 *with, const u8 *arena, const struct wsq_vec *range,
		   unsigned int nr)
{
	u64 at = 0, k;
	unsigned int i;

	for (i = 0; i < nr; i++)
		for (k = 0; k < range[i].len; k++, at++)
			if (arena[range[i].off + k] != with[at])
				return at;
	return at;
}

static u64 xor(u8 *to, const u8 *arena, const struct wsq_vec *range, unsigned int nr)
{
	unsigned int i;
	u64 k;

	for (i = 0; i < nr; i++)
		for (k = 0; k < range[i].len; k++)
			to[k] ^= arena[range[i].off + k];
	return range[0].len;
}

/* By bits, as the polynomial is written. */
static u32 crc(const u8 *arena, const struct wsq_vec *range, unsigned int nr, u32 sum)
{
	unsigned int i, bit;
	u64 k;

	sum = ~sum;
	for (i = 0; i < nr; i++)
		for (k = 0; k < range[i].len; k++) {
			sum ^= arena[range[i].off + k];
			for (bit = 0; bit < 8; bit++)
				sum = sum >> 1 ^ (sum & 1 ? 0x82f63b78 : 0);
		}
	return ~sum;
}

static u64 sum(const u8 *arena, const struct wsq_vec *range, unsigned int nr, u64 from)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		from = shim_sum(from, arena + range[i].off, range[i].len);
	return from;
}

void oracle_task(const struct wsq_sqe *sqe, u8 *arena, u64 arena_bytes,
		 struct verdict *v)
{
	const struct rule *r = rule_of(sqe->op);
	struct wsq_vec range[WSQ_VEC_MAX];
	unsigned int nr, i;
	u64 word;

	memset(v, 0, sizeof(*v));
	nr = ranges_of(r, sqe, arena, arena_bytes, range, v);
	if (verdict_bad(v))
		return;
	switch (sqe->op) {
	case WSQ_OP_COPY:
		v->res = copy(arena + sqe->dst, arena, range, nr);
		touch(v, sqe->dst, v->res);
		break;
	case WSQ_OP_CRC32C:
		v->res = crc(arena, range, nr, sqe->arg);
		break;
	case WSQ_OP_SHA256:
	case WSQ_OP_SHA512:
		v->res = r->dst;
		shim_digest(arena + sqe->dst, sum(arena, range, nr, SHIM_SUM), r->dst);
		touch(v, sqe->dst, r->dst);
		break;
	case WSQ_OP_FILL:
		v->res = fill(arena, range, nr, sqe->arg);
		for (i = 0; i < nr; i++)
			touch(v, range[i].off, range[i].len);
		break;
	case WSQ_OP_COMPARE:
		v->res = compare(arena + sqe->dst, arena, range, nr);
		break;
	case WSQ_OP_XOR:
		v->res = xor(arena + sqe->dst, arena, range, nr);
		touch(v, sqe->dst, v->res);
		break;
	case WSQ_OP_XXHASH64:
	case OP_SUM:
		word = sum(arena, range, nr, SHIM_SUM ^ sqe->arg);
		v->res = r->dst;
		for (i = 0; i < r->dst; i += 8)
			memcpy(arena + sqe->dst + i, &word, 8);
		touch(v, sqe->dst, r->dst);
		break;
	case OP_MARK:
		memset(arena + sqe->dst, 0xa5, 8);
		touch(v, sqe->dst, 8);
		break;
	}
}
