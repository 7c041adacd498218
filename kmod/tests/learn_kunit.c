// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of what a container learns of how long its items take, by which others
 * are woken or left alone: from items that nobody interrupts, from items that sleep,
 * and from items that lose the CPU in their middle each time, long ones and short ones.
 *
 * One item at a time, on one CPU. Who takes it is a thread of the real-time class that
 * the item itself wakes.
 */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "items.h"

/* Items of each kind: of so many, a container has learnt several times. */
#define LEARN_ITEMS		64
/* What is long: some ticks, for some kernels keep this time by them. */
#define LEARN_LONG_NS		max(20 * NSEC_PER_MSEC, 2 * NSEC_PER_SEC / HZ)
/*
 * Between long and short. So many long ones bring what was learnt up to 0.4 of that; a
 * turn for an empty item takes less where all is checked and emulated, too.
 */
#define LEARN_SHORT_NS		(LEARN_LONG_NS / 8)
/*
 * How often to learn anew at most. A host that has the CPU meanwhile makes short items
 * long, and a scheduler that was kept from the hog for a second lets others go first;
 * what is learnt wrongly is so each time.
 */
#define LEARN_TRIES		10

/**
 * struct learn - an item, and who interrupts it
 * @before: an item that does nothing
 * @work: the item
 * @q: its queue
 * @cpu: that queue's CPU
 * @item_ns: how long it computes
 * @hog_ns: how long another has the CPU in the middle; 0 for nobody
 * @sleep_ms: how long it sleeps in the middle
 * @missed: it was not interrupted
 * @hog: who interrupts it
 * @waits: ... is about to wait for the first time
 * @go: ... is to do so
 * @stop: ... is to end
 * @pair: @before is queued with it, and runs first
 */
struct learn {
	struct wsq_work before;
	struct wsq_work work;
	struct wsq *q;
	unsigned int cpu;
	u64 item_ns;
	u64 hog_ns;
	unsigned int sleep_ms;
	unsigned int missed;
	struct task_struct *hog;
	bool waits;
	struct completion go;
	bool stop;
	bool pair;
};

static void learn_spin(u64 ns)
{
	u64 end = ktime_get_ns() + ns;

	while (ns && ktime_get_ns() < end)
		cpu_relax();
}

