// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of calls and futures: a call runs once, when all that it was given
 * is there, and sees the values. Failures and cancels travel to what waits.
 * What can never run is reported. call_graph_kunit.c has graphs of many calls.
 *
 * Seen to fail: Documentation/call.rst.
 */
#include "calls.h"

/* A queue, a serial of it, and what the cases need. */
struct stage {
	struct wsq *q;
	struct wsq_serial serial;
	struct wsq_future f[3];
	struct tcall call[3];
};

static struct stage *stage_new(struct kunit *test)
{
	struct stage *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->q = wsq_test_queue(test, 4, 64, NULL);
	wsq_serial_init(&s->serial, s->q);
	for (i = 0; i < ARRAY_SIZE(s->f); i++) {
		wsq_future_init(&s->f[i]);
		tcall_init(&s->call[i], 100 * (i + 1));
	}
	return s;
}

static void stage_end(struct kunit *test, struct stage *s)
{
	/* Calls whose futures are resolved may still be ending. */
	wsq_serial_destroy(&s->serial);
	wsq_test_queue_end(test, s->q);
	kfree(s);
}

/* A future: first not there, then there, once. */
static void call_future(struct kunit *test)
{
	struct wsq_future f;

	wsq_future_init(&f);
	KUNIT_EXPECT_FALSE(test, wsq_future_resolved(&f));
	KUNIT_EXPECT_EQ(test, wsq_future_error(&f), -EINPROGRESS);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&f), 0UL);
	KUNIT_EXPECT_TRUE(test, wsq_future_resolve(&f, 7));
	KUNIT_EXPECT_TRUE(test, wsq_future_resolved(&f));
	KUNIT_EXPECT_EQ(test, wsq_future_error(&f), 0);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&f), 7UL);
	KUNIT_EXPECT_FALSE(test, wsq_future_resolve(&f, 8));
	KUNIT_EXPECT_FALSE(test, wsq_future_fail(&f, -EIO));
	KUNIT_EXPECT_FALSE(test, wsq_future_cancel(&f));
	KUNIT_EXPECT_EQ(test, wsq_future_value(&f), 7UL);
	KUNIT_EXPECT_EQ(test, wsq_future_wait(&f), 0);

	wsq_future_init(&f);
	KUNIT_EXPECT_TRUE(test, wsq_future_fail(&f, -EIO));
	KUNIT_EXPECT_FALSE(test, wsq_future_resolve(&f, 8));
	KUNIT_EXPECT_EQ(test, wsq_future_error(&f), -EIO);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&f), 0UL);
	KUNIT_EXPECT_EQ(test, wsq_future_wait(&f), -EIO);

	wsq_future_init(&f);
	KUNIT_EXPECT_TRUE(test, wsq_future_cancel(&f));
	KUNIT_EXPECT_EQ(test, wsq_future_error(&f), -ECANCELED);
}

/* Without futures, with one, with two; on a queue and on a serial. */
static void call_runs(struct kunit *test)
{
	struct stage *s = stage_new(test);
	struct wsq_future *f;

	f = wsq_call_send(&s->call[0].call, s->q);
	tcall_expect(test, f, 0);
	KUNIT_EXPECT_EQ(test, wsq_future_value(f), 100UL);

	KUNIT_EXPECT_EQ(test, tcall_after(&s->call[1], &s->f[0]), 0);
	KUNIT_EXPECT_EQ(test, tcall_after(&s->call[1], f), 0);
	f = wsq_call_send_serial(&s->call[1].call, &s->serial);
	KUNIT_EXPECT_EQ(test, tcall_after(&s->call[2], f), 0);
	KUNIT_EXPECT_EQ(test, tcall_after(&s->call[2], &s->f[1]), 0);
	f = wsq_call_send(&s->call[2].call, s->q);
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[1].runs), 0);
	KUNIT_EXPECT_TRUE(test, wsq_future_resolve(&s->f[0], 5));
	tcall_expect(test, &s->call[1].call.future, 0);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&s->call[1].call.future), 305UL);
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[2].runs), 0);
	KUNIT_EXPECT_TRUE(test, wsq_future_resolve(&s->f[1], 1000));
	tcall_expect(test, f, 0);
	KUNIT_EXPECT_EQ(test, wsq_future_value(f), 1605UL);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[0].runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[1].runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[2].runs), 1);
	stage_end(test, s);
}

