// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA, mixed: a consumer that takes plainly and one that claims steal from
 * each other chunks that become claimed ones on the way. Shared parts, use and
 * limitations: salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_mixed : salsa_client<salsa_mixed, 3, 2, 3, 2> {
	void prepare()
	{
		put_before(2, 0, 0);
		put_before(1, 0, 1);
	}

	void thread(unsigned int i)
	{
		int lap;

		switch (i) {
		case 0:
			get(0);
			get(0);
			steal(0, 1);
			get(0);
			break;
		case 1:
			steal(1, 0);
			get(1);
			leave(1);
			steal(1, 0);
			break;
		case 2:
			for (lap = 0; lap < 3; lap++)
				put(0, lap & 1);
			break;
		}
	}
};

CLIENT_MAIN(salsa_mixed)
