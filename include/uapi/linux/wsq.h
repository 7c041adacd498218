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
 * Every ioctl but ENABLE takes a struct whose first member is its size as the caller knows
 * it. A shorter struct means zeros for what the caller does not know; a longer
 * one is accepted if what the module does not know is zero and it is not longer
 * than a page (E2BIG otherwise). Reserved members are zero (EINVAL otherwise).
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
	WSQ_OP_FILL	= 4,	/* dst, len := the 8 bytes of arg, repeated */
	WSQ_OP_COMPARE	= 5,	/* src, len with dst; result = equal bytes in front */
	WSQ_OP_XOR	= 6,	/* dst ^= src, len; ranges must not overlap */
	WSQ_OP_XXHASH64	= 7,	/* src, len, arg = seed -> 8 bytes at dst */
	WSQ_OP_SHA512	= 8,	/* src, len -> 64 bytes at dst */
	WSQ_OP_NR
};

/* Ops of other modules are numbered from here on. No number is given twice. */
#define WSQ_OP_REGISTERED	256

/* struct wsq_sqe.flags */
#define WSQ_SQE_LINK		(1U << 0)	/* the next entry waits for this one */
#define WSQ_SQE_DRAIN		(1U << 1)	/* waits for all before, all after wait */
#define WSQ_SQE_KEY		(1U << 2)	/* in order with others of this @key */
#define WSQ_SQE_CPU		(1U << 3)	/* @hint is a CPU */
#define WSQ_SQE_NODE		(1U << 4)	/* @hint is a memory node */
#define WSQ_SQE_DEADLINE	(1U << 5)	/* @deadline is set */
#define WSQ_SQE_VEC		(1U << 6)	/* @src, @len is a list of ranges */

#define WSQ_VEC_MAX		16

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
 *	fetch it from there nevertheless
 * @user_data: returned in the completion entry, not looked at
 * @src: arena offset in bytes of what the task reads
 * @len: bytes to read, not zero; at most struct wsq_op_info.max_len
 * @dst: arena offset in bytes of what the task writes
 * @arg: crc32c: the checksum of what comes before this range, 0 if nothing
 *	does; at most 32 bits. So 0 gives the usual CRC-32C (of "123456789":
 *	0xe3069283), and long data go in pieces. fill: the pattern. xxhash64:
 *	the seed. Otherwise zero.
 * @key: with WSQ_SQE_KEY, any number: tasks of the same key of a ring run one at a
 *	time, in order
 * @deadline: with WSQ_SQE_DEADLINE, a time of CLOCK_MONOTONIC in ns: a task that
 *	has not begun by then does not run, one that takes long stops when its op
 *	next looks; both end with ETIME
 *
 * Members that an op does not use, or whose flag is not set, are zero. What is
 * wrong with an entry is told in its completion entry: EOPNOTSUPP no such op;
 * EPERM an op or a flag that WSQ_IOC_RESTRICT took away, or an op for which who
 * opened the file lacks the capability; EINVAL a member that should be zero
 * is not, @len is zero, or a member is out of bounds; E2BIG @len is above the op's
 * limit; EFAULT a range is not in the arena; EINVAL ranges overlap. The first of
 * these that applies. EOPNOTSUPP also ends a task whose op was there when its entry
 * was taken, and was gone with its module when it should begin.
 *
 * WSQ_SQE_LINK: the next entry starts when this one has ended with a result that
 * is not negative; otherwise it ends with ECANCELED, and so do those linked
 * behind it. A chain ends with an entry without the flag, or with the last one
 * that an ENTER takes, be it for want of completion entries.
 *
 * WSQ_SQE_DRAIN: the task starts when all that were submitted before it have
 * ended, and those submitted after it start when it has, and what is linked
 * behind it. Not behind a link: EINVAL.
 *
 * WSQ_SQE_KEY: the task starts when all tasks of the same @key have ended that took
 * their places before, whatever became of them; those of other keys, of no key and of
 * other rings do not matter. A task takes its place when it is submitted, but one that
 * waits for others, behind a link or a drain, when it need not any more. A ring that
 * was not made with WSQ_SETUP_KEYS has no keys: EINVAL. @hint is of effect if no other
 * task of the key is under way.
 *
 * WSQ_SQE_VEC: instead of one range, a list of them: @src is the arena offset, a
 * multiple of 8, of @len times struct wsq_vec, at most WSQ_VEC_MAX (E2BIG). The op
 * takes them as one range that they make up together, which its limit is for;
 * fill fills them, and @dst is zero; xor, whose ranges are all of one length,
 * changes as many bytes at @dst by each. The list is read once, when the task
 * begins, and what is wrong with it is told then, by the errors above.
 * WSQ_OPF_VEC says which ops take lists.
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
 * @flags: WSQ_RING_* bits. Kernel writes. Zero before there were any
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
 * struct wsq_ring_page.flags, of rings with WSQ_SETUP_POLL. The kernel thread that
 * takes entries does not look: after storing sq_tail, or cq_head if entries wait
 * for that, a full barrier, then load this; if it is set, call ENTER with
 * WSQ_ENTER_WAKEUP.
 */
