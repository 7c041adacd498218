// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplicity: what thieves alone have taken when a floor is set does not come out
 * again to the owner, although its own number is lower and a late thief has moved
 * the head back. Shared parts, use and limitations: mult.h, main.h.
 */
#include "mult.h"

struct mult_settled : mult_client<mult_settled, 2, WSQ_MULT_WEAK, 4> {
	void before()
	{
		mult_client::before();
		RL_ASSERT(put() && put() && put());
	}

	void thread(unsigned int i)
	{
		steal(1 + i);
		if (i)
			steal(1 + i);
	}

	/* A grace period later. */
	void after()
	{
		u64 n = wsq_ws_mult_taken(&q);

		for (int i = 1; i < 3; i++)
			n = wsq_ws_mult_max(n, (u64)atomic64_read(&max[i]));
		wsq_ws_mult_settle(&q, n);
		while (get())
			;
		for (int id = 1; id < next; id++)
			RL_ASSERT(!took[0][id] == (times(id) != took[0][id]));
	}
};

CLIENT_MAIN(mult_settled)
