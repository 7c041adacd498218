// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the item time that a container learns, which decides whether
 * other CPUs are woken. Covers items that run undisturbed, items that sleep,
 * and long and short items that are preempted in the middle each time.
 *
 * One item at a time, on one CPU. A real-time thread that the item itself wakes
 * preempts it.
 */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "items.h"

/* Items of each kind: enough for a container to learn several times. */
#define LEARN_ITEMS		64
/* A long time: some ticks, because some kernels keep this time by ticks. */
#define LEARN_LONG_NS		max(20 * NSEC_PER_MSEC, 2 * NSEC_PER_SEC / HZ)
/*
 * Between long and short. LEARN_ITEMS long items bring the learnt time up to
 * 0.4 of LEARN_LONG_NS. A time slice for an empty item takes less, even on
 * emulated debug kernels.
 */
#define LEARN_SHORT_NS		(LEARN_LONG_NS / 8)
/*
 * How often to learn anew at most. If the host deschedules the CPU, short items
 * look long. If the real-time thread was throttled for a second, other threads
 * run first. A real error shows in each try.
 */
#define LEARN_TRIES		10

/**
 * struct learn - an item, and the thread that preempts it
 * @before: an item that does nothing
 * @work: the item
 * @q: its queue
 * @cpu: the queue's CPU
 * @item_ns: how long it computes
 * @hog_ns: how long @hog has the CPU in the middle; 0: never
 * @sleep_ms: how long the item sleeps in the middle
 * @missed: how often the item was not preempted
 * @hog: the thread that preempts it
 * @waits: @hog is about to wait for the first time
 * @go: @hog is to preempt the item
 * @stop: @hog is to end
 * @pair: @before is queued with the item, and runs first
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
		wsq_test_yield();
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
	/* It waits, in its real-time class. */
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

/* Run items one after the other and return the learnt time. */
static u32 learn_from(struct kunit *test, struct learn *l, const char *what,
		      unsigned int nr)
{
	const struct wsq_lane *lane = wsq_lane_any(l->q, l->cpu);
	unsigned int i;
	u32 ns;

	l->missed = 0;
	for (i = 0; i < nr; i++) {
		struct wsq_work *works[] = { &l->before, &l->work };

		KUNIT_ASSERT_EQ(test, wsq_queue_work_many(l->q, works + !l->pair,
							  1 + l->pair),
				1 + l->pair);
		wsq_flush(l->q);
		/* Stay below the limit for real-time threads. */
		if (l->hog_ns)
			schedule_timeout_uninterruptible(HZ / 50 + 1);
	}
	ns = READ_ONCE(lane->item_ns);
	kunit_info(test, "%s: %u ns", what, ns);
	return ns;
}

/* Forget long times: run items that are undisturbed and take almost no time. */
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

/* Expect the learnt time to be long, or short. */
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

/* Undisturbed items that take almost no time. */
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

/* Items behind one that sleeps wait as long as it sleeps. */
static void learn_sleeps(struct kunit *test)
{
	struct learn *l = learn_new(test);

	learn_short(test, l);
	l->sleep_ms = LEARN_LONG_NS / NSEC_PER_MSEC;
	learn_expect(test, l, "asleep", LEARN_ITEMS, true);
	learn_short(test, l);
	learn_end(test, l);
}

/* Long items are long even if preempted each time. */
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

/* A short item before the long one in the same time slice makes no change. */
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

/* Short items stay short: the time of other threads is not theirs. */
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
