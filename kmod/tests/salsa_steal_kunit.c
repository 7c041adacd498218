// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of pools on SALSA: stealing by interrupt from a CPU that does not
 * answer. The thief and the victim go on in the meantime.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/timekeeping.h>
#include <linux/wsq_pool.h>

#include "../engine/engine.h"
#include "../pool/pool.h"
#include "items.h"
#include "threads.h"

static struct wsq_pool *salsa_new(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.engine = WSQ_SALSA,
		.blocks = 2,
		.block_size = 4,
	};
	struct wsq_pool *pool = wsq_pool_create(&attrs, "salsa");

	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	return pool;
}

struct salsa_deaf {
	struct wsq_pool *pool;
	atomic_t step;
	bool in_time;
	bool meanwhile;
	bool destroy;
	bool waited;
	unsigned long first;
	unsigned long sum;
};

/* Has a steal begun of a chunk that a CPU is in? */
static bool salsa_was_stolen(struct salsa_deaf *d)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_ct(d->pool, cpu);

		if (READ_ONCE(wsq_engine_salsa(ct)->c.async.chunk))
			return true;
	}
	return false;
}

/* Like wsq_test_spin_until(). Interrupts may be off. */
static bool salsa_until(bool (*so)(struct salsa_deaf *d), struct salsa_deaf *d)
{
	u64 from = ktime_get_mono_fast_ns();

	while (!so(d)) {
		if (ktime_get_mono_fast_ns() - from > WSQ_TEST_TIMEOUT_NS)
			return false;
		cpu_relax();
	}
	return true;
}

static bool salsa_got(struct salsa_deaf *d)
{
	return atomic_read_acquire(&d->step) == 2;
}

/*
 * The victim, with interrupts off, is in a chunk of tasks 1 to 4, of which it
 * has taken the first, until a thief has begun to steal it.
 */
static void salsa_lure(struct salsa_deaf *d)
{
	unsigned long i;

	for (i = 1; i <= 4; i++)
		wsq_pool_push(d->pool, (void *)i);
	d->sum = (unsigned long)wsq_pool_pop(d->pool);
	atomic_set_release(&d->step, 1);
	d->in_time = salsa_until(salsa_was_stolen, d);
}

/* Answer no interrupt until the thief has a task of another chunk. */
static void salsa_victim(struct salsa_deaf *d)
{
	unsigned long flags;

	local_irq_save(flags);
	salsa_lure(d);
	wsq_pool_push(d->pool, (void *)5UL);
	d->in_time = d->in_time && salsa_until(salsa_got, d);
	if (d->destroy) {
		mdelay(20);
		atomic_set_release(&d->step, 3);
	}
	local_irq_restore(flags);
}

static void salsa_deaf_fn(void *arg, int nr)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	struct salsa_deaf *d = arg;
	struct wsq_engine_salsa *es;
	void *task;

	if (!nr)
		salsa_victim(d);
	if (nr != 1)
		return;
	while (!atomic_read_acquire(&d->step))
		wsq_test_yield();
	do {
		wsq_test_yield();
		task = wsq_pool_pop(d->pool);
	} while (!task && time_before(jiffies, end));
	preempt_disable();
	es = wsq_engine_salsa(wsq_pool_ct(d->pool, smp_processor_id()));
	d->meanwhile = wsq_salsa_under_way(&es->c) &&
		       !wsq_fence_done(&es->c.async.call);
	preempt_enable();
	d->first = (unsigned long)task;
	atomic_set_release(&d->step, 2);
	d->sum += d->first;
	if (d->destroy) {
		wsq_pool_destroy(d->pool);
		d->waited = atomic_read_acquire(&d->step) == 3;
		return;
	}
	/* Then the tasks of the chunk that was being stolen. */
	while (!wsq_pool_was_empty(d->pool) && time_before(jiffies, end))
		d->sum += (unsigned long)wsq_pool_pop(d->pool);
}

/* Run @fn. Thread 0 is the victim and thread 1 the thief. */
static void salsa_run(struct kunit *test, struct salsa_deaf *d,
		      void (*fn)(void *arg, int nr))
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	if (!wsq_fence_reaches(cpumask_first(cpu_online_mask)))
		kunit_skip(test, "needs interrupts");
	d->pool = salsa_new(test);
	wsq_test_run(test, num_online_cpus(), fn, d);
	KUNIT_EXPECT_TRUE(test, d->in_time);
}

static void salsa_deaf_run(struct kunit *test, struct salsa_deaf *d)
{
	salsa_run(test, d, salsa_deaf_fn);
	KUNIT_EXPECT_TRUE(test, d->meanwhile);
}

