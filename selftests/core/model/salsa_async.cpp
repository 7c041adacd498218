// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a thief that does not wait for its fence. It has a chunk of its own,
 * takes from it in the meantime, and comes back for the other one, from which
 * its consumer takes all the time. Run bounded. Shared parts, use and
 * limitations: salsa_client.h.
 */
#define MODEL_OUT	1
#include "salsa_client.h"

struct salsa_async : salsa_client<salsa_async, 2, 2, 2> {
	void prepare()
	{
		put_before(2, 0, 0);
		put_before(2, 1, 1);
		get(0);
		get(1);
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			get(0);
			return;
		}
		steal_begin(1, 0);
		/*
		 * The batch may begin before the fence ends, and end after it.
		 */
		get_many(1, 2);
		get(1);
	}
};

CLIENT_MAIN(salsa_async)
