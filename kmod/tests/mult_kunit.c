// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of pools with WSQ_AT_LEAST_ONCE: what they refuse, order and space,
 * how often a task comes out, by each overflow rule, counts, tasks that thieves
 * must find after long idleness or when their CPU has gone, and payloads that are
 * freed after wsq_pool_settle().
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/wsq.h>
#include <linux/wsq_pool.h>

#include "../compat/kunit.h"
#include "../engine/engine.h"
#include "../pool/pool.h"
#include "items.h"

static const char * const mult_names[] = { "weak", "bounded", "exact" };

static const u32 mult_kinds[] = {
	WSQ_MULTIPLICITY_WEAK, WSQ_MULTIPLICITY_BOUNDED, WSQ_MULTIPLICITY_EXACT,
};

static void mult_desc(const u32 *kind, char *desc)
{
	strscpy(desc, mult_names[*kind], KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(mult, mult_kinds, mult_desc);

static struct wsq_pool *mult_new(struct kunit *test, u32 blocks, u32 size)
{
	struct wsq_attrs attrs = {
		.flags = WSQ_AT_LEAST_ONCE,
		.multiplicity = *(const u32 *)test->param_value,
		.blocks = blocks,
		.block_size = size,
	};
	struct wsq_pool *pool = wsq_pool_create(&attrs, "mult");

	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	KUNIT_ASSERT_EQ(test, (int)pool->kind, WSQ_WS_MULT);
	return pool;
}

/* It is asked for, and only where it is right. */
static void mult_attrs(struct kunit *test)
{
	static const struct {
		struct wsq_attrs attrs;
		int ret;
	} rows[] = {
		{ { .engine = WSQ_WS_MULT }, -EINVAL },
		{ { .multiplicity = WSQ_MULTIPLICITY_EXACT }, -EINVAL },
		{ { .flags = WSQ_AT_LEAST_ONCE }, 0 },
		{ { .flags = WSQ_AT_LEAST_ONCE | WSQ_HAND_OVER }, 0 },
		{ { .flags = WSQ_AT_LEAST_ONCE, .engine = WSQ_WS_MULT }, 0 },
		/* "At least once" holds for them, too. */
		{ { .flags = WSQ_AT_LEAST_ONCE, .engine = WSQ_BWOS_LIFO }, 0 },
		{ { .flags = WSQ_AT_LEAST_ONCE, .engine = WSQ_SALSA,
		    .multiplicity = WSQ_MULTIPLICITY_BOUNDED }, -EINVAL },
		{ { .flags = WSQ_AT_LEAST_ONCE, .multiplicity = WSQ_MULTIPLICITY_EXACT }, 0 },
		{ { .flags = WSQ_AT_LEAST_ONCE, .multiplicity = 3 }, -EINVAL },
		{ { .flags = WSQ_AT_LEAST_ONCE, .blocks = 1 }, -EINVAL },
		{ { .flags = WSQ_AT_LEAST_ONCE, .blocks = 3 }, -EINVAL },
		{ { .flags = WSQ_AT_LEAST_ONCE, .blocks = 128 }, -EINVAL },
		{ { .flags = WSQ_AT_LEAST_ONCE, .block_size = 1 }, -EINVAL },
		{ { .flags = WSQ_AT_LEAST_ONCE, .block_size = 100 }, -EINVAL },
		{ { .flags = WSQ_AT_LEAST_ONCE, .block_size = 8192 }, -EINVAL },
		{ { .flags = WSQ_AT_LEAST_ONCE, .blocks = 4, .max_blocks = 8 }, -EINVAL },
		{ { .flags = WSQ_AT_LEAST_ONCE, .blocks = 64, .block_size = 4096 }, 0 },
	};
	struct wsq *q;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wsq_pool *pool = wsq_pool_create(&rows[i].attrs, "attrs");

		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(pool), rows[i].ret, "row %d", i);
		if (!IS_ERR(pool))
			wsq_pool_destroy(pool);
	}
	/* The work service runs an item once. */
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].ret)
			continue;
		q = wsq_create(&rows[i].attrs, "attrs");
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(q), -EINVAL, "row %d", i);
		if (!IS_ERR(q))
			wsq_destroy(q);
	}
	q = wsq_create(&rows[0].attrs, "attrs");
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(q), -EINVAL);
	if (!IS_ERR(q))
		wsq_destroy(q);
}

