// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the time that a queue gets on a CPU that other queues wait
 * for.
 *
 * Short items: a worker leaves a queue after some 100 us, however many items
 * that are, and a queue that took more gets less later. Long items: the worker
 * of one that computes while another queue waits is detached. A standby worker
 * takes over. The detached worker goes on beside it, on the same CPU if the
 * item is bound, and is a standby worker itself in the end.
 *
 * Items compute until the clock says that their time is over, so a slow machine
 * runs fewer of them, not longer ones. The tests compare numbers of items, or
 * the sums of what two queues got at the same time.
 */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "items.h"

static unsigned int slice_cpu(void)
{
	return cpumask_last(cpu_online_mask);
}

/* Short items */

/* Items of a queue that never runs dry. */
#define SLICE_ITEMS	4
/* Time of each item: two make a time slice. */
#define SLICE_US		(50)
/*
 * Items of one queue that begin while another waits, in more than half of the
 * tries: two or three, and the first four of a time slice. If only their number
 * were limited, there would be up to 64. A single try may have more. Time that
 * a busy host takes from the waiting queue's item counts as that queue's time,
 * which it has to make up.
 */
#define SLICE_MOST	12
/* How often to check. */
#define SLICE_TRIES	100

struct slice_short;

/**
 * struct slice_item - an item that requeues itself until it is stopped
 * @work: the item
 * @s: its queue
 */
struct slice_item {
	struct wsq_work work;
	struct slice_short *s;
};

/**
 * struct slice_short - a queue that never runs dry
 * @q: the queue
 * @us: what an item takes
 * @items: its items
 * @begun: how many have begun
 * @spent: computing time of the items that have ended, in ns
 * @stop: they are not to requeue themselves
 * @want: the next item that begins is to queue @other
 * @mark: @begun when it did
 * @other: an item of another queue
 */
struct slice_short {
	struct wsq *q;
	unsigned int us;
	struct slice_item items[SLICE_ITEMS];
	atomic_t begun;
	atomic64_t spent;
	bool stop;
	bool want;
	int mark;
	struct slice_other *other;
};

/**
 * struct slice_other - an item of another queue
 * @work: the item
 * @q: its queue
 * @s: the queue that never runs dry
 * @late: items of @s that have begun since this one was queued
 * @ran: it has run
 */
struct slice_other {
	struct wsq_work work;
	struct wsq *q;
	struct slice_short *s;
	int late;
	struct completion ran;
};

static void slice_other_fn(struct wsq_work *work)
{
	struct slice_other *o = container_of(work, struct slice_other, work);

	o->late = atomic_read(&o->s->begun) - READ_ONCE(o->s->mark);
	complete(&o->ran);
}

static void slice_item_fn(struct wsq_work *work)
{
	struct slice_item *item = container_of(work, struct slice_item, work);
	struct slice_short *s = item->s;
	int nr = atomic_inc_return(&s->begun);
	u64 from = ktime_get_ns();

	if (xchg(&s->want, false)) {
		WRITE_ONCE(s->mark, nr);
		wsq_queue_work(s->other->q, &s->other->work);
	}
	wsq_test_compute(s->us);
	atomic64_add(ktime_get_ns() - from, &s->spent);
	if (!READ_ONCE(s->stop))
		wsq_queue_work(s->q, work);
}

static struct slice_short *slice_short_new(struct kunit *test,
					   unsigned int us)
{
	struct slice_short *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->q = wsq_test_queue(test, 2, 4, cpumask_of(slice_cpu()));
	s->us = us;
	for (i = 0; i < SLICE_ITEMS; i++) {
		INIT_WSQ_WORK(&s->items[i].work, slice_item_fn);
		s->items[i].s = s;
	}
	return s;
}

static void slice_short_begin(struct kunit *test, struct slice_short *s)
{
	int i;

	for (i = 0; i < SLICE_ITEMS; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(s->q, &s->items[i].work));
}

static void slice_short_end(struct kunit *test, struct slice_short *s)
{
	WRITE_ONCE(s->stop, true);
	wsq_test_queue_end(test, s->q);
	kfree(s);
}

