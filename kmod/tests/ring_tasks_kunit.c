// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of ring tasks that do not end by themselves: ops of other modules
 * whose tasks wait for each other, beside tasks of built-in ops and of other
 * rings of the same user. Each case waits, with a timeout, for what must
 * happen. What must not delay it is held until the case has seen it.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/sizes.h>

#include "../ring/cont.h"
#include "../ring/state.h"
#include "rings.h"

/* Longer than one piece, in bytes. */
#define LONG_LEN	(2ULL * WSQ_OP_PIECE)
#define ARENA		(4ULL * LONG_LEN)

/* How the tasks of the op below wait: they yield, or sleep until notified. */
enum wait_how {
	WAIT_AGAIN,
	WAIT_ASLEEP,
};

/* A number of tasks that is never reached. */
#define WAIT_FOREVER	BIT(30)

static bool wait_over;
static atomic_t wait_begun;

/* Bit 0 of arg is how; the rest is the number of tasks that ends the wait. */
static s64 wait_issue(const struct wsq_op_task *task)
{
	const enum wait_how how = task->arg & 1;
	u64 *calls = task->state;
	int ret = 0;

	if (!(*calls)++ &&
	    atomic_inc_return(&wait_begun) == task->arg >> 1)
		WRITE_ONCE(wait_over, true);
	if (READ_ONCE(wait_over))
		return 0;
	if (how == WAIT_AGAIN)
		return WSQ_OP_AGAIN;
	while (!READ_ONCE(wait_over) && !ret) {
		usleep_range(100, 200);
		ret = wsq_op_stopped(task);
	}
	return ret;
}

static const struct wsq_op_def wait_def = {
	.name = "wait", .cap = -1, .shape = WSQ_SHAPE_ARG,
	.state_size = sizeof(u64), .issue = wait_issue,
};

static int wait_register(struct kunit *test)
{
	int nr = wsq_register_op(&wait_def);

	KUNIT_ASSERT_GE(test, nr, WSQ_OP_REGISTERED);
	WRITE_ONCE(wait_over, false);
	atomic_set(&wait_begun, 0);
	return nr;
}

/* Submit @nr tasks that wait until @last of all have begun. */
static void wait_submit(struct kunit *test, struct wsq_ring *ring, int op,
			unsigned int nr, unsigned int last, enum wait_how how)
{
	const struct wsq_sqe sqe = {
		.op = op, .arg = (u64)last << 1 | how,
	};
	unsigned int i;

	for (i = 0; i < nr; i++)
		wsq_test_ring_push(ring, &sqe);
	wsq_test_ring_enter(test, ring);
}

/* End a case: all tasks may end, whatever the result. */
static void wait_end(struct kunit *test, struct wsq_ring *ring)
{
	WRITE_ONCE(wait_over, true);
	KUNIT_EXPECT_TRUE(test, wsq_test_ring_settled(ring));
	wsq_test_ring_close(ring);
	KUNIT_EXPECT_TRUE(test, wsq_test_rings_gone());
	wsq_unregister_op(&wait_def);
}

/* Tasks that wait until the last of them has begun. */
static void tasks_wait(struct kunit *test, enum wait_how how)
{
	const unsigned int nr = 8 * num_possible_cpus() + 8;
	struct wsq_ring *ring = wsq_test_ring(test, 0, roundup_pow_of_two(nr), 0);
	int op = wait_register(test);

	wait_submit(test, ring, op, nr, nr, how);
	KUNIT_EXPECT_TRUE_MSG(test, wsq_test_ring_settled(ring),
			      "%d of %u tasks have begun",
			      atomic_read(&wait_begun), nr);
	wait_end(test, ring);
}

static void tasks_wait_again(struct kunit *test)
{
	tasks_wait(test, WAIT_AGAIN);
}

static void tasks_wait_asleep(struct kunit *test)
{
	tasks_wait(test, WAIT_ASLEEP);
}

/* Two built-in tasks of several pieces, one of them with a list. */
static void copy_submit(struct kunit *test, struct wsq_ring *ring)
{
	struct wsq_vec *list = ring->arena;
	struct wsq_sqe sqe = {
		.op = WSQ_OP_COPY, .len = LONG_LEN, .dst = 2 * LONG_LEN,
	};

	wsq_test_ring_push(ring, &sqe);
	list[0].off = 4096;
	list[0].len = LONG_LEN - 1;
	list[1].off = 4096 + LONG_LEN;
	list[1].len = 1;
	sqe = (struct wsq_sqe){
		.op = WSQ_OP_CRC32C, .flags = WSQ_SQE_VEC, .len = 2,
	};
	wsq_test_ring_push(ring, &sqe);
	wsq_test_ring_enter(test, ring);
}

