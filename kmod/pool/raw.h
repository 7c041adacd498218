/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Containers of raw pools: pointers that have no link.
 */
#ifndef _WSQ_POOL_RAW_H
#define _WSQ_POOL_RAW_H

#include "../engine/engine.h"

int wsq_raw_push(struct wsq_container *ct, void *task);
void *wsq_raw_get_slow(struct wsq_container *ct);
bool wsq_raw_quiet(struct wsq_container *ct, u64 *lent);
void *wsq_raw_foster_get(struct wsq_container *ct);
void *wsq_raw_rob(struct wsq_container *victim, struct wsq_container *me);

/**
 * wsq_raw_put() - put a task through the engine
 * @ct: container of this CPU
 * @task: the task
 *
 * Context: any, on the container's CPU with preemption off.
 * Return: %WSQ_OK, %WSQ_OPENED, %WSQ_FULL; %WSQ_CONFLICT if the caller
 * interrupted a put.
 */
static inline int wsq_raw_put(struct wsq_container *ct, void *task)
{
	int ret;

	if (!wsq_put_begin(ct))
		return WSQ_CONFLICT;
	ret = wsq_engine_put(ct, task);
	wsq_put_end(ct);
	return ret;
}

/**
 * wsq_raw_get() - take a task, in the order of the engine
 * @ct: container of this CPU
 *
 * Context: any but NMI, on the container's CPU with preemption off.
 * Return: the task; %NULL if there is none, or if the caller interrupted a
 * take.
 */
static inline void *wsq_raw_get(struct wsq_container *ct)
{
	void *task = NULL;

	if (!wsq_get_begin(ct))
		return NULL;
	if (likely(++ct->turns < WSQ_ENTRY_TURN))
		task = wsq_engine_get(ct);
	if (unlikely(!task))
		task = wsq_raw_get_slow(ct);
	wsq_get_end(ct);
	return task;
}

#endif /* _WSQ_POOL_RAW_H */
