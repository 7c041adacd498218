// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of parking, scenario C (core/parking.h), with the kernel's own
 * fence: a CPU that puts by a plain store-release without a barrier, and a
 * worker on another CPU that really sleeps.
 *
 * A round is a put that the worker waits for, so that the bit is set, then one
 * more while the worker parks. Then each says where it stands, and the producer
 * judges: a worker that sleeps, with a task there that nobody claimed to wake it
 * for, has lost a wake-up. It is counted and woken by hand. No clock has a say
 * in that; it only ends the rounds.
 *
 * The same rounds with an announcement that leaves the fence out show that they
 * would notice. Whether they do is the machine's affair, so it is reported, not
 * demanded: under an emulator a store is seen at once. Where it must be seen,
 * selftests/core/stress/parking.c demands it.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "../core/parking.h"
#include "threads.h"

#define MAX_ROUNDS	100000
#define MAX_NS		(2 * NSEC_PER_SEC)
#define NR_LINES	16
#define OVER		U64_MAX

/**
 * struct parking_ops - what is under test
 * @announce: what the worker does before its last look
 * @until_lost: end at the first lost wake-up
 * @isolated: the producer may not be interrupted
 */
struct parking_ops {
	void (*announce)(struct wsq_park *park, struct wsq_park_mask *mask);
	bool until_lost;
	bool isolated;
};

/**
 * struct meeting - producer and worker
 * @ops: what is under test
 * @mask: who puts to the worker
 * @door: the producer's way to it
 * @worker: the thread that parks; the producer reads it once @ready
 * @park: the worker's announcement
 * @pos: number of the last task. Written by the producer
 * @lines: its content: by the producer until it is put, then by the worker
 * @allowed: up to which task the producer may put. Written by the worker
 * @rests: the last round in which the worker is done, or asleep for good
 * @ended: the last task that the producer is done with
 * @judged: the last round that the producer has judged
 * @woken: the round that the worker need not sleep in any longer. Producer
 * @asleep: does the worker sleep in this round? Valid with @rests
 * @rounds: how many there were. The worker's count, as the next two
 * @sleeps: in how many it slept
 * @fenced: CPUs that stood in its sets
 * @claims: wake-ups. The producer's count, as the next one
 * @lost: wake-ups that should have been
 */
struct meeting {
	const struct parking_ops *ops;
	struct wsq_park_mask mask;
	struct wsq_park_door door;
	struct task_struct *worker;
	struct wsq_park park ____cacheline_aligned;
	atomic64_t pos ____cacheline_aligned;
	struct {
		u64 value;
	} ____cacheline_aligned lines[NR_LINES];
	u64 allowed ____cacheline_aligned;
	u64 rests;
	bool asleep;
	u64 rounds, sleeps, fenced;
	u64 ended ____cacheline_aligned;
	u64 judged;
	u64 woken;
	u64 claims, lost;
};

/* Spins: the other CPU is about to write. */
static u64 wait_for(const u64 *word, u64 value)
{
	u64 now;

	for (;;) {
		/* Pairs with tell(). */
		now = smp_load_acquire(word);
		if (now >= value)
			return now;
		cpu_relax();
		wsq_test_breathe();
	}
}

/* What precedes is seen by whoever waits for @word. */
static void tell(u64 *word, u64 value)
{
	/* Pairs with wait_for() and with the loop of meeting_sleep(). */
	smp_store_release(word, value);
}

static void nothing(u64 n)
{
	while (n--)
		barrier();
}

static void announce_unfenced(struct wsq_park *park, struct wsq_park_mask *mask)
{
	wsq_park_announce(park);
	wsq_park_collect(mask);
}

/* The put, and whether it has to wake the worker. */
static bool meeting_put(struct meeting *m, u64 nr)
{
	bool wake;
	int i;

	/* At hand, as it is where puts are many: that is the dangerous case. */
	wsq_parked(&m->park);
	wsq_fence_begin();
	for (i = 0; i < NR_LINES; i++)
		m->lines[i].value = nr + i;
	atomic64_set_release(&m->pos, nr);
	wake = wsq_park_claim_remote(&m->park, &m->door);
	wsq_fence_end();
	m->claims += wake;
	return wake;
}

static void meeting_wake(struct meeting *m, u64 round)
{
	tell(&m->woken, round);
	wake_up_process(m->worker);
}

