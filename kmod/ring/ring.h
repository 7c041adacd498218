/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings: the memory that a process shares with the module, and its two halves
 * in the kernel. The process' half of the contract is in <uapi/linux/wsq.h>.
 *
 * dev.c	/dev/wsq: ioctls, poll, fdinfo
 * ring.c	life and death of rings, sizes
 * mem.c	shared pages
 * rights.c	what entries may ask for
 * user.c	users, and their queues
 * limits.c	what users may have
 * account.c	what came of a ring
 * submit.c	entries become requests
 * bundle.c	which of them go together
 * order.c	which of them wait for others: links and drains
 * keys.c	which of them run one at a time
 * cancel.c	which of them are cancelled
 * cont.c	which of them have begun and left their worker
 * close.c	which of them end because the file is closed
 * complete.c	requests run and become completion entries
 * wait.c	threads that wait for completion entries
 * poller.c	threads that take entries without being asked
 * ops*.c	what requests do, see ops.h
 *
 * Trust. Of shared memory the kernel reads sq_tail, cq_head and submission
 * entries, each by one load, and checks what it read. All it needs to know it
 * keeps in memory of its own; whatever else the process writes into the mapping
 * spoils that process' results and nothing else.
 *
 * Numbers. Submissions and completions are numbered from 0 and never wrap.
 * Submission k needs k - cq_head < cq_entries, so each request has a completion
 * entry waiting for it and there are never more than cq_entries requests. Each
 * submission ends in one completion, so completions never outnumber them.
 *
 * Requests circulate through struct wsq_ring.slots, which is all there is of a
 * free list: completion n leaves the index of its request in slot
 * n % cq_entries, and submission n + cq_entries picks it up there. Beside the
 * index a slot holds the pass, (n / cq_entries) + 1, which tells that
 * completion n has been published. No two completions meet in a slot:
 * completion n + cq_entries exists only after submission n + cq_entries has
 * emptied it.
 *
 * Pairs. "User" is the process' half.
 *
 * [SQ1] user: fill entry; store sq_tail, release
 *	kernel: SQ(take:A) load sq_tail, acquire; read entry
 *	If the kernel sees the tail, it sees the entries.
 * [SQ2] kernel: read entry; SQ(give:A) store sq_head, release
 *	user: load sq_head, acquire; fill entry anew
 *	No entry changes while the kernel reads it, if the process cares.
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
 *	that the process still reads, since its slot is given out by a
 *	submission after this load, and reaches the worker through
 *	wsq_queue_work(), which orders.
 *	litmus/ring-head.litmus
 * [SL]	worker: last touch of the request; SL(done:A) store slot, release
 *	submitter: SL(take:A), SL(ready:A) load slot, acquire; use the request
 *	anew
 *	litmus/ring-slot.litmus
 * [CN]	worker: do a task; CQ(count:A), CQ(count:B) count it, release
 *	others: AC(read:C), WT(count:A) read the count, acquire
 *	What was done is seen. litmus/ring-count.litmus
 * [CA]	CANCEL: CA(cancel:A) change the state
 *	worker: CA(begin:A) change the state
 *	One of the two has the request. litmus/ring-cancel.litmus
 * [WT]	worker: store slot; WT(tell:A) smp_mb; load wake_at, poll_wait
 *	waiter: store wake_at or add itself to poll_wait; WT(wait:B),
 *	WT(poll:B) smp_mb; load slot
 *	Store buffering: one of the two sees the other, so no wake-up is lost.
 *	litmus/ring-wait.litmus
 * [PW]	process: store cq_head; ENTER or the poller on its behalf: load cq_head;
 *	smp_mb; load poll_wait
 *	poll(): add itself to poll_wait; smp_mb; load cq_head
 *	As [WT]: a process that polls for room sees it, or is woken.
 *	litmus/ring-wait.litmus
 * [GT]	worker: count completion; WT(tell:A) smp_mb; load gate
 *	closer: store gate; GT(close:B) smp_mb; read the count
 *	Store buffering: the last completion that a gate waits for opens it, or
 *	the closer sees that it was the last.
 *	litmus/ring-gate.litmus
 *	worker: do a task; count completion, release
 *	releaser: read the count; queue held requests, a full barrier
 *	What was done before a drain is seen by what comes behind it: the counts are
 *	one chain of read-modify-writes, which hands each release on.
 *	litmus/ring-gate-data.litmus
 * [KY]	worker: count completion; KY(back:A) give the serial back, release;
 *	store slot, [SL]
 *	submitter: load slot, acquire; look for a serial
 *	When submission n + cq_entries is taken, the slots of all completions up to n
 *	have been found published, and their serials were given back before. So less
 *	than cq_entries are lent.
 *	litmus/ring-key.litmus
 *	worker: do a task; count completion, release; give the serial back, release
 *	submitter: KY(find:A) find it given back, acquire; queue a task of the
 *	same key elsewhere, a full barrier; its worker: do it; count completion
 *	The later task sees what the earlier one did, and completes behind it.
 *	litmus/ring-key-order.litmus
 * [CB]	worker: store states of a bundle, RUNNING; CB(begin:B) smp_mb; for each:
 *	load told; run
 *	CANCEL: store told; CB(cancel:B) smp_mb; load state
 *	Store buffering: a request that CANCEL finds QUEUED, and says will not run,
 *	does not, because the worker sees @told. It is still the same task: a
 *	submitter that takes the request anew holds the ring's lock, as CANCEL does.
 *	litmus/ring-bundle.litmus
 * [AC]	worker: count completion; AC(count:A) count that it failed, release
 *	reader: AC(read:A), AC(read:B) load count of failures, acquire; read
 *	the count
 *	Message passing: no more have failed than have completed. And with [CQ1],
 *	which is behind both: a process that has read the entry sees it counted.
 *	litmus/ring-failed.litmus
 * [PL]	process: store sq_tail or cq_head; PL(user:A) full barrier; load flags
 *	poller: store flags; PL(rest:B) smp_mb; load cq_head, sq_tail
 *	Store buffering: the poller sees what it can take, or the process sees that
 *	it sleeps. So no entry stays behind.
 *	litmus/ring-poll.litmus
 * [PK]	process: store sq_tail or cq_head; ENTER: KI(kick:A) exchange kicked, a
 *	full barrier
 *	poller: KI(note:A), KI(sleep:A) exchange kicked, a full barrier; load
 *	cq_head, sq_tail
 *	A poller that takes note of a kick sees what the kick was for, though it may
 *	take a later one along with it.
 *	litmus/ring-kick.litmus
 * [CL]	worker: CL(put:A), CL(put:B) load dead; queue an item, in one RCU section
 *	closer: CL(dead:A) store dead; CL(wait:A) a grace period; cancel the item
 *	The item is not left in the user's queue: the worker sees that the ring is
 *	dead, or the closer finds the item. Likewise a serial, whose queue the closer
 *	changes before another grace period, KY(close:A).
 *	close.c, litmus/ring-close.litmus
 * [LV]	SETUP: make the ring; LV(setup:A) store live, release
 *	others: LV(live:A) load live, acquire; use the ring
 *	litmus/ring-live.litmus
 */
