// SPDX-License-Identifier: GPL-2.0
/*
 * Entries become requests.
 *
 * One submitter at a time, under the ring's lock. Nothing is allocated.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/poll.h>
#include <linux/sched.h>

#include "../compat/attributes.h"
#include "batch.h"
#include "futures.h"
#include "keys.h"
#include "ops.h"
#include "request.h"
#include "restrict.h"
#include "ring.h"
#include "state.h"
#include "submit.h"

/* Entries between two calls of cond_resched(). */
#define WSQ_SUBMIT_RESCHED	64

/*
 * Copy an entry out of shared memory; each word is read once. Not a loop:
 * compilers do not unroll a loop of such loads.
 */
static __always_inline void wsq_sqe_copy(struct wsq_sqe *dst,
					 const struct wsq_sqe *src)
{
	const u64 *from = (const u64 *)src;
	u64 *to = (u64 *)dst;

	static_assert(sizeof(*dst) == 8 * sizeof(*to));
	to[0] = READ_ONCE(from[0]);
	to[1] = READ_ONCE(from[1]);
	to[2] = READ_ONCE(from[2]);
	to[3] = READ_ONCE(from[3]);
	to[4] = READ_ONCE(from[4]);
	to[5] = READ_ONCE(from[5]);
	to[6] = READ_ONCE(from[6]);
	to[7] = READ_ONCE(from[7]);
}

/*
 * Take the request for submission @k. The slot's previous completion is
 * k - cq_entries. The process claims to have seen that completion, and it has
 * been counted. If it is not published yet, its worker is about to publish it,
 * with preemption off.
 */
static struct wsq_req *wsq_req_take(struct wsq_ring *ring, u64 k)
{
	const atomic64_t *slot = &ring->slots[k & ring->cq_mask];
	u64 word;

	for (;;) {
		word = atomic64_read_acquire(slot);	/* SL(take:A) */
		if (likely(word >> ring->cq_shift == k >> ring->cq_shift))
			break;
		cpu_relax();
	}
	return &ring->reqs[word & ring->cq_mask];
}

/**
 * struct wsq_chain - linked entries
 * @head: the first; %NULL if there is none
 * @tail: the last
 * @in_chain: the next entry belongs to this chain
 * @broken: ... and ends with %-ECANCELED, because one before it was refused
 */
struct wsq_chain {
	struct wsq_req *head;
	struct wsq_req *tail;
	bool in_chain;
	bool broken;
};

static void wsq_chain_start(struct wsq_ring *ring, struct wsq_chain *c)
{
	struct wsq_req *head = c->head;

	c->head = NULL;
	if (head)
		wsq_chain_launch(ring, head);
}

static void wsq_chain_add(struct wsq_chain *c, struct wsq_req *req)
{
	if (c->head)
		c->tail->next = req;
	else
		c->head = req;
	c->tail = req;
	c->head->chain_nr++;
}

/* Check an entry, and its position in a chain. May it go into a batch? */
static int wsq_sqe_check(const struct wsq_ring *ring,
			 const struct wsq_sqe *sqe, const struct wsq_chain *c,
			 bool *tiny)
{
	struct wsq_op_ref op __uninitialized;
	int ret;

	if (!wsq_op_get(&op, sqe->op))
		return -EOPNOTSUPP;
	ret = wsq_ring_may(ring, op.def, sqe);
	if (!ret && unlikely(sqe->flags & WSQ_SQE_KEY) && !ring->keys.slots)
		ret = -EINVAL;
	if (!ret && unlikely(sqe->flags & WSQ_SQE_FUTURES))
		ret = wsq_futures_check(ring, sqe);
	if (!ret && c->in_chain && sqe->flags & WSQ_SQE_DRAIN)
		ret = -EINVAL;
	if (!ret)
		ret = wsq_op_prep(op.def, sqe, ring->sizes.arena);
	*tiny = wsq_sqe_tiny(op.def, sqe);
	wsq_op_put(&op);
	if (ret)
		return ret;
	return c->broken ? -ECANCELED : 0;
}

/* Take the entry of submission @k. The request has a reference on the ring. */
static void wsq_submit_one(struct wsq_ring *ring, u64 k, u64 now,
			   struct wsq_chain *c, struct wsq_submit_batch *batch)
{
	struct wsq_req *req = wsq_req_take(ring, k);
	bool tiny = false;

	lockdep_assert_held(&ring->lock);
	wsq_sqe_copy(&req->sqe, &ring->sqes[k & ring->sq_mask]);
	req->submit_ns = now;
	req->number = k;
	req->next = NULL;
	req->chain_nr = 0;
	req->key = 0;
	req->stop_asked = false;
	req->recalled = false;
	req->batched = false;
	req->waits = false;
	req->cont = NULL;
	req->refused = wsq_sqe_check(ring, &req->sqe, c, &tiny);
	if (unlikely(req->sqe.flags & WSQ_SQE_FUTURES))
		wsq_futures_take(req);
	/* Other contexts see all this: wsq_chain_launch() orders. */
	wsq_req_taken(req);
	if (ring->ids)
		WRITE_ONCE(ring->ids[k & ring->sq_mask],
			   req->refused ? 0 : wsq_req_id(req));