#define WSQ_RING_NEED_WAKEUP	(1ULL << 0)

/* mmap offsets. Map each part whole; sizes come from WSQ_IOC_SETUP. */
#define WSQ_OFF_RINGS		0x00000000ULL	/* wsq_ring_page, then CQEs */
#define WSQ_OFF_SQES		0x10000000ULL
#define WSQ_OFF_ARENA		0x20000000ULL

#define WSQ_OP_NAME_LEN		16

/**
 * struct wsq_op_info - what QUERY tells of one op
 * @op: its number
 * @flags: WSQ_OPF_* bits
 * @max_len: largest len it takes, in bytes; 0 if it takes none
 * @name: its name, NUL-terminated
 * @cap: with WSQ_OPF_CAP, the number of the capability that who opens the file has
 *	to have, in the first user namespace
 * @rsv: zero so far
 *
 * The size of this struct is for ever, it stands in arrays.
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
 * @nr_ops: in: room at @ops, in entries; out: number of ops there are
 * @ops: address of an array of struct wsq_op_info, or 0
 * @features: out: WSQ_FEAT_* bits
 * @max_sq_entries: out: most sq_entries
 * @max_cq_entries: out: most cq_entries
 * @max_arena: out: largest arena in bytes
 * @nr_cpus: out: CPU numbers are below this
 * @nr_nodes: out: memory nodes in use
 * @memory: out: bytes that a SETUP with the values below would charge to the
 *	caller's memory cgroup at most, more for the first ring of a user than for
 *	others; 0 if the values are not valid
 * @sq_entries: in, for @memory
 * @cq_entries: in, for @memory
 * @arena_size: in, for @memory
 * @setup_flags: in, for @memory: flags of the SETUP. Not in the first version,
 *	which ends before it (72 bytes)
 * @rsv: zero
 * @max_user_rings: out: most rings that a user may have without
 *	CAP_SYS_RESOURCE. Not in the second version, which ends before it (80
 *	bytes); nor in modules without WSQ_FEAT_RING_STATS, which leave it and
 *	what follows alone
 * @max_user_tasks: out: ... most completion entries of these rings in all, so
 *	most tasks in flight
 * @max_user_memory: out: ... most bytes, as told by @memory, of these rings
 * @user_rings: out: rings that count for the caller's user now
 * @user_tasks: out: their completion entries
 * @user_memory: out: their bytes, and what the first of them took in addition
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

/**
 * struct wsq_setup - WSQ_IOC_SETUP; once for each open file
 * @size: sizeof(struct wsq_setup) as the caller knows it
 * @flags: WSQ_SETUP_* bits
 * @sq_entries: a power of two
 * @cq_entries: a power of two, at least @sq_entries; 0 means twice @sq_entries
 * @arena_size: bytes; rounded up to pages; 0 means none
 * @rings_bytes: out: length of the mapping at WSQ_OFF_RINGS
 * @sqes_bytes: out: length of the mapping at WSQ_OFF_SQES
 * @arena_bytes: out: length of the mapping at WSQ_OFF_ARENA
 * @cqes_off: out: where in the rings mapping the completion entries begin
 * @ids_off: out: with WSQ_SETUP_IDS, where in the rings mapping the ids are: one
 *	__u64 for each submission entry. That of entry k, the number by which
 *	WSQ_IOC_CANCEL knows its task, stands at k & (sq_entries - 1) once
 *	@sq_head, loaded with acquire, is above k, and until @sq_tail is above
 *	k + sq_entries. Zero if the entry was refused. In: zero
 * @idle_us: with WSQ_SETUP_POLL: the thread sleeps when nothing came for so many
 *	microseconds; at most 1000000; 0 means 1000. Not in the first version, which
 *	ends before it (56 bytes)
 * @poll_fd: with WSQ_SETUP_POLL_SHARE: the other open file
 *
 * WSQ_SETUP_POLL: a kernel thread takes entries as soon as @sq_tail says that they
 * are there, as ENTER would, and ENTER may still be called. It takes as many as
 * there are completion entries free for, but no part of a chain of links, unless
 * @sq_tail divides it. While it is awake it uses a CPU that nobody's cgroup is
 * charged for: EPERM without CAP_SYS_NICE.
 *
 * WSQ_SETUP_POLL_SHARE, in addition: the thread is that of another ring, made by
 * the same user (effective) in the same user namespace: EPERM otherwise. EBADF:
 * @poll_fd is no open file. EINVAL: it is no ring, or none that is polled. ENOSPC:
 * 256 rings share the thread.
 *
 * EBUSY	the file has a ring
 * EDQUOT	the caller's user has too much, see max_user_rings and what follows in
 *		struct wsq_query
 * ENOSPC	too many users have rings, or there are too many queues
 * ENOMEM	there is no memory, or no more for the caller's memory cgroup
 * EINTR	the process was killed
 * EINVAL	a member is out of bounds
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
#define WSQ_SETUP_POLL		(1U << 3)	/* entries are taken unasked */
#define WSQ_SETUP_POLL_SHARE	(1U << 4)	/* ... by the thread of @poll_fd */

#define WSQ_NO_TIMEOUT		(~0ULL)

