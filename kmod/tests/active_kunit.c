// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of max_active: on each CPU, at most max_active items of a queue
 * run at a time, and that many can. The limit holds back no item that is
 * cancelled or moved to another CPU and no item of another queue. All remaining
 * items run in the end.
 *
 * A running item is counted on the CPU that its worker serves, wherever the
 * worker itself runs. The tests wait a while for what must not happen: they may
 * miss a fault, but a slow machine does not make them fail.
 */
#include <linux/delay.h>

#include "crowd.h"

/* Items queued behind those that hold a CPU. */
#define ACTIVE_BEHIND	20

/* Limits 1 to this are tried. */
#define ACTIVE_LIMITS	3

static struct wsq *active_queue(struct kunit *test, u32 max,
				const struct cpumask *mask)
{
	struct wsq_attrs attrs = {
		.blocks = 2,
		.block_size = 4,
		.flags = WSQ_RESIDENT,
		.max_active = max,
		.cpumask = mask,
	};

	return wsq_test_queue_attrs(test, &attrs);
}

static unsigned int active_cpu(void)
{
	return cpumask_last(cpu_online_mask);
}

/* What the items of a mixture do. */
enum active_does {
	ACTIVE_NOTHING,
	ACTIVE_SLEEPS,
	ACTIVE_COMPUTES,
	ACTIVE_YIELDS,
	ACTIVE_DOES,
};

/**
 * struct active - items of one queue, and how many run at a time
 * @q: the queue
 * @max: its limit
 * @now: by CPU, items that have begun and not ended
 * @over: how often there were more than @max
 */
struct active {
	struct wsq *q;
	int max;
	atomic_t *now;
	atomic_t over;
};

struct active_item {
	struct wsq_test_item it;
	struct active *a;
};

static void active_fn(struct wsq_work *work)
{
	struct active_item *ai = container_of(work, struct active_item,
					      it.work);
	const struct wsq_worker *w = kthread_data(current);
	struct active *a = ai->a;
	atomic_t *now = &a->now[w->cpu];
	int again = ai->it.again;

	wsq_test_enter(&ai->it);
	if (atomic_inc_return(now) > a->max)
		atomic_inc(&a->over);
	switch ((ai->it.id + again) % ACTIVE_DOES) {
	case ACTIVE_SLEEPS:
		schedule_timeout_uninterruptible(1);
		break;
	case ACTIVE_COMPUTES:
		wsq_test_compute(100);
		break;
	case ACTIVE_YIELDS:
		usleep_range(50, 100);
		break;
	}
	atomic_dec(now);
	if (again) {
		ai->it.again = again - 1;
		wsq_queue_work_on(ai->it.id & 1 ? (int)w->cpu : WSQ_CPU_ANY,
				  a->q, work);
	}
	wsq_test_leave(&ai->it);
}

#define ACTIVE_ITEMS	120
#define ACTIVE_AGAIN	WSQ_TEST_MANY(4)

static void active_mixture_one(struct kunit *test, int max)
{
	struct active *a = kzalloc(sizeof(*a), GFP_KERNEL);
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct active_item *items;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, a);
	a->now = kcalloc(nr_cpu_ids, sizeof(*a->now), GFP_KERNEL);
	items = vzalloc(array_size(ACTIVE_ITEMS, sizeof(*items)));
	KUNIT_ASSERT_NOT_NULL(test, a->now);
	KUNIT_ASSERT_NOT_NULL(test, items);
	a->q = active_queue(test, max, NULL);
	a->max = max;
	for (i = 0; i < ACTIVE_ITEMS; i++) {
		wsq_test_item_init(&items[i].it, a->q, active_fn);
		items[i].it.id = i;
		items[i].it.again = ACTIVE_AGAIN;
		items[i].a = a;
		KUNIT_EXPECT_TRUE(test,
				  wsq_queue_work_on(i & 2 ? WSQ_CPU_ANY : cpu,
						    a->q, &items[i].it.work));
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
	wsq_test_queue_end(test, a->q);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&a->over), 0, "limit %d", max);
	for (i = 0; i < ACTIVE_ITEMS; i++)
		wsq_test_expect_runs(test, &items[i].it, 1, ACTIVE_AGAIN + 1);
	vfree(items);
	kfree(a->now);
	kfree(a);
}

