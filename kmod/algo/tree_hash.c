// SPDX-License-Identifier: GPL-2.0
/*
 * The Merkle tree of fs-verity, by fork and join.
 *
 * Level 0 is the data. Each further level has the hashes of the blocks of the
 * level below, and is padded with zeroes to whole blocks. The last level is one
 * block, whose hash is the root. A task hashes a range of blocks of one level:
 * it halves the range, and for a single block it first hashes the blocks below.
 * So a CPU that has stolen a task works in one part of the data.
 *
 * SHA comes from the crypto API, which picks the fastest implementation.
 *
 * Cost: some 10 us for a block where the CPU has no instruction for SHA, a
 * fifth of that with one.
 */
#include <crypto/hash.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../compat/export.h"
#include "algo.h"

#define WSQ_TREE_FANOUT		(WSQ_TREE_BLOCK / WSQ_TREE_HASH)
/* 128^8 blocks are more than an address space. */
#define WSQ_TREE_LEVELS		9
/* Blocks of data that one task hashes. */
#define WSQ_TREE_GRAIN		4

static struct crypto_shash *wsq_tree_sha256;
static const u8 wsq_tree_zeroes[WSQ_TREE_BLOCK];

/**
 * struct wsq_tree_level - a level of the tree
 * @data: its blocks
 * @len: their bytes; only the last block of the data may be shorter than others
 * @nr: number of blocks
 */
struct wsq_tree_level {
	const u8 *data;
	size_t len;
	size_t nr;
};

/**
 * struct wsq_tree_run - a tree that is being computed
 * @run: the run
 * @levels: its levels
 * @root: the level of the root
 * @hash: where the root goes
 */
struct wsq_tree_run {
	struct wsq_algo_run run;
	struct wsq_tree_level levels[WSQ_TREE_LEVELS];
	unsigned int root;
	u8 *hash;
};

/* struct fsverity_descriptor of <linux/fsverity.h>, which few kernels offer. */
struct wsq_tree_descriptor {
	u8 version;
	u8 hash_algorithm;
	u8 log_blocksize;
	u8 salt_size;
	__le32 reserved;
	__le64 data_size;
	u8 root_hash[64];
	u8 salt[32];
	u8 reserved2[144];
};

static_assert(sizeof(struct wsq_tree_descriptor) == 256);

/* Hash @len bytes, and zeroes up to a whole block. */
static int wsq_tree_hash_block(const u8 *data, size_t len, u8 *hash)
{
	SHASH_DESC_ON_STACK(desc, wsq_tree_sha256);
	int ret;

	desc->tfm = wsq_tree_sha256;
	ret = crypto_shash_init(desc) ?:
	      crypto_shash_update(desc, data, len) ?:
	      crypto_shash_finup(desc, wsq_tree_zeroes, WSQ_TREE_BLOCK - len,
				 hash);
	shash_desc_zero(desc);
	return ret;
}

/*
 * Hash one block of a level, whose contents exist. Out of line, because the
 * tasks above it on the stack do not need its frame.
 */
static noinline void wsq_tree_block(struct wsq_tree_run *r, u32 level,
				    size_t block)
{
	const struct wsq_tree_level *l = &r->levels[level];
	size_t at = block * WSQ_TREE_BLOCK;
	u8 *hash = r->hash;
	int ret;

	if (level < r->root)
		hash = (u8 *)l[1].data + block * WSQ_TREE_HASH;
	ret = wsq_tree_hash_block(l->data + at,
				  min_t(size_t, l->len - at, WSQ_TREE_BLOCK),
				  hash);
	if (ret)
		wsq_algo_fail(&r->run, ret);
}

