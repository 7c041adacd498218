// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of classes: which workers run the items of a queue, and in which
 * order the two classes have a CPU.
 *
 * How long one class waits for the other is counted in items of the other class
 * that begin meanwhile, each of which computes for the same time. A machine
 * that is slow, or busy with other work, delays both. Slow cases check these
 * numbers, the others only that the item runs.
 */
#include <linux/wsq_serial.h>

#include "crowd.h"

/* Rounds of a test, so that it meets the worker at various points. */
#define CLASS_ROUNDS		12
#define CLASS_FEW_ROUNDS	2

/* How long an item of a flood computes, in us. */
#define CLASS_US		50

/*
 * Items of a normal flood that may begin before a high item: 20 ms. Mostly
 * there is none. But the scheduler does not let a thread run that has had more
 * than its share until the others have caught up.
 */
#define CLASS_AHEAD		(20 * 1000 / CLASS_US)

/*
 * Items of a high flood that may begin before a normal item. When the normal
 * worker has had the CPU for a tick, its weight lets it wait for 87 (88761 /
 * 1024) as Documentation/classes.rst says, and the tick may end late by one.
 */
#define CLASS_TURNS		(2 * 87 * max(USEC_PER_SEC / HZ, 4000L) / CLASS_US)

/* How an item is put. */
enum class_how {
	CLASS_OPEN,
	CLASS_BOUND,
	CLASS_SERIAL,
	CLASS_HOWS,
};

/**
 * struct class_item - an item that notes who runs it
 * @it: the item
 * @flood: what it takes part in, or %NULL
 * @nice: nice value of its thread; in a mixture, 0 if that was right
 * @runs: name of the thread that runs it
 */
struct class_item {
	struct wsq_test_item it;
	struct class_flood *flood;
	int nice;
	char runs[TASK_COMM_LEN];
};

/**
 * struct class_late - what is put in the middle of a flood
 * @at: items of the flood that had begun when it was put
 * @began: the same when it began; 0 before
 * @nice: as in struct class_item
 * @flood: the flood
 * @work: it, if it is an item
 * @swork: it, if it is an item of @serial
 * @serial: a serial of the queue
 */
struct class_late {
	unsigned int at;
	unsigned int began;
	int nice;
	struct class_flood *flood;
	struct wsq_work work;
	struct wsq_serial_work swork;
	struct wsq_serial serial;
};

/* Items of the flood, which queue themselves again and again. */
#define CLASS_FLOOD		3

/**
 * struct class_flood - items that never leave one CPU idle
 * @q: their queue
 * @q2: the queue of @late, of the other class
 * @cpu: the CPU, the only one of both
 * @how: how @late is put
 * @nice: nice value of the flood's thread
 * @turns: items of the flood that have begun. The CPU's worker.
 * @put_at: @late is put when @turns has this value, or later
 * @stop: the flood is over
 * @items: the flood
 * @late: the item of the other class
 */
struct class_flood {
	struct wsq *q;
	struct wsq *q2;
	unsigned int cpu;
	enum class_how how;
	int nice;
	unsigned int turns;
	unsigned int put_at;
	bool stop;
	struct class_item items[CLASS_FLOOD];
	struct class_late late;
};

static struct wsq *class_queue(struct kunit *test, u32 class, u32 flags,
			       const struct cpumask *mask)
{
	const struct wsq_attrs attrs = {
		.blocks = 2,
		.block_size = 4,
		.flags = flags,
		.cpumask = mask,
		.class = class,
	};

	return wsq_test_queue_attrs(test, &attrs);
}

static void class_who(struct class_item *ci)
{
	ci->nice = task_nice(current);
	strscpy(ci->runs, current->comm, sizeof(ci->runs));
}

static void class_fn(struct wsq_work *work)
{
	struct class_item *ci = container_of(work, struct class_item, it.work);

	wsq_test_enter(&ci->it);
	class_who(ci);
	wsq_test_leave(&ci->it);
}

/* What a worker of the class has as nice value. */
static int class_nice_of(u32 class)
{
	return class == WSQ_CLASS_HIGH ? MIN_NICE : 0;
}

