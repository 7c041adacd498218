/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT */
/*
 * User ABI of wsq: /dev/wsq and the ring that a process shares with the module.
 *
 * A process opens /dev/wsq, asks what the module offers (QUERY), creates one
 * ring for that open file (SETUP) and maps it. The ring has cursors and
 * completion entries, submission entries, and the data arena that tasks read
 * and write. The process fills submission entries, stores the new sq_tail with
 * release, and calls ENTER. Workers of the module run the tasks. Each task
 * produces exactly one completion entry. All numbers are in native byte order.
 *
 * Every ioctl except ENABLE takes a struct whose first member is the size of
 * the struct that the caller was built with. In a shorter struct, missing
 * members are zero. A longer struct is accepted if the bytes that the module
 * does not know are zero and it is not longer than a page (E2BIG otherwise).
 * Reserved members must be zero (EINVAL otherwise).
 */
#ifndef _UAPI_LINUX_WSQ_H
#define _UAPI_LINUX_WSQ_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define WSQ_DEVICE		"/dev/wsq"

/* The operation of an entry. WSQ_IOC_QUERY returns the names. */
enum wsq_op {
	WSQ_OP_NOP	= 0,	/* nothing */
	WSQ_OP_COPY	= 1,	/* src, len -> dst; ranges must not overlap */
	WSQ_OP_CRC32C	= 2,	/* src, len, arg; result = checksum */
	WSQ_OP_SHA256	= 3,	/* src, len -> 32 bytes at dst */
	WSQ_OP_FILL	= 4,	/* dst, len := the 8 bytes of arg, repeated */
	WSQ_OP_COMPARE	= 5,	/* src, len with dst; result = equal prefix */
	WSQ_OP_XOR	= 6,	/* dst ^= src, len; ranges must not overlap */
	WSQ_OP_XXHASH64	= 7,	/* src, len, arg = seed -> 8 bytes at dst */
	WSQ_OP_SHA512	= 8,	/* src, len -> 64 bytes at dst */
	WSQ_OP_FSVERITY	= 9,	/* src, len -> root, file digest at dst */
	WSQ_OP_SORT64	= 10,	/* src, len -> dst, sorted; src is scratch */
	WSQ_OP_GZIP	= 11,	/* src, len -> dst, of arg bytes; result = used */
	WSQ_OP_NR
};

/* Ops of other modules are numbered from here on. Numbers are never reused. */
#define WSQ_OP_REGISTERED	256

/*
 * fsverity: the Merkle root of fs-verity with SHA-256, blocks of 4096 bytes and
 * no salt, then the file digest that "fsverity digest" prints, 32 bytes each.
 *
 * sort64: sorts numbers of 64 bits in native byte order, the smallest first.
 * @src, @len and @dst are multiples of 8. What is at @src afterwards is not
 * defined.
 *
 * gzip: what gunzip reads, a member for each 128 KiB. What is at @dst behind the
 * result is not defined.
 *
 * Idle CPUs take part in these. One task of a user has their help at a time.
 * While a task runs it needs memory of the kernel; it may end with ENOMEM.
 */

/* The maximum output of gzip for @len bytes, which are more than 0. */
#define WSQ_GZIP_BOUND(len)	((len) + 33 * (((len) + 0x1ffffULL) >> 17))

/* struct wsq_sqe.flags */
#define WSQ_SQE_LINK		(1U << 0)	/* the next entry waits for this one */
#define WSQ_SQE_DRAIN		(1U << 1)	/* after all before it, before all after it */
#define WSQ_SQE_KEY		(1U << 2)	/* in order with others of this @key */
#define WSQ_SQE_CPU		(1U << 3)	/* @hint is a CPU */
#define WSQ_SQE_NODE		(1U << 4)	/* @hint is a memory node */
#define WSQ_SQE_DEADLINE	(1U << 5)	/* @deadline is set */
#define WSQ_SQE_VEC		(1U << 6)	/* @src, @len is a list of ranges */
#define WSQ_SQE_FUTURES		(1U << 7)	/* @deadline is WSQ_FUTURES() */

