// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of fork and join: results, helpers, sleep and ranges.
 * forkjoin_use_kunit.c has several objects and threads, forkjoin_stop_kunit.c
 * runs that fail.
 *
 * Results are checked exactly. That other CPUs take part is never a matter of
 * time: the caller waits until one has stolen.
 */
#include <linux/delay.h>

#include "forkjoins.h"

/* Fibonacci numbers, alone and with helpers, one run after the other. */
static void forkjoin_fib(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	int i, n, runs;

	for (i = 0; i < 2 * NR_FLAGS; i++) {
		struct wsq_fj_attrs attrs = {
			.flags = some_flags[i / 2], .max_cpus = i % 2,
		};
		struct stage *s = stage_begin(test, q, &attrs, fib_stage);

		runs = 0;
		for (n = 0; n < 20; n += 1 + n / 4) {
			s->nr = n;
			wsq_test_call(test, stage_run, s);
			runs++;
			KUNIT_EXPECT_EQ(test, s->ret, 0);
			KUNIT_EXPECT_EQ(test, s->result, plain_fib(n));
		}
		KUNIT_EXPECT_EQ(test, stage_stats(s).runs, runs);
		if (attrs.max_cpus == 1) {
			KUNIT_EXPECT_EQ(test, stage_stats(s).started, 0);
			KUNIT_EXPECT_EQ(test, stage_stats(s).steals, 0);
			KUNIT_EXPECT_EQ(test, stage_stats(s).requests, 0);
		}
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

/* Tasks with each number of arguments, and as many bytes as there may be. */

DEFINE_WSQ_TASK0(bool, args0, w)
{
	return true;
}

DEFINE_WSQ_TASK2(s8, args2, w, struct stage *, s, s8, a)
{
	stage_count(s);
	return -a;
}

DEFINE_WSQ_TASK3(void *, args3, w, struct stage *, s, u8, a, u64, b)
{
	stage_count(s);
	return (void *)(uintptr_t)(b - a);
}

struct args4 {
	u64 word[3];
};

DEFINE_WSQ_TASK4(u64, args4, w, struct stage *, s, struct args4, a, u64, b,
		 u64, c)
{
	stage_count(s);
	return a.word[0] + 2 * a.word[1] + 3 * a.word[2] + 4 * b + 5 * c;
}

DEFINE_WSQ_TASK1(int, args_root, w, struct stage *, s)
{
	const struct args4 a = { { 1000000, 200000, 30000 } };
	int wrong = 0;

	wsq_spawn(w, args4, s, a, 4000, 500);
	wsq_spawn(w, args3, s, 255, 1ULL << 33);
	wsq_spawn(w, args2, s, -128 + 1);
	wsq_spawn(w, args0);
	/* One of the two: all on this thread, or all on another. */
	if (s->nr && !wsq_test_share_until(w, atomic_read(&s->runs) == 3))
		wrong += 100;
	wrong += !wsq_sync(w, args0);
	wrong += wsq_sync(w, args2) != 127;
	wrong += wsq_sync(w, args3) != (void *)((1UL << 33) - 255);
	wrong += wsq_sync(w, args4) != 1000000 + 400000 + 90000 + 16000 + 2500;
	wrong += wsq_fj_call(w, args2, s, 1) != -1;
	wrong += wsq_fj_call(w, args4, s, a, 0, 1) != 1490005;
	wrong += !wsq_fj_call(w, args0);
	return wrong;
}

STAGE(args_root);

static void forkjoin_args(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_fj_attrs attrs = { .max_cpus = 1 };
	struct stage *s = stage_begin(test, q, &attrs, args_root_stage);

	wsq_test_call(test, stage_run, s);
	KUNIT_EXPECT_EQ(test, s->ret, 0);
	KUNIT_EXPECT_EQ(test, s->result, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), 5);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->others), 0);
	stage_end(test, s);
	if (num_online_cpus() > 1) {
		s = stage_begin(test, q, NULL, args_root_stage);
		s->nr = 1;
		wsq_test_call(test, stage_run, s);
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, s->result, 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), 5);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->others), 3);
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

