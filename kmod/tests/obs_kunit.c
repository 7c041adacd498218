// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the stall detector. A stall is reported once; what is no stall
 * is not reported, and a drain only if it takes long. Takes some seconds.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include "../exec/exec.h"
#include "../obs/stall.h"
#include "items.h"

/* stall_ms during the tests. */
#define STALL_MS	400
/* How often to try if the machine causes stalls of its own. */
#define STALL_TRIES	20

static unsigned int stall_ms_before;
static bool stall_stack_before;

static int stall_init(struct kunit *test)
{
	stall_ms_before = wsq_stall_ms;
	stall_stack_before = wsq_stall_stack;
	/* The lab would treat the stack in a report as a kernel fault. */
	WRITE_ONCE(wsq_stall_stack, false);
	return 0;
}

static void stall_exit(struct kunit *test)
{
	WRITE_ONCE(wsq_stall_ms, stall_ms_before);
	WRITE_ONCE(wsq_stall_stack, stall_stack_before);
}

static void stall_sleep(unsigned int ms)
{
	schedule_timeout_uninterruptible(msecs_to_jiffies(ms));
}

/* Set the limit to @ms at once, even if the timer is set for longer. */
static int stall_set(struct kunit *test, unsigned int ms)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;

	WRITE_ONCE(wsq_stall_ms, 0);
	while (atomic_read(&wsq_stall_armed) && time_before(jiffies, end))
		stall_sleep(50);
	KUNIT_ASSERT_EQ(test, atomic_read(&wsq_stall_armed), 0);
	WRITE_ONCE(wsq_stall_ms, ms);
	return atomic_read(&wsq_stall_reports);
}

/* Wait for @nr reports or the timeout; then a while. */
static void stall_await(int nr)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;

	while (atomic_read(&wsq_stall_reports) < nr && time_before(jiffies, end))
		stall_sleep(50);
	stall_sleep(3 * STALL_MS);
}

/* An item that sleeps for long is not reported, because nothing waits. */
static void stall_runs(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 16, NULL);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	int before = stall_set(test, STALL_MS);

	wsq_queue_work(q, &g->it.work);
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	before = atomic_read(&wsq_stall_reports);
	stall_sleep(4 * STALL_MS);
	KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_reports), before);
	wsq_test_release(test, q, g);
	wsq_test_queue_end(test, q);
}

/*
 * An item that waits for long is reported, once. It waits behind an item that
 * computes, or (@sleeps) behind one that sleeps and uses up its queue's limit.
 */
static void stall_behind(struct kunit *test, bool sleeps)
{
	unsigned int cpu, here = get_cpu();
	struct wsq_test_item *behind;
	struct wsq_test_gate *g;
	struct wsq_attrs attrs = {
		.flags = WSQ_RESIDENT,
		.max_active = 1,
	};
	struct wsq *q;
	int before;

	put_cpu();
	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, here);
	cpu = wsq_test_other(here);
	q = wsq_test_queue_attrs(test, &attrs);
	behind = wsq_test_items(test, q, 1, wsq_test_count);
	stall_set(test, 0);
	g = wsq_test_gate(test, sleeps);
	wsq_queue_work_on(cpu, q, &g->it.work);
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	before = stall_set(test, STALL_MS);
	/* Bound to that CPU: no other CPU may take it. */
	wsq_queue_work_on(cpu, q, &behind->work);
	stall_await(before + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&behind->runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_reports), before + 1);
	wsq_test_release(test, q, g);
	wsq_test_queue_end(test, q);
	KUNIT_EXPECT_EQ(test, atomic_read(&behind->runs), 1);
	vfree(behind);
	wsq_test_roam();
}

static void stall_waits(struct kunit *test)
{
	stall_behind(test, false);
}

static void stall_limit(struct kunit *test)
{
	stall_behind(test, true);
}

/* Run many short items for a while. Returns the number of reports. */
static int stall_short(struct kunit *test, struct wsq *q, struct wsq_test_item *it)
{
	int before = stall_set(test, STALL_MS);
	unsigned long end = jiffies + msecs_to_jiffies(4 * STALL_MS);

	while (time_before(jiffies, end)) {
		wsq_queue_work(q, &it->work);
		stall_sleep(10);
	}
	wsq_test_call(test, wsq_test_flush, q);
	return atomic_read(&wsq_stall_reports) - before;
}

