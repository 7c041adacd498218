// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of reports: wrong use is reported, right use is not.
 *
 * The kernel reports a wrong lock order once. Lockdep is then off until the
 * next boot, and so are WARN_ONCE()s. Each wrong use is therefore a case of its
 * own that does nothing unless the module parameter "provoke" names it.
 * tools/check/lockdep boots a kernel for each and looks for the text of the
 * report. Cases named lockdep_* need CONFIG_PROVE_LOCKING.
 *
 * Right use is always tested: lockdep must still be on afterwards.
 *
 * Where a wrong use would really deadlock, the stuck thread is left behind, and
 * the machine cannot be used any more.
 */
#include <linux/debug_locks.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/wsq_call.h>
#include <linux/wsq_serial.h>

#include "../core/fence.h"
#include "items.h"

char *wsq_test_provoke = "";
module_param_named(provoke, wsq_test_provoke, charp, 0444);
MODULE_PARM_DESC(provoke, "report to provoke: name of a case of wsq_lockdep, wsq_lockdep_leak or wsq_lockdep_forkjoin");

static bool reports_locks(void)
{
	return IS_ENABLED(CONFIG_PROVE_LOCKING) && debug_locks;
}

/* Go on only if this case was asked for. */
static void provoke_only(struct kunit *test, bool lockdep)
{
	wsq_test_provoked(test);
	if (lockdep && !IS_ENABLED(CONFIG_PROVE_LOCKING))
		kunit_skip(test, "needs CONFIG_PROVE_LOCKING");
	if (lockdep)
		KUNIT_ASSERT_TRUE_MSG(test, reports_locks(),
				      "lockdep reported something before");
}

/* Wait for the report: lockdep then turns itself off. */
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

/* Never freed if it may be stuck. */
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
	return wait_for_completion_timeout(&a->over, WSQ_TEST_TIMEOUT);
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

/* A flush of a queue by one of its own items never ends. */
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

/* The function takes a mutex that the waiting thread holds. */
static void lockdep_mutex_wait(struct kunit *test, bool (*wait)(void *arg),
			       bool queue)
{
	static DEFINE_MUTEX(lock);
	struct act *a;

	provoke_only(test, true);
	a = act_new(test, act_lock);
	a->lock = &lock;
	a->q = wsq_test_queue(test, 2, 4, NULL);
	/* Run it once, so that lockdep knows which lock the function takes. */
	wsq_queue_work(a->q, &a->work);
	KUNIT_ASSERT_TRUE(test, act_ran(a));
	wsq_test_call(test, wsq_test_flush, a->q);
	KUNIT_ASSERT_TRUE(test, debug_locks);
	/* The item is idle: this time there is no deadlock. */
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

/* An item of A flushes B, then an item of B flushes A. */
static void lockdep_flush_each_other(struct kunit *test)
{
	struct wsq *qa, *qb;
	struct act *a, *b;

	provoke_only(test, true);
	/* Created on different lines: two lock classes. */
	qa = wsq_create(NULL, "a");
	qb = wsq_create(NULL, "b");
	KUNIT_ASSERT_FALSE(test, IS_ERR(qa));
	KUNIT_ASSERT_FALSE(test, IS_ERR(qb));
	a = act_new(test, act_flush);
	b = act_new(test, act_flush);
	/* Another class for the item: the queues should be reported. */
	INIT_WSQ_WORK(&b->work, act_fn);
	a->q = qb;
	b->q = qa;
	wsq_queue_work(qa, &a->work);
	KUNIT_ASSERT_TRUE(test, act_ran(a));
	KUNIT_ASSERT_TRUE(test, debug_locks);
	wsq_queue_work(qb, &b->work);
	expect_report(test);
}

/* Two items that cancel each other with sync. */
static void lockdep_cancel_each_other(struct kunit *test)
{
	struct act *a, *b;
	struct wsq *q;

	provoke_only(test, true);
	q = wsq_test_queue(test, 2, 4, NULL);
	a = act_new(test, act_cancel_other);
	b = act_new(test, act_cancel_other);
	/* Two lock classes again. */
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

/* Warnings of any kernel. The script looks for them. */

static struct wsq *reclaim_queue(struct kunit *test)
{
	struct wsq_attrs attrs = { .flags = WSQ_MEM_RECLAIM };

	return wsq_test_queue_attrs(test, &attrs);
}

/* An item of a WSQ_MEM_RECLAIM queue flushes a queue without that flag. */
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

/* A task that reclaims memory flushes a queue without that flag. */
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
	/* After the drain it takes items again. */
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

/* A destroyed serial takes items from its own items only. */
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
	/* After a new init, the serial takes the item. */
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
	/* The flush must end. */
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

/* A call with a future of its own to wait for. */
struct call_act {
	struct wsq_call call;
	struct wsq_call_dep dep;
	struct wsq_future *waits;
	int ret;
	int runs;
};

static int call_act_fn(struct wsq_call *call)
{
	struct call_act *a = container_of(call, struct call_act, call);

	a->runs++;
	if (a->waits)
		a->ret = wsq_future_wait(a->waits);
	return 0;
}

static struct call_act *call_acts(struct kunit *test, int nr)
{
	struct call_act *a = vzalloc(array_size(nr, sizeof(*a)));
	int i;

	KUNIT_ASSERT_NOT_NULL(test, a);
	for (i = 0; i < nr; i++)
		wsq_call_init(&a[i].call, call_act_fn);
	return a;
}

static void call_act_end(struct kunit *test, struct call_act *a, int error)
{
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_future_resolved(&a->call.future)));
	KUNIT_EXPECT_EQ(test, wsq_future_error(&a->call.future), error);
}

