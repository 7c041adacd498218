// SPDX-License-Identifier: GPL-2.0
/*
 * A worker that has run out of items steals from CPUs that have a surplus
 * (idle.h): first for the queue that it served last, by that queue's policy
 * (kmod/pool/victim.h), then for all queues, by domain, the nearest first.
 * While no CPU has a surplus, this costs two loads.
 */
#include <trace/events/wsq.h>

#include "../compat/export.h"
#include "../pool/victim.h"
#include "exec.h"

/*
 * If fewer domains than this have a surplus, only the seeker of a domain looks
 * through other domains: otherwise all idle CPUs contend for the few cache
 * lines of one producer, and slow it down. The policy of the queue served last
 * may choose a CPU there all the same.
 */
#define WSQ_FREE_DOMAINS	3

/* Run time of the slow items that one steal should take. */
#define WSQ_STEAL_BATCH_NS		(50 * NSEC_PER_USEC)

/* Put items, owned and counted, into this CPU's lane. */
static void wsq_steal_keep(struct wsq_lane *me, void **tasks, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		struct wsq_link *link = tasks[i];
		unsigned int color = wsq_location_color(READ_ONCE(link->where));

		/* No memory, full, or the caller interrupted a put. */
		if (wsq_lane_put(me, link, color) < 0)
			wsq_lane_push(me, link, color, false, false);
	}
}

/* Take one item of a dead CPU: 0 if it has none, or another CPU takes there. */
static int wsq_steal_dead(struct wsq_lane *ownership,
			  struct wsq_lane *me)
{
	void *task;

	if (!wsq_adopt_begin(&ownership->ct))
		return 0;
	task = wsq_lane_claim(ownership);
	wsq_adopt_end(&ownership->ct);
	if (!task)
		return 0;
	if (task != WSQ_AGAIN)
		wsq_steal_keep(me, &task, 1);
	return 1;
}

/*
 * Steal the rest of a batch: up to @most items, WSQ_STEAL_MOST at a time,
 * until a claim brings fewer. Returns how many.
 */
static int wsq_steal_rest(const struct wsq_search *s,
			  struct wsq_lane *victim,
			  struct wsq_lane *me, u32 most)
{
	void *tasks[WSQ_STEAL_MOST];
	u32 got = 0, max;
	int nr;

	do {
		max = min_t(u32, WSQ_STEAL_MOST, most - got);
		nr = wsq_search_claim(s, &victim->ct, &me->ct, tasks, max);
		if (nr <= 0)
			break;
		wsq_steal_keep(me, tasks, nr);
		got += nr;
	} while (nr == max && got < most);
	return got;
}

/* Number of slow items to steal; 1 if their time is not known. */
static u32 wsq_steal_slow(const struct wsq_lane *victim)
{
	u32 ns = READ_ONCE(victim->item_ns);

	return ns ? max_t(u32, WSQ_STEAL_BATCH_NS / ns, 1) : 1;
}

/*
 * The victim's active block is worth a steal if its items take as long as one
 * slow item. Returns how many were stolen.
 */
static int wsq_steal_kept(const struct wsq *q, struct wsq_lane *victim,
			  void **tasks, u32 max)
{
	u32 least = DIV_ROUND_UP(wsq_come_ns(victim),
				 READ_ONCE(victim->item_ns) ?: 1);

	/* No block has that many. */
	if (least > q->pool.block_size)
		return 0;
	return wsq_engine_halve(&victim->ct, tasks, max, max(least, 2U));
}

/*
 * Steal from @victim: how many items; 0 to look again; negative if there are
 * none. If a sample chose the victim, steals first from the sampled block.
 */
static int wsq_steal_from(const struct wsq_search *s, const struct wsq *q,
			  const struct wsq_cpu *vc,
			  struct wsq_lane *victim,
			  struct wsq_lane *me, u32 most)
{
	void *tasks[WSQ_STEAL_MOST];
	u32 max = min_t(u32, WSQ_STEAL_MOST, most);
	int nr;

	if (s && wsq_search_sampled(s))
		nr = wsq_search_claim(s, &victim->ct, &me->ct, tasks, max);
	else
		nr = wsq_lane_steal(victim, me, tasks, max,
				    wsq_watchdog_stuck(vc),
				    !READ_ONCE(vc->worker));
	/*
	 * Items behind a slow item wait for long, and the worker there runs no
	 * items beyond the queue's limit.
	 */
	if (nr < 0 && (wsq_items_slow(victim) || wsq_limited(vc, q, victim)))
		nr = wsq_lane_steal(victim, me, tasks,
				    min(max, wsq_steal_slow(victim)), true,
				    false);
	else if (nr < 0)
		nr = wsq_steal_kept(q, victim, tasks, max) ?: nr;
	if (nr > 0) {
		wsq_steal_keep(me, tasks, nr);
		if (nr == max && most > max)
			nr += wsq_steal_rest(s, victim, me, most - max);
		return nr;
	}
	if (likely(atomic_read(&victim->ct.ownership) == WSQ_OWNED))
		return nr;
	if (wsq_steal_dead(victim, me))
		return 1;
	/* Another CPU takes an item there, and may leave others. */
	return atomic_read(&victim->ct.ownership) == WSQ_ADOPTED ? 0 : nr;
}