#define STALL_BLOCKS	4
#define STALL_BLOCK	16

static void stall_work_fn(struct wsq_work *work)
{
	wsq_test_compute(1000);
	wsq_test_count(work);
}

/*
 * Keep items waiting in the engine behind an item that computes on this CPU,
 * while another CPU steals them. Returns how many reports there were.
 */
static int stall_feed(struct kunit *test, unsigned int here)
{
	struct wsq *q = wsq_test_queue(test, STALL_BLOCKS, STALL_BLOCK, NULL);
	int nr = STALL_BLOCKS * STALL_BLOCK / 2, reports, i;
	struct wsq_test_item *items = wsq_test_items(test, q, nr, stall_work_fn);
	struct wsq_test_gate *g;
	unsigned long end;

	stall_set(test, 0);
	g = wsq_test_hold(test, q, here);
	reports = stall_set(test, STALL_MS);
	end = jiffies + msecs_to_jiffies(6 * STALL_MS);
	while (time_before(jiffies, end)) {
		for (i = 0; i < nr; i++)
			wsq_queue_work(q, &items[i].work);
		wsq_test_yield();
	}
	reports = atomic_read(&wsq_stall_reports) - reports;
	wsq_test_release(test, q, g);
	wsq_test_queue_end(test, q);
	vfree(items);
	return reports;
}

/*
 * A worker that computes begins nothing, and something always waits in its
 * engine. Other CPUs steal those items, so none waits for long. A busy host may
 * keep the others from running, but not in each try. Each try has a queue of
 * its own, because a stall is reported only once.
 */
static void stall_stolen(struct kunit *test)
{
	unsigned int here = get_cpu();
	int reports = 0, i;

	put_cpu();
	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, here);
	for (i = 0; i < STALL_TRIES; i++) {
		reports = stall_feed(test, here);
		if (!reports)
			break;
	}
	KUNIT_EXPECT_EQ(test, reports, 0);
	wsq_test_roam();
}

/*
 * Many short items are no stall, however long they go on. With a limit of 0
 * nothing is. If the host deschedules the machine there is one, but not in each
 * try.
 */
static void stall_none(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 16, NULL);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	int before, reports = 0, i;

	for (i = 0; i < STALL_TRIES; i++) {
		reports = stall_short(test, q, it);
		if (!reports)
			break;
	}
	KUNIT_EXPECT_EQ(test, reports, 0);
	/* The timer stops when there is nothing to check. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!atomic_read(&wsq_stall_armed)));

	before = stall_set(test, 0);
	wsq_queue_work(q, &g->it.work);
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	stall_sleep(4 * STALL_MS);
	KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_reports), before);
	wsq_test_release(test, q, g);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/**
 * struct stall_reported - reports of a drain
 * @q: the queue
 * @ms: the time given in the last one
 * @nr: how many there were
 * @early: how many came too soon after the one before
 */
struct stall_reported {
	const struct wsq *q;
	unsigned int ms;
	unsigned int nr;
	unsigned int early;
};

static bool stall_reported(struct stall_reported *t)
{
	unsigned int ms = READ_ONCE(t->q->drain_reported);

	if (ms != t->ms) {
		t->nr++;
		t->early += ms < STALL_MS || ms / 2 < t->ms;
		t->ms = ms;
	}
	return t->nr >= 3;
}

/* A drain that cannot end is reported, at intervals that double. */
static void stall_drain(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 16, NULL);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_repeat);
	int before = stall_set(test, STALL_MS);
	struct stall_reported told = { .q = q };
	struct wsq_test_call *call;
	unsigned long begin;

	it->again = -1;
	wsq_queue_work(q, &it->work);
	begin = jiffies;
	call = wsq_test_start(test, wsq_test_drain, q);
	/* Other reports may come, if the machine keeps items from running. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(stall_reported(&told)));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&wsq_stall_reports) >=
					       before + 3));
	/* After one, two and four times the limit. */
	KUNIT_EXPECT_EQ(test, told.early, 0);
	KUNIT_EXPECT_GE(test, jiffies_to_msecs(jiffies - begin), 4 * STALL_MS);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	WRITE_ONCE(it->again, 0);
	wsq_test_end(test, call);
	wsq_test_queue_end(test, q);
	vfree(it);
}

#define STALL_PATH	10000	/* generations */
#define STALL_FLUSHES	120	/* as many of them wait for a flush each */

