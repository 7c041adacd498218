// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of reports: what is wrong is said, what is right is not.
 *
 * The kernel reports a wrong order of locks once; lockdep is off afterwards,
 * until the next boot, and so are WARN_ONCE()s. So each wrong use is a case of
 * its own that does nothing unless the module's parameter "provoke" names it;
 * tools/check/lockdep boots a kernel for each and looks for the text of the
 * report. Cases named lockdep_* need CONFIG_PROVE_LOCKING.
 *
 * Right use is tested always: lockdep must still be on afterwards.
 *
 * Where a wrong use would really never end, the thread that is stuck in it is
 * left alone, and the machine is of no use afterwards.
 */
#include <linux/debug_locks.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/wsq_serial.h>

#include "../core/fence.h"
#include "items.h"

static char *provoke = "";
module_param(provoke, charp, 0444);
MODULE_PARM_DESC(provoke, "report to provoke: name of a case of suite wsq_lockdep");

static bool reports_locks(void)
{
	return IS_ENABLED(CONFIG_PROVE_LOCKING) && debug_locks;
}

/* Go on only if this case was asked for. */
static void provoke_only(struct kunit *test, bool lockdep)
{
	if (strcmp(provoke, test->name))
		kunit_skip(test, "one report in a boot: tools/check/lockdep");
	if (lockdep && !IS_ENABLED(CONFIG_PROVE_LOCKING))
		kunit_skip(test, "needs CONFIG_PROVE_LOCKING");
	if (lockdep)
		KUNIT_ASSERT_TRUE_MSG(test, reports_locks(),
				      "lockdep reported something before");
}

/* The report has come: lockdep turns itself off for that. */
static void expect_report(struct kunit *test)
{
	KUNIT_EXPECT_TRUE_MSG(test, wsq_test_until(!debug_locks), "no report");
}

/* An item that does one thing, which may not end. */
struct act {
	struct wsq_work work;
	void (*fn)(struct act *a);
	struct wsq *q;
	struct wsq_work *other;
	struct mutex *lock;		/* what act_lock() takes */
	struct completion over;
};

static void act_fn(struct wsq_work *work)
{
	struct act *a = container_of(work, struct act, work);

	a->fn(a);
	complete(&a->over);
}

/* Never freed where it may be stuck. */
static struct act *act_new(struct kunit *test, void (*fn)(struct act *a))
{
	struct act *a = kzalloc(sizeof(*a), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, a);
	INIT_WSQ_WORK(&a->work, act_fn);
	a->fn = fn;
	init_completion(&a->over);
	return a;
}

static bool act_ran(struct act *a)
{
	return wait_for_completion_timeout(&a->over, WSQ_TEST_PATIENCE);
}

static void act_flush(struct act *a)
{
	wsq_flush(a->q);
}

static void act_drain(struct act *a)
{
	wsq_drain(a->q);
}

static void act_flush_self(struct act *a)
{
	wsq_flush_work(&a->work);
}

static void act_cancel_self(struct act *a)
{
	wsq_cancel_work_sync(&a->work);
}

static void act_cancel_other(struct act *a)
{
	wsq_cancel_work_sync(a->other);
}

static void act_lock(struct act *a)
{
	mutex_lock(a->lock);
	mutex_unlock(a->lock);
}

static void act_nothing(struct act *a)
{
}

/* A queue that is flushed by one of its own items never is. */
static void lockdep_flush_own_queue(struct kunit *test)
{
	struct act *a;

	provoke_only(test, true);
	a = act_new(test, act_flush);
	a->q = wsq_test_queue(test, 2, 4, NULL);
	wsq_queue_work(a->q, &a->work);
	expect_report(test);
}

static void lockdep_drain_own_queue(struct kunit *test)
{
	struct act *a;

	provoke_only(test, true);
	a = act_new(test, act_drain);
	a->q = wsq_test_queue(test, 2, 4, NULL);
	wsq_queue_work(a->q, &a->work);
	expect_report(test);
}

