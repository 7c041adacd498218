// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA, plainly: a producer fills, a consumer takes, another consumer steals
 * chunks that it is in, and others. Shared parts, use and limitations:
 * salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_steal : salsa_client<salsa_steal, 3> {
	void prepare()
	{
		put_before(3, 0, 0);
	}

	void thread(unsigned int i)
	{
		int lap;

		switch (i) {
		case 0:
			for (lap = 0; lap < 4; lap++)
				get(0);
			break;
		case 1:
			steal(1, 0);
			get(1);
			get(1);
			steal(1, 0);
			break;
		case 2:
			for (lap = 0; lap < 3; lap++)
				put(0, 0);
			break;
		}
	}
};

CLIENT_MAIN(salsa_steal)
