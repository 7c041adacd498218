/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the clients of a queue that grows: untouched segments of memory,
 * and a directory whose empty entries lead to a block that is never
 * initialized, so that a thief which reaches either too early is reported.
 *
 * For: grow*.cpp, lifo_grow*.cpp. Use and limitations: client.h, main.h.
 */
#ifndef _WSQ_MODEL_GROW_CLIENT_H
#define _WSQ_MODEL_GROW_CLIENT_H

#include "claimed.h"

/**
 * struct grow_segment - a memory segment with @N blocks and @S spare blocks
 * @BS: block size
 */
template <u32 N, u32 S, u32 BS = 2>
struct grow_segment {
	engine_block blocks[N + S];
	wsq_slot_t slots[(N + S) * BS];

	/* As the kernel's allocator returns them. */
	void zero()
	{
		wsq_slots_reset(slots, (N + S) * BS);
	}

	u32 extend(engine_queue *q)
	{
		engine_segment segment = { blocks, slots, N, S };

		return engine(extend)(q, &segment);
	}
};

/**
 * struct grow_client - a client whose queue grows to @MAX_NB blocks
 *
 * The rest is as in struct client.
 */
template <typename T, int THREADS, u32 NB, u32 BS, u32 SPARE, u32 MAX_NB,
	  u32 MAX_SPARE = SPARE>
struct grow_client : client<T, THREADS, NB, BS, SPARE, MAX_NB, MAX_SPARE> {
	using base = client<T, THREADS, NB, BS, SPARE, MAX_NB, MAX_SPARE>;

	engine_block trap;

	/* Empty entries of the directory lead to @trap. */
	void before()
	{
		base::before();
		for (u32 i = base::mem.dir.nr_blocks; i < base::mem.dir.max_blocks; i++)
			atomic64_set(&base::mem.dir.blocks[i],
				     (s64)(uintptr_t)&trap);
	}

	/* Its capacity is what it has grown to. */
	void after()
	{
		base::holds(MAX_NB, MAX_SPARE);
	}
};

#endif /* _WSQ_MODEL_GROW_CLIENT_H */
