// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a thief sleeps from its look at a claimed chunk to its change of the
 * owner, while the chunk is reused four times. Run bounded. Tags that never
 * return make the change fail; with -DWSQ_SALSA_TAG_BITS=2 the word is the same
 * again, and this client must find it: the thief would begin at the consumer's
 * old index, behind a task that has not been taken. Shared parts, use and
 * limitations: salsa_client.h.
 */
#define MODEL_OUT	1
#include "salsa_client.h"

struct salsa_asleep : salsa_client<salsa_asleep, 2, 2, 1, 3> {
	void prepare()
	{
		put_before(2, 0, 0);
		get(0);
	}

	void round()
	{
		/* The last one, none, and with that the chunk is free. */
		get(0);
		get(0);
		put(0, 0);
		put(0, 0);
	}

	void thread(unsigned int i)
	{
		if (i == 1) {
			steal(1, 0);
			return;
		}
		in_one_go([this] {
			round();
			get(0);
			round();
			get(0);
			round();
			get(0);
			round();
		});
		get(0);
	}
};

CLIENT_MAIN(salsa_asleep)
