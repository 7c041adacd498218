// SPDX-License-Identifier: GPL-2.0
/*
 * Items that one thread creates, queues about once, and frees as early as
 * allowed: right after wsq_cancel_work_sync() or a flush, or in the item's own
 * function.
 *
 * A freed item is poisoned. Half of them go back to the allocator at once, for
 * KASAN to watch. The others stay in quarantine for a while, so that a later
 * write to the item, or call of its function, is found on any kernel.
 */
#include <linux/delay.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "own.h"

/* If more are in quarantine, freed items skip it. */
#define QUARANTINE_MAX		20000

/* Items in a batch of torture_own_flush_queue(). */
#define OWN_BATCH		32

static LLIST_HEAD(in_quarantine);
static struct llist_node *quarantine_old;
static atomic_t nr_quarantine = ATOMIC_INIT(0);
static atomic_t own_alive = ATOMIC_INIT(0);

/**
 * torture_own_alive() - number of own items that are not disposed of
 *
 * Return: that number.
 */
int torture_own_alive(void)
{
	return atomic_read(&own_alive);
}

static void own_dead_fn(struct wsq_work *work)
{
	torture_err("item %p ran after it was freed", work);
}

static void own_poison(struct torture_own *o)
{
	memset((char *)o + sizeof(o->llist), TORTURE_POISON,
	       sizeof(*o) - sizeof(o->llist));
	WRITE_ONCE(o->dwork.work.func, own_dead_fn);
}

static void own_check_poison(struct torture_own *o)
{
	const char *start = (char *)o + sizeof(o->llist);
	const char *bad;

	if (o->dwork.work.func != own_dead_fn)
		torture_err("the function of a freed item was changed");
	memset(&o->dwork.work.func, TORTURE_POISON,
	       sizeof(o->dwork.work.func));
	bad = memchr_inv(start, TORTURE_POISON, sizeof(*o) - sizeof(o->llist));
	if (bad)
		torture_err("a freed item was written to, byte %zd of the work item",
			    bad - (char *)&o->dwork.work);
	else
		torture_inc(TC_QUARANTINE);
}

/**
 * torture_own_dispose() - free an item that no context may touch any more
 * @o: the item
 * @quarantine: keep it for a while to see whether one does
 *
 * Context: task.
 */
void torture_own_dispose(struct torture_own *o, bool quarantine)
{
	atomic_dec(&own_alive);
	if (o->flags & TORTURE_OWN_MOVING)
		return;
	own_poison(o);
	if (quarantine && atomic_read(&nr_quarantine) < QUARANTINE_MAX) {
		atomic_inc(&nr_quarantine);
		llist_add(&o->llist, &in_quarantine);
	} else {
		kfree(o);
	}
}

/**
 * torture_quarantine_rotate() - free what the last call kept, keep newer items
 *
 * Context: task; one at a time.
 */
void torture_quarantine_rotate(void)
{
	struct torture_own *o, *next;

	llist_for_each_entry_safe(o, next, quarantine_old, llist) {
		own_check_poison(o);
		atomic_dec(&nr_quarantine);
		kfree(o);
	}
	quarantine_old = llist_del_all(&in_quarantine);
}

/* Take some time, different in each run of the item. */
static void own_long(const struct torture_own *o)
{
	u32 some = o->said + atomic_read(&o->runs) * 0x9e3779b9;

	if (some & 1)
		usleep_range(50, 1000);
	else
		udelay(some >> 1 & 255);
}

static void own_fn(struct wsq_work *work)
{
	struct torture_own *o = container_of(work, struct torture_own,
					     dwork.work);

	if (o->magic != TORTURE_MAGIC) {
		torture_err("%p, run, is no item", work);
		return;
	}
	if (atomic_inc_return(&o->in_func) != 1)
		torture_err("own item runs twice at the same time");
	if (READ_ONCE(o->held))
		torture_err("own item runs while disabled");
	o->seen = READ_ONCE(o->said);
	o->cpu = raw_smp_processor_id();
	o->ran_at = jiffies;
	if ((o->flags & TORTURE_OWN_TIMED) && time_before(o->ran_at, o->due))
		torture_err("own item ran %lu jiffies before its time",
			    o->due - o->ran_at);
	if (o->flags & TORTURE_OWN_SLOW)
		udelay(9);
	if (o->flags & TORTURE_OWN_LONG)
		own_long(o);
	atomic_inc(&o->runs);
	if (o->chain) {
		o->chain--;
		if (!wsq_queue_work(o->q, work))
			torture_err("own item was pending though it ran");
	} else if (o->flags & TORTURE_OWN_FREES) {
		torture_inc(TC_OWN_FREED_ITSELF);
		torture_own_dispose(o, o->said & 1);
		return;
	}
	atomic_dec(&o->in_func);
}

