// SPDX-License-Identifier: GPL-2.0
/*
 * A queue that grows under its thieves: an owner that puts, gets and adds two
 * more segments of memory, a thief that steals twice, one that steals up to a
 * block. Shared parts: grow_client.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "grow_client.h"

struct grow : grow_client<grow, 3, 2, 2, 0, 5, 1> {
	grow_segment<2, 1> one;
	grow_segment<2, 0> two;

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put(4);
			get(1);
			RL_ASSERT(one.extend(&q) == 2);
			put(3);
			RL_ASSERT(in[next - 1]);
			get(4);
			/* Only one more block fits into the directory. */
			RL_ASSERT(two.extend(&q) == 1);
			put(6);
			get(3);
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

CLIENT_MAIN(grow)
