// SPDX-License-Identifier: GPL-2.0
/*
 * Lanes outside the fast path: inboxes, batches, stealing, removal of one item.
 */
#include "../compat/export.h"
#include "../pool/grow.h"
#include "exec.h"

/* Items moved from an inbox to the engine at a time, with interrupts off. */
#define WSQ_REFILL_BUDGET	32

/**
 * wsq_lane_init() - initialize what a lane has besides its container
 * @ct: the container; the rest of the lane is zeroed
 *
 * Context: task.
 */
void wsq_lane_init(struct wsq_container *ct)
{
	struct wsq_lane *lane = wsq_lane_of(ct);

	ct->tag = wsq_location_base(wsq_of_pool(ct->pool)->id, ct->cpu);
	/* As if a put were under way: each put goes to wsq_put_inbox(). */
	ct->put_busy = !!wsq_of_pool(ct->pool)->order;
	wsq_lane_inbox_init(&lane->open);
	wsq_lane_inbox_init(&lane->bound);
}

/**
 * wsq_lane_push() - put an item through an inbox
 * @lane: any lane
 * @link: the item's link
 * @color: flush color of the item
 * @bound: the item is bound to the lane's CPU
 * @count: count it as put
 *
 * Context: any, NMI included.
 * Ordering: full barrier.
 */
void wsq_lane_push(struct wsq_lane *lane, struct wsq_link *link,
		   unsigned int color, bool bound, bool count)
{
	struct wsq_entry *e = bound ? &lane->bound : &lane->open;
	int ret;

	if (count)
		atomic64_inc(&lane->in_cnt[color]);
	WRITE_ONCE(link->where, lane->ct.tag | WSQ_IN_INBOX |
		   (u64)color << WSQ_LOCATION_COLOR_SHIFT |
		   (u64)bound << WSQ_LOCATION_BOUND_SHIFT);
	do {
		ret = wsq_inbox_try_push(&e->inbox, &link->next);
	} while (ret == WSQ_CONFLICT);
}
WSQ_EXPORT_KUNIT(wsq_lane_push);

/**
 * wsq_lane_put_many() - put several items through the engine
 * @lane: lane of this CPU
 * @links: the items' links
 * @nr: number of items
 * @color: flush color of the items
 * @published: set to true if a block was begun, otherwise unchanged
 *
 * Context: as wsq_lane_put().
 * Return: number of items put and counted, from the front of @links.
 */
unsigned int wsq_lane_put_many(struct wsq_lane *lane,
			       struct wsq_link *const *links,
			       unsigned int nr, unsigned int color,
			       bool *published)
{
	unsigned int done;

	if (!wsq_put_begin(&lane->ct))
		return 0;
	done = wsq_engine_put_links(&lane->ct, links, nr,
				    wsq_location_in_slot(lane->ct.tag, color),
				    &lane->count[color].put, published);
	wsq_put_end(&lane->ct);
	return done;
}

/* Move items, in order, from the open inbox to the engine, for cheap claims. */
static void wsq_lane_refill(struct wsq_lane *lane)
{
	unsigned int budget = WSQ_REFILL_BUDGET;
	struct wsq_entry *e = &lane->open;
	unsigned long flags;

	if (!lane->ct.engine || list_empty(&e->list))
		return;
	raw_spin_lock_irqsave(&e->lock, flags);
	while (budget-- && !list_empty(&e->list)) {
		struct wsq_link *link = list_first_entry(&e->list,
							 struct wsq_link, list);
		u64 where = link->where;
		int ret;

		list_del(&link->list);
		/* Full, or the caller interrupted a put: try again later. */
		ret = wsq_lane_put(lane, link, wsq_location_color(where));
		if (ret < 0) {
			list_add(&link->list, &e->list);
			break;
		}
		WRITE_ONCE(e->taken, e->taken + 1);
		/* For wsq_engine_published(), which the claimer calls. */
		if (ret == WSQ_PUBLISHED)
			lane->ct.published = true;
	}
	raw_spin_unlock_irqrestore(&e->lock, flags);
}

/* Take an item from an inbox: 1; 0 or %WSQ_EMPTY if none; %WSQ_CONFLICT. */
static int wsq_lane_take(struct wsq_entry *e, void **task)
{
	return wsq_lane_inbox_idle(e) ? 0 : wsq_lane_inbox_take(e, task, 1, false);
}

/**
 * wsq_lane_claim_slow() - take an item from an inbox
 * @lane: lane of this CPU, with @get_busy set by the caller
 *
 * Called when the engine is empty, and otherwise for one take of
 * WSQ_INBOX_EVERY. While both inboxes have items, they alternate. So the
 * first item of an inbox waits for at most 2 * WSQ_INBOX_EVERY takes,
 * and each item in front of it adds as many. Items queued meanwhile, and bound
 * items that queue themselves again, do not change this bound.
 *
 * Context: as wsq_lane_claim().
 * Return: as wsq_lane_claim().
 */