/* One CPU: first in, first out, each once, as many as there is space for. */
static void mult_alone(struct kunit *test)
{
	static const u32 shapes[][2] = { { 2, 2 }, { 4, 8 }, { 8, 256 } };
	struct wsq_pool_counts counts;
	unsigned long id, first, n, round;
	int i;

	migrate_disable();
	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct wsq_pool *pool = mult_new(test, shapes[i][0], shapes[i][1]);
		unsigned long puts = 0, most;
		void *tasks[5];

		n = shapes[i][0] * shapes[i][1];
		for (id = 1, round = 0; round < 5; round++) {
			first = id;
			while (!wsq_pool_push(pool, (void *)id))
				id++;
			/* A block is used again as a whole. */
			KUNIT_EXPECT_LE(test, id - first, n);
			KUNIT_EXPECT_GT(test, id - first, n - shapes[i][1]);
			puts += id - first;
			KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, (void *)id), -EAGAIN);
			for (; first < id - 1; first++)
				KUNIT_ASSERT_PTR_EQ(test, wsq_pool_pop(pool), (void *)first);
			KUNIT_EXPECT_EQ(test, wsq_pool_pop_many(pool, tasks, 5), 1);
			KUNIT_EXPECT_PTR_EQ(test, tasks[0], (void *)first);
			KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));
			for (first = 0; first < 5; first++)
				tasks[first] = (void *)(first + 1);
			most = wsq_pool_push_many(pool, tasks, 5);
			KUNIT_EXPECT_LE(test, most, min(n, 5UL));
			KUNIT_EXPECT_GE(test, most, min(n - shapes[i][1] + 1, 5UL));
			puts += most;
			KUNIT_EXPECT_EQ(test, wsq_pool_pop_many(pool, tasks, 5), most);
			KUNIT_EXPECT_PTR_EQ(test, tasks[most - 1], (void *)most);
		}
		KUNIT_EXPECT_EQ(test, wsq_pool_read_counts(pool, &counts), 0);
		KUNIT_EXPECT_EQ(test, counts.puts, puts);
		KUNIT_EXPECT_EQ(test, counts.takes, counts.puts);
		KUNIT_EXPECT_EQ(test, counts.steals, 0);
		KUNIT_EXPECT_EQ(test, counts.duplicates, 0);
		wsq_pool_destroy(pool);
	}
	migrate_enable();
}

#define MULT_IDS	60000UL

/* Bit of a task that was run inline. */
#define MULT_INLINE	BIT(31)

/**
 * struct mult_stress - all CPUs push and pop
 * @pool: the pool
 * @rule: its overflow rule
 * @irq: pops in an interrupt
 * @ids: how many tasks are pushed
 * @next: number of the task that was pushed last
 * @pushing: threads that still push
 * @seen: bit i: the i-th CPU has popped it. Whole tasks, by id
 * @again: a CPU has popped a task twice, or one that was run inline
 * @most: how many CPUs have popped a task, at most
 * @taken: tasks that some CPU has popped, or that were run inline
 * @popped: how many pops brought a task
 * @inlined: tasks that were run inline
 */
struct mult_stress {
	struct wsq_pool *pool;
	enum wsq_overflow rule;
	struct irq_work irq;
	long ids;
	atomic_long_t next;
	atomic_t *seen;
	atomic_t pushing;
	atomic_t most;
	atomic_long_t again, taken, popped, inlined;
};

