// SPDX-License-Identifier: GPL-2.0
/*
 * A thief sleeps from its look at the positions to its claim, while the block
 * is taken over and published again. Run bounded. Rounds that never return make
 * the claim fail; with -DWSQ_BWOS_ROUND_BITS=2, which is enough as long as no
 * thief sleeps, round 5 looks like round 1, and this client must find it.
 *
 * The thief finds two tasks in round 1. When it wakes the block has one task in
 * round 5, and a claim of two would take a slot that has not been filled.
 * Shared parts, use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_asleep : client<lifo_asleep, 2> {
	void thread(unsigned int i)
	{
		int round;

		if (i == 0) {
			for (round = 1; round < 5; round++) {
				put(3);
				get(4);
			}
			put(1);
			wsq_bwos_lifo_publish(&q);
			put(1);
		} else {
			steal(2);
		}
	}
};

CLIENT_MAIN(lifo_asleep)