static DEFINE_MUTEX(call_lock);

static int call_lock_fn(struct wsq_call *call)
{
	mutex_lock(&call_lock);
	mutex_unlock(&call_lock);
	return 0;
}

/* A thread holds a mutex that the function of the call it waits for takes. */
static void future_with_mutex(struct kunit *test, bool on_serial)
{
	struct wsq_call *call = kzalloc(sizeof(*call), GFP_KERNEL);
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_serial *serial = kzalloc(sizeof(*serial), GFP_KERNEL);
	struct wsq_future *f;

	KUNIT_ASSERT_NOT_NULL(test, call);
	KUNIT_ASSERT_NOT_NULL(test, serial);
	wsq_serial_init(serial, q);
	wsq_call_init(call, call_lock_fn);
	f = on_serial ? wsq_call_send_serial(call, serial) : wsq_call_send(call, q);
	KUNIT_EXPECT_EQ(test, wsq_future_wait(f), 0);
	/* It is over, but might not be. */
	mutex_lock(&call_lock);
	KUNIT_EXPECT_EQ(test, wsq_future_wait(f), 0);
	mutex_unlock(&call_lock);
	wsq_serial_destroy(serial);
	wsq_test_queue_end(test, q);
	kfree(serial);
	kfree(call);
}

static void lockdep_future_with_mutex(struct kunit *test)
{
	provoke_only(test, true);
	future_with_mutex(test, false);
}

static void lockdep_future_serial_with_mutex(struct kunit *test)
{
	provoke_only(test, true);
	future_with_mutex(test, true);
}

/* All futures are given before a call is sent, and it is sent once. */
static void call_after_send(struct kunit *test, bool twice)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct call_act *a = call_acts(test, 1);
	struct wsq_call_dep dep;
	struct wsq_future f[2];

	wsq_future_init(&f[0]);
	wsq_future_init(&f[1]);
	KUNIT_EXPECT_EQ(test, wsq_call_after(&a->call, &a->dep, &f[0]), 0);
	wsq_call_send(&a->call, q);
	if (twice)
		KUNIT_EXPECT_PTR_EQ(test, wsq_call_send(&a->call, q), &a->call.future);
	else
		KUNIT_EXPECT_EQ(test, wsq_call_after(&a->call, &dep, &f[1]), -EBUSY);
	wsq_future_resolve(&f[0], 0);
	call_act_end(test, a, 0);
	wsq_test_queue_end(test, q);
	KUNIT_EXPECT_EQ(test, a->runs, 1);
	vfree(a);
}

