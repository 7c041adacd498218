/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites of fork and join share: runs in threads of their own, which
 * must end, and a task that is held after another thread has stolen it.
 *
 * Whether and when a helper comes depends on idle CPUs. So a run waits for it
 * in wsq_test_share_until(), and what a test expects holds whenever it comes.
 */
#ifndef _WSQ_TESTS_FORKJOINS_H
#define _WSQ_TESTS_FORKJOINS_H

#include <linux/wsq_fj.h>

#include "../forkjoin/forkjoin.h"
#include "items.h"

/* What a held task returns: it was stolen and released, or it was not stolen. */
#define HELD		42
#define HELD_NOT	43
#define HELD_TOO_LONG	44

/**
 * struct stage - a run, and what its tasks share
 * @fj: the fork-join object
 * @run: calls NAME_run() for the first task
 * @nr: a number for the tasks
 * @caller: thread of the run
 * @ret: what @run returned
 * @result: what the first task returned
 * @begun: a held task has been stolen, or the first task has begun
 * @go: a held task may end
 * @over: a held task is about to return
 * @runs: counts tasks
 * @others: counts those that ran on other threads than @caller
 * @wrong: counts what must not happen
 * @stop: the threads of the test end
 */
struct stage {
	struct wsq_fj *fj;
	int (*run)(struct stage *s);
	int nr;
	struct task_struct *caller;
	int ret;
	u64 result;
	struct completion begun;
	struct completion go;
	bool over;
	atomic_t runs;
	atomic_t others;
	atomic_t wrong;
	bool stop;
};

/* Call wsq_fj_share() again and again until @cond holds. False on timeout. */
#define wsq_test_share_until(w, cond)					\
	wsq_test_until(({ wsq_fj_share(w); (cond); }))

/* A task of @s runs. */
static inline void stage_count(struct stage *s)
{
	atomic_inc(&s->runs);
	if (current != s->caller)
		atomic_inc(&s->others);
}

/* The body of a task that a test holds on another thread than the caller's. */
static inline int stage_hold(struct stage *s)
{
	stage_count(s);
	if (current == s->caller)
		return HELD_NOT;
	complete(&s->begun);
	if (!wait_for_completion_timeout(&s->go, WSQ_TEST_TIMEOUT))
		return HELD_TOO_LONG;
	WRITE_ONCE(s->over, true);
	return HELD;
}

/* For wsq_test_call() and wsq_test_start(). */
static inline bool stage_run(void *arg)
{
	struct stage *s = arg;

	s->caller = current;
	s->ret = s->run(s);
	return true;
}

static inline struct wsq_fj *stage_create(struct kunit *test, struct wsq *q,
					  const struct wsq_fj_attrs *attrs)
{
	struct wsq_fj *fj = wsq_fj_create(q, attrs);

	KUNIT_ASSERT_FALSE(test, IS_ERR(fj));
	return fj;
}

/* A stage with an object on @q; stage_end() frees both. */
static inline struct stage *stage_begin(struct kunit *test, struct wsq *q,
					const struct wsq_fj_attrs *attrs,
					int (*run)(struct stage *s))
{
	struct stage *s = kzalloc(sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->fj = stage_create(test, q, attrs);
	s->run = run;
	init_completion(&s->begun);
	init_completion(&s->go);
	return s;
}

static inline bool stage_destroy(void *arg)
{
	wsq_fj_destroy(arg);
	return true;
}

static inline void stage_end(struct kunit *test, struct stage *s)
{
	wsq_test_call(test, stage_destroy, s->fj);
	kfree(s);
}

static inline struct wsq_fj_stats stage_stats(const struct stage *s)
{
	struct wsq_fj_stats stats;

	wsq_fj_read_stats(s->fj, &stats);
	return stats;
}

/* Have all helpers left? Then statistics are exact. */
static inline bool stage_left(const struct stage *s)
{
	u32 i;

	for (i = 1; i < s->fj->team.nr; i++)
		if (atomic_read(&wsq_fj_member(s->fj->seats[i])->taken))
			return false;
	return true;
}

/* NAME_stage() runs NAME, which takes a stage and returns an int. */
#define STAGE(name)							\
static int __maybe_unused name##_stage(struct stage *s)			\
{									\
	int __got = -1, __ret = name##_run(s->fj, &__got, s);		\
									\
	s->result = __got;						\
	return __ret;							\
}

static inline u64 plain_fib(int n)
{
	return n < 2 ? n : plain_fib(n - 1) + plain_fib(n - 2);
}

/* The object works: a run of some hundred tasks has the right result. */
#define stage_works(test, s)						\
do {									\
	u64 __sum = 0;							\
									\
	KUNIT_EXPECT_EQ(test, fib_run((s)->fj, &__sum, 12), 0);		\
	KUNIT_EXPECT_EQ(test, __sum, plain_fib(12));			\
} while (0)

DEFINE_WSQ_TASK1(u64, fib, w, int, n)
{
	u64 a, b;

	if (n < 2)
		return n;
	wsq_spawn(w, fib, n - 1);
	a = wsq_fj_call(w, fib, n - 2);
	b = wsq_sync(w, fib);
	return a + b;
}

static int __maybe_unused fib_stage(struct stage *s)
{
	return fib_run(s->fj, &s->result, s->nr);
}

DEFINE_WSQ_TASK2(u64, square, w, struct stage *, s, u64, n)
{
	stage_count(s);
	return n * n + 1;
}

/* A loop of spawns: the last one is synced first. */
DEFINE_WSQ_TASK1(int, squares, w, struct stage *, s)
{
	int i, wrong = 0;

	for (i = 0; i < s->nr; i++) {
		wsq_spawn(w, square, s, i);
		if (i % 3)
			continue;
		/* A whole subtree between two spawns. */
		wrong += wsq_fj_call(w, fib, i % 7) != plain_fib(i % 7);
	}
	while (i--)
		wrong += wsq_sync(w, square) != (u64)i * i + 1;
	return wrong;
}

STAGE(squares);

DEFINE_WSQ_TASK1(int, held, w, struct stage *, s)
{
	return stage_hold(s);
}

/* Spawn a task and go on when another CPU has it. */
DEFINE_WSQ_TASK1(int, held_root, w, struct stage *, s)
{
	wsq_spawn(w, held, s);
	wsq_test_share_until(w, completion_done(&s->begun));
	return wsq_sync(w, held);
}

STAGE(held_root);

/* A tree of tasks that sleep; the number of its leaves. */
DEFINE_WSQ_TASK2(int, dozing, w, struct stage *, s, int, n)
{
	int sum;

	stage_count(s);
	if (!n) {
		schedule_timeout_uninterruptible(1);
		return 1;
	}
	wsq_spawn(w, dozing, s, n - 1);
	wsq_fj_share(w);
	schedule_timeout_uninterruptible(1);
	sum = wsq_fj_call(w, dozing, s, n - 1);
	return sum + wsq_sync(w, dozing);
}

static int __maybe_unused dozing_stage(struct stage *s)
{
	int sum = -1, ret = dozing_run(s->fj, &sum, s, s->nr);

	s->result = sum;
	return ret;
}

/* All combinations of what a thief does; and other CPUs. */
#define NR_FLAGS	5

static const u32 __maybe_unused some_flags[NR_FLAGS] = {
	0, WSQ_FJ_RANDOM, WSQ_FJ_HALF, WSQ_FJ_RANDOM | WSQ_FJ_HALF,
	WSQ_FJ_SPREAD,
};

#endif /* _WSQ_TESTS_FORKJOINS_H */
