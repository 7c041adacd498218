// SPDX-License-Identifier: GPL-2.0
/*
 * put beside get alone, long enough to go around twice: the local pairs,
 * without a thief whose accesses order anything by chance.
 * Shared parts, use and limitations: client.h.
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
