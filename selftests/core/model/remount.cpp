// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that comes and goes: the owner puts, claims, takes the memory away and
 * mounts a second one, while a thief in a section steals and pries, perhaps in
 * what was taken away meanwhile. Memory is used for something else only when
 * the thief has left its section. Each task comes out once and whole, a queue
 * that is not empty keeps its memory, and one that is drained does not.
 *
 * What says where memory's parts are is plain in core and the same here from
 * the beginning; BF(mount:A) and BF(steal:G) are for it, and for litmus.
 * Shared parts: claimed.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "claimed.h"

struct remount : claimed_client<remount, 2> {
	struct wsq_bwos_mem other_mem;
	wsq_bwos_block other_blocks[2];
	wsq_slot_t other_slots[4];
	atomic64_t other_words[2];
	atomic64_t other_at[2];

	void before()
	{
		claimed_client<remount, 2>::before();
		for (int i = 0; i < 4; i++)
			wsq_slot_publish(&other_slots[i], (void *)nullptr);
		mem_init(&other_mem, other_words, other_at, other_blocks,
			 other_slots, 2, 2, 0);
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			put_claimed(4);
			claim(1);
			/* Task 2 or its tomb is there, whatever a thief does. */
			RL_ASSERT(!wsq_bwos_fifo_unmount(&q));
			while (claim(1))
				;
			RL_ASSERT(wsq_bwos_fifo_unmount(&q) == &mem);
			put_claimed(1);
			RL_ASSERT(!in[next - 1]);
			mounted = &other_mem;
			wsq_bwos_fifo_mount(&q, mounted);
			put_claimed(4);
			claim(1);
		} else {
			haul(2);
			pry(2);
			haul(2);
		}
	}

	/* The thief has left: the first memory may serve again. */
	void after()
	{
		drain_claimed();
		/* Nothing keeps a block out of use for good. */
		put_claimed(3);
		RL_ASSERT(in[next - 1]);
		drain_claimed();
		RL_ASSERT(wsq_bwos_fifo_unmount(&q) == &other_mem);
		for (int i = 0; i < 4; i++) {
			RL_ASSERT(!wsq_slot_peek(&slots[i]));
			RL_ASSERT(!wsq_slot_peek(&other_slots[i]));
		}
		mounted = &mem;
		wsq_bwos_fifo_mount(&q, mounted);
		put_claimed(3);
		drain_claimed();
	}
};

CLIENT_MAIN(remount)
