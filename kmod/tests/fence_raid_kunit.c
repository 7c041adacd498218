// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the fence that moves a chunk from its owner to a thief
 * (core/fence.h, scenario D), with the kernel's hooks: the owner takes tasks
 * without a barrier, the thief comes between, and each task must have been taken
 * once when both are through.
 *
 * What a chunk's lists, tags and reuse ask for is not here; the tasks are there
 * from the beginning. Without the fence tasks must be taken twice (sides.h).
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "sides.h"

#define NR_SLOTS	64

#define RAID_OWNER	1ULL
#define RAID_THIEF	2ULL
#define RAID_TAKEN	0ULL
/* Turns of a loop: what the owner takes for the tasks that it has left, about. */
#define RAID_DELAY	1024

/* The owner word: whose, and of which round, lest two rounds be taken for one. */
static u64 raid_word(u64 round, u64 whose)
{
	return round << 2 | whose;
}

/**
 * struct raid - a chunk changes hands, as SALSA's do
 * @set: the owner's CPU, if it may be disturbed
 * @reached: may it be
 * @missing: there is no fence
 * @starts: the thief uses the asynchronous form
 * @call: for that
 * @cpu: the owner's CPU
 * @over: the thief has had enough
 * @rounds: the thief's counts, as the next ones
 * @met: rounds in which the owner had taken some and left some
 * @twice: tasks that both have taken
 * @lost: tasks that nobody has
 * @back: rounds in which the index went back
 * @far: rounds in which it went on by more than one behind the fence
 * @thief_got: what the thief has, by bit
 * @halt: how many the owner takes before it waits for the thief. Thief
 * @begun: the round that the owner may begin. Thief
 * @halted: the round in which it has. Owner
 * @coming: the round in which it may go on. Thief
 * @through: the round that the owner is through with. Owner, as the next one
 * @owner_got: what the owner has, by bit
 * @owner: whose the chunk is
 * @idx: the first task that the owner has not announced. Written by the owner
 * @slots: the tasks
 */
struct raid {
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

/* The owner takes a task, as in fence.h. False: there is none any more. */
static bool raid_take(struct raid *r, u64 mine)
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
		atomic64_set(&r->slots[i], RAID_TAKEN);
		r->owner_got |= BIT_ULL(i);
		return true;
	}
	if (atomic64_cmpxchg(&r->slots[i], task, RAID_TAKEN) == task)
		r->owner_got |= BIT_ULL(i);
	return false;
}

static void raid_owner(struct raid *r)
{
	u64 round;
	bool more;

	for (round = 1;; round++) {
		side_wait(&r->begun, round);
		if (READ_ONCE(r->over))
			break;
		r->owner_got = 0;
		do {
			/* Between two tasks, until the thief is about to come. */
			if (atomic64_read(&r->idx) == r->halt) {
				side_tell(&r->halted, round);
				side_wait(&r->coming, round);
			}
			wsq_fence_begin();
			more = raid_take(r, raid_word(round, RAID_OWNER));
			wsq_fence_end();
		} while (more);
		side_tell(&r->through, round);
	}
}

static void raid_begin(struct raid *r, u64 round, u64 halt)
{
	int i;

	r->halt = halt;
	r->thief_got = 0;
	for (i = 0; i < NR_SLOTS; i++)
		atomic64_set(&r->slots[i], round * NR_SLOTS + i);
	atomic64_set(&r->idx, 0);
	atomic64_set(&r->owner, raid_word(round, RAID_OWNER));
	side_tell(&r->begun, round);
}

/* Returns the index behind the fence. */
static u64 raid_steal(struct raid *r, u64 round)
{
	u64 before = atomic64_read(&r->idx), idx, task, i;

	atomic64_cmpxchg(&r->owner, raid_word(round, RAID_OWNER),
			 raid_word(round, RAID_THIEF));
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
		if (task != RAID_TAKEN &&
		    atomic64_cmpxchg(&r->slots[idx], task, RAID_TAKEN) == task)
			r->thief_got |= BIT_ULL(idx);
	}
	/* It can no longer be about to take any of these. */
	for (i = idx + 1; i < NR_SLOTS; i++) {
		atomic64_set(&r->slots[i], RAID_TAKEN);
		r->thief_got |= BIT_ULL(i);
	}
	return idx;
}

static void raid_judge(struct raid *r, u64 idx)
{
	u64 last = atomic64_read(&r->idx);

	r->met += idx && idx < NR_SLOTS;
	r->twice += hweight64(r->owner_got & r->thief_got);
	r->lost += hweight64(~(r->owner_got | r->thief_got));
	r->back += last < idx;
	r->far += last > idx + 1;
}

static void raid_thief(struct raid *r)
{
	u64 begin = ktime_get_ns(), want = r->missing ? SIDE_HUNTED : 100;
	u64 round, idx, state = 1, i;

	for (round = 1;; round++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		/*
		 * The owner is on its way, and goes on when we come, or they would not
		 * meet where their CPUs are one of the host's.
		 */
		raid_begin(r, round, (state >> 40) % NR_SLOTS);
		side_wait(&r->halted, round);
		side_tell(&r->coming, round);
		for (i = (state >> 33) % RAID_DELAY; i; i--)
			barrier();
		idx = raid_steal(r, round);
		side_wait(&r->through, round);
		raid_judge(r, idx);
		r->rounds = round;
		if (r->missing && r->twice)
			break;
		if (round % 64 == 0 && side_over(begin, r->met, want))
			break;
	}
	WRITE_ONCE(r->over, true);
	side_tell(&r->begun, round + 1);
}

static void raid_party(void *data, int nr)
{
	if (nr == 0)
		raid_thief(data);
	else
		raid_owner(data);
}

static struct raid *raid_hold(struct kunit *test, bool missing, bool starts)
{
	struct raid *r;

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
	wsq_test_run(test, 2, raid_party, r);
	kunit_info(test, "%llu rounds, met in %llu, %llu tasks taken twice, %llu lost",
		   r->rounds, r->met, r->twice, r->lost);
	KUNIT_EXPECT_EQ(test, r->lost, 0);
	KUNIT_EXPECT_EQ(test, r->back, 0);
	return r;
}

static void raid_expect(struct kunit *test, const struct raid *r)
{
	KUNIT_EXPECT_GT(test, r->met, 0);
	KUNIT_EXPECT_EQ(test, r->twice, 0);
	KUNIT_EXPECT_EQ(test, r->far, 0);
}

/* fence.h's scenario D. */
static void fence_owner(struct kunit *test)
{
	raid_expect(test, raid_hold(test, false, false));
}

static void fence_owner_started(struct kunit *test)
{
	raid_expect(test, raid_hold(test, false, true));
}

static void fence_owner_missing(struct kunit *test)
{
	struct raid *r = raid_hold(test, true, false);

	side_expect_found(test, r->twice, r->rounds);
}

static struct kunit_case fence_raid_cases[] = {
	KUNIT_CASE_SLOW(fence_owner),
	KUNIT_CASE_SLOW(fence_owner_started),
	KUNIT_CASE_SLOW(fence_owner_missing),
	{}
};

static struct kunit_suite fence_raid_suite = {
	.name = "wsq_fence_raid",
	.test_cases = fence_raid_cases,
};

kunit_test_suite(fence_raid_suite);
