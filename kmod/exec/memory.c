// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for engines that are busy, back from those that are idle, and the end
 * of spare workers.
 *
 * A container whose worker took many items from its entrances asks for memory;
 * housekeeping allocates it, and the worker mounts it when it next serves the
 * queue. While any engine has memory that it need not keep, housekeeping looks
 * every two seconds which have not been used for as long, and has their workers
 * give it back. When none is left, nothing runs.
 *
 * What a queue costs: Documentation/core-api.rst, "Memory".
 */
#include <linux/jiffies.h>
#include <linux/mm.h>

#include "../engine/engine.h"
#include "../pool/grow.h"
#include "exec.h"

/* Items through the entrances before an engine is worth its memory. */
#define WSQ_WANT_AFTER		64

#define WSQ_IDLE_JIFFIES	(2 * HZ)

static void wsq_memory_offer(struct work_struct *work);
static void wsq_memory_collect(struct work_struct *work);

static DECLARE_WORK(wsq_memory_offer_work, wsq_memory_offer);
/* Not deferrable: its timer would wait for as long as its CPU sleeps. */
static DECLARE_DELAYED_WORK(wsq_memory_collect_work, wsq_memory_collect);

/**
 * wsq_memory_later() - have housekeeping look in a while what has been idle
 *
 * Context: any but NMI.
 */
void wsq_memory_later(void)
{
	queue_delayed_work(wsq_housekeeping, &wsq_memory_collect_work,
			   WSQ_IDLE_JIFFIES);
}

/**
 * wsq_memory_serve() - a container's memory may have to come or go
 * @ct: the container
 *
 * Context: a worker of its CPU, with preemption off.
 */
void wsq_memory_serve(struct wsq_container *ct)
{
	if (READ_ONCE(ct->give_back)) {
		WRITE_ONCE(ct->give_back, false);
		wsq_engine_give_back(ct);
		return;
	}
	if (ct->engine)
		return;
	if (wsq_engine_accept(ct)) {
		/* Housekeeping may have looked between offer and mount. */
		wsq_memory_later();
		return;
	}
	if (ct->entered < WSQ_WANT_AFTER || READ_ONCE(ct->wanted))
		return;
	WRITE_ONCE(ct->wanted, true);
	queue_work(wsq_housekeeping, &wsq_memory_offer_work);
}

static int wsq_memory_node(unsigned int cpu)
{
	return node_online(cpu_to_node(cpu)) ? cpu_to_node(cpu) : NUMA_NO_NODE;
}

/* Allocate for all who have asked. */
static void wsq_memory_offer(struct work_struct *work)
{
	unsigned long id;
	unsigned int cpu;
	struct wsq *q;

	mutex_lock(&wsq_queues_lock);
	xa_for_each(&wsq_queues, id, q) {
		for_each_possible_cpu(cpu) {
			struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);
			struct wsq_engine *engine;

			if (!ct || !READ_ONCE(ct->wanted))
				continue;
			/* Asked again before it saw the last offer. */
			if (READ_ONCE(ct->engine) || READ_ONCE(ct->offered)) {
				WRITE_ONCE(ct->wanted, false);
				continue;
			}
			engine = wsq_engine_create(ct, wsq_memory_node(cpu));
			/* Without, entrances must do; it will ask again. */
			wsq_engine_offer(ct, engine);
		}
	}
	mutex_unlock(&wsq_queues_lock);
	wsq_memory_later();
}

/* Has nothing been put here since we last looked? */
static bool wsq_memory_idle(struct wsq_container *ct)
{
	unsigned int phase;
	u64 cnt = 0;
	bool idle;

	for (phase = 0; phase < WSQ_PHASES; phase++)
		cnt += READ_ONCE(ct->put_cnt[phase]) +
		       atomic64_read(&ct->in_cnt[phase]);
	idle = cnt == ct->idle_cnt;
	ct->idle_cnt = cnt;
	return idle;
}

/* See to one queue. True if there is more to do later. */
static bool wsq_memory_visit(struct wsq *q)
{
	unsigned int cpu;
	bool more = false;

	for_each_possible_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);

		if (!ct || !(READ_ONCE(ct->engine) || READ_ONCE(ct->offered) ||
			     wsq_grow_pending(ct)))
			continue;
		more = true;
		if (!wsq_memory_idle(ct))
			continue;
		/* Nobody came to mount it. */
		kvfree(xchg(&ct->offered, NULL));	/* OF(drop:A) */
		wsq_grow_drop(ct);
		preempt_disable();
		if (wsq_foster_begin(ct)) {
			/* Nobody's: nobody else is producer or consumer. */
			wsq_engine_give_back(ct);
			wsq_foster_end(ct);
		} else {
			WRITE_ONCE(ct->give_back, true);	/* MM(give:A) */
			/* Seen by the worker that this wakes. */
			smp_mb();			/* MM(give:B) */
			wsq_ready_mark(wsq_cpus[cpu], q->pool.id);
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
	more |= wsq_workers_thin();
	if (more)
		wsq_memory_later();
}

/**
 * wsq_memory_exit() - after the last queue was destroyed, and when nobody makes
 * spare workers any more
 *
 * Context: module unload.
 */
void wsq_memory_exit(void)
{
	cancel_work_sync(&wsq_memory_offer_work);
	cancel_delayed_work_sync(&wsq_memory_collect_work);
}
