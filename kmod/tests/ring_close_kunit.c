// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of rings that are closed while items of theirs wait in the queue of
 * their user: the ring is freed although no worker gets to that queue.
 */
#include "rings.h"

/* As many as are let go before an item does the rest: WSQ_RELEASE_MOST. */
#define RELEASED	256

static void close_cancel(struct kunit *test, struct wsq_ring *ring, u64 user_data,
			 u32 nr)
{
	struct wsq_cancel c = {
		.flags = WSQ_CANCEL_USER_DATA, .what = user_data,
	};

	KUNIT_EXPECT_EQ(test, wsq_ring_cancel(ring, &c), 0);
	KUNIT_EXPECT_EQ(test, c.cancelled, nr);
}

/*
 * A drain has let go as many tasks as may go at a time. The item that looks whether
 * there are more is in the queue when these have ended and the ring is closed.
 */
static void close_released(struct kunit *test)
{
	const struct wsq_attrs attrs = {
		.cpumask = cpumask_of(cpumask_first(cpu_online_mask)),
		.max_active = 1,
	};
	struct wsq *q = wsq_test_queue_attrs(test, &attrs);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct wsq_ring *ring = wsq_test_ring(test, 0, 2 * RELEASED, 0);
	struct wsq_sqe sqe = {
		.op = WSQ_OP_NOP, .flags = WSQ_SQE_DRAIN, .user_data = 1,
	};
	bool gone;
	int i;

	/* Nothing else of the queue is run from here on. */
	KUNIT_ASSERT_TRUE(test, wsq_queue_work(q, &g->it.work));
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	ring->queue = q;
	wsq_test_ring_push(ring, &sqe);
	sqe = (struct wsq_sqe){ .op = WSQ_OP_NOP, .user_data = 2 };
	for (i = 0; i < RELEASED; i++)
		wsq_test_ring_push(ring, &sqe);
	wsq_test_ring_enter(test, ring);
	KUNIT_EXPECT_FALSE(test, list_empty(&ring->held));

	close_cancel(test, ring, 1, 1);
	KUNIT_EXPECT_TRUE(test, list_empty(&ring->held));
	KUNIT_EXPECT_TRUE(test, wsq_work_pending(&ring->release_work));
	close_cancel(test, ring, 2, RELEASED);
	KUNIT_EXPECT_TRUE(test, wsq_test_ring_settled(ring));
	KUNIT_EXPECT_TRUE(test, wsq_work_pending(&ring->release_work));

	wsq_test_ring_close(ring);
	gone = wsq_test_rings_gone();
	KUNIT_EXPECT_TRUE_MSG(test, gone, "the ring waits for its user's queue");
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_test_rings_gone());
	wsq_test_queue_end(test, q);
	kfree(g);
}

static struct kunit_case ring_close_cases[] = {
	KUNIT_CASE(close_released),
	{}
};

static struct kunit_suite ring_close_suite = {
	.name = "wsq_ring_close",
	.test_cases = ring_close_cases,
};

kunit_test_suite(ring_close_suite);
