// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the fence that moves a chunk from its owner to a thief
 * (core/fence.h, scenario D), with the kernel's hooks. The owner takes tasks
 * without a barrier while the thief steals. When both have finished, each task
 * must have been taken once.
 *
 * The lists, tags and reuse of chunks are not tested: all tasks are there from
 * the beginning. Without the fence tasks must be taken twice (sides.h).
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "sides.h"

#define NR_SLOTS	64

#define ASYNC_OWNER	1ULL
#define ASYNC_THIEF	2ULL
#define ASYNC_TAKEN	0ULL
/* Iterations: about the time that the owner needs for its remaining tasks. */
#define ASYNC_DELAY	1024

/* The owner word. The round is in it, so that no two rounds are mixed up. */
static u64 async_word(u64 round, u64 whose)
{
	return round << 2 | whose;
}

/**
 * struct async - a chunk changes its owner, as SALSA's do
 * @set: the owner's CPU, if it may be interrupted
 * @reached: it may be
 * @missing: there is no fence
 * @starts: the thief uses the asynchronous form
 * @call: for that form
 * @cpu: the owner's CPU
 * @over: the thief has finished
 * @rounds: number of rounds. Thief's count, as the next ones
 * @met: rounds in which the owner had taken some tasks and left some
 * @twice: tasks taken by both
 * @lost: tasks taken by neither
 * @back: rounds in which the index went back
 * @far: rounds in which it advanced by more than one after the fence
 * @thief_got: what the thief has, by bit
 * @halt: how many the owner takes before it waits for the thief. Thief
 * @begun: the round that the owner may begin. Thief
 * @halted: the round in which the owner waits. Owner
 * @coming: the round in which the owner may go on. Thief
 * @through: the round that the owner has finished. Owner, as the next one
 * @owner_got: what the owner has, by bit
 * @owner: whose the chunk is
 * @idx: the first task that the owner has not announced. Written by the owner
 * @slots: the tasks
 */
struct async {
	u64 *set;
	bool reached;
	bool missing;
	bool starts;
	struct wsq_fence_call call;
	unsigned int cpu;
	bool over;
	u64 rounds, met, twice, lost, back, far;
	u64 thief_got;
	u64 halt;
	u64 begun ____cacheline_aligned;
	u64 halted ____cacheline_aligned;
	u64 coming ____cacheline_aligned;
	u64 through ____cacheline_aligned;
	u64 owner_got;
	atomic64_t owner ____cacheline_aligned;
	atomic64_t idx ____cacheline_aligned;
	atomic64_t slots[NR_SLOTS] ____cacheline_aligned;
};

/* The owner takes a task, as in fence.h. False if none is left. */
static bool async_take(struct async *r, u64 mine)
{
	u64 i = atomic64_read(&r->idx), task;

	if (i == NR_SLOTS)
		return false;
	task = atomic64_read(&r->slots[i]);
	if (atomic64_read(&r->owner) != mine)
		return false;
	atomic64_set(&r->idx, i + 1);
	side_pass(r->reached || r->missing);
	if (atomic64_read(&r->owner) == mine) {
		atomic64_set(&r->slots[i], ASYNC_TAKEN);
		r->owner_got |= BIT_ULL(i);
		return true;
	}
	if (atomic64_cmpxchg(&r->slots[i], task, ASYNC_TAKEN) == task)
		r->owner_got |= BIT_ULL(i);
	return false;
}

static void async_owner(struct async *r)
{
	u64 round;
	bool more;

	for (round = 1;; round++) {
		side_wait(&r->begun, round);
		if (READ_ONCE(r->over))
			break;
		r->owner_got = 0;
		do {
			/* Between two tasks, wait until the thief starts. */
			if (atomic64_read(&r->idx) == r->halt) {
				side_notify(&r->halted, round);
				side_wait(&r->coming, round);
			}
			wsq_fence_begin();
			more = async_take(r, async_word(round, ASYNC_OWNER));
			wsq_fence_end();
		} while (more);
		side_notify(&r->through, round);
	}
}

static void async_begin(struct async *r, u64 round, u64 halt)
{
	int i;

	r->halt = halt;
	r->thief_got = 0;
	for (i = 0; i < NR_SLOTS; i++)
		atomic64_set(&r->slots[i], round * NR_SLOTS + i);
	atomic64_set(&r->idx, 0);
	atomic64_set(&r->owner, async_word(round, ASYNC_OWNER));
	side_notify(&r->begun, round);
}