static void warn_call_after_send(struct kunit *test)
{
	provoke_only(test, false);
	call_after_send(test, false);
}

static void warn_call_sent_twice(struct kunit *test)
{
	provoke_only(test, false);
	call_after_send(test, true);
}

/* No cycle: a call is given only what was sent before. */
static void warn_call_unsent(struct kunit *test)
{
	struct call_act *a;
	struct wsq *q;

	provoke_only(test, false);
	q = wsq_test_queue(test, 2, 4, NULL);
	a = call_acts(test, 2);
	KUNIT_EXPECT_EQ(test, wsq_call_after(&a->call, &a->dep, &a->call.future),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, wsq_call_after(&a->call, &a->dep, &a[1].call.future),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, wsq_future_wait(&a[1].call.future), -EINVAL);
	wsq_call_send(&a->call, q);
	call_act_end(test, a, 0);
	wsq_test_queue_end(test, q);
	vfree(a);
}

/* Waiting is for threads. */
static void warn_call_item_waits(struct kunit *test)
{
	struct wsq_future f;
	struct call_act *a;
	struct wsq *q;

	provoke_only(test, false);
	q = wsq_test_queue(test, 2, 4, NULL);
	a = call_acts(test, 1);
	wsq_future_init(&f);
	a->waits = &f;
	wsq_call_send(&a->call, q);
	call_act_end(test, a, 0);
	KUNIT_EXPECT_EQ(test, a->ret, -EDEADLK);
	wsq_test_queue_end(test, q);
	vfree(a);
}

/* A call resolves its own future, and nothing else does. */
static void warn_call_resolved(struct kunit *test)
{
	struct wsq_future f;
	struct call_act *a;
	struct wsq *q;

	provoke_only(test, false);
	q = wsq_test_queue(test, 2, 4, NULL);
	a = call_acts(test, 1);
	wsq_future_init(&f);
	wsq_call_after(&a->call, &a->dep, &f);
	wsq_call_send(&a->call, q);
	KUNIT_EXPECT_FALSE(test, wsq_future_resolve(&a->call.future, 1));
	KUNIT_EXPECT_FALSE(test, wsq_future_fail(&a->call.future, -EIO));
	wsq_future_resolve(&f, 0);
	call_act_end(test, a, 0);
	wsq_test_queue_end(test, q);
	vfree(a);
}

static int call_act_taken(struct wsq_call *call)
{
	return WSQ_CALL_TAKEN;
}

/* An error is negative: what waits for the call ends with one. */
static void warn_call_end_positive(struct kunit *test)
{
	struct call_act *a;
	struct wsq *q;

	provoke_only(test, false);
	q = wsq_test_queue(test, 2, 4, NULL);
	a = call_acts(test, 2);
	a[0].call.func = call_act_taken;
	wsq_call_send(&a[0].call, q);
	KUNIT_EXPECT_EQ(test, wsq_call_after(&a[1].call, &a[1].dep,
					     &a[0].call.future), 0);
	wsq_call_send(&a[1].call, q);
	wsq_test_call(test, wsq_test_flush, q);
	wsq_call_end(&a[0].call, 5, WSQ_CALL_TAKEN);
	call_act_end(test, &a[0], -EINVAL);
	call_act_end(test, &a[1], -EINVAL);
	KUNIT_EXPECT_EQ(test, a[1].runs, 0);
	wsq_test_queue_end(test, q);
	vfree(a);
}

