// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks that are granted when they are not full, robbed, taken over, filled up
 * and granted again: where such a block ends, and that puts to it come with the
 * next grant.
 * Shared parts, use and limitations: bwos_lifo_client.h, main.h.
 */
#include "bwos_lifo_client.h"

struct lifo_share : lifo_client<lifo_share, 3, 2, 3> {
	void share()
	{
		wsq_bwos_lifo_share(&q);
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
			get(1);
			put(2);
			share();
			put(2);
			get(2);
		} else {
			steal(3);
			steal(1);
		}
	}
};

CLIENT_MAIN(lifo_share)
