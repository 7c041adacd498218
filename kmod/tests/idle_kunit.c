// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the choice among idle CPUs (kmod/exec/idle.c). One whose
 * worker is parked may run another thread. It is chosen last, and no item is
 * put there directly.
 */
#include "items.h"

/**
 * struct idle_hog - a thread that computes on one CPU
 * @in: it does
 * @end: it shall stop
 */
struct idle_hog {
	struct completion in;
	bool end;
};

static bool idle_hog_fn(void *arg)
{
	struct idle_hog *hog = arg;

	complete(&hog->in);
	while (!READ_ONCE(hog->end)) {
		cpu_relax();
		cond_resched();
	}
	return true;
}

static void idle_need(struct kunit *test, unsigned int cpus)
{
	wsq_test_need_cpus(test, cpus);
	if (!wsq_sleep_notifiers())
		kunit_skip(test, "needs CONFIG_PREEMPT_NOTIFIERS");
}

/*
 * A CPU's worker meets the idle thread when it parks and no other thread waits.
 */
static void idle_meet(struct kunit *test, struct wsq *q, unsigned int cpu)
{
	const struct wsq_cpu *c = wsq_cpus[cpu];
	struct wsq_test_item *item = wsq_test_items(test, q, 1, wsq_test_count);
	int tries;

	for (tries = 0; tries < 1000 && !READ_ONCE(c->idle_thread); tries++) {
		wsq_queue_work_on(cpu, q, &item->work);
		wsq_test_call(test, wsq_test_flush, q);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_parked(&c->park)));
	}
	KUNIT_EXPECT_NOT_NULL(test, READ_ONCE(c->idle_thread));
	vfree(item);
}

static struct wsq_test_call *idle_hog_begin(struct kunit *test, struct wsq *q,
					    struct idle_hog *hog,
					    unsigned int cpu)
{
	struct wsq_test_call *call;

	init_completion(&hog->in);
	hog->end = false;
	idle_meet(test, q, cpu);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_parked(&wsq_cpus[cpu]->park) &&
					       wsq_idle_really(wsq_cpus[cpu])));
	call = wsq_test_start_on(test, cpu, idle_hog_fn, hog);
	wait_for_completion(&hog->in);
	return call;
}

static void idle_hog_end(struct kunit *test, struct idle_hog *hog,
			 struct wsq_test_call *call)
{
	WRITE_ONCE(hog->end, true);
	wsq_test_end(test, call);
}

static unsigned int idle_nearest(struct wsq *q)
{
	unsigned int cpu;

	preempt_disable();
	cpu = wsq_idle_nearest(q);
	preempt_enable();
	return cpu;
}

/* A queue of some CPUs whose workers are all parked. */
static struct wsq *idle_queue(struct kunit *test, const unsigned int *cpus, int nr)
{
	cpumask_var_t mask;
	struct wsq *q;
	int i;

	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&mask, GFP_KERNEL));
	for (i = 0; i < nr; i++)
		cpumask_set_cpu(cpus[i], mask);
	q = wsq_test_queue(test, 2, 4, mask);
	free_cpumask_var(mask);
	return q;
}

/* Of two idle CPUs one runs another thread: the other one is chosen. */
static void idle_choice(struct kunit *test)
{
	unsigned int cpus[3], i;
	struct wsq *q;

	idle_need(test, 3);
	cpus[0] = cpumask_first(cpu_online_mask);
	cpus[1] = cpumask_next(cpus[0], cpu_online_mask);
	cpus[2] = cpumask_next(cpus[1], cpu_online_mask);
	q = idle_queue(test, cpus, 3);
	wsq_test_stay(test, cpus[0]);
	for (i = 1; i <= 2; i++) {
		struct idle_hog hog;
		struct wsq_test_call *call = idle_hog_begin(test, q, &hog,
							    cpus[i]);

		KUNIT_EXPECT_FALSE(test, wsq_idle_really(wsq_cpus[cpus[i]]));
		KUNIT_EXPECT_TRUE(test,
				  wsq_test_until(idle_nearest(q) == cpus[3 - i]));
		idle_hog_end(test, &hog, call);
	}
	wsq_test_roam();
	wsq_test_queue_end(test, q);
}

/*
 * There is only that one: nothing is put there, but its worker is woken to
 * steal.
 */
static void idle_only(struct kunit *test)
{
	struct wsq_test_call *call;
	struct wsq_test_item *items;
	unsigned int cpus[2];
	struct idle_hog hog;
	unsigned long flags;
	struct wsq *q;
	u64 sent;
	int i;

	idle_need(test, 2);
	cpus[0] = cpumask_first(cpu_online_mask);
	cpus[1] = wsq_test_other(cpus[0]);
	q = idle_queue(test, cpus, 2);
	items = wsq_test_items(test, q, 3, wsq_test_count);
	wsq_test_stay(test, cpus[0]);
	/* What memory the queue gets, it gets before. */
	wsq_queue_work(q, &items[2].work);
	wsq_test_call(test, wsq_test_flush, q);
	call = idle_hog_begin(test, q, &hog, cpus[1]);
	KUNIT_EXPECT_EQ(test, idle_nearest(q), nr_cpu_ids);
	sent = READ_ONCE(wsq_cpus[cpus[1]]->sent);
	local_irq_save(flags);
	/* What they take is not known: each may be long. */
	wsq_lane(q, cpus[0])->item_ns = 0;
	for (i = 0; i < 2; i++)
		wsq_queue_work(q, &items[i].work);
	local_irq_restore(flags);
	KUNIT_EXPECT_NE(test, READ_ONCE(wsq_cpus[cpus[1]]->sent), sent);
	wsq_test_call(test, wsq_test_flush, q);
	idle_hog_end(test, &hog, call);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(idle_nearest(q) == cpus[1]));
	wsq_test_roam();
	wsq_test_expect_runs(test, items, 3, 1);
	wsq_test_queue_end(test, q);
	vfree(items);
}

/* From one domain to the next, as helpers of fork and join: that meets all. */
static void idle_next(struct kunit *test)
{
	const struct wsq_domains *all =
		&wsq_classes[WSQ_CLASS_NORMAL]->domains;
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	unsigned int at = cpumask_first(cpu_online_mask), cpu, i;

	idle_need(test, 2);
	for (i = 0; i < all->nr; i++) {
		u32 id = (wsq_cpus[at]->domain->id + 1) % all->nr;

		wsq_test_stay(test, at);
		/* Workers of other queues may be awake for a moment. */
		KUNIT_EXPECT_TRUE(test, wsq_test_until(({
			preempt_disable();
			cpu = wsq_idle_next(q);
			preempt_enable();
			cpu < nr_cpu_ids && wsq_cpus[cpu]->domain->id == id;
		})));
		KUNIT_ASSERT_LT(test, cpu, nr_cpu_ids);
		KUNIT_EXPECT_NE(test, cpu, at);
		at = cpu;
	}
	wsq_test_roam();
	wsq_test_queue_end(test, q);
}

static struct kunit_case idle_cases[] = {
	KUNIT_CASE(idle_choice),
	KUNIT_CASE(idle_only),
	KUNIT_CASE(idle_next),
	{}
};

static struct kunit_suite idle_suite = {
	.name = "wsq_idle",
	.test_cases = idle_cases,
};

kunit_test_suite(idle_suite);
