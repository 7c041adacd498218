// SPDX-License-Identifier: GPL-2.0
/*
 * The CANCEL ioctl.
 *
 * Under the ring's lock no request is reused, so ids and entries do not change;
 * states do.
 *
 * Cost: a look at each request of the ring, unless it is cancelled by id.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/nospec.h>
#include <linux/sched.h>

#include "../compat/export.h"
#include "cancel.h"
#include "cont.h"
#include "keys.h"
#include "request.h"
#include "ring.h"
#include "state.h"

/*
 * Cancel a request that is QUEUED in a batch. The worker marks all requests
 * RUNNING before it looks at @stop_asked of the first. If it had not done so
 * when the state is read here, it will see @stop_asked.
 */
static void wsq_cancel_batched(struct wsq_req *req, struct wsq_cancel *c)
{
	WRITE_ONCE(req->stop_asked, true);
	smp_mb();					/* CB(cancel:B) */
	/* Later calls must give the same answer, whatever the state. */
	if (wsq_req_state(req) == WSQ_REQ_QUEUED)
		req->recalled = true;
	if (req->recalled)
		c->cancelled++;
	else
		c->running++;
}

/*
 * A request that was QUEUED is CANCELLED: end it now if it is in the queue, or
 * in the list of long tasks that do not begin yet (cont.c). A request with a
 * key ends when its serial reaches it.
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
 * Cancel one request. If it was removed from the queue, this context ends it:
 * it goes to @out first, because requests linked behind it may match as well.
 */
static void wsq_cancel_one(struct wsq_req *req, struct wsq_cancel *c,
			   struct list_head *out)
{
	lockdep_assert_held(&req->ring->lock);
	for (;;) {
		enum wsq_req_state state = wsq_req_state(req);

		switch (state) {
		case WSQ_REQ_FREE:
			return;
		case WSQ_REQ_RUNNING:
			if (req->recalled) {
				c->cancelled++;
				return;
			}
			WRITE_ONCE(req->stop_asked, true);
			c->running++;
			return;
		case WSQ_REQ_CANCELLED:
			c->cancelled++;
			return;
		case WSQ_REQ_WAITING:
			/* It will not run: it ends with its own error. */
			if (req->refused)
				return;
			break;
		case WSQ_REQ_QUEUED:
			if (req->batched) {
				wsq_cancel_batched(req, c);
				return;
			}
			break;
		}
		if (!wsq_req_cancel(req, state))
			continue;
		c->cancelled++;
		/*
		 * It may not be in the queue: it may wait, perhaps for its key,
		 * or a worker may own it. Then its owner sees the new state. So
		 * does a context that is about to queue it and whose put fails
		 * because wsq_cancel_work() owns the item.
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

		if (wsq_req_state(req) != WSQ_REQ_FREE &&
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
 * wsq_ring_cancel() - cancel requests
 * @ring: a live ring
 * @c: which ones; filled in with their numbers
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
		cond_resched();
	}
	mutex_unlock(&ring->lock);
	if (c->cancelled)
		return 0;
	return c->running ? -EALREADY : -ENOENT;
}
WSQ_EXPORT_KUNIT(wsq_ring_cancel);
