// SPDX-License-Identifier: GPL-2.0
/*
 * A thief sleeps from its look at the positions to its claim, while the block
 * is reused. Run bounded. Rounds that never return make the claim fail; with
 * -DWSQ_BWOS_ROUND_BITS=2, which is enough for two blocks as long as no thief
 * sleeps, round 6 looks like round 2, and this client must find it.
 *
 * The thief finds block 1 full in round 2. When it wakes the block has one task
 * in round 6, and a claim of two would take a slot that has not been filled.
 * Shared parts, use and limitations: client.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "client.h"

struct asleep : client<asleep, 2> {
	void thread(unsigned int i)
	{
		int lap;

		if (i == 0) {
			put(4);
			get(4);
			for (lap = 3; lap < 6; lap++) {
				put(2);
				get(2);
			}
			put(1);
		} else {
			steal(2);
		}
	}
};

CLIENT_MAIN(asleep)
