// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of tasks that find a pool full (kmod/pool/overflow.c). Covers
 * each rule at the limit, in each context that it is for, and pushes that wait:
 * whatever makes space lets them proceed, once, and they end with their thread
 * or the pool. Missing memory for growth is in nomem_kunit.c.
 *
 * Limitations: the might_sleep() check and the warning of wsq_pool_destroy()
 * are not tested, because both would be reports. A kernel thread stands for a
 * thread that can be killed.
 */
#include <kunit/test.h>
#include <linux/irq_work.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/wsq.h>
#include <linux/wsq_pool.h>

#include "../engine/engine.h"
#include "../pool/overflow.h"
#include "../pool/pool.h"
#include "flow.h"

static void overflow_attrs(struct kunit *test)
{
	static const struct {
		u32 rule;
		bool fn;
		int ret;
	} rows[] = {
		{ WSQ_OVERFLOW_FAIL, false, 0 },
		{ WSQ_OVERFLOW_FAIL, true, -EINVAL },
		{ WSQ_OVERFLOW_NEIGHBOUR, false, 0 },
		{ WSQ_OVERFLOW_NEIGHBOUR, true, -EINVAL },
		{ WSQ_OVERFLOW_INLINE, false, -EINVAL },
		{ WSQ_OVERFLOW_INLINE, true, 0 },
		{ WSQ_OVERFLOW_WAIT, false, 0 },
		{ WSQ_OVERFLOW_WAIT, true, -EINVAL },
		{ WSQ_OVERFLOW_WAIT + 1, false, -EINVAL },
		{ ~0U, false, -EINVAL },
	};
	struct wsq_pool *pool;
	struct wsq *q;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wsq_attrs attrs = {
			.overflow = rows[i].rule,
			.overflow_fn = rows[i].fn ? flow_inline : NULL,
		};

		pool = wsq_test_pool(test, &attrs, "row");
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(pool), rows[i].ret,
				    "pool, row %d", i);
		if (!IS_ERR(pool))
			wsq_pool_destroy(pool);
		/* A queue never refuses an item, so it has no rule. */
		q = wsq_test_create(test, &attrs, "row");
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(q), i ? -EINVAL : 0,
				    "queue, row %d", i);
		if (!IS_ERR(q))
			wsq_destroy(q);
	}
}

/* With one CPU in the pool: the exact limit. */
static void overflow_limit(struct kunit *test)
{
	void *tasks[6];
	struct flow *f;
	int i;

	migrate_disable();
	for (i = WSQ_OVERFLOW_FAIL; i <= WSQ_OVERFLOW_NEIGHBOUR; i++) {
		f = flow_new(test, i, 2, 0, 4, cpumask_of(smp_processor_id()));
		KUNIT_EXPECT_EQ(test, flow_fill(f, 100), 8);
		KUNIT_EXPECT_EQ(test, flow_push(f), -EAGAIN);
		tasks[0] = (void *)9UL;
		KUNIT_EXPECT_EQ(test, wsq_pool_push_many(f->pool, tasks, 1), 0);
		flow_end(test, f);
	}

	f = flow_new(test, WSQ_OVERFLOW_INLINE, 2, 0, 4,
		     cpumask_of(smp_processor_id()));
	KUNIT_EXPECT_EQ(test, flow_fill(f, 8), 8);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->inline_nr), 0);
	KUNIT_EXPECT_EQ(test, flow_push(f), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->inline_nr), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->seen[9]), 1);
	/* In the caller's context. */
	KUNIT_EXPECT_EQ(test, f->inline_ctx, preempt_count());
	KUNIT_EXPECT_TRUE(test, flow_pop(f));
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = (void *)(unsigned long)atomic_inc_return(&f->nr);
	KUNIT_EXPECT_EQ(test, wsq_pool_push_many(f->pool, tasks, 6), 6);
	KUNIT_EXPECT_GE(test, atomic_read(&f->inline_nr), 1 + 5);
	KUNIT_EXPECT_EQ(test, wsq_pool_push(f->pool, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, wsq_pool_push(f->pool, ERR_PTR(-EIO)), -EINVAL);
	flow_end(test, f);
	migrate_enable();
}