/* If nothing is left there, clear the surplus bit: wake no worker for it. */
static void wsq_steal_emptied(struct wsq_cpu *c, const struct wsq *q,
			      struct wsq_cpu *vc,
			      const struct wsq_lane *victim)
{
	u32 id = q->id;

	if (!READ_ONCE(vc->worker))
		return;
	/* Other queues have work there. */
	if (wsq_ready_next(vc, id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0) != id)
		return;
	/* Clear, then look, as in wsq_steal_victim(). */
	if (wsq_surplus_clear(vc) &&
	    (wsq_lane_stealable(victim) ||
	     wsq_ready_next(vc, id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0) != id))
		wsq_surplus_again(c, vc);
}

/*
 * wsq_steal_from() one victim, and notify other CPUs. Preemption is off: a
 * thief that stops midway would keep a block out of use, and the queue must not
 * be freed.
 */
static int wsq_steal_lane_batch(struct wsq_cpu *c, struct wsq *q,
				const struct wsq_search *s, struct wsq_cpu *vc,
				struct wsq_lane *victim,
				struct wsq_lane *me)
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
	wsq_ready_mark(c, q->id);
	if (nr > 1)
		wsq_put_more(c, q->id);
	/* Puts may rely on this seeker: set the surplus bit before it ends. */
	left = wsq_lane_stealable(victim);
	if (!left)
		wsq_steal_emptied(c, q, vc, victim);
	else if (!wsq_surplus_test(vc))
		wsq_surplus_set(vc);
	wsq_seek_end(c);
	/*
	 * One more worker may find items, too. A CPU without a worker neither
	 * serves nor watches its items, so each steal there wakes one more.
	 */
	if ((left && (nr > 1 || most == 1)) || unlikely(!READ_ONCE(vc->worker)))
		wsq_wake_idle(q, vc);
	return nr;
}

/*
 * Look up a queue. %NULL if it does not exist, or if this CPU may not begin
 * more of its items, as when the CPU is going offline. Preemption is off.
 */
static struct wsq *wsq_steal_queue(struct wsq_cpu *c, u32 id,
				   struct wsq_lane **me)
{
	struct wsq *q = NULL;

	if (smp_processor_id() == c->cpu && READ_ONCE(c->worker))
		q = wsq_queue_at(c, id);
	*me = q ? wsq_lane(q, c->cpu) : NULL;
	return *me && likely(!wsq_hold(c, q, *me)) ? q : NULL;
}

/* wsq_steal_look(): this CPU may not steal for the queue. */
#define WSQ_NOT_MINE		INT_MIN

/*
 * Steal what one queue has at one victim: how many items; negative if there are
 * none; 0 to look again, because some may be there that could not be claimed.
 */
static int wsq_steal_look(struct wsq_cpu *c, struct wsq_cpu *vc, u32 id)
{
	struct wsq_lane *victim, *me;
	int nr = WSQ_NOT_MINE;
	struct wsq *q;

	preempt_disable();
	q = wsq_steal_queue(c, id, &me);
	victim = q ? wsq_lane_any(q, vc->cpu) : NULL;
	if (victim)
		nr = wsq_steal_lane_batch(c, q, NULL, vc, victim, me);
	else if (q)
		nr = WSQ_EMPTY;
	preempt_enable();
	return nr;
}

/* Steal by the policy of the queue served last. True if that found items. */
static bool wsq_steal_chosen(struct wsq_cpu *c)
{
	const u32 id = READ_ONCE(c->last);
	struct wsq_lane *victim, *me;
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
		struct wsq_cpu *vc = wsq_cpu_of(q, v->cpu);

		if (!wsq_surplus_test(vc) || !wsq_ready_test(vc, id))
			continue;
		victim = wsq_lane_any(q, v->cpu);
		if (victim && wsq_search_accept(&s, &victim->ct))
			nr = wsq_steal_lane_batch(c, q, &s, vc, victim, me);
	}
	if (nr > 0)
		wsq_search_found(&s);
	preempt_enable();
	return nr > 0;
}

/**
 * wsq_steal_pass() - try all queues that have work at one victim
 * @c: this CPU
 * @vc: the victim
 * @all: set to false if this CPU may not steal for each of them
 * @again: set to true if the next look may find items
 *
 * There may be thousands of queues that this CPU may not steal for. The pass
 * ends early if this CPU has got items of its own, or another thread wants it.
 * The next pass then begins where this one ended.
 *
 * Context: the worker.
 * Return: true if items were stolen.
 */
