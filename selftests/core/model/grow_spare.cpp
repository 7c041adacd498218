// SPDX-License-Identifier: GPL-2.0
/*
 * A spare block that came with new blocks replaces an old block, which a thief
 * has held since before that; another thief looks at its directory entry.
 * Shared parts: grow_client.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "grow_client.h"

struct grow_spare : grow_client<grow_spare, 2, 2, 2, 0, 3, 1> {
	grow_segment<1, 1> one;

	void before()
	{
		wsq_bwos_block *blk = &blocks[1];

		grow_client::before();
		/*
		 * Task 3 is claimed, and not counted for a long time. The
		 * producer is at block 0, so that the queue grows after it.
		 */
		put(4);
		atomic64_set(&blk->s_pos, atomic64_read(&blk->s_pos) + 1);
		RL_ASSERT(get(2) == 2);
		put(2);
	}

	void thread(unsigned int i)
	{
		void *tasks[2];
		int n;

		if (i == 0) {
			get(1);
			one.extend(&q);
			put(3);
			RL_ASSERT(in[next - 1]);
			return;
		}
		n = wsq_bwos_fifo_steal_at(&q, 1, tasks, 2);
		for (i = 0; (int)i < n; i++)
			took(tasks[i]);
	}

	void after()
	{
		took(wsq_slot_read(&blocks[1].slots[0]));
		atomic64_fetch_add_release(1, &blocks[1].s_cnt);
		drain();
		put(5);
		RL_ASSERT(in[next - 1]);
		drain();
		RL_ASSERT(!q.nr_held && q.nr_spare == 1);
	}
};

CLIENT_MAIN(grow_spare)
