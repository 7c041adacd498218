// SPDX-License-Identifier: GPL-2.0
/*
 * The owner comes down to the same block that thieves come up to: section 5.2
 * of the paper, where thieves that reset the block for themselves undid the
 * take-over, and tasks were lost. Then it goes up again, and down. Shared
 * parts, use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_down : client<lifo_down, 3, 3> {
	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put(5);
			get(2);
			put(3);
			get(3);
			break;
		case 1:
			steal(2);
			steal(1);
			break;
		case 2:
			steal(1);
			steal(2);
			break;
		}
	}
};

CLIENT_MAIN(lifo_down)