#ifndef _WSQ_RING_RING_H
#define _WSQ_RING_RING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/percpu-refcount.h>
#include <linux/poll.h>
#include <linux/siphash.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/wsq.h>
#include <linux/wsq_serial.h>
#include <uapi/linux/wsq.h>

#include "ops.h"

struct cred;
struct file;
struct vm_area_struct;
struct wsq_user;

/*
 * What users cause is charged to their memory cgroup. Rather no ring than the
 * out-of-memory killer, the machine's or the cgroup's: RETRY_MAYFAIL gives up
 * where others would have processes killed.
 */
#define WSQ_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)
struct wsq_poller;

#define WSQ_MAX_SQ_ENTRIES	32768U
#define WSQ_MAX_CQ_ENTRIES	65536U

/**
 * struct wsq_mem - pages that a process can map, and the kernel's view of them
 * @pages: the pages, each with the ring's reference; a mapping takes its own.
 *	%NULL if there are none, or for an array that is in one piece
 * @nr: how many
 * @pgoff: the mmap offset they are found at, in pages
 * @addr: where the kernel sees them, in one piece; %NULL if there are none
 *
 * Constant while the ring lives.
 */
struct wsq_mem {
	struct page **pages;
	unsigned long nr;
	unsigned long pgoff;
	void *addr;
};

