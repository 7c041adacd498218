// SPDX-License-Identifier: GPL-2.0
/*
 * Memory is attached and detached: the owner puts, claims, detaches the memory
 * and attaches a second one, while a thief in a section steals, also from the
 * active block, perhaps in memory that was detached since. Memory is reused
 * only when the thief has left its section. Each task comes out once and whole,
 * a queue that is not empty keeps its memory, and one that is drained does not.
 *
 * The description of the memory's parts is plain in core and the same here from
 * the beginning; BF(attach:A) and BF(steal:G) are for it, and for litmus. Shared
 * parts: claimed.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "claimed.h"

struct reattach : claimed_client<reattach, 2> {
	struct wsq_bwos_mem other_mem;
	wsq_bwos_block other_blocks[2];
	wsq_slot_t other_slots[4];
	atomic64_t other_words[2];
	atomic64_t other_at[2];

	void before()
	{
		claimed_client<reattach, 2>::before();
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
			/* Task 2 or its tombstone is there in any case. */
			RL_ASSERT(!wsq_bwos_fifo_detach(&q));
			while (claim(1))
				;
			RL_ASSERT(wsq_bwos_fifo_detach(&q) == &mem);
			put_claimed(1);
			RL_ASSERT(!in[next - 1]);
			attached = &other_mem;
			wsq_bwos_fifo_attach(&q, attached);
			put_claimed(4);
			claim(1);
		} else {
			batch_of(2);
			steal_active(2);
			batch_of(2);
		}
	}

	/* The thief has left: the first memory may be attached again. */
	void after()
	{
		drain_claimed();
		/* No block is unusable for good. */
		put_claimed(3);
		RL_ASSERT(in[next - 1]);
		drain_claimed();
		RL_ASSERT(wsq_bwos_fifo_detach(&q) == &other_mem);
		for (int i = 0; i < 4; i++) {
			RL_ASSERT(!wsq_slot_peek(&slots[i]));
			RL_ASSERT(!wsq_slot_peek(&other_slots[i]));
		}
		attached = &mem;
		wsq_bwos_fifo_attach(&q, attached);
		put_claimed(3);
		drain_claimed();
	}
};

CLIENT_MAIN(reattach)
