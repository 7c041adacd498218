// SPDX-License-Identifier: GPL-2.0
/*
 * What a worker does that has run dry: look at other CPUs that have a surplus
 * (idle.h), and bring something home. First for the queue that it served last, by
 * that queue's policy (kmod/pool/victim.h); then for all queues, by domain, the
 * nearest first. While no CPU has a surplus, this costs two loads.
 */
#include <trace/events/wsq.h>

#include "../compat/export.h"
#include "../pool/victim.h"
#include "exec.h"

/* What a theft of slow items should bring. */
#define WSQ_HAUL_NS		(50 * NSEC_PER_USEC)

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

/* So many slow items are worth a theft; one if what they take is not known. */
static u32 wsq_steal_slow(const struct wsq_container *victim)
{
	u32 ns = READ_ONCE(victim->item_ns);

	return ns ? max_t(u32, WSQ_HAUL_NS / ns, 1) : 1;
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
	/*
	 * What is behind a slow item waits for long. And the worker there does not
	 * come to what the limit holds back.
	 */
	if (nr < 0 && (wsq_items_slow(victim) || wsq_limited(vc, q, victim)))
		nr = wsq_linked_steal(victim, me, tasks,
				      min(max, wsq_steal_slow(victim)), true,
				      false);
	if (nr > 0) {
		wsq_steal_keep(me, tasks, nr);
		if (nr == max && most > max)
			nr += wsq_steal_rest(s, victim, me, most - max);
		return nr;
	}
	if (likely(atomic_read(&victim->orphan) == WSQ_OWNED))
		return nr;
	if (wsq_steal_orphan(victim, me))
		return 1;
	/* Another CPU takes an item there, and may leave some. */
	return atomic_read(&victim->orphan) == WSQ_FOSTERED ? 0 : nr;
}

/* If nothing is left there, no worker is to be woken for it. */
static void wsq_steal_emptied(const struct wsq *q, struct wsq_cpu *vc,
			      const struct wsq_container *victim)
{
	u32 id = q->pool.id;

	if (!READ_ONCE(vc->worker))
		return;
	/* Other queues have work there. */
	if (wsq_ready_next(vc, id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0) != id)
		return;
	/* Clear, then look, as in wsq_steal_victim(). */
	if (wsq_surplus_clear(vc) &&
	    (wsq_linked_stealable(victim) ||
	     wsq_ready_next(vc, id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0) != id))
		wsq_surplus_set(vc);
}

/*
 * Bring home what @q has at one victim, as wsq_steal_from(). Preemption is off: a
 * thief that stops midway would keep a block out of use, and the queue must not
 * go.
 */
static int wsq_steal_haul(struct wsq_cpu *c, struct wsq *q,
			  const struct wsq_search *s, struct wsq_cpu *vc,
			  struct wsq_container *victim,
			  struct wsq_container *me)
{
	u32 most = wsq_victim_most(&q->pool);
	int nr = wsq_steal_from(s, q, vc, victim, me, most);
	enum wsq_distance distance;
	bool left;

	if (nr <= 0)
		return nr;
	distance = wsq_topology_distance(&wsq_machine, c->cpu, vc->cpu);
	WRITE_ONCE(c->steals[distance], c->steals[distance] + nr);
	trace_wsq_steal(q->pool.name, c->cpu, vc->cpu, distance, nr);
	wsq_ready_mark(c, q->pool.id);
	if (nr > 1)
		wsq_put_more(c, q->pool.id);
	/* Puts meanwhile may rely on this worker: tell before it seeks no longer. */
	left = wsq_linked_stealable(victim);
	if (!left)
		wsq_steal_emptied(q, vc, victim);
	else if (!wsq_surplus_test(vc))
		wsq_surplus_set(vc);
	wsq_seek_end(c);
	/*
	 * One more worker may find something, too. What is on a CPU without a
	 * worker is not served and not watched there: as many come as it takes.
	 */
	if ((left && (nr > 1 || most == 1)) || unlikely(!READ_ONCE(vc->worker)))
		wsq_wake_idle(q, vc);
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

/* What wsq_steal_look() says of a queue that this CPU may not look at. */
#define WSQ_NOT_MINE		INT_MIN

/*
 * What one queue has at one victim: how many; negative if there are none; 0 to look
 * again, for there may be some that could not be had just now.
 */
static int wsq_steal_look(struct wsq_cpu *c, struct wsq_cpu *vc, u32 id)
{
	struct wsq_container *victim, *me;
	int nr = WSQ_NOT_MINE;
	struct wsq *q;

	preempt_disable();
	q = wsq_steal_queue(c, id, &me);
	victim = q ? wsq_pool_any(&q->pool, vc->cpu) : NULL;
	if (victim)
		nr = wsq_steal_haul(c, q, NULL, vc, victim, me);
	else if (q)
		nr = WSQ_EMPTY;
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
		struct wsq_cpu *vc = wsq_cpus[v->cpu];

		if (!wsq_surplus_test(vc) || !wsq_ready_test(vc, id))
			continue;
		victim = wsq_pool_any(&q->pool, v->cpu);
		if (victim && wsq_search_accept(&s, victim))
			nr = wsq_steal_haul(c, q, &s, vc, victim, me);
	}
	if (nr > 0)
		wsq_search_found(&s);
	preempt_enable();
	return nr > 0;
}

