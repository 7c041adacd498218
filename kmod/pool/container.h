/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Container: what one CPU owns of a pool. An engine's structure, an inbox for
 * everybody who may not use the engine's producer side, and counters.
 *
 * Roles, all with preemption off:
 *
 *	producer	whoever runs on the container's CPU and found
 *			@put_busy clear. One flag serves task, softirq, hardirq
 *			and NMI level, because on one CPU contexts nest: who
 *			interrupts a put sees the flag and goes to the inbox, who
 *			interrupts anything else is through before that goes on.
 *	consumer	likewise with @get_busy. Producer and consumer nest in
 *			any order (figure "operation against operation" of
 *			kmod/core/bwos_fifo.h).
 *	thief		anybody, anywhere.
 *
 * A CPU that died leaves an orphan: @orphan becomes a lock under which anybody
 * is its consumer, until the CPU is back.
 */
#ifndef _WSQ_POOL_CONTAINER_H
#define _WSQ_POOL_CONTAINER_H

#include <linux/cache.h>
#include <linux/compiler.h>

#include "../core/bwos_fifo.h"
#include "../core/inbox.h"

struct wsq_container;
struct wsq_pool;

/* Blocks beyond those of the directory, for thieves that stopped midway. */
#define WSQ_SPARE_BLOCKS	2

/* Links with which tasks that have none of their own pass an inbox. */
#define WSQ_RAW_LINKS		64

/* Links put in order in one go with preemption off. */
#define WSQ_TURN_BUDGET		64

/* Tasks moved from backlog to engine in one go with preemption off. */
#define WSQ_REFILL_BUDGET	64

/* The backlog gets its turn after so many takes at the latest. */
#define WSQ_BACKLOG_TURN	64

#define WSQ_PHASES		2

/* wsq_container_get(): work is there, but not in order yet; call again. */
#define WSQ_AGAIN		((void *)-1L)

/**
 * enum wsq_orphan - whose a container is
 * @WSQ_OWNED: its CPU's
 * @WSQ_ORPHAN: nobody's
 * @WSQ_FOSTERED: of whoever changed it from %WSQ_ORPHAN, for a moment
 */
enum wsq_orphan {
	WSQ_OWNED,
	WSQ_ORPHAN,
	WSQ_FOSTERED,
};

/**
 * struct wsq_raw_link - link of a task that has none
 * @link: place in the inbox
 * @task: the task
 * @home: the container that lent the link
 */
struct wsq_raw_link {
	atomic64_t link;
	void *task;
	struct wsq_container *home;
};

/**
 * struct wsq_container - one CPU's part of a pool
 * @pool: the pool. Constant.
 * @cpu: the CPU. Constant.
 * @raw: @raw_links, %NULL if tasks have links of their own. Constant.
 * @put_busy: a put is under way. Own CPU.
 * @get_busy: a take is under way. Own CPU.
 * @turns: takes since the backlog had its turn. Consumer.
 * @backlog: taken from an inbox, waiting for room. Consumer.
 * @put_cnt: tasks put through the engine, by phase. Producer; anybody reads.
 * @done_cnt: tasks that this CPU's worker has run, by phase. Worker; anybody
 *	reads.
 * @in_cnt: tasks put through the inbox, by phase. Anybody.
 * @far_cnt: tasks run by a worker that lost its CPU meanwhile, by phase.
 *	Anybody.
 * @inbox: the inbox. Anybody.
 * @raw_used: bit i is set while @raw[i] is lent. Anybody.
 * @orphan: enum wsq_orphan. Hotplug callbacks; foster consumers.
 * @fifo: the engine.
 */
struct wsq_container {
	struct wsq_pool *pool;
	struct wsq_raw_link *raw;
	u32 cpu;

	u8 put_busy ____cacheline_aligned;
	u8 get_busy;
	u32 turns;
	struct wsq_backlog backlog;
	u64 put_cnt[WSQ_PHASES];
	u64 done_cnt[WSQ_PHASES];

	struct wsq_inbox inbox ____cacheline_aligned;
	atomic64_t in_cnt[WSQ_PHASES];
	atomic64_t far_cnt[WSQ_PHASES];
	atomic64_t raw_used;
	atomic_t orphan;

	struct wsq_bwos_fifo fifo;
};

