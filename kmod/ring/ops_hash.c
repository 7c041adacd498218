// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in ops for checksums and hashes.
 *
 * SHA comes from the crypto API, which picks the fastest implementation. A
 * kernel without it lacks these ops. xxhash64 comes from the kernel's library:
 * in the crypto API the seed belongs to the transform, which all tasks share.
 *
 * Cost: a piece takes 10 us for crc32c with the CPU's instruction, some 100
 * us for sha256 without one: older kernels hash a whole piece with preemption
 * off.
 */
#include <crypto/hash.h>
#include <crypto/sha2.h>
#include <linux/crc32c.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/xxhash.h>

#include "../compat/unaligned.h"
#include "ops.h"

static struct crypto_shash *wsq_sha256;
static struct crypto_shash *wsq_sha512;

static int wsq_crc32c_prep(const struct wsq_sqe *sqe)
{
	return sqe->arg > U32_MAX ? -EINVAL : 0;
}

/**
 * struct wsq_crc32c_state - a checksum in progress
 * @p: position
 * @crc: its value so far, if @begun
 * @begun: @crc is valid; before that, the entry has the initial value
 */
struct wsq_crc32c_state {
	struct wsq_op_piece p;
	u32 crc;
	bool begun;
};

static s64 wsq_crc32c_issue(const struct wsq_op_task *task)
{
	struct wsq_crc32c_state *s = task->state;
	/* The kernel's function leaves the inversions to its caller. */
	u32 crc = s->begun ? s->crc : ~(u32)task->arg;
	int ret;

	while ((ret = wsq_op_next_piece(task, &s->p)) > 0)
		crc = crc32c(crc, s->p.addr, s->p.len);
	s->crc = crc;
	s->begun = true;
	return ret ?: (s64)(u32)~crc;
}

const struct wsq_op_def wsq_op_crc32c = {
	.name = "crc32c",
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST | WSQ_SHAPE_ARG,
	.cap = -1,
	.max_len = WSQ_OP_MAX_LEN,
	.prep = wsq_crc32c_prep,
	.state_size = sizeof(struct wsq_crc32c_state),
	.issue = wsq_crc32c_issue,
	.batched = true,
};

#if IS_REACHABLE(CONFIG_XXHASH)
/**
 * struct wsq_xxhash64_state - a hash in progress
 * @p: position; its @at is 0 before anything was hashed
 * @hash: the hash
 */
struct wsq_xxhash64_state {
	struct wsq_op_piece p;
	struct xxh64_state hash;
};

#define WSQ_XXHASH64_STATE	sizeof(struct wsq_xxhash64_state)
static_assert(WSQ_XXHASH64_STATE <= WSQ_OP_STATE_MAX);

static s64 wsq_xxhash64_issue(const struct wsq_op_task *task)
{
	struct wsq_xxhash64_state *s = task->state;
	int ret;

	if (!s->p.at)
		xxh64_reset(&s->hash, task->arg);
	while ((ret = wsq_op_next_piece(task, &s->p)) > 0)
		xxh64_update(&s->hash, s->p.addr, s->p.len);
	if (ret)
		return ret;
	put_unaligned((u64)xxh64_digest(&s->hash), (u64 *)task->dst);
	return sizeof(u64);
}
#else
#define WSQ_XXHASH64_STATE	0

static s64 wsq_xxhash64_issue(const struct wsq_op_task *task)
{
	return -EOPNOTSUPP;
}
#endif

const struct wsq_op_def wsq_op_xxhash64 = {
	.name = "xxhash64",
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST | WSQ_SHAPE_ARG,
	.cap = -1,
	.max_len = WSQ_OP_MAX_LEN,
	.dst_len = sizeof(u64),
	.state_size = WSQ_XXHASH64_STATE,
	.issue = wsq_xxhash64_issue,
};

/**
 * struct wsq_sha_state - a hash in progress
 * @p: position; its @at is 0 before anything was hashed
 * @hash: output of crypto_shash_export()
 */
struct wsq_sha_state {
	struct wsq_op_piece p;
	u8 hash[256] __aligned(sizeof(u64));
};

static_assert(sizeof(struct wsq_sha_state) <= WSQ_OP_STATE_MAX);

