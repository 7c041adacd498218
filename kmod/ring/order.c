// SPDX-License-Identifier: GPL-2.0
/*
 * Which requests wait for others.
 *
 * A unit is a chain of linked requests, mostly of one. Its head goes to the queue,
 * the others as the one before ends. Units are held back from the first one that
 * drains until that one has ended: such a unit starts when as many completions
 * have been counted as there were submissions before it, and what was submitted
 * behind it when its own have been, too. Both can be told by the count alone,
 * because nothing that was submitted later can complete meanwhile: that is why
 * refused entries are held back as well.
 *
 * One context at a time lets held units go, in order of submission and a few at
 * once. A context that comes meanwhile leaves its own to that one. What is
 * submitted while a gate is closed stands behind those that are held. So
 * nothing overtakes.
 *
 * Cost: a load of the gate for each unit and each completion as long as nobody
 * drains; a list and a spinlock after that.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/nodemask.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "ring.h"

/* Units that go between two calls of cond_resched(). */
#define WSQ_RELEASE_BREATH	64
/*
 * ... and at most, before another item of the queue does the rest: a process
 * can submit as fast as they go, and items of others must not wait for it.
 */
#define WSQ_RELEASE_MOST	256

/* Requests of a chain that end in one go, before another item does the rest. */
#define WSQ_CHAIN_MOST		256

static void wsq_release_run(struct wsq_work *work);

/**
 * wsq_order_init() - nothing waits
 * @ring: not used yet
 *
 * Context: any.
 */
void wsq_order_init(struct wsq_ring *ring)
{
	spin_lock_init(&ring->held_lock);
	INIT_LIST_HEAD(&ring->held);
	INIT_WSQ_WORK(&ring->release_work, wsq_release_run);
	ring->gate = WSQ_GATE_OPEN;
}

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
 * Queue a request whose state has become QUEUED. Returns false if it is not queued:
 * its ring is dead, or it was cancelled just now.
 */
static bool wsq_req_try_queue(struct wsq_req *req)
{
	bool queued = false;

	rcu_read_lock();
	if (likely(!READ_ONCE(req->ring->dead))) {	/* CL(put:B) */
		/* Orders all this before the worker. */
		queued = wsq_req_queue(req);
		/*
		 * Cancelled between the two: the canceller owned the item at
		 * this very moment, did not find it in the queue, and leaves it
		 * to this context.
		 */
		WARN_ON_ONCE(!queued && atomic_read(&req->state) !=
					WSQ_REQ_CANCELLED);
	}
	rcu_read_unlock();
	return queued;
}

/* A request that is WAITING, or was. Returns false if it will not run. */
static bool wsq_req_go(struct wsq_req *req)
{
	if (unlikely(req->refused))
		return false;
	if (likely(atomic_cmpxchg_relaxed(&req->state, WSQ_REQ_WAITING,
					  WSQ_REQ_QUEUED) == WSQ_REQ_WAITING) &&
	    likely(wsq_req_try_queue(req)))
		return true;
	req->refused = -ECANCELED;
	return false;
}

/**
 * wsq_req_launch() - a request need not wait for others any more
 * @req: the request, WAITING or CANCELLED, refused or not
 *
 * Context: task; does not sleep, but calls cond_resched().
 */
void wsq_req_launch(struct wsq_req *req)
{
	if (!wsq_req_go(req))
		wsq_req_end(req, req->refused, 0);
}

/* The rest of a chain, of which nothing will run, is ended by an item. */
static void wsq_chain_later(struct wsq_req *req)
{
	/* Otherwise it is cancelled already. */
	atomic_cmpxchg_relaxed(&req->state, WSQ_REQ_WAITING, WSQ_REQ_CANCELLED);
	wsq_ring_requeue(req->ring, &req->work);
}

/**
 * wsq_req_end() - complete a request, and see what is linked behind it
 * @req: the request; not to be touched afterwards
 * @res: its result
 * @wait_ns: how long it had waited
 *
 * Context: task, as wsq_req_complete(). Calls cond_resched() between two requests of
 * a chain that ends with it.
 */
void wsq_req_end(struct wsq_req *req, s64 res, u64 wait_ns)
{
	struct wsq_req *next = req->next;
	unsigned int nr = 0;

	wsq_req_complete(req, res, wait_ns);
	while (unlikely(next)) {
		req = next;
		next = req->next;
		if (res >= 0) {
			if (wsq_req_go(req))
				return;
			res = req->refused;
		} else {
			res = -ECANCELED;
		}
		if (++nr == WSQ_CHAIN_MOST) {
			wsq_chain_later(req);
			return;
		}
		wsq_req_complete(req, res, 0);
		cond_resched();
	}
}

