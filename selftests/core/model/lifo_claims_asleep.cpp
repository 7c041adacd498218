// SPDX-License-Identifier: GPL-2.0
/*
 * A thief of claimed slots asleep anywhere, while its block is taken over, put to
 * and granted again, and somebody asleep who takes tasks out by what he saw then.
 * Run bounded. All tasks come out once; a put never finds its slot in use.
 * Shared parts: claimed.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "claimed.h"

struct lifo_claims_asleep : claimed_client<lifo_claims_asleep, 3> {
	void thread(unsigned int i)
	{
		int lap;

		switch (i) {
		case 0:
			for (lap = 0; lap < 3; lap++) {
				put_claimed(3);
				claim(4);
			}
			put_claimed(1);
			wsq_bwos_lifo_share(&q);
			put_claimed(1);
			break;
		case 1:
			haul(2);
			break;
		case 2:
			pry(2);
			withdraw(2, 3);
			break;
		}
	}
};

CLIENT_MAIN(lifo_claims_asleep)
