// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots: an owner that puts and claims, a thief that steals, another
 * party that steals from the owner's active block and removes one task by its
 * slot. Each task comes out once, and whole: its content is plain memory,
 * written before it is put. Shared parts: claimed.h; use and limitations:
 * client.h, main.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "claimed.h"

struct claims : claimed_client<claims, 3> {
	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put_claimed(3);
			claim(2);
			put_claimed(4);
			claim(3);
			put_claimed(5);
			claim(4);
			break;
		case 1:
			batch_of(2);
			batch_of(2);
			break;
		case 2:
			/* The block's second task, and one put later. */
			remove(1, 2);
			steal_active(2);
			for (u32 nr = 0; nr < 4; nr++)
				remove(nr, 6);
			break;
		}
	}
};

CLIENT_MAIN(claims)
