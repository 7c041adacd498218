// SPDX-License-Identifier: GPL-2.0
/*
 * Memory is attached and detached: the owner detaches memory when it is empty
 * and attaches other memory, while thieves in a section steal, perhaps from
 * memory that was detached since. Each task comes out once, a queue that is
 * not empty keeps its memory, and a drained one does not. Finds weak orders of
 * LI(attach:A) and LI(steal:G): Relacy reports words read before they were
 * written. Shared parts, use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_attach : client<lifo_attach, 3> {
	struct wsq_bwos_lifo_mem other;
	wsq_bwos_lifo_block other_blocks[2];
	wsq_slot_t other_slots[4];
	atomic64_t other_words[2], other_at[2];

	void before()
	{
		begin();
		mem_init(&other, other_words, other_at, other_blocks, other_slots,
			 2, 2, 0);
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			put(1);
			RL_ASSERT(!in[1] && !wsq_bwos_lifo_detach(&q));
			wsq_bwos_lifo_attach(&q, &mem);
			put(3);
			/* Task 4 is in the queue, whatever thieves do. */
			RL_ASSERT(!wsq_bwos_lifo_detach(&q));
			while (get(1))
				;
			RL_ASSERT(wsq_bwos_lifo_detach(&q) == &mem);
			found_empty = false;
			wsq_bwos_lifo_attach(&q, &other);
			put(3);
			get(1);
			if (!wsq_bwos_lifo_detach(&q))
				return;
			wsq_bwos_lifo_attach(&q, &mem);
		} else {
			steal(1);
			steal(2);
		}
	}
};

CLIENT_MAIN(lifo_attach)