#define WSQ_VEC_MAX		16

/*
 * The futures of a task: the one that it resolves, and up to three that it waits
 * for. Each is a number from 1 to the ring's completion entries, or 0 for none.
 */
#define WSQ_FUTURES(resolves, a, b, c)					\
	((__u64)(__u16)(resolves) | (__u64)(__u16)(a) << 16 |		\
	 (__u64)(__u16)(b) << 32 | (__u64)(__u16)(c) << 48)

/**
 * struct wsq_vec - a range, one of a list
 * @off: arena offset in bytes
 * @len: bytes, not zero
 */
struct wsq_vec {
	__u64 off;
	__u64 len;
};

/**
 * struct wsq_sqe - submission entry, 64 bytes
 * @op: enum wsq_op, or the number of another module's op
 * @flags: WSQ_SQE_* bits
 * @hint: with WSQ_SQE_CPU or WSQ_SQE_NODE, where the task should run. Idle CPUs
 *	may still steal it
 * @user_data: copied to the completion entry
 * @src: arena offset in bytes of the data to read
 * @len: bytes to read, not zero; at most struct wsq_op_info.max_len
 * @dst: arena offset in bytes of the data to write
 * @arg: crc32c: the checksum of the data before this range, or 0 if there is
 *	none; at most 32 bits. So 0 gives the usual CRC-32C (of "123456789":
 *	0xe3069283), and long data can be split. fill: the pattern. xxhash64:
 *	the seed. gzip: bytes at @dst, at least WSQ_GZIP_BOUND(@len). Otherwise
 *	zero.
 * @key: with WSQ_SQE_KEY, any number: tasks of a ring that have the same key
 *	run one at a time, in order
 * @deadline: with WSQ_SQE_DEADLINE, a time of CLOCK_MONOTONIC in ns, as
 *	the process that called SETUP reads it in its time namespace. A task
 *	that has not started by then does not run. A long task that has started
 *	stops at its op's next check. Both end with ETIME. With WSQ_SQE_FUTURES,
 *	the task's futures, as WSQ_FUTURES() packs them; not with both flags
 *
 * Members that an op does not use, or whose flag is not set, must be zero. An
 * invalid entry ends with the first of these errors that applies: EOPNOTSUPP no
 * such op; EPERM an op or a flag that WSQ_IOC_RESTRICT does not allow, or an op
 * that requires a capability the file's opener lacks; EINVAL a member is not
 * zero but should be, @len is zero, or a member is out of bounds; E2BIG @len is
 * above the op's limit; EFAULT a range is not in the arena; EINVAL ranges
 * overlap; EINVAL it waits for a future that no entry before it named; EBUSY the
 * future that it resolves is not resolved yet. A task also ends with EOPNOTSUPP
 * if its op existed when its entry was taken, but was unregistered with its
 * module before the task started.
 *
 * WSQ_SQE_LINK: the next entry starts when this one has ended with a result
 * that is not negative. Otherwise the next entry ends with ECANCELED, and so do
 * those linked behind it. A chain ends with an entry without the flag, or where
 * the process lets it end: at @sq_tail, or after @to_submit entries of an ENTER.
 * A chain is taken whole or not at all: it waits until enough completion entries
 * are free.
 *
 * WSQ_SQE_DRAIN: the task starts when all tasks submitted before it have ended.
 * Tasks submitted after it start when it and the tasks linked behind it have
 * ended. Not allowed behind a link: EINVAL.
 *
 * WSQ_SQE_KEY: the task starts when all tasks of the same @key that were
 * enqueued before it have ended, with any result. Tasks of other keys, without
 * a key, or of other rings do not matter. A task is enqueued at its key when it
 * is submitted; if it waits behind a link or a drain, when that wait is over.
 * Only a ring set up with WSQ_SETUP_KEYS has keys: EINVAL otherwise. @hint
 * takes effect only if no other task of the key is in progress.
 *
 * WSQ_SQE_VEC: a list of ranges instead of one range: @src is the arena offset,
 * a multiple of 8, of an array of @len struct wsq_vec, at most WSQ_VEC_MAX
 * (E2BIG). The op treats the ranges as one concatenated range, to whose length
 * its limit applies. fill fills the ranges, and @dst is zero. xor requires
 * ranges of equal length and XORs each of them into the same bytes at @dst. The
 * list is read once, when the task starts; then it is checked, with the errors
 * above. WSQ_OPF_VEC says which ops take lists.
 *
 * WSQ_SQE_FUTURES: the task starts when the tasks that resolve the futures it
 * waits for have ended, each with a result that is not negative. If one of them
 * was negative, the task ends with ECANCELED once all have ended. A future is
 * resolved by the task of the entry that names it, when that ends. An entry that
 * is refused resolves its future at once, as a task that failed; but not if an
 * earlier task has yet to resolve that future. A task waits for the last entry
 * before its own that resolves the future. A future is resolved before the
 * completion entry of its task can be read. From then on another entry may
 * resolve it again. Only a ring set up with WSQ_SETUP_FUTURES has futures:
 * EINVAL otherwise.
 */