/* An item of another queue waits for a time slice, not for 64 items. */
static void slice_leaves(struct kunit *test)
{
	struct slice_other *o = kzalloc(sizeof(*o), GFP_KERNEL);
	struct slice_short *s = slice_short_new(test, SLICE_US);
	int i, most = 0, over = 0;

	KUNIT_ASSERT_NOT_NULL(test, o);
	o->q = wsq_test_queue(test, 2, 4, cpumask_of(slice_cpu()));
	o->s = s;
	INIT_WSQ_WORK(&o->work, slice_other_fn);
	init_completion(&o->ran);
	s->other = o;
	slice_short_begin(test, s);
	for (i = 0; i < SLICE_TRIES; i++) {
		reinit_completion(&o->ran);
		WRITE_ONCE(s->want, true);
		KUNIT_ASSERT_NE(test, 0UL,
				wait_for_completion_timeout(&o->ran,
							    WSQ_TEST_TIMEOUT));
		most = max(most, o->late);
		over += o->late > SLICE_MOST;
		wsq_test_call(test, wsq_test_flush, o->q);
	}
	KUNIT_EXPECT_LT(test, over, SLICE_TRIES / 2);
	kunit_info(test, "at most %d items of another queue began before one that waited",
		   most);
	slice_short_end(test, s);
	wsq_test_queue_end(test, o->q);
	kfree(o);
}

/* How often to try: other tasks of the machine may take all time of one. */
#define SLICE_SHARE_TRIES	5
/* Long items in each try. */
#define SLICE_SHARE_ITEMS	200

/*
 * A queue of items of @us and one of short items, neither ever dry, on one CPU.
 * True if the short items get at least a quarter of the time of the others.
 * Without debts they would get one time slice for each long item.
 */
static bool slice_share(struct kunit *test, unsigned int us)
{
	struct slice_short *a = slice_short_new(test, us);
	struct slice_short *b = slice_short_new(test, SLICE_US);
	u64 spent_a, spent_b;
	int begun_a;

	slice_short_begin(test, a);
	slice_short_begin(test, b);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&b->begun)));
	begun_a = atomic_read(&a->begun);
	spent_a = atomic64_read(&a->spent);
	spent_b = atomic64_read(&b->spent);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&a->begun) - begun_a >=
					       SLICE_SHARE_ITEMS));
	spent_a = atomic64_read(&a->spent) - spent_a;
	spent_b = atomic64_read(&b->spent) - spent_b;
	slice_short_end(test, a);
	slice_short_end(test, b);
	kunit_info(test, "items of %u us had %llu ms, items of %u us %llu ms",
		   us, spent_a / NSEC_PER_MSEC, SLICE_US,
		   spent_b / NSEC_PER_MSEC);
	return spent_b * 4 >= spent_a;
}

/* A queue that exceeded its time slices pays back. */
static void slice_pays(struct kunit *test)
{
	static const unsigned int us[] = { 1000, 5000 };
	int i, tries;

	for (i = 0; i < ARRAY_SIZE(us); i++) {
		for (tries = 0; tries < SLICE_SHARE_TRIES; tries++) {
			if (slice_share(test, us[i]))
				break;
		}
		KUNIT_EXPECT_LT_MSG(test, tries, SLICE_SHARE_TRIES,
				    "items of %u us", us[i]);
	}
}

/* Long items */

/**
 * struct slice_stop - an item that ends others
 * @it: the item
 * @holds: it does not end them, the test does
 * @stop: the others are to end
 */
struct slice_stop {
	struct wsq_test_item it;
	bool holds;
	bool stop;
};

/**
 * struct slice_long - an item that computes until it is stopped
 * @it: the item
 * @st: stops it
 * @cpu: its CPU
 * @away: it was seen on another CPU
 * @entered: it has begun
 * @task: the worker that ran it first
 */
struct slice_long {
	struct wsq_test_item it;
	struct slice_stop *st;
	unsigned int cpu;
	bool away;
	struct completion entered;
	struct task_struct *task;
};

static void slice_long_fn(struct wsq_work *work)
{
	struct slice_long *l = container_of(work, struct slice_long, it.work);
	int again = l->it.again;

	wsq_test_enter(&l->it);
	if (!l->task) {
		get_task_struct(current);
		l->task = current;
	}
	complete(&l->entered);
	while (!READ_ONCE(l->st->stop)) {
		wsq_test_yield();
		cpu_relax();
		if (raw_smp_processor_id() != l->cpu)
			WRITE_ONCE(l->away, true);
	}
	if (again) {
		l->it.again = again - 1;
		wsq_queue_work(l->it.q, work);
	}
	wsq_test_leave(&l->it);
}

