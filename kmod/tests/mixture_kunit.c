// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of two queues against each other. Items do nothing, sleep, or
 * compute for a short or a long time, and requeue themselves in either queue,
 * bound or unbound, while threads on all CPUs queue and cancel them. Each
 * accepted put is matched by a run or a successful cancel, and no item runs
 * concurrently with itself.
 */
#include <linux/delay.h>
#include <linux/random.h>

#include "items.h"

/* Items, and operations of each thread. */
#define MIX_ITEMS	128
#define MIX_OPS		WSQ_TEST_MANY(4000)
/* How often an item requeues itself after a put by a thread. */
#define MIX_AGAIN	3

/* How long the longest item computes: its worker must be detached. */
#define MIX_LONG_MS	25

struct mix;

/**
 * struct mix_item - an item of the mixture
 * @it: the item
 * @m: its mixture
 * @puts: accepted puts, less those cancelled
 */
struct mix_item {
	struct wsq_test_item it;
	struct mix *m;
	atomic_t puts;
};

/**
 * struct mix - two queues and their items
 * @q: the queues
 * @items: the items, each used with both queues
 * @long_left: how many more items may compute for long
 */
struct mix {
	struct wsq *q[2];
	struct mix_item *items;
	atomic_t long_left;
};

/* Count the put before the item can run. */
static bool mix_put(struct mix_item *mi, u32 dice)
{
	struct wsq *q = mi->m->q[dice & 1];
	int cpu = cpumask_nth(dice / 16 % num_online_cpus(), cpu_online_mask);
	bool ok;

	atomic_inc(&mi->puts);
	switch (dice / 2 % 4) {
	case 0:
		ok = wsq_queue_work_on(cpu, q, &mi->it.work);
		break;
	case 1:
		ok = wsq_queue_work_near(cpu, q, &mi->it.work);
		break;
	default:
		ok = wsq_queue_work(q, &mi->it.work);
		break;
	}
	if (!ok)
		atomic_dec(&mi->puts);
	return ok;
}

static void mix_compute(unsigned int ms)
{
	unsigned int i;

	/* In pieces, to yield to other threads on the CPU in between. */
	for (i = 0; i < ms * 10; i++) {
		wsq_test_compute(100);
		wsq_test_yield();
	}
}

static void mix_fn(struct wsq_work *work)
{
	struct mix_item *mi = container_of(work, struct mix_item, it.work);
	u32 dice = get_random_u32();
	int again = READ_ONCE(mi->it.again);

	wsq_test_enter(&mi->it);
	switch (dice % 16) {
	case 0 ... 2:
		schedule_timeout_uninterruptible(1);
		break;
	case 3 ... 4:
		usleep_range(20, 200);
		break;
	case 5 ... 7:
		wsq_test_compute(20);
		break;
	case 8:
		if (atomic_dec_if_positive(&mi->m->long_left) >= 0)
			mix_compute(MIX_LONG_MS);
		break;
	}
	/* From the middle of the function, or as the last thing it does. */
	if (again > 0) {
		WRITE_ONCE(mi->it.again, again - 1);
		mix_put(mi, dice / 16);
		if (dice & BIT(31))
			usleep_range(20, 100);
	}
	wsq_test_leave(&mi->it);
}

static void mix_thread(void *arg, int nr)
{
	struct mix *m = arg;
	int i;

	for (i = 0; i < MIX_OPS; i++) {
		u32 dice = get_random_u32();
		struct mix_item *mi = &m->items[dice % MIX_ITEMS];

		dice /= MIX_ITEMS;
		if (!(dice % 8)) {
			if (wsq_cancel_work(&mi->it.work))
				atomic_dec(&mi->puts);
		} else if (mix_put(mi, dice / 8)) {
			WRITE_ONCE(mi->it.again, MIX_AGAIN);
		}
		if (!(i % 16))
			wsq_test_yield();
		if (!(i % 256))
			schedule_timeout_uninterruptible(1);
	}
}

static void mix_two(struct kunit *test, u32 max_active)
{
	const struct wsq_attrs attrs = {
		.blocks = 2,
		.block_size = 16,
		.max_active = max_active,
	};
	struct mix *m = kzalloc(sizeof(*m), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->items = vzalloc(array_size(MIX_ITEMS, sizeof(*m->items)));
	KUNIT_ASSERT_NOT_NULL(test, m->items);
	for (i = 0; i < 2; i++)
		m->q[i] = wsq_test_queue_attrs(test, &attrs);
	atomic_set(&m->long_left, 20);
	for (i = 0; i < MIX_ITEMS; i++) {
		wsq_test_item_init(&m->items[i].it, NULL, mix_fn);
		m->items[i].m = m;
	}
	wsq_test_run(test, num_online_cpus(), mix_thread, m);
	/* Two flushes, one of each queue, let each item make one more run. */
	for (i = 0; i < 2 * (MIX_AGAIN + 2); i++)
		wsq_test_call(test, wsq_test_flush, m->q[i & 1]);
	for (i = 0; i < MIX_ITEMS; i++) {
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&m->items[i].it.runs),
				    atomic_read(&m->items[i].puts),
				    "item %d", i);
		KUNIT_EXPECT_EQ(test, atomic_read(&m->items[i].it.twice), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&m->items[i].it.inside), 0);
	}
	for (i = 0; i < 2; i++)
		wsq_test_queue_end(test, m->q[i]);
	vfree(m->items);
	kfree(m);
}

static void mixture_two(struct kunit *test)
{
	mix_two(test, 0);
}

/* With the lowest limits of items under way. */
static void mixture_two_limited(struct kunit *test)
{
	mix_two(test, 1);
	mix_two(test, 2);
}

static struct kunit_case mixture_cases[] = {
	WSQ_ENGINE_CASE_SLOW(mixture_two),
	WSQ_ENGINE_CASE_SLOW(mixture_two_limited),
	{}
};

static struct kunit_suite mixture_suite = {
	.name = "wsq_mixture",
	.test_cases = mixture_cases,
};

kunit_test_suite(mixture_suite);
