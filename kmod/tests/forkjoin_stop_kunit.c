// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of fork and join: runs that stop early, by cancel or for lack of
 * descriptors or stack, and calls that are refused. The next run always works.
 * nomem_kunit.c has failing allocations.
 */
#include <linux/hrtimer.h>
#include <linux/sched/task_stack.h>

#include "../compat/hrtimer.h"
#include "forkjoins.h"

/* Cancel. */

/* Spawns until the run stops. */
DEFINE_WSQ_TASK1(int, endless, w, struct stage *, s)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	u64 sum;

	complete(&s->begun);
	while (!wsq_fj_stopped(w)) {
		if (time_after(jiffies, end))
			return -1;
		wsq_spawn(w, fib, 6);
		sum = wsq_fj_call(w, fib, 5);
		sum += wsq_sync(w, fib);
		if (sum != plain_fib(7) && !wsq_fj_stopped(w))
			atomic_inc(&s->wrong);
		stage_count(s);
		wsq_test_yield();
	}
	return 0;
}

STAGE(endless);

/*
 * Begin the @i-th of 2 * NR_FLAGS endless runs: with each flag, on all CPUs and on
 * one. It has run some tasks.
 */
static struct stage *endless_begin(struct kunit *test, struct wsq *q, int i,
				   struct wsq_test_call **call)
{
	struct wsq_fj_attrs attrs = {
		.flags = some_flags[i / 2], .max_cpus = i % 2,
	};
	struct stage *s = stage_begin(test, q, &attrs, endless_stage);
	int at;

	/* Without a run it does nothing. */
	wsq_fj_cancel(s->fj);
	*call = wsq_test_start(test, stage_run, s);
	wait_for_completion(&s->begun);
	at = atomic_read(&s->runs);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&s->runs) > at));
	return s;
}

static void stop_cancel(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_call *call;
	int i;

	for (i = 0; i < 2 * NR_FLAGS; i++) {
		struct stage *s = endless_begin(test, q, i, &call);

		wsq_fj_cancel(s->fj);
		wsq_test_end(test, call);
		KUNIT_EXPECT_EQ(test, s->ret, -ECANCELED);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->wrong), 0);
		wsq_fj_cancel(s->fj);
		stage_works(test, s);
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

/*
 * A thread that has a whole subtree to itself comes to the slow path all the
 * same: there it lets others have its CPU.
 */
DEFINE_WSQ_TASK1(int, watched, w, struct stage *, s)
{
	struct wsq_fj_deque *dq = w.deque;
	int i;

	for (i = 0; i < 4; i++)
		wsq_spawn(w, fib, 3);
	for (i = 0; i < 2; i++) {
		/* The second time because it has answered. */
		if (!wsq_test_until((u64)atomic64_read(&dq->guard) ==
				    WSQ_FJ_REQUEST))
			atomic_inc(&s->wrong);
		wsq_sync(w, fib);
	}
	for (i = 0; i < 2; i++)
		wsq_sync(w, fib);
	return 0;
}

STAGE(watched);

static void stop_watched(struct kunit *test)
{
	const struct wsq_fj_attrs attrs = { .max_cpus = 1 };
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct stage *s = stage_begin(test, q, &attrs, watched_stage);

	wsq_test_call(test, stage_run, s);
	KUNIT_EXPECT_EQ(test, s->ret, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->wrong), 0);
	stage_works(test, s);
	stage_end(test, s);
	wsq_test_queue_end(test, q);
}

struct stop_timer {
	struct hrtimer timer;
	struct wsq_fj *fj;
};

static enum hrtimer_restart stop_timer_fn(struct hrtimer *timer)
{
	wsq_fj_cancel(container_of(timer, struct stop_timer, timer)->fj);
	return HRTIMER_NORESTART;
}

/* An interrupt cancels, at any point of a run. */
static void stop_cancel_irq(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct stop_timer *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct wsq_test_call *call;
	struct stage *s;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	wsq_hrtimer_setup(&t->timer, stop_timer_fn, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_HARD);
	s = stage_begin(test, q, NULL, endless_stage);
	t->fj = s->fj;
	for (i = 0; i < 20; i++) {
		reinit_completion(&s->begun);
		call = wsq_test_start(test, stage_run, s);
		wait_for_completion(&s->begun);
		hrtimer_start(&t->timer, ns_to_ktime(i * 3000),
			      HRTIMER_MODE_REL_HARD);
		wsq_test_end(test, call);
		hrtimer_cancel(&t->timer);
		KUNIT_EXPECT_EQ(test, s->ret, -ECANCELED);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->wrong), 0);
		stage_works(test, s);
	}
	stage_end(test, s);
	wsq_test_queue_end(test, q);
	kfree(t);
}

