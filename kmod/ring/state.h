/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The states of a request, and the moves between them, most of which request.c
 * makes.
 *
 *	FREE		in its slot
 *	  | submit.c takes the entry
 *	WAITING		in a chain, or in the list of held chains: order.c;
 *	  |		for futures: futures.c
 *	  | nothing is left to wait for
 *	QUEUED		in the queue, in its key's serial, in a batch, or in the
 *	  |		list of long tasks: request.c, keys.c, batch.c, cont.c
 *	  | a worker begins it
 *	RUNNING		may leave its worker and continue: cont.c
 *	  | complete.c makes its completion entry
 *	FREE
 *
 * CANCEL moves WAITING or QUEUED to CANCELLED. A request that is CANCELLED, or
 * was refused when it was taken, goes to FREE without RUNNING.
 */
#ifndef _WSQ_RING_STATE_H
#define _WSQ_RING_STATE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/wsq.h>
#include <linux/wsq_serial.h>
#include <uapi/linux/wsq.h>

#include "ring.h"

struct wsq_op_cont;

/**
 * enum wsq_req_state - which context owns a request
 * @WSQ_REQ_FREE: its slot, or the submitter that has just taken it
 * @WSQ_REQ_WAITING: the request it is linked behind, or the list of held chains
 *	(order.c), or the context that ends the last of its waits (futures.c)
 * @WSQ_REQ_QUEUED: the queue
 * @WSQ_REQ_CANCELLED: the same owner as before, in WAITING or QUEUED. The owner
 *	ends the request without running it
 * @WSQ_REQ_RUNNING: the worker; or the queue or its key's serial again, if the
 *	task has begun and left its worker
 *
 * The moves WAITING to QUEUED, QUEUED to RUNNING and either to CANCELLED are
 * exchanges, so one context wins. In a batch only the worker changes states, by
 * stores, and a canceller sets @stop_asked, [CB]. The owner of a request
 * completes it, CANCELLED or not, so each request is completed once.
 */
enum wsq_req_state {
	WSQ_REQ_FREE,
	WSQ_REQ_WAITING,
	WSQ_REQ_QUEUED,
	WSQ_REQ_CANCELLED,
	WSQ_REQ_RUNNING,
};

/**
 * struct wsq_req - a task between its submission and its completion
 * @work: in the queue. Constant but for the queue's own use.
 * @ring: its ring. Constant.
 * @sqe: the kernel's copy of the entry, without %WSQ_SQE_FUTURES if it is
 *	refused. Submitter.
 * @submit_ns: when it was submitted. Submitter.
 * @number: number of its submission. Submitter.
 * @next: linked behind it, or next in the batch. Submitter.
 * @held: in struct wsq_ring.held, under its lock; or see @waits
 * @item: in a key's serial, while it is not held. wsq_key_queue()
 * @res: result, for a request in a batch. The worker.
 * @refused: 0, or the -errno to end with. Submitter.
 * @chain_nr: number of requests in the chain, if this is its head. Submitter.
 * @index: its index in struct wsq_ring.reqs. Constant.
 * @state: enum wsq_req_state
 * @key: 1 + the index of its serial in the table of keys; 0 if none. Submitter.
 * @stop_asked: stop, or do not begin. Submitter; set by a canceller under the
 *	ring's lock
 * @recalled: CANCEL has reported this request of a batch as cancelled. Written
 *	and read under the ring's lock
 * @batched: in a batch (batch.c), of which only the head is queued. Submitter.
 * @waits: in struct wsq_conts.waiting, by @held. Under the lock of that
 * @cont: saved state of its task, kept from when the task first leaves its
 *	worker, or begins with an op that allocates, or assigned before that;
 *	else %NULL. The owner; while @waits,
 *	under the lock of struct wsq_conts
 *
 * "Submitter" is the context that holds the ring's lock and took the request
 * from its slot, until wsq_chain_launch() or wsq_submit_batch_flush(). After
 * that, other contexts only read.
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
	u32 chain_nr;
	u32 index;
	atomic_t state;
	u32 key;
	bool stop_asked;
	bool recalled;
	bool batched;
	bool waits;
	struct wsq_op_cont *cont;
};

static inline enum wsq_req_state wsq_req_state(const struct wsq_req *req)
{
	return atomic_read(&req->state);
}

/* FREE to WAITING: the submitter has filled it in. */
static inline void wsq_req_taken(struct wsq_req *req)
{
	atomic_set(&req->state, WSQ_REQ_WAITING);
}

/* WAITING to QUEUED. Returns false if it was cancelled. */
static inline bool wsq_req_ready(struct wsq_req *req)
{
	return atomic_cmpxchg_relaxed(&req->state, WSQ_REQ_WAITING,
				      WSQ_REQ_QUEUED) == WSQ_REQ_WAITING;
}

/*
 * WAITING to QUEUED, in a batch. No exchange: CANCEL takes the ring's lock,
 * which the submitter holds until the batch is queued.
 */
static inline void wsq_req_ready_batched(struct wsq_req *req)
{
	atomic_set(&req->state, WSQ_REQ_QUEUED);
}

/* QUEUED to RUNNING. Returns false if it was cancelled. */
static inline bool wsq_req_begin(struct wsq_req *req)
{
	/* CA(begin:A): One winner: this worker, or the canceller. */
	return atomic_cmpxchg_acquire(&req->state, WSQ_REQ_QUEUED,
				      WSQ_REQ_RUNNING) == WSQ_REQ_QUEUED;
}

/* QUEUED to RUNNING, in a batch: no other context changes the state. */
static inline void wsq_req_begin_batched(struct wsq_req *req)
{
	atomic_set(&req->state, WSQ_REQ_RUNNING);
}

/* @state, WAITING or QUEUED, to CANCELLED. Returns false if it has changed. */
static inline bool wsq_req_cancel(struct wsq_req *req, enum wsq_req_state state)
{
	/* CA(cancel:A) */
	return atomic_cmpxchg(&req->state, state, WSQ_REQ_CANCELLED) == state;
}

/* WAITING to CANCELLED, by the owner. If CANCEL was first, nothing changes. */
static inline void wsq_req_give_up(struct wsq_req *req)
{
	atomic_cmpxchg_relaxed(&req->state, WSQ_REQ_WAITING, WSQ_REQ_CANCELLED);
}

/* To FREE, by the owner, which then stores the slot. */
static inline void wsq_req_free(struct wsq_req *req)
{
	atomic_set(&req->state, WSQ_REQ_FREE);
}

/* The id of a request: the number of its submission, and its index. */
#define WSQ_ID_BITS		16

static_assert(WSQ_MAX_CQ_ENTRIES <= BIT(WSQ_ID_BITS));

static inline u64 wsq_req_id(const struct wsq_req *req)
{
	return (req->number + 1) << WSQ_ID_BITS | req->index;
}

#endif /* _WSQ_RING_STATE_H */
