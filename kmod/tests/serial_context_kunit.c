// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of serials in different contexts: used from interrupts, queued to
 * a given CPU, used while CPUs go and come, and freed as soon as they are idle.
 *
 * Seen to fail: Documentation/serial.rst.
 */
#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>

#include "../compat/hrtimer.h"
#include "serials.h"

/* A serial may be freed as soon as it is idle. */
static void serial_last(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 64, NULL);
	int round, i;

	for (round = 0; round < WSQ_TEST_MANY(1000); round++) {
		struct bench *b = kzalloc(sizeof(*b), GFP_KERNEL);
		struct book book = {};

		KUNIT_ASSERT_NOT_NULL(test, b);
		wsq_serial_init(&b->serial, q);
		for (i = 0; i < ARRAY_SIZE(b->items); i++) {
			sitem_init(&b->items[i], &b->serial, &book, 0, 2 * i + 2);
			KUNIT_EXPECT_TRUE(test, wsq_serial_queue(&b->serial,
								 &b->items[i].work));
			if (i == round % 16)
				schedule_timeout_uninterruptible(1);
		}
		KUNIT_ASSERT_TRUE(test, wsq_test_spin_until(wsq_serial_idle(&b->serial)));
		KUNIT_EXPECT_EQ(test, book.nr, (int)ARRAY_SIZE(b->items));
		KUNIT_EXPECT_EQ(test, book.wrong, 0);
		memset(b, 0x6b, sizeof(*b));
		kfree(b);
	}
	wsq_test_queue_end(test, q);
}

/* Items that an interrupt queues. */
#define NR_IRQ_ITEMS	4
/* Items that the task queues, at least. */
#define IRQ_OWN		WSQ_TEST_MANY(2000)

/**
 * struct spring - one context of one CPU, and the items that it queues
 * @items: the items; @said is 1 while one is queued or runs
 * @seq: number of the last
 */
struct spring {
	struct sitem items[NR_IRQ_ITEMS];
	int seq;
};

/**
 * struct source - the interrupts of a CPU
 * @timer: hardirq
 * @tasklet: softirq
 * @hard: items queued by @timer
 * @soft: items queued by @tasklet
 * @stop: do not go on
 */
struct source {
	struct hrtimer timer;
	struct tasklet_struct tasklet;
	struct spring hard;
	struct spring soft;
	bool stop;
};

static void spring_fn(struct wsq_serial_work *work)
{
	struct sitem *it = sitem_of(work);

	book_enter(it->book);
	wsq_test_yield();
	book_leave(it->book, it);
	/* Pairs with spring_flow(): the item may be used again. */
	smp_store_release(&it->said, 0);
}

static void spring_init(struct spring *s, struct bench *b, struct book *book,
			int by)
{
	int i;

	for (i = 0; i < NR_IRQ_ITEMS; i++) {
		sitem_init(&s->items[i], &b->serial, book, by, 0);
		wsq_serial_work_init(&s->items[i].work, spring_fn);
	}
}

static void spring_flow(struct spring *s)
{
	int i;

	for (i = 0; i < NR_IRQ_ITEMS; i++) {
		struct sitem *it = &s->items[i];

		/* Pairs with spring_fn(). */
		if (smp_load_acquire(&it->said))
			continue;
		it->said = 1;
		it->seq = s->seq + 1;
		if (wsq_serial_queue(it->serial, &it->work))
			s->seq++;
	}
}

static void source_soft(struct tasklet_struct *t)
{
	spring_flow(&container_of(t, struct source, tasklet)->soft);
}

static enum hrtimer_restart source_hard(struct hrtimer *timer)
{
	struct source *s = container_of(timer, struct source, timer);

	if (READ_ONCE(s->stop))
		return HRTIMER_NORESTART;
	spring_flow(&s->hard);
	tasklet_schedule(&s->tasklet);
	hrtimer_forward_now(timer, ns_to_ktime(20000));
	return HRTIMER_RESTART;
}

/* Has each CPU queued an item from both contexts? */
static bool source_heard(const struct source *all, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!READ_ONCE(all[i].hard.seq) || !READ_ONCE(all[i].soft.seq))
			return false;
	return true;
}

