// SPDX-License-Identifier: GPL-2.0
/*
 * Block reuse: the producer returns to a block that thieves have read from, as
 * early as it can. Finds weak orders of the count (BF(steal:F), BF(open:B))
 * that figure 9's client does not reach. Shared parts, use and limitations:
 * client.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "client.h"

struct reuse : client<reuse, 3> {
	void thread(unsigned int i)
	{
		if (i == 0) {
			put(4);
			get(2);
			put(2);
			get(2);
			put(2);
		} else {
			steal(1);
		}
	}
};

CLIENT_MAIN(reuse)
