// SPDX-License-Identifier: GPL-2.0
/*
 * CANCEL: requests are called back.
 *
 * Under the ring's lock no request is used anew, so that ids, and what their
 * entries say, stand still; states change.
 *
 * Cost: a look at each request of the ring, unless it is called back by its id.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/nospec.h>
#include <linux/sched.h>

#include "../compat/export.h"
#include "ring.h"

/*
 * Of one that is QUEUED in a bundle, whose worker asks no request's state before it
 * begins with the first: if it had not by then, it will see what is told here.
 */
static void wsq_cancel_bundled(struct wsq_req *req, struct wsq_cancel *c)
{
	WRITE_ONCE(req->told, true);
	smp_mb();					/* CB(cancel:B) */
	/* Once so, it stays so, whatever its state says then. */
	if (atomic_read(&req->state) == WSQ_REQ_QUEUED)
		req->recalled = true;
	if (req->recalled)
		c->cancelled++;
	else
		c->running++;
}

/*
 * A request that was QUEUED is CANCELLED: end it now if it is in the queue, or
 * in the list of long tasks that do not begin yet (cont.c). A request with a
 * key ends when the key's turn comes.
 */
static void wsq_cancel_queued(struct wsq_req *req, struct list_head *out)
{
	if (!req->key && wsq_cancel_work(&req->work)) {
		list_add_tail(&req->held, out);
	} else if (wsq_cont_forget(req)) {
		if (req->key)
			wsq_key_resume(req);
		else
			list_add_tail(&req->held, out);
	}
}

/*
 * Of one request that is meant. One that the queue gives back is ours to end: on the
 * list @out, for others that are meant may be linked behind it, and end with it.
 */
static void wsq_cancel_one(struct wsq_req *req, struct wsq_cancel *c,
			   struct list_head *out)
{
	lockdep_assert_held(&req->ring->lock);
	for (;;) {
		int state = atomic_read(&req->state);

		switch (state) {
		case WSQ_REQ_FREE:
			return;
		case WSQ_REQ_RUNNING:
			if (req->recalled) {
				c->cancelled++;
				return;
			}
			WRITE_ONCE(req->told, true);
			c->running++;
			return;
		case WSQ_REQ_CANCELLED:
			c->cancelled++;
			return;
		case WSQ_REQ_WAITING:
			/* It would not run anyway, and says why when it may. */
			if (req->refused)
				return;
			break;
		case WSQ_REQ_QUEUED:
			if (req->bundled) {
				wsq_cancel_bundled(req, c);
				return;
			}
			break;
		}
		/* CA(cancel:A) */
		if (atomic_cmpxchg(&req->state, state, WSQ_REQ_CANCELLED) != state)
			continue;
		c->cancelled++;
		/*
		 * It may not be in the queue, because it waits, perhaps for its
		 * key's turn, or because a worker has it. Then its owner sees
		 * the new state. So does a context that is about to queue it,
		 * and that this cancel may keep from doing so.
		 */
		if (state == WSQ_REQ_QUEUED)
			wsq_cancel_queued(req, out);
		return;
	}
}

static bool wsq_cancel_means(const struct wsq_cancel *c,
			     const struct wsq_req *req)
{
	return c->flags == WSQ_CANCEL_ALL || req->sqe.user_data == c->what;
}

static void wsq_cancel_many(struct wsq_ring *ring, struct wsq_cancel *c,
			    struct list_head *out)
{
	u32 i;

	for (i = 0; i < ring->sizes.cq_entries; i++) {
		struct wsq_req *req = &ring->reqs[i];

		if (atomic_read(&req->state) != WSQ_REQ_FREE &&
		    wsq_cancel_means(c, req))
			wsq_cancel_one(req, c, out);
		cond_resched();
	}
}

static void wsq_cancel_id(struct wsq_ring *ring, struct wsq_cancel *c,
			  struct list_head *out)
{
	u32 index = c->what & (BIT(WSQ_ID_BITS) - 1);
	struct wsq_req *req;

	if (index >= ring->sizes.cq_entries)
		return;
	req = &ring->reqs[array_index_nospec(index, ring->sizes.cq_entries)];
	if (wsq_req_id(req) == c->what)
		wsq_cancel_one(req, c, out);
}

/**
 * wsq_ring_cancel() - call requests back
 * @ring: a live ring
 * @c: which; and how many there were
 *
 * Context: ioctl; the caller holds the file, so the ring is not dead.
 * Return: 0 or -errno as the user ABI has it.
 */
int wsq_ring_cancel(struct wsq_ring *ring, struct wsq_cancel *c)
{
	struct wsq_req *req;
	LIST_HEAD(out);

	c->cancelled = 0;
	c->running = 0;
	switch (c->flags) {
	case WSQ_CANCEL_ALL:
		if (c->what)
			return -EINVAL;
		break;
	case WSQ_CANCEL_ID:
	case WSQ_CANCEL_USER_DATA:
		break;
	default:
		return -EINVAL;
	}
	if (mutex_lock_killable(&ring->lock))
		return -EINTR;
	if (c->flags == WSQ_CANCEL_ID)
		wsq_cancel_id(ring, c, &out);
	else
		wsq_cancel_many(ring, c, &out);
	while ((req = list_first_entry_or_null(&out, struct wsq_req, held))) {
		list_del(&req->held);
		wsq_req_end(req, -ECANCELED, 0);
	}
	mutex_unlock(&ring->lock);
	if (c->cancelled)
		return 0;
	return c->running ? -EALREADY : -ENOENT;
}
WSQ_EXPORT_KUNIT(wsq_ring_cancel);
