// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the time that a queue gets on a CPU that others wait for.
 *
 * Short items: a worker leaves a queue after some 100 us, however many items
 * that are, and a queue that took more gets less later. Long items: one that
 * computes while another queue waits is detached. A standby worker takes over,
 * and the worker that computes goes on beside it, on the same CPU if the item
 * is bound, and is a standby worker itself in the end.
 *
 * Items compute until the clock says that their time is over, so a slow machine
 * runs fewer of them, not longer ones. What is compared is a number of items,
 * or the sums of what two queues got at the same time.
 */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "items.h"

static unsigned int turn_cpu(void)
{
	return cpumask_last(cpu_online_mask);
}

/* Short items */

/* Items of a queue that never runs dry. */
#define TURN_ITEMS	4
/* What each of them takes: two make a time slice. */
#define TURN_US		(50)
/*
 * Items of one queue that begin while another waits, in more than half of the
 * tries: two or three, and the first four of a turn. If only the number of
 * items bounded a turn, it would be any number up to 64. In a single try it can
 * be more: what a busy host takes from the waiting queue's item counts as its
 * time, for which it has to make up.
 */
#define TURN_MOST	12
/* How often to look. */
#define TURN_TRIES	100

struct turn_short;

/**
 * struct turn_item - an item that queues itself again until it is told to stop
 * @work: the item
 * @s: its queue
 */
struct turn_item {
	struct wsq_work work;
	struct turn_short *s;
};

/**
 * struct turn_short - a queue that never runs dry
 * @q: the queue
 * @us: what an item takes
 * @items: its items
 * @begun: how many have begun
 * @spent: ns that those have computed that have ended
 * @stop: they are not to queue themselves again
 * @want: the next item that begins is to queue @other
 * @mark: @begun when it did
 * @other: an item of another queue
 */
struct turn_short {
	struct wsq *q;
	unsigned int us;
	struct turn_item items[TURN_ITEMS];
	atomic_t begun;
	atomic64_t spent;
	bool stop;
	bool want;
	int mark;
	struct turn_other *other;
};

/**
 * struct turn_other - an item of another queue
 * @work: the item
 * @q: its queue
 * @s: the queue that never runs dry
 * @late: items of that which have begun since this one was queued
 * @ran: it has run
 */
struct turn_other {
	struct wsq_work work;
	struct wsq *q;
	struct turn_short *s;
	int late;
	struct completion ran;
};

static void turn_other_fn(struct wsq_work *work)
{
	struct turn_other *o = container_of(work, struct turn_other, work);

	o->late = atomic_read(&o->s->begun) - READ_ONCE(o->s->mark);
	complete(&o->ran);
}