/* Hash @nr blocks of a level, from @first on, and what is below them. */
DEFINE_WSQ_TASK4(int, wsq_tree_blocks, w, struct wsq_tree_run *, r, u32, level,
		 size_t, first, size_t, nr)
{
	size_t half = nr / 2, below;

	if (!level && nr <= WSQ_TREE_GRAIN) {
		while (nr-- && !wsq_algo_stopped(&r->run, w))
			wsq_tree_block(r, 0, first++);
		return 0;
	}
	if (nr > 1) {
		wsq_spawn(w, wsq_tree_blocks, r, level, first + half, nr - half);
		wsq_fj_call(w, wsq_tree_blocks, r, level, first, half);
		wsq_sync(w, wsq_tree_blocks);
		return 0;
	}
	below = first * WSQ_TREE_FANOUT;
	wsq_fj_call(w, wsq_tree_blocks, r, level - 1, below,
		    min_t(size_t, r->levels[level - 1].nr - below,
			  WSQ_TREE_FANOUT));
	if (!wsq_fj_stopped(w))
		wsq_tree_block(r, level, first);
	return 0;
}

/* Lay the levels out; returns the blocks of all but the data. */
static size_t wsq_tree_plan(struct wsq_tree_run *r, const void *data, size_t len)
{
	struct wsq_tree_level *l = r->levels;
	size_t sum = 0;

	l->data = data;
	l->len = len;
	l->nr = DIV_ROUND_UP(len, WSQ_TREE_BLOCK);
	for (; l->nr > 1; l++) {
		l[1].nr = DIV_ROUND_UP(l->nr, WSQ_TREE_FANOUT);
		l[1].len = l[1].nr * WSQ_TREE_BLOCK;
		sum += l[1].nr;
	}
	r->root = l - r->levels;
	return sum;
}

static int wsq_tree_root(struct wsq_tree_run *r, const void *data, size_t len)
{
	size_t blocks = wsq_tree_plan(r, data, len);
	u8 *memory = NULL, *next;
	int ret, none;
	u32 i;

	if (!len) {
		memset(r->hash, 0, WSQ_TREE_HASH);
		return 0;
	}
	if (blocks) {
		memory = kvcalloc(blocks, WSQ_TREE_BLOCK, WSQ_ALGO_GFP);
		if (!memory)
			return -ENOMEM;
	}
	next = memory;
	for (i = 1; i <= r->root; i++) {
		r->levels[i].data = next;
		next += r->levels[i].len;
	}
	ret = wsq_tree_blocks_run(r->run.fj, &none, r, r->root, 0, 1);
	kvfree(memory);
	return wsq_algo_result(&r->run, ret);
}

int wsq_tree_hash(struct wsq_fj *fj, const void *data, size_t len,
		  struct wsq_tree_digest *hash, const struct wsq_algo_stop *stop)
{
	struct wsq_tree_run r = {
		.run = { .fj = fj, .stop = stop },
		.hash = hash->root,
	};
	struct wsq_tree_descriptor desc = {
		.version = 1,
		.hash_algorithm = 1,
		.log_blocksize = ilog2(WSQ_TREE_BLOCK),
		.data_size = cpu_to_le64(len),
	};
	int ret;

	if (!wsq_tree_sha256)
		return -EOPNOTSUPP;
	ret = wsq_tree_root(&r, data, len);
	if (ret)
		return ret;
	memcpy(desc.root_hash, hash->root, sizeof(hash->root));
	return crypto_shash_tfm_digest(wsq_tree_sha256, (u8 *)&desc,
				       sizeof(desc), hash->digest);
}
WSQ_EXPORT(wsq_tree_hash);

bool wsq_tree_hash_there(void)
{
	return wsq_tree_sha256;
}
WSQ_EXPORT(wsq_tree_hash_there);

/**
 * wsq_algo_init() - allocate the transform
 *
 * Context: module load.
 * Return: 0, also without SHA-256 in the kernel; or -errno.
 */
int wsq_algo_init(void)
{
	struct crypto_shash *tfm = crypto_alloc_shash("sha256", 0, 0);

	if (!IS_ERR(tfm))
		wsq_tree_sha256 = tfm;
	else if (PTR_ERR(tfm) != -ENOENT)
		return PTR_ERR(tfm);
	return 0;
}

/**
 * wsq_algo_exit() - free the transform
 *
 * Context: module unload; no run is under way.
 */
void wsq_algo_exit(void)
{
	crypto_free_shash(wsq_tree_sha256);
	wsq_tree_sha256 = NULL;
}
