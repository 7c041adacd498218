// SPDX-License-Identifier: GPL-2.0
/*
 * Bound and unbound items share a CPU: none of them, however often it requeues
 * itself, keeps the others from running. All tests use a queue of one CPU,
 * where no other CPU can help.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/wsq.h>

#include "engines.h"
#include "items.h"
#include "threads.h"

/*
 * Runs of the requeueing items after the calm one is queued, until they give
 * up.
 */
#define SHARE_GIVE_UP	100000

/*
 * What the first item of an inbox may be preceded by (wsq_lane_claim_slow()),
 * for itself and the items here that were queued before it.
 */
#define SHARE_MOST	(4 * 2 * WSQ_INBOX_EVERY)

/**
 * enum share_how - how an item comes to its CPU
 * @SHARE_BOUND: by wsq_queue_work_on()
 * @SHARE_NEAR: by wsq_queue_work_near(), through the open inbox if that is
 *	called on another CPU
 * @SHARE_ANY: by wsq_queue_work(), through the engine if that has memory
 * @SHARE_HOWS: how many ways there are
 */
enum share_how {
	SHARE_BOUND,
	SHARE_NEAR,
	SHARE_ANY,
	SHARE_HOWS,
};

/**
 * struct share - state of one case
 * @q: the queue, of @cpu alone
 * @cpu: its CPU
 * @how: how the flooding items requeue themselves
 * @stop: they are to end
 * @floods: how often they have run
 * @give_up: limit of @floods; set when @calm is queued
 * @at: @floods when the calm item ran, -1 before
 * @calm: the item that they must not starve
 * @flood: the others
 */
struct share {
	struct wsq *q;
	int cpu;
	enum share_how how;
	bool stop;
	atomic_t floods;
	int give_up;
	int at;
	struct wsq_work calm;
	struct wsq_work flood[3];
};

static void share_put(struct share *s, struct wsq_work *work, enum share_how how)
{
	switch (how) {
	case SHARE_BOUND:
		wsq_queue_work_on(s->cpu, s->q, work);
		break;
	case SHARE_NEAR:
		wsq_queue_work_near(s->cpu, s->q, work);
		break;
	default:
		wsq_queue_work(s->q, work);
		break;
	}
}

static struct share *share_now;

static void share_flood_fn(struct wsq_work *work)
{
	struct share *s = READ_ONCE(share_now);

	if (atomic_inc_return(&s->floods) < READ_ONCE(s->give_up) &&
	    !READ_ONCE(s->stop))
		share_put(s, work, s->how);
}

static void share_calm_fn(struct wsq_work *work)
{
	struct share *s = container_of(work, struct share, calm);

	WRITE_ONCE(s->at, atomic_read(&s->floods));
	WRITE_ONCE(s->stop, true);
}

/* An item queued as @calm runs although others flood the CPU as @flood. */
static void share_one(struct kunit *test, u32 flags, enum share_how flood,
		      enum share_how calm)
{
	struct share *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	int cpu = cpumask_last(cpu_online_mask), before, i;
	struct wsq_attrs attrs = {
		.cpumask = cpumask_of(cpu),
		.flags = flags,
	};

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->q = wsq_test_queue_attrs(test, &attrs);
	s->cpu = cpu;
	s->how = flood;
	s->at = -1;
	s->give_up = INT_MAX;
	INIT_WSQ_WORK(&s->calm, share_calm_fn);
	WRITE_ONCE(share_now, s);
	for (i = 0; i < ARRAY_SIZE(s->flood); i++) {
		INIT_WSQ_WORK(&s->flood[i], share_flood_fn);
		share_put(s, &s->flood[i], flood);
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&s->floods) > 1000));
	/* On this CPU no flood item runs between the read and the put. */
	preempt_disable();
	before = atomic_read(&s->floods);
	share_put(s, &s->calm, calm);
	WRITE_ONCE(s->give_up, atomic_read(&s->floods) + SHARE_GIVE_UP);
	preempt_enable();
	wsq_test_call(test, wsq_test_flush, s->q);
	KUNIT_EXPECT_GE_MSG(test, s->at, 0, "%d floods, %d calm", flood, calm);
	KUNIT_EXPECT_LT_MSG(test, s->at, s->give_up, "%d floods, %d starves",
			    flood, calm);
	/* On another CPU flood items run between the read and the put. */
	if (raw_smp_processor_id() == cpu && s->at - before > SHARE_MOST)
		KUNIT_FAIL(test, "%d floods: %d runs before the calm one (%d)",
			   flood, s->at - before, calm);
	wsq_test_call(test, wsq_test_drain, s->q);
	wsq_test_queue_end(test, s->q);
}

/* Every way against every other, with an engine's memory and without. */
static void share_all(struct kunit *test)
{
	enum share_how flood, calm;
	int cpu = cpumask_last(cpu_online_mask), here;

	for (here = 0; here < 2; here++) {
		if (here)
			wsq_test_stay(test, cpu);
		else
			wsq_test_stay(test, cpumask_first(cpu_online_mask));
		for (flood = 0; flood < SHARE_HOWS; flood++) {
			for (calm = 0; calm < SHARE_HOWS; calm++) {
				share_one(test, 0, flood, calm);
				share_one(test, WSQ_RESIDENT, flood, calm);
			}
		}
	}
	wsq_test_roam();
}

static struct kunit_case share_cases[] = {
	WSQ_ENGINE_CASE(share_all),
	{}
};

static struct kunit_suite share_suite = {
	.name = "wsq_share",
	.test_cases = share_cases,
};

kunit_test_suite(share_suite);
