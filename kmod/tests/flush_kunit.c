// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of wsq_flush_work() when the awaited run is cancelled or refused.
 * The flush then waits for the run before it, if that is still under way, and
 * for no later run.
 *
 * The function sleeps until the test lets it end. The test finishes its own
 * step before it looks at the flushes: a flush that was completed too early is
 * awake by then, however slow the machine is.
 */
#include "../exec/item.h"
#include "items.h"

#define AN_HOUR		(3600UL * HZ)

/* Flushes at a time. */
#define FLUSHES		2

/**
 * struct held - an item whose first two runs sleep until the test ends them
 * @dwork: the item
 * @q: its queue
 * @entered: the function has been called, for each run
 * @leave: the run may end
 * @runs: how often the function was called
 * @inside: runs under way
 * @early: flushes that returned while the function ran
 */
struct held {
	struct wsq_delayed_work dwork;
	struct wsq *q;
	struct completion entered[2];
	struct completion leave[2];
	atomic_t runs;
	atomic_t inside;
	atomic_t early;
};

static void held_fn(struct wsq_work *work)
{
	struct held *h = container_of(to_wsq_delayed_work(work), struct held,
				      dwork);
	int run = atomic_inc_return(&h->runs) - 1;

	atomic_inc(&h->inside);
	if (run < ARRAY_SIZE(h->leave)) {
		complete(&h->entered[run]);
		wait_for_completion(&h->leave[run]);
	}
	atomic_dec(&h->inside);
}

static bool held_entered(struct held *h, int run)
{
	return wait_for_completion_timeout(&h->entered[run], WSQ_TEST_TIMEOUT);
}

/* An item that is held in its first run. */
static struct held *held_new(struct kunit *test)
{
	struct held *h = kzalloc(sizeof(*h), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, h);
	INIT_WSQ_DELAYED_WORK(&h->dwork, held_fn);
	for (i = 0; i < ARRAY_SIZE(h->leave); i++) {
		init_completion(&h->entered[i]);
		init_completion(&h->leave[i]);
	}
	h->q = wsq_test_queue(test, 2, 4, NULL);
	KUNIT_ASSERT_TRUE(test, wsq_queue_work(h->q, &h->dwork.work));
	KUNIT_ASSERT_TRUE(test, held_entered(h, 0));
	return h;
}

/* The item is idle, has run @runs times, and runs when it is queued again. */
static void held_end(struct kunit *test, struct held *h, int runs)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(h->leave); i++)
		complete_all(&h->leave[i]);
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&h->dwork.work), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&h->runs), runs);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(h->q, &h->dwork.work));
	wsq_test_call(test, wsq_test_flush_work, &h->dwork.work);
	KUNIT_EXPECT_EQ(test, atomic_read(&h->runs), runs + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&h->early), 0);
	wsq_test_queue_end(test, h->q);
	kfree(h);
}

static bool held_flush(void *arg)
{
	struct held *h = arg;
	bool waited = wsq_flush_work(&h->dwork.work);

	if (atomic_read(&h->inside))
		atomic_inc(&h->early);
	return waited;
}

/* Start flushes, and wait until they sleep. */
static void held_flush_start(struct kunit *test, struct held *h,
			     struct wsq_test_call **call, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		call[i] = wsq_test_start(test, held_flush, h);
	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_TRUE(test,
				  wsq_test_until(wsq_test_over(call[i]) ||
						 wsq_test_slept(call[i])));
}

/*
 * The flushes sleep, now and after a while. complete() wakes a flush before it
 * returns, so a completed one is seen here.
 */
static void held_flush_sleeps(struct kunit *test, struct wsq_test_call **call,
			      int nr, const char *after)
{
	int i;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_TRUE_MSG(test, READ_ONCE(call[i]->who->__state) &
				      TASK_UNINTERRUPTIBLE,
				      "flush %d is awake after %s", i, after);
	wsq_test_linger();
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_FALSE_MSG(test, wsq_test_over(call[i]),
				       "flush %d has returned after %s", i,
				       after);
}

static void held_flush_end(struct kunit *test, struct wsq_test_call **call,
			   int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call[i]));
}

/* Where the item is pending while its function runs. */
enum place {
	LOCATION_QUEUE,
	LOCATION_DEFERRED,
	LOCATION_TIMER,
	PLACES
};

static void held_queue(struct kunit *test, struct held *h, enum place place)
{
	struct wsq_work *work = &h->dwork.work;

	KUNIT_ASSERT_TRUE(test,
			  wsq_queue_delayed_work(h->q, &h->dwork,
						 place == LOCATION_TIMER ?
						 AN_HOUR : 0));
	/* Another worker finds the item still running. */
	if (place == LOCATION_DEFERRED)
		KUNIT_ASSERT_TRUE(test, wsq_test_until(wsq_test_kind(work) ==
						       WSQ_DEFERRED));
}

