// SPDX-License-Identifier: GPL-2.0
/*
 * A thief that reads before it claims, and sleeps for as long as it takes the queue
 * to grow, and the owner to come down to the block, put to it anew and grant it
 * again by going up to a new place. Small, to be run bounded. Shared parts:
 * lifo_grow_client.h; use and limitations: bwos_lifo_client.h, main.h.
 */
#define WSQ_SHIM_READ_FIRST

#include "lifo_grow_client.h"

struct lifo_grow_first_asleep : lifo_client<lifo_grow_first_asleep, 2, 2, 2, 0, 3> {
	using base = lifo_client<lifo_grow_first_asleep, 2, 2, 2, 0, 3>;

	lifo_grow_piece<1, 0> one;
	wsq_bwos_lifo_block trap;

	void before()
	{
		base::before();
		lifo_grow_trap(&mem, &trap);
	}

	void thread(unsigned int i)
	{
		if (i) {
			steal(1);
			return;
		}
		put(3);
		get(3);
		RL_ASSERT(one.extend(&q) == 1);
		put(3);
		get(1);
	}

	void after()
	{
		lifo_grow_after(this, 3, 0);
	}
};

CLIENT_MAIN(lifo_grow_first_asleep)
