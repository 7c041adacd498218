// SPDX-License-Identifier: GPL-2.0
/*
 * Queues: the shared ones, a thread that changes their CPUs, and one that
 * creates, drains and destroys queues of its own.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "own.h"

#define MAX_QUEUES		256

/* Items for a queue that is soon destroyed. */
#define CHURN_ITEMS		48

#define TORTURE_ENGINE(type, name, ...)	{ type, #name },

const struct torture_engine torture_engines[WSQ_NR_ENGINES] = {
	WSQ_ENGINES(TORTURE_ENGINE)
};

static struct wsq *queues[MAX_QUEUES];
static unsigned int nr_queues;

/**
 * torture_queue() - a shared queue by its number
 * @nr: number; queue 0 always has all possible CPUs
 *
 * Return: the queue.
 */
struct wsq *torture_queue(unsigned int nr)
{
	return queues[nr];
}

/**
 * torture_some_queue() - a random shared queue
 * @rnd: random state
 *
 * Return: the queue.
 */
struct wsq *torture_some_queue(struct rnd_state *rnd)
{
	return queues[torture_roll(rnd, nr_queues)];
}

/*
 * Attributes of all queues here. Most are small, so that containers overflow
 * and blocks are stolen.
 */
static void queue_attrs(struct wsq_attrs *attrs, struct rnd_state *rnd,
			bool plain)
{
	static const u32 blocks[] = { 0, 2, 3, 8 };
	static const u32 sizes[] = { 0, 2, 4, 16 };

	memset(attrs, 0, sizeof(*attrs));
	if (plain)
		return;
	attrs->engine = torture_engines[torture_roll(rnd, WSQ_NR_ENGINES)].engine;
	attrs->blocks = blocks[torture_roll(rnd, ARRAY_SIZE(blocks))];
	attrs->block_size = sizes[torture_roll(rnd, ARRAY_SIZE(sizes))];
	if (torture_one_in(rnd, 2))
		attrs->max_blocks = max(attrs->blocks, 8U) +
				    torture_roll(rnd, 57);
	attrs->steal_policy = torture_roll(rnd, WSQ_STEAL_NUMA_PROB + 1);
	attrs->steal_batch = torture_roll(rnd, WSQ_BATCH_BLOCK + 1);
	if (torture_one_in(rnd, 4))
		attrs->flags |= WSQ_MEM_RECLAIM;
	if (torture_one_in(rnd, 4))
		attrs->flags |= WSQ_RESIDENT;
	if (torture_one_in(rnd, 4))
		attrs->flags |= WSQ_SYSFS;
	if (torture_one_in(rnd, 4))
		attrs->class = WSQ_CLASS_HIGH;
	if (torture_one_in(rnd, 4))
		attrs->flags |= WSQ_FREEZABLE;
}

/*
 * Let a queue keep order, if its items do not wait for each other. What else an
 * engine has means nothing then.
 */
static void some_order(struct wsq_attrs *attrs, struct rnd_state *rnd)
{
	u32 flags = attrs->flags & ~WSQ_RESIDENT;

	if (!torture_one_in(rnd, 3))
		return;
	*attrs = (struct wsq_attrs){
		.flags = flags | WSQ_ORDERED,
		.class = attrs->class,
		.steal_policy = attrs->steal_policy,
		.steal_batch = attrs->steal_batch,
	};
}

/**
 * torture_queue_attrs() - random attributes of a queue
 * @attrs: filled in
 * @rnd: random state
 */
void torture_queue_attrs(struct wsq_attrs *attrs, struct rnd_state *rnd)
{
	queue_attrs(attrs, rnd, false);
}

/**
 * torture_solo_cpu() - the CPU of a queue that has only one
 *
 * While it is offline, its items run elsewhere, so it is a CPU that stays
 * online. Hotplug leaves the first CPU alone.
 *
 * Return: the CPU.
 */
unsigned int torture_solo_cpu(void)
{
	return cpumask_first(torture_boot_cpu ? cpu_possible_mask :
						cpu_online_mask);
}

/*
 * A random mask. One of its CPUs is online when it is picked, and may go
 * offline before the queue has the mask. With boot_cpu, the mask includes the
 * first CPU.
 */
static void some_cpus(struct cpumask *mask, struct rnd_state *rnd)
{
	unsigned int cpu;

	cpumask_clear(mask);
	for_each_possible_cpu(cpu)
		if (torture_one_in(rnd, 2))
			cpumask_set_cpu(cpu, mask);
	cpumask_set_cpu(torture_some_cpu(rnd), mask);
	if (torture_boot_cpu)
		cpumask_set_cpu(cpumask_first(cpu_possible_mask), mask);
}

/**
 * torture_queues_create() - create the shared queues
 * @rnd: random state
 * @nr: number of queues; at least two are created
 *
 * Return: 0 or a negative errno; torture_queues_destroy() is due in both cases.
 */
int torture_queues_create(struct rnd_state *rnd, unsigned int nr)
{
	u32 first = torture_roll(rnd, WSQ_NR_ENGINES);

	nr = clamp(nr, 2U, (unsigned int)MAX_QUEUES);
	while (nr_queues < nr) {
		struct wsq_attrs attrs;
		struct wsq *q;

		queue_attrs(&attrs, rnd, !nr_queues);
		/* Each engine in turn, so that every run has all of them. */
		if (nr_queues)
			attrs.engine = torture_engines[(first + nr_queues) %
						       WSQ_NR_ENGINES].engine;
		/* Queue 0 is a normal one, so that every run has both. */
		if (nr_queues == 1)
			attrs.class = WSQ_CLASS_HIGH;
		attrs.cpumask = cpu_possible_mask;
		q = wsq_create(&attrs, "torture%u", nr_queues);
		if (IS_ERR(q))
			return PTR_ERR(q);
		queues[nr_queues++] = q;
	}
	return 0;
}

