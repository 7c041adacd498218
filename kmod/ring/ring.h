/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings: the memory that a process shares with the module, and its two halves
 * in the kernel. The process' half of the contract is in <uapi/linux/wsq.h>.
 *
 * dev.c	/dev/wsq: ioctls, poll, fdinfo
 * ring.c	life and death of rings, sizes
 * mem.c	shared pages
 * submit.c	entries become requests
 * complete.c	requests run and become completion entries
 * wait.c	who waits for completion entries
 * ops.c	what requests do
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
 *	kernel: load sq_tail, acquire; read entry
 *	If the kernel sees the tail, it sees the entries.
 * [SQ2] kernel: read entry; store sq_head, release
 *	user: load sq_head, acquire; fill entry anew
 *	No entry changes while the kernel reads it, if the process cares.
 * [CQ1] kernel: count completion n; fill its entry; store seq, release
 *	user: load seq, acquire; read entry
 *	If the process sees the pass in seq, it sees the entry, and what the
 *	task wrote into the arena.
 * [CQ2] user: load seq, acquire; read entry; store cq_head, release
 *	kernel: load cq_head, acquire; read the count
 *	With [CQ1]: a cq_head that an honest process stored covers only
 *	completions that the kernel sees counted. And no entry is overwritten
 *	that the process still reads, since its slot is given out by a
 *	submission after this load, and reaches the worker through
 *	wsq_queue_work(), which orders.
 *	litmus/ring-head.litmus
 * [SL]	worker: last touch of the request; store slot, release
 *	submitter: load slot, acquire; use the request anew
 * [WT]	worker: store slot; smp_mb; load wake_at, poll_wait
 *	waiter: store wake_at or add itself to poll_wait; smp_mb; load slot
 *	Store buffering: one of the two sees the other, so no wake-up is lost.
 *	litmus/ring-wait.litmus
 * [LV]	SETUP: make the ring; store live, release
 *	others: load live, acquire; use the ring
 */
#ifndef _WSQ_RING_RING_H
#define _WSQ_RING_RING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/wsq.h>
#include <uapi/linux/wsq.h>

#include "ops.h"

struct vm_area_struct;

#define WSQ_MAX_SQ_ENTRIES	32768U
#define WSQ_MAX_CQ_ENTRIES	65536U

/**
 * struct wsq_mem - pages that a process can map, and the kernel's view of them
 * @pages: the pages, each with the ring's reference; a mapping takes its own
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
 * @cqes_off: where in the rings mapping the completion entries begin
 * @rings: bytes of the rings mapping, whole pages
 * @sqes: bytes of the submission entries, whole pages
 * @arena: bytes of the arena, whole pages
 * @memory: bytes charged at most
 */
struct wsq_sizes {
	u32 sq_entries;
	u32 cq_entries;
	u32 cqes_off;
	u64 rings;
	u64 sqes;
	u64 arena;
	u64 memory;
};

/**
 * enum wsq_req_state - whose a request is
 * @WSQ_REQ_FREE: its slot's, or the submitter's which has just taken it
 * @WSQ_REQ_QUEUED: the queue's
 * @WSQ_REQ_RUNNING: the worker's that won the exchange from QUEUED
 */
enum wsq_req_state {
	WSQ_REQ_FREE,
	WSQ_REQ_QUEUED,
	WSQ_REQ_RUNNING,
};

/**
 * struct wsq_req - a task on its way from submission to completion
 * @work: in the queue. Constant but for the queue's own use.
 * @ring: where it belongs. Constant.
 * @sqe: the kernel's copy of the entry. Submitter.
 * @submit_ns: when it was submitted. Submitter.
 * @index: its place in struct wsq_ring.reqs. Constant.
 * @state: enum wsq_req_state. Whoever has it, out of QUEUED by exchange only:
 *	one winner.
 *
 * "Submitter" is who holds the ring's lock and took it from its slot, until
 * wsq_queue_work(). After that, the worker only reads.
 */