static void class_expect(struct kunit *test, const struct class_item *ci,
			 u32 class, unsigned int cpu)
{
	char name[TASK_COMM_LEN];

	snprintf(name, sizeof(name), "wsq/%u%s", cpu,
		 class == WSQ_CLASS_HIGH ? "H" : "");
	KUNIT_EXPECT_EQ(test, ci->nice, class_nice_of(class));
	KUNIT_EXPECT_STREQ(test, ci->runs, name);
}

/* Unknown classes are refused, the known ones are not. */
static void class_bounds(struct kunit *test)
{
	static const struct {
		u32 class;
		int ret;
	} tries[] = {
		{ WSQ_CLASS_NORMAL, 0 }, { WSQ_CLASS_HIGH, 0 },
		{ WSQ_CLASS_HIGH + 1, -EINVAL }, { 1U << 31, -EINVAL },
		{ UINT_MAX, -EINVAL },
	};
	struct wsq_test_item *it;
	struct wsq *q;
	int i;

	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		const struct wsq_attrs attrs = { .class = tries[i].class };

		q = wsq_test_create(test, &attrs, "test");
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(q), tries[i].ret,
				    "class %u", tries[i].class);
		if (IS_ERR(q))
			continue;
		it = wsq_test_items(test, q, 1, wsq_test_count);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
		wsq_test_queue_end(test, q);
		wsq_test_expect_runs(test, it, 1, 1);
		vfree(it);
	}
}

/* The high class exists from its first queue on, not before. */
static void class_lazy(struct kunit *test)
{
	struct wsq *q;

	if (wsq_class_find(WSQ_CLASS_HIGH))
		kunit_skip(test, "there was a high queue before");
	q = class_queue(test, WSQ_CLASS_NORMAL, 0, NULL);
	KUNIT_EXPECT_NULL(test, wsq_class_find(WSQ_CLASS_HIGH));
	KUNIT_EXPECT_PTR_EQ(test, q->class, wsq_class_find(WSQ_CLASS_NORMAL));
	wsq_test_queue_end(test, q);
	q = class_queue(test, WSQ_CLASS_HIGH, 0, NULL);
	KUNIT_EXPECT_NOT_NULL(test, wsq_class_find(WSQ_CLASS_HIGH));
	KUNIT_EXPECT_PTR_EQ(test, q->class, wsq_class_find(WSQ_CLASS_HIGH));
	wsq_test_queue_end(test, q);
}

/* Items run at the nice value of their class, before and after the other. */
static void class_nice(struct kunit *test)
{
	static const u32 order[] = {
		WSQ_CLASS_NORMAL, WSQ_CLASS_HIGH, WSQ_CLASS_NORMAL,
		WSQ_CLASS_HIGH, WSQ_CLASS_NORMAL,
	};
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct class_item *ci = kzalloc(sizeof(*ci), GFP_KERNEL);
	struct wsq *q[2];
	int i;

	KUNIT_ASSERT_NOT_NULL(test, ci);
	for (i = 0; i < 2; i++)
		q[i] = class_queue(test, i, 0, cpumask_of(cpu));
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		wsq_test_item_init(&ci->it, NULL, class_fn);
		wsq_queue_work_on(i & 1 ? (int)cpu : WSQ_CPU_ANY, q[order[i]],
				  &ci->it.work);
		wsq_test_call(test, wsq_test_flush_work, &ci->it.work);
		class_expect(test, ci, order[i], cpu);
	}
	for (i = 0; i < 2; i++)
		wsq_test_queue_end(test, q[i]);
	kfree(ci);
}

