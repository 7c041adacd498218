/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue that grows under its thieves: an owner that puts, gets, shares and takes
 * in two more pieces of memory, one of them when the queue is full all around; a
 * thief that steals twice, one that steals up to a block.
 *
 * For: lifo_grow.cpp, and lifo_grow_first.cpp, whose thieves read first. Shared
 * parts: lifo_grow_client.h; use and limitations: bwos_lifo_client.h, main.h.
 */
#ifndef _WSQ_MODEL_LIFO_GROW_H
#define _WSQ_MODEL_LIFO_GROW_H

#include "lifo_grow_client.h"

struct lifo_grow : lifo_client<lifo_grow, 3, 2, 2, 0, 5, 1> {
	using base = lifo_client<lifo_grow, 3, 2, 2, 0, 5, 1>;

	lifo_grow_piece<2, 1> one;
	lifo_grow_piece<2, 0> two;
	wsq_bwos_lifo_block trap;

	void before()
	{
		base::before();
		lifo_grow_trap(&mem, &trap);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put(4);
			get(1);
			put(2);
			RL_ASSERT(one.extend(&q) == 2);
			put(3);
			RL_ASSERT(in[next - 1]);
			get(2);
			wsq_bwos_lifo_share(&q);
			/* There is room for one more place. */
			RL_ASSERT(two.extend(&q) == 1);
			put(4);
			get(3);
			put(2);
			get(2);
			break;
		case 1:
			steal(1);
			steal(1);
			break;
		case 2:
			steal(2);
			break;
		}
	}

	void after()
	{
		lifo_grow_after(this, 5, 1);
	}
};

#endif /* _WSQ_MODEL_LIFO_GROW_H */