/* Given futures that are resolved already, some or all of them. */
static void call_resolved(struct kunit *test)
{
	struct stage *s = stage_new(test);
	int i;

	wsq_future_resolve(&s->f[0], 1);
	wsq_future_resolve(&s->f[1], 2);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, tcall_after(&s->call[0], &s->f[i]), 0);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, tcall_after(&s->call[1], &s->f[i]), 0);
	wsq_call_send(&s->call[0].call, s->q);
	tcall_expect(test, wsq_call_send(&s->call[1].call, s->q), 0);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&s->call[1].call.future), 203UL);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[0].runs), 0);
	/* Resolved after it was given, and before the call is sent. */
	KUNIT_EXPECT_EQ(test, tcall_after(&s->call[2], &s->f[2]), 0);
	wsq_future_resolve(&s->f[2], 3);
	tcall_expect(test, &s->call[0].call.future, 0);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&s->call[0].call.future), 106UL);
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[2].runs), 0);
	tcall_expect(test, wsq_call_send(&s->call[2].call, s->q), 0);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&s->call[2].call.future), 303UL);
	stage_end(test, s);
}

/* The same future twice. */
static void call_same(struct kunit *test)
{
	struct stage *s = stage_new(test);

	tcall_after(&s->call[0], &s->f[0]);
	tcall_after(&s->call[0], &s->f[0]);
	wsq_call_send(&s->call[0].call, s->q);
	wsq_future_resolve(&s->f[0], 4);
	tcall_expect(test, &s->call[0].call.future, 0);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&s->call[0].call.future), 108UL);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[0].runs), 1);
	stage_end(test, s);
}

/* A failure travels: from a future, from a function, through a chain. */
static void call_fails(struct kunit *test)
{
	struct stage *s = stage_new(test);
	struct wsq_future *f = &s->f[0];
	int i;

	for (i = 0; i < 3; i++) {
		tcall_after(&s->call[i], f);
		f = i == 1 ? wsq_call_send_serial(&s->call[i].call, &s->serial) :
			     wsq_call_send(&s->call[i].call, s->q);
	}
	s->call[0].ret = -ENODATA;
	wsq_future_resolve(&s->f[0], 1);
	tcall_expect(test, f, -ENODATA);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[0].runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[1].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[2].runs), 0);
	KUNIT_EXPECT_EQ(test, wsq_future_error(&s->call[0].call.future), -ENODATA);
	KUNIT_EXPECT_EQ(test, wsq_future_error(&s->call[1].call.future), -ENODATA);

	/* One of two fails; the call waits for the other all the same. */
	tcall_init(&s->call[0], 0);
	tcall_after(&s->call[0], &s->f[1]);
	tcall_after(&s->call[0], &s->f[2]);
	f = wsq_call_send(&s->call[0].call, s->q);
	wsq_future_fail(&s->f[2], -EIO);
	wsq_test_linger();
	KUNIT_EXPECT_FALSE(test, wsq_future_resolved(f));
	wsq_future_fail(&s->f[1], -ENOENT);
	tcall_expect(test, f, -EIO);
	/* Failed before the call was given it. */
	tcall_init(&s->call[1], 0);
	tcall_after(&s->call[1], &s->f[2]);
	tcall_expect(test, wsq_call_send(&s->call[1].call, s->q), -EIO);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[1].runs), 0);
	stage_end(test, s);
}

/* Cancelled by itself, by its future, by what it waits for. */
static void call_cancel_waiting(struct kunit *test)
{
	struct stage *s = stage_new(test);
	struct wsq_future *f;

	tcall_after(&s->call[0], &s->f[0]);
	f = wsq_call_send(&s->call[0].call, s->q);
	tcall_after(&s->call[1], f);
	wsq_call_send(&s->call[1].call, s->q);
	KUNIT_EXPECT_TRUE(test, wsq_call_cancel(&s->call[0].call));
	KUNIT_EXPECT_TRUE(test, wsq_future_cancel(f));
	wsq_test_linger();
	/* It is still in the list of s->f[0]. */
	KUNIT_EXPECT_FALSE(test, wsq_future_resolved(f));
	wsq_future_resolve(&s->f[0], 1);
	tcall_expect(test, &s->call[1].call.future, -ECANCELED);
	KUNIT_EXPECT_EQ(test, wsq_future_error(f), -ECANCELED);
	KUNIT_EXPECT_FALSE(test, wsq_call_cancel(&s->call[0].call));
	KUNIT_EXPECT_FALSE(test, wsq_future_cancel(f));

	tcall_after(&s->call[2], &s->f[1]);
	f = wsq_call_send_serial(&s->call[2].call, &s->serial);
	KUNIT_EXPECT_TRUE(test, wsq_future_cancel(&s->f[1]));
	tcall_expect(test, f, -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[0].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[1].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[2].runs), 0);
	stage_end(test, s);
}

