// SPDX-License-Identifier: GPL-2.0
/*
 * What a worker does that has run dry: look at other CPUs, the nearest first,
 * and bring something home. A CPU that has nothing costs one load.
 */
#include "exec.h"

/*
 * Put stolen tasks into our own container. There is room, but if an interrupt
 * filled it meanwhile the tasks have links.
 */
static void wsq_steal_keep(struct wsq *q, struct wsq_container *me,
			   void **tasks, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (wsq_container_put(me, tasks[i]) < 0)
			wsq_container_push_link(me,
						wsq_task_link(&q->pool, tasks[i]),
						WSQ_PHASES);
	}
}

/* Tasks brought home from @victim: how many, 0 if none. */
static int wsq_steal_from(struct wsq *q, struct wsq_container *victim,
			  struct wsq_container *me)
{
	void *tasks[WSQ_STEAL_MAX];
	u32 max = max(1U, min_t(u32, WSQ_STEAL_MAX, q->pool.block_size / 2));
	void *task;
	int nr;

	nr = wsq_container_steal(victim, tasks, max);
	if (nr > 0) {
		wsq_steal_keep(q, me, tasks, nr);
		return nr;
	}
	if (wsq_container_rob_inbox(victim, me))
		return 1;
	if (likely(atomic_read(&victim->orphan) == WSQ_OWNED))
		return 0;
	task = wsq_container_foster_get(victim);
	if (!task)
		return 0;
	if (task != WSQ_AGAIN)
		wsq_steal_keep(q, me, &task, 1);
	return 1;
}

/*
 * Bring home what one queue has at one victim. Preemption is off: a thief that
 * stops midway would keep a block out of use, and the queue must not go.
 */
static bool wsq_steal_queue(struct wsq_cpu *c, const struct wsq_victim *v,
			    u32 id)
{
	struct wsq_container *victim, *me;
	struct wsq *q;
	int nr = 0;

	preempt_disable();
	q = smp_processor_id() == c->cpu ? xa_load(&wsq_queues, id) : NULL;
	if (q) {
		victim = wsq_pool_ct(&q->pool, v->cpu);
		me = wsq_pool_ct(&q->pool, c->cpu);
		if (victim && me)
			nr = wsq_steal_from(q, victim, me);
	}
	if (nr) {
		WRITE_ONCE(c->steals[v->distance],
			   c->steals[v->distance] + nr);
		wsq_ready_mark(c, id);
		/* A whole haul: there may be more for one more. */
		if (nr > 1)
			wsq_wake_idle(q, c->cpu);
	}
	preempt_enable();
	return nr;
}

/**
 * wsq_steal() - bring something home from another CPU
 * @c: this CPU
 *
 * Passes once over all CPUs and all queues that have work there.
 *
 * Context: the worker.
 * Return: true if there is something to run now.
 */
bool wsq_steal(struct wsq_cpu *c)
{
	const struct wsq_access *list = c->access;
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		const struct wsq_victim *v = &list->victims[i];
		const struct wsq_cpu *vc = wsq_cpus[v->cpu];
		u32 id, next;

		if (!wsq_ready_any(vc))
			continue;
		for (id = wsq_ready_next(vc, 0); id < WSQ_MAX_QUEUES;
		     id = next) {
			if (wsq_steal_queue(c, v, id))
				return true;
			next = wsq_ready_next(vc, id + 1);
			/* Around once is enough. */
			if (next <= id)
				break;
		}
	}
	return false;
}
