// SPDX-License-Identifier: GPL-2.0
/*
 * A held block while put runs beside get: the directory changes under the
 * consumer (BF(open:C), BF(take:A)) and under a second thief (BF(steal:A)).
 * Shared parts, use and limitations: client.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "client.h"

struct spare : client<spare, 4, 2, 2, 1> {
	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put(9);
			break;
		case 1:
			get(8);
			break;
		case 2:
			steal(1);
			break;
		case 3:
			steal(2);
			steal(1);
			break;
		}
	}
};

CLIENT_MAIN(spare)