static void slice_stop_fn(struct wsq_work *work)
{
	struct slice_stop *st = container_of(work, struct slice_stop, it.work);

	wsq_test_enter(&st->it);
	if (!st->holds)
		WRITE_ONCE(st->stop, true);
	wsq_test_leave(&st->it);
}

/* It has a queue of its own. */
static struct slice_stop *slice_stop_new(struct kunit *test, bool holds)
{
	struct slice_stop *st = kzalloc(sizeof(*st), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, st);
	wsq_test_item_init(&st->it, wsq_test_queue(test, 2, 4,
						   cpumask_of(slice_cpu())),
			   slice_stop_fn);
	st->holds = holds;
	return st;
}

static void slice_stop_end(struct kunit *test, struct slice_stop *st)
{
	wsq_test_queue_end(test, st->it.q);
	wsq_test_expect_runs(test, &st->it, 1, 1);
	KUNIT_EXPECT_EQ(test, st->it.cpu, (int)slice_cpu());
	kfree(st);
}

/*
 * Queue it behind items that compute, and wait until it has run. If it does not
 * run, the test fails, and the others are stopped all the same.
 */
static void slice_stop_queue(struct kunit *test, struct slice_stop *st, bool bound)
{
	bool ok;

	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(bound ? (int)slice_cpu() :
						  WSQ_CPU_ANY, st->it.q,
						  &st->it.work));
	ok = wsq_test_until(atomic_read(&st->it.runs));
	KUNIT_EXPECT_TRUE_MSG(test, ok,
			      "an item waits behind one that computes");
	if (!ok)
		WRITE_ONCE(st->stop, true);
}

/* It has a queue of its own. */
static struct slice_long *slice_long_new(struct kunit *test, struct slice_stop *st)
{
	struct slice_long *l = kzalloc(sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	l->cpu = slice_cpu();
	wsq_test_item_init(&l->it, wsq_test_queue(test, 2, 4,
						  cpumask_of(l->cpu)),
			   slice_long_fn);
	init_completion(&l->entered);
	l->st = st;
	return l;
}

static void slice_long_queue(struct kunit *test, struct slice_long *l, bool bound)
{
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(bound ? (int)l->cpu :
						  WSQ_CPU_ANY, l->it.q,
						  &l->it.work));
}

/* Wait until it computes. */
static bool slice_long_entered(struct slice_long *l)
{
	return wait_for_completion_timeout(&l->entered, WSQ_TEST_TIMEOUT);
}

/* Its detached worker is one of its CPU again, or has ended. */
static void slice_long_end(struct kunit *test, struct slice_long *l, bool bound,
			   int runs)
{
	struct task_struct *task = l->task;

	wsq_test_expect_runs(test, &l->it, 1, runs);
	if (bound)
		KUNIT_EXPECT_FALSE(test, l->away);
	KUNIT_EXPECT_TRUE(test,
			  wsq_test_until(READ_ONCE(task->exit_state) ||
					 cpumask_equal(&task->cpus_mask,
						       cpumask_of(l->cpu))));
	put_task_struct(task);
	kfree(l);
}

/*
 * Use all workers of a CPU: as many items as there are workers sleep at a time.
 * Then all idle workers but one end.
 */
static void slice_all_workers(struct kunit *test)
{
	unsigned int cpu = slice_cpu();
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	int i, nr = READ_ONCE(wsq_cpus[cpu]->nr_workers);
	struct wsq_test_gate **g;

	g = kunit_kcalloc(test, nr, sizeof(*g), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, g);
	for (i = 0; i < nr; i++) {
		g[i] = wsq_test_gate(test, true);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, q,
							  &g[i]->it.work));
	}
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_TRUE(test, wsq_test_gate_entered(g[i]));
		KUNIT_EXPECT_EQ(test, READ_ONCE(g[i]->it.cpu), (int)cpu);
	}
	for (i = 0; i < nr; i++)
		wsq_test_gate_open(g[i]);
	wsq_test_queue_end(test, q);
	for (i = 0; i < nr; i++)
		kfree(g[i]);
	KUNIT_EXPECT_TRUE(test,
			  wsq_test_until(READ_ONCE(wsq_cpus[cpu]->nr_workers) ==
					 2));
}