struct wsq_sqe {
	__u16 op;
	__u16 flags;
	__u32 hint;
	__u64 user_data;
	__u64 src;
	__u64 len;
	__u64 dst;
	__u64 arg;
	__u64 key;
	__u64 deadline;
};

/**
 * struct wsq_cqe - completion entry, 32 bytes
 * @user_data: from the submission entry
 * @res: the result, not negative, or -errno
 * @wait_ns: nanoseconds between submission and start
 * @cpu: the CPU that ran the task
 * @seq: the pass over the ring that this entry belongs to. Completion n of the
 *	ring, counted from 0, is at index n & (cq_entries - 1). It is valid once
 *	@seq, loaded with acquire, equals (__u32)(n / cq_entries) + 1.
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
 * @sq_head: submission entries that the kernel has taken. Written by the
 *	kernel.
 * @sq_tail: submission entries that the process has filled. Written by the
 *	process, with release.
 * @cq_head: completion entries that the process has read. Written by the
 *	process, with release.
 * @flags: WSQ_RING_* bits. Written by the kernel. Zero in modules without any
 * @rsv0: keeps @sq_head on a cache line of its own
 * @rsv1: keeps @sq_tail on a cache line of its own
 * @rsv2: keeps @cq_head on a cache line of its own
 * @rsv3: keeps @cq_tail on a cache line of its own
 * @cq_tail: completion entries allocated. A hint: the kernel updates it from
 *	time to time, and entry cq_tail - 1 may not be valid yet; @seq of the
 *	entry decides. Written by the kernel.
 *
 * All counters start from 0 and, at 64 bits, never wrap in practice. The kernel
 * keeps its own copies of @sq_head and the completion count and never reads
 * these back. Submission entry n is at index n & (sq_entries - 1).
 */
struct wsq_ring_page {
	__u64 sq_head;
	__u64 flags;
	__u64 rsv0[6];
	__u64 sq_tail;
	__u64 rsv1[7];
	__u64 cq_head;
	__u64 rsv2[7];
	__u64 cq_tail;
	__u64 rsv3[7];
};

/*
 * struct wsq_ring_page.flags, of rings with WSQ_SETUP_POLL: the kernel thread
 * that takes entries is not polling. Store sq_tail (or cq_head, if entries wait
 * for that), execute a full barrier, then load flags. If this is set, call
 * ENTER with WSQ_ENTER_WAKEUP.
 */
#define WSQ_RING_NEED_WAKEUP	(1ULL << 0)

/* mmap offsets. Map each part whole; sizes come from WSQ_IOC_SETUP. */
#define WSQ_OFF_RINGS		0x00000000ULL	/* wsq_ring_page, then CQEs */
#define WSQ_OFF_SQES		0x10000000ULL
#define WSQ_OFF_ARENA		0x20000000ULL

#define WSQ_OP_NAME_LEN		16

