// SPDX-License-Identifier: GPL-2.0
/*
 * The outcome of an entry, byte by byte. The rules are in wsq_rules.h.
 */
#include "oracle.h"

#include <stdlib.h>

static const struct wsq_rule own[] = {
	{ "sum", .src = true, .list = true, .apart = true, .arg = 999, .max = 1000,
	  .dst = 16 },
	{ "mark", .dst = 8 },
	{ "probe", .arg = ~0ULL },
};

unsigned int oracle_own = 2;

const struct wsq_rule *rule_of(u32 op)
{
	if (op < ARRAY_SIZE(wsq_rules))
		return &wsq_rules[op];
	if (op >= WSQ_OP_REGISTERED && op < WSQ_OP_REGISTERED + oracle_own)
		return &own[op - WSQ_OP_REGISTERED];
	return NULL;
}

/* As in the shim: one CPU and one node in the middle are missing. */
static bool a_cpu(u32 nr)
{
	return nr < 16 && nr != 6;
}

static bool a_node(u32 nr)
{
	return nr < 3 && nr != 1;
}

/* The caller, model.c, handles rings without keys, and with fewer futures. */
int oracle_entry(const struct wsq_sqe *sqe, u64 arena_bytes)
{
	const struct wsq_rule_ring ring = {
		.arena_bytes = arena_bytes, .keys = true, .futures = 65535,
		.cpu = a_cpu, .node = a_node,
	};
	const struct wsq_rule *r = rule_of(sqe->op);

	return r ? wsq_rule_sqe(r, sqe, &ring) : -EOPNOTSUPP;
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

static void wrong(void *v, int err)
{
	verdict_error(v, err);
}

/* Ranges of an entry: its own, or its list's. */
static unsigned int ranges_of(const struct wsq_rule *r, const struct wsq_sqe *sqe,
			      const u8 *arena, u64 arena_bytes, struct wsq_vec *to,
			      struct verdict *v)
{
	struct wsq_rule_sum sum;

	if (!(sqe->flags & WSQ_SQE_VEC)) {
		to->off = r->out ? sqe->dst : sqe->src;
		to->len = sqe->len;
		return sqe->len != 0;
	}
	memcpy(to, arena + sqe->src, sqe->len * sizeof(*to));
	wsq_rule_list(r, sqe, to, arena_bytes, &sum, wrong, v);
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

/* Bit by bit, as the polynomial is written. */
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

static int number_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
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
	const struct wsq_rule *r = rule_of(sqe->op);
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
	case WSQ_OP_FSVERITY:
		v->res = r->dst;
		shim_digest(arena + sqe->dst, sum(arena, range, nr, SHIM_SUM), r->dst);
		touch(v, sqe->dst, r->dst);
		break;
	case WSQ_OP_SORT64:
		v->res = sqe->len;
		memcpy(arena + sqe->dst, arena + sqe->src, sqe->len);
		qsort(arena + sqe->dst, sqe->len / 8, 8, number_compare);
		/* As the shim leaves it. */
		memset(arena + sqe->src, 0xa5, sqe->len);
		touch(v, sqe->dst, sqe->len);
		touch(v, sqe->src, sqe->len);
		break;
	case WSQ_OP_GZIP:
		v->res = sqe->len;
		memset(arena + sqe->dst, 0xee, wsq_rule_grown(sqe->len));
		memcpy(arena + sqe->dst, arena + sqe->src, sqe->len);
		touch(v, sqe->dst, sqe->arg);
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