/* Items of all kinds on all CPUs, which queue themselves again. */
static void active_mixture(struct kunit *test)
{
	int max;

	for (max = 1; max <= ACTIVE_LIMITS; max++)
		active_mixture_one(test, max);
}

/* As many as the queue allows wait for each other on one CPU. */
static void active_enough(struct kunit *test)
{
	unsigned int cpu = active_cpu();
	struct wsq_test_crowd *crowd;
	struct wsq *q;
	int max;

	for (max = 1; max <= ACTIVE_LIMITS; max++) {
		q = active_queue(test, max, cpumask_of(cpu));
		crowd = wsq_test_crowd(test, 4 * max, 0);
		/* Queue two lots: the limit must be the same for both. */
		wsq_test_crowd_put(test, crowd, q, cpu, 0, max);
		wsq_test_crowd_begun(test, crowd, max);
		wsq_test_crowd_put(test, crowd, q, cpu, max, 2 * max);
		wsq_test_linger();
		KUNIT_EXPECT_EQ(test, atomic_read(&crowd->begun), max);
		wsq_test_crowd_go(crowd);
		wsq_test_call(test, wsq_test_flush, q);
		KUNIT_EXPECT_EQ(test, atomic_read(&crowd->begun), 2 * max);
		reinit_completion(&crowd->go);
		wsq_test_crowd_put(test, crowd, q, cpu, 2 * max, 4 * max);
		wsq_test_crowd_begun(test, crowd, 3 * max);
		wsq_test_linger();
		KUNIT_EXPECT_EQ(test, atomic_read(&crowd->begun), 3 * max);
		wsq_test_crowd_end(test, crowd, q);
		wsq_test_queue_end(test, q);
	}
}

/**
 * struct active_held - a CPU on which a queue has reached its limit
 * @q: the queue
 * @cpu: the CPU
 * @crowd: the items that have begun there
 * @items: items behind them
 */
struct active_held {
	struct wsq *q;
	unsigned int cpu;
	struct wsq_test_crowd *crowd;
	struct wsq_test_item *items;
};

/* Hold a CPU at the limit. Half of the items queued behind are bound to it. */
static void active_hold(struct kunit *test, struct active_held *h, int max,
			const struct cpumask *mask)
{
	int i;

	h->cpu = active_cpu();
	h->q = active_queue(test, max, mask);
	h->crowd = wsq_test_crowd(test, max, 0);
	h->items = wsq_test_items(test, h->q, ACTIVE_BEHIND, wsq_test_count);
	wsq_test_crowd_queue(test, h->crowd, h->q, h->cpu);
	wsq_test_crowd_begun(test, h->crowd, max);
	wsq_test_stay(test, h->cpu);
	for (i = 0; i < ACTIVE_BEHIND; i++)
		KUNIT_EXPECT_TRUE(test,
				  wsq_queue_work_on(i & 1 ? (int)h->cpu :
						    WSQ_CPU_ANY, h->q,
						    &h->items[i].work));
	wsq_test_roam();
}

static int active_ran(const struct active_held *h)
{
	int i, ran = 0;

	for (i = 0; i < ACTIVE_BEHIND; i++)
		ran += !!atomic_read(&h->items[i].runs);
	return ran;
}

/* None of the items behind the limit has begun. */
static void active_expect_held(struct kunit *test, const struct active_held *h)
{
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, active_ran(h), 0);
}

static void active_free(struct kunit *test, struct active_held *h)
{
	wsq_test_crowd_end(test, h->crowd, h->q);
	wsq_test_queue_end(test, h->q);
	vfree(h->items);
}

