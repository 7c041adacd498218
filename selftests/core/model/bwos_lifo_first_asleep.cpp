// SPDX-License-Identifier: GPL-2.0
/*
 * A thief that reads before it claims sleeps until the owner has returned to
 * the slot. Small, to be run bounded. Shared parts, use and limitations:
 * client.h, main.h.
 */
#define WSQ_SHIM_READ_FIRST
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_first_asleep : client<lifo_first_asleep, 2> {
	void thread(unsigned int i)
	{
		if (i == 0) {
			put(3);
			get(4);
			put(2);
		} else {
			steal(1);
		}
	}
};

CLIENT_MAIN(lifo_first_asleep)
