// SPDX-License-Identifier: GPL-2.0
/*
 * Around the queue: an owner that only puts, thieves that drain the bottom in
 * front of it, and a spare block for a late thief. A put that fails must not
 * lose a task that is in the queue. Shared parts, use and limitations:
 * client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_around : client<lifo_around, 3, 2, 2, 1> {
	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put(9);
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

CLIENT_MAIN(lifo_around)