/* A loop of spawns, with subtrees in between. */
static void forkjoin_loop(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	int i, n, sum;

	for (i = 0; i < NR_FLAGS; i++) {
		struct wsq_fj_attrs attrs = {
			.flags = some_flags[i], .depth = 1024,
		};
		struct stage *s = stage_begin(test, q, &attrs, squares_stage);

		for (n = 0, sum = 0; n < 1000; n += 1 + n / 2) {
			s->nr = n;
			wsq_test_call(test, stage_run, s);
			KUNIT_EXPECT_EQ(test, s->ret, 0);
			KUNIT_EXPECT_EQ(test, s->result, 0);
			sum += n;
		}
		KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), sum);
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

/* Tasks that sleep, wherever they run. */
static void forkjoin_sleep(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	int i;

	for (i = 0; i < NR_FLAGS; i++) {
		struct wsq_fj_attrs attrs = { .flags = some_flags[i] };
		struct stage *s = stage_begin(test, q, &attrs, dozing_stage);

		s->nr = 3;
		wsq_test_call(test, stage_run, s);
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, s->result, 8);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), 15);
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

/*
 * Another CPU steals a task that sleeps. The owner that waits for it sleeps,
 * too, and is woken.
 */
static void forkjoin_stolen(struct kunit *test)
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
		KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
		complete(&s->go);
		wsq_test_end(test, call);
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, s->result, HELD);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(stage_left(s)));
		KUNIT_EXPECT_EQ(test, stage_stats(s).steals, 1);
		KUNIT_EXPECT_GE(test, stage_stats(s).started, 1);
		stage_works(test, s);
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

/* Not run if no other CPU has it, waited for if one has. */
DEFINE_WSQ_TASK1(int, drop_root, w, struct stage *, s)
{
	int i;

	for (i = 0; i < s->nr; i++)
		wsq_spawn(w, square, s, i);
	for (i = 0; i < s->nr; i++)
		wsq_drop(w, square);
	/* The stack of tasks is as before. */
	wsq_spawn(w, fib, 7);
	return wsq_sync(w, fib);
}

STAGE(drop_root);

DEFINE_WSQ_TASK1(int, drop_held, w, struct stage *, s)
{
	wsq_spawn(w, held, s);
	wsq_test_share_until(w, completion_done(&s->begun));
	wsq_drop(w, held);
	return READ_ONCE(s->over);
}

STAGE(drop_held);

static void forkjoin_drop(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_fj_attrs attrs = { .max_cpus = 1 };
	struct stage *s = stage_begin(test, q, &attrs, drop_root_stage);
	struct wsq_test_call *call;

	s->nr = 100;
	wsq_test_call(test, stage_run, s);
	KUNIT_EXPECT_EQ(test, s->ret, 0);
	KUNIT_EXPECT_EQ(test, s->result, 13);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), 0);
	stage_end(test, s);
	if (num_online_cpus() > 1) {
		s = stage_begin(test, q, NULL, drop_held_stage);
		call = wsq_test_start(test, stage_run, s);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(stage_stats(s).sleeps));
		complete(&s->go);
		wsq_test_end(test, call);
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, s->result, 1);
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

/* Tasks shared before a sleep are all done when the caller wakes up. */
DEFINE_WSQ_TASK1(int, share_root, w, struct stage *, s)
{
	int i, done;

	for (i = 0; i < s->nr; i++)
		wsq_spawn(w, square, s, i);
	wsq_test_share_until(w, atomic_read(&s->runs) == s->nr);
	done = atomic_read(&s->others);
	while (i--)
		atomic_add(wsq_sync(w, square) != (u64)i * i + 1, &s->wrong);
	return done;
}

STAGE(share_root);

static void forkjoin_share(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	int i;

	wsq_test_need_cpus(test, 2);
	for (i = 0; i < NR_FLAGS; i++) {
		struct wsq_fj_attrs attrs = { .flags = some_flags[i] };
		struct stage *s = stage_begin(test, q, &attrs, share_root_stage);

		s->nr = 200;
		wsq_test_call(test, stage_run, s);
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, s->result, 200);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->wrong), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->runs), 200);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(stage_left(s)));
		KUNIT_EXPECT_EQ(test, stage_stats(s).steals, 200);
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

/*
 * One call suffices if a CPU is idle, also if the helpers were complete when
 * this thread last looked and have left since.
 */