/**
 * struct wsq_sizes - what a ring of given entries takes
 * @sq_entries: submission entries
 * @cq_entries: completion entries
 * @keys: serials for keys; 0 if there are none
 * @cqes_off: where in the rings mapping the completion entries begin
 * @ids_off: where the ids begin; 0 if there are none
 * @rings: bytes of the rings mapping, whole pages
 * @sqes: bytes of the submission entries, whole pages
 * @arena: bytes of the arena, whole pages
 * @memory: bytes charged at most
 */
struct wsq_sizes {
	u32 sq_entries;
	u32 cq_entries;
	u32 keys;
	u32 cqes_off;
	u32 ids_off;
	u64 rings;
	u64 sqes;
	u64 arena;
	u64 memory;
};

/**
 * struct wsq_ring_acct - what a CPU has done for a ring
 * @run_ns: time of tasks that ran there. Workers of this CPU.
 * @cancelled: tasks that ended there with %-ECANCELED. Workers of this CPU, and
 *	who cancels there; with preemption off, [AC]
 * @failed: likewise, with another error
 */
struct wsq_ring_acct {
	u64 run_ns;
	u64 cancelled;
	u64 failed;
};

/**
 * enum wsq_req_state - whose a request is
 * @WSQ_REQ_FREE: its slot's, or the submitter's which has just taken it
 * @WSQ_REQ_WAITING: the request's that it is linked behind, or of those held
 *	back (order.c)
 * @WSQ_REQ_QUEUED: the queue's
 * @WSQ_REQ_CANCELLED: as before, WAITING or QUEUED; when its turn comes, it will
 *	end and not run
 * @WSQ_REQ_RUNNING: the worker's; or it has begun, left its worker, and is in the
 *	queue, or its key's serial, again
 *
 * From WAITING to QUEUED, from QUEUED to RUNNING and from either to CANCELLED
 * only by exchange: one winner. The state of those in a bundle is moved by the
 * bundle's worker only, by stores; a canceller sets @told, [CB]. The context
 * that owns a request completes it, CANCELLED or not. So each is completed
 * once.
 */
enum wsq_req_state {
	WSQ_REQ_FREE,
	WSQ_REQ_WAITING,
	WSQ_REQ_QUEUED,
	WSQ_REQ_CANCELLED,
	WSQ_REQ_RUNNING,
};