static bool stop_storm(void *arg)
{
	struct stage *s = arg;

	while (!READ_ONCE(s->stop)) {
		wsq_fj_cancel(s->fj);
		wsq_test_yield();
	}
	return true;
}

/* A run that another thread cancels again and again is right, or cancelled. */
static void stop_cancel_storm(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct stage *s = stage_begin(test, q, NULL, fib_stage);
	struct wsq_test_call *call = wsq_test_start(test, stop_storm, s);
	int i, cancelled = 0;

	s->nr = 15;
	for (i = 0; i < 30 || (!cancelled && i < 3000); i++) {
		wsq_test_call(test, stage_run, s);
		if (s->ret == -ECANCELED) {
			cancelled++;
			continue;
		}
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, s->result, plain_fib(15));
	}
	WRITE_ONCE(s->stop, true);
	wsq_test_end(test, call);
	stage_works(test, s);
	stage_end(test, s);
	wsq_test_queue_end(test, q);
	wsq_test_met(test, cancelled, "no cancel met a run");
}

/* A task cancels its own run: from then on nothing runs and all results are 0. */
DEFINE_WSQ_TASK1(int, stop_self, w, struct stage *, s)
{
	int i, wrong = 0;

	wsq_spawn(w, square, s, 1);
	wsq_spawn(w, square, s, 2);
	wrong += wsq_fj_stopped(w);
	wsq_fj_cancel(s->fj);
	wrong += !wsq_fj_stopped(w);
	for (i = 0; i < 2000; i++)
		wsq_spawn(w, square, s, 3);
	wrong += wsq_fj_call(w, square, s, 4) != 0;
	for (i = 0; i < 2000; i++)
		wrong += wsq_sync(w, square) != 0;
	wsq_drop(w, square);
	wrong += wsq_sync(w, square) != 0;
	/* The result of a stopped run means nothing. */
	atomic_set(&s->wrong, wrong);
	return 0;
}

STAGE(stop_self);

static void stop_cancel_self(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_fj_attrs attrs = { .max_cpus = 1 };
	struct stage *s = stage_begin(test, q, &attrs, stop_self_stage);

	atomic_set(&s->wrong, -1);
	wsq_test_call(test, stage_run, s);
	KUNIT_EXPECT_EQ(test, s->ret, -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->wrong), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), 0);
	stage_works(test, s);
	stage_end(test, s);
	wsq_test_queue_end(test, q);
}

/* A stolen task that has begun runs to its end, and the owner waits for it. */
static void stop_cancel_stolen(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_call *call;
	struct stage *s;
	int i;

	wsq_test_need_cpus(test, 2);
	for (i = 0; i < NR_FLAGS; i++) {
		struct wsq_fj_attrs attrs = { .flags = some_flags[i] };

		s = stage_begin(test, q, &attrs, held_root_stage);
		call = wsq_test_start(test, stage_run, s);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(stage_stats(s).sleeps));
		wsq_fj_cancel(s->fj);
		wsq_test_linger();
		KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
		complete(&s->go);
		wsq_test_end(test, call);
		KUNIT_EXPECT_EQ(test, s->ret, -ECANCELED);
		KUNIT_EXPECT_TRUE(test, s->over);
		stage_works(test, s);
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

static void stop_part(unsigned long start, unsigned long end, void *arg)
{
	struct stage *s = arg;

	if (atomic_inc_return(&s->runs) == s->nr)
		wsq_fj_cancel(s->fj);
}

static int stop_range_stage(struct stage *s)
{
	struct wsq_fj_loop range = {
		.fn = stop_part, .arg = s, .size = 1UL << 40,
	};

	return wsq_fj_range(s->fj, &range);
}

/* A range that would take years. */
static void stop_cancel_range(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct stage *s = stage_begin(test, q, NULL, stop_range_stage);

	s->nr = 1000;
	wsq_test_call(test, stage_run, s);
	KUNIT_EXPECT_EQ(test, s->ret, -ECANCELED);
	KUNIT_EXPECT_GE(test, atomic_read(&s->runs), 1000);
	stage_works(test, s);
	stage_end(test, s);
	wsq_test_queue_end(test, q);
}

/* An object that is destroyed while it runs: the run is cancelled and has ended. */
static void stop_destroy(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_call *call;
	int i, at;

	for (i = 0; i < 2 * NR_FLAGS; i++) {
		struct stage *s = endless_begin(test, q, i, &call);

		wsq_test_call(test, stage_destroy, s->fj);
		at = atomic_read(&s->runs);
		wsq_test_end(test, call);
		KUNIT_EXPECT_EQ(test, s->ret, -ECANCELED);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), at);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->wrong), 0);
		kfree(s);
	}
	wsq_test_queue_end(test, q);
}

