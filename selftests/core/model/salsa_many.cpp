// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA, by batches: a producer's batches go across the end of a chunk and on
 * in the next, a consumer's may end before a task that comes a moment later,
 * and another consumer steals chunks that it is in, and filled ones. Shared
 * parts, use and limitations: salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_many : salsa_client<salsa_many, 3, 2, 3, 0, 3> {
	void prepare()
	{
		put_before(1, 0, 0);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			get_many(0, 2);
			get_many(0, 4);
			get_many(0, 3);
			break;
		case 1:
			steal(1, 0);
			get_many(1, 3);
			steal_left(1, 0, true);
			get_many(1, 2);
			look();
			break;
		case 2:
			put_many(0, 0, 3);
			put_many(0, 1, 4);
			put_many(0, 0, 2);
			break;
		}
	}
};

CLIENT_MAIN(salsa_many)