struct wsq_req {
	struct wsq_work work;
	struct wsq_ring *ring;
	struct wsq_sqe sqe;
	u64 submit_ns;
	u32 index;
	atomic_t state;
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
 * @page: the shared cursors
 * @sqes: shared submission entries
 * @cqes: shared completion entries
 * @arena: shared data
 * @queue: where requests go; all rings share it
 * @reqs: requests, as many as completion entries
 * @slots: free list and record of completions, see top. Completion n's worker
 *	stores slot n % cq_entries, [SL]
 * @mem_rings: pages of @page and @cqes
 * @mem_sqes: pages of @sqes
 * @mem_arena: pages of @arena
 * @dead: nobody will read completions any more. Stored once, by release().
 * @refs: one of the open file, one of each request between submission and the
 *	last touch of the ring on its behalf
 *
 * Submitter's, under @lock; others read them as hints:
 * @lock: one submitter at a time
 * @sq_head: submissions so far
 * @cq_head: the process' cursor, as last checked
 *
 * Workers':
 * @completed: completions counted so far. Any worker, atomic.
 *
 * Waiters':
 * @published: all completions before this one have been published; may lag
 *	behind, and step back when two store it at once. Anybody who looked.
 * @wake_at: workers leave waiters alone until this completion. Stored under
 *	@waiters.lock, [WT].
 * @waiters: struct wsq_waiter of those in ENTER
 * @poll_wait: those in poll()
 *
 * @free_work: the end, from process context
 */
struct wsq_ring {
	bool live;
	u8 cq_shift;
	u32 sq_mask;
	u32 cq_mask;
	struct wsq_ring_page *page;
	struct wsq_sqe *sqes;
	struct wsq_cqe *cqes;
	void *arena;
	struct wsq *queue;
	struct wsq_req *reqs;
	atomic64_t *slots;
	bool dead;
	struct percpu_ref refs;
	struct wsq_sizes sizes;
	struct wsq_mem mem_rings;
	struct wsq_mem mem_sqes;
	struct wsq_mem mem_arena;
	struct work_struct free_work;

	struct mutex lock ____cacheline_aligned;	/* one submitter */
	u64 sq_head;
	u64 cq_head;

	atomic64_t completed ____cacheline_aligned;

	u64 wake_at ____cacheline_aligned;
	u64 published;
	wait_queue_head_t waiters;
	wait_queue_head_t poll_wait;
};

/* What completion @n of request @index leaves in its slot. */
static inline u64 wsq_slot_word(const struct wsq_ring *ring, u64 n, u32 index)
{
	return (((n >> ring->cq_shift) + 1) << ring->cq_shift) | index;
}

/* Has completion @n been published? Its slot may be a pass further by now. */
static inline bool wsq_slot_done(const struct wsq_ring *ring, u64 n)
{
	u64 word = atomic64_read_acquire(&ring->slots[n & ring->cq_mask]);

	return word >> ring->cq_shift > n >> ring->cq_shift;
}

/* Has SETUP happened? If so, all that is constant may be used. */
static inline bool wsq_ring_live(const struct wsq_ring *ring)
{
	return smp_load_acquire(&ring->live);	/* [LV] */
}

/* mem.c */
int wsq_mem_alloc(struct wsq_mem *mem, u64 bytes, u64 offset);
void wsq_mem_free(struct wsq_mem *mem);
int wsq_mem_mmap(struct wsq_mem *mem, struct vm_area_struct *vma);

/* ring.c */
u64 wsq_arena_max(void);
int wsq_ring_sizes(u32 sq_entries, u32 cq_entries, u64 arena_size,
		   struct wsq_sizes *s);
struct wsq_ring *wsq_ring_alloc(void);
int wsq_ring_make(struct wsq_ring *ring, const struct wsq_sizes *s);
void wsq_ring_unmake(struct wsq_ring *ring);
void wsq_ring_publish(struct wsq_ring *ring);
void wsq_ring_release(struct wsq_ring *ring);
u32 wsq_ring_count(void);
int wsq_rings_init(void);
void wsq_rings_exit(void);

/* submit.c */
int wsq_ring_enter(struct wsq_ring *ring, struct wsq_enter *e);

/* complete.c */
void wsq_req_run(struct wsq_work *work);
void wsq_req_complete(struct wsq_req *req, s64 res, u64 wait_ns);

/* wait.c */
u64 wsq_ring_published(struct wsq_ring *ring, u64 limit);
int wsq_ring_wait(struct wsq_ring *ring, u64 target, u64 timeout_ns);
void wsq_ring_wake(struct wsq_ring *ring, u64 n);
__poll_t wsq_ring_poll(struct wsq_ring *ring);

/* dev.c */
int wsq_ring_init(void);
void wsq_ring_exit(void);

#endif /* _WSQ_RING_RING_H */