/**
 * torture_queues_drain() - drain the shared queues
 */
void torture_queues_drain(void)
{
	unsigned int i;

	for (i = 0; i < nr_queues; i++)
		wsq_drain(queues[i]);
}

/**
 * torture_queues_destroy() - destroy the shared queues
 */
void torture_queues_destroy(void)
{
	while (nr_queues)
		wsq_destroy(queues[--nr_queues]);
}

/* Change how the CPUs of a shared queue steal. */
static void change_steal(struct rnd_state *rnd)
{
	u32 policy = torture_roll(rnd, WSQ_STEAL_NUMA_PROB + 1);
	u32 batch = torture_roll(rnd, WSQ_BATCH_BLOCK + 1);
	int ret = wsq_set_steal(torture_some_queue(rnd), policy, batch);

	if (ret)
		torture_err("wsq_set_steal() of %u, %u returned %d", policy,
			    batch, ret);
}

/**
 * torture_cpumask_round() - change the CPUs and the policies of shared queues
 * @t: the thread
 */
void torture_cpumask_round(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	cpumask_var_t mask;
	int ret;

	WRITE_ONCE(t->doing, "set cpumask");
	schedule_timeout_idle(1 + torture_roll(rnd, HZ / 20));
	change_steal(rnd);
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return;
	if (torture_one_in(rnd, 4))
		cpumask_copy(mask, cpu_possible_mask);
	else
		some_cpus(mask, rnd);
	ret = wsq_set_cpumask(queues[1 + torture_roll(rnd, nr_queues - 1)],
			      mask);
	if (!ret)
		torture_inc(TC_CPUMASK);
	else if (ret == -ENOMEM)
		torture_inc(TC_NO_MEMORY);
	else
		torture_err("wsq_set_cpumask() of %*pbl returned %d",
			    cpumask_pr_args(mask), ret);
	free_cpumask_var(mask);
}

/* Fill a queue with items that queue themselves again, and others. */
static unsigned int churn_fill(struct wsq *q, struct rnd_state *rnd,
			       struct torture_own **all, unsigned int *chain)
{
	unsigned int i, nr = torture_roll(rnd, CHURN_ITEMS);

	for (i = 0; i < nr; i++) {
		struct torture_own *o;

		if (torture_one_in(rnd, 4)) {
			o = torture_own_new(q, TORTURE_OWN_FREES);
			if (o)
				torture_own_put(o, rnd);
		}
		all[i] = torture_own_new(q, torture_one_in(rnd, 8) ?
					 TORTURE_OWN_SLOW : 0);
		if (!all[i])
			break;
		chain[i] = torture_roll(rnd, 6);
		all[i]->chain = chain[i];
		torture_own_put(all[i], rnd);
	}
	return i;
}

static void churn_check(struct torture_own **all, const unsigned int *chain,
			unsigned int nr, const char *after)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		torture_own_ran(all[i], chain[i] + 1, after);
		torture_own_dispose(all[i], i & 1);
	}
}

/* A timer that is cancelled before its queue is destroyed. */
static void churn_timer(struct wsq *q, struct rnd_state *rnd)
{
	struct torture_own *o = torture_own_new(q, TORTURE_OWN_TIMED);
	unsigned int ran = 1;

	if (!o)
		return;
	o->said = prandom_u32_state(rnd);
	o->due = jiffies + 1;
	if (!wsq_queue_delayed_work(q, &o->dwork, 1))
		torture_err("own timed item was not queued on a new queue");
	torture_pause(rnd);
	ran -= wsq_cancel_delayed_work_sync(&o->dwork);
	torture_own_ran(o, ran, "cancel before its queue goes");
	torture_own_dispose(o, torture_one_in(rnd, 2));
}

/**
 * torture_churn_round() - create a queue, use it, destroy it
 * @t: the thread
 */
void torture_churn_round(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_own *all[CHURN_ITEMS];
	unsigned int nr, chain[CHURN_ITEMS];
	struct wsq_attrs attrs;
	cpumask_var_t mask;
	struct wsq *q;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return;
	queue_attrs(&attrs, rnd, false);
	some_order(&attrs, rnd);
	if (torture_one_in(rnd, 2)) {
		some_cpus(mask, rnd);
		attrs.cpumask = mask;
	}
	WRITE_ONCE(t->doing, "create");
	q = wsq_create(&attrs, "churn");
	free_cpumask_var(mask);
	if (IS_ERR(q)) {
		if (PTR_ERR(q) == -ENOMEM)
			torture_inc(TC_NO_MEMORY);
		else
			torture_err("wsq_create() returned %ld", PTR_ERR(q));
		return;
	}
	torture_inc(TC_CREATE);
	if (torture_one_in(rnd, 2)) {
		WRITE_ONCE(t->doing, "drain");
		nr = churn_fill(q, rnd, all, chain);
		wsq_drain(q);
		torture_inc(TC_DRAIN);
		churn_check(all, chain, nr, "drain");
	}
	if (torture_one_in(rnd, 2)) {
		WRITE_ONCE(t->doing, "cancel before destroy");
		churn_timer(q, rnd);
	}
	nr = churn_fill(q, rnd, all, chain);
	WRITE_ONCE(t->doing, "destroy");
	wsq_destroy(q);
	torture_inc(TC_DESTROY);
	churn_check(all, chain, nr, "destroy");
	WRITE_ONCE(t->doing, "pause");
	if (torture_one_in(rnd, 4))
		schedule_timeout_idle(1 + torture_roll(rnd, HZ / 20));
}