/**
 * struct wsq_enter - WSQ_IOC_ENTER: submit, then wait
 * @size: sizeof(struct wsq_enter) as the caller knows it
 * @flags: WSQ_ENTER_* bits
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
 * EBADFD	the ring is disabled
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

#define WSQ_ENTER_WAKEUP	(1U << 0)	/* WSQ_SETUP_POLL: wake the thread */

/**
 * struct wsq_cancel - WSQ_IOC_CANCEL
 * @size: sizeof(struct wsq_cancel) as the caller knows it
 * @flags: one of WSQ_CANCEL_*
 * @what: with WSQ_CANCEL_ID the task's id, with WSQ_CANCEL_USER_DATA its
 *	user_data, otherwise zero
 * @cancelled: out: tasks that have not begun and will not
 * @running: out: tasks that have begun; ops that take long look now and then
 *	whether they shall stop
 *
 * Each of them ends with a completion entry nevertheless: ECANCELED, or what a
 * task that could not be stopped came to. What waits for others (a link, a drain,
 * tasks of its key) has it when its turn comes, and so have tasks of up to 256
 * bytes without flags that were taken in one go, since they go to a CPU together:
 * up to 32 of them begin at once.
 * No error if at least one will not begin. Otherwise:
 *
 * ENOENT	there is none such, or it was refused
 * EALREADY	all that there are have begun
 * EINTR	the process was killed
 * EINVAL	a member is out of bounds, or no ring
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
 * struct wsq_restrict - WSQ_IOC_RESTRICT: what entries of this file may ask for
 * @size: sizeof(struct wsq_restrict) as the caller knows it
 * @nr_ops: entries at @ops, at most 1024
 * @ops: address of an array of __u32, the ops that are allowed; what it does not
 *	have ends with EPERM from now on. Numbers that are no ops, or not yet, do
 *	no harm
 * @sqe_flags: WSQ_SQE_* bits that are allowed; likewise
 * @rsv: zero
 *
 * Only takes away: what was taken away before does not come back. The ring, made
 * with WSQ_SETUP_DISABLED, is still disabled: EBUSY otherwise, so that no entry
 * was taken before.
 */
struct wsq_restrict {
	__u32 size;
	__u32 nr_ops;
	__u64 ops;
	__u32 sqe_flags;
	__u32 rsv;
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
 * @puts: tasks queued on this CPU; tiny ones that go together count as one, here
 *	and below
 * @gets: tasks that this CPU's worker ran
 * @steals: of these, tasks taken from other CPUs, by enum wsq_distance
 * @parks: times the worker went to sleep
 * @wakeups: times a put on this CPU woke a worker
 * @inbox: of @puts, those that went through an inbox
 * @standins: times a standby worker replaced one that was in a task: asleep, or
 *	computing for long. Not in the first version, which ends before it (88
 *	bytes)
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
#define WSQ_CPU_PARKED		(1U << 2)	/* its worker sleeps */

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
 * @pollers: out: threads of WSQ_SETUP_POLL that exist. Zero before there were any
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
 * struct wsq_ring_stats - WSQ_IOC_RING_STATS: what came of this file's ring
 * @size: sizeof(struct wsq_ring_stats) as the caller knows it
 * @rsv: zero
 * @submitted: out: entries taken
 * @completed: out: of these, those that have ended, never more than @submitted.
 *	The other @submitted - @completed are in flight
 * @cancelled: out: of @completed, those that ended with ECANCELED
 * @failed: out: of @completed, those that ended with another error, refused
 *	entries included
 * @run_ns: out: nanoseconds that tasks of the ring have kept workers, by the
 *	clock: one that sleeps or is preempted counts on. Told when a task has
 *	ended
 * @memory: out: bytes that the ring counts for among its user's, as of
 *	struct wsq_query.memory for one that is not the first
 *
 * Of what has completed all is told, of what is in flight perhaps some.
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

/* The struct says how large it is, so the number does not. */
#define WSQ_IOC_MAGIC		0xB7
#define WSQ_IOC_QUERY		_IO(WSQ_IOC_MAGIC, 0x00)	/* struct wsq_query */
#define WSQ_IOC_SETUP		_IO(WSQ_IOC_MAGIC, 0x01)	/* struct wsq_setup */
#define WSQ_IOC_ENTER		_IO(WSQ_IOC_MAGIC, 0x02)	/* struct wsq_enter */
#define WSQ_IOC_STATS		_IO(WSQ_IOC_MAGIC, 0x03)	/* struct wsq_stats */
#define WSQ_IOC_CANCEL		_IO(WSQ_IOC_MAGIC, 0x04)	/* struct wsq_cancel */
#define WSQ_IOC_RESTRICT	_IO(WSQ_IOC_MAGIC, 0x05)	/* struct wsq_restrict */
#define WSQ_IOC_ENABLE		_IO(WSQ_IOC_MAGIC, 0x06)	/* no argument: 0 */
#define WSQ_IOC_RING_STATS	_IO(WSQ_IOC_MAGIC, 0x07)	/* struct wsq_ring_stats */

#endif /* _UAPI_LINUX_WSQ_H */
