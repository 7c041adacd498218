// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of rings that are closed while their items wait in the user's
 * queue: the ring is freed although no worker gets to that queue.
 */
#include "../ring/cancel.h"
#include "rings.h"

/* WSQ_RELEASE_MOST, WSQ_CHAIN_MOST: an item releases or ends the rest. */
#define RELEASED	256

/* Chains, each as long as may end at a time. */
#define CHAINS		7

/* A chain, and tasks that wait for each task of it. */
#define CHAIN_LEN	8
#define CHAIN_WAITERS	100

static void close_cancel(struct kunit *test, struct wsq_ring *ring, u64 user_data,
			 u32 nr)
{
	struct wsq_cancel c = {
		.flags = WSQ_CANCEL_USER_DATA, .what = user_data,
	};

	KUNIT_EXPECT_EQ(test, wsq_ring_cancel(ring, &c), 0);
	KUNIT_EXPECT_EQ(test, c.cancelled, nr);
}

/* A queue that runs the gate's item, and nothing else. */
static struct wsq *close_queue(struct kunit *test, struct wsq_test_gate *g)
{
	const struct wsq_attrs attrs = {
		.cpumask = cpumask_of(cpumask_first(cpu_online_mask)),
		.max_active = 1,
	};
	struct wsq *q = wsq_test_queue_attrs(test, &attrs);

	KUNIT_ASSERT_TRUE(test, wsq_queue_work(q, &g->it.work));
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	return q;
}

/* The ring goes although an item of it waits in its user's queue. */
static void close_in_use(struct kunit *test, struct wsq_ring *ring,
			 struct wsq *q, struct wsq_test_gate *g)
{
	bool gone;

	wsq_test_ring_close(ring);
	gone = wsq_test_rings_gone();
	KUNIT_EXPECT_TRUE_MSG(test, gone, "the ring waits for its user's queue");
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_test_rings_gone());
	wsq_test_queue_end(test, q);
	kfree(g);
}

/*
 * A drain has released as many tasks as it may at a time. The item that looks
 * for more is still queued when these tasks have ended and the ring is closed.
 */
static void close_released(struct kunit *test)
{
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct wsq *q = close_queue(test, g);
	struct wsq_ring *ring = wsq_test_ring(test, 0, 2 * RELEASED, 0);
	struct wsq_sqe sqe = {
		.op = WSQ_OP_NOP, .flags = WSQ_SQE_DRAIN, .user_data = 1,
	};
	int i;

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

	close_in_use(test, ring, q, g);
}

/*
 * A future was resolved for which more tasks wait than may be started at a time.
 * The item that starts the rest is still queued when the ring is closed.
 */
static void close_futures(struct kunit *test)
{
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct wsq *q = close_queue(test, g);
	struct wsq_ring *ring = wsq_test_ring(test, WSQ_SETUP_FUTURES,
					      2 * RELEASED, 0);
	struct wsq_sqe sqe = {
		.op = WSQ_OP_NOP, .flags = WSQ_SQE_FUTURES, .user_data = 1,
		.deadline = WSQ_FUTURES(1, 0, 0, 0),
	};
	int i;

	ring->queue = q;
	wsq_test_ring_push(ring, &sqe);
	sqe.user_data = 2;
	sqe.deadline = WSQ_FUTURES(0, 1, 0, 0);
	for (i = 0; i < RELEASED + 8; i++)
		wsq_test_ring_push(ring, &sqe);
	wsq_test_ring_enter(test, ring);
	KUNIT_EXPECT_EQ(test, wsq_test_ring_done(ring), 0);

	close_cancel(test, ring, 1, 1);
	KUNIT_EXPECT_EQ(test, wsq_test_ring_done(ring), 1 + RELEASED);
	KUNIT_EXPECT_EQ(test, wsq_test_ring_res(ring, RELEASED), -ECANCELED);
	KUNIT_EXPECT_TRUE(test, wsq_work_pending(&ring->futures.work));

	close_in_use(test, ring, q, g);
}

/* The heads of chains wait for a task that fails: each task of them counts. */
static void close_chains(struct kunit *test)
{
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct wsq *q = close_queue(test, g);
	struct wsq_ring *ring = wsq_test_ring(test, WSQ_SETUP_FUTURES,
					      (CHAINS + 1) * RELEASED, 0);
	struct wsq_sqe sqe = {
		.op = WSQ_OP_NOP, .flags = WSQ_SQE_FUTURES, .user_data = 1,
		.deadline = WSQ_FUTURES(1, 0, 0, 0),
	};
	int i, k;

	ring->queue = q;
	wsq_test_ring_push(ring, &sqe);
	for (i = 0; i < CHAINS; i++) {
		sqe = (struct wsq_sqe){
			.op = WSQ_OP_NOP,
			.flags = WSQ_SQE_FUTURES | WSQ_SQE_LINK,
			.deadline = WSQ_FUTURES(0, 1, 0, 0),
		};
		for (k = 1; k < RELEASED; k++) {
			wsq_test_ring_push(ring, &sqe);
			sqe.flags = WSQ_SQE_LINK;
			sqe.deadline = 0;
		}
		sqe.flags = 0;
		wsq_test_ring_push(ring, &sqe);
	}
	wsq_test_ring_enter(test, ring);
	KUNIT_EXPECT_EQ(test, wsq_test_ring_done(ring), 0);

	close_cancel(test, ring, 1, 1);
	KUNIT_EXPECT_EQ(test, wsq_test_ring_done(ring), 1 + RELEASED);
	KUNIT_EXPECT_TRUE(test, wsq_work_pending(&ring->futures.work));

	close_in_use(test, ring, q, g);
}

/* Others wait for each task of a chain that fails: it counts them, too. */
static void close_chain_waiters(struct kunit *test)
{
	const int step = 1 + CHAIN_WAITERS;
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct wsq *q = close_queue(test, g);
	struct wsq_ring *ring = wsq_test_ring(test, WSQ_SETUP_FUTURES, 1024, 0);
	struct wsq_sqe sqe = {
		.op = WSQ_OP_NOP, .flags = WSQ_SQE_FUTURES | WSQ_SQE_LINK,
		.user_data = 1,
	};
	int i, k;

	ring->queue = q;
	for (i = 1; i <= CHAIN_LEN; i++) {
		if (i == CHAIN_LEN)
			sqe.flags = WSQ_SQE_FUTURES;
		sqe.deadline = WSQ_FUTURES(i, 0, 0, 0);
		wsq_test_ring_push(ring, &sqe);
		sqe.user_data = 2;
	}
	for (i = 1; i <= CHAIN_LEN; i++) {
		sqe.deadline = WSQ_FUTURES(0, i, 0, 0);
		for (k = 0; k < CHAIN_WAITERS; k++)
			wsq_test_ring_push(ring, &sqe);
	}
	wsq_test_ring_enter(test, ring);
	KUNIT_EXPECT_EQ(test, wsq_test_ring_done(ring), 0);

	close_cancel(test, ring, 1, 1);
	KUNIT_EXPECT_EQ(test, wsq_test_ring_done(ring),
			DIV_ROUND_UP(RELEASED, step) * step);

	close_in_use(test, ring, q, g);
}

static struct kunit_case ring_close_cases[] = {
	KUNIT_CASE(close_released),
	KUNIT_CASE(close_futures),
	KUNIT_CASE(close_chains),
	KUNIT_CASE(close_chain_waiters),
	{}
};

static struct kunit_suite ring_close_suite = {
	.name = "wsq_ring_close",
	.test_cases = ring_close_cases,
};

kunit_test_suite(ring_close_suite);