DEFINE_WSQ_TASK1(int, left_root, w, struct stage *, s)
{
	u64 before;
	int got = 0;

	wsq_spawn(w, held, s);
	if (wsq_test_share_until(w, completion_done(&s->begun))) {
		wsq_spawn(w, square, s, 3);
		complete(&s->go);
		wsq_test_until(stage_left(s) &&
			       wsq_idle_count() == num_online_cpus());
		before = stage_stats(s).started;
		wsq_fj_share(w);
		got = stage_stats(s).started > before;
		atomic_add(wsq_sync(w, square) != 10, &s->wrong);
	}
	atomic_add(wsq_sync(w, held) != HELD, &s->wrong);
	return got;
}

STAGE(left_root);

/* Another thread may have the other CPU at that moment. */
#define LEFT_TRIES	20

static void forkjoin_left(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_fj_attrs attrs = { .max_cpus = 2 };
	int tries, came = 0;

	wsq_test_need_cpus(test, 2);
	for (tries = 0; tries < LEFT_TRIES && !came; tries++) {
		struct stage *s = stage_begin(test, q, &attrs, left_root_stage);

		wsq_test_call(test, stage_run, s);
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->wrong), 0);
		came = s->result;
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
	wsq_test_met(test, came, "no other CPU was idle at the right moment");
}

/* Has another thread stolen a task, and then asked for more? */
static bool asked_once(struct wsq_fj_ctx w, struct stage *s)
{
	wsq_spawn(w, square, s, 3);
	wsq_fj_share(w);
	schedule_timeout_uninterruptible(1);
	atomic_add(wsq_sync(w, square) != 10, &s->wrong);
	return atomic_read(&s->others) && stage_stats(s).requests;
}

DEFINE_WSQ_TASK1(int, asked_root, w, struct stage *, s)
{
	return wsq_test_until(asked_once(w, s));
}

STAGE(asked_root);

/*
 * A thief that finds no shared task asks, and counts that in its own seat. When
 * all helpers have left, the sum does not change any more.
 */
static void forkjoin_asked(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	u64 sum;
	u32 k;
	int i;

	wsq_test_need_cpus(test, 2);
	for (i = 0; i < NR_FLAGS; i++) {
		struct wsq_fj_attrs attrs = { .flags = some_flags[i] };
		struct stage *s = stage_begin(test, q, &attrs, asked_root_stage);

		wsq_test_call(test, stage_run, s);
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, s->result, 1);
		KUNIT_EXPECT_EQ(test, atomic_read(&s->wrong), 0);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(stage_left(s)));
		for (k = 0, sum = 0; k < s->fj->team.nr; k++)
			sum += atomic64_read(&s->fj->seats[k]->dq.requests);
		wsq_test_linger();
		KUNIT_EXPECT_GE(test, sum, 1);
		KUNIT_EXPECT_EQ(test, stage_stats(s).requests, sum);
		KUNIT_EXPECT_EQ(test, stage_stats(s).runs, 1);
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

/* Leapfrogging: a waiting owner runs what the thief of its task spawns. */
DEFINE_WSQ_TASK1(int, leapt, w, struct stage *, s)
{
	stage_count(s);
	WRITE_ONCE(s->over, true);
	return current == s->caller;
}

DEFINE_WSQ_TASK1(int, leaping, w, struct stage *, s)
{
	int got;

	if (current == s->caller)
		return HELD_NOT;
	wsq_spawn(w, leapt, s);
	wsq_fj_share(w);
	complete(&s->begun);
	/* No other thread of the run has anything to do. */
	wsq_test_until(READ_ONCE(s->over));
	got = wsq_sync(w, leapt);
	return got == 1 ? HELD : HELD_TOO_LONG;
}

DEFINE_WSQ_TASK1(int, leaping_root, w, struct stage *, s)
{
	wsq_spawn(w, leaping, s);
	wsq_test_share_until(w, completion_done(&s->begun));
	return wsq_sync(w, leaping);
}

STAGE(leaping_root);

static void forkjoin_leap(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	int i;

	wsq_test_need_cpus(test, 2);
	for (i = 0; i < NR_FLAGS; i++) {
		struct wsq_fj_attrs attrs = {
			.flags = some_flags[i], .max_cpus = 2,
		};
		struct stage *s = stage_begin(test, q, &attrs, leaping_root_stage);

		wsq_test_call(test, stage_run, s);
		KUNIT_EXPECT_EQ(test, s->ret, 0);
		KUNIT_EXPECT_EQ(test, s->result, HELD);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(stage_left(s)));
		KUNIT_EXPECT_EQ(test, stage_stats(s).leaps, 1);
		KUNIT_EXPECT_EQ(test, stage_stats(s).steals, 1);
		stage_end(test, s);
	}
	wsq_test_queue_end(test, q);
}

