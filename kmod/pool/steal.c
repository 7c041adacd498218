// SPDX-License-Identifier: GPL-2.0
/*
 * Stealing from other CPUs of a pointer pool: first the victims that the pool's
 * policy picks, then all CPUs, the nearest first (victim.h). For wsq_pool_pop()
 * and its batched form.
 *
 * Costs: nothing while this CPU's container has tasks. A batch of
 * WSQ_POOL_STEAL_MOST tasks takes one claim. Preemption is off meanwhile, and
 * the batch is on the stack.
 *
 * Limitations: tasks of a batch beyond what was asked for go to the thief's own
 * engine. So a non-member CPU takes one task at a time, and so does a thief
 * that interrupted a put or a take of its CPU.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "pointer.h"
#include "steal.h"
#include "reach.h"
#include "victim.h"

/*
 * Answering an interrupt takes some microseconds. If it takes longer than this,
 * interrupts are off there, or the CPU is a virtual one that is not running.
 */
#define WSQ_POOL_STEAL_AWAIT_NS	100000

/* Pops in a row that found nothing, before a CPU clears the machine's bit. */
#define WSQ_POOL_STEAL_DRY	1024U

/* Tasks that are claimed at a time. */
#define WSQ_POOL_STEAL_MOST		64

/*
 * Take up to @most tasks: the first into @task, all others into this CPU's
 * engine. The engine accepts them all, because no more are taken than it has
 * space for, and while both roles are held no other context puts or moves to
 * another block.
 */
static int wsq_pool_steal_batch(const struct wsq_search *s, struct wsq_container *ct,
				struct wsq_container *me, void **task, u32 most)
{
	void *tasks[WSQ_POOL_STEAL_MOST];
	bool published = false;
	u32 got = 0, max;
	int n = WSQ_EMPTY;

	do {
		max = min(most - got, wsq_engine_space(me, &published) + !got);
		max = min_t(u32, max, WSQ_POOL_STEAL_MOST);
		if (!max)
			break;
		n = wsq_search_steal(s, ct, me, tasks, max);
		if (n <= 0)
			break;
		if (!got)
			*task = tasks[0];
		WARN_ON_ONCE(wsq_engine_put_many(me, tasks + !got, n - !got,
						 &published) != n - !got);
		got += n;
		/* A batch that came whole may have more tasks behind it. */
	} while (n == max && got < most);
	/* Even if nothing came: later puts to the block do not set the bit. */
	if (published)
		wsq_pointer_published(me);
	return got ? (int)got : n;
}

/* Steal by wsq_search_steal(); if one task is asked for, steal a batch. */
static int wsq_pool_steal_engine(const struct wsq_search *s,
				 const struct wsq_pool *pool, struct wsq_container *ct,
				 struct wsq_container *me, void **tasks,
				 unsigned int nr)
{
	u32 most = nr == 1 && me ? wsq_victim_most(pool) : 1;
	int n;

	if (most > 1 && wsq_put_begin(me)) {
		if (wsq_get_begin(me)) {
			n = wsq_pool_steal_batch(s, ct, me, tasks, most);
			wsq_get_end(me);
			wsq_put_end(me);
			goto out;
		}
		wsq_put_end(me);
	}
	n = wsq_search_steal(s, ct, me, tasks, nr);
out:
	if (n <= 0)
		return 0;
	return min_t(unsigned int, n, nr);
}

/* Look at all that one victim has. */
static unsigned int wsq_pool_steal_look(struct wsq_pool *pool, struct wsq_container *ct,
					struct wsq_container *me, void **tasks,
					unsigned int nr)
{
	unsigned int n = wsq_pool_steal_engine(NULL, pool, ct, me, tasks, nr);

	if (n)
		return n;
	tasks[0] = wsq_pointer_steal(ct, me);
	if (!tasks[0] && atomic_read(&ct->ownership) != WSQ_OWNED)
		tasks[0] = wsq_pointer_adopt_get(ct);
	return !!tasks[0];
}

/*
 * Is the victim's bit set before thieves can find anything there again? Thieves
 * can take every task of a dead CPU's container.
 */
static bool wsq_pool_steal_drained(struct wsq_container *ct)
{
	return wsq_engine_drained(ct) &&
	       (atomic_read(&ct->ownership) == WSQ_OWNED ||
		!wsq_engine_waiting(ct));
}

/* As wsq_pool_steal_look(). Clears the victim's bit if there is nothing. */
static unsigned int wsq_pool_steal_one(struct wsq_pool *pool, struct wsq_container *ct,
				       struct wsq_container *me, void **tasks,
				       unsigned int nr)
{
	unsigned int n = wsq_pool_steal_look(pool, ct, me, tasks, nr);

	/* Clear, then look: a put stores its task, then reads the bit. */
	if (n || !wsq_pool_steal_drained(ct) || !wsq_reach_clear(ct))
		return n;
	n = wsq_pool_steal_look(pool, ct, me, tasks, nr);
	if (n || !wsq_pool_steal_drained(ct))
		wsq_reach_set(ct);
	return n;
}

