/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests of the asymmetric fence share: the heavy side is on the first CPU
 * of wsq_test_run(), the light side on the second.
 *
 * A program is run with its fence, and must not show the forbidden outcome. It
 * is run once more without, and then should. On a processor with store buffers,
 * which user-mode Linux uses directly, that takes moments if the virtual CPUs
 * run at the same time. Where they do not, as in an emulator or on a busy host,
 * the test is skipped. The native tests in selftests/core/stress demand the
 * outcome.
 */
#ifndef _WSQ_TESTS_SIDES_H
#define _WSQ_TESTS_SIDES_H

#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "../compat/kunit.h"
#include "../core/fence.h"
#include "threads.h"

/*
 * How long to look for the forbidden outcome, and at most for the expected one:
 * sides whose CPUs share one core of the host for a while do not meet. How many
 * rounds that is decides no verdict. KASAN's kernels are meant for other
 * faults.
 */
#define SIDE_CALM_NS	((IS_ENABLED(CONFIG_KASAN) ? 1 : 4) * NSEC_PER_SEC / 2)
#define SIDE_HUNT_NS	(30 * NSEC_PER_SEC)

/* How many meetings to wait for, where the outcome can be found. */
#define SIDE_HUNTED	(IS_ENABLED(CONFIG_UML) ? U64_MAX : 0)

/* Is it time to end, after @met of at least @want meetings since @begin? */
static inline bool side_over(u64 begin, u64 met, u64 want)
{
	return ktime_get_ns() - begin >
	       (met < want ? SIDE_HUNT_NS : SIDE_CALM_NS);
}

/* Spins: the other CPU is about to write. */
static inline void side_wait(const u64 *word, u64 value)
{
	/* Pairs with side_notify(). */
	while (smp_load_acquire(word) < value) {
		cpu_relax();
		wsq_test_yield();
	}
}

/* A CPU that waits for @word sees all writes before this. */
static inline void side_notify(u64 *word, u64 value)
{
	/* Pairs with side_wait(). */
	smp_store_release(word, value);
}

/* A CPU that is not @reached has its own barrier. */
static inline void side_pass(bool reached)
{
	if (reached)
		wsq_fence_light();
	else
		/* Against the full barrier in wsq_fence_heavy(). */
		smp_mb();
}

static inline unsigned int side_cpu(void)
{
	return cpumask_next(cpumask_first(cpu_online_mask), cpu_online_mask);
}

/* An empty set. */
static inline u64 *side_set_new(struct kunit *test)
{
	u64 *set = kunit_kcalloc(test, wsq_fence_words(), sizeof(*set),
				 GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, set);
	return set;
}

static inline void side_set_add(u64 *set, unsigned int cpu)
{
	set[cpu / WSQ_FENCE_WORD_BITS] |= 1ULL << cpu % WSQ_FENCE_WORD_BITS;
}

/* The asynchronous form, for a caller that has nothing else to do. */
static inline void side_start(struct wsq_fence_call *call, unsigned int cpu)
{
	wsq_fence_start(call, cpu);
	while (!wsq_fence_done(call)) {
		cpu_relax();
		wsq_test_yield();
	}
}

static inline void side_need_two(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
}

/* Report the outcome of a program without its fence. */
static inline void side_expect_found(struct kunit *test, u64 found, u64 rounds)
{
	wsq_test_met(test, found,
		     "not found without the fence: the CPUs do not meet closely");
	kunit_info(test, "without the fence found in round %llu", rounds);
}

#endif /* _WSQ_TESTS_SIDES_H */
