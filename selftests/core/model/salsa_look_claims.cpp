// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA, claimed: is the pool empty? As salsa_look.cpp, but without interrupts:
 * a task is in the chunk that is looked at last; a thread that knows that
 * another is in the chunk that is looked at first removes it. Its consumer
 * skips it and stores the index. Others look at the same time.
 *
 * The kernel's release covers what the thread has read, by plain loads as well;
 * C11's does not. So loads of slots acquire here. Shared parts, use and
 * limitations: salsa_client.h.
 */
#define WSQ_SHIM_PEEK	rl::mo_acquire
#include "salsa_client.h"

struct salsa_look_claims : salsa_client<salsa_look_claims, 4, 2, 2, 3> {
	/* Producer 0 gets chunk 1, the other one chunk 0. */
	u32 home_of(u32 nr)
	{
		return !nr;
	}

	void prepare()
	{
		put_before(2, 0, 0);
		get(0);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			get(0);
			get(0);
			break;
		case 1:
			look();
			get(1);
			break;
		case 2:
			put(1, 1);
			tell(0);
			look();
			break;
		case 3:
			while (!asked(0))
				rl::yield(1, $);
			remove(2);
			break;
		}
	}

	void conclude()
	{
		RL_ASSERT(!interrupts);
	}
};

CLIENT_MAIN(salsa_look_claims)