/* The nearest CPU first, as many as its inbox takes; in the end none. */
static void overflow_neighbour(struct kunit *test)
{
	const struct wsq_access *list;
	unsigned int here, i, nr = num_online_cpus();
	struct flow *f;

	wsq_test_need_cpus(test, 2);
	f = flow_new(test, WSQ_OVERFLOW_NEIGHBOUR, 2, 0, 4, cpu_online_mask);
	migrate_disable();
	here = smp_processor_id();
	/* SALSA has used the chunks of other CPUs before. */
	if (wsq_test_engine(test)->kind == WSQ_SALSA)
		KUNIT_EXPECT_EQ(test, flow_fill(f, 8 * nr), 8 * nr);
	else
		KUNIT_EXPECT_EQ(test, flow_fill(f, 8), 8);
	list = wsq_topology_access(f->pool->topo, here);
	KUNIT_ASSERT_NOT_NULL(test, list);
	for (i = 0; i < list->nr; i++) {
		struct wsq_container *ct;

		ct = wsq_pool_ct(f->pool, list->victims[i].cpu);
		if (!ct)
			continue;
		KUNIT_EXPECT_EQ(test, atomic64_read(&ct->pointer->used), 0);
		KUNIT_EXPECT_EQ(test, flow_fill(f, WSQ_POINTER_LINKS),
				WSQ_POINTER_LINKS);
		KUNIT_EXPECT_EQ(test, atomic64_read(&ct->pointer->used), -1);
	}
	KUNIT_EXPECT_EQ(test, flow_push(f), -EAGAIN);
	migrate_enable();
	flow_end(test, f);
}

/* As an interrupt in the middle of a put, with the inbox's links used up. */
static void overflow_interrupted(struct kunit *test)
{
	struct wsq_container *ct;
	struct flow *f;
	int rule;

	wsq_test_need_cpus(test, 2);
	for (rule = WSQ_OVERFLOW_FAIL; rule <= WSQ_OVERFLOW_WAIT; rule++) {
		/* might_sleep() would rightly complain. */
		if (rule == WSQ_OVERFLOW_WAIT &&
		    IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP))
			continue;
		f = flow_new(test, rule, 8, 0, 16, cpu_online_mask);
		preempt_disable();
		ct = wsq_pool_mine(f->pool);
		ct->put_busy = 1;
		KUNIT_EXPECT_EQ(test, flow_fill(f, WSQ_POINTER_LINKS),
				WSQ_POINTER_LINKS);
		KUNIT_EXPECT_EQ(test, flow_push(f),
				rule == WSQ_OVERFLOW_NEIGHBOUR ||
				rule == WSQ_OVERFLOW_INLINE ? 0 : -EAGAIN);
		KUNIT_EXPECT_EQ(test, atomic_read(&f->inline_nr),
				rule == WSQ_OVERFLOW_INLINE);
		ct->put_busy = 0;
		preempt_enable();
		flow_end(test, f);
	}
}

struct flow_irq {
	struct irq_work irq;
	struct flow *f;
	int ret;
	bool hard;
};

static void flow_irq_fn(struct irq_work *irq)
{
	struct flow_irq *fi = container_of(irq, struct flow_irq, irq);

	fi->ret = flow_push(fi->f);
	fi->hard = in_hardirq();
}

/* From an interrupt no rule sleeps, not even the one that waits. */
static void overflow_irq(struct kunit *test)
{
	struct flow_irq fi = { .irq = IRQ_WORK_INIT_HARD(flow_irq_fn) };
	int rule;

	wsq_test_need_cpus(test, 2);
	for (rule = WSQ_OVERFLOW_FAIL; rule <= WSQ_OVERFLOW_WAIT; rule++) {
		if (rule == WSQ_OVERFLOW_WAIT &&
		    IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP))
			continue;
		migrate_disable();
		fi.f = flow_new(test, rule, 2, 0, 4,
				cpumask_of(smp_processor_id()));
		KUNIT_EXPECT_EQ(test, flow_fill(fi.f, 8), 8);
		irq_work_queue(&fi.irq);
		irq_work_sync(&fi.irq);
		migrate_enable();
		KUNIT_EXPECT_TRUE(test, fi.hard);
		KUNIT_EXPECT_EQ(test, fi.ret,
				rule == WSQ_OVERFLOW_INLINE ? 0 : -EAGAIN);
		KUNIT_EXPECT_EQ(test, atomic_read(&fi.f->inline_nr),
				rule == WSQ_OVERFLOW_INLINE);
		if (rule == WSQ_OVERFLOW_INLINE)
			KUNIT_EXPECT_NE(test, fi.f->inline_ctx & HARDIRQ_MASK, 0);
		flow_end(test, fi.f);
	}
}

