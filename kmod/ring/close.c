// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to the requests of a ring whose file is closed.
 *
 * A request that has not begun ends with %-ECANCELED and does not run. One that
 * has begun ends at its next piece. No process reads these results, but
 * requests end as they always do: by the same functions, each once.
 *
 * Workers would end them anyway. But the user's queue may hold a backlog of
 * other rings in front of them, and until they have ended, the ring keeps its
 * memory and counts for the user. So after release() a work item of the rings'
 * workqueue cancels each item that is pending in the user's queue, and queues
 * it to the closing queue. No task is ever put there, so workers reach it at
 * once.
 *
 * [CL]	A worker or the poller may be about to queue an item of the ring while
 *	the ring is closed: the next request of a chain, a held request, a task
 *	that leaves its worker. It reads @dead and queues the item in one RCU
 *	read-side section.
 *
 *	a worker				release(), then the closer
 *	--------				--------------------------
 *	rcu_read_lock()				CL(dead:A) store dead
 *	CL(put:A) load dead			CL(wait:A) a grace period
 *	clear: queue to the user's queue	cancel pending items, queue them
 *	set: to the closing queue		to the closing queue
 *	rcu_read_unlock()
 *
 *	If the worker does not see @dead, the closer finds the item pending.
 *	litmus/ring-close.litmus
 *
 * A submitter need not read @dead: ENTER holds the file, so no ENTER is in
 * progress when the file is closed. The poller takes nothing from a dead ring,
 * and the closer takes the ring's lock once.
 *
 * Items of serials are moved too (serial/serial.h): the closer changes their
 * queue first, and after another grace period it moves the pending items.
 *
 * The item that releases held requests (request.c) is moved as well. It may be
 * in the user's queue when all requests have ended. So is the item that starts
 * requests whose futures are resolved: while it is queued, some of them have not
 * ended.
 *
 * Cost: a grace period, which freeing the ring takes in any case, and a look at
 * each request of the ring. Nothing if the ring has neither a request nor that
 * item when it is closed.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "close.h"
#include "cont.h"
#include "keys.h"
#include "order.h"
#include "queues.h"
#include "ring.h"
#include "state.h"

static void wsq_close_move(struct wsq_work *work)
{
	if (wsq_cancel_work(work))
		WARN_ON_ONCE(!wsq_queue_work(wsq_closing_queue(), work));
}

static void wsq_close_reqs(struct wsq_ring *ring)
{
	u32 i;

	for (i = 0; i < ring->sizes.cq_entries; i++) {
		struct wsq_req *req = &ring->reqs[i];

		if (wsq_req_state(req) == WSQ_REQ_FREE)
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

	/* From here on, the requests that the poller has taken are visible. */
	mutex_lock(&ring->lock);
	mutex_unlock(&ring->lock);
	wsq_keys_close(ring, wsq_closing_queue());
	wsq_close_reqs(ring);
	wsq_close_move(&ring->release_work);
	wsq_close_move(&ring->futures.work);
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
	/* No ENTER changes these any more; a poller may still take entries. */
	if (!ring->poller &&
	    ring->sq_head == (u64)atomic64_read(&ring->completed) &&
	    !wsq_order_releasing(ring))
		return;
	percpu_ref_get(&ring->refs);
	wsq_rings_queue_rcu(&ring->close_work);
}
