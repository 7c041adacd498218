// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of pools on SALSA: thefts by interrupt from a CPU that does not
 * answer. The thief goes on meanwhile, and so does the victim.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/timekeeping.h>
#include <linux/wsq.h>

#include "../pool/engine.h"
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

/* Has the robbery of this CPU's chunk begun? */
static bool salsa_robbed(struct salsa_deaf *d)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_ct(d->pool, cpu);

		if (READ_ONCE(wsq_engine_salsa(ct)->c.raid.chunk))
			return true;
	}
	return false;
}

/* Within twenty seconds. */
static bool salsa_until(bool (*so)(struct salsa_deaf *d), struct salsa_deaf *d)
{
	u64 from = ktime_get_mono_fast_ns();

	while (!so(d)) {
		if (ktime_get_mono_fast_ns() - from > 20 * NSEC_PER_SEC)
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
 * The victim is in a chunk of four and answers no interrupt until the thief has
 * got a task of its next one.
 */
static void salsa_victim(struct salsa_deaf *d)
{
	unsigned long flags, i;

	local_irq_save(flags);
	for (i = 1; i <= 4; i++)
		wsq_pool_push(d->pool, (void *)i);
	d->sum += (unsigned long)wsq_pool_pop(d->pool);
	atomic_set_release(&d->step, 1);
	d->in_time = salsa_until(salsa_robbed, d);
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
	unsigned long end = jiffies + WSQ_TEST_PATIENCE;
	struct salsa_deaf *d = arg;
	struct wsq_engine_salsa *es;
	void *task;

	if (!nr)
		salsa_victim(d);
	if (nr != 1)
		return;
	while (!atomic_read_acquire(&d->step))
		wsq_test_breathe();
	do {
		wsq_test_breathe();
		task = wsq_pool_pop(d->pool);
	} while (!task && time_before(jiffies, end));
	preempt_disable();
	es = wsq_engine_salsa(wsq_pool_ct(d->pool, smp_processor_id()));
	d->meanwhile = wsq_salsa_under_way(&es->c) &&
		       !wsq_fence_done(&es->c.raid.call);
	preempt_enable();
	d->first = (unsigned long)task;
	atomic_set_release(&d->step, 2);
	d->sum += d->first;
	if (d->destroy) {
		wsq_pool_destroy(d->pool);
		d->waited = atomic_read_acquire(&d->step) == 3;
		return;
	}
	/* Now what was being stolen. */
	while (!wsq_pool_was_empty(d->pool) && time_before(jiffies, end))
		d->sum += (unsigned long)wsq_pool_pop(d->pool);
}

static void salsa_deaf_run(struct kunit *test, struct salsa_deaf *d)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	if (!wsq_fence_reaches(cpumask_first(cpu_online_mask)))
		kunit_skip(test, "needs interrupts");
	d->pool = salsa_new(test);
	wsq_test_run(test, num_online_cpus(), salsa_deaf_fn, d);
	KUNIT_EXPECT_TRUE(test, d->in_time);
	KUNIT_EXPECT_TRUE(test, d->meanwhile);
}

/* While a thief waits for one CPU it takes what another one has. */
static void salsa_elsewhere(struct kunit *test)
{
	struct salsa_deaf d = {};

	salsa_deaf_run(test, &d);
	KUNIT_EXPECT_EQ(test, d.first, 5);
	KUNIT_EXPECT_EQ(test, d.sum, 1 + 2 + 3 + 4 + 5);
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(d.pool), 1);
	wsq_pool_destroy(d.pool);
}

