// SPDX-License-Identifier: GPL-2.0
/*
 * put beside get beside two thieves, on four threads: the case that figure 9's
 * client lacks. The local accesses are acquire and release here (shim/relacy),
 * which stands for an interrupt that puts between any two instructions of a
 * get. Shared parts, use and limitations: client.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "client.h"

struct beside : client<beside, 4> {
	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put(8);
			break;
		case 1:
			get(7);
			break;
		default:
			steal(1);
			steal(1);
			break;
		}
	}
};

CLIENT_MAIN(beside)
