// SPDX-License-Identifier: GPL-2.0
/*
 * A thief that reads before it claims sleeps until the producer has returned to
 * the block. Small, to be run bounded. Shared parts, use and limitations:
 * client.h.
 */
#define WSQ_SHIM_READ_FIRST
#include "../engine/bwos_fifo/model.h"
#include "client.h"

struct first_asleep : client<first_asleep, 2> {
	void thread(unsigned int i)
	{
		if (i == 0) {
			put(4);
			get(3);
			put(4);
		} else {
			steal(1);
		}
	}
};

CLIENT_MAIN(first_asleep)