static void lockdep_flush_itself(struct kunit *test)
{
	struct act *a;

	provoke_only(test, true);
	a = act_new(test, act_flush_self);
	a->q = wsq_test_queue(test, 2, 4, NULL);
	wsq_queue_work(a->q, &a->work);
	expect_report(test);
}

static void lockdep_cancel_itself(struct kunit *test)
{
	struct act *a;

	provoke_only(test, true);
	a = act_new(test, act_cancel_self);
	a->q = wsq_test_queue(test, 2, 4, NULL);
	wsq_queue_work(a->q, &a->work);
	expect_report(test);
}

/* The function takes the mutex that who waits for it holds. */
static void lockdep_mutex_wait(struct kunit *test, bool (*wait)(void *arg),
			       bool queue)
{
	static DEFINE_MUTEX(lock);
	struct act *a;

	provoke_only(test, true);
	a = act_new(test, act_lock);
	a->lock = &lock;
	a->q = wsq_test_queue(test, 2, 4, NULL);
	/* Once, so that it is known what the function takes. */
	wsq_queue_work(a->q, &a->work);
	KUNIT_ASSERT_TRUE(test, act_ran(a));
	wsq_test_call(test, wsq_test_flush, a->q);
	KUNIT_ASSERT_TRUE(test, debug_locks);
	/* Idle by now: no deadlock today. */
	mutex_lock(&lock);
	wait(queue ? (void *)a->q : (void *)&a->work);
	mutex_unlock(&lock);
	expect_report(test);
}

static void lockdep_cancel_with_mutex(struct kunit *test)
{
	lockdep_mutex_wait(test, wsq_test_cancel_sync, false);
}

static void lockdep_disable_with_mutex(struct kunit *test)
{
	lockdep_mutex_wait(test, wsq_test_disable_sync, false);
}

static void lockdep_flush_work_with_mutex(struct kunit *test)
{
	lockdep_mutex_wait(test, wsq_test_flush_work, false);
}

static void lockdep_flush_with_mutex(struct kunit *test)
{
	lockdep_mutex_wait(test, wsq_test_flush, true);
}

/* An item of A flushes B, one of B flushes A. One after the other. */
static void lockdep_flush_each_other(struct kunit *test)
{
	struct wsq *qa, *qb;
	struct act *a, *b;

	provoke_only(test, true);
	/* Each from a place of its own: two classes. */
	qa = wsq_create(NULL, "a");
	qb = wsq_create(NULL, "b");
	KUNIT_ASSERT_FALSE(test, IS_ERR(qa));
	KUNIT_ASSERT_FALSE(test, IS_ERR(qb));
	a = act_new(test, act_flush);
	b = act_new(test, act_flush);
	/* The queues are to be reported, not the items. */
	INIT_WSQ_WORK(&b->work, act_fn);
	a->q = qb;
	b->q = qa;
	wsq_queue_work(qa, &a->work);
	KUNIT_ASSERT_TRUE(test, act_ran(a));
	KUNIT_ASSERT_TRUE(test, debug_locks);
	wsq_queue_work(qb, &b->work);
	expect_report(test);
}

/* Two items each of which calls the other back and waits. */
static void lockdep_cancel_each_other(struct kunit *test)
{
	struct act *a, *b;
	struct wsq *q;

	provoke_only(test, true);
	q = wsq_test_queue(test, 2, 4, NULL);
	a = act_new(test, act_cancel_other);
	b = act_new(test, act_cancel_other);
	/* Two classes again. */
	INIT_WSQ_WORK(&b->work, act_fn);
	a->other = &b->work;
	b->other = &a->work;
	wsq_queue_work(q, &a->work);
	KUNIT_ASSERT_TRUE(test, act_ran(a));
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_ASSERT_TRUE(test, debug_locks);
	wsq_queue_work(q, &b->work);
	expect_report(test);
}

/* Warnings, by any kernel. The script looks for them. */