struct wsq_container *wsq_container_create(struct wsq_pool *pool,
					   unsigned int cpu, int node,
					   u32 blocks, u32 block_size,
					   bool raw);
void wsq_container_destroy(struct wsq_container *ct);
size_t wsq_container_bytes(u32 blocks, u32 block_size, bool raw);

int wsq_container_push_link(struct wsq_container *ct, atomic64_t *link,
			    unsigned int phase);
int wsq_container_push_raw(struct wsq_container *ct, void *task);
void *wsq_container_get_slow(struct wsq_container *ct);
void *wsq_container_foster_get(struct wsq_container *ct);
int wsq_container_steal(struct wsq_container *ct, void **tasks, u32 max);
void *wsq_container_rob_inbox(struct wsq_container *victim,
			      struct wsq_container *me);
bool wsq_container_idle(const struct wsq_container *ct);
void wsq_container_orphan(struct wsq_container *ct);
void wsq_container_reclaim(struct wsq_container *ct);

/*
 * Take and leave the roles. What a role does stays between the two for the
 * compiler, and for this CPU it is in order anyway.
 */
static inline bool wsq_put_begin(struct wsq_container *ct)
{
	if (unlikely(READ_ONCE(ct->put_busy)))
		return false;
	WRITE_ONCE(ct->put_busy, 1);
	barrier();
	return true;
}

static inline void wsq_put_end(struct wsq_container *ct)
{
	barrier();
	WRITE_ONCE(ct->put_busy, 0);
}

static inline bool wsq_get_begin(struct wsq_container *ct)
{
	if (unlikely(READ_ONCE(ct->get_busy)))
		return false;
	WRITE_ONCE(ct->get_busy, 1);
	barrier();
	return true;
}

static inline void wsq_get_end(struct wsq_container *ct)
{
	barrier();
	WRITE_ONCE(ct->get_busy, 0);
}

/**
 * wsq_container_put() - put a task through the engine
 * @ct: container of this CPU
 * @task: the task
 *
 * Context: any, on the container's CPU with preemption off.
 * Return: %WSQ_OK, %WSQ_OPENED, %WSQ_FULL; %WSQ_CONFLICT if the caller
 * interrupted a put.
 */
static inline int wsq_container_put(struct wsq_container *ct, void *task)
{
	int ret;

	if (!wsq_put_begin(ct))
		return WSQ_CONFLICT;
	ret = wsq_bwos_fifo_put(&ct->fifo, task);
	wsq_put_end(ct);
	return ret;
}

/**
 * wsq_container_put_counted() - put a task and count it
 * @ct: container of this CPU
 * @task: the task
 * @phase: which counter to count it in
 *
 * Counted before it is published, so that the count of tasks run never exceeds
 * that of tasks put. A task that found the container full stays counted: push
 * its link with phase %WSQ_PHASES.
 *
 * Context: as wsq_container_put().
 * Return: as wsq_container_put(); not counted on %WSQ_CONFLICT.
 */
static inline int wsq_container_put_counted(struct wsq_container *ct,
					    void *task, unsigned int phase)
{
	int ret;

	if (!wsq_put_begin(ct))
		return WSQ_CONFLICT;
	WRITE_ONCE(ct->put_cnt[phase], ct->put_cnt[phase] + 1);
	ret = wsq_bwos_fifo_put(&ct->fifo, task);
	wsq_put_end(ct);
	return ret;
}

/**
 * wsq_container_get() - take a task, oldest first
 * @ct: container of this CPU
 *
 * Context: any but NMI, on the container's CPU with preemption off.
 * Return: the task; %NULL if there is none, or if the caller interrupted a
 * take; %WSQ_AGAIN if tasks are there but could not be put in order within the
 * budget.
 */
static inline void *wsq_container_get(struct wsq_container *ct)
{
	void *task = NULL;

	if (!wsq_get_begin(ct))
		return NULL;
	if (likely(++ct->turns < WSQ_BACKLOG_TURN))
		task = wsq_bwos_fifo_get(&ct->fifo);
	if (unlikely(!task))
		task = wsq_container_get_slow(ct);
	wsq_get_end(ct);
	return task;
}

#endif /* _WSQ_POOL_CONTAINER_H */
