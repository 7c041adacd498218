// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: thieves that do not wait for their fences steal from each other and
 * from a consumer that is also a producer, while another thread asks whether
 * the pool is empty. Random schedules. Shared parts, use and limitations:
 * salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_async_look : salsa_client<salsa_async_look, 3, 3> {
	void prepare()
	{
		put_before(2, 0, 0);
		get(0);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			get(0);
			put(0, 0);
			get(0);
			asked(0);
			look();
			break;
		case 1:
			steal_begin(1, 0);
			put(1, 1);
			get(1);
			tell(0);
			get(1);
			break;
		case 2:
			if (rl::rand(2))
				steal_begin(2, 1);
			else
				steal_begin(2, 0);
			get(2);
			asked(0);
			look();
			get(2);
			break;
		}
	}
};

CLIENT_MAIN(salsa_async_look)
