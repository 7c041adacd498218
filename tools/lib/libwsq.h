/* SPDX-License-Identifier: MIT OR LGPL-2.1 */
/*
 * libwsq: programs hand tasks to the wsq kernel module through a shared ring.
 *
 * For programs that have many small tasks (nanoseconds to microseconds each)
 * and want to avoid a system call for each of them. Names follow liburing where
 * the meaning is the same:
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
 * Threads: one thread at a time per ring. No function takes a lock. Threads
 * that share a ring must hold a lock of their own around every call, inline
 * functions included, and a wait under that lock blocks the other threads. One
 * ring per thread is better. After fork() the child must not use the parent's
 * ring; it may only call wsq_queue_exit() on its copy.
 *
 * Errors: functions return a negative errno, never -1 with errno.
 *
 * Cost: wsq_get_sqe() and wsq_prep_*() write one cache line and touch nothing
 * that the kernel writes. wsq_peek_cqe() is one acquire load. Each
 * wsq_submit(), and each wait that has to sleep, is one system call, whatever
 * the batch size.
 *
 * Limitations: a ring cannot grow; data has to be in the arena.
 *
 * Languages that cannot include this header can call its inline functions in
 * the library: ffi.c exports each of them.
 *
 * Memory order. Both sides access these words:
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
 * sq_head is not read: the kernel takes entries only inside this thread's ENTER
 * call, which returns how many it took. Polled rings differ:
 *  (4) sq_head is loaded with acquire before an entry is filled again; the
 *	kernel stores it with release after it has read the entries before it. It
 *	reads entries in order and before it runs them, so (2) also proves that
 *	the kernel has read as many entries as have completed.
 *  (5) sq_tail is stored and flags are loaded sequentially consistent, so that
 *	the load does not move before the store. The kernel has a full barrier
 *	between storing flags and loading sq_tail. So either its thread sees the
 *	entries, or the process sees that the thread sleeps and wakes it.
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
#define LIBWSQ_VERSION_MINOR	6

/**
 * struct wsq_sq - submission side; private to the thread that uses the ring
 * @ktail: sq_tail in shared memory
 * @sqes: the entries, shared
 * @head: entries that the kernel has taken, as ENTER returned
 * @tail: entries given out by wsq_get_sqe()
 * @mask: @entries - 1
 * @entries: number of entries
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
 * @entries: number of entries
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
	const __u64 *ids;
	__u64 handed;		/* polled: entries left to the kernel's thread */
	__u64 process;		/* that has the mappings; a forked child has not */
	__u64 rsv;
};

#define WSQ_INIT_FD		(1U << 0)	/* use params->fd, do not open */
#define WSQ_INIT_DISABLED	(1U << 1)	/* as WSQ_SETUP_DISABLED */
#define WSQ_INIT_IDS		(1U << 2)	/* as WSQ_SETUP_IDS */
#define WSQ_INIT_KEYS		(1U << 3)	/* as WSQ_SETUP_KEYS */
#define WSQ_INIT_POLL		(1U << 4)	/* as WSQ_SETUP_POLL */
#define WSQ_INIT_POLL_SHARE	(1U << 5)	/* as WSQ_SETUP_POLL_SHARE */
#define WSQ_INIT_FUTURES	(1U << 6)	/* as WSQ_SETUP_FUTURES */

/**
 * struct wsq_params - more parameters of wsq_queue_init_params()
 * @flags: WSQ_INIT_* bits
 * @cq_entries: a power of two, at least the submission entries; 0 means twice
 * @fd: with WSQ_INIT_FD: an open file of the device without a ring. The ring
 *	then owns it. A privileged helper may open it and pass it on.
 * @idle_us: with WSQ_INIT_POLL: microseconds after which an idle polling thread
 *	sleeps; 0 means 1000
 * @poll_fd: with WSQ_INIT_POLL_SHARE: wsq_ring_fd() of the ring whose polling
 *	thread this ring shares
 * @rsv: zero
 */
struct wsq_params {
	__u32 flags;
	__u32 cq_entries;
	__s32 fd;
	__u32 idle_us;
	__s32 poll_fd;
	__u32 rsv[3];
};

