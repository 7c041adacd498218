/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings: the memory that a process shares with the module, and the kernel's
 * side of both queues in it. <uapi/linux/wsq.h> has the process' side.
 *
 * dev.c	/dev/wsq: ioctls, poll, fdinfo
 * setup.c	creating, enabling and freeing rings, sizes
 * mem.c	shared pages
 * restrict.c	which ops and flags a ring allows
 * user.c	users, and their queues
 * limits.c	limits of users
 * task_stats.c	statistics of a ring
 * enter.c	ENTER: submit, then wait
 * submit.c	submission entries become requests
 * state.h	the states of a request, and the moves between them
 * request.c	requests are queued, run and end
 * order.c	links and drains: which chains are held
 * futures.c	requests that wait for the futures of others
 * keys.c	requests that run one at a time
 * batch.c	short requests are queued in batches
 * cont.c	tasks that have begun and left their worker
 * complete.c	completion entries
 * wait.c	threads that wait for completion entries
 * cancel.c	cancellation
 * close.c	requests of a closed ring
 * queues.c	the queues that all rings share
 * poller.c	threads that take entries without a system call
 * ops*.c	what requests do, see ops.h; issue.h calls them
 *
 * This header has what all of them need. The functions of x.c are in x.h.
 *
 * Trust. From shared memory the kernel reads only sq_tail, cq_head and
 * submission entries. It reads each word once and checks what it read. All its
 * other state is in memory of its own. Whatever else the process writes into
 * the mapping spoils only the results of that process.
 *
 * Numbers. Submissions and completions are numbered from 0 and never wrap.
 * Submission k needs k - cq_head < cq_entries. So each request has a completion
 * entry reserved, and there are never more than cq_entries requests. Each
 * submission ends in one completion, so completions never outnumber
 * submissions.
 *
 * struct wsq_ring.slots is the free list of requests: completion n stores the
 * index of its request in slot n % cq_entries, and submission n + cq_entries
 * takes the request from there. A slot also holds the pass, which is
 * (n / cq_entries) + 1 and shows that completion n has been published. Two
 * completions never write a slot at once: completion n + cq_entries exists only
 * after submission n + cq_entries has emptied the slot.
 *
 * Pairs. "User" is the process.
 *
 * [SQ1] user: fill entry; store sq_tail, release
 *	kernel: SQ(take:A) load sq_tail, acquire; read entry
 *	If the kernel sees the tail, it sees the entries.
 * [SQ2] kernel: read entry; SQ(give:A) store sq_head, release
 *	user: load sq_head, acquire; fill entry anew
 *	The process does not overwrite an entry that the kernel still reads.
 *	litmus/ring-submit.litmus
 * [CQ1] kernel: CQ(count:A), CQ(count:B) count completion n; fill its entry;
 *	CQ(seq:A) store seq, release
 *	user: load seq, acquire; read entry
 *	If the process sees the pass in seq, it sees the entry, and what the
 *	task wrote into the arena.
 * [CQ2] user: load seq, acquire; read entry; store cq_head, release
 *	kernel: CQ(head:A), CQ(wait:A) load cq_head, acquire; read the count
 *	With [CQ1]: a cq_head that an honest process stored covers only
 *	completions that the kernel sees counted. And no entry is overwritten
 *	while the process reads it: its slot is reused only by a submission
 *	after this load, which reaches the worker through wsq_queue_work(), a
 *	barrier.
 *	litmus/ring-head.litmus
 * [SL]	worker: last access to the request; SL(done:A) store slot, release
 *	submitter: SL(take:A), SL(ready:A) load slot, acquire; reuse the request
 *	litmus/ring-slot.litmus
 * [CN]	worker: do a task; CQ(count:A), CQ(count:B) count it, release
 *	others: AC(read:C), WT(count:A) read the count, acquire
 *	A reader that sees the count sees what the task did.
 *	litmus/ring-count.litmus
 * [CA]	CANCEL: CA(cancel:A) change the state
 *	worker: CA(begin:A) change the state
 *	Exactly one of the two gets the request. litmus/ring-cancel.litmus
 * [WT]	worker: store slot; WT(notify:A) smp_mb; load wake_at, poll_wait
 *	waiter: store wake_at or add itself to poll_wait; WT(wait:B),
 *	WT(poll:B) smp_mb; load slot
 *	Store buffering: one of the two sees the other, so no wake-up is lost.
 *	litmus/ring-wait.litmus
 * [PW]	process: store cq_head; ENTER or the poller on its behalf: load cq_head;
 *	smp_mb; load poll_wait
 *	poll(): add itself to poll_wait; smp_mb; load cq_head
 *	As [WT]: a process that polls for space sees it, or is woken.
 *	litmus/ring-wait.litmus
 * [GT]	worker: count completion; WT(notify:A) smp_mb; load drain_at
 *	closer: store drain_at; GT(close:B) smp_mb; read the count
 *	Store buffering: the last completion before a drain barrier opens the
 *	barrier, or the closer sees that this completion was the last.
 *	litmus/ring-drain.litmus
 *	worker: do a task; count completion, release
 *	releaser: read the count; queue held requests, a full barrier
 *	A task behind a drain sees what the tasks before it did: the counts are
 *	one chain of read-modify-writes, which passes each release on.
 *	litmus/ring-drain-data.litmus
 * [KY]	worker: count completion; KY(back:A) put the serial, release;
 *	store slot, [SL]
 *	submitter: load slot, acquire; look for a serial
 *	When submission n + cq_entries is taken, the submitter has found the
 *	slots of all completions up to n published. Their serials were put
 *	before that, so fewer than cq_entries serials are in use.
 *	litmus/ring-key.litmus
 *	worker: do a task; count completion, release; put the serial, release
 *	submitter: KY(find:A) find it unused, acquire; queue a task of the same
 *	key elsewhere, a full barrier; its worker: do it; count completion
 *	The later task sees what the earlier one did, and completes after it.
 *	litmus/ring-key-order.litmus
 * [CB]	worker: store states of a batch, RUNNING; CB(begin:B) smp_mb; for each:
 *	load stop_asked; run
 *	CANCEL: store stop_asked; CB(cancel:B) smp_mb; load state
 *	Store buffering: if CANCEL finds a request QUEUED and reports it as
 *	cancelled, the worker sees @stop_asked and does not run it. The request
 *	cannot be reused in between: that takes the ring's lock, which CANCEL
 *	holds.
 *	litmus/ring-batch.litmus
 * [AC]	worker: count completion; AC(count:A) count that it failed, release
 *	reader: AC(read:A), AC(read:B) load count of failures, acquire; read
 *	the count
 *	Message passing: no more have failed than have completed. With [CQ1],
 *	the counts include every completion entry that the process has read.
 *	litmus/ring-failed.litmus
 * [PL]	process: store sq_tail or cq_head; PL(user:A) full barrier; load flags
 *	poller: store flags; PL(rest:B) smp_mb; load cq_head, sq_tail
 *	Store buffering: the poller sees the entries, or the process sees that
 *	the poller sleeps. So no entry is left behind.
 *	litmus/ring-poll.litmus
 * [PK]	process: store sq_tail or cq_head; ENTER: KI(kick:A) exchange kicked, a
 *	full barrier
 *	poller: KI(note:A), KI(sleep:A) exchange kicked, a full barrier; load
 *	cq_head, sq_tail
 *	A poller that consumes a kick sees what was stored before the kick. One
 *	exchange may consume several kicks.
 *	litmus/ring-kick.litmus
 * [CL]	worker: CL(put:A), CL(put:B) load dead; queue an item in one RCU section
 *	closer: CL(dead:A) store dead; CL(wait:A) grace period; cancel the item
 *	The item is not left in the user's queue: the worker sees that the ring
 *	is dead, or the closer finds the item. Serials are handled likewise: the
 *	closer changes their queue before another grace period, KY(close:A).
 *	close.c, litmus/ring-close.litmus
 * [LV]	SETUP: make the ring; LV(setup:A) store live, release
 *	others: LV(live:A) load live, acquire; use the ring
 *	litmus/ring-live.litmus
 */
