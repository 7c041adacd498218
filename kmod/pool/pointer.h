/* SPDX-License-Identifier: GPL-2.0 */
/* Containers of pointer pools: tasks that have no link. */
#ifndef _WSQ_POOL_POINTER_H
#define _WSQ_POOL_POINTER_H

#include "../engine/engine.h"
#include "reach.h"

int wsq_pointer_push(struct wsq_container *ct, void *task);
void *wsq_pointer_get_slow(struct wsq_container *ct);
bool wsq_pointer_quiet(struct wsq_container *ct, u64 *allocated);
void *wsq_pointer_adopt_get(struct wsq_container *ct);
void *wsq_pointer_steal(struct wsq_container *victim, struct wsq_container *me);

/*
 * A put of @ct's CPU has begun a block: set the CPU's bit. Engines that move
 * chunks do it themselves, because the chunk may be another CPU's.
 */
static inline void wsq_pointer_published(const struct wsq_container *ct)
{
	if (!wsq_engine_ops(ct->kind)->moves_chunks)
		wsq_reach_set(ct);
}

/**
 * wsq_pointer_put() - put a task through the engine
 * @ct: container of this CPU
 * @task: the task
 *
 * Context: any, on the container's CPU with preemption off.
 * Return: %WSQ_OK, %WSQ_PUBLISHED, %WSQ_FULL; %WSQ_CONFLICT if the caller
 * interrupted a put.
 */
static inline int wsq_pointer_put(struct wsq_container *ct, void *task)
{
	int ret;

	if (!wsq_put_begin(ct))
		return WSQ_CONFLICT;
	ret = wsq_engine_put(ct, task);
	wsq_put_end(ct);
	return ret;
}

/**
 * wsq_pointer_get() - take a task, in the order of the engine
 * @ct: container of this CPU
 *
 * Context: any but NMI, on the container's CPU with preemption off.
 * Return: the task; %NULL if there is none, or if the caller interrupted a
 * take.
 */
static inline void *wsq_pointer_get(struct wsq_container *ct)
{
	void *task = NULL;

	if (!wsq_get_begin(ct))
		return NULL;
	if (likely(++ct->turns < WSQ_INBOX_EVERY))
		task = wsq_engine_get(ct);
	if (unlikely(!task))
		task = wsq_pointer_get_slow(ct);
	wsq_get_end(ct);
	return task;
}

#endif /* _WSQ_POOL_POINTER_H */