/* Setup. Documented in libwsq(3). */
int wsq_open(const char *path);
int wsq_close(int fd);
int wsq_queue_init(unsigned int entries, size_t arena_size,
		   struct wsq_ring *ring, unsigned int flags);
int wsq_queue_init_params(unsigned int entries, size_t arena_size,
			  struct wsq_ring *ring, const struct wsq_params *p);
void wsq_queue_exit(struct wsq_ring *ring);

/* Queries. @fd comes from wsq_open() or wsq_ring_fd(). */
int wsq_query(int fd, struct wsq_query *q, struct wsq_op_info *ops,
	      unsigned int nr_ops);
int wsq_query_sized(int fd, struct wsq_query *q, size_t q_size,
		    struct wsq_op_info *ops, unsigned int nr_ops);
int wsq_op_find(int fd, const char *name, struct wsq_op_info *op);
int wsq_stats(int fd, struct wsq_stats *st, struct wsq_cpu_stats *cpus,
	      unsigned int nr_cpus);
int wsq_stats_sized(int fd, struct wsq_stats *st, struct wsq_cpu_stats *cpus,
		    unsigned int nr_cpus, size_t cpu_size);

int wsq_ring_stats_sized(const struct wsq_ring *ring, struct wsq_ring_stats *st,
			 size_t st_size);

/* The structs grow: the library must know how large the caller's is. */
#define wsq_query(fd, q, ops, nr_ops)					\
	wsq_query_sized(fd, q, sizeof(struct wsq_query), ops, nr_ops)
#define wsq_stats(fd, st, cpus, nr_cpus)				\
	wsq_stats_sized(fd, st, cpus, nr_cpus, sizeof(struct wsq_cpu_stats))
#define wsq_ring_stats(ring, st)					\
	wsq_ring_stats_sized(ring, st, sizeof(struct wsq_ring_stats))

/* Submitting and waiting. */
int wsq_submit(struct wsq_ring *ring);
int wsq_submit_and_wait(struct wsq_ring *ring, unsigned int nr,
			__u64 timeout_ns);
int wsq_wait_cqes(struct wsq_ring *ring, struct wsq_cqe **cqe, unsigned int nr,
		  __u64 timeout_ns);

/* Cancelling and restricting. */
int wsq_cancel(struct wsq_ring *ring, unsigned int flags, __u64 what,
	       unsigned int *running);
int wsq_restrict(struct wsq_ring *ring, const __u32 *ops, unsigned int nr_ops,
		 unsigned int sqe_flags);
int wsq_enable(struct wsq_ring *ring);

/* The arena's buddy allocator; blocks of 64 bytes and more. See arena.c. */
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

/* Entries that the kernel has read; see (4). */
static inline __u64 wsq_sq_taken(const struct wsq_ring *ring)
{
	const struct wsq_ring_page *page;
	__u64 n;

	if (!(ring->flags & WSQ_INIT_POLL))
		return ring->sq.head;
	page = (const struct wsq_ring_page *)ring->rings;
	n = __atomic_load_n(&page->sq_head, __ATOMIC_ACQUIRE);
	/* The kernel reads in order: completed entries have been read. */
	return n > ring->cq.head ? n : ring->cq.head;
}

/* Entries handed over to the kernel or to its polling thread. */
static inline __u64 wsq_sq_handed(const struct wsq_ring *ring)
{
	return ring->flags & WSQ_INIT_POLL ? ring->handed : ring->sq.head;
}

/* Entries that wsq_get_sqe() can give out before the next wsq_submit(). */
static inline unsigned int wsq_sq_space_left(const struct wsq_ring *ring)
{
	return ring->sq.entries -
	       (unsigned int)(ring->sq.tail - wsq_sq_taken(ring));
}

/* Entries given out that have not been handed over yet. */
static inline unsigned int wsq_sq_ready(const struct wsq_ring *ring)
{
	return (unsigned int)(ring->sq.tail - wsq_sq_handed(ring));
}

/* Tasks handed over whose completions have not been read. */
static inline __u64 wsq_in_flight(const struct wsq_ring *ring)
{
	return wsq_sq_handed(ring) - ring->cq.head;
}