/* So do items behind others that sleep, of both classes on one CPU. */
static void class_sleepers(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct class_item *ci = kzalloc(sizeof(*ci), GFP_KERNEL);
	struct wsq_test_crowd *crowd[2];
	struct wsq *q[2];
	int i, k;

	KUNIT_ASSERT_NOT_NULL(test, ci);
	for (i = 0; i < 2; i++) {
		q[i] = class_queue(test, i, 0, cpumask_of(cpu));
		crowd[i] = wsq_test_crowd(test, 6, 0);
	}
	for (i = 0; i < 2; i++) {
		wsq_test_crowd_queue(test, crowd[i], q[i], cpu);
		wsq_test_crowd_begun(test, crowd[i], 6);
		for (k = 0; k < 2; k++) {
			wsq_test_item_init(&ci->it, NULL, class_fn);
			wsq_queue_work_on(cpu, q[k], &ci->it.work);
			wsq_test_call(test, wsq_test_flush_work, &ci->it.work);
			class_expect(test, ci, k, cpu);
		}
	}
	for (i = 0; i < 2; i++) {
		wsq_test_crowd_end(test, crowd[i], q[i]);
		wsq_test_queue_end(test, q[i]);
	}
	kfree(ci);
}

/* A high queue at its limit holds back no normal queue of that CPU. */
static void class_limit(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	const struct wsq_attrs attrs = {
		.max_active = 2,
		.cpumask = cpumask_of(cpu),
		.class = WSQ_CLASS_HIGH,
	};
	struct wsq *high = wsq_test_queue_attrs(test, &attrs);
	struct wsq *normal = class_queue(test, WSQ_CLASS_NORMAL, 0,
					 cpumask_of(cpu));
	struct wsq_test_crowd *crowd = wsq_test_crowd(test, 5, 0);
	struct wsq_test_item *it = wsq_test_items(test, normal, 1,
						  wsq_test_count);

	wsq_test_crowd_queue(test, crowd, high, cpu);
	wsq_test_crowd_begun(test, crowd, 2);
	wsq_queue_work(normal, &it->work);
	wsq_test_call(test, wsq_test_flush_work, &it->work);
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->begun), 2);
	wsq_test_expect_runs(test, it, 1, 1);
	wsq_test_crowd_end(test, crowd, high);
	wsq_test_queue_end(test, high);
	wsq_test_queue_end(test, normal);
	vfree(it);
}

/* ---- one class beside a flood of the other ---- */

static void class_late_began(struct class_late *late)
{
	late->nice = task_nice(current);
	/* Pairs with class_late_over(). */
	smp_store_release(&late->began, READ_ONCE(late->flood->turns));
}

static bool class_late_over(struct class_late *late)
{
	/* Pairs with class_late_began(). */
	return smp_load_acquire(&late->began);
}

static void class_late_fn(struct wsq_work *work)
{
	class_late_began(container_of(work, struct class_late, work));
}

static void class_late_serial_fn(struct wsq_serial_work *work)
{
	class_late_began(container_of(work, struct class_late, swork));
}

/* Is the worker that is to run @late parked, so that the put wakes it? */
static bool class_late_parked(const struct class_flood *f)
{
	return wsq_parked(&wsq_cpu_of(f->q2, f->cpu)->park);
}

/* Called by an item of the flood, on its CPU. */
static void class_late_put(struct class_flood *f)
{
	struct class_late *late = &f->late;

	/* Pairs with class_flood_round(). */
	if (f->turns < smp_load_acquire(&f->put_at) || late->at ||
	    !class_late_parked(f))
		return;
	late->at = f->turns;
	switch (f->how) {
	case CLASS_OPEN:
		wsq_queue_work(f->q2, &late->work);
		break;
	case CLASS_BOUND:
		wsq_queue_work_on(f->cpu, f->q2, &late->work);
		break;
	default:
		wsq_serial_queue(&late->serial, &late->swork);
	}
}

static void class_flood_fn(struct wsq_work *work)
{
	struct class_item *ci = container_of(work, struct class_item, it.work);
	struct class_flood *f = ci->flood;

	wsq_test_enter(&ci->it);
	WRITE_ONCE(f->turns, f->turns + 1);
	WRITE_ONCE(f->nice, task_nice(current));
	wsq_test_compute(CLASS_US);
	class_late_put(f);
	if (!READ_ONCE(f->stop))
		wsq_queue_work(f->q, work);
	wsq_test_leave(&ci->it);
}