static void turn_item_fn(struct wsq_work *work)
{
	struct turn_item *item = container_of(work, struct turn_item, work);
	struct turn_short *s = item->s;
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

static struct turn_short *turn_short_new(struct kunit *test,
					 unsigned int us)
{
	struct turn_short *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->q = wsq_test_queue(test, 2, 4, cpumask_of(turn_cpu()));
	s->us = us;
	for (i = 0; i < TURN_ITEMS; i++) {
		INIT_WSQ_WORK(&s->items[i].work, turn_item_fn);
		s->items[i].s = s;
	}
	return s;
}

static void turn_short_begin(struct kunit *test, struct turn_short *s)
{
	int i;

	for (i = 0; i < TURN_ITEMS; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(s->q, &s->items[i].work));
}

static void turn_short_end(struct kunit *test, struct turn_short *s)
{
	WRITE_ONCE(s->stop, true);
	wsq_test_queue_end(test, s->q);
	kfree(s);
}

/* An item of another queue waits for a time slice, not for 64 items. */
static void turn_leaves(struct kunit *test)
{
	struct turn_other *o = kzalloc(sizeof(*o), GFP_KERNEL);
	struct turn_short *s = turn_short_new(test, TURN_US);
	int i, most = 0, over = 0;

	KUNIT_ASSERT_NOT_NULL(test, o);
	o->q = wsq_test_queue(test, 2, 4, cpumask_of(turn_cpu()));
	o->s = s;
	INIT_WSQ_WORK(&o->work, turn_other_fn);
	init_completion(&o->ran);
	s->other = o;
	turn_short_begin(test, s);
	for (i = 0; i < TURN_TRIES; i++) {
		reinit_completion(&o->ran);
		WRITE_ONCE(s->want, true);
		KUNIT_ASSERT_NE(test, 0UL,
				wait_for_completion_timeout(&o->ran,
							    WSQ_TEST_PATIENCE));
		most = max(most, o->late);
		over += o->late > TURN_MOST;
		wsq_test_call(test, wsq_test_flush, o->q);
	}
	KUNIT_EXPECT_LT(test, over, TURN_TRIES / 2);
	kunit_info(test, "at most %d items of another queue began before one that waited",
		   most);
	turn_short_end(test, s);
	wsq_test_queue_end(test, o->q);
	kfree(o);
}

/* How often to try: other tasks of the machine may take all time of one. */
#define TURN_SHARE_TRIES	5
/* Long items of which each try is. */
#define TURN_SHARE_ITEMS	200

/*
 * A queue of items of @us and one of short ones, both never dry, on one CPU.
 * True if the short ones get a quarter of the time of the others, or more.
 * Without debts they would get one time slice for each long item.
 */
static bool turn_share(struct kunit *test, unsigned int us)
{
	struct turn_short *a = turn_short_new(test, us);
	struct turn_short *b = turn_short_new(test, TURN_US);
	u64 spent_a, spent_b;
	int begun_a;

	turn_short_begin(test, a);
	turn_short_begin(test, b);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&b->begun)));
	begun_a = atomic_read(&a->begun);
	spent_a = atomic64_read(&a->spent);
	spent_b = atomic64_read(&b->spent);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&a->begun) - begun_a >=
					       TURN_SHARE_ITEMS));
	spent_a = atomic64_read(&a->spent) - spent_a;
	spent_b = atomic64_read(&b->spent) - spent_b;
	turn_short_end(test, a);
	turn_short_end(test, b);
	kunit_info(test, "items of %u us had %llu ms, items of %u us %llu ms",
		   us, spent_a / NSEC_PER_MSEC, TURN_US,
		   spent_b / NSEC_PER_MSEC);
	return spent_b * 4 >= spent_a;
}

/* A queue that exceeded its time slices pays back. */
static void turn_pays(struct kunit *test)
{
	static const unsigned int us[] = { 1000, 5000 };
	int i, tries;

	for (i = 0; i < ARRAY_SIZE(us); i++) {
		for (tries = 0; tries < TURN_SHARE_TRIES; tries++) {
			if (turn_share(test, us[i]))
				break;
		}
		KUNIT_EXPECT_LT_MSG(test, tries, TURN_SHARE_TRIES,
				    "items of %u us", us[i]);
	}
}

/* Long items */

/**
 * struct turn_stop - an item that ends others
 * @it: the item
 * @holds: it does not end them, the test does
 * @stop: the others are to end
 */
struct turn_stop {
	struct wsq_test_item it;
	bool holds;
	bool stop;
};

/**
 * struct turn_long - an item that computes until it is told to stop
 * @it: the item
 * @st: tells it
 * @cpu: its CPU
 * @away: it was seen on another CPU
 * @entered: it has begun
 * @task: the worker that ran it first
 */
struct turn_long {
	struct wsq_test_item it;
	struct turn_stop *st;
	unsigned int cpu;
	bool away;
	struct completion entered;
	struct task_struct *task;
};

