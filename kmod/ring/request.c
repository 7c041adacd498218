// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a request after its submission: it is queued, runs, ends and is
 * completed, and then starts those that waited for it. state.h has its states.
 *
 * This file calls the others, which know nothing of it: order.c says which
 * chains may start, futures.c which requests no longer wait for others. keys.c,
 * batch.c and cont.c are the ways to a worker other than the queue. complete.c
 * makes completion entries and wait.c wakes waiters.
 *
 * Cost: one full barrier for each completion, or for each batch; no lock unless
 * a thread sleeps, or a request is held, until this completion. One clock
 * reading for each task of a worker's batch (exec/timestamp.h), or for each
 * batch of requests (batch.c).
 */
#include <linux/cpumask.h>
#include <linux/nodemask.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../exec/timestamp.h"
#include "batch.h"
#include "complete.h"
#include "cont.h"
#include "futures.h"
#include "issue.h"
#include "keys.h"
#include "order.h"
#include "queues.h"
#include "request.h"
#include "ring.h"
#include "state.h"
#include "task_stats.h"
#include "user.h"
#include "wait.h"

/* Chains that are released between two calls of cond_resched(). */
#define WSQ_RELEASE_RESCHED	64
/*
 * ... and at most, before another item of the queue releases the rest: a
 * process can submit as fast as chains are released, and other users' items
 * must not wait. A chain that ends counts as many times as requests end by it.
 */
#define WSQ_RELEASE_MOST	256

/*
 * Requests of a chain that end at a time, before an item ends the rest. A
 * request counts as many times as others are released or end by its end.
 *
 * So a context that ends a request ends or starts a few times this many,
 * however links, drains and futures connect them: each loop adds to its count
 * what the loops in it have done. They are few, because a release in a release
 * of the same kind leaves everything to the outer one.
 */
#define WSQ_CHAIN_MOST		256

static unsigned int wsq_release(struct wsq_ring *ring);
static unsigned int wsq_futures_release(struct wsq_ring *ring);

/* Queue a request to its key's serial, or to the queue. */
static bool wsq_req_queue(struct wsq_req *req)
{
	struct wsq *q = req->ring->queue;
	u32 hint = req->sqe.hint;

	if (unlikely(req->key))
		return wsq_key_queue(req);
	if (unlikely(req->sqe.flags & WSQ_SQE_CPU))
		return wsq_queue_work_near(array_index_nospec(hint, nr_cpu_ids),
					   q, &req->work);
	if (unlikely(req->sqe.flags & WSQ_SQE_NODE))
		return wsq_queue_work_node(array_index_nospec(hint, nr_node_ids),
					   q, &req->work);
	return wsq_queue_work(q, &req->work);
}

/*
 * Queue a request whose state has become QUEUED. Returns false if it is not
 * queued: its ring is dead, or it was cancelled just now.
 */
static bool wsq_req_try_queue(struct wsq_req *req)
{
	bool queued = false;

	rcu_read_lock();
	if (likely(!READ_ONCE(req->ring->dead))) {	/* CL(put:B) */
		/* A full barrier: the worker sees all stores before. */
		queued = wsq_req_queue(req);
		/*
		 * It can fail only if CANCEL has changed the state since: at
		 * this moment the canceller owned the work item. It did not
		 * find the request in the queue, and leaves it to this context.
		 */
		WARN_ON_ONCE(!queued &&
			     wsq_req_state(req) != WSQ_REQ_CANCELLED);
	}
	rcu_read_unlock();
	return queued;
}

/* Queue a request that is WAITING. Returns false if it will not run. */
static bool wsq_req_go(struct wsq_req *req)
{
	if (unlikely(req->refused))
		return false;
	if (likely(wsq_req_ready(req)) && likely(wsq_req_try_queue(req)))
		return true;
	req->refused = -ECANCELED;
	return false;
}

/*
 * The last @nr completions, up to @n, exist: wake waiters, release held
 * requests, and drop the references of the requests. The ring may be gone then.
 * Returns how many were released or ended.
 */
static __always_inline unsigned int wsq_completed(struct wsq_ring *ring, u64 n,
						  u32 nr)
{
	unsigned int done = 0;

	/* Has a full barrier, [GT]. */
	wsq_ring_wake(ring, n);
	if (unlikely(wsq_order_due(ring)))
		done = wsq_release(ring);
	percpu_ref_put_many(&ring->refs, nr);
	return done;
}

/*
 * Complete a request. Not to be touched afterwards. Returns how many were
 * released or ended, this one included.
 */