/* While a thief waits for an answer it takes tasks of other chunks. */
static void salsa_elsewhere(struct kunit *test)
{
	struct salsa_deaf d = {};

	salsa_deaf_run(test, &d);
	KUNIT_EXPECT_EQ(test, d.first, 5);
	KUNIT_EXPECT_EQ(test, d.sum, 1 + 2 + 3 + 4 + 5);
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(d.pool), 1);
	wsq_pool_destroy(d.pool);
}

/* The victim sees the steal, answers no interrupt, and pops 2 to 4. */
static void salsa_back_fn(void *arg, int nr)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	struct salsa_deaf *d = arg;
	unsigned long flags, i;

	if (!nr) {
		local_irq_save(flags);
		salsa_lure(d);
		for (i = 2; i <= 4; i++)
			d->sum = d->sum * 10 + (unsigned long)wsq_pool_pop(d->pool);
		atomic_set_release(&d->step, 2);
		local_irq_restore(flags);
	}
	if (nr != 1)
		return;
	while (!atomic_read_acquire(&d->step))
		wsq_test_yield();
	while (atomic_read_acquire(&d->step) == 1 && time_before(jiffies, end)) {
		wsq_test_yield();
		d->first += (unsigned long)wsq_pool_pop(d->pool);
	}
}

/* A steal under way does not keep its victim from its own tasks. */
static void salsa_back(struct kunit *test)
{
	struct salsa_deaf d = {};
	u64 back = 0;
	int cpu;

	salsa_run(test, &d, salsa_back_fn);
	KUNIT_EXPECT_EQ(test, d.sum, 1234);
	KUNIT_EXPECT_EQ(test, d.first, 0);
	for_each_online_cpu(cpu)
		back += wsq_engine_salsa(wsq_pool_ct(d.pool, cpu))->c.count.back;
	KUNIT_EXPECT_EQ(test, back, 1);
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(d.pool), 1);
	wsq_pool_destroy(d.pool);
}

static bool salsa_returned(struct salsa_deaf *d)
{
	return atomic_read_acquire(&d->step) == 3;
}

/* The victim answers no interrupt before a pop of the thief has returned. */
static void salsa_mute_fn(void *arg, int nr)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	struct salsa_deaf *d = arg;
	unsigned long flags, i;

	if (!nr) {
		local_irq_save(flags);
		salsa_lure(d);
		atomic_set_release(&d->step, 2);
		d->in_time = d->in_time && salsa_until(salsa_returned, d);
		local_irq_restore(flags);
	}
	if (nr != 1)
		return;
	while (!atomic_read_acquire(&d->step))
		wsq_test_yield();
	/* The last of these pops begins after the steal. */
	do {
		wsq_test_yield();
		i = atomic_read_acquire(&d->step);
		d->sum += (unsigned long)wsq_pool_pop(d->pool);
	} while (i != 2 && time_before(jiffies, end));
	/* The chunk that is being stolen counts. */
	d->meanwhile = !wsq_pool_was_empty(d->pool);
	atomic_set_release(&d->step, 3);
	while (!wsq_pool_was_empty(d->pool) && time_before(jiffies, end))
		d->sum += (unsigned long)wsq_pool_pop(d->pool);
}

/* A pop does not wait forever for a CPU that has its interrupts off. */
static void salsa_mute(struct kunit *test)
{
	struct salsa_deaf d = {};

	salsa_run(test, &d, salsa_mute_fn);
	KUNIT_EXPECT_EQ(test, d.sum, 1 + 2 + 3 + 4);
	KUNIT_EXPECT_TRUE(test, d.meanwhile);
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(d.pool), 1);
	wsq_pool_destroy(d.pool);
}

/* A pool is destroyed while an interrupt that writes to it is under way. */
static void salsa_destroy(struct kunit *test)
{
	struct salsa_deaf d = { .destroy = true };

	salsa_deaf_run(test, &d);
	KUNIT_EXPECT_TRUE(test, d.waited);
}

/* A grace period requested with interrupts off begins, and ends. */
static void salsa_grace(struct kunit *test)
{
	unsigned long flags;
	u64 cookie;
	int i;

	/* More often than wsq_grace_begin() counts. */
	for (i = 0; i < 4; i++) {
		local_irq_save(flags);
		cookie = wsq_grace_get();
		local_irq_restore(flags);
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_grace_passed(cookie)));
}

static struct kunit_case salsa_steal_cases[] = {
	KUNIT_CASE(salsa_elsewhere),
	KUNIT_CASE(salsa_back),
	KUNIT_CASE(salsa_mute),
	KUNIT_CASE(salsa_destroy),
	KUNIT_CASE(salsa_grace),
	{}
};

static struct kunit_suite salsa_steal_suite = {
	.name = "wsq_salsa_steal",
	.test_cases = salsa_steal_cases,
};

kunit_test_suite(salsa_steal_suite);
