// SPDX-License-Identifier: GPL-2.0
/*
 * Thieves visit all blocks while blocks are inserted: a thief that begins at
 * the producer's block, behind which they are inserted, visits the block with
 * the only stealable tasks last. The block was in the queue when the thief
 * began, so the thief must find it, even if the directory grows twice on its
 * way. Shared parts: grow_client.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "grow_client.h"

struct grow_pass : grow_client<grow_pass, 2, 3, 2, 0, 6, 0> {
	grow_segment<1, 0> one;
	grow_segment<2, 0> two;
	u32 at;

	void before()
	{
		void *tasks[2];

		grow_client::before();
		/* Tasks 5 and 6 are gone, 3 and 4 are in block 1. */
		put(6);
		RL_ASSERT(wsq_bwos_fifo_steal_at(&q, 2, tasks, 2) == 2);
		took(tasks[0]);
		took(tasks[1]);
		at = rl::rand(3);
		atomic64_set(&q.t_hint, at);
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
		RL_ASSERT(wsq_bwos_fifo_steal(&q, &task, 1) == 1);
		took(task);
		/* Or the one that was put since. */
		RL_ASSERT(id_of(task) == 3 || id_of(task) == 7);
	}
};

CLIENT_MAIN(grow_pass)
