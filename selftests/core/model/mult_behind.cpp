// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplicity, exact: two thieves take all, and one stores late where it was.
 * Forbidden: the queue seems to have tasks, although a thief has looked since
 * and found nothing. Shared parts, use and limitations: mult.h, main.h.
 */
#include "mult.h"

struct mult_behind : mult_client<mult_behind, 3, WSQ_MULT_EXACT> {
	void thread(unsigned int i)
	{
		if (i) {
			steal(i);
			steal(i);
			return;
		}
		put();
		put();
	}

	void after()
	{
		while (steal(1) == WSQ_OK)
			;
		RL_ASSERT(!wsq_ws_mult_waiting(&q));
		mult_client::after();
	}
};

CLIENT_MAIN(mult_behind)