static void own_init(struct torture_own *o, struct wsq *q, unsigned int flags)
{
	memset(o, 0, sizeof(*o));
	o->magic = TORTURE_MAGIC;
	o->q = q;
	o->flags = flags;
	o->cpu = UINT_MAX;
}

/**
 * torture_own_new() - create an item
 * @q: its queue
 * @flags: TORTURE_OWN_*
 *
 * Context: task; may sleep.
 * Return: the item, or %NULL, which was counted.
 */
struct torture_own *torture_own_new(struct wsq *q, unsigned int flags)
{
	struct torture_own *o = kmalloc(sizeof(*o), GFP_KERNEL | __GFP_NOWARN);

	if (!o) {
		torture_inc(TC_NO_MEMORY);
		return NULL;
	}
	own_init(o, q, flags);
	if (flags & TORTURE_OWN_TIMED)
		INIT_WSQ_DELAYED_WORK(&o->dwork, own_fn);
	else
		INIT_WSQ_WORK(&o->dwork.work, own_fn);
	atomic_inc(&own_alive);
	return o;
}

/**
 * torture_own_ran() - check that an item is idle and has run so often
 * @o: the item
 * @times: how often
 * @after: the call that has just returned
 *
 * On an error the item is never freed, so that the test can go on.
 *
 * Return: %true if so.
 */
bool torture_own_ran(struct torture_own *o, unsigned int times,
		     const char *after)
{
	unsigned int busy = wsq_work_busy(&o->dwork.work);
	int ran = atomic_read(&o->runs);
	int in_func = atomic_read(&o->in_func);

	if (ran == times && !in_func && !busy &&
	    (!times || o->seen == o->said))
		return true;
	torture_err("own item, after %s: ran %d times, not %u; running %d, busy %u, heard %u of %u",
		    after, ran, times, in_func, busy, o->seen, o->said);
	o->flags |= TORTURE_OWN_MOVING;
	return false;
}

/**
 * torture_own_put() - queue an idle item
 * @o: the item
 * @rnd: random state
 *
 * Return: %true, else an error was reported.
 */
bool torture_own_put(struct torture_own *o, struct rnd_state *rnd)
{
	struct wsq_work *work = &o->dwork.work;
	bool ret;

	o->said = prandom_u32_state(rnd);
	if (torture_one_in(rnd, 8))
		ret = wsq_queue_work_on(torture_some_cpu(rnd), o->q, work);
	else
		ret = wsq_queue_work(o->q, work);
	if (!ret)
		torture_err("own item was not queued though it was idle");
	return ret;
}

/* Queue, flush, free. */
void torture_own_flush(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_own *o = torture_own_new(torture_some_queue(rnd),
						torture_one_in(rnd, 2) ?
						TORTURE_OWN_SLOW : 0);

	if (!o || !torture_own_put(o, rnd))
		return;
	if (torture_one_in(rnd, 2))
		torture_pause(rnd);
	wsq_flush_work(&o->dwork.work);
	if (torture_own_ran(o, 1, "flush"))
		torture_inc(TC_OWN_FLUSHED);
	torture_own_dispose(o, torture_one_in(rnd, 2));
}

/* Queue, cancel, free: it has run or was cancelled, and is gone. */
void torture_own_cancel(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_own *o = torture_own_new(torture_some_queue(rnd),
						torture_one_in(rnd, 2) ?
						TORTURE_OWN_SLOW : 0);
	unsigned int put = 1, called = 0;

	if (!o || !torture_own_put(o, rnd))
		return;
	if (torture_one_in(rnd, 2))
		torture_pause(rnd);
	/* A second run may wait for the first to end: cancel that one. */
	if (torture_one_in(rnd, 4) && wsq_queue_work(o->q, &o->dwork.work))
		put++;
	if (torture_one_in(rnd, 4))
		called += wsq_cancel_work(&o->dwork.work);
	called += wsq_cancel_work_sync(&o->dwork.work);
	if (torture_own_ran(o, put - called, "cancel"))
		torture_inc(called ? TC_OWN_CANCELLED : TC_OWN_TOO_LATE);
	torture_own_dispose(o, torture_one_in(rnd, 2));
}

/* Queue and forget; the function queues it again, then frees it. */
void torture_own_free(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_own *o = torture_own_new(torture_some_queue(rnd),
						TORTURE_OWN_FREES);

	if (!o)
		return;
	o->chain = torture_one_in(rnd, 4) ? torture_roll(rnd, 4) : 0;
	torture_own_put(o, rnd);
}