#ifndef _WSQ_RING_RING_H
#define _WSQ_RING_RING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/percpu-refcount.h>
#include <linux/rbtree.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/wsq.h>
#include <linux/wsq_serial.h>
#include <uapi/linux/wsq.h>

#include "mem.h"

struct cred;
struct wsq_poller;
struct wsq_req;
struct wsq_ring_acct;
struct wsq_account;
struct wsq_user;

/* Accounts that a ring may be charged to (limits.c). */
#define WSQ_RING_ACCOUNTS	3

#define WSQ_MAX_SQ_ENTRIES	32768U
#define WSQ_MAX_CQ_ENTRIES	65536U
/* Their numbers have 16 bits, and 0 is none. */
#define WSQ_MAX_FUTURES		65535U
/* Futures that a request waits for. */
#define WSQ_AFTER_MAX		3

/**
 * struct wsq_sizes - sizes of a ring
 * @sq_entries: submission entries
 * @cq_entries: completion entries
 * @keys: serials for keys; 0 if there are none
 * @futures: how many futures; 0 if there are none
 * @cqes_off: offset of the completion entries in the rings mapping
 * @ids_off: offset of the ids there; 0 if there are none
 * @rings: bytes of the rings mapping, whole pages
 * @sqes: bytes of the submission entries, whole pages
 * @arena: bytes of the arena, whole pages
 * @memory: bytes charged, an upper bound
 */
