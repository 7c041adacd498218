// SPDX-License-Identifier: GPL-2.0
/*
 * A queue that grows under thieves that read before they claim, and count
 * nothing, as in pools of pointers. The owner returns to old blocks by way of
 * new ones, and to new ones a second time. One thief steals twice, one up to a
 * block. Shared parts: grow_client.h; use and limitations: client.h, main.h.
 */
#define WSQ_SHIM_READ_FIRST
#include "../engine/bwos_fifo/model.h"
#include "grow_client.h"

struct grow_first : grow_client<grow_first, 3, 2, 2, 0, 4, 0> {
	grow_segment<1, 0> one;
	grow_segment<1, 0> two;

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put(4);
			get(1);
			RL_ASSERT(one.extend(&q) == 1);
			/* No thief can be in its way there. */
			RL_ASSERT(!wsq_bwos_fifo_short(&q));
			put(2);
			RL_ASSERT(in[5] && in[6]);
			get(5);
			put(3);
			RL_ASSERT(two.extend(&q) == 1);
			put(3);
			get(4);
			put(4);
			get(2);
			put(2);
			break;
		case 1:
			steal(1);
			steal(1);
			break;
		case 2:
			steal(2);
			break;
		}
	}
};

CLIENT_MAIN(grow_first)
