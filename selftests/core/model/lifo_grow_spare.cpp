// SPDX-License-Identifier: GPL-2.0
/*
 * A spare block that came with new blocks replaces an old block, which a thief
 * has held since before that; another thief looks at its directory entry.
 * Shared parts: grow_client.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "grow_client.h"

struct lifo_grow_spare : grow_client<lifo_grow_spare, 2, 2, 2, 0, 3, 1> {
	grow_segment<1, 1> one;

	void before()
	{
		grow_client::before();
		/*
		 * The owner is at block 1. Tasks 1 and 2, in block 0, are
		 * claimed, and not counted for a long time.
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
			/* Up to the new block, and on to block 0. */
			put(4);
			RL_ASSERT(in[next - 1] && !q.index);
			get(1);
			/* If the other thief has emptied the blocks above. */
			wsq_bwos_lifo_publish(&q);
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
