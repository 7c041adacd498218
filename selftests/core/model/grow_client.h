/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the clients of a FIFO BWoS that grows share: pieces of memory that nobody
 * has touched, and a table whose empty places lead to a block that nobody ever
 * makes, so that who comes to either too early is reported.
 *
 * For: grow*.cpp. Use and limitations: client.h, main.h.
 */
#ifndef _WSQ_MODEL_GROW_CLIENT_H
#define _WSQ_MODEL_GROW_CLIENT_H

#include "claimed.h"

/**
 * struct grow_piece - a piece of memory with @N places and @S spare blocks
 * @BS: block size
 */
template <u32 N, u32 S, u32 BS = 2>
struct grow_piece {
	wsq_bwos_block blocks[N + S];
	wsq_slot_t slots[(N + S) * BS];

	/* As the kernel's allocator leaves them. */
	void zero()
	{
		wsq_slots_reset(slots, (N + S) * BS);
	}

	u32 extend(struct wsq_bwos_fifo *q)
	{
		struct wsq_bwos_piece piece = { blocks, slots, N, S };

		return wsq_bwos_fifo_extend(q, &piece);
	}
};

/* Has the empty places of the table of @mem lead to @trap. */
static inline void grow_trap(struct wsq_bwos_mem *mem, wsq_bwos_block *trap)
{
	for (u32 i = mem->dir.nr_blocks; i < mem->dir.max_blocks; i++)
		atomic64_set(&mem->dir.blocks[i], (s64)(uintptr_t)trap);
}

#endif /* _WSQ_MODEL_GROW_CLIENT_H */
