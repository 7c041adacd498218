// SPDX-License-Identifier: GPL-2.0
/*
 * A thief that reads before it claims sleeps until the queue has grown and the
 * owner has come down to the block, put to it again and published it again by
 * going up to a new block. Small, to be run bounded. Shared parts:
 * grow_client.h; use and limitations: client.h, main.h.
 */
#define WSQ_SHIM_READ_FIRST

#include "../engine/bwos_lifo/model.h"
#include "grow_client.h"

struct lifo_grow_first_asleep : grow_client<lifo_grow_first_asleep, 2, 2, 2, 0, 3> {
	grow_segment<1, 0> one;

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
};

CLIENT_MAIN(lifo_grow_first_asleep)
