// SPDX-License-Identifier: GPL-2.0
/*
 * Links and drains: which chains are held, and which may start. request.c
 * starts them.
 *
 * A chain is a sequence of linked requests, in most cases one request. Its head
 * is queued first, each other request when the one before it ends. From the
 * first chain with a drain until that chain has ended, all chains are held. The
 * draining chain starts when as many completions have been counted as there
 * were submissions before it. Those behind it start when its own have been
 * counted, too. The count alone shows both, because no later submission can
 * complete before. For that reason refused entries are held as well.
 *
 * One context at a time releases held chains, a few at once, in order of
 * submission. Another context that calls in the meantime leaves its chains to
 * the first. A chain submitted while the drain barrier is closed is added
 * behind the held ones. So no chain overtakes another.
 *
 * Cost: without drains, a load of the drain barrier for each chain and each
 * completion; otherwise a list and a spinlock.
 */
#include <linux/list.h>
#include <linux/spinlock.h>

#include "order.h"
#include "ring.h"
#include "state.h"

/**
 * wsq_order_init() - initialise, with nothing held
 * @ring: not used yet
 *
 * Context: any.
 */
void wsq_order_init(struct wsq_ring *ring)
{
	spin_lock_init(&ring->held_lock);
	INIT_LIST_HEAD(&ring->held);
	ring->drain_at = WSQ_DRAIN_OFF;
}

/**
 * wsq_order_hold() - hold a chain, behind those that are held
 * @ring: the ring, its lock held
 * @head: the head of the chain
 *
 * Context: task, the submitter. wsq_order_claim() must follow.
 */
void wsq_order_hold(struct wsq_ring *ring, struct wsq_req *head)
{
	spin_lock(&ring->held_lock);
	list_add_tail(&head->held, &ring->held);
	/* Closed for new submissions, until a context has looked. */
	if (ring->drain_at == WSQ_DRAIN_OFF)
		WRITE_ONCE(ring->drain_at, 0);
	spin_unlock(&ring->held_lock);
}

/**
 * wsq_order_claim() - become the context that releases held chains
 * @ring: the ring; the caller has a reference
 *
 * Context: task.
 * Return: true if the caller must call wsq_order_next() until that returns
 * %NULL; false if another context does, and will look again.
 */
bool wsq_order_claim(struct wsq_ring *ring)
{
	bool mine;

	spin_lock(&ring->held_lock);
	mine = !ring->releasing;
	ring->releasing = true;
	spin_unlock(&ring->held_lock);
	return mine;
}

/* Take the next chain that may start off the list; else close the barrier. */
static struct wsq_req *wsq_held_next(struct wsq_ring *ring)
{
	/* Queueing is a full barrier, so later tasks see it: [GT]. */
	u64 count = atomic64_read(&ring->completed);
	struct wsq_req *head;
	u64 drain_at;

	head = list_first_entry_or_null(&ring->held, struct wsq_req, held);
	if (ring->barrier > count)
		drain_at = ring->barrier;
	else if (!head)
		drain_at = WSQ_DRAIN_OFF;
	else if (head->sqe.flags & WSQ_SQE_DRAIN && !head->refused &&
		 head->number > count)
		drain_at = head->number;
	else
		drain_at = 0;
	WRITE_ONCE(ring->drain_at, drain_at);
	if (drain_at)
		return NULL;
	list_del(&head->held);
	if (head->sqe.flags & WSQ_SQE_DRAIN && !head->refused)
		ring->barrier = head->number + head->chain_nr;
	return head;
}

/* May a chain start after all, so that drain_at just stored is outdated? */
static bool wsq_drain_passed(struct wsq_ring *ring)
{
	u64 drain_at = READ_ONCE(ring->drain_at);

	return drain_at != WSQ_DRAIN_OFF &&
	       atomic64_read(&ring->completed) >= drain_at;
}

/**
 * wsq_order_next() - take the next chain that may start off the list
 * @ring: the ring, claimed by wsq_order_claim()
 *
 * Context: task.
 * Return: its head; %NULL if no further chain may start: then the claim has
 * ended.
 */
struct wsq_req *wsq_order_next(struct wsq_ring *ring)
{
	struct wsq_req *head;

	spin_lock(&ring->held_lock);
	for (;;) {
		head = wsq_held_next(ring);
		if (head)
			break;
		smp_mb();				/* GT(close:B) */
		if (wsq_drain_passed(ring))
			continue;
		ring->releasing = false;
		break;
	}
	spin_unlock(&ring->held_lock);
	return head;
}

/**
 * wsq_order_releasing() - is a context releasing chains, or an item about to
 * @ring: the ring, to which nothing more is submitted
 *
 * The lock orders this after what the caller has read: a context that released
 * the last chains, before these completed, had the lock before.
 *
 * Context: task.
 * Return: true if so. If all submissions had completed before the call, and
 * this is false, release_work is not queued, and will not be.
 */
bool wsq_order_releasing(struct wsq_ring *ring)
{
	bool releasing;

	spin_lock(&ring->held_lock);
	releasing = ring->releasing;
	spin_unlock(&ring->held_lock);
	return releasing;
}
