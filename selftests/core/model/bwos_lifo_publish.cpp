// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks that are published when they are not full, stolen from, taken over,
 * filled up and published again: the end of such a block, puts to it that only
 * the next publication includes, and the owner's share of it. Shared parts, use
 * and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_publish : client<lifo_publish, 3, 2, 3> {
	void publish()
	{
		wsq_bwos_lifo_publish(&q);
	}

	/* The owner keeps at least @least tasks; no thief gets any of them. */
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
			publish();
			put(1);
			get(2);
			put(2);
			publish();
			/* From a block of which some tasks were stolen. */
			steal(1);
			get(1);
			kept(0);
			put(2);
			publish();
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

CLIENT_MAIN(lifo_publish)
