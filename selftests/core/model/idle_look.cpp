// SPDX-License-Identifier: GPL-2.0
/*
 * Idle workers: two puts, a worker of its domain that clears the machine's surplus
 * bit, and one of another domain that parks. Forbidden: an item is left, and the
 * worker of the other domain sleeps and was not woken. Use and limitations:
 * main.h, idle_client.h.
 */
#include "idle_client.h"

struct idle_look : rl::test_suite<idle_look, 3>, idle_book {
	void before()
	{
		open(2);
		on[0] = 0;
		on[1] = 1;
		on[2] = 2;
		set_bit(0, normal.domains.surplus);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put();
			put();
			break;
		case 1:
			steal(1);
			break;
		case 2:
			park(2);
			break;
		}
	}

	void after()
	{
		settled();
		if (atomic64_read(&items) && asleep[2])
			RL_ASSERT(woken[2]);
	}
};

CLIENT_MAIN(idle_look)
