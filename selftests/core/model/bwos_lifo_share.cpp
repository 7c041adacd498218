// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks that are granted when they are not full, robbed, taken over, filled up
 * and granted again: where such a block ends, that puts to it come with the next
 * grant, and how much of it is the owner's.
 * Shared parts, use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_share : client<lifo_share, 3, 2, 3> {
	void share()
	{
		wsq_bwos_lifo_share(&q);
	}

	/* The owner has so many, at least, no thief gets one of them, and no more. */
	void kept(int least)
	{
		int n = (int)wsq_bwos_lifo_kept(&q);

		RL_ASSERT(n >= least && get(n) == n);
		RL_ASSERT(!wsq_bwos_lifo_kept(&q));
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			put(1);
			share();
			put(1);
			get(2);
			put(2);
			share();
			/* Of a block that has been robbed of some. */
			steal(1);
			get(1);
			kept(0);
			put(2);
			share();
			put(2);
			get(2);
			kept(0);
			put(1);
			kept(in[next - 1]);
		} else {
			steal(3);
			steal(1);
		}
	}
};

CLIENT_MAIN(lifo_share)