struct stall_path {
	struct wsq_test_item it;
	unsigned int color;
	unsigned int turns;
};

static void stall_step(struct wsq_work *work)
{
	struct stall_path *p = container_of(work, struct stall_path, it.work);
	int runs = atomic_inc_return(&p->it.runs);

	if (runs <= STALL_FLUSHES &&
	    wsq_test_spin_until(READ_ONCE(p->it.q->color) != p->color)) {
		p->color = READ_ONCE(p->it.q->color);
		p->turns++;
	}
	if (runs < STALL_PATH)
		wsq_queue_work(p->it.q, &p->it.work);
}

/* Each flush is one more generation of a deep recursion, and no stall. */
static void stall_drain_deep(struct kunit *test)
{
	struct stall_path *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int before;

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->it.q = wsq_test_queue(test, 4, 16, NULL);
	p->color = p->it.q->color;
	INIT_WSQ_WORK(&p->it.work, stall_step);
	/* The drain ends before this limit, or fails by it. */
	before = stall_set(test, jiffies_to_msecs(WSQ_TEST_TIMEOUT));
	wsq_queue_work(p->it.q, &p->it.work);
	wsq_test_call(test, wsq_test_drain, p->it.q);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->it.runs), STALL_PATH);
	KUNIT_EXPECT_EQ(test, p->turns, STALL_FLUSHES);
	KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_reports), before);
	wsq_test_queue_end(test, p->it.q);
	kfree(p);
}

/*
 * struct stall_twice - an item waits in an engine and is stolen; the detector
 * stops; later another item waits there
 * @held: a queue whose items hold the workers of both CPUs
 * @gates: these items
 * @q: the queue in whose engine the items wait
 * @cpus: the CPUs of both queues
 * @here: the CPU where they wait, and where the test stays
 * @other: the CPU that steals
 * @items: the two that wait
 */
struct stall_twice {
	struct wsq *held;
	struct wsq_test_gate *gates[2];
	struct wsq *q;
	struct cpumask cpus;
	unsigned int here;
	unsigned int other;
	struct wsq_test_item *items;
};

/* What the detector has recorded of that engine. */
static struct wsq_stall_mark *stall_mark(const struct stall_twice *t)
{
	return &wsq_lane_any(t->q, t->here)->stall[WSQ_STALL_LOCATIONS - 1];
}

/* Hold both workers and put an item on this CPU. */
static void stall_put(struct kunit *test, struct stall_twice *t, int nr)
{
	t->gates[0] = wsq_test_hold(test, t->held, t->here);
	t->gates[1] = wsq_test_hold(test, t->held, t->other);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(t->q, &t->items[nr].work));
	KUNIT_EXPECT_EQ(test, wsq_test_kind(&t->items[nr].work), WSQ_IN_SLOT);
}

/* Let the other CPU steal the item. Then nothing waits any more. */
static void stall_steal(struct kunit *test, struct stall_twice *t, int nr)
{
	wsq_test_gate_open(t->gates[1]);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&t->items[nr].runs)));
	KUNIT_EXPECT_EQ(test, READ_ONCE(t->items[nr].cpu), (int)t->other);
	wsq_test_release(test, t->held, t->gates[0]);
	kfree(t->gates[1]);
	wsq_test_call(test, wsq_test_flush, t->q);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!atomic_read(&wsq_stall_armed)));
}

static struct stall_twice *stall_twice_new(struct kunit *test)
{
	struct stall_twice *t = kzalloc(sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->here = raw_smp_processor_id();
	t->other = wsq_test_other(t->here);
	cpumask_set_cpu(t->here, &t->cpus);
	cpumask_set_cpu(t->other, &t->cpus);
	t->held = wsq_test_queue(test, 4, 16, &t->cpus);
	t->q = wsq_test_queue(test, STALL_BLOCKS, STALL_BLOCK, &t->cpus);
	t->items = wsq_test_items(test, t->q, 2, wsq_test_count);
	return t;
}

/*
 * The second item has not waited since the first one did, and is reported after
 * its own time. @told says whether the first one was reported. The test checks
 * the mark, because how long items wait depends on the machine.
 */
static void stall_anew(struct kunit *test, bool told)
{
	struct stall_twice *t = stall_twice_new(test);
	int before = stall_set(test, told ? STALL_MS : 8 * STALL_MS);
	struct wsq_stall_mark *m = stall_mark(t);
	unsigned long since, again;

	stall_put(test, t, 0);
	if (told)
		stall_await(before + 1);
	else
		KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(m->waits)));
	since = READ_ONCE(m->since);
	stall_steal(test, t, 0);
	before = atomic_read(&wsq_stall_reports);
	stall_put(test, t, 1);
	/* The detector begins to count, or reports the item at once. */
	KUNIT_EXPECT_TRUE(test,
			  wsq_test_until(READ_ONCE(m->since) != since ||
					 atomic_read(&wsq_stall_reports) != before));
	again = READ_ONCE(m->since);
	KUNIT_EXPECT_NE(test, again, since);
	if (told) {
		stall_await(before + 1);
		KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_reports),
				before + 1);
	}
	stall_steal(test, t, 1);
	wsq_test_queue_end(test, t->q);
	wsq_test_queue_end(test, t->held);
	vfree(t->items);
	kfree(t);
}