/* Destroy waits for a stolen task that has begun. */
static void stop_destroy_stolen(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_call *call, *destroy;
	struct stage *s;

	wsq_test_need_cpus(test, 2);
	s = stage_begin(test, q, NULL, held_root_stage);
	call = wsq_test_start(test, stage_run, s);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(stage_stats(s).sleeps));
	destroy = wsq_test_start(test, stage_destroy, s->fj);
	wsq_test_linger();
	KUNIT_EXPECT_FALSE(test, wsq_test_over(destroy));
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	complete(&s->go);
	wsq_test_end(test, destroy);
	KUNIT_EXPECT_TRUE(test, s->over);
	wsq_test_end(test, call);
	KUNIT_EXPECT_EQ(test, s->ret, -ECANCELED);
	kfree(s);
	wsq_test_queue_end(test, q);
}

/* Overflow. */

DEFINE_WSQ_TASK1(int, spawns, w, struct stage *, s)
{
	int i, right = 0;

	for (i = 0; i < s->nr; i++)
		wsq_spawn(w, square, s, i);
	while (i--)
		right += wsq_sync(w, square) == (u64)i * i + 1;
	return right;
}

STAGE(spawns);

/* As many spawns as the attribute says, and no more. */
static void stop_depth(struct kunit *test)
{
	static const u32 depths[] = { 1, 2, 8, 100 };
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	int i, k;

	for (i = 0; i < 2 * ARRAY_SIZE(depths); i++) {
		struct wsq_fj_attrs attrs = {
			.depth = depths[i / 2], .max_cpus = i % 2,
		};
		struct stage *s = stage_begin(test, q, &attrs, spawns_stage);

		for (k = 0; k < 3; k++) {
			s->nr = attrs.depth;
			wsq_test_call(test, stage_run, s);
			KUNIT_EXPECT_EQ(test, s->ret, 0);
			KUNIT_EXPECT_EQ(test, s->result, s->nr);
			s->nr++;
			wsq_test_call(test, stage_run, s);
			KUNIT_EXPECT_EQ(test, s->ret, -EOVERFLOW);
			s->nr += 1000;
			wsq_test_call(test, stage_run, s);
			KUNIT_EXPECT_EQ(test, s->ret, -EOVERFLOW);
		}
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

/**
 * struct deep - how deep a recursion came
 * @levels: functions on the stack, at most
 * @left: bytes of stack below the last of them
 */
struct deep {
	int levels;
	long left;
};

static void deep_enter(struct deep *d, int level)
{
	long left = (unsigned long)__builtin_frame_address(0) -
		    (unsigned long)end_of_stack(current);

	d->levels = max(d->levels, level);
	d->left = min(d->left, left);
}

/* Recursion by direct calls. */
DEFINE_WSQ_TASK2(int, deep_call, w, struct deep *, d, int, level)
{
	deep_enter(d, level);
	/* Not a tail call. */
	return wsq_fj_call(w, deep_call, d, level + 1) + 1;
}

/* By syncs; each ends its spawn, so one descriptor is enough. */
DEFINE_WSQ_TASK2(int, deep_sync, w, struct deep *, d, int, level)
{
	deep_enter(d, level);
	wsq_spawn(w, deep_sync, d, level + 1);
	return wsq_sync(w, deep_sync) + 1;
}

/* By both, below spawns. */
DEFINE_WSQ_TASK2(int, deep_both, w, struct deep *, d, int, level)
{
	int sum;

	deep_enter(d, level);
	wsq_spawn(w, deep_both, d, level + 1);
	sum = wsq_fj_call(w, deep_both, d, level + 1);
	return sum + wsq_sync(w, deep_both);
}

struct deep_stage {
	struct wsq_fj *fj;
	int kind;
	struct deep d;
	int ret;
};

static bool deep_stage_run(void *arg)
{
	struct deep_stage *s = arg;
	int none;

	s->d = (struct deep){ .left = THREAD_SIZE };
	if (s->kind == 0)
		s->ret = deep_call_run(s->fj, &none, &s->d, 1);
	else if (s->kind == 1)
		s->ret = deep_sync_run(s->fj, &none, &s->d, 1);
	else
		s->ret = deep_both_run(s->fj, &none, &s->d, 1);
	return true;
}

/*
 * Endless recursion ends before the reserve of the stack is used. A larger
 * reserve ends it earlier.
 */
static void stop_stack(struct kunit *test)
{
	static const u32 reserves[] = { 4096, THREAD_SIZE / 2 };
	struct deep_stage *s = kzalloc(sizeof(*s), GFP_KERNEL);
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	int i, k, levels[3][2];

	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < 3 * ARRAY_SIZE(reserves); i++) {
		struct wsq_fj_attrs attrs = {
			.stack_reserve = reserves[i % 2], .max_cpus = 1,
			.depth = THREAD_SIZE / 16,
		};
		long reserve = attrs.stack_reserve;
		u64 sum = 0;

		s->fj = stage_create(test, q, &attrs);
		s->kind = i / 2;
		for (k = 0; k < 3; k++) {
			wsq_test_call(test, deep_stage_run, s);
			KUNIT_EXPECT_EQ(test, s->ret, -EOVERFLOW);
			/* The last function began above the reserve. */
			KUNIT_EXPECT_GT(test, s->d.left, reserve - 1024);
			KUNIT_EXPECT_LT(test, s->d.left, reserve + 1024);
			KUNIT_EXPECT_GT(test, s->d.levels, 2);
			KUNIT_EXPECT_EQ(test, fib_run(s->fj, &sum, 8), 0);
			KUNIT_EXPECT_EQ(test, sum, plain_fib(8));
		}
		levels[i / 2][i % 2] = s->d.levels;
		wsq_test_call(test, stage_destroy, s->fj);
	}
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_GT(test, levels[i][0], levels[i][1]);
	kfree(s);
	wsq_test_queue_end(test, q);
}

/* Recursion that no kernel stack could hold, if tasks may change stacks. */

/* By a direct call, a sync, or both by turns; counts itself and its last task. */
DEFINE_WSQ_TASK2(u64, abyss, w, int, n, int, kind)
{
	u64 sum;

	if (!n)
		return 1;
	if (kind == 2 ? n & 1 : kind)
		return wsq_fj_call(w, abyss, n - 1, kind) + 1;
	wsq_spawn(w, abyss, n - 1, kind);
	sum = wsq_sync(w, abyss);
	return sum + 1;
}

static int abyss_stage(struct stage *s)
{
	return abyss_run(s->fj, &s->result, 3000, s->nr);
}

static void stop_stacks(struct kunit *test)
{
	static const struct wsq_fj_attrs attrs = {
		.flags = WSQ_FJ_STACKS, .stack_reserve = THREAD_SIZE / 2,
	};
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct stage *s = stage_begin(test, q, &attrs, abyss_stage);

	for (s->nr = 0; s->nr < 3; s->nr++) {
		s->result = 0;
		wsq_test_call(test, stage_run, s);
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, s->result, 3001);
		stage_works(test, s);
	}
	stage_end(test, s);
	wsq_test_queue_end(test, q);
}

