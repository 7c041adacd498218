// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots: an owner that puts and claims, a thief that steals, somebody
 * who pries tasks out of the owner's block and takes one back by its slot. Each
 * task comes out once, and whole: its content is plain memory, written before it
 * is put. Shared parts: claimed.h; use and limitations: client.h, main.h.
 */
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
			haul(false);
			haul(false);
			break;
		case 2:
			/* The block's second task, and one that comes later. */
			if (wsq_bwos_fifo_withdraw(&q, 1, task_of(2)))
				out_came(task_of(2));
			haul(true);
			for (u32 nr = 0; nr < 4; nr++)
				if (wsq_bwos_fifo_withdraw(&q, nr, task_of(6)))
					out_came(task_of(6));
			break;
		}
	}

	void after()
	{
		for (int i = 0; i < 32; i++)
			claim(1);
		all_out_once();
	}
};

CLIENT_MAIN(claims)
