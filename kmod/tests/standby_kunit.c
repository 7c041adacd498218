// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of a CPU that has no standby worker, because none can be made: what
 * its hand-off becomes when one comes, and how long rescuers serve it.
 *
 * Tests hold wsq_workers_lock, which whatever makes a worker takes, so they
 * assert nothing meanwhile: a case that ends there would keep the lock.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/sched.h>

#include "../exec/exec.h"
#include "items.h"

/**
 * struct scarce - a CPU that gets no standby worker
 * @q: a queue of that CPU
 * @c: the CPU
 * @g: items of @q that sleep
 */
struct scarce {
	struct wsq *q;
	struct wsq_cpu *c;
	struct wsq_test_gate *g[2];
};

/*
 * One of the CPU's two workers sleeps in an item. The caller creates its other
 * queues before that, and then takes wsq_workers_lock.
 */
static void scarce_begin(struct kunit *test, struct scarce *s)
{
	unsigned int cpu = cpumask_first(s->q->pool.cpus);

	s->c = wsq_cpus[cpu];
	/* Workers that earlier tests left would take over at once. */
	KUNIT_ASSERT_TRUE(test, wsq_test_until(READ_ONCE(s->c->nr_workers) == 2));
	s->g[0] = wsq_test_gate(test, true);
	s->g[1] = wsq_test_gate(test, true);
	wsq_test_gate_begin(test, s->q, cpu, s->g[0]);
}

/* The other one, too. */
static void scarce_all(struct kunit *test, struct scarce *s)
{
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(s->q, &s->g[1]->it.work));
	KUNIT_EXPECT_TRUE(test, wsq_test_gate_entered(s->g[1]));
}

static void scarce_end(struct kunit *test, struct scarce *s)
{
	wsq_test_gate_open(s->g[0]);
	wsq_test_gate_open(s->g[1]);
	wsq_test_queue_end(test, s->q);
	kfree(s->g[0]);
	kfree(s->g[1]);
}

/* An item that computes until it may end; the watchdog sees that. */
struct busy_item {
	struct wsq_work work;
	struct completion entered;
	bool over;
};

static void busy_fn(struct wsq_work *work)
{
	struct busy_item *b = container_of(work, struct busy_item, work);

	complete(&b->entered);
	while (!READ_ONCE(b->over)) {
		cpu_relax();
		wsq_test_yield();
	}
}

static void busy_init(struct busy_item *b)
{
	INIT_WSQ_WORK_ONSTACK(&b->work, busy_fn);
	init_completion(&b->entered);
	b->over = false;
}

