// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a consumer halts in the middle of a take, while its chunk is stolen,
 * emptied and reused as soon as allowed. Run bounded. Its later store belongs
 * to the previous use: with -DGRACE_EMPTY the chunk has been reused, the index
 * goes beyond a task, and this client must find it. With HALTED_CLAIMS
 * (salsa_halted_claims.cpp) both claim. Shared parts, use and limitations:
 * salsa_client.h.
 */
#include "salsa_client.h"

#ifndef HALTED_CLAIMS
#define HALTED_CLAIMS	0
#endif

struct salsa_halted : salsa_client<salsa_halted, 2, 2, 1, HALTED_CLAIMS> {
	void prepare()
	{
		put_before(2, 0, 0);
		get(0);
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			get(0);
			asked(0);
			look();
			return;
		}
		in_one_go([this] {
			steal(1, 0);
		});
		in_one_go([this] {
			/* After the last one the chunk is free, or waits. */
			get(1);
			get(1);
			put(1, 1);
			put(1, 1);
			get(1);
			tell(0);
		});
	}
};

CLIENT_MAIN(salsa_halted)