static __always_inline unsigned int wsq_req_complete(struct wsq_req *req,
						     s64 res, u64 wait_ns)
{
	const bool futures = req->sqe.flags & WSQ_SQE_FUTURES;
	struct wsq_ring *ring = req->ring;
	unsigned int done;

	if (unlikely(req->cont))
		wsq_cont_put(req);
	if (unlikely(futures))
		percpu_ref_get(&ring->refs);
	done = wsq_completed(ring, wsq_complete_one(req, res, wait_ns), 1);
	if (unlikely(futures))
		done += wsq_futures_release(ring);
	return done + 1;
}

/* Queue an item that ends the rest of a chain, of which nothing will run. */
static void wsq_chain_later(struct wsq_req *req)
{
	wsq_req_give_up(req);
	wsq_ring_requeue(req->ring, &req->work);
}

/*
 * The request before a linked one has ended with @res: start it, or end it and
 * those behind it. If it waits for futures, the context that ends that wait goes
 * on. Calls cond_resched() between two that it ends. @nr were released or ended
 * by the one before; returns how many with those by this.
 */
static noinline unsigned int wsq_chain_go_on(struct wsq_req *next, s64 res,
					     unsigned int nr)
{
	struct wsq_req *req;

	while (next) {
		req = next;
		next = req->next;
		if (unlikely(req->sqe.flags & WSQ_SQE_FUTURES) &&
		    !wsq_futures_pass(req, res < 0))
			break;
		if (res >= 0) {
			if (wsq_req_go(req))
				break;
			res = req->refused;
		} else {
			res = -ECANCELED;
		}
		if (nr >= WSQ_CHAIN_MOST) {
			wsq_chain_later(req);
			break;
		}
		nr += wsq_req_complete(req, res, 0);
		cond_resched();
	}
	return nr;
}

/**
 * wsq_req_end() - complete a request, and start or end those linked behind it
 * @req: the request; not to be touched afterwards
 * @res: its result
 * @wait_ns: how long it had waited, in ns
 *
 * Context: task, preemptible; calls cond_resched(). The one caller for this
 * request.
 * Return: how many requests were started, released or ended, this one included.
 * Ordering: as wsq_complete_one(); and [WT] towards waiters, [GT] towards held
 * requests.
 */
unsigned int wsq_req_end(struct wsq_req *req, s64 res, u64 wait_ns)
{
	struct wsq_req *next = req->next;
	unsigned int nr = wsq_req_complete(req, res, wait_ns);

	if (unlikely(next))
		nr = wsq_chain_go_on(next, res, nr);
	return nr;
}

/* Start a request that no longer waits for others. As wsq_req_end(). */
static unsigned int wsq_req_start(struct wsq_req *req)
{
	return wsq_req_go(req) ? 1 : wsq_req_end(req, req->refused, 0);
}

/*
 * Start the head of a chain that may start, unless it waits for futures. As
 * wsq_req_end().
 */
static unsigned int wsq_req_launch(struct wsq_req *req)
{
	if (unlikely(req->sqe.flags & WSQ_SQE_FUTURES) &&
	    !wsq_futures_pass(req, false))
		return 1;
	return wsq_req_start(req);
}

/*
 * Start requests whose futures are resolved. Returns false if there are more
 * than the limit. Sets @n to how many were started, released or ended.
 */
static bool wsq_futures_some(struct wsq_ring *ring, unsigned int *n)
{
	struct wsq_req *req;
	unsigned int i;

	*n = 0;
	for (i = 1; wsq_futures_next(ring, &req); i++) {
		*n += req ? wsq_req_start(req) : 1;
		if (*n >= WSQ_RELEASE_MOST)
			return !wsq_futures_more(ring);
		if (i % WSQ_RELEASE_RESCHED == 0)
			cond_resched();
	}
	return true;
}

/*
 * Likewise, and let an item start the rest, behind all items in the queue. Until
 * it has, no other context does. Drops the caller's reference. Returns that
 * number.
 */
static noinline unsigned int wsq_futures_release(struct wsq_ring *ring)
{
	unsigned int n = 0;

	if (wsq_futures_claim(ring) && !wsq_futures_some(ring, &n))
		wsq_ring_requeue(ring, &ring->futures.work);
	else
		percpu_ref_put(&ring->refs);
	return n;
}

/**
 * wsq_futures_run() - the function of the item that starts requests whose
 * futures are resolved
 * @work: in its ring, with a reference
 *
 * Context: task, a worker.
 */
void wsq_futures_run(struct wsq_work *work)
{
	struct wsq_ring *ring = container_of(work, struct wsq_ring,
					     futures.work);
	unsigned int n;

	if (!wsq_futures_some(ring, &n))
		wsq_ring_requeue(ring, &ring->futures.work);
	else
		percpu_ref_put(&ring->refs);
}

/*
 * Release held chains. Returns false if there are more than the limit. Sets @n
 * to how many were started, released or ended.
 */
