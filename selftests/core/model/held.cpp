// SPDX-License-Identifier: GPL-2.0
/*
 * A held block: a thief sleeps between claim and count while the owner goes
 * around a queue of 2 x 2 with one spare block. Run bounded, the thief sleeps
 * at each of its steps in turn. The owner must not stop: with one sleeper and
 * one spare block, each put finds space that get has freed. Shared parts, use
 * and limitations: client.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "client.h"

struct held : client<held, 2, 2, 2, 1> {
	void thread(unsigned int i)
	{
		int lap;

		if (i == 0) {
			put(4);
			for (lap = 0; lap < 5; lap++) {
				get(2);
				put(2);
			}
			for (i = 1; i < (unsigned int)next; i++)
				RL_ASSERT(in[i]);
		} else {
			steal(1);
		}
	}
};

CLIENT_MAIN(held)
