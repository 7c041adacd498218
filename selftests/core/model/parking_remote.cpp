// SPDX-License-Identifier: GPL-2.0
/*
 * Parking, scenario C of parking.h: a worker that parks twice, a CPU that puts
 * three times and one that puts twice, each the only writer of a counter, one
 * word of the mask for each. Forbidden: the worker sleeps, a task is there, and
 * nobody claimed to wake it; or two did.
 *
 * Parties are told apart by CPUs 1 and 65. With ISOLATED (parking_isolated.cpp)
 * the second may not be interrupted. smp_mb() stands for either side of the
 * fence; with WSQ_FENCE_BY_HAND (parking_fence.cpp) the fence is what it is in
 * the kernel. Use and limitations: main.h.
 */
#ifndef ISOLATED
#define ISOLATED	false
#endif

#include "main.h"

#include "parking.h"

struct parking_remote;
static parking_remote *self;

struct parking_remote : rl::test_suite<parking_remote, 3> {
	enum { NR = 2 };

	wsq_park park;
	wsq_park_mask mask;
	wsq_park_door doors[NR];
	atomic64_t words[NR];
	u64 taken[NR];
	/* How much each has put, and what it is: the task as it was stored. */
	atomic64_t put_pos[NR];
	rl::var<int> tasks[NR][4];
	s64 got[NR];
	bool asleep;
	int woken;
	int slept;
	/* Of the fence by hand. */
	bool inside[NR];
	bool called[NR];
	int interrupts;

	void before()
	{
		int i;

		self = this;
		wsq_park_init(&park);
		wsq_park_mask_init(&mask, words, taken, NR);
		for (i = 0; i < NR; i++) {
			wsq_park_door_init(&doors[i], &mask, 1 + 64 * (u32)i,
					   !(i && ISOLATED));
			atomic64_set(&put_pos[i], 0);
			got[i] = 0;
			inside[i] = false;
			called[i] = false;
		}
		asleep = false;
		woken = 0;
		slept = 0;
		interrupts = 0;
	}

	void put(int i, s64 nr)
	{
		wsq_fence_begin();
		tasks[i][nr]($) = (int)nr;
		atomic64_set_release(&put_pos[i], nr);
		if (wsq_park_claim_remote(&park, &doors[i]))
			woken++;
		wsq_fence_end();
	}

	/* Take what there is; false if there was nothing. */
	bool look()
	{
		bool found = false;
		s64 pos;
		int i;

		for (i = 0; i < NR; i++) {
			pos = atomic64_read_acquire(&put_pos[i]);
			RL_ASSERT(pos >= got[i]);
			while (got[i] < pos) {
				got[i]++;
				RL_ASSERT(tasks[i][got[i]]($) == (int)got[i]);
				found = true;
			}
		}
		return found;
	}

	void worker()
	{
		int lap;

		for (lap = 0; lap < 2; lap++) {
			look();
			wsq_park_announce_mask(&park, &mask);
			if (!look()) {
				/* Whoever is to wake us does, once. */
				asleep = true;
				slept++;
				return;
			}
			wsq_park_retract(&park);
		}
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			worker();
		} else if (i == 1) {
			put(0, 1);
			put(0, 2);
			put(0, 3);
		} else {
			put(1, 1);
			put(1, 2);
		}
	}

	void after()
	{
		bool left = look();

		/* Each time the worker announced itself, at most one claim. */
		RL_ASSERT(woken <= 2);
		if (asleep && left)
			RL_ASSERT(!wsq_parked(&park) && woken >= 1);
		if (!asleep)
			RL_ASSERT(!wsq_parked(&park));
		/* Who may not be interrupted is in nobody's set. */
		RL_ASSERT(!ISOLATED || !atomic64_read(&words[1]));
	}
};

#ifdef WSQ_FENCE_BY_HAND
/*
 * The handler, wherever a section lets it in. What begin and end have is
 * what an interrupt outside of the section does.
 */
static int party(void)
{
	return (int)rl::thread_index() - 1;
}

static void serve(void)
{
	if (!self->called[party()])
		return;
	smp_mb();
	self->called[party()] = false;
	self->interrupts++;
}

static void wsq_fence_begin(void)
{
	smp_mb();
	self->inside[party()] = true;
}

/*
 * Relacy switches threads at the beginning of an operation: whoever counts as
 * outside has had the barrier, or the worker would pass over a store under way.
 */
static void wsq_fence_end(void)
{
	smp_mb();
	serve();
	self->inside[party()] = false;
}

/* A place for the interrupt, and no order at all without one. */
static void wsq_fence_light(void)
{
	serve();
}

static void wsq_fence_heavy(const u64 *cpus, u32 nr_words)
{
	u32 i;

	smp_mb();
	for (i = 0; i < nr_words; i++)
		if (cpus[i] && self->inside[i])
			self->called[i] = true;
	for (i = 0; i < nr_words; i++)
		while (self->called[i])
			rl::yield(1, $);
	smp_mb();
}
#endif

CLIENT_MAIN(parking_remote)
