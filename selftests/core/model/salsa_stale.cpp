// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a consumer that claims returns to a chunk that was stolen, finished,
 * and refilled for another consumer. It must not use it: neither the task in
 * its next slot nor, above all, the index, which would make others skip the
 * tasks in front. Shared parts, use and limitations: salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_stale : salsa_client<salsa_stale, 2, 2, 1, 3, 4> {
	void prepare()
	{
		put_before(4, 0, 0);
		while (c[0].at < 2)
			get(0);
	}

	/* Steals the chunk, finishes it, and refills it. */
	void next_life(u32 me, u32 victim)
	{
		steal(me, victim);
		while (get(me) || c[me].chunk || !wsq_inbox_empty(&c[me].waiting))
			;
		put(me, me);
		put(me, me);
		put(me, me);
		put(me, me);
	}

	void thread(unsigned int i)
	{
		if (i == 1) {
			next_life(1, 0);
			get(1);
			tell(0);
			return;
		}
		while (!asked(0))
			let_others(24);
		get(0);
		next_life(0, 1);
	}
};

CLIENT_MAIN(salsa_stale)
