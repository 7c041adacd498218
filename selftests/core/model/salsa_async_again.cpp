// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a consumer's chunk is stolen, taken over by another thief and taken
 * from, and the consumer has not noticed. It steals the chunk; the first thief,
 * whose fence for that consumer may not have come yet, tries to take it over
 * once more. The consumer must not take the chunk back by its old word. Run
 * bounded. Shared parts, use and limitations: salsa_client.h.
 */
#define MODEL_OUT	1
#include "salsa_client.h"

struct salsa_async_again : salsa_client<salsa_async_again, 3, 3, 1, 0, 4> {
	void prepare()
	{
		patient = true;
		put_before(4, 0, 0);
		get(0);
		steal_begin(1, 0);
		/* It takes the second task. */
		steal_begin(2, 1);
		RL_ASSERT(out[2] && c[2].chunk == &chunks[0]);
		/* Unaware, consumer 0 begins to steal it from consumer 2. */
		steal_begin(0, 2);
		RL_ASSERT(c[0].chunk == c[0].async.chunk);
		patient = false;
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			get(0);
			break;
		case 1:
			if (rl::rand(2))
				get(1);
			steal_begin(1, 0);
			break;
		case 2:
			get(2);
			break;
		}
	}
};

CLIENT_MAIN(salsa_async_again)
