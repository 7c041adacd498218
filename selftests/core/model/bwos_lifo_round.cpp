// SPDX-License-Identifier: GPL-2.0
/*
 * A thief combines the index of one published range with the end of the next:
 * block 0 was drained when it held one task, and is about to be published with
 * two. Run bounded: the thief comes between LI(publish:A) and LI(publish:B), and
 * must not take the second task for one of the first range, since the second
 * range begins below it. (The owner acts as the thieves that drained the
 * blocks, so that the search need not switch for them.) Shared parts, use and
 * limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_round : client<lifo_round, 2> {
	void thread(unsigned int i)
	{
		if (i == 0) {
			put(1);
			wsq_bwos_lifo_publish(&q);
			steal(1);
			put(1);
			wsq_bwos_lifo_publish(&q);
			steal(1);
			put(3);
			steal(1);
			get(1);
		} else {
			steal_at(0, 1);
		}
	}
};

CLIENT_MAIN(lifo_round)
