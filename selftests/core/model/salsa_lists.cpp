// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: single-writer lists that fill up with stale numbers. A producer with
 * two entries feeds one consumer after the other, so that a chunk comes back
 * under another one; a thief's list has a chunk that was stolen back. Shared
 * parts, use and limitations: salsa_client.h.
 */
#define MODEL_OUT	2
#include "salsa_client.h"

struct salsa_lists : salsa_client<salsa_lists, 3> {
	void prepare()
	{
		put_before(1, 0, 0);
		put_before(1, 1, 0);
	}

	void thread(unsigned int i)
	{
		int lap;

		switch (i) {
		case 0:
			get(0);
			get(0);
			get(0);
			steal(0, 1);
			get(0);
			break;
		case 1:
			steal(1, 0);
			get(1);
			get(1);
			steal(1, 0);
			break;
		case 2:
			for (lap = 0; lap < 6; lap++)
				put(lap & 1, lap >> 1 & 1);
			break;
		}
	}
};

CLIENT_MAIN(salsa_lists)
