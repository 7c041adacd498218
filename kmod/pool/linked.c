// SPDX-License-Identifier: GPL-2.0
/*
 * Containers of queues, the parts outside the fast path: entrances, batches,
 * stealing, and items that are wanted back.
 */
#include "../compat/export.h"
#include "grow.h"
#include "linked.h"

/* Items moved from an entrance to the engine in one go, interrupts off. */
#define WSQ_REFILL_BUDGET	32

/**
 * wsq_linked_push() - put an item through an entrance
 * @ct: any container
 * @link: the item's link
 * @phase: flush phase of the item
 * @bound: it shall run on the container's CPU
 * @count: count it as put
 *
 * Context: any, NMI included.
 * Ordering: full barrier.
 */
void wsq_linked_push(struct wsq_container *ct, struct wsq_link *link,
		     unsigned int phase, bool bound, bool count)
{
	struct wsq_entry *e = bound ? &ct->bound : &ct->open;
	int ret;

	if (count)
		atomic64_inc(&ct->in_cnt[phase]);
	WRITE_ONCE(link->where, ct->where | WSQ_IN_INBOX |
		   (u64)phase << WSQ_WHERE_PHASE_SHIFT |
		   (u64)bound << WSQ_WHERE_BOUND_SHIFT);
	do {
		ret = wsq_inbox_try_push(&e->inbox, &link->next);
	} while (ret == WSQ_CONFLICT);
}
WSQ_EXPORT_KUNIT(wsq_linked_push);

/**
 * wsq_linked_put_many() - put several items through the engine
 * @ct: container of this CPU
 * @links: the items' links
 * @nr: how many
 * @phase: flush phase of the items
 * @opened: set to true if a block was begun, otherwise left alone
 *
 * Context: as wsq_linked_put().
 * Return: how many were put and counted, from the front.
 */
unsigned int wsq_linked_put_many(struct wsq_container *ct,
				 struct wsq_link *const *links,
				 unsigned int nr, unsigned int phase,
				 bool *opened)
{
	unsigned int done;

	if (!wsq_put_begin(ct))
		return 0;
	done = wsq_engine_put_links(ct, links, nr, phase, opened);
	wsq_put_end(ct);
	return done;
}

/* Move items from the entrance, in order, to where taking them is cheap. */
static void wsq_linked_refill(struct wsq_container *ct)
{
	unsigned int budget = WSQ_REFILL_BUDGET;
	struct wsq_entry *e = &ct->open;
	unsigned long flags;

	if (!ct->engine || list_empty(&e->list))
		return;
	raw_spin_lock_irqsave(&e->lock, flags);
	while (budget-- && !list_empty(&e->list)) {
		struct wsq_link *link = list_first_entry(&e->list,
							 struct wsq_link, list);
		u64 where = link->where;
		int ret;

		list_del(&link->list);
		/* Full, or this interrupted a put: try again later. */
		ret = wsq_linked_put(ct, link, wsq_where_phase(where), false);
		if (ret < 0) {
			list_add(&link->list, &e->list);
			break;
		}
		WRITE_ONCE(e->taken, e->taken + 1);
		/* The claim that this is a part of tells: wsq_engine_opened(). */
		if (ret == WSQ_OPENED)
			ct->opened = true;
	}
	raw_spin_unlock_irqrestore(&e->lock, flags);
}

/* Take an item from an inbox: 1, 0 if there is none, %WSQ_CONFLICT. */
static int wsq_linked_take(struct wsq_entry *e, void **task)
{
	return wsq_entry_idle(e) ? 0 : wsq_entry_take(e, task, 1, false);
}

/**
 * wsq_linked_claim_slow() - take an item from an inbox
 * @ct: container of this CPU, with @get_busy set by the caller
 *
 * Called when the engine has nothing, and for one take of WSQ_ENTRY_TURN when
 * it has. While both inboxes have items they take turns. So the first item of
 * an inbox waits for 2 * WSQ_ENTRY_TURN takes at most, and each item in front
 * of it adds as many. This holds whatever is queued meanwhile, bound items that
 * queue themselves again included.
 *
 * Context: as wsq_linked_claim().
 * Return: as wsq_linked_claim().
 */