/* Tasks that wait forever, beside long ones of the user's other ring. */
static void tasks_beside(struct kunit *test)
{
	const unsigned int most = 4 * num_possible_cpus() + 4;
	struct wsq_ring *ring = wsq_test_ring(test, 0, roundup_pow_of_two(most), 0);
	struct wsq_ring *other = wsq_test_ring(test, 0, 4, ARENA);
	int op = wait_register(test);
	unsigned int nr = 0, step;

	/* More and more of them, beyond what may yield at a time. */
	for (step = num_possible_cpus() + 1; nr < most && step; ) {
		wait_submit(test, ring, op, step, WAIT_FOREVER, WAIT_AGAIN);
		nr += step;
		KUNIT_EXPECT_TRUE_MSG(test,
				      wsq_test_until(atomic_read(&wait_begun) ==
						     nr),
				      "%d of %u tasks have begun",
				      atomic_read(&wait_begun), nr);
		/* Let the tasks that have begun yield. */
		wsq_test_linger();
		copy_submit(test, other);
		if (!wsq_test_ring_settled(other)) {
			KUNIT_FAIL(test, "%llu of %llu long tasks ended beside %u",
				   wsq_test_ring_done(other), other->sq_head, nr);
			break;
		}
		wsq_test_ring_read(other);
		step = min(step, most - nr);
	}
	KUNIT_EXPECT_EQ(test, wsq_test_ring_done(ring), 0ULL);
	wsq_test_ring_close(other);
	wait_end(test, ring);
}

static bool wait_unregister(void *def)
{
	wsq_unregister_op(def);
	return true;
}

/* An op is unregistered while more of its tasks wait forever than may yield. */
static void tasks_unregister(struct kunit *test)
{
	const unsigned int nr = 4 * num_possible_cpus() + 4;
	struct wsq_ring *ring = wsq_test_ring(test, 0, roundup_pow_of_two(nr), 0);
	int op = wait_register(test);
	struct wsq_test_call *call;
	unsigned int i;

	wait_submit(test, ring, op, nr, WAIT_FOREVER, WAIT_AGAIN);
	KUNIT_EXPECT_TRUE(test,
			  wsq_test_until(atomic_read(&wait_begun) >
					 num_possible_cpus()));
	wsq_test_linger();
	call = wsq_test_start(test, wait_unregister, (void *)&wait_def);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_test_over(call)));
	KUNIT_EXPECT_TRUE(test, wsq_test_ring_settled(ring));
	/* If the tasks have not ended, let them, and the call. */
	WRITE_ONCE(wait_over, true);
	KUNIT_ASSERT_TRUE(test, wsq_test_ring_settled(ring));
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, wsq_test_ring_res(ring, i), -EOPNOTSUPP);
	wsq_test_ring_close(ring);
	KUNIT_EXPECT_TRUE(test, wsq_test_rings_gone());
}

/* Take all contexts, as if tasks that have yielded used them. */
static void conts_take(struct wsq_conts *conts, struct list_head *taken)
{
	struct wsq_op_cont *c;

	while ((c = wsq_cont_get(conts, WSQ_OP_COPY)))
		list_add(&c->free, taken);
}

/* One of these tasks ends; false if there is none. */
static bool conts_give(struct wsq_ring *ring, struct list_head *taken)
{
	struct wsq_req *req = kzalloc(sizeof(*req), GFP_KERNEL);

	if (!req || list_empty(taken)) {
		kfree(req);
		return false;
	}
	req->ring = ring;
	req->sqe.op = WSQ_OP_COPY;
	req->cont = list_first_entry(taken, struct wsq_op_cont, free);
	list_del(&req->cont->free);
	wsq_cont_put(req);
	kfree(req);
	return true;
}

static unsigned int conts_waiting(struct wsq_conts *conts)
{
	struct wsq_req *req;
	unsigned int nr = 0;

	spin_lock(&conts->lock);
	list_for_each_entry(req, &conts->waiting, held)
		nr++;
	spin_unlock(&conts->lock);
	return nr;
}

/*
 * While as many long tasks have yielded as may, further long ones do not begin.
 * All others do: short lists, and ops of other modules.
 */
static void tasks_beside_held(struct kunit *test)
{
	struct wsq_ring *ring = wsq_test_ring(test, 0, 4, ARENA);
	struct wsq_ring *other = wsq_test_ring(test, 0, 4, ARENA);
	struct wsq_conts *conts = &ring->user->conts;
	struct wsq_vec *list = ring->arena;
	struct wsq_sqe sqe = {
		.op = WSQ_OP_CRC32C, .flags = WSQ_SQE_VEC, .len = 2,
	};
	int op = wait_register(test);
	LIST_HEAD(taken);

	conts_take(conts, &taken);
	copy_submit(test, other);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(conts_waiting(conts) == 2));

	list[0].off = 4096;
	list[0].len = WSQ_OP_PIECE - 8;
	list[1].off = 8;
	list[1].len = 8;
	wsq_test_ring_push(ring, &sqe);
	WRITE_ONCE(wait_over, true);
	wait_submit(test, ring, op, 1, 1, WAIT_AGAIN);
	KUNIT_EXPECT_TRUE_MSG(test, wsq_test_ring_settled(ring),
			      "%llu of 2 tasks have ended",
			      wsq_test_ring_done(ring));
	KUNIT_EXPECT_EQ(test, conts_waiting(conts), 2);
	KUNIT_EXPECT_EQ(test, wsq_test_ring_done(other), 0ULL);

	/* One ends: both run, the second one when the first has ended. */
	KUNIT_EXPECT_TRUE(test, conts_give(ring, &taken));
	KUNIT_EXPECT_TRUE(test, wsq_test_ring_settled(other));
	KUNIT_EXPECT_TRUE(test, wsq_test_ring_settled(ring));
	KUNIT_EXPECT_EQ(test, conts_waiting(conts), 0);
	while (conts_give(ring, &taken))
		;
	KUNIT_EXPECT_EQ(test, conts->held, 0U);
	wsq_test_ring_close(other);
	wait_end(test, ring);
}

