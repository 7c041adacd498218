// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA, as used by the work service: a producer that is also a consumer puts,
 * claims and gives up chunks that are not full, to have its memory back, while
 * others steal chunks that it has filled, and single tasks. A chunk with a task
 * in it is not given up. Shared parts, use and limitations: salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_close : salsa_client<salsa_close, 3, 2, 2, 3> {
	u32 home_of(u32)
	{
		return 0;
	}

	void prepare()
	{
		put_before(3, 0, 0);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			get(0);
			close(0, 0);
			get(0);
			get(0);
			close(0, 0);
			put(0, 0);
			put(0, 0);
			close(0, 0);
			get(0);
			close(0, 0);
			break;
		case 1:
			steal_left(1, 0, true);
			get(1);
			leave(1);
			break;
		case 2:
			steal_active(0, false);
			steal_active(0, true);
			steal_active(1, true);
			break;
		}
	}

	/* All chunks are at home at last, unless the thief has freed one. */
	void conclude()
	{
		drain();
		RL_ASSERT(close(0, 0));
		get(1);
		RL_ASSERT(wsq_salsa_at_home(&c[0]) + wsq_salsa_at_home(&c[1]) == 2);
	}
};

CLIENT_MAIN(salsa_close)