static struct wsq *reclaim_queue(struct kunit *test)
{
	struct wsq_attrs attrs = { .flags = WSQ_MEM_RECLAIM };

	return wsq_test_queue_attrs(test, &attrs);
}

/* One that reclaim may wait for waits for one that may wait for memory. */
static void warn_reclaim_flush(struct kunit *test)
{
	struct wsq *q;
	struct act *a;

	provoke_only(test, false);
	q = reclaim_queue(test);
	a = act_new(test, act_flush);
	a->q = wsq_test_queue(test, 2, 4, NULL);
	wsq_queue_work(q, &a->work);
	KUNIT_EXPECT_TRUE(test, act_ran(a));
	wsq_test_queue_end(test, q);
	wsq_test_queue_end(test, a->q);
	kfree(a);
}

/* So does a task that reclaims memory itself. */
static void warn_memalloc_flush(struct kunit *test)
{
	unsigned int flags;
	struct wsq *q;

	provoke_only(test, false);
	q = wsq_test_queue(test, 2, 4, NULL);
	flags = memalloc_noreclaim_save();
	wsq_flush(q);
	memalloc_noreclaim_restore(flags);
	wsq_test_queue_end(test, q);
}

/* While a queue is drained, only its own items may queue to it. */
static void warn_drain_put(struct kunit *test)
{
	struct wsq_test_call *call;
	struct wsq_test_item *it;
	struct wsq_test_gate *g;
	struct wsq *q;

	provoke_only(test, false);
	q = wsq_test_queue(test, 2, 4, NULL);
	it = wsq_test_items(test, q, 1, wsq_test_count);
	g = wsq_test_hold(test, q, cpumask_first(cpu_online_mask));
	call = wsq_test_start(test, wsq_test_drain, q);
	wsq_test_waits(test, call);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work(q, &it->work));
	KUNIT_EXPECT_FALSE(test, wsq_work_pending(&it->work));
	wsq_test_gate_open(g);
	wsq_test_end(test, call);
	/* Drained, it takes items again. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	wsq_test_queue_end(test, q);
	wsq_test_expect_runs(test, it, 1, 1);
	vfree(it);
	kfree(g);
}

/* An item of a serial that flushes its own serial. */
struct serial_act {
	struct wsq_serial serial;
	struct wsq_serial_work work;
	bool flushes;
	atomic_t runs;
};

static void serial_act_fn(struct wsq_serial_work *work)
{
	struct serial_act *a = container_of(work, struct serial_act, work);

	atomic_inc(&a->runs);
	if (a->flushes)
		wsq_serial_flush(&a->serial);
}

static struct serial_act *serial_act_new(struct kunit *test, struct wsq *q)
{
	struct serial_act *a = kzalloc(sizeof(*a), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, a);
	wsq_serial_init(&a->serial, q);
	wsq_serial_work_init(&a->work, serial_act_fn);
	return a;
}

static void lockdep_serial_flush_itself(struct kunit *test)
{
	struct serial_act *a;

	provoke_only(test, true);
	a = serial_act_new(test, wsq_test_queue(test, 2, 4, NULL));
	a->flushes = true;
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&a->serial, &a->work));
	expect_report(test);
}

/* A serial that was destroyed takes nothing, but for its own items. */
static void warn_serial_dying(struct kunit *test)
{
	struct serial_act *a;
	struct wsq *q;

	provoke_only(test, false);
	q = wsq_test_queue(test, 2, 4, NULL);
	a = serial_act_new(test, q);
	wsq_serial_destroy(&a->serial);
	KUNIT_EXPECT_FALSE(test, wsq_serial_queue(&a->serial, &a->work));
	KUNIT_EXPECT_TRUE(test, wsq_serial_idle(&a->serial));
	/* Anew, it does; and so does the item. */
	wsq_serial_init(&a->serial, q);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&a->serial, &a->work));
	wsq_serial_destroy(&a->serial);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->runs), 1);
	wsq_test_queue_end(test, q);
	kfree(a);
}

