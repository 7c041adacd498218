// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for busy engines, freed when they are idle; and the end of spare
 * workers.
 *
 * A worker that took many items from its open inbox asks for engine memory.
 * Maintenance work allocates it, and the worker attaches it when it next serves
 * the queue. While any engine has memory that it need not keep, maintenance
 * work runs every two seconds, and has the workers of engines that were unused
 * for as long give it back. When none is left, it does not run.
 *
 * What a queue costs: Documentation/core-api.rst, "Memory".
 */
#include <linux/jiffies.h>

#include "../engine/engine.h"
#include "../pool/grow.h"
#include "exec.h"

/* Items through the open inbox after which an engine is worth its memory. */
#define WSQ_WANT_AFTER		64

#define WSQ_IDLE_JIFFIES	(2 * HZ)

static void wsq_memory_offer(struct work_struct *work);
static void wsq_memory_collect(struct work_struct *work);

static DECLARE_WORK(wsq_memory_offer_work, wsq_memory_offer);
/* Not deferrable: its timer would wait while its CPU is idle. */
static DECLARE_DELAYED_WORK(wsq_memory_collect_work, wsq_memory_collect);

/**
 * wsq_memory_later() - look for idle memory in a while
 *
 * Context: any but NMI.
 */
void wsq_memory_later(void)
{
	queue_delayed_work(wsq_maintenance, &wsq_memory_collect_work,
			   WSQ_IDLE_JIFFIES);
}

/**
 * wsq_memory_serve() - attach, give back or request engine memory, if due
 * @lane: the lane
 *
 * Context: a worker of its CPU, with preemption off.
 */
void wsq_memory_serve(struct wsq_lane *lane)
{
	if (READ_ONCE(lane->give_back)) {
		WRITE_ONCE(lane->give_back, false);
		wsq_engine_give_back(&lane->ct);
		return;
	}
	/* A queue that keeps order puts nothing through an engine. */
	if (lane->ct.engine || wsq_of_pool(lane->ct.pool)->order)
		return;
	if (wsq_engine_accept(&lane->ct)) {
		lane->entered = 0;
		/* Maintenance work may have run between offer and attach. */
		wsq_memory_later();
		return;
	}
	if (lane->entered < WSQ_WANT_AFTER || READ_ONCE(lane->ct.wanted))
		return;
	WRITE_ONCE(lane->ct.wanted, true);
	queue_work(wsq_maintenance, &wsq_memory_offer_work);
}

static int wsq_memory_node(unsigned int cpu)
{
	return node_online(cpu_to_node(cpu)) ? cpu_to_node(cpu) : NUMA_NO_NODE;
}

/* Allocate for all containers that have asked. */
static void wsq_memory_offer(struct work_struct *work)
{
	unsigned long id;
	unsigned int cpu;
	struct wsq *q;

	mutex_lock(&wsq_queues_lock);
	xa_for_each(&wsq_queues, id, q) {
		for_each_possible_cpu(cpu) {
			struct wsq_lane *lane = wsq_lane_any(q, cpu);
			struct wsq_engine *engine;

			if (!lane || !READ_ONCE(lane->ct.wanted))
				continue;
			/* It asked again before it saw the last offer. */
			if (READ_ONCE(lane->ct.engine) ||
			    READ_ONCE(lane->ct.offered)) {
				WRITE_ONCE(lane->ct.wanted, false);
				continue;
			}
			engine = wsq_engine_create(&lane->ct,
						   wsq_memory_node(cpu));
			/* If NULL, inboxes must do; it will ask again. */
			wsq_engine_offer(&lane->ct, engine);
		}
		/* There may be thousands of queues. */
		cond_resched();
	}
	mutex_unlock(&wsq_queues_lock);
	wsq_memory_later();
}

/* Has nothing been put here since the last call? */
static bool wsq_memory_idle(struct wsq_lane *lane)
{
	unsigned int color;
	u64 cnt = 0;
	bool idle;

	for (color = 0; color < WSQ_FLUSH_COLORS; color++)
		cnt += READ_ONCE(lane->count[color].put) +
		       atomic64_read(&lane->in_cnt[color]);
	idle = cnt == lane->idle_cnt;
	lane->idle_cnt = cnt;
	return idle;
}

/* Free idle memory of one queue. True if any memory is left to look at. */
static bool wsq_memory_visit(struct wsq *q)
{
	unsigned int cpu;
	bool more = false;

	for_each_possible_cpu(cpu) {
		struct wsq_lane *lane = wsq_lane_any(q, cpu);

		if (!lane || !(READ_ONCE(lane->ct.engine) ||
			       READ_ONCE(lane->ct.offered) ||
			       wsq_grow_pending(&lane->ct)))
			continue;
		more = true;
		if (!wsq_memory_idle(lane))
			continue;
		/* No worker attached it. */
		/* OF(drop:A) */
		wsq_engine_destroy(xchg(&lane->ct.offered, NULL));
		wsq_grow_drop(&lane->ct);
		preempt_disable();
		if (wsq_adopt_begin(&lane->ct)) {
			/* Adopted: no other producer or consumer. */
			wsq_engine_give_back(&lane->ct);
			wsq_adopt_end(&lane->ct);
		} else {
			WRITE_ONCE(lane->give_back, true);	/* MM(give:A) */
			/* The worker that this wakes sees @give_back. */
			smp_mb();			/* MM(give:B) */
			wsq_ready_mark(wsq_cpu_of(q, cpu), q->id);
		}
		preempt_enable();
	}
	return more;
}

static void wsq_memory_collect(struct work_struct *work)
{
	unsigned long id;
	bool more = false;
	struct wsq *q;

	mutex_lock(&wsq_queues_lock);
	xa_for_each(&wsq_queues, id, q) {
		if (!q->pool.resident)
			more |= wsq_memory_visit(q);
		cond_resched();
	}
	mutex_unlock(&wsq_queues_lock);
	more |= wsq_workers_shrink();
	if (more)
		wsq_memory_later();
}

/**
 * wsq_memory_exit() - after the last queue was destroyed and the last standby
 * worker was started
 *
 * Context: module unload.
 */
void wsq_memory_exit(void)
{
	cancel_work_sync(&wsq_memory_offer_work);
	cancel_delayed_work_sync(&wsq_memory_collect_work);
}
