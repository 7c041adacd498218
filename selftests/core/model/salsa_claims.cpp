// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA, claimed: consumers that claim what they take and steal from each other
 * without a fence, and a producer that removes what it put, from slots that may
 * be reused by then. Shared parts, use and limitations: salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_claims : salsa_client<salsa_claims, 3, 2, 3, 3> {
	void prepare()
	{
		put_before(2, 0, 0);
	}

	void thread(unsigned int i)
	{
		int lap, id, last = 2;

		switch (i) {
		case 0:
			for (lap = 0; lap < 4; lap++)
				get(0);
			leave(0);
			get(0);
			break;
		case 1:
			steal(1, 0);
			get(1);
			steal(1, 0);
			get(1);
			break;
		case 2:
			for (lap = 0; lap < 4; lap++) {
				id = put(0, 0);
				if (last && !(lap % 2))
					remove(last);
				last = id;
			}
			if (last)
				remove(last);
			break;
		}
	}

	void conclude()
	{
		RL_ASSERT(!interrupts);
	}
};

CLIENT_MAIN(salsa_claims)