/**
 * struct wsq_op_info - information on one op, from QUERY
 * @op: its number
 * @flags: WSQ_OPF_* bits
 * @max_len: maximum len in bytes; 0 if it takes none
 * @name: its name, NUL-terminated
 * @cap: with WSQ_OPF_CAP, the number of the capability that the file's opener
 *	needs in the initial user namespace
 * @rsv: currently zero
 *
 * The size of this struct never changes, because it is an array element.
 */
struct wsq_op_info {
	__u32 op;
	__u32 flags;
	__u64 max_len;
	char name[WSQ_OP_NAME_LEN];
	__u64 cap;
	__u64 rsv[3];
};

#define WSQ_OPF_VEC		(1U << 0)	/* WSQ_SQE_VEC may be used */
#define WSQ_OPF_CAP		(1U << 1)	/* @cap is needed */

/**
 * struct wsq_query - WSQ_IOC_QUERY
 * @size: sizeof(struct wsq_query) as the caller knows it
 * @nr_ops: in: capacity of @ops, in entries; out: number of ops that exist
 * @ops: address of an array of struct wsq_op_info, or 0
 * @features: out: WSQ_FEAT_* bits
 * @max_sq_entries: out: maximum sq_entries
 * @max_cq_entries: out: maximum cq_entries
 * @max_arena: out: maximum arena size in bytes
 * @nr_cpus: out: CPU numbers are below this
 * @nr_nodes: out: memory nodes in use
 * @memory: out: maximum bytes that a SETUP with the values below would charge
 *	to the caller's memory cgroup, more for the first ring of a user than
 *	for others; 0 if the values are invalid
 * @sq_entries: in, for @memory
 * @cq_entries: in, for @memory
 * @arena_size: in, for @memory
 * @setup_flags: in, for @memory: flags of the SETUP. Not in the first version
 *	of the struct, which ends before it (72 bytes)
 * @rsv: zero
 * @max_user_rings: out: maximum rings of a user without CAP_SYS_RESOURCE. Not
 *	in the second version of the struct, which ends before it (80 bytes).
 *	Modules without WSQ_FEAT_RING_STATS leave this and all later members
 *	unchanged
 * @max_user_tasks: out: maximum completion entries of these rings together, so
 *	maximum tasks in flight
 * @max_user_memory: out: maximum bytes of these rings together, as in @memory
 * @user_rings: out: rings currently charged to the caller's user. If the caller
 *	is charged by namespace and by uid, the larger number; likewise in the
 *	next two
 * @user_tasks: out: completion entries of these rings
 * @user_memory: out: bytes of these rings, and what the first of them took in
 *	addition
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
	__u32 setup_flags;
	__u32 rsv;
	__u32 max_user_rings;
	__u32 max_user_tasks;
	__u64 max_user_memory;
	__u32 user_rings;
	__u32 user_tasks;
	__u64 user_memory;
};

#define WSQ_FEAT_TIMEOUT	(1ULL << 0)	/* ENTER waits with timeout */
#define WSQ_FEAT_STATS		(1ULL << 1)	/* WSQ_IOC_STATS */
#define WSQ_FEAT_ORDER		(1ULL << 2)	/* links, drains, hints, deadlines */
#define WSQ_FEAT_CANCEL		(1ULL << 3)	/* WSQ_IOC_CANCEL, WSQ_SETUP_IDS */
#define WSQ_FEAT_RESTRICT	(1ULL << 4)	/* WSQ_IOC_RESTRICT, _ENABLE */
#define WSQ_FEAT_KEYS		(1ULL << 5)	/* WSQ_SETUP_KEYS, WSQ_SQE_KEY */
#define WSQ_FEAT_POLL		(1ULL << 6)	/* WSQ_SETUP_POLL */
#define WSQ_FEAT_VEC		(1ULL << 7)	/* WSQ_SQE_VEC, ops of other modules */
#define WSQ_FEAT_RING_STATS	(1ULL << 8)	/* WSQ_IOC_RING_STATS */
#define WSQ_FEAT_FUTURES	(1ULL << 9)	/* WSQ_SETUP_FUTURES, WSQ_SQE_FUTURES */

