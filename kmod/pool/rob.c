// SPDX-License-Identifier: GPL-2.0
/*
 * Robbing other CPUs of a raw pool's tasks: by the pool's policy first, then all
 * of them, the nearest first (victim.h). For wsq_pool_pop() and its batched form.
 *
 * Costs: nothing while there is something at home. A batch takes one claim for
 * WSQ_ROB_PIECE tasks, with preemption off for as long as that takes, and as much
 * of the stack.
 *
 * Limitations: what a batch brings beyond what was asked for goes to the thief's
 * own engine, so a CPU that has no part in the pool takes one task at a time, and
 * so does one that interrupted itself at a put or a take.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "raw.h"
#include "rob.h"
#include "victim.h"

/*
 * An answer to an interrupt takes some microseconds. If it takes longer than this,
 * interrupts are off there, or the CPU is a virtual one that is not running.
 */
#define WSQ_ROB_AWAIT_NS	100000

/* Tasks that are claimed at a time. */
#define WSQ_ROB_PIECE		64

/*
 * Take up to @most tasks: the first into @task, all others into the own engine.
 * Nothing of them can be refused there: no more is taken than there is room for,
 * and with both roles held nobody else puts, or moves to another block.
 */
static int wsq_rob_haul(const struct wsq_search *s, struct wsq_container *ct,
			struct wsq_container *me, void **task, u32 most)
{
	void *tasks[WSQ_ROB_PIECE];
	bool opened = false;
	u32 got = 0, max;
	int n;

	do {
		max = min(most - got, wsq_engine_room(me) + !got);
		max = min_t(u32, max, WSQ_ROB_PIECE);
		if (!max)
			break;
		n = wsq_search_steal(s, ct, me, tasks, max);
		if (n <= 0)
			return got ? (int)got : n;
		if (!got)
			*task = tasks[0];
		WARN_ON_ONCE(wsq_engine_put_many(me, tasks + !got, n - !got,
						 &opened) != n - !got);
		got += n;
		/* One that came whole may have more behind it. */
	} while (n == max && got < most);
	return got;
}

/* wsq_search_steal(), and a batch if that is all there is to be stored. */
static int wsq_rob_engine(const struct wsq_search *s,
			  const struct wsq_pool *pool, struct wsq_container *ct,
			  struct wsq_container *me, void **tasks,
			  unsigned int nr)
{
	u32 most = nr == 1 && me ? wsq_victim_most(pool) : 1;
	int n;

	if (most > 1 && wsq_put_begin(me)) {
		if (wsq_get_begin(me)) {
			n = wsq_rob_haul(s, ct, me, tasks, most);
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

/* All there is to look at of one victim. */
static unsigned int wsq_rob_one(struct wsq_pool *pool, struct wsq_container *ct,
				struct wsq_container *me, void **tasks,
				unsigned int nr)
{
	unsigned int n = wsq_rob_engine(NULL, pool, ct, me, tasks, nr);

	if (n)
		return n;
	tasks[0] = wsq_raw_rob(ct, me);
	if (!tasks[0] && atomic_read(&ct->orphan) != WSQ_OWNED)
		tasks[0] = wsq_raw_foster_get(ct);
	return !!tasks[0];
}

/* By the policy. */
static unsigned int wsq_rob_chosen(struct wsq_pool *pool,
				   struct wsq_container *me,
				   const struct wsq_access *list, void **tasks,
				   unsigned int nr)
{
	const struct wsq_victim *v;
	struct wsq_search s;
	unsigned int n;

	wsq_search_begin(&s, pool, list);
	while ((v = wsq_search_draw(&s))) {
		struct wsq_container *ct = wsq_pool_any(pool, v->cpu);

		if (!ct || !wsq_search_accept(&s, ct))
			continue;
		n = wsq_search_sampled(&s) ?
		    wsq_rob_engine(&s, pool, ct, me, tasks, nr) :
		    wsq_rob_one(pool, ct, me, tasks, nr);
		if (!n)
			continue;
		wsq_search_found(&s);
		return n;
	}
	return 0;
}

/* By the policy; then look at all other CPUs once, the nearest first. */
static unsigned int wsq_rob_any(struct wsq_pool *pool, struct wsq_container *me,
				void **tasks, unsigned int nr)
{
	const struct wsq_access *list;
	unsigned int i, n;

	/* AL(rob:A): Pairs with the release in wsq_topology_access(). */
	list = smp_load_acquire(&pool->topo->access[smp_processor_id()]);
	if (!list)
		return 0;
	n = wsq_rob_chosen(pool, me, list, tasks, nr);
	for (i = 0; i < list->nr && !n; i++) {
		struct wsq_container *ct;

		ct = wsq_pool_any(pool, list->victims[i].cpu);
		if (ct)
			n = wsq_rob_one(pool, ct, me, tasks, nr);
	}
	return n;
}

/*
 * No task was found, but a theft is under way: look again at all CPUs until the
 * victim's CPU has answered. It may bring nothing, if another CPU was faster.
 *
 * Preemption is off, and the victim's CPU may have its interrupts off for long.
 * So this ends after WSQ_ROB_AWAIT_NS, or if another task wants this CPU. The
 * theft goes on: the next take of this CPU gets what it brings. Each turn of
 * the loop is a pass over all CPUs that found nothing, as wsq_pool_pop() says
 * of %NULL, and wsq_pool_was_empty() sees the tasks of a chunk that is being
 * stolen.
 */
static unsigned int wsq_rob_await(struct wsq_pool *pool,
				  struct wsq_container *me, void **tasks,
				  unsigned int nr)
{
	unsigned int n = 0;
	u64 from = 0, now;

	while (!n && wsq_engine_raid(me)) {
		now = ktime_get_mono_fast_ns();
		if (!from)
			from = now;
		else if ((s64)(now - from) > WSQ_ROB_AWAIT_NS || need_resched())
			break;
		cpu_relax();
		tasks[0] = wsq_raw_get(me);
		n = !!tasks[0];
		/* No other is begun while there is this one. */
		if (wsq_engine_raid(me)) {
			n = n ?: wsq_rob_any(pool, me, tasks, nr);
		} else if (!n) {
			/* Or an interrupt has ended it, and left some of it. */
			tasks[0] = wsq_raw_get(me);
			n = !!tasks[0];
		}
	}
	return n;
}

/**
 * wsq_rob() - take tasks of a raw pool from other CPUs
 * @pool: the pool
 * @me: container of this CPU, %NULL if it has none
 * @tasks: where to store them
 * @nr: how many at most, not 0
 *
 * Context: any but NMI, with preemption off.
 * Return: how many were taken, all from one CPU; the rest of a batch, or of a
 * chunk, is in @me.
 */
unsigned int wsq_rob(struct wsq_pool *pool, struct wsq_container *me,
		     void **tasks, unsigned int nr)
{
	return wsq_rob_any(pool, me, tasks, nr) ?:
	       wsq_rob_await(pool, me, tasks, nr);
}