/* Without pops the push waits. Pops on this CPU go on until it succeeds. */
static void overflow_wait_here(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), got = 0;
	struct flow_call c = { .nr = 1 };
	struct wsq_test_call *call;

	wsq_test_stay(test, cpu);
	c.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 4, cpumask_of(cpu));
	KUNIT_EXPECT_EQ(test, flow_fill(c.f, 8), 8);
	call = flow_wait(test, &c, cpu);
	wsq_test_linger();
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_EQ(test, wsq_test_waiting(c.f->pool), 1);
	/* Some engines free whole blocks, others single slots. */
	while (wsq_test_waiting(c.f->pool) && flow_pop(c.f))
		got++;
	KUNIT_EXPECT_GE(test, got, 1);
	KUNIT_EXPECT_LE(test, got, 5);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, c.ret, 0);
	flow_end(test, c.f);
	wsq_test_roam();
}

/*
 * Only another CPU pops, one task after the other: a member of the pool, or a
 * non-member.
 */
static void overflow_wait_there(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), most;
	struct flow_call c = { .nr = 1 };
	struct wsq_test_call *call;
	struct flow_there t = {};
	int i;

	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, cpu);
	for (i = 0; i < 2; i++) {
		c = (struct flow_call){ .nr = 1 };
		c.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 4,
			       i ? cpu_online_mask : cpumask_of(cpu));
		/* SALSA fills the others as well. */
		most = wsq_test_engine(test)->kind == WSQ_SALSA && i ?
		       8 * num_online_cpus() : 8;
		KUNIT_EXPECT_EQ(test, flow_fill(c.f, most), most);
		call = flow_wait(test, &c, cpu);
		/* Allow one pop more until the push succeeds. */
		t = (struct flow_there){ .f = c.f, .most = 1, .who = call };
		while (!wsq_test_over(call) && t.most < 9) {
			wsq_test_end(test, wsq_test_start_on(test,
							     wsq_test_other(cpu),
							     flow_there_fn, &t));
			if (!wsq_test_over(call))
				KUNIT_EXPECT_EQ(test, t.got, t.most);
			wsq_test_linger();
			t.most++;
		}
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
		KUNIT_EXPECT_EQ(test, c.ret, 0);
		flow_end(test, c.f);
	}
	wsq_test_roam();
}

/*
 * Other CPUs pop exactly all that they can reach, and stop. The emptied memory
 * may not be reusable at once: it waits for a grace period, or for the consumer
 * to pass over it. No task is popped after that.
 */
static void overflow_wait_left(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct flow_call c;
	struct wsq_test_call *call;
	struct flow_there t;
	int i;

	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, cpu);
	for (i = 0; i < 4; i++) {
		c = (struct flow_call){ .nr = 1 };
		c.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 4,
			       cpumask_of(cpu));
		KUNIT_EXPECT_EQ(test, flow_fill(c.f, 8), 8);
		call = flow_wait(test, &c, cpu);
		/* With some engines the consumer's block is out of reach. */
		t = (struct flow_there){ .f = c.f, .most = 4 };
		if (wsq_test_engine(test)->kind == WSQ_SALSA)
			t.most = 8;
		wsq_test_end(test, wsq_test_start_on(test, wsq_test_other(cpu),
						     flow_there_fn, &t));
		KUNIT_EXPECT_EQ(test, t.got, t.most);
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
		KUNIT_EXPECT_EQ(test, c.ret, 0);
		flow_end(test, c.f);
	}
	wsq_test_roam();
}

static bool flow_popped_fn(void *arg)
{
	struct flow *f = arg;
	void *task;

	preempt_disable();
	task = wsq_overflow_admit(f->pool, f, false);
	preempt_enable();
	return task == f;
}