bool wsq_steal_pass(struct wsq_cpu *c, struct wsq_cpu *vc, bool *all,
		    bool *again)
{
	u32 from = c->pass_from, id, next;

	c->pass_from = 0;
	for (id = wsq_ready_next(vc, from); id < WSQ_MAX_QUEUES; id = next) {
		int nr = wsq_steal_look(c, vc, id);

		if (nr > 0)
			return true;
		*again |= !nr;
		*all &= nr != WSQ_NOT_MINE;
		next = wsq_ready_next(vc, id + 1);
		/* Once around. */
		if ((next - from) % WSQ_MAX_QUEUES <= (id - from) % WSQ_MAX_QUEUES)
			break;
		if (unlikely(wsq_ready_free(c)) || unlikely(need_resched())) {
			c->pass_from = next;
			*again = true;
			break;
		}
	}
	return false;
}
WSQ_EXPORT_KUNIT(wsq_steal_pass);

/* Steal from one victim. Returns as wsq_steal_domain(). */
static bool wsq_steal_victim(struct wsq_cpu *c, struct wsq_cpu *vc, bool *again)
{
	bool all = true, more = false;

	if (wsq_steal_pass(c, vc, &all, &more))
		return true;
	*again |= more;
	if (!all || more)
		return false;
	/* Clear, then look: a put stores its item, then tests the bit. */
	if (!wsq_surplus_clear(vc))
		return false;
	if (wsq_steal_pass(c, vc, &all, &more)) {
		wsq_surplus_again(c, vc);
		return true;
	}
	if (!all || more)
		wsq_surplus_again(c, vc);
	*again |= more;
	return false;
}

/*
 * Steal in one domain: true if there is something to run. Sets @again if the
 * next look may find items.
 */
static bool wsq_steal_domain(struct wsq_cpu *c, struct wsq_domain *d,
			     bool *again)
{
	/* The machine's bit of another domain is not this worker's to clear. */
	unsigned long surplus = d == c->domain ? wsq_surplus_look(c) :
						 READ_ONCE(d->surplus);

	while (surplus) {
		unsigned int bit = wsq_domain_next(surplus, c->bit);
		struct wsq_cpu *vc = wsq_domain_cpu(d, bit);

		surplus &= ~BIT(bit);
		if (vc != c) {
			if (wsq_steal_victim(c, vc, again))
				return true;
		} else if (!wsq_ready_any(c) && wsq_surplus_clear(c) &&
			   wsq_ready_any(c)) {
			wsq_surplus_again(c, c);
		}
	}
	return false;
}

/*
 * May the worker steal from other domains? If few have a surplus, only as the
 * seeker of its own. Not asked before a worker parks: that look must find all.
 */
static bool wsq_steal_abroad(struct wsq_cpu *c)
{
	return wsq_surplus_domains(c->domain->all) >= WSQ_FREE_DOMAINS ||
	       READ_ONCE(c->seeks) || wsq_seek_begin(c);
}

/**
 * wsq_steal() - steal from other CPUs
 * @c: this CPU
 * @last: the worker parks if this finds nothing
 *
 * Tries the choice of the policy, then all CPUs that have a surplus, by domain,
 * and all queues that have work there. If few domains have a surplus, only one
 * worker of this domain looks through the others, unless @last.
 *
 * Context: the worker.
 * Return: true if there is something to run now, or may be at the next call.
 */
bool wsq_steal(struct wsq_cpu *c, bool last)
{
	struct wsq_domain *home = c->domain;
	const struct wsq_domains *all = home->all;
	bool again = false;
	unsigned int i;

	if (!wsq_surplus_near(home))
		return false;
	if (wsq_steal_chosen(c))
		return true;
	if (wsq_steal_domain(c, home, &again))
		return true;
	if (!last && !wsq_steal_abroad(c))
		return again;
	for (i = 1; i < all->nr; i++) {
		if (test_bit(home->order[i], all->surplus) &&
		    wsq_steal_domain(c, all->list[home->order[i]], &again))
			return true;
	}
	return again;
}

/* Is any CPU of the queue online to take items? Preemption is off. */
static bool wsq_steal_refuge(const struct wsq *q)
{
	const struct wsq_pool *pool = &q->pool;
	unsigned int cpu = wsq_pool_nearest(pool, smp_processor_id());

	return atomic_read(&wsq_pool_any(pool, cpu)->ownership) == WSQ_OWNED;
}

/**
 * wsq_evacuate() - move items from a CPU that is dead or left the queue
 * @q: the queue
 * @cpu: the CPU; its container is not %WSQ_OWNED
 *
 * If no CPU of the queue is online, the items stay until one comes online
 * (wsq_workers_adopt()).
 *
 * Context: task; may sleep.
 */
void wsq_evacuate(struct wsq *q, unsigned int cpu)
{
	struct wsq_lane *from = wsq_lane_any(q, cpu);
	bool more = true;

	while (from && more) {
		void *task = NULL;

		preempt_disable();
		if (!wsq_steal_refuge(q)) {
			more = false;
		} else if (wsq_adopt_begin(&from->ct)) {
			task = wsq_lane_claim(from);
			wsq_adopt_end(&from->ct);
			more = task;
		} else {
			/* Another CPU takes or took there, or @cpu is back. */
			more = atomic_read(&from->ct.ownership) != WSQ_OWNED;
		}
		if (task && task != WSQ_AGAIN)
			wsq_put_again(container_of((struct wsq_link *)task,
						   struct wsq_work, link));
		preempt_enable();
		cond_resched();
	}
}