static bool serial_act_flush(void *arg)
{
	struct serial_act *a = arg;

	wsq_serial_flush(&a->serial);
	return true;
}

/* A queue that is drained refuses an idle serial: its item does not run. */
static void warn_serial_drain(struct kunit *test)
{
	struct wsq_test_call *call;
	struct wsq_test_gate *g;
	struct serial_act *a;
	struct wsq *q;

	provoke_only(test, false);
	q = wsq_test_queue(test, 2, 4, NULL);
	a = serial_act_new(test, q);
	g = wsq_test_hold(test, q, cpumask_first(cpu_online_mask));
	call = wsq_test_start(test, wsq_test_drain, q);
	wsq_test_waits(test, call);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_FALSE(test, wsq_serial_queue(&a->serial, &a->work));
	KUNIT_EXPECT_TRUE(test, wsq_serial_idle(&a->serial));
	/* Who waits is told. */
	wsq_test_call(test, serial_act_flush, a);
	wsq_test_gate_open(g);
	wsq_test_end(test, call);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->runs), 0);
	KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&a->serial, &a->work));
	wsq_serial_destroy(&a->serial);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->runs), 1);
	wsq_test_queue_end(test, q);
	kfree(g);
	kfree(a);
}

/* No CPU of any machine: any will do, but it is said. */
static void warn_cpu_out_of_range(struct kunit *test)
{
	struct wsq_test_item *it;
	struct wsq *q;

	provoke_only(test, false);
	q = wsq_test_queue(test, 2, 4, NULL);
	it = wsq_test_items(test, q, 1, wsq_test_count);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(nr_cpu_ids, q, &it->work));
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(INT_MAX, q, &it->work));
	wsq_test_queue_end(test, q);
	wsq_test_expect_runs(test, it, 1, 2);
	vfree(it);
}

/* Enabled more often than disabled: said, and nothing else. */
static void warn_enable_too_often(struct kunit *test)
{
	struct wsq_test_item *it;
	struct wsq *q;

	provoke_only(test, false);
	q = wsq_test_queue(test, 2, 4, NULL);
	it = wsq_test_items(test, q, 1, wsq_test_count);
	wsq_enable_work(&it->work);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	wsq_test_queue_end(test, q);
	wsq_test_expect_runs(test, it, 1, 1);
	vfree(it);
}

/* The heavy side of the fence waits for others: in task context only. */
struct fence_irq {
	struct irq_work work;
	u64 *set;
};

static void warn_fence_irq_fn(struct irq_work *work)
{
	u64 *set = container_of(work, struct fence_irq, work)->set;

	wsq_fence_heavy(set, wsq_fence_words());
}

static void warn_fence_in_irq(struct kunit *test)
{
	struct fence_irq f = { .work = IRQ_WORK_INIT_HARD(warn_fence_irq_fn) };

	provoke_only(test, false);
	/* Empty: it would not have to wait. */
	f.set = kunit_kcalloc(test, wsq_fence_words(), sizeof(*f.set),
			      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f.set);
	irq_work_queue(&f.work);
	irq_work_sync(&f.work);
}