/**
 * struct wsq_req - a task on its way from submission to completion
 * @work: in the queue. Constant but for the queue's own use.
 * @ring: where it belongs. Constant.
 * @sqe: the kernel's copy of the entry. Submitter.
 * @submit_ns: when it was submitted. Submitter.
 * @number: its submission's. Submitter.
 * @next: linked behind it, or behind it in the bundle. Submitter.
 * @held: in struct wsq_ring.held, under its lock; or see @waits
 * @item: in a key's serial, while it is not held. wsq_key_queue()
 * @res: of a bundle's, its result. The worker.
 * @refused: 0, or -errno that it ends with. Submitter.
 * @unit: requests of the chain that it is the head of. Submitter.
 * @index: its place in struct wsq_ring.reqs. Constant.
 * @state: enum wsq_req_state
 * @key: 1 + its serial's place in the table of keys; 0 if it has none. Submitter.
 * @told: to stop, or not to begin. Submitter; set by a canceller. Under the
 *	ring's lock
 * @recalled: of a bundle's, it was said that it will not run. Likewise; read
 *	there only
 * @bundled: in a bundle (bundle.c): the queue has its head only. Submitter.
 * @waits: in struct wsq_conts.waiting, by @held. Under the lock of that
 * @cont: what its task keeps while it has left its worker, or will keep; %NULL until
 *	it leaves. The owner; or under the lock of struct wsq_conts while @waits
 *
 * "Submitter" is the context that holds the ring's lock and took the request
 * from its slot, until wsq_unit_start(). After that, other contexts only read.
 */
struct wsq_req {
	struct wsq_work work;
	struct wsq_ring *ring;
	struct wsq_sqe sqe;
	u64 submit_ns;
	u64 number;
	struct wsq_req *next;
	union {
		struct list_head held;
		struct wsq_serial_work item;
		s64 res;
	};
	int refused;
	u32 unit;
	u32 index;
	atomic_t state;
	u32 key;
	bool told;
	bool recalled;
	bool bundled;
	bool waits;
	struct wsq_op_cont *cont;
};

/**
 * struct wsq_key - a serial that is lent to a key
 * @node: in struct wsq_keys.heads; in none before it is lent for the first time.
 *	Under the ring's lock
 * @key: whose it is, or was last. Under the ring's lock
 * @users: requests of that key between submission and completion. Raised under the
 *	ring's lock, lowered by who completes a request, [KY]
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
 * @slots: a power of two of them; %NULL if the ring has no keys. Constant
 * @heads: of lists by hash, as many. Under the ring's lock
 * @seed: of that hash. Constant
 * @mask: their number - 1. Constant
 * @hand: where to look next for one that is not lent. Under the ring's lock
 * @mem_slots: memory of @slots
 * @mem_heads: memory of @heads
 */
struct wsq_keys {
	struct wsq_key *slots;
	struct hlist_head *heads;
	hsiphash_key_t seed;
	u32 mask;
	u32 hand;
	struct wsq_mem mem_slots;
	struct wsq_mem mem_heads;
};

