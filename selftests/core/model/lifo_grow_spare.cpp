// SPDX-License-Identifier: GPL-2.0
/*
 * A spare block that came with new places takes an old place, whose block a thief
 * holds since before that: another thief looks at that place. Shared parts:
 * grow_client.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "grow_client.h"

struct lifo_grow_spare : grow_client<lifo_grow_spare, 2, 2, 2, 0, 3, 1> {
	grow_piece<1, 1> one;

	void before()
	{
		grow_client::before();
		/*
		 * The owner is at place 1. Tasks 1 and 2, at place 0, are claimed, and
		 * not counted for long.
		 */
		put(4);
		atomic64_set(&blocks[0].s_pos, atomic64_read(&blocks[0].s_pos) + 2);
		put(1);
		RL_ASSERT(!in[5]);
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			one.extend(&q);
			/* Up to the new place, and on to place 0. */
			put(4);
			RL_ASSERT(in[next - 1] && !q.place);
			get(1);
			/* If the other thief has emptied what is above. */
			wsq_bwos_lifo_share(&q);
			return;
		}
		steal_at(0, 2);
		steal(2);
	}

	void after()
	{
		took(wsq_slot_read(&blocks[0].slots[0]));
		took(wsq_slot_read(&blocks[0].slots[1]));
		atomic64_fetch_add_release(2, &blocks[0].s_cnt);
		holds(3, 1);
	}
};

CLIENT_MAIN(lifo_grow_spare)
