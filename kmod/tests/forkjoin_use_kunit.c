// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of fork and join: from where and beside what it is used. Several
 * objects, one within the other, items of the object's own queue, and queues
 * whose workers do not come. leave_kunit.c has CPUs that go and come meanwhile.
 */
#include <linux/mutex.h>

#include "forkjoins.h"

struct crowd {
	struct wsq *q;
	atomic_t wrong;
};

static void crowd_thread(void *arg, int nr)
{
	struct crowd *c = arg;
	struct wsq_fj_attrs attrs = { .flags = some_flags[nr % NR_FLAGS] };
	struct wsq_fj *fj = wsq_fj_create(c->q, &attrs);
	u64 got;
	int i;

	if (IS_ERR(fj)) {
		atomic_inc(&c->wrong);
		return;
	}
	for (i = 0; i < WSQ_TEST_MANY(400); i++) {
		if (fib_run(fj, &got, i % 16) || got != plain_fib(i % 16))
			atomic_inc(&c->wrong);
		wsq_test_yield();
	}
	wsq_fj_destroy(fj);
}

/* Several objects on one queue at once. */
static void forkjoin_crowd(struct kunit *test)
{
	struct crowd c = { .q = wsq_test_queue(test, 2, 2, NULL) };

	wsq_test_run(test, 2 * num_online_cpus(), crowd_thread, &c);
	KUNIT_EXPECT_EQ(test, atomic_read(&c.wrong), 0);
	wsq_test_queue_end(test, c.q);
}

/* Each leaf makes an object of its own, runs it, and destroys it at once. */
DEFINE_WSQ_TASK2(u64, nested, w, struct stage *, s, int, n)
{
	struct wsq_fj *fj;
	u64 sum = 0;

	if (n) {
		wsq_spawn(w, nested, s, n - 1);
		sum = wsq_fj_call(w, nested, s, n - 1);
		return sum + wsq_sync(w, nested);
	}
	stage_count(s);
	fj = wsq_fj_create(s->fj->q, NULL);
	if (IS_ERR(fj) || fib_run(fj, &sum, 10))
		atomic_inc(&s->wrong);
	if (!IS_ERR(fj))
		wsq_fj_destroy(fj);
	return sum;
}

static int nested_stage(struct stage *s)
{
	return nested_run(s->fj, &s->result, s, s->nr);
}

static void forkjoin_nested(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct stage *s = stage_begin(test, q, NULL, nested_stage);

	s->nr = 6;
	wsq_test_call(test, stage_run, s);
	KUNIT_EXPECT_EQ(test, s->ret, 0);
	KUNIT_EXPECT_EQ(test, s->result, 64 * 55);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), 64);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->wrong), 0);
	stage_end(test, s);
	wsq_test_queue_end(test, q);
}

/* Destroy as soon as a run has ended: its helper may not have left yet. */
static void forkjoin_destroy(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_call *call;
	struct stage *s;
	int i;

	wsq_test_need_cpus(test, 2);
	for (i = 0; i < 20; i++) {
		s = stage_begin(test, q, NULL, held_root_stage);
		call = wsq_test_start(test, stage_run, s);
		complete(&s->go);
		wsq_test_end(test, call);
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, s->result, HELD);
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

struct locked {
	struct mutex lock;		/* of @sum */
	u64 sum;
};

/* Adds its number under a lock, which it does not hold at a sync. */
DEFINE_WSQ_TASK2(int, locked, w, struct locked *, l, int, n)
{
	mutex_lock(&l->lock);
	l->sum += n;
	mutex_unlock(&l->lock);
	if (!n)
		return 0;
	wsq_spawn(w, locked, l, n - 1);
	wsq_fj_call(w, locked, l, n - 1);
	return wsq_sync(w, locked);
}

/*
 * The caller of a run holds a lock, and tasks take another one. Kernels that
 * check locks find nothing wrong.
 */
static void forkjoin_locked(struct kunit *test)
{
	static DEFINE_MUTEX(outer);
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_fj *fj = stage_create(test, q, NULL);
	struct locked l = {};
	int none;

	mutex_init(&l.lock);
	mutex_lock(&outer);
	KUNIT_EXPECT_EQ(test, locked_run(fj, &none, &l, 10), 0);
	mutex_unlock(&outer);
	/* 2^k tasks have the number 10 - k. */
	KUNIT_EXPECT_EQ(test, l.sum, (1 << 11) - 2 - 10);
	wsq_test_call(test, stage_destroy, fj);
	wsq_test_queue_end(test, q);
}

/* Runs from items of the object's own queue. */

struct fj_item {
	struct wsq_work work;
	struct wsq_fj *fj;
	int ret;
	u64 sum;
};

#define FJ_ITEMS	8

static void fj_item_fn(struct wsq_work *work)
{
	struct fj_item *it = container_of(work, struct fj_item, work);

	it->ret = fib_run(it->fj, &it->sum, 14);
}

static void inside_one(struct kunit *test, const struct cpumask *mask)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, mask);
	struct fj_item *items = vzalloc(FJ_ITEMS * sizeof(*items));
	int i;

	KUNIT_ASSERT_NOT_NULL(test, items);
	for (i = 0; i < FJ_ITEMS; i++) {
		struct fj_item *it = &items[i];

		INIT_WSQ_WORK(&it->work, fj_item_fn);
		it->fj = stage_create(test, q, NULL);
		it->ret = -1;
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	}
	/* Helpers are items, too. */
	wsq_test_call(test, wsq_test_drain, q);
	for (i = 0; i < FJ_ITEMS; i++) {
		KUNIT_EXPECT_EQ(test, items[i].ret, 0);
		KUNIT_EXPECT_EQ(test, items[i].sum, plain_fib(14));
		wsq_test_call(test, stage_destroy, items[i].fj);
	}
	vfree(items);
	wsq_test_queue_end(test, q);
}