static void meeting_producer(struct meeting *m)
{
	u64 round, state = 1;
	bool wake;

	for (round = 1; wait_for(&m->allowed, 2 * round - 1) != OVER; round++) {
		meeting_put(m, 2 * round - 1);
		tell(&m->ended, 2 * round - 1);

		wait_for(&m->allowed, 2 * round);
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		nothing(state >> 58);
		wake = meeting_put(m, 2 * round);
		if (wake)
			meeting_wake(m, round);
		tell(&m->ended, 2 * round);

		wait_for(&m->rests, round);
		if (m->asleep && !wake) {
			m->lost++;
			meeting_wake(m, round);
		}
		tell(&m->judged, round);
	}
}

/* Is task @nr there? If so it is taken, content and all. */
static bool meeting_look(struct kunit *test, struct meeting *m, u64 nr)
{
	int i;

	if (atomic64_read_acquire(&m->pos) < nr)
		return false;
	for (i = 0; i < NR_LINES; i++) {
		if (m->lines[i].value != nr + i)
			KUNIT_FAIL(test, "task %llu is %llu", nr,
				   m->lines[i].value);
		m->lines[i].value = 0;
	}
	return true;
}

static void meeting_sleep(struct meeting *m, u64 round)
{
	m->asleep = true;
	m->sleeps++;
	tell(&m->rests, round);
	/* Pairs with tell(), in meeting_wake(). */
	while (smp_load_acquire(&m->woken) < round) {
		schedule();
		set_current_state(TASK_IDLE);
	}
	__set_current_state(TASK_RUNNING);
}

static void meeting_worker(struct kunit *test, struct meeting *m)
{
	u64 end = ktime_get_ns() + MAX_NS, round, delay = 0, state = 2;
	u32 i;

	for (round = 1; round <= MAX_ROUNDS; round++) {
		tell(&m->allowed, 2 * round - 1);
		wait_for(&m->ended, 2 * round - 1);
		KUNIT_EXPECT_TRUE(test, meeting_look(test, m, 2 * round - 1));

		tell(&m->allowed, 2 * round);
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		nothing((state >> 33) % (delay + 1));
		set_current_state(TASK_IDLE);
		m->ops->announce(&m->park, &m->mask);
		for (i = 0; i < m->mask.nr_words; i++)
			m->fenced += hweight64(m->mask.taken[i]);
		m->asleep = false;
		/* Earlier next time, or later: the two shall meet. */
		if (meeting_look(test, m, 2 * round)) {
			__set_current_state(TASK_RUNNING);
			delay -= delay / 16;
			tell(&m->rests, round);
		} else {
			delay = min_t(u64, delay + delay / 16 + 16, 4096);
			meeting_sleep(m, round);
			KUNIT_EXPECT_TRUE(test,
					  meeting_look(test, m, 2 * round));
		}
		wait_for(&m->judged, round);
		wsq_park_retract(&m->park);
		m->rounds = round;
		if (ktime_get_ns() > end || (m->ops->until_lost && m->lost))
			break;
	}
	tell(&m->allowed, OVER);
}

struct meeting_arg {
	struct kunit *test;
	struct meeting *m;
	struct completion ready;
};

/* The worker is on the first CPU, the producer on the second. */
static void meeting_party(void *data, int nr)
{
	struct meeting_arg *arg = data;

	if (nr == 0) {
		arg->m->worker = current;
		complete(&arg->ready);
		meeting_worker(arg->test, arg->m);
	} else {
		wait_for_completion(&arg->ready);
		meeting_producer(arg->m);
	}
}

/* The second CPU of wsq_test_run(). */
static unsigned int producer_cpu(void)
{
	return cpumask_next(cpumask_first(cpu_online_mask), cpu_online_mask);
}

