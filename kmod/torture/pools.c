// SPDX-License-Identifier: GPL-2.0
/*
 * Pools that are always full: a few tiny ones, one for each engine and each
 * overflow rule. Threads and interrupts push to them and pop from them at
 * random. What is pushed comes out exactly once, or is run inline, or its push
 * has failed.
 *
 * A task is a ticket: a word of the pool that is taken before the push and
 * returned by the context that gets the task in the end. A ticket that is
 * returned twice came out twice; one that is never returned was lost.
 *
 * A separate thread pops now and then, here and from the pools of mult.c, because
 * all others may be waiting to push at the same time. When all others have
 * ended, the last thread pops what is left on each CPU, since some of a CPU's
 * tasks may be reachable only from there.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/wsq_pool.h>

#include "torture.h"

/* Tickets of a pool: more than its capacity on any machine of some size. */
#define POOL_TICKETS	2048

/* Tasks pushed or popped at once, at most. */
#define POOL_MANY	8

/* Rounds over all CPUs in which no task comes out: the others are lost. */
#define POOL_ROUNDS	1000

/* Words of a ticket. */
#define TICKET_FREE	0
#define TICKET_OUT	1

#define POOL_RULES	(WSQ_OVERFLOW_WAIT + 1)
#define NR_POOLS	(WSQ_NR_ENGINES * POOL_RULES)

/**
 * struct torture_pool - a pool and its tickets
 * @pool: the pool
 * @rule: its overflow rule
 * @tickets: words, %TICKET_OUT while the task is pushed and has not come out
 */
struct torture_pool {
	struct wsq_pool *pool;
	enum wsq_overflow rule;
	atomic_t tickets[POOL_TICKETS];
};

static struct torture_pool *pools;
static struct task_struct *drainer;

static void ticket_back(struct torture_pool *p, atomic_t *ticket)
{
	if (ticket < p->tickets || ticket >= p->tickets + POOL_TICKETS)
		torture_err("pool of rule %d: %p was never pushed", p->rule,
			    ticket);
	else if (atomic_cmpxchg(ticket, TICKET_OUT, TICKET_FREE) != TICKET_OUT)
		torture_err("pool of rule %d: ticket %td came out twice",
			    p->rule, ticket - p->tickets);
}

static atomic_t *ticket_new(struct torture_pool *p, struct torture_actor *a)
{
	unsigned int tries;

	for (tries = 0; tries < 8; tries++) {
		atomic_t *t = &p->tickets[torture_roll(&a->rnd, POOL_TICKETS)];

		if (atomic_cmpxchg(t, TICKET_FREE, TICKET_OUT) == TICKET_FREE)
			return t;
	}
	return NULL;
}

static void pool_inline(void *task, void *arg)
{
	torture_inc(TC_POOL_INLINE);
	ticket_back(arg, task);
}

static void pool_push(struct torture_actor *a, struct torture_pool *p)
{
	unsigned int nr = 0, want = 1 + torture_roll(&a->rnd, POOL_MANY), done;
	bool many = want > 1 && torture_one_in(&a->rnd, 2);
	void *tasks[POOL_MANY];
	int ret;

	while (nr < want) {
		tasks[nr] = ticket_new(p, a);
		if (!tasks[nr])
			break;
		nr++;
	}
	if (many) {
		done = wsq_pool_push_many(p->pool, tasks, nr);
	} else {
		for (done = 0; done < nr; done++) {
			ret = wsq_pool_push(p->pool, tasks[done]);
			if (ret && ret != -EAGAIN)
				torture_err("a push by rule %d said %d",
					    p->rule, ret);
			if (ret)
				break;
		}
	}
	torture_add(TC_POOL_PUSHED, done);
	torture_add(TC_POOL_FULL, nr - done);
	if (done < nr && (p->rule == WSQ_OVERFLOW_INLINE ||
			  p->rule == WSQ_OVERFLOW_WAIT))
		torture_err("a push by rule %d failed", p->rule);
	while (done < nr)
		ticket_back(p, tasks[done++]);
}

static unsigned int pool_pop(struct torture_pool *p, unsigned int most)
{
	void *tasks[POOL_MANY];
	unsigned int nr, i;

	if (most == 1) {
		tasks[0] = wsq_pool_pop(p->pool);
		nr = !!tasks[0];
	} else {
		nr = wsq_pool_pop_many(p->pool, tasks, most);
	}
	for (i = 0; i < nr; i++)
		ticket_back(p, tasks[i]);
	torture_add(TC_POOL_POPPED, nr);
	return nr;
}