/*
 * A queue that is drained refuses calls. Their futures fail when they would
 * start, one after the other, by the context that resolves the first one:
 * without more stack for more calls.
 */
static void warn_call_refused(struct kunit *test)
{
	enum { NR = 100000 };
	struct wsq_test_call *drain;
	struct wsq_serial *serial;
	struct wsq_test_gate *g;
	struct wsq_future head, *f = &head;
	struct call_act *a;
	struct wsq *q;
	int i;

	provoke_only(test, false);
	q = wsq_test_queue(test, 2, 4, NULL);
	serial = kzalloc(sizeof(*serial), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, serial);
	wsq_serial_init(serial, q);
	a = call_acts(test, NR);
	g = wsq_test_hold(test, q, cpumask_first(cpu_online_mask));
	drain = wsq_test_start(test, wsq_test_drain, q);
	wsq_test_waits(test, drain);
	wsq_future_init(&head);
	for (i = 0; i < NR; i++) {
		KUNIT_ASSERT_EQ(test, wsq_call_after(&a[i].call, &a[i].dep, f), 0);
		if (i % 2)
			f = wsq_call_send_serial(&a[i].call, serial);
		else
			f = wsq_call_send(&a[i].call, q);
	}
	KUNIT_EXPECT_FALSE(test, wsq_future_resolved(f));
	wsq_future_resolve(&head, 0);
	for (i = 0; i < NR; i++) {
		KUNIT_ASSERT_EQ(test, wsq_future_error(&a[i].call.future),
				-ESHUTDOWN);
		KUNIT_ASSERT_EQ(test, a[i].runs, 0);
	}
	/* Without futures: at once. */
	wsq_call_init(&a->call, call_act_fn);
	f = wsq_call_send(&a->call, q);
	KUNIT_EXPECT_EQ(test, wsq_future_error(f), -ESHUTDOWN);
	wsq_test_gate_open(g);
	wsq_test_end(test, drain);
	wsq_serial_destroy(serial);
	wsq_test_queue_end(test, q);
	kfree(serial);
	kfree(g);
	vfree(a);
}

/* An impossible CPU number: any CPU is used, with a warning. */
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

/* Enabled more often than disabled: a warning, no other effect. */
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

/* The fence's heavy side waits for other CPUs: task context only. */
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
	/* An empty set: the call would not even have to wait. */
	f.set = kunit_kcalloc(test, wsq_fence_words(), sizeof(*f.set),
			      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f.set);
	irq_work_queue(&f.work);
	irq_work_sync(&f.work);
}

/* With interrupts off. */
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

/* All that is allowed, in allowed orders: no report. */
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
	/* A flushes B and cancels an item of B. B waits for nothing in A. */
	a[0]->fn = act_flush;
	a[0]->q = qb;
	INIT_WSQ_WORK(&a[1]->work, act_fn);
	a[1]->fn = act_cancel_other;
	INIT_WSQ_WORK(&a[2]->work, act_fn);
	a[1]->other = &a[2]->work;
	/* It takes a lock that is not held during the waits. */
	INIT_WSQ_WORK(&a[3]->work, act_fn);
	a[3]->fn = act_lock;
	a[3]->lock = &lock;
	/* Ordinary queues may wait for reclaim ones, these for each other. */
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
		/* Queueing and cancelling are allowed with the lock held. */
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
	KUNIT_CASE(lockdep_future_with_mutex),
	KUNIT_CASE(lockdep_future_serial_with_mutex),
	KUNIT_CASE(warn_call_after_send),
	KUNIT_CASE(warn_call_sent_twice),
	KUNIT_CASE(warn_call_unsent),
	KUNIT_CASE(warn_call_item_waits),
	KUNIT_CASE(warn_call_resolved),
	KUNIT_CASE(warn_call_end_positive),
	KUNIT_CASE(warn_call_refused),
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
