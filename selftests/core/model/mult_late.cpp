// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplicity: a thief that is late, or early, where the owner uses a block
 * again, which it does not before the block's tasks were taken. Shared parts, use
 * and limitations: mult.h, main.h.
 */
#include "mult.h"

struct mult_late : mult_client<mult_late, 2, WSQ_MULT_WEAK> {
	void thread(unsigned int i)
	{
		if (i) {
			for (int n = 0; n < 4; n++)
				steal(1);
			return;
		}
		for (int n = 0; n < 4; n++)
			RL_ASSERT(put());
		/* A get alone makes space. */
		RL_ASSERT(!put());
		for (int n = 0; n < 4; n++)
			get();
		RL_ASSERT(put());
		RL_ASSERT(put());
	}
};

CLIENT_MAIN(mult_late)