static void stall_again(struct kunit *test)
{
	unsigned int here = get_cpu();

	put_cpu();
	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, here);
	stall_anew(test, false);
	stall_anew(test, true);
	wsq_test_roam();
}

/* As if the CPU were offline. Its worker is parked; returned. */
static struct wsq_worker *stall_leave(struct kunit *test, struct wsq_cpu *c)
{
	struct wsq_worker *w = READ_ONCE(c->worker);

	KUNIT_ASSERT_NOT_NULL(test, w);
	KUNIT_ASSERT_TRUE(test, wsq_test_until(wsq_parked(&c->park) &&
					       !READ_ONCE(w->serving)));
	raw_spin_lock_irq(&c->role_lock);
	WRITE_ONCE(c->worker, NULL);
	raw_spin_unlock_irq(&c->role_lock);
	KUNIT_EXPECT_TRUE(test, wsq_park_claim(&c->park));
	return w;
}

static void stall_return(struct wsq_cpu *c, struct wsq_worker *w)
{
	raw_spin_lock_irq(&c->role_lock);
	WRITE_ONCE(c->worker, w);
	raw_spin_unlock_irq(&c->role_lock);
	wake_up_process(w->task);
}

/*
 * No CPU of a queue has a worker: an item that waits is reported, once. While
 * wsq_destroy() waits for the item, the queue can be given other CPUs.
 */
static void stall_absent(struct kunit *test)
{
	unsigned int here = get_cpu();
	struct wsq_attrs attrs = { .flags = WSQ_RESIDENT | WSQ_SYSFS };
	struct wsq_test_call *call;
	struct wsq_test_item *it;
	struct wsq_worker *w;
	struct wsq_cpu *c;
	struct wsq *q;
	int before;

	put_cpu();
	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, here);
	c = wsq_cpus[wsq_test_other(here)];
	attrs.cpumask = cpumask_of(c->cpu);
	q = wsq_test_queue_attrs(test, &attrs);
	it = wsq_test_items(test, q, 1, wsq_test_count);
	before = stall_set(test, STALL_MS);
	w = stall_leave(test, c);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&wsq_stall_reports) > before));
	stall_sleep(3 * STALL_MS);
	KUNIT_EXPECT_EQ(test, atomic_read(&wsq_stall_reports), before + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 0);
	call = wsq_test_start(test, wsq_test_destroy, q);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(q->flags) & WSQ_Q_DRAINING));
	KUNIT_EXPECT_NOT_NULL(test, READ_ONCE(q->dev));
	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(q, cpumask_of(here)), 0);
	wsq_test_end(test, call);
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 1);
	stall_return(c, w);
	wsq_test_roam();
	vfree(it);
}

static struct kunit_case stall_cases[] = {
	KUNIT_CASE_SLOW(stall_absent),
	KUNIT_CASE_SLOW(stall_runs),
	KUNIT_CASE_SLOW(stall_waits),
	KUNIT_CASE_SLOW(stall_limit),
	KUNIT_CASE_SLOW(stall_stolen),
	KUNIT_CASE_SLOW(stall_again),
	KUNIT_CASE_SLOW(stall_none),
	KUNIT_CASE_SLOW(stall_drain),
	KUNIT_CASE_SLOW(stall_drain_deep),
	{}
};

static struct kunit_suite stall_suite = {
	.name = "wsq_stall",
	.init = stall_init,
	.exit = stall_exit,
	.test_cases = stall_cases,
};

kunit_test_suite(stall_suite);
