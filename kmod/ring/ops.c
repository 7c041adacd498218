// SPDX-License-Identifier: GPL-2.0
/*
 * The ops that user tasks can ask for, as a table of name, limit, prep, issue.
 *
 * An entry is the kernel's own copy when it gets here, the arena is memory that
 * the process writes whenever it likes. So no op reads a length, an offset or
 * anything else it relies on from the arena: bytes there are data and no more,
 * and a process that changes them while its task runs gets a result of whatever
 * was there.
 *
 * Long ranges go in pieces, between which the worker may be scheduled and the
 * task ends early if its ring died.
 */
#include <crypto/hash.h>
#include <crypto/sha2.h>
#include <linux/crc32c.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "../compat/export.h"
#include "ops.h"

/*
 * 10 us for crc32c with the instruction, some 100 us for sha256 without any:
 * older kernels hash a whole piece with preemption off.
 */
#define WSQ_OP_PIECE	SZ_16K
#define WSQ_OP_MAX_LEN	SZ_16M

static struct crypto_shash *wsq_sha256;

/* Does [@off, @off + @len) lie in the arena? */
static bool wsq_in_arena(u64 off, u64 len, u64 arena_bytes)
{
	u64 end;

	return !check_add_overflow(off, len, &end) && end <= arena_bytes;
}

/* Shall the piece before @left bytes be the last? Lets others run meanwhile. */
static bool wsq_op_stop(u64 left, const bool *dead)
{
	if (!left)
		return false;
	cond_resched();
	return READ_ONCE(*dead);
}

/* What all ops with a range to read have in common. */
static int wsq_prep_src(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
			u64 arena_bytes)
{
	if (!sqe->len)
		return -EINVAL;
	if (sqe->len > def->max_len)
		return -E2BIG;
	if (!wsq_in_arena(sqe->src, sqe->len, arena_bytes))
		return -EFAULT;
	return 0;
}

static int wsq_nop_prep(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
			u64 arena_bytes)
{
	return sqe->src || sqe->len || sqe->dst || sqe->arg ? -EINVAL : 0;
}

static s64 wsq_nop_issue(const struct wsq_sqe *sqe, void *arena,
			 const bool *dead)
{
	return 0;
}

static int wsq_copy_prep(const struct wsq_op_def *def,
			 const struct wsq_sqe *sqe, u64 arena_bytes)
{
	int ret;

	if (sqe->arg)
		return -EINVAL;
	ret = wsq_prep_src(def, sqe, arena_bytes);
	if (ret)
		return ret;
	if (!wsq_in_arena(sqe->dst, sqe->len, arena_bytes))
		return -EFAULT;
	/* Neither sum overflows: both ranges are in the arena. */
	if (sqe->src < sqe->dst + sqe->len && sqe->dst < sqe->src + sqe->len)
		return -EINVAL;
	return 0;
}

static s64 wsq_copy_issue(const struct wsq_sqe *sqe, void *arena,
			  const bool *dead)
{
	const u8 *src = arena + sqe->src;
	u8 *dst = arena + sqe->dst;
	u64 left = sqe->len;

	while (left) {
		size_t n = min_t(u64, left, WSQ_OP_PIECE);

		memcpy(dst, src, n);
		src += n;
		dst += n;
		left -= n;
		if (wsq_op_stop(left, dead))
			return -ECANCELED;
	}
	return sqe->len;
}

static int wsq_crc32c_prep(const struct wsq_op_def *def,
			   const struct wsq_sqe *sqe, u64 arena_bytes)
{
	if (sqe->dst || sqe->arg > U32_MAX)
		return -EINVAL;
	return wsq_prep_src(def, sqe, arena_bytes);
}

static s64 wsq_crc32c_issue(const struct wsq_sqe *sqe, void *arena,
			    const bool *dead)
{
	const u8 *src = arena + sqe->src;
	u64 left = sqe->len;
	/* The kernel's function leaves the inversions to its caller. */
	u32 crc = ~(u32)sqe->arg;

	while (left) {
		unsigned int n = min_t(u64, left, WSQ_OP_PIECE);

		crc = crc32c(crc, src, n);
		src += n;
		left -= n;
		if (wsq_op_stop(left, dead))
			return -ECANCELED;
	}
	return (u32)~crc;
}

static int wsq_sha256_prep(const struct wsq_op_def *def,
			   const struct wsq_sqe *sqe, u64 arena_bytes)
{
	int ret;

	if (sqe->arg)
		return -EINVAL;
	ret = wsq_prep_src(def, sqe, arena_bytes);
	if (ret)
		return ret;
	/* It may overlap what is read: it is written last. */
	if (!wsq_in_arena(sqe->dst, SHA256_DIGEST_SIZE, arena_bytes))
		return -EFAULT;
	return 0;
}

