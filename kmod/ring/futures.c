// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that wait for the futures of others: a graph of tasks.
 *
 * A ring of WSQ_SETUP_FUTURES has a table of futures. A request may resolve one
 * and wait for up to three. A future is pending from when a request that
 * resolves it is taken until that request completes. A request waits for a
 * pending future through a wait, of which each request has three; so nothing is
 * allocated. The waits for a future are a list, in order of submission.
 *
 * A request counts its waits, and one more until links and drains let it start.
 * It goes on when the count is 0: request.c queues it, or ends it with
 * %-ECANCELED if one of the requests that it waited for has failed, or the one
 * that it is linked behind. It must not end before that, because its waits are
 * in lists. So a request that is cancelled, or whose chain is broken, ends when
 * its waits are over. That is soon if those that it waits for are cancelled as
 * well, or if the ring is closed.
 *
 * Graphs are acyclic: links, drains and futures make a request wait for earlier
 * ones only, and keys only for those that are already queued.
 *
 * A completion moves the waits for its future to one of two lists of waits that
 * are over. One context at a time takes the waits off these lists, counts them
 * and starts requests, a few at once. Another context that calls in the meantime
 * leaves its waits to the first. So a failure passes through the graph without
 * recursion, and resolving a future that many requests wait for does not keep a
 * worker busy for long.
 *
 * A future is resolved after its request is counted as completed, and before the
 * completion is published. So a process that has read the completion can name
 * the future again, and a request that waited completes after those that it
 * waited for.
 *
 * A task that waited sees what the others did: all that changes hands here does
 * so under one lock.
 *
 * Cost: nothing for a request without futures but a test of its flags when it
 * is taken, when it starts and when it completes. With them: the lock four times,
 * and once for each wait. 12 bytes for each future and 16 for each request.
 * Limitations: one lock for each ring.
 */
#include <linux/lockdep.h>
#include <linux/nospec.h>
#include <linux/spinlock.h>

#include "futures.h"
#include "mem.h"
#include "ring.h"
#include "state.h"

/* As WSQ_FUTURES() packs them. Returns 0 for none. */
static u16 wsq_sqe_resolves(const struct wsq_sqe *sqe)
{
	return sqe->deadline;
}

static u16 wsq_sqe_after(const struct wsq_sqe *sqe, unsigned int n)
{
	return sqe->deadline >> 16 * (n + 1);
}

/* The future of a number that is not 0; %NULL if there is none. */
static struct wsq_ring_future *wsq_future_of(const struct wsq_ring *ring, u16 nr)
{
	const u32 i = nr - 1, n = ring->sizes.futures;

	return i < n ? &ring->futures.slots[array_index_nospec(i, n)] : NULL;
}

/**
 * wsq_futures_init() - initialise, without futures
 * @ring: not used yet
 *
 * Context: any.
 */
void wsq_futures_init(struct wsq_ring *ring)
{
	raw_spin_lock_init(&ring->futures.lock);
}

/**
 * wsq_futures_make() - create the table
 * @ring: the ring, its sizes set
 *
 * Context: task; may sleep.
 * Return: 0 or as wsq_mem_array(); wsq_futures_unmake() in either case.
 */
int wsq_futures_make(struct wsq_ring *ring)
{
	struct wsq_futures *f = &ring->futures;
	int ret;

	if (!ring->sizes.futures)
		return 0;
	ret = wsq_mem_array(&f->mem_slots, ring->sizes.futures,
			    sizeof(*f->slots));
	if (!ret)
		ret = wsq_mem_array(&f->mem_after, ring->sizes.cq_entries,
				    sizeof(*f->after));
	if (ret)
		return ret;
	f->slots = f->mem_slots.addr;
	f->after = f->mem_after.addr;
	return 0;
}

/**
 * wsq_futures_unmake() - free the table
 * @ring: the ring, not in use; no request is left
 *
 * Context: task; may sleep.
 */
void wsq_futures_unmake(struct wsq_ring *ring)
{
	struct wsq_futures *f = &ring->futures;

	f->slots = NULL;
	f->after = NULL;
	wsq_mem_free(&f->mem_after);
	wsq_mem_free(&f->mem_slots);
}

/**
 * wsq_futures_check() - check the numbers of an entry's futures
 * @ring: the ring
 * @sqe: the kernel's own copy of the entry, with %WSQ_SQE_FUTURES
 *
 * Context: any.
 * Return: 0 or %-EINVAL.
 */
