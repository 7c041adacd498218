// SPDX-License-Identifier: GPL-2.0
/*
 * Ways to queue a shared item, and to cancel it, from any context.
 */
#include <linux/topology.h>

#include "torture.h"

/*
 * Puts that return whether the item was newly queued. The value that the
 * function must see is stored last.
 */
static bool torture_put_plain(struct torture_actor *a, struct torture_item *it)
{
	struct wsq_work *work = &it->dwork.work;
	u32 how = torture_roll(&a->rnd, 6);
	unsigned int cpu = torture_some_cpu(&a->rnd);
	struct wsq *q = it->q;
	bool ret;

	/* To another queue; the item may still run on the first. */
	if (it->kind == TORTURE_PLAIN && torture_one_in(&a->rnd, 4))
		q = torture_some_queue(&a->rnd);
	/* A plain store: wsq_queue_work() must make it visible. */
	if (it->kind == TORTURE_SAID)
		WRITE_ONCE(it->said[a->slot], it->said[a->slot] + 1);
	switch (how) {
	case 0:
		ret = wsq_queue_work_on(cpu, q, work);
		torture_inc(TC_QUEUE_ON);
		break;
	case 1:
		ret = wsq_queue_work_node(cpu_to_node(cpu), q, work);
		torture_inc(TC_QUEUE_NODE);
		break;
	default:
		ret = wsq_queue_work(q, work);
	}
	return ret;
}

/* Put some of the group, starting with @it, the last perhaps twice. */
static unsigned int torture_put_many(struct torture_actor *a,
				     struct torture_item *it)
{
	unsigned int i, nr = 1 + torture_roll(&a->rnd, TORTURE_GROUP);
	unsigned int first = it - it->leader;
	struct wsq_work *works[TORTURE_GROUP + 1];

	for (i = 0; i < nr; i++)
		works[i] = &it->leader[(first + i) % TORTURE_GROUP].dwork.work;
	if (torture_one_in(&a->rnd, 4)) {
		works[nr] = works[nr - 1];
		nr++;
	}
	i = wsq_queue_work_many(it->q, works, nr);
	if (i > nr)
		torture_item_err(it, "more were queued than were given");
	torture_add(TC_QUEUE_MANY, i);
	return i;
}

static bool torture_put_delayed(struct torture_actor *a,
				struct torture_item *it)
{
	unsigned long delay = torture_roll(&a->rnd, 4) ?
			      torture_roll(&a->rnd, 5) : 0;
	unsigned int cpu = torture_some_cpu(&a->rnd);
	bool ret;

	if (it->kind == TORTURE_MOD && torture_one_in(&a->rnd, 2)) {
		if (torture_one_in(&a->rnd, 3))
			ret = wsq_mod_delayed_work_on(cpu, it->q, &it->dwork,
						      delay);
		else
			ret = wsq_mod_delayed_work(it->q, &it->dwork, delay);
		torture_inc(ret ? TC_MOD_TRUE : TC_MOD_FALSE);
		/* It returns whether the item was pending before. */
		return !ret;
	}
	if (torture_one_in(&a->rnd, 3))
		ret = wsq_queue_delayed_work_on(cpu, it->q, &it->dwork, delay);
	else
		ret = wsq_queue_delayed_work(it->q, &it->dwork, delay);
	torture_inc(ret ? TC_DELAYED_TRUE : TC_DELAYED_FALSE);
	return ret;
}

/**
 * torture_put() - queue an item, in a way that suits its kind
 * @a: the actor
 * @it: the item; its group was entered
 *
 * Context: any.
 */
void torture_put(struct torture_actor *a, struct torture_item *it)
{
	bool running = atomic_read(&it->in_func);
	struct torture_item *counter = it;
	unsigned int nr;

	if (it->kind == TORTURE_SAID && a->slot >= torture_nr_slots)
		return;
	WRITE_ONCE(it->put_cpu, raw_smp_processor_id());
	switch (it->kind) {
	case TORTURE_BATCH:
		counter = it->leader;
		if (torture_one_in(&a->rnd, 2)) {
			nr = torture_put_many(a, it);
			break;
		}
		nr = torture_put_plain(a, it);
		break;
	case TORTURE_DELAYED:
	case TORTURE_MOD:
		nr = torture_put_delayed(a, it);
		break;
	default:
		nr = torture_put_plain(a, it);
	}
	torture_inc(nr ? TC_QUEUE_TRUE : TC_QUEUE_FALSE);
	if (!nr)
		return;
	atomic_add(nr, &counter->queued);
	if (running)
		torture_inc(TC_QUEUE_RUNNING);
	if (a->ctx == TORTURE_HARDIRQ)
		torture_inc(TC_QUEUE_HARDIRQ);
	else if (a->ctx == TORTURE_SOFTIRQ)
		torture_inc(TC_QUEUE_SOFTIRQ);
}

/**
 * torture_cancel_item() - cancel an item without waiting
 * @a: the actor
 * @it: the item; its group was entered
 *
 * Context: any.
 */
void torture_cancel_item(struct torture_actor *a, struct torture_item *it)
{
	bool ret;

	if (it->kind == TORTURE_SAID)
		return;
	ret = wsq_cancel_work(&it->dwork.work);
	if (ret)
		atomic_inc(&it->cancelled);
	torture_inc(ret ? TC_CANCEL_TRUE : TC_CANCEL_FALSE);
	if (a->ctx != TORTURE_TASK)
		torture_inc(TC_CANCEL_IRQ);
}
