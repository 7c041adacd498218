// SPDX-License-Identifier: GPL-2.0
/*
 * Block reuse with the batched forms, by one owner: reuse.cpp for put_many,
 * get_many and the steal of a block.
 * Shared parts, use and limitations: client.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "client.h"

struct batch_owner : client<batch_owner, 3> {
	void thread(unsigned int i)
	{
		if (i == 0) {
			put_many(4);
			get_many(2);
			put_many(2);
			get_many(2);
			put_many(2);
		} else {
			steal(2);
		}
	}
};

CLIENT_MAIN(batch_owner)
