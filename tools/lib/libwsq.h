/* SPDX-License-Identifier: MIT OR LGPL-2.1 */
/*
 * libwsq: programs hand tasks to the wsq kernel module through a shared ring.
 *
 * For programs that have many small tasks (nanoseconds to microseconds each)
 * and would rather not make a system call for every one of them. The calls go
 * by liburing's names where the meaning is the same:
 *
 *	struct wsq_ring ring;
 *	wsq_queue_init(256, 1 << 20, &ring, 0);
 *	__s64 buf = wsq_arena_alloc(&ring, 4096, 64);
 *	... fill wsq_arena_ptr(&ring, buf) ...
 *	struct wsq_sqe *sqe = wsq_get_sqe(&ring);
 *	wsq_prep_crc32c(sqe, buf, 4096, 0);
 *	wsq_submit_and_wait(&ring, 1, WSQ_NO_TIMEOUT);
 *	struct wsq_cqe *cqe;
 *	if (!wsq_peek_cqe(&ring, &cqe)) {
 *		use(cqe->res);
 *		wsq_cqe_seen(&ring, cqe);
 *	}
 *	wsq_queue_exit(&ring);
 *
 * Threads: one thread at a time per ring. Nothing here takes a lock; a program
 * whose threads share a ring puts its own lock around every call, the inline
 * ones included, and a wait inside that lock keeps the others out. One ring per
 * thread is the better plan. After fork() the child leaves the parent's ring
 * alone; it may only call wsq_queue_exit() on its copy.
 *
 * Errors: functions return a negative errno, never -1 with errno.
 *
 * Cost: wsq_get_sqe() and wsq_prep_*() write one cache line and touch nothing
 * that the kernel writes. wsq_peek_cqe() is one acquire load. One system call
 * for each wsq_submit() or wait that has to sleep, whatever the batch.
 *
 * Limitations: no growing ring, no chains of tasks, no cancelling; data has to
 * be in the arena.
 *
 * Memory order. The three words that both sides look at:
 *  (1) sq_tail is stored with release by wsq_submit(), after the entries
 *	before it were filled; the kernel loads it with acquire. If the kernel
 *	sees the new tail, it sees the entries, and what the process wrote into
 *	the arena for them.
 *  (2) a completion entry's seq is loaded with acquire, before its other
 *	members are read; the kernel stores it last, with release. If the
 *	process sees this pass's number, it sees the whole entry, and what the
 *	task wrote into the arena.
 *  (3) cq_head is stored with release by wsq_cq_advance(), after the entries
 *	before it were read; the kernel loads it with acquire before it writes
 *	into their slots. So no entry changes under its reader.
 * sq_head is not read at all: entries are taken only inside the ENTER call of
 * this very thread, which says how many.
 */
#ifndef LIBWSQ_H
#define LIBWSQ_H

#include <errno.h>
#include <linux/wsq.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBWSQ_VERSION_MAJOR	0
#define LIBWSQ_VERSION_MINOR	1

/**
 * struct wsq_sq - submission side; private to the thread that uses the ring
 * @ktail: sq_tail in shared memory
 * @sqes: the entries, shared
 * @head: entries that the kernel has taken, by its own word in ENTER
 * @tail: entries given out by wsq_get_sqe()
 * @mask: @entries - 1
 * @entries: how many there are
 */
struct wsq_sq {
	__u64 *ktail;
	struct wsq_sqe *sqes;
	__u64 head;
	__u64 tail;
	__u32 mask;
	__u32 entries;
};

/**
 * struct wsq_cq - completion side; private to the thread that uses the ring
 * @khead: cq_head in shared memory
 * @cqes: the entries, shared
 * @head: entries read so far
 * @mask: @entries - 1
 * @shift: log2 of @entries
 * @entries: how many there are
 */
struct wsq_cq {
	__u64 *khead;
	struct wsq_cqe *cqes;
	__u64 head;
	__u32 mask;
	__u32 shift;
	__u32 entries;
	__u32 rsv;
};

struct wsq_arena;

/**
 * struct wsq_ring - one ring; the caller provides the memory
 *
 * Inline functions know this layout, so it is part of the library's ABI.
 */
struct wsq_ring {
	struct wsq_sq sq;
	struct wsq_cq cq;
	void *arena;
	__u64 arena_bytes;
	struct wsq_arena *heap;
	void *rings;
	__u64 rings_bytes;
	__u64 sqes_bytes;
	int fd;
	__u32 flags;
	__u64 rsv[4];
};