/*
 * A thief's count has made space where the waiter is, and the thief's own CPU
 * is full: the waiter has to look again itself. Simulated by a pop that admits
 * no waiter.
 */
static void overflow_wait_woken(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), other, i;
	struct flow_call c = { .nr = 1 };
	struct wsq_test_call *call;
	struct wsq_waiting *space;

	if (wsq_engine_ops(wsq_test_engine(test)->kind)->space_timeout !=
	    MAX_SCHEDULE_TIMEOUT)
		kunit_skip(test, "needs an engine whose space does not come by time");
	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, cpu);
	other = wsq_test_other(cpu);
	c.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 4, cpu_online_mask);
	KUNIT_EXPECT_EQ(test, flow_fill(c.f, 8), 8);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, wsq_test_start_on(test, other,
								     flow_fill_fn,
								     c.f)));
	call = flow_wait(test, &c, cpu);
	space = c.f->pool->waiting;
	c.f->pool->waiting = NULL;
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_TRUE(test, flow_pop(c.f));
	c.f->pool->waiting = space;
	/* A pop on the other CPU of a task of its own makes no space here. */
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, wsq_test_start_on(test, other,
								     flow_popped_fn,
								     c.f)));
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, wsq_test_waiting(c.f->pool), 1);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, wsq_test_start_on(test, other,
								     flow_stole_fn,
								     c.f)));
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, c.ret, 0);
	flow_end(test, c.f);
	wsq_test_roam();
}

/*
 * A push from a non-member CPU waits for a link of the inbox. A pop that takes
 * from the inbox makes space for it, and none where the pop runs. No task is
 * popped after that.
 */
static void overflow_wait_inbox(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), other;
	struct flow_call c = { .nr = 1 };
	struct flow_there t = { .most = 1 };
	struct wsq_test_call *call;

	if (wsq_test_engine(test)->kind == WSQ_SALSA)
		kunit_skip(test, "needs non-member CPUs to use an inbox");
	wsq_test_need_cpus(test, 2);
	other = wsq_test_other(cpu);
	wsq_test_stay(test, other);
	c.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 4, cpumask_of(cpu));
	t.f = c.f;
	KUNIT_EXPECT_EQ(test, flow_fill(c.f, WSQ_POINTER_LINKS), WSQ_POINTER_LINKS);
	call = flow_wait(test, &c, other);
	wsq_test_end(test, wsq_test_start_on(test, cpu, flow_there_fn, &t));
	KUNIT_EXPECT_EQ(test, t.got, 1);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, c.ret, 0);
	flow_end(test, c.f);
	wsq_test_roam();
}

static void flow_pop_fn(void *arg)
{
	flow_pop(arg);
}

/*
 * Only interrupts on the waiter's CPU pop. Their timing varies, so that some
 * come between the waiter's check and its sleep.
 */
static void overflow_wait_interrupted(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	struct flow_call c = { .nr = FLOW_MAX };
	struct wsq_test_call *call;
	unsigned int i, k, done = 0;

	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, wsq_test_other(cpu));
	c.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 2, cpumask_of(cpu));
	call = wsq_test_start_on(test, cpu, flow_call_fn, &c);
	for (i = 1; !wsq_test_over(call) && time_before(jiffies, end); i++) {
		if (READ_ONCE(c.done) != done) {
			done = READ_ONCE(c.done);
			end = jiffies + WSQ_TEST_TIMEOUT;
		}
		for (k = i * 7919 % 1024; k; k--)
			cpu_relax();
		smp_call_function_single(cpu, flow_pop_fn, c.f, 1);
		if (!(i % 64))
			wsq_test_yield();
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, c.ret, 0);
	KUNIT_EXPECT_EQ(test, c.done, FLOW_MAX);
	flow_end(test, c.f);
	wsq_test_roam();
}