/**
 * struct wsq_ring - what the kernel keeps of an open file's ring
 *
 * Constant from @live on:
 * @live: SETUP has happened. Stored once, under @lock, [LV].
 * @cq_shift: log2 of the completion entries
 * @sq_mask: submission entries - 1
 * @cq_mask: completion entries - 1
 * @sizes: what SETUP was asked for
 * @ids: shared ids of submissions; %NULL if there are none
 * @page: the shared cursors
 * @sqes: shared submission entries
 * @cqes: shared completion entries
 * @arena: shared data
 * @cred: credentials of the file's opener. Constant from the start
 * @queue: where requests go: the user's
 * @user: the user it counts for, with a reference
 * @acct: what came of it, by CPU
 * @reqs: requests, as many as completion entries
 * @slots: free list and record of completions, see top. Completion n's worker
 *	stores slot n % cq_entries, [SL]
 * @mem_rings: pages of @page and @cqes
 * @mem_sqes: pages of @sqes
 * @mem_arena: pages of @arena
 * @mem_reqs: memory of @reqs
 * @mem_slots: memory of @slots
 * @dead: the file is closed: no process will read completions. Stored once, by
 *	release(), [CL].
 * @close_work: lets what has not begun end at once (close.c)
 * @refs: one of the open file, one of each request between submission and the
 *	last touch of the ring on its behalf
 *
 * Submitter's, under @lock; others read them as hints:
 * @lock: one submitter at a time
 * @sq_head: submissions so far
 * @cq_head: the process' cursor, as last checked
 *
 * @allowed: bit for each op that may be asked for; %NULL for all. Under @lock, and
 *	only while @disabled
 * @sqe_flags: WSQ_SQE_* that may be asked for; likewise
 * @keys: see there
 * @disabled: nothing is taken. Under @lock
 * @polled: entries that the poller took. Under @lock
 *
 * Order, of who holds the gate:
 * @gate: nothing that is held back can go before so many completions;
 *	%WSQ_GATE_OPEN: nothing is. Stored under @held_lock, [GT]; the submitter
 *	alone stores another value over %WSQ_GATE_OPEN.
 * @held_lock: for the rest. Inside @lock
 * @held: heads of chains, in order of submission
 * @barrier: completions that end the drain that was begun last
 * @releasing: a context lets units go that may, and looks again
 * @release_work: does the rest, with a reference, if there was much
 *
 * Workers':
 * @completed: completions counted so far. Any worker, atomic.
 *
 * Waiters':
 * @published: all completions before this one have been published; may lag
 *	behind, and step back when two contexts store it at once. Any context
 *	that looked.
 * @wake_at: workers leave waiters alone until this completion. Stored under
 *	@waiters.lock, [WT].
 * @waiters: struct wsq_waiter of those in ENTER
 * @poll_wait: those in poll()
 *
 * @poller: takes entries unasked; %NULL if there is none. Constant from @live
 *	on
 * @poll_link: in struct wsq_poller.rings, under its lock
 * @poll_stuck: the poller cannot take anything, for a reason that ENTER tells.
 *	Stored by it, under its lock
 *
 * @free_work: the end, from process context
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

	u64 gate ____cacheline_aligned;
	spinlock_t held_lock;	/* what is held back */
	bool releasing;
	u64 barrier;
	struct list_head held;
	struct wsq_work release_work;

	atomic64_t completed ____cacheline_aligned;

	u64 wake_at ____cacheline_aligned;
	u64 published;
	wait_queue_head_t waiters;
	wait_queue_head_t poll_wait;

	struct wsq_poller *poller ____cacheline_aligned;
	struct list_head poll_link;
	bool poll_stuck;
};

#define WSQ_SETUP_KNOWN		(WSQ_SETUP_DISABLED | WSQ_SETUP_IDS |	\
				 WSQ_SETUP_KEYS | WSQ_SETUP_POLL |	\
				 WSQ_SETUP_POLL_SHARE)

#define WSQ_GATE_OPEN		U64_MAX

/* The id of a request: it says where it is, and which. */
#define WSQ_ID_BITS		16

static_assert(WSQ_MAX_CQ_ENTRIES <= BIT(WSQ_ID_BITS));

static inline u64 wsq_req_id(const struct wsq_req *req)
{
	return (req->number + 1) << WSQ_ID_BITS | req->index;
}

/* What completion @n of request @index leaves in its slot. */
static inline u64 wsq_slot_word(const struct wsq_ring *ring, u64 n, u32 index)
{
	return (((n >> ring->cq_shift) + 1) << ring->cq_shift) | index;
}

/* Has completion @n been published? Its slot may be a pass further by now. */
static inline bool wsq_slot_done(const struct wsq_ring *ring, u64 n)
{
	/* SL(ready:A) */
	u64 word = atomic64_read_acquire(&ring->slots[n & ring->cq_mask]);

	return word >> ring->cq_shift > n >> ring->cq_shift;
}

/* Has SETUP happened? If so, all that is constant may be used. */
static inline bool wsq_ring_live(const struct wsq_ring *ring)
{
	return smp_load_acquire(&ring->live);		/* LV(live:A) */
}

/* mem.c */
int wsq_mem_alloc(struct wsq_mem *mem, u64 bytes, u64 offset);
int wsq_mem_array(struct wsq_mem *mem, u32 n, size_t size);
void wsq_mem_free(struct wsq_mem *mem);
int wsq_mem_mmap(struct wsq_mem *mem, struct vm_area_struct *vma);