/* Of the thread or the interrupt, with preemption off since the pop. */
static void mult_saw(struct mult_stress *s, void *task)
{
	u32 bit = BIT(smp_processor_id() % 31);
	u32 was = atomic_fetch_or(bit, &s->seen[(unsigned long)task]);
	int nr = hweight32(was | bit), most = atomic_read(&s->most);

	atomic_long_inc(&s->popped);
	if (was & MULT_INLINE || (was & bit && num_possible_cpus() <= 31))
		atomic_long_inc(&s->again);
	if (!was)
		atomic_long_inc(&s->taken);
	while (nr > most && !atomic_try_cmpxchg(&s->most, &most, nr))
		;
}

static void mult_inline(void *task, void *arg)
{
	struct mult_stress *s = arg;

	atomic_long_inc(&s->inlined);
	if (atomic_fetch_or(MULT_INLINE, &s->seen[(unsigned long)task]))
		atomic_long_inc(&s->again);
	else
		atomic_long_inc(&s->taken);
}

static bool mult_pop(struct mult_stress *s)
{
	void *task;

	preempt_disable();
	task = wsq_pool_pop(s->pool);
	if (task)
		mult_saw(s, task);
	preempt_enable();
	return task;
}

static bool mult_push(struct mult_stress *s)
{
	long id = atomic_long_inc_return(&s->next);

	if (id > s->ids) {
		atomic_long_dec(&s->next);
		return false;
	}
	while (wsq_pool_push(s->pool, (void *)id))
		mult_pop(s);
	return true;
}

/* Pops only: it may have interrupted a push that has the last space. */
static void mult_irq(struct irq_work *irq)
{
	struct mult_stress *s = container_of(irq, struct mult_stress, irq);

	mult_pop(s);
	mult_pop(s);
}

static void mult_thread(void *arg, int nr)
{
	struct mult_stress *s = arg;
	int i = 0;

	/* With this rule all others may be waiting. */
	while (!nr && s->rule == WSQ_OVERFLOW_WAIT && atomic_read(&s->pushing) > 1) {
		mult_pop(s);
		wsq_test_yield();
	}
	while (mult_push(s)) {
		if (!(++i % 8) && !nr)
			irq_work_queue(&s->irq);
		if (i % 3)
			mult_pop(s);
		wsq_test_yield();
	}
	if (!nr)
		irq_work_sync(&s->irq);
	atomic_dec(&s->pushing);
	for (;;) {
		bool over = !atomic_read(&s->pushing);

		smp_rmb();	/* Read over before the pool. */
		if (!mult_pop(s) && over)
			return;
		wsq_test_yield();
	}
}

static void mult_stress_pool(struct kunit *test, const u32 shape[2],
			     enum wsq_overflow rule, long ids)
{
	struct mult_stress *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct wsq_attrs attrs = {
		.flags = WSQ_AT_LEAST_ONCE,
		.multiplicity = *(const u32 *)test->param_value,
		.blocks = shape[0],
		.block_size = shape[1],
		.overflow = rule,
	};
	int nr = max(2U, num_online_cpus());
	struct wsq_pool_counts counts;
	u64 taken;