/* And with interrupts on. */
static void lockdep_fence_irqs_off(struct kunit *test)
{
	u64 *set;

	provoke_only(test, true);
	set = kunit_kcalloc(test, wsq_fence_words(), sizeof(*set), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	local_irq_disable();
	wsq_fence_heavy(set, wsq_fence_words());
	local_irq_enable();
}

/* Everything that is allowed, in the orders that are: no report. */
static void right_use(struct kunit *test)
{
	static DEFINE_MUTEX(lock);
	struct wsq *qa, *qb, *qr;
	struct act *a[6];
	int i;

	if (!reports_locks())
		kunit_skip(test, IS_ENABLED(CONFIG_PROVE_LOCKING) ?
				 "lockdep is off, a report came before" :
				 "needs CONFIG_PROVE_LOCKING");
	qa = wsq_create(NULL, "a");
	qb = wsq_create(NULL, "b");
	KUNIT_ASSERT_FALSE(test, IS_ERR(qa));
	KUNIT_ASSERT_FALSE(test, IS_ERR(qb));
	qr = reclaim_queue(test);
	for (i = 0; i < ARRAY_SIZE(a); i++)
		a[i] = act_new(test, act_nothing);
	/* A flushes B, A calls an item of B back, B waits for nothing of A. */
	a[0]->fn = act_flush;
	a[0]->q = qb;
	INIT_WSQ_WORK(&a[1]->work, act_fn);
	a[1]->fn = act_cancel_other;
	INIT_WSQ_WORK(&a[2]->work, act_fn);
	a[1]->other = &a[2]->work;
	/* Takes a lock; it is waited for without. */
	INIT_WSQ_WORK(&a[3]->work, act_fn);
	a[3]->fn = act_lock;
	a[3]->lock = &lock;
	/* Ordinary ones may wait for those of reclaim, and these for such. */
	INIT_WSQ_WORK(&a[4]->work, act_fn);
	a[4]->fn = act_flush;
	a[4]->q = qr;
	for (i = 0; i < 3; i++) {
		wsq_queue_work(qb, &a[2]->work);
		wsq_queue_work(qa, &a[0]->work);
		wsq_queue_work(qa, &a[1]->work);
		wsq_queue_work(qb, &a[3]->work);
		wsq_queue_work(qa, &a[4]->work);
		wsq_queue_work(qr, &a[5]->work);
		wsq_test_call(test, wsq_test_flush_work, &a[0]->work);
		wsq_test_call(test, wsq_test_cancel_sync, &a[3]->work);
		/* With the lock held, queueing and calling back are free. */
		mutex_lock(&lock);
		wsq_queue_work(qb, &a[3]->work);
		wsq_cancel_work(&a[3]->work);
		wsq_queue_work(qb, &a[3]->work);
		mutex_unlock(&lock);
		wsq_test_call(test, wsq_test_flush, qa);
		wsq_test_call(test, wsq_test_flush, qb);
		wsq_test_call(test, wsq_test_drain, qr);
	}
	wsq_test_queue_end(test, qa);
	wsq_test_queue_end(test, qb);
	wsq_test_queue_end(test, qr);
	for (i = 0; i < ARRAY_SIZE(a); i++)
		kfree(a[i]);
	KUNIT_EXPECT_TRUE_MSG(test, debug_locks, "right use was reported");
}

static struct kunit_case lockdep_cases[] = {
	KUNIT_CASE(right_use),
	KUNIT_CASE(lockdep_flush_own_queue),
	KUNIT_CASE(lockdep_drain_own_queue),
	KUNIT_CASE(lockdep_flush_itself),
	KUNIT_CASE(lockdep_serial_flush_itself),
	KUNIT_CASE(lockdep_cancel_itself),
	KUNIT_CASE(lockdep_cancel_with_mutex),
	KUNIT_CASE(lockdep_disable_with_mutex),
	KUNIT_CASE(lockdep_flush_work_with_mutex),
	KUNIT_CASE(lockdep_flush_with_mutex),
	KUNIT_CASE(lockdep_flush_each_other),
	KUNIT_CASE(lockdep_cancel_each_other),
	KUNIT_CASE(warn_reclaim_flush),
	KUNIT_CASE(warn_memalloc_flush),
	KUNIT_CASE(warn_drain_put),
	KUNIT_CASE(warn_serial_dying),
	KUNIT_CASE(warn_serial_drain),
	KUNIT_CASE(warn_cpu_out_of_range),
	KUNIT_CASE(warn_enable_too_often),
	KUNIT_CASE(warn_fence_in_irq),
	KUNIT_CASE(lockdep_fence_irqs_off),
	{}
};

static struct kunit_suite lockdep_suite = {
	.name = "wsq_lockdep",
	.test_cases = lockdep_cases,
};

kunit_test_suite(lockdep_suite);