int wsq_futures_check(const struct wsq_ring *ring, const struct wsq_sqe *sqe)
{
	unsigned int i;

	if (!ring->futures.slots || wsq_sqe_resolves(sqe) > ring->sizes.futures)
		return -EINVAL;
	for (i = 0; i < WSQ_AFTER_MAX; i++)
		if (wsq_sqe_after(sqe, i) > ring->sizes.futures)
			return -EINVAL;
	return 0;
}

static u32 *wsq_wait_next(const struct wsq_futures *f, u32 id)
{
	return &f->after[(id - 1) / WSQ_AFTER_MAX].next[(id - 1) % WSQ_AFTER_MAX];
}

/* Add waits, whose last has no next. */
static void wsq_waits_add(const struct wsq_futures *f, struct wsq_waits *to,
			  u32 first, u32 last)
{
	lockdep_assert_held(&f->lock);
	if (to->first)
		*wsq_wait_next(f, to->last) = first;
	else
		to->first = first;
	to->last = last;
}

/* May an entry whose numbers are valid name these futures? */
static int wsq_futures_try(const struct wsq_ring *ring,
			   const struct wsq_sqe *sqe)
{
	const struct wsq_ring_future *future;
	unsigned int i;

	for (i = 0; i < WSQ_AFTER_MAX; i++) {
		u16 nr = wsq_sqe_after(sqe, i);

		if (nr && wsq_future_of(ring, nr)->state == WSQ_FUTURE_NONE)
			return -EINVAL;
	}
	if (!wsq_sqe_resolves(sqe))
		return 0;
	future = wsq_future_of(ring, wsq_sqe_resolves(sqe));
	return future->state == WSQ_FUTURE_PENDING ? -EBUSY : 0;
}

/* Begin the waits of a request, and make its own future pending. */
static void wsq_futures_begin(struct wsq_futures *f, struct wsq_req *req)
{
	struct wsq_after *after = &f->after[req->index];
	unsigned int i;

	after->missing = 1;
	after->failed = false;
	for (i = 0; i < WSQ_AFTER_MAX; i++) {
		u32 id = req->index * WSQ_AFTER_MAX + i + 1;
		u16 nr = wsq_sqe_after(&req->sqe, i);
		struct wsq_ring_future *future;

		if (!nr)
			continue;
		future = wsq_future_of(req->ring, nr);
		if (future->state == WSQ_FUTURE_PENDING) {
			after->next[i] = 0;
			after->missing++;
			wsq_waits_add(f, &future->waits, id, id);
		} else if (future->state == WSQ_FUTURE_FAILED) {
			after->failed = true;
		}
	}
	if (wsq_sqe_resolves(&req->sqe))
		wsq_future_of(req->ring, wsq_sqe_resolves(&req->sqe))->state =
			WSQ_FUTURE_PENDING;
}

/* The entry is refused: its future fails, unless another will resolve it. */
static void wsq_future_refuse(const struct wsq_ring *ring,
			      const struct wsq_sqe *sqe)
{
	struct wsq_ring_future *future = NULL;

	if (wsq_sqe_resolves(sqe))
		future = wsq_future_of(ring, wsq_sqe_resolves(sqe));
	if (future && future->state != WSQ_FUTURE_PENDING)
		future->state = WSQ_FUTURE_FAILED;
}

/**
 * wsq_futures_take() - take the futures of a request
 * @req: the request, with %WSQ_SQE_FUTURES, which is removed if it is refused
 *
 * Sets @refused to %-EINVAL if the request waits for a future that was not named
 * before, to %-EBUSY if the future that it resolves is pending.
 *
 * Context: task, the submitter.
 */
void wsq_futures_take(struct wsq_req *req)
{
	struct wsq_futures *f = &req->ring->futures;

	if (f->slots) {
		raw_spin_lock(&f->lock);
		if (!req->refused)
			req->refused = wsq_futures_try(req->ring, &req->sqe);
		if (!req->refused)
			wsq_futures_begin(f, req);
		else
			wsq_future_refuse(req->ring, &req->sqe);
		raw_spin_unlock(&f->lock);
	}
	if (req->refused)
		req->sqe.flags &= ~WSQ_SQE_FUTURES;
}

/*
 * All waits of a request are over. It must not run if one has failed. Then
 * CANCEL, which may look now, finds it CANCELLED.
 */
