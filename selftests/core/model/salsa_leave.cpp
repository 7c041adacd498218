// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a consumer leaves its chunk and enters it again, while another steals
 * from it. Shared parts, use and limitations: salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_leave : salsa_client<salsa_leave, 3> {
	void prepare()
	{
		put_before(1, 0, 0);
	}

	void thread(unsigned int i)
	{
		int lap;

		switch (i) {
		case 0:
			get(0);
			leave(0);
			get(0);
			get(0);
			leave(0);
			get(0);
			break;
		case 1:
			steal(1, 0);
			leave(1);
			steal(1, 0);
			get(1);
			break;
		case 2:
			for (lap = 0; lap < 4; lap++)
				put(0, 0);
			break;
		}
	}
};

CLIENT_MAIN(salsa_leave)