	KUNIT_ASSERT_NOT_NULL(test, s);
	if (rule == WSQ_OVERFLOW_INLINE) {
		attrs.overflow_fn = mult_inline;
		attrs.overflow_arg = s;
	}
	s->rule = rule;
	s->ids = ids;
	s->seen = kvcalloc(ids + 1, sizeof(*s->seen), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s->seen);
	s->pool = wsq_pool_create(&attrs, "mult");
	KUNIT_ASSERT_FALSE(test, IS_ERR(s->pool));
	init_irq_work(&s->irq, mult_irq);
	atomic_set(&s->pushing, nr);
	wsq_test_run(test, nr, mult_thread, s);
	while (mult_pop(s))
		;
	KUNIT_EXPECT_EQ(test, atomic_long_read(&s->taken), ids);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&s->again), 0);
	if (attrs.multiplicity == WSQ_MULTIPLICITY_EXACT)
		KUNIT_EXPECT_EQ(test, atomic_read(&s->most), 1);
	if (attrs.multiplicity == WSQ_MULTIPLICITY_BOUNDED)
		KUNIT_EXPECT_LE(test, atomic_read(&s->most), 2);
	KUNIT_EXPECT_EQ(test, wsq_pool_read_counts(s->pool, &counts), 0);
	taken = ids - atomic_long_read(&s->inlined);
	/*
	 * A push to a neighbour may use its inbox. With WSQ_OVERFLOW_WAIT a pop
	 * pushes for waiters, perhaps in an interrupt during a push.
	 */
	if (rule == WSQ_OVERFLOW_NEIGHBOUR || rule == WSQ_OVERFLOW_WAIT)
		KUNIT_EXPECT_LE(test, counts.puts, taken);
	else
		KUNIT_EXPECT_EQ(test, counts.puts, taken);
	/* A task popped from an inbox counts as neither a take nor a steal. */
	KUNIT_EXPECT_EQ(test, counts.takes + counts.steals + taken - counts.puts,
			atomic_long_read(&s->popped));
	KUNIT_EXPECT_EQ(test, counts.duplicates, atomic_long_read(&s->popped) - taken);
	kunit_info(test, "%u x %u, rule %d: %llu steals, %llu duplicates, %ld inline",
		   shape[0], shape[1], rule, counts.steals, counts.duplicates,
		   atomic_long_read(&s->inlined));
	wsq_pool_destroy(s->pool);
	kvfree(s->seen);
}

/*
 * Each task is popped, by no CPU twice; the counts say how many were popped by
 * several.
 */
static void mult_stress(struct kunit *test)
{
	static const u32 shapes[][2] = { { 2, 2 }, { 4, 8 }, { 8, 256 } };
	int i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		mult_stress_pool(test, shapes[i], WSQ_OVERFLOW_FAIL, MULT_IDS);
}

/* The same by the other rules, in tiny pools. */
static void mult_overflow(struct kunit *test)
{
	static const u32 shapes[][2] = { { 2, 2 }, { 4, 8 } };
	enum wsq_overflow rule;
	int i;

	for (rule = WSQ_OVERFLOW_NEIGHBOUR; rule <= WSQ_OVERFLOW_WAIT; rule++)
		for (i = 0; i < ARRAY_SIZE(shapes); i++)
			mult_stress_pool(test, shapes[i], rule, MULT_IDS / 6);
}

#define MULT_WAITS	200UL

/**
 * struct mult_wait - a thread whose pushes wait for space
 * @pool: the pool
 * @pushed: how many pushes have returned
 * @seen: tasks that were popped
 */
struct mult_wait {
	struct wsq_pool *pool;
	unsigned long pushed;
	DECLARE_BITMAP(seen, MULT_WAITS + 1);
};

static bool mult_wait_fn(void *arg)
{
	struct mult_wait *s = arg;
	unsigned long n;

	for (n = 1; n <= MULT_WAITS; n++) {
		if (wsq_pool_push(s->pool, (void *)n))
			return false;
		WRITE_ONCE(s->pushed, n);
	}
	return true;
}