/* Before it is sent. */
static void call_cancel_new(struct kunit *test)
{
	struct stage *s = stage_new(test);

	KUNIT_EXPECT_TRUE(test, wsq_call_cancel(&s->call[0].call));
	tcall_expect(test, wsq_call_send(&s->call[0].call, s->q), -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[0].runs), 0);
	/* A cancel counts more than a failure. */
	tcall_after(&s->call[1], &s->f[0]);
	wsq_call_cancel(&s->call[1].call);
	wsq_future_fail(&s->f[0], -EIO);
	tcall_expect(test, wsq_call_send(&s->call[1].call, s->q), -ECANCELED);
	stage_end(test, s);
}

/* While its item waits, while its function runs, and after that. */
static void call_cancel_late(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq *q = wsq_test_queue(test, 4, 64, cpumask_of(cpu));
	struct stage *s = stage_new(test);
	DECLARE_COMPLETION_ONSTACK(hold);
	struct wsq_test_gate *g;

	g = wsq_test_hold(test, q, cpu);
	wsq_call_send(&s->call[0].call, q);
	wsq_call_send(&s->call[1].call, q);
	KUNIT_EXPECT_TRUE(test, wsq_call_cancel(&s->call[0].call));
	wsq_test_release(test, q, g);
	tcall_expect(test, &s->call[0].call.future, -ECANCELED);
	tcall_expect(test, &s->call[1].call.future, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[0].runs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[1].runs), 1);

	s->call[2].hold = &hold;
	wsq_call_send_serial(&s->call[2].call, &s->serial);
	KUNIT_ASSERT_TRUE(test, tcall_entered(&s->call[2]));
	KUNIT_EXPECT_FALSE(test, wsq_call_cancel(&s->call[2].call));
	KUNIT_EXPECT_FALSE(test, wsq_future_cancel(&s->call[2].call.future));
	complete_all(&hold);
	tcall_expect(test, &s->call[2].call.future, 0);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&s->call[2].call.future), 300UL);
	KUNIT_EXPECT_FALSE(test, wsq_call_cancel(&s->call[2].call));
	wsq_test_queue_end(test, q);
	stage_end(test, s);
}

/* A final call runs in any case, and is told why others did not. */
static void call_final(struct kunit *test)
{
	struct stage *s = stage_new(test);

	tcall_init_final(&s->call[0], 1);
	tcall_after(&s->call[0], &s->f[0]);
	wsq_call_send(&s->call[0].call, s->q);
	wsq_future_fail(&s->f[0], -EIO);
	/* It has a value all the same. */
	tcall_expect(test, &s->call[0].call.future, 0);
	KUNIT_EXPECT_EQ(test, s->call[0].error, -EIO);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&s->call[0].call.future), 1UL);

	tcall_init_final(&s->call[1], 1);
	s->call[1].ret = -ENODEV;
	wsq_call_cancel(&s->call[1].call);
	tcall_expect(test, wsq_call_send_serial(&s->call[1].call, &s->serial),
		     -ENODEV);
	KUNIT_EXPECT_EQ(test, s->call[1].error, -ECANCELED);

	tcall_init_final(&s->call[2], 1);
	tcall_expect(test, wsq_call_send(&s->call[2].call, s->q), 0);
	KUNIT_EXPECT_EQ(test, s->call[2].error, 0);
	stage_end(test, s);
}

static int taken_free(struct wsq_call *call)
{
	struct tcall *t = tcall_of(call);
	struct completion *hold = t->hold;

	memset(t, 0x6b, sizeof(*t));
	kfree(t);
	complete(hold);
	return WSQ_CALL_TAKEN;
}

static int taken_later(struct wsq_call *call)
{
	complete(&tcall_of(call)->entered);
	return WSQ_CALL_TAKEN;
}

static int taken_before(struct wsq_call *call)
{
	wsq_call_end(call, 77, 0);
	return WSQ_CALL_TAKEN;
}