/* Returns the index read after the fence. */
static u64 async_steal(struct async *r, u64 round)
{
	u64 before = atomic64_read(&r->idx), idx, task, i;

	atomic64_cmpxchg(&r->owner, async_word(round, ASYNC_OWNER),
			 async_word(round, ASYNC_THIEF));
	if (r->missing)
		barrier();
	else if (r->starts)
		side_start(&r->call, r->cpu);
	else
		wsq_fence_heavy(r->set, wsq_fence_words());
	idx = atomic64_read(&r->idx);
	r->back += idx < before;
	/* The owner may be about to take this one. */
	if (idx < NR_SLOTS) {
		task = atomic64_read(&r->slots[idx]);
		if (task != ASYNC_TAKEN &&
		    atomic64_cmpxchg(&r->slots[idx], task, ASYNC_TAKEN) == task)
			r->thief_got |= BIT_ULL(idx);
	}
	/* The owner can no longer take any of these. */
	for (i = idx + 1; i < NR_SLOTS; i++) {
		atomic64_set(&r->slots[i], ASYNC_TAKEN);
		r->thief_got |= BIT_ULL(i);
	}
	return idx;
}

static void async_judge(struct async *r, u64 idx)
{
	u64 last = atomic64_read(&r->idx);

	r->met += idx && idx < NR_SLOTS;
	r->twice += hweight64(r->owner_got & r->thief_got);
	r->lost += hweight64(~(r->owner_got | r->thief_got));
	r->back += last < idx;
	r->far += last > idx + 1;
}

static void async_thief(struct async *r)
{
	u64 begin = ktime_get_ns(), want = r->missing ? SIDE_HUNTED : 100;
	u64 round, idx, state = 1, i;

	for (round = 1;; round++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		/*
		 * The owner waits between two tasks until the thief starts.
		 * Otherwise they never meet if their CPUs share one CPU of the
		 * host.
		 */
		async_begin(r, round, (state >> 40) % NR_SLOTS);
		side_wait(&r->halted, round);
		side_notify(&r->coming, round);
		for (i = (state >> 33) % ASYNC_DELAY; i; i--)
			barrier();
		idx = async_steal(r, round);
		side_wait(&r->through, round);
		async_judge(r, idx);
		r->rounds = round;
		if (r->missing && r->twice)
			break;
		if (round % 64 == 0 && side_over(begin, r->met, want))
			break;
	}
	WRITE_ONCE(r->over, true);
	side_notify(&r->begun, round + 1);
}

static void async_party(void *data, int nr)
{
	if (nr == 0)
		async_thief(data);
	else
		async_owner(data);
}

static struct async *async_hold(struct kunit *test, bool missing, bool starts)
{
	struct async *r;

	side_need_two(test);
	r = kunit_kzalloc(test, PAGE_ALIGN(sizeof(*r)), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r);
	r->missing = missing;
	r->starts = starts;
	r->cpu = side_cpu();
	wsq_fence_call_init(&r->call);
	r->set = side_set_new(test);
	r->reached = wsq_fence_reaches(side_cpu());
	if (r->reached)
		side_set_add(r->set, side_cpu());
	wsq_test_run(test, 2, async_party, r);
	kunit_info(test, "%llu rounds, met in %llu, %llu tasks taken twice, %llu lost",
		   r->rounds, r->met, r->twice, r->lost);
	KUNIT_EXPECT_EQ(test, r->lost, 0);
	KUNIT_EXPECT_EQ(test, r->back, 0);
	return r;
}

static void async_expect(struct kunit *test, const struct async *r)
{
	KUNIT_EXPECT_EQ(test, r->twice, 0);
	KUNIT_EXPECT_EQ(test, r->far, 0);
	wsq_test_met(test, r->met, "the sides did not meet");
}

/* fence.h's scenario D. */
static void fence_owner(struct kunit *test)
{
	async_expect(test, async_hold(test, false, false));
}

static void fence_owner_started(struct kunit *test)
{
	async_expect(test, async_hold(test, false, true));
}

static void fence_owner_missing(struct kunit *test)
{
	struct async *r = async_hold(test, true, false);

	side_expect_found(test, r->twice, r->rounds);
}

static struct kunit_case fence_async_cases[] = {
	KUNIT_CASE_SLOW(fence_owner),
	KUNIT_CASE_SLOW(fence_owner_started),
	KUNIT_CASE_SLOW(fence_owner_missing),
	{}
};

static struct kunit_suite fence_async_suite = {
	.name = "wsq_fence_async",
	.test_cases = fence_async_cases,
};

kunit_test_suite(fence_async_suite);
