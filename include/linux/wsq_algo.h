/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wsq: tree hash, sort and compression on several CPUs, by fork and join
 * (linux/wsq_fj.h). For modules that have some 100 KiB or more to process and
 * wait for the result. /dev/wsq offers them to processes as ops.
 *
 * The result does not depend on the number of CPUs. Memory that another thread
 * changes meanwhile spoils the result, but nothing else.
 *
 * Limitations: a run ends all at once, so a caller that is a work item keeps
 * its worker. For little data the plain functions of the kernel are faster.
 *
 * Symbols are exported GPL-only in namespace WSQ: see WSQ_IMPORT_NS().
 */
#ifndef _LINUX_WSQ_ALGO_H
#define _LINUX_WSQ_ALGO_H

#include <linux/math.h>
#include <linux/types.h>
#include <linux/wsq_ns.h>

struct wsq_fj;

/**
 * struct wsq_algo_stop - when to end a run early
 * @fn: returns 0, or the -errno with which the run ends. The threads of a run
 *	call it, some of them at the same time, after some 10 us to 1 ms each
 * @arg: passed to @fn
 */
struct wsq_algo_stop {
	int (*fn)(void *arg);
	void *arg;
};

/* Bytes of a block of a tree hash, and of a hash. */
#define WSQ_TREE_BLOCK		4096
#define WSQ_TREE_HASH		32

/**
 * struct wsq_tree_digest - what identifies a file to fs-verity
 * @root: root of the Merkle tree
 * @digest: the file digest, as "fsverity digest" prints it: the hash of a
 *	descriptor with the root and the length
 */
struct wsq_tree_digest {
	u8 root[WSQ_TREE_HASH];
	u8 digest[WSQ_TREE_HASH];
};

/**
 * wsq_tree_hash() - compute the Merkle tree of fs-verity
 * @fj: runs it
 * @data: the data
 * @len: its bytes
 * @hash: where to store the root and the digest
 * @stop: when to end early; may be %NULL
 *
 * With SHA-256, blocks of 4096 bytes and no salt: Documentation/filesystems/
 * fsverity.rst of the kernel has the layout. Allocates @len / 127 bytes and a
 * block for each level.
 *
 * Context: task; may sleep. Not from a task of @fj.
 * Return: 0; the -errno of @stop; %-ENOMEM; %-EOPNOTSUPP if the kernel has no
 * SHA-256; or an error of the run: %-EBUSY, %-ECANCELED, %-EOVERFLOW.
 */
int wsq_tree_hash(struct wsq_fj *fj, const void *data, size_t len,
		  struct wsq_tree_digest *hash, const struct wsq_algo_stop *stop);

/**
 * wsq_tree_hash_there() - does this kernel have what wsq_tree_hash() needs
 *
 * Context: any.
 * Return: true if it does.
 */
bool wsq_tree_hash_there(void);

/**
 * wsq_sort_u64() - sort numbers, the smallest first
 * @fj: runs it
 * @from: the numbers; also used as scratch memory, so undefined afterwards
 * @to: where to store them, sorted; does not overlap @from
 * @nr: how many
 * @stop: when to end early; may be %NULL
 *
 * A merge sort, whose merges are split, too. Allocates no memory.
 *
 * Context: task; may sleep. Not from a task of @fj.
 * Return: 0; the -errno of @stop; or an error of the run. After an error, @to
 * is undefined.
 */
int wsq_sort_u64(struct wsq_fj *fj, u64 *from, u64 *to, size_t nr,
		 const struct wsq_algo_stop *stop);

/* Bytes that are compressed by themselves, and what they may grow by. */
#define WSQ_GZIP_CHUNK		0x20000
#define WSQ_GZIP_EXTRA		33

/**
 * wsq_gzip_bound() - how long the output of wsq_gzip() may become
 * @len: bytes of its input
 *
 * Return: bytes.
 */
static inline size_t wsq_gzip_bound(size_t len)
{
	return len + WSQ_GZIP_EXTRA *
	       (len / WSQ_GZIP_CHUNK + !!(len % WSQ_GZIP_CHUNK) + !len);
}

/**
 * wsq_gzip() - compress
 * @fj: runs it
 * @data: the data
 * @len: its bytes, less than half of the address space
 * @to: where to store the output; does not overlap @data
 * @size: bytes at @to, at least wsq_gzip_bound(@len)
 * @stop: when to end early; may be %NULL
 *
 * The output is a file that gunzip reads: a gzip member (RFC 1952) for each
 * %WSQ_GZIP_CHUNK bytes, without a name or a time, compressed with level 6.
 * Chunks that deflate does not make shorter are stored. Allocates some 270 KiB
 * for each CPU that takes part.
 *
 * Context: task; may sleep. Not from a task of @fj.
 * Return: bytes of the output; %-ENOSPC if @size is too small; the -errno of
 * @stop; %-ENOMEM; %-EOPNOTSUPP if the kernel has no deflate; or an error of the
 * run. After an error, @to is undefined.
 */
ssize_t wsq_gzip(struct wsq_fj *fj, const void *data, size_t len, void *to,
		 size_t size, const struct wsq_algo_stop *stop);

/**
 * wsq_gzip_there() - does this kernel have what wsq_gzip() needs
 *
 * Context: any.
 * Return: true if it does.
 */
bool wsq_gzip_there(void);

#endif /* _LINUX_WSQ_ALGO_H */
