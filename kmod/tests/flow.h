/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pool with an overflow rule, and its tasks: numbers that are pushed, popped
 * and counted. For the suites of overflow.c.
 */
#ifndef _WSQ_TESTS_FLOW_H
#define _WSQ_TESTS_FLOW_H

#include <kunit/test.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/wsq_pool.h>

#include "../pool/overflow.h"
#include "../pool/pool.h"
#include "engines.h"
#include "items.h"
#include "threads.h"
#include "waiting.h"

/* Most tasks that any of these pools is given. */
#define FLOW_MAX	4096

/**
 * struct flow - a pool with a rule, and what became of its tasks
 * @pool: the pool; tasks are numbers from 1
 * @nr: tasks pushed so far, including those run inline
 * @seen: how often each came out or was run inline
 * @inline_nr: how many were run inline
 * @inline_ctx: preempt_count() in the last one run inline
 */
struct flow {
	struct wsq_pool *pool;
	atomic_t nr;
	atomic_t seen[FLOW_MAX + 1];
	atomic_t inline_nr;
	unsigned int inline_ctx;
};

static inline void flow_inline(void *task, void *arg)
{
	struct flow *f = arg;

	atomic_inc(&f->seen[(unsigned long)task]);
	atomic_inc(&f->inline_nr);
	WRITE_ONCE(f->inline_ctx, preempt_count());
}

static inline struct flow *flow_new(struct kunit *test, enum wsq_overflow rule,
				    u32 blocks, u32 max_blocks, u32 size,
				    const struct cpumask *mask)
{
	struct wsq_attrs attrs = {
		.blocks = blocks,
		.max_blocks = max_blocks,
		.block_size = size,
		.cpumask = mask,
		.overflow = rule,
	};
	struct flow *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	if (rule == WSQ_OVERFLOW_INLINE) {
		attrs.overflow_fn = flow_inline;
		attrs.overflow_arg = f;
	}
	f->pool = wsq_test_pool(test, &attrs, "overflow");
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->pool));
	return f;
}

/* Push the next number. A failed push takes it back: no concurrent pushes. */
static inline int flow_push(struct flow *f)
{
	unsigned long id = atomic_inc_return(&f->nr);
	int ret;

	if (WARN_ON_ONCE(id > FLOW_MAX))
		return -EINVAL;
	ret = wsq_pool_push(f->pool, (void *)id);
	if (ret)
		atomic_dec(&f->nr);
	return ret;
}

/* Push up to @most until the pool is full. No concurrent pushes. */
static inline unsigned int flow_fill(struct flow *f, unsigned int most)
{
	unsigned int n;

	for (n = 0; n < most && !flow_push(f); n++)
		;
	return n;
}

static inline bool flow_saw(struct flow *f, void *task)
{
	if (task)
		atomic_inc(&f->seen[(unsigned long)task]);
	return task;
}

static inline bool flow_pop(struct flow *f)
{
	return flow_saw(f, wsq_pool_pop(f->pool));
}

/* Pop all that this CPU can reach; some needs repeated calls. */
static inline bool flow_drain_fn(void *arg)
{
	unsigned long end = jiffies + HZ / 50 + 2;
	struct flow *f = arg;

	while (flow_pop(f) || time_before(jiffies, end))
		wsq_test_yield();
	return true;
}

/* How many pushed tasks have not come out. */
static inline int flow_left(const struct flow *f)
{
	int i, left = 0;

	for (i = 1; i <= atomic_read(&f->nr); i++)
		left += !atomic_read(&f->seen[i]);
	return left;
}

/* Pop the rest; each task pushed must have come out exactly once. */
static inline void flow_end(struct kunit *test, struct flow *f)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	int i, twice = 0;
	unsigned int cpu;

	/* With some engines other CPUs cannot reach a CPU's active block. */
	do {
		for_each_online_cpu(cpu)
			wsq_test_end(test, wsq_test_start_on(test, cpu,
							     flow_drain_fn, f));
	} while (flow_left(f) && time_before(jiffies, end));
	for (i = 1; i <= atomic_read(&f->nr); i++)
		twice += atomic_read(&f->seen[i]) > 1;
	KUNIT_EXPECT_EQ(test, flow_left(f), 0);
	KUNIT_EXPECT_EQ(test, twice, 0);
	KUNIT_EXPECT_EQ(test, wsq_test_waiting(f->pool), 0);
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(f->pool));
	wsq_pool_destroy(f->pool);
}

/**
 * struct flow_call - a push by another thread
 * @f: where to
 * @nr: how many
 * @many: by wsq_pool_push_many()
 * @done: how many succeeded
 * @ret: return value of the last call
 * @who: the thread
 */
struct flow_call {
	struct flow *f;
	unsigned int nr;
	bool many;
	unsigned int done;
	int ret;
	struct task_struct *who;
};

static inline bool flow_call_fn(void *arg)
{
	struct flow_call *c = arg;
	void *tasks[16];
	unsigned int n, i;

	allow_signal(SIGKILL);
	WRITE_ONCE(c->who, current);
	if (!c->many) {
		while (c->done < c->nr) {
			c->ret = flow_push(c->f);
			if (c->ret)
				break;
			WRITE_ONCE(c->done, c->done + 1);
		}
		return true;
	}
	while (c->done < c->nr) {
		n = min_t(unsigned int, c->nr - c->done, ARRAY_SIZE(tasks));
		for (i = 0; i < n; i++)
			tasks[i] = (void *)(unsigned long)
				   atomic_inc_return(&c->f->nr);
		i = wsq_pool_push_many(c->f->pool, tasks, n);
		WRITE_ONCE(c->done, c->done + i);
		if (i < n) {
			c->ret = -EAGAIN;
			break;
		}
	}
	return true;
}

/* Start a push to a full pool on @cpu, and wait until it sleeps. */
static inline struct wsq_test_call *
flow_wait(struct kunit *test, struct flow_call *c, unsigned int cpu)
{
	unsigned int before = wsq_test_waiting(c->f->pool);
	struct wsq_test_call *call = wsq_test_start_on(test, cpu, flow_call_fn,
						       c);

	/* A waiter is counted before it looks once more and sleeps. */
	KUNIT_ASSERT_TRUE(test, wsq_test_until(wsq_test_waiting(c->f->pool) >
					       before && wsq_test_slept(call)));
	return call;
}

/**
 * struct flow_there - pops by another CPU
 * @f: where
 * @most: how many at most
 * @got: how many there were
 * @who: stop when this waiting push has ended; or %NULL
 */
struct flow_there {
	struct flow *f;
	unsigned int most;
	unsigned int got;
	struct wsq_test_call *who;
};

/* Pop up to @t->most. A pop that steals may have to be repeated. */
static inline bool flow_there_fn(void *arg)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT / 2;
	struct flow_there *t = arg;

	while (t->got < t->most && !(t->who && wsq_test_over(t->who)) &&
	       time_before(jiffies, end)) {
		t->got += flow_pop(t->f);
		wsq_test_yield();
	}
	return true;
}

static inline bool flow_fill_fn(void *arg)
{
	return flow_fill(arg, 8) == 8;
}

/* What a pop does last, whether it stole something or not. */
static inline bool flow_stole_fn(void *arg)
{
	struct flow *f = arg;
	void *task;

	preempt_disable();
	task = wsq_overflow_admit(f->pool, f, true);
	preempt_enable();
	return task == f;
}

#endif /* _WSQ_TESTS_FLOW_H */
