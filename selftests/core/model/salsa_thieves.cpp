// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: two thieves of one victim steal from each other, and the victim steals
 * from them in turn. A thief that halts while it owns a chunk is overtaken.
 * Shared parts, use and limitations: salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_thieves : salsa_client<salsa_thieves, 3, 3> {
	u32 home_of(u32)
	{
		return 0;
	}

	void prepare()
	{
		put_before(4, 0, 0);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			get(0);
			get(0);
			get(0);
			steal(0, 1);
			break;
		case 1:
			steal(1, 0);
			get(1);
			steal(1, 2);
			break;
		case 2:
			steal(2, 0);
			steal(2, 1);
			break;
		}
	}
};

CLIENT_MAIN(salsa_thieves)
