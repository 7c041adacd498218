/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The rules of entries: which members of an entry give which errno. Written
 * from <linux/wsq.h>, Documentation/ring.rst, errors.rst and ops.rst, and not
 * from kmod/ring, which they test.
 *
 * For: the fuzzers' oracle (selftests/fuzz/oracle.c), hostile.c, and the fake
 * ring of libwsq's tests (tools/lib/tests/fake.c). Each includes the ABI's
 * header, errnos and bool before this, each in its own way.
 *
 * The caller knows what a rule cannot: which CPUs and nodes exist, whether the
 * ring has keys, its restrictions, whether an entry is behind a link, and which
 * futures are pending. The order of errors is the ABI's: EOPNOTSUPP (no rule),
 * EPERM (the caller's), then wsq_rule_sqe().
 *
 * Limitations: results, and a task's effect on the arena, are not here.
 */
#ifndef WSQ_RULES_H
#define WSQ_RULES_H

/*
 * dst is as long as all ranges together; as each; or arg, which is at least what
 * gzip may need for len.
 */
#define WSQ_RULE_ALL	(~0ULL)
#define WSQ_RULE_EACH	(~0ULL - 1)
#define WSQ_RULE_ARG	(~0ULL - 2)

#define WSQ_RULE_MOST	(16ULL << 20)

/**
 * struct wsq_rule - what an op allows
 * @name: as QUERY returns it
 * @src: reads src, len
 * @out: writes dst, len
 * @list: takes lists
 * @apart: ranges must not overlap
 * @scratch: writes src, len, too
 * @align: src, len and dst are multiples of it, if it is not 0
 * @arg: largest arg
 * @max: most bytes
 * @dst: bytes at dst, besides
 */
struct wsq_rule {
	const char *name;
	bool src, out, list, apart, scratch;
	__u64 align;
	__u64 arg;
	__u64 max;
	__u64 dst;
};

static const struct wsq_rule wsq_rules[WSQ_OP_NR] = {
	[WSQ_OP_NOP] = { .name = "nop" },
	[WSQ_OP_COPY] = { .name = "copy", .src = true, .list = true,
			  .apart = true, .max = WSQ_RULE_MOST,
			  .dst = WSQ_RULE_ALL },
	[WSQ_OP_CRC32C] = { .name = "crc32c", .src = true, .list = true,
			    .arg = 0xffffffff, .max = WSQ_RULE_MOST },
	[WSQ_OP_SHA256] = { .name = "sha256", .src = true, .list = true,
			    .max = WSQ_RULE_MOST, .dst = 32 },
	[WSQ_OP_FILL] = { .name = "fill", .out = true, .list = true,
			  .arg = ~0ULL, .max = WSQ_RULE_MOST },
	[WSQ_OP_COMPARE] = { .name = "compare", .src = true, .list = true,
			     .max = WSQ_RULE_MOST, .dst = WSQ_RULE_ALL },
	[WSQ_OP_XOR] = { .name = "xor", .src = true, .list = true,
			 .apart = true, .max = WSQ_RULE_MOST,
			 .dst = WSQ_RULE_EACH },
	[WSQ_OP_XXHASH64] = { .name = "xxhash64", .src = true, .list = true,
			      .arg = ~0ULL, .max = WSQ_RULE_MOST, .dst = 8 },
	[WSQ_OP_SHA512] = { .name = "sha512", .src = true, .list = true,
			    .max = WSQ_RULE_MOST, .dst = 64 },
	[WSQ_OP_FSVERITY] = { .name = "fsverity", .src = true,
			      .max = WSQ_RULE_MOST, .dst = 64 },
	[WSQ_OP_SORT64] = { .name = "sort64", .src = true, .apart = true,
			    .scratch = true, .align = 8,
			    .max = WSQ_RULE_MOST, .dst = WSQ_RULE_ALL },
	[WSQ_OP_GZIP] = { .name = "gzip", .src = true, .apart = true,
			  .arg = ~0ULL, .max = WSQ_RULE_MOST,
			  .dst = WSQ_RULE_ARG },
};

/**
 * struct wsq_rule_ring - a ring and its machine, as the rules need them
 * @arena_bytes: size of its arena
 * @keys: it was made with WSQ_SETUP_KEYS
 * @futures: number of its futures, 0 without WSQ_SETUP_FUTURES
 * @cpu: is there such a CPU
 * @node: is there such a node
 */
struct wsq_rule_ring {
	__u64 arena_bytes;
	bool keys;
	__u32 futures;
	bool (*cpu)(__u32 nr);
	bool (*node)(__u32 nr);
};

/* Does not compute a sum, which could overflow. */
static inline bool wsq_rule_inside(__u64 off, __u64 len, __u64 arena_bytes)
{
	return len <= arena_bytes && off <= arena_bytes - len;
}

static inline bool wsq_rule_meet(__u64 a, __u64 a_len, __u64 b, __u64 b_len)
{
	return (a < b || a - b < b_len) && (b < a || b - a < a_len);
}

/* What gzip may need for @len bytes: 33 more for each 128 KiB begun. */
static inline __u64 wsq_rule_grown(__u64 len)
{
	return len + (len / 131072 + (len % 131072 != 0)) * 33;
}

/* Numbers of futures that exist: the task's own, and up to three others. */
static inline bool wsq_rule_futures(const struct wsq_sqe *e,
				    const struct wsq_rule_ring *ring)
{
	unsigned int i;

	if (!ring->futures || e->flags & WSQ_SQE_DEADLINE)
		return false;
	for (i = 0; i < 64; i += 16)
		if ((e->deadline >> i & 0xffff) > ring->futures)
			return false;
	return true;
}

/* Flags, and the members that belong to them. */
static inline bool wsq_rule_flags(const struct wsq_sqe *e,
				  const struct wsq_rule_ring *ring)
{
	const bool cpu = e->flags & WSQ_SQE_CPU, node = e->flags & WSQ_SQE_NODE;

	if (e->flags >= WSQ_SQE_FUTURES << 1)
		return false;
	if (e->flags & WSQ_SQE_KEY ? !ring->keys : !!e->key)
		return false;
	if (e->flags & WSQ_SQE_FUTURES) {
		if (!wsq_rule_futures(e, ring))
			return false;
	} else if (!(e->flags & WSQ_SQE_DEADLINE) && e->deadline) {
		return false;
	}
	if (cpu && node)
		return false;
	if (cpu)
		return ring->cpu(e->hint);
	return node ? ring->node(e->hint) : !e->hint;
}

/* Members that can be checked without knowing the arena. */
static inline bool wsq_rule_members(const struct wsq_rule *r,
				    const struct wsq_sqe *e)
{
	const bool list = e->flags & WSQ_SQE_VEC;

	if (e->arg > r->arg)
		return false;
	if (r->align && (e->src % r->align || e->len % r->align ||
			 e->dst % r->align))
		return false;
	if (r->dst == WSQ_RULE_ARG &&
	    (!e->arg || (e->len <= WSQ_RULE_MOST &&
			 e->arg < wsq_rule_grown(e->len))))
		return false;
	if (list && (!r->list || e->src % 8))
		return false;
	if (!list && !r->src && e->src)
		return false;
	if (e->dst && !r->dst && !(r->out && !list))
		return false;
	return (r->src || r->out) == (e->len != 0);
}

/* Checks an entry: 0 or -errno. */
static inline int wsq_rule_sqe(const struct wsq_rule *r,
			       const struct wsq_sqe *e,
			       const struct wsq_rule_ring *ring)
{
	const __u64 arena = ring->arena_bytes;
	const bool list = e->flags & WSQ_SQE_VEC;
	__u64 dst = r->dst;

	if (!wsq_rule_flags(e, ring) || !wsq_rule_members(r, e))
		return -EINVAL;
	if (dst == WSQ_RULE_ARG)
		dst = e->arg;
	else if (dst >= WSQ_RULE_EACH)
		dst = list ? 0 : e->len;
	if (list) {
		if (e->len > WSQ_VEC_MAX)
			return -E2BIG;
		if (!wsq_rule_inside(e->src, e->len * sizeof(struct wsq_vec),
				     arena))
			return -EFAULT;
	} else {
		if (e->len > r->max)
			return -E2BIG;
		if (r->src && !wsq_rule_inside(e->src, e->len, arena))
			return -EFAULT;
		if (r->out && !wsq_rule_inside(e->dst, e->len, arena))
			return -EFAULT;
	}
	if (dst && !wsq_rule_inside(e->dst, dst, arena))
		return -EFAULT;
	if (!list && r->apart && wsq_rule_meet(e->src, e->len, e->dst, dst))
		return -EINVAL;
	return 0;
}

/**
 * struct wsq_rule_sum - lengths of the ranges of a list
 * @all: together, or the op's maximum if that is less
 * @each: the first
 */
struct wsq_rule_sum {
	__u64 all, each;
};

/*
 * Checks the list @v of an entry that was not refused: @wrong is called with
 * each errno that the task may return, and not at all if the list is valid.
 */
static inline void wsq_rule_list(const struct wsq_rule *r,
				 const struct wsq_sqe *e,
				 const struct wsq_vec *v, __u64 arena_bytes,
				 struct wsq_rule_sum *sum,
				 void (*wrong)(void *arg, int err), void *arg)
{
	bool right = true;
	__u64 dst, i;

#define WRONG(err) do { right = false; wrong(arg, err); } while (0)
	sum->all = 0;
	sum->each = v[0].len;
	for (i = 0; i < e->len; i++) {
		if (!v[i].len ||
		    (r->dst == WSQ_RULE_EACH && v[i].len != sum->each))
			WRONG(EINVAL);
		if (!wsq_rule_inside(v[i].off, v[i].len, arena_bytes))
			WRONG(EFAULT);
		if (v[i].len > r->max || sum->all + v[i].len > r->max) {
			WRONG(E2BIG);
			sum->all = r->max;
		} else {
			sum->all += v[i].len;
		}
	}
	dst = r->dst == WSQ_RULE_EACH ? sum->each :
	      r->dst == WSQ_RULE_ALL ? sum->all : r->dst;
	if (dst && !wsq_rule_inside(e->dst, dst, arena_bytes))
		WRONG(EFAULT);
	/* Only if nothing else is wrong. */
	if (!right || !r->apart)
		return;
	for (i = 0; i < e->len; i++)
		if (wsq_rule_meet(v[i].off, v[i].len, e->dst, dst))
			WRONG(EINVAL);
#undef WRONG
}

#endif /* WSQ_RULES_H */