/* The function frees its call; or its end is another context's. */
static void call_taken(struct kunit *test)
{
	struct tcall *t = kzalloc(sizeof(*t), GFP_KERNEL);
	DECLARE_COMPLETION_ONSTACK(freed);
	struct stage *s = stage_new(test);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->hold = &freed;
	wsq_call_init(&t->call, taken_free);
	wsq_call_after(&t->call, &t->deps[0], &s->f[0]);
	wsq_call_send(&t->call, s->q);
	wsq_future_resolve(&s->f[0], 0);
	KUNIT_EXPECT_TRUE(test, wait_for_completion_timeout(&freed, WSQ_TEST_TIMEOUT));

	s->call[0].call.func = taken_later;
	wsq_call_send_serial(&s->call[0].call, &s->serial);
	tcall_after(&s->call[1], &s->call[0].call.future);
	wsq_call_send(&s->call[1].call, s->q);
	KUNIT_ASSERT_TRUE(test, tcall_entered(&s->call[0]));
	wsq_test_linger();
	KUNIT_EXPECT_FALSE(test, wsq_future_resolved(&s->call[0].call.future));
	wsq_call_end(&s->call[0].call, 5, 0);
	tcall_expect(test, &s->call[1].call.future, 0);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&s->call[1].call.future), 205UL);

	s->call[2].call.func = taken_before;
	tcall_expect(test, wsq_call_send(&s->call[2].call, s->q), 0);
	KUNIT_EXPECT_EQ(test, wsq_future_value(&s->call[2].call.future), 77UL);
	stage_end(test, s);
}

/* Calls that wait for one future start in the order in which they got it. */
static void call_order(struct kunit *test)
{
	enum { NR = 200 };
	struct stage *s = stage_new(test);
	struct tcall *t = vzalloc(array_size(NR, sizeof(*t)));
	int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	/* Each adds the value of the one before, which must have run then. */
	for (i = 0; i < NR; i++) {
		tcall_init(&t[i], 1);
		tcall_after(&t[i], &s->f[0]);
		wsq_call_send_serial(&t[i].call, &s->serial);
		if (i) {
			t[i].of[1] = &t[i - 1].call.future;
			t[i].nr = 2;
		}
	}
	wsq_future_resolve(&s->f[0], 0);
	tcall_expect(test, &t[NR - 1].call.future, 0);
	for (i = 0; i < NR; i++)
		KUNIT_EXPECT_EQ(test, wsq_future_value(&t[i].call.future), i + 1UL);
	stage_end(test, s);
	vfree(t);
}

/* Threads wait, for futures of both kinds, before and after. */
static void call_wait(struct kunit *test)
{
	struct stage *s = stage_new(test);
	struct wsq_test_call *w[3];

	tcall_after(&s->call[0], &s->f[0]);
	wsq_call_send(&s->call[0].call, s->q);
	w[0] = wsq_test_start(test, tcall_wait, &s->f[0]);
	w[1] = wsq_test_start(test, tcall_wait, &s->call[0].call.future);
	w[2] = wsq_test_start(test, tcall_wait, &s->f[0]);
	wsq_test_waits(test, w[0]);
	wsq_test_waits(test, w[1]);
	wsq_test_waits(test, w[2]);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(w[0]));
	KUNIT_EXPECT_FALSE(test, wsq_test_over(w[1]));
	wsq_future_resolve(&s->f[0], 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, w[0]));
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, w[1]));
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, w[2]));
	KUNIT_EXPECT_TRUE(test, wsq_test_call(test, tcall_wait, &s->f[0]));
	w[0] = wsq_test_start(test, tcall_wait, &s->f[1]);
	wsq_test_waits(test, w[0]);
	wsq_future_fail(&s->f[1], -EIO);
	KUNIT_EXPECT_FALSE(test, wsq_test_end(test, w[0]));
	stage_end(test, s);
}

/* A thread that waits for a future, and what its wait returned. */
struct freed_wait {
	struct wsq_future *f;
	int error;
};

static bool freed_wait_fn(void *arg)
{
	struct freed_wait *w = arg;

	w->error = wsq_future_wait(w->f);
	return true;
}

/* The future's memory has another use before the thread that waited runs. */
static void call_wait_freed(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), nr;
	struct freed_wait *w = kzalloc(sizeof(*w), GFP_KERNEL);
	struct wsq_test_call *call;

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->f = kzalloc(sizeof(*w->f), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->f);
	wsq_future_init(w->f);
	wsq_test_stay(test, cpu);
	call = wsq_test_start_on(test, cpu, freed_wait_fn, w);
	wsq_test_waits(test, call);
	/* The thread has no other CPU. */
	preempt_disable();
	nr = wsq_future_destroy(w->f);
	wsq_future_init(w->f);
	kfree(w->f);
	preempt_enable();
	wsq_test_roam();
	KUNIT_EXPECT_EQ(test, nr, 1U);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, w->error, -ESHUTDOWN);
	kfree(w);
}

