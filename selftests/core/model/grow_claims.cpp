// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots of a queue that grows: an owner that puts, grows, puts and
 * claims, a thief that steals, another party that steals from the active block, asks whether tasks
 * wait, and removes by numbers of slots that do not exist yet, or have just
 * been added. The owner creates the new slots right before. Shared parts:
 * grow_client.h, claimed.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "grow_client.h"

struct grow_claims : claimed_client<grow_claims, 3, 2, 2, 0, 3> {
	grow_segment<1, 0> one;

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put_claimed(4);
			claim(1);
			one.zero();
			RL_ASSERT(one.extend(&q) == 1);
			put_claimed(2);
			RL_ASSERT(in[5] && in[6]);
			claim(3);
			put_claimed(2);
			claim(2);
			break;
		case 1:
			batch_of(2);
			batch_of(2);
			break;
		case 2:
			wsq_bwos_fifo_waiting(&q);
			for (u32 nr = 3; nr < 7; nr++)
				remove(nr, 5);
			steal_active(2);
			for (u32 nr = 0; nr < 7; nr++)
				remove(nr, 6);
			break;
		}
	}

	void after()
	{
		holds_claimed(3, 0);
		for (wsq_slot_t &slot : one.slots)
			RL_ASSERT(!wsq_slot_peek(&slot));
	}
};

CLIENT_MAIN(grow_claims)