/**
 * struct wsq_look - a thief's look at a pool
 * @pool: the pool
 * @me: container of this CPU, %NULL if it has none
 * @list: this CPU's access list
 * @tasks: where to store tasks
 * @nr: how many at most
 * @far: look in other domains than this CPU's
 * @all: look at each CPU that may have something
 * @skipped: a mark of another thief of this domain was noted
 * @relied: another thief has noted a mark of this one, and does not look in
 *	other domains
 */
struct wsq_look {
	struct wsq_pool *pool;
	struct wsq_container *me;
	const struct wsq_access *list;
	void **tasks;
	unsigned int nr;
	bool far;
	bool all;
	bool skipped;
	bool relied;
};

/*
 * Set a mark. False if another thief looks there. A look that may leave out
 * CPUs (not @all) does not ask that thief to look again, because a further look
 * follows.
 */
static bool wsq_pool_steal_mark(struct wsq_look *l, atomic_t *mark)
{
	const unsigned int self = smp_processor_id();
	unsigned int other;

	if (wsq_reach_enter(mark, self))
		return true;
	other = wsq_reach_skip(mark, self, l->all);
	if (other == self) {
		/* The mark that it has taken over may have been noted. */
		l->relied |= l->all;
		return true;
	}
	if (l->all && other < nr_cpu_ids &&
	    wsq_pool_location(l->pool, other)->domain ==
	    wsq_pool_location(l->pool, self)->domain)
		l->skipped = true;
	return false;
}

/* Clear the mark of a victim. True if another thief has noted it. */
static bool wsq_pool_steal_leave(struct wsq_look *l, struct wsq_container *ct)
{
	bool noted = wsq_reach_leave(&ct->pointer->thief);

	l->relied |= noted;
	return noted;
}

/* Set the mark of a victim. %NULL if it has nothing, or is marked. */
static struct wsq_container *wsq_pool_steal_enter(struct wsq_look *l, unsigned int cpu)
{
	const struct wsq_cpu_location *here, *there;
	struct wsq_container *ct;
	bool near;

	here = wsq_pool_location(l->pool, smp_processor_id());
	there = wsq_pool_location(l->pool, cpu);
	near = there->domain == here->domain;
	if (near == l->far ||
	    (l->far && !wsq_reach_domain(l->pool, there->domain)) ||
	    !wsq_reach_test(l->pool, cpu))
		return NULL;
	ct = wsq_pool_any(l->pool, cpu);
	return ct && wsq_pool_steal_mark(l, &ct->pointer->thief) ? ct : NULL;
}

/*
 * Steal from the CPU of the last theft. So thieves spread, and each keeps its
 * victim's cache lines.
 */
static unsigned int wsq_pool_steal_again(struct wsq_look *l, struct wsq_search *s)
{
	const u32 last = READ_ONCE(s->thief->last);
	struct wsq_container *ct = NULL;
	unsigned int n;

	/* @last may be a CPU of another topology. */
	if (wsq_search_again(s) && last != smp_processor_id() &&
	    last < l->pool->topo->nr_cpus)
		ct = wsq_pool_steal_enter(l, last);
	if (!ct)
		return 0;
	n = wsq_pool_steal_engine(NULL, l->pool, ct, l->me, l->tasks, l->nr);
	wsq_pool_steal_leave(l, ct);
	return n;
}

/* Steal from CPUs that the policy draws. */
static unsigned int wsq_pool_steal_chosen(struct wsq_look *l, struct wsq_search *s)
{
	const struct wsq_victim *v;
	unsigned int n = 0;

	while (!n && (v = wsq_search_draw(s))) {
		struct wsq_container *ct = wsq_pool_steal_enter(l, v->cpu);

		if (!ct)
			continue;
		if (wsq_search_accept(s, ct))
			n = wsq_search_sampled(s) ?
			    wsq_pool_steal_engine(s, l->pool, ct, l->me, l->tasks,
						  l->nr) :
			    wsq_pool_steal_one(l->pool, ct, l->me, l->tasks, l->nr);
		wsq_pool_steal_leave(l, ct);
	}
	if (n) {
		WRITE_ONCE(s->thief->last, v->cpu);
		wsq_search_found(s);
	}
	return n;
}

/*
 * Try the CPU of the last theft, then the victims that the policy draws, then
 * each CPU that may have something, the nearest first.
 */