/* The first task that a thief runs; it records which. */
DEFINE_WSQ_TASK2(int, half_part, w, struct stage *, s, int, i)
{
	if (current != s->caller && !completion_done(&s->begun)) {
		s->result = i;
		stage_hold(s);
	}
	return i;
}

DEFINE_WSQ_TASK1(int, half_root, w, struct stage *, s)
{
	int i, wrong = 0;

	for (i = 0; i < s->nr; i++)
		wsq_spawn(w, half_part, s, i);
	wsq_test_share_until(w, completion_done(&s->begun));
	complete(&s->go);
	while (i--)
		wrong += wsq_sync(w, half_part) != i;
	return wrong;
}

static int half_stage(struct stage *s)
{
	int wrong = -1, ret = half_root_run(s->fj, &wrong, s);

	atomic_add(wrong, &s->wrong);
	return ret;
}

#define HALF_TRIES	100
#define WHOLE_TRIES	5

/*
 * With WSQ_FJ_HALF a thief takes several of the shared tasks and begins with
 * the newest. Otherwise it takes the oldest alone. The helper may come while
 * only one task is shared: then try again.
 */
static void forkjoin_half(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	int half, tries, several = 0;

	wsq_test_need_cpus(test, 2);
	for (half = 0; half < 2; half++) {
		struct wsq_fj_attrs attrs = { .flags = half ? WSQ_FJ_HALF : 0 };

		several = 0;
		tries = half ? HALF_TRIES : WHOLE_TRIES;
		while (tries-- && !several) {
			struct stage *s = stage_begin(test, q, &attrs,
						      half_stage);

			s->nr = 9;
			wsq_test_call(test, stage_run, s);
			KUNIT_EXPECT_EQ(test, s->ret, 0);
			KUNIT_EXPECT_EQ(test, atomic_read(&s->wrong), 0);
			several += s->result > 0;
			/* Half of nine, rounded up. */
			KUNIT_EXPECT_LT(test, s->result, 5);
			stage_end(test, s);
		}
		if (!half)
			KUNIT_EXPECT_EQ(test, several, 0);
	}
	wsq_test_queue_end(test, q);
	wsq_test_met(test, several, "no thief met more than one task");
}

/* Ranges. */

/**
 * struct tally - what became of a range
 * @seen: how often each index came
 * @range: the range
 * @calls: parts
 * @sum: indices in all parts
 * @wrong: parts that are out of range, too long or empty
 * @us: time that each part takes, in microseconds
 */
struct tally {
	atomic_t *seen;
	struct wsq_fj_loop range;
	atomic_t calls;
	atomic64_t sum;
	atomic_t wrong;
	unsigned long us;
};

static void tally_part(unsigned long start, unsigned long end, void *arg)
{
	struct tally *t = arg;
	unsigned long first = start - t->range.start, n = end - start, i;

	atomic_inc(&t->calls);
	atomic64_add(n, &t->sum);
	udelay(t->us);
	if (!n || n > max(t->range.grain, 1UL) || first >= t->range.size ||
	    n > t->range.size - first)
		atomic_inc(&t->wrong);
	else if (t->seen)
		for (i = first; i < first + n; i++)
			atomic_inc(&t->seen[i]);
}

struct range_call {
	struct wsq_fj *fj;
	struct tally t;
	int ret;
};

static bool range_run(void *arg)
{
	struct range_call *c = arg;

	c->ret = wsq_fj_range(c->fj, &c->t.range);
	return true;
}

