// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of a CPU that has no standby worker, because none can be made: what
 * its hand-off becomes when one comes.
 *
 * Tests hold wsq_workers_lock, which whatever makes a worker takes, so they
 * assert nothing meanwhile: a case that ends there would keep the lock.
 */
#include <linux/sched.h>

#include "../exec/exec.h"
#include "items.h"

/**
 * struct scarce - a CPU that gets no standby worker
 * @q: a queue of that CPU
 * @c: the CPU
 * @g: an item of @q that sleeps
 */
struct scarce {
	struct wsq *q;
	struct wsq_cpu *c;
	struct wsq_test_gate *g;
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
	s->g = wsq_test_gate(test, true);
	wsq_test_gate_begin(test, s->q, cpu, s->g);
}

static void scarce_end(struct kunit *test, struct scarce *s)
{
	wsq_test_gate_open(s->g);
	wsq_test_queue_end(test, s->q);
	kfree(s->g);
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

static struct kunit_case standby_cases[] = {
	KUNIT_CASE(standby_late_computes),
	KUNIT_CASE_SLOW(standby_late_ended),
	{}
};

static struct kunit_suite standby_suite = {
	.name = "wsq_standby",
	.test_cases = standby_cases,
};

kunit_test_suite(standby_suite);