/**
 * struct wsq_setup - WSQ_IOC_SETUP; once for each open file
 * @size: sizeof(struct wsq_setup) as the caller knows it
 * @flags: WSQ_SETUP_* bits
 * @sq_entries: a power of two
 * @cq_entries: a power of two, at least @sq_entries; 0 means twice @sq_entries
 * @arena_size: bytes, rounded up to pages; 0 means none
 * @rings_bytes: out: length of the mapping at WSQ_OFF_RINGS
 * @sqes_bytes: out: length of the mapping at WSQ_OFF_SQES
 * @arena_bytes: out: length of the mapping at WSQ_OFF_ARENA
 * @cqes_off: out: offset of the completion entries in the rings mapping
 * @ids_off: out: with WSQ_SETUP_IDS, offset of the ids in the rings mapping:
 *	one __u64 for each submission entry, by which WSQ_IOC_CANCEL finds the
 *	task. The id of entry k is at index k & (sq_entries - 1). It is valid
 *	once @sq_head, loaded with acquire, is above k, and until @sq_tail is
 *	above k + sq_entries. Zero if the entry was refused. In: zero
 * @idle_us: with WSQ_SETUP_POLL: the thread sleeps when no entry came for this
 *	many microseconds; at most 1000000; 0 means 1000. Not in the first
 *	version of the struct, which ends before it (56 bytes)
 * @poll_fd: with WSQ_SETUP_POLL_SHARE: the file of the ring to share with
 *
 * WSQ_SETUP_POLL: a kernel thread takes entries, as ENTER would, as soon as
 * @sq_tail covers them. ENTER may still be called. The thread takes as many as
 * there are free completion entries, and chains of links whole, as ENTER does.
 * While awake, the thread uses CPU time that no cgroup is charged for: EPERM
 * without CAP_SYS_NICE.
 *
 * WSQ_SETUP_POLL_SHARE, in addition: use the thread of another ring. That ring
 * must have been created by the same effective user in the same user namespace:
 * EPERM otherwise. EBADF: @poll_fd is no open file. EINVAL: it is not a ring
 * with WSQ_SETUP_POLL. ENOSPC: 256 rings share the thread.
 *
 * EBUSY
 *	the file has a ring already
 * EDQUOT
 *	a limit of the caller's user, or of the one that opened the file, is
 *	reached: see max_user_rings and the members after it in struct
 *	wsq_query
 * ENOSPC
 *	too many users have rings, or there are too many queues
 * ENOMEM
 *	out of memory, or the caller's memory cgroup is at its limit
 * EINTR
 *	the process was killed
 * EINVAL
 *	a member is out of bounds
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
	__u32 ids_off;
	__u32 idle_us;
	__s32 poll_fd;
};

#define WSQ_SETUP_DISABLED	(1U << 0)	/* ENTER fails until WSQ_IOC_ENABLE */
#define WSQ_SETUP_IDS		(1U << 1)	/* @ids_off */
#define WSQ_SETUP_KEYS		(1U << 2)	/* WSQ_SQE_KEY may be used */
#define WSQ_SETUP_POLL		(1U << 3)	/* a thread takes entries */
#define WSQ_SETUP_POLL_SHARE	(1U << 4)	/* ... by the thread of @poll_fd */
#define WSQ_SETUP_FUTURES	(1U << 5)	/* WSQ_SQE_FUTURES may be used */

#define WSQ_NO_TIMEOUT		(~0ULL)

