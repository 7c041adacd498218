// SPDX-License-Identifier: GPL-2.0
/*
 * Thieves that read before they claim, and do not count: the owner returns to
 * the slots as early as it can, by taking the block over, by restarting its
 * block, and around the queue over a block that they have drained. Finds weak
 * orders of LI(steal:H), LI(take:C) and LI(left:A). Shared parts, use and
 * limitations: client.h, main.h.
 */
#define WSQ_SHIM_READ_FIRST
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_first : client<lifo_first, 3> {
	void thread(unsigned int i)
	{
		if (i == 0) {
			put(3);
			get(3);
			put(3);
			get(1);
			put(4);
			get(3);
			put(2);
		} else {
			steal(i);
			steal(1);
		}
	}
};

CLIENT_MAIN(lifo_first)