struct wsq_sizes {
	u32 sq_entries;
	u32 cq_entries;
	u32 keys;
	u32 futures;
	u32 cqes_off;
	u32 ids_off;
	u64 rings;
	u64 sqes;
	u64 arena;
	u64 memory;
};

/**
 * struct wsq_key - a serial, and the key it is allocated to
 * @node: in struct wsq_keys.heads; in no list before its first allocation.
 *	Under the ring's lock
 * @key: current or last key. Under the ring's lock
 * @users: requests of that key between submission and completion. Incremented
 *	under the ring's lock, decremented by the context that completes a
 *	request, [KY]
 * @serial: has its own rules
 */
struct wsq_key {
	struct hlist_node node;
	u64 key;
	atomic_t users;
	struct wsq_serial serial;
};

/**
 * struct wsq_keys - the table of keys
 * @slots: array of serials, a power of two; %NULL if the ring has no keys.
 *	Constant
 * @heads: hash table, as many lists. Under the ring's lock
 * @run: function of the requests' items. Constant
 * @seed: seed of the hash. Constant
 * @mask: number of serials - 1. Constant
 * @hand: where the next search for a free serial begins. Under the ring's lock
 * @mem_slots: memory of @slots
 * @mem_heads: memory of @heads
 */
struct wsq_keys {
	struct wsq_key *slots;
	struct hlist_head *heads;
	wsq_serial_func_t run;
	hsiphash_key_t seed;
	u32 mask;
	u32 hand;
	struct wsq_mem mem_slots;
	struct wsq_mem mem_heads;
};

/**
 * enum wsq_future_state - what a future says
 * @WSQ_FUTURE_NONE: no request has named it yet
 * @WSQ_FUTURE_PENDING: a request will resolve it
 * @WSQ_FUTURE_DONE: the request that resolved it has ended well
 * @WSQ_FUTURE_FAILED: ... has failed, or was refused
 */
enum wsq_future_state {
	WSQ_FUTURE_NONE,
	WSQ_FUTURE_PENDING,
	WSQ_FUTURE_DONE,
	WSQ_FUTURE_FAILED,
};