static void turn_long_fn(struct wsq_work *work)
{
	struct turn_long *l = container_of(work, struct turn_long, it.work);
	int again = l->it.again;

	wsq_test_enter(&l->it);
	if (!l->task) {
		get_task_struct(current);
		l->task = current;
	}
	complete(&l->entered);
	while (!READ_ONCE(l->st->stop)) {
		wsq_test_breathe();
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

static void turn_stop_fn(struct wsq_work *work)
{
	struct turn_stop *st = container_of(work, struct turn_stop, it.work);

	wsq_test_enter(&st->it);
	if (!st->holds)
		WRITE_ONCE(st->stop, true);
	wsq_test_leave(&st->it);
}

/* With a queue of its own. */
static struct turn_stop *turn_stop_new(struct kunit *test, bool holds)
{
	struct turn_stop *st = kzalloc(sizeof(*st), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, st);
	wsq_test_item_init(&st->it, wsq_test_queue(test, 2, 4,
						   cpumask_of(turn_cpu())),
			   turn_stop_fn);
	st->holds = holds;
	return st;
}

static void turn_stop_end(struct kunit *test, struct turn_stop *st)
{
	wsq_test_queue_end(test, st->it.q);
	wsq_test_expect_runs(test, &st->it, 1, 1);
	KUNIT_EXPECT_EQ(test, st->it.cpu, (int)turn_cpu());
	kfree(st);
}

/*
 * Queue it behind items that compute, and wait until it has run. If it does not
 * run, the test fails, and the others are told to end all the same.
 */
static void turn_stop_queue(struct kunit *test, struct turn_stop *st, bool bound)
{
	bool ok;

	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(bound ? (int)turn_cpu() :
						  WSQ_CPU_ANY, st->it.q,
						  &st->it.work));
	ok = wsq_test_until(atomic_read(&st->it.runs));
	KUNIT_EXPECT_TRUE_MSG(test, ok,
			      "an item waits behind one that computes");
	if (!ok)
		WRITE_ONCE(st->stop, true);
}

/* With a queue of its own. */
static struct turn_long *turn_long_new(struct kunit *test, struct turn_stop *st)
{
	struct turn_long *l = kzalloc(sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	l->cpu = turn_cpu();
	wsq_test_item_init(&l->it, wsq_test_queue(test, 2, 4,
						  cpumask_of(l->cpu)),
			   turn_long_fn);
	init_completion(&l->entered);
	l->st = st;
	return l;
}

static void turn_long_queue(struct kunit *test, struct turn_long *l, bool bound)
{
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(bound ? (int)l->cpu :
						  WSQ_CPU_ANY, l->it.q,
						  &l->it.work));
}

/* It computes. */
static bool turn_long_entered(struct turn_long *l)
{
	return wait_for_completion_timeout(&l->entered, WSQ_TEST_PATIENCE);
}

/* Its worker, which was detached, is one of its CPU again, or has ended. */
static void turn_long_end(struct kunit *test, struct turn_long *l, bool bound,
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
 * All workers of a CPU work there: as many items as there are workers sleep at
 * a time. Then the idle ones go, but for one.
 */
static void turn_all_workers(struct kunit *test)
{
	unsigned int cpu = turn_cpu();
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
 * the only CPU of both. It queues itself again before it ends.
 */
static void turn_computes_one(struct kunit *test, bool bound)
{
	struct turn_stop *st = turn_stop_new(test, false);
	struct turn_long *l = turn_long_new(test, st);
	struct wsq *q = l->it.q;
	struct wsq_test_call *call;

	l->it.again = 1;
	turn_long_queue(test, l, bound);
	KUNIT_ASSERT_TRUE(test, turn_long_entered(l));
	call = wsq_test_start(test, wsq_test_flush_work, &l->it.work);
	turn_stop_queue(test, st, bound);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	wsq_test_call(test, wsq_test_flush, q);
	turn_long_end(test, l, bound, 2);
	wsq_test_queue_end(test, q);
	turn_stop_end(test, st);
	turn_all_workers(test);
}

static void turn_computes(struct kunit *test)
{
	turn_computes_one(test, false);
}

/* The same with items that are bound, and so do not leave their CPU. */
static void turn_computes_bound(struct kunit *test)
{
	turn_computes_one(test, true);
}

/* Items behind one that was detached. */
#define TURN_BEHIND	10

/*
 * What is put behind an item whose worker was detached, and is not bound, runs on
 * another CPU.
 */
static void turn_computes_spreads(struct kunit *test)
{
	struct wsq_test_item *items;
	struct turn_stop *st;
	struct turn_long *l;
	struct wsq *q;
	int i;

	wsq_test_need_cpus(test, 2);
	st = turn_stop_new(test, true);
	l = turn_long_new(test, st);
	q = wsq_test_queue(test, 2, 4, NULL);
	items = wsq_test_items(test, q, TURN_BEHIND, wsq_test_count);
	wsq_test_queue_end(test, l->it.q);
	l->it.q = q;
	turn_long_queue(test, l, true);
	KUNIT_ASSERT_TRUE(test, turn_long_entered(l));
	turn_stop_queue(test, st, true);
	wsq_test_stay(test, l->cpu);
	for (i = 0; i < TURN_BEHIND; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[i].work));
	wsq_test_roam();
	for (i = 0; i < TURN_BEHIND; i++)
		KUNIT_EXPECT_TRUE_MSG(test,
				      wsq_test_until(atomic_read(&items[i].runs)),
				      "item %d waits for one that computes", i);
	WRITE_ONCE(st->stop, true);
	wsq_test_queue_end(test, q);
	turn_long_end(test, l, true, 1);
	turn_stop_end(test, st);
	wsq_test_expect_runs(test, items, TURN_BEHIND, 1);
	vfree(items);
	turn_all_workers(test);
}

/**
 * struct turn_beside - an item that waits for one of another queue, and computes
 * @it: the item
 * @other: the one that it queues
 * @st: an item behind which another computes
 */
struct turn_beside {
	struct wsq_test_item it;
	struct wsq_test_item *other;
	struct turn_stop *st;
};

static void turn_beside_fn(struct wsq_work *work)
{
	struct turn_beside *b = container_of(work, struct turn_beside, it.work);
	unsigned long end = jiffies + WSQ_TEST_PATIENCE;

	wsq_test_enter(&b->it);
	wsq_queue_work(b->other->q, &b->other->work);
	while (!atomic_read(&b->other->runs) && time_before(jiffies, end)) {
		wsq_test_breathe();
		cpu_relax();
	}
	WRITE_ONCE(b->st->stop, true);
	wsq_test_leave(&b->it);
}

/*
 * The same for what an item of another queue puts, when the worker that took over
 * has not come to the queue yet.
 */
static void turn_computes_beside(struct kunit *test)
{
	struct turn_beside *b = kzalloc(sizeof(*b), GFP_KERNEL);
	struct turn_stop *st;
	struct turn_long *l;
	struct wsq *q, *p;

	KUNIT_ASSERT_NOT_NULL(test, b);
	if (num_online_cpus() < 2) {
		kfree(b);
		kunit_skip(test, "needs two CPUs");
	}
	q = wsq_test_queue(test, 2, 4, NULL);
	p = wsq_test_queue(test, 2, 4, cpumask_of(turn_cpu()));
	st = turn_stop_new(test, true);
	l = turn_long_new(test, st);
	wsq_test_queue_end(test, l->it.q);
	l->it.q = q;
	b->other = wsq_test_items(test, q, 1, wsq_test_count);
	b->st = st;
	wsq_test_item_init(&b->it, p, turn_beside_fn);
	turn_long_queue(test, l, true);
	KUNIT_ASSERT_TRUE(test, turn_long_entered(l));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(turn_cpu(), p, &b->it.work));
	KUNIT_EXPECT_TRUE_MSG(test,
			      wsq_test_until(atomic_read(&b->other->runs)),
			      "an item waits for one that computes");
	wsq_test_queue_end(test, p);
	wsq_test_queue_end(test, q);
	turn_long_end(test, l, true, 1);
	turn_stop_queue(test, st, true);
	turn_stop_end(test, st);
	wsq_test_expect_runs(test, b->other, 1, 1);
	vfree(b->other);
	kfree(b);
	turn_all_workers(test);
}

/* Queues with one long item each, of which all compute at a time. */
#define TURN_LONG	4

static void turn_computes_many(struct kunit *test)
{
	struct turn_stop *st = turn_stop_new(test, false);
	struct turn_long *l[TURN_LONG];
	struct wsq *q[TURN_LONG];
	int i;

	for (i = 0; i < TURN_LONG; i++) {
		l[i] = turn_long_new(test, st);
		q[i] = l[i]->it.q;
		turn_long_queue(test, l[i], i & 1);
	}
	for (i = 0; i < TURN_LONG; i++) {
		if (turn_long_entered(l[i]))
			continue;
		KUNIT_FAIL(test, "no more than %d of %d items compute", i,
			   TURN_LONG);
		WRITE_ONCE(st->stop, true);
		break;
	}
	turn_stop_queue(test, st, true);
	for (i = 0; i < TURN_LONG; i++) {
		wsq_test_queue_end(test, q[i]);
		turn_long_end(test, l[i], i & 1, 1);
	}
	turn_stop_end(test, st);
	turn_all_workers(test);
}

/*
 * An item whose worker was detached is waited for: by a flush of its queue, and
 * by a cancel of the item, or by the end of its queue.
 */
static void turn_computes_waits(struct kunit *test)
{
	struct wsq_test_call *calls[2];
	struct turn_stop *st;
	struct turn_long *l;
	int destroy, i, nr;
	struct wsq *q;

	for (destroy = 0; destroy < 2; destroy++) {
		st = turn_stop_new(test, true);
		l = turn_long_new(test, st);
		q = l->it.q;
		turn_long_queue(test, l, false);
		KUNIT_ASSERT_TRUE(test, turn_long_entered(l));
		turn_stop_queue(test, st, true);
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
		turn_long_end(test, l, false, 1);
		if (!destroy)
			wsq_test_queue_end(test, q);
		turn_stop_end(test, st);
	}
	turn_all_workers(test);
}

/* How often to try. */
#define TURN_FRESH	3

/**
 * struct turn_fresh - a standby worker that becomes current before it has run
 * @work: an item that computes
 * @q: its queue
 * @st: an item of another queue, which waits behind it and has it end
 * @task: the worker that ran it
 * @over: it ends
 */
struct turn_fresh {
	struct wsq_work work;
	struct wsq *q;
	struct turn_stop *st;
	struct task_struct *task;
	struct completion over;
};

static void turn_fresh_fn(struct wsq_work *work)
{
	struct turn_fresh *f = container_of(work, struct turn_fresh, work);

	get_task_struct(current);
	f->task = current;
	wsq_queue_work_on(turn_cpu(), f->st->it.q, &f->st->it.work);
	while (!READ_ONCE(f->st->stop)) {
		wsq_test_breathe();
		cpu_relax();
	}
	complete(&f->over);
}

/*
 * Wait until the CPU's standby worker is used, and another one is made; keep
 * that one from running until the watchdog has detached the long item.
 */
static bool turn_fresh_hog(void *arg)
{
	struct wsq_cpu *c = wsq_cpus[turn_cpu()];
	unsigned long end = jiffies + WSQ_TEST_PATIENCE;
	bool used = false, made = false;
	u64 until;

	sched_set_fifo(current);
	while (!made && time_before(jiffies, end)) {
		/* Behind the work that makes it, and at once. */
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

/* Is the thread of a worker about to be given other CPUs? */
static bool turn_loosening(struct task_struct *task)
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
 * An item is detached while the standby worker that takes over has not run yet.
 * The old worker gets away from its CPU, and back, as ever.
 */
static void turn_fresh(struct kunit *test)
{
	struct wsq_cpu *c = wsq_cpus[turn_cpu()];
	struct wsq *gates = wsq_test_queue(test, 2, 4, cpumask_of(turn_cpu()));
	struct wsq_test_gate *g[TURN_FRESH];
	struct wsq_test_call *hog;
	struct turn_fresh *f;
	int i;

	f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f);
	f->q = wsq_test_queue(test, 2, 4, cpumask_of(turn_cpu()));
	for (i = 0; i < TURN_FRESH; i++) {
		KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(c->nr_standby) ==
						       1));
		init_completion(&f->over);
		INIT_WSQ_WORK(&f->work, turn_fresh_fn);
		f->st = turn_stop_new(test, false);
		hog = wsq_test_start_on(test, turn_cpu(), turn_fresh_hog, NULL);
		g[i] = wsq_test_gate(test, true);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(turn_cpu(), gates,
							  &g[i]->it.work));
		KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g[i]));
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(f->q, &f->work));
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, hog));
		KUNIT_ASSERT_TRUE(test,
				  wait_for_completion_timeout(&f->over,
							      WSQ_TEST_PATIENCE));
		KUNIT_ASSERT_TRUE_MSG(test,
				      wsq_test_until(!turn_loosening(f->task)),
				      "try %d", i);
		put_task_struct(f->task);
		turn_stop_end(test, f->st);
	}
	for (i = 0; i < TURN_FRESH; i++)
		wsq_test_gate_open(g[i]);
	wsq_test_queue_end(test, f->q);
	wsq_test_queue_end(test, gates);
	for (i = 0; i < TURN_FRESH; i++)
		kfree(g[i]);
}

static struct kunit_case turn_cases[] = {
	WSQ_ENGINE_CASE(turn_leaves),
	KUNIT_CASE_SLOW(turn_pays),
	KUNIT_CASE_SLOW(turn_computes),
	KUNIT_CASE_SLOW(turn_computes_bound),
	KUNIT_CASE_SLOW(turn_computes_many),
	WSQ_ENGINE_CASE_SLOW(turn_computes_spreads),
	WSQ_ENGINE_CASE_SLOW(turn_computes_beside),
	KUNIT_CASE_SLOW(turn_computes_waits),
	KUNIT_CASE_SLOW(turn_fresh),
	{}
};

static struct kunit_suite turn_suite = {
	.name = "wsq_turn",
	.test_cases = turn_cases,
};

kunit_test_suite(turn_suite);