static struct class_flood *class_flood_begin(struct kunit *test, u32 class,
					     enum class_how how)
{
	struct class_flood *f = kzalloc(sizeof(*f), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->cpu = cpumask_last(cpu_online_mask);
	f->how = how;
	f->put_at = UINT_MAX;
	f->q = class_queue(test, class, 0, cpumask_of(f->cpu));
	f->q2 = class_queue(test, !class, 0, cpumask_of(f->cpu));
	wsq_serial_init(&f->late.serial, f->q2);
	for (i = 0; i < CLASS_FLOOD; i++) {
		wsq_test_item_init(&f->items[i].it, f->q, class_flood_fn);
		f->items[i].flood = f;
		wsq_queue_work(f->q, &f->items[i].it.work);
	}
	return f;
}

/*
 * Put an item of the other class. Returns how many items of the flood began
 * between that and its begin.
 */
static unsigned int class_flood_round(struct kunit *test, struct class_flood *f)
{
	struct class_late *late = &f->late;

	late->at = 0;
	late->began = 0;
	late->flood = f;
	INIT_WSQ_WORK(&late->work, class_late_fn);
	wsq_serial_work_init(&late->swork, class_late_serial_fn);
	/* Pairs with class_late_put(). */
	smp_store_release(&f->put_at, READ_ONCE(f->turns) + 1 + CLASS_FLOOD);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(class_late_over(late)));
	WRITE_ONCE(f->put_at, UINT_MAX);
	wsq_test_call(test, wsq_test_flush, f->q2);
	return late->began - late->at;
}

static void class_flood_end(struct kunit *test, struct class_flood *f)
{
	int i;

	WRITE_ONCE(f->stop, true);
	wsq_serial_destroy(&f->late.serial);
	wsq_test_queue_end(test, f->q2);
	wsq_test_queue_end(test, f->q);
	for (i = 0; i < CLASS_FLOOD; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&f->items[i].it.twice), 0);
	kfree(f);
}

/*
 * Items of one class never end on a CPU: an item of the other class runs all
 * the same. It begins behind at most @limit of them.
 */
static void class_flood(struct kunit *test, u32 class, unsigned int rounds,
			unsigned int limit)
{
	unsigned int i, nr, most = 0;
	enum class_how how;

	for (how = 0; how < CLASS_HOWS; how++) {
		struct class_flood *f = class_flood_begin(test, class, how);

		for (i = 0; i < rounds; i++) {
			nr = class_flood_round(test, f);
			most = max(most, nr);
			KUNIT_EXPECT_EQ(test, f->late.nice,
					class_nice_of(!class));
			KUNIT_EXPECT_EQ(test, READ_ONCE(f->nice),
					class_nice_of(class));
		}
		class_flood_end(test, f);
	}
	kunit_info(test, "behind at most %u items of %u us", most, CLASS_US);
	KUNIT_EXPECT_LE(test, most, limit);
}

/* A high item runs although normal ones never end. */
static void class_high(struct kunit *test)
{
	class_flood(test, WSQ_CLASS_NORMAL, CLASS_FEW_ROUNDS, UINT_MAX);
}

/* A normal item runs although high ones never end. */
static void class_normal(struct kunit *test)
{
	class_flood(test, WSQ_CLASS_HIGH, CLASS_FEW_ROUNDS, UINT_MAX);
}

/* A high item begins ahead of normal ones that never end. */
static void class_ahead(struct kunit *test)
{
	class_flood(test, WSQ_CLASS_NORMAL, CLASS_ROUNDS, CLASS_AHEAD);
}

/* A normal item waits for its weight's share of the CPU, and not longer. */
static void class_starve(struct kunit *test)
{
	class_flood(test, WSQ_CLASS_HIGH, CLASS_ROUNDS / 3, CLASS_TURNS);
}

/* ---- both classes everywhere ---- */

#define CLASS_ITEMS		120
#define CLASS_AGAIN		20