/* A pusher that waits goes on when its pool is empty, without another pop. */
static void mult_wait(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.flags = WSQ_AT_LEAST_ONCE,
		.multiplicity = *(const u32 *)test->param_value,
		.blocks = 2,
		.block_size = 4,
		.overflow = WSQ_OVERFLOW_WAIT,
	};
	struct mult_wait *s = kzalloc(sizeof(*s), GFP_KERNEL);
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq_test_call *call;
	unsigned long popped = 0;
	void *task;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->pool = wsq_pool_create(&attrs, "wait");
	KUNIT_ASSERT_FALSE(test, IS_ERR(s->pool));
	wsq_test_stay(test, wsq_test_other(cpu));
	call = wsq_test_start_on(test, cpu, mult_wait_fn, s);
	while (popped < MULT_WAITS) {
		KUNIT_ASSERT_TRUE(test, wsq_test_until(READ_ONCE(s->pushed) > popped));
		/* Let it fill the pool. */
		wsq_test_linger();
		while ((task = wsq_pool_pop(s->pool))) {
			popped++;
			KUNIT_EXPECT_FALSE(test, __test_and_set_bit((unsigned long)task,
								    s->seen));
		}
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, popped, MULT_WAITS);
	wsq_test_roam();
	wsq_pool_destroy(s->pool);
	kfree(s);
}

/**
 * struct mult_idle - a CPU pushes one task now and then, another one waits for it
 * @pool: the pool
 * @rounds: how many tasks
 * @ready: tasks pushed so far
 * @found: tasks popped so far
 * @lost: a task that is there was not found
 */
struct mult_idle {
	struct wsq_pool *pool;
	unsigned long rounds, ready, found;
	bool lost;
};

static void mult_idle_thread(void *arg, int nr)
{
	struct mult_idle *s = arg;
	unsigned long n, tries;

	for (n = 1; n <= s->rounds; n++) {
		if (!nr) {
			/* Meanwhile the other one asks, and grace periods pass. */
			msleep(n % 8 * 4);
			WARN_ON(wsq_pool_push(s->pool, (void *)n));
			/* Pairs with the acquire below. */
			smp_store_release(&s->ready, n);
			/* Pairs with the releases below. */
			while (smp_load_acquire(&s->found) < n && !READ_ONCE(s->lost))
				wsq_test_yield();
			continue;
		}
		/* Pairs with the release above. */
		while (smp_load_acquire(&s->ready) < n && !READ_ONCE(s->lost)) {
			if (wsq_pool_pop(s->pool)) {
				/* Pairs with the acquire above. */
				smp_store_release(&s->found, n);
				break;
			}
			wsq_test_yield();
		}
		/* It is there: the next pop must find it. */
		for (tries = 0; READ_ONCE(s->found) < n && tries < 2; tries++)
			if (wsq_pool_pop(s->pool))
				/* Pairs with the acquire above. */
				smp_store_release(&s->found, n);
		if (READ_ONCE(s->found) < n) {
			WRITE_ONCE(s->lost, true);
			return;
		}
	}
}

/* The pusher never pops; thieves that found nothing for long find its next task. */
static void mult_idle(struct kunit *test)
{
	struct mult_idle s = { .rounds = 48 };

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	s.pool = mult_new(test, 4, 64);
	wsq_test_run(test, 2, mult_idle_thread, &s);
	KUNIT_EXPECT_FALSE(test, s.lost);
	KUNIT_EXPECT_EQ(test, s.found, s.rounds);
	wsq_pool_destroy(s.pool);
}

/**
 * struct mult_payload - what a task points to
 * @value: ~0 once it may be freed
 */
struct mult_payload {
	unsigned long value;
};

struct mult_settle {
	struct wsq_pool *pool;
	atomic_long_t popped;
	atomic_long_t bad;
	bool over;
};

static bool mult_run_one(struct mult_settle *s)
{
	struct mult_payload *p;

	rcu_read_lock();
	p = wsq_pool_pop(s->pool);
	if (p) {
		if (READ_ONCE(p->value) == ~0UL)
			atomic_long_inc(&s->bad);
		atomic_long_inc(&s->popped);
	}
	rcu_read_unlock();
	return p;
}