/* Items held back by the limit can be cancelled before any item ends. */
static void active_cancel(struct kunit *test)
{
	struct active_held h = {};
	int max, i;

	for (max = 1; max <= ACTIVE_LIMITS; max++) {
		active_hold(test, &h, max, cpumask_of(active_cpu()));
		active_expect_held(test, &h);
		for (i = 0; i < ACTIVE_BEHIND; i += 3)
			KUNIT_EXPECT_TRUE(test,
					  wsq_test_call(test, wsq_test_cancel_sync,
							&h.items[i].work));
		wsq_test_crowd_go(h.crowd);
		wsq_test_call(test, wsq_test_flush, h.q);
		for (i = 0; i < ACTIVE_BEHIND; i++)
			wsq_test_expect_runs(test, &h.items[i], 1, !!(i % 3));
		active_free(test, &h);
	}
}

/*
 * A flush and a drain wait for the items that the limit holds back, and end.
 * Flushing an item does not make it run earlier.
 */
static void active_flush(struct kunit *test)
{
	struct wsq_test_call *one, *all, *drain;
	struct active_held h = {};
	int max;

	for (max = 1; max <= ACTIVE_LIMITS; max++) {
		active_hold(test, &h, max, cpumask_of(active_cpu()));
		one = wsq_test_start(test, wsq_test_flush_work,
				     &h.items[ACTIVE_BEHIND - 1].work);
		all = wsq_test_start(test, wsq_test_flush, h.q);
		drain = wsq_test_start(test, wsq_test_drain, h.q);
		wsq_test_waits(test, one);
		wsq_test_waits(test, all);
		wsq_test_waits(test, drain);
		active_expect_held(test, &h);
		KUNIT_EXPECT_FALSE(test, wsq_test_over(one));
		KUNIT_EXPECT_FALSE(test, wsq_test_over(all));
		KUNIT_EXPECT_FALSE(test, wsq_test_over(drain));
		wsq_test_crowd_go(h.crowd);
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, one));
		wsq_test_end(test, all);
		wsq_test_end(test, drain);
		wsq_test_expect_runs(test, h.items, ACTIVE_BEHIND, 1);
		active_free(test, &h);
	}
}

/* wsq_destroy() runs the items that the limit held back. */
static void active_destroy(struct kunit *test)
{
	struct wsq_test_call *call;
	struct active_held h = {};
	int max;

	for (max = 1; max <= ACTIVE_LIMITS; max++) {
		active_hold(test, &h, max, cpumask_of(active_cpu()));
		call = wsq_test_start(test, wsq_test_destroy, h.q);
		wsq_test_waits(test, call);
		KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
		active_expect_held(test, &h);
		wsq_test_crowd_go(h.crowd);
		wsq_test_end(test, call);
		wsq_test_expect_runs(test, h.items, ACTIVE_BEHIND, 1);
		wsq_test_crowd_free(h.crowd);
		vfree(h.items);
	}
}

static bool active_move_fn(void *q)
{
	return !wsq_set_cpumask(q, cpumask_of(cpumask_first(cpu_online_mask)));
}

static bool active_back_fn(void *q)
{
	return !wsq_set_cpumask(q, cpumask_of(active_cpu()));
}

/*
 * The limit is per CPU. Items that it holds back on a CPU that leaves the queue
 * run on the CPU that stays, before any running item ends. Items still asleep
 * on the first CPU count again when it rejoins the queue.
 */
