// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of items that wait for something other than a plain timer before
 * they are queued: an RCU grace period, a deferrable timer.
 */
#include <linux/rcupdate.h>

#include "contexts.h"

struct rcu_item {
	struct wsq_rcu_work rwork;
	struct wsq *q;
	atomic_t runs;
	bool reading;
	bool leave;
	bool left;
	bool early;
};

static void rcu_item_fn(struct wsq_work *work)
{
	struct rcu_item *it = container_of(to_wsq_rcu_work(work), struct rcu_item,
					   rwork);

	if (READ_ONCE(it->reading) && !READ_ONCE(it->left))
		it->early = true;
	atomic_inc(&it->runs);
}

static struct rcu_item *rcu_item(struct kunit *test, u32 flags)
{
	struct wsq_attrs attrs = { .flags = flags };
	struct rcu_item *it = kzalloc(sizeof(*it), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, it);
	it->q = wsq_create(&attrs, "rcu");
	KUNIT_ASSERT_FALSE(test, IS_ERR(it->q));
	INIT_WSQ_RCU_WORK(&it->rwork, rcu_item_fn);
	return it;
}

static void rcu_item_end(struct kunit *test, struct rcu_item *it)
{
	wsq_test_queue_end(test, it->q);
	kfree(it);
}

static bool rcu_reader(void *arg)
{
	struct rcu_item *it = arg;

	rcu_read_lock();
	WRITE_ONCE(it->reading, true);
	while (!READ_ONCE(it->leave))
		cpu_relax();
	WRITE_ONCE(it->left, true);
	rcu_read_unlock();
	return true;
}

static bool rcu_flush(void *arg)
{
	return wsq_flush_rcu_work(arg);
}

/* The item does not run before the readers have left. */
static void rcu_after_readers(struct kunit *test)
{
	struct rcu_item *it = rcu_item(test, 0);
	struct wsq_test_call *reader, *flush;

	reader = wsq_test_start_on(test, cpumask_last(cpu_online_mask), rcu_reader,
				   it);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(it->reading)));
	KUNIT_EXPECT_TRUE(test, wsq_queue_rcu_work(it->q, &it->rwork));
	KUNIT_EXPECT_FALSE(test, wsq_queue_rcu_work(it->q, &it->rwork));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work(it->q, &it->rwork.work));
	KUNIT_EXPECT_TRUE(test, wsq_work_pending(&it->rwork.work));
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 0);
	flush = wsq_test_start(test, rcu_flush, &it->rwork);
	wsq_test_linger();
	KUNIT_EXPECT_FALSE(test, wsq_test_over(flush));
	WRITE_ONCE(it->leave, true);
	wsq_test_end(test, reader);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, flush));
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 1);
	KUNIT_EXPECT_FALSE(test, it->early);
	KUNIT_EXPECT_FALSE(test, wsq_flush_rcu_work(&it->rwork));
	rcu_item_end(test, it);
}

static int rcu_put(void *arg)
{
	struct rcu_item *it = arg;

	return !wsq_queue_rcu_work(it->q, &it->rwork);
}

/* From all contexts but NMI; on queues of all kinds. */
static void rcu_contexts(struct kunit *test)
{
	static const u32 kinds[] = {
		0, WSQ_ORDERED, WSQ_FREEZABLE, WSQ_ORDERED | WSQ_FREEZABLE,
	};
	int i, k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct rcu_item *it = rcu_item(test, kinds[k]);
		int runs = 0;

		for (i = 0; i < ARRAY_SIZE(contexts); i++) {
			if (contexts[i].nmi)
				continue;
			context_do(test, &contexts[i], rcu_put, it);
			/* It may have run before this. */
			wsq_test_call(test, rcu_flush, &it->rwork);
			KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), ++runs);
		}
		rcu_item_end(test, it);
	}
}

/* A disabled item is refused, and accepted again once enabled. */
static void rcu_disabled(struct kunit *test)
{
	struct rcu_item *it = rcu_item(test, 0);

	wsq_disable_work(&it->rwork.work);
	KUNIT_EXPECT_FALSE(test, wsq_queue_rcu_work(it->q, &it->rwork));
	KUNIT_EXPECT_FALSE(test, wsq_work_pending(&it->rwork.work));
	wsq_enable_work(&it->rwork.work);
	KUNIT_EXPECT_TRUE(test, wsq_queue_rcu_work(it->q, &it->rwork));
	wsq_test_call(test, rcu_flush, &it->rwork);
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 1);
	rcu_item_end(test, it);
}

static atomic_t deferrable_runs;

static void deferrable_fn(struct wsq_work *work)
{
	atomic_inc(&deferrable_runs);
}

static DECLARE_WSQ_DEFERRABLE_WORK(deferrable_static, deferrable_fn);

/* A deferrable item is a delayed item, whose timer is deferrable. */
static void deferrable(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_delayed_work *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);
	struct wsq_delayed_work *both[2] = { d, &deferrable_static };
	int i;

	KUNIT_ASSERT_NOT_NULL(test, d);
	INIT_WSQ_DELAYED_WORK(d, deferrable_fn);
	KUNIT_EXPECT_FALSE(test, d->timer.flags & TIMER_DEFERRABLE);
	INIT_WSQ_DEFERRABLE_WORK(d, deferrable_fn);
	atomic_set(&deferrable_runs, 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_TRUE(test, both[i]->timer.flags & TIMER_DEFERRABLE);
		KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, both[i], 1));
		/* This thread's timer wakes its CPU, but perhaps not the other's. */
		wsq_test_linger();
		wsq_flush_delayed_work(both[i]);
		KUNIT_EXPECT_EQ(test, atomic_read(&deferrable_runs), 3 * i + 1);
		KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, both[i], 3600 * HZ));
		KUNIT_EXPECT_TRUE(test, wsq_mod_delayed_work(q, both[i], 7200 * HZ));
		KUNIT_EXPECT_TRUE(test, wsq_cancel_delayed_work_sync(both[i]));
		KUNIT_EXPECT_FALSE(test, wsq_mod_delayed_work(q, both[i], 3600 * HZ));
		KUNIT_EXPECT_TRUE(test, wsq_flush_delayed_work(both[i]));
		KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, both[i], 0));
		wsq_flush_delayed_work(both[i]);
		KUNIT_EXPECT_EQ(test, atomic_read(&deferrable_runs), 3 * i + 3);
		KUNIT_EXPECT_TRUE(test, both[i]->timer.flags & TIMER_DEFERRABLE);
	}
	wsq_test_queue_end(test, q);
}

static struct kunit_case rcu_work_cases[] = {
	KUNIT_CASE(rcu_after_readers),
	KUNIT_CASE(rcu_contexts),
	KUNIT_CASE(rcu_disabled),
	KUNIT_CASE(deferrable),
	{}
};

static struct kunit_suite rcu_work_suite = {
	.name = "wsq_rcu_work",
	.test_cases = rcu_work_cases,
};

kunit_test_suite(rcu_work_suite);