/**
 * struct wsq_enter - WSQ_IOC_ENTER: submit, then wait
 * @size: sizeof(struct wsq_enter) as the caller knows it
 * @flags: WSQ_ENTER_* bits
 * @to_submit: take at most this many submission entries; fewer is no error
 * @min_complete: then wait until this many completion entries can be read,
 *	counted from @cq_head at the start of the call; at most cq_entries
 * @timeout_ns: maximum wait in nanoseconds; 0 does not wait, WSQ_NO_TIMEOUT
 *	waits without limit. Out: if the wait was interrupted, what was left
 * @submitted: out, also on error: entries taken
 * @completed: out, also on error: entries that can be read, counted as for
 *	@min_complete
 *
 * An entry that cannot be run does not stop those behind it: it completes with
 * -errno in res. If there are fewer free completion entries than submission
 * entries, ENTER takes as many as it can complete, chains of links whole, and
 * returns without waiting. ENTER itself fails with:
 *
 * EAGAIN
 *	entries were there but none was taken, because all completion
 *	entries are in use, or fewer are free than the next chain has
 *	links: read some, or wait for some first. EPOLLOUT does not
 *	help: it is set while one entry is free
 * EBADFD
 *	the ring is disabled
 * ETIME
 *	fewer than @min_complete after @timeout_ns
 * EINTR
 *	a signal handler ran while ENTER waited. Also without a handler, if
 *	a process that has submitted entries in this call was stopped,
 *	traced or frozen: then call again with zero @to_submit. If none were
 *	submitted, the wait goes on after that, for the rest of its time and
 *	counted from @cq_head as it is then
 * EINVAL
 *	a member is out of bounds, there is no ring, or the shared
 *	cursors are inconsistent: @sq_tail is more than sq_entries
 *	beyond @sq_head, or @cq_head moved back or beyond the completed
 *	entries. Nothing is lost, and the ring works again once they are
 *	corrected
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

#define WSQ_ENTER_WAKEUP	(1U << 0)	/* WSQ_SETUP_POLL: wake the thread */

/**
 * struct wsq_cancel - WSQ_IOC_CANCEL
 * @size: sizeof(struct wsq_cancel) as the caller knows it
 * @flags: one of WSQ_CANCEL_*
 * @what: with WSQ_CANCEL_ID the task's id, with WSQ_CANCEL_USER_DATA its
 *	user_data, otherwise zero
 * @cancelled: out: tasks that have not started and will not
 * @running: out: tasks that have started; long-running ops check from time to
 *	time whether to stop
 *
 * Each of them still produces a completion entry: ECANCELED, or the result of a
 * task that could not be stopped. The entry of a task that waits (behind a link
 * or a drain, for futures or its key) comes when that wait is over. Tasks of up to 256
 * bytes without flags that were taken by one call go to a CPU in batches of up
 * to 32, which start together; their entries come when the batch starts.
 * Success if at least one task will not start. Otherwise:
 *
 * ENOENT
 *	no such task, or its entry was refused
 * EALREADY
 *	all matching tasks have started
 * EINTR
 *	the process was killed
 * EINVAL
 *	a member is out of bounds, or there is no ring
 */
struct wsq_cancel {
	__u32 size;
	__u32 flags;
	__u64 what;
	__u32 cancelled;
	__u32 running;
};

#define WSQ_CANCEL_ID		(1U << 0)
#define WSQ_CANCEL_USER_DATA	(1U << 1)
#define WSQ_CANCEL_ALL		(1U << 2)

/**
 * struct wsq_restrict - WSQ_IOC_RESTRICT: limit what entries of this file may
 * use
 * @size: sizeof(struct wsq_restrict) as the caller knows it
 * @nr_ops: entries in @ops, at most 1024
 * @ops: address of an array of __u32, the allowed ops; entries with any other
 *	op end with EPERM from now on. Numbers without an op are allowed
 * @sqe_flags: allowed WSQ_SQE_* bits; entries with others end with EPERM
 * @rsv: zero
 *
 * Can only remove: an op or flag that was removed before is not restored. The
 * ring must have been set up with WSQ_SETUP_DISABLED and still be disabled, so
 * that no entry was taken before: EBUSY otherwise.
 */
struct wsq_restrict {
	__u32 size;
	__u32 nr_ops;
	__u64 ops;
	__u32 sqe_flags;
	__u32 rsv;
};

