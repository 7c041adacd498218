// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots that are filled again and again: an owner that wraps around
 * with the slots that others leave, two thieves that claim from a block, one of
 * which may sleep between its claim of the range and of the slots, a spare
 * block, and another party that knows a task's slot, and is late. Shared parts:
 * claimed.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "claimed.h"

struct lifo_claims_reuse : claimed_client<lifo_claims_reuse, 4, 2, 2, 1> {
	void thread(unsigned int i)
	{
		int lap;

		switch (i) {
		case 0:
			for (lap = 0; lap < 4; lap++) {
				put_claimed(3);
				claim(1);
				if (lap % 2)
					claim(3);
			}
			break;
		case 3:
			remove(0, 1);
			remove(3, 5);
			steal_active(1);
			break;
		default:
			batch_of(1);
			batch_of(2);
			break;
		}
	}
};

CLIENT_MAIN(lifo_claims_reuse)