static bool held_disable(void *work)
{
	return wsq_disable_work(work);
}

static const struct {
	const char *name;
	bool (*fn)(void *work);
	bool sync;
	bool disables;
} cancels[] = {
	{ "wsq_cancel_work()", wsq_test_cancel, false, false },
	{ "wsq_disable_work()", held_disable, false, true },
	{ "wsq_cancel_work_sync()", wsq_test_cancel_sync, true, false },
	{ "wsq_disable_work_sync()", wsq_test_disable_sync, true, true },
};

/* Another thread cancels the item while the previous run is under way. */
static void flush_cancelled(struct kunit *test)
{
	struct wsq_test_call *call[FLUSHES], *cancel;
	int i, place;

	for (i = 0; i < ARRAY_SIZE(cancels) * PLACES; i++) {
		struct held *h = held_new(test);
		int how = i / PLACES;

		place = i % PLACES;
		held_queue(test, h, place);
		held_flush_start(test, h, call, FLUSHES);
		cancel = wsq_test_start(test, cancels[how].fn, &h->dwork.work);
		/* A sync cancel waits for the function, as the flushes do. */
		if (cancels[how].sync)
			KUNIT_EXPECT_TRUE(test,
					  wsq_test_until(wsq_test_slept(cancel)));
		else
			KUNIT_EXPECT_TRUE(test, wsq_test_end(test, cancel));
		KUNIT_EXPECT_FALSE(test, wsq_work_pending(&h->dwork.work));
		held_flush_sleeps(test, call, FLUSHES, cancels[how].name);
		complete_all(&h->leave[0]);
		if (cancels[how].sync)
			KUNIT_EXPECT_TRUE(test, wsq_test_end(test, cancel));
		held_flush_end(test, call, FLUSHES);
		if (cancels[how].disables)
			KUNIT_EXPECT_TRUE(test,
					  wsq_enable_work(&h->dwork.work));
		held_end(test, h, 1);
	}
}

static bool held_mod(void *arg)
{
	struct held *h = arg;

	return wsq_mod_delayed_work(h->q, &h->dwork, 0);
}

static bool held_flush_delayed(void *arg)
{
	struct held *h = arg;

	return wsq_flush_delayed_work(&h->dwork);
}

/*
 * Disable the item and leave it pending, as an interrupt does that cannot own
 * the item. No other context changes the state now.
 */
static void held_disable_only(struct held *h)
{
	unsigned long *state = &h->dwork.work.state;

	WRITE_ONCE(*state, READ_ONCE(*state) + WSQ_DEPTH_ONE);
}

/* The queue refuses the item, which is disabled, while a run is under way. */
static void flush_refused(struct kunit *test)
{
	struct wsq_test_call *call[FLUSHES], *put;
	int hurry;

	for (hurry = 0; hurry < 2; hurry++) {
		struct held *h = held_new(test);

		held_queue(test, h, LOCATION_TIMER);
		held_flush_start(test, h, call, FLUSHES);
		held_disable_only(h);
		/* Takes the item off its timer, and the put is refused. */
		put = wsq_test_start(test, hurry ? held_flush_delayed :
				     held_mod, h);
		if (hurry)
			KUNIT_EXPECT_TRUE(test,
					  wsq_test_until(wsq_test_slept(put)));
		else
			KUNIT_EXPECT_TRUE(test, wsq_test_end(test, put));
		KUNIT_EXPECT_FALSE(test, wsq_work_pending(&h->dwork.work));
		held_flush_sleeps(test, call, FLUSHES, "a refused put");
		complete_all(&h->leave[0]);
		if (hurry)
			KUNIT_EXPECT_TRUE(test, wsq_test_end(test, put));
		held_flush_end(test, call, FLUSHES);
		KUNIT_EXPECT_TRUE(test, wsq_enable_work(&h->dwork.work));
		held_end(test, h, 1);
	}
}

/* Cancelled, then queued anew: the flush does not wait for the new run. */
static void flush_queued_anew(struct kunit *test)
{
	struct wsq_test_call *before[FLUSHES], *behind[FLUSHES];
	struct held *h = held_new(test);

	held_queue(test, h, LOCATION_QUEUE);
	held_flush_start(test, h, before, FLUSHES);
	KUNIT_EXPECT_TRUE(test, wsq_cancel_work(&h->dwork.work));
	held_queue(test, h, LOCATION_DEFERRED);
	held_flush_start(test, h, behind, FLUSHES);
	complete_all(&h->leave[0]);
	KUNIT_EXPECT_TRUE(test, held_entered(h, 1));
	held_flush_end(test, before, FLUSHES);
	held_flush_sleeps(test, behind, FLUSHES, "the run before");
	/* The first flushes returned while the second run was under way. */
	atomic_set(&h->early, 0);
	complete_all(&h->leave[1]);
	held_flush_end(test, behind, FLUSHES);
	held_end(test, h, 2);
}