void *wsq_linked_claim_slow(struct wsq_container *ct)
{
	void *task = NULL;
	bool again = false;
	unsigned int i;
	int ret;

	ct->turns = 0;
	/* If all items come through inboxes, no put attaches the memory. */
	if (wsq_grow_offered(ct) && ct->engine && wsq_put_begin(ct)) {
		wsq_engine_extend(ct);
		wsq_put_end(ct);
	}
	for (i = 0; i < 2; i++) {
		bool open = ct->open_next;

		ct->open_next = !open;
		ret = wsq_linked_take(open ? &ct->open : &ct->bound, &task);
		again |= ret == WSQ_CONFLICT;
		if (!task)
			continue;
		if (open) {
			ct->entered++;
			wsq_linked_refill(ct);
		}
		return task;
	}
	task = wsq_engine_claim(ct);
	return !task && again ? WSQ_AGAIN : task;
}

/**
 * wsq_linked_steal() - rob another CPU's container
 * @ct: the victim
 * @me: container of this CPU, %NULL if it has none
 * @tasks: where to store what is taken
 * @max: how many at most
 * @pry: also take what only a consumer that is held up would get to
 * @bound: also take what is bound to that CPU, which runs nothing any more
 *
 * Context: task, with preemption off.
 * Return: how many were taken; 0 if items wait in an entrance that are not in
 * order yet, or that somebody else is at, or if the engine has some behind those
 * that were withdrawn: look again; a negative enum wsq_status.
 */
int wsq_linked_steal(struct wsq_container *ct, struct wsq_container *me,
		     void **tasks, unsigned int max, bool pry, bool bound)
{
	int ret = wsq_engine_steal_claim(ct, me, tasks, max);
	bool again = false;

	if (ret > 0)
		return ret;
	if (wsq_entry_any(&ct->open)) {
		int n = wsq_entry_take(&ct->open, tasks, max, true);

		if (n > 0)
			return n;
		again = n == WSQ_CONFLICT;
	}
	if (bound && wsq_entry_any(&ct->bound)) {
		int n = wsq_entry_take(&ct->bound, tasks, max, true);

		if (n > 0)
			return n;
		again |= n == WSQ_CONFLICT;
	}
	if (pry) {
		int n = wsq_engine_pry(ct, tasks, max);

		if (n > 0)
			return n;
	}
	/* Others were faster, or all tries went into what had been taken out. */
	return again || ret == WSQ_CONFLICT ? 0 : ret;
}

/**
 * wsq_linked_withdraw() - take one item out
 * @ct: the container that @where names
 * @link: the item's link
 * @where: what @link->where was
 *
 * Context: any but NMI; RCU read side or preemption off since before
 * @link->where was read.
 * Return: true if the item is in the caller's hand now. False: look where it
 * is, and try again.
 */
bool wsq_linked_withdraw(struct wsq_container *ct, struct wsq_link *link,
			 u64 where)
{
	switch (wsq_where_kind(where)) {
	case WSQ_IN_SLOT:
		if (!wsq_engine_withdraw(ct, wsq_where_slot(where), link))
			return false;
		WRITE_ONCE(link->where, wsq_where_in_hand(READ_ONCE(link->where)));
		return true;
	case WSQ_IN_INBOX:
	case WSQ_IN_LIST:
		return wsq_entry_withdraw(wsq_where_bound(where) ? &ct->bound :
					  &ct->open, link, where);
	default:
		return false;
	}
}

/**
 * wsq_linked_idle() - does the owner have nothing to do here
 * @ct: the container
 *
 * Context: the consumer.
 * Return: true if engine and entrances are empty.
 */
bool wsq_linked_idle(struct wsq_container *ct)
{
	return wsq_engine_empty(ct) && wsq_entry_idle(&ct->open) &&
	       wsq_entry_idle(&ct->bound);
}
WSQ_EXPORT_KUNIT(wsq_linked_idle);

/**
 * wsq_linked_waiting() - does anything wait here, as other CPUs see it
 * @ct: the container
 *
 * Context: any, with preemption off.
 * Return: true if so, or if another context is taking from an inbox at this
 * moment, because it may leave items there. For the engine a hint, which is
 * right once no context changes the container any more.
 */
bool wsq_linked_waiting(const struct wsq_container *ct)
{
	return wsq_engine_waiting(ct) || !wsq_entry_idle(&ct->open) ||
	       !wsq_entry_idle(&ct->bound);
}

/**
 * wsq_linked_stealable() - does anything wait here that other CPUs may take
 * @ct: the container
 *
 * Context: any, with preemption off.
 * Return: a hint. What is bound to the container's CPU does not count.
 */
bool wsq_linked_stealable(const struct wsq_container *ct)
{
	return wsq_engine_waiting(ct) || wsq_entry_any(&ct->open);
}
