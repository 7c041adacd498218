// SPDX-License-Identifier: GPL-2.0
/*
 * Thieves that read before they claim, and do not count: the producer returns
 * to a block that they have read from as early as it can. Finds weak orders of
 * BF(steal:H) and BF(take:C). Shared parts, use and limitations: client.h.
 */
#define WSQ_SHIM_READ_FIRST
#include "../engine/bwos_fifo/model.h"
#include "client.h"

struct first : client<first, 3> {
	void thread(unsigned int i)
	{
		if (i == 0) {
			put(4);
			get(2);
			put(2);
			get(3);
			put(3);
			get(1);
		} else {
			steal(i);
			steal(1);
		}
	}
};

CLIENT_MAIN(first)