/* The hand-off that waits for a standby worker is for an item that computes. */
static void standby_late_computes(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct scarce s = { .q = wsq_test_queue(test, 2, 4, cpumask_of(cpu)) };
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq *behind = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_item *it = wsq_test_items(test, behind, 1, wsq_test_count);
	struct wsq_lane *lane = wsq_lane_any(q, cpu);
	const struct wsq_worker *w;
	struct busy_item b;

	/* On one, nothing can be moved. */
	wsq_test_need_cpus(test, 2);
	busy_init(&b);
	scarce_begin(test, &s);
	mutex_lock(&wsq_workers_lock);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &b.work));
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&b.entered,
							  WSQ_TEST_TIMEOUT), 0ul);
	w = READ_ONCE(s.c->worker);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, behind, &it->work));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(s.c->wanted)));
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 0);
	mutex_unlock(&wsq_workers_lock);
	/* The scheduler may move its worker, and the queue starts no other. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(s.c->worker) != w));
	KUNIT_EXPECT_NE(test, READ_ONCE(w->loose), WSQ_FAST);
	KUNIT_EXPECT_EQ(test, atomic_read(&lane->detached), wsq_sleep_notifiers());
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&it->runs)));
	WRITE_ONCE(b.over, true);
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_EXPECT_EQ(test, atomic_read(&lane->detached), 0);
	scarce_end(test, &s);
	wsq_test_queue_end(test, behind);
	wsq_test_queue_end(test, q);
	wsq_destroy_work_on_stack(&b.work);
	vfree(it);
}

/* ... and not for the item that the worker begins after that. */
static void standby_late_ended(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct scarce s = { .q = wsq_test_queue(test, 2, 4, cpumask_of(cpu)) };
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq *behind = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	/* It hides from the watchdog that it computes. */
	struct wsq_test_gate *next = wsq_test_gate(test, false);
	const struct wsq_worker *w;
	struct busy_item b;

	busy_init(&b);
	scarce_begin(test, &s);
	mutex_lock(&wsq_workers_lock);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &b.work));
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&b.entered,
							  WSQ_TEST_TIMEOUT), 0ul);
	w = READ_ONCE(s.c->worker);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, behind, &next->it.work));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(s.c->wanted)));
	WRITE_ONCE(b.over, true);
	KUNIT_EXPECT_TRUE(test, wsq_test_gate_entered(next));
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(s.c->worker), w);
	mutex_unlock(&wsq_workers_lock);
	/* The standby worker has come, and took note. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(s.c->nr_workers) > 2 &&
					       !READ_ONCE(s.c->wanted)));
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(s.c->worker), w);
	wsq_test_release(test, behind, next);
	wsq_test_call(test, wsq_test_flush, q);
	scarce_end(test, &s);
	wsq_test_queue_end(test, behind);
	wsq_test_queue_end(test, q);
	wsq_destroy_work_on_stack(&b.work);
}

#define NR_QUEUES	100

/* Of all queues that wait, the one that has a rescuer is served soon. */
static void standby_rescue_found(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct wsq_attrs attrs = {
		.flags = WSQ_MEM_RECLAIM,
		.cpumask = cpumask_of(cpu),
	};
	struct scarce s = { .q = wsq_test_queue(test, 2, 4, cpumask_of(cpu)) };
	const struct wsq_worker *w;
	struct wsq_test_item *items;
	struct wsq **q;
	u64 expiries;
	int i;

	q = kcalloc(NR_QUEUES + 1, sizeof(*q), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	items = wsq_test_items(test, NULL, NR_QUEUES + 1, wsq_test_count);
	for (i = 0; i < NR_QUEUES; i++)
		q[i] = wsq_test_queue(test, 2, 2, cpumask_of(cpu));
	q[i] = wsq_test_queue_attrs(test, &attrs);
	/* Its thread goes there. */
	preempt_disable();
	wsq_rescue(q[i], cpu);
	preempt_enable();
	w = wsq_rescuer_worker(q[i]);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(w->cpu) == cpu));
	/* Later, whatever keeps that CPU does not keep it from others. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(w->task->nr_cpus_allowed) ==
					       num_possible_cpus()));
	/* It sleeps. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(w->task->__state) == TASK_IDLE));

	scarce_begin(test, &s);
	mutex_lock(&wsq_workers_lock);
	scarce_all(test, &s);
	expiries = READ_ONCE(s.c->watchdog.expiries);
	for (i = 0; i <= NR_QUEUES; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, q[i], &items[i].work));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&items[NR_QUEUES].runs)));
	expiries = READ_ONCE(s.c->watchdog.expiries) - expiries;
	KUNIT_EXPECT_EQ(test, atomic_read(&items[0].runs), 0);
	mutex_unlock(&wsq_workers_lock);

	kunit_info(test, "%llu expiries of the watchdog", expiries);
	KUNIT_EXPECT_LT(test, expiries, NR_QUEUES / 2ULL);
	for (i = 0; i <= NR_QUEUES; i++)
		wsq_test_queue_end(test, q[i]);
	wsq_test_expect_runs(test, items, NR_QUEUES + 1, 1);
	scarce_end(test, &s);
	vfree(items);
	kfree(q);
}

/* Items of one CPU that always has some more. */
struct supply {
	struct wsq *q;
	struct wsq_test_item *items;
	unsigned int cpu;
	atomic_t runs;
	bool stop;
};

#define NR_SUPPLY	8

static struct supply *supply_of;

static void supply_fn(struct wsq_work *work)
{
	struct supply *s = READ_ONCE(supply_of);

	atomic_inc(&s->runs);
	if (!READ_ONCE(s->stop))
		wsq_queue_work_on(s->cpu, s->q, work);
}

/* Has the rescuer run none of the next 500 items? */
static bool supply_left(const struct supply *s)
{
	const struct wsq_worker *w = wsq_rescuer_worker(s->q);
	u64 before = READ_ONCE(w->nr_run);
	int end = atomic_read(&s->runs) + 500;

	return wsq_test_until(atomic_read(&s->runs) >= end) &&
	       READ_ONCE(w->nr_run) == before;
}

/*
 * A rescuer leaves a CPU that always has more for one that waits, too, and for
 * good when a worker comes.
 */