static unsigned int wsq_pool_steal_pass(struct wsq_look *l, bool far)
{
	const struct wsq_access *list = l->list;
	struct wsq_search s;
	unsigned int i, n;

	l->far = far;
	l->all = false;
	wsq_search_begin(&s, l->pool, list);
	n = wsq_pool_steal_again(l, &s) ?: wsq_pool_steal_chosen(l, &s);
	l->all = true;
	for (i = 0; i < list->nr && !n; i++) {
		const struct wsq_victim *v = &list->victims[i];
		struct wsq_container *ct;

		if (!far && v->distance > WSQ_DIST_CACHE)
			break;
		ct = wsq_pool_steal_enter(l, v->cpu);
		if (!ct)
			continue;
		n = wsq_pool_steal_one(l->pool, ct, l->me, l->tasks, l->nr);
		if (wsq_pool_steal_leave(l, ct) && !n)
			n = wsq_pool_steal_one(l->pool, ct, l->me, l->tasks, l->nr);
		if (n)
			WRITE_ONCE(s.thief->last, v->cpu);
	}
	return n;
}

/*
 * Look in this CPU's domain, then in others. Skip the others while another CPU
 * of this domain looks there. Skip them also after a mark of another thief of
 * this domain was noted: that thief looks there instead. It may have noted a
 * mark as well, so a thief whose own marks were noted looks in any case.
 */
static unsigned int wsq_pool_steal_all(struct wsq_look *l, bool dry)
{
	const unsigned int self = smp_processor_id();
	atomic_t *seeking = &wsq_reach_of(l->pool, self)->seeking;
	unsigned int n = 0;

	l->all = true;
	l->skipped = false;
	l->relied = false;
	if (wsq_reach_near(l->pool, self, dry))
		n = wsq_pool_steal_pass(l, false);
	if (n || (l->skipped && !l->relied) || !wsq_reach_far(l->pool, self) ||
	    !wsq_pool_steal_mark(l, seeking))
		return n;
	n = wsq_pool_steal_pass(l, true);
	if (wsq_reach_leave(seeking) && !n)
		n = wsq_pool_steal_pass(l, true);
	return n;
}

/* Look in all domains. */
static unsigned int wsq_pool_steal_any(struct wsq_pool *pool, struct wsq_container *me,
				       void **tasks, unsigned int nr)
{
	const unsigned int self = smp_processor_id();
	struct wsq_pool_thief *r = wsq_pool_thief(self);
	struct wsq_look l = {
		.pool = pool, .me = me, .tasks = tasks, .nr = nr,
	};
	unsigned int n;

	/* AL(steal:A): Pairs with the release in wsq_topology_access(). */
	l.list = smp_load_acquire(&pool->topo->access[self]);
	if (!l.list)
		return 0;
	n = wsq_pool_steal_all(&l, r->dry >= WSQ_POOL_STEAL_DRY);
	WRITE_ONCE(r->dry, n ? 0 : min(r->dry + 1, WSQ_POOL_STEAL_DRY));
	return n;
}

/*
 * No task was found, but a theft is under way: look again at all CPUs until the
 * victim's CPU has answered. The theft may bring nothing, if another CPU was
 * faster.
 *
 * Preemption is off, and the victim's CPU may have interrupts off for long. So
 * the loop ends after WSQ_POOL_STEAL_AWAIT_NS, or if another task wants this
 * CPU. The theft continues, and the next take of this CPU gets what it brings.
 * Each iteration is a pass over all CPUs that found nothing, which is what
 * wsq_pool_pop() means by %NULL. wsq_pool_was_empty() sees the tasks of a chunk
 * that is being stolen.
 */
static unsigned int wsq_pool_steal_await(struct wsq_pool *pool,
					 struct wsq_container *me, void **tasks,
					 unsigned int nr)
{
	unsigned int n = 0;
	u64 from = 0, now;

	while (!n && wsq_engine_steal_async(me)) {
		now = ktime_get_mono_fast_ns();
		if (!from)
			from = now;
		else if ((s64)(now - from) > WSQ_POOL_STEAL_AWAIT_NS || need_resched())
			break;
		cpu_relax();
		tasks[0] = wsq_pointer_get(me);
		n = !!tasks[0];
		/* While it is under way this CPU begins no other. */
		if (wsq_engine_steal_async(me)) {
			n = n ?: wsq_pool_steal_any(pool, me, tasks, nr);
		} else if (!n) {
			/* An interrupt may have ended it and left tasks. */
			tasks[0] = wsq_pointer_get(me);
			n = !!tasks[0];
		}
	}
	return n;
}

/**
 * wsq_pool_steal() - take tasks of a pointer pool from other CPUs
 * @pool: the pool
 * @me: container of this CPU, %NULL if it has none
 * @tasks: where to store them
 * @nr: how many at most, not 0
 *
 * Context: any but NMI, with preemption off.
 * Return: how many were taken, all from one CPU. The rest of a batch or of a
 * chunk is in @me.
 */
unsigned int wsq_pool_steal(struct wsq_pool *pool, struct wsq_container *me,
			    void **tasks, unsigned int nr)
{
	return wsq_pool_steal_any(pool, me, tasks, nr) ?:
	       wsq_pool_steal_await(pool, me, tasks, nr);
}