/* A future that calls wait for ends: it says so, and they fail. */
static void call_destroy(struct kunit *test)
{
	struct stage *s = stage_new(test);

	KUNIT_EXPECT_EQ(test, wsq_future_destroy(&s->f[0]), 0U);
	tcall_after(&s->call[0], &s->f[1]);
	tcall_after(&s->call[1], &s->f[1]);
	wsq_call_send(&s->call[0].call, s->q);
	KUNIT_EXPECT_EQ(test, wsq_call_destroy(&s->call[0].call), -EBUSY);
	/* Not sent, but in a list. */
	KUNIT_EXPECT_EQ(test, wsq_call_destroy(&s->call[1].call), -EBUSY);
	KUNIT_EXPECT_EQ(test, wsq_call_destroy(&s->call[2].call), 0);
	KUNIT_EXPECT_EQ(test, wsq_future_destroy(&s->f[1]), 2U);
	tcall_expect(test, &s->call[0].call.future, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wsq_call_destroy(&s->call[0].call), 0);
	KUNIT_EXPECT_EQ(test, wsq_call_destroy(&s->call[1].call), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->call[0].runs), 0);
	KUNIT_EXPECT_EQ(test, wsq_future_destroy(&s->f[1]), 0U);
	stage_end(test, s);
}

static int stack_fn(struct wsq_call *call)
{
	wsq_call_set_value(call, 3);
	return 0;
}

/* Everything on the stack of a thread that waits. */
static void call_stack(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 64, NULL);
	struct wsq_call_dep dep;
	struct wsq_future f;
	struct wsq_call call;
	int i;

	for (i = 0; i < 100; i++) {
		wsq_future_init(&f);
		wsq_call_init(&call, stack_fn);
		KUNIT_EXPECT_EQ(test, wsq_call_after(&call, &dep, &f), 0);
		wsq_call_send(&call, q);
		KUNIT_EXPECT_TRUE(test, wsq_future_resolve(&f, 0));
		KUNIT_EXPECT_EQ(test, wsq_future_wait(&call.future), 0);
		KUNIT_EXPECT_EQ(test, wsq_future_value(&call.future), 3UL);
		KUNIT_EXPECT_EQ(test, wsq_call_destroy(&call), 0);
	}
	wsq_test_queue_end(test, q);
}

/* A queue is drained: a call that was sent before starts during that. */
static void call_drain(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 64, NULL);
	struct stage *s = stage_new(test);
	struct wsq_test_call *drain;
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct wsq_serial *serial = kzalloc(sizeof(*serial), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, serial);
	wsq_serial_init(serial, q);
	wsq_test_gate_begin(test, q, cpumask_first(cpu_online_mask), g);
	tcall_after(&s->call[0], &s->f[0]);
	tcall_after(&s->call[1], &s->f[0]);
	wsq_call_send(&s->call[0].call, q);
	wsq_call_send_serial(&s->call[1].call, serial);
	drain = wsq_test_start(test, wsq_test_drain, q);
	wsq_test_waits(test, drain);
	wsq_future_resolve(&s->f[0], 0);
	tcall_expect(test, &s->call[0].call.future, 0);
	tcall_expect(test, &s->call[1].call.future, 0);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(drain));
	wsq_test_gate_open(g);
	wsq_test_end(test, drain);
	wsq_serial_destroy(serial);
	wsq_test_queue_end(test, q);
	kfree(serial);
	kfree(g);
	stage_end(test, s);
}

static struct kunit_case call_cases[] = {
	KUNIT_CASE(call_future),
	KUNIT_CASE(call_runs),
	KUNIT_CASE(call_resolved),
	KUNIT_CASE(call_same),
	KUNIT_CASE(call_fails),
	KUNIT_CASE(call_cancel_waiting),
	KUNIT_CASE(call_cancel_new),
	KUNIT_CASE(call_cancel_late),
	KUNIT_CASE(call_final),
	KUNIT_CASE(call_taken),
	KUNIT_CASE(call_order),
	KUNIT_CASE(call_wait),
	KUNIT_CASE(call_wait_freed),
	KUNIT_CASE(call_destroy),
	KUNIT_CASE(call_stack),
	KUNIT_CASE(call_drain),
	{}
};

static struct kunit_suite call_suite = {
	.name = "wsq_call",
	.test_cases = call_cases,
};

kunit_test_suite(call_suite);
