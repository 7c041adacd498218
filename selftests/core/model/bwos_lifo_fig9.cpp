// SPDX-License-Identifier: GPL-2.0
/*
 * The paper's verification client (figure 9) on the LIFO queue: an owner that
 * puts and gets three times around a queue of 2 x 2, a thief that steals once,
 * one that steals twice.
 * Shared parts, use and limitations: bwos_lifo_client.h, main.h.
 */
#include "bwos_lifo_client.h"

struct lifo_fig9 : lifo_client<lifo_fig9, 3> {
	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put(3);
			get(2);
			put(4);
			get(3);
			put(5);
			get(4);
			break;
		case 1:
			steal(1);
			break;
		case 2:
			steal(1);
			steal(1);
			break;
		}
	}
};

CLIENT_MAIN(lifo_fig9)
