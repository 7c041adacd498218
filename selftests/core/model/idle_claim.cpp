// SPDX-License-Identifier: GPL-2.0
/*
 * Idle workers: a worker that parks, finds something to do and parks again, and
 * two contexts that wake it. Forbidden: it sleeps, was not woken, and has no idle
 * bit, so no put ever finds it. Use and limitations: main.h, idle_client.h.
 */
#include "idle_client.h"

struct idle_claim : rl::test_suite<idle_claim, 3>, idle_book {
	void before()
	{
		open(IDLE_CPUS);
		on[0] = 0;
		on[1] = 1;
		on[2] = 2;
	}

	void thread(unsigned int i)
	{
		if (i != 1) {
			wsq_wake_cpu(&cpus[1]);
			return;
		}
		announce(1);
		wsq_idle_leave(&cpus[1]);
		announce(1);
	}

	void after()
	{
		RL_ASSERT(woken[1] <= 2);
		RL_ASSERT(!wsq_parked(&cpus[1].park) || idle_bit(1));
	}
};

CLIENT_MAIN(idle_claim)
