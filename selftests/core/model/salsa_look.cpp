// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: is the pool empty? A task is in the chunk that is looked at last. Then
 * one is put into the chunk that is looked at first, and when that is done, as
 * the taker knows, the first one is taken. Until the second is taken as well
 * there is always a task. Others look at the same time, and one takes the
 * second. Shared parts, use and limitations: salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_look : salsa_client<salsa_look, 3, 2, 2> {
	/* Producer 0 gets chunk 1, the other one chunk 0. */
	u32 home_of(u32 nr)
	{
		return !nr;
	}

	void prepare()
	{
		/* In its chunk when the thread learns of the other one. */
		put_before(2, 0, 0);
		get(0);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			while (!asked(0))
				rl::yield(1, $);
			get(0);
			look();
			break;
		case 1:
			look();
			get(1);
			look();
			break;
		case 2:
			put(1, 1);
			tell(0);
			look();
			break;
		}
	}
};

CLIENT_MAIN(salsa_look)
