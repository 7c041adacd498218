/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the clients of a queue that grows share: pieces of memory that nothing has
 * touched, and a table whose empty places lead to a block that is never made, so
 * that a thief which comes to either too early is reported.
 *
 * For: grow*.cpp, lifo_grow*.cpp. Use and limitations: client.h, main.h.
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
	engine_block blocks[N + S];
	wsq_slot_t slots[(N + S) * BS];

	/* As the kernel's allocator leaves them. */
	void zero()
	{
		wsq_slots_reset(slots, (N + S) * BS);
	}

	u32 extend(engine_queue *q)
	{
		engine_piece piece = { blocks, slots, N, S };

		return engine(extend)(q, &piece);
	}
};

/**
 * struct grow_client - a client whose queue grows to @MAX_NB places
 *
 * The rest is client's.
 */
template <typename T, int THREADS, u32 NB, u32 BS, u32 SPARE, u32 MAX_NB,
	  u32 MAX_SPARE = SPARE>
struct grow_client : client<T, THREADS, NB, BS, SPARE, MAX_NB, MAX_SPARE> {
	using base = client<T, THREADS, NB, BS, SPARE, MAX_NB, MAX_SPARE>;

	engine_block trap;

	/* The empty places of the table lead to @trap. */
	void before()
	{
		base::before();
		for (u32 i = base::mem.dir.nr_blocks; i < base::mem.dir.max_blocks; i++)
			atomic64_set(&base::mem.dir.blocks[i],
				     (s64)(uintptr_t)&trap);
	}

	/* What it can hold is what it has grown to. */
	void after()
	{
		base::holds(MAX_NB, MAX_SPARE);
	}
};

#endif /* _WSQ_MODEL_GROW_CLIENT_H */