static void mult_settle_thread(void *arg, int nr)
{
	struct mult_settle *s = arg;
	struct mult_payload *batch[64];
	int round, i, n;

	if (nr) {
		while (!READ_ONCE(s->over)) {
			mult_run_one(s);
			wsq_test_yield();
		}
		return;
	}
	for (round = 0; round < WSQ_TEST_MANY(24); round++) {
		for (n = 0; n < ARRAY_SIZE(batch); n++) {
			batch[n] = kzalloc(sizeof(*batch[n]), GFP_KERNEL);
			if (!batch[n] || wsq_pool_push(s->pool, batch[n])) {
				kfree(batch[n]);
				break;
			}
			if (n % 3 == 0)
				mult_run_one(s);
		}
		while (mult_run_one(s))
			;
		/* All were popped, perhaps more than once. */
		wsq_pool_settle(s->pool);
		for (i = 0; i < n; i++) {
			WRITE_ONCE(batch[i]->value, ~0UL);
			kfree(batch[i]);
		}
	}
	WRITE_ONCE(s->over, true);
}

/* Tasks that were popped before wsq_pool_settle() may be freed behind it. */
static void mult_settle(struct kunit *test)
{
	struct mult_settle s = {};

	s.pool = mult_new(test, 4, 64);
	wsq_test_run(test, num_online_cpus(), mult_settle_thread, &s);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&s.bad), 0);
	wsq_pool_destroy(s.pool);
	wsq_test_met(test, atomic_long_read(&s.popped), "nothing was popped");
}

#define MULT_LATE	6UL

/**
 * struct mult_late - one CPU pushes, another one pops all
 * @pool: the pool
 * @cpu: the CPU that pushed
 * @popped: how many were popped
 */
struct mult_late {
	struct wsq_pool *pool;
	unsigned int cpu;
	unsigned long popped;
};

static void mult_late_thread(void *arg, int nr)
{
	unsigned long n, end = jiffies + WSQ_TEST_TIMEOUT;
	struct mult_late *s = arg;

	if (!nr) {
		migrate_disable();
		s->cpu = smp_processor_id();
		for (n = 1; n <= MULT_LATE; n++)
			WARN_ON(wsq_pool_push(s->pool, (void *)n));
		migrate_enable();
		return;
	}
	while (READ_ONCE(s->popped) < MULT_LATE && time_before(jiffies, end)) {
		if (wsq_pool_pop(s->pool))
			WRITE_ONCE(s->popped, s->popped + 1);
		wsq_test_yield();
	}
}

/*
 * A thief stores late where it was, below what another one has taken since. The
 * counts do not take the tasks between for ones that came out twice.
 */
static void mult_late(struct kunit *test)
{
	struct wsq_pool_counts counts;
	struct wsq_ws_mult *q;
	struct mult_late s = {};

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	s.pool = mult_new(test, 4, 64);
	wsq_test_run(test, 2, mult_late_thread, &s);
	KUNIT_EXPECT_EQ(test, s.popped, MULT_LATE);
	q = &wsq_engine_ws_mult(wsq_pool_any(s.pool, s.cpu))->q;
	/* WM(steal:F) of the thief that has taken the first one. */
	atomic64_sub((s64)MULT_LATE - 1, &q->head);
	KUNIT_EXPECT_EQ(test, wsq_pool_read_counts(s.pool, &counts), 0);
	KUNIT_EXPECT_EQ(test, counts.puts, MULT_LATE);
	KUNIT_EXPECT_EQ(test, counts.takes + counts.steals, MULT_LATE);
	KUNIT_EXPECT_EQ(test, counts.duplicates, 0);
	wsq_pool_destroy(s.pool);
}

#ifdef CONFIG_HOTPLUG_CPU

#define MULT_LAST	7UL

static void mult_last_words(void *arg)
{
	struct mult_late *s = arg;
	unsigned long n;

	for (n = 1; n <= MULT_LAST; n++)
		WARN_ON(wsq_pool_push(s->pool, (void *)n));
	/* Leave a partly consumed block. */
	s->popped += !!wsq_pool_pop(s->pool);
}

