/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the clients of a LIFO BWoS that grows share: pieces of memory that nobody
 * has touched, and a table whose empty places lead to a block that nobody ever
 * makes, so that who comes to either too early is reported.
 *
 * For: lifo_grow*.cpp. Use and limitations: bwos_lifo_client.h, main.h.
 */
#ifndef _WSQ_MODEL_LIFO_GROW_CLIENT_H
#define _WSQ_MODEL_LIFO_GROW_CLIENT_H

#include "lifo_claimed.h"

/**
 * struct lifo_grow_piece - a piece of memory with @N places and @S spare blocks
 * @BS: block size
 */
template <u32 N, u32 S, u32 BS = 2>
struct lifo_grow_piece {
	wsq_bwos_lifo_block blocks[N + S];
	wsq_slot_t slots[(N + S) * BS];

	/* As the kernel's allocator leaves them. */
	void zero()
	{
		wsq_slots_reset(slots, (N + S) * BS);
	}

	u32 extend(struct wsq_bwos_lifo *q)
	{
		struct wsq_bwos_lifo_piece piece = { blocks, slots, N, S };

		return wsq_bwos_lifo_extend(q, &piece);
	}
};

/* Has the empty places of the table of @mem lead to @trap. */
static inline void lifo_grow_trap(struct wsq_bwos_lifo_mem *mem,
				  wsq_bwos_lifo_block *trap)
{
	for (u32 i = mem->dir.nr_blocks; i < mem->dir.max_blocks; i++)
		atomic64_set(&mem->dir.blocks[i], (s64)(uintptr_t)trap);
}

/*
 * All came out once, and what the queue can hold is what it has grown to, @places
 * blocks, with @spare to spare.
 */
template <typename C>
static inline void lifo_grow_after(C *c, u32 places, u32 spare)
{
	unsigned int i;

	c->drain();
	RL_ASSERT(wsq_bwos_places(&c->mem.dir) == places);
	for (i = 0; i < places * c->mem.block_size; i++) {
		c->put(1);
		RL_ASSERT(c->in[c->next - 1]);
	}
	RL_ASSERT(wsq_bwos_lifo_short(&c->q));
	RL_ASSERT(!c->q.nr_held && c->q.nr_spare == spare);
	c->drain();
}

#endif /* _WSQ_MODEL_LIFO_GROW_CLIENT_H */