/**
 * struct wsq_waits - waits, in the order in which they began
 * @first: 1 + the index of the first, 0 if there is none. Wait n of request k
 *	has index k * %WSQ_AFTER_MAX + n
 * @last: that of the last, if there is one
 */
struct wsq_waits {
	u32 first;
	u32 last;
};

/**
 * struct wsq_ring_future - a future
 * @waits: waits for it. Only while it is pending
 * @state: enum wsq_future_state
 *
 * Under the lock of struct wsq_futures.
 */
struct wsq_ring_future {
	struct wsq_waits waits;
	u8 state;
};

/**
 * struct wsq_after - what a request waits for
 * @next: the wait behind each wait in the list that it is in, as in struct
 *	wsq_waits
 * @missing: waits that are not over, and 1 until links and drains let the
 *	request start
 * @failed: the request will not run, because one that it waited for has failed
 *
 * Under the lock of struct wsq_futures.
 */
struct wsq_after {
	u32 next[WSQ_AFTER_MAX];
	u8 missing;
	bool failed;
};

/**
 * struct wsq_futures - the futures of a ring
 * @slots: array of futures; %NULL if the ring has none. Constant
 * @after: by the index of a request. Constant
 * @lock: for what follows, and what is in the arrays. Raw and short: it is taken
 *	with preemption off
 * @over: waits that are over, not yet counted by their requests; the second list
 *	those for requests that failed
 * @releasing: a context is counting them, and will look again
 * @work: counts the rest, with a reference, if there were many
 * @mem_slots: memory of @slots
 * @mem_after: memory of @after
 */
struct wsq_futures {
	struct wsq_ring_future *slots;
	struct wsq_after *after;
	raw_spinlock_t lock;	/* all futures of the ring */
	struct wsq_waits over[2];
	bool releasing;
	struct wsq_work work;
	struct wsq_mem mem_slots;
	struct wsq_mem mem_after;
};

struct mem_cgroup;

/**
 * struct wsq_ring - the kernel's state of an open file's ring
 *
 * Constant from @live on:
 * @live: SETUP has happened. Stored once, under @lock, [LV].
 * @cq_shift: log2 of the completion entries
 * @sq_mask: submission entries - 1
 * @cq_mask: completion entries - 1
 * @sizes: sizes that SETUP asked for
 * @ids: shared ids of submissions; %NULL if there are none
 * @page: the shared cursors
 * @sqes: shared submission entries
 * @cqes: shared completion entries
 * @arena: shared data
 * @cred: credentials of the file's opener. Constant from the start
 * @memcg: memory cgroup that it is charged to, or %NULL; its tasks allocate for
 *	it. Constant while it is live
 * @queue: runs the requests: the user's queue
 * @user: the user, with a reference
 * @accounts: those that it is charged to, with references; then %NULL
 * @mono_off: ns by which CLOCK_MONOTONIC of its process, in a time namespace,
 *	is ahead of the host's
 * @acct: statistics by CPU
 * @reqs: requests, as many as completion entries
 * @slots: free list, and which completions are published, see top. Completion
 *	n's worker stores slot n % cq_entries, [SL]
 * @mem_rings: pages of @page and @cqes
 * @mem_sqes: pages of @sqes
 * @mem_arena: pages of @arena
 * @mem_reqs: memory of @reqs
 * @mem_slots: memory of @slots
 * @dead: the file is closed: no process will read completions. Stored once, by
 *	release(), [CL].
 * @close_work: ends at once what has not begun (close.c)
 * @refs: one of the open file, one of each request from submission until the
 *	last access to the ring on its behalf
 *
 * Submitter's, under @lock; others read them as hints:
 * @lock: one submitter at a time
 * @sq_head: submissions so far
 * @cq_head: the process' cursor, as last checked
 *
 * @allowed: bit for each allowed op; %NULL if all are. Under @lock, and only
 *	while @disabled
 * @sqe_flags: allowed WSQ_SQE_* flags; likewise
 * @keys: table of keys
 * @disabled: no entries are taken. Under @lock
 * @polled: entries that the poller took. Under @lock
 *
 * Links and drains:
 * @drain_at: the drain barrier: no held chain can start before this many
 *	completions; %WSQ_DRAIN_OFF if no chain is held. Stored under
 *	@held_lock, [GT]; only the submitter stores another value over
 *	%WSQ_DRAIN_OFF.
 * @held_lock: protects the rest of this group. Nests inside @lock
 * @held: heads of held chains, in order of submission
 * @barrier: number of completions that ends the last drain that began
 * @releasing: a context is releasing held chains, and will look again
 * @release_work: releases the rest, with a reference, if there were many
 * @futures: futures, and the requests that wait for them. It has its own lock
 *
 * Workers':
 * @completed: completions counted so far. Any worker, atomic.
 *
 * Waiters':
 * @published: all completions before this one have been published. May lag, and
 *	may step back when two contexts store it at once. Any context that
 *	looked.
 * @wake_at: workers wake no waiter before this completion. Stored under
 *	@wait_lock, [WT].
 * @wait_lock: protects @waiters
 * @waiters: struct wsq_ring_waiter of threads in ENTER, by the completion that
 *	each waits for
 * @poll_wait: threads in poll()
 *
 * @poller: takes entries without ENTER; %NULL if there is none. Constant from
 *	@live on
 * @poll_link: in struct wsq_poller.rings, under its lock
 * @poll_stuck: the poller cannot take entries, for a reason that ENTER returns.
 *	Stored by the poller, under its lock
 *
 * @free_work: frees the ring, in process context
 */
