// SPDX-License-Identifier: GPL-2.0
/*
 * Parking, scenario B of parking.h: a worker that goes to sleep, two puts from
 * other CPUs through the inbox. Forbidden: the worker sleeps, a task is queued,
 * and no put claimed the wake-up; or two did. Use and limitations: main.h.
 */
#include "main.h"

#include "inbox.h"
#include "parking.h"

struct parking : rl::test_suite<parking, 3> {
	wsq_inbox in;
	wsq_park park;
	atomic64_t links[2];
	bool slept;
	int woken;

	void before()
	{
		wsq_inbox_init(&in);
		wsq_park_init(&park);
		slept = false;
		woken = 0;
	}

	void thread(unsigned int i)
	{
		if (i == 2) {
			wsq_park_announce(&park);
			if (wsq_inbox_empty(&in)) {
				slept = true;
				return;
			}
			/* Awake, as wsq_idle_leave(): unless a put has claimed it. */
			wsq_park_claim(&park);
			wsq_inbox_take(&in);
			return;
		}
		while (wsq_inbox_try_push(&in, &links[i]) == WSQ_CONFLICT)
			;
		if (wsq_park_claim(&park))
			woken++;
	}

	void after()
	{
		RL_ASSERT(woken <= 1);
		if (slept && !wsq_inbox_empty(&in))
			RL_ASSERT(woken == 1);
		/* Awake again, with no wake-up pending: the word is clear. */
		if (!slept)
			RL_ASSERT(!wsq_park_claim(&park));
	}
};

CLIENT_MAIN(parking)