static bool wsq_release_some(struct wsq_ring *ring, unsigned int *n)
{
	unsigned int i;

	*n = 0;
	for (i = 1; *n < WSQ_RELEASE_MOST; i++) {
		struct wsq_req *head = wsq_order_next(ring);

		if (!head)
			return true;
		*n += wsq_req_launch(head);
		if (i % WSQ_RELEASE_RESCHED == 0)
			cond_resched();
	}
	return false;
}

/*
 * Let an item release the rest, behind all items in the queue. Until it has,
 * no other context releases chains.
 */
static void wsq_release_later(struct wsq_ring *ring)
{
	percpu_ref_get(&ring->refs);
	wsq_ring_requeue(ring, &ring->release_work);
}

/*
 * Release the chains that no longer wait. The caller has a reference. Returns
 * how many were started, released or ended.
 */
static unsigned int wsq_release(struct wsq_ring *ring)
{
	unsigned int n = 0;

	if (wsq_order_claim(ring) && !wsq_release_some(ring, &n))
		wsq_release_later(ring);
	return n;
}

/**
 * wsq_release_run() - the function of the item that releases held chains
 * @work: in its ring, with a reference
 *
 * Context: task, a worker.
 */
void wsq_release_run(struct wsq_work *work)
{
	struct wsq_ring *ring = container_of(work, struct wsq_ring, release_work);
	unsigned int n;

	if (!wsq_release_some(ring, &n))
		wsq_release_later(ring);
	percpu_ref_put(&ring->refs);
}

/**
 * wsq_chain_launch() - start a complete chain, or hold it
 * @ring: the ring, its lock held
 * @head: its head; WAITING, and so are all that are linked behind it
 *
 * Context: task, the submitter; calls cond_resched().
 */
void wsq_chain_launch(struct wsq_ring *ring, struct wsq_req *head)
{
	if (likely(wsq_order_open(ring)) &&
	    likely(!(head->sqe.flags & WSQ_SQE_DRAIN))) {
		wsq_req_launch(head);
		return;
	}
	wsq_order_hold(ring, head);
	wsq_release(ring);
}

/* A begun request leaves its worker. Not to be touched afterwards. */
static void wsq_req_leave(struct wsq_req *req)
{
	if (req->key)
		wsq_key_leave(req);
	else
		wsq_ring_requeue(req->ring, &req->work);
}

/* Run the requests of a batch. Out of line, for the others' stack. */
static noinline void wsq_reqs_do(struct wsq_req *head)
{
	struct wsq_ring *ring = head->ring;
	u64 last;
	u32 nr = wsq_batch_run(head, &last);

	wsq_completed(ring, last, nr);
}

/* Run a request, or end it. */
static void wsq_req_do(struct wsq_req *req)
{
	struct wsq_ring *ring = req->ring;
	struct wsq_conts *conts = &ring->user->conts;
	struct wsq_stop stop;
	struct wsq_worker *w;
	u64 start, wait_ns;
	bool left;
	s64 res;

	if (req->batched) {
		wsq_reqs_do(req);
		return;
	}
	/* One that has begun is never CANCELLED. */
	left = wsq_req_state(req) == WSQ_REQ_RUNNING;
	if (!left) {
		if (unlikely(READ_ONCE(conts->held) >= conts->limit) &&
		    !req->cont && wsq_sqe_long(&req->sqe, ring->arena) &&
		    wsq_cont_wait(req))
			return;
		if (unlikely(!wsq_req_begin(req))) {
			wsq_req_end(req, -ECANCELED, 0);
			return;
		}
	}
	w = wsq_timestamp_worker();
	start = wsq_timestamp_begin(w, req->submit_ns);
	wsq_req_stop(req, conts, &stop);
	if (unlikely(left)) {
		wait_ns = req->cont->wait_ns;
		res = wsq_op_resume(&req->sqe, &stop, req->cont);
	} else {
		/* The clock may step back a little between CPUs. */
		wait_ns = start > req->submit_ns ? start - req->submit_ns : 0;
		res = wsq_req_issue(req, &stop);
	}
	/* Account before the process can see the completion. */
	wsq_task_stats_ran(ring, start, wsq_timestamp_end(w));
	if (unlikely(res == WSQ_OP_AGAIN)) {
		req->cont->wait_ns = wait_ns;
		wsq_req_leave(req);
		return;
	}
	wsq_req_end(req, res, wait_ns);
}

/**
 * wsq_req_run() - the work function of a request
 * @work: the work item of the request
 *
 * Context: task, a worker.
 */
void wsq_req_run(struct wsq_work *work)
{
	wsq_req_do(container_of(work, struct wsq_req, work));
}

/**
 * wsq_req_run_keyed() - the function of a request in the serial of its key
 * @item: the serial item of the request
 *
 * Context: task, a worker.
 */
void wsq_req_run_keyed(struct wsq_serial_work *item)
{
	wsq_req_do(container_of(item, struct wsq_req, item));
}
