// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a consumer is in a chunk that it has stolen, from which another thief
 * steals it, while the consumer steals one more, for which it needs an entry in
 * its list. A chunk that it takes back it must find again when it has left it.
 * Run bounded. Shared parts, use and limitations: salsa_client.h.
 */
#define MODEL_OUT	2
#include "salsa_client.h"

struct salsa_async_listed : salsa_client<salsa_async_listed, 3, 3, 2, 0, 3> {
	u32 home_of(u32)
	{
		return 2;
	}

	void prepare()
	{
		put_before(3, 0, 2);
		steal_left(0, 2, false);
		put_before(3, 1, 2);
		get(2);
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			steal_begin(0, 2);
			get(0);
			leave(0);
			return;
		}
		if (i == 1) {
			steal_begin(1, 0);
			get(1);
		}
	}
};

CLIENT_MAIN(salsa_async_listed)