/* From hardirq and softirq, which nest, from tasks and from the worker. */
static void serial_irq(struct kunit *test)
{
	struct bench *b = bench_new(test);
	unsigned int cpu, nr = min(num_online_cpus(), NR_BY / 2 - 1U);
	struct source *all = kcalloc(nr, sizeof(*all), GFP_KERNEL);
	struct book book = {};
	struct spring *own = kzalloc(sizeof(*own), GFP_KERNEL);
	unsigned long end;
	int i = 0, sum;

	KUNIT_ASSERT_NOT_NULL(test, all);
	KUNIT_ASSERT_NOT_NULL(test, own);
	complete_all(&b->gate.leave);
	spring_init(own, b, &book, NR_BY - 1);
	for_each_online_cpu(cpu) {
		if (i == nr)
			break;
		spring_init(&all[i].hard, b, &book, 2 * i);
		spring_init(&all[i].soft, b, &book, 2 * i + 1);
		tasklet_setup(&all[i].tasklet, source_soft);
		wsq_hrtimer_setup(&all[i].timer, source_hard, CLOCK_MONOTONIC,
				  HRTIMER_MODE_REL_PINNED_HARD);
		wsq_test_stay(test, cpu);
		hrtimer_start(&all[i].timer, ns_to_ktime(20000),
			      HRTIMER_MODE_REL_PINNED_HARD);
		i++;
	}
	wsq_test_roam();
	end = jiffies + WSQ_TEST_TIMEOUT;
	while ((own->seq < IRQ_OWN || !source_heard(all, nr)) &&
	       time_before(jiffies, end)) {
		spring_flow(own);
		wsq_test_yield();
	}
	sum = own->seq;
	for (i = 0; i < nr; i++) {
		WRITE_ONCE(all[i].stop, true);
		hrtimer_cancel(&all[i].timer);
		tasklet_kill(&all[i].tasklet);
		sum += all[i].hard.seq + all[i].soft.seq;
		KUNIT_EXPECT_GT(test, all[i].hard.seq, 0);
		KUNIT_EXPECT_GT(test, all[i].soft.seq, 0);
	}
	KUNIT_EXPECT_GE(test, own->seq, IRQ_OWN);
	wsq_test_call(test, serial_test_flush, &b->serial);
	KUNIT_EXPECT_EQ(test, book.nr, sum);
	KUNIT_EXPECT_EQ(test, book.wrong, 0);
	bench_end(test, b);
	kfree(own);
	kfree(all);
}

static void where_fn(struct wsq_serial_work *work)
{
	sitem_of(work)->heard = raw_smp_processor_id();
}

/* To a CPU of the caller's choice, if the serial is idle. */
static void serial_on(struct kunit *test)
{
	struct bench *b = bench_new(test);
	struct wsq *q = wsq_test_queue(test, 4, 64, NULL);
	struct wsq_serial *s = kzalloc(sizeof(*s), GFP_KERNEL);
	unsigned int cpu;

	KUNIT_ASSERT_NOT_NULL(test, s);
	wsq_serial_init(s, q);
	b->it->work.func = where_fn;
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	for_each_online_cpu(cpu) {
		KUNIT_EXPECT_TRUE(test, wsq_serial_queue_on(cpu, s, &b->it->work));
		wsq_test_call(test, serial_test_flush, s);
		KUNIT_EXPECT_EQ(test, b->it->heard, cpu);
		/* Wait until the serial has left the CPU and is idle. */
		wsq_test_call(test, wsq_test_flush, q);
	}
	wsq_test_roam();
	wsq_test_call(test, serial_test_destroy, s);
	wsq_test_queue_end(test, q);
	kfree(s);
	bench_end(test, b);
}

#ifdef CONFIG_HOTPLUG_CPU
/* Serials are used while a CPU goes and comes, some of which stick to it. */
static void serial_hotplug(struct kunit *test)
{
	enum { NR = 4 };
	unsigned int off = cpumask_last(cpu_online_mask), turn;
	struct wsq_serial *s = kcalloc(NR, sizeof(*s), GFP_KERNEL);
	struct sitem *it = kcalloc(NR, sizeof(*it), GFP_KERNEL);
	struct wsq *q;
	int i;

	wsq_test_need_cpus(test, 2);
	KUNIT_ASSERT_NOT_NULL(test, s);
	KUNIT_ASSERT_NOT_NULL(test, it);
	q = wsq_test_queue(test, 4, 64, NULL);
	for (i = 0; i < NR; i++) {
		wsq_serial_init(&s[i], q);
		wsq_serial_set_sticky(&s[i], i % 2);
		sitem_init(&it[i], &s[i], NULL, 0, 2);
		it[i].again = -1;
	}
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	for (turn = 0; turn < 3; turn++) {
		for (i = 0; i < NR; i++)
			wsq_serial_queue_on(off, &s[i], &it[i].work);
		KUNIT_EXPECT_EQ(test, remove_cpu(off), 0);
		for (i = 0; i < NR; i++) {
			int at = atomic_read(&it[i].runs);

			KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&it[i].runs) > at));
		}
		KUNIT_EXPECT_EQ(test, add_cpu(off), 0);
	}
	wsq_test_roam();
	for (i = 0; i < NR; i++) {
		WRITE_ONCE(it[i].again, 0);
		wsq_test_call(test, serial_test_destroy, &s[i]);
	}
	wsq_test_queue_end(test, q);
	kfree(it);
	kfree(s);
}
#else
static void serial_hotplug(struct kunit *test)
{
	kunit_skip(test, "needs CONFIG_HOTPLUG_CPU");
}
#endif

static struct kunit_case serial_context_cases[] = {
	KUNIT_CASE(serial_last),
	KUNIT_CASE(serial_irq),
	KUNIT_CASE(serial_on),
	KUNIT_CASE(serial_hotplug),
	{}
};

static struct kunit_suite serial_context_suite = {
	.name = "wsq_serial_context",
	.test_cases = serial_context_cases,
};

kunit_test_suite(serial_context_suite);