/*
 * An item computes until one of another queue has run on the same CPU, which is
 * the only CPU of both. It requeues itself before it ends.
 */
static void slice_computes_one(struct kunit *test, bool bound)
{
	struct slice_stop *st = slice_stop_new(test, false);
	struct slice_long *l = slice_long_new(test, st);
	struct wsq *q = l->it.q;
	struct wsq_test_call *call;

	l->it.again = 1;
	slice_long_queue(test, l, bound);
	KUNIT_ASSERT_TRUE(test, slice_long_entered(l));
	call = wsq_test_start(test, wsq_test_flush_work, &l->it.work);
	/* The flush begins before the item ends. */
	wsq_test_waits(test, call);
	slice_stop_queue(test, st, bound);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	wsq_test_call(test, wsq_test_flush, q);
	slice_long_end(test, l, bound, 2);
	wsq_test_queue_end(test, q);
	slice_stop_end(test, st);
	slice_all_workers(test);
}

static void slice_computes(struct kunit *test)
{
	slice_computes_one(test, false);
}

/* With bound items, which do not leave their CPU. */
static void slice_computes_bound(struct kunit *test)
{
	slice_computes_one(test, true);
}

/* Items behind one whose worker was detached. */
#define SLICE_BEHIND	10

/*
 * Unbound items that are put behind an item whose worker was detached run on
 * another CPU.
 */
static void slice_computes_spreads(struct kunit *test)
{
	struct wsq_test_item *items;
	struct slice_stop *st;
	struct slice_long *l;
	struct wsq *q;
	int i;

	wsq_test_need_cpus(test, 2);
	st = slice_stop_new(test, true);
	l = slice_long_new(test, st);
	q = wsq_test_queue(test, 2, 4, NULL);
	items = wsq_test_items(test, q, SLICE_BEHIND, wsq_test_count);
	wsq_test_queue_end(test, l->it.q);
	l->it.q = q;
	slice_long_queue(test, l, true);
	KUNIT_ASSERT_TRUE(test, slice_long_entered(l));
	slice_stop_queue(test, st, true);
	wsq_test_stay(test, l->cpu);
	for (i = 0; i < SLICE_BEHIND; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[i].work));
	wsq_test_roam();
	for (i = 0; i < SLICE_BEHIND; i++)
		KUNIT_EXPECT_TRUE_MSG(test,
				      wsq_test_until(atomic_read(&items[i].runs)),
				      "item %d waits for one that computes", i);
	WRITE_ONCE(st->stop, true);
	wsq_test_queue_end(test, q);
	slice_long_end(test, l, true, 1);
	slice_stop_end(test, st);
	wsq_test_expect_runs(test, items, SLICE_BEHIND, 1);
	vfree(items);
	slice_all_workers(test);
}

/**
 * struct slice_beside - an item that computes until one of another queue runs
 * @it: the item
 * @other: the one that it queues
 * @st: an item behind which another computes
 */
struct slice_beside {
	struct wsq_test_item it;
	struct wsq_test_item *other;
	struct slice_stop *st;
};

static void slice_beside_fn(struct wsq_work *work)
{
	struct slice_beside *b = container_of(work, struct slice_beside, it.work);
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;

	wsq_test_enter(&b->it);
	wsq_queue_work(b->other->q, &b->other->work);
	while (!atomic_read(&b->other->runs) && time_before(jiffies, end)) {
		wsq_test_yield();
		cpu_relax();
	}
	WRITE_ONCE(b->st->stop, true);
	wsq_test_leave(&b->it);
}

/*
 * Likewise for items put by an item of another queue, while the worker that
 * took over has not come to the queue yet.
 */