static void wsq_futures_over(struct wsq_req *req, const struct wsq_after *after)
{
	if (!after->failed)
		return;
	wsq_req_give_up(req);
	req->refused = -ECANCELED;
}

/**
 * wsq_futures_pass() - links and drains let a request start
 * @req: the request, with %WSQ_SQE_FUTURES
 * @broken: the request that it is linked behind has failed
 *
 * Context: task, its owner.
 * Return: true if the caller must go on with it: start it, or end it if it is
 * @refused; false if the context that ends the last of its waits does.
 */
bool wsq_futures_pass(struct wsq_req *req, bool broken)
{
	struct wsq_futures *f = &req->ring->futures;
	struct wsq_after *after = &f->after[req->index];
	bool over;

	raw_spin_lock(&f->lock);
	if (broken)
		after->failed = true;
	over = !--after->missing;
	raw_spin_unlock(&f->lock);
	if (over)
		wsq_futures_over(req, after);
	return over;
}

/**
 * wsq_futures_resolve() - resolve the future of a request, if it has one
 * @req: the request, with %WSQ_SQE_FUTURES
 * @res: its result
 *
 * Context: task, preemption off. The completion has been counted, and is not
 * yet published. wsq_futures_claim() must follow.
 */
void wsq_futures_resolve(const struct wsq_req *req, s64 res)
{
	struct wsq_futures *f = &req->ring->futures;
	struct wsq_ring_future *future;

	if (!wsq_sqe_resolves(&req->sqe))
		return;
	future = wsq_future_of(req->ring, wsq_sqe_resolves(&req->sqe));
	raw_spin_lock(&f->lock);
	future->state = res < 0 ? WSQ_FUTURE_FAILED : WSQ_FUTURE_DONE;
	if (future->waits.first)
		wsq_waits_add(f, &f->over[res < 0], future->waits.first,
			      future->waits.last);
	future->waits.first = 0;
	raw_spin_unlock(&f->lock);
}

static bool wsq_futures_idle(const struct wsq_futures *f)
{
	return !f->over[0].first && !f->over[1].first;
}

/**
 * wsq_futures_claim() - become the context that counts waits that are over
 * @ring: the ring; the caller has a reference
 *
 * Context: task.
 * Return: true if the caller must call wsq_futures_next() until that returns
 * false; false if there are none, or another context does, and will look again.
 */
bool wsq_futures_claim(struct wsq_ring *ring)
{
	struct wsq_futures *f = &ring->futures;
	bool mine;

	raw_spin_lock(&f->lock);
	mine = !f->releasing && !wsq_futures_idle(f);
	if (mine)
		f->releasing = true;
	raw_spin_unlock(&f->lock);
	return mine;
}

/**
 * wsq_futures_next() - count a wait that is over
 * @ring: the ring, claimed by wsq_futures_claim()
 * @req: set to its request if that was the last one, otherwise to %NULL. The
 *	caller must start it, or end it if it is @refused
 *
 * Context: task.
 * Return: true; false if there was none: then the claim has ended.
 */
bool wsq_futures_next(struct wsq_ring *ring, struct wsq_req **req)
{
	struct wsq_futures *f = &ring->futures;
	struct wsq_after *after = NULL;
	struct wsq_waits *over;
	u32 id;

	*req = NULL;
	raw_spin_lock(&f->lock);
	over = &f->over[!f->over[0].first];
	id = over->first;
	if (id) {
		over->first = *wsq_wait_next(f, id);
		after = &f->after[(id - 1) / WSQ_AFTER_MAX];
		if (over == &f->over[1])
			after->failed = true;
		if (!--after->missing)
			*req = &ring->reqs[(id - 1) / WSQ_AFTER_MAX];
	} else {
		f->releasing = false;
	}
	raw_spin_unlock(&f->lock);
	if (*req)
		wsq_futures_over(*req, after);
	return id;
}

/**
 * wsq_futures_more() - are there more waits that are over
 * @ring: the ring, claimed by wsq_futures_claim()
 *
 * Context: task.
 * Return: true; false if there are none: then the claim has ended.
 */
bool wsq_futures_more(struct wsq_ring *ring)
{
	struct wsq_futures *f = &ring->futures;

	bool more;

	raw_spin_lock(&f->lock);
	more = !wsq_futures_idle(f);
	f->releasing = more;
	raw_spin_unlock(&f->lock);
	return more;
}
