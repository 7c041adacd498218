// SPDX-License-Identifier: GPL-2.0
/*
 * Idle workers: a put, and two workers of another domain that park, of which
 * the machine's idle bit says that it has some. Forbidden: an item is left and
 * both sleep; a worker sleeps and the machine's bit is clear. Use and
 * limitations: main.h, idle_client.h.
 */
#include "idle_client.h"

struct idle_far : rl::test_suite<idle_far, 3>, idle_book {
	void before()
	{
		open(1);
		on[0] = 0;
		on[1] = 1;
		on[2] = 2;
		set_bit(1, normal.domains.idle);
	}

	void thread(unsigned int i)
	{
		if (i)
			park(i);
		else
			put();
	}

	void after()
	{
		settled();
		if (atomic64_read(&items) && asleep[1] && asleep[2])
			RL_ASSERT(woken[1] + woken[2] == 1);
	}
};

CLIENT_MAIN(idle_far)
