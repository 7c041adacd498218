// SPDX-License-Identifier: GPL-2.0
/*
 * put beside get only, long enough to wrap twice: the local pairs, without a
 * thief whose accesses could order them accidentally. Shared parts, use and
 * limitations: client.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "client.h"

struct pair : client<pair, 2> {
	void thread(unsigned int i)
	{
		if (i == 0)
			put(10);
		else
			get(10);
	}
};

CLIENT_MAIN(pair)
