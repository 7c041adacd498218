// SPDX-License-Identifier: GPL-2.0
/*
 * What a mixing thread does, at random, by weight.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/printk.h>

#include "torture.h"

/**
 * torture_some_cpu() - a random online CPU
 * @rnd: random state
 *
 * Context: any.
 * Return: the CPU; it may go offline at any time.
 */
unsigned int torture_some_cpu(struct rnd_state *rnd)
{
	unsigned int cpu;

	cpu = cpumask_next((int)torture_roll(rnd, nr_cpu_ids) - 1,
			   cpu_online_mask);
	return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
}

/**
 * torture_pause() - wait for a time between none and a few milliseconds
 * @rnd: random state
 *
 * Context: task; may sleep.
 */
void torture_pause(struct rnd_state *rnd)
{
	switch (torture_roll(rnd, 8)) {
	case 0:
		schedule_timeout_idle(1);
		break;
	case 1:
		usleep_range(50, 500);
		break;
	case 2:
	case 3:
		mdelay(torture_roll(rnd, 2));
		break;
	case 4:
	case 5:
		udelay(torture_roll(rnd, 10));
		break;
	default:
		break;
	}
}

/* A random item, half the time one that is running if there is one. */
static struct torture_item *mix_item(struct rnd_state *rnd)
{
	struct torture_item *it = torture_some_item(rnd);
	unsigned int i, start = it->nr;

	if (torture_one_in(rnd, 2))
		return it;
	for (i = 0; i < torture_nr_items(); i++) {
		it = torture_item((start + i) % torture_nr_items());
		if (atomic_read(&it->in_func))
			break;
	}
	return it;
}

static void mix_queue(struct torture_thread *t)
{
	struct torture_item *it = torture_one_in(&t->actor.rnd, 8) ?
				  mix_item(&t->actor.rnd) :
				  torture_some_item(&t->actor.rnd);

	if (torture_enter(it)) {
		torture_put(&t->actor, it);
		torture_leave(it);
	}
}

static void mix_cancel(struct torture_thread *t)
{
	struct torture_item *it = mix_item(&t->actor.rnd);

	if (torture_enter(it)) {
		torture_cancel_item(&t->actor, it);
		torture_leave(it);
	}
}

static void mix_cancel_sync(struct torture_thread *t)
{
	struct torture_item *it = mix_item(&t->actor.rnd);
	bool ret;

	if (it->kind == TORTURE_SAID || it->kind == TORTURE_MOD ||
	    !torture_enter(it))
		return;
	if (atomic_read(&it->in_func))
		torture_inc(TC_CANCEL_SYNC_RUNNING);
	ret = wsq_cancel_work_sync(&it->dwork.work);
	if (ret)
		atomic_inc(&it->cancelled);
	torture_inc(ret ? TC_CANCEL_SYNC_TRUE : TC_CANCEL_SYNC_FALSE);
	torture_leave(it);
}

/* While disabled, the item must not run, however often it is put. */
static void mix_disable(struct torture_thread *t)
{
	struct torture_item *it = mix_item(&t->actor.rnd);
	struct wsq_work *work = &it->dwork.work;
	bool ret;

	if ((it->kind != TORTURE_DISABLE && it->kind != TORTURE_DELAYED) ||
	    !torture_enter(it))
		return;
	if (atomic_read(&it->in_func))
		torture_inc(TC_DISABLE_RUNNING);
	if (torture_one_in(&t->actor.rnd, 2)) {
		ret = wsq_disable_work_sync(work);
	} else {
		ret = wsq_disable_work(work);
		wsq_flush_work(work);
	}
	if (ret)
		atomic_inc(&it->cancelled);
	torture_inc(ret ? TC_DISABLE_TRUE : TC_DISABLE_FALSE);

	atomic_inc(&it->held);
	if (atomic_read(&it->in_func))
		torture_item_err(it, "runs after it was disabled");
	if (it->kind == TORTURE_DELAYED && torture_one_in(&t->actor.rnd, 2))
		ret = wsq_queue_delayed_work(it->q, &it->dwork, 1);
	else
		ret = wsq_queue_work(it->q, work);
	if (ret) {
		atomic_inc(&it->queued);
		torture_item_err(it, "could be queued while disabled");
	} else {
		torture_inc(TC_REFUSED);
	}
	torture_pause(&t->actor.rnd);
	if (atomic_read(&it->in_func))
		torture_item_err(it, "runs while disabled");
	atomic_dec(&it->held);
	if (wsq_enable_work(work))
		torture_inc(TC_ENABLED);
	torture_leave(it);
}

