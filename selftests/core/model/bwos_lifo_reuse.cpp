// SPDX-License-Identifier: GPL-2.0
/*
 * Block reuse: the owner returns to slots that thieves have read from, as early
 * as it can, once by restarting its block and once around the queue. Finds weak
 * orders of the count (LI(steal:F), LI(begin:B)). Shared parts, use and
 * limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_reuse : client<lifo_reuse, 3> {
	void thread(unsigned int i)
	{
		if (i == 0) {
			put(3);
			get(4);
			put(2);
			get(3);
			put(5);
		} else {
			steal(1);
		}
	}
};

CLIENT_MAIN(lifo_reuse)
