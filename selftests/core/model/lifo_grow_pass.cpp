// SPDX-License-Identifier: GPL-2.0
/*
 * A thief visits all blocks while blocks are inserted: it begins at the owner's
 * block, above which they are inserted, and visits the block with the only
 * stealable task last. The block was in the queue when the thief began, so the
 * thief must find it, even if the directory grows twice on its way and the
 * owner goes up to a new block. Shared parts: grow_client.h; use and
 * limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "grow_client.h"

struct lifo_grow_pass : grow_client<lifo_grow_pass, 2, 3, 2, 0, 6, 0> {
	grow_segment<1, 0> one;
	grow_segment<2, 0> two;

	void before()
	{
		void *tasks[2];

		grow_client::before();
		/* The owner is at block 2; only 4, in block 1, is left. */
		put(6);
		RL_ASSERT(wsq_bwos_lifo_steal_at(&q, 0, tasks, 2) == 2);
		stole(tasks, 2);
		RL_ASSERT(wsq_bwos_lifo_steal_at(&q, 1, tasks, 1) == 1);
		stole(tasks, 1);
		atomic64_set(&q.t_hint, rl::rand(3));
	}

	void thread(unsigned int i)
	{
		void *task;

		if (i == 0) {
			RL_ASSERT(one.extend(&q) == 1);
			put(1);
			RL_ASSERT(two.extend(&q) == 2);
			return;
		}
		RL_ASSERT(wsq_bwos_lifo_steal(&q, &task, 1) == 1);
		stole(&task, 1);
		/* Or one that was published since. */
		RL_ASSERT(id_of(task) == 4 || id_of(task) == 5);
	}
};

CLIENT_MAIN(lifo_grow_pass)