/* Process a range, check that each index came once, and return the calls. */
static int range_try(struct kunit *test, struct wsq_fj *fj, unsigned long start,
		     unsigned long size, unsigned long grain)
{
	struct range_call *c = kzalloc(sizeof(*c), GFP_KERNEL);
	unsigned long i, bad = 0;
	int calls;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->fj = fj;
	c->t.range = (struct wsq_fj_loop){
		.fn = tally_part, .arg = &c->t, .start = start, .size = size,
		.grain = grain,
	};
	if (size && size <= 10000) {
		c->t.seen = vzalloc(array_size(size, sizeof(*c->t.seen)));
		KUNIT_ASSERT_NOT_NULL(test, c->t.seen);
	}
	wsq_test_call(test, range_run, c);
	KUNIT_EXPECT_EQ(test, c->ret, 0);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&c->t.wrong), 0,
			    "start %lu size %lu grain %lu", start, size, grain);
	KUNIT_EXPECT_EQ(test, (unsigned long)atomic64_read(&c->t.sum), size);
	for (i = 0; c->t.seen && i < size; i++)
		bad += atomic_read(&c->t.seen[i]) != 1;
	KUNIT_EXPECT_EQ_MSG(test, bad, 0, "start %lu size %lu grain %lu", start,
			    size, grain);
	calls = atomic_read(&c->t.calls);
	vfree(c->t.seen);
	kfree(c);
	return calls;
}

static void forkjoin_range(struct kunit *test)
{
	static const unsigned long sizes[] = { 0, 1, 2, 7, 64, 997, 9999 };
	static const unsigned long grains[] = { 0, 1, 3, 100, ULONG_MAX };
	static const unsigned long starts[] = { 0, 1, 12345, ULONG_MAX - 10000 };
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_fj *fj = stage_create(test, q, NULL);
	int s, g, a, calls;

	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		for (g = 0; g < ARRAY_SIZE(grains); g++) {
			a = (s + g) % ARRAY_SIZE(starts);
			calls = range_try(test, fj, starts[a], sizes[s],
					  grains[g]);
			if (sizes[s] <= max(grains[g], 1UL))
				KUNIT_EXPECT_EQ(test, calls, !!sizes[s]);
			else if (grains[g] <= 1)
				KUNIT_EXPECT_EQ(test, calls, (int)sizes[s]);
			else
				KUNIT_EXPECT_GE(test, calls,
						(int)(sizes[s] / grains[g]));
		}
	}
	/* Beyond any careless addition; halved 63 times at most. */
	range_try(test, fj, 0, ULONG_MAX, ULONG_MAX / 100);
	range_try(test, fj, 1, ULONG_MAX - 1, 1UL << 60);
	range_try(test, fj, 0, ULONG_MAX, ULONG_MAX);
	wsq_test_call(test, stage_destroy, fj);
	wsq_test_queue_end(test, q);
}

/* When parts take long, a thread shares what it has spawned, unasked. */
static void forkjoin_long_parts(struct kunit *test)
{
	static const struct wsq_fj_attrs alone = { .max_cpus = 1 };
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_fj *fj = stage_create(test, q, &alone);
	struct range_call *c = kzalloc(sizeof(*c), GFP_KERNEL);
	struct wsq_fj_stats stats;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->fj = fj;
	c->t.range = (struct wsq_fj_loop){
		.fn = tally_part, .arg = &c->t, .size = 16,
	};
	c->t.us = 200;
	wsq_test_call(test, range_run, c);
	KUNIT_EXPECT_EQ(test, c->ret, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->t.calls), 16);
	wsq_fj_read_stats(fj, &stats);
	KUNIT_EXPECT_EQ(test, stats.started, 0ULL);
	/*
	 * No thief asks. Eight of the parts follow a spawn and share it, except
	 * the first part, which is not known to be long.
	 */
	KUNIT_EXPECT_GE(test, stats.grows, 7ULL);
	KUNIT_EXPECT_GT(test, stats.shrinks, 0ULL);
	kfree(c);
	wsq_test_call(test, stage_destroy, fj);
	wsq_test_queue_end(test, q);
}

static struct kunit_case forkjoin_cases[] = {
	KUNIT_CASE(forkjoin_fib),
	KUNIT_CASE(forkjoin_args),
	KUNIT_CASE(forkjoin_loop),
	KUNIT_CASE(forkjoin_sleep),
	KUNIT_CASE(forkjoin_stolen),
	KUNIT_CASE(forkjoin_drop),
	KUNIT_CASE(forkjoin_share),
	KUNIT_CASE(forkjoin_left),
	KUNIT_CASE(forkjoin_asked),
	KUNIT_CASE(forkjoin_leap),
	KUNIT_CASE(forkjoin_half),
	KUNIT_CASE(forkjoin_range),
	KUNIT_CASE(forkjoin_long_parts),
	{}
};

static struct kunit_suite forkjoin_suite = {
	.name = "wsq_forkjoin",
	.test_cases = forkjoin_cases,
};

kunit_test_suite(forkjoin_suite);
