/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT */
/*
 * User ABI of wsq: /dev/wsq and the ring that a process shares with the module.
 *
 * A process opens /dev/wsq, asks what the module offers (QUERY), makes one ring
 * for that open file (SETUP) and maps it: cursors and completion entries,
 * submission entries, and the data arena that tasks read and write. It fills
 * submission entries, stores the new sq_tail with release, and calls ENTER.
 * Workers of the module run the tasks; each leaves exactly one completion
 * entry. All numbers are in the machine's byte order.
 *
 * Every ioctl takes a struct whose first member is its size as the caller knows
 * it. A shorter struct means zeros for what the caller does not know; a longer
 * one is accepted if what the module does not know is zero (E2BIG otherwise).
 * Reserved members are zero (EINVAL otherwise).
 */
#ifndef _UAPI_LINUX_WSQ_H
#define _UAPI_LINUX_WSQ_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define WSQ_DEVICE		"/dev/wsq"

/* What an entry asks for. Names are told by WSQ_IOC_QUERY. */
enum wsq_op {
	WSQ_OP_NOP	= 0,	/* nothing */
	WSQ_OP_COPY	= 1,	/* src, len -> dst; ranges must not overlap */
	WSQ_OP_CRC32C	= 2,	/* src, len, arg; result = checksum */
	WSQ_OP_SHA256	= 3,	/* src, len -> 32 bytes at dst */
	WSQ_OP_NR
};

/**
 * struct wsq_sqe - submission entry, 64 bytes
 * @op: enum wsq_op
 * @flags: zero
 * @rsv0: zero
 * @user_data: returned in the completion entry, not looked at
 * @src: arena offset in bytes of what the task reads
 * @len: bytes to read, not zero; at most struct wsq_op_info.max_len
 * @dst: arena offset in bytes of what the task writes
 * @arg: crc32c: the checksum of what comes before this range, 0 if nothing
 *	does; at most 32 bits. So 0 gives the usual CRC-32C (of "123456789":
 *	0xe3069283), and long data go in pieces. Otherwise zero.
 * @rsv: zero
 *
 * Members that an op does not use are zero. What is wrong with an entry is told
 * in its completion entry: EOPNOTSUPP no such op; EINVAL a member that should
 * be zero is not, @len is zero, or @arg is out of bounds; E2BIG @len is above
 * the op's limit; EFAULT a range is not in the arena; EINVAL ranges overlap. The
 * first of these that applies.
 */
struct wsq_sqe {
	__u16 op;
	__u16 flags;
	__u32 rsv0;
	__u64 user_data;
	__u64 src;
	__u64 len;
	__u64 dst;
	__u64 arg;
	__u64 rsv[2];
};

/**
 * struct wsq_cqe - completion entry, 32 bytes
 * @user_data: from the submission entry
 * @res: result: not negative, or -errno
 * @wait_ns: nanoseconds between submission and start
 * @cpu: the CPU that ran the task
 * @seq: which pass over the ring this entry belongs to. Entry number n (from
 *	0, counting all completions of the ring) stands at n & (cq_entries - 1)
 *	and is there once @seq, loaded with acquire, equals
 *	(__u32)(n / cq_entries) + 1.
 */
struct wsq_cqe {
	__u64 user_data;
	__s64 res;
	__u64 wait_ns;
	__u32 cpu;
	__u32 seq;
};

/**
 * struct wsq_ring_page - the cursors, at offset 0 of the rings mapping
 * @sq_head: submission entries that the kernel has taken. Kernel writes.
 * @sq_tail: submission entries that the process has filled. Process writes,
 *	with release.
 * @cq_head: completion entries that the process has read. Process writes, with
 *	release.
 * @rsv0: keeps @sq_head on a cache line of its own
 * @rsv1: likewise @sq_tail
 * @rsv2: likewise @cq_head
 * @rsv3: likewise @cq_tail
 * @cq_tail: completion entries given out; entry cq_tail - 1 may still be on
 *	its way, @seq of the entry decides. Kernel writes, at times that suit
 *	it: a hint.
 *
 * All run freely from 0 and never wrap in practice (64 bits). The kernel keeps
 * its own copies of @sq_head and the completion count and never believes those
 * here. Submission entry n stands at n & (sq_entries - 1).
 */
