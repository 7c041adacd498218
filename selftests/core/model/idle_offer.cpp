// SPDX-License-Identifier: GPL-2.0
/*
 * Idle workers: a put, a worker that parks, and a thief that clears the surplus
 * bit, all of one domain. Forbidden: an item is left and its CPU has no surplus
 * bit; an item is left and the worker sleeps; the worker is the domain's seeker
 * and does not know. Use and limitations: main.h, idle_client.h.
 */
#include "idle_client.h"

struct idle_offer : rl::test_suite<idle_offer, 3>, idle_book {
	void before()
	{
		open(IDLE_CPUS);
		on[0] = 0;
		on[1] = 1;
		on[2] = 2;
		atomic64_set(&items, 1);
		wsq_surplus_set(&cpus[0]);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put();
			break;
		case 1:
			park(1);
			break;
		case 2:
			steal(2);
			break;
		}
	}

	void after()
	{
		settled();
		if (atomic64_read(&items) && asleep[1])
			RL_ASSERT(woken[1]);
	}
};

CLIENT_MAIN(idle_offer)
