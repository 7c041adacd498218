// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of the requests of a ring whose file is closed.
 *
 * A request that has not begun ends with %-ECANCELED and does not run. One that
 * has begun ends at its next piece. No process reads these results, but
 * requests end as they always do: by the same functions, each once.
 *
 * They would end without more when a worker reaches them. But the user's queue
 * may have a backlog of other rings in front of them, and until they have
 * ended, the ring keeps its memory and counts for the user. So after release()
 * a work item of the workqueue of rings moves them: it cancels each item that
 * is pending in the user's queue, and queues it to the closing queue. No task
 * is ever put there, so workers reach it at once.
 *
 * [CL]	A worker or the poller may be about to queue an item of the ring while it is
 *	closed: the next one of a chain, one that was held back, a task that leaves
 *	its worker. It looks at @dead and queues the item in one RCU read-side section.
 *
 *	a worker				release(), then the closer
 *	--------				--------------------------
 *	rcu_read_lock()				CL(dead:A) store dead
 *	CL(put:A) load dead			CL(wait:A) a grace period
 *	clear: queue to the user's queue	cancel what is pending, and queue it
 *	set: to the closing queue		to the closing queue
 *	rcu_read_unlock()
 *
 *	If the worker does not see @dead, the closer finds the item pending.
 *	litmus/ring-close.litmus
 *
 * A submitter does not look at @dead: ENTER holds the file, so none is under
 * way when the file is closed. The poller takes nothing from a dead ring, and
 * the closer takes the ring's lock once.
 *
 * Items of serials go the same way (serial/serial.h): their queue is changed first, and
 * after another grace period what is pending in the former one is moved.
 *
 * The item that lets held requests go (order.c) is moved as well. It may be in the
 * user's queue when all requests have ended.
 *
 * Cost: a grace period, which freeing the ring takes in any case, and a look at each
 * request of the ring. Nothing for a ring that has neither a request nor that item
 * when it is closed.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "../exec/tenant.h"
#include "ring.h"

/* Made with the first ring, under the lock. */
static DEFINE_MUTEX(wsq_closing_lock);
static struct wsq *wsq_closing;

/**
 * wsq_closing_make() - make the closing queue, unless it is there
 *
 * Context: task; may sleep.
 * Return: 0 or as wsq_create().
 */
int wsq_closing_make(void)
{
	struct wsq *q;
	int ret = 0;

	mutex_lock(&wsq_closing_lock);
	if (!wsq_closing) {
		q = wsq_tenant_create(NULL, "ring-closing");
		if (IS_ERR(q))
			ret = PTR_ERR(q);
		else
			wsq_closing = q;
	}
	mutex_unlock(&wsq_closing_lock);
	return ret;
}

/**
 * wsq_closing_exit() - destroy the closing queue
 *
 * Context: module unload; may sleep. There is no ring.
 */
void wsq_closing_exit(void)
{
	wsq_destroy(wsq_closing);
	wsq_closing = NULL;
}

/**
 * wsq_ring_requeue() - queue an item of a ring that was accepted before
 * @ring: the ring, which is there until the item has run
 * @work: the item, owned by the caller; may be freed on return
 *
 * Context: task; does not sleep.
 * Ordering: as wsq_queue_work().
 */
void wsq_ring_requeue(struct wsq_ring *ring, struct wsq_work *work)
{
	struct wsq *q = ring->queue;

	rcu_read_lock();
	if (unlikely(READ_ONCE(ring->dead)))		/* CL(put:A) */
		q = wsq_closing;
	/* Not pending. Only a canceller that looks at it refuses the put. */
	while (!wsq_queue_work(q, work))
		cpu_relax();
	rcu_read_unlock();
}

static void wsq_close_move(struct wsq_work *work)
{
	if (wsq_cancel_work(work))
		WARN_ON_ONCE(!wsq_queue_work(wsq_closing, work));
}

static void wsq_close_reqs(struct wsq_ring *ring)
{
	u32 i;

	for (i = 0; i < ring->sizes.cq_entries; i++) {
		struct wsq_req *req = &ring->reqs[i];

		if (atomic_read(&req->state) == WSQ_REQ_FREE)
			continue;
		if (wsq_cont_forget(req))
			wsq_cont_launch(req);
		else
			wsq_close_move(&req->work);
		cond_resched();
	}
}

/* In the workqueue, a grace period after release(), with a reference. */
static void wsq_ring_close(struct work_struct *work)
{
	struct wsq_ring *ring = container_of(to_rcu_work(work), struct wsq_ring,
					     close_work);

	/* From here on, what the poller has taken is visible. */
	mutex_lock(&ring->lock);
	mutex_unlock(&ring->lock);
	wsq_keys_close(ring, wsq_closing);
	wsq_close_reqs(ring);
	wsq_close_move(&ring->release_work);
	percpu_ref_put(&ring->refs);
}

/**
 * wsq_close_init() - initialise what closing a ring needs
 * @ring: the ring
 *
 * Context: any.
 */
void wsq_close_init(struct wsq_ring *ring)
{
	INIT_RCU_WORK(&ring->close_work, wsq_ring_close);
}

/**
 * wsq_close_begin() - begin to close a ring: its file is closed
 * @ring: the ring, with the file's reference
 *
 * Does not wait.
 *
 * Context: task.
 */
void wsq_close_begin(struct wsq_ring *ring)
{
	WRITE_ONCE(ring->dead, true);			/* CL(dead:A) */
	/* No ENTER moves these any more; a poller may still take entries. */
	if (!ring->poller &&
	    ring->sq_head == (u64)atomic64_read(&ring->completed) &&
	    !wsq_order_releasing(ring))
		return;
	percpu_ref_get(&ring->refs);
	wsq_rings_queue_rcu(&ring->close_work);
}