static void standby_rescue_leaves(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	unsigned int next = wsq_test_other(cpu);
	struct wsq_attrs attrs = { .flags = WSQ_MEM_RECLAIM };
	struct scarce at[2] = {};
	struct supply s = { .cpu = cpu };
	struct wsq_test_item *it;
	int i, end;

	wsq_test_need_cpus(test, 2);
	at[0].q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	at[1].q = wsq_test_queue(test, 2, 4, cpumask_of(next));
	s.q = wsq_test_queue_attrs(test, &attrs);
	s.items = wsq_test_items(test, s.q, NR_SUPPLY, supply_fn);
	it = wsq_test_items(test, s.q, 1, wsq_test_count);
	WRITE_ONCE(supply_of, &s);
	scarce_begin(test, &at[0]);
	scarce_begin(test, &at[1]);
	mutex_lock(&wsq_workers_lock);
	scarce_all(test, &at[0]);
	scarce_all(test, &at[1]);
	for (i = 0; i < NR_SUPPLY; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, s.q, &s.items[i].work));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&s.runs) >= 100));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(next, s.q, &it->work));
	end = atomic_read(&s.runs) + 20000;
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&it->runs) ||
					       atomic_read(&s.runs) >= end));
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 1);

	/* It goes on where no worker has come. */
	end = atomic_read(&s.runs) + 500;
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&s.runs) >= end));
	mutex_unlock(&wsq_workers_lock);
	for (i = 0; i < 200 && !supply_left(&s); i++)
		;
	KUNIT_EXPECT_LT(test, i, 200);
	WRITE_ONCE(s.stop, true);
	scarce_end(test, &at[0]);
	scarce_end(test, &at[1]);
	wsq_test_queue_end(test, s.q);
	vfree(s.items);
	vfree(it);
}

#ifdef CONFIG_HOTPLUG_CPU

/* A CPU that goes offline, and gets no standby worker. */
struct scarce_going {
	struct scarce s;
	struct wsq *q;
	struct wsq_test_item *it;
	struct completion held;
	struct completion over;
	bool ran;
};

static struct scarce_going *scarce_going_of;

/* No thread makes a worker until the callback has been called. */
static bool scarce_hold(void *arg)
{
	struct scarce_going *g = arg;

	mutex_lock(&wsq_workers_lock);
	complete(&g->held);
	wait_for_completion(&g->over);
	mutex_unlock(&wsq_workers_lock);
	return true;
}

/* Called before the callback of wsq. */
static int scarce_goes(unsigned int cpu)
{
	struct scarce_going *g = READ_ONCE(scarce_going_of);
	u64 end;

	if (!g || g->s.c->cpu != cpu)
		return 0;
	end = READ_ONCE(g->s.c->watchdog.expiries) + 2000;
	wsq_queue_work_on(cpu, g->q, &g->it->work);
	if (wsq_test_until(atomic_read(&g->it->runs) ||
			   READ_ONCE(g->s.c->watchdog.expiries) > end))
		g->ran = atomic_read(&g->it->runs);
	complete(&g->over);
	return 0;
}

/* A hotplug callback of another module waits for an item without a worker. */
static void standby_rescue_going(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct wsq_attrs attrs = { .flags = WSQ_MEM_RECLAIM };
	struct scarce_going *g = kzalloc(sizeof(*g), GFP_KERNEL);
	struct wsq_test_call *call;
	int state, ret;

	KUNIT_ASSERT_NOT_NULL(test, g);
	wsq_test_need_cpus(test, 2);
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "wsq/test:scarce",
					  NULL, scarce_goes);
	KUNIT_ASSERT_GT(test, state, 0);
	init_completion(&g->held);
	init_completion(&g->over);
	g->s.q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	g->q = wsq_test_queue_attrs(test, &attrs);
	g->it = wsq_test_items(test, g->q, 1, wsq_test_count);
	scarce_begin(test, &g->s);
	call = wsq_test_start(test, scarce_hold, g);
	wait_for_completion(&g->held);
	scarce_all(test, &g->s);
	WRITE_ONCE(scarce_going_of, g);
	ret = remove_cpu(cpu);
	WRITE_ONCE(scarce_going_of, NULL);
	complete(&g->over);
	wsq_test_end(test, call);
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_TRUE(test, g->ran);
	if (!ret)
		KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	scarce_end(test, &g->s);
	wsq_test_call(test, wsq_test_flush, g->q);
	wsq_test_expect_runs(test, g->it, 1, 1);
	wsq_test_queue_end(test, g->q);
	cpuhp_remove_state_nocalls(state);
	vfree(g->it);
	kfree(g);
}

#else

static void standby_rescue_going(struct kunit *test)
{
	kunit_skip(test, "needs CPU hotplug: tools/check/kunit debug");
}

#endif

static struct kunit_case standby_cases[] = {
	KUNIT_CASE(standby_late_computes),
	KUNIT_CASE_SLOW(standby_late_ended),
	KUNIT_CASE_SLOW(standby_rescue_found),
	KUNIT_CASE_SLOW(standby_rescue_leaves),
	KUNIT_CASE_SLOW(standby_rescue_going),
	{}
};

static struct kunit_suite standby_suite = {
	.name = "wsq_standby",
	.test_cases = standby_cases,
};

kunit_test_suite(standby_suite);
