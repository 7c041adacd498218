/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue that grows under its thieves: an owner that puts, gets, publishes and
 * adds two more segments of memory, one of them when the queue is full all
 * around; a thief that steals twice, one that steals up to a block.
 *
 * For: lifo_grow.cpp, and lifo_grow_first.cpp, whose thieves read first. Shared
 * parts: grow_client.h; use and limitations: client.h, main.h.
 */
#ifndef _WSQ_MODEL_LIFO_GROW_H
#define _WSQ_MODEL_LIFO_GROW_H

#include "../engine/bwos_lifo/model.h"
#include "grow_client.h"

struct lifo_grow : grow_client<lifo_grow, 3, 2, 2, 0, 5, 1> {
	grow_segment<2, 1> one;
	grow_segment<2, 0> two;

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
			wsq_bwos_lifo_publish(&q);
			/* Only one more block fits into the directory. */
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
};

#endif /* _WSQ_MODEL_LIFO_GROW_H */
