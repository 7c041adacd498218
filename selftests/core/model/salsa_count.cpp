// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: is the pool empty? As salsa_clock.cpp, but both chunks have a consumer
 * in them all the time, so that only the number of tasks taken shows it. One
 * thread acts as both consumers. Shared parts, use and limitations:
 * salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_count : salsa_client<salsa_count, 2, 2, 2, 0, 8> {
	void prepare()
	{
		put_before(1, 0, 0);
		get(0);
		/* The chunk that is looked at last has the task. */
		put_before(2, 1, 1);
		get(1);
	}

	void thread(unsigned int i)
	{
		u32 lap;

		if (i == 1) {
			look();
			return;
		}
		for (lap = 0; lap < 4; lap++) {
			let_others(24);
			in_one_go([this, lap] {
				put(lap & 1, lap & 1);
				get(!(lap & 1));
			});
		}
	}
};

CLIENT_MAIN(salsa_count)