struct wsq_ring_page {
	__u64 sq_head;
	__u64 rsv0[7];
	__u64 sq_tail;
	__u64 rsv1[7];
	__u64 cq_head;
	__u64 rsv2[7];
	__u64 cq_tail;
	__u64 rsv3[7];
};

/* mmap offsets. Map each part whole; sizes come from WSQ_IOC_SETUP. */
#define WSQ_OFF_RINGS		0x00000000ULL	/* wsq_ring_page, then CQEs */
#define WSQ_OFF_SQES		0x10000000ULL
#define WSQ_OFF_ARENA		0x20000000ULL

#define WSQ_OP_NAME_LEN		16

/**
 * struct wsq_op_info - what QUERY tells of one op
 * @op: its number
 * @flags: zero so far
 * @max_len: largest len it takes, in bytes; 0 if it takes none
 * @name: its name, NUL-terminated
 * @rsv: zero so far
 *
 * The size of this struct is for ever, it stands in arrays.
 */
struct wsq_op_info {
	__u32 op;
	__u32 flags;
	__u64 max_len;
	char name[WSQ_OP_NAME_LEN];
	__u64 rsv[4];
};

/**
 * struct wsq_query - WSQ_IOC_QUERY
 * @size: sizeof(struct wsq_query) as the caller knows it
 * @nr_ops: in: room at @ops, in entries; out: number of ops there are
 * @ops: address of an array of struct wsq_op_info, or 0
 * @features: out: WSQ_FEAT_* bits
 * @max_sq_entries: out: most sq_entries
 * @max_cq_entries: out: most cq_entries
 * @max_arena: out: largest arena in bytes
 * @nr_cpus: out: CPU numbers are below this
 * @nr_nodes: out: memory nodes in use
 * @memory: out: bytes that a SETUP with the values below would charge to the
 *	caller's memory cgroup at most; 0 if they are not valid
 * @sq_entries: in, for @memory
 * @cq_entries: in, for @memory
 * @arena_size: in, for @memory
 */
struct wsq_query {
	__u32 size;
	__u32 nr_ops;
	__u64 ops;
	__u64 features;
	__u32 max_sq_entries;
	__u32 max_cq_entries;
	__u64 max_arena;
	__u32 nr_cpus;
	__u32 nr_nodes;
	__u64 memory;
	__u32 sq_entries;
	__u32 cq_entries;
	__u64 arena_size;
};

#define WSQ_FEAT_TIMEOUT	(1ULL << 0)	/* ENTER waits with timeout */
#define WSQ_FEAT_STATS		(1ULL << 1)	/* WSQ_IOC_STATS */

/**
 * struct wsq_setup - WSQ_IOC_SETUP; once for each open file
 * @size: sizeof(struct wsq_setup) as the caller knows it
 * @flags: zero
 * @sq_entries: a power of two
 * @cq_entries: a power of two, at least @sq_entries; 0 means twice @sq_entries
 * @arena_size: bytes; rounded up to pages; 0 means none
 * @rings_bytes: out: length of the mapping at WSQ_OFF_RINGS
 * @sqes_bytes: out: length of the mapping at WSQ_OFF_SQES
 * @arena_bytes: out: length of the mapping at WSQ_OFF_ARENA
 * @cqes_off: out: where in the rings mapping the completion entries begin
 * @rsv: zero
 */
struct wsq_setup {
	__u32 size;
	__u32 flags;
	__u32 sq_entries;
	__u32 cq_entries;
	__u64 arena_size;
	__u64 rings_bytes;
	__u64 sqes_bytes;
	__u64 arena_bytes;
	__u32 cqes_off;
	__u32 rsv;
};

#define WSQ_NO_TIMEOUT		(~0ULL)