/* More stacks than a run may have. */
static int chasm_stage(struct stage *s)
{
	return abyss_run(s->fj, &s->result, INT_MAX, s->nr);
}

static void stop_stacks_limit(struct kunit *test)
{
	static const struct wsq_fj_attrs attrs = {
		.flags = WSQ_FJ_STACKS, .stack_reserve = THREAD_SIZE / 2,
		.depth = BIT(20),
	};
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct stage *s = stage_begin(test, q, &attrs, chasm_stage);

	for (s->nr = 0; s->nr < 3; s->nr++) {
		wsq_test_call(test, stage_run, s);
		KUNIT_EXPECT_EQ(test, s->ret, -EOVERFLOW);
		stage_works(test, s);
	}
	stage_end(test, s);
	wsq_test_queue_end(test, q);
}

/* No other stack: the only item that may be active is the run's caller. */

struct abyss_item {
	struct wsq_work work;
	struct stage *s;
};

static void abyss_item_fn(struct wsq_work *work)
{
	stage_run(container_of(work, struct abyss_item, work)->s);
}

static void stop_stacks_none(struct kunit *test)
{
	const struct wsq_attrs one = {
		.max_active = 1, .cpumask = cpumask_of(raw_smp_processor_id()),
	};
	static const struct wsq_fj_attrs attrs = {
		.flags = WSQ_FJ_STACKS, .stack_reserve = THREAD_SIZE / 2,
	};
	struct wsq *q = wsq_test_queue_attrs(test, &one);
	struct stage *s = stage_begin(test, q, &attrs, abyss_stage);
	struct abyss_item item = { .s = s };

	INIT_WSQ_WORK_ONSTACK(&item.work, abyss_item_fn);
	wsq_queue_work(q, &item.work);
	wsq_test_call(test, wsq_test_drain, q);
	KUNIT_EXPECT_EQ(test, s->ret, -EOVERFLOW);
	stage_works(test, s);
	wsq_destroy_work_on_stack(&item.work);
	stage_end(test, s);
	wsq_test_queue_end(test, q);
}

