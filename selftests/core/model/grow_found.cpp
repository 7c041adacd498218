// SPDX-License-Identifier: GPL-2.0
/*
 * A new block found by its index: a thief's hint, written by an earlier thief,
 * names a block that has just been added. The thief must find it complete, or
 * begin elsewhere. Shared parts: grow_client.h; use and limitations: client.h,
 * main.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "grow_client.h"

struct grow_found : grow_client<grow_found, 3, 2, 2, 0, 4, 0> {
	grow_segment<2, 0> one;

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put(3);
			one.extend(&q);
			break;
		case 1:
			atomic64_set(&q.t_hint, 3);
			break;
		case 2:
			wsq_bwos_fifo_waiting(&q);
			steal(2);
			break;
		}
	}
};

CLIENT_MAIN(grow_found)