/* The digest may overlap the ranges that are read: it is written last. */
static s64 wsq_sha_issue(struct crypto_shash *tfm,
			 const struct wsq_op_task *task)
{
	struct wsq_sha_state *s = task->state;
	u8 digest[SHA512_DIGEST_SIZE];
	SHASH_DESC_ON_STACK(desc, tfm);
	s64 ret;

	desc->tfm = tfm;
	ret = s->p.at ? crypto_shash_import(desc, s->hash) :
			crypto_shash_init(desc);
	while (!ret) {
		ret = wsq_op_next_piece(task, &s->p);
		if (ret <= 0)
			break;
		ret = crypto_shash_update(desc, s->p.addr, s->p.len);
	}
	if (ret == WSQ_OP_AGAIN)
		ret = crypto_shash_export(desc, s->hash) ?: WSQ_OP_AGAIN;
	if (!ret)
		ret = crypto_shash_final(desc, digest);
	if (!ret) {
		ret = crypto_shash_digestsize(tfm);
		memcpy(task->dst, digest, ret);
	}
	shash_desc_zero(desc);
	return ret;
}

static s64 wsq_sha256_issue(const struct wsq_op_task *task)
{
	return wsq_sha_issue(wsq_sha256, task);
}

const struct wsq_op_def wsq_op_sha256 = {
	.name = "sha256",
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST,
	.cap = -1,
	.max_len = WSQ_OP_MAX_LEN,
	.dst_len = SHA256_DIGEST_SIZE,
	.state_size = sizeof(struct wsq_sha_state),
	.issue = wsq_sha256_issue,
};

static s64 wsq_sha512_issue(const struct wsq_op_task *task)
{
	return wsq_sha_issue(wsq_sha512, task);
}

const struct wsq_op_def wsq_op_sha512 = {
	.name = "sha512",
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST,
	.cap = -1,
	.max_len = WSQ_OP_MAX_LEN,
	.dst_len = SHA512_DIGEST_SIZE,
	.state_size = sizeof(struct wsq_sha_state),
	.issue = wsq_sha512_issue,
};

/* A kernel without the algorithm lacks the op. */
static int wsq_hash_get(struct crypto_shash **hash, const char *name)
{
	struct crypto_shash *tfm = crypto_alloc_shash(name, 0, 0);

	if (IS_ERR(tfm) && PTR_ERR(tfm) != -ENOENT)
		return PTR_ERR(tfm);
	if (IS_ERR(tfm)) {
		pr_warn("wsq: no %s in this kernel\n", name);
	} else if (WARN_ON_ONCE(crypto_shash_statesize(tfm) >
				sizeof_field(struct wsq_sha_state, hash))) {
		crypto_free_shash(tfm);
	} else {
		*hash = tfm;
	}
	return 0;
}

/**
 * wsq_hashes_init() - allocate the transforms
 *
 * Context: module load.
 * Return: 0 or -errno.
 */
int wsq_hashes_init(void)
{
	int ret;

	ret = wsq_hash_get(&wsq_sha256, "sha256");
	if (!ret)
		ret = wsq_hash_get(&wsq_sha512, "sha512");
	if (ret)
		wsq_hashes_exit();
	return ret;
}

/**
 * wsq_hashes_exit() - free the transforms
 *
 * Context: module unload; no op is running.
 */
void wsq_hashes_exit(void)
{
	crypto_free_shash(wsq_sha512);
	wsq_sha512 = NULL;
	crypto_free_shash(wsq_sha256);
	wsq_sha256 = NULL;
}

/**
 * wsq_hash_there() - does this kernel support a built-in op
 * @def: any of them
 *
 * Context: after wsq_hashes_init().
 * Return: true if it does.
 */
bool wsq_hash_there(const struct wsq_op_def *def)
{
	if (def == &wsq_op_sha256)
		return wsq_sha256;
	if (def == &wsq_op_sha512)
		return wsq_sha512;
	if (def == &wsq_op_xxhash64)
		return IS_REACHABLE(CONFIG_XXHASH);
	return true;
}

/* The algorithms may be modules, or have a faster implementation in one. */
MODULE_SOFTDEP("pre: sha256 sha512");
