// SPDX-License-Identifier: GPL-2.0
/*
 * A held block: a thief sleeps between claim and count while the owner goes on
 * in a queue of 2 x 2 with one spare block. Run bounded, the thief sleeps at
 * each of its steps in turn. The owner must not stop: with one sleeper and one
 * spare block, an empty queue has space for a block and one more task. Shared
 * parts, use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_held : client<lifo_held, 2, 2, 2, 1> {
	void thread(unsigned int i)
	{
		int lap;

		if (i == 0) {
			for (lap = 0; lap < 3; lap++) {
				put(3);
				while (get(1))
					;
			}
			for (i = 1; i < (unsigned int)next; i++)
				RL_ASSERT(in[i]);
		} else {
			steal(1);
		}
	}
};

CLIENT_MAIN(lifo_held)