/* The thread is killed: -EINTR, and the task is not in the pool. */
static void overflow_wait_killed(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct flow_call one = { .nr = 1 }, many = { .nr = 3, .many = true };
	struct wsq_test_call *a, *b;

	wsq_test_stay(test, cpu);
	one.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 4, cpumask_of(cpu));
	many.f = one.f;
	KUNIT_EXPECT_EQ(test, flow_fill(one.f, 8), 8);
	a = flow_wait(test, &one, cpu);
	b = flow_wait(test, &many, cpu);
	KUNIT_EXPECT_EQ(test, wsq_test_waiting(one.f->pool), 2);
	send_sig(SIGKILL, one.who, 1);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, a));
	KUNIT_EXPECT_EQ(test, one.ret, -EINTR);
	KUNIT_EXPECT_EQ(test, wsq_test_waiting(one.f->pool), 1);
	send_sig(SIGKILL, many.who, 1);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, b));
	KUNIT_EXPECT_EQ(test, many.done, 0);
	KUNIT_EXPECT_EQ(test, wsq_test_waiting(one.f->pool), 0);
	/* The refused tasks are not there: eight and no more. */
	atomic_set(&one.f->nr, 8);
	flow_end(test, one.f);
	KUNIT_EXPECT_EQ(test, atomic_read(&one.f->seen[9]), 0);
	wsq_test_roam();
}

/* A pool that is destroyed first refuses its waiters. */
static void overflow_wait_closed(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct flow_call c[3] = { { .nr = 1 }, { .nr = 1 }, { .nr = 1 } };
	struct wsq_test_call *call[3];
	int i;

	wsq_test_stay(test, cpu);
	c[0].f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 4, cpumask_of(cpu));
	KUNIT_EXPECT_EQ(test, flow_fill(c[0].f, 8), 8);
	for (i = 0; i < 3; i++) {
		c[i].f = c[0].f;
		call[i] = flow_wait(test, &c[i], cpu);
	}
	KUNIT_EXPECT_EQ(test, wsq_overflow_close(c[0].f->pool), 3);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call[i]));
		KUNIT_EXPECT_EQ(test, c[i].ret, -ESHUTDOWN);
	}
	KUNIT_EXPECT_EQ(test, wsq_overflow_close(c[0].f->pool), 0);
	flow_end(test, c[0].f);
	wsq_test_roam();
}

/* Growth makes space without a pop. */
static void overflow_wait_grow(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct flow_call c = { .nr = 100 };
	struct wsq_test_call *call;

	if (!wsq_test_engine(test)->grows)
		kunit_skip(test, "needs an engine that grows");
	wsq_test_stay(test, cpu);
	c.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 16, 4, cpumask_of(cpu));
	call = wsq_test_start_on(test, cpu, flow_call_fn, &c);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(c.done) == 16 * 4));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_test_waiting(c.f->pool)));
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, READ_ONCE(c.done), 16 * 4);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_TRUE(test, wsq_test_until((flow_pop(c.f),
						wsq_test_over(call))));
	wsq_test_end(test, call);
	KUNIT_EXPECT_EQ(test, c.ret, 0);
	flow_end(test, c.f);
	wsq_test_roam();
}

/* Two pushes wait, one single, one batched; pops on this CPU or another. */
static void overflow_wait_two(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), i, got, nr = 300;
	struct wsq_test_call *a, *b;

	for (i = 0; i < 4; i++) {
		struct flow_call one = { .nr = nr };
		struct flow_call many = { .nr = nr, .many = true };
		unsigned long end = jiffies + WSQ_TEST_TIMEOUT;

		wsq_test_stay(test, i % 2 ? wsq_test_other(cpu) : cpu);
		one.f = flow_new(test, WSQ_OVERFLOW_WAIT, 2, 0, 2 + i,
				 cpumask_of(cpu));
		many.f = one.f;
		a = flow_wait(test, &one, cpu);
		b = flow_wait(test, &many, cpu);
		for (got = 0; got < 2 * nr && time_before(jiffies, end);) {
			if (flow_pop(one.f)) {
				got++;
				/* Each wake-up may take a while. */
				end = jiffies + WSQ_TEST_TIMEOUT;
			}
			wsq_test_yield();
			/* Only there is the consumer's block in reach. */
			if (wsq_test_over(a) && wsq_test_over(b))
				wsq_test_stay(test, cpu);
		}
		KUNIT_EXPECT_EQ(test, got, 2 * nr);
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, a));
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, b));
		KUNIT_EXPECT_EQ(test, one.done, nr);
		KUNIT_EXPECT_EQ(test, many.done, nr);
		flow_end(test, one.f);
	}
	wsq_test_roam();
}