/* The item must have seen this thread's value when the flush returns. */
static void mix_flush_work(struct torture_thread *t)
{
	struct torture_item *it = mix_item(&t->actor.rnd);
	bool ret, said = false;
	u32 word = 0;

	if (!torture_enter(it))
		return;
	if (it->kind == TORTURE_SAID) {
		word = it->said[t->actor.slot] + 1;
		WRITE_ONCE(it->said[t->actor.slot], word);
		said = wsq_queue_work(it->q, &it->dwork.work);
		if (said)
			atomic_inc(&it->queued);
		torture_inc(said ? TC_QUEUE_TRUE : TC_QUEUE_FALSE);
	}
	if (it->kind == TORTURE_DELAYED || it->kind == TORTURE_MOD) {
		ret = wsq_flush_delayed_work(&it->dwork);
		torture_inc(ret ? TC_FLUSH_DELAYED_TRUE :
			    TC_FLUSH_DELAYED_FALSE);
	} else {
		ret = wsq_flush_work(&it->dwork.work);
		torture_inc(ret ? TC_FLUSH_WORK_TRUE : TC_FLUSH_WORK_FALSE);
	}
	/* Only a thread that newly queued the item can rely on the flush. */
	if (said && (s32)(READ_ONCE(it->seen[t->actor.slot]) - word) < 0)
		torture_item_err(it, "has not run when its flush returned");
	torture_leave(it);
}

static void mix_flush(struct torture_thread *t)
{
	wsq_flush(torture_some_queue(&t->actor.rnd));
	torture_inc(TC_FLUSH);
}

static void mix_quiet(struct torture_thread *t)
{
	torture_quiet(&t->actor, torture_some_item(&t->actor.rnd));
}

static void mix_pause(struct torture_thread *t)
{
	torture_pause(&t->actor.rnd);
}

/* Move to some CPU, until the next call of this. */
static void mix_move(struct torture_thread *t)
{
	unsigned int cpu = torture_some_cpu(&t->actor.rnd);

	if (torture_one_in(&t->actor.rnd, 4)) {
		set_cpus_allowed_ptr(current, cpu_possible_mask);
		return;
	}
	/* Not to a CPU that is going offline, as in wsq_worker_return(). */
	cpus_read_lock();
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
	cpus_read_unlock();
}

static const struct {
	const char *name;
	unsigned int weight;
	void (*fn)(struct torture_thread *t);
} mix_ops[] = {
	{ "queue", 600, mix_queue },
	{ "cancel", 60, mix_cancel },
	{ "cancel sync", 40, mix_cancel_sync },
	{ "disable", 60, mix_disable },
	{ "flush work", 30, mix_flush_work },
	{ "flush", 5, mix_flush },
	{ "quiet", 20, mix_quiet },
	{ "pause", 30, mix_pause },
	{ "move", 10, mix_move },
	{ "interrupt", 80, torture_kick },
	{ "own flush", 20, torture_own_flush },
	{ "own cancel", 60, torture_own_cancel },
	{ "own free", 60, torture_own_free },
	{ "own flush queue", 5, torture_own_flush_queue },
	{ "own on CPU", 20, torture_own_on_cpu },
	{ "own disable", 10, torture_own_disable },
	{ "own stack", 10, torture_own_stack },
	{ "own heard", 5, torture_own_heard },
	{ "own futile", 5, torture_own_futile },
	{ "own nested", 15, torture_own_nested },
	{ "timed wait", 3, torture_timed_wait },
	{ "timed mod", 3, torture_timed_mod },
	{ "timed cancel", 20, torture_timed_cancel },
	{ "job", 5, torture_job },
	{ "pool", 100, torture_pool_round },
	{ "pool with multiplicity", 60, torture_mult_round },
	{ "serial", 60, torture_serial_round },
	{ "serial life", 20, torture_serial_life },
	{ "calls", 60, torture_call_round },
	{ "call mesh", 30, torture_mesh_round },
	{ "call wait", 20, torture_call_wait },
	{ "fork-join", 40, torture_forkjoin_round },
	{ "fork-join life", 10, torture_forkjoin_life },
};

/**
 * torture_mix_round() - one random operation, by weight
 * @t: the thread
 */
void torture_mix_round(struct torture_thread *t)
{
	unsigned int i, sum = 0, at;

	for (i = 0; i < ARRAY_SIZE(mix_ops); i++)
		sum += mix_ops[i].weight;
	at = torture_roll(&t->actor.rnd, sum);
	for (i = 0; at >= mix_ops[i].weight; i++)
		at -= mix_ops[i].weight;
	WRITE_ONCE(t->doing, mix_ops[i].name);
	mix_ops[i].fn(t);
}
