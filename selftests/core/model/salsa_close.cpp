// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA, as the work service has it: one who is producer and consumer at once,
 * puts, claims and gives up chunks that are not full, to have his memory back,
 * while others rob him of chunks that he has filled, and of single tasks. A chunk
 * in which there is a task is not given up. Shared parts, use and limitations:
 * salsa_client.h.
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
			pry(0, false);
			pry(0, true);
			pry(1, true);
			break;
		}
	}

	/* All is at home at last, unless the thief has freed it. */
	void conclude()
	{
		drain();
		RL_ASSERT(close(0, 0));
		get(1);
		RL_ASSERT(wsq_salsa_at_home(&c[0]) + wsq_salsa_at_home(&c[1]) == 2);
	}
};

CLIENT_MAIN(salsa_close)