/*
 * Pass over all queues that have work at one victim: true if something was brought
 * home. Sets @all to false if this CPU may not look at each of them, and @again if
 * something may be there at the next look.
 */
static bool wsq_steal_pass(struct wsq_cpu *c, struct wsq_cpu *vc, bool *all,
			   bool *again)
{
	u32 id, next;

	for (id = wsq_ready_next(vc, 0); id < WSQ_MAX_QUEUES; id = next) {
		int nr = wsq_steal_look(c, vc, id);

		if (nr > 0)
			return true;
		*again |= !nr;
		*all &= nr != WSQ_NOT_MINE;
		next = wsq_ready_next(vc, id + 1);
		/* Around once is enough. */
		if (next <= id)
			break;
	}
	return false;
}

/* All there is at one victim: as wsq_steal(). */
static bool wsq_steal_victim(struct wsq_cpu *c, struct wsq_cpu *vc, bool *again)
{
	bool all = true, more = false;

	if (wsq_steal_pass(c, vc, &all, &more))
		return true;
	*again |= more;
	if (!all || more)
		return false;
	/* Clear, then look: a put puts, then looks whether the bit is set. */
	if (!wsq_surplus_clear(vc))
		return false;
	if (wsq_steal_pass(c, vc, &all, &more)) {
		wsq_surplus_set(vc);
		return true;
	}
	if (!all || more)
		wsq_surplus_set(vc);
	*again |= more;
	return false;
}

/* All there is in one domain. */
static bool wsq_steal_domain(struct wsq_cpu *c, struct wsq_domain *d,
			     bool *again)
{
	unsigned long surplus = wsq_surplus_look(d);

	while (surplus) {
		unsigned int bit = wsq_domain_next(surplus, c->domain == d ?
							    c->bit : 0);
		struct wsq_cpu *vc = wsq_cpus[d->cpus[bit]];

		surplus &= ~BIT(bit);
		if (vc != c) {
			if (wsq_steal_victim(c, vc, again))
				return true;
		} else if (!wsq_ready_any(c) && wsq_surplus_clear(c) &&
			   wsq_ready_any(c)) {
			wsq_surplus_set(c);
		}
	}
	return false;
}

/**
 * wsq_steal() - bring something home from another CPU
 * @c: this CPU
 *
 * Tries what the policy says, then all CPUs that have a surplus, by domain, and all
 * queues that have work there.
 *
 * Context: the worker.
 * Return: true if there is something to run now, or may be at the next call.
 */
bool wsq_steal(struct wsq_cpu *c)
{
	struct wsq_domain *home = c->domain;
	bool again = false;
	unsigned int i;

	if (!wsq_surplus_near(home))
		return false;
	if (wsq_steal_chosen(c))
		return true;
	if (wsq_steal_domain(c, home, &again))
		return true;
	for (i = 1; i < wsq_domains.nr; i++) {
		if (test_bit(home->order[i], wsq_domains.surplus) &&
		    wsq_steal_domain(c, wsq_domains.list[home->order[i]],
				     &again))
			return true;
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
