// SPDX-License-Identifier: GPL-2.0
/*
 * An owner that takes the oldest task now and then, as a thief of its own
 * queue: from a block that it publishes for that, from one that thieves and
 * others use, and, where there is no block to go up to, out of its own. Without
 * other parties the task is really the oldest. Shared parts: claimed.h; use and
 * limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "claimed.h"

struct lifo_oldest : claimed_client<lifo_oldest, 3, 2, 3> {
	void oldest_is(int id)
	{
		void *task = wsq_bwos_lifo_claim_oldest(&q);

		RL_ASSERT(id_of(task) == id);
		out_came(task);
	}

	void before()
	{
		struct wsq_bwos_lifo_block *blk;
		int first;

		claimed_client::before();
		first = next;
		put_claimed(3);
		oldest_is(first);
		oldest_is(first + 1);
		claim(1);
		RL_ASSERT(!claim(1));

		/* A thief that has not counted holds the other block. */
		first = next;
		put_claimed(1);
		RL_ASSERT(wsq_bwos_lifo_publish(&q) == WSQ_PUBLISHED);
		put_claimed(2);
		blk = &blocks[nr_at(q.index ? 0 : 1)];
		atomic64_set(&blk->s_pos, atomic64_read(&blk->b_pos));
		oldest_is(first + 1);
		out_came(wsq_slot_claim(&slots[(blk - blocks) * 3 +
						wsq_bwos_idx((u64)atomic64_read(&blk->s_pos)) - 1]));
		atomic64_fetch_add_release(1, &blk->s_cnt);
		while (claim(1))
			;
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put_claimed(3);
			claim_oldest();
			put_claimed(2);
			claim_oldest();
			claim(2);
			put_claimed(3);
			claim_oldest();
			claim_oldest();
			break;
		case 1:
			batch_of(2);
			batch_of(1);
			break;
		case 2:
			steal_active(1);
			for (u32 nr = 0; nr < 6; nr++)
				remove(nr, next > 2 ? next - 1 : 1);
			break;
		}
	}
};

CLIENT_MAIN(lifo_oldest)