/* Distance between a thief and its victim. */
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
 * @puts: tasks queued on this CPU. A batch of tiny tasks counts as one, here
 *	and below
 * @gets: tasks that this CPU's worker ran
 * @steals: of @gets, tasks stolen from other CPUs, by enum wsq_distance
 * @parks: times the worker went to sleep
 * @wakeups: times a put on this CPU woke a worker
 * @inbox: of @puts, those that went through an inbox
 * @standbys: times a standby worker replaced a worker whose task slept or
 *	computed for long. Not in the first version of the struct, which ends
 *	before it (88 bytes)
 * @fences: times this CPU was interrupted so that other code needs no barriers.
 *	Not in the second version of the struct, which ends before it (96 bytes)
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
	__u64 standbys;
	__u64 fences;
};

#define WSQ_CPU_ONLINE		(1U << 0)
#define WSQ_CPU_WORKER		(1U << 1)	/* has a worker */
#define WSQ_CPU_PARKED		(1U << 2)	/* its worker sleeps */

/**
 * struct wsq_stats - WSQ_IOC_STATS
 * @size: sizeof(struct wsq_stats) as the caller knows it
 * @nr_cpus: in: capacity of @cpus, in entries; out: number of CPUs
 * @cpus: address of an array of struct wsq_cpu_stats, or 0
 * @cpu_stats_size: in: sizeof(struct wsq_cpu_stats) as the caller knows it
 * @rsv: zero
 * @rings: out: rings that exist
 * @queues: out: queues that exist
 * @workers: out: workers that exist
 * @pollers: out: threads of WSQ_SETUP_POLL that exist. Zero in modules without
 *	polling
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
	__u32 pollers;
};

/**
 * struct wsq_ring_stats - WSQ_IOC_RING_STATS: counters of this file's ring
 * @size: sizeof(struct wsq_ring_stats) as the caller knows it
 * @rsv: zero
 * @submitted: out: entries taken
 * @completed: out: of @submitted, those that have ended. The other @submitted -
 *	@completed are in flight
 * @cancelled: out: of @completed, those that ended with ECANCELED
 * @failed: out: of @completed, those that ended with another error, refused
 *	entries included
 * @run_ns: out: wall-clock nanoseconds that tasks of the ring have occupied
 *	workers, including time asleep or preempted. Updated when a task ends
 * @memory: out: bytes of the ring that count towards its user's limit, as in
 *	struct wsq_query.memory for a ring that is not the first
 *
 * All completed tasks are counted; tasks in flight may be.
 */
struct wsq_ring_stats {
	__u32 size;
	__u32 rsv;
	__u64 submitted;
	__u64 completed;
	__u64 cancelled;
	__u64 failed;
	__u64 run_ns;
	__u64 memory;
};

/*
 * _IO(): each struct carries its size, so the number does not. Linux 7.3 has no
 * other driver with this magic number. Not one of the commands returns a positive
 * number.
 */
#define WSQ_IOC_MAGIC		0xB9
#define WSQ_IOC_QUERY		_IO(WSQ_IOC_MAGIC, 0x00)	/* struct wsq_query */
#define WSQ_IOC_SETUP		_IO(WSQ_IOC_MAGIC, 0x01)	/* struct wsq_setup */
#define WSQ_IOC_ENTER		_IO(WSQ_IOC_MAGIC, 0x02)	/* struct wsq_enter */
#define WSQ_IOC_STATS		_IO(WSQ_IOC_MAGIC, 0x03)	/* struct wsq_stats */
#define WSQ_IOC_CANCEL		_IO(WSQ_IOC_MAGIC, 0x04)	/* struct wsq_cancel */
#define WSQ_IOC_RESTRICT	_IO(WSQ_IOC_MAGIC, 0x05)	/* struct wsq_restrict */
#define WSQ_IOC_ENABLE		_IO(WSQ_IOC_MAGIC, 0x06)	/* no argument: 0 */
#define WSQ_IOC_RING_STATS	_IO(WSQ_IOC_MAGIC, 0x07)	/* struct wsq_ring_stats */

#endif /* _UAPI_LINUX_WSQ_H */