/**
 * torture_pool_ops() - push or pop
 * @a: the actor
 *
 * Context: any but NMI. Pushes to pools that wait only where it can sleep.
 */
void torture_pool_ops(struct torture_actor *a)
{
	struct torture_pool *p = &pools[torture_roll(&a->rnd, NR_POOLS)];
	unsigned int nr = 1 + torture_roll(&a->rnd, 4);

	while (nr--) {
		if (torture_one_in(&a->rnd, 2))
			pool_pop(p, 1 + torture_roll(&a->rnd, POOL_MANY));
		else if (p->rule != WSQ_OVERFLOW_WAIT || a->ctx == TORTURE_TASK)
			pool_push(a, p);
	}
}

/**
 * torture_pool_round() - a few pushes and pops
 * @t: the thread
 */
void torture_pool_round(struct torture_thread *t)
{
	torture_pool_ops(&t->actor);
}

/* Contexts that wait to push make progress even if no other context pops. */
static int drain_fn(void *arg)
{
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < NR_POOLS; i++)
			pool_pop(&pools[i], 1);
		torture_mult_drain();
		schedule_timeout_idle(1);
	}
	return 0;
}

static void drainer_stop(void)
{
	if (drainer)
		kthread_stop(drainer);
	drainer = NULL;
}

static unsigned int pools_out(bool tell)
{
	unsigned int i, k, out = 0;

	for (i = 0; i < NR_POOLS; i++) {
		struct torture_pool *p = &pools[i];

		for (k = 0; k < POOL_TICKETS; k++) {
			if (atomic_read(&p->tickets[k]) == TICKET_FREE)
				continue;
			out++;
			if (tell)
				torture_err("pool of rule %d: ticket %u was lost",
					    p->rule, k);
		}
	}
	return out;
}

/**
 * torture_pools_finish() - pop all, when no other context pushes or pops
 *
 * CPUs may still go online and offline, and tasks may be on their way from one
 * CPU to another. So one round that finds nothing proves nothing, but many do:
 * each tries all CPUs, and a jiffy is between two.
 *
 * Context: task, a thread that may be moved; sleeps.
 */
void torture_pools_finish(void)
{
	unsigned int cpu, i, rounds = 0;
	int ret;

	drainer_stop();
	while (pools_out(false) && rounds++ < POOL_ROUNDS) {
		for_each_possible_cpu(cpu) {
			cpus_read_lock();
			ret = set_cpus_allowed_ptr(current, cpumask_of(cpu));
			cpus_read_unlock();
			if (ret)
				continue;
			for (i = 0; i < NR_POOLS; i++)
				while (pool_pop(&pools[i], 1))
					rounds = 0;
		}
		schedule_timeout_idle(1);
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	pools_out(true);
}

/**
 * torture_pools_destroy() - free the pools
 */
void torture_pools_destroy(void)
{
	unsigned int i;

	if (!pools)
		return;
	drainer_stop();
	for (i = 0; i < NR_POOLS; i++)
		wsq_pool_destroy(pools[i].pool);
	kvfree(pools);
}

/**
 * torture_pools_create() - create the pools
 * @rnd: random state
 *
 * Return: 0 or a negative errno; torture_pools_destroy() is due in both cases.
 */
int torture_pools_create(struct rnd_state *rnd)
{
	struct task_struct *task;
	unsigned int i;

	pools = kvcalloc(NR_POOLS, sizeof(*pools), GFP_KERNEL);
	if (!pools)
		return -ENOMEM;
	for (i = 0; i < NR_POOLS; i++) {
		struct torture_pool *p = &pools[i];
		struct wsq_attrs attrs = {
			.engine = torture_engines[i / POOL_RULES].engine,
			.blocks = 2,
			.block_size = 2 + torture_roll(rnd, 7),
			.overflow = i % POOL_RULES,
		};
		struct wsq_pool *pool;

		if (attrs.overflow == WSQ_OVERFLOW_INLINE) {
			attrs.overflow_fn = pool_inline;
			attrs.overflow_arg = p;
		}
		if (torture_one_in(rnd, 2))
			attrs.max_blocks = 2 + torture_roll(rnd, 7);
		p->rule = attrs.overflow;
		pool = wsq_pool_create(&attrs, "torture/pool%u", i);
		if (IS_ERR(pool))
			return PTR_ERR(pool);
		p->pool = pool;
	}
	task = kthread_run(drain_fn, NULL, "wsq_torture_pop");
	if (IS_ERR(task))
		return PTR_ERR(task);
	drainer = task;
	return 0;
}
