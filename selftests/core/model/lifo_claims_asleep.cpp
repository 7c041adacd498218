// SPDX-License-Identifier: GPL-2.0
/*
 * A thief of claimed slots sleeps at any point, while its block is taken over,
 * put to and published again; another party that removes tasks sleeps, too, and
 * uses what it saw before. Run bounded. All tasks come out once; a put never
 * finds its slot in use. Shared parts: claimed.h; use and limitations:
 * client.h, main.h.
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
			wsq_bwos_lifo_publish(&q);
			put_claimed(1);
			break;
		case 1:
			batch_of(2);
			break;
		case 2:
			steal_active(2);
			remove(2, 3);
			break;
		}
	}
};

CLIENT_MAIN(lifo_claims_asleep)