struct flow_crowd {
	struct flow *f;
	struct irq_work irq;
	atomic_t pushing;
	unsigned int each;
};

/* Pops from interrupts admit waiters, too. */
static void flow_crowd_irq(struct irq_work *irq)
{
	flow_pop(container_of(irq, struct flow_crowd, irq)->f);
}

/* The first threads push. The others pop until the pushes are over. */
static void flow_crowd_fn(void *arg, int nr)
{
	struct flow_crowd *fc = arg;
	unsigned long id;
	unsigned int i;
	bool over;
	int ret;

	if (nr < num_online_cpus()) {
		for (i = 0; i < fc->each; i++) {
			id = atomic_inc_return(&fc->f->nr);
			while ((ret = wsq_pool_push(fc->f->pool,
						    (void *)id)) == -EAGAIN)
				schedule_timeout_uninterruptible(1);
			WARN_ON_ONCE(ret);
			if (!(i % 16))
				wsq_test_yield();
		}
		atomic_dec(&fc->pushing);
		return;
	}
	for (i = 0; ; i++) {
		over = !atomic_read(&fc->pushing);
		smp_rmb();	/* Read over before the pool. */
		if (!(i % 8) && nr == num_online_cpus())
			irq_work_queue(&fc->irq);
		if (!flow_pop(fc->f) && over)
			return;
		wsq_test_yield();
	}
}

/* All at once, with each rule: each task that is pushed comes out once. */
static void overflow_crowd(struct kunit *test)
{
	static const u32 shapes[][3] = {
		{ 2, 2, 0 }, { 4, 8, 0 }, { 2, 2, 64 },
	};
	bool grows = wsq_test_engine(test)->grows;
	struct flow_crowd fc;
	int rule, i;

	for (rule = WSQ_OVERFLOW_NEIGHBOUR; rule <= WSQ_OVERFLOW_WAIT; rule++) {
		for (i = 0; i < ARRAY_SIZE(shapes); i++) {
			fc.f = flow_new(test, rule, shapes[i][0],
					grows ? shapes[i][2] : 0, shapes[i][1],
					cpu_online_mask);
			fc.each = FLOW_MAX / num_online_cpus();
			init_irq_work(&fc.irq, flow_crowd_irq);
			atomic_set(&fc.pushing, num_online_cpus());
			wsq_test_run(test, 2 * num_online_cpus(), flow_crowd_fn,
				     &fc);
			irq_work_sync(&fc.irq);
			KUNIT_EXPECT_EQ(test, atomic_read(&fc.f->nr),
					fc.each * num_online_cpus());
			flow_end(test, fc.f);
		}
	}
}

static struct kunit_case overflow_cases[] = {
	WSQ_ENGINE_CASE(overflow_attrs),
	WSQ_ENGINE_CASE(overflow_limit),
	WSQ_ENGINE_CASE(overflow_neighbour),
	WSQ_ENGINE_CASE(overflow_interrupted),
	WSQ_ENGINE_CASE(overflow_irq),
	WSQ_ENGINE_CASE(overflow_wait_here),
	WSQ_ENGINE_CASE(overflow_wait_there),
	WSQ_ENGINE_CASE(overflow_wait_left),
	WSQ_ENGINE_CASE(overflow_wait_woken),
	WSQ_ENGINE_CASE(overflow_wait_inbox),
	WSQ_ENGINE_CASE_SLOW(overflow_wait_interrupted),
	WSQ_ENGINE_CASE(overflow_wait_killed),
	WSQ_ENGINE_CASE(overflow_wait_closed),
	WSQ_ENGINE_CASE(overflow_wait_grow),
	WSQ_ENGINE_CASE_SLOW(overflow_wait_two),
	WSQ_ENGINE_CASE_SLOW(overflow_crowd),
	{}
};

static struct kunit_suite overflow_suite = {
	.name = "wsq_overflow",
	.test_cases = overflow_cases,
};

kunit_test_suite(overflow_suite);
