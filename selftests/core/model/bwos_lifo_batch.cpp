// SPDX-License-Identifier: GPL-2.0
/*
 * The batched forms: put_many, get_many, steal of a block, mixed with single
 * ones.
 * Shared parts, use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "client.h"

struct lifo_batch : client<lifo_batch, 3> {
	void thread(unsigned int i)
	{
		if (i == 0) {
			put_many(3);
			get_many(2);
			put(1);
			put_many(3);
			get(1);
			get_many(3);
			put_many(2);
		} else {
			steal(2);
			steal(2);
		}
	}
};

CLIENT_MAIN(lifo_batch)
