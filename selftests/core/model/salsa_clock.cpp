// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: is the pool empty? Two chunks are used in turn, and there is always a
 * task in one of them. A look at the one while it is free, and at the other
 * when that is, twice, finds both empty both times: only the chunks' tags show
 * that they were used in between. Shared parts, use and limitations:
 * salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_clock : salsa_client<salsa_clock, 2, 1, 2> {
	void prepare()
	{
		/* The chunk that is looked at last has the task. */
		put_before(2, 0, 0);
		while (get(0))
			;
		put_before(2, 0, 0);
		get(0);
	}

	void thread(unsigned int i)
	{
		int lap;

		if (i == 1) {
			look();
			return;
		}
		for (lap = 0; lap < 4; lap++) {
			let_others(24);
			in_one_go([this] {
				put(0, 0);
				put(0, 0);
				get(0);
				get(0);
			});
		}
	}
};

CLIENT_MAIN(salsa_clock)