#define WSQ_INIT_FD		(1U << 0)	/* use params->fd, do not open */

/**
 * struct wsq_params - what wsq_queue_init() does not ask for
 * @flags: WSQ_INIT_* bits
 * @cq_entries: a power of two, at least the submission entries; 0 means twice
 * @fd: with WSQ_INIT_FD: an open file of the device without a ring, which the
 *	ring then owns; so a privileged helper may open it and pass it on
 * @rsv: zero
 */
struct wsq_params {
	__u32 flags;
	__u32 cq_entries;
	__s32 fd;
	__u32 rsv[5];
};

/* Setting up. Documented in libwsq(3). */
int wsq_open(const char *path);
int wsq_close(int fd);
int wsq_queue_init(unsigned int entries, size_t arena_size,
		   struct wsq_ring *ring, unsigned int flags);
int wsq_queue_init_params(unsigned int entries, size_t arena_size,
			  struct wsq_ring *ring, const struct wsq_params *p);
void wsq_queue_exit(struct wsq_ring *ring);

/* Asking. @fd is of wsq_open() or wsq_ring_fd(). */
int wsq_query(int fd, struct wsq_query *q, struct wsq_op_info *ops,
	      unsigned int nr_ops);
int wsq_stats(int fd, struct wsq_stats *st, struct wsq_cpu_stats *cpus,
	      unsigned int nr_cpus);
int wsq_stats_sized(int fd, struct wsq_stats *st, struct wsq_cpu_stats *cpus,
		    unsigned int nr_cpus, size_t cpu_size);

/* The struct grows: the library has to know how large the caller's is. */
#define wsq_stats(fd, st, cpus, nr_cpus)				\
	wsq_stats_sized(fd, st, cpus, nr_cpus, sizeof(struct wsq_cpu_stats))

/* Submitting and waiting. */
int wsq_submit(struct wsq_ring *ring);
int wsq_submit_and_wait(struct wsq_ring *ring, unsigned int nr,
			__u64 timeout_ns);
int wsq_wait_cqes(struct wsq_ring *ring, struct wsq_cqe **cqe, unsigned int nr,
		  __u64 timeout_ns);

/* The arena's allocator: buddies of 64 bytes and more. See arena.c. */
__s64 wsq_arena_alloc(struct wsq_ring *ring, size_t size, size_t align);
int wsq_arena_free(struct wsq_ring *ring, __u64 off);
__u64 wsq_arena_largest(const struct wsq_ring *ring);

static inline int wsq_ring_fd(const struct wsq_ring *ring)
{
	return ring->fd;
}

static inline void *wsq_arena_base(const struct wsq_ring *ring)
{
	return ring->arena;
}

static inline __u64 wsq_arena_size(const struct wsq_ring *ring)
{
	return ring->arena_bytes;
}

static inline void *wsq_arena_ptr(const struct wsq_ring *ring, __u64 off)
{
	return (char *)ring->arena + off;
}

static inline __u64 wsq_arena_off(const struct wsq_ring *ring, const void *p)
{
	return (__u64)((const char *)p - (const char *)ring->arena);
}

/* Entries that may still be had before wsq_submit() has to make room. */
static inline unsigned int wsq_sq_space_left(const struct wsq_ring *ring)
{
	return ring->sq.entries - (unsigned int)(ring->sq.tail - ring->sq.head);
}

/* Entries given out that the kernel has not taken yet. */
static inline unsigned int wsq_sq_ready(const struct wsq_ring *ring)
{
	return (unsigned int)(ring->sq.tail - ring->sq.head);
}

/* Tasks that the kernel has taken and whose completions have not been read. */
static inline __u64 wsq_in_flight(const struct wsq_ring *ring)
{
	return ring->sq.head - ring->cq.head;
}

/**
 * wsq_get_sqe - the next submission entry, to be filled by a wsq_prep_ function
 *
 * It counts as filled from now on: the next wsq_submit() hands it over.
 *
 * Returns NULL when all entries are waiting for wsq_submit().
 */
static inline struct wsq_sqe *wsq_get_sqe(struct wsq_ring *ring)
{
	struct wsq_sq *sq = &ring->sq;

	if (sq->tail - sq->head >= sq->entries)
		return NULL;
	return &sq->sqes[sq->tail++ & sq->mask];
}

