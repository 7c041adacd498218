// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the choice among idle CPUs (kmod/exec/idle.c). One whose
 * worker is parked may run another thread. It is chosen last, and no item is
 * put there directly. An item that waits there is run by another CPU.
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
		&wsq_class_find(WSQ_CLASS_NORMAL)->domains;
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

/* What puts an item on a CPU where no worker can run. */
enum idle_from {
	IDLE_THREAD,		/* the thread that keeps the worker off */
	IDLE_OTHER,		/* another CPU */
	IDLE_BOUND,		/* likewise; bound to that CPU */
};

/**
 * struct idle_keeper - a thread that keeps a CPU's worker off, by itself
 * @it: an item
 * @q: its queue
 * @puts: put it there
 * @in: the thread has the CPU, and has put the item
 * @end: give up the CPU
 *
 * It disables preemption. A thread of higher priority keeps the worker off,
 * too, but on some kernels not all the time.
 */
struct idle_keeper {
	struct wsq_test_item it;
	struct wsq *q;
	bool puts;
	struct completion in;
	bool end;
};

static bool idle_keeper_fn(void *arg)
{
	struct idle_keeper *k = arg;
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;

	preempt_disable();
	if (k->puts)
		wsq_queue_work(k->q, &k->it.work);
	complete(&k->in);
	while (!READ_ONCE(k->end) && time_before(jiffies, end))
		cpu_relax();
	preempt_enable();
	return true;
}

/* Is the timer of that CPU's watchdog set, and does it expire? */
static bool idle_watched(const struct wsq_cpu *c)
{
	u64 expiries = READ_ONCE(c->watchdog.expiries);

	return wsq_test_until(READ_ONCE(c->watchdog.expiries) > expiries + 2) &&
	       atomic_read(&c->watched);
}

/* A lone item, put while another thread has the CPU of a parked worker. */
static void idle_keep(struct kunit *test, enum idle_from from)
{
	struct wsq_test_call *call;
	struct idle_keeper *k;
	unsigned int cpus[2];
	struct wsq_cpu *c;
	struct wsq *q;

	wsq_test_need_cpus(test, 2);
	k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, k);
	cpus[0] = cpumask_first(cpu_online_mask);
	cpus[1] = wsq_test_other(cpus[0]);
	c = wsq_cpus[cpus[1]];
	q = idle_queue(test, cpus, 2);
	wsq_test_item_init(&k->it, q, wsq_test_count);
	init_completion(&k->in);
	k->q = q;
	k->puts = from == IDLE_THREAD;
	/* For slow items a put wakes another CPU as well. */
	wsq_lane(q, cpus[1])->item_ns = 1000;
	wsq_test_stay(test, cpus[0]);
	/* No earlier put has set the timer. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_parked(&c->park) &&
					       !atomic_read(&c->watched)));
	call = wsq_test_start_on(test, cpus[1], idle_keeper_fn, k);
	wait_for_completion(&k->in);
	if (from == IDLE_OTHER)
		wsq_queue_work_near(cpus[1], q, &k->it.work);
	if (from == IDLE_BOUND) {
		wsq_queue_work_on(cpus[1], q, &k->it.work);
		KUNIT_EXPECT_TRUE(test, idle_watched(c));
		KUNIT_EXPECT_EQ(test, atomic_read(&k->it.runs), 0);
	} else {
		KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&k->it.runs)));
		KUNIT_EXPECT_EQ(test, READ_ONCE(k->it.cpu), (int)cpus[0]);
	}
	WRITE_ONCE(k->end, true);
	wsq_test_end(test, call);
	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_roam();
	wsq_test_expect_runs(test, &k->it, 1, 1);
	if (from == IDLE_BOUND)
		KUNIT_EXPECT_EQ(test, READ_ONCE(k->it.cpu), (int)cpus[1]);
	wsq_test_queue_end(test, q);
}

static void idle_behind(struct kunit *test)
{
	idle_keep(test, IDLE_THREAD);
}

static void idle_behind_near(struct kunit *test)
{
	idle_keep(test, IDLE_OTHER);
}

/* No other CPU may run it. The watchdog arms the stall detector. */
static void idle_behind_bound(struct kunit *test)
{
	idle_keep(test, IDLE_BOUND);
}

/* A put on an idle CPU sets no timer: its worker comes at once. */
static void idle_alone(struct kunit *test)
{
	unsigned int cpus[2];
	struct wsq_test_item *it;
	struct wsq_cpu *c;
	struct wsq *q;
	bool quiet = false;
	int i;

	idle_need(test, 2);
	cpus[0] = cpumask_first(cpu_online_mask);
	cpus[1] = wsq_test_other(cpus[0]);
	c = wsq_cpus[cpus[1]];
	q = idle_queue(test, cpus, 2);
	it = wsq_test_items(test, q, 1, wsq_test_count);
	wsq_test_stay(test, cpus[0]);
	idle_meet(test, q, cpus[1]);
	/* Other threads of the kernel may run there in some of the rounds. */
	for (i = 0; i < 1000 && !quiet; i++) {
		u64 expiries;

		KUNIT_EXPECT_TRUE(test,
				  wsq_test_until(wsq_parked(&c->park) &&
						 !atomic_read(&c->watched)));
		expiries = READ_ONCE(c->watchdog.expiries);
		wsq_queue_work_on(cpus[1], q, &it->work);
		wsq_test_call(test, wsq_test_flush, q);
		quiet = !atomic_read(&c->watched) &&
			READ_ONCE(c->watchdog.expiries) == expiries;
	}
	KUNIT_EXPECT_TRUE(test, quiet);
	wsq_test_roam();
	wsq_test_queue_end(test, q);
	vfree(it);
}

static struct kunit_case idle_cases[] = {
	KUNIT_CASE(idle_choice),
	KUNIT_CASE(idle_only),
	KUNIT_CASE(idle_next),
	KUNIT_CASE(idle_behind),
	KUNIT_CASE(idle_behind_near),
	KUNIT_CASE(idle_behind_bound),
	KUNIT_CASE(idle_alone),
	{}
};

static struct kunit_suite idle_suite = {
	.name = "wsq_idle",
	.test_cases = idle_cases,
};

kunit_test_suite(idle_suite);
