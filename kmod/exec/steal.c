// SPDX-License-Identifier: GPL-2.0
/*
 * What a worker does that has run dry: look at other CPUs and bring something
 * home. First for the queue that it served last, by that queue's policy; then for
 * all queues at all CPUs, the nearest first (kmod/pool/victim.h). A CPU that has
 * nothing costs one load.
 */
#include <trace/events/wsq.h>

#include "../compat/export.h"
#include "../pool/victim.h"
#include "exec.h"

/* Put items, in hand and counted, where this CPU takes from. */
static void wsq_steal_keep(struct wsq_container *me, void **tasks, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		struct wsq_link *link = tasks[i];
		unsigned int phase = wsq_where_phase(READ_ONCE(link->where));

		/* No memory, full, or we interrupted a put. */
		if (wsq_linked_put(me, link, phase, false) < 0)
			wsq_linked_push(me, link, phase, false, false);
	}
}

/* Take one item from an orphan: 1 if it may have more. */
static int wsq_steal_orphan(struct wsq_container *orphan,
			    struct wsq_container *me)
{
	void *task;

	if (!wsq_foster_begin(orphan))
		return 0;
	task = wsq_linked_claim(orphan);
	wsq_foster_end(orphan);
	if (!task)
		return 0;
	if (task != WSQ_AGAIN)
		wsq_steal_keep(me, &task, 1);
	return 1;
}

/*
 * The rest of a batch: up to @most items, piece by piece, while they come whole.
 */
static int wsq_steal_rest(const struct wsq_search *s,
			  struct wsq_container *victim,
			  struct wsq_container *me, u32 most)
{
	void *tasks[WSQ_STEAL_PIECE];
	u32 got = 0, max;
	int nr;

	do {
		max = min_t(u32, WSQ_STEAL_PIECE, most - got);
		nr = wsq_search_claim(s, victim, me, tasks, max);
		if (nr <= 0)
			break;
		wsq_steal_keep(me, tasks, nr);
		got += nr;
	} while (nr == max && got < most);
	return got;
}

/*
 * Items brought home from @victim: how many; 0 to look again; negative if there
 * are none. Of a victim that a sample has chosen, what the sample was of.
 */
static int wsq_steal_from(const struct wsq_search *s, const struct wsq *q,
			  const struct wsq_cpu *vc,
			  struct wsq_container *victim,
			  struct wsq_container *me, u32 most)
{
	void *tasks[WSQ_STEAL_PIECE];
	u32 max = min_t(u32, WSQ_STEAL_PIECE, most);
	int nr;

	if (s && wsq_search_sampled(s))
		nr = wsq_search_claim(s, victim, me, tasks, max);
	else
		nr = wsq_linked_steal(victim, me, tasks, max,
				      wsq_watch_stuck(vc),
				      !READ_ONCE(vc->worker));
	/* The worker there does not come to what the limit holds back. */
	if (nr < 0 && unlikely(wsq_limited(vc, q, victim)))
		nr = wsq_linked_steal(victim, me, tasks, max, true, false);
	if (nr > 0) {
		wsq_steal_keep(me, tasks, nr);
		if (nr == max && most > max)
			nr += wsq_steal_rest(s, victim, me, most - max);
		return nr;
	}
	if (unlikely(atomic_read(&victim->orphan) != WSQ_OWNED) &&
	    wsq_steal_orphan(victim, me))
		return 1;
	return nr;
}

/*
 * Bring home what @q has at one victim, as wsq_steal_from(). Preemption is off: a
 * thief that stops midway would keep a block out of use, and the queue must not
 * go.
 */
static int wsq_steal_haul(struct wsq_cpu *c, struct wsq *q,
			  const struct wsq_search *s,
			  const struct wsq_victim *v,
			  struct wsq_container *victim,
			  struct wsq_container *me)
{
	u32 most = wsq_victim_most(&q->pool);
	int nr = wsq_steal_from(s, q, wsq_cpus[v->cpu], victim, me, most);

	if (nr <= 0)
		return nr;
	WRITE_ONCE(c->steals[v->distance], c->steals[v->distance] + nr);
	trace_wsq_steal(q->pool.name, c->cpu, v->cpu, v->distance, nr);
	wsq_ready_mark(c, q->pool.id);
	if (nr > 1)
		wsq_put_more(c, q->pool.id);
	/*
	 * A whole haul: there may be more for one more. What nobody serves and
	 * nobody watches is fetched by as many as it takes.
	 */
	if (nr > 1 || (most == 1 && wsq_engine_waiting(victim)) ||
	    unlikely(!READ_ONCE(wsq_cpus[v->cpu]->worker)))
		wsq_wake_idle(q, c->cpu);
	return nr;
}

/*
 * The queue by its number, if there is one here and this CPU may begin more of its
 * items. A CPU that is going offline may not. Preemption is off.
 */
