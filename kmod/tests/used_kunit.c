// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the CPU time that queues have used. Each bound follows from
 * what the items measure themselves, on a slow or busy machine as well.
 */
#include "../obs/cpu_stats.h"
#include "items.h"

/*
 * What an item computes, in ns of its thread's CPU time: some ticks, because a
 * tick may come between the two reads of wsq_timestamp_away().
 */
#define USED_NS			(100 * NSEC_PER_MSEC)

#define USED_ITEMS		4

/**
 * struct used_item - an item that measures what it does
 * @it: the item
 * @sleeps: it sleeps before it computes
 * @slept: how long it slept, in ns
 * @ns: CPU time that it used after that
 * @entered: it runs
 */
struct used_item {
	struct wsq_test_item it;
	bool sleeps;
	u64 slept;
	u64 ns;
	struct completion entered;
};

static void used_fn(struct wsq_work *work)
{
	struct used_item *ui = container_of(work, struct used_item, it.work);
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	u64 from;

	wsq_test_enter(&ui->it);
	complete(&ui->entered);
	if (ui->sleeps) {
		from = ktime_get_mono_fast_ns();
		schedule_timeout_uninterruptible(HZ / 5 + 2);
		ui->slept = ktime_get_mono_fast_ns() - from;
	}
	from = READ_ONCE(current->se.sum_exec_runtime);
	do {
		wsq_test_yield();
		ui->ns = READ_ONCE(current->se.sum_exec_runtime) - from;
	} while (ui->ns < USED_NS && time_before(jiffies, end));
	wsq_test_leave(&ui->it);
}

static struct used_item *used_items(struct kunit *test, bool sleeps)
{
	struct used_item *items = vzalloc(array_size(USED_ITEMS,
						     sizeof(*items)));
	int i;

	KUNIT_ASSERT_NOT_NULL(test, items);
	for (i = 0; i < USED_ITEMS; i++) {
		wsq_test_item_init(&items[i].it, NULL, used_fn);
		init_completion(&items[i].entered);
		items[i].sleeps = sleeps;
	}
	return items;
}

static struct wsq *used_queue(struct kunit *test, u32 class, u32 flags)
{
	const struct wsq_attrs attrs = {
		.cpumask = cpumask_of(cpumask_last(cpu_online_mask)),
		.class = class,
		.flags = flags,
	};
	/* Not wsq_test_queue_attrs(), whose queues have memory at once. */
	struct wsq *q = wsq_create(&attrs, "used");

	KUNIT_ASSERT_FALSE(test, IS_ERR(q));
	return q;
}

/* Items that compute: their CPU time, no more than has passed. */
static void used_computing(struct kunit *test, u32 flags)
{
	struct used_item *items;
	u64 sum, from, passed;
	struct wsq *q;
	u32 class;
	int i;

	for (class = 0; class < WSQ_CLASSES; class++) {
		q = used_queue(test, class, flags);
		items = used_items(test, false);
		KUNIT_EXPECT_EQ(test, wsq_stats_queue_ns(q), 0ULL);
		from = ktime_get_mono_fast_ns();
		for (i = 0, sum = 0; i < USED_ITEMS; i++) {
			wsq_queue_work(q, &items[i].it.work);
			wsq_test_call(test, wsq_test_flush, q);
			KUNIT_EXPECT_GE(test, items[i].ns, (u64)USED_NS);
			sum += items[i].ns;
		}
		/* The scheduler's count is from the last tick. */
		KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_stats_queue_ns(q) >=
						       sum - sum / 4));
		passed = ktime_get_mono_fast_ns() - from;
		KUNIT_EXPECT_LE(test, wsq_stats_queue_ns(q), passed);
		wsq_test_queue_end(test, q);
		vfree(items);
	}
}

static void used_computes(struct kunit *test)
{
	used_computing(test, 0);
}

/* Nothing but a token is in the lanes of a queue that keeps order. */
static void used_ordered(struct kunit *test)
{
	used_computing(test, WSQ_ORDERED);
}

/* An item that sleeps: not the time asleep. */
static void used_sleeps(struct kunit *test)
{
	struct used_item *items = used_items(test, true);
	struct wsq *q = used_queue(test, WSQ_CLASS_NORMAL, 0);
	u64 from = ktime_get_mono_fast_ns(), passed;

	wsq_queue_work(q, &items[0].it.work);
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_stats_queue_ns(q) >=
					       items[0].ns / 2));
	passed = ktime_get_mono_fast_ns() - from;
	KUNIT_EXPECT_LE(test, wsq_stats_queue_ns(q),
			passed - items[0].slept / 2);
	wsq_test_queue_end(test, q);
	vfree(items);
}

/* The same for one whose worker was replaced, because another item waited. */
static void used_replaced(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct used_item *items = used_items(test, true);
	struct wsq *q = used_queue(test, WSQ_CLASS_NORMAL, 0);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	u64 from = ktime_get_mono_fast_ns(), passed;
	struct wsq_lane *lane = wsq_lane(q, cpu);

	wsq_queue_work(q, &items[0].it.work);
	KUNIT_EXPECT_NE(test,
			wait_for_completion_timeout(&items[0].entered,
						    WSQ_TEST_TIMEOUT), 0UL);
	wsq_queue_work_on(cpu, q, &it->work);
	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_expect_runs(test, it, 1, 1);
	KUNIT_EXPECT_TRUE(test,
			  wsq_test_until((u64)atomic64_read(&lane->far_ns) >=
					 items[0].ns / 2));
	passed = ktime_get_mono_fast_ns() - from;
	KUNIT_EXPECT_LE(test, (u64)atomic64_read(&lane->far_ns),
			passed - items[0].slept / 2);
	wsq_test_queue_end(test, q);
	vfree(items);
	vfree(it);
}

static struct kunit_case used_cases[] = {
	KUNIT_CASE_SLOW(used_computes),
	KUNIT_CASE_SLOW(used_ordered),
	KUNIT_CASE_SLOW(used_sleeps),
	KUNIT_CASE_SLOW(used_replaced),
	{}
};

static struct kunit_suite used_suite = {
	.name = "wsq_used",
	.test_cases = used_cases,
};

kunit_test_suite(used_suite);
