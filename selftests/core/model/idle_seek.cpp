// SPDX-License-Identifier: GPL-2.0
/*
 * Idle workers: a put, the seeker, which finds an item, and a worker that
 * sleeps. Forbidden: an item is left, which the put left to the seeker or the
 * seeker saw, and the worker was not woken. Use and limitations: main.h,
 * idle_client.h.
 */
#include "idle_client.h"

struct idle_seek : rl::test_suite<idle_seek, 2>, idle_book {
	void before()
	{
		open(IDLE_CPUS);
		parked(2);
		on[0] = on[1] = 1;
		RL_ASSERT(wsq_seek_begin(&cpus[1]));
		on[0] = 0;
		atomic64_set(&items, 1);
		wsq_surplus_set(&cpus[0]);
	}

	void thread(unsigned int i)
	{
		if (i)
			RL_ASSERT(steal(1));
		else
			put();
	}

	void after()
	{
		settled();
		RL_ASSERT(atomic64_read(&items) == 1 && woken[2] == 1);
	}
};

CLIENT_MAIN(idle_seek)