/* The victim sees the theft, answers no interrupt, and pops: one to four. */
static void salsa_back_fn(void *arg, int nr)
{
	unsigned long end = jiffies + WSQ_TEST_PATIENCE;
	struct salsa_deaf *d = arg;
	unsigned long flags, i;

	if (!nr) {
		local_irq_save(flags);
		for (i = 1; i <= 4; i++)
			wsq_pool_push(d->pool, (void *)i);
		d->sum = (unsigned long)wsq_pool_pop(d->pool);
		atomic_set_release(&d->step, 1);
		d->in_time = salsa_until(salsa_robbed, d);
		for (i = 2; i <= 4; i++)
			d->sum = d->sum * 10 + (unsigned long)wsq_pool_pop(d->pool);
		atomic_set_release(&d->step, 2);
		local_irq_restore(flags);
	}
	if (nr != 1)
		return;
	while (!atomic_read_acquire(&d->step))
		wsq_test_breathe();
	while (atomic_read_acquire(&d->step) == 1 && time_before(jiffies, end)) {
		wsq_test_breathe();
		d->first += (unsigned long)wsq_pool_pop(d->pool);
	}
}

/* A theft that is under way does not keep its victim from its own tasks. */
static void salsa_back(struct kunit *test)
{
	struct salsa_deaf d = {};
	u64 back = 0;
	int cpu;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	if (!wsq_fence_reaches(cpumask_first(cpu_online_mask)))
		kunit_skip(test, "needs interrupts");
	d.pool = salsa_new(test);
	wsq_test_run(test, num_online_cpus(), salsa_back_fn, &d);
	KUNIT_EXPECT_TRUE(test, d.in_time);
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
	unsigned long end = jiffies + WSQ_TEST_PATIENCE;
	struct salsa_deaf *d = arg;
	unsigned long flags, i;

	if (!nr) {
		local_irq_save(flags);
		for (i = 1; i <= 4; i++)
			wsq_pool_push(d->pool, (void *)i);
		d->sum += (unsigned long)wsq_pool_pop(d->pool);
		atomic_set_release(&d->step, 1);
		d->in_time = salsa_until(salsa_robbed, d);
		atomic_set_release(&d->step, 2);
		d->in_time = d->in_time && salsa_until(salsa_returned, d);
		local_irq_restore(flags);
	}
	if (nr != 1)
		return;
	while (!atomic_read_acquire(&d->step))
		wsq_test_breathe();
	/* The last of these begins after the theft has. */
	do {
		wsq_test_breathe();
		i = atomic_read_acquire(&d->step);
		d->sum += (unsigned long)wsq_pool_pop(d->pool);
	} while (i != 2 && time_before(jiffies, end));
	/* The chunk that is being stolen counts. */
	d->meanwhile = !wsq_pool_was_empty(d->pool);
	atomic_set_release(&d->step, 3);
	while (!wsq_pool_was_empty(d->pool) && time_before(jiffies, end))
		d->sum += (unsigned long)wsq_pool_pop(d->pool);
}

/* A pop does not wait for ever for a CPU that has its interrupts off. */
static void salsa_mute(struct kunit *test)
{
	struct salsa_deaf d = {};

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	if (!wsq_fence_reaches(cpumask_first(cpu_online_mask)))
		kunit_skip(test, "needs interrupts");
	d.pool = salsa_new(test);
	wsq_test_run(test, num_online_cpus(), salsa_mute_fn, &d);
	KUNIT_EXPECT_TRUE(test, d.in_time);
	KUNIT_EXPECT_EQ(test, d.sum, 1 + 2 + 3 + 4);
	KUNIT_EXPECT_TRUE(test, d.meanwhile);
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(d.pool), 1);
	wsq_pool_destroy(d.pool);
}

/* A pool whose memory an interrupt that is under way will write to. */
static void salsa_destroy(struct kunit *test)
{
	struct salsa_deaf d = { .destroy = true };

	salsa_deaf_run(test, &d);
	KUNIT_EXPECT_TRUE(test, d.waited);
}

/* A grace period comes by itself, although interrupts were off. */
static void salsa_grace(struct kunit *test)
{
	unsigned long flags;
	u64 cookie;
	int i;

	/* More often than the callback counts. */
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
