// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of pools with WSQ_AT_LEAST_ONCE: what they refuse, order and space,
 * how often a task comes out, counts, tasks that thieves must find after long
 * idleness, and payloads that are freed after wsq_pool_settle().
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/wsq.h>
#include <linux/wsq_pool.h>

#include "../compat/kunit.h"
#include "../engine/engine.h"
#include "../pool/pool.h"
#include "threads.h"

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

/**
 * struct mult_stress - all CPUs push and pop
 * @pool: the pool
 * @irq: pops in an interrupt
 * @next: number of the task that was pushed last
 * @pushing: threads that still push
 * @seen: bit i: the i-th CPU has popped it. Whole tasks, by id
 * @again: a CPU has popped a task twice
 * @twice: tasks that more than one CPU has popped
 * @taken: tasks that some CPU has popped
 * @popped: how many pops brought a task
 */
struct mult_stress {
	struct wsq_pool *pool;
	struct irq_work irq;
	atomic_long_t next;
	atomic_t *seen;
	atomic_t pushing;
	atomic_long_t again, twice, taken, popped;
};

/* Of the thread or the interrupt, with preemption off since the pop. */
static void mult_saw(struct mult_stress *s, void *task)
{
	int bit = BIT(smp_processor_id() % 31);
	int was = atomic_fetch_or(bit, &s->seen[(unsigned long)task]);

	atomic_long_inc(&s->popped);
	if (was & bit && num_possible_cpus() <= 31)
		atomic_long_inc(&s->again);
	if (!was)
		atomic_long_inc(&s->taken);
	else if (hweight32(was) == 1)
		atomic_long_inc(&s->twice);
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
	unsigned long id = atomic_long_inc_return(&s->next);

	if (id > MULT_IDS) {
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

/*
 * Each task is popped, by no CPU twice; the counts say how many were popped by
 * several.
 */
static void mult_stress(struct kunit *test)
{
	static const u32 shapes[][2] = { { 2, 2 }, { 4, 8 }, { 8, 256 } };
	u32 kind = *(const u32 *)test->param_value;
	int i, nr = num_online_cpus();

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct mult_stress *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
		struct wsq_pool_counts counts;

		KUNIT_ASSERT_NOT_NULL(test, s);
		s->seen = kvcalloc(MULT_IDS + 1, sizeof(*s->seen), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, s->seen);
		s->pool = mult_new(test, shapes[i][0], shapes[i][1]);
		init_irq_work(&s->irq, mult_irq);
		atomic_set(&s->pushing, nr);
		wsq_test_run(test, nr, mult_thread, s);
		while (mult_pop(s))
			;
		KUNIT_EXPECT_EQ(test, atomic_long_read(&s->taken), MULT_IDS);
		KUNIT_EXPECT_EQ(test, atomic_long_read(&s->again), 0);
		if (kind == WSQ_MULTIPLICITY_EXACT)
			KUNIT_EXPECT_EQ(test, atomic_long_read(&s->popped), MULT_IDS);
		KUNIT_EXPECT_EQ(test, wsq_pool_read_counts(s->pool, &counts), 0);
		/* No push interrupts another one here, so none passed an inbox. */
		KUNIT_EXPECT_EQ(test, counts.puts, MULT_IDS);
		KUNIT_EXPECT_EQ(test, counts.takes + counts.steals,
				atomic_long_read(&s->popped));
		KUNIT_EXPECT_EQ(test, counts.duplicates,
				atomic_long_read(&s->popped) - MULT_IDS);
		kunit_info(test, "%u x %u: %llu steals, %llu duplicates",
			   shapes[i][0], shapes[i][1], counts.steals, counts.duplicates);
		wsq_pool_destroy(s->pool);
		kvfree(s->seen);
	}
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
	KUNIT_CASE_PARAM(mult_idle, mult_gen_params),
	KUNIT_CASE_PARAM(mult_settle, mult_gen_params),
	KUNIT_CASE_PARAM(mult_late, mult_gen_params),
	KUNIT_CASE(mult_others),
	KUNIT_CASE(mult_outside),
	{}
};

static struct kunit_suite mult_suite = {
	.name = "wsq_mult",
	.test_cases = mult_cases,
};

kunit_test_suite(mult_suite);