static s64 wsq_sha256_issue(const struct wsq_sqe *sqe, void *arena,
			    const bool *dead)
{
	SHASH_DESC_ON_STACK(desc, wsq_sha256);
	const u8 *src = arena + sqe->src;
	u8 digest[SHA256_DIGEST_SIZE];
	u64 left = sqe->len;
	s64 ret;

	desc->tfm = wsq_sha256;
	ret = crypto_shash_init(desc);
	while (!ret && left) {
		unsigned int n = min_t(u64, left, WSQ_OP_PIECE);

		ret = crypto_shash_update(desc, src, n);
		src += n;
		left -= n;
		if (wsq_op_stop(left, dead))
			ret = -ECANCELED;
	}
	if (!ret)
		ret = crypto_shash_final(desc, digest);
	if (!ret) {
		memcpy(arena + sqe->dst, digest, sizeof(digest));
		ret = sizeof(digest);
	}
	shash_desc_zero(desc);
	return ret;
}

static struct wsq_op_def wsq_ops[WSQ_OP_NR] = {
	[WSQ_OP_NOP] = {
		.name = "nop",
		.ready = true,
		.prep = wsq_nop_prep,
		.issue = wsq_nop_issue,
	},
	[WSQ_OP_COPY] = {
		.name = "copy",
		.max_len = WSQ_OP_MAX_LEN,
		.ready = true,
		.prep = wsq_copy_prep,
		.issue = wsq_copy_issue,
	},
	[WSQ_OP_CRC32C] = {
		.name = "crc32c",
		.max_len = WSQ_OP_MAX_LEN,
		.ready = true,
		.prep = wsq_crc32c_prep,
		.issue = wsq_crc32c_issue,
	},
	[WSQ_OP_SHA256] = {
		.name = "sha256",
		.max_len = WSQ_OP_MAX_LEN,
		.prep = wsq_sha256_prep,
		.issue = wsq_sha256_issue,
	},
};

/**
 * wsq_op_info() - look an op up
 * @op: its number, from anywhere
 *
 * Context: any.
 * Return: the op, or %NULL if there is none or what it needs is missing.
 */
const struct wsq_op_def *wsq_op_info(unsigned int op)
{
	if (op >= WSQ_OP_NR)
		return NULL;
	op = array_index_nospec(op, WSQ_OP_NR);
	return wsq_ops[op].ready ? &wsq_ops[op] : NULL;
}
WSQ_EXPORT(wsq_op_info);

/**
 * wsq_op_prep() - check an entry; the one door to all ops
 * @sqe: the kernel's own copy of the entry
 * @arena_bytes: size of its ring's arena
 *
 * Context: any.
 * Return: the op, to be handed to wsq_op_issue(), or ERR_PTR() as the user ABI
 * has it.
 */
const struct wsq_op_def *wsq_op_prep(const struct wsq_sqe *sqe, u64 arena_bytes)
{
	const struct wsq_op_def *def = wsq_op_info(sqe->op);
	int ret;

	if (!def)
		return ERR_PTR(-EOPNOTSUPP);
	if (sqe->flags || sqe->rsv0 || sqe->rsv[0] || sqe->rsv[1])
		return ERR_PTR(-EINVAL);
	ret = def->prep(def, sqe, arena_bytes);
	return ret ? ERR_PTR(ret) : def;
}
WSQ_EXPORT(wsq_op_prep);

/**
 * wsq_op_issue() - do what an entry asks for
 * @def: what wsq_op_prep() returned for it
 * @sqe: the same entry, unchanged
 * @arena: the ring's arena
 * @dead: becomes true when nobody is interested any more
 *
 * Context: task; may sleep, takes milliseconds for megabytes.
 * Return: the result, not negative, or -errno.
 */
s64 wsq_op_issue(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
		 void *arena, const bool *dead)
{
	return def->issue(sqe, arena, dead);
}
WSQ_EXPORT(wsq_op_issue);

/**
 * wsq_ops_init() - get what the ops need
 *
 * A kernel without sha256 has no sha256 op.
 *
 * Context: module load.
 * Return: 0 or -errno.
 */
int wsq_ops_init(void)
{
	struct crypto_shash *tfm = crypto_alloc_shash("sha256", 0, 0);

	if (IS_ERR(tfm)) {
		if (PTR_ERR(tfm) != -ENOENT)
			return PTR_ERR(tfm);
		pr_warn("wsq: no sha256 in this kernel\n");
		return 0;
	}
	wsq_sha256 = tfm;
	wsq_ops[WSQ_OP_SHA256].ready = true;
	return 0;
}

/**
 * wsq_ops_exit() - give it back
 *
 * Context: module unload; no op is running.
 */
void wsq_ops_exit(void)
{
	wsq_ops[WSQ_OP_SHA256].ready = false;
	crypto_free_shash(wsq_sha256);
	wsq_sha256 = NULL;
}

/* The hash may be a module, or have a faster one. */
MODULE_SOFTDEP("pre: sha256");