/* Cancelled by its own function, which had queued it again. */
struct self {
	struct held held;
	struct wsq_test_call *call[FLUSHES];
	bool slept;
	bool cancelled;
	bool sleeps;
};

static void self_fn(struct wsq_work *work)
{
	struct self *s = container_of(to_wsq_delayed_work(work), struct self,
				      held.dwork);
	int i;

	complete(&s->held.entered[0]);
	wait_for_completion(&s->held.leave[0]);
	s->cancelled = wsq_cancel_work(work);
	s->sleeps = true;
	for (i = 0; i < FLUSHES; i++)
		s->sleeps &= !!(READ_ONCE(s->call[i]->who->__state) &
				TASK_UNINTERRUPTIBLE);
}

static void flush_cancels_itself(struct kunit *test)
{
	struct self *s = kzalloc(sizeof(*s), GFP_KERNEL);
	struct held *h;

	KUNIT_ASSERT_NOT_NULL(test, s);
	h = &s->held;
	h->q = wsq_test_queue(test, 2, 4, NULL);
	INIT_WSQ_DELAYED_WORK(&h->dwork, self_fn);
	init_completion(&h->entered[0]);
	init_completion(&h->leave[0]);
	KUNIT_ASSERT_TRUE(test, wsq_queue_work(h->q, &h->dwork.work));
	KUNIT_ASSERT_TRUE(test, held_entered(h, 0));
	KUNIT_ASSERT_TRUE(test, wsq_queue_work(h->q, &h->dwork.work));
	held_flush_start(test, h, s->call, FLUSHES);
	complete_all(&h->leave[0]);
	held_flush_end(test, s->call, FLUSHES);
	KUNIT_EXPECT_TRUE(test, s->cancelled);
	KUNIT_EXPECT_TRUE(test, s->sleeps);
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&h->dwork.work), 0);
	wsq_test_queue_end(test, h->q);
	kfree(s);
}

/* Flushes beside refused puts of an item that is disabled while it runs. */

#define BESIDE_FLUSHES	WSQ_TEST_MANY(60)

struct beside {
	struct wsq_work work;
	struct wsq *q;
	atomic_t begun;
	atomic_t ended;
	atomic_t flushers;
	atomic_t waited;
	atomic_t early;
};

static void beside_fn(struct wsq_work *work)
{
	struct beside *b = container_of(work, struct beside, work);

	atomic_inc(&b->begun);
	schedule_timeout_uninterruptible(1);
	atomic_inc(&b->ended);
}

/* All runs that had begun before the flush have ended. */
static void beside_flush(struct beside *b)
{
	int begun, left = BESIDE_FLUSHES;

	while (left) {
		begun = atomic_read(&b->begun);
		if (begun == atomic_read(&b->ended)) {
			wsq_test_yield();
			continue;
		}
		left--;
		if (wsq_flush_work(&b->work))
			atomic_inc(&b->waited);
		if (atomic_read(&b->ended) - begun < 0)
			atomic_inc(&b->early);
	}
	atomic_dec(&b->flushers);
}

static void beside_thread(void *arg, int nr)
{
	struct beside *b = arg;
	int begun, i;

	if (nr < FLUSHES) {
		beside_flush(b);
		return;
	}
	while (atomic_read(&b->flushers)) {
		begun = atomic_read(&b->begun);
		wsq_queue_work(b->q, &b->work);
		wsq_test_spin_until(atomic_read(&b->begun) != begun ||
				    !atomic_read(&b->flushers));
		wsq_disable_work(&b->work);
		for (i = 0; i < 1000 && atomic_read(&b->begun) !=
					atomic_read(&b->ended); i++) {
			wsq_queue_work(b->q, &b->work);
			wsq_test_yield();
		}
		wsq_enable_work(&b->work);
		wsq_test_yield();
	}
}

static void flush_beside_futile(struct kunit *test)
{
	struct beside *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	INIT_WSQ_WORK(&b->work, beside_fn);
	b->q = wsq_test_queue(test, 2, 4, NULL);
	atomic_set(&b->flushers, FLUSHES);
	wsq_test_run(test, FLUSHES + 2, beside_thread, b);
	wsq_test_call(test, wsq_test_cancel_sync, &b->work);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->early), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->begun), atomic_read(&b->ended));
	wsq_test_queue_end(test, b->q);
	wsq_test_met(test, atomic_read(&b->waited), "no flush met a run");
}

static struct kunit_case flush_cases[] = {
	WSQ_ANY_ENGINE_CASE(flush_cancelled),
	KUNIT_CASE(flush_refused),
	KUNIT_CASE(flush_queued_anew),
	KUNIT_CASE(flush_cancels_itself),
	KUNIT_CASE(flush_beside_futile),
	{}
};

static struct kunit_suite flush_suite = {
	.name = "wsq_flush_work",
	.test_cases = flush_cases,
};

kunit_test_suite(flush_suite);