struct wsq_ring {
	bool live;
	u8 cq_shift;
	u32 sq_mask;
	u32 cq_mask;
	u64 *ids;
	struct wsq_ring_page *page;
	struct wsq_sqe *sqes;
	struct wsq_cqe *cqes;
	void *arena;
	const struct cred *cred;
	struct wsq *queue;
	struct wsq_user *user;
	struct wsq_account *accounts[WSQ_RING_ACCOUNTS];
	struct mem_cgroup *memcg;
	s64 mono_off;
	struct wsq_ring_acct __percpu *acct;
	struct wsq_req *reqs;
	atomic64_t *slots;
	bool dead;
	struct percpu_ref refs;
	struct wsq_sizes sizes;
	struct wsq_mem mem_rings;
	struct wsq_mem mem_sqes;
	struct wsq_mem mem_arena;
	struct wsq_mem mem_reqs;
	struct wsq_mem mem_slots;
	struct work_struct free_work;
	struct rcu_work close_work;

	struct mutex lock ____cacheline_aligned;	/* one submitter */
	u64 sq_head;
	u64 cq_head;
	unsigned long *allowed;
	u32 sqe_flags;
	bool disabled;
	struct wsq_keys keys;
	u64 polled;

	u64 drain_at ____cacheline_aligned;
	spinlock_t held_lock;	/* held chains */
	bool releasing;
	u64 barrier;
	struct list_head held;
	struct wsq_work release_work;
	struct wsq_futures futures;

	atomic64_t completed ____cacheline_aligned;

	u64 wake_at ____cacheline_aligned;
	u64 published;
	spinlock_t wait_lock;	/* waiters */
	struct rb_root_cached waiters;
	wait_queue_head_t poll_wait;

	struct wsq_poller *poller ____cacheline_aligned;
	struct list_head poll_link;
	bool poll_stuck;
};

/* Has SETUP happened? Then all constant members may be used. */
static inline bool wsq_ring_live(const struct wsq_ring *ring)
{
	return smp_load_acquire(&ring->live);		/* LV(live:A) */
}

#endif /* _WSQ_RING_RING_H */