static inline void wsq_prep_rw(struct wsq_sqe *sqe, __u16 op, __u64 dst,
			       __u64 src, __u64 len, __u64 arg)
{
	memset(sqe, 0, sizeof(*sqe));
	sqe->op = op;
	sqe->src = src;
	sqe->len = len;
	sqe->dst = dst;
	sqe->arg = arg;
}

/* A task that does nothing. The wsq_prep_ functions clear the whole entry. */
static inline void wsq_prep_nop(struct wsq_sqe *sqe)
{
	wsq_prep_rw(sqe, WSQ_OP_NOP, 0, 0, 0, 0);
}

/* Copies @len bytes from arena offset @src to @dst; they must not overlap. */
static inline void wsq_prep_copy(struct wsq_sqe *sqe, __u64 dst, __u64 src,
				 __u64 len)
{
	wsq_prep_rw(sqe, WSQ_OP_COPY, dst, src, len, 0);
}

/* CRC-32C of @len bytes at @src, continuing from @seed; the result is in res. */
static inline void wsq_prep_crc32c(struct wsq_sqe *sqe, __u64 src, __u64 len,
				   __u32 seed)
{
	wsq_prep_rw(sqe, WSQ_OP_CRC32C, 0, src, len, seed);
}

/* SHA-256 of @len bytes at @src; 32 bytes at @dst. */
static inline void wsq_prep_sha256(struct wsq_sqe *sqe, __u64 dst, __u64 src,
				   __u64 len)
{
	wsq_prep_rw(sqe, WSQ_OP_SHA256, dst, src, len, 0);
}

/* After wsq_prep_*(): what the completion entry is to be known by. */
static inline void wsq_sqe_set_data64(struct wsq_sqe *sqe, __u64 data)
{
	sqe->user_data = data;
}

static inline __u64 wsq_cqe_get_data64(const struct wsq_cqe *cqe)
{
	return cqe->user_data;
}

/**
 * wsq_peek_batch_cqe - completion entries that are there
 * @ring: the ring
 * @cqes: room for pointers, which are good until wsq_cq_advance()
 * @nr: how many fit
 *
 * Returns how many there are, up to @nr.
 */
static inline unsigned int wsq_peek_batch_cqe(struct wsq_ring *ring,
					      struct wsq_cqe **cqes,
					      unsigned int nr)
{
	struct wsq_cq *cq = &ring->cq;
	unsigned int i;

	/*
	 * No need to stop at cq->entries: one lap on, a slot still bears the
	 * number of the pass before.
	 */
	for (i = 0; i < nr; i++) {
		__u64 n = cq->head + i;
		struct wsq_cqe *cqe = &cq->cqes[n & cq->mask];

		/* (2): the members of the entry are read after this. */
		if (__atomic_load_n(&cqe->seq, __ATOMIC_ACQUIRE) !=
		    (__u32)(n >> cq->shift) + 1)
			break;
		cqes[i] = cqe;
	}
	return i;
}

/**
 * wsq_peek_cqe - the oldest completion entry that has not been read
 * @ring: the ring
 * @cqe: where to put its address, which is good until wsq_cqe_seen(); NULL is
 *	put there if there is none
 *
 * Returns 0 or -EAGAIN.
 */
static inline int wsq_peek_cqe(struct wsq_ring *ring, struct wsq_cqe **cqe)
{
	if (wsq_peek_batch_cqe(ring, cqe, 1))
		return 0;
	*cqe = NULL;
	return -EAGAIN;
}

/* Gives the @nr oldest completion entries back to the kernel. */
static inline void wsq_cq_advance(struct wsq_ring *ring, unsigned int nr)
{
	struct wsq_cq *cq = &ring->cq;

	cq->head += nr;
	/* (3): the entries before it were read. */
	__atomic_store_n(cq->khead, cq->head, __ATOMIC_RELEASE);
}

/* Gives the oldest one back; @cqe is what wsq_peek_cqe() returned, or NULL. */
static inline void wsq_cqe_seen(struct wsq_ring *ring,
				const struct wsq_cqe *cqe)
{
	if (cqe)
		wsq_cq_advance(ring, 1);
}

/* Waits without a time limit for one completion entry. */
static inline int wsq_wait_cqe(struct wsq_ring *ring, struct wsq_cqe **cqe)
{
	return wsq_wait_cqes(ring, cqe, 1, WSQ_NO_TIMEOUT);
}

#ifdef __cplusplus
}
#endif

#endif /* LIBWSQ_H */