static int learn_hog(void *arg)
{
	struct learn *l = arg;

	sched_set_fifo(current);
	WRITE_ONCE(l->waits, true);
	for (;;) {
		wait_for_completion(&l->go);
		if (READ_ONCE(l->stop))
			break;
		learn_spin(l->hog_ns);
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void learn_fn(struct wsq_work *work)
{
	struct learn *l = container_of(work, struct learn, work);
	unsigned long lost = READ_ONCE(current->nivcsw);

	learn_spin(l->item_ns / 2);
	if (l->sleep_ms)
		msleep(l->sleep_ms);
	if (l->hog_ns) {
		complete(&l->go);
		wsq_test_breathe();
		l->missed += READ_ONCE(current->nivcsw) == lost;
	}
	learn_spin(l->item_ns / 2);
}

static void learn_nothing(struct wsq_work *work)
{
}

static struct learn *learn_new(struct kunit *test)
{
	struct learn *l = kzalloc(sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	l->cpu = cpumask_last(cpu_online_mask);
	l->q = wsq_test_queue(test, 2, 4, cpumask_of(l->cpu));
	INIT_WSQ_WORK(&l->before, learn_nothing);
	INIT_WSQ_WORK(&l->work, learn_fn);
	init_completion(&l->go);
	l->hog = kthread_create(learn_hog, l, "wsq_test_hog");
	KUNIT_ASSERT_FALSE(test, IS_ERR(l->hog));
	kthread_bind(l->hog, l->cpu);
	wake_up_process(l->hog);
	/* It waits, and is of that class. */
	KUNIT_ASSERT_TRUE(test, wsq_test_until(READ_ONCE(l->waits) &&
					       READ_ONCE(l->hog->__state) !=
					       TASK_RUNNING));
	return l;
}

static void learn_end(struct kunit *test, struct learn *l)
{
	wsq_test_queue_end(test, l->q);
	WRITE_ONCE(l->stop, true);
	complete(&l->go);
	kthread_stop(l->hog);
	kfree(l);
}

/* Run items one after the other, then tell what was learnt of them. */
static u32 learn_from(struct kunit *test, struct learn *l, const char *what,
		      unsigned int nr)
{
	const struct wsq_container *ct = wsq_pool_any(&l->q->pool, l->cpu);
	unsigned int i;
	u32 ns;

	l->missed = 0;
	for (i = 0; i < nr; i++) {
		struct wsq_work *works[] = { &l->before, &l->work };

		KUNIT_ASSERT_EQ(test, wsq_queue_work_many(l->q, works + !l->pair,
							  1 + l->pair),
				1 + l->pair);
		wsq_flush(l->q);
		/* A thread of that class that has no end is not let run always. */
		if (l->hog_ns)
			schedule_timeout_uninterruptible(HZ / 50 + 1);
	}
	ns = READ_ONCE(ct->item_ns);
	kunit_info(test, "%s: %u ns", what, ns);
	return ns;
}

/* Forget what was long: items that nobody interrupts, and that take next to nothing. */
static void learn_forget(struct kunit *test, struct learn *l)
{
	const u64 item_ns = l->item_ns, hog_ns = l->hog_ns;
	const unsigned int sleep_ms = l->sleep_ms;

	l->item_ns = 0;
	l->hog_ns = 0;
	l->sleep_ms = 0;
	learn_from(test, l, "anew", 4 * LEARN_ITEMS);
	l->item_ns = item_ns;
	l->hog_ns = hog_ns;
	l->sleep_ms = sleep_ms;
}

/* What was learnt is that items are long, or short. */
static void learn_expect(struct kunit *test, struct learn *l, const char *what,
			 unsigned int nr, bool is_long)
{
	bool right = false;
	u32 ns = 0;
	int i;

	for (i = 0; i < LEARN_TRIES && !right; i++) {
		if (i)
			learn_forget(test, l);
		ns = learn_from(test, l, what, nr);
		right = !l->missed && ns &&
			(is_long ? ns > LEARN_SHORT_NS : ns < LEARN_SHORT_NS);
	}
	KUNIT_EXPECT_EQ(test, l->missed, 0);
	KUNIT_ASSERT_TRUE_MSG(test, right, "%s: %u ns", what, ns);
}

/* Items that nobody interrupts, and that take next to nothing. */
static void learn_short(struct kunit *test, struct learn *l)
{
	l->item_ns = 0;
	l->hog_ns = 0;
	l->sleep_ms = 0;
	learn_expect(test, l, "short", 4 * LEARN_ITEMS, false);
}

static void learn_plain(struct kunit *test)
{
	struct learn *l = learn_new(test);

	learn_short(test, l);
	l->item_ns = LEARN_LONG_NS;
	learn_expect(test, l, "long", LEARN_ITEMS, true);
	learn_short(test, l);
	learn_end(test, l);
}

/* What is behind an item that sleeps waits for as long. */
static void learn_sleeps(struct kunit *test)
{
	struct learn *l = learn_new(test);

	learn_short(test, l);
	l->sleep_ms = LEARN_LONG_NS / NSEC_PER_MSEC;
	learn_expect(test, l, "asleep", LEARN_ITEMS, true);
	learn_short(test, l);
	learn_end(test, l);
}

/* Long ones are long, whoever comes between each time. */
static void learn_interrupted(struct kunit *test)
{
	struct learn *l = learn_new(test);

	learn_short(test, l);
	l->item_ns = LEARN_LONG_NS;
	l->hog_ns = LEARN_LONG_NS;
	learn_expect(test, l, "long, interrupted", LEARN_ITEMS, true);
	learn_short(test, l);
	learn_end(test, l);
}

/* ... and whatever runs before them in the same turn. */
static void learn_behind(struct kunit *test)
{
	struct learn *l = learn_new(test);

	learn_short(test, l);
	l->pair = true;
	l->item_ns = LEARN_LONG_NS;
	l->hog_ns = LEARN_LONG_NS;
	learn_expect(test, l, "long behind short", LEARN_ITEMS, true);
	learn_end(test, l);
}

/* Short ones are short: it is not their time that others take. */
static void learn_others(struct kunit *test)
{
	struct learn *l = learn_new(test);

	learn_short(test, l);
	l->hog_ns = LEARN_LONG_NS;
	learn_expect(test, l, "short, interrupted", LEARN_ITEMS, false);
	learn_end(test, l);
}

static struct kunit_case learn_cases[] = {
	KUNIT_CASE_SLOW(learn_plain),
	KUNIT_CASE_SLOW(learn_sleeps),
	KUNIT_CASE_SLOW(learn_interrupted),
	KUNIT_CASE_SLOW(learn_behind),
	KUNIT_CASE_SLOW(learn_others),
	{}
};

static struct kunit_suite learn_suite = {
	.name = "wsq_learn",
	.test_cases = learn_cases,
};

kunit_test_suite(learn_suite);