static struct meeting *meeting_hold(struct kunit *test,
				    const struct parking_ops *ops)
{
	bool fenced = ops->announce != announce_unfenced;
	u32 nr_words = wsq_fence_words();
	struct meeting_arg arg = { .test = test };
	struct meeting *m;
	atomic64_t *words;
	u64 *taken;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	m = kunit_kzalloc(test, PAGE_ALIGN(sizeof(*m)), GFP_KERNEL);
	words = kunit_kcalloc(test, nr_words, sizeof(*words), GFP_KERNEL);
	taken = kunit_kcalloc(test, nr_words, sizeof(*taken), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_ASSERT_NOT_NULL(test, words);
	KUNIT_ASSERT_NOT_NULL(test, taken);
	m->ops = ops;
	wsq_park_init(&m->park);
	wsq_park_mask_init(&m->mask, words, taken, nr_words);
	/* Without a fence, as if there were one. */
	wsq_park_door_init(&m->door, &m->mask, producer_cpu(), !ops->isolated &&
			   (!fenced || wsq_fence_reaches(producer_cpu())));
	arg.m = m;
	init_completion(&arg.ready);
	wsq_test_run(test, 2, meeting_party, &arg);
	kunit_info(test, "%llu rounds, %llu sleeps, %llu wake-ups, %llu interrupts, %llu lost",
		   m->rounds, m->sleeps, m->claims, fenced ? m->fenced : 0,
		   m->lost);
	return m;
}

static void parking_remote(struct kunit *test)
{
	static const struct parking_ops ops = {
		.announce = wsq_park_announce_mask,
	};
	struct meeting *m = meeting_hold(test, &ops);

	KUNIT_EXPECT_EQ(test, m->lost, 0);
	KUNIT_EXPECT_GT(test, m->rounds, 0);
	if (wsq_fence_reaches(producer_cpu())) {
		/* Once each round, and nobody else. */
		KUNIT_EXPECT_GE(test, m->fenced, m->rounds);
		KUNIT_EXPECT_LE(test, m->fenced, 2 * m->rounds);
	} else {
		KUNIT_EXPECT_EQ(test, m->fenced, 0);
	}
}

static void parking_isolated(struct kunit *test)
{
	static const struct parking_ops ops = {
		.announce = wsq_park_announce_mask,
		.isolated = true,
	};
	struct meeting *m = meeting_hold(test, &ops);

	KUNIT_EXPECT_EQ(test, m->lost, 0);
	KUNIT_EXPECT_GT(test, m->rounds, 0);
	KUNIT_EXPECT_EQ(test, m->fenced, 0);
}

/* What the fence is for. Reported, see the top of the file. */
static void parking_unfenced(struct kunit *test)
{
	static const struct parking_ops ops = {
		.announce = announce_unfenced,
		.until_lost = true,
	};
	struct meeting *m = meeting_hold(test, &ops);

	KUNIT_EXPECT_GT(test, m->rounds, 0);
	if (!m->lost)
		kunit_info(test, "no wake-up was lost without the fence: this machine does not show it");
	else
		kunit_info(test, "without the fence a wake-up was lost in round %llu",
			   m->rounds);
}

/* The fence alone: whom it reaches, and that all of a set have passed it. */
static void fence_serves(struct kunit *test)
{
	u32 nr_words = wsq_fence_words(), i;
	unsigned int cpu, reached = 0;
	u64 *set;

	set = kunit_kcalloc(test, nr_words, sizeof(*set), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_EXPECT_GE(test, nr_words * WSQ_FENCE_WORD_BITS, nr_cpu_ids);
	for_each_possible_cpu(cpu) {
		/* As a mask's bit is, and as the kernel reads it. */
		struct wsq_park_mask mask = { .nr_words = nr_words };
		struct wsq_park_door door;

		mask.words = (atomic64_t *)set;
		wsq_park_door_init(&door, &mask, cpu, true);
		atomic64_fetch_or(door.bit, door.word);
		KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(cpu, (struct cpumask *)set));
		reached += wsq_fence_reaches(cpu);
	}
	KUNIT_EXPECT_EQ(test, cpumask_weight((struct cpumask *)set),
			num_possible_cpus());
	KUNIT_EXPECT_EQ(test, reached > 0, wsq_fence_ipi);
	/* All possible CPUs, this one and those offline among them; then none. */
	wsq_fence_heavy(set, nr_words);
	for (i = 0; i < nr_words; i++)
		set[i] = 0;
	wsq_fence_heavy(set, nr_words);
}

static struct kunit_case parking_cases[] = {
	KUNIT_CASE(fence_serves),
	KUNIT_CASE_SLOW(parking_remote),
	KUNIT_CASE_SLOW(parking_isolated),
	KUNIT_CASE_SLOW(parking_unfenced),
	{}
};

static struct kunit_suite parking_suite = {
	.name = "wsq_parking",
	.test_cases = parking_cases,
};

kunit_test_suite(parking_suite);
