// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots of the LIFO BWoS: an owner that puts and claims, up and down, a
 * thief that steals, another party that steals from the owner's active block
 * and removes two tasks by their slots. Each task comes out once, and whole.
 * Shared parts: claimed.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "claimed.h"

struct lifo_claims : claimed_client<lifo_claims, 3> {
	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put_claimed(3);
			claim(2);
			put_claimed(2);
			claim(3);
			put_claimed(3);
			claim(2);
			put_claimed(2);
			claim(1);
			break;
		case 1:
			batch_of(2);
			batch_of(1);
			break;
		case 2:
			/* The block's second task, and one put later. */
			remove(1, 2);
			steal_active(2);
			for (u32 nr = 0; nr < 5; nr++)
				remove(nr, 5);
			break;
		}
	}
};

CLIENT_MAIN(lifo_claims)