/* A short task of the @nr-th op that allocates; false after the last. */
static bool small_sqe(unsigned int nr, struct wsq_sqe *sqe)
{
	static const struct wsq_sqe all[] = {
		{ .op = WSQ_OP_SORT64, .len = 8, .dst = 4096 },
		{ .op = WSQ_OP_FSVERITY, .len = 1, .dst = 4096 },
		{ .op = WSQ_OP_GZIP, .len = 1, .dst = 4096,
		  .arg = WSQ_GZIP_BOUND(1) },
	};

	if (nr == ARRAY_SIZE(all))
		return false;
	*sqe = all[nr];
	return true;
}

/*
 * A task of an op that allocates may sleep. So it waits behind tasks that have
 * left, however short it is.
 */
static void tasks_allocate(struct kunit *test)
{
	struct wsq_ring *ring = wsq_test_ring(test, 0, 4, ARENA);
	struct wsq_conts *conts = &ring->user->conts;
	LIST_HEAD(taken);
	struct wsq_sqe sqe;
	unsigned int i;

	for (i = 0; small_sqe(i, &sqe); i++) {
		if (!wsq_op_table[sqe.op])
			continue;
		conts_take(conts, &taken);
		wsq_test_ring_push(ring, &sqe);
		wsq_test_ring_enter(test, ring);
		KUNIT_EXPECT_TRUE_MSG(test,
				      wsq_test_until(conts_waiting(conts) ||
						     wsq_test_ring_done(ring) ==
						     ring->sq_head),
				      "op %u", sqe.op);
		KUNIT_EXPECT_EQ_MSG(test, conts_waiting(conts), 1, "op %u",
				    sqe.op);
		KUNIT_EXPECT_TRUE(test, conts_give(ring, &taken));
		KUNIT_EXPECT_TRUE(test, wsq_test_ring_settled(ring));
		KUNIT_EXPECT_GT(test, wsq_test_ring_res(ring, ring->sq_head - 1),
				0);
		wsq_test_ring_read(ring);
		while (conts_give(ring, &taken))
			;
		KUNIT_EXPECT_EQ(test, conts->held, 0U);
	}
	wsq_test_ring_close(ring);
	KUNIT_EXPECT_TRUE(test, wsq_test_rings_gone());
}

/* ... and counts as one that has left from when it begins, if it can. */
static void tasks_allocate_count(struct kunit *test)
{
	struct wsq_ring *ring = wsq_test_ring(test, 0, 4, ARENA);
	struct wsq_conts *conts = &ring->user->conts;
	struct wsq_stop stop = {
		.dead = &ring->dead, .stop_asked = &ring->dead,
		.deadline = U64_MAX, .conts = conts, .fj = &ring->user->fj,
	};
	LIST_HEAD(taken);
	struct wsq_sqe sqe;
	unsigned int i;

	for (i = 0; small_sqe(i, &sqe); i++) {
		struct wsq_op_cont *cont = NULL;

		if (!wsq_op_table[sqe.op])
			continue;
		KUNIT_EXPECT_GT(test, wsq_op_issue(&sqe, ring->arena,
						   ring->sizes.arena, &stop,
						   &cont), 0);
		KUNIT_EXPECT_NOT_NULL(test, cont);
		KUNIT_EXPECT_EQ(test, conts->held, 1U);
		if (cont)
			list_add(&cont->free, &taken);
		conts_take(conts, &taken);
		cont = NULL;
		KUNIT_EXPECT_GT(test, wsq_op_issue(&sqe, ring->arena,
						   ring->sizes.arena, &stop,
						   &cont), 0);
		KUNIT_EXPECT_NULL(test, cont);
		while (conts_give(ring, &taken))
			;
		KUNIT_EXPECT_EQ(test, conts->held, 0U);
	}
	wsq_test_ring_close(ring);
	KUNIT_EXPECT_TRUE(test, wsq_test_rings_gone());
}

static struct kunit_case ring_tasks_cases[] = {
	KUNIT_CASE(tasks_wait_again),
	KUNIT_CASE(tasks_wait_asleep),
	KUNIT_CASE(tasks_beside),
	KUNIT_CASE(tasks_beside_held),
	KUNIT_CASE(tasks_unregister),
	KUNIT_CASE(tasks_allocate),
	KUNIT_CASE(tasks_allocate_count),
	{}
};

static struct kunit_suite ring_tasks_suite = {
	.name = "wsq_ring_tasks",
	.test_cases = ring_tasks_cases,
};

kunit_test_suite(ring_tasks_suite);
