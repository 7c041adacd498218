/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queues that keep order (%WSQ_ORDERED): one item at a time, in the order of
 * the puts, on any CPU of the queue. Internal.
 *
 * The items are in one list, whichever CPU puts them: an inbox (lane_inbox.h),
 * so any of them can be cancelled. A count says which context is the owner of
 * the list, as in core/owner_queue.h: the one that raises it from 0. It gives
 * ownership to the workers by means of a token, which waits in the lanes among
 * the items of other queues, and can be stolen. The worker that claims the
 * token runs items until none is counted, or its time slice is over. In the
 * latter case it leaves the token with itself as a deferred item (item.h), so
 * that it is put again, behind the items of other queues, when the worker
 * leaves the queue. So there is exactly one token while an item is counted.
 *
 *	put				the worker that has the token
 *	---				-----------------------------
 *	IN(push:C) item is in the list	OQ(owed:A) how many are counted?
 *	OQ(push:A) count it; the first	EN(take:A) take an item, run it
 *	puts the token			OQ(done:A) lower the count; at 0
 *					the token is no longer its own
 *
 *	An owner that sees an item counted finds it in the list, unless it was
 *	cancelled: litmus/owner_queue-owed.litmus. An owner that finds the list
 *	empty lowers the count by what it read before.
 *
 * An item is counted in a flush color like any other. The token is not: a flush
 * that waited for it would wait for items that were put later. So wsq_destroy()
 * may end while the token is in a lane, or a worker holds it. A token whose
 * queue was destroyed is not put again (wsq_put_again()).
 *
 * Cost: for other queues, one branch in puts through an inbox. For a put here,
 * three read-modify-writes beside that of the item's state, two of them on
 * lines that all CPUs write; if the list was idle, a put of the token. For an
 * item that runs, a lock of the list.
 *
 * Limitations: an item that still runs in another queue when its turn comes
 * is put again at the end of the list. The stall detector sees the token, not
 * the items behind it.
 */
#ifndef _WSQ_EXEC_ORDERED_H
#define _WSQ_EXEC_ORDERED_H

#include <linux/cache.h>
#include <linux/wsq.h>

#include "../core/owner_queue.h"
#include "lane_inbox.h"

struct wsq_lane;
struct wsq_worker;

/**
 * struct wsq_order - the list of a queue that keeps order
 * @token: the worker that has claimed it runs the items. Its pending bit is
 *	always set: see wsq_defer(). The owner.
 * @list: the items. Any context.
 * @count: items pushed, less those that the owner has done with. Any context
 *	raises it, the owner lowers it.
 */
struct wsq_order {
	struct wsq_work token;
	struct wsq_entry list ____cacheline_aligned;
	atomic64_t count;
};

int wsq_order_create(struct wsq *q);
void wsq_order_destroy(struct wsq *q);
struct wsq_work *wsq_order_put(const struct wsq *q, struct wsq_lane *lane,
			       struct wsq_work *work, unsigned int color,
			       bool count);
void wsq_order_keep(struct wsq_worker *w, struct wsq_work *token);

#endif /* _WSQ_EXEC_ORDERED_H */
