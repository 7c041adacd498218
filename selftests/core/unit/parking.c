// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the mask of parking.h, scenario C: who stands in it, when, and
 * what the worker takes from it, for masks of one word and of many.
 *
 * For: run-checks. Cost: nothing. Limitations: one thread; lost wake-ups are the
 * business of stress, model and litmus.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "parking.h"

#define MAX_WORDS	128
#define NR_SIZES	4

static struct wsq_park park;
static struct wsq_park_mask mask;
static atomic64_t words[MAX_WORDS];
static u64 taken[MAX_WORDS];

static void set_up(u32 nr_words)
{
	memset(words, 0xff, sizeof(words));
	memset(taken, 0xff, sizeof(taken));
	wsq_park_init(&park);
	wsq_park_mask_init(&mask, words, taken, nr_words);
}

static bool put(const struct wsq_park_door *door)
{
	bool wake;

	wsq_fence_begin();
	wake = wsq_park_claim_remote(&park, door);
	wsq_fence_end();
	return wake;
}

/* Words behind the mask's own are nobody's to touch. */
static void untouched(u32 nr_words)
{
	u32 i;

	for (i = nr_words; i < MAX_WORDS; i++) {
		assert_true(atomic64_read(&words[i]) == -1);
		assert_true(taken[i] == ~0ULL);
	}
}

/* Each CPU alone: one bit, its own; taken once, and set again by the next put. */
static void each_cpu(void **state)
{
	static const u32 sizes[NR_SIZES] = { 1, 2, 3, MAX_WORDS };
	struct wsq_park_door door;
	u32 i, w, cpu, lap;

	(void)state;
	for (i = 0; i < NR_SIZES; i++) {
		set_up(sizes[i]);
		for (cpu = 0; cpu < 64 * sizes[i]; cpu++) {
			wsq_park_door_init(&door, &mask, cpu, true);
			for (lap = 0; lap < 2; lap++) {
				assert_false(put(&door));
				assert_false(put(&door));
				for (w = 0; w < sizes[i]; w++)
					assert_true((u64)atomic64_read(&words[w]) ==
						    (w == cpu / 64 ? 1ULL << cpu % 64 : 0));
				assert_true(wsq_park_collect(&mask));
				for (w = 0; w < sizes[i]; w++) {
					assert_true(taken[w] ==
						    (w == cpu / 64 ? 1ULL << cpu % 64 : 0));
					assert_true(!atomic64_read(&words[w]));
				}
				/* Nobody put meanwhile: nobody to interrupt. */
				assert_false(wsq_park_collect(&mask));
				for (w = 0; w < sizes[i]; w++)
					assert_true(!taken[w]);
			}
		}
		untouched(sizes[i]);
	}
}

static void all_cpus(void **state)
{
	struct wsq_park_door door;
	u32 cpu, w;

	(void)state;
	set_up(3);
	for (cpu = 0; cpu < 3 * 64; cpu += 1 + cpu % 2) {
		wsq_park_door_init(&door, &mask, cpu, true);
		assert_false(put(&door));
	}
	assert_true(wsq_park_collect(&mask));
	for (cpu = 0, w = 0; cpu < 3 * 64; cpu += 1 + cpu % 2, w++)
		assert_true(taken[cpu / 64] >> cpu % 64 & 1);
	for (cpu = 0; cpu < 3; cpu++)
		w -= (u32)__builtin_popcountll(taken[cpu]);
	assert_int_equal(w, 0);
	untouched(3);
}

/* Whoever may not be interrupted stands in no set, and wakes all the same. */
static void isolated(void **state)
{
	struct wsq_park_door door;
	u32 cpu;

	(void)state;
	set_up(2);
	for (cpu = 0; cpu < 128; cpu++) {
		wsq_park_door_init(&door, &mask, cpu, false);
		assert_false(put(&door));
		assert_false(put(&door));
		assert_false(wsq_park_collect(&mask));
		wsq_park_announce_mask(&park, &mask);
		assert_true(put(&door));
		assert_false(put(&door));
	}
	untouched(2);
}

/* One claim for each time the worker parked, by whichever way. */
static void one_claim(void **state)
{
	struct wsq_park_door a, b;
	int lap;

	(void)state;
	set_up(2);
	wsq_park_door_init(&a, &mask, 1, true);
	wsq_park_door_init(&b, &mask, 127, true);
	for (lap = 0; lap < 3; lap++) {
		assert_false(put(&a));
		assert_false(put(&b));
		wsq_park_announce_mask(&park, &mask);
		assert_true(taken[0] == 2 && taken[1] == 1ULL << 63);
		assert_true(wsq_parked(&park));
		assert_true(put(lap % 2 ? &a : &b));
		assert_false(put(&a));
		assert_false(put(&b));
		assert_false(wsq_park_claim(&park));
		wsq_park_announce_mask(&park, &mask);
		wsq_park_retract(&park);
		assert_false(put(&a));
		wsq_park_announce_mask(&park, &mask);
		assert_true(wsq_park_claim(&park));
		assert_false(put(&b));
	}
	untouched(2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cpu),
		cmocka_unit_test(all_cpus),
		cmocka_unit_test(isolated),
		cmocka_unit_test(one_claim),
	};

	wsq_fence_register();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