static void slice_computes_beside(struct kunit *test)
{
	struct slice_beside *b = kzalloc(sizeof(*b), GFP_KERNEL);
	struct slice_stop *st;
	struct slice_long *l;
	struct wsq *q, *p;

	KUNIT_ASSERT_NOT_NULL(test, b);
	if (num_online_cpus() < 2) {
		kfree(b);
		kunit_skip(test, "needs two CPUs");
	}
	q = wsq_test_queue(test, 2, 4, NULL);
	p = wsq_test_queue(test, 2, 4, cpumask_of(slice_cpu()));
	st = slice_stop_new(test, true);
	l = slice_long_new(test, st);
	wsq_test_queue_end(test, l->it.q);
	l->it.q = q;
	b->other = wsq_test_items(test, q, 1, wsq_test_count);
	b->st = st;
	wsq_test_item_init(&b->it, p, slice_beside_fn);
	slice_long_queue(test, l, true);
	KUNIT_ASSERT_TRUE(test, slice_long_entered(l));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(slice_cpu(), p, &b->it.work));
	KUNIT_EXPECT_TRUE_MSG(test,
			      wsq_test_until(atomic_read(&b->other->runs)),
			      "an item waits for one that computes");
	wsq_test_queue_end(test, p);
	wsq_test_queue_end(test, q);
	slice_long_end(test, l, true, 1);
	slice_stop_queue(test, st, true);
	slice_stop_end(test, st);
	wsq_test_expect_runs(test, b->other, 1, 1);
	vfree(b->other);
	kfree(b);
	slice_all_workers(test);
}

/* Queues with one long item each, all of which compute at the same time. */
#define SLICE_LONG	4

static void slice_computes_many(struct kunit *test)
{
	struct slice_stop *st = slice_stop_new(test, false);
	struct slice_long *l[SLICE_LONG];
	struct wsq *q[SLICE_LONG];
	int i;

	for (i = 0; i < SLICE_LONG; i++) {
		l[i] = slice_long_new(test, st);
		q[i] = l[i]->it.q;
		slice_long_queue(test, l[i], i & 1);
	}
	for (i = 0; i < SLICE_LONG; i++) {
		if (slice_long_entered(l[i]))
			continue;
		KUNIT_FAIL(test, "no more than %d of %d items compute", i,
			   SLICE_LONG);
		WRITE_ONCE(st->stop, true);
		break;
	}
	slice_stop_queue(test, st, true);
	for (i = 0; i < SLICE_LONG; i++) {
		wsq_test_queue_end(test, q[i]);
		slice_long_end(test, l[i], i & 1, 1);
	}
	slice_stop_end(test, st);
	slice_all_workers(test);
}

/*
 * A flush of the queue, and a cancel of the item or the destruction of the
 * queue, wait for an item whose worker was detached.
 */
static void slice_computes_waits(struct kunit *test)
{
	struct wsq_test_call *calls[2];
	struct slice_stop *st;
	struct slice_long *l;
	int destroy, i, nr;
	struct wsq *q;

	for (destroy = 0; destroy < 2; destroy++) {
		st = slice_stop_new(test, true);
		l = slice_long_new(test, st);
		q = l->it.q;
		slice_long_queue(test, l, false);
		KUNIT_ASSERT_TRUE(test, slice_long_entered(l));
		slice_stop_queue(test, st, true);
		if (destroy) {
			nr = 1;
			calls[0] = wsq_test_start(test, wsq_test_destroy, q);
		} else {
			nr = 2;
			calls[0] = wsq_test_start(test, wsq_test_flush, q);
			calls[1] = wsq_test_start(test, wsq_test_cancel_sync,
						  &l->it.work);
		}
		for (i = 0; i < nr; i++) {
			wsq_test_waits(test, calls[i]);
			if (!READ_ONCE(st->stop))
				KUNIT_EXPECT_FALSE(test, wsq_test_over(calls[i]));
		}
		WRITE_ONCE(st->stop, true);
		for (i = 0; i < nr; i++)
			wsq_test_end(test, calls[i]);
		slice_long_end(test, l, false, 1);
		if (!destroy)
			wsq_test_queue_end(test, q);
		slice_stop_end(test, st);
	}
	slice_all_workers(test);
}

/* How often to try. */
#define SLICE_FRESH	3

/**
 * struct slice_fresh - a standby worker that becomes current before it has run
 * @work: an item that computes
 * @q: its queue
 * @st: an item of another queue, which waits behind @work and ends it
 * @task: the worker that ran it
 * @over: it ends
 */
struct slice_fresh {
	struct wsq_work work;
	struct wsq *q;
	struct slice_stop *st;
	struct task_struct *task;
	struct completion over;
};