/* Refused calls. */

/* A task runs its own object. */
DEFINE_WSQ_TASK1(int, busy_root, w, struct stage *, s)
{
	struct wsq_fj_loop range = { .fn = stop_part, .arg = s, .size = 1 };
	u64 sum = 7;
	int wrong = 0;

	wrong += fib_run(s->fj, &sum, 5) != -EBUSY;
	wrong += sum != 7;
	wrong += wsq_fj_range(s->fj, &range) != -EBUSY;
	complete(&s->begun);
	wrong += !wait_for_completion_timeout(&s->go, WSQ_TEST_TIMEOUT);
	return wrong;
}

STAGE(busy_root);

static void stop_busy(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct stage *s = stage_begin(test, q, NULL, busy_root_stage);
	struct wsq_test_call *call = wsq_test_start(test, stage_run, s);
	u64 sum = 7;

	wait_for_completion(&s->begun);
	KUNIT_EXPECT_EQ(test, fib_run(s->fj, &sum, 5), -EBUSY);
	KUNIT_EXPECT_EQ(test, sum, 7);
	complete(&s->go);
	wsq_test_end(test, call);
	KUNIT_EXPECT_EQ(test, s->ret, 0);
	KUNIT_EXPECT_EQ(test, s->result, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), 0);
	stage_works(test, s);
	stage_end(test, s);
	wsq_test_queue_end(test, q);
}

static void stop_attrs(struct kunit *test)
{
	static const struct wsq_fj_attrs bad[] = {
		{ .flags = 16 },
		{ .flags = ~0U },
		{ .flags = WSQ_FJ_RANDOM | BIT(31) },
		{ .depth = BIT(20) + 1 },
		{ .depth = U32_MAX },
		{ .stack_reserve = 1 },
		{ .stack_reserve = 4095 },
		{ .stack_reserve = THREAD_SIZE / 2 + 1 },
		{ .stack_reserve = U32_MAX },
	};
	static const struct wsq_fj_attrs good[] = {
		{ .flags = WSQ_FJ_RANDOM | WSQ_FJ_HALF },
		{ .flags = WSQ_FJ_SPREAD },
		{ .depth = 4 },
		{ .depth = BIT(14) },
		{ .stack_reserve = 4096 },
		{ .stack_reserve = THREAD_SIZE / 2 },
		{ .max_cpus = 1 },
		{ .max_cpus = 2 },
		{ .max_cpus = U32_MAX },
	};
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	u64 sum = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_PTR_EQ(test, wsq_fj_create(q, &bad[i]),
				    (struct wsq_fj *)ERR_PTR(-EINVAL));
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		struct wsq_fj *fj = stage_create(test, q, &good[i]);

		KUNIT_EXPECT_EQ(test, fib_run(fj, &sum, 4), 0);
		KUNIT_EXPECT_EQ(test, sum, plain_fib(4));
		wsq_test_call(test, stage_destroy, fj);
	}
	wsq_test_queue_end(test, q);
}

static struct kunit_case forkjoin_stop_cases[] = {
	KUNIT_CASE(stop_cancel),
	KUNIT_CASE(stop_watched),
	KUNIT_CASE(stop_cancel_irq),
	KUNIT_CASE(stop_cancel_storm),
	KUNIT_CASE(stop_cancel_self),
	KUNIT_CASE(stop_cancel_stolen),
	KUNIT_CASE(stop_cancel_range),
	KUNIT_CASE(stop_destroy),
	KUNIT_CASE(stop_destroy_stolen),
	KUNIT_CASE(stop_depth),
	KUNIT_CASE(stop_stack),
	KUNIT_CASE(stop_stacks),
	KUNIT_CASE(stop_stacks_limit),
	KUNIT_CASE(stop_stacks_none),
	KUNIT_CASE(stop_busy),
	KUNIT_CASE(stop_attrs),
	{}
};

static struct kunit_suite forkjoin_stop_suite = {
	.name = "wsq_forkjoin_stop",
	.test_cases = forkjoin_stop_cases,
};

kunit_test_suite(forkjoin_stop_suite);
