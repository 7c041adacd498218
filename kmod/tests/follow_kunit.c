// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of queues that name no CPUs. They follow the module's mask when
 * it changes; other queues do not. Kernels change that mask with cpuset
 * partitions. The tests supply the mask to follow themselves.
 *
 * Where that mask can change, maintenance work also compares it with the
 * queues' masks. It may undo a test's change at any moment, even in a check
 * that began earlier. A test therefore repeats its change until it sees the
 * effect.
 */
#include <linux/cpu.h>

#include "items.h"

/**
 * struct follow - a queue and the CPUs that it is to follow
 * @q: the queue
 * @cpus: the CPUs that it should have
 * @left: scratch memory
 */
struct follow {
	struct wsq *q;
	cpumask_var_t cpus;
	cpumask_var_t left;
};

static void follow_begin(struct kunit *test, struct follow *f, struct wsq *q)
{
	f->q = q;
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&f->cpus, GFP_KERNEL));
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&f->left, GFP_KERNEL));
}

static void follow_end(struct kunit *test, struct follow *f)
{
	wsq_test_queue_end(test, f->q);
	free_cpumask_var(f->cpus);
	free_cpumask_var(f->left);
}

static bool follow_equal(const struct follow *f, const struct cpumask *cpus)
{
	bool equal;

	mutex_lock(&f->q->mask_lock);
	equal = cpumask_equal(f->q->pool.cpus, cpus);
	mutex_unlock(&f->q->mask_lock);
	return equal;
}

/* Make @cpu the module's mask. Does the queue follow? */
static bool follow_to(struct follow *f, unsigned int cpu)
{
	cpumask_copy(f->cpus, cpumask_of(cpu));
	return wsq_follow(f->q, f->cpus, f->left) && follow_equal(f, f->cpus);
}

/* While the queue is on @cpu, its items run there. */
static bool follow_runs(struct follow *f, struct wsq_test_item *it,
			unsigned int cpu)
{
	int runs = atomic_read(&it->runs);

	if (!follow_to(f, cpu))
		return false;
	wsq_queue_work(f->q, &it->work);
	wsq_flush(f->q);
	return atomic_read(&it->runs) == runs + 1 &&
	       READ_ONCE(it->cpu) == (int)cpu;
}

/* A queue that names no CPUs follows, also while it is in use. */
static void follow_default(struct kunit *test)
{
	struct wsq_test_item *it;
	struct follow f;
	unsigned int cpu;

	follow_begin(test, &f, wsq_test_queue(test, 2, 4, NULL));
	it = wsq_test_items(test, f.q, 1, wsq_test_count);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_TRUE_MSG(test,
				      wsq_test_until(follow_runs(&f, it, cpu)),
				      "CPU %u: %d runs, the last on CPU %d",
				      cpu, atomic_read(&it->runs), it->cpu);
	follow_end(test, &f);
	vfree(it);
}

/* Items that wait on a CPU which becomes isolated move. */
static void follow_waiting(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	unsigned int other = wsq_test_other(cpu);
	struct wsq_test_item *items;
	struct wsq_test_gate *g;
	struct follow f;
	int i;

	wsq_test_need_cpus(test, 2);
	follow_begin(test, &f, wsq_test_queue(test, 2, 4, NULL));
	g = wsq_test_hold(test, f.q, cpu);
	items = wsq_test_items(test, f.q, 20, wsq_test_count);
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, f.q,
							  &items[i].work));
	wsq_test_linger();
	wsq_test_expect_runs(test, items, 20, 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(follow_to(&f, other)));
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_TRUE(test,
				  wsq_test_until(atomic_read(&items[i].runs)));
	wsq_test_expect_runs(test, items, 20, 1);
	wsq_test_release(test, f.q, g);
	follow_end(test, &f);
	vfree(items);
}

/* A queue with a mask of its own keeps it until that is reset to %NULL. */
static void follow_own(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	unsigned int other = wsq_test_other(cpu);
	cpumask_var_t now;
	struct follow f;

	wsq_test_need_cpus(test, 2);
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&now, GFP_KERNEL));
	follow_begin(test, &f, wsq_test_queue(test, 2, 4, cpumask_of(cpu)));
	KUNIT_EXPECT_FALSE(test, follow_to(&f, other));
	KUNIT_EXPECT_TRUE(test, follow_equal(&f, cpumask_of(cpu)));

	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(f.q, NULL), 0);
	wsq_default_cpus(now);
	KUNIT_EXPECT_TRUE(test, follow_equal(&f, now));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(follow_to(&f, other)));

	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(f.q, cpumask_of(other)), 0);
	KUNIT_EXPECT_FALSE(test, follow_to(&f, cpu));
	KUNIT_EXPECT_TRUE(test, follow_equal(&f, cpumask_of(other)));

	/* A change that fails leaves the queue following. */
	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(f.q, NULL), 0);
	cpumask_clear(now);
	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(f.q, now), -EINVAL);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(follow_to(&f, cpu)));
	follow_end(test, &f);
	free_cpumask_var(now);
}

/* A mask with no online CPU is not followed: nothing would run. */
static void follow_offline(struct kunit *test)
{
	unsigned int cpu = cpumask_first_zero(cpu_online_mask);
	cpumask_var_t now;
	struct follow f;

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		cpu = nr_cpu_ids;
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&now, GFP_KERNEL));
	follow_begin(test, &f, wsq_test_queue(test, 2, 4, NULL));
	wsq_default_cpus(now);
	/* If no CPU is offline, the empty mask serves as well. */
	if (cpu < nr_cpu_ids)
		cpumask_copy(f.cpus, cpumask_of(cpu));
	KUNIT_EXPECT_TRUE(test, wsq_follow(f.q, f.cpus, f.left));
	KUNIT_EXPECT_TRUE(test, follow_equal(&f, now));
	follow_end(test, &f);
	free_cpumask_var(now);
}

/* Keep each CPU busy for follow_look(). */
static void follow_ticks(void *arg, int nr)
{
	struct follow *f = arg;

	/* The timer is deferrable, so each CPU stays awake for it. */
	wsq_test_until(follow_equal(f, f->cpus));
}

/* Maintenance work moves a queue that does not have the module's CPUs. */
static void follow_look(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct follow f;

	wsq_test_need_cpus(test, 2);
	follow_begin(test, &f, wsq_test_queue(test, 2, 4, NULL));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(follow_to(&f, cpu)));
	wsq_default_cpus(f.cpus);
	wsq_follow_later();
	wsq_test_run(test, num_online_cpus(), follow_ticks, &f);
	KUNIT_EXPECT_TRUE(test, follow_equal(&f, f.cpus));
	follow_end(test, &f);
}

static struct kunit_case follow_cases[] = {
	WSQ_ANY_ENGINE_CASE(follow_default),
	WSQ_ANY_ENGINE_CASE(follow_waiting),
	KUNIT_CASE(follow_own),
	KUNIT_CASE(follow_offline),
	KUNIT_CASE_SLOW(follow_look),
	{}
};

static struct kunit_suite follow_suite = {
	.name = "wsq_follow",
	.test_cases = follow_cases,
};

kunit_test_suite(follow_suite);