static void forkjoin_inside(struct kunit *test)
{
	unsigned int cpu;

	inside_one(test, NULL);
	for_each_online_cpu(cpu)
		inside_one(test, cpumask_of(cpu));
}

/* Items that never end hold all workers: the caller alone does all. */
static void forkjoin_alone(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_fj_attrs attrs = { .depth = 1024 };
	struct stage *s = stage_begin(test, q, &attrs, squares_stage);
	struct wsq_test_gate **g;
	unsigned int cpu;

	g = kunit_kcalloc(test, nr_cpu_ids, sizeof(*g), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, g);
	for_each_online_cpu(cpu)
		g[cpu] = wsq_test_hold(test, q, cpu);
	s->nr = 500;
	wsq_test_call(test, stage_run, s);
	KUNIT_EXPECT_EQ(test, s->ret, 0);
	KUNIT_EXPECT_EQ(test, s->result, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->others), 0);
	/* A helper that has not begun does not keep the object. */
	stage_end(test, s);
	for_each_online_cpu(cpu)
		wsq_test_gate_open(g[cpu]);
	wsq_test_queue_end(test, q);
	for_each_online_cpu(cpu)
		kfree(g[cpu]);
}

/* Spawns, and shares at once what it has. */
DEFINE_WSQ_TASK1(int, refused_root, w, struct stage *, s)
{
	int i, wrong = 0;

	for (i = 0; i < 20; i++) {
		wsq_spawn(w, square, s, i);
		wsq_fj_share(w);
		schedule_timeout_uninterruptible(1);
	}
	while (i--)
		wrong += wsq_sync(w, square) != (u64)i * i + 1;
	return wrong;
}

STAGE(refused_root);

/*
 * A queue that is drained takes no helpers, without a warning: the caller works
 * alone. Afterwards helpers come again.
 */
static void forkjoin_drained(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_gate *g = wsq_test_gate(test, true);
	struct stage *s = stage_begin(test, q, NULL, refused_root_stage);
	struct wsq_test_call *call;

	wsq_test_gate_begin(test, q, cpumask_first(cpu_online_mask), g);
	call = wsq_test_start(test, wsq_test_drain, q);
	wsq_test_waits(test, call);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	wsq_test_call(test, stage_run, s);
	KUNIT_EXPECT_EQ(test, s->ret, 0);
	KUNIT_EXPECT_EQ(test, s->result, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), 20);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->others), 0);
	KUNIT_EXPECT_EQ(test, stage_stats(s).started, 0);
	wsq_test_gate_open(g);
	wsq_test_end(test, call);
	if (num_online_cpus() > 1) {
		s->run = held_root_stage;
		complete(&s->go);
		wsq_test_call(test, stage_run, s);
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, s->result, HELD);
	}
	stage_end(test, s);
	wsq_test_queue_end(test, q);
	kfree(g);
}

static struct kunit_case forkjoin_use_cases[] = {
	KUNIT_CASE(forkjoin_crowd),
	KUNIT_CASE(forkjoin_nested),
	KUNIT_CASE(forkjoin_destroy),
	KUNIT_CASE(forkjoin_locked),
	KUNIT_CASE(forkjoin_inside),
	KUNIT_CASE(forkjoin_alone),
	KUNIT_CASE(forkjoin_drained),
	{}
};

static struct kunit_suite forkjoin_use_suite = {
	.name = "wsq_forkjoin_use",
	.test_cases = forkjoin_use_cases,
};

kunit_test_suite(forkjoin_use_suite);