	if (likely(!req->refused) && tiny && !c->in_chain &&
	    wsq_submit_batch_add(ring, batch, req))
		return;
	/* Queue earlier requests first. */
	wsq_submit_batch_flush(ring, batch);
	if (unlikely(req->refused)) {
		/* The chain so far runs; the rest are chains of one. */
		wsq_chain_start(ring, c);
		req->chain_nr = 1;
		c->broken = true;
		wsq_chain_launch(ring, req);
	} else {
		if (unlikely(req->sqe.flags & WSQ_SQE_KEY))
			wsq_key_get(req);
		wsq_chain_add(c, req);
	}
	c->in_chain = req->sqe.flags & WSQ_SQE_LINK;
	if (!c->in_chain) {
		wsq_chain_start(ring, c);
		c->broken = false;
	}
}

/*
 * Accept the process' cq_head if it is valid: not before the last one, and not
 * beyond the count of completions. [CQ2]
 */
static int wsq_ring_sync(struct wsq_ring *ring)
{
	u64 head = smp_load_acquire(&ring->page->cq_head);	/* CQ(head:A) */
	u64 count = atomic64_read(&ring->completed);

	if (head < ring->cq_head || head > count)
		return -EINVAL;
	if (head != ring->cq_head) {
		WRITE_ONCE(ring->cq_head, head);
		/* A process may poll for space. [PW] */
		if (wq_has_sleeper(&ring->poll_wait))
			wake_up_poll(&ring->poll_wait, EPOLLOUT | EPOLLWRNORM);
	}
	return 0;
}

/*
 * How many of the first @n entries form whole chains. The flags are read again
 * with the entries: if the process changes them in between, its chain may be
 * cut.
 */
static u64 wsq_whole_chains(const struct wsq_ring *ring, u64 head, u64 n)
{
	while (n && READ_ONCE(ring->sqes[(head + n - 1) & ring->sq_mask].flags) &
		    WSQ_SQE_LINK)
		n--;
	return n;
}

/*
 * Submit up to @max entries. If there are not enough completion entries for all
 * of them, submit whole chains: the process cannot know how many will be free.
 * A chain has at most sq_entries entries, so it fits once all completions have
 * been read.
 *
 * Returns 1 if all entries asked for were taken, 0 if only some, or -errno if
 * none was.
 */
static int wsq_submit(struct wsq_ring *ring, u32 max, u32 *submitted)
{
	u64 tail = smp_load_acquire(&ring->page->sq_tail);	/* SQ(take:A) */
	u64 head = ring->sq_head;
	u64 ready = tail - head;
	u64 room = ring->sizes.cq_entries - (head - ring->cq_head);
	struct wsq_chain chain = {};
	struct wsq_submit_batch batch;
	u64 want, n, now, i;

	if (ready > ring->sizes.sq_entries)
		return -EINVAL;
	want = min_t(u64, ready, max);
	n = min(want, room);
	if (n < want)
		n = wsq_whole_chains(ring, head, n);
	if (!n)
		return want ? -EAGAIN : 1;

	percpu_ref_get_many(&ring->refs, n);
	now = ktime_get_mono_fast_ns();
	batch.head = NULL;
	batch.n = 0;
	batch.bytes = 0;
	batch.nr = 0;
	for (i = 0; i < n; i++) {
		wsq_submit_one(ring, head + i, now, &chain, &batch);
		if (i % WSQ_SUBMIT_RESCHED == WSQ_SUBMIT_RESCHED - 1) {
			/* Queue gathered requests before other threads run. */
			wsq_submit_batch_flush(ring, &batch);
			cond_resched();
		}
	}
	wsq_submit_batch_flush(ring, &batch);
	wsq_chain_start(ring, &chain);
	WRITE_ONCE(ring->sq_head, head + n);
	smp_store_release(&ring->page->sq_head, head + n);	/* SQ(give:A) */
	*submitted = n;
	return n == want;
}

/**
 * wsq_ring_take() - take entries
 * @ring: a live ring, its lock held
 * @max: the most to take
 * @taken: how many; not changed if there were none
 *
 * Context: task; calls cond_resched().
 * Return: 1 if all entries, up to @max, have been taken, 0 if only some; or
 * -errno as the user ABI has it of ENTER.
 */
int wsq_ring_take(struct wsq_ring *ring, u32 max, u32 *taken)
{
	int ret = ring->disabled ? -EBADFD : wsq_ring_sync(ring);

	/* Only the poller can find a dead ring: close.c. */
	if (unlikely(READ_ONCE(ring->dead)))
		ret = -EBADFD;
	if (ret)
		return ret;
	return max ? wsq_submit(ring, max, taken) : 1;
}