/* A batch, queued in any way, has run when the flush of its queue returns. */
void torture_own_flush_queue(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct wsq *q = torture_some_queue(rnd);
	unsigned int i, nr, want = 1 + torture_roll(rnd, OWN_BATCH);
	struct torture_own *all[OWN_BATCH];
	struct wsq_work *works[OWN_BATCH];
	bool many = torture_one_in(rnd, 2);

	for (nr = 0; nr < want; nr++) {
		all[nr] = torture_own_new(q, nr ? 0 : TORTURE_OWN_SLOW);
		if (!all[nr])
			break;
		works[nr] = &all[nr]->dwork.work;
		all[nr]->said = nr;
		if (!many)
			torture_own_put(all[nr], rnd);
	}
	if (!nr)
		return;
	if (many) {
		i = wsq_queue_work_many(q, works, nr);
		if (i != nr)
			torture_err("of %u idle items %u were queued", nr, i);
	}
	wsq_flush(q);
	torture_inc(TC_FLUSH);
	for (i = 0; i < nr; i++) {
		if (torture_own_ran(all[i], 1, "flush of the queue"))
			torture_inc(TC_OWN_QUEUE_FLUSHED);
		torture_own_dispose(all[i], torture_one_in(rnd, 2));
	}
}

/*
 * Runs on the CPU it was queued on, unless that went offline in between. Queue
 * 0 has all possible CPUs and keeps them.
 */
void torture_own_on_cpu(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_own *o = torture_own_new(torture_queue(0), 0);
	unsigned int cpu = torture_some_cpu(rnd);
	bool active;
	int age;

	if (!o)
		return;
	age = torture_cpu_age(cpu);
	active = cpu_active(cpu);
	o->said = prandom_u32_state(rnd);
	if (!wsq_queue_work_on(cpu, o->q, &o->dwork.work))
		torture_err("own item was not queued on a CPU");
	wsq_flush_work(&o->dwork.work);
	torture_own_ran(o, 1, "flush");
	/*
	 * Odd while the CPU is online. Before it goes offline, and until it is
	 * quite back, the scheduler moves running threads away.
	 */
	if (!(age & 1) || !active || !cpu_active(cpu) || age != torture_cpu_age(cpu))
		torture_inc(TC_OWN_ON_CPU_MOVED);
	else if (o->cpu != cpu)
		torture_err("own item ran on CPU %u, not %u", o->cpu, cpu);
	else
		torture_inc(TC_OWN_ON_CPU);
	torture_own_dispose(o, torture_one_in(rnd, 2));
}

/* Disabled twice: refused until enabled twice. */
void torture_own_disable(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_own *o = torture_own_new(torture_some_queue(rnd), 0);
	struct wsq_work *work;
	unsigned int ran = 1;

	if (!o || !torture_own_put(o, rnd))
		return;
	work = &o->dwork.work;
	if (torture_one_in(rnd, 2))
		torture_pause(rnd);
	ran -= wsq_disable_work_sync(work);
	torture_own_ran(o, ran, "disable");
	WRITE_ONCE(o->held, true);
	if (wsq_disable_work(work))
		torture_err("own item, disabled, was pending");
	if (wsq_queue_work(o->q, work) || wsq_enable_work(work) ||
	    wsq_queue_work(o->q, work))
		torture_err("own item could be queued while disabled");
	torture_pause(rnd);
	torture_own_ran(o, ran, "being refused");
	WRITE_ONCE(o->held, false);
	if (!wsq_enable_work(work))
		torture_err("own item is not enabled");
	if (torture_own_put(o, rnd)) {
		wsq_flush_work(work);
		if (torture_own_ran(o, ran + 1, "enable"))
			torture_inc(TC_OWN_DISABLED);
	}
	torture_own_dispose(o, torture_one_in(rnd, 2));
}

/* An item on the stack, which is reused at once. */
void torture_own_stack(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_own o;
	unsigned int ran = 1;

	own_init(&o, torture_some_queue(rnd), TORTURE_OWN_SLOW);
	INIT_WSQ_WORK_ONSTACK(&o.dwork.work, own_fn);
	torture_own_put(&o, rnd);
	if (torture_one_in(rnd, 2))
		wsq_flush_work(&o.dwork.work);
	else
		ran -= wsq_cancel_work_sync(&o.dwork.work);
	if (torture_own_ran(&o, ran, "waiting for it on the stack"))
		torture_inc(TC_OWN_STACK);
	wsq_destroy_work_on_stack(&o.dwork.work);
	own_poison(&o);
}