static void class_mix_fn(struct wsq_work *work)
{
	struct class_item *ci = container_of(work, struct class_item, it.work);
	int again = ci->it.again, cpu = raw_smp_processor_id();
	const struct wsq_worker *w = kthread_data(current);

	wsq_test_enter(&ci->it);
	/* Rescuers have MIN_NICE in both classes. */
	if (!w->rescuer &&
	    task_nice(current) != class_nice_of(ci->it.q->class->nr))
		ci->nice = INT_MIN;
	if (w->class != ci->it.q->class)
		ci->nice = INT_MAX;
	if (!(ci->it.id % 7))
		schedule_timeout_uninterruptible(1);
	else if (!(ci->it.id % 5))
		wsq_test_compute(20);
	if (again) {
		ci->it.again = again - 1;
		wsq_queue_work_on(ci->it.id & 2 ? cpu : WSQ_CPU_ANY, ci->it.q,
				  work);
	}
	wsq_test_leave(&ci->it);
}

/* Queues of both classes, all their CPUs: each item runs as often as queued. */
static void class_mixture(struct kunit *test)
{
	struct class_item *items = vzalloc(array_size(CLASS_ITEMS,
						      sizeof(*items)));
	struct wsq *q[4];
	int i;

	KUNIT_ASSERT_NOT_NULL(test, items);
	for (i = 0; i < 4; i++)
		q[i] = class_queue(test, i & 1, i & 2 ? WSQ_MEM_RECLAIM : 0,
				   NULL);
	for (i = 0; i < CLASS_ITEMS; i++) {
		wsq_test_item_init(&items[i].it, q[i % 4], class_mix_fn);
		items[i].it.id = i;
		items[i].it.again = CLASS_AGAIN;
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q[i % 4],
						       &items[i].it.work));
	}
	for (i = 0; i < 4; i++)
		wsq_test_call(test, wsq_test_drain, q[i]);
	for (i = 0; i < CLASS_ITEMS; i++) {
		wsq_test_expect_runs(test, &items[i].it, 1, CLASS_AGAIN + 1);
		KUNIT_EXPECT_EQ_MSG(test, items[i].nice, 0, "item %d", i);
	}
	for (i = 0; i < 4; i++)
		wsq_test_queue_end(test, q[i]);
	vfree(items);
}

/* A CPU that is idle takes over items that wait behind one of its class. */
static void class_steal(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq_test_item *items;
	struct wsq_test_gate *g;
	struct wsq *q;
	u32 class;
	int i;

	wsq_test_need_cpus(test, 2);
	for (class = 0; class < WSQ_CLASSES; class++) {
		q = class_queue(test, class, WSQ_RESIDENT, NULL);
		items = wsq_test_items(test, q, 8, wsq_test_count);
		wsq_test_stay(test, cpu);
		g = wsq_test_hold(test, q, wsq_test_other(cpu));
		for (i = 0; i < 8; i++)
			wsq_queue_work_near(wsq_test_other(cpu), q,
					    &items[i].work);
		for (i = 0; i < 8; i++)
			wsq_test_call(test, wsq_test_flush_work,
				      &items[i].work);
		wsq_test_expect_runs(test, items, 8, 1);
		wsq_test_roam();
		wsq_test_release(test, q, g);
		wsq_test_queue_end(test, q);
		vfree(items);
	}
}

static struct kunit_case class_cases[] = {
	KUNIT_CASE(class_lazy),
	KUNIT_CASE(class_bounds),
	WSQ_ANY_ENGINE_CASE(class_nice),
	WSQ_ANY_ENGINE_CASE(class_sleepers),
	KUNIT_CASE(class_limit),
	WSQ_ANY_ENGINE_CASE(class_high),
	WSQ_ANY_ENGINE_CASE(class_normal),
	WSQ_ENGINE_CASE_SLOW(class_ahead),
	WSQ_ENGINE_CASE_SLOW(class_starve),
	WSQ_ENGINE_CASE(class_mixture),
	WSQ_ANY_ENGINE_CASE(class_steal),
	{}
};

static struct kunit_suite class_suite = {
	.name = "wsq_class",
	.test_cases = class_cases,
};

kunit_test_suite(class_suite);