/* What a CPU has left when it goes offline comes out elsewhere, once. */
static void mult_dead(struct kunit *test)
{
	unsigned int off = cpumask_last(cpu_online_mask), round;
	struct wsq_pool_counts counts;
	struct mult_late s = {};
	unsigned long n;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	s.pool = mult_new(test, 4, 4);
	for (round = 0; round < 3; round++) {
		s.popped = 0;
		smp_call_function_single(off, mult_last_words, &s, true);
		KUNIT_EXPECT_EQ(test, s.popped, 1);
		KUNIT_EXPECT_EQ(test, remove_cpu(off), 0);
		for (n = 2; n <= MULT_LAST; n++)
			KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(s.pool), (void *)n);
		KUNIT_EXPECT_NULL(test, wsq_pool_pop(s.pool));
		/* Settling does not wait for a CPU that is gone. */
		wsq_pool_settle(s.pool);
		KUNIT_EXPECT_EQ(test, add_cpu(off), 0);
	}
	KUNIT_EXPECT_EQ(test, wsq_pool_read_counts(s.pool, &counts), 0);
	KUNIT_EXPECT_EQ(test, counts.puts, 3 * MULT_LAST);
	KUNIT_EXPECT_EQ(test, counts.takes, 3);
	KUNIT_EXPECT_EQ(test, counts.steals, 3 * (MULT_LAST - 1));
	KUNIT_EXPECT_EQ(test, counts.duplicates, 0);
	wsq_pool_destroy(s.pool);
}

#endif

/* In other pools settling is nothing, and there are no counts. */
static void mult_others(struct kunit *test)
{
	struct wsq_pool *pool = wsq_pool_create(NULL, "others");
	struct wsq_pool_counts counts;

	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	wsq_pool_settle(pool);
	KUNIT_EXPECT_EQ(test, wsq_pool_read_counts(pool, &counts), -EOPNOTSUPP);
	wsq_pool_destroy(pool);
}

/* A CPU outside the mask pushes to the nearest member, and pops as a thief. */
static void mult_outside(struct kunit *test)
{
	struct wsq_attrs attrs = { .flags = WSQ_AT_LEAST_ONCE };
	struct wsq_pool *pool;
	cpumask_var_t mask;
	unsigned long n;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&mask, GFP_KERNEL));
	migrate_disable();
	cpumask_set_cpu(cpumask_any_but(cpu_online_mask, smp_processor_id()), mask);
	attrs.cpumask = mask;
	pool = wsq_pool_create(&attrs, "outside");
	free_cpumask_var(mask);
	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	for (n = 1; n <= 10; n++)
		KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, (void *)n), 0);
	for (n = 1; n <= 10; n++)
		KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(pool), (void *)n);
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));
	migrate_enable();
	wsq_pool_destroy(pool);
}

static struct kunit_case mult_cases[] = {
	KUNIT_CASE(mult_attrs),
	KUNIT_CASE_PARAM(mult_alone, mult_gen_params),
	KUNIT_CASE_PARAM(mult_stress, mult_gen_params),
	KUNIT_CASE_PARAM(mult_overflow, mult_gen_params),
	KUNIT_CASE_PARAM(mult_wait, mult_gen_params),
	KUNIT_CASE_PARAM(mult_idle, mult_gen_params),
	KUNIT_CASE_PARAM(mult_settle, mult_gen_params),
	KUNIT_CASE_PARAM(mult_late, mult_gen_params),
#ifdef CONFIG_HOTPLUG_CPU
	KUNIT_CASE_PARAM(mult_dead, mult_gen_params),
#endif
	KUNIT_CASE(mult_others),
	KUNIT_CASE(mult_outside),
	{}
};

static struct kunit_suite mult_suite = {
	.name = "wsq_mult",
	.test_cases = mult_cases,
};

kunit_test_suite(mult_suite);
