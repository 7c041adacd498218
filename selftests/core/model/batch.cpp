// SPDX-License-Identifier: GPL-2.0
/*
 * The batched forms beside each other: put_many, get_many, steal of a block,
 * mixed with single ones.
 * Shared parts, use and limitations: client.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "client.h"

struct batch : client<batch, 4> {
	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put_many(3);
			put(1);
			put_many(2);
			put_many(3);
			break;
		case 1:
			get_many(2);
			get(1);
			get_many(3);
			get_many(4);
			break;
		default:
			steal(2);
			steal(2);
			break;
		}
	}
};

CLIENT_MAIN(batch)