/* ring.c */
u64 wsq_arena_max(void);
int wsq_ring_sizes(u32 flags, u32 sq_entries, u32 cq_entries, u64 arena_size,
		   struct wsq_sizes *s);
struct wsq_ring *wsq_ring_alloc(struct file *file);
int wsq_ring_make(struct wsq_ring *ring, const struct wsq_sizes *s);
void wsq_ring_unmake(struct wsq_ring *ring);
void wsq_ring_publish(struct wsq_ring *ring);
void wsq_ring_release(struct wsq_ring *ring);
u32 wsq_ring_count(void);
void wsq_rings_queue(struct work_struct *work);
void wsq_rings_queue_rcu(struct rcu_work *work);
int wsq_rings_init(void);
void wsq_rings_exit(void);

/* Requests in a bundle, bundles that are queued in one go. */
#define WSQ_BUNDLE_MOST		32
/*
 * Nobody else can get at what is gathered: no more than is taken between two looks
 * at whether others should run.
 */
#define WSQ_LOAD_MOST		2

/**
 * struct wsq_load - requests that are about to be queued; the submitter's
 * @head: first of the bundle that is being made; %NULL if there is none
 * @tail: its last
 * @n: how many it has
 * @bytes: what these read or write
 * @nr: bundles that are made
 * @works: they
 */
struct wsq_load {
	struct wsq_req *head;
	struct wsq_req *tail;
	u32 n;
	u32 bytes;
	u32 nr;
	struct wsq_work *works[WSQ_LOAD_MOST];
};

/* submit.c */
int wsq_ring_enter(struct wsq_ring *ring, struct wsq_enter *e);
int wsq_ring_take(struct wsq_ring *ring, u32 max, bool whole, u32 *taken);

/* rights.c */
int wsq_ring_restrict(struct wsq_ring *ring, const struct wsq_restrict *r);
int wsq_ring_enable(struct wsq_ring *ring);
bool wsq_opener_capable(const struct wsq_ring *ring, int cap);
int wsq_ring_may_ask(const struct wsq_ring *ring, const struct wsq_op_def *def,
		     const struct wsq_sqe *sqe);

/* limits.c */
int wsq_limits_charge(struct wsq_ring *ring, const struct wsq_sizes *s);
void wsq_limits_uncharge(struct wsq_ring *ring, const struct wsq_sizes *s);
void wsq_limits_leave(struct wsq_ring *ring);
bool wsq_limits_settle(struct wsq_ring *ring);
void wsq_limits_tell(struct wsq_query *q);

/* account.c */
int wsq_account_init(struct wsq_ring *ring);
void wsq_account_exit(struct wsq_ring *ring);
u64 wsq_account_bytes(void);
void wsq_account_tell(const struct wsq_ring *ring, struct wsq_ring_stats *st);
void wsq_account_error(struct wsq_ring *ring, s64 res);

static inline void wsq_account_ran(struct wsq_ring *ring, u64 from, u64 to)
{
	/* That clock may step back a little between CPUs. */
	if (likely(to > from))
		this_cpu_add(ring->acct->run_ns, to - from);
}

/* order.c */
void wsq_order_init(struct wsq_ring *ring);
void wsq_unit_start(struct wsq_ring *ring, struct wsq_req *head);
void wsq_order_release(struct wsq_ring *ring);
bool wsq_order_releasing(struct wsq_ring *ring);
void wsq_req_launch(struct wsq_req *req);
void wsq_req_end(struct wsq_req *req, s64 res, u64 wait_ns);

/* keys.c */
int wsq_keys_make(struct wsq_ring *ring);
void wsq_keys_unmake(struct wsq_ring *ring);
void wsq_key_get(struct wsq_req *req);
void wsq_key_put(const struct wsq_req *req);
bool wsq_key_queue(struct wsq_req *req);
void wsq_key_leave(struct wsq_req *req);
void wsq_key_hold(struct wsq_req *req);
void wsq_key_resume(struct wsq_req *req);
void wsq_keys_close(struct wsq_ring *ring, struct wsq *q);