static void slice_fresh_fn(struct wsq_work *work)
{
	struct slice_fresh *f = container_of(work, struct slice_fresh, work);

	get_task_struct(current);
	f->task = current;
	wsq_queue_work_on(slice_cpu(), f->st->it.q, &f->st->it.work);
	while (!READ_ONCE(f->st->stop)) {
		wsq_test_yield();
		cpu_relax();
	}
	complete(&f->over);
}

/*
 * Wait until the CPU's standby worker is used and another one is created. Keep
 * that one from running until the watchdog has detached the long item's worker.
 */
static bool slice_fresh_hog(void *arg)
{
	struct wsq_cpu *c = wsq_cpus[slice_cpu()];
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	bool used = false, made = false;
	u64 until;

	sched_set_fifo(current);
	while (!made && time_before(jiffies, end)) {
		/* As soon as the work that creates it has released the lock. */
		mutex_lock(&wsq_workers_lock);
		made = used && READ_ONCE(c->nr_standby);
		used |= !READ_ONCE(c->nr_standby);
		mutex_unlock(&wsq_workers_lock);
		if (!made)
			usleep_range(20, 40);
	}
	until = ktime_get_ns() + 40 * NSEC_PER_MSEC;
	while (ktime_get_ns() < until)
		cpu_relax();
	return made;
}

/* Is the affinity of a worker's thread about to be widened? */
static bool slice_loosening(struct task_struct *task)
{
	struct wsq_worker *w;
	bool is = false;

	rcu_read_lock();
	if (!READ_ONCE(task->exit_state)) {
		w = kthread_data(task);
		is = w && READ_ONCE(w->loose) == WSQ_LOOSENING;
	}
	rcu_read_unlock();
	return is;
}

/*
 * A worker is detached while the standby worker that takes over has not run
 * yet. The old worker leaves its CPU and comes back as always.
 */
static void slice_fresh(struct kunit *test)
{
	struct wsq_cpu *c = wsq_cpus[slice_cpu()];
	struct wsq *gates = wsq_test_queue(test, 2, 4, cpumask_of(slice_cpu()));
	struct wsq_test_gate *g[SLICE_FRESH];
	struct wsq_test_call *hog;
	struct slice_fresh *f;
	int i;

	f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f);
	f->q = wsq_test_queue(test, 2, 4, cpumask_of(slice_cpu()));
	for (i = 0; i < SLICE_FRESH; i++) {
		KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(c->nr_standby) ==
						       1));
		init_completion(&f->over);
		INIT_WSQ_WORK(&f->work, slice_fresh_fn);
		f->st = slice_stop_new(test, false);
		hog = wsq_test_start_on(test, slice_cpu(), slice_fresh_hog, NULL);
		g[i] = wsq_test_gate(test, true);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(slice_cpu(), gates,
							  &g[i]->it.work));
		KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g[i]));
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(f->q, &f->work));
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, hog));
		KUNIT_ASSERT_TRUE(test,
				  wait_for_completion_timeout(&f->over,
							      WSQ_TEST_TIMEOUT));
		KUNIT_ASSERT_TRUE_MSG(test,
				      wsq_test_until(!slice_loosening(f->task)),
				      "try %d", i);
		put_task_struct(f->task);
		slice_stop_end(test, f->st);
	}
	for (i = 0; i < SLICE_FRESH; i++)
		wsq_test_gate_open(g[i]);
	wsq_test_queue_end(test, f->q);
	wsq_test_queue_end(test, gates);
	for (i = 0; i < SLICE_FRESH; i++)
		kfree(g[i]);
}

static struct kunit_case slice_cases[] = {
	WSQ_ENGINE_CASE_SLOW(slice_leaves),
	KUNIT_CASE_SLOW(slice_pays),
	KUNIT_CASE_SLOW(slice_computes),
	KUNIT_CASE_SLOW(slice_computes_bound),
	KUNIT_CASE_SLOW(slice_computes_many),
	WSQ_ENGINE_CASE_SLOW(slice_computes_spreads),
	WSQ_ENGINE_CASE_SLOW(slice_computes_beside),
	KUNIT_CASE_SLOW(slice_computes_waits),
	KUNIT_CASE_SLOW(slice_fresh),
	{}
};

static struct kunit_suite slice_suite = {
	.name = "wsq_slice",
	.test_cases = slice_cases,
};

kunit_test_suite(slice_suite);
