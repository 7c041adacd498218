// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: two chunks that are used over and over, by a producer that is refused
 * now and then, a consumer and a thief on another node, whose finished chunks
 * go home. Shared parts, use and limitations: salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_rounds : salsa_client<salsa_rounds, 3, 2, 2> {
	u32 home_of(u32)
	{
		return 0;
	}

	u32 node_of(u32 consumer)
	{
		return consumer;
	}

	void prepare()
	{
		put_before(3, 0, 0);
	}

	void thread(unsigned int i)
	{
		int lap;

		switch (i) {
		case 0:
			for (lap = 0; lap < 7; lap++)
				get(0);
			break;
		case 1:
			for (lap = 0; lap < 3; lap++) {
				steal(1, 0);
				get(1);
			}
			break;
		case 2:
			for (lap = 0; lap < 8; lap++)
				put(0, 0);
			break;
		}
	}
};

CLIENT_MAIN(salsa_rounds)