/**
 * struct wsq_enter - WSQ_IOC_ENTER: submit, then wait
 * @size: sizeof(struct wsq_enter) as the caller knows it
 * @flags: zero
 * @to_submit: take at most this many submission entries; no error if fewer
 *	are there
 * @min_complete: then wait until this many completion entries are there to be
 *	read, counted from @cq_head as it was at the start of the call; at most
 *	cq_entries
 * @timeout_ns: give up waiting after this many nanoseconds; 0 does not wait,
 *	WSQ_NO_TIMEOUT waits for ever
 * @submitted: out, also when an error is returned: entries taken
 * @completed: out, also when an error is returned: entries there to be read,
 *	counted likewise
 *
 * An entry that cannot be run is completed with -errno in res, as everything
 * else; it does not stop the ones behind it. If the completion ring has no
 * room for all, ENTER takes those it has room for and returns without waiting.
 * ENTER itself fails with:
 *
 * EAGAIN	entries were there and none was taken, because each completion
 *		entry is spoken for: read some
 * ETIME	fewer than @min_complete after @timeout_ns
 * EINTR	a signal came first
 * EINVAL	a member is out of bounds, no ring, or shared cursors that make no
 *		sense: @sq_tail more than sq_entries beyond @sq_head, @cq_head
 *		moved back or beyond what was completed. Nothing is lost, and
 *		the ring works again once they are right
 */
struct wsq_enter {
	__u32 size;
	__u32 flags;
	__u32 to_submit;
	__u32 min_complete;
	__u64 timeout_ns;
	__u32 submitted;
	__u32 completed;
};

/* Kinds of distance between a thief and its victim. */
enum wsq_distance {
	WSQ_DIST_SMT	= 0,	/* same core */
	WSQ_DIST_CACHE	= 1,	/* same last-level cache */
	WSQ_DIST_NODE	= 2,	/* same memory node */
	WSQ_DIST_REMOTE	= 3,	/* another node */
	WSQ_DIST_NR
};

/**
 * struct wsq_cpu_stats - counters of one CPU, since the module was loaded
 * @cpu: its number
 * @node: its memory node
 * @flags: WSQ_CPU_* bits
 * @rsv: zero
 * @puts: tasks queued on this CPU
 * @gets: tasks that this CPU's worker ran
 * @steals: of these, tasks taken from other CPUs, by enum wsq_distance
 * @parks: times the worker went to sleep
 * @wakeups: times a put on this CPU woke a worker
 * @inbox: of @puts, those that went through an inbox
 * @standins: times a stand-in took over for a worker that slept in a task. Not
 *	in the first version, which ends before it (88 bytes)
 * @fences: times this CPU was interrupted so that others could go without
 *	barriers. Not in the second version, which ends before it (96 bytes)
 */
struct wsq_cpu_stats {
	__u32 cpu;
	__u32 node;
	__u32 flags;
	__u32 rsv;
	__u64 puts;
	__u64 gets;
	__u64 steals[4];
	__u64 parks;
	__u64 wakeups;
	__u64 inbox;
	__u64 standins;
	__u64 fences;
};

#define WSQ_CPU_ONLINE		(1U << 0)
#define WSQ_CPU_WORKER		(1U << 1)	/* has a worker */
#define WSQ_CPU_PARKED		(1U << 2)	/* which is asleep */

/**
 * struct wsq_stats - WSQ_IOC_STATS
 * @size: sizeof(struct wsq_stats) as the caller knows it
 * @nr_cpus: in: room at @cpus, in entries; out: number of CPUs there are
 * @cpus: address of an array of struct wsq_cpu_stats, or 0
 * @cpu_stats_size: in: sizeof(struct wsq_cpu_stats) as the caller knows it
 * @rsv: zero
 * @rings: out: rings that exist
 * @queues: out: queues that exist
 * @workers: out: workers that exist
 * @pad: zero
 */
struct wsq_stats {
	__u32 size;
	__u32 nr_cpus;
	__u64 cpus;
	__u32 cpu_stats_size;
	__u32 rsv;
	__u32 rings;
	__u32 queues;
	__u32 workers;
	__u32 pad;
};

/* The struct says how large it is, so the number does not. */
#define WSQ_IOC_MAGIC		0xB7
#define WSQ_IOC_QUERY		_IO(WSQ_IOC_MAGIC, 0x00)	/* struct wsq_query */
#define WSQ_IOC_SETUP		_IO(WSQ_IOC_MAGIC, 0x01)	/* struct wsq_setup */
#define WSQ_IOC_ENTER		_IO(WSQ_IOC_MAGIC, 0x02)	/* struct wsq_enter */
#define WSQ_IOC_STATS		_IO(WSQ_IOC_MAGIC, 0x03)	/* struct wsq_stats */

#endif /* _UAPI_LINUX_WSQ_H */
