// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of functions that leave a lock, or preemption off: the function is
 * named in the log, and what runs next on the CPU does not suffer. A case does
 * nothing unless the parameter "provoke" names it (tools/check/lockdep).
 */
#include <linux/delay.h>
#include <linux/mutex.h>
#include <linux/wsq_call.h>
#include <linux/wsq_serial.h>

#include "../ring/ops.h"
#include "items.h"

static DEFINE_MUTEX(leak_mutex_lock);
static DEFINE_SPINLOCK(leak_spin_lock);

enum leak { LEAK_PREEMPT, LEAK_RCU, LEAK_MUTEX, LEAK_SPINLOCK };

static void leak_now(enum leak what)
{
	switch (what) {
	case LEAK_PREEMPT:
		preempt_disable();
		break;
	case LEAK_RCU:
		rcu_read_lock();
		break;
	case LEAK_MUTEX:
		mutex_lock(&leak_mutex_lock);
		break;
	case LEAK_SPINLOCK:
		spin_lock(&leak_spin_lock);
		break;
	}
}

/**
 * struct leak_test - one function that leaks, and others behind it
 * @q: the queue
 * @cpu: where all of them run
 * @what: what is left
 * @work: an item that leaves it
 * @next: an item that sleeps
 * @bad: it was called in an atomic context
 * @over: it has run
 * @serial: a serial
 * @serial_work: an item of it
 * @call: a call
 */
struct leak_test {
	struct wsq *q;
	int cpu;
	enum leak what;
	struct wsq_work work;
	struct wsq_work next;
	bool bad;
	struct completion over;
	struct wsq_serial serial;
	struct wsq_serial_work serial_work;
	struct wsq_call call;
};

static void leak_item(struct wsq_work *work)
{
	leak_now(container_of(work, struct leak_test, work)->what);
}

static void leak_next(struct wsq_work *work)
{
	struct leak_test *t = container_of(work, struct leak_test, next);

	t->bad |= preempt_count() || rcu_preempt_depth();
	if (!t->bad)
		usleep_range(50, 100);
	complete(&t->over);
}

static struct leak_test *leak_begin(struct kunit *test)
{
	struct leak_test *t;

	wsq_test_provoked(test);
	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	t->q = wsq_test_queue(test, 2, 4, NULL);
	t->cpu = cpumask_first(cpu_online_mask);
	INIT_WSQ_WORK(&t->work, leak_item);
	INIT_WSQ_WORK(&t->next, leak_next);
	init_completion(&t->over);
	return t;
}

/* Nothing of it is left for ten items on the same CPU. */
static void leak_end(struct kunit *test, struct leak_test *t)
{
	int i;

	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(t->cpu, t->q,
							  &t->next));
		KUNIT_ASSERT_TRUE(test,
				  wait_for_completion_timeout(&t->over,
							      WSQ_TEST_TIMEOUT));
		wsq_test_call(test, wsq_test_flush, t->q);
	}
	KUNIT_EXPECT_FALSE(test, t->bad);
	wsq_test_queue_end(test, t->q);
}

static void leak_of(struct kunit *test, enum leak what)
{
	struct leak_test *t = leak_begin(test);

	t->what = what;
	wsq_queue_work_on(t->cpu, t->q, &t->work);
	wsq_test_call(test, wsq_test_flush, t->q);
	leak_end(test, t);
}

static void leak_preempt(struct kunit *test)
{
	leak_of(test, LEAK_PREEMPT);
}

static void leak_rcu(struct kunit *test)
{
	leak_of(test, LEAK_RCU);
}

static void leak_mutex(struct kunit *test)
{
	leak_of(test, LEAK_MUTEX);
}

static void leak_spinlock(struct kunit *test)
{
	leak_of(test, LEAK_SPINLOCK);
}

/* Functions that an item of wsq calls are named, not that item's. */
static void leak_serial_item(struct wsq_serial_work *work)
{
	leak_now(LEAK_PREEMPT);
}

static void leak_serial(struct kunit *test)
{
	struct leak_test *t = leak_begin(test);

	wsq_serial_init(&t->serial, t->q);
	wsq_serial_work_init(&t->serial_work, leak_serial_item);
	wsq_serial_queue_on(t->cpu, &t->serial, &t->serial_work);
	wsq_serial_flush(&t->serial);
	leak_end(test, t);
}

static int leak_call_item(struct wsq_call *call)
{
	leak_now(LEAK_PREEMPT);
	return 0;
}

static void leak_call(struct kunit *test)
{
	struct leak_test *t = leak_begin(test);

	wsq_call_init(&t->call, leak_call_item);
	KUNIT_EXPECT_EQ(test,
			wsq_future_wait(wsq_call_send(&t->call, t->q)), 0);
	leak_end(test, t);
}

static void leak_piece(unsigned long start, unsigned long end, void *arg)
{
	leak_now(LEAK_PREEMPT);
}

static void leak_job(struct kunit *test)
{
	struct leak_test *t = leak_begin(test);
	const struct wsq_job job = { .func = leak_piece, .size = 100 };

	wsq_run_job(t->q, &job);
	KUNIT_EXPECT_EQ(test, preempt_count(), 0);
	leak_end(test, t);
}

static s64 leak_op_issue(const struct wsq_op_task *task)
{
	leak_now(LEAK_PREEMPT);
	return 7;
}

static void leak_op(struct kunit *test)
{
	static const struct wsq_op_def def = { .issue = leak_op_issue };
	struct leak_test *t = leak_begin(test);
	struct wsq_sqe sqe = { .op = WSQ_OP_NOP };
	struct wsq_stop stop = {};
	struct wsq_op_cont *cont = NULL;

	KUNIT_EXPECT_EQ(test, wsq_shape_issue(&def, &sqe, NULL, 0, &stop, &cont),
			7);
	KUNIT_EXPECT_EQ(test, preempt_count(), 0);
	leak_end(test, t);
}

static struct kunit_case leak_cases[] = {
	KUNIT_CASE(leak_preempt),
	KUNIT_CASE(leak_rcu),
	KUNIT_CASE(leak_mutex),
	KUNIT_CASE(leak_spinlock),
	KUNIT_CASE(leak_serial),
	KUNIT_CASE(leak_call),
	KUNIT_CASE(leak_job),
	KUNIT_CASE(leak_op),
	{}
};

static struct kunit_suite leak_suite = {
	.name = "wsq_lockdep_leak",
	.test_cases = leak_cases,
};

kunit_test_suite(leak_suite);