/* cont.c */
void wsq_cont_put(struct wsq_req *req);
bool wsq_cont_wait(struct wsq_req *req);
bool wsq_cont_forget(struct wsq_req *req);
void wsq_cont_launch(struct wsq_req *req);

/* close.c */
int wsq_closing_make(void);
void wsq_closing_exit(void);
void wsq_ring_requeue(struct wsq_ring *ring, struct wsq_work *work);
void wsq_close_init(struct wsq_ring *ring);
void wsq_close_begin(struct wsq_ring *ring);

/* cancel.c */
int wsq_ring_cancel(struct wsq_ring *ring, struct wsq_cancel *c);

/* bundle.c */
bool wsq_load_add(struct wsq_ring *ring, struct wsq_load *load,
		  struct wsq_req *req);
void wsq_load_off(struct wsq_ring *ring, struct wsq_load *load);
void wsq_bundle_run(struct wsq_req *head);

/* complete.c */
void wsq_req_run(struct wsq_work *work);
void wsq_req_run_keyed(struct wsq_serial_work *item);
u64 wsq_reqs_complete(struct wsq_req *head, u32 nr, u64 wait_ns);
void wsq_reqs_told(struct wsq_ring *ring, u64 n, u32 nr);
void wsq_req_complete(struct wsq_req *req, s64 res, u64 wait_ns);

/* wait.c */
u64 wsq_ring_published(struct wsq_ring *ring, u64 limit);
int wsq_ring_wait(struct wsq_ring *ring, u64 target, u64 timeout_ns);
void wsq_ring_wake(struct wsq_ring *ring, u64 n);
__poll_t wsq_ring_poll(struct wsq_ring *ring);

/* dev.c */
int wsq_ring_init(void);
void wsq_ring_exit(void);

/**
 * wsq_ring_may() - may this be asked for here
 * @ring: the ring, its lock held
 * @def: the op of the entry
 * @sqe: the kernel's own copy of it
 *
 * Context: task.
 * Return: 0 or %-EPERM.
 */
static inline int wsq_ring_may(const struct wsq_ring *ring,
			       const struct wsq_op_def *def,
			       const struct wsq_sqe *sqe)
{
	if (likely(!ring->allowed && def->cap < 0))
		return 0;
	return wsq_ring_may_ask(ring, def, sqe);
}

/**
 * wsq_req_stop() - why the task of a request shall end early, or leave its worker
 * @req: the request
 * @conts: where it gets memory to leave from; %NULL if it must not leave
 * @stop: filled in
 *
 * Context: any.
 */
static inline void wsq_req_stop(const struct wsq_req *req,
				struct wsq_conts *conts, struct wsq_stop *stop)
{
	stop->dead = &req->ring->dead;
	stop->told = &req->told;
	stop->deadline = req->sqe.flags & WSQ_SQE_DEADLINE ?
			 req->sqe.deadline : U64_MAX;
	stop->conts = conts;
}

/**
 * wsq_req_issue() - do what the entry asks for, unless that is of no use any more
 * @req: the request, RUNNING
 * @stop: of wsq_req_stop()
 *
 * Context: task, a worker.
 * Return: as wsq_op_issue(); with %WSQ_OP_AGAIN, @cont of @req has the task.
 */
static inline s64 wsq_req_issue(struct wsq_req *req,
				const struct wsq_stop *stop)
{
	struct wsq_ring *ring = req->ring;
	int ret = wsq_stopped(stop);

	if (unlikely(ret))
		return ret;
	return wsq_op_issue(&req->sqe, ring->arena, ring->sizes.arena, stop,
			    &req->cont);
}

#endif /* _WSQ_RING_RING_H */