static void active_cpumask(struct kunit *test)
{
	struct active_held h = {};
	struct wsq_test_item *more;
	int max;

	wsq_test_need_cpus(test, 2);
	for (max = 1; max <= ACTIVE_LIMITS; max++) {
		active_hold(test, &h, max, cpumask_of(active_cpu()));
		active_expect_held(test, &h);
		KUNIT_EXPECT_TRUE(test, wsq_test_call(test, active_move_fn,
						      h.q));
		KUNIT_EXPECT_TRUE_MSG(test, wsq_test_until(active_ran(&h) ==
							   ACTIVE_BEHIND),
				      "%d ran where the queue has none",
				      active_ran(&h));
		KUNIT_EXPECT_TRUE(test, wsq_test_call(test, active_back_fn,
						      h.q));
		more = wsq_test_items(test, h.q, 1, wsq_test_count);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(h.cpu, h.q,
							  &more->work));
		wsq_test_linger();
		KUNIT_EXPECT_EQ(test, atomic_read(&more->runs), 0);
		wsq_test_crowd_go(h.crowd);
		wsq_test_call(test, wsq_test_flush, h.q);
		wsq_test_expect_runs(test, more, 1, 1);
		wsq_test_expect_runs(test, h.items, ACTIVE_BEHIND, 1);
		active_free(test, &h);
		vfree(more);
	}
}

/* Unbound items behind those that hold a CPU run on another CPU. */
static void active_steal(struct kunit *test)
{
	struct active_held h = {};
	int max;

	wsq_test_need_cpus(test, 2);
	for (max = 1; max <= ACTIVE_LIMITS; max++) {
		active_hold(test, &h, max, NULL);
		KUNIT_EXPECT_TRUE_MSG(test, wsq_test_until(active_ran(&h) >=
							   ACTIVE_BEHIND / 2),
				      "%d ran", active_ran(&h));
		wsq_test_linger();
		/* The bound items wait. */
		KUNIT_EXPECT_EQ(test, active_ran(&h), ACTIVE_BEHIND / 2);
		active_free(test, &h);
	}
}

/* A queue at its limit holds up no other queue. */
static void active_other_queue(struct kunit *test)
{
	struct active_held h = {};
	struct wsq_test_item *it;
	struct wsq *b;
	int max;

	for (max = 1; max <= ACTIVE_LIMITS; max++) {
		active_hold(test, &h, max, cpumask_of(active_cpu()));
		b = wsq_test_queue(test, 2, 4, cpumask_of(h.cpu));
		it = wsq_test_items(test, b, 1, wsq_test_count);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(h.cpu, b, &it->work));
		KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&it->runs)));
		active_expect_held(test, &h);
		active_free(test, &h);
		wsq_test_queue_end(test, b);
		vfree(it);
	}
}

/* Valid and invalid limits. */
static void active_bounds(struct kunit *test)
{
	static const struct {
		u32 max;
		int ret;
	} tries[] = {
		{ 0, 0 },
		{ 1, 0 },
		{ 65536, 0 },
		{ 65537, -EINVAL },
		{ UINT_MAX / 2, -EINVAL },
		{ UINT_MAX, -EINVAL },
	};
	struct wsq_test_item *it;
	struct wsq *q;
	int i;

	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		const struct wsq_attrs attrs = { .max_active = tries[i].max };

		q = wsq_test_create(test, &attrs, "test");
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(q), tries[i].ret,
				    "limit %u", tries[i].max);
		if (IS_ERR(q))
			continue;
		it = wsq_test_items(test, q, 1, wsq_test_count);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
		wsq_test_queue_end(test, q);
		wsq_test_expect_runs(test, it, 1, 1);
		vfree(it);
	}
}

static struct kunit_case active_cases[] = {
	WSQ_ENGINE_CASE(active_mixture),
	WSQ_ANY_ENGINE_CASE(active_enough),
	WSQ_ANY_ENGINE_CASE(active_cancel),
	KUNIT_CASE(active_flush),
	KUNIT_CASE(active_destroy),
	WSQ_ANY_ENGINE_CASE(active_cpumask),
	WSQ_ANY_ENGINE_CASE(active_steal),
	KUNIT_CASE(active_other_queue),
	KUNIT_CASE(active_bounds),
	{}
};

static struct kunit_suite active_suite = {
	.name = "wsq_active",
	.test_cases = active_cases,
};

kunit_test_suite(active_suite);