void *wsq_lane_claim_slow(struct wsq_lane *lane)
{
	void *task = NULL;
	bool again = false;
	unsigned int i;
	int ret;

	lane->ct.turns = 0;
	/* If all items come through inboxes, no put attaches the memory. */
	if (wsq_grow_offered(&lane->ct) && lane->ct.engine &&
	    wsq_put_begin(&lane->ct)) {
		wsq_engine_extend(&lane->ct);
		wsq_put_end(&lane->ct);
	}
	for (i = 0; i < 2; i++) {
		bool open = lane->open_next;

		lane->open_next = !open;
		ret = wsq_lane_take(open ? &lane->open : &lane->bound, &task);
		again |= ret == WSQ_CONFLICT;
		if (!task)
			continue;
		if (open) {
			lane->entered++;
			wsq_lane_refill(lane);
		}
		return task;
	}
	task = wsq_engine_claim(&lane->ct);
	return !task && again ? WSQ_AGAIN : task;
}

/**
 * wsq_lane_steal() - steal from another CPU's lane
 * @lane: the victim
 * @me: lane of this CPU; %NULL if the items are not put there
 * @tasks: where to store the items
 * @max: steal at most this many
 * @steal_active: also steal from the active block
 * @bound: also steal items bound to that CPU, which has no worker any more, or
 *	none that is on it
 *
 * Context: task, with preemption off.
 * Return: number of items; a negative enum wsq_status; 0 to try again: an inbox
 * is locked or has items that are not in order yet, or the engine has items
 * behind removed ones.
 */
int wsq_lane_steal(struct wsq_lane *lane, struct wsq_lane *me, void **tasks,
		   unsigned int max, bool steal_active, bool bound)
{
	int ret = wsq_engine_steal_claim(&lane->ct, me ? &me->ct : NULL, tasks,
					 max);
	bool again = false;

	if (ret > 0)
		return ret;
	if (wsq_lane_inbox_any(&lane->open)) {
		int n = wsq_lane_inbox_take(&lane->open, tasks, max, true);

		if (n > 0)
			return n;
		again = n == WSQ_CONFLICT;
	}
	if (bound && wsq_lane_inbox_any(&lane->bound)) {
		int n = wsq_lane_inbox_take(&lane->bound, tasks, max, true);

		if (n > 0)
			return n;
		again |= n == WSQ_CONFLICT;
	}
	if (steal_active) {
		int n = wsq_engine_steal_active(&lane->ct, tasks, max);

		if (n > 0)
			return n;
	}
	/* Other thieves were faster, or every try met a removed item. */
	return again || ret == WSQ_CONFLICT ? 0 : ret;
}

/* The inbox that a location names. */
static struct wsq_entry *wsq_lane_entry(struct wsq_lane *lane, u64 where)
{
	if (unlikely(where & WSQ_LOCATION_ORDERED))
		return &wsq_of_pool(lane->ct.pool)->order->list;
	return wsq_location_bound(where) ? &lane->bound : &lane->open;
}

/**
 * wsq_lane_remove() - remove one item
 * @lane: the lane that @where names
 * @link: the item's link
 * @where: what @link->where was
 *
 * Context: any but NMI; RCU read side or preemption off since before
 * @link->where was read.
 * Return: true if the caller owns the item now. False: read @link->where again
 * and retry.
 */
bool wsq_lane_remove(struct wsq_lane *lane, struct wsq_link *link, u64 where)
{
	switch (wsq_location_kind(where)) {
	case WSQ_IN_SLOT:
		if (!wsq_engine_remove(&lane->ct, wsq_location_slot(where), link))
			return false;
		WRITE_ONCE(link->where, wsq_location_owned(READ_ONCE(link->where)));
		return true;
	case WSQ_IN_INBOX:
	case WSQ_IN_LIST:
		return wsq_lane_inbox_remove(wsq_lane_entry(lane, where), link,
					     where);
	default:
		return false;
	}
}

/**
 * wsq_lane_idle() - is a lane empty
 * @lane: the lane
 *
 * Context: the consumer.
 * Return: true if engine and inboxes are empty.
 */
bool wsq_lane_idle(struct wsq_lane *lane)
{
	return wsq_engine_empty(&lane->ct) && wsq_lane_inbox_idle(&lane->open) &&
	       wsq_lane_inbox_idle(&lane->bound);
}
WSQ_EXPORT_KUNIT(wsq_lane_idle);

/**
 * wsq_lane_waiting() - does a lane have items, as other CPUs see it
 * @lane: the lane
 *
 * Context: any, with preemption off.
 * Return: true if so, or if another context is taking from an inbox at this
 * moment, because it may leave items there. What is in the engine is a hint,
 * which is right once no context changes the lane any more.
 */
bool wsq_lane_waiting(const struct wsq_lane *lane)
{
	return wsq_engine_waiting(&lane->ct) || !wsq_lane_inbox_idle(&lane->open) ||
	       !wsq_lane_inbox_idle(&lane->bound);
}

/**
 * wsq_lane_stealable() - does a lane have items that other CPUs may take
 * @lane: the lane
 *
 * Context: any, with preemption off.
 * Return: a hint. Items bound to the lane's CPU do not count.
 */
bool wsq_lane_stealable(const struct wsq_lane *lane)
{
	return wsq_engine_waiting(&lane->ct) || wsq_lane_inbox_any(&lane->open);
}
