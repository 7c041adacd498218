/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Containers of queues: items that have a struct wsq_link at their front and
 * can be withdrawn.
 */
#ifndef _WSQ_POOL_LINKED_H
#define _WSQ_POOL_LINKED_H

#include "../engine/engine.h"

void wsq_linked_push(struct wsq_container *ct, struct wsq_link *link,
		     unsigned int phase, bool bound, bool count);
unsigned int wsq_linked_put_many(struct wsq_container *ct,
				 struct wsq_link *const *links,
				 unsigned int nr, unsigned int phase,
				 bool *opened);
void *wsq_linked_claim_slow(struct wsq_container *ct);
int wsq_linked_steal(struct wsq_container *ct, struct wsq_container *me,
		     void **tasks, unsigned int max, bool pry, bool bound);
bool wsq_linked_withdraw(struct wsq_container *ct, struct wsq_link *link,
			 u64 where);
bool wsq_linked_idle(struct wsq_container *ct);
bool wsq_linked_waiting(const struct wsq_container *ct);
bool wsq_linked_stealable(const struct wsq_container *ct);

/**
 * wsq_linked_put() - put an item through the engine
 * @ct: container of this CPU
 * @link: the item's link
 * @phase: flush phase of the item
 * @count: count it as put
 *
 * Counted before it is published, so that the count of items run never exceeds
 * that of items put. An item that found the container full stays counted.
 *
 * Context: any, on the container's CPU with preemption off.
 * Return: %WSQ_OK, %WSQ_OPENED, %WSQ_FULL; %WSQ_CONFLICT if the caller
 * interrupted a put, then it is not counted.
 */
static inline int wsq_linked_put(struct wsq_container *ct,
				 struct wsq_link *link, unsigned int phase,
				 bool count)
{
	int ret;

	if (!wsq_put_begin(ct))
		return WSQ_CONFLICT;
	if (count)
		WRITE_ONCE(ct->put_cnt[phase], ct->put_cnt[phase] + 1);
	ret = wsq_engine_put_link(ct, link, phase);
	wsq_put_end(ct);
	return ret;
}

/**
 * wsq_linked_claim() - take an item, in the order of the engine
 * @ct: container of this CPU, or an orphan in foster care
 *
 * Context: task, with preemption off.
 * Return: the item, in hand; %NULL if there is none, or if the caller
 * interrupted a take; %WSQ_AGAIN if items are there but not at hand.
 */
static inline void *wsq_linked_claim(struct wsq_container *ct)
{
	void *task = NULL;

	if (!wsq_get_begin(ct))
		return NULL;
	if (likely(++ct->turns < WSQ_ENTRY_TURN))
		task = wsq_engine_claim(ct);
	if (unlikely(!task))
		task = wsq_linked_claim_slow(ct);
	wsq_get_end(ct);
	return task;
}

#endif /* _WSQ_POOL_LINKED_H */
