// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that comes and goes: the owner mounts memory, takes it away when it is
 * empty and mounts other, while thieves in a section steal, perhaps from what
 * was taken away meanwhile. Each task comes out once, a queue that is not empty
 * keeps its memory, and a drained one does not. Finds weak orders of LI(mount:A)
 * and LI(steal:G): Relacy reports words read before they were written.
 * Shared parts, use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_mount : client<lifo_mount, 3> {
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
			RL_ASSERT(!in[1] && !wsq_bwos_lifo_unmount(&q));
			wsq_bwos_lifo_mount(&q, &mem);
			put(3);
			/* Task 4 is there, whatever thieves do. */
			RL_ASSERT(!wsq_bwos_lifo_unmount(&q));
			while (get(1))
				;
			RL_ASSERT(wsq_bwos_lifo_unmount(&q) == &mem);
			found_empty = false;
			wsq_bwos_lifo_mount(&q, &other);
			put(3);
			get(1);
			if (!wsq_bwos_lifo_unmount(&q))
				return;
			wsq_bwos_lifo_mount(&q, &mem);
		} else {
			steal(1);
			steal(2);
		}
	}
};

CLIENT_MAIN(lifo_mount)