/* The next unit that may go, taken off the list; or the gate is set. */
static struct wsq_req *wsq_held_next(struct wsq_ring *ring)
{
	/* Queueing, a full barrier, hands on what is behind it: [GT]. */
	u64 count = atomic64_read(&ring->completed);
	struct wsq_req *head;
	u64 gate;

	head = list_first_entry_or_null(&ring->held, struct wsq_req, held);
	if (ring->barrier > count)
		gate = ring->barrier;
	else if (!head)
		gate = WSQ_GATE_OPEN;
	else if (head->sqe.flags & WSQ_SQE_DRAIN && !head->refused &&
		 head->number > count)
		gate = head->number;
	else
		gate = 0;
	WRITE_ONCE(ring->gate, gate);
	if (gate)
		return NULL;
	list_del(&head->held);
	if (head->sqe.flags & WSQ_SQE_DRAIN && !head->refused)
		ring->barrier = head->number + head->unit;
	return head;
}

/* Is there something to let go? Then the gate, which was just set, is not true. */
static bool wsq_gate_passed(struct wsq_ring *ring)
{
	u64 gate = READ_ONCE(ring->gate);

	return gate != WSQ_GATE_OPEN &&
	       atomic64_read(&ring->completed) >= gate;
}

/*
 * Let go what may. False if there was more than is to be done at a time; then no other
 * context lets go either.
 */
static bool wsq_release_some(struct wsq_ring *ring)
{
	unsigned int n = 0;

	spin_lock(&ring->held_lock);
	while (n < WSQ_RELEASE_MOST) {
		struct wsq_req *head = wsq_held_next(ring);

		if (!head) {
			smp_mb();			/* GT(close:B) */
			if (wsq_gate_passed(ring))
				continue;
			ring->releasing = false;
			spin_unlock(&ring->held_lock);
			return true;
		}
		spin_unlock(&ring->held_lock);
		wsq_req_launch(head);
		if (++n % WSQ_RELEASE_BREATH == 0)
			cond_resched();
		spin_lock(&ring->held_lock);
	}
	spin_unlock(&ring->held_lock);
	return false;
}

/* An item does the rest, behind all that is in the queue. */
static void wsq_release_later(struct wsq_ring *ring)
{
	percpu_ref_get(&ring->refs);
	wsq_ring_requeue(ring, &ring->release_work);
}

static void wsq_release_run(struct wsq_work *work)
{
	struct wsq_ring *ring = container_of(work, struct wsq_ring, release_work);

	if (!wsq_release_some(ring))
		wsq_release_later(ring);
	percpu_ref_put(&ring->refs);
}

/**
 * wsq_order_release() - let units go that need not wait any more
 * @ring: the ring; the caller has a reference
 *
 * Context: task; lets others run.
 */
void wsq_order_release(struct wsq_ring *ring)
{
	bool mine;

	spin_lock(&ring->held_lock);
	mine = !ring->releasing;
	ring->releasing = true;
	spin_unlock(&ring->held_lock);
	if (mine && !wsq_release_some(ring))
		wsq_release_later(ring);
}

/**
 * wsq_order_releasing() - is a context letting units go, or an item about to
 * @ring: the ring, of which nothing more is submitted
 *
 * The lock orders this behind what the caller has read: a context that let the last
 * units go, before they were counted as completed, had the lock before.
 *
 * Context: task.
 * Return: whether. If all that was submitted had completed before the call, and this
 * is false, release_work is not queued, and will not be.
 */
bool wsq_order_releasing(struct wsq_ring *ring)
{
	bool releasing;

	spin_lock(&ring->held_lock);
	releasing = ring->releasing;
	spin_unlock(&ring->held_lock);
	return releasing;
}

/**
 * wsq_unit_start() - a chain is complete
 * @ring: the ring, its lock held
 * @head: its head; WAITING, and so are all that are linked behind it
 *
 * Context: task, the submitter.
 */
void wsq_unit_start(struct wsq_ring *ring, struct wsq_req *head)
{
	if (likely(READ_ONCE(ring->gate) == WSQ_GATE_OPEN) &&
	    likely(!(head->sqe.flags & WSQ_SQE_DRAIN))) {
		wsq_req_launch(head);
		return;
	}
	spin_lock(&ring->held_lock);
	list_add_tail(&head->held, &ring->held);
	/* Closed for what is submitted, until a context has looked. */
	if (ring->gate == WSQ_GATE_OPEN)
		WRITE_ONCE(ring->gate, 0);
	spin_unlock(&ring->held_lock);
	wsq_order_release(ring);
}