/**
 * wsq_get_sqe - the next submission entry, to be filled by a wsq_prep_ function
 *
 * The entry counts as filled from now on: the next wsq_submit() hands it over.
 *
 * Returns NULL when all entries are waiting for wsq_submit().
 */
static inline struct wsq_sqe *wsq_get_sqe(struct wsq_ring *ring)
{
	struct wsq_sq *sq = &ring->sq;

	if (sq->tail - sq->head >= sq->entries) {
		sq->head = wsq_sq_taken(ring);
		if (sq->tail - sq->head >= sq->entries)
			return NULL;
	}
	return &sq->sqes[sq->tail++ & sq->mask];
}

static inline void wsq_prep_rw(struct wsq_sqe *sqe, __u16 op, __u64 dst,
			       __u64 src, __u64 len, __u64 arg)
{
	/* Not memset(): some compilers warn that its argument may be NULL. */
	sqe->op = op;
	sqe->flags = 0;
	sqe->hint = 0;
	sqe->user_data = 0;
	sqe->src = src;
	sqe->len = len;
	sqe->dst = dst;
	sqe->arg = arg;
	sqe->key = 0;
	sqe->deadline = 0;
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

/* CRC-32C of @len bytes at @src, continuing from @seed; result in res. */
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

/* SHA-512 of @len bytes at @src; 64 bytes at @dst. */
static inline void wsq_prep_sha512(struct wsq_sqe *sqe, __u64 dst, __u64 src,
				   __u64 len)
{
	wsq_prep_rw(sqe, WSQ_OP_SHA512, dst, src, len, 0);
}

/*
 * fs-verity's Merkle root of @len bytes at @src, and the file digest that
 * "fsverity digest" prints; 32 bytes each at @dst.
 */
static inline void wsq_prep_fsverity(struct wsq_sqe *sqe, __u64 dst, __u64 src,
				     __u64 len)
{
	wsq_prep_rw(sqe, WSQ_OP_FSVERITY, dst, src, len, 0);
}

/*
 * Sorts the __u64 in @len bytes at @src into @dst; @src is scratch memory. All
 * are multiples of 8; the ranges must not overlap.
 */
static inline void wsq_prep_sort64(struct wsq_sqe *sqe, __u64 dst, __u64 src,
				   __u64 len)
{
	wsq_prep_rw(sqe, WSQ_OP_SORT64, dst, src, len, 0);
}

/*
 * Compresses @len bytes at @src into @size bytes at @dst, at least
 * WSQ_GZIP_BOUND(@len); they must not overlap. Length of the output in res.
 */
static inline void wsq_prep_gzip(struct wsq_sqe *sqe, __u64 dst, __u64 size,
				 __u64 src, __u64 len)
{
	wsq_prep_rw(sqe, WSQ_OP_GZIP, dst, src, len, size);
}

/* XXH64 of @len bytes at @src with @seed; a __u64 at @dst. */
static inline void wsq_prep_xxhash64(struct wsq_sqe *sqe, __u64 dst, __u64 src,
				     __u64 len, __u64 seed)
{
	wsq_prep_rw(sqe, WSQ_OP_XXHASH64, dst, src, len, seed);
}

/* Fills @len bytes at @dst with @pattern, repeated. */
static inline void wsq_prep_fill(struct wsq_sqe *sqe, __u64 dst, __u64 len,
				 __u64 pattern)
{
	wsq_prep_rw(sqe, WSQ_OP_FILL, dst, 0, len, pattern);
}

/* Sets @len bytes at @dst to @byte. */
static inline void wsq_prep_memset(struct wsq_sqe *sqe, __u64 dst, __u64 len,
				   __u8 byte)
{
	wsq_prep_fill(sqe, dst, len, 0x0101010101010101ULL * byte);
}

/* Number of equal bytes at @a and @b before the first difference. */
static inline void wsq_prep_compare(struct wsq_sqe *sqe, __u64 a, __u64 b,
				    __u64 len)
{
	wsq_prep_rw(sqe, WSQ_OP_COMPARE, b, a, len, 0);
}

/* @len bytes at @dst ^= those at @src; they must not overlap. */
static inline void wsq_prep_xor(struct wsq_sqe *sqe, __u64 dst, __u64 src,
				__u64 len)
{
	wsq_prep_rw(sqe, WSQ_OP_XOR, dst, src, len, 0);
}

/* An op of another module, by its number from wsq_op_find(). */
static inline void wsq_prep_op(struct wsq_sqe *sqe, __u32 op, __u64 dst,
			       __u64 src, __u64 len, __u64 arg)
{
	wsq_prep_rw(sqe, (__u16)op, dst, src, len, arg);
}

/*
 * After wsq_prep_*(): instead of one range, the @nr ranges in the array of
 * struct wsq_vec at arena offset @list, a multiple of 8. Replaces src and len;
 * for fill, dst and len.
 */
static inline void wsq_sqe_set_vec(struct wsq_sqe *sqe, __u64 list,
				   unsigned int nr)
{
	sqe->flags |= WSQ_SQE_VEC;
	sqe->src = list;
	sqe->len = nr;
	if (sqe->op == WSQ_OP_FILL)
		sqe->dst = 0;
}

/*
 * The same for an op of another module that writes its ranges, as fill does:
 * replaces dst and len.
 */
static inline void wsq_sqe_set_vec_out(struct wsq_sqe *sqe, __u64 list,
				       unsigned int nr)
{
	wsq_sqe_set_vec(sqe, list, nr);
	sqe->dst = 0;
}

/* After wsq_prep_*(): sets flags, WSQ_SQE_LINK or WSQ_SQE_DRAIN. */
static inline void wsq_sqe_set_flags(struct wsq_sqe *sqe, unsigned int flags)
{
	sqe->flags |= (__u16)flags;
}

/* After wsq_prep_*(): sets the deadline, @ns of CLOCK_MONOTONIC. */
static inline void wsq_sqe_set_deadline(struct wsq_sqe *sqe, __u64 ns)
{
	sqe->flags |= WSQ_SQE_DEADLINE;
	sqe->deadline = ns;
}

/*
 * After wsq_prep_*(): the task runs one at a time with others of the same key.
 * The ring must be made with WSQ_INIT_KEYS.
 */
static inline void wsq_sqe_set_key(struct wsq_sqe *sqe, __u64 key)
{
	sqe->flags |= WSQ_SQE_KEY;
	sqe->key = key;
}

/*
 * After wsq_prep_*(), instead of a deadline: the task resolves a future, a number
 * from 1 to the ring's completion entries. The ring must be made with
 * WSQ_INIT_FUTURES.
 */
static inline void wsq_sqe_set_future(struct wsq_sqe *sqe, unsigned int future)
{
	sqe->flags |= WSQ_SQE_FUTURES;
	sqe->deadline = (sqe->deadline & ~0xffffULL) | (__u16)future;
}

/*
 * Likewise: the task waits for a future that an entry before it resolves.
 * Returns 0, or -ENOSPC if it waits for three already.
 */
static inline int wsq_sqe_add_after(struct wsq_sqe *sqe, unsigned int future)
{
	unsigned int shift;

	sqe->flags |= WSQ_SQE_FUTURES;
	for (shift = 16; shift < 64; shift += 16) {
		if (!(sqe->deadline >> shift & 0xffff)) {
			sqe->deadline |= (__u64)(__u16)future << shift;
			return 0;
		}
	}
	return -ENOSPC;
}

/* After wsq_prep_*(): asks for a CPU. */
static inline void wsq_sqe_set_cpu(struct wsq_sqe *sqe, unsigned int cpu)
{
	sqe->flags |= WSQ_SQE_CPU;
	sqe->hint = cpu;
}

/* After wsq_prep_*(): asks for a memory node, instead of a CPU. */
static inline void wsq_sqe_set_node(struct wsq_sqe *sqe, unsigned int node)
{
	sqe->flags |= WSQ_SQE_NODE;
	sqe->hint = node;
}

/**
 * wsq_sqe_number - the number of the entry that wsq_get_sqe() returned last
 *
 * All entries of a ring are numbered from 0.
 */
static inline __u64 wsq_sqe_number(const struct wsq_ring *ring)
{
	return ring->sq.tail - 1;
}

/**
 * wsq_task_id - the id of a task, for wsq_cancel()
 * @ring: made with WSQ_INIT_IDS
 * @number: from wsq_sqe_number()
 *
 * Returns 0 if the entry has not been taken yet or was refused, or if as many
 * entries as the ring has were submitted after it.
 */
static inline __u64 wsq_task_id(const struct wsq_ring *ring, __u64 number)
{
	const struct wsq_sq *sq = &ring->sq;

	/* The kernel may take entries before it stores sq_head. */
	if (!ring->ids || number >= wsq_sq_taken(ring) ||
	    wsq_sq_handed(ring) - number > sq->entries)
		return 0;
	return __atomic_load_n(&ring->ids[number & sq->mask], __ATOMIC_RELAXED);
}

/* After wsq_prep_*(): sets the value that the completion entry returns. */
static inline void wsq_sqe_set_data64(struct wsq_sqe *sqe, __u64 data)
{
	sqe->user_data = data;
}

static inline __u64 wsq_cqe_get_data64(const struct wsq_cqe *cqe)
{
	return cqe->user_data;
}

/**
 * wsq_peek_batch_cqe - gets the completion entries that can be read now
 * @ring: the ring
 * @cqes: array for the pointers, which are valid until wsq_cq_advance()
 * @nr: size of @cqes
 *
 * Returns the number of pointers stored, at most @nr.
 */
static inline unsigned int wsq_peek_batch_cqe(struct wsq_ring *ring,
					      struct wsq_cqe **cqes,
					      unsigned int nr)
{
	struct wsq_cq *cq = &ring->cq;
	unsigned int i;

	/*
	 * No need to stop at cq->entries: one pass on, a slot still has the
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
 * wsq_peek_cqe - gets the oldest completion entry that has not been read
 * @ring: the ring
 * @cqe: set to its address, which is valid until wsq_cqe_seen(), or to NULL if
 *	there is none
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

/* Returns the @nr oldest completion entries to the kernel. */
static inline void wsq_cq_advance(struct wsq_ring *ring, unsigned int nr)
{
	struct wsq_cq *cq = &ring->cq;

	cq->head += nr;
	/* (3): the entries before it were read. */
	__atomic_store_n(cq->khead, cq->head, __ATOMIC_RELEASE);
}

/* Returns the oldest entry; @cqe comes from wsq_peek_cqe(), or is NULL. */
static inline void wsq_cqe_seen(struct wsq_ring *ring,
				const struct wsq_cqe *cqe)
{
	if (cqe)
		wsq_cq_advance(ring, 1);
}

/*
 * The wsq_submit() that programs get. On a polled ring whose thread is awake,
 * it is a store, a barrier and a load.
 */
static inline int wsq_submit_inline(struct wsq_ring *ring)
{
	const struct wsq_ring_page *page;
	__u64 n;

	if (!(ring->flags & WSQ_INIT_POLL))
		return wsq_submit(ring);
	n = ring->sq.tail - ring->handed;
	/* Only if all completions have space; wsq_submit() handles the rest. */
	if (!n || ring->sq.tail - ring->cq.head > ring->cq.entries)
		return wsq_submit(ring);
	page = (const struct wsq_ring_page *)ring->rings;
	ring->handed = ring->sq.tail;
	/* (1), (5) */
	__atomic_store_n(ring->sq.ktail, ring->handed, __ATOMIC_SEQ_CST);
	/* They are handed over, even if waking the thread fails. */
	if (__atomic_load_n(&page->flags, __ATOMIC_SEQ_CST) &
	    WSQ_RING_NEED_WAKEUP)
		(void)wsq_submit(ring);
	return (int)n;
}

#define wsq_submit(ring)	wsq_submit_inline(ring)

/* Waits for one completion entry, without a time limit. */
static inline int wsq_wait_cqe(struct wsq_ring *ring, struct wsq_cqe **cqe)
{
	return wsq_wait_cqes(ring, cqe, 1, WSQ_NO_TIMEOUT);
}

#ifdef __cplusplus
}
#endif

#endif /* LIBWSQ_H */