static struct wsq *wsq_steal_queue(struct wsq_cpu *c, u32 id,
				   struct wsq_container **me)
{
	struct wsq *q = NULL;

	if (smp_processor_id() == c->cpu && READ_ONCE(c->worker))
		q = xa_load(&wsq_queues, id);
	*me = q ? wsq_pool_ct(&q->pool, c->cpu) : NULL;
	return *me && likely(!wsq_hold(c, q, *me)) ? q : NULL;
}

/*
 * What one queue has at one victim: how many; 0 to look again, for nobody else
 * may be about to; negative if there are none.
 */
static int wsq_steal_look(struct wsq_cpu *c, const struct wsq_victim *v, u32 id)
{
	struct wsq_container *victim, *me;
	struct wsq *q;
	int nr = WSQ_EMPTY;

	preempt_disable();
	q = wsq_steal_queue(c, id, &me);
	victim = q ? wsq_pool_any(&q->pool, v->cpu) : NULL;
	if (victim)
		nr = wsq_steal_haul(c, q, NULL, v, victim, me);
	preempt_enable();
	return nr;
}

/* By the policy of the queue that was served last: is there something now? */
static bool wsq_steal_chosen(struct wsq_cpu *c)
{
	const u32 id = READ_ONCE(c->last);
	struct wsq_container *victim, *me;
	const struct wsq_victim *v;
	struct wsq_search s;
	int nr = WSQ_EMPTY;
	struct wsq *q;

	preempt_disable();
	q = wsq_steal_queue(c, id, &me);
	if (!q) {
		preempt_enable();
		return false;
	}
	wsq_search_begin(&s, &q->pool, c->access);
	while (nr <= 0 && (v = wsq_search_draw(&s))) {
		if (!wsq_ready_test(wsq_cpus[v->cpu], id))
			continue;
		victim = wsq_pool_any(&q->pool, v->cpu);
		if (victim && wsq_search_accept(&s, victim))
			nr = wsq_steal_haul(c, q, &s, v, victim, me);
	}
	if (nr > 0)
		wsq_search_found(&s);
	preempt_enable();
	return nr > 0;
}

/**
 * wsq_steal() - bring something home from another CPU
 * @c: this CPU
 *
 * Tries what the policy says, then passes once over all CPUs and all queues that
 * have work there.
 *
 * Context: the worker.
 * Return: true if there is something to run now, or may be at the next call.
 */
bool wsq_steal(struct wsq_cpu *c)
{
	const struct wsq_access *list = c->access;
	bool again = false;
	unsigned int i;

	if (wsq_steal_chosen(c))
		return true;
	for (i = 0; i < list->nr; i++) {
		const struct wsq_victim *v = &list->victims[i];
		const struct wsq_cpu *vc = wsq_cpus[v->cpu];
		u32 id, next;
		int nr;

		if (!wsq_ready_any(vc))
			continue;
		for (id = wsq_ready_next(vc, 0); id < WSQ_MAX_QUEUES;
		     id = next) {
			nr = wsq_steal_look(c, v, id);
			if (nr > 0)
				return true;
			again |= !nr;
			next = wsq_ready_next(vc, id + 1);
			/* Around once is enough. */
			if (next <= id)
				break;
		}
	}
	return again;
}

/* Is any CPU of the queue there to take items in? Preemption is off. */
static bool wsq_steal_refuge(const struct wsq *q)
{
	const struct wsq_pool *pool = &q->pool;
	unsigned int cpu = wsq_pool_nearest(pool, smp_processor_id());

	return atomic_read(&wsq_pool_any(pool, cpu)->orphan) == WSQ_OWNED;
}

/**
 * wsq_evacuate() - move what a CPU has that died, or left a queue, to others
 * @q: the queue
 * @cpu: the CPU; its container is an orphan
 *
 * If no CPU of the queue is online, all stays where it is until one comes
 * (wsq_workers_adopt()).
 *
 * Context: task; may sleep.
 */
void wsq_evacuate(struct wsq *q, unsigned int cpu)
{
	struct wsq_container *from = wsq_pool_any(&q->pool, cpu);
	bool more = true;

	while (from && more) {
		void *task = NULL;

		preempt_disable();
		if (!wsq_steal_refuge(q)) {
			more = false;
		} else if (wsq_foster_begin(from)) {
			task = wsq_linked_claim(from);
			wsq_foster_end(from);
			more = task;
		} else {
			/* Somebody is at it, or was; or its CPU is back. */
			more = atomic_read(&from->orphan) != WSQ_OWNED;
		}
		if (task && task != WSQ_AGAIN)
			wsq_put_again(container_of((struct wsq_link *)task,
						   struct wsq_work, link));
		preempt_enable();
		cond_resched();
	}
}
