// SPDX-License-Identifier: GPL-2.0
/*
 * A thief that reads before it claims sleeps until the queue has grown and the
 * producer has returned to the block by way of new ones. Small, to be run
 * bounded. Shared parts: grow_client.h; use and limitations: client.h, main.h.
 */
#define WSQ_SHIM_READ_FIRST
#include "../engine/bwos_fifo/model.h"
#include "grow_client.h"

struct grow_first_asleep : grow_client<grow_first_asleep, 2, 2, 2, 0, 3, 0> {
	grow_segment<1, 0> one;

	void thread(unsigned int i)
	{
		if (i) {
			steal(1);
			return;
		}
		put(4);
		RL_ASSERT(one.extend(&q) == 1);
		get(4);
			/* Through the new block, and around. */
		put(6);
		RL_ASSERT(in[next - 2]);
	}
};

CLIENT_MAIN(grow_first_asleep)
