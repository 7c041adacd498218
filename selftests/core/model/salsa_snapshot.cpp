// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a chunk that a thief takes is visible all the time, at the victim or
 * at the thief, however long the thief halts: others can always take it over.
 * Chunks of three, of which the victim has one and the thief takes one. Shared
 * parts, use and limitations: salsa_client.h.
 */
#define MODEL_OUT	1
#include "salsa_client.h"

struct salsa_snapshot : salsa_client<salsa_snapshot, 2, 2, 1, 0, 3> {
	void prepare()
	{
		put_before(3, 0, 0);
		get(0);
	}

	void thread(unsigned int i)
	{
		bool at_victim, at_thief;

		if (i == 1) {
			steal(1, 0);
			return;
		}
		/* In this order: it goes from the victim to the thief. */
		at_victim = wsq_salsa_waiting(&c[0]);
		at_thief = wsq_salsa_waiting(&c[1]);
		RL_ASSERT(at_victim || at_thief);
		/*
		 * If it can be taken over there, it is. Between the two looks
		 * of a thief it may become one that no consumer is in: once.
		 */
		if (at_thief)
			RL_ASSERT(steal(0, 1) != WSQ_EMPTY ||
				  steal(0, 1) != WSQ_EMPTY);
	}
};

CLIENT_MAIN(salsa_snapshot)
