// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of wrong uses of fork and join that are reported. A case does nothing
 * unless the parameter "provoke" names it (tools/check/lockdep).
 */
#include <linux/mutex.h>

#include "forkjoins.h"

/* A task that holds a lock at a sync: another task might run there. */
DEFINE_WSQ_TASK1(int, locking, w, struct mutex *, lock)
{
	if (!lock)
		return 1;
	mutex_lock(lock);
	wsq_spawn(w, locking, NULL);
	wsq_sync(w, locking);
	mutex_unlock(lock);
	return 1;
}

static void lockdep_forkjoin_sync(struct kunit *test)
{
	static DEFINE_MUTEX(lock);
	struct wsq_fj *fj;
	struct wsq *q;
	int got = 0;

	wsq_test_provoked(test);
	if (!IS_ENABLED(CONFIG_PROVE_LOCKING))
		kunit_skip(test, "needs CONFIG_PROVE_LOCKING");
	q = wsq_test_queue(test, 2, 4, NULL);
	fj = wsq_fj_create(q, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(fj));
	KUNIT_EXPECT_EQ(test, locking_run(fj, &got, &lock), 0);
	KUNIT_EXPECT_EQ(test, got, 1);
	wsq_fj_destroy(fj);
	wsq_test_queue_end(test, q);
}

/* A task destroys the object that runs it. It waits for no run: that would be its own. */
DEFINE_WSQ_TASK2(int, destroys, w, struct wsq_fj *, fj, bool *, begun)
{
	wsq_fj_destroy(fj);
	WRITE_ONCE(*begun, true);
	return 1;
}

DEFINE_WSQ_TASK2(int, destroys_root, w, struct wsq_fj *, fj, bool, stolen)
{
	bool begun = false;
	int sum;

	if (!stolen)
		return wsq_fj_call(w, destroys, fj, &begun);
	wsq_spawn(w, destroys, fj, &begun);
	sum = wsq_test_share_until(w, READ_ONCE(begun));
	return wsq_sync(w, destroys) + sum;
}

static void forkjoin_destroys(struct kunit *test, bool stolen)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_fj *fj = stage_create(test, q, NULL);
	int got = 0;

	KUNIT_EXPECT_EQ(test, destroys_root_run(fj, &got, fj, stolen), 0);
	KUNIT_EXPECT_EQ(test, got, 1 + stolen);
	wsq_fj_destroy(fj);
	wsq_test_queue_end(test, q);
}

static void warn_forkjoin_destroy(struct kunit *test)
{
	wsq_test_provoked(test);
	forkjoin_destroys(test, false);
}

static void warn_forkjoin_destroy_stolen(struct kunit *test)
{
	wsq_test_provoked(test);
	forkjoin_destroys(test, true);
}

static struct kunit_case forkjoin_wrong_cases[] = {
	KUNIT_CASE(lockdep_forkjoin_sync),
	KUNIT_CASE(warn_forkjoin_destroy),
	KUNIT_CASE(warn_forkjoin_destroy_stolen),
	{}
};

static struct kunit_suite forkjoin_wrong_suite = {
	.name = "wsq_lockdep_forkjoin",
	.test_cases = forkjoin_wrong_cases,
};

kunit_test_suite(forkjoin_wrong_suite);
